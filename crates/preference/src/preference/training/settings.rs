//! What can be chosen about a training. Flags and TOML keys fill the same struct.
//!
//! Defaults are those of Mohankumar and Khapra, "Active Evaluation", ACL 2022 (appendix on training):
//! AdamW, warm-up over a tenth of the steps and then linear decay, peak rate 1e-5, batches of 128
//! pairs, four epochs, a tenth held out. The head is ours: pointwise, because it learns from far
//! fewer judgments when the base was not trained to compare two texts.

#[cfg(feature = "neural")]
use crate::preference::beside::MetricTerm;
use crate::preference::calibrator::CalibrationMethod;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::name_of;
#[cfg(feature = "neural")]
use tiebreak_encoders::descriptor::MetricTermSettings;
use tiebreak_encoders::descriptor::{Head, ReferenceAvailability};
#[cfg(feature = "neural")]
use tiebreak_encoders::training::Output;
#[cfg(feature = "neural")]
use tiebreak_metrics::env::Env;

/// What becomes of judgments that found no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Ties {
    /// Half a win for either side: cross-entropy against a target of ½.
    #[default]
    Half,
    /// Left out.
    Drop,
    /// A third class, next to the two sides; only for the pairwise head.
    Class,
}

impl Ties {
    /// The name in flags and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

/// In how many bits the trained matrices are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Quantisation {
    /// Eight, with one scale per row.
    Int8,
}

/// The most epochs; the batches of each are held in memory.
const MOST_EPOCHS: u64 = 1000;

/// The most pairs of a step.
const MOST_PAIRS: u64 = 1 << 20;

/// What can be chosen about a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Settings {
    /// What the model reads at a time
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Settings::default().head))]
    pub head: Head,
    /// What judgments that are ties become
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = Settings::default().ties))]
    pub ties: Ties,
    /// How context and outputs are joined [default: as the base does for the same head, else by models/README.md]
    #[cfg_attr(feature = "cli", arg(long, value_name = "TEXT"))]
    pub template: Option<String>,
    /// Longest input in tokens; never more than the base has positions
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Settings::default().max_length))]
    pub max_length: usize,
    /// How often every pair is seen
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Settings::default().epochs))]
    pub epochs: u32,
    /// Pairs per step, at least; examples are not split
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Settings::default().batch_size))]
    pub batch_size: usize,
    /// Peak learning rate
    #[cfg_attr(feature = "cli", arg(long, value_name = "RATE", default_value_t = Settings::default().learning_rate))]
    pub learning_rate: f64,
    /// Share of steps over which the rate rises to its peak, from which it falls to 0; below 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "SHARE", default_value_t = Settings::default().warmup))]
    pub warmup: f64,
    /// Decoupled weight decay, not on biases and normalisation
    #[cfg_attr(feature = "cli", arg(long, value_name = "W", default_value_t = Settings::default().weight_decay))]
    pub weight_decay: f64,
    /// Largest norm of a step's gradient; a larger one is scaled down
    #[cfg_attr(feature = "cli", arg(long, value_name = "NORM", default_value_t = Settings::default().clip))]
    pub clip: f64,
    /// A layer's rate as a factor of the rate of the layer above it, up to 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "FACTOR", default_value_t = Settings::default().layer_decay))]
    pub layer_decay: f64,
    /// Share of pairs held out, between 0 and 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "SHARE", default_value_t = Settings::default().validation))]
    pub validation: f64,
    /// Looks at the held-out pairs per epoch; the best of them is kept
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Settings::default().evaluations))]
    pub evaluations: u32,
    /// Stop after so many looks that were no better
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Settings::default().patience))]
    pub patience: u32,
    /// Learn also from references with errors put in, as a share of the items
    #[cfg_attr(feature = "cli", arg(long, value_name = "SHARE", default_value_t = Settings::default().synthetic))]
    pub synthetic: f64,
    /// Use about N pairs of each data set, as whole items at random [default: all]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N"))]
    pub max_pairs: Option<u64>,
    /// Store the trained matrices in eight bits, a quarter of the size; also once training is over
    #[cfg_attr(feature = "cli", arg(long, value_enum, value_name = "PRECISION"))]
    pub quantise: Option<Quantisation>,
    /// Add a metric to the network (pointwise or matching head) where there are references; its weight is fitted on the
    /// held-out pairs
    #[cfg_attr(feature = "cli", arg(long, value_name = "METRIC"))]
    pub beside: Option<String>,
    /// Add a metric where there are no references: one that needs none, such as length:log=true
    #[cfg_attr(feature = "cli", arg(long, value_name = "METRIC"))]
    pub beside_unreferenced: Option<String>,
    /// Calibrate preferences on the held-out pairs; also once training is over
    #[cfg_attr(feature = "cli", arg(long, value_name = "temperature|isotonic", num_args = 0..=1, default_missing_value = "temperature"))]
    pub calibrate: Option<CalibrationMethod>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            head: Head::Pointwise,
            ties: Ties::Half,
            template: None,
            max_length: 256,
            epochs: 4,
            batch_size: 128,
            learning_rate: 1e-5,
            warmup: 0.1,
            weight_decay: 0.01,
            clip: 1.0,
            layer_decay: 1.0,
            validation: 0.1,
            evaluations: 2,
            patience: 4,
            synthetic: 0.0,
            max_pairs: None,
            quantise: None,
            beside: None,
            beside_unreferenced: None,
            calibrate: None,
        }
    }
}

impl Settings {
    /// The output of the model that is trained.
    #[cfg(feature = "neural")]
    pub fn output(&self) -> Output {
        match (self.head, self.ties) {
            (Head::Matching, _) => Output::Match,
            (_, Ties::Half | Ties::Drop) => Output::Logits(1),
            (_, Ties::Class) => Output::Logits(3),
        }
    }

    /// Refuses values that cannot be trained with.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the first of them.
    pub fn check(&self) -> Result<()> {
        self.check_counts()?;
        self.check_numbers()?;
        if self.head != Head::Pairwise && self.ties == Ties::Class {
            let what = "ties = class is for the pairwise head: a score of one output has no class for ties";
            return Err(Error::usage(what).with_hint("ties = half, or head = pairwise"));
        }
        let beside = ReferenceAvailability::ALL
            .into_iter()
            .find(|&at| self.metric(at).is_some());
        if self.head == Head::Pairwise
            && let Some(ground) = beside
        {
            let key = ground.key();
            let what = format!(
                "{key} is for a head that scores one output: to its score that of a metric is added"
            );
            return Err(
                Error::usage(what).with_hint("leave it out, or head = pointwise or matching")
            );
        }
        Ok(())
    }

    /// Checks that the metrics added to the network can be made.
    ///
    /// # Errors
    /// [`Error::Key`] for one that cannot.
    #[cfg(feature = "neural")]
    pub fn check_metrics(&self, env: &Env) -> Result<()> {
        for ground in ReferenceAvailability::ALL {
            if let Some(metric) = self.metric(ground) {
                let described = MetricTermSettings::new(metric, 1.0);
                MetricTerm::new(&described, ground, env).map_err(Error::of_key(ground.key()))?;
            }
        }
        Ok(())
    }

    /// The metric added to the network for some outputs.
    pub fn metric(&self, ground: ReferenceAvailability) -> Option<&str> {
        match ground {
            ReferenceAvailability::Referenced => self.beside.as_deref(),
            ReferenceAvailability::Unreferenced => self.beside_unreferenced.as_deref(),
        }
    }

    fn check_counts(&self) -> Result<()> {
        let counts = [
            ("epochs", u64::from(self.epochs), MOST_EPOCHS),
            ("batch-size", self.batch_size as u64, MOST_PAIRS),
            ("max-length", self.max_length as u64, u64::MAX),
            ("evaluations", u64::from(self.evaluations), u64::MAX),
            ("patience", u64::from(self.patience), u64::MAX),
            ("max-pairs", self.max_pairs.unwrap_or(1), u64::MAX),
        ];
        let fits = |&(_, count, most): &(_, u64, u64)| count > 0 && count <= most;
        match counts.into_iter().find(|count| !fits(count)) {
            None => Ok(()),
            Some((key, count, u64::MAX)) => Err(Error::usage(format!(
                "{key} is {count}, expected at least 1"
            ))),
            Some((key, count, most)) => {
                let what = format!("{key} is {count}, expected 1 to {most}");
                Err(Error::usage(what))
            }
        }
    }

    fn check_numbers(&self) -> Result<()> {
        let (least, most, below_1) = (f64::MIN_POSITIVE, f64::MAX, 1.0_f64.next_down());
        let numbers = [
            (
                "learning-rate",
                self.learning_rate,
                least..=most,
                "a number above 0",
            ),
            ("clip", self.clip, least..=most, "a number above 0"),
            ("weight-decay", self.weight_decay, 0.0..=most, "at least 0"),
            (
                "layer-decay",
                self.layer_decay,
                least..=1.0,
                "above 0 and at most 1",
            ),
            (
                "synthetic",
                self.synthetic,
                0.0..=1.0,
                "a share between 0 and 1",
            ),
            (
                "warmup",
                self.warmup,
                0.0..=below_1,
                "a share, at least 0 and below 1",
            ),
            (
                "validation",
                self.validation,
                least..=below_1,
                "a share between 0 and 1",
            ),
        ];
        match numbers.iter().find(|(_, x, range, _)| !range.contains(x)) {
            None => Ok(()),
            Some((key, x, _, expected)) => {
                Err(Error::usage(format!("{key} is {x}, expected {expected}")))
            }
        }
    }
}
