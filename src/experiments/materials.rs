//! What cells are computed from: data sets, opened when they are first needed, and the preferences
//! that a metric gives on them, kept beside the cells.

use super::settings::Settings;
use crate::engine::context::Context;
use crate::engine::names::file_name;
use crate::engine::parts::Shard;
use crate::error::{Error, Result};
use crate::inputs::source::{Predictions, Scores, Source};
use crate::keys::named::Named;
use crate::preference::calibration::Calibration;
use crate::preference::{self, PairwiseModel};
use crate::records::Dataset;
use crate::stages::fit;
use crate::stages::predict::{self, Options, Predictor};
use crate::stages::score::{self, Scorer};
use crate::tables::destination::Destination;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

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
    ///
    /// # Errors
    /// If it is there but cannot be read.
    pub(super) fn find(root: &Path, name: &str) -> Result<Option<Self>> {
        let path = root.join(name);
        if !path.exists() {
            return Ok(None);
        }
        let digest = Dataset::open(&path, &[])?.digest()?;
        Ok(Some(Self {
            name: file_name(name),
            path,
            digest,
            source: OnceCell::new(),
        }))
    }

    /// Its contents.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub(super) fn source(&self, context: &Context<'_>) -> Result<&Source> {
        if let Some(source) = self.source.get() {
            return Ok(source);
        }
        let source = Source::open(context, &self.path, &[])?;
        Ok(self.source.get_or_init(|| source))
    }

    /// Forgets the contents.
    pub(super) fn close(&mut self) {
        self.source.take();
    }

    fn scores(
        &self,
        context: &Context<'_>,
        metric: &Named,
        draws: Option<usize>,
        out: &Path,
    ) -> Result<Scores> {
        let source = self.source(context)?;
        let mut scorer = Scorer::new(context, metric, draws)?;
        scorer.prepare(context, source)?;
        let folder = out.join("score").join(&self.name);
        score::run(
            context,
            source,
            &[scorer],
            &Destination::Folder(folder.clone()),
        )?;
        Scores::open(source, &folder.join(metric.slug()), &metric.label())
    }
}

/// A metric with a link, or a model, made ready on a data set.
pub(super) struct Model<'a> {
    pub data: &'a Data,
    /// Where the link is fitted.
    pub validation: &'a Data,
    pub settings: &'a Settings,
    pub out: &'a Path,
}

impl Model<'_> {
    fn metric(&self) -> Result<(&Named, &str)> {
        match (&self.settings.metric, &self.settings.link) {
            (Some(metric), Some(link)) => Ok((metric, link)),
            _ => Err(Error::failed("a cell without the metric and link it needs")),
        }
    }

    /// The metric's scores of the data set.
    pub(super) fn scores(&self, context: &Context<'_>) -> Result<Scores> {
        let metric = self.settings.metric.as_ref();
        let metric = metric.ok_or_else(|| Error::failed("a cell without the metric it needs"))?;
        self.scores_of(context, metric)
    }

    /// The same of another metric.
    pub(super) fn scores_of(&self, context: &Context<'_>, metric: &Named) -> Result<Scores> {
        self.data
            .scores(context, metric, self.settings.draws(), self.out)
    }

    /// The link, fitted on the validation set.
    pub(super) fn calibration(&self, context: &Context<'_>) -> Result<Calibration> {
        let (metric, link) = self.metric()?;
        let draws = self.settings.draws();
        let scores = self.validation.scores(context, metric, draws, self.out)?;
        fit::run(context, self.validation.source(context)?, &scores, link)
    }

    /// The same, made ready on its validation set.
    pub(super) fn on_validation(&self) -> Self {
        Self {
            data: self.validation,
            ..*self
        }
    }

    /// How a model is asked, as a part of a file name.
    fn asked(&self) -> String {
        let asking = &self.settings.asking;
        let mut name = file_name(&asking.draws().to_string());
        if let Some(dropout) = asking.dropout {
            name = format!("{name}.{}", dropout.name());
        }
        if let Some(precision) = asking.precision {
            name = format!("{name}.{}", precision.name());
        }
        name
    }

    /// What predicts, and a name for what it predicts.
    fn predictor(&self, context: &Context<'_>) -> Result<(Predictor, String)> {
        if let Some(model) = &self.settings.model {
            let loaded = load(context, model, self.settings)?;
            let name = format!("{}.{}", file_name(model), self.asked());
            return Ok((Predictor::Model(loaded), name));
        }
        let (metric, link) = self.metric()?;
        let source = self.data.source(context)?;
        let calibration = Some(self.calibration(context)?);
        let scores = self.scores(context)?;
        let predictor = predict::direct(context, source, scores, link, calibration)?;
        let name = format!("{}-{link}.{}", metric.slug(), self.validation.name);
        Ok((predictor, name))
    }

    /// The preferences on the data set.
    pub(super) fn predictions(&self, context: &Context<'_>) -> Result<Predictions> {
        let source = self.data.source(context)?;
        let (predictor, name) = self.predictor(context)?;
        let folder = self.out.join("predict").join(&self.data.name).join(name);
        let options = Options {
            pairs: None,
            keep_draws: false,
            shard: Shard::default(),
        };
        let destination = Destination::Folder(folder.clone());
        predict::run(context, source, &predictor, &options, &destination)?;
        Predictions::open(source, &folder)
    }
}

/// The model of a cell.
///
/// # Errors
/// As [`preference::load`].
pub(super) fn load(
    context: &Context<'_>,
    model: &str,
    settings: &Settings,
) -> Result<Box<dyn PairwiseModel>> {
    preference::load(model, settings.asking.options()?, &context.env)
}
