//! The prior of margins, before the first answer.
//!
//! ```text
//! d_ij = z β m_ij + s_i − s_j + e_ij
//! β ~ N(0.8, 0.3²)   s_i ~ N(0, σ_s²)   e_ij ~ N(0, σ_e²)
//! ```
//!
//! m are the margins a model predicts, β what they are worth (perhaps nothing, perhaps the opposite), z whether they
//! count at all and, of several models, whose do: one's, or their mean; s is the transitive part, the strengths of the
//! systems or the model's errors about them; e lets every pair deviate. (z, `σ_s`, `σ_e`) has the finite prior listed
//! here.
//!
//! The errors of metrics about systems are learnt: over 80 tables of chrF, BLEU, ROUGE-L and TER on 20 public sets of
//! comparisons the mixture that fits best has `σ_s` = .03 (two thirds) and .06, `σ_e` = .003, and the same with any
//! campaign left out (`benches/priors/scales.py`). Metrics with references counted with .86 (.81 to .94 with a
//! campaign left out), length, which sees none, with .10, both together with .6. Odds of predictions move with the
//! answers, by the margins they show and by whether predictions tell items apart ([`super::trust`]).
//!
//! Those scales are of metrics, whose margins are .06 to .27 (root mean squares of tables). Sharper predictions may be
//! further off, so scales are in units of that spread. Margins of 100 tables on 25 sets are then about as likely as by
//! fixed scales of .015, .03 and .06: .05 nats less a table, .01 without the largest. That one limits the cost of a
//! sharp judge that is wrong about the best two.
//!
//! The table has judgments until 95 % of runs are right for good, beside those without predictions. GPT-4's verdicts
//! are on MT-Bench. chrF is on seven sets where its favourite is right, and swapped on six (geometric mean and worst).
//!
//! | `σ_s` where predictions count | GPT-4 | its top two swapped | chrF | its top two swapped |
//! | --- | --- | --- | --- | --- |
//! | .015, .03, .06 | 0 | 2.9 | .23 | .94, 1.2 |
//! | .015, .03, .06, .12, .24 | .23 | 1.6 | | |
//! | .1, .2, .4 by spread | .23 | 2.2 | | |
//! | .1, .2, .4, .8 by spread (this one) | .28 | 1.8 | .29 | .93, 1.3 |
//!
//! The rule: of the scales that fit, the boldest with which no wrong favourite costs twice.
//!
//! Strengths without predictions were first thought to be of .02, .06 or .15 and deviations of .01, .04 or .12. Learnt
//! in the same way they are those below.
//!
//! Length on one set is right about all systems but the best. With even odds, which only margins moved, it cost 4.6
//! times the judgments without predictions; with odds by what it tells of items, 1.6. Tables are in
//! `pipelines/EXPERIMENTS.md`.

use crate::bandits::square::Square;

/// The mean of β.
pub(super) const BETA_MEAN: f64 = 0.8;

/// The precision of β.
pub(super) const BETA_PRECISION: f64 = 1.0 / (0.3 * 0.3);

/// The probability that predictions are worth something, before the first answer.
const TRUST: f64 = 0.6;

/// `σ_s` and `σ_e` where predictions count, by the spread of predicted margins.
const STRENGTHS_BY_SPREAD: [f64; 4] = [0.1, 0.2, 0.4, 0.8];
const DEVIATIONS_BY_SPREAD: [f64; 2] = [0.02, 0.06];

/// The least spread for these. Predictions that see no difference are not sure that there is none, and of tables that
/// were learnt from none had less.
const LEAST_SPREAD: f64 = 0.05;

/// The factor on the odds that no system beats all others, where they are reported: the deviations that keep questions
/// honest make that likelier than people do. On 26 public sets, also without their best one to five systems, .7 scores
/// .048 nats better than .5 (147 choices of systems; .009 on the sets as they are). With a campaign left out, the
/// others choose 1.2 to 2. That gains .077, but five of nine campaigns lose up to .21; by .7 none loses more than
/// .031. Multiplying these odds before the first answer and after the last is the same.
pub(super) const NO_WINNER: f64 = 0.7;

/// One setting of the scales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// The logarithm of its prior probability.
    pub ln_prior: f64,
    /// The table of the predictions that count; `None` where z is 0.
    pub believes: Option<usize>,
    /// `σ_s`.
    pub strength: f64,
    /// `σ_e`.
    pub deviation: f64,
}

/// The prior of the scales if a table of predictions, or none, counts; `share` is the probability of that.
struct ScalePrior<'a> {
    share: f64,
    believes: Option<usize>,
    strengths: &'a [f64],
    deviations: &'a [f64],
}

impl ScalePrior<'_> {
    /// The settings, of which each is as likely as the others.
    fn settings(&self) -> impl Iterator<Item = Scales> {
        let number = self.strengths.len() * self.deviations.len();
        let ln_prior = (self.share / number as f64).ln();
        self.strengths.iter().flat_map(move |&strength| {
            self.deviations.iter().map(move |&deviation| Scales {
                ln_prior,
                believes: self.believes,
                strength,
                deviation,
            })
        })
    }
}

/// What the prior knows of a table of predicted margins.
#[derive(Debug, Clone, Copy)]
pub(super) struct PredictedTable {
    /// The logarithm of how much likelier what its predictions tell of items is if it counts ([`super::trust`]).
    pub credit: f64,
    /// The root mean square of its margins.
    pub spread: f64,
}

/// The root mean square of margins over the pairs of systems.
pub(super) fn spread(margins: &Square) -> f64 {
    let k = margins.k();
    let pairs = (0..k).flat_map(|i| (0..i).map(move |j| (i, j)));
    let squares: f64 = pairs.map(|(i, j)| margins.get(i, j).powi(2)).sum();
    (squares / (k * (k - 1) / 2).max(1) as f64).sqrt()
}

/// All settings. Before the answers each of the tables is as likely as the others to count.
pub(super) fn scales(tables: &[PredictedTable]) -> Vec<Scales> {
    let trust = if tables.is_empty() { 0.0 } else { TRUST };
    let mut all = Vec::new();
    for (table, &PredictedTable { credit, spread }) in tables.iter().enumerate() {
        let times = |factor: f64| factor * spread.max(LEAST_SPREAD);
        let counts = ScalePrior {
            share: trust / tables.len() as f64 * credit.exp(),
            believes: Some(table),
            strengths: &STRENGTHS_BY_SPREAD.map(times),
            deviations: &DEVIATIONS_BY_SPREAD.map(times),
        };
        all.extend(counts.settings());
    }
    let none = ScalePrior {
        share: 1.0 - trust,
        believes: None,
        strengths: &[0.03, 0.06, 0.12],
        deviations: &[0.003, 0.01, 0.04],
    };
    all.extend(none.settings());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(credit: f64) -> PredictedTable {
        let spread = 0.2;
        PredictedTable { credit, spread }
    }

    #[test]
    fn the_spread_of_margins_by_hand() {
        let margins = Square::from_fn(3, |i, j| 0.1 * (j as f64 - i as f64));
        assert!((spread(&margins) - (0.06_f64 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn sharper_predictions_may_err_by_more() {
        let largest = |spread| {
            let all = scales(&[PredictedTable {
                credit: 0.0,
                spread,
            }]);
            let counts = all.iter().filter(|one| one.believes.is_some());
            counts.map(|one| one.strength).fold(0.0, f64::max)
        };
        assert!((largest(0.4) / largest(0.1) - 4.0).abs() < 1e-12);
        assert_eq!(largest(0.0), largest(LEAST_SPREAD));
    }

    #[test]
    fn the_settings_are_a_distribution_before_the_answers() {
        for (tables, number) in [(0, 9), (1, 17), (3, 33)] {
            let all = scales(&vec![table(0.0); tables]);
            assert_eq!(all.len(), number);
            let total: f64 = all.iter().map(|one| one.ln_prior.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn credit_is_odds() {
        let all = scales(&[1.5, -2.0].map(table));
        let share = |table| {
            let of = all.iter().filter(move |one| one.believes == table);
            of.map(|one| one.ln_prior.exp()).sum::<f64>()
        };
        let odds = |table| share(Some(table)) / share(None);
        let before = TRUST / 2.0 / (1.0 - TRUST);
        assert!((odds(0) - before * 1.5_f64.exp()).abs() < 1e-12);
        assert!((odds(1) - before * (-2.0_f64).exp()).abs() < 1e-12);
    }
}
