//! Votes as Chatbot Arena publishes them, one a line.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;
use tiebreak_data::records::outcomes::is_both_bad;
use tiebreak_data::records::{Kind, LABEL};

/// Votes of an arena.
pub(crate) const EXPORT: Export = Export {
    name: "arena",
    summary: "votes as Chatbot Arena has them (JSON lines)",
    write,
};

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let mut lines = LineFileWriter::create(out)?;
    let both_bad = both_bad(what)?;
    what.verdicts(&mut |group, verdict| {
        let [a, b] = what.texts(group, verdict)?;
        let prompt = group.source.as_deref().unwrap_or_default();
        let conversation = |answer: &str| {
            json!([{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}])
        };
        lines.push(&json!({
            "question_id": group.item,
            "model_a": verdict.a,
            "model_b": verdict.b,
            "winner": match verdict.outcome {
                Outcome::Win => "model_a",
                Outcome::Loss => "model_b",
                Outcome::Tie if verdict.place.is_some_and(|place| both_bad.contains(&place)) => {
                    "tie (bothbad)"
                }
                Outcome::Tie => "tie",
            },
            "judge": verdict.annotator,
            "conversation_a": conversation(a),
            "conversation_b": conversation(b),
        }))
    })?;
    Ok(ExportSummary {
        form: EXPORT.name.to_string(),
        rows: vec![lines.finish()?],
        dropped: Vec::new(),
    })
}

/// Returns the places of the comparisons whose label says that both outputs were bad, which an outcome does not tell.
fn both_bad(what: &ExportRequest<'_>) -> Result<BTreeSet<u64>> {
    let mut places = BTreeSet::new();
    let rows = what.source.dataset.rows(Kind::Comparisons)?;
    for (row, place) in rows.into_iter().flatten().zip(0..) {
        if row?
            .optional_text(LABEL)?
            .is_some_and(|label| is_both_bad(&label))
        {
            places.insert(place);
        }
    }
    Ok(places)
}
