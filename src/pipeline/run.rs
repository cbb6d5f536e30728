//! `run`: a whole pipeline, checked before anything runs, in the order data flows.

use super::context::Context;
use super::predict::{Options as PredictOptions, Predictor};
use super::rank::Options as RankOptions;
use super::score::Scorer;
use super::source::{Predictions, Scores, Source};
use super::spec::{Order, PipelineFile, Predict, Rank};
use super::{estimate, fit, predict, rank, score};
use crate::bandits::BANDITS;
use crate::error::{Error, Result, nearest};
use crate::estimators::{ESTIMATORS, Population};
use crate::metrics::METRICS;
use crate::preference;
use crate::preference::calibration::Calibration;
use crate::preference::links::LINKS;
use crate::records::Kind;
use crate::registry::find;
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
    let seed = Seed(seed.or(file.pipeline.seed).unwrap_or(context.seed.0));
    let env = crate::env::Env {
        seed,
        ..context.env.clone()
    };
    let context = &Context {
        seed,
        env,
        progress: context.progress,
        stop: context.stop,
    };
    check(context, file)?;
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
    let source = Source::open(data, &columns)?;
    check_data(file, &source)?;
    let mut running = Running {
        context,
        file,
        source: &source,
        out,
        stages: Vec::new(),
    };
    running.all()?;
    let manifest = Manifest {
        tiebreak: env!("CARGO_PKG_VERSION").to_string(),
        name: file.name(),
        seed: context.seed.0,
        data: source.dataset.name(),
        digest: source.digest.clone(),
        contents: contents(&source),
        stages: running.stages,
    };
    let text = toml::to_string_pretty(&manifest).map_err(Error::failed)?;
    write_atomically(&out.join("run.toml"), text.as_bytes())?;
    report::write(out)
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

/// Checks everything that can be known without the data: names, parameters, and that the tables
/// that later stages need will have been made.
fn check(context: &Context<'_>, file: &PipelineFile) -> Result<()> {
    let pipeline = &file.pipeline;
    for stage in &pipeline.score {
        Scorer::new(context, stage.metric.get_ref(), stage.draws)
            .map_err(file.at(&stage.metric))?;
    }
    let scored = |metric: &toml::Spanned<super::spec::Named>| -> Result<()> {
        let label = metric.get_ref().to_string();
        if pipeline
            .score
            .iter()
            .any(|stage| stage.metric.get_ref().to_string() == label)
        {
            return Ok(());
        }
        find("metric", METRICS, &metric.get_ref().name).map_err(file.at(metric))?;
        let missing = Error::usage(format!("no stage scores {label}"))
            .with_hint(format!("add [[score]] with metric = \"{label}\""));
        Err(file.at(metric)(missing))
    };
    for stage in &pipeline.fit {
        scored(&stage.metric)?;
        find("link", LINKS, stage.link.get_ref()).map_err(file.at(&stage.link))?;
    }
    for stage in &pipeline.predict {
        check_predict(file, stage, &scored)?;
    }
    for stage in &pipeline.rank {
        check_rank(file, stage)?;
    }
    for stage in &pipeline.estimate {
        if let Some(metric) = &stage.metric {
            scored(metric)?;
        }
        let estimator = stage.estimator.get_ref();
        let entry =
            find("estimator", ESTIMATORS, &estimator.name).map_err(file.at(&stage.estimator))?;
        // Only the parameters matter here: any population will do where there is a metric.
        let population = stage.metric.is_some().then_some(Population {
            n: 1,
            mean: 0.0,
            variance: 1.0,
        });
        (entry.build)(&estimator.params, population, context.seed)
            .map_err(file.at(&stage.estimator))?;
    }
    check_names(file)
}

fn check_predict(
    file: &PipelineFile,
    stage: &Predict,
    scored: &impl Fn(&toml::Spanned<super::spec::Named>) -> Result<()>,
) -> Result<()> {
    let whole = |what: &str| {
        let error = Error::usage(format!("predictions `{}`: {what}", stage.name()));
        match (&stage.model, &stage.metric) {
            (Some(model), _) => file.at(model)(error),
            (None, Some(metric)) => file.at(metric)(error),
            (None, None) => Error::pipeline(file.whole(), error.to_string()),
        }
    };
    match (&stage.model, &stage.metric, &stage.link) {
        (Some(_), None, None) => Ok(()),
        (None, Some(metric), Some(link)) => {
            scored(metric)?;
            find("link", LINKS, link.get_ref()).map_err(file.at(link))?;
            let fitted = file.pipeline.fit.iter().any(|fit| {
                fit.metric.get_ref() == metric.get_ref() && fit.link.get_ref() == link.get_ref()
            });
            match fitted || stage.calibration.is_some() {
                true => Ok(()),
                false => Err(whole(
                    "no stage fits this link to this metric, and no calibration is named",
                )),
            }
        }
        _ => Err(whole("give either a model, or a metric with a link")),
    }
}

fn check_rank(file: &PipelineFile, stage: &Rank) -> Result<()> {
    let bandit = stage.bandit.get_ref();
    let entry = find("bandit", BANDITS, &bandit.name).map_err(file.at(&stage.bandit))?;
    let arena = crate::bandits::Arena::new(2, 1)?;
    (entry.build)(&bandit.params, &arena).map_err(file.at(&stage.bandit))?;
    let Some(predictions) = &stage.predictions else {
        if stage.mix.is_some() || stage.select.is_some() || stage.eliminate.is_some() {
            let error = Error::usage("a model can answer or eliminate only with `predictions`");
            return Err(file.at(&stage.bandit)(error));
        }
        return Ok(());
    };
    let names: Vec<String> = file.pipeline.predict.iter().map(Predict::name).collect();
    let name = predictions.get_ref();
    let made_by = file
        .pipeline
        .predict
        .iter()
        .find(|predict| predict.name() == *name);
    let Some(made_by) = made_by else {
        if Path::new(name).exists() {
            return Ok(());
        }
        let unknown = Error::UnknownName {
            kind: "predictions",
            name: name.clone(),
            hint: Some(match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => "add a [[predict]] stage, or name a file".to_string(),
                None => format!("the [[predict]] stages make {}", names.join(", ")),
            }),
        };
        return Err(file.at(predictions)(unknown));
    };
    let needs = stage.select.is_some() || stage.eliminate.is_some_and(|how| how.alpha > 0.0);
    let sampled = match &made_by.metric {
        None => made_by.draws > 0,
        Some(metric) => file
            .pipeline
            .score
            .iter()
            .any(|score| score.metric.get_ref() == metric.get_ref() && score.draws.is_some()),
    };
    if needs && !sampled {
        let error = Error::usage(format!(
            "predictions `{name}` have no uncertainty (BALD, STD), which this stage uses"
        ))
        .with_hint(
            "predict with a model that has dropout, or let the model answer at random: mix = 0.5",
        );
        return Err(file.at(predictions)(error));
    }
    Ok(())
}

/// Two stages of one kind with one name would write to one place.
fn check_names(file: &PipelineFile) -> Result<()> {
    let pipeline = &file.pipeline;
    let names = [
        (
            "score",
            pipeline
                .score
                .iter()
                .map(|stage| stage.metric.get_ref().to_string())
                .collect::<Vec<_>>(),
        ),
        (
            "predict",
            pipeline.predict.iter().map(Predict::name).collect(),
        ),
        ("rank", pipeline.rank.iter().map(Rank::name).collect()),
        (
            "estimate",
            pipeline
                .estimate
                .iter()
                .map(super::spec::Estimate::name)
                .collect(),
        ),
    ];
    for (kind, names) in names {
        if let Some(i) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            let what = format!("two [[{kind}]] stages are called `{}`", names[i]);
            let error = Error::pipeline(file.whole(), what);
            return Err(error.with_hint("give one of them another `name`"));
        }
    }
    Ok(())
}

/// Checks what needs the data but no computation.
fn check_data(file: &PipelineFile, source: &Source) -> Result<()> {
    for stage in &file.pipeline.estimate {
        if let Some(criterion) = &stage.criterion {
            source
                .index
                .criterion(criterion.get_ref())
                .map_err(file.at(criterion))?;
        }
        if !source.index.has(Kind::Judgments) {
            return Err(file.at(&stage.estimator)(
                source.lacks("estimate", "judgments"),
            ));
        }
    }
    for stage in &file.pipeline.fit {
        if source.index.rows(Kind::Comparisons) == 0 {
            return Err(file.at(&stage.metric)(source.lacks("fit", "comparisons")));
        }
    }
    Ok(())
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
        self.rankings()?;
        self.estimates()
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
            scorer.prepare(self.source)?;
            let signature = scorer.signature(self.source).to_string();
            let folder = Destination::Folder(self.out.join("score"));
            score::run(self.context, self.source, &[scorer], &folder)?;
            self.done(
                StageKind::Score,
                spec.to_string(),
                Path::new("score").join(spec.slug()),
                signature,
            );
        }
        Ok(())
    }

    fn scores_of(&self, metric: &super::spec::Named) -> Result<Scores> {
        Scores::open(
            self.source,
            &self.out.join("score").join(metric.slug()),
            &metric.to_string(),
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
            let predictor = match (&stage.model, &stage.metric, &stage.link) {
                (Some(model), ..) => {
                    let both = stage.order == Order::Both;
                    let model =
                        preference::load(model.get_ref(), stage.draws, both, &self.context.env)
                            .map_err(self.file.at(model))?;
                    Predictor::Model(model)
                }
                (None, Some(metric), Some(link)) => {
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
                _ => return Err(Error::failed("a prediction stage that was not checked")),
            };
            let options = PredictOptions {
                pairs: None,
                keep_draws: stage.keep_draws,
                shard: super::parts::Shard::default(),
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

    fn rankings(&mut self) -> Result<()> {
        for stage in &self.file.pipeline.rank {
            let predictions = match &stage.predictions {
                Some(name) => {
                    let made = self.out.join("predict").join(file_name(name.get_ref()));
                    let path = if made.exists() {
                        made
                    } else {
                        PathBuf::from(name.get_ref())
                    };
                    Some(Predictions::open(self.source, &path)?)
                }
                None => None,
            };
            let options = RankOptions {
                bandit: stage.bandit.get_ref().clone(),
                feedback: stage.feedback,
                runs: stage.runs,
                budget: stage.budget,
                steps: stage.steps,
                mix: stage.mix,
                select: stage.select,
                eliminate: stage.eliminate,
                delay: stage.delay,
                confidence: stage.confidence,
            };
            let path = Path::new("rank").join(file_name(&stage.name()));
            let folder = self.out.join(&path);
            let ranking = rank::run(
                self.context,
                self.source,
                predictions.as_ref(),
                &options,
                Some(folder.as_path()),
            )
            .map_err(|error| self.in_stage(error, &stage.bandit))?;
            self.done(StageKind::Rank, stage.name(), path, ranking.signature);
        }
        Ok(())
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
                .as_ref()
                .map(|metric| self.scores_of(metric.get_ref()))
                .transpose()?;
            let options = estimate::Options {
                estimator: stage.estimator.get_ref(),
                scores: scores.as_ref(),
                criterion: stage
                    .criterion
                    .as_ref()
                    .map(|criterion| criterion.get_ref().as_str()),
                confidence: stage.confidence,
                range: stage.range,
                target_width: stage.target_width,
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
}

/// Where the calibration of a metric and link lies.
fn fitted(metric: &super::spec::Named, link: &str) -> PathBuf {
    Path::new("fit").join(format!("{}-{link}.toml", metric.slug()))
}

/// A stage's name as a file name.
fn file_name(name: &str) -> String {
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
