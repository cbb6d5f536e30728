//! Votes as Chatbot Arena publishes them, one a line.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;
use tiebreak_data::records::outcomes::{is_both_bad, is_inconsistent};
use tiebreak_data::records::{Kind, LABEL};

/// Votes of an arena.
pub(crate) const EXPORT: Export = Export {
    name: "arena",
    summary: "votes as Chatbot Arena has them (JSON lines)",
    file: Some("votes.jsonl"),
    write,
};

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let mut lines = LineFileWriter::create(out)?;
    let ties = worded_ties(what)?;
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
                Outcome::Tie => {
                    let worded = verdict.place.and_then(|place| ties.get(&place));
                    worded.copied().unwrap_or("tie")
                }
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

/// Returns the words of ties that are more than that, by the places of the comparisons: their labels say whether both
/// outputs were bad, or preferred once each.
fn worded_ties(what: &ExportRequest<'_>) -> Result<BTreeMap<u64, &'static str>> {
    let mut ties = BTreeMap::new();
    let rows = what.source.dataset.rows(Kind::Comparisons)?;
    for (row, place) in rows.into_iter().flatten().zip(0..) {
        let word = match row?.optional_text(LABEL)? {
            Some(label) if is_both_bad(&label) => "tie (bothbad)",
            Some(label) if is_inconsistent(&label) => "tie (inconsistent)",
            _ => continue,
        };
        ties.insert(place, word);
    }
    Ok(ties)
}
