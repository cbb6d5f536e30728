//! Who wins by the comparisons that were collected.
//!
//! i beats j when the mean outcome of i against j is above ½. A Condorcet winner beats every
//! other system; a Copeland winner beats most (`reference/bandits.md`, section 1). Only systems
//! that were compared at all take part; a pair that was never compared is a win for neither.

use super::PairSummary;
use serde::Serialize;

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
    /// Pairs of compared systems that have not been compared with each other.
    pub pairs_without_comparisons: Vec<[String; 2]>,
}

/// The winner among `systems`, all of whose `pairs` are there, in order; `None` if none was
/// compared.
pub(super) fn winner(systems: &[String], pairs: &[PairSummary]) -> Option<Winner> {
    let mut compared = vec![false; systems.len()];
    let mut beaten = vec![0; systems.len()];
    for (a, b, mean) in means(systems.len(), pairs) {
        compared[a] = true;
        compared[b] = true;
        beaten[a] += usize::from(mean > 0.5);
        beaten[b] += usize::from(mean < 0.5);
    }
    let arms: Vec<usize> = (0..systems.len()).filter(|&arm| compared[arm]).collect();
    let most = arms.iter().map(|&arm| beaten[arm]).max()?;
    let best: Vec<usize> = arms
        .iter()
        .copied()
        .filter(|&arm| beaten[arm] == most)
        .collect();
    let condorcet = (most + 1 == arms.len()).then_some(best[0]);
    let rival = condorcet.and_then(|winner| {
        let seen = means(systems.len(), pairs).filter_map(|(a, b, mean)| match winner {
            _ if winner == a => Some((b, mean)),
            _ if winner == b => Some((a, 1.0 - mean)),
            _ => None,
        });
        seen.min_by(|a, b| a.1.total_cmp(&b.1))
    });
    let never = indices(systems.len())
        .zip(pairs)
        .filter(|((a, b), pair)| compared[*a] && compared[*b] && pair.comparisons == 0);
    let name = |arm: usize| systems[arm].clone();
    Some(Winner {
        condorcet: condorcet.map(name),
        copeland: best.into_iter().map(name).collect(),
        beaten: most,
        compared: arms.len(),
        closest_rival: rival.map(|(arm, _)| name(arm)),
        margin: rival.map(|(_, mean)| mean - 0.5),
        pairs_without_comparisons: never.map(|((a, b), _)| [name(a), name(b)]).collect(),
    })
}

/// The pairs a < b of `k` systems, in the order of [`PairSummary`] lists.
fn indices(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |a| (a + 1..k).map(move |b| (a, b)))
}

/// The pairs that were compared, with the mean outcome of the first.
fn means(k: usize, pairs: &[PairSummary]) -> impl Iterator<Item = (usize, usize, f64)> {
    let with_mean = |((a, b), pair): ((usize, usize), &PairSummary)| Some((a, b, pair.preference?));
    indices(k).zip(pairs).filter_map(with_mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::check::Labels;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn pair(a: &str, b: &str, loss: u64, win: u64) -> PairSummary {
        let labels = Labels { loss, tie: 0, win };
        PairSummary {
            system_a: a.to_string(),
            system_b: b.to_string(),
            items: 0,
            identical: 0,
            comparisons: labels.total(),
            labels,
            preference: labels.mean(),
        }
    }

    #[test]
    fn a_condorcet_winner_beats_all_who_were_compared() {
        let pairs = [
            pair("a", "b", 3, 1),
            pair("a", "c", 1, 3),
            pair("a", "d", 0, 0),
            pair("b", "c", 4, 6),
            pair("b", "d", 0, 0),
            pair("c", "d", 0, 0),
        ];
        let winner = winner(&names(&["a", "b", "c", "d"]), &pairs).unwrap();
        assert_eq!(winner.condorcet.as_deref(), Some("b"));
        assert_eq!(winner.closest_rival.as_deref(), Some("c"));
        assert!((winner.margin.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!((winner.compared, winner.beaten), (3, 2));
        assert!(winner.pairs_without_comparisons.is_empty());
    }

    #[test]
    fn a_cycle_has_copeland_winners_only() {
        let pairs = [
            pair("a", "b", 0, 1),
            pair("a", "c", 1, 0),
            pair("b", "c", 0, 1),
        ];
        let winner = winner(&names(&["a", "b", "c"]), &pairs).unwrap();
        assert_eq!(winner.condorcet, None);
        assert_eq!(winner.copeland, ["a", "b", "c"]);
        assert_eq!(winner.margin, None);
    }

    #[test]
    fn a_draw_or_a_missing_pair_is_no_win() {
        let pairs = [pair("a", "b", 1, 1)];
        let drawn = winner(&names(&["a", "b"]), &pairs).unwrap();
        assert_eq!((drawn.condorcet, drawn.beaten), (None, 0));
        let pairs = [
            pair("a", "b", 0, 1),
            pair("a", "c", 0, 0),
            pair("b", "c", 0, 1),
        ];
        let open = winner(&names(&["a", "b", "c"]), &pairs).unwrap();
        assert_eq!(open.condorcet, None);
        assert_eq!(
            open.pairs_without_comparisons,
            [["a", "c"].map(String::from)]
        );
        assert_eq!(winner(&names(&["a"]), &[]), None);
    }
}
