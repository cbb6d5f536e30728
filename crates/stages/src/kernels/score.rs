//! `score` of a batch.

use super::counts::{Counts, of_metric};
use super::items::BatchItems;
use crate::engine::Context;
use crate::stages::score::{ScoreStage, Scorer, columns, score_groups};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use rayon::prelude::*;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::Keys;
use tiebreak_data::records::index::Group;
use tiebreak_data::tables::schema::schema;

/// Items that a thread takes at a time.
const ITEMS: usize = 64;

/// The metrics of a batch, loaded and ready.
pub struct ScorePlan {
    pub(super) scorers: Vec<Scorer>,
    /// Whether metrics that need counts have them.
    ready: bool,
}

impl ScorePlan {
    /// Loads the metrics of the keys.
    ///
    /// # Errors
    /// Invalid keys; errors of [`Scorer::new`].
    pub fn new(context: &Context<'_>, keys: &ScoreStage) -> Result<Self> {
        keys.check()?;
        Ok(Self {
            scorers: keys.scorers(context)?,
            ready: false,
        })
    }

    /// The same plan with the counts of the whole data set ([`Self::count`], merged).
    ///
    /// # Errors
    /// A table that does not hold counts, or lacks those of a metric.
    pub fn counted(mut self, counts: &Counts) -> Result<Self> {
        for scorer in &mut self.scorers {
            let of_it = of_metric(counts, &scorer.label);
            scorer.metric.count(&of_it).map_err(|error| {
                Error::usage(format!("{}: {error}", scorer.label))
                    .with_hint("count all items first, with the same metrics")
            })?;
        }
        self.ready = true;
        Ok(self)
    }

    /// The columns of the scores.
    pub fn schema(&self) -> SchemaRef {
        schema(columns(&self.all()))
    }

    fn all(&self) -> Vec<&Scorer> {
        self.scorers.iter().collect()
    }

    /// # Errors
    /// [`Error::Usage`] where a metric lacks counts, or an item references.
    fn check(&self, groups: &[Group]) -> Result<()> {
        for scorer in &self.scorers {
            if !self.ready && scorer.metric.terms(&[])?.is_some() {
                let what = format!("{} needs counts over all items first", scorer.label);
                return Err(Error::usage(what).with_hint("count them in a first pass"));
            }
            let lacks = groups.iter().find(|group| group.references.is_empty());
            if let Some(group) = lacks.filter(|_| scorer.metric.needs_references()) {
                let (item, label) = (&group.item, &scorer.label);
                let what = format!("item `{item}` has no references, and {label} needs them");
                return Err(Error::usage(what).with_hint("give rows a column `references`"));
            }
        }
        Ok(())
    }

    /// Scores every output of a batch: in the order of its rows, and for each row in the order of the metrics.
    ///
    /// # Errors
    /// An invalid row, with its number; errors of the metrics; [`Error::Interrupted`].
    pub fn score(&self, context: &Context<'_>, batch: &RecordBatch) -> Result<RecordBatch> {
        let BatchItems { systems, groups } = BatchItems::in_order(batch)?;
        self.check(&groups)?;
        let scorers = self.all();
        let parts = groups.par_chunks(ITEMS);
        // Collected before it is searched for an error, so that the first one is reported.
        let parts: Vec<Result<RecordBatch>> = parts
            .map(|groups| {
                context.check()?;
                score_groups(&systems, &scorers, groups)
            })
            .collect();
        let parts: Vec<RecordBatch> = parts.into_iter().collect::<Result<_>>()?;
        concat_batches(&self.schema(), &parts).map_err(Error::failed)
    }
}
