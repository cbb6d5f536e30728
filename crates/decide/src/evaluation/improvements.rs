//! The bias of a metric: improvements that it does not see, and gains of its own that people do not share.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018, figure 1a: a system is changed item by item,
//! with the outputs that other systems made of the same item. *Unseen* improvements (▷ there) replace
//! outputs that the metric scores below its overall mean by others that people judge better, though
//! the metric scores them below its mean too; *hollow* ones (△) replace them by outputs that the
//! metric scores above its mean, whatever people say. Of several candidates people's least liked is
//! taken, so both are the most cautious choice. The paper says this in a caption only; details follow
//! the released code.
//!
//! Gains are in standard deviations of all outputs, people's of outputs' mean judgments. People's
//! gains from unseen improvements are optimistic where few people judged an output: it is chosen by
//! the judgments that then count.

use super::ratings::SystemRatings;
use crate::estimators::RatedOutput;
use tiebreak_base::stats::moments::JointMoments;

/// The way a system is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Better for people, still low for the metric.
    Unseen,
    /// High for the metric, whatever people say.
    Hollow,
}

/// The effect of a change on one item, in standard deviations of all outputs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Gain {
    /// The gain by people's judgments.
    pub human: f64,
    /// The gain by the metric.
    pub metric: f64,
    /// Whether there was an output to replace it with.
    pub changed: bool,
}

impl SystemRatings {
    /// The gains of each system at each of its items; the metric must be one where more is better.
    /// `None` where people's judgments or the metric do not vary.
    pub fn gains(&self, change: Change) -> Option<Vec<Vec<Option<Gain>>>> {
        let outputs = self.systems().iter().flatten().flatten();
        let all: JointMoments = outputs.map(|one| (one.mean, one.g)).collect();
        let low = all.y().mean()?;
        let deviations = [all.x(), all.y()].map(|of| of.sample_variance().unwrap_or(0.0).sqrt());
        let [people, metric] = deviations;
        if !(people > 0.0 && metric > 0.0) {
            return None;
        }
        let gain = |system: usize, item: usize| {
            let now = self.systems()[system][item]?;
            let Some(then) = replacement(self, system, item, change, low) else {
                return Some(Gain::default());
            };
            Some(Gain {
                human: (then.mean - now.mean) / people,
                metric: (then.g - now.g) / metric,
                changed: true,
            })
        };
        let of_system = |system: usize| (0..self.items()).map(|item| gain(system, item)).collect();
        Some((0..self.systems().len()).map(of_system).collect())
    }
}

/// The output that replaces a system's, if any.
fn replacement(
    ratings: &SystemRatings,
    system: usize,
    item: usize,
    change: Change,
    low: f64,
) -> Option<RatedOutput> {
    let now = ratings.systems()[system][item].filter(|now| now.g < low)?;
    let fits = |other: &RatedOutput| match change {
        Change::Unseen => other.g < low && other.mean > now.mean,
        Change::Hollow => other.g > low,
    };
    let others = ratings.systems().iter().enumerate();
    let others = others.filter(|&(place, _)| place != system);
    let candidates = others.filter_map(|(_, outputs)| outputs[item]).filter(fits);
    candidates.min_by(|a, b| a.mean.total_cmp(&b.mean).then(a.g.total_cmp(&b.g)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimators::{Judgments, ScoredJudgment};

    /// Two items, three systems; (judgment, metric).
    fn ratings() -> SystemRatings {
        let system = |rows: [(f64, f64); 2]| {
            let mut judged = Judgments::new(1);
            for ((y, g), item) in rows.into_iter().zip(0..) {
                judged.push(ScoredJudgment::new(item, y, &[g]));
            }
            judged
        };
        SystemRatings::new(&[
            system([(1.0, 0.0), (1.0, 0.9)]),
            system([(3.0, 0.1), (2.0, 0.8)]),
            system([(2.0, 0.2), (0.0, 1.0)]),
        ])
    }

    #[test]
    fn by_hand() {
        let ratings = ratings();
        let deviation = |values: [f64; 6]| {
            let mean = values.iter().sum::<f64>() / 6.0;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            (squares / 5.0).sqrt()
        };
        let people = deviation([1.0, 1.0, 3.0, 2.0, 2.0, 0.0]);
        let metric = deviation([0.0, 0.9, 0.1, 0.8, 0.2, 1.0]);
        let unseen = ratings.gains(Change::Unseen).unwrap();
        // The metric's mean is ½: item 0 is low for all. The least better output than 1 is 2.
        let gain = unseen[0][0].unwrap();
        assert!((gain.human - 1.0 / people).abs() < 1e-12);
        assert!((gain.metric - 0.2 / metric).abs() < 1e-12);
        assert!(gain.changed);
        assert_eq!(unseen[1][0], Some(Gain::default()), "nobody is better");
        assert_eq!(unseen[0][1], Some(Gain::default()), "the metric is high");
        let hollow = ratings.gains(Change::Hollow).unwrap();
        assert!(hollow.iter().flatten().flatten().all(|gain| !gain.changed));
    }

    #[test]
    fn without_variation_there_is_no_unit() {
        let same: Judgments = [ScoredJudgment::new(0, 1.0, &[0.5])].into_iter().collect();
        let ratings = SystemRatings::new(&[same.clone(), same]);
        assert_eq!(ratings.gains(Change::Hollow), None);
        assert_eq!(SystemRatings::new([]).gains(Change::Unseen), None);
    }
}
