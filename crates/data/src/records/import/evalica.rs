//! Pairs as evalica takes them: `left`, `right`, `winner`, no items and no texts. Each row is an item of its own.

use super::frame::{Builder, Compared, File, Files, Format, numbered};
use tiebreak_base::cost::Cost;
use tiebreak_base::error::Result;

/// Rows of left, right and winner.
pub(crate) const FORMAT: Format = Format {
    name: "evalica",
    summary: "pairs of left, right and winner (evalica)",
    picks: &[],
    fallback: false,
    find,
    read,
};

fn find(files: &Files) -> Vec<&File> {
    files.that(|file| file.has(&["left", "right", "winner"]) && !file.has(&["annotation_id"]))
}

fn read(found: &[&File], _: &Files, builder: &mut Builder<'_>) -> Result<()> {
    builder.taken("systems: left, right; item: the row; outcome: winner");
    numbered(found, |record, number| {
        let (left, right) = (record.get("left").name()?, record.get("right").name()?);
        let winner = record.get("winner").filled()?.unwrap_or_default();
        let Ok(outcome) = builder.options.outcomes.between(&winner, &left, &right) else {
            builder.drop(match winner.is_empty() {
                true => "no winner".to_string(),
                false => format!("winner is {winner}"),
            });
            return Ok(());
        };
        let annotator = record.get("annotator").filled()?;
        let compared = Compared {
            item: &number.to_string(),
            system_a: &left,
            system_b: &right,
            outcome,
            label: Some(&winner),
            annotator: annotator.as_deref(),
            cost: Cost::default(),
        };
        builder.comparison(&compared, &record.rest(&["left", "right", "winner"]))
    })
}
