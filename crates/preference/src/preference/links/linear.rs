//! A preference in proportion to the difference of the scores.
//!
//! Source: Mohankumar and Khapra, "Active Evaluation", ACL 2022 (linear):
//! p = ½ + clip((f1 − f2) / (2 D), −½, ½).
//!
//! Parameters: `range`, D, the largest difference of two scores of an item among the pairs it was
//! fitted on. Outcomes are not looked at.
//!
//! Deviations: none.

use super::{BuildLink, LabelledScorePair, Link, Parameters, no_differences, no_pairs};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, NoParameters, parameters};

pub(super) const ENTRY: Entry<BuildLink> = Entry {
    name: "linear",
    summary: "preference in proportion to the difference of scores",
    cite: "Mohankumar and Khapra, ACL 2022",
    parameters: parameters::<NoParameters>,
    build: BuildLink {
        fit,
        needs_outcomes: false,
        restore,
    },
};

const RANGE: &str = "range";

struct LinearLink {
    range: f64,
}

fn fit(pairs: &[LabelledScorePair]) -> Result<Box<dyn Link>> {
    let range = pairs
        .iter()
        .map(|pair| (pair.first - pair.second).abs())
        .reduce(f64::max)
        .ok_or_else(|| no_pairs(ENTRY.name))?;
    if range == 0.0 {
        return Err(no_differences(ENTRY.name));
    }
    if !range.is_finite() {
        let what = format!(
            "link {}: scores differ by more than f64 can hold",
            ENTRY.name
        );
        return Err(Error::usage(what));
    }
    Ok(Box::new(LinearLink { range }))
}

fn restore(stored: &Parameters) -> Result<Box<dyn Link>> {
    let range = stored.only_positive(RANGE)?;
    Ok(Box::new(LinearLink { range }))
}

impl Link for LinearLink {
    fn favour(&self, higher: f64, lower: f64) -> f64 {
        0.5 + ((higher - lower) / self.range / 2.0).min(0.5)
    }

    fn parameters(&self) -> Parameters {
        Parameters::single_parameter(RANGE, self.range)
    }
}
