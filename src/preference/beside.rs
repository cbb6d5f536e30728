//! A metric beside a pointwise model: its score, weighted, is added to the model's.
//!
//! A small encoder knows meaning but reads roughly; a lexical metric counts letters. The log-odds of
//! `a` are then (s(a) − s(b)) + w·(m(a) − m(b)), a Bradley-Terry model with two features. The metric
//! has no dropout, so all spread between draws is the model's. Without references it says nothing.

use super::direct::segment;
use super::distinct::Sides;
use crate::encoders::descriptor::Beside as Described;
use crate::env::Env;
use crate::error::{Error, Result};
use crate::metrics::{METRICS, Metric, Segment};
use crate::registry::{Params, find};

/// A metric with its weight, in log-odds per point of the metric.
pub(super) struct Beside {
    metric: Box<dyn Metric>,
    weight: f64,
}

impl Beside {
    /// Builds the metric that a descriptor names.
    ///
    /// # Errors
    /// An unknown metric or parameter; one that needs the whole data set; a weight that is not finite.
    pub fn new(described: &Described, env: &Env) -> Result<Self> {
        let Described { metric, weight } = described;
        let (name, params) = Params::parse(metric)?;
        let metric = (find("metric", METRICS, &name)?.build)(&params, env)?;
        if metric.needs_corpus() {
            let what =
                format!("{name} needs the whole data set, so it cannot stand beside a model");
            return Err(Error::usage(what));
        }
        match weight.is_finite() {
            true => Ok(Self {
                metric,
                weight: *weight,
            }),
            false => Err(Error::usage(format!(
                "weight is {weight}, expected a finite number"
            ))),
        }
    }

    /// As signatures write it.
    pub fn name(&self) -> String {
        format!("{}*[{}]", self.weight, self.metric.signature())
    }

    /// What it adds to the log-odds of the first of two sides, for each contest.
    ///
    /// # Errors
    /// As [`Metric::score`].
    pub fn log_odds(&self, sides: &Sides<'_>) -> Result<Vec<f64>> {
        let told = sides.all.iter().filter(|side| !side.references.is_empty());
        let told: Vec<Segment<'_>> = told.map(|side| segment(side, side.a)).collect();
        let mut scores = self.metric.score(&told)?.into_iter();
        let points: Vec<Option<f64>> = sides
            .all
            .iter()
            .map(|side| match side.references {
                [] => None,
                _ => scores.next(),
            })
            .collect();
        // Both sides of a contest have the same references.
        let added = |&(a, b): &(usize, usize)| match (points[a], points[b]) {
            (Some(a), Some(b)) => self.weight * (a - b),
            _ => 0.0,
        };
        Ok(sides.of.iter().map(added).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preference::Contest;

    fn beside(metric: &str, weight: f64) -> Result<Beside> {
        let metric = metric.to_string();
        Beside::new(&Described { metric, weight }, &Env::default())
    }

    #[test]
    fn the_weighted_difference_is_added_where_there_are_references() {
        let references = ["the cat sat on the mat".to_string()];
        let contest = |a, b, references| Contest {
            a,
            b,
            source: None,
            references,
        };
        let contests = [
            contest("the cat sat on a mat", "a dog stood there", &references[..]),
            contest("the cat sat on a mat", "a dog stood there", &[]),
            contest("a dog stood there", "the cat sat on a mat", &references[..]),
            contest("the cat", "the cat", &references[..]),
        ];
        let sides = Sides::of(&contests);
        let once = beside("chrf", 0.04).unwrap().log_odds(&sides).unwrap();
        assert!(
            once[0] > 0.5,
            "chrF tells the two apart by dozens of points"
        );
        assert_eq!(once[1..], [0.0, -once[0], 0.0]);
        let twice = beside("chrf", 0.08).unwrap().log_odds(&sides).unwrap();
        assert_eq!(twice[0], 2.0 * once[0]);
    }

    #[test]
    fn what_cannot_stand_beside_a_model_is_refused() {
        let refused = |metric, weight| beside(metric, weight).err().unwrap().to_string();
        assert!(refused("chrr", 1.0).contains("chrr"));
        assert!(refused("cider", 1.0).contains("whole data set"));
        assert!(refused("chrf", f64::NAN).contains("finite"));
    }
}
