//! Who wins by the comparisons that were collected.
//!
//! i beats j when the mean outcome of i against j is above ½. A Condorcet winner beats every
//! other system; a Copeland winner beats most (`reference/bandits.md`, section 1). Only systems
//! that were compared at all take part; a pair that was never compared is a win for neither.

use super::Labels;
use super::counts::pairs_of;
use crate::duel::Arm;
use serde::Serialize;
use std::collections::BTreeMap;

/// Who wins by the comparisons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Winner {
    /// The system that beats every other, if there is one.
    pub condorcet: Option<String>,
    /// The systems that beat most others; the Condorcet winner alone, if there is one.
    pub copeland: Vec<String>,
    /// How many systems each of those beats.
    pub beaten: usize,
    /// How many systems were compared.
    pub compared: usize,
    /// The opponent against which the Condorcet winner fares worst.
    pub closest_rival: Option<String>,
    /// The winner's mean outcome against that opponent, minus ½.
    pub margin: Option<f64>,
    /// How many pairs of compared systems have not been compared with each other.
    pub never_compared: u64,
    /// Those pairs, a hundred thousand of them at most.
    pub pairs_without_comparisons: Vec<[String; 2]>,
}

/// Most pairs without comparisons that are listed.
const LISTED: usize = 100_000;

/// The winner among `systems`; `None` if none was compared. `compared` has the outcomes of the first of
/// two, which stands before the other.
pub(super) fn winner(
    systems: &[String],
    compared: &BTreeMap<(Arm, Arm), Labels>,
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
    let best: Vec<Arm> = arms
        .iter()
        .copied()
        .filter(|arm| beaten[arm] == most)
        .collect();
    let condorcet = (most + 1 == arms.len()).then_some(best[0]);
    let rival = condorcet.and_then(|winner| {
        let seen = means().filter_map(|((a, b), mean)| match winner {
            _ if winner == a => Some((b, mean)),
            _ if winner == b => Some((a, 1.0 - mean)),
            _ => None,
        });
        seen.min_by(|a, b| a.1.total_cmp(&b.1))
    });
    let pairs = (0..arms.len()).flat_map(|i| arms[i + 1..].iter().map(move |&b| (i, b)));
    let pairs = pairs.map(|(i, b)| (arms[i], b));
    let never = pairs
        .filter(|pair| !compared.contains_key(pair))
        .take(LISTED);
    let name = |arm: Arm| systems[arm.index()].clone();
    Some(Winner {
        condorcet: condorcet.map(name),
        copeland: best.into_iter().map(name).collect(),
        beaten: most,
        compared: arms.len(),
        closest_rival: rival.map(|(arm, _)| name(arm)),
        margin: rival.map(|(_, mean)| mean - 0.5),
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

    fn pair(a: usize, b: usize, loss: u64, win: u64) -> ((Arm, Arm), Labels) {
        let labels = Labels { loss, tie: 0, win };
        ((Arm::from(a), Arm::from(b)), labels)
    }

    #[test]
    fn a_condorcet_winner_beats_all_who_were_compared() {
        let pairs = [pair(0, 1, 3, 1), pair(0, 2, 1, 3), pair(1, 2, 4, 6)];
        let winner = winner(&names(&["a", "b", "c", "d"]), &BTreeMap::from(pairs)).unwrap();
        assert_eq!(winner.condorcet.as_deref(), Some("b"));
        assert_eq!(winner.closest_rival.as_deref(), Some("c"));
        assert!((winner.margin.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!((winner.compared, winner.beaten), (3, 2));
        assert!(winner.pairs_without_comparisons.is_empty());
    }

    #[test]
    fn a_cycle_has_copeland_winners_only() {
        let pairs = [pair(0, 1, 0, 1), pair(0, 2, 1, 0), pair(1, 2, 0, 1)];
        let winner = winner(&names(&["a", "b", "c"]), &BTreeMap::from(pairs)).unwrap();
        assert_eq!(winner.condorcet, None);
        assert_eq!(winner.copeland, ["a", "b", "c"]);
        assert_eq!(winner.margin, None);
    }

    #[test]
    fn a_draw_or_a_missing_pair_is_no_win() {
        let pairs = BTreeMap::from([pair(0, 1, 1, 1)]);
        let drawn = winner(&names(&["a", "b"]), &pairs).unwrap();
        assert_eq!((drawn.condorcet, drawn.beaten), (None, 0));
        let pairs = BTreeMap::from([pair(0, 1, 0, 1), pair(1, 2, 0, 1)]);
        let open = winner(&names(&["a", "b", "c"]), &pairs).unwrap();
        assert_eq!(open.condorcet, None);
        assert_eq!(
            open.pairs_without_comparisons,
            [["a", "c"].map(String::from)]
        );
        assert_eq!(open.never_compared, 1);
        assert_eq!(winner(&names(&["a"]), &BTreeMap::new()), None);
    }
}
