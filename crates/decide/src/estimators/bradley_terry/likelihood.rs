//! The penalised quasi-likelihood of the model of Bradley and Terry and its maximum, by Newton's method.
//!
//! With the log-odds d = θ_i − θ_j, or where outputs differ in style by x, d = θ_i − θ_j + Σ β x, an outcome y of 1, ½
//! or 0 adds y ln σ(d) + (1 − y) ln σ(−d). The sum is concave in θ and β, and Newton's steps, halved until
//! they help, arrive.

use foldhash::fast::RandomState;
use std::collections::HashMap;
use tiebreak_base::duel::{Outcome, Pair};
use tiebreak_base::stats::cholesky::Cholesky;
use tiebreak_base::stats::log_odds::logistic;

/// The limit of Newton steps; a dozen suffice.
const STEPS: usize = 200;

/// The step of a parameter after which there is no other: Newton's method doubles the digits with each, so the
/// parameter is exact to within rounding. A bound on the gradient would leave most to systems with few comparisons.
const SMALLEST_STEP: f64 = 1e-8;

/// The most halvings of a step that does not help.
const MOST_HALVINGS: i32 = 60;

/// The design row of a pair of `k` systems with these style differences, the factor of each parameter in d: 1 for the
/// first of a pair, −1 for the second, and the style differences for theirs.
pub(super) fn design(
    pair: Pair,
    k: usize,
    style: &[f64],
) -> impl Iterator<Item = (usize, f64)> + Clone {
    let systems = [(pair.first.index(), 1.0), (pair.second.index(), -1.0)];
    let style = style.iter().enumerate();
    systems
        .into_iter()
        .chain(style.map(move |(at, x)| (k + at, *x)))
}

/// The log-odds d at parameters.
fn log_odds(theta: &[f64], design: impl Iterator<Item = (usize, f64)>) -> f64 {
    design.map(|(place, x)| x * theta[place]).sum()
}

/// Adds the derivative of one weighted outcome's term of the quasi-likelihood, in the rows of parameters.
pub(super) fn add_score(
    theta: &[f64],
    design: impl Iterator<Item = (usize, f64)> + Clone,
    (outcome, weight): (Outcome, f64),
    rows: &ParameterRows,
    score: &mut [f64],
) {
    let residual = weight * (outcome.value() - logistic(log_odds(theta, design.clone())));
    for (place, x) in design {
        score[rows.at(place)] += x * residual;
    }
}

/// The rows of parameters in matrices: those of systems that were compared, and of β. Of thousands of
/// systems only few are usually compared, and θ of all others is 0.
#[derive(Debug, Clone)]
pub(super) struct ParameterRows {
    /// The row of each parameter, if any.
    row: Vec<Option<usize>>,
    number: usize,
}

impl ParameterRows {
    fn new(is_there: impl Iterator<Item = bool>) -> Self {
        let mut number = 0;
        let row = is_there.map(|there| {
            number += usize::from(there);
            there.then(|| number - 1)
        });
        let row = row.collect();
        Self { row, number }
    }

    /// The number of rows.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The row of a parameter, if it has one.
    pub(super) fn find_row(&self, parameter: usize) -> Option<usize> {
        self.row[parameter]
    }

    /// Collects values of parameters, by row.
    fn gathered(&self, parameters: &[f64]) -> Vec<f64> {
        let all = self.row.iter().zip(parameters);
        all.filter_map(|(row, value)| row.map(|_| *value)).collect()
    }

    /// Spreads values by row over parameters; 0 for those without a row.
    fn spread(&self, by_row: &[f64]) -> Vec<f64> {
        let all = self.row.iter();
        all.map(|row| row.map_or(0.0, |row| by_row[row])).collect()
    }

    fn at(&self, parameter: usize) -> usize {
        self.row[parameter].expect("a system that was compared")
    }
}

/// The outcomes of the comparisons of one pair in one style.
struct PairEntry {
    design: Vec<(usize, f64)>,
    pair: [usize; 2],
    /// The sum of their weights.
    n: f64,
    /// The sum of the squares of their weights.
    squares: f64,
    /// The weights of wins of the first, and half of those of ties.
    score: f64,
}

/// The weights of all comparisons of a pair and of its ties, and the squares of all weights.
struct PairTies {
    /// The first entry of the pair.
    entry: usize,
    n: f64,
    squares: f64,
    ties: f64,
}

impl PairTies {
    /// The number of comparisons of equal weight that they are worth (Kish).
    fn effective(&self) -> f64 {
        self.n * self.n / self.squares
    }
}

pub(super) struct PairOutcomeCounts {
    k: usize,
    /// The number of parameters θ and β.
    effects: usize,
    /// One entry per pair; with style one per comparison.
    entries: Vec<PairEntry>,
    /// The ties of each pair, with the lower system first.
    ties: HashMap<[usize; 2], PairTies, RandomState>,
}

impl PairOutcomeCounts {
    /// Empty counts for `k` systems whose outputs may differ in `styles` features.
    pub(super) fn new(k: usize, styles: usize) -> Self {
        Self {
            k,
            effects: k + styles,
            entries: Vec::new(),
            ties: HashMap::default(),
        }
    }

    /// The rows of the parameters that matrices include.
    pub(super) fn rows(&self) -> ParameterRows {
        let mut there = vec![false; self.k];
        there.resize(self.effects, true);
        for &(place, _) in self.entries.iter().flat_map(|entry| &entry.design) {
            there[place] = true;
        }
        ParameterRows::new(there.into_iter())
    }

    /// Adds a weighted comparison of outputs with these style differences, if style counts.
    pub(super) fn push(&mut self, pair: Pair, style: &[f64], outcome: Outcome, weight: f64) {
        let lower_first = pair.lower_first();
        let (first, second) = lower_first.indices();
        let key = [first, second];
        let new = self.entries.len();
        let ties = self.ties.entry(key).or_insert(PairTies {
            entry: new,
            n: 0.0,
            squares: 0.0,
            ties: 0.0,
        });
        ties.n += weight;
        ties.squares += weight * weight;
        ties.ties += weight * f64::from(u8::from(outcome == Outcome::Tie));
        let (pair, outcome) = match pair == lower_first || !style.is_empty() {
            true => (pair, outcome),
            false => (lower_first, outcome.flipped()),
        };
        let place = if style.is_empty() { ties.entry } else { new };
        if place == new {
            self.entries.push(PairEntry {
                design: design(pair, self.k, style).collect(),
                pair: key,
                n: 0.0,
                squares: 0.0,
                score: 0.0,
            });
        }
        let entry = &mut self.entries[place];
        entry.n += weight;
        entry.squares += weight * weight;
        entry.score += weight * outcome.value();
    }

    /// The gradient of the penalised quasi-likelihood: the penalty is half a win and half a loss of each system.
    fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let mut gradient: Vec<f64> = theta.iter().map(|&x| 0.5 - logistic(x)).collect();
        for entry in &self.entries {
            let residual =
                entry.score - entry.n * logistic(log_odds(theta, entry.design.iter().copied()));
            for &(place, x) in &entry.design {
                gradient[place] += x * residual;
            }
        }
        gradient
    }

    /// Minus the second derivative: H, by rows.
    pub(super) fn information(&self, theta: &[f64], rows: &ParameterRows) -> Vec<f64> {
        self.summed(theta, rows, |entry, spread| entry.n * spread)
    }

    /// The expected variance of the score if outcomes depended on their pair alone: H with the variance of an outcome,
    /// p(1 − p) less a quarter of the share of ties, in place of p(1 − p). One more comparison of each pair is
    /// decided, so that pairs with only ties have a variance too.
    pub(super) fn expected(&self, theta: &[f64], rows: &ParameterRows) -> Vec<f64> {
        self.summed(theta, rows, |entry, spread| {
            let of_pair = &self.ties[&entry.pair];
            let n = of_pair.effective();
            let share = of_pair.ties / of_pair.n * n / (n + 1.0);
            entry.squares * (spread - share / 4.0).max(spread / (n + 1.0))
        })
    }

    /// The sum of x x′ over entries, each times its `variance` at p(1 − p), plus the penalty's.
    fn summed(
        &self,
        theta: &[f64],
        rows: &ParameterRows,
        variance: impl Fn(&PairEntry, f64) -> f64,
    ) -> Vec<f64> {
        let n = rows.number();
        let mut sums = vec![0.0; n * n];
        let spread = |x: f64| logistic(x) * logistic(-x);
        for (parameter, &theta) in theta.iter().enumerate() {
            if let Some(i) = rows.find_row(parameter) {
                sums[i * n + i] = spread(theta);
            }
        }
        for entry in &self.entries {
            let spread = spread(log_odds(theta, entry.design.iter().copied()));
            let times = variance(entry, spread);
            for &(parameter, x) in &entry.design {
                let row = rows.at(parameter);
                for &(other, y) in &entry.design {
                    sums[row * n + rows.at(other)] += x * y * times;
                }
            }
        }
        sums
    }
}

/// The θ and β with the highest penalised quasi-likelihood: where the derivative is 0. Steps are halved until it is
/// smaller, since the likelihood itself is flat to within rounding long before.
pub(super) fn maximise(counts: &PairOutcomeCounts, rows: &ParameterRows) -> Vec<f64> {
    let mut best = vec![0.0; counts.effects];
    let mut gradient = counts.gradient(&best);
    for _ in 0..STEPS {
        let length = square(&gradient);
        let factor = Cholesky::new(counts.information(&best, rows), rows.number())
            .expect("the penalty makes the information positive definite");
        let mut solved = rows.gathered(&gradient);
        factor.solve_lower(&mut solved);
        factor.solve_upper(&mut solved);
        let step = rows.spread(&solved);
        let last = step.iter().all(|x| x.abs() <= SMALLEST_STEP);
        let halvings = if last { 1 } else { MOST_HALVINGS };
        let halved = (0..halvings).map(|halvings| moved(&best, &step, 0.5_f64.powi(halvings)));
        let better = halved
            .map(|moved| (counts.gradient(&moved), moved))
            .find(|(reached, _)| square(reached) < length);
        match better {
            Some((reached, moved)) => (gradient, best) = (reached, moved),
            None => break, // as good as rounding allows
        }
        if last {
            break;
        }
    }
    best
}

fn square(gradient: &[f64]) -> f64 {
    gradient.iter().map(|x| x * x).sum()
}

fn moved(theta: &[f64], step: &[f64], by: f64) -> Vec<f64> {
    let both = theta.iter().zip(step);
    both.map(|(x, dx)| x + by * dx).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Arm;
    use tiebreak_base::rng::Seed;

    fn some_counts() -> PairOutcomeCounts {
        let mut rng = Seed(3).stream("test", 0);
        let mut counts = PairOutcomeCounts::new(4, 0);
        for _ in 0..60 {
            let i = rng.below(4);
            let j = (i + 1 + rng.below(3)) % 4;
            let pair = Pair::new(Arm::from(i), Arm::from(j));
            let outcome = *rng.choose(&[Outcome::Win, Outcome::Tie, Outcome::Loss]);
            counts.push(pair, &[], outcome, 1.0);
        }
        counts
    }

    #[test]
    fn information_is_minus_the_derivative_of_the_gradient() {
        let counts = some_counts();
        let at = [0.3, -1.1, 0.8, 0.1];
        let information = counts.information(&at, &counts.rows());
        let h = 1e-5;
        for place in 0..4 {
            let mut direction = vec![0.0; 4];
            direction[place] = 1.0;
            let (up, down) = (moved(&at, &direction, h), moved(&at, &direction, -h));
            let ends = counts.gradient(&up).into_iter().zip(counts.gradient(&down));
            for (row, (up, down)) in ends.enumerate() {
                let bend = (down - up) / (2.0 * h);
                assert!((bend - information[row * 4 + place]).abs() < 1e-5);
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
