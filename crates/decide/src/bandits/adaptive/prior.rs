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
//! The errors of metrics about systems are learnt: over 80 tables of chrF, BLEU, ROUGE-L and TER on 20 public sets
//! of comparisons the mixture that fits best has `σ_s` = .03 (two thirds) and .06, `σ_e` = .003, and the same with any
//! campaign left out (`benches/priors/scales.py`). Metrics with references counted with .86 (.81 to .94 with a campaign
//! left out), length, which sees none, with .10, both together with .6. Odds of predictions move with the answers, by
//! the margins they show and by whether predictions tell items apart ([`super::trust`]).
//!
//! Savings and costs of that (`pipelines/regret.toml`), judgments until 95 % of 100 runs are right for good beside
//! those without predictions, geometric means over six sets and the worst; chrF's favourite is right on all:
//!
//! | `σ_s` where predictions count | chrF | its top two swapped | systems permuted |
//! | --- | --- | --- | --- |
//! | .003, .01, .03 | .14 | .94, 2.6 | .91, 1.6 |
//! | .007, .02, .05 | .22 | .82, 2.4 | 1.00, 1.6 |
//! | .015, .03, .06 (this one) | .26 | .78, 1.7 | 1.08, 1.6 |
//!
//! The rule: as learnt, and of the scales around that the boldest with which no wrong favourite costs twice.
//!
//! A sharper hint can be further off than metrics are. GPT-4's verdicts on MT-Bench with its first and third systems
//! exchanged took 3.3 times the judgments without a hint, since no scale of that table holds such errors. So with a
//! probability of .3 predictions that count have a `σ_s` of .2. It takes 1.9 times as many then, and the right hint 246
//! to the proof, not 241, of 310 without (1,000 runs; other probabilities in `pipelines/EXPERIMENTS.md`).
//!
//! Strengths without predictions were then thought to be of .02, .06 or .15 and deviations of .01, .04 or .12. Learnt
//! in the same way they are those below.
//!
//! These were measured with even odds, which only margins moved. Length on one set is right about all systems but the
//! best, and then cost 4.6 times the judgments without predictions; now it is 1.6. Tables in
//! `pipelines/EXPERIMENTS.md`.

/// The mean of β.
pub(super) const BETA_MEAN: f64 = 0.8;

/// The precision of β.
pub(super) const BETA_PRECISION: f64 = 1.0 / (0.3 * 0.3);

/// The probability that predictions are worth something, before the first answer.
const TRUST: f64 = 0.6;

/// The probability that predictions which count are far off about some systems.
const FAR_OFF: f64 = 0.3;

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

/// All settings, with a table of predicted margins for each of `credits`: the logarithm of how much likelier what its
/// predictions tell of items is if it counts ([`super::trust`]). Before the answers each is as likely as the others to
/// count.
pub(super) fn scales(credits: &[f64]) -> Vec<Scales> {
    let trust = if credits.is_empty() { 0.0 } else { TRUST };
    let counts = |(table, credit): (usize, &f64)| {
        let share = trust / credits.len() as f64 * credit.exp();
        let errors = [(1.0 - FAR_OFF, &[0.015, 0.03, 0.06][..]), (FAR_OFF, &[0.2])];
        errors.map(|(probability, strengths)| ScalePrior {
            share: probability * share,
            believes: Some(table),
            strengths,
            deviations: &[0.003, 0.01],
        })
    };
    let none = ScalePrior {
        share: 1.0 - trust,
        believes: None,
        strengths: &[0.03, 0.06, 0.12],
        deviations: &[0.003, 0.01, 0.04],
    };
    let families = credits.iter().enumerate().flat_map(counts);
    let families: Vec<ScalePrior> = families.chain([none]).collect();
    families.iter().flat_map(ScalePrior::settings).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_a_distribution_before_the_answers() {
        for (credits, number) in [(&[][..], 9), (&[0.0], 17), (&[0.0; 3], 33)] {
            let all = scales(credits);
            assert_eq!(all.len(), number);
            let total: f64 = all.iter().map(|one| one.ln_prior.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn credit_is_odds() {
        let all = scales(&[1.5, -2.0]);
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
