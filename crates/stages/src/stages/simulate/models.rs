//! Sources of a run's predictions: tables, or a model that is asked as the need arises.

use super::{Choices, Feedback};
use crate::engine::context::Context;
use crate::inputs::source::PredictionTable;
use crate::inputs::source::Source;
use crate::stages::predict::{OnDemandOptions, OnDemandPredictor};
use crate::stages::rank::coverage::Coverage;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak_base::duel::Pair;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::feedback::names::Names;
use tiebreak_decide::model_based::thresholds::Thresholds;
use tiebreak_decide::model_based::{Forecasts, PairPredictions};
use tiebreak_preference::preference::calibration::of_fold;

/// The source of predictions.
pub enum Models<'a> {
    /// Tables, possibly none.
    Tables(Vec<PredictionTable>),
    /// A model that is asked on demand.
    OnDemand(Arc<OnDemandPredictor<'a>>),
}

impl<'a> Models<'a> {
    /// Opens what a stage names: tables by `table`, or a model, whose predictions are kept in the run's
    /// folder `out` unless the stage says where.
    ///
    /// # Errors
    /// Those of `table`; as `OnDemandPredictor::open`.
    pub fn open(
        context: &'a Context<'a>,
        source: &'a Source,
        choices: &Choices,
        out: Option<&Path>,
        table: impl Fn(&str) -> Result<PredictionTable>,
    ) -> Result<Self> {
        let Some(asked) = choices.asked() else {
            let names = choices.predictions.iter();
            let tables = names.map(|name| table(name)).collect::<Result<_>>()?;
            return Ok(Self::Tables(tables));
        };
        let kept = out.map(|out| out.join("predictions"));
        let asked = OnDemandOptions {
            cache: asked.cache.or(kept),
            ..asked
        };
        let model = OnDemandPredictor::open(context, source, asked)?;
        Ok(Self::OnDemand(Arc::new(model)))
    }

    /// The number of tables or models.
    pub fn number(&self) -> usize {
        match self {
            Self::Tables(tables) => tables.len(),
            Self::OnDemand(_) => 1,
        }
    }

    pub(crate) fn signatures(&self) -> Vec<String> {
        match self {
            Self::Tables(tables) => tables.iter().map(|table| table.signature.clone()).collect(),
            Self::OnDemand(model) => vec![model.signature()],
        }
    }

    /// Whether all predictions come with uncertainty.
    pub(crate) fn have_uncertainty(&self) -> bool {
        match self {
            Self::Tables(tables) => tables.iter().all(|table| table.has_uncertainty),
            Self::OnDemand(model) => model.asked().how.draws().any(),
        }
    }

    /// The digest of the tables, or of what a model has predicted as a start; `None` without any.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn digest(&self) -> Result<Option<String>> {
        match self {
            Self::Tables(tables) if !tables.is_empty() => {
                let digests = tables.iter().map(PredictionTable::digest);
                Ok(Some(digests.collect::<Result<Vec<_>>>()?.join("+")))
            }
            Self::Tables(_) => Ok(None),
            Self::OnDemand(model) => Ok(model.survey_digest()),
        }
    }

    /// The folder of a model's predictions, where they are kept.
    pub fn kept(&self) -> Option<PathBuf> {
        match self {
            Self::Tables(_) => None,
            Self::OnDemand(model) => model.asked().cache.clone(),
        }
    }

    /// The number of items in a survey, if it is not made on all.
    pub(crate) fn sample(&self) -> Option<u64> {
        match self {
            Self::Tables(_) => None,
            Self::OnDemand(model) => model.asked().sample,
        }
    }

    /// The forecasts of each, with a warning about tables that lack some of what such feedback can be about.
    ///
    /// # Errors
    /// Invalid predictions.
    pub(crate) fn forecasts(
        &self,
        context: &Context<'_>,
        source: &Source,
        names: &Arc<Names>,
        feedback: Feedback,
    ) -> Result<Vec<Arc<dyn Forecasts + 'a>>> {
        match self {
            Self::OnDemand(model) => Ok(vec![Arc::clone(model) as Arc<dyn Forecasts + 'a>]),
            Self::Tables(tables) => {
                let read = |table| -> Result<Arc<dyn Forecasts + 'a>> {
                    let (predictions, coverage) = predictions(source, table, names)?;
                    let is_enough =
                        feedback == Feedback::Recorded && coverage.has_all_comparisons();
                    if let Some(lacking) = coverage.lacking(table).filter(|_| !is_enough) {
                        context.progress.warn(&format!(
                            "{lacking}. The other pairs have no hint, which can cost answers but makes no proof wrong"
                        ));
                    }
                    Ok(Arc::new(predictions))
                };
                tables.iter().map(read).collect()
            }
        }
    }

    /// Has a model predict all that was judged.
    pub(crate) fn fetch_judged(&self) -> Result<()> {
        match self {
            Self::Tables(_) => Ok(()),
            Self::OnDemand(model) => model.fetch_judged(),
        }
    }

    /// Runs `work`, after which what a model was asked is kept, however it ended.
    ///
    /// # Errors
    /// Those of the work; as `OnDemandPredictor::finish`.
    pub fn keeping<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let done = work();
        let kept = match self {
            Self::Tables(_) => Ok(()),
            Self::OnDemand(model) => model.finish(),
        };
        let done = done?;
        kept.map(|()| done)
    }
}

/// The predictions of a table, with what it covers.
fn predictions(
    source: &Source,
    table: &PredictionTable,
    names: &Arc<Names>,
) -> Result<(PairPredictions, Coverage)> {
    let (mut rows, mut coverage) = (Vec::new(), Coverage::default());
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        let of_item = table.of_item(group.position)?;
        coverage.count(&group, &of_item);
        rows.extend(
            of_item
                .into_iter()
                .map(|(a, b, prediction)| (item, Pair::new(a, b), prediction)),
        );
    }
    let (tau1, tau2) = table.thresholds;
    let predictions = PairPredictions::new(Arc::clone(names), rows, Thresholds::new(tau1, tau2)?)?;
    let folds = table.folds()?;
    let of_item = |item: &String| of_fold(&folds, item);
    let of_items = names.items.iter().filter_map(of_item).collect();
    Ok((predictions.with_thresholds(of_items), coverage))
}
