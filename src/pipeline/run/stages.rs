//! The stages of a pipeline, one method each.

use super::file_name;
use crate::claims;
use crate::engine::context::Context;
use crate::engine::parts::Shard;
use crate::error::{Error, Result};
use crate::inputs::source::{Predictions, Scores, Source};
use crate::keys::named::Named;
use crate::pipeline::file::PipelineFile;
use crate::preference;
use crate::preference::calibration::Calibration;
use crate::report::{self, Stage, StageKind};
use crate::stages::annotators;
use crate::stages::assess;
use crate::stages::correlate;
use crate::stages::disagreements;
use crate::stages::disagreements::Judge;
use crate::stages::estimate;
use crate::stages::fit;
use crate::stages::predict;
use crate::stages::predict::{Options as PredictOptions, Predictor};
use crate::stages::rank;
use crate::stages::score;
use crate::stages::score::Scorer;
use crate::stages::simulate;
use crate::stages::simulate::{Feedback, Models, Options as SimulateOptions};
use crate::tables::destination::Destination;
use crate::tables::file::write_atomically;
use crate::tables::format::{Compression, Format};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A pipeline in progress.
pub(super) struct Running<'a> {
    pub context: &'a Context<'a>,
    pub file: &'a PipelineFile,
    pub source: &'a Source,
    pub out: &'a Path,
    pub stages: Vec<Stage>,
}

impl Running<'_> {
    /// All stages, in the order data flows.
    pub fn all(&mut self) -> Result<()> {
        self.scores()?;
        self.fits()?;
        self.predictions()?;
        self.assessments()?;
        self.simulations()?;
        self.rankings()?;
        self.estimates()?;
        self.correlations()?;
        self.annotators()?;
        self.disagreements()
    }

    fn done(&mut self, kind: StageKind, name: String, path: PathBuf, signature: String) {
        let settings = BTreeMap::new();
        self.stages.push(Stage {
            kind,
            name,
            path,
            signature,
            settings,
        });
    }

    fn scores(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.score {
            let spec = stage.metric.get_ref();
            let mut scorer = Scorer::new(self.context, spec, stage.draws)?;
            scorer.prepare(self.context, self.source)?;
            let signature = scorer.signature(self.source).to_string();
            let folder = Destination::Folder(self.out.join("score"));
            score::run(self.context, self.source, &[scorer], &folder)?;
            self.done(
                StageKind::Score,
                spec.label(),
                Path::new("score").join(spec.slug()),
                signature,
            );
        }
        Ok(())
    }

    fn scores_of(&self, metric: &Named) -> Result<Scores> {
        Scores::open(
            self.source,
            &self.out.join("score").join(metric.slug()),
            &metric.label(),
        )
    }

    fn fits(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.fit {
            let (metric, link) = (stage.metric.get_ref(), stage.link.get_ref());
            let path = fitted(metric, link);
            let calibration = fit::run(self.context, self.source, &self.scores_of(metric)?, link)?;
            fit::write(&calibration, &self.out.join(&path))?;
            let held_out = calibration.held_out;
            let held_out =
                held_out.map_or_else(String::new, |share| format!("|held out:{share:.4}"));
            let signature = format!(
                "{link}|metric:{metric}|n:{}|sentence accuracy:{:.4}{held_out}",
                calibration.n, calibration.accuracy
            );
            self.done(StageKind::Fit, format!("{metric}-{link}"), path, signature);
        }
        Ok(())
    }

    fn predictions(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.predict {
            let predictor = match (&stage.metric, &stage.link) {
                (Some(metric), Some(link)) => {
                    let (metric, link) = (metric.get_ref(), link.get_ref());
                    let path = stage
                        .calibration
                        .clone()
                        .unwrap_or_else(|| self.out.join(fitted(metric, link)));
                    let calibration = Calibration::read(&path)?;
                    predict::direct(
                        self.context,
                        self.source,
                        self.scores_of(metric)?,
                        link,
                        Some(calibration),
                    )?
                }
                _ => {
                    let (name, env) = (stage.model(), &self.context.env);
                    let model = preference::load(name, stage.asking().options()?, env);
                    Predictor::Model(match &stage.model {
                        Some(name) => model.map_err(self.file.at(name))?,
                        None => model?,
                    })
                }
            };
            let options = PredictOptions {
                pairs: None,
                keep_draws: stage.keep_draws,
                shard: Shard::default(),
            };
            let path = Path::new("predict").join(file_name(&stage.name()));
            let folder = Destination::Folder(self.out.join(&path));
            predict::run(self.context, self.source, &predictor, &options, &folder)?;
            self.done(
                StageKind::Predict,
                stage.name(),
                path,
                predictor.signature(),
            );
        }
        Ok(())
    }

    /// The assessments asked for, and one of all other predictions that people's comparisons can
    /// be held against.
    fn assessments(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.assess {
            let predictions = self.predicted(stage.predictions.get_ref())?;
            self.assess(stage.name(), &predictions, &stage.options()?)?;
        }
        for stage in &self.file.pipeline.predict {
            let name = stage.name();
            let mut asked = self.file.pipeline.assess.iter();
            if asked.any(|one| *one.predictions.get_ref() == name || one.name() == name) {
                continue;
            }
            let predictions = self.predicted(&name)?;
            if assess::possible(self.context, self.source, &predictions)? {
                self.assess(name, &predictions, &assess::Options::default())?;
            }
        }
        Ok(())
    }

    fn assess(
        &mut self,
        name: String,
        predictions: &Predictions,
        options: &assess::Options,
    ) -> Result<()> {
        let assessment = assess::run(self.context, self.source, predictions, None, options)?;
        let path = Path::new("assess").join(file_name(&name));
        assess::write(&assessment, &self.out.join(&path))?;
        self.done(StageKind::Assess, name, path, assessment.signature);
        Ok(())
    }

    /// Claims that are attempted on one page share what may go wrong.
    fn rankings(&mut self) -> Result<()> {
        let stages = &self.file.pipeline.rank;
        for stage in stages {
            let confidence = claims::shared(stage.confidence, stages.len());
            let path = Path::new("rank").join(file_name(&stage.name()));
            let folder = self.out.join(&path);
            let table = stage.predictions.as_ref();
            let table = table
                .map(|name| self.predicted(name.get_ref()))
                .transpose()?;
            let (context, source) = (self.context, self.source);
            let ranking = rank::run(context, source, table.as_ref(), confidence, Some(&folder))?;
            self.done(StageKind::Rank, stage.name(), path, ranking.signature);
        }
        Ok(())
    }

    fn simulations(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.simulate {
            let options = SimulateOptions::new(stage, Feedback::Recorded);
            let path = Path::new("simulate").join(file_name(&stage.name()));
            let folder = self.out.join(&path);
            let table = |name: &str| self.predicted(name);
            let models = Models::open(self.context, self.source, stage, Some(&folder), table);
            let models = match &stage.model {
                Some(model) => models.map_err(|error| self.in_stage(error, model))?,
                None => models?,
            };
            let simulation = simulate::run(
                self.context,
                self.source,
                &models,
                &options,
                Some(folder.as_path()),
            )
            .map_err(|error| self.in_stage(error, &stage.bandit))?;
            self.done(
                StageKind::Simulate,
                stage.name(),
                path,
                simulation.signature,
            );
        }
        Ok(())
    }

    /// What a stage predicted, or else what a file holds.
    fn predicted(&self, name: &str) -> Result<Predictions> {
        let made = self.out.join("predict").join(file_name(name));
        let path = if made.exists() {
            made
        } else {
            PathBuf::from(name)
        };
        Predictions::open(self.source, &path)
    }

    /// Examples of metrics and models that people disagree with. A metric is shown as itself, not
    /// again as the link that was fitted to it.
    fn disagreements(&self) -> Result<()> {
        let pipeline = &self.file.pipeline;
        let mut judges = Vec::new();
        for stage in &pipeline.score {
            judges.push(Judge::Metric(self.scores_of(stage.metric.get_ref())?));
        }
        for stage in pipeline
            .predict
            .iter()
            .filter(|stage| stage.model.is_some())
        {
            let name = stage.name();
            judges.push(Judge::Model(name.clone(), self.predicted(&name)?));
        }
        let found = disagreements::find(self.context, self.source, &judges)?;
        self.store(Path::new(report::DISAGREEMENTS), &found)
    }

    /// Stores what only the report reads.
    fn store(&self, path: &Path, found: &impl serde::Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(found).map_err(Error::failed)? + "\n";
        write_atomically(&self.out.join(path), text.as_bytes())
    }

    /// Usage errors of a stage are the pipeline's; everything else has its own place already.
    fn in_stage<T>(&self, error: Error, value: &toml::Spanned<T>) -> Error {
        match error {
            usage @ Error::Usage { .. } => self.file.at(value)(usage),
            other => other,
        }
    }

    fn estimates(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.estimate {
            let scores = stage
                .metric
                .iter()
                .map(|metric| self.scores_of(metric.get_ref()))
                .collect::<Result<Vec<_>>>()?;
            let options = estimate::Options {
                estimator: stage.estimator.get_ref(),
                scores: &scores,
                criterion: stage
                    .criterion
                    .as_ref()
                    .map(|criterion| criterion.get_ref().as_str()),
                confidence: stage.confidence,
                range: stage.range,
                target_width: stage.target_width,
                parts: stage.parts,
                quality: stage.quality(),
                strata: stage.strata.as_deref(),
                probabilities: stage.probabilities.as_deref(),
                differences: stage.differences,
                stop: stage.goal()?,
            };
            let estimates = estimate::run(self.context, self.source, &options)
                .map_err(|error| self.in_stage(error, &stage.estimator))?;
            let path = Path::new("estimate").join(format!("{}.csv", file_name(&stage.name())));
            estimates.write(&Destination::File(
                self.out.join(&path),
                Format::Csv(Compression::Plain),
            ))?;
            self.done(
                StageKind::Estimate,
                stage.name(),
                path,
                estimates.signature().to_string(),
            );
        }
        Ok(())
    }

    fn correlations(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.correlate {
            let scores = stage.metric.iter();
            let scores = scores
                .map(|metric| self.scores_of(metric.get_ref()))
                .collect::<Result<Vec<_>>>()?;
            let options = correlate::Options {
                criterion: stage.criterion.as_ref().map(|name| name.get_ref().as_str()),
                level: stage.level,
                resample: stage.resample,
                confidence: stage.confidence,
                resamples: stage.resamples,
            };
            let correlated = correlate::run(self.context, self.source, &scores, &options)
                .map_err(|error| self.in_stage(error, &stage.metric[0]))?;
            let path = Path::new("correlate").join(format!("{}.csv", file_name(&stage.name())));
            let destination = Destination::of(&self.out.join(&path))?;
            correlate::write(&correlated, &destination)?;
            let signature = correlated.meta.signature;
            self.done(StageKind::Correlate, stage.name(), path, signature);
        }
        Ok(())
    }

    fn annotators(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.annotators {
            let criterion = stage.criterion.as_ref().map(|name| name.get_ref().as_str());
            let found = annotators::run(self.context, self.source, criterion, stage.labels)?;
            let folder = Path::new("annotators").join(file_name(&stage.name()));
            found.write(&Destination::Folder(self.out.join(&folder)))?;
            let path = folder.join("annotators.csv");
            let signature = found.signature().to_string();
            self.done(StageKind::Annotators, stage.name(), path, signature);
        }
        Ok(())
    }
}

/// Where the calibration of a metric and link lies.
fn fitted(metric: &Named, link: &str) -> PathBuf {
    Path::new("fit").join(format!("{}-{link}.toml", metric.slug()))
}
