//! From two scores to a preference.
//!
//! A link is one file with an `ENTRY`, plus its two lines below.

use std::collections::BTreeMap;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::Entry;

mod btl;
mod btl_logistic;
mod linear;

pub(super) use btl_logistic::fitted_scale;

/// Two scores of the same item and the outcome of the first. Scores are finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelledScorePair {
    /// The score of the first output.
    pub first: f64,
    /// The score of the second output.
    pub second: f64,
    /// The outcome of the first, by people.
    pub outcome: Outcome,
}

/// A link, which turns two scores into a preference.
pub trait Link: Send + Sync {
    /// The preference for the higher of two finite scores over the lower one, in [½, 1].
    fn favour(&self, higher: f64, lower: f64) -> f64;

    /// The fitted parameters, by name, as stored in a calibration.
    fn parameters(&self) -> Parameters;

    /// The preference for the first of two finite scores, in [0, 1]. Equal scores give ½, and
    /// `preference(a, b) + preference(b, a)` is 1 to the last bit: one minus a number in [½, 1]
    /// is exact.
    fn preference(&self, first: f64, second: f64) -> f64 {
        if first > second {
            self.favour(first, second)
        } else if first < second {
            1.0 - self.favour(second, first)
        } else {
            0.5
        }
    }
}

/// The constructors of a link.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BuildLink {
    /// Fits the link's parameters to labelled pairs of scores. Pairs and their mirror images count
    /// alike, so the order within a pair does not matter.
    ///
    /// # Errors
    /// When the pairs say nothing about a parameter: there are none, or no scores differ.
    pub fit: fn(&[LabelledScorePair]) -> Result<Box<dyn Link>>,
    /// Whether fitting looks at the outcomes. Where it does not, any pairs of scores will do.
    pub needs_outcomes: bool,
    /// Rebuilds a fitted link from its stored parameters.
    ///
    /// # Errors
    /// If one is missing or out of its domain.
    pub restore: fn(&Parameters) -> Result<Box<dyn Link>>,
}

/// All links.
pub const LINKS: &[Entry<BuildLink>] = &[linear::ENTRY, btl::ENTRY, btl_logistic::ENTRY];

/// Fitted parameters, by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters(pub BTreeMap<String, f64>);

impl Parameters {
    fn single_parameter(name: &str, value: f64) -> Self {
        Self(BTreeMap::from([(name.to_string(), value)]))
    }

    /// The only parameter, which must be finite.
    fn only(&self, name: &str) -> Result<f64> {
        if let Some(unknown) = self.0.keys().find(|key| *key != name) {
            let what = format!("unknown parameter `{unknown}`, expected `{name}`");
            return Err(Error::usage(what));
        }
        match self.0.get(name) {
            Some(value) if value.is_finite() => Ok(*value),
            Some(value) => {
                let what = format!("parameter `{name}` is {value}, expected a finite number");
                Err(Error::usage(what))
            }
            None => Err(Error::usage(format!("parameter `{name}` is missing"))),
        }
    }

    /// The only parameter, which must be positive.
    fn only_positive(&self, name: &str) -> Result<f64> {
        let value = self.only(name)?;
        if value > 0.0 {
            return Ok(value);
        }
        let what = format!("parameter `{name}` is {value}, expected a positive number");
        Err(Error::usage(what))
    }
}

/// The error of the link of that name without pairs to fit to.
fn no_pairs(link: &str) -> Error {
    Error::usage(format!(
        "link {link}: no labelled pairs of scores to fit to"
    ))
    .with_hint("it needs `comparisons` of outputs that have scores")
}

/// The error of the link of that name without differences to learn a scale from.
fn no_differences(link: &str) -> Error {
    let what = format!("link {link}: every pair has two equal scores, so there is no scale to fit");
    Error::usage(what).with_hint("a metric that never differs cannot prefer anything")
}
