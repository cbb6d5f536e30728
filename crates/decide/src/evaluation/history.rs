//! The times at which each of many runs was right, in annotations or in their cost: what scoring needs of
//! the traces.

use super::active::RunTrace;
use tiebreak_base::cost::PIECES;
use tiebreak_base::duel::Arm;

/// The largest number of points of the accuracy curve.
const CURVE_POINTS: usize = 200;

/// The unit of counting, in whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComplexityUnit {
    /// Human annotations.
    Annotations,
    /// Seconds of people's time, rounded up.
    Seconds,
    /// The money paid for annotations, in [`PIECES`].
    Money,
}

impl ComplexityUnit {
    /// The amount spent at a change of leader.
    fn at(self, trace: &RunTrace, change: usize) -> u64 {
        let until = &trace.spent.until;
        // Stored traces omit only zeros.
        let spent = |until: &[f64]| until.get(change).copied().unwrap_or(0.0);
        match self {
            Self::Annotations => trace.leaders[change].0,
            Self::Seconds => spent(&until.seconds).ceil() as u64,
            Self::Money => (PIECES * spent(&until.price)).round() as u64,
        }
    }

    /// The amount in the usual unit.
    pub(super) fn amount(self, count: u64) -> f64 {
        match self {
            Self::Annotations | Self::Seconds => count as f64,
            Self::Money => count as f64 / PIECES,
        }
    }
}

/// A run that becomes right, or stops being right, at a count.
#[derive(Debug, Clone, Copy)]
struct CorrectnessChange {
    at: u64,
    run: usize,
    right: bool,
}

/// The changes of many runs between right and wrong.
pub(super) struct History {
    runs: usize,
    /// The changes, by count.
    changes: Vec<CorrectnessChange>,
    right_at_end: Vec<bool>,
}

impl History {
    pub(super) fn new(traces: &[RunTrace], truth: &[Arm], unit: ComplexityUnit) -> Self {
        let mut changes = Vec::new();
        let mut right_at_end = Vec::with_capacity(traces.len());
        for (run, trace) in traces.iter().enumerate() {
            let mut was_right = false;
            for (change, (_, leader)) in trace.leaders.iter().enumerate() {
                let right = truth.contains(leader);
                if right != was_right {
                    let at = unit.at(trace, change);
                    changes.push(CorrectnessChange { at, run, right });
                }
                was_right = right;
            }
            right_at_end.push(was_right);
        }
        changes.sort_by_key(|change| (change.at, change.run)); // stable: one run may change twice in a second
        Self {
            runs: traces.len(),
            changes,
            right_at_end,
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    /// AC of a resample in which run r occurs `weights[r]` times. Walks back from the end, so the
    /// cost is that of the changes after AC, not of all.
    pub(super) fn complexity(&self, weights: &[u32], level: f64) -> Option<u64> {
        let total: u32 = weights.iter().sum();
        let reached = |right: u32| f64::from(right) / f64::from(total) >= level;
        let mut right: u32 = weights
            .iter()
            .zip(&self.right_at_end)
            .map(|(&weight, &is_right)| if is_right { weight } else { 0 })
            .sum();
        if !reached(right) {
            return None;
        }
        let same_number = |a: &CorrectnessChange, b: &CorrectnessChange| a.at == b.at;
        for together in self.changes.chunk_by(same_number).rev() {
            for change in together {
                if change.right {
                    right -= weights[change.run];
                } else {
                    right += weights[change.run];
                }
            }
            if !reached(right) {
                return Some(together[0].at);
            }
        }
        Some(0)
    }

    /// The accuracy acc(n) from each n on where it changes, thinned to a readable number of points.
    pub(super) fn curve(&self) -> Vec<(u64, f64)> {
        thinned(self.all_points())
    }

    fn all_points(&self) -> Vec<(u64, f64)> {
        let mut right = 0_usize;
        let mut curve = vec![(0, 0.0)];
        for change in &self.changes {
            if change.right {
                right += 1;
            } else {
                right -= 1;
            }
            let point = (change.at, right as f64 / self.runs as f64);
            match curve.last_mut() {
                Some(last) if last.0 == change.at => *last = point,
                _ => curve.push(point),
            }
        }
        curve.dedup_by(|later, earlier| later.1 == earlier.1);
        curve
    }
}

/// Every point of a short curve; of a long one, evenly many of its points with both ends.
fn thinned(curve: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    if curve.len() <= CURVE_POINTS {
        return curve;
    }
    (0..CURVE_POINTS)
        .map(|point| curve[point * (curve.len() - 1) / (CURVE_POINTS - 1)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::active::Stop;
    use tiebreak_base::rng::{Rng, Seed};

    fn trace(leaders: &[(u64, u16)]) -> RunTrace {
        RunTrace {
            leaders: leaders.iter().map(|&(n, arm)| (n, Arm(arm))).collect(),
            annotations: 100,
            steps: 100,
            stop: Stop::Budget,
            ..RunTrace::new(Arm(0))
        }
    }

    /// The definition word for word: acc(n) for every n up to the budget.
    fn slow(traces: &[RunTrace], weights: &[u32], level: f64) -> Option<u64> {
        let right_at = |trace: &RunTrace, n: u64| {
            let leader = trace.leaders.iter().rev().find(|leader| leader.0 <= n);
            leader.unwrap().1 == Arm(0)
        };
        let total: u32 = weights.iter().sum();
        let accuracy = |n| {
            let weighted = traces.iter().zip(weights);
            let right: u32 = weighted
                .map(|(trace, &weight)| if right_at(trace, n) { weight } else { 0 })
                .sum();
            f64::from(right) / f64::from(total)
        };
        let bad = (0..=100).rev().find(|&n| accuracy(n) < level);
        match bad {
            None => Some(0),
            Some(100) => None,
            Some(n) => Some(n + 1),
        }
    }

    fn random_trace(rng: &mut Rng) -> RunTrace {
        let mut leaders = vec![(0, rng.below(3) as u16)];
        let mut n = 0;
        while n < 70 && rng.bernoulli(0.8) {
            n += 1 + rng.below(15) as u64;
            let leader = u16::from(rng.bernoulli(0.3));
            if leaders.last().unwrap().1 != leader {
                leaders.push((n, leader));
            }
        }
        trace(&leaders)
    }

    #[test]
    fn annotation_complexity_agrees_with_its_definition() {
        let mut rng = Seed(11).stream("test", 0);
        let (mut finite, mut never) = (0, 0);
        for _ in 0..300 {
            let traces: Vec<RunTrace> = (0..20).map(|_| random_trace(&mut rng)).collect();
            let mut weights = vec![0; 20];
            for _ in 0..20 {
                weights[rng.below(20)] += 1;
            }
            let history = History::new(&traces, &[Arm(0)], ComplexityUnit::Annotations);
            for level in [0.5, 0.75, 0.95] {
                let expected = slow(&traces, &weights, level);
                assert_eq!(history.complexity(&weights, level), expected);
                match expected {
                    Some(n) if n > 0 => finite += 1,
                    Some(_) => {}
                    None => never += 1,
                }
            }
        }
        assert!(finite > 50 && never > 50, "{finite} {never}");
    }

    #[test]
    fn a_long_curve_is_thinned_and_keeps_its_ends() {
        let leaders: Vec<(u64, u16)> = (0..1001).map(|n| (n, (n % 2) as u16)).collect();
        let curve =
            History::new(&[trace(&leaders)], &[Arm(0)], ComplexityUnit::Annotations).curve();
        assert_eq!(curve.len(), CURVE_POINTS);
        assert_eq!((curve[0], curve[CURVE_POINTS - 1]), ((0, 1.0), (1000, 1.0)));
    }
}
