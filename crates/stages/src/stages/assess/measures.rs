//! Computes an assessment from cases.
//!
//! Sources: sentence accuracy with τ1, τ2 over both orders, as Mohankumar and Khapra (ACL 2022,
//! table 3) count it; Brier score and log loss as in [`stats::forecast`](tiebreak_base::stats::forecast),
//! calibration error as in [`stats::reliability`](tiebreak_base::stats::reliability), areas as in
//! [`stats::rejection`](tiebreak_base::stats::rejection).
//!
//! Comparisons of identical outputs say nothing about a model and would flatter it: only the three-way
//! accuracy looks at them, as the paper does. Thresholds that are not given are fitted on half of the
//! items, drawn by the seed, and tested on the other half, both ways. All intervals but that of the position bias
//! resample items, with the thresholds kept as they are.

use super::cases::{Cases, PredictionCase};
use super::rejection::Rejection;
use super::reliability::{Bin, bin_index, bins, calibration_error, expected_by_chance};
use super::rows::{
    Assessment, AssessmentCounts, AssessmentMeasure, AssessmentThresholds, BaldBin, RejectionCurve,
    ReliabilityBin, ThresholdOrigin,
};
use super::sample::{CONFIDENCE, ClusteredCases, mean};
use std::collections::BTreeSet;
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_decide::model_based::UncertaintyMeasure;
use tiebreak_decide::model_based::thresholds;
use tiebreak_decide::ranking::result::PositionBias;

/// The number of shares on an accuracy-rejection curve: 0, 0.05 … 0.95.
const SHARES: u32 = 20;

impl Cases {
    /// Measures the predictions of some comparisons, with `bins` bins of preferences and of BALD. The
    /// thresholds of the three-way accuracy are fitted where there are none; signature and data are left
    /// empty.
    ///
    /// # Errors
    /// A position bias outside [-1, 1].
    pub fn measure(
        &self,
        bins: usize,
        thresholds: Option<thresholds::Thresholds>,
        seed: Seed,
    ) -> Result<Assessment> {
        let all = ClusteredCases::new(self.all.iter().copied(), seed);
        let differing = || self.all.iter().copied().filter(|case| !case.identical);
        let different = ClusteredCases::new(differing(), seed);
        let decided = differing().filter(|case| case.forecast().right().is_some());
        let decided = ClusteredCases::new(decided, seed);
        let right = right(&decided);
        let (three_way, thresholds) = three_way(&all, thresholds, &self.half(seed));
        let (reliability, calibration_error, by_chance) = calibration(&different, bins, seed);
        let mistakes: Vec<f64> = right.iter().map(|right| 1.0 - right).collect();
        let oracle = Rejection::new(&mistakes);
        Ok(Assessment {
            signature: String::new(),
            data: String::new(),
            counts: counts(self, &different),
            accuracy: decided.mean(&right, 1.0),
            three_way,
            thresholds,
            brier: different.mean(&different.each(|case| case.forecast().brier()), 1.0),
            log_loss: different.mean(
                &different.each(|case| case.forecast().log_loss()),
                -Forecast::CERTAIN.ln(),
            ),
            clip: Forecast::CERTAIN,
            calibration_error,
            calibration_error_by_chance: by_chance,
            position: position(self)?,
            reliability,
            oracle_area: decided.value(|weights| oracle.area(&right, weights)),
            oracle_curve: curve(&decided, &oracle, &right),
            uncertainty: uncertainties(&decided)
                .into_iter()
                .map(|(by, uncertainty)| rejected(&decided, by, &uncertainty, &right, &oracle))
                .collect(),
            bald: bald(&different, bins),
        })
    }
}

/// The correctness of decided cases: 1, 0, or ½ where the preference is ½.
fn right(decided: &ClusteredCases) -> Vec<f64> {
    decided.each(|case| case.forecast().right().unwrap_or(0.5))
}

fn counts(cases: &Cases, different: &ClusteredCases) -> AssessmentCounts {
    let count = |wanted: &dyn Fn(&PredictionCase) -> bool| {
        cases.all.iter().filter(|case| wanted(case)).count() as u64
    };
    let tie = |case: &PredictionCase| case.forecast().right().is_none();
    AssessmentCounts {
        comparisons: different.cases.len() as u64,
        items: different.items(),
        ties: count(&|case| tie(case) && !case.identical),
        identical: count(&|case| case.identical),
        identical_ties: count(&|case| tie(case) && case.identical),
        unpredicted: cases.unpredicted,
        clipped: count(&|case| case.forecast().is_clipped() && !case.identical),
    }
}

/// The position bias, over all pairs that were judged, whether people compared them or not, as `rank` has it.
fn position(cases: &Cases) -> Result<Option<AssessmentMeasure>> {
    let biases: Vec<(usize, f64)> = cases
        .positions
        .iter()
        .map(|&(item, bias)| (item as usize, bias))
        .collect();
    let items: BTreeSet<usize> = biases.iter().map(|one| one.0).collect();
    let bias = PositionBias::new(&biases, CONFIDENCE)?;
    Ok(bias.map(|bias| AssessmentMeasure {
        value: Some(bias.value),
        lower: bias.lower,
        upper: bias.upper,
        comparisons: bias.verdicts,
        items: items.len() as u64,
    }))
}

fn three_way(
    all: &ClusteredCases,
    given: Option<thresholds::Thresholds>,
    first: &BTreeSet<u64>,
) -> (AssessmentMeasure, AssessmentThresholds) {
    let right = |thresholds: &thresholds::Thresholds, case: &PredictionCase| {
        thresholds.accuracy(&[case.judged()]).unwrap_or(0.0)
    };
    let pair = |thresholds: &thresholds::Thresholds| (thresholds.tau1(), thresholds.tau2());
    if let Some(given) = given {
        let told = AssessmentThresholds {
            origin: ThresholdOrigin::Given,
            pairs: vec![pair(&given)],
        };
        return (all.mean(&all.each(|case| right(&given, case)), 1.0), told);
    }
    let fitted = [true, false].map(|half| {
        let of_half = all
            .cases
            .iter()
            .filter(|case| first.contains(&case.item) == half);
        let judged: Vec<_> = of_half.map(PredictionCase::judged).collect();
        thresholds::Thresholds::fit(&judged)
    });
    // Each half is tested with what was fitted on the other.
    let tested =
        |case: &PredictionCase| right(&fitted[usize::from(first.contains(&case.item))], case);
    let told = AssessmentThresholds {
        origin: ThresholdOrigin::Halves,
        pairs: fitted.iter().map(pair).collect(),
    };
    (all.mean(&all.each(tested), 1.0), told)
}

/// The bins, the calibration error and what chance explains of it.
fn calibration(
    different: &ClusteredCases,
    count: usize,
    seed: Seed,
) -> (Vec<ReliabilityBin>, AssessmentMeasure, Option<f64>) {
    let binned = |weights: &[f64]| {
        let forecasts = different.cases.iter().map(PredictionCase::forecast);
        bins(forecasts.zip(weights.iter().copied()), count)
    };
    let error = different.measured_with_bias(|weights| calibration_error(&binned(weights)));
    let plain = different.value(binned);
    let told = |(number, bin): (usize, &Bin)| {
        let cases = different.cases.iter().copied();
        let inside = cases.filter(|case| bin_index(case.forecast(), count) == number);
        let inside = ClusteredCases::new(inside, seed);
        let won = inside.mean(&inside.each(|case| case.forecast().folded().outcome), 1.0);
        ReliabilityBin {
            lower: bin.lower,
            upper: bin.upper,
            comparisons: bin.weight as u64,
            preference: bin.forecast(),
            won: won.value,
            won_lower: won.lower,
            won_upper: won.upper,
        }
    };
    let reliability = plain.iter().enumerate().map(told).collect();
    (reliability, error, expected_by_chance(&plain))
}

/// The measures of uncertainty that every case has.
fn uncertainties(decided: &ClusteredCases) -> Vec<(UncertaintyMeasure, Vec<f64>)> {
    let known = |by: UncertaintyMeasure| {
        let cases = decided.cases.iter();
        let each = cases.map(|case| by.measure(&case.prediction));
        Some((by, each.collect::<Option<Vec<f64>>>()?))
    };
    UncertaintyMeasure::ALL
        .into_iter()
        .filter_map(known)
        .collect()
}

fn rejected(
    decided: &ClusteredCases,
    by: UncertaintyMeasure,
    uncertainty: &[f64],
    right: &[f64],
    oracle: &Rejection,
) -> RejectionCurve {
    let order = Rejection::new(uncertainty);
    let gain = |weights: &[f64]| {
        let random = mean(right, weights)?;
        let best = oracle.area(right, weights)? - random;
        (best > 0.0).then_some((order.area(right, weights)? - random) / best)
    };
    RejectionCurve {
        by,
        area: decided.measured(0.0..=1.0, |weights| order.area(right, weights)),
        gain: decided.measured(f64::NEG_INFINITY..=1.0, gain),
        curve: curve(decided, &order, right),
    }
}

/// The curve of (share rejected, accuracy on the rest).
fn curve(decided: &ClusteredCases, order: &Rejection, right: &[f64]) -> Vec<(f64, f64)> {
    let at = |step: u32| {
        let share = f64::from(step) / f64::from(SHARES);
        let accuracy = decided.value(|weights| order.accuracy(right, weights, share))?;
        Some((share, accuracy))
    };
    (0..SHARES).filter_map(at).collect()
}

/// BALD in bins of equal width from 0 to the largest.
fn bald(different: &ClusteredCases, count: usize) -> Vec<BaldBin> {
    let known =
        |case: &PredictionCase| Some((case.prediction.uncertainty?.bald, case.forecast().right()));
    let all: Option<Vec<_>> = different.cases.iter().map(known).collect();
    let Some(all) = all else {
        return Vec::new();
    };
    let largest = all.iter().map(|case| case.0).fold(0.0, f64::max);
    if largest == 0.0 {
        return Vec::new();
    }
    let edge = |bin: usize| largest * bin as f64 / count as f64;
    let empty = |bin: usize| BaldBin {
        lower: edge(bin),
        upper: edge(bin + 1),
        comparisons: 0,
        decided: 0,
        right: 0.0,
    };
    let mut bins: Vec<BaldBin> = (0..count).map(empty).collect();
    for (bald, right) in all {
        let place = (bald / largest * count as f64) as usize;
        let bin = &mut bins[place.min(count - 1)];
        bin.comparisons += 1;
        bin.decided += u64::from(right.is_some());
        bin.right += right.unwrap_or(0.0);
    }
    bins
}
