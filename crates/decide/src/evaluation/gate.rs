//! Gates: whether a new system is good enough beside the one that is there.
//!
//! What is proved of a difference, new less base, are *verdicts*: better and worse at a two-sided level α; not worse than a
//! margin M, and equivalent within it, each side at α (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 1987).
//! Of several comparisons Holm's procedure corrects them. Where all criteria of a system must be shown not to be worse
//! than M, or equivalent, there is nothing to correct among these (Berger, Technometrics 1982): all must hold at once.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use tiebreak_base::stats::holm;

/// What a new system must show to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Requirement {
    /// It is not proved to be worse.
    #[default]
    NoRegression,
    /// It is proved not to be worse by a margin or more.
    NotWorse,
    /// It is proved to differ by less than a margin.
    Equivalent,
    /// It is proved to be better.
    Better,
}

impl Requirement {
    /// Whether it takes a margin.
    pub fn needs_margin(self) -> bool {
        matches!(self, Self::NotWorse | Self::Equivalent)
    }

    /// Whether what is proved of a comparison meets it; a regression must be proved. Items that are too few to show any
    /// (`is_blind`) do not show that there is none.
    pub fn is_met_by(self, verdicts: &[GateVerdict], is_blind: bool) -> bool {
        let has = |verdict: GateVerdict| verdicts.contains(&verdict);
        match self {
            Self::NoRegression => !is_blind && !has(GateVerdict::Worse),
            Self::NotWorse => has(GateVerdict::NotWorse),
            Self::Equivalent => has(GateVerdict::Equivalent),
            Self::Better => has(GateVerdict::Better),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What is proved of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateVerdict {
    /// The new system is better.
    Better,
    /// The new system is worse.
    Worse,
    /// The new system is not worse by the margin or more.
    NotWorse,
    /// The systems differ by less than the margin.
    Equivalent,
}

/// Whether a requirement is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateDecision {
    /// It is.
    Met,
    /// The contrary is proved.
    NotMet,
    /// Neither is proved.
    Undecided,
}

/// What the items show of a difference: one-sided p-values, and whether they can show any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateEvidence {
    /// Of the hypothesis that it is 0 or less.
    pub better: f64,
    /// That it is 0 or more.
    pub worse: f64,
    /// The hypotheses of a margin, where there is one.
    pub(crate) margin: Option<MarginPValues>,
    /// Whether the items are too few to show even the largest difference.
    pub is_blind: bool,
}

/// One-sided p-values of a difference beside a margin M.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MarginPValues {
    /// Of the hypothesis that it is −M or less.
    pub not_worse: f64,
    /// That it is M or more.
    pub not_better: f64,
    /// That it is −M or more.
    pub beyond_below: f64,
    /// That it is M or less.
    pub beyond_above: f64,
}

impl GateEvidence {
    /// The evidence of items that can show a difference, by functions of one-sided p-values: that it is above, and below, a
    /// value.
    pub fn new(
        above: impl Fn(f64) -> f64,
        below: impl Fn(f64) -> f64,
        margin: Option<f64>,
    ) -> Self {
        Self {
            better: above(0.0),
            worse: below(0.0),
            margin: margin.map(|margin| MarginPValues {
                not_worse: above(-margin),
                not_better: below(margin),
                beyond_below: below(-margin),
                beyond_above: above(margin),
            }),
            is_blind: false,
        }
    }

    /// The evidence of items that prove nothing, whatever they show.
    pub fn nothing(margin: Option<f64>, is_blind: bool) -> Self {
        Self {
            is_blind,
            ..Self::new(|_| 1.0, |_| 1.0, margin)
        }
    }

    /// The same evidence where only a loss can be proved.
    #[must_use]
    pub fn of_losses_alone(self) -> Self {
        Self {
            better: 1.0,
            margin: self.margin.map(|margin| MarginPValues {
                not_worse: 1.0,
                not_better: 1.0,
                beyond_above: 1.0,
                ..margin
            }),
            ..self
        }
    }
}

/// What a gate proves: verdicts in the order of comparisons, and the decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GateOutcome {
    /// The verdicts of each comparison; none where it is undecided.
    pub verdicts: Vec<Vec<GateVerdict>>,
    /// Whether the contrary of the requirement is proved of each comparison.
    pub refuted: Vec<bool>,
    /// Whether the requirement is met.
    pub decision: GateDecision,
}

/// Decides a gate at a level: comparisons by the number of their criterion, each with its evidence. Where all criteria must
/// hold at once, the decision has that level, and so have the verdicts of a margin under each criterion, not over all of them.
pub fn decide(
    comparisons: &[(usize, GateEvidence)],
    requirement: Requirement,
    level: f64,
) -> GateOutcome {
    let p = |of: &dyn Fn(&GateEvidence) -> f64| -> Vec<f64> {
        comparisons.iter().map(|(_, one)| of(one)).collect()
    };
    let margin = |of: fn(&MarginPValues) -> f64| p(&|one| one.margin.as_ref().map_or(1.0, of));
    let differ = holm::rejected(&p(&|one| 2.0 * one.better.min(one.worse)), level);
    let families: Vec<usize> = comparisons
        .iter()
        .map(|(criterion, _)| {
            if requirement.needs_margin() {
                *criterion
            } else {
                0
            }
        })
        .collect();
    let not_worse = rejected_by_family(&margin(|one| one.not_worse), &families, level);
    let within = margin(|one| one.not_worse.max(one.not_better));
    let within = rejected_by_family(&within, &families, level);
    let beyond = match requirement {
        Requirement::Equivalent => margin(|one| 2.0 * one.beyond_below.min(one.beyond_above)),
        _ => margin(|one| one.beyond_below),
    };
    let beyond = holm::rejected(&beyond, level);
    let verdicts = comparisons.iter().enumerate().map(|(at, (_, one))| {
        let held = [
            (GateVerdict::Better, differ[at] && one.better < one.worse),
            (GateVerdict::Worse, differ[at] && one.worse < one.better),
            (GateVerdict::NotWorse, not_worse[at]),
            (GateVerdict::Equivalent, within[at]),
        ];
        let held = held.into_iter().filter(|(_, holds)| *holds);
        held.map(|(verdict, _)| verdict).collect()
    });
    let verdicts: Vec<Vec<GateVerdict>> = verdicts.collect();
    let refuted = match requirement.needs_margin() {
        true => beyond,
        false => {
            let held = verdicts.iter();
            held.map(|held| held.contains(&GateVerdict::Worse))
                .collect()
        }
    };
    let mut found = verdicts.iter().zip(comparisons);
    let met = found.all(|(held, (_, one))| requirement.is_met_by(held, one.is_blind));
    GateOutcome {
        decision: match (met, refuted.contains(&true)) {
            (_, true) => GateDecision::NotMet,
            (true, false) => GateDecision::Met,
            (false, false) => GateDecision::Undecided,
        },
        verdicts,
        refuted,
    }
}

/// Holm's test within each family.
fn rejected_by_family(p_values: &[f64], families: &[usize], level: f64) -> Vec<bool> {
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, &family) in families.iter().enumerate() {
        places.entry(family).or_default().push(place);
    }
    let mut all = vec![false; p_values.len()];
    for places in places.values() {
        let own: Vec<f64> = places.iter().map(|&place| p_values[place]).collect();
        let found = holm::rejected(&own, level);
        places
            .iter()
            .zip(found)
            .for_each(|(&place, found)| all[place] = found);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A normal difference of that many standard errors, with a margin in standard errors.
    fn normal(z: f64, margin: Option<f64>) -> GateEvidence {
        use tiebreak_base::stats::normal::cdf;
        GateEvidence::new(|x| cdf(x - z), |x| cdf(z - x), margin)
    }

    fn alone(z: f64, margin: Option<f64>, requirement: Requirement) -> GateOutcome {
        decide(&[(0, normal(z, margin))], requirement, 0.05)
    }

    #[test]
    fn one_comparison_at_the_ends_of_its_intervals() {
        use GateDecision::{Met, NotMet, Undecided};
        use Requirement::{Better, Equivalent, NoRegression, NotWorse};
        for (z, requirement, decision) in [
            (-1.97, NoRegression, NotMet),
            (-1.95, NoRegression, Met),
            (1.97, Better, Met),
            (1.95, Better, Undecided),
            (-1.97, Better, NotMet),
            (-1.0, NotWorse, Undecided),
            (-1.0 + 0.66, NotWorse, Met),
            (-2.0 - 1.65, NotWorse, NotMet),
            (0.3, Equivalent, Met),
            (0.4, Equivalent, Undecided),
            (2.0 + 1.97, Equivalent, NotMet),
        ] {
            let margin = requirement.needs_margin().then_some(2.0);
            let found = alone(z, margin, requirement).decision;
            assert_eq!(found, decision, "{z} {requirement}");
        }
        let found = alone(3.0, Some(2.0), NotWorse);
        assert_eq!(
            found.verdicts[0],
            [GateVerdict::Better, GateVerdict::NotWorse]
        );
        let nothing = decide(
            &[(0, GateEvidence::new(|_| 1.0, |_| 1.0, None))],
            Better,
            0.05,
        );
        assert_eq!(
            (nothing.decision, nothing.verdicts),
            (Undecided, vec![vec![]])
        );
        // Items that cannot show a regression do not show that there is none.
        let blind = GateEvidence {
            is_blind: true,
            ..normal(0.0, None)
        };
        let seeing = normal(0.0, None);
        for (evidence, decision) in [
            (vec![(0, seeing)], Met),
            (vec![(0, seeing), (1, blind)], Undecided),
            (vec![(0, normal(-3.0, None)), (1, blind)], NotMet),
        ] {
            assert_eq!(decide(&evidence, NoRegression, 0.05).decision, decision);
        }
    }

    #[test]
    fn several_comparisons_share_the_level_unless_all_must_hold() {
        use GateDecision::{Met, NotMet, Undecided};
        let of = |zs: &[f64], requirement: Requirement| {
            let margin = requirement.needs_margin().then_some(2.0);
            let all = zs
                .iter()
                .zip(0..)
                .map(|(&z, criterion)| (criterion, normal(z, margin)));
            decide(&all.collect::<Vec<_>>(), requirement, 0.05).decision
        };
        assert_eq!(of(&[-1.97, 0.0], Requirement::NoRegression), Met);
        assert_eq!(of(&[-2.3, 0.0], Requirement::NoRegression), NotMet);
        assert_eq!(of(&[-0.34, -0.34, 5.0], Requirement::NotWorse), Met);
        assert_eq!(of(&[2.3, 1.97], Requirement::Better), Met);
        assert_eq!(of(&[1.97, 1.97], Requirement::Better), Undecided);
        // Which comparison refutes the requirement is known of each.
        let both = [(0, normal(-6.0, Some(2.0))), (1, normal(-1.0, Some(2.0)))];
        let found = decide(&both, Requirement::NotWorse, 0.05);
        assert_eq!((found.decision, found.refuted), (NotMet, vec![true, false]));
        // Two candidates under one criterion are two claims.
        let two = [(0, normal(-0.34, Some(2.0))), (0, normal(-0.2, Some(2.0)))];
        assert_eq!(
            decide(&two, Requirement::NotWorse, 0.05).decision,
            Undecided
        );
    }
}
