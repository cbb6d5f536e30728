//! Bradley-Terry-Luce: a preference in proportion to the scores above a floor.
//!
//! Source: Mohankumar and Khapra, "Active Evaluation", ACL 2022 (BTL), after Bradley
//! and Terry 1952 and Luce 1979: p = g1 / (g1 + g2) with g = max(f − m, 0).
//!
//! Parameters: `floor`, m, the smallest score among the pairs it was fitted on. Outcomes are not
//! looked at.
//!
//! Deviations: the paper prints the *largest* score as m, which would make every g negative, and
//! its code takes the larger of the smallest first and the smallest second score, which depends on
//! the order within pairs; the smallest overall is meant. Two scores at or below the floor give ½
//! (the code gives 0 in both orders).

use super::{BuildLink, LabelledScorePair, Link, Parameters, no_differences, no_pairs};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, NoParameters, parameters};

pub(super) const ENTRY: Entry<BuildLink> = Entry {
    name: "btl",
    summary: "Bradley-Terry-Luce on the scores above a floor",
    cite: "Mohankumar and Khapra, ACL 2022",
    parameters: parameters::<NoParameters>,
    build: BuildLink {
        fit,
        needs_outcomes: false,
        restore,
    },
};

const FLOOR: &str = "floor";

struct Btl {
    floor: f64,
}

fn fit(pairs: &[LabelledScorePair]) -> Result<Box<dyn Link>> {
    let floor = pairs
        .iter()
        .map(|pair| pair.first.min(pair.second))
        .reduce(f64::min)
        .ok_or_else(|| no_pairs(ENTRY.name))?;
    if pairs.iter().all(|pair| pair.first == pair.second) {
        return Err(no_differences(ENTRY.name));
    }
    Ok(Box::new(Btl { floor }))
}

fn restore(stored: &Parameters) -> Result<Box<dyn Link>> {
    let floor = stored.only(FLOOR)?;
    Ok(Box::new(Btl { floor }))
}

impl Btl {
    /// Half the score above the floor: halving first keeps any two finite scores from overflowing,
    /// and the ratio does not notice.
    fn strength(&self, score: f64) -> f64 {
        (score / 2.0 - self.floor / 2.0).max(0.0)
    }
}

impl Link for Btl {
    fn favour(&self, higher: f64, lower: f64) -> f64 {
        let strong = self.strength(higher);
        if strong == 0.0 {
            return 0.5;
        }
        1.0 / (1.0 + self.strength(lower) / strong)
    }

    fn parameters(&self) -> Parameters {
        Parameters::single_parameter(FLOOR, self.floor)
    }
}
