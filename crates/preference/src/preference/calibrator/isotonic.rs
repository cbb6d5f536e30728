//! Any non-decreasing map, by isotonic regression on both orders of every comparison.
//!
//! Seen from the likelier side, the regression on both orders is that on [½, 1], held at ½ from
//! below. Between the blocks it is interpolated, so that preferences which differ mostly stay
//! different; at ½ it is ½. It never exceeds 1 − 1/(n + 2), as nobody can be certain after n
//! comparisons, those that count as the model says among them.

use super::AS_FORECAST;
use super::pooling::blocks;
use sha2::{Digest, Sha256};
use std::fmt;
use tiebreak_base::stats::forecast::Forecast;

/// A line between knots (preference, calibrated preference), both not falling, constant after the
/// last one.
#[derive(Debug, Clone, PartialEq)]
pub struct Isotonic {
    /// The knots from (½, ½) on, at least one more.
    knots: Vec<(f64, f64)>,
}

impl Isotonic {
    /// Makes the map; `None` unless the knots begin at (½, ½), the first numbers rise, the second
    /// do not fall, and all are at most 1.
    pub(super) fn new(knots: Vec<(f64, f64)>) -> Option<Self> {
        let rising = knots
            .windows(2)
            .all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1);
        let within = knots.iter().all(|&(x, y)| x <= 1.0 && y <= 1.0);
        let starts = knots.len() > 1 && knots[0] == (0.5, 0.5);
        (rising && within && starts).then_some(Self { knots })
    }

    /// Fits forecasts seen from the likelier side, at least one, none of exactly ½.
    pub(super) fn fit(folded: &[Forecast]) -> Self {
        let points: Vec<(f64, f64)> = folded.iter().map(|f| (f.p, f.outcome)).collect();
        let highest = 1.0 - 1.0 / (points.len() as f64 + AS_FORECAST + 2.0);
        let mut knots = vec![(0.5, 0.5)];
        for block in blocks(&points) {
            let y = block.y.clamp(0.5, highest);
            knots.push((block.lower, y));
            if block.upper > block.lower {
                knots.push((block.upper, y));
            }
        }
        Self { knots }
    }

    /// The knots, the first at (½, ½).
    pub(super) fn knots(&self) -> &[(f64, f64)] {
        &self.knots
    }

    pub(super) fn favour(&self, p: f64) -> f64 {
        let after = self.knots.partition_point(|knot| knot.0 < p);
        match (
            self.knots.get(after.saturating_sub(1)),
            self.knots.get(after),
        ) {
            (Some(&(x0, y0)), Some(&(x1, y1))) if x1 > x0 => {
                let share = (p - x0) / (x1 - x0);
                (y0 + share * (y1 - y0)).clamp(y0, y1)
            }
            (Some(&(_, y)), _) => y,
            _ => 0.5,
        }
    }
}

impl fmt::Display for Isotonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hash = Sha256::new();
        for (x, y) in &self.knots {
            hash.update(x.to_le_bytes());
            hash.update(y.to_le_bytes());
        }
        let digest = format!("{:x}", hash.finalize());
        write!(f, "isotonic={}", &digest[..16])
    }
}
