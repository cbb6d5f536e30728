//! `run`: a whole pipeline, checked before anything runs, in the order data flows.

use super::context::Context;
use super::disagreements::Judge;
use super::file::PipelineFile;
use super::named::Named;
use super::predict::{Options as PredictOptions, Predictor};
use super::rank::Options as RankOptions;
use super::score::Scorer;
use super::source::{Predictions, Scores, Source};
use super::spec::Order;
use super::{
    assess, correlate, disagreements, estimate, fit, plan, predict, rank, reliability, score,
};
use crate::error::{Error, Result};
use crate::preference::calibration::Calibration;
use crate::preference::{self, Choice};
use crate::records::Kind;
use crate::report::{self, Manifest, Stage, StageKind};
use crate::rng::Seed;
use crate::tables::destination::Destination;
use crate::tables::file::write_atomically;
use crate::tables::format::{Compression, Format};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Runs a pipeline; its tables and report go to `out`. `seed` goes before that of the file.
/// Returns the report as text and as JSON.
///
/// # Errors
/// The first mistake in the file, before anything runs; then those of the stages.
pub fn run(
    context: &Context<'_>,
    file: &PipelineFile,
    seed: Option<u64>,
    out: &Path,
) -> Result<(String, String)> {
    let seed = seed.or(file.pipeline.seed).unwrap_or(context.seed.0);
    let context = &context.seeded(Seed(seed));
    plan::check(context, file)?;
    let columns: Vec<(String, String)> = file
        .pipeline
        .columns
        .iter()
        .map(|(name, column)| (name.clone(), column.clone()))
        .collect();
    let data = file.pipeline.data.get_ref();
    if !data.exists() {
        let missing = Error::input(data, "no such file or folder");
        return Err(file.at(&file.pipeline.data)(missing));
    }
    let source = Source::open(context, data, &columns)?;
    plan::check_data(file, &source)?;
    let mut running = Running {
        context,
        file,
        source: &source,
        out,
        stages: Vec::new(),
    };
    running.all()?;
    let stages = running.stages;
    let manifest = Manifest {
        command: command(file, context.seed),
        ..manifest(context, &source, file.name(), stages)
    };
    let text = toml::to_string_pretty(&manifest).map_err(Error::failed)?;
    write_atomically(&out.join("run.toml"), text.as_bytes())?;
    report::write(out)
}

/// How to run it again: the pipeline as it was named, but nothing of where this machine keeps it.
pub(super) fn command<T>(file: &PipelineFile<T>, seed: Seed) -> String {
    let path = file.path();
    let named = match path.is_relative() {
        true => path,
        false => Path::new(path.file_name().unwrap_or_default()),
    };
    let named = named.to_string_lossy().replace('\\', "/");
    let plain = |c: char| c.is_alphanumeric() || "-_./+".contains(c);
    let named = match named.chars().all(plain) {
        true => named,
        false => format!("'{}'", named.replace('\'', "'\\''")),
    };
    format!("tiebreak run {named} --seed {}", seed.0)
}

/// What was run, on what.
pub(super) fn manifest(
    context: &Context<'_>,
    source: &Source,
    name: String,
    stages: Vec<Stage>,
) -> Manifest {
    Manifest {
        tiebreak: env!("CARGO_PKG_VERSION").to_string(),
        name,
        seed: context.seed.0,
        data: source.dataset.name(),
        digest: source.digest.clone(),
        contents: contents(source),
        command: String::new(),
        stages,
    }
}

/// What a data set holds, in a phrase.
fn contents(source: &Source) -> String {
    let index = &source.index;
    let mut text = format!(
        "{} systems, {} items, {} outputs",
        index.systems().len(),
        index.items(),
        index.rows(Kind::Outputs)
    );
    for kind in [Kind::Comparisons, Kind::Judgments] {
        if index.has(kind) {
            text += &format!(", {} {}", index.rows(kind), kind.name());
        }
    }
    text
}

/// A pipeline in progress.
struct Running<'a> {
    context: &'a Context<'a>,
    file: &'a PipelineFile,
    source: &'a Source,
    out: &'a Path,
    stages: Vec<Stage>,
}

impl Running<'_> {
    fn all(&mut self) -> Result<()> {
        self.scores()?;
        self.fits()?;
        self.predictions()?;
        self.assessments()?;
        self.rankings()?;
        self.estimates()?;
        self.correlations()?;
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
            let signature = format!(
                "{link}|metric:{metric}|n:{}|sentence accuracy:{:.4}",
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
                    let both = stage.order == Order::Both;
                    let calibration = Choice::read(stage.calibration.as_deref())?;
                    let (name, env) = (stage.model(), &self.context.env);
                    let model = preference::load_with(name, stage.draws, both, calibration, env);
                    Predictor::Model(match &stage.model {
                        Some(name) => model.map_err(self.file.at(name))?,
                        None => model?,
                    })
                }
            };
            let options = PredictOptions {
                pairs: None,
                keep_draws: stage.keep_draws,
                shard: super::parts::Shard::default(),
            };
            let path = Path::new("predict").join(file_name(&stage.name()));
            let folder = Destination::Folder(self.out.join(&path));
            predict::run(self.context, self.source, &predictor, &options, &folder)?;
            let predictions = self.predicted(&stage.name())?;
            if let Some(found) = reliability::measure(self.context, self.source, &predictions)? {
                self.store(&report::reliability_of(&path), &found)?;
            }
            self.done(
                StageKind::Predict,
                stage.name(),
                path,
                predictor.signature(),
            );
        }
        Ok(())
    }

    fn assessments(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.assess {
            let predictions = self.predicted(stage.predictions.get_ref())?;
            let assessment = assess::run(
                self.context,
                self.source,
                &predictions,
                None,
                &stage.options()?,
            )?;
            let path = Path::new("assess").join(file_name(&stage.name()));
            assess::write(&assessment, &self.out.join(&path))?;
            self.done(StageKind::Assess, stage.name(), path, assessment.signature);
        }
        Ok(())
    }

    fn rankings(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.rank {
            let predictions = stage.predictions.iter();
            let predictions = predictions
                .map(|name| self.predicted(name.get_ref()))
                .collect::<Result<Vec<_>>>()?;
            let options = RankOptions::from(stage);
            let path = Path::new("rank").join(file_name(&stage.name()));
            let folder = self.out.join(&path);
            let ranking = rank::run(
                self.context,
                self.source,
                &predictions,
                &options,
                Some(folder.as_path()),
            )
            .map_err(|error| self.in_stage(error, &stage.bandit))?;
            self.done(StageKind::Rank, stage.name(), path, ranking.signature);
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
}

/// Where the calibration of a metric and link lies.
fn fitted(metric: &Named, link: &str) -> PathBuf {
    Path::new("fit").join(format!("{}-{link}.toml", metric.slug()))
}

/// A stage's name as a file name.
pub(super) fn file_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.+".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}
