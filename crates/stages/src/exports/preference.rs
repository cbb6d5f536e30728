//! Preference data: prompt, chosen, rejected, as TRL learns from them and RewardBench measures with them. There are no
//! ties in it.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use serde_json::json;
use std::path::Path;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;

/// The form that TRL learns from.
pub(crate) const TRL: Export = Export {
    name: "trl",
    summary: "preference data: prompt, chosen, rejected (JSON lines)",
    file: Some("preferences.jsonl"),
    write: |what, out| write(what, out, false),
};

/// The form that RewardBench measures with.
pub(crate) const REWARDBENCH: Export = Export {
    name: "rewardbench",
    summary: "preference data with the names of the systems (JSON lines)",
    file: Some("preferences.jsonl"),
    write: |what, out| write(what, out, true),
};

fn write(what: &ExportRequest<'_>, out: &Path, named: bool) -> Result<ExportSummary> {
    let mut lines = LineFileWriter::create(out)?;
    let mut ties = 0;
    let mut number = 0;
    what.verdicts(&mut |group, verdict| {
        let [a, b] = what.texts(group, verdict)?;
        let (chosen, rejected, models) = match verdict.outcome {
            Outcome::Win => (a, b, [verdict.a, verdict.b]),
            Outcome::Loss => (b, a, [verdict.b, verdict.a]),
            Outcome::Tie => {
                ties += 1;
                return Ok(());
            }
        };
        let mut row =
            json!({"prompt": what.prompt(group)?, "chosen": chosen, "rejected": rejected});
        if named {
            row["chosen_model"] = models[0].into();
            row["rejected_model"] = models[1].into();
            row["subset"] = what.source.dataset.name().into();
            row["id"] = number.into();
        }
        number += 1;
        lines.push(&row)
    })?;
    Ok(ExportSummary {
        form: if named { REWARDBENCH.name } else { TRL.name }.to_string(),
        rows: vec![lines.finish()?],
        dropped: vec![("ties, where neither was chosen".to_string(), ties)],
    })
}
