//! Predictors: a preference model, or a link on the scores of a metric.

use super::pairing::OutputPair;
use crate::engine::context::Context;
use crate::engine::parts::Grain;
use crate::inputs::source::{OutputScore, Scores, Source};
use crate::stages::fit;
use std::sync::Arc;
use tiebreak_base::error::{Error, Key, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::signature::Signature;
use tiebreak_data::records::index::Group;
use tiebreak_decide::model_based::thresholds::Thresholds;
use tiebreak_metrics::metrics::Direction;
use tiebreak_preference::preference::calibration::{AppliedCalibration, Calibration};
use tiebreak_preference::preference::links::Link;
use tiebreak_preference::preference::{PairwiseModel, Preference, direct};

/// The fewest items of a part of predictions from scores, which cost next to nothing.
const DIRECT_ITEMS: u64 = 256;

/// The fewest inputs of a part of a model's predictions.
const MODEL_INPUTS: u64 = 64;

/// The most rows that are in memory at once.
const ROWS: u64 = 1 << 16;

/// The most work that a killed command may lose, in multiplications per token. With inputs of 100
/// tokens it is a minute of a thread that does 10^10 a second.
const QUICK: u64 = 6_000_000_000;

/// A source of predictions.
pub enum Predictor {
    /// A preference model, which reads the texts.
    Model(Arc<dyn PairwiseModel>),
    /// A link, which reads the scores of a metric.
    Direct(Box<DirectPredictor>),
}

/// A metric's scores with a fitted link.
pub struct DirectPredictor {
    scores: Scores,
    calibration: Calibration,
    applied: AppliedCalibration,
}

impl Predictor {
    /// The signature of the numbers.
    pub fn signature(&self) -> String {
        match self {
            Self::Model(model) => model.signature().to_string(),
            Self::Direct(direct) => direct.signature().to_string(),
        }
    }

    /// The thresholds τ1, τ2 that turn a preference into an outcome.
    pub(super) fn thresholds(&self) -> Thresholds {
        match self {
            Self::Model(model) => model.thresholds(),
            Self::Direct(direct) => direct.calibration.whole.thresholds,
        }
    }

    /// A sentence on what asking took, where that is worth reporting.
    pub fn account(&self) -> Option<String> {
        match self {
            Self::Model(model) => model.account(),
            Self::Direct(_) => None,
        }
    }

    /// The thresholds of each fold of items; none where they are the same for all.
    pub(super) fn folds(&self) -> Vec<Thresholds> {
        match self {
            Self::Model(_) => Vec::new(),
            Self::Direct(direct) => direct.applied.folds(),
        }
    }

    /// The number of items in parts and pieces, where each has `outputs` and `pairs` on average.
    pub(super) fn grain(&self, outputs: u64, pairs: u64) -> Grain {
        let most = ROWS / pairs.max(1);
        let (inputs, cost) = match self {
            Self::Direct(_) => {
                return Grain {
                    least: DIRECT_ITEMS,
                    quick: u64::MAX,
                    most,
                };
            }
            Self::Model(model) if model.reads_outputs_apart() => (outputs, model.cost()),
            Self::Model(model) => (pairs, model.cost()),
        };
        let inputs = inputs.max(1);
        // A model that is asked about many at once must get as many.
        let at_once = match self {
            Self::Model(model) => model.at_once() as u64,
            Self::Direct(_) => 1,
        };
        Grain {
            least: MODEL_INPUTS.max(at_once) / inputs,
            quick: QUICK / (cost.max(1) * inputs),
            most,
        }
    }
}

impl DirectPredictor {
    fn signature(&self) -> Signature {
        let Calibration { link, whole, .. } = &self.calibration;
        let signature = Signature::new(link)
            .with("tau1", whole.thresholds.tau1())
            .with("tau2", whole.thresholds.tau2());
        let parameters = whole.parameters.0.iter();
        let signature = parameters.fold(signature, |signature, (key, value)| {
            signature.with(key, value)
        });
        let signature = match &self.applied {
            AppliedCalibration::CrossFitted(folds) => signature.with("cross-fitted", folds.len()),
            AppliedCalibration::Whole { in_sample, .. } if *in_sample => {
                signature.with("in-sample", "yes")
            }
            AppliedCalibration::Whole { .. } => signature,
        };
        signature.with("metric", format!("[{}]", self.scores.signature))
    }

    /// The preference of each pairing of the groups.
    ///
    /// # Errors
    /// Scores that do not cover the groups.
    pub(super) fn prefer(
        &self,
        source: &Source,
        groups: &[Group],
        pairings: &[OutputPair],
    ) -> Result<Vec<Option<Preference>>> {
        let direction = self.scores.direction();
        let scores = self.scores.of_outputs(source, groups)?;
        let prefer = |pairing: &OutputPair| {
            let link = self.applied.link(&groups[pairing.group].item);
            from_scores(&scores, direction, link, pairing).map(Some)
        };
        pairings.iter().map(prefer).collect()
    }
}

fn from_scores(
    scores: &[Vec<OutputScore>],
    direction: Direction,
    link: &dyn Link,
    pairing: &OutputPair,
) -> Result<Preference> {
    let of = |place: usize| {
        let OutputScore { score, draws } = &scores[pairing.group][place];
        direct::SampledScore {
            score: *score,
            draws,
        }
    };
    let (first, second) = pairing.outputs;
    let (first, second) = direction.rising(of(first), of(second));
    Preference::direct(link, first, second)
}

/// A predictor from the scores of a metric. Without a calibration the link is fitted here, on the
/// data set's own comparisons. What was fitted on this data set predicts each item by its fold.
///
/// # Errors
/// A calibration of another link or metric; no calibration and no comparisons.
pub(crate) fn direct(
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
            return Err(Error::usage(what)
                .with_hint(message!("fit one with {}", StageCommand("fit link", &[]))));
        }
        Some(calibration) => calibration,
        None => {
            context.progress.advise(&message!(
                "no {} given, so the link is fitted on this data set (for each item without that item)",
                Key("calibration")
            ));
            fit::run(context, source, &scores, link)?
        }
    };
    calibration.check_metric(scores.metric(), &scores.signature)?;
    let applied = calibration.on(&source.digest)?;
    if let AppliedCalibration::Whole {
        in_sample: true, ..
    } = applied
    {
        context.progress.warn(
            "the link was fitted on this data set, with too few items to leave any out; results here are slightly too \
             good",
        );
    }
    Ok(Predictor::Direct(Box::new(DirectPredictor {
        scores,
        calibration,
        applied,
    })))
}
