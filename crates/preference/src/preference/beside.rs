//! Metrics beside a pointwise model: their scores, weighted, are added to the model's.
//!
//! A small encoder knows meaning but reads roughly; a lexical metric counts letters. The log-odds of `a` are then
//! v·(s(a) − s(b)) + w·(m(a) − m(b)), a Bradley-Terry model with two features. A metric has no dropout, so all spread
//! between draws is the model's. v is 1 unless the model is known to tell little there of what it has not learnt from.
//! One metric may stand where there are references, and another, that needs none, where there are none; neither applies
//! to the other's contests.

use super::Contest;
use super::direct::segment;
use super::distinct::Sides;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_encoders::descriptor::{MetricTermSettings, ModelDescriptor, ReferenceAvailability};
use tiebreak_metrics::env::Env;
use tiebreak_metrics::metrics::{METRICS, Metric, Segment};

/// A metric with its weight, in log-odds per point of the metric.
pub(super) struct MetricTerm {
    metric: Box<dyn Metric>,
    weight: f64,
    /// v, the factor of the network's log-odds.
    network: f64,
    ground: ReferenceAvailability,
}

impl MetricTerm {
    /// Builds the metric that a descriptor names.
    ///
    /// # Errors
    /// An unknown metric or parameter; one that needs the whole data set, or references where there
    /// are none; a weight that is not finite; a network that counts for less than nothing.
    pub(super) fn new(
        described: &MetricTermSettings,
        ground: ReferenceAvailability,
        env: &Env,
    ) -> Result<Self> {
        let MetricTermSettings {
            metric,
            weight,
            network,
        } = described;
        let network = network.unwrap_or(1.0);
        let (name, params) = Params::parse(metric)?;
        let metric = (find_entry("metric", METRICS, &name)?.build.build)(&params, env)?;
        if metric.needs_corpus() {
            let what =
                format!("{name} needs the whole data set, so it cannot be combined with a model");
            return Err(Error::usage(what));
        }
        if ground == ReferenceAvailability::Unreferenced && metric.needs_references() {
            let what = format!("{name} needs references, and some items have none");
            return Err(Error::usage(what).with_hint("`length` needs none"));
        }
        if !weight.is_finite() {
            let what = format!("weight is {weight}, expected a finite number");
            return Err(Error::usage(what));
        }
        if !network.is_finite() || network < 0.0 {
            let what = format!("network is {network}, expected a finite number, 0 or more");
            return Err(Error::usage(what));
        }
        Ok(Self {
            metric,
            weight: *weight,
            network,
            ground,
        })
    }

    /// Builds all metrics that a descriptor names.
    pub(super) fn all(descriptor: &ModelDescriptor, env: &Env) -> Result<Vec<Self>> {
        let described =
            |ground: ReferenceAvailability| Some((ground.described(descriptor)?, ground));
        let all = ReferenceAvailability::ALL.into_iter().filter_map(described);
        all.map(|(described, ground)| Self::new(described, ground, env))
            .collect()
    }

    /// The key and value in signatures.
    pub(super) fn signature(&self) -> (&'static str, String) {
        let network = match self.network {
            1.0 => String::new(),
            counts => format!("{counts}*network+"),
        };
        let value = format!("{network}{}*[{}]", self.weight, self.metric.signature());
        (self.ground.key(), value)
    }

    /// The factor of the model's own log-odds of a contest.
    pub(super) fn counts(&self, contest: &Contest<'_>) -> f64 {
        match self.ground.has(contest.references) {
            true => self.network,
            false => 1.0,
        }
    }

    /// The metric's part in the log-odds of the first of two sides, for each contest; 0 for those it does not apply to.
    pub(super) fn log_odds(&self, sides: &Sides<'_>) -> Result<Vec<f64>> {
        let speaks = |side: &Contest<'_>| self.ground.has(side.references);
        let told = sides.all.iter().filter(|side| speaks(side));
        let told: Vec<Segment<'_>> = told.map(|side| segment(side, side.a)).collect();
        let mut scores = self.metric.score(&told)?.into_iter();
        let points: Vec<Option<f64>> = sides
            .all
            .iter()
            .map(|side| speaks(side).then(|| scores.next()).flatten())
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

    fn metric_term(metric: &str, weight: f64, ground: ReferenceAvailability) -> Result<MetricTerm> {
        MetricTerm::new(
            &MetricTermSettings::new(metric, weight),
            ground,
            &Env::default(),
        )
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
        let sides = Sides::from_contests(&contests);
        let chrf = |weight| metric_term("chrf", weight, ReferenceAvailability::Referenced).unwrap();
        let once = chrf(0.04).log_odds(&sides).unwrap();
        assert!(
            once[0] > 0.5,
            "chrF tells the two apart by dozens of points"
        );
        assert_eq!(once[1..], [0.0, -once[0], 0.0]);
        let twice = chrf(0.08).log_odds(&sides).unwrap();
        assert_eq!(twice[0], 2.0 * once[0]);
        let length = metric_term("length", 0.5, ReferenceAvailability::Unreferenced).unwrap();
        assert_eq!(length.log_odds(&sides).unwrap(), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn what_cannot_stand_beside_a_model_is_refused() {
        let refused = |metric, weight, ground| {
            let refused = metric_term(metric, weight, ground).err().unwrap();
            assert_eq!(refused.exit_code(), 2);
            refused.to_string()
        };
        let [with, without] = ReferenceAvailability::ALL;
        assert!(refused("chrr", 1.0, with).contains("chrr"));
        assert!(refused("cider", 1.0, with).contains("whole data set"));
        assert!(refused("chrf", f64::NAN, with).contains("finite"));
        assert!(refused("chrf", 1.0, without).contains("chrf needs references"));
        let negative = MetricTermSettings {
            network: Some(-0.1),
            ..MetricTermSettings::new("length", 1.0)
        };
        let refused = MetricTerm::new(&negative, without, &Env::default()).err();
        assert!(refused.unwrap().to_string().contains("0 or more"));
        assert!(metric_term("length", 1.0, with).is_ok());
    }
}
