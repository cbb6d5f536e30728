//! Tests whether the items that one of two systems has alone are judged as those that both have.
//!
//! A difference of two means is about the systems only where chance decided which items a system has. Where one was judged
//! on harder items too, two systems that are equal on every item seem to differ, however many judgments there are.
//!
//! Welch's t test of the items' means, for each of the two systems, with Bonferroni's correction over both and all pairs.
//! Outputs that were chosen with known probabilities or in strata are not tested: there the design says what chance did.

use super::Contender;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::special::student_t_above;

/// The probability that items of any pair stand out where chance chose them.
const LEVEL: f64 = 0.01;

/// The fewest items of either kind that are tested.
const LEAST: u64 = 10;

/// Items that one of two systems has alone and that are judged unlike those of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnlikeItems {
    /// The system's place in the dealing.
    pub system: usize,
    /// The number of items that it has alone.
    pub alone: u64,
    /// Its mean on these.
    pub mean_alone: f64,
    /// Its mean on those of both.
    pub mean_shared: f64,
}

/// Returns the items of a system that stand out, of one of `pairs` pairs.
pub(super) fn stands_out(one: &Contender, other: &Contender, pairs: usize) -> Option<UnlikeItems> {
    let level = LEVEL / (2 * pairs) as f64;
    let tested = |of: &Contender, beside: &Contender| {
        let (mut shared, mut alone) = (Moments::default(), Moments::default());
        for (item, (mean, _)) in &of.items {
            match beside.items.contains_key(item) {
                true => shared.push(*mean),
                false => alone.push(*mean),
            }
        }
        let is_enough = of.unseen.is_none() && shared.count().min(alone.count()) >= LEAST;
        (is_enough && p_value(&shared, &alone)? < level).then_some(UnlikeItems {
            system: of.place,
            alone: alone.count(),
            mean_alone: alone.mean()?,
            mean_shared: shared.mean()?,
        })
    };
    tested(one, other).or_else(|| tested(other, one))
}

/// The two-sided p-value of equal means; `None` where nothing varies.
fn p_value(one: &Moments, other: &Moments) -> Option<f64> {
    let part = |of: &Moments| Some(of.sample_variance()? / of.count() as f64);
    let (a, b) = (part(one)?, part(other)?);
    let apart = (one.mean()? - other.mean()?).abs();
    if a + b == 0.0 {
        return (apart > 0.0).then_some(0.0);
    }
    let degrees = |part: f64, of: &Moments| part * part / (of.count() - 1) as f64;
    let df = (a + b).powi(2) / (degrees(a, one) + degrees(b, other));
    Some(2.0 * student_t_above(apart / (a + b).sqrt(), df))
}
