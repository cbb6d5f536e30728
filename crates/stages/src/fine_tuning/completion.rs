//! The completion of a trained network: the weights of metrics beside it, and its calibration,
//! all fitted on the pairs held out from training.
//!
//! A weight is that of a logistic regression of people's judgments on the network's log-odds and the
//! metric's difference, relative to the network's, on the pairs that the metric scores: those with
//! references, or those without. The calibration is then fitted to all together, on all pairs.
//! Training stopped where it did best on these, so all are a little on the confident side; pairs of
//! identical outputs, which were never learnt from, count in none.
//!
//! All of it can also be asked for when training is over, like storage in eight bits. During that the
//! folder is at every moment a model that loads: its descriptor first drops the old
//! calibration and admits the old weights and the new ones, and is written last.

use super::data::JudgedItem;
use super::folder::{TrainingFolder, WEIGHTS};
use super::model::{sha256, write_descriptor};
use crate::engine::context::Context;
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_data::tables::sealed_text::seal_toml;
use tiebreak_decide::model_based::thresholds::JudgedPreference;
use tiebreak_encoders::descriptor::{MetricTermSettings, ModelDescriptor, ReferenceAvailability};
use tiebreak_encoders::{Checkpoint, Files, quantise};
use tiebreak_preference::preference::calibrator::{CalibrationMethod, Calibrator, Map};
use tiebreak_preference::preference::training::{JudgedPair, Settings};
use tiebreak_preference::preference::{Contest, JudgedContest, metric_margins, uncalibrated};

/// The file of the calibration, in the model's folder.
const CALIBRATION: &str = "calibration.toml";

/// Items whose pairs the network scores at a time.
const ITEMS: usize = 8;

/// The summary of a network's completion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompletionSummary {
    /// The metric beside it where there are references, with its weight in log-odds per point.
    pub beside: Option<MetricTermSettings>,
    /// The metric where there are none, with its weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_unreferenced: Option<MetricTermSettings>,
    /// The calibration of its preferences.
    pub calibration: Option<String>,
    /// Mean log loss on the pairs held out, of the network alone.
    pub before: f64,
    /// Mean log loss of the completed network on the same pairs, on which it was fitted.
    pub after: f64,
}

/// The parts of a completion that are asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CompletionRequest {
    /// Metrics, in the order of [`ReferenceAvailability::ALL`].
    beside: [Option<String>; 2],
    calibrate: Option<CalibrationMethod>,
}

impl CompletionRequest {
    pub(super) fn from_settings(settings: &Settings) -> Self {
        Self {
            beside: ReferenceAvailability::ALL
                .map(|ground| settings.metric(ground).map(str::to_string)),
            calibrate: settings.calibrate,
        }
    }
}

/// Completes the model just written to a folder; `None` where nothing is asked for.
///
/// # Errors
/// A metric that does not exist; a model that cannot be run, or a file that cannot be written.
pub(super) fn complete(
    context: &Context<'_>,
    folder: &TrainingFolder,
    mut descriptor: ModelDescriptor,
    held_out: &[JudgedItem],
    wanted: &CompletionRequest,
) -> Result<Option<CompletionSummary>> {
    descriptor.beside = None;
    descriptor.beside_unreferenced = None;
    descriptor.calibration = None;
    if *wanted == CompletionRequest::default() {
        write_descriptor(folder, &descriptor)?;
        return Ok(None);
    }
    let mut cases = log_odds(context, folder, &descriptor, held_out)?;
    let before = log_loss(&forecasts(&cases));
    for (ground, metric) in ReferenceAvailability::ALL.into_iter().zip(&wanted.beside) {
        if let Some(metric) = metric {
            *ground.metric_term_mut(&mut descriptor) =
                fit_metric_term(context, ground, metric, held_out, &mut cases)?;
        }
    }
    let mut after = log_loss(&forecasts(&cases));
    if let Some(method) = wanted.calibrate {
        let calibrator = calibrator(context, folder, &descriptor, method, &cases)?;
        let calibrated = forecasts(&cases).into_iter().map(|forecast| Forecast {
            p: calibrator.map.preference(forecast.p),
            ..forecast
        });
        after = log_loss(&calibrated.collect::<Vec<_>>());
        folder.write(CALIBRATION, seal_toml(&calibrator.to_toml()?).as_bytes())?;
        descriptor.calibration = Some(CALIBRATION.to_string());
    }
    write_descriptor(folder, &descriptor)?;
    Ok(Some(CompletionSummary {
        beside: descriptor.beside,
        beside_unreferenced: descriptor.beside_unreferenced,
        calibration: wanted.calibrate.map(|method| method.to_string()),
        before,
        after,
    }))
}

/// Adds what is asked for to a finished model: eight bits, a metric beside it, a calibration. What
/// it has already stays, fitted anew where the weights change. `None` where there is nothing to do: all is
/// there, and there was a summary of it (`told`).
///
/// # Errors
/// As [`complete`]; if a file of the model cannot be read.
pub(super) fn later(
    context: &Context<'_>,
    folder: &TrainingFolder,
    held_out: &[JudgedItem],
    settings: &Settings,
    told: bool,
) -> Result<Option<CompletionSummary>> {
    let mut descriptor = ModelDescriptor::read(&folder.file(ModelDescriptor::FILE))?;
    let path = folder.file(WEIGHTS);
    let weights = std::fs::read(&path).map_err(Error::reading(&path))?;
    let stored = match settings.quantise {
        Some(_) => quantise(&weights)?,
        None => weights.clone(),
    };
    let calibration = folder.file(CALIBRATION);
    let method = match is_there(&calibration) {
        true => Some(Calibrator::read(&calibration)?.map.method()),
        false => None,
    };
    let has = CompletionRequest {
        beside: ReferenceAvailability::ALL
            .map(|ground| Some(ground.described(&descriptor)?.metric.clone())),
        calibrate: method.filter(|_| descriptor.calibration.is_some()),
    };
    let asked = CompletionRequest::from_settings(settings);
    let wanted = CompletionRequest {
        beside: std::array::from_fn(|i| asked.beside[i].clone().or(has.beside[i].clone())),
        calibrate: asked.calibrate.or(method),
    };
    let (was, now) = (sha256(&weights), sha256(&stored));
    let nothing_new = told || (settings.quantise, asked) == (None, CompletionRequest::default());
    if nothing_new && has == wanted && descriptor.files.get(WEIGHTS) == Some(&now) {
        return Ok(None);
    }
    let either = format!("{was} {now}");
    descriptor.files.insert(WEIGHTS.to_string(), either);
    descriptor.calibration = None;
    write_descriptor(folder, &descriptor)?;
    folder.write(WEIGHTS, &stored)?;
    descriptor.files.insert(WEIGHTS.to_string(), now);
    complete(context, folder, descriptor, held_out, &wanted)
}

/// The log-odds of the network alone for every judged pair.
fn log_odds(
    context: &Context<'_>,
    folder: &TrainingFolder,
    descriptor: &ModelDescriptor,
    held_out: &[JudgedItem],
) -> Result<Vec<JudgedContest>> {
    let model = uncalibrated(&checkpoint(folder, descriptor), 0, &context.env)?;
    let mut cases = Vec::new();
    context
        .progress
        .begin("held-out pairs", held_out.len() as u64);
    for items in held_out.chunks(ITEMS) {
        context.check()?;
        let contests: Vec<Contest<'_>> = items.iter().flat_map(contests).collect();
        let said = items.iter().flat_map(|item| &item.pairs);
        let preferences = model.predict(&contests)?;
        let case =
            |(pair, preference): (&JudgedPair, tiebreak_preference::preference::Preference)| {
                JudgedContest::new(preference.p, pair.said)
            };
        cases.extend(said.zip(preferences).map(case));
        context.progress.advance(items.len() as u64);
    }
    context.progress.end();
    Ok(cases)
}

/// The metric with its weight, which is added to the log-odds of the pairs that it scores; `None`, with a
/// warning, where nothing determines its weight.
fn fit_metric_term(
    context: &Context<'_>,
    ground: ReferenceAvailability,
    metric: &str,
    held_out: &[JudgedItem],
    cases: &mut [JudgedContest],
) -> Result<Option<MetricTermSettings>> {
    let contests: Vec<Contest<'_>> = held_out.iter().flat_map(contests).collect();
    let margins = metric_margins(metric, ground, &contests, &context.env)?;
    for (case, margin) in cases.iter_mut().zip(margins) {
        case.metric = margin;
    }
    let spoken_of = cases.iter().zip(&contests);
    let told: Vec<JudgedContest> = spoken_of
        .filter(|(_, contest)| ground.has(contest.references))
        .map(|(case, _)| *case)
        .collect();
    let Some(weight) = JudgedContest::weight(&told) else {
        let why = match (told.is_empty(), ground) {
            (true, ReferenceAvailability::Referenced) => "no pair held out has references",
            (true, ReferenceAvailability::Unreferenced) => "every pair held out has references",
            _ => "the network does not predict which held-out outputs people prefer",
        };
        context.progress.warn(&format!(
            "{why}, so {metric} gets no weight and is left out"
        ));
        return Ok(None);
    };
    for case in cases {
        case.stand_beside(weight);
    }
    Ok(Some(MetricTermSettings::new(metric, weight)))
}

fn contests(item: &JudgedItem) -> impl Iterator<Item = Contest<'_>> {
    item.pairs.iter().map(|pair| Contest {
        a: &item.outputs[pair.first],
        b: &item.outputs[pair.second],
        source: item.source.as_deref(),
        references: &item.references,
    })
}

/// The calibration of the network together with its metrics.
fn calibrator(
    context: &Context<'_>,
    folder: &TrainingFolder,
    descriptor: &ModelDescriptor,
    method: CalibrationMethod,
    cases: &[JudgedContest],
) -> Result<Calibrator> {
    let model = uncalibrated(&checkpoint(folder, descriptor), 0, &context.env)?;
    let forecasts = forecasts(cases);
    let map = Map::fit(method, &forecasts)?;
    let judged: Vec<JudgedPreference> = cases.iter().flat_map(judgments).collect();
    Ok(Calibrator {
        thresholds: Calibrator::thresholds(&map, &judged),
        map,
        predictions: model.signature().to_string(),
        data: "pairs held out from training".to_string(),
        n: forecasts.len() as u64,
    })
}

/// The files of the folder under a descriptor that is not written yet.
fn checkpoint(folder: &TrainingFolder, descriptor: &ModelDescriptor) -> Checkpoint {
    Checkpoint {
        name: folder.name(),
        files: Files::Folder(folder.file("")),
        descriptor: descriptor.clone(),
    }
}

/// Each judgment of a pair.
fn judgments(case: &JudgedContest) -> impl Iterator<Item = JudgedPreference> {
    let said = case.said;
    let each = [
        (said.wins, Outcome::Win),
        (said.ties, Outcome::Tie),
        (said.losses, Outcome::Loss),
    ];
    let p = case.preference();
    let repeated = each.map(|(times, outcome)| std::iter::repeat_n((p, outcome), times as usize));
    repeated.into_iter().flatten()
}

fn forecasts(cases: &[JudgedContest]) -> Vec<Forecast> {
    let judged = cases.iter().flat_map(judgments);
    judged
        .map(|(p, outcome)| Forecast {
            p,
            outcome: outcome.value(),
        })
        .collect()
}

fn log_loss(forecasts: &[Forecast]) -> f64 {
    let losses = forecasts.iter().map(|forecast| forecast.log_loss());
    losses.sum::<f64>() / forecasts.len() as f64
}
