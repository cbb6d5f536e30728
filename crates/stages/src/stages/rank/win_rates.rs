//! Win rates of each system against a baseline: as people judged, and with both in one style.
//!
//! Dubois et al., "Length-controlled AlpacaEval", 2024, print both. Their second rate comes from a logistic
//! regression for each system, with the length and a difficulty of every instruction. Here it comes from the one
//! model of all systems and all features of style (Bradley and Terry's, at no difference in style), which also has
//! comparisons with other systems. A tie counts one half.

use super::style::words;
use crate::inputs::source::Source;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_base::stats::log_odds::logistic;
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::estimators::bradley_terry::Strengths;
use tiebreak_decide::estimators::contrasts::Contrasts;
use tiebreak_decide::ranking::result::{BaselineWinRates, Strength, WinRate};

/// The outcomes of one system, and the lengths of its outputs.
#[derive(Debug, Clone, Default)]
struct SystemOutcomes {
    words: Moments,
    /// The sum and number of the outcomes against the baseline, for each item with such comparisons.
    items: Vec<(f64, u64)>,
}

impl SystemOutcomes {
    fn comparisons(&self) -> u64 {
        self.items.iter().map(|(_, n)| n).sum()
    }

    /// The mean outcome, and its standard error with items as clusters.
    fn rate(&self) -> (Option<f64>, Option<f64>) {
        let n = self.comparisons() as f64;
        if n == 0.0 {
            return (None, None);
        }
        let rate = self.items.iter().map(|(sum, _)| sum).sum::<f64>() / n;
        let clusters = self.items.len() as f64;
        let residual = |&(sum, of): &(f64, u64)| (sum - rate * of as f64).powi(2);
        let squares: f64 = self.items.iter().map(residual).sum();
        let error = (squares * clusters / (clusters - 1.0)).sqrt() / n;
        (Some(rate), (clusters > 1.0).then_some(error))
    }
}

/// The rates of all systems but the baseline, in the order of `ranked`.
///
/// # Errors
/// An unknown baseline; an index that cannot be read.
pub(super) fn against(
    source: &Source,
    baseline: &str,
    strengths: &Strengths,
    ranked: &[Strength],
    confidence: f64,
) -> Result<BaselineWinRates> {
    let arm = source.index.system(baseline)?;
    let seen = seen(source, arm)?;
    let mut rates = Vec::new();
    for one in ranked.iter().filter(|one| one.system != baseline) {
        let system = source.index.system(&one.system)?;
        let of_system = &seen[system.index()];
        let (win_rate, error) = of_system.rate();
        let difference = strengths.difference(system.index(), arm.index());
        let ends = difference
            .as_ref()
            .and_then(|found| found.interval(confidence));
        let ends = ends.map(|ends| ends.map(logistic));
        rates.push(WinRate {
            system: one.system.clone(),
            win_rate,
            error,
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

fn seen(source: &Source, baseline: Arm) -> Result<Vec<SystemOutcomes>> {
    let mut seen = vec![SystemOutcomes::default(); source.systems().len()];
    for group in source.index.all() {
        let group = group?;
        for output in &group.outputs {
            seen[output.system.index()]
                .words
                .push(words(&output.text) as f64);
        }
        let mut of_item = vec![(0.0, 0); seen.len()];
        for one in &group.comparisons {
            let (system, outcome) = match baseline {
                _ if one.b == baseline => (one.a, one.outcome),
                _ if one.a == baseline => (one.b, one.outcome.flipped()),
                _ => continue,
            };
            let (sum, n) = &mut of_item[system.index()];
            *sum += outcome.value();
            *n += 1;
        }
        let compared = seen.iter_mut().zip(of_item).filter(|(_, (_, n))| *n > 0);
        compared.for_each(|(seen, item)| seen.items.push(item));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_clusters() {
        let one_each = SystemOutcomes {
            items: vec![(1.0, 1), (0.0, 1), (0.5, 1), (0.5, 1)],
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
                .map(|(sum, n)| (2.0 * sum, 2 * n))
                .collect(),
            ..SystemOutcomes::default()
        };
        assert_eq!(
            twice.rate(),
            (rate, error),
            "the same said twice is no more evidence"
        );
        let alone = SystemOutcomes {
            items: vec![(1.0, 2)],
            ..SystemOutcomes::default()
        };
        assert_eq!(
            (alone.rate(), SystemOutcomes::default().rate()),
            ((Some(0.5), None), (None, None))
        );
    }
}
