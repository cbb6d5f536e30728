//! `predict`: pairs of outputs to preferences, from a model or from the scores of a metric.

use super::context::Context;
use super::fit;
use super::parts::{Parts, Shard, produce};
use super::source::{Pairs, Score, Scores, Source};
use crate::duel::Arm;
use crate::error::{Error, Result};
use crate::metrics::Direction;
use crate::preference::calibration::Calibration;
use crate::preference::links::Link;
use crate::preference::thresholds::Thresholds;
use crate::preference::{Contest, PairwiseModel, Preference, direct};
use crate::records::index::Group;
use crate::signature::Signature;
use crate::tables::destination::Destination;
use crate::tables::meta::Meta;
use crate::tables::schema::{Cell, PREDICTIONS, PREDICTIONS_WITH_DRAWS, Rows};
use arrow::array::RecordBatch;
use std::ops::Range;

/// Items per part of predictions from scores, which cost next to nothing.
const DIRECT_ITEMS: u64 = 256;

/// Inputs of a model per part of its predictions, about: what a killed command may lose.
const MODEL_INPUTS: u64 = 64;

/// Contests a model is asked about at a time, about, so that an interruption is noticed soon.
const MODEL_CONTESTS: usize = 8;

/// What predicts.
pub enum Predictor {
    /// A preference model reads the texts.
    Model(Box<dyn PairwiseModel>),
    /// A link reads the scores of a metric.
    Direct(Box<DirectPredictor>),
}

/// A metric's scores with a fitted link.
pub struct DirectPredictor {
    scores: Scores,
    calibration: Calibration,
    link: Box<dyn Link>,
}

/// What to predict and what to keep.
pub struct Options {
    /// Only these pairs, in the orientation given; otherwise all pairs of an item, by name.
    pub pairs: Option<Pairs>,
    /// Whether the draws themselves are stored.
    pub keep_draws: bool,
    /// Which parts this command computes.
    pub shard: Shard,
}

impl Predictor {
    /// What produced the numbers.
    pub fn signature(&self) -> String {
        match self {
            Self::Model(model) => model.signature().to_string(),
            Self::Direct(direct) => {
                let DirectPredictor {
                    scores,
                    calibration,
                    ..
                } = direct.as_ref();
                let parameters = calibration.parameters.0.iter();
                let signature = Signature::new(&calibration.link)
                    .with("tau1", calibration.thresholds.tau1())
                    .with("tau2", calibration.thresholds.tau2());
                parameters
                    .fold(signature, |signature, (key, value)| {
                        signature.with(key, value)
                    })
                    .with("metric", format!("[{}]", scores.signature))
                    .to_string()
            }
        }
    }

    /// The thresholds τ1, τ2 that turn a preference into an outcome.
    fn thresholds(&self) -> Thresholds {
        match self {
            Self::Model(model) => model.thresholds(),
            Self::Direct(direct) => direct.calibration.thresholds,
        }
    }

    fn items_per_part(&self, systems: usize) -> u64 {
        let pairs = systems * systems.saturating_sub(1) / 2;
        let inputs = match self {
            Self::Direct(_) => return DIRECT_ITEMS,
            Self::Model(model) if model.reads_outputs_apart() => systems,
            Self::Model(_) => pairs,
        };
        (MODEL_INPUTS / inputs.max(1) as u64).max(1)
    }
}

/// Predicts every pair and writes the predictions.
///
/// # Errors
/// As [`produce`]; scores that do not cover the data set.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &Options,
    destination: &Destination,
) -> Result<()> {
    if source.systems().len() < 2 {
        return Err(source.lacks("predict", "outputs by two systems"));
    }
    let parts = Parts::new(
        source.index.items(),
        predictor.items_per_part(source.systems().len()),
    );
    let thresholds = predictor.thresholds();
    let columns = if options.keep_draws {
        PREDICTIONS_WITH_DRAWS
    } else {
        PREDICTIONS
    };
    let meta = Meta::new(
        "predictions",
        predictor.signature(),
        context.seed.0,
        &source.digest,
    )
    .with("tau1", thresholds.tau1())
    .with("tau2", thresholds.tau2())
    .with("keep draws", options.keep_draws)
    .with(
        "pairs",
        options.pairs.as_ref().map_or("all", |pairs| pairs.digest()),
    )
    .with("items per part", parts.per_part());
    produce(
        context,
        destination,
        columns,
        &meta,
        parts.shard(options.shard),
        |range| predict_part(context, source, predictor, options, range),
    )
}

/// One contest, by systems and their places among the group's outputs.
struct Pairing {
    group: usize,
    systems: (Arm, Arm),
    outputs: (usize, usize),
}

fn predict_part(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &Options,
    range: Range<u64>,
) -> Result<RecordBatch> {
    let groups = source.groups(range.clone())?;
    let pairings = pairings(source, &groups, options.pairs.as_ref(), range)?;
    let preferences = match predictor {
        Predictor::Model(model) => {
            let contests: Vec<Contest<'_>> = pairings
                .iter()
                .map(|pairing| contest(&groups, pairing))
                .collect();
            let mut preferences = Vec::with_capacity(contests.len());
            while preferences.len() < contests.len() {
                context.check()?;
                let start = preferences.len();
                let end = few(&pairings, start, model.reads_outputs_apart());
                preferences.extend(model.predict(&contests[start..end])?);
            }
            preferences
        }
        Predictor::Direct(direct) => {
            let DirectPredictor { scores, link, .. } = direct.as_ref();
            let direction = scores.direction();
            let scores = scores.of(source, &groups)?;
            let prefer = |pairing| from_scores(&scores, direction, link.as_ref(), pairing);
            pairings.iter().map(prefer).collect::<Result<_>>()?
        }
    };
    let mut rows = Rows::new(if options.keep_draws {
        PREDICTIONS_WITH_DRAWS
    } else {
        PREDICTIONS
    });
    for (pairing, preference) in pairings.iter().zip(&preferences) {
        push(
            &mut rows,
            source,
            &groups[pairing.group],
            pairing,
            preference,
            options.keep_draws,
        )?;
    }
    Ok(rows.finish())
}

/// Where the next few contests end; those of one item stay together where they share inputs.
fn few(pairings: &[Pairing], start: usize, whole_items: bool) -> usize {
    let mut end = (start + MODEL_CONTESTS).min(pairings.len());
    while whole_items && end < pairings.len() && pairings[end].group == pairings[end - 1].group {
        end += 1;
    }
    end
}

/// All pairs of systems on each item, or those asked for.
fn pairings(
    source: &Source,
    groups: &[Group],
    pairs: Option<&Pairs>,
    range: Range<u64>,
) -> Result<Vec<Pairing>> {
    let mut all = Vec::new();
    let asked = pairs.map(|pairs| pairs.of(range)).transpose()?;
    for (g, group) in groups.iter().enumerate() {
        let place = |system: Arm| {
            group
                .outputs
                .iter()
                .position(|output| output.system == system)
        };
        match &asked {
            None => {
                for (i, first) in group.outputs.iter().enumerate() {
                    for (j, second) in group.outputs.iter().enumerate().skip(i + 1) {
                        let systems = (first.system, second.system);
                        all.push(Pairing {
                            group: g,
                            systems,
                            outputs: (i, j),
                        });
                    }
                }
            }
            Some(asked) => {
                for &(a, b) in &asked[g] {
                    let missing = |system: Arm| {
                        let what = format!(
                            "system `{}` has no output for item `{}`",
                            source.system(system),
                            group.item
                        );
                        Error::usage(format!("a pair asks for what is not there: {what}"))
                    };
                    let outputs = (
                        place(a).ok_or_else(|| missing(a))?,
                        place(b).ok_or_else(|| missing(b))?,
                    );
                    all.push(Pairing {
                        group: g,
                        systems: (a, b),
                        outputs,
                    });
                }
            }
        }
    }
    Ok(all)
}

fn contest<'a>(groups: &'a [Group], pairing: &Pairing) -> Contest<'a> {
    let group = &groups[pairing.group];
    Contest {
        a: &group.outputs[pairing.outputs.0].text,
        b: &group.outputs[pairing.outputs.1].text,
        source: group.source.as_deref(),
        references: &group.references,
    }
}

fn from_scores(
    scores: &[Vec<Score>],
    direction: Direction,
    link: &dyn Link,
    pairing: &Pairing,
) -> Result<Preference> {
    let of = |place: usize| {
        let Score { score, draws } = &scores[pairing.group][place];
        direct::Scored {
            score: *score,
            draws,
        }
    };
    let (first, second) = pairing.outputs;
    let (first, second) = direction.rising(of(first), of(second));
    direct::prefer(link, first, second)
}

fn push(
    rows: &mut Rows,
    source: &Source,
    group: &Group,
    pairing: &Pairing,
    preference: &Preference,
    keep_draws: bool,
) -> Result<()> {
    let (a, b) = (
        source.system(pairing.systems.0),
        source.system(pairing.systems.1),
    );
    let prediction = preference.prediction();
    let numbers = [Some(prediction.p), prediction.uncertainty.map(|u| u.bald)];
    if numbers.iter().flatten().any(|number| !number.is_finite()) {
        let what = format!(
            "the preference of `{a}` over `{b}` on item `{}` is {}",
            group.item, prediction.p
        );
        return Err(Error::failed(what));
    }
    let uncertainty = prediction.uncertainty;
    let mut cells = vec![
        Cell::Text(&group.item),
        Cell::Text(a),
        Cell::Text(b),
        Cell::Number(Some(prediction.p)),
        Cell::Number(uncertainty.map(|u| u.mean)),
        Cell::Number(uncertainty.map(|u| u.bald)),
        Cell::Number(uncertainty.map(|u| u.std)),
    ];
    if keep_draws {
        let draws = &preference.draws;
        cells.push(Cell::Numbers((!draws.is_empty()).then_some(draws)));
    }
    rows.push(&cells);
    Ok(())
}

/// A predictor from the scores of a metric. Without a calibration the link is fitted here, on the
/// data set's own comparisons.
///
/// # Errors
/// A calibration of another link or metric; no calibration and no comparisons.
pub fn direct(
    context: &Context<'_>,
    source: &Source,
    scores: Scores,
    link: &str,
    calibration: Option<Calibration>,
) -> Result<Predictor> {
    let calibration = match calibration {
        Some(calibration) if calibration.link != link => {
            let what = format!(
                "the calibration is of link `{}`, not of `{link}`",
                calibration.link
            );
            return Err(Error::usage(what).with_hint("fit one with `tiebreak fit link`"));
        }
        Some(calibration) => calibration,
        None => {
            context.progress.warn(
                "no --calibration given: the link is fitted on this very data set, so its predictions are \
                 a little too good here",
            );
            fit::run(context, source, &scores, link)?
        }
    };
    calibration.check_metric(scores.metric(), &scores.signature)?;
    let link = calibration.link()?;
    Ok(Predictor::Direct(Box::new(DirectPredictor {
        scores,
        calibration,
        link,
    })))
}
