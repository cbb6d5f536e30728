//! The materials of cells: data sets, opened when they are first needed; models, loaded once for all
//! cells in a row; and the scores and predictions of metrics and models, kept beside the cells.

use super::keys::ExperimentSettings;
use crate::engine::context::Context;
use crate::engine::names::file_name;
use crate::engine::parts::Shard;
use crate::inputs::source::{PredictionTable, Scores, Source};
use crate::stages::fit;
use crate::stages::predict::{self, OnDemandOptions, OnDemandPredictor, PredictOptions, Predictor};
use crate::stages::score::{self, Scorer};
use crate::stages::simulate::Models;
use crate::stages::site::model_beside;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::keys::named::ParameterizedName;
use tiebreak_data::records::Dataset;
use tiebreak_data::tables::destination::Destination;
use tiebreak_preference::preference::calibration::Calibration;
use tiebreak_preference::preference::{self, Options, PairwiseModel};

/// A data set that is read when its contents are first asked for.
pub(super) struct Data {
    name: String,
    path: PathBuf,
    /// The digest of its contents.
    pub digest: String,
    source: OnceCell<Source>,
}

impl Data {
    /// Finds a data set; `None` where there is none of that name.
    pub(super) fn open_if_present(root: &Path, name: &str) -> Result<Option<Self>> {
        let path = root.join(name);
        if !is_there(&path) {
            return Ok(None);
        }
        let digest = Dataset::open(&path, &[])?.digests()?.all;
        Ok(Some(Self {
            name: file_name(name),
            path,
            digest,
            source: OnceCell::new(),
        }))
    }

    /// The contents, read when first asked for.
    pub(super) fn source(&self, context: &Context<'_>) -> Result<&Source> {
        if let Some(source) = self.source.get() {
            return Ok(source);
        }
        let source = Source::open(context, &self.path, &[])?;
        Ok(self.source.get_or_init(|| source))
    }

    /// Drops the contents.
    pub(super) fn close(&mut self) {
        self.source.take();
    }
}

/// The resources that all cells share, so that nothing is made ready twice.
pub(super) struct GridResources {
    /// The folder that paths in the file are relative to.
    pub folder: PathBuf,
    /// The folder of the results.
    pub out: PathBuf,
    /// The last model, which neighbouring cells mostly share: two big ones must not be in memory
    /// at once.
    model: RefCell<Option<LoadedModel>>,
    /// Tables that are complete.
    complete: RefCell<BTreeSet<PathBuf>>,
}

/// A model, with its name and the options with which it is asked.
type LoadedModel = (String, Options, Arc<dyn PairwiseModel>);

impl GridResources {
    pub(super) fn new(folder: PathBuf, out: &Path) -> Self {
        Self {
            folder,
            out: out.to_path_buf(),
            model: RefCell::default(),
            complete: RefCell::default(),
        }
    }

    /// The model of a cell, if it has one.
    pub(super) fn model(
        &self,
        context: &Context<'_>,
        keys: &ExperimentSettings,
    ) -> Result<Option<Arc<dyn PairwiseModel>>> {
        let Some(name) = keys.model() else {
            return Ok(None);
        };
        let asking = keys.asking();
        let mut last = self.model.borrow_mut();
        if let Some((_, _, model)) = last
            .as_ref()
            .filter(|(other, how, _)| (other.as_str(), how) == (name, &asking))
        {
            return Ok(Some(Arc::clone(model)));
        }
        *last = None;
        let options = asking.clone().rebase_paths(&self.folder);
        let path = model_beside(&self.folder, name);
        let model: Arc<dyn PairwiseModel> = preference::load(&path, &options, &context.env)?.into();
        *last = Some((name.to_string(), asking, Arc::clone(&model)));
        Ok(Some(model))
    }

    /// Makes a table, unless it is known to be complete.
    fn completed(&self, table: &Path, make: impl FnOnce() -> Result<()>) -> Result<()> {
        if !self.complete.borrow().contains(table) {
            make()?;
            self.complete.borrow_mut().insert(table.to_path_buf());
        }
        Ok(())
    }
}

/// A cell with what it is computed from.
#[derive(Clone, Copy)]
pub(super) struct CellInputs<'a> {
    pub data: &'a Data,
    /// The data set on which links and thresholds are fitted.
    pub validation: &'a Data,
    pub keys: &'a ExperimentSettings,
    pub shared: &'a GridResources,
}

impl<'a> CellInputs<'a> {
    fn metric(&self) -> Result<(&ParameterizedName, &str)> {
        match (&self.keys.metric, &self.keys.link) {
            (Some(metric), Some(link)) => Ok((metric, link)),
            _ => Err(Error::failed("a cell without the metric and link it needs")),
        }
    }

    /// The scores of the data set by a metric.
    pub(super) fn scores(
        &self,
        context: &Context<'_>,
        metric: &ParameterizedName,
    ) -> Result<Scores> {
        let source = self.data.source(context)?;
        let draws = self.keys.draws();
        let name = match draws {
            Some(draws) => format!("{}.{draws}", self.data.name),
            None => self.data.name.clone(),
        };
        let folder = self.shared.out.join("score").join(name);
        let table = folder.join(metric.slug());
        self.shared.completed(&table, || {
            let mut scorer = Scorer::new(context, metric, draws)?;
            scorer.prepare(context, source)?;
            let (whole, to) = (Shard::default(), Destination::Folder(folder));
            score::run(context, source, &[scorer], whole, &to)
        })?;
        Scores::open(context, source, &table, &metric.label())
    }

    /// The link, fitted on the validation set, and the scores of the data set.
    pub(super) fn fitted(&self, context: &Context<'_>) -> Result<(Calibration, Scores)> {
        let (metric, link) = self.metric()?;
        let validation = self.on_validation();
        let scores = validation.scores(context, metric)?;
        let source = validation.data.source(context)?;
        let calibration = fit::run(context, source, &scores, link)?;
        Ok((calibration, self.scores(context, metric)?))
    }

    /// The same cell with its validation set as the data set.
    pub(super) fn on_validation(&self) -> Self {
        Self {
            data: self.validation,
            ..*self
        }
    }

    /// The name of its predictions: what makes them, and with which options.
    fn called(&self) -> Result<String> {
        let Some(model) = self.keys.model() else {
            let (metric, link) = self.metric()?;
            let draws = self.keys.draws();
            let draws = draws.map_or_else(String::new, |draws| format!(".{draws}"));
            let validation = &self.validation.name;
            return Ok(format!("{}-{link}.{validation}{draws}", metric.slug()));
        };
        let asking = self.keys.asking();
        let asking = Options {
            draws: Some(asking.draws()),
            ..asking
        };
        let how = toml::Table::try_from(asking).map_err(Error::failed)?;
        let how = how.values().map(tiebreak_base::keys::axes::words);
        let parts: Vec<String> = std::iter::once(model.to_string()).chain(how).collect();
        Ok(file_name(&parts.join(".")))
    }

    /// The preferences on the data set, of all pairs.
    pub(super) fn predictions(&self, context: &Context<'_>) -> Result<PredictionTable> {
        let source = self.data.source(context)?;
        let folder = self.shared.out.join("predict");
        let folder = folder.join(&self.data.name).join(self.called()?);
        self.shared.completed(&folder, || {
            let predictor = match self.shared.model(context, self.keys)? {
                Some(model) => Predictor::Model(model),
                None => {
                    let (calibration, scores) = self.fitted(context)?;
                    let link = calibration.link.clone();
                    predict::direct(context, source, scores, &link, Some(calibration))?
                }
            };
            let options = PredictOptions {
                pairs: None,
                keep_draws: false,
                shard: Shard::default(),
            };
            let destination = Destination::Folder(folder.clone());
            predict::run(context, source, &predictor, &options, &destination)
        })?;
        PredictionTable::open(context, source, &folder)
    }

    /// The predictions that a run may use: from a model, asked as `simulate` asks it, or from tables.
    pub(super) fn models(&self, context: &'a Context<'a>) -> Result<Models<'a>> {
        let GridResources { folder, out, .. } = self.shared;
        let source = self.data.source(context)?;
        let choices = &self.keys.simulate.choices;
        if let (Some(asked), Some(model)) =
            (choices.asked(), self.shared.model(context, self.keys)?)
        {
            let kept = match &choices.cache {
                Some(cache) => folder.join(cache),
                None => out.join("asked"),
            };
            let asked = OnDemandOptions {
                cache: Some(kept.join(&self.data.name).join(self.called()?)),
                ..asked
            };
            let model = OnDemandPredictor::new(context, source, asked, model)?;
            return Ok(Models::OnDemand(Arc::new(model)));
        }
        let named = choices.predictions.iter();
        let named = named.map(|name| PredictionTable::open(context, source, &folder.join(name)));
        let of_metric = self.keys.metric.iter().map(|_| self.predictions(context));
        let tables = named.chain(of_metric).map(|table| match self.keys.altered {
            Some(how) => table?.altered(source, how),
            None => table,
        });
        Ok(Models::Tables(tables.collect::<Result<_>>()?))
    }
}
