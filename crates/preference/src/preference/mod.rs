//! Preference models: two texts to a preference.
//!
//! [`load`] gives the model of a name, folder or hub id, to be asked as [`Options`] say;
//! `mod@uncertainty` sums up its dropout draws.

use calibrator::{CalibratedModel, Calibrator};
use tiebreak_base::error::Result;
use tiebreak_base::keys::Keys;
use tiebreak_base::signature::Signature;
use tiebreak_decide::model_based::thresholds::Thresholds;
#[cfg(feature = "neural")]
use tiebreak_encoders::Checkpoint;
#[cfg(feature = "neural")]
use tiebreak_encoders::descriptor::{Head, MetricTermSettings, ReferenceAvailability};
use tiebreak_metrics::env::Env;

#[cfg(feature = "neural")]
mod beside;
pub mod calibration;
pub mod calibrator;
mod choice;
pub mod direct;
#[cfg(feature = "neural")]
mod distinct;
mod draws;
#[cfg(feature = "neural")]
mod electra;
#[cfg(feature = "judges")]
mod judged;
#[cfg(feature = "neural")]
mod labels;
pub mod links;
mod options;
mod orders;
#[cfg(feature = "neural")]
mod pointwise;
#[cfg(feature = "neural")]
mod reader;
#[cfg(feature = "judges")]
mod reward;
mod sampled;
#[cfg(feature = "neural")]
mod template;
pub mod training;
mod uncertainty;
#[cfg(feature = "neural")]
mod weight;

pub(crate) use choice::NO_CALIBRATION;
pub use draws::Draws;
pub use options::Options;
pub use orders::Order;
use orders::{BothOrders, RandomOrder};
use sampled::{MonteCarloModel, StochasticModel};
pub use uncertainty::uncertainty;
#[cfg(feature = "neural")]
pub use weight::JudgedContest;

/// The model that comes with tiebreak, used where none is named.
pub const DEFAULT_MODEL: &str = tiebreak_encoders::shipped::NAME;

/// The number of dropout draws unless the user sets another; the paper's L.
pub const DRAWS: usize = 20;

/// The preference model called `name`: an existing folder, a model described in
/// [`Env::models`], one that comes with tiebreak such as [`DEFAULT_MODEL`], or a hub id.
///
/// ```no_run
/// # #[cfg(feature = "neural")] {
/// use tiebreak_metrics::env::Env;
/// use tiebreak_preference::preference::{self, Contest, Options, PairwiseModel};
/// let model = preference::load("tiny-electra", &Options::default(), &Env::default())?;
/// let contest = Contest::new("The train is late.", "Train late the.").with_source("Der Zug ist spät.");
/// let preference = &model.predict(&[contest])?[0];
/// assert!((0.0..=1.0).contains(&preference.p) && preference.draws.len() == 20);
/// # }
/// # Ok::<(), tiebreak_base::Error>(())
/// ```
///
/// # Errors
/// If there is no such model, it cannot be loaded or run in the precision asked for, the calibration
/// is of another model, or this build lacks the feature `neural`.
pub fn load(name: &str, options: &Options, env: &Env) -> Result<Box<dyn PairwiseModel>> {
    options.check()?;
    #[cfg(feature = "judges")]
    if let Some(judge) = judged::load(name, options, env)? {
        return Ok(judge);
    }
    let calibration = options.calibration()?;
    let (mut model, own) = open(name, options, env)?;
    if !model.reads_outputs_apart() {
        model = match options.order.unwrap_or_default() {
            Order::Given => model,
            Order::Both => Box::new(BothOrders(model)),
            Order::Random => Box::new(RandomOrder {
                model,
                seed: env.seed,
            }),
        };
    }
    if let Some(calibrator) = calibration.resolve(own) {
        model = Box::new(CalibratedModel::new(model, calibrator)?);
    }
    let draws = options.draws();
    Ok(Box::new(MonteCarloModel { model, draws }))
}

/// Checks that there is such a model, and that the options suit it, as far as that can be known without its weights.
///
/// # Errors
/// An unknown name; a folder or hub repository that holds no model; a calibration that cannot be read;
/// [`tiebreak_base::error::Error::Key`] for an option that is not for such a model. Without the feature `neural` no model is looked
/// for.
pub fn check_model(name: &str, options: &Options, env: &Env) -> Result<()> {
    options.check()?;
    options.calibration()?;
    #[cfg(feature = "neural")]
    options.suits(name, is_judge(name, options, env)?)?;
    let _ = (name, env);
    Ok(())
}

#[cfg(feature = "neural")]
fn is_judge(name: &str, options: &Options, env: &Env) -> Result<bool> {
    #[cfg(feature = "judges")]
    if judged::names_judge(name, options, env)? {
        return Ok(true);
    }
    let checkpoint = Checkpoint::resolve_model(name, &env.models, &env.hub)?;
    Calibrator::of_model(&checkpoint).map(|_| false)
}

/// A model without calibration, and the calibration that its descriptor names.
type ModelAndCalibrator = (Box<dyn StochasticModel>, Option<Calibrator>);

#[cfg(feature = "neural")]
fn open(name: &str, options: &Options, env: &Env) -> Result<ModelAndCalibrator> {
    let checkpoint = Checkpoint::resolve_model(name, &env.models, &env.hub)?;
    let own = Calibrator::of_model(&checkpoint)?;
    Ok((sampled(&checkpoint, options, env)?, own))
}

#[cfg(feature = "neural")]
fn sampled(
    checkpoint: &Checkpoint,
    options: &Options,
    env: &Env,
) -> Result<Box<dyn StochasticModel>> {
    Ok(match checkpoint.descriptor.head {
        Head::Pairwise => Box::new(electra::Electra::load(checkpoint, options, env)?),
        Head::Pointwise | Head::Matching => {
            Box::new(pointwise::PointwiseModel::load(checkpoint, options, env)?)
        }
    })
}

/// Loads the model of a checkpoint, with what stands beside it but not calibrated.
///
/// # Errors
/// If it cannot be loaded.
#[cfg(feature = "neural")]
pub fn uncalibrated(
    checkpoint: &Checkpoint,
    draws: usize,
    env: &Env,
) -> Result<Box<dyn PairwiseModel>> {
    let options = Options {
        draws: Some(draws.into()),
        ..Options::default()
    };
    let (model, draws) = (sampled(checkpoint, &options, env)?, options.draws());
    Ok(Box::new(MonteCarloModel { model, draws }))
}

/// The points by which a metric prefers the first output of each contest; 0 for those it does not apply to.
///
/// # Errors
/// An unknown metric or parameter; one that needs the whole data set, or references where there are
/// none; those of the metric.
#[cfg(feature = "neural")]
pub fn metric_margins(
    metric: &str,
    ground: ReferenceAvailability,
    contests: &[Contest<'_>],
    env: &Env,
) -> Result<Vec<f64>> {
    let beside = beside::MetricTerm::new(&MetricTermSettings::new(metric, 1.0), ground, env)?;
    beside.log_odds(&distinct::Sides::from_contests(contests))
}

#[cfg(not(feature = "neural"))]
fn open(name: &str, _options: &Options, _env: &Env) -> Result<ModelAndCalibrator> {
    Err(without_neural(name))
}

/// The error about a model in a build without the feature `neural`.
#[cfg(not(feature = "neural"))]
pub fn without_neural(name: &str) -> tiebreak_base::error::Error {
    tiebreak_base::error::Error::model(name, "this build cannot run neural models")
        .with_hint("build with the feature `neural` (on by default)")
}

/// Two outputs for the same input.
#[derive(Debug, Clone, Copy)]
pub struct Contest<'a> {
    /// The output of `system_a`.
    pub a: &'a str,
    /// The output of `system_b`.
    pub b: &'a str,
    /// The input, where it is known.
    pub source: Option<&'a str>,
    /// The human references, possibly none.
    pub references: &'a [String],
}

impl<'a> Contest<'a> {
    /// Makes a contest of `a` against `b`, of which nothing else is known.
    pub fn new(a: &'a str, b: &'a str) -> Self {
        Self {
            a,
            b,
            source: None,
            references: &[],
        }
    }

    /// Adds the input that both were written for.
    #[must_use]
    pub fn with_source(self, source: &'a str) -> Self {
        let source = Some(source);
        Self { source, ..self }
    }

    /// Adds the human references.
    #[must_use]
    pub fn with_references(self, references: &'a [String]) -> Self {
        Self { references, ..self }
    }

    /// The context of its outputs, where a model reads one text of it: the first reference, else the source, else
    /// nothing.
    #[cfg(feature = "neural")]
    fn context(&self) -> &'a str {
        let reference = self.references.first().map(String::as_str);
        reference.or(self.source).unwrap_or("")
    }

    /// The contexts for a model that reads several: all references, else the source, else nothing.
    #[cfg(feature = "neural")]
    fn contexts(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let references = self.references.iter().map(String::as_str);
        let other = self.references.is_empty().then(|| self.context());
        references.chain(other)
    }

    /// The same contest from the other side.
    fn turned(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            ..self
        }
    }
}

/// A model's prediction for a contest: the preference for `a`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Preference {
    /// The preference with dropout off, in [0, 1].
    pub p: f64,
    /// The preferences under dropout, one per draw; empty for models that cannot be sampled.
    pub draws: Vec<f64>,
    /// The position bias, in [-1, 1]: twice the preference for what was shown first, less 1, over orders that leave
    /// nothing else in the mean; none where that is not known.
    pub position: Option<f64>,
    /// What a judge wrote, each time with whether `a` was shown first or alone.
    pub answers: Vec<(bool, String)>,
}

/// A model that prefers one of two outputs.
pub trait PairwiseModel: Send + Sync {
    /// The signature of its numbers.
    fn signature(&self) -> Signature;

    /// Whether every output is read by itself, so that contests that share outputs cost less
    /// together.
    fn reads_outputs_apart(&self) -> bool {
        false
    }

    /// The approximate number of multiplications that a token of an input takes, draws included.
    fn cost(&self) -> u64 {
        1
    }

    /// The thresholds of its preferences.
    fn thresholds(&self) -> Thresholds {
        Thresholds::default()
    }

    /// One preference per contest, in order. A contest's preference does not depend on the others.
    ///
    /// # Errors
    /// If the model cannot be run on a contest.
    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>>;

    /// Predicts like `predict`, with `None` for contests without a prediction; `go_on` is asked now and then.
    ///
    /// # Errors
    /// Those of [`predict`](Self::predict) and of `go_on`.
    fn preferences(
        &self,
        contests: &[Contest<'_>],
        go_on: &dyn Fn() -> Result<()>,
    ) -> Result<Vec<Option<Preference>>> {
        go_on()?;
        Ok(self.predict(contests)?.into_iter().map(Some).collect())
    }

    /// The approximate number of contests asked about at a time: few, so that an interruption is noticed soon.
    fn at_once(&self) -> usize {
        8
    }

    /// The most draws of a contest, of a model that is not asked under dropout.
    fn own_draws(&self) -> Option<u32> {
        None
    }

    /// The account of requests and their cost so far, in a few words, where there is one.
    fn account(&self) -> Option<String> {
        None
    }

    /// Takes what the user should know that has come up since it was last taken.
    fn take_warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(all(test, not(feature = "neural")))]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_neural_models_says_so() {
        let error = load("tiny-electra", &Options::default(), &Env::default())
            .err()
            .unwrap();
        assert_eq!(error.exit_code(), 2);
        assert!(error.hint().unwrap().contains("`neural`"));
    }
}
