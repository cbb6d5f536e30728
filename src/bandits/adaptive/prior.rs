//! What margins look like before the first answer.
//!
//! ```text
//! d_ij = z β m_ij + s_i − s_j + e_ij
//! β ~ N(0.8, 0.3²)   s_i ~ N(0, σ_s²), of an exempt system N(0, .12²)   e_ij ~ N(0, σ_e²)
//! ```
//!
//! m are the margins a model predicts, β what they are worth (perhaps nothing, perhaps the
//! opposite), z whether they count at all and, of several models, whose do: one's, or their mean; s is the transitive part, the strengths of the systems
//! or the model's errors about them; e lets every pair deviate. (z, `σ_s`, `σ_e`) has the finite prior
//! listed here.
//!
//! How far metrics err about systems is learnt: over 80 tables of chrF, BLEU, ROUGE-L and TER on 20 public sets
//! of comparisons the mixture that fits best has `σ_s` = .03 (two thirds) and .06, `σ_e` = .003, and the same with any
//! campaign left out (`benches/priors/scales.py`). Predictions counted with .86 (.81 to .94 with a campaign left
//! out), length, which sees no reference, with .10; here it is even odds, so that one that is worth nothing is
//! found out soon.
//!
//! What that saves and costs (`benches/priors/regret.py`), judgments until 95 % of 100 runs are right for good beside
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
//! These were measured while strengths without predictions were thought to be of .02, .06 or .15 and deviations of .01, .04 or
//! .12. Learnt in the same way they are those below.
//!
//! Length on one set was right about all systems but the best, and cost 5.1 times the judgments without predictions there, 1.43 in
//! the geometric mean. So predictions that count may know nothing of one of the systems, whichever: its s has a scale of its own. Of
//! the probabilities 0, .3, .5 and .7 of that .3 is the least that takes half of it away (2.5 and 1.23) and nothing of what chrF saves
//! (.28; its top two swapped .75, at worst 1.4). Choosing some questions as if there were no predictions saved nothing beyond that and cost where they are
//! right. Tables in `pipelines/EXPERIMENTS.md`.

/// The mean of β.
pub(super) const BETA_MEAN: f64 = 0.8;

/// The precision of β.
pub(super) const BETA_PRECISION: f64 = 1.0 / (0.3 * 0.3);

/// How likely predictions are worth something.
const TRUST: f64 = 0.5;

/// What the odds that no system beats all others are multiplied by in what is said: the deviations
/// that keep questions honest make that likelier than people do. Among 28 public sets of 11 campaigns it
/// is so in three; there a fifth would fit best, in simulated systems with deviations one half.
/// Multiplying these odds before the first answer and after the last is the same.
pub(super) const NO_WINNER: f64 = 0.5;

/// How likely predictions that are worth something know nothing of one of the systems,
const EXEMPTS: f64 = 0.3;

/// which then has this `σ_s`.
pub(super) const EXEMPT: f64 = 0.12;

/// Of more systems none is exempt: what is believed if each is takes K³ steps.
const MOST_EXEMPT: usize = 64;

/// One setting of the scales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    /// Its logarithmic prior probability.
    pub ln_prior: f64,
    /// Whose predictions count, by table; `None` where z is 0.
    pub believes: Option<usize>,
    /// Whether these know nothing of one of the systems, each as likely as the others.
    pub exempts: bool,
    /// `σ_s`, but of that system.
    pub strength: f64,
    /// `σ_e`.
    pub deviation: f64,
}

/// What may be taken for granted of a table of predictions, or of none, with so much of the probability.
struct Family<'a> {
    share: f64,
    believes: Option<usize>,
    exempts: bool,
    strengths: &'a [f64],
    deviations: &'a [f64],
}

impl Family<'_> {
    /// Its settings, of which each is as likely as the others.
    fn settings(&self) -> impl Iterator<Item = Scales> {
        let number = self.strengths.len() * self.deviations.len();
        let ln_prior = (self.share / number as f64).ln();
        self.strengths.iter().flat_map(move |&strength| {
            self.deviations.iter().map(move |&deviation| Scales {
                ln_prior,
                believes: self.believes,
                exempts: self.exempts,
                strength,
                deviation,
            })
        })
    }
}

/// All settings for k systems, with so many tables of predicted margins. Each is as likely as the others to count, and one
/// that is worth nothing costs little beside one that is right.
pub(super) fn scales(tables: usize, k: usize) -> Vec<Scales> {
    let trust = if tables > 0 { TRUST } else { 0.0 };
    let exempts = if k <= MOST_EXEMPT { EXEMPTS } else { 0.0 };
    let mut families = Vec::new();
    for table in 0..tables {
        let share = trust / tables as f64;
        families.push(Family {
            share: share * (1.0 - exempts),
            believes: Some(table),
            exempts: false,
            strengths: &[0.015, 0.03, 0.06],
            deviations: &[0.003, 0.01],
        });
        if exempts > 0.0 {
            families.push(Family {
                share: share * exempts,
                believes: Some(table),
                exempts: true,
                strengths: &[0.03],
                deviations: &[0.01],
            });
        }
    }
    families.push(Family {
        share: 1.0 - trust,
        believes: None,
        exempts: false,
        strengths: &[0.03, 0.06, 0.12],
        deviations: &[0.003, 0.01, 0.04],
    });
    families.iter().flat_map(Family::settings).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_are_a_distribution() {
        for (tables, k, number) in [(0, 3, 9), (1, 4, 16), (3, 64, 30), (3, 65, 27)] {
            let all = scales(tables, k);
            assert_eq!(all.len(), number);
            let total: f64 = all.iter().map(|one| one.ln_prior.exp()).sum();
            assert!((total - 1.0).abs() < 1e-12);
        }
    }
}
