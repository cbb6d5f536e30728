//! Rows of subset2evaluate: an item with the texts of all systems, and their scores.

use super::frame::{DatasetBuilder, ImportFile, ImportFiles, ImportFormat, JudgmentRow, numbered};
use tiebreak_base::error::Result;

/// The format of rows of items.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "subset2evaluate",
    summary: "items with all systems' texts and scores (subset2evaluate)",
    picks: &[],
    matching_files: |files| {
        files.that(|file| {
            file.has(&["src", "tgt"])
                && file.look().first["tgt"].is_object()
                && !file.has(&["item_id"])
        })
    },
    read,
};

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken(
        "item: i; source: src; references: ref; system: key of tgt; criteria: keys of scores",
    );
    numbered(found, |record, number| {
        let item = record.first(&["i", "id", "item_id"]).filled()?;
        let item = item.unwrap_or_else(|| number.to_string());
        let source = record.get("src").text()?;
        let references = builder.references(record.get("ref"))?;
        if !builder.item(&item, source.as_deref(), &references)? {
            builder.drop("another source of the same item");
            return Ok(());
        }
        for (system, text) in record.get("tgt").fields() {
            builder.output(&item, system, text.text()?.as_deref(), record.node())?;
        }
        let scores = record.get("scores");
        let named = !record.first(&["i", "id", "item_id"]).is_null();
        if named && builder.is_again("row", &(&item, scores.value().to_string())) {
            return Ok(());
        }
        for (system, scores) in scores.fields() {
            for (criterion, score) in scores.fields() {
                let Some(score) = score.number()? else {
                    builder.no_score(system, criterion, "no score");
                    continue;
                };
                builder.judgment(&JudgmentRow {
                    item: &item,
                    system,
                    criterion,
                    score,
                    at: Some(&record.at),
                    ..JudgmentRow::default()
                })?;
            }
        }
        Ok(())
    })
}
