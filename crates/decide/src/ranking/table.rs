//! All systems by strength, with the ranks each may have, as tables have them.

use crate::estimators::contrasts::Contrasts;
use crate::evaluation::standing::{RankedStrength, SystemStandings};
use crate::ranking::result::{Ranks, Strength};

/// Strengths, ranks and groups, strongest first.
pub(crate) type StrengthTable = (Vec<Strength>, Vec<Ranks>, Vec<Vec<String>>);

/// The table of all systems; `compared` says in how many comparisons each took part.
pub fn table(
    systems: &[String],
    strengths: &impl Contrasts,
    compared: impl Fn(usize) -> u64,
    confidence: f64,
) -> StrengthTable {
    let SystemStandings {
        systems: standings,
        groups,
    } = SystemStandings::new(strengths, confidence);
    let strength = |one: &RankedStrength| {
        let comparisons = compared(one.system);
        // Nothing is known of a system that was never compared.
        let interval = one.interval.filter(|_| comparisons > 0);
        Strength {
            system: systems[one.system].clone(),
            strength: (comparisons > 0).then_some(one.strength),
            lower: interval.map(|(lower, _)| lower),
            upper: interval.map(|(_, upper)| upper),
            comparisons,
        }
    };
    let ranks = |one: &RankedStrength| Ranks {
        system: systems[one.system].clone(),
        rank_low: one.ranks.0 as u64,
        rank_high: one.ranks.1 as u64,
    };
    let names = |group: Vec<usize>| {
        let names = group.into_iter().map(|system| systems[system].clone());
        names.collect()
    };
    (
        standings.iter().map(strength).collect(),
        standings.iter().map(ranks).collect(),
        groups.into_iter().map(names).collect(),
    )
}
