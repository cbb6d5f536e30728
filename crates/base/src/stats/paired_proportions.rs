//! The exact interval of a difference of paired proportions, and the exact test of it: of items on which one of two
//! systems succeeds, and of those on which the other does.
//!
//! Of n items the first system alone succeeds on b, the second alone on c; with probabilities p and q the difference is
//! δ = p − q. For each δ outcomes are ordered by Tango's score Z(b, c; δ) (Statistics in Medicine 1998), and the p-value is the
//! probability of an outcome at least as extreme, at its largest over the unknown q (Chan and Zhang, Biometrics 1999; Hsueh,
//! Liu and Chen, Biometrics 2001). Z rises with b and falls with c. So that probability rises with p and falls with q,
//! whence
//!
//! * a test of δ holds for every smaller difference, and tests are needed on a grid of δ only: the p-value of any δ is the
//!   largest of those up to the next place of the grid;
//! * between q₁ and q₂ it is at most that of q₂ + δ and q₁: no maximum is missed between places of q. What this adds is as
//!   though δ were larger by q₂ − q₁, at most one twentieth of the standard deviation of c/n.
//!
//! Values of q under which the observed c is very improbable are left out, and their probability is added to the p-value
//! (Berger and Boos, JASA 1994). From a difference of 0 on the p-value is at least that of McNemar's exact test: at 0 it is
//! that, but for few outcomes of a small p-value and some of one above .1.

use super::binomial::at_least;
use super::numeric::root;
use super::special::ln_beta;

/// How improbable the values of q are that are left out, on both sides, with all that is cut off sums.
const RARE: f64 = 1e-14;

/// Places of the grid of differences from 0 to 1, for each of n items and at least.
const PLACES: [u64; 2] = [4, 2000];

/// The steps of √(nq): for each √n of few items, over √n of many, and the least. A step of q is twice as many standard
/// deviations of c/n; with many items it must not be seen beside what McNemar's test leaves over, which is one over their root.
const STEPS: [f64; 3] = [0.002, 0.2, 0.003];

/// How far beyond its place a test is made, so that rounding decides nothing.
const NUDGE: f64 = 1e-12;

/// The logarithm of what is cut off a sum at either end.
const LN_CUT: f64 = 39.0;

/// How items differ between two systems, each of which succeeds or fails on every item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairedCounts {
    /// The items on which the first alone succeeds.
    pub only_first: u64,
    /// The items on which the second alone succeeds.
    pub only_second: u64,
    /// All items, at least one.
    pub n: u64,
}

impl PairedCounts {
    /// The difference of the shares of successes, first less second.
    pub fn difference(&self) -> f64 {
        (self.only_first as f64 - self.only_second as f64) / self.n as f64
    }

    /// The one-sided p-value of the hypothesis that the difference is `delta` or less; above 1/2 it is 1.
    pub fn p_above(&self, delta: f64) -> f64 {
        UpwardTest::new(self).p_value(delta)
    }

    /// The one-sided p-value of the hypothesis that the difference is `delta` or more; above 1/2 it is 1.
    pub fn p_below(&self, delta: f64) -> f64 {
        self.swapped().p_above(-delta)
    }

    /// The ends of the interval, each of which is missed with probability `level` at most; 0 < level < 1/2.
    pub fn ends(&self, level: f64) -> (f64, f64) {
        let lower = |counts: &Self| UpwardTest::new(counts).lower_end(level);
        (lower(self), -lower(&self.swapped()))
    }

    fn swapped(&self) -> Self {
        Self {
            only_first: self.only_second,
            only_second: self.only_first,
            n: self.n,
        }
    }

    /// Tango's score: the difference less `delta`, in standard errors where `delta` is true.
    fn score(b: f64, c: f64, n: f64, delta: f64) -> f64 {
        // The likeliest q under δ solves 2n q² + linear q + constant = 0.
        let linear = (2.0 * n - b + c) * delta - b - c;
        let constant = -c * delta * (1.0 - delta);
        let root = (linear * linear - 8.0 * n * constant).max(0.0).sqrt();
        let q = match linear > 0.0 {
            true => -2.0 * constant / (linear + root),
            false => (root - linear) / (4.0 * n),
        };
        let distance = b - c - n * delta;
        let variance = n * (2.0 * q + delta * (1.0 - delta));
        if distance == 0.0 {
            0.0
        } else {
            distance / variance.sqrt()
        }
    }
}

/// The tests of differences up to any, on a grid from −1 (place −`most`) to 1.
struct UpwardTest {
    counts: PairedCounts,
    most: i64,
    /// The step of √(nq) from place to place.
    step: f64,
    /// The places of q where c is not rare.
    cells: (u64, u64),
    /// The rows of outcomes, by c, that matter there.
    rows: (u64, u64),
    mcnemar: f64,
}

impl UpwardTest {
    fn new(counts: &PairedCounts) -> Self {
        let PairedCounts {
            only_first: b,
            only_second: c,
            n,
        } = *counts;
        let rare = |tail: &dyn Fn(f64) -> f64| {
            root(0.0, 1.0, |q| (tail(q).max(1e-300) / (0.2 * RARE)).ln())
        };
        let low = if c > 0 {
            rare(&|q| at_least(c, n, q))
        } else {
            0.0
        };
        let high = if c < n {
            rare(&|q| at_least(n - c, n, 1.0 - q))
        } else {
            1.0
        };
        let of = |q: f64| (n as f64 * q + 0.25).sqrt() - 0.5;
        let root_n = (n as f64).sqrt();
        let [few, many, least] = STEPS;
        let step = (few * root_n).min(many / root_n).max(least);
        let cells = ((of(low) / step) as u64, (of(high) / step) as u64 + 1);
        let mut test = Self {
            counts: *counts,
            most: (PLACES[0] * n).max(PLACES[1]) as i64,
            step,
            cells,
            rows: (0, n),
            mcnemar: if b + c > 0 {
                at_least(b, b + c, 0.5)
            } else {
                1.0
            },
        };
        test.rows = (
            test.window(test.q(cells.0)).0,
            test.window(test.q(cells.1)).1,
        );
        test
    }

    /// A place of q, from 0.
    fn q(&self, place: u64) -> f64 {
        let y = 0.5 + self.step * place as f64;
        ((y * y - 0.25) / self.counts.n as f64).min(1.0)
    }

    /// The numbers of c outside of which its binomial distribution is negligible, by Bernstein's inequality.
    fn window(&self, q: f64) -> (u64, u64) {
        if q == 0.0 {
            return (0, 0);
        }
        let n = self.counts.n as f64;
        let mean = n * q;
        let up = LN_CUT / 3.0 + ((LN_CUT / 3.0).powi(2) + 2.0 * LN_CUT * mean * (1.0 - q)).sqrt();
        let down = (2.0 * LN_CUT * mean).sqrt();
        ((mean - down).max(0.0) as u64, (mean + up).min(n) as u64)
    }

    fn delta(&self, place: i64) -> f64 {
        place as f64 / self.most as f64 + NUDGE
    }

    /// The lower end: all differences up to it are excluded at a level.
    fn lower_end(&self, level: f64) -> f64 {
        match self.first_above(level, -self.most, self.most) {
            place if place - 1 <= -self.most => -1.0,
            place => self.delta(place - 1),
        }
    }

    fn p_value(&self, delta: f64) -> f64 {
        let place = ((delta - NUDGE) * self.most as f64).ceil() as i64;
        if place <= -self.most {
            return f64::from(u8::from(self.counts.only_second == self.counts.n));
        }
        if place >= self.most {
            return 1.0;
        }
        if self.exceeds(0.5, place, place) {
            return 1.0;
        }
        let mut p = self.at(place);
        if place >= 0 {
            p = p.max(self.mcnemar);
        }
        let mut from = -self.most;
        while p <= 0.5 {
            from = self.first_above(p, from, place);
            if from >= place {
                return p;
            }
            p = p.max(self.at(from));
        }
        1.0
    }

    /// The first place after `from` whose p-value exceeds a level; `to` where none before it does.
    fn first_above(&self, level: f64, from: i64, to: i64) -> i64 {
        if level < self.mcnemar && from < 0 && to > 0 {
            return self.first_above(level, from, 0);
        }
        let (mut at, mut step) = (from, (to - from) / 2);
        while at + 1 < to {
            step = step.clamp(1, to - 1 - at);
            match self.exceeds(level, at + 1, at + step) {
                false => at += step,
                true if step == 1 => return at + 1,
                true => step /= 2,
            }
        }
        to
    }

    /// Whether some p-value between two places may exceed a level; of one place, whether its own does.
    fn exceeds(&self, level: f64, first: i64, last: i64) -> bool {
        let region = self.region(first, last);
        region.largest(level - RARE, true) > level - RARE
    }

    /// The p-value of the test at one place; smaller ones than twice what is left out are not told apart.
    fn at(&self, place: i64) -> f64 {
        self.region(place, place).largest(RARE, false) + RARE
    }

    /// The outcomes at least as extreme at any difference between two places.
    fn region(&self, first: i64, last: i64) -> CriticalRegion<'_> {
        let PairedCounts {
            only_first,
            only_second,
            n,
        } = self.counts;
        let (low, high) = (self.delta(first), self.delta(last));
        let whole = n as f64;
        let least = PairedCounts::score(only_first as f64, only_second as f64, whole, high);
        let least = least - 1e-9 * least.abs().max(1.0);
        let inside = |b: u64, c: u64| PairedCounts::score(b as f64, c as f64, whole, low) >= least;
        let (bottom, top) = self.rows;
        let (mut few, mut enough) = (0, n - top + 1);
        while few < enough {
            let middle = few + (enough - few) / 2;
            match inside(middle, top) {
                true => enough = middle,
                false => few = middle + 1,
            }
        }
        let mut needed = enough;
        let mut rows = vec![needed];
        for c in (bottom..top).rev() {
            // An empty row has one more than there can be.
            if needed + c + 1 > n {
                needed = n - c + 1;
            }
            while needed > 0 && inside(needed - 1, c) {
                needed -= 1;
            }
            rows.push(needed);
        }
        rows.reverse();
        CriticalRegion {
            test: self,
            low,
            high,
            rows,
        }
    }
}

/// Outcomes with b at least a number that rises with c.
struct CriticalRegion<'a> {
    test: &'a UpwardTest,
    /// The differences between which it holds all that is as extreme as the observed outcome.
    low: f64,
    high: f64,
    /// The least b by c, from the test's first row on.
    rows: Vec<u64>,
}

impl CriticalRegion<'_> {
    /// The larger of `known` and the largest probability between the test's places of q; if `any`, one that is larger will do.
    fn largest(&self, known: f64, any: bool) -> f64 {
        let cells = self.test.cells;
        self.largest_of((self.bound(cells), cells), known, any)
    }

    fn largest_of(&self, (bound, (from, to)): (f64, (u64, u64)), known: f64, any: bool) -> f64 {
        if bound <= known || to - from == 1 {
            return bound.max(known);
        }
        let cut = |quarter: u64| from + (to - from) * quarter / 4;
        let quarters = (0..4).map(|at| (cut(at), cut(at + 1)));
        let quarters = quarters.filter(|(from, to)| from < to);
        let mut quarters: Vec<_> = quarters.map(|cells| (self.bound(cells), cells)).collect();
        // A large one that comes first spares others.
        quarters.sort_by(|a, b| b.0.total_cmp(&a.0));
        quarters
            .into_iter()
            .fold(known, |found, quarter| match any && found > known {
                true => found,
                false => self.largest_of(quarter, found, any),
            })
    }

    /// What the probability between two places of q is at most.
    fn bound(&self, (from, to): (u64, u64)) -> f64 {
        let [low, high] = [from, to].map(|place| self.test.q(place));
        if low > 0.5 * (1.0 - self.low) || high <= -self.high {
            return 0.0;
        }
        let q = low.max(-self.high);
        self.probability((high + self.high).min(1.0 - q), q)
    }

    /// The probability where the first system alone succeeds with probability p, the second alone with q.
    ///
    /// Summed over c from above: with b one less, or one item more to fall on, a tail of b's distribution only gains a term, so
    /// that no digits are lost.
    fn probability(&self, p: f64, q: f64) -> f64 {
        let n = self.test.counts.n;
        let (bottom, top) = self.test.rows;
        let (low, high) = self.test.window(q);
        let (low, high) = (low.max(bottom), high.min(top));
        let needed = |c: u64| self.rows[(c - bottom) as usize];
        let share = if q < 1.0 { p / (1.0 - q) } else { 0.0 };
        let starts = |c: u64| {
            let (left, k) = (n - c, needed(c));
            k <= left
                && (k as f64 <= left as f64 * share + 1.0
                    || ln_binomial(k - 1, left, share) > -300.0)
        };
        let Some(start) = (low..=high).rev().find(|&c| starts(c)) else {
            return 0.0;
        };
        let (mut k, mut left) = (needed(start), n - start);
        let mut tail = at_least(k, left, share);
        // The probability of b = k − 1.
        let mut next = if k > 0 {
            ln_binomial(k - 1, left, share).exp()
        } else {
            0.0
        };
        let mut chance = ln_binomial(start, n, q).exp();
        let mut sum = chance * tail;
        let odds = (1.0 - share) / share;
        for c in (low..start).rev() {
            chance *= (c + 1) as f64 / (n - c) as f64 * ((1.0 - q) / q);
            left += 1;
            if share < 1.0 {
                tail += share * next;
                next *= left as f64 / (left + 1 - k) as f64 * (1.0 - share);
                while k > needed(c) {
                    tail += next;
                    k -= 1;
                    next *= k as f64 / (left - k + 1) as f64 * odds;
                }
            }
            sum += chance * tail;
        }
        sum.min(1.0)
    }
}

/// The logarithm of the probability of k successes of n.
fn ln_binomial(k: u64, n: u64, p: f64) -> f64 {
    let (k, left) = (k as f64, (n - k) as f64);
    let power = |times: f64, ln: f64| if times > 0.0 { times * ln } else { 0.0 };
    power(k, p.ln()) + power(left, (-p).ln_1p()) - (n as f64).ln_1p() - ln_beta(k + 1.0, left + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(only_first: u64, only_second: u64, n: u64) -> PairedCounts {
        PairedCounts {
            only_first,
            only_second,
            n,
        }
    }

    fn outcomes(n: u64) -> impl Iterator<Item = PairedCounts> {
        (0..=n).flat_map(move |b| (0..=n - b).map(move |c| counts(b, c, n)))
    }

    fn score(one: &PairedCounts, delta: f64) -> f64 {
        PairedCounts::score(
            one.only_first as f64,
            one.only_second as f64,
            one.n as f64,
            delta,
        )
    }

    #[test]
    fn the_score_rises_with_gains_and_falls_with_losses_and_the_difference() {
        for n in [1, 2, 5, 13] {
            for one in outcomes(n) {
                for step in -99..100 {
                    let delta = f64::from(step) / 100.0 + 1e-7;
                    let here = score(&one, delta) - 1e-9;
                    assert!(score(&one, delta - 0.01) >= here, "{one:?} {delta}");
                    let (b, c) = (one.only_first, one.only_second);
                    if b + c < n {
                        assert!(
                            score(&counts(b + 1, c, n), delta) >= here,
                            "{one:?} {delta}"
                        );
                    }
                    if c > 0 {
                        assert!(
                            score(&counts(b, c - 1, n), delta) >= here,
                            "{one:?} {delta}"
                        );
                    }
                }
            }
        }
    }

    /// The largest probability of an outcome that is at least as extreme at `delta`, over a fine grid of q, summed over all
    /// outcomes, where the difference is `truth`.
    fn slowly(one: &PairedCounts, delta: f64, truth: f64) -> f64 {
        let extreme: Vec<_> = outcomes(one.n)
            .filter(|other| score(other, delta) >= score(one, delta) - 1e-9)
            .collect();
        let probability = |q: f64| -> f64 {
            let p = q + truth;
            let chance = |other: &&PairedCounts| {
                let (b, c, n) = (other.only_first, other.only_second, other.n);
                let powers = p.powi(b as i32)
                    * q.powi(c as i32)
                    * (1.0 - p - q).max(0.0).powi((n - b - c) as i32);
                let ways = |n: u64, k: u64| {
                    (0..k)
                        .map(|at| (n - at) as f64 / (at + 1) as f64)
                        .product::<f64>()
                };
                ways(n, b) * ways(n - b, c) * powers
            };
            extreme.iter().map(|other| chance(&other)).sum()
        };
        let test = UpwardTest::new(one);
        let [least, most] = [test.cells.0, test.cells.1].map(|place| test.q(place));
        let least = least.max(-truth);
        let most = most.min(0.5 * (1.0 - truth));
        let places = (0..=400).map(|at| least + (most - least) * f64::from(at) / 400.0);
        places
            .filter(|&q| q <= most)
            .map(probability)
            .fold(0.0, f64::max)
    }

    #[test]
    fn a_test_is_the_largest_sum_and_little_more() {
        for n in [1, 4, 9] {
            for one in outcomes(n) {
                let test = UpwardTest::new(&one);
                for share in [-0.9, -0.5, -0.125, 0.0, 0.25, 0.6] {
                    let place = (share * test.most as f64) as i64;
                    let delta = test.delta(place);
                    let shift = 2.0 * test.step / (n as f64).sqrt() + test.step / n as f64;
                    let (quick, slow) = (test.at(place), slowly(&one, delta, delta));
                    let slack = 1e-4 + slowly(&one, delta, delta + shift) - slow;
                    assert!(
                        quick > slow - 1e-12 && quick <= slow + slack,
                        "{one:?} {share}: {quick} {slow} {slack}"
                    );
                }
            }
        }
    }

    #[test]
    fn ends_and_p_values_are_one_test() {
        for one in outcomes(9).chain([counts(30, 15, 300), counts(0, 12, 100)]) {
            for level in [0.05, 0.025, 0.0005] {
                let (lower, upper) = one.ends(level);
                for x in [
                    -0.8,
                    -0.3,
                    -0.05,
                    0.0,
                    0.02,
                    0.3,
                    0.8,
                    lower + 1e-9,
                    lower - 1e-9,
                ] {
                    if x < -1.0 {
                        continue;
                    }
                    assert_eq!(
                        lower > x,
                        one.p_above(x) <= level,
                        "{one:?} {level}: {x}, {lower}"
                    );
                    assert_eq!(
                        upper < x,
                        one.p_below(x) <= level,
                        "{one:?} {level}: {x}, {upper}"
                    );
                }
            }
        }
    }

    #[test]
    fn more_gains_or_fewer_losses_never_raise_a_p_value() {
        let grid = |n: u64, step: u64| {
            outcomes(n).filter(move |one| one.only_first % step == 0 && one.only_second % step == 0)
        };
        for one in grid(9, 1).chain(grid(70, 14)) {
            let (b, c, n) = (one.only_first, one.only_second, one.n);
            for delta in [-0.4, -0.1, 0.0, 0.15] {
                let p = one.p_above(delta) * (1.0 + 1e-9);
                if b + c < n {
                    assert!(counts(b + 1, c, n).p_above(delta) <= p, "{one:?} {delta}");
                }
                if c > 0 {
                    assert!(counts(b, c - 1, n).p_above(delta) <= p, "{one:?} {delta}");
                }
            }
        }
    }

    #[test]
    fn at_no_difference_it_is_mcnemars_test_or_slightly_more() {
        let mut other = 0;
        for one in outcomes(40) {
            let (b, m) = (one.only_first, one.only_first + one.only_second);
            let exact = if m > 0 { at_least(b, m, 0.5) } else { 1.0 };
            let p = one.p_above(0.0);
            assert!(p >= exact, "{one:?}: {p} {exact}");
            if (1e-4..0.1).contains(&exact) {
                other += u64::from(p > exact);
                assert!(p < 1.5 * exact, "{one:?}: {p} {exact}");
            }
        }
        assert!(other <= 9, "{other}");
        for (b, c, n) in [(150, 101, 258), (560, 480, 5000), (630, 740, 14_000)] {
            let exact = at_least(b.max(c), b + c, 0.5);
            let counts = counts(b, c, n);
            assert_eq!(
                counts.p_above(0.0).min(counts.p_below(0.0)),
                exact,
                "{counts:?}"
            );
        }
    }

    #[test]
    fn ends_by_hand_and_mirrored() {
        let (lower, upper) = counts(8, 3, 50).ends(0.025);
        assert_eq!(counts(3, 8, 50).ends(0.025), (-upper, -lower));
        assert!(lower < 0.1 && 0.1 < upper);
        assert_eq!(counts(0, 4, 4).ends(0.025).0, -1.0);
        assert_eq!(counts(0, 4, 4).p_above(-1.0), 1.0);
        // One item that the first alone solves: 1 − p is missed with probability p.
        let (lower, upper) = counts(1, 0, 1).ends(0.025);
        assert!(lower <= 0.025 && upper >= 1.0 - 1e-9, "{lower} {upper}");
        // A p-value beyond all that is told apart, and few terms of many items.
        assert!(counts(1443, 630, 14_000).p_above(0.0) < 3e-14);
        let (lower, upper) = counts(0, 0, 1_000_000).ends(0.025);
        assert!(upper == -lower && upper < 4.1e-6, "{upper}");
    }
}
