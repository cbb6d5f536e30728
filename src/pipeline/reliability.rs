//! How far a run's predictions can be trusted: each beside what people said of the same outputs.
//!
//! Read item by item, twice where there is uncertainty: first for the largest BALD, which the bins
//! of the histogram end at, then for the counts.

use super::context::Context;
use super::source::{Predictions, Source};
use crate::duel::{Arm, Outcome, Prediction};
use crate::error::Result;
use crate::preference::thresholds::Thresholds;
use crate::records::Kind;
use crate::records::index::GroupComparison;
use crate::tables::reliability::{BaldBin, ConfidenceBin, Reliability};

/// Bins of confidence between ½ and 1.
const CONFIDENCE_BINS: usize = 10;

/// Bins of the histogram of BALD.
const BALD_BINS: usize = 20;

/// Lays predictions beside comparisons; `None` where the data set has no comparisons.
///
/// # Errors
/// If a temporary file cannot be read; [`crate::Error::Interrupted`].
pub(super) fn measure(
    context: &Context<'_>,
    source: &Source,
    predictions: &Predictions,
) -> Result<Option<Reliability>> {
    if source.index.rows(Kind::Comparisons) == 0 {
        return Ok(None);
    }
    let (tau1, tau2) = predictions.thresholds;
    let thresholds = Thresholds::new(tau1, tau2)?;
    let mut counts = Counts::new(largest_bald(source, predictions)?);
    for group in source.index.all() {
        context.check()?;
        let group = group?;
        let of_item = predictions.of(group.position)?;
        for (.., prediction) in &of_item {
            if let Some(bin) = counts.bald_bin(prediction) {
                bin.predictions += 1;
            }
        }
        for comparison in &group.comparisons {
            match find(&of_item, comparison) {
                Some(prediction) => counts.push(prediction, comparison.outcome, thresholds),
                None => counts.unpredicted += 1,
            }
        }
    }
    Ok(Some(counts.summed_up()))
}

/// The largest BALD, `None` where not every prediction has one.
fn largest_bald(source: &Source, predictions: &Predictions) -> Result<Option<f64>> {
    if !predictions.has_uncertainty {
        return Ok(None);
    }
    let mut largest = 0.0_f64;
    for position in 0..source.index.items() {
        for (.., prediction) in predictions.of(position)? {
            largest = prediction
                .uncertainty
                .map_or(largest, |u| largest.max(u.bald));
        }
    }
    Ok(Some(largest))
}

/// The prediction for the first of the two compared.
fn find(of_item: &[(Arm, Arm, Prediction)], comparison: &GroupComparison) -> Option<Prediction> {
    let GroupComparison { a, b, .. } = *comparison;
    of_item
        .iter()
        .find_map(|&(first, second, prediction)| match (first, second) {
            same if same == (a, b) => Some(prediction),
            other if other == (b, a) => Some(prediction.flipped()),
            _ => None,
        })
}

/// Sums over comparisons.
#[derive(Default)]
struct Counts {
    judgments: u64,
    unpredicted: u64,
    right: f64,
    squares: f64,
    confidence: [Sums; CONFIDENCE_BINS],
    bald: Vec<BaldCount>,
    /// The width of a bin of BALD.
    width: f64,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    judgments: u64,
    predicted: f64,
    observed: f64,
}

#[derive(Clone, Copy, Default)]
struct BaldCount {
    predictions: u64,
    judgments: u64,
    right: f64,
}

impl Counts {
    fn new(largest_bald: Option<f64>) -> Self {
        // Where nothing is uncertain at all there is one bin, from 0 to 0.
        let bins = match largest_bald {
            None => 0,
            Some(0.0) => 1,
            Some(_) => BALD_BINS,
        };
        Self {
            bald: vec![BaldCount::default(); bins],
            width: largest_bald.unwrap_or(0.0) / bins.max(1) as f64,
            ..Self::default()
        }
    }

    fn bald_bin(&mut self, prediction: &Prediction) -> Option<&mut BaldCount> {
        let last = self.bald.len().checked_sub(1)?;
        let bald = prediction.uncertainty?.bald;
        let bin = if self.width > 0.0 {
            bald / self.width
        } else {
            0.0
        };
        self.bald.get_mut((bin as usize).min(last))
    }

    /// Adds one comparison; the prediction is for the side whose outcome is told.
    fn push(&mut self, prediction: Prediction, outcome: Outcome, thresholds: Thresholds) {
        let p = prediction.p;
        let hits = [(p, outcome), (1.0 - p, outcome.flipped())]
            .into_iter()
            .filter(|&(p, outcome)| thresholds.outcome(p) == outcome);
        let right = hits.count() as f64 / 2.0;
        self.judgments += 1;
        self.right += right;
        self.squares += (p - outcome.value()).powi(2);
        let observed = match p {
            0.5 => 0.5, // seen from both sides
            p if p > 0.5 => outcome.value(),
            _ => outcome.flipped().value(),
        };
        let confidence = p.max(1.0 - p);
        let bin = (confidence - 0.5) * 2.0 * CONFIDENCE_BINS as f64;
        let bin = &mut self.confidence[(bin as usize).min(CONFIDENCE_BINS - 1)];
        bin.judgments += 1;
        bin.predicted += confidence;
        bin.observed += observed;
        if let Some(bin) = self.bald_bin(&prediction) {
            bin.judgments += 1;
            bin.right += right;
        }
    }

    fn summed_up(self) -> Reliability {
        let mean = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
        let of_all = |sum: f64| mean(sum, self.judgments);
        let edge = |bin: usize| 0.5 + 0.5 * bin as f64 / CONFIDENCE_BINS as f64;
        let bins = self.confidence.iter().enumerate();
        let bins: Vec<ConfidenceBin> = bins
            .filter(|(_, sums)| sums.judgments > 0)
            .map(|(bin, sums)| ConfidenceBin {
                lower: edge(bin),
                upper: edge(bin + 1),
                judgments: sums.judgments,
                predicted: sums.predicted / sums.judgments as f64,
                observed: sums.observed / sums.judgments as f64,
            })
            .collect();
        let apart = bins
            .iter()
            .map(|bin| bin.judgments as f64 * (bin.predicted - bin.observed).abs());
        let bald = self.bald.iter().enumerate().map(|(bin, count)| BaldBin {
            lower: self.width * bin as f64,
            upper: self.width * (bin + 1) as f64,
            predictions: count.predictions,
            judgments: count.judgments,
            accuracy: mean(count.right, count.judgments),
        });
        Reliability {
            judgments: self.judgments,
            unpredicted: self.unpredicted,
            accuracy: of_all(self.right),
            brier: of_all(self.squares),
            calibration_error: of_all(apart.sum()),
            bald: bald.collect(),
            bins,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Uncertainty;

    fn predicted(p: f64, bald: f64) -> Prediction {
        let uncertainty = Some(Uncertainty {
            mean: p,
            bald,
            std: 0.0,
        });
        Prediction { p, uncertainty }
    }

    #[test]
    fn confidence_is_seen_from_the_side_that_is_preferred() {
        let mut counts = Counts::new(Some(0.4));
        let thresholds = Thresholds::new(0.45, 0.55).unwrap();
        counts.push(predicted(0.9, 0.0), Outcome::Win, thresholds);
        counts.push(predicted(0.1, 0.4), Outcome::Loss, thresholds);
        counts.push(predicted(0.08, 0.4), Outcome::Win, thresholds);
        counts.push(predicted(0.5, 0.1), Outcome::Tie, thresholds);
        let found = counts.summed_up();
        assert_eq!((found.judgments, found.accuracy), (4, Some(0.75)));
        let squares = (0.01 + 0.01 + 0.92 * 0.92) / 4.0;
        assert!((found.brier.unwrap() - squares).abs() < 1e-12);
        // 0.5 and (0.9, 0.9, 0.92): people agreed with two of those three.
        let of_bins: Vec<u64> = found.bins.iter().map(|bin| bin.judgments).collect();
        assert_eq!(of_bins, [1, 3]);
        assert_eq!(found.bins[0].observed, 0.5);
        let apart = 3.0 * (2.72 / 3.0 - 2.0 / 3.0) / 4.0;
        assert!((found.calibration_error.unwrap() - apart).abs() < 1e-12);
        // The largest BALD falls into the last bin.
        assert_eq!(found.bald.len(), BALD_BINS);
        let last = found.bald[BALD_BINS - 1];
        assert_eq!((last.judgments, last.accuracy), (2, Some(0.5)));
        assert!((last.upper - 0.4).abs() < 1e-12);
    }

    #[test]
    fn nothing_judged_and_nothing_uncertain_are_no_numbers() {
        let found = Counts::new(None).summed_up();
        assert_eq!(found, Reliability::default());
        let mut certain = Counts::new(Some(0.0));
        certain.push(predicted(1.0, 0.0), Outcome::Win, Thresholds::default());
        let found = certain.summed_up();
        assert_eq!((found.bald.len(), found.bald[0].judgments), (1, 1));
        assert_eq!(found.calibration_error, Some(0.0));
    }
}
