//! Pairs as evalica takes them: `left`, `right`, `winner`, no items and no texts. Each row is an item of its own.

use super::convention::OutcomeColumn;
use super::frame::{
    DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportedComparison, numbered,
};
use tiebreak_base::cost::Cost;
use tiebreak_base::error::Result;

/// The format of rows with left, right and winner.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "evalica",
    summary: "pairs of left, right and winner (evalica)",
    picks: &[],
    matching_files: |files| {
        files.that(|file| file.has(&["left", "right", "winner"]) && !file.has(&["annotation_id"]))
    },
    read,
};

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("systems: left, right; item: the row; outcome: winner");
    let outcomes = OutcomeColumn::decided(found, "winner", [&["left"], &["right"]], builder)?;
    numbered(found, |record, number| {
        let (left, right) = (record.get("left").name()?, record.get("right").name()?);
        let Some((outcome, winner)) = outcomes.read(record, [&left, &right], builder)? else {
            return Ok(());
        };
        let annotator = record.get("annotator").filled()?;
        let compared = ImportedComparison {
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
