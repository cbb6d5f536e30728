//! Krippendorff's α: agreement beyond chance, for any number of annotators, with answers missing.
//!
//! Source: Krippendorff, "Computing Krippendorff's alpha-reliability", 2011: `α = 1 − D_o/D_e`, the
//! disagreement within questions over that between any two answers. Only questions answered at least
//! twice count. On each scale the disagreement of two answers is the squared distance of some marks:
//! of the values themselves (interval), of their mean ranks among all answers (ordinal, which is his
//! definition seen from another side), or of unlike corners (nominal); so D is a variance, and no
//! table of all pairs of values is needed. On a ratio scale, with `((c − k)/(c + k))²` of two answers, it is: there all
//! pairs of different values are looked at. 1 is perfect agreement, 0 what chance would give.

use super::QuestionAnswer;
use tiebreak_base::stats::correlation::mean_ranks;
use tiebreak_base::stats::moments::Moments;

/// What the distances between answers mean (the level of measurement).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementLevel {
    /// Nothing: answers are the same or different.
    Nominal,
    /// Only which answer is larger.
    Ordinal,
    /// How much larger one answer is.
    Interval,
    /// How many times as large one answer is; no answer is below 0.
    Ratio,
}

/// Krippendorff's α, at most 1; `None` where no question has two answers or all are the same. O(n log n); at the level of ratios also
/// quadratic in the number of different values.
pub fn alpha(questions: &[Vec<QuestionAnswer>], scale: MeasurementLevel) -> Option<f64> {
    let values = questions.iter().flatten().map(|answer| answer.value);
    alpha_of_values(values.collect(), questions.iter().map(Vec::len), scale)
}

/// Krippendorff's α, as [`alpha`], of values in the order of the questions: `sizes` says how many each question has.
pub fn alpha_of_values(
    mut values: Vec<f64>,
    sizes: impl IntoIterator<Item = usize>,
    scale: MeasurementLevel,
) -> Option<f64> {
    let (mut shared, mut kept, mut begin) = (Vec::new(), 0, 0);
    for size in sizes {
        if size > 1 {
            values.copy_within(begin..begin + size, kept);
            shared.push(size);
            kept += size;
        }
        begin += size;
    }
    values.truncate(kept);
    let disagreement = match scale {
        MeasurementLevel::Nominal => unlike,
        MeasurementLevel::Ordinal | MeasurementLevel::Interval => spread,
        MeasurementLevel::Ratio => relative_spread,
    };
    if scale == MeasurementLevel::Ordinal {
        values = mean_ranks(&values);
    }
    let (n, mut rest) = (values.len() as f64, &mut values[..]);
    let mut observed = 0.0;
    // The values of a question may change their order, so all of them are looked at last.
    for size in shared {
        let (answers, later) = rest.split_at_mut(size);
        observed += size as f64 / n * disagreement(answers);
        rest = later;
    }
    let expected = disagreement(&mut values);
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// The mean squared distance of two of the values, halved: their variance.
fn spread(values: &mut [f64]) -> f64 {
    let moments: Moments = values.iter().copied().collect();
    moments.sample_variance().unwrap_or(0.0)
}

/// The share of pairs of the values that are not alike.
fn unlike(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let pairs = |n: usize| n as f64 * (n as f64 - 1.0);
    let alike: f64 = values
        .chunk_by(|a, b| a == b)
        .map(|equal| pairs(equal.len()))
        .sum();
    1.0 - alike / pairs(values.len())
}

/// The mean squared distance of two of the values relative to their sum.
fn relative_spread(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let counted = values.chunk_by(|a, b| a == b);
    let counted: Vec<(f64, f64)> = counted
        .map(|equal| (equal[0], equal.len() as f64))
        .collect();
    let mut sum = 0.0;
    for (place, (low, lows)) in counted.iter().enumerate() {
        for (high, highs) in &counted[place + 1..] {
            // Of two different values only one can be 0.
            sum += lows * highs * ((high - low) / (high + low)).powi(2);
        }
    }
    let n = values.len() as f64;
    2.0 * sum / (n * (n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// α by the coincidence matrix, as the paper computes it.
    fn by_coincidences(questions: &[Vec<QuestionAnswer>], scale: MeasurementLevel) -> Option<f64> {
        let shared = || questions.iter().filter(|answers| answers.len() > 1);
        let mut values: Vec<f64> = shared().flatten().map(|answer| answer.value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let k = values.len();
        let place =
            |answer: &QuestionAnswer| values.iter().position(|&v| v == answer.value).unwrap();
        let mut coincidences = vec![vec![0.0; k]; k];
        for answers in shared() {
            for (i, a) in answers.iter().enumerate() {
                for (j, b) in answers.iter().enumerate() {
                    if i != j {
                        coincidences[place(a)][place(b)] += 1.0 / (answers.len() - 1) as f64;
                    }
                }
            }
        }
        let totals: Vec<f64> = coincidences.iter().map(|row| row.iter().sum()).collect();
        let n: f64 = totals.iter().sum();
        let distance = |c: usize, d: usize| match scale {
            MeasurementLevel::Nominal => f64::from(c != d),
            MeasurementLevel::Interval => (values[c] - values[d]).powi(2),
            MeasurementLevel::Ratio if c == d => 0.0,
            MeasurementLevel::Ratio => ((values[c] - values[d]) / (values[c] + values[d])).powi(2),
            MeasurementLevel::Ordinal => {
                let (low, high) = (c.min(d), c.max(d));
                let between: f64 = totals[low..=high].iter().sum();
                (between - f64::midpoint(totals[low], totals[high])).powi(2)
            }
        };
        let (mut observed, mut expected) = (0.0, 0.0);
        for c in 0..k {
            for d in 0..k {
                observed += coincidences[c][d] * distance(c, d);
                expected += totals[c] * totals[d] * distance(c, d) / (n - 1.0);
            }
        }
        (expected > 0.0).then(|| 1.0 - observed / expected)
    }

    #[test]
    fn variances_give_what_the_coincidence_matrix_gives() {
        for run in 0..60 {
            let mut rng = Seed(2).stream("test", run);
            let few = 1 + rng.below(5);
            let questions: Vec<Vec<QuestionAnswer>> = (0..12)
                .map(|_| {
                    let (truth, given) = (rng.below(few), rng.below(5));
                    let answer = |annotator| QuestionAnswer {
                        annotator: Some(annotator),
                        value: 2.5 * (truth + rng.below(few)) as f64,
                    };
                    (0..given).map(answer).collect()
                })
                .collect();
            for scale in [
                MeasurementLevel::Nominal,
                MeasurementLevel::Ordinal,
                MeasurementLevel::Interval,
                MeasurementLevel::Ratio,
            ] {
                match (alpha(&questions, scale), by_coincidences(&questions, scale)) {
                    (Some(fast), Some(slow)) => {
                        assert!(
                            (fast - slow).abs() < 1e-10,
                            "{run} {scale:?}: {fast} {slow}"
                        );
                    }
                    (fast, slow) => assert_eq!(fast, slow, "{run} {scale:?}"),
                }
            }
        }
    }

    /// The reliability data of the source, with four observers of twelve units, and what it gives for them.
    #[test]
    fn the_example_of_the_source_has_its_values() {
        let observers = [
            "1 2 3 3 2 1 4 1 2 . . .",
            "1 2 3 3 2 2 4 1 2 5 . 3",
            ". 3 3 3 2 3 4 2 2 5 1 .",
            "1 2 3 3 2 4 4 1 2 5 1 .",
        ];
        let mut questions = vec![Vec::new(); 12];
        for (annotator, row) in observers.iter().enumerate() {
            for (question, answer) in questions.iter_mut().zip(row.split(' ')) {
                let value = answer.parse().ok();
                let annotator = Some(annotator);
                question.extend(value.map(|value| QuestionAnswer { annotator, value }));
            }
        }
        for (scale, expected) in [
            (MeasurementLevel::Nominal, 0.743),
            (MeasurementLevel::Ordinal, 0.815),
            (MeasurementLevel::Interval, 0.849),
            (MeasurementLevel::Ratio, 0.797),
        ] {
            let found = alpha(&questions, scale).unwrap();
            assert!((found - expected).abs() < 5e-4, "{scale:?}: {found}");
        }
    }
}
