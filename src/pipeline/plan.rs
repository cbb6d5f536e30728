//! Checks a whole pipeline before anything runs: names, parameters, that the tables later stages need
//! will have been made, that uncertainty is there where it is used.

use crate::bandits::BANDITS;
use crate::engine::context::Context;
use crate::error::{Error, Result, nearest};
use crate::estimators::{ESTIMATORS, Population, Range, Survey};
use crate::inputs::judging::Judging;
use crate::inputs::source::Source;
use crate::keys::named::Named;
use crate::metrics::METRICS;
use crate::pipeline::file::PipelineFile;
use crate::preference::links::LINKS;
use crate::records::Kind;
use crate::registry::find;
use crate::stages::correlate::FEWEST_RESAMPLES;
use crate::stages::score::Scorer;
use crate::stages::simulate;
use crate::stages::spec::{Annotators, Assess, Correlate, Estimate, Predict, Rank, Simulate};
use std::path::Path;
use toml::Spanned;

/// Checks everything that can be known without the data: names, parameters, and that the tables
/// that later stages need will have been made.
pub(crate) fn check(context: &Context<'_>, file: &PipelineFile) -> Result<()> {
    let pipeline = &file.pipeline;
    for stage in &pipeline.score {
        Scorer::new(context, stage.metric.get_ref(), stage.draws)
            .map_err(file.at(&stage.metric))?;
    }
    let scored = |metric: &Spanned<Named>| -> Result<()> {
        let label = metric.get_ref().label();
        if pipeline
            .score
            .iter()
            .any(|stage| stage.metric.get_ref().label() == label)
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
    for stage in &pipeline.assess {
        made_by(file, &stage.predictions)?;
        stage.options().map_err(file.at(&stage.predictions))?;
    }
    for stage in &pipeline.simulate {
        check_simulate(file, stage)?;
    }
    for stage in &pipeline.rank {
        check_confidence(file, stage.confidence)?;
        if let Some(predictions) = &stage.predictions {
            made_by(file, predictions)?;
        }
    }
    for stage in &pipeline.estimate {
        stage.metric.iter().try_for_each(&scored)?;
        check_estimate(context, stage).map_err(file.at(&stage.estimator))?;
        if let Some(stop) = &stage.stop {
            stage.goal().map_err(file.at(stop))?;
        }
    }
    for stage in &pipeline.correlate {
        check_correlate(file, stage, &scored)?;
    }
    check_names(file)
}

/// Only the parameters matter here: any population will do where there is a metric, and any range,
/// which the data may declare.
fn check_estimate(context: &Context<'_>, stage: &Estimate) -> Result<()> {
    let estimator = stage.estimator.get_ref();
    let entry = find("estimator", ESTIMATORS, &estimator.name)?;
    let population = match stage.metric.is_empty() {
        false => Population::of([0.0, 1.0]),
        true => Population::unscored(2),
    };
    let [low, high] = stage.range.unwrap_or([0.0, 1.0]);
    let survey = Survey {
        population,
        range: Some(Range::new(low, high)?),
        seed: context.seed,
    };
    (entry.build.build)(&estimator.params, &survey).map(drop)
}

fn check_correlate(
    file: &PipelineFile,
    stage: &Correlate,
    scored: &impl Fn(&Spanned<Named>) -> Result<()>,
) -> Result<()> {
    stage.metric.iter().try_for_each(scored)?;
    let wrong = match stage.metric.first() {
        None => Some("`metric` is empty, expected at least one".to_string()),
        _ if stage.resamples < FEWEST_RESAMPLES => Some(format!(
            "resamples is {}, expected at least {FEWEST_RESAMPLES}",
            stage.resamples
        )),
        _ if !(stage.confidence > 0.0 && stage.confidence < 1.0) => Some(format!(
            "confidence is {}, expected a number between 0 and 1",
            stage.confidence
        )),
        _ => None,
    };
    match (wrong, stage.metric.first()) {
        (None, _) => Ok(()),
        (Some(wrong), Some(metric)) => Err(file.at(metric)(Error::usage(wrong))),
        (Some(wrong), None) => Err(Error::pipeline(file.whole(), wrong)),
    }
}

fn check_predict(
    file: &PipelineFile,
    stage: &Predict,
    scored: &impl Fn(&Spanned<Named>) -> Result<()>,
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
        (_, None, None) => Ok(()),
        (None, Some(metric), Some(link)) => {
            if let Some(key) = stage.asking().without_calibration().first() {
                return Err(whole(&format!("`{key}` is for a model, not for a metric")));
            }
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
        _ => Err(whole("give a model, or a metric with a link, or neither")),
    }
}

fn check_confidence(file: &PipelineFile, confidence: f64) -> Result<()> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    let what = format!("confidence is {confidence}, expected a number between 0 and 1");
    Err(Error::pipeline(file.whole(), what))
}

fn check_simulate(file: &PipelineFile, stage: &Simulate) -> Result<()> {
    let bandit = stage.bandit.get_ref();
    let entry = find("bandit", BANDITS, &bandit.name).map_err(file.at(&stage.bandit))?;
    let arena = crate::bandits::Arena::new(2, 1)?;
    (entry.build)(&bandit.params, &arena).map_err(file.at(&stage.bandit))?;
    let answers = stage.mix.is_some() || stage.select.is_some() || stage.eliminate.is_some();
    let asked = stage.asked().map_err(file.at(&stage.bandit))?;
    match stage.predictions.as_slice() {
        [] if answers && asked.is_none() => {
            let what = "a model can answer or eliminate only with `predictions` or `model`";
            let error = Error::usage(what);
            Err(file.at(&stage.bandit)(error))
        }
        [_, second, ..] if answers => Err(file.at(second)(simulate::check::several(
            stage.predictions.len(),
        ))),
        all => all
            .iter()
            .try_for_each(|one| check_predictions(file, stage, one)),
    }
}

fn check_predictions(file: &PipelineFile, stage: &Simulate, name: &Spanned<String>) -> Result<()> {
    let Some(made_by) = made_by(file, name)? else {
        return Ok(());
    };
    let sampled = match &made_by.metric {
        None => made_by.asking().draws().any(),
        Some(metric) => file
            .pipeline
            .score
            .iter()
            .any(|score| score.metric.get_ref() == metric.get_ref() && score.draws.is_some()),
    };
    if stage.needs_uncertainty() && !sampled {
        let error = Error::usage(format!(
            "predictions `{}` have no uncertainty (BALD, STD), which this stage uses",
            name.get_ref()
        ))
        .with_hint(
            "predict with a model that has dropout, or let the model answer at random: mix = 0.5",
        );
        return Err(file.at(name)(error));
    }
    Ok(())
}

/// The stage that makes these predictions; `None` for those of a file.
fn made_by<'a>(file: &'a PipelineFile, place: &Spanned<String>) -> Result<Option<&'a Predict>> {
    let (stages, name) = (&file.pipeline.predict, place.get_ref());
    let made_by = stages.iter().find(|predict| predict.name() == *name);
    if made_by.is_some() || Path::new(name).exists() {
        return Ok(made_by);
    }
    let names: Vec<String> = stages.iter().map(Predict::name).collect();
    let unknown = Error::UnknownName {
        kind: "predictions",
        name: name.clone(),
        hint: Some(match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "add a [[predict]] stage, or name a file".to_string(),
            None => format!("the [[predict]] stages make {}", names.join(", ")),
        }),
    };
    Err(file.at(place)(unknown))
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
                .map(|stage| stage.metric.get_ref().label())
                .collect::<Vec<_>>(),
        ),
        (
            "predict",
            pipeline.predict.iter().map(Predict::name).collect(),
        ),
        ("assess", pipeline.assess.iter().map(Assess::name).collect()),
        (
            "simulate",
            pipeline.simulate.iter().map(Simulate::name).collect(),
        ),
        ("rank", pipeline.rank.iter().map(Rank::name).collect()),
        (
            "estimate",
            pipeline.estimate.iter().map(Estimate::name).collect(),
        ),
        (
            "correlate",
            pipeline.correlate.iter().map(Correlate::name).collect(),
        ),
        (
            "annotators",
            pipeline.annotators.iter().map(Annotators::name).collect(),
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
pub(crate) fn check_data(file: &PipelineFile, source: &Source) -> Result<()> {
    for stage in &file.pipeline.estimate {
        if let Some(criterion) = &stage.criterion {
            Judging::new(source, Some(criterion.get_ref()), None).map_err(file.at(criterion))?;
        }
        if !source.index.has(Kind::Judgments) {
            return Err(file.at(&stage.estimator)(
                source.lacks("estimate", "judgments"),
            ));
        }
    }
    let correlated = file.pipeline.correlate.iter().map(|stage| &stage.criterion);
    let people = file
        .pipeline
        .annotators
        .iter()
        .map(|stage| &stage.criterion);
    for criterion in correlated.chain(people).flatten() {
        let known = source.index.criterion(criterion.get_ref());
        known.map_err(file.at(criterion))?;
    }
    for stage in &file.pipeline.fit {
        if source.index.rows(Kind::Comparisons) == 0 {
            return Err(file.at(&stage.metric)(source.lacks("fit", "comparisons")));
        }
    }
    for stage in &file.pipeline.assess {
        if source.index.rows(Kind::Comparisons) == 0 {
            let lacks = source.lacks("assess", "comparisons");
            return Err(file.at(&stage.predictions)(lacks));
        }
    }
    Ok(())
}
