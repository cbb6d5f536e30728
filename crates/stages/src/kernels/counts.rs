//! Counts that metrics need of a whole data set before they score any of it, as sums that merge.

use super::items::BatchItems;
use super::score::ScorePlan;
use crate::engine::Context;
use crate::stages::score::segments;
use arrow_array::RecordBatch;
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::Result;
use tiebreak_data::records::reader::each_row;
use tiebreak_data::tables::schema::{Column, TableBuilder, TableCell, TableColumns};

/// The table of counts: the number of documents that each metric's terms are in.
pub const COUNTS: TableColumns = &[
    ("metric", Column::Text),
    ("term", Column::Text),
    ("documents", Column::Count),
];

/// The number of documents that a term is in, by metric and term.
pub(crate) type Counts = BTreeMap<(String, String), u64>;

/// Items that a thread counts at a time.
const ITEMS: usize = 256;

impl ScorePlan {
    /// Counts the items of a batch, for the metrics of a plan that need it. Each item must be in one batch only, and
    /// is counted once there; where a metric counts outputs too, all rows of the item must be in that batch.
    ///
    /// # Errors
    /// An invalid row, with its number; errors of the metrics; [`Error::Interrupted`](tiebreak_base::error::Error::Interrupted).
    pub fn count(&self, context: &Context<'_>, batch: &RecordBatch) -> Result<RecordBatch> {
        let groups = BatchItems::whole(batch)?.groups;
        let parts = groups.par_chunks(ITEMS).map(|groups| -> Result<Counts> {
            context.check()?;
            let mut counts = Counts::new();
            for scorer in &self.scorers {
                for group in groups {
                    let item = segments(std::slice::from_ref(group));
                    for term in scorer.metric.terms(&item)?.into_iter().flatten() {
                        *counts.entry((scorer.label.clone(), term)).or_default() += 1;
                    }
                }
            }
            Ok(counts)
        });
        let parts: Vec<Result<Counts>> = parts.collect();
        let mut all = Counts::new();
        for part in parts {
            add(&mut all, part?);
        }
        Ok(table(&all))
    }
}

/// Adds the counts of several batches.
///
/// # Errors
/// A table that does not hold counts.
pub fn merge(tables: &[RecordBatch]) -> Result<RecordBatch> {
    Ok(table(&counts(tables)?))
}

/// The sums of several tables of counts.
///
/// # Errors
/// A table that does not hold counts.
pub fn counts(tables: &[RecordBatch]) -> Result<Counts> {
    let mut all = Counts::new();
    for batch in tables {
        each_row("counts", batch, |row| {
            let documents = row.number("documents")?;
            if documents < 0.0 || documents.fract() != 0.0 {
                let what = format!("`documents` is {documents}, expected a whole number");
                return Err(row.error(what));
            }
            *all.entry((row.text("metric")?, row.text("term")?))
                .or_default() += documents as u64;
            Ok(())
        })?;
    }
    Ok(all)
}

/// The counts of one metric.
pub(super) fn of_metric(counts: &Counts, metric: &str) -> BTreeMap<String, u64> {
    let of_it = counts.iter().filter(|((one, _), _)| one == metric);
    of_it.map(|((_, term), &n)| (term.clone(), n)).collect()
}

fn add(all: &mut Counts, part: Counts) {
    for (key, n) in part {
        *all.entry(key).or_default() += n;
    }
}

fn table(counts: &Counts) -> RecordBatch {
    let mut rows = TableBuilder::new(COUNTS);
    for ((metric, term), &documents) in counts {
        rows.push(&[
            TableCell::Text(metric),
            TableCell::Text(term),
            TableCell::Count(documents),
        ]);
    }
    rows.finish()
}
