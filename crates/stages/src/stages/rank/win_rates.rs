//! Win rates of each system against a baseline: as people, or a judge, judged, and with both in one style.
//!
//! Dubois et al., "Length-controlled AlpacaEval", 2024, print both. Their second rate comes from a logistic
//! regression for each system, with the length and a difficulty of every instruction. Here it comes from the one
//! model of all systems and all features of style (Bradley and Terry's, at no difference in style), which also has
//! comparisons with other systems. A tie counts one half.

use super::style::words;
use crate::inputs::source::Source;
use crate::stages::slices::{PairedSystems, Preferences};
use std::collections::BTreeMap;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::stats::log_odds::logistic;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::wilson;
use tiebreak_decide::estimators::Survey;
use tiebreak_decide::estimators::bradley_terry::Strengths;
use tiebreak_decide::estimators::contrasts::Contrasts;
use tiebreak_decide::ranking::Collection;
use tiebreak_decide::ranking::result::{BaselineWinRates, Strength, WinRate};

/// The outcomes of one system, and the lengths of its outputs.
#[derive(Debug, Clone, Default)]
struct SystemOutcomes {
    words: Moments,
    /// The sum and the weight of the outcomes against the baseline, for each item with such comparisons.
    items: BTreeMap<usize, [f64; 2]>,
}

impl SystemOutcomes {
    fn comparisons(&self) -> u64 {
        // Those of one verdict sum to 1.
        self.items.values().map(|[_, n]| n).sum::<f64>().round() as u64
    }

    /// The mean outcome, and its standard error with items as clusters.
    fn rate(&self) -> (Option<f64>, Option<f64>) {
        let n = self.comparisons() as f64;
        if n == 0.0 {
            return (None, None);
        }
        let rate = self.items.values().map(|[sum, _]| sum).sum::<f64>() / n;
        let clusters = self.items.len() as f64;
        let residual = |[sum, of]: &[f64; 2]| (sum - rate * of).powi(2);
        let squares: f64 = self.items.values().map(residual).sum();
        let error = (squares * clusters / (clusters - 1.0)).sqrt() / n;
        (Some(rate), (clusters > 1.0).then_some(error))
    }

    /// The wins, losses and items, where each item has one comparison and nothing in between these and ties.
    fn counts(&self) -> Option<[u64; 3]> {
        let mut counts = [0, 0, 0];
        for &[sum, n] in self.items.values() {
            let side = [1.0, 0.0, 0.5].iter().position(|&outcome| outcome == sum);
            counts[side.filter(|_| n == 1.0)?] += 1;
        }
        let [wins, losses, ties] = counts;
        Some([wins, losses, wins + losses + ties])
    }

    /// The interval of the mean outcome over items: of single wins, losses and ties that of all win rates (see `wilson`), else
    /// one for each comparison of an item; none beyond [0, 1].
    fn interval(&self, confidence: f64) -> Result<Option<[f64; 2]>> {
        if let Some([wins, losses, items]) = self.counts().filter(|[.., items]| *items > 1) {
            let ends = wilson::interval_with_ties(wins, losses, items, confidence);
            return Ok(Some([ends.0, ends.1]));
        }
        let each = self.items.iter().flat_map(|(&item, &[sum, n])| {
            let mean = sum / n;
            std::iter::repeat_n((item, mean), n.round() as usize)
        });
        Survey::mean_interval(&each.collect::<Vec<_>>(), [0.0, 1.0], confidence)
    }
}

/// The system that win rates are against.
pub(super) struct Opponent<'a> {
    pub name: &'a str,
    /// The strengths of equal style, where style is held equal.
    pub equal_style: Option<&'a Strengths>,
}

/// The system that takes part in all comparisons; the weaker of two.
pub(super) fn common_opponent(collection: &Collection, ranked: &[Strength]) -> Option<String> {
    let in_all = |name: &String| {
        let arm = collection.systems().iter().position(|one| one == name);
        let mut all = collection.comparisons().iter();
        all.all(|one| {
            let (first, second) = one.pair.indices();
            arm == Some(first) || arm == Some(second)
        })
    };
    let names = ranked.iter().rev().map(|one| &one.system);
    names.into_iter().find(|name| in_all(name)).cloned()
}

/// The rates of all systems but the baseline, in the order of `ranked`.
///
/// # Errors
/// An unknown baseline; an index that cannot be read.
pub(super) fn against(
    source: &Source,
    collection: &Collection,
    opponent: &Opponent<'_>,
    ranked: &[Strength],
    confidence: f64,
) -> Result<BaselineWinRates> {
    let baseline = opponent.name;
    let arm = source.index.system(baseline)?;
    let seen = seen(source, collection, arm)?;
    let shares = collection.uneven_shares();
    let people = shares.map(|shares| Preferences::of_people(collection, Some(shares), 0, None));
    let mut rates = Vec::new();
    for one in ranked.iter().filter(|one| one.system != baseline) {
        let system = source.index.system(&one.system)?;
        let of_system = &seen[system.index()];
        let weighed = people.as_ref().map(|all| all.compare(arm, system, None));
        let (win_rate, error, rate_ends) = match weighed.transpose()?.flatten() {
            Some(PairedSystems { sample, .. }) => {
                let ends = sample.ends(0.5 * (1.0 - confidence));
                let rate = |difference: f64| 0.5 + 0.5 * difference;
                let ends = ends.map(|(lower, upper)| [rate(lower), rate(upper)]);
                let error = sample.standard_error().map(|error| 0.5 * error);
                (Some(rate(sample.difference())), error, ends)
            }
            None => {
                let (win_rate, error) = of_system.rate();
                (win_rate, error, of_system.interval(confidence)?)
            }
        };
        let strengths = opponent.equal_style;
        let difference = strengths.and_then(|all| all.difference(system.index(), arm.index()));
        let ends = difference
            .as_ref()
            .and_then(|found| found.interval(confidence));
        let ends = ends.map(|ends| ends.map(logistic));
        rates.push(WinRate {
            system: one.system.clone(),
            win_rate,
            error,
            rate_lower: rate_ends.map(|[lower, _]| lower),
            rate_upper: rate_ends.map(|[_, upper]| upper),
            comparisons: of_system.comparisons(),
            equal_style: difference.map(|found| logistic(found.value)),
            lower: ends.map(|ends| ends[0]),
            upper: ends.map(|ends| ends[1]),
            words: of_system.words.mean().unwrap_or_default(),
        });
    }
    Ok(BaselineWinRates {
        baseline: baseline.to_string(),
        rates,
    })
}

fn seen(source: &Source, collection: &Collection, baseline: Arm) -> Result<Vec<SystemOutcomes>> {
    let mut seen = vec![SystemOutcomes::default(); source.systems().len()];
    for group in source.index.all() {
        let group = group?;
        for output in &group.outputs {
            seen[output.system.index()]
                .words
                .push(words(&output.text) as f64);
        }
    }
    for (place, one) in collection.comparisons().iter().enumerate() {
        let Pair { first, second } = one.pair;
        let (system, outcome) = match baseline {
            _ if second == baseline => (first, one.outcome),
            _ if first == baseline => (second, one.outcome.flipped()),
            _ => continue,
        };
        let items = &mut seen[system.index()].items;
        let [sum, n] = items.entry(one.item as usize).or_default();
        let weight = collection.weight(place);
        *sum += weight * outcome.value();
        *n += weight;
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_clusters() {
        let one_each = SystemOutcomes {
            items: BTreeMap::from([
                (0, [1.0, 1.0]),
                (1, [0.0, 1.0]),
                (2, [0.5, 1.0]),
                (3, [0.5, 1.0]),
            ]),
            ..SystemOutcomes::default()
        };
        let (rate, error) = one_each.rate();
        assert_eq!(rate, Some(0.5));
        // The standard deviation over the root of four.
        assert!((error.unwrap() - (0.5_f64 / 3.0).sqrt() / 2.0).abs() < 1e-12);
        let twice = SystemOutcomes {
            items: one_each
                .items
                .iter()
                .map(|(&item, sums)| (item, sums.map(|one| 2.0 * one)))
                .collect(),
            ..SystemOutcomes::default()
        };
        assert_eq!(
            twice.rate(),
            (rate, error),
            "the same said twice is no more evidence"
        );
        // Wins, losses and ties of single verdicts have the interval that win rates have elsewhere.
        let ends = one_each.interval(0.95).unwrap().unwrap();
        assert_eq!(
            ends,
            <[f64; 2]>::from(wilson::interval_with_ties(1, 1, 4, 0.95))
        );
        assert_ne!(twice.interval(0.95).unwrap(), Some(ends));
        let alone = SystemOutcomes {
            items: BTreeMap::from([(0, [1.0, 2.0])]),
            ..SystemOutcomes::default()
        };
        assert_eq!(
            (alone.rate(), SystemOutcomes::default().rate()),
            ((Some(0.5), None), (None, None))
        );
    }
}
