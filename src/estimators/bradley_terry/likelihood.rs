//! The penalised likelihood of Davidson's model and its maximum, by Newton's method.
//!
//! With u = (θ_i − θ_j)/2 and η = ln ν the three answers have the logits u, η and −u, so the
//! logarithm of the likelihood is concave in (θ, η), and steps that are halved until they help
//! arrive.

use crate::duel::{Outcome, Pair};
use crate::stats::cholesky::Cholesky;

/// Steps; a dozen suffice.
const STEPS: usize = 200;

/// Where the gradient counts as 0, per comparison.
const TOLERANCE: f64 = 1e-12;

/// θ and η.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    pub theta: Vec<f64>,
    pub eta: f64,
}

/// The probabilities of a win, a tie and a loss of the first of a pair.
struct Probabilities {
    win: f64,
    tie: f64,
    loss: f64,
}

impl Parameters {
    fn logits(&self, i: usize, j: usize) -> [f64; 3] {
        let u = (self.theta[i] - self.theta[j]) / 2.0;
        [u, self.eta, -u]
    }

    fn probabilities(&self, i: usize, j: usize) -> Probabilities {
        let logits = self.logits(i, j);
        let total = ln_sum_exp(logits);
        let [win, tie, loss] = logits.map(|logit| (logit - total).exp());
        Probabilities { win, tie, loss }
    }

    /// Adds the derivative of the log-likelihood of one answer by (θ, η).
    pub(super) fn add_score(&self, pair: Pair, outcome: Outcome, score: &mut [f64]) {
        let (i, j) = (pair.first.index(), pair.second.index());
        let p = self.probabilities(i, j);
        let is = |wanted| f64::from(u8::from(outcome == wanted));
        let by_u = is(Outcome::Win) - is(Outcome::Loss) - (p.win - p.loss);
        score[i] += by_u / 2.0;
        score[j] -= by_u / 2.0;
        score[self.theta.len()] += is(Outcome::Tie) - p.tie;
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

/// How often each pair ended how, and the pairs that were compared.
pub(super) struct Counts {
    k: usize,
    /// (i, j, wins of i, ties, losses of i), i < j, of those compared; indexed by `at`.
    pairs: Vec<(usize, usize, [f64; 3])>,
    /// At i·K + j for i < j: the place in `pairs`.
    at: Vec<Option<usize>>,
    total: f64,
}

impl Counts {
    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            pairs: Vec::new(),
            at: vec![None; k * k],
            total: 0.0,
        }
    }

    pub(super) fn push(&mut self, pair: Pair, outcome: Outcome) {
        let (first, second) = (pair.first.index(), pair.second.index());
        let (i, j) = (first.min(second), first.max(second));
        let new = self.pairs.len();
        let place = *self.at[i * self.k + j].get_or_insert(new);
        if place == new {
            self.pairs.push((i, j, [0.0; 3]));
        }
        let of_lower = if first < second {
            outcome
        } else {
            outcome.flipped()
        };
        let answer = match of_lower {
            Outcome::Win => 0,
            Outcome::Tie => 1,
            Outcome::Loss => 2,
        };
        self.pairs[place].2[answer] += 1.0;
        self.total += 1.0;
    }

    /// The logarithm of likelihood times penalty.
    fn value(&self, at: &Parameters) -> f64 {
        let of_pair = |&(i, j, counts): &(usize, usize, [f64; 3])| -> f64 {
            let logits = at.logits(i, j);
            let total = ln_sum_exp(logits);
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
        for &(i, j, [wins, ties, losses]) in &self.pairs {
            let p = at.probabilities(i, j);
            let n = wins + ties + losses;
            let by_u = wins - losses - n * (p.win - p.loss);
            gradient[i] += by_u / 2.0;
            gradient[j] -= by_u / 2.0;
            gradient[self.k] += ties - n * p.tie;
        }
        gradient
    }

    /// Minus the second derivative: H, (K + 1) × (K + 1).
    pub(super) fn information(&self, at: &Parameters) -> Vec<f64> {
        let n = self.k + 1;
        let mut information = vec![0.0; n * n];
        let spread = |x: f64| logistic(x) * logistic(-x);
        for (i, &theta) in at.theta.iter().enumerate() {
            information[i * n + i] = spread(theta);
        }
        information[n * n - 1] = spread(at.eta - std::f64::consts::LN_2);
        for &(i, j, counts) in &self.pairs {
            let p = at.probabilities(i, j);
            let judged: f64 = counts.iter().sum();
            let drift = p.win - p.loss;
            let of_u = judged * (p.win + p.loss - drift * drift) / 4.0;
            let of_both = -judged * drift * p.tie / 2.0;
            let eta = self.k;
            for (row, column, value) in [
                (i, i, of_u),
                (j, j, of_u),
                (i, j, -of_u),
                (j, i, -of_u),
                (i, eta, of_both),
                (eta, i, of_both),
                (j, eta, -of_both),
                (eta, j, -of_both),
                (eta, eta, judged * p.tie * (1.0 - p.tie)),
            ] {
                information[row * n + column] += value;
            }
        }
        information
    }
}

/// The parameters with the highest penalised likelihood.
pub(super) fn maximise(counts: &Counts) -> Parameters {
    let mut best = Parameters {
        theta: vec![0.0; counts.k],
        eta: std::f64::consts::LN_2,
    };
    let mut value = counts.value(&best);
    for _ in 0..STEPS {
        let mut step = counts.gradient(&best);
        let largest = step.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if largest <= TOLERANCE * (1.0 + counts.total) {
            break;
        }
        let factor = Cholesky::new(counts.information(&best), counts.k + 1)
            .expect("the penalty makes the information positive definite");
        factor.solve_lower(&mut step);
        factor.solve_upper(&mut step);
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

/// Half a win and half a loss at the log-odds x.
fn half_of_each(x: f64) -> f64 {
    -(ln_1p_exp(x) + ln_1p_exp(-x)) / 2.0
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln(1 + eˣ) without overflow.
fn ln_1p_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn ln_sum_exp(x: [f64; 3]) -> f64 {
    let most = x.into_iter().fold(f64::NEG_INFINITY, f64::max);
    most + x.into_iter().map(|x| (x - most).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Arm;
    use crate::rng::Seed;

    fn some_counts() -> Counts {
        let mut rng = Seed(3).stream("test", 0);
        let mut counts = Counts::new(4);
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
        let (gradient, information) = (counts.gradient(&at), counts.information(&at));
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
        let best = maximise(&counts);
        assert!(counts.gradient(&best).iter().all(|x| x.abs() < 1e-9));
    }
}
