//! Whether one system beats all others by the comparisons that were collected, and which pairs have none.
//!
//! i beats j when the mean outcome of i against j is above ½. That is no test, so no system is named: whether
//! comparisons show which is best is for `rank` to say. Only systems that were compared at all take part; a pair
//! that was never compared is a win for neither.

use super::OutcomeCounts;
use super::counts::pairs_of;
use serde::Serialize;
use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;

/// The wins in the comparisons, before any test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Winner {
    /// Whether one system beats every other.
    pub condorcet: bool,
    /// The number of systems that were compared.
    pub compared: usize,
    /// The number of pairs of compared systems that have not been compared with each other.
    pub never_compared: u64,
    /// The pairs without comparisons, at most a hundred thousand.
    pub pairs_without_comparisons: Vec<[String; 2]>,
}

/// Most pairs without comparisons that are listed.
const LISTED: usize = 100_000;

/// Whether one of `systems` beats all others; `None` if none was compared. `compared` has the outcomes of the
/// first of each pair, in the order of `systems`.
pub(super) fn winner(
    systems: &[String],
    compared: &BTreeMap<(Arm, Arm), OutcomeCounts>,
) -> Option<Winner> {
    let means = || {
        compared
            .iter()
            .filter_map(|(&pair, labels)| Some((pair, labels.mean()?)))
    };
    let mut beaten: BTreeMap<Arm, usize> = BTreeMap::new();
    for ((a, b), mean) in means() {
        *beaten.entry(a).or_default() += usize::from(mean > 0.5);
        *beaten.entry(b).or_default() += usize::from(mean < 0.5);
    }
    let arms: Vec<Arm> = beaten.keys().copied().collect();
    let most = beaten.values().copied().max()?;
    let pairs = (0..arms.len()).flat_map(|i| arms[i + 1..].iter().map(move |&b| (i, b)));
    let pairs = pairs.map(|(i, b)| (arms[i], b));
    let never = pairs
        .filter(|pair| !compared.contains_key(pair))
        .take(LISTED);
    let name = |arm: Arm| systems[arm.index()].clone();
    Some(Winner {
        condorcet: most + 1 == arms.len(),
        compared: arms.len(),
        never_compared: pairs_of(arms.len() as u64) - compared.len() as u64,
        pairs_without_comparisons: never.map(|(a, b)| [name(a), name(b)]).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn pair(a: usize, b: usize, loss: u64, win: u64) -> ((Arm, Arm), OutcomeCounts) {
        let labels = OutcomeCounts { loss, tie: 0, win };
        ((Arm::from(a), Arm::from(b)), labels)
    }

    #[test]
    fn a_condorcet_winner_beats_all_who_were_compared() {
        let pairs = [pair(0, 1, 3, 1), pair(0, 2, 1, 3), pair(1, 2, 4, 6)];
        let winner = winner(&names(&["a", "b", "c", "d"]), &BTreeMap::from(pairs)).unwrap();
        assert!(winner.condorcet);
        assert_eq!(winner.compared, 3);
        assert!(winner.pairs_without_comparisons.is_empty());
    }

    #[test]
    fn a_cycle_has_no_winner() {
        let pairs = [pair(0, 1, 0, 1), pair(0, 2, 1, 0), pair(1, 2, 0, 1)];
        let winner = winner(&names(&["a", "b", "c"]), &BTreeMap::from(pairs)).unwrap();
        assert!(!winner.condorcet);
    }

    #[test]
    fn a_draw_or_a_missing_pair_is_no_win() {
        let pairs = BTreeMap::from([pair(0, 1, 1, 1)]);
        let drawn = winner(&names(&["a", "b"]), &pairs).unwrap();
        assert!(!drawn.condorcet);
        let pairs = BTreeMap::from([pair(0, 1, 0, 1), pair(1, 2, 0, 1)]);
        let open = winner(&names(&["a", "b", "c"]), &pairs).unwrap();
        assert!(!open.condorcet);
        assert_eq!(
            open.pairs_without_comparisons,
            [["a", "c"].map(String::from)]
        );
        assert_eq!(open.never_compared, 1);
        assert_eq!(winner(&names(&["a"]), &BTreeMap::new()), None);
    }
}
