//! `predict` of a batch.

use super::items::BatchItems;
use crate::engine::Context;
use crate::stages::predict::{Predict, Predictor, predict_groups, prediction_columns};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::Group;
use tiebreak_data::tables::schema::schema;
use tiebreak_preference::preference::PairwiseModel;

/// Items that a thread takes at a time.
const ITEMS: usize = 4;

/// The model that predicts, loaded and ready.
pub struct PredictPlan {
    model: Arc<dyn PairwiseModel>,
    keep_draws: bool,
}

impl PredictPlan {
    /// Loads the model of the keys.
    ///
    /// # Errors
    /// Invalid keys, or keys of another table beside the batch; a model that cannot be loaded.
    pub fn new(context: &Context<'_>, keys: &Predict) -> Result<Self> {
        if keys.pairs.is_some() {
            let what = "all pairs of an item are predicted, none of a file";
            return Err(Error::key("pairs", what));
        }
        match keys.load(context, Path::new(""))? {
            Some(Predictor::Model(model)) => Ok(Self {
                model,
                keep_draws: keys.keep_draws,
            }),
            _ => Err(
                Error::key("link", "a link needs scores, and a batch has none")
                    .with_hint("name a model"),
            ),
        }
    }

    /// The columns of the predictions.
    pub fn schema(&self) -> SchemaRef {
        schema(prediction_columns(self.model.as_ref(), self.keep_draws))
    }

    /// Predicts every pair of outputs of each item of a batch, items in the order of their first rows, pairs by the
    /// names of the systems. All rows of an item must be in one batch.
    ///
    /// # Errors
    /// An invalid row, with its number; errors of the model; [`Error::Interrupted`].
    pub fn predict(&self, context: &Context<'_>, batch: &RecordBatch) -> Result<RecordBatch> {
        let BatchItems { systems, groups } = BatchItems::whole(batch)?;
        let work = |groups: &[Group]| {
            context.check()?;
            predict_groups(
                context,
                self.model.as_ref(),
                self.keep_draws,
                &systems,
                groups,
            )
        };
        let at_once = ITEMS.max(self.model.at_once());
        let parts: Vec<Result<RecordBatch>> = groups.par_chunks(at_once).map(work).collect();
        let parts: Vec<RecordBatch> = parts.into_iter().collect::<Result<_>>()?;
        concat_batches(&self.schema(), &parts).map_err(Error::failed)
    }
}
