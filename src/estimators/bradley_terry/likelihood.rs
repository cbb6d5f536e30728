//! The penalised likelihood of Davidson's model and its maximum, by Newton's method.
//!
//! With u = (θ_i − θ_j)/2, or where outputs differ in style by x, (θ_i − θ_j + Σ β x)/2, and η = ln ν the three answers have the logits u, η and −u, so the
//! logarithm of the likelihood is concave in (θ, η), and steps that are halved until they help
//! arrive.

use crate::duel::{Outcome, Pair};
use crate::stats::cholesky::Cholesky;
use crate::stats::log_odds::{ln_1p_exp, ln_sum_exp, logistic};
use std::collections::BTreeMap;

/// Steps; a dozen suffice.
const STEPS: usize = 200;

/// Where the gradient counts as 0, per comparison.
const TOLERANCE: f64 = 1e-12;

/// θ and after it β, and η.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    pub theta: Vec<f64>,
    pub eta: f64,
}

/// By how much each parameter enters 2u: 1 for the first of a pair, −1 for the second, and the differences of style
/// for theirs.
pub(super) type Design = Vec<(usize, f64)>;

/// That of a pair of `k` systems whose outputs differ in style so.
pub(super) fn design(pair: Pair, k: usize, style: &[f64]) -> Design {
    let systems = [(pair.first.index(), 1.0), (pair.second.index(), -1.0)];
    let style = style.iter().enumerate().map(|(at, x)| (k + at, *x));
    systems.into_iter().chain(style).collect()
}

/// The probabilities of a win, a tie and a loss of the first of a pair.
struct Probabilities {
    win: f64,
    tie: f64,
    loss: f64,
}

impl Parameters {
    fn logits(&self, design: &[(usize, f64)]) -> [f64; 3] {
        let terms = design.iter().map(|&(place, x)| x * self.theta[place]);
        let u = terms.sum::<f64>() / 2.0;
        [u, self.eta, -u]
    }

    fn probabilities(&self, design: &[(usize, f64)]) -> Probabilities {
        let logits = self.logits(design);
        let total = ln_sum_exp(logits.into_iter());
        let [win, tie, loss] = logits.map(|logit| (logit - total).exp());
        Probabilities { win, tie, loss }
    }

    /// Adds the derivative of the log-likelihood of one answer by (θ, η), in the rows of parameters.
    pub(super) fn add_score(
        &self,
        design: &[(usize, f64)],
        outcome: Outcome,
        rows: &Rows,
        score: &mut [f64],
    ) {
        let p = self.probabilities(design);
        let is = |wanted| f64::from(u8::from(outcome == wanted));
        let by_u = is(Outcome::Win) - is(Outcome::Loss) - (p.win - p.loss);
        for &(place, x) in design {
            score[rows.at(place)] += x * by_u / 2.0;
        }
        score[rows.number() - 1] += is(Outcome::Tie) - p.tie;
    }

    fn moved(&self, step: &[f64], by: f64) -> Self {
        let (theta, eta) = step.split_at(self.theta.len());
        let moved = self.theta.iter().zip(theta).map(|(x, dx)| x + by * dx);
        Self {
            theta: moved.collect(),
            eta: self.eta + by * eta[0],
        }
    }
}

/// The rows of parameters in matrices: those of systems that were compared, of β, and η's. What is said of thousands of
/// systems is mostly said of few, and θ of all others is 0.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// By parameter, its row.
    row: Vec<Option<usize>>,
    number: usize,
}

impl Rows {
    fn new(is_there: impl Iterator<Item = bool>) -> Self {
        let mut number = 0;
        let row = is_there.map(|there| {
            number += usize::from(there);
            there.then(|| number - 1)
        });
        let row = row.collect();
        Self { row, number }
    }

    /// How many there are.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// That of a parameter, if it has one.
    pub(super) fn find(&self, parameter: usize) -> Option<usize> {
        self.row[parameter]
    }

    /// What is said of parameters, by row.
    fn gathered(&self, parameters: &[f64]) -> Vec<f64> {
        let all = self.row.iter().zip(parameters);
        all.filter_map(|(row, value)| row.map(|_| *value)).collect()
    }

    /// The other way round; 0 for those without a row.
    fn spread(&self, by_row: &[f64]) -> Vec<f64> {
        let all = self.row.iter();
        all.map(|row| row.map_or(0.0, |row| by_row[row])).collect()
    }

    fn at(&self, parameter: usize) -> usize {
        self.row[parameter].expect("a system that was compared")
    }
}

/// How often each pair ended how, and the pairs that were compared.
pub(super) struct Counts {
    k: usize,
    /// θ and β.
    effects: usize,
    /// Wins of the first, ties and losses of each pair compared, indexed by `at`; with style of each comparison.
    pairs: Vec<(Design, [f64; 3])>,
    /// By i < j, the place in `pairs`.
    at: BTreeMap<[usize; 2], usize>,
    total: f64,
}

impl Counts {
    /// Of `k` systems, whose outputs may differ in so many ways.
    pub(super) fn new(k: usize, styles: usize) -> Self {
        Self {
            k,
            effects: k + styles,
            pairs: Vec::new(),
            at: BTreeMap::new(),
            total: 0.0,
        }
    }

    /// Which parameters matrices are about.
    pub(super) fn rows(&self) -> Rows {
        let mut there = vec![false; self.k];
        there.resize(self.effects + 1, true);
        for &(place, _) in self.pairs.iter().flat_map(|(design, _)| design) {
            there[place] = true;
        }
        Rows::new(there.into_iter())
    }

    /// A comparison of outputs that differ in style.
    pub(super) fn push_styled(&mut self, design: Design, outcome: Outcome) {
        let mut counts = [0.0; 3];
        counts[place(outcome)] = 1.0;
        self.pairs.push((design, counts));
        self.total += 1.0;
    }

    pub(super) fn push(&mut self, pair: Pair, outcome: Outcome) {
        let (first, second) = pair.indices();
        let (i, j) = (first.min(second), first.max(second));
        let new = self.pairs.len();
        let row = *self.at.entry([i, j]).or_insert(new);
        if row == new {
            let design = vec![(i, 1.0), (j, -1.0)];
            self.pairs.push((design, [0.0; 3]));
        }
        let of_lower = if first < second {
            outcome
        } else {
            outcome.flipped()
        };
        self.pairs[row].1[place(of_lower)] += 1.0;
        self.total += 1.0;
    }

    /// The logarithm of likelihood times penalty.
    fn value(&self, at: &Parameters) -> f64 {
        let of_pair = |(design, counts): &(Design, [f64; 3])| -> f64 {
            let logits = at.logits(design);
            let total = ln_sum_exp(logits.into_iter());
            let terms = logits.iter().zip(counts);
            terms.map(|(logit, n)| n * (logit - total)).sum()
        };
        let likelihood: f64 = self.pairs.iter().map(of_pair).sum();
        let average: f64 = at.theta.iter().map(|&theta| half_of_each(theta)).sum();
        likelihood + average + half_of_each(at.eta - std::f64::consts::LN_2)
    }

    fn gradient(&self, at: &Parameters) -> Vec<f64> {
        let mut gradient: Vec<f64> = at.theta.iter().map(|&x| 0.5 - logistic(x)).collect();
        gradient.push(0.5 - logistic(at.eta - std::f64::consts::LN_2));
        for (design, [wins, ties, losses]) in &self.pairs {
            let p = at.probabilities(design);
            let n = wins + ties + losses;
            let by_u = wins - losses - n * (p.win - p.loss);
            for &(place, x) in design {
                gradient[place] += x * by_u / 2.0;
            }
            gradient[self.effects] += ties - n * p.tie;
        }
        gradient
    }

    /// Minus the second derivative: H, by rows.
    pub(super) fn information(&self, at: &Parameters, rows: &Rows) -> Vec<f64> {
        let n = rows.number();
        let mut information = vec![0.0; n * n];
        let spread = |x: f64| logistic(x) * logistic(-x);
        for (parameter, &theta) in at.theta.iter().enumerate() {
            if let Some(i) = rows.find(parameter) {
                information[i * n + i] = spread(theta);
            }
        }
        information[n * n - 1] = spread(at.eta - std::f64::consts::LN_2);
        for (design, counts) in &self.pairs {
            let p = at.probabilities(design);
            let judged: f64 = counts.iter().sum();
            let drift = p.win - p.loss;
            let of_u = judged * (p.win + p.loss - drift * drift) / 4.0;
            let of_both = -judged * drift * p.tie / 2.0;
            let eta = n - 1;
            for &(parameter, x) in design {
                let row = rows.at(parameter);
                for &(other, y) in design {
                    information[row * n + rows.at(other)] += x * y * of_u;
                }
                information[row * n + eta] += x * of_both;
                information[eta * n + row] += x * of_both;
            }
            information[n * n - 1] += judged * p.tie * (1.0 - p.tie);
        }
        information
    }
}

/// The parameters with the highest penalised likelihood.
pub(super) fn maximise(counts: &Counts, rows: &Rows) -> Parameters {
    let mut best = Parameters {
        theta: vec![0.0; counts.effects],
        eta: std::f64::consts::LN_2,
    };
    let mut value = counts.value(&best);
    for _ in 0..STEPS {
        let gradient = counts.gradient(&best);
        let largest = gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest <= TOLERANCE * (1.0 + counts.total) {
            break;
        }
        let factor = Cholesky::new(counts.information(&best, rows), rows.number())
            .expect("the penalty makes the information positive definite");
        let mut solved = rows.gathered(&gradient);
        factor.solve_lower(&mut solved);
        factor.solve_upper(&mut solved);
        let step = rows.spread(&solved);
        let halved = (0..60).map(|halvings| best.moved(&step, 0.5_f64.powi(halvings)));
        let better = halved
            .map(|moved| (counts.value(&moved), moved))
            .find(|(reached, _)| *reached > value);
        match better {
            Some((reached, moved)) => (value, best) = (reached, moved),
            None => break, // as good as rounding allows
        }
    }
    best
}

/// Where an outcome is counted.
fn place(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win => 0,
        Outcome::Tie => 1,
        Outcome::Loss => 2,
    }
}

/// Half a win and half a loss at the log-odds x.
fn half_of_each(x: f64) -> f64 {
    -(ln_1p_exp(x) + ln_1p_exp(-x)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;
    use crate::rng::Seed;

    fn some_counts() -> Counts {
        let mut rng = Seed(3).stream("test", 0);
        let mut counts = Counts::new(4, 0);
        for _ in 0..60 {
            let i = rng.below(4);
            let j = (i + 1 + rng.below(3)) % 4;
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            counts.push(
                pair,
                *rng.choose(&[Outcome::Win, Outcome::Tie, Outcome::Loss]),
            );
        }
        counts
    }

    #[test]
    fn gradient_and_information_are_derivatives() {
        let counts = some_counts();
        let at = Parameters {
            theta: vec![0.3, -1.1, 0.8, 0.1],
            eta: -0.4,
        };
        let (gradient, information) = (
            counts.gradient(&at),
            counts.information(&at, &counts.rows()),
        );
        let h = 1e-5;
        for place in 0..5 {
            let mut direction = vec![0.0; 5];
            direction[place] = 1.0;
            let (up, down) = (at.moved(&direction, h), at.moved(&direction, -h));
            let slope = (counts.value(&up) - counts.value(&down)) / (2.0 * h);
            assert!((slope - gradient[place]).abs() < 1e-6);
            let ends = counts.gradient(&up).into_iter().zip(counts.gradient(&down));
            for (row, (up, down)) in ends.enumerate() {
                let bend = (down - up) / (2.0 * h);
                assert!((bend - information[row * 5 + place]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn the_maximum_is_one() {
        let counts = some_counts();
        let best = maximise(&counts, &counts.rows());
        assert!(counts.gradient(&best).iter().all(|x| x.abs() < 1e-9));
    }
}
