//! What each verb does: flags to a stage, the stage's result to text.

use super::annotators::annotators;
#[cfg(not(feature = "neural"))]
use super::args::FitPairwise;
use super::args::{
    Ask, Check, Cli, DataArgs, Estimate, Fit, FitLink, Import, Predict, Rank, Report, Run, Tell,
    Verb,
};
use super::assess::{assess, fit_calibration};
use super::correlate::correlate;
#[cfg(feature = "neural")]
use super::fit::{fit_pairwise, run_trainings};
use super::list::list;
use super::plan::plan;
use super::score::score;
use crate::error::{Error, Result};
use crate::layout;
#[cfg(not(feature = "neural"))]
use crate::pipeline::file::PipelineFile;
use crate::pipeline::file::Runnable;
use crate::pipeline::judging::Quality;
use crate::pipeline::predict::{Options as PredictOptions, Predictor};
use crate::pipeline::rank::Options as RankOptions;
use crate::pipeline::rank::live::{self, Asking, Call, Telling};
use crate::pipeline::source::{Pairs, Predictions, Scores, Source};
use crate::pipeline::spec::{self, Order};
use crate::pipeline::{Context, estimate, fit, grid, predict, rank, run};
use crate::preference;
use crate::preference::Choice;
use crate::preference::calibration::Calibration;
use crate::records::import::{Aligned, Wide, aligned, wide};
use crate::report;
use crate::rng::Seed;
use crate::tables::Destination;
use crate::tables::ranking::Ranking;
use crate::tables::status::Status;
use serde::Serialize;
#[cfg(not(feature = "neural"))]
use std::path::Path;
use std::path::PathBuf;

/// Does what was asked and returns what goes to standard output.
pub(super) fn run(context: &Context<'_>, cli: Cli) -> Result<String> {
    let json = cli.common.json;
    match cli.verb {
        Verb::Import(args) => import(args, json),
        Verb::Check(args) => check(context, &args, json),
        Verb::Score(args) => score(context, &args, json),
        Verb::Predict(args) => predict_verb(context, &args),
        Verb::Fit(Fit::Link(args)) => fit_link(context, &args, json),
        Verb::Fit(Fit::Pairwise(args)) => fit_pairwise(context, &args, json),
        Verb::Fit(Fit::Calibration(args)) => fit_calibration(context, &args, json),
        Verb::Assess(args) => assess(context, &args, json),
        Verb::Rank(args) => rank_verb(context, &args, json),
        Verb::Ask(args) => ask(context, &args, cli.common.seed, json),
        Verb::Tell(args) => tell(context, &args, cli.common.seed, json),
        Verb::Estimate(args) => estimate_verb(context, &args, json),
        Verb::Annotators(args) => annotators(context, &args, json),
        Verb::Correlate(args) => correlate(context, &args, json),
        Verb::Plan(args) => plan(context, &args, json),
        Verb::Report(args) => report_verb(&args, json),
        Verb::Run(args) => run_verb(context, &args, cli.common.seed, json),
        Verb::List(args) => list(args.kind, &cli.common.models, json),
    }
}

pub(super) fn open(context: &Context<'_>, data: &DataArgs) -> Result<Source> {
    Source::open(context, &data.data, &data.column)
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(Error::failed)
}

fn import(args: Import, json: bool) -> Result<String> {
    let imported = match args.wide {
        Some(file) => {
            let column = |name: &String| match name.split_once('=') {
                Some((name, column)) => (name.to_string(), column.to_string()),
                None => (name.clone(), name.clone()),
            };
            let systems = args.system.iter().map(column).collect();
            wide(
                &Wide {
                    file,
                    systems,
                    columns: args.column,
                },
                &args.out,
            )?
        }
        None => {
            let file = |text: &String| match text.split_once('=') {
                Some((name, file)) => Ok((name.to_string(), PathBuf::from(file))),
                None => Err(Error::usage(format!("--system {text}: expected NAME=FILE"))
                    .with_hint("name each system, such as --system baseline=baseline.txt")),
            };
            let systems = args.system.iter().map(file).collect::<Result<_>>()?;
            aligned(
                &Aligned {
                    source: args.source,
                    references: args.reference,
                    systems,
                },
                &args.out,
            )?
        }
    };
    if json {
        return to_json(&imported);
    }
    let next = format!("next: tiebreak check {}\n", args.out.display());
    Ok(imported.to_string() + &next)
}

fn check(context: &Context<'_>, args: &Check, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let summary = crate::records::check::check(&source.index, &source.dataset)?;
    if json {
        to_json(&summary)
    } else {
        Ok(summary.to_string())
    }
}

fn predict_verb(context: &Context<'_>, args: &Predict) -> Result<String> {
    let destination = Destination::of(&args.out)?;
    let named = args.model.as_deref().unwrap_or(preference::DEFAULT_MODEL);
    let model = args.scores.is_none().then_some(named);
    let both = Order::from(args.order) == Order::Both;
    let model = model
        .map(|model| {
            let calibration = Choice::read(args.calibration.as_deref())?;
            preference::load_with(model, args.draws, both, calibration, &context.env)
        })
        .transpose()?;
    let source = open(context, &args.data)?;
    let predictor = match (model, &args.scores, &args.metric, &args.link) {
        (Some(model), ..) => Predictor::Model(model),
        (None, Some(path), Some(metric), Some(link)) => {
            let scores = Scores::open(&source, path, metric)?;
            let calibration = match &args.calibration {
                Some(path) => Some(Calibration::read(path)?),
                None => None,
            };
            predict::direct(context, &source, scores, link, calibration)?
        }
        _ => return Err(Error::usage("--scores needs --metric and --link")),
    };
    let options = PredictOptions {
        pairs: args
            .pairs
            .as_ref()
            .map(|path| Pairs::open(&source, path))
            .transpose()?,
        keep_draws: args.keep_draws,
        shard: args.shard.unwrap_or_default(),
    };
    predict::run(context, &source, &predictor, &options, &destination)?;
    Ok(String::new())
}

fn fit_link(context: &Context<'_>, args: &FitLink, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let scores = Scores::open(&source, &args.scores, &args.metric)?;
    let calibration = fit::run(context, &source, &scores, &args.link)?;
    fit::write(&calibration, &args.out)?;
    let parameters: Vec<String> = calibration
        .parameters
        .0
        .iter()
        .map(|(name, value)| format!("{name} = {}", layout::number(*value)))
        .collect();
    if json {
        return to_json(&serde_json::json!({
            "link": calibration.link,
            "metric": calibration.provenance.metric,
            "n": calibration.n,
            "accuracy": calibration.accuracy,
            "tau1": calibration.thresholds.tau1(),
            "tau2": calibration.thresholds.tau2(),
            "parameters": calibration.parameters.0,
        }));
    }
    Ok(format!(
        "{}: {}, tau1 = {}, tau2 = {}\nsentence accuracy {} on the {} comparisons it was fitted to\n",
        calibration.link,
        parameters.join(", "),
        calibration.thresholds.tau1(),
        calibration.thresholds.tau2(),
        layout::percent(calibration.accuracy),
        calibration.n
    ))
}

#[cfg(not(feature = "neural"))]
fn fit_pairwise(_: &Context<'_>, args: &FitPairwise, _: bool) -> Result<String> {
    Err(preference::without_neural(&args.base))
}

#[cfg(not(feature = "neural"))]
fn run_trainings(
    _: &Context<'_>,
    file: &PipelineFile<spec::Trainings>,
    _: Option<u64>,
    _: &Path,
) -> Result<(String, String)> {
    Err(preference::without_neural(&file.name()))
}

fn rank_verb(context: &Context<'_>, args: &Rank, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let told = |ranking: Ranking| match json {
        true => to_json(&ranking),
        false => Ok(report::render_ranking(&ranking)),
    };
    let mut spec = spec::Rank {
        feedback: args.feedback.into(),
        runs: args.runs,
        delay: args.delay,
        ..spec::Rank::default()
    };
    args.choices.apply(&mut spec);
    if args.all {
        return told(rank::all(
            context,
            &source,
            spec.confidence,
            args.out.as_deref(),
        )?);
    }
    let predictions = args
        .choices
        .predictions
        .iter()
        .map(|path| Predictions::open(&source, path))
        .collect::<Result<Vec<_>>>()?;
    told(rank::run(
        context,
        &source,
        &predictions,
        &RankOptions::from(&spec),
        args.out.as_deref(),
    )?)
}

fn ask(context: &Context<'_>, args: &Ask, seed: Option<u64>, json: bool) -> Result<String> {
    let call = Call {
        run: &args.run,
        data: args.data.as_deref(),
        columns: &args.column,
        seed: seed.map(Seed),
        change: &|rank| args.choices.apply(rank),
    };
    let asking = Asking {
        n: args.n.map(|n| n as usize),
        again: args.again,
        out: &args.out,
    };
    standing(&live::ask(context, &call, &asking)?, json)
}

fn tell(context: &Context<'_>, args: &Tell, seed: Option<u64>, json: bool) -> Result<String> {
    let call = Call {
        run: &args.run,
        data: args.data.as_deref(),
        columns: &[],
        seed: seed.map(Seed),
        change: &|_| {},
    };
    let telling = Telling {
        sheets: &args.sheets,
        annotator: args.annotator.as_deref(),
    };
    standing(&live::tell(context, &call, &telling)?, json)
}

fn standing(status: &Status, json: bool) -> Result<String> {
    if json {
        to_json(status)
    } else {
        Ok(report::render_status(status))
    }
}

fn estimate_verb(context: &Context<'_>, args: &Estimate, json: bool) -> Result<String> {
    let source = open(context, &args.data)?;
    let scores = match &args.scores {
        Some(path) => args
            .metric
            .iter()
            .map(|metric| Scores::open(&source, path, metric))
            .collect::<Result<Vec<_>>>()?,
        None => Vec::new(),
    };
    let options = estimate::Options {
        estimator: &args.estimator,
        scores: &scores,
        criterion: args.criterion.as_deref(),
        confidence: args.confidence,
        range: args.range,
        target_width: args.target_width,
        parts: args.parts,
        quality: Quality {
            min_seconds: args.min_seconds,
            min_agreement: args.min_agreement,
            min_edit: args.min_edit,
        },
        strata: args.strata.as_deref(),
        probabilities: args.probabilities.as_deref(),
        differences: args.differences,
        stop: args.stop,
    };
    let estimates = estimate::run(context, &source, &options)?;
    if let Some(out) = &args.out {
        estimates.write(&Destination::of(out)?)?;
    }
    if json {
        to_json(&estimates.to_json())
    } else {
        let text = report::render_estimates(&estimates.told(), &estimates.plans);
        let (pairs, groups) = (&estimates.differences, &estimates.groups);
        Ok(text + &report::render_comparisons(pairs, groups, &estimates.stops))
    }
}

fn report_verb(args: &Report, json: bool) -> Result<String> {
    let (text, document) = report::write(&args.dir)?;
    Ok(if json { document } else { text })
}

fn run_verb(context: &Context<'_>, args: &Run, seed: Option<u64>, json: bool) -> Result<String> {
    let file = Runnable::read(&args.pipeline)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out").join(file.name()));
    let (text, document) = match &file {
        Runnable::Pipeline(_) | Runnable::Trainings(_) if args.data_root.is_some() => {
            let what = "--data-root is for files of experiments; this pipeline names its data set";
            return Err(Error::usage(what));
        }
        Runnable::Trainings(file) => run_trainings(context, file, seed, &out)?,
        Runnable::Pipeline(file) => run::run(context, file, seed, &out)?,
        Runnable::Grid(file) => {
            let overrides = grid::Overrides {
                seed,
                data_root: args.data_root.clone(),
            };
            grid::run(context, file, &overrides, &out)?
        }
    };
    Ok(if json { document } else { text })
}
