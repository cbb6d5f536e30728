//! The mean judgment when outputs were chosen to be judged with different probabilities, for example more
//! often where a model is uncertain.
//!
//! Source: Zrnic and Candès, "Active statistical inference", ICML 2024: with the prediction ψ of each
//! judgment and the probability π with which an output was chosen,
//! μ̂ = (1/N) Σ_all ψ + (1/N) Σ_judged (y − ψ)/π, which has no bias whatever ψ and π. Its variance is
//! that of the N terms, those of outputs not judged included.
//!
//! Here ψ is a line in the metrics, fitted with weights 1/π without the fold of the judgment (see
//! `cross_fitting`), so that a metric need not be on the scale of the judgments and several go together;
//! without a metric it is a constant. Probabilities come with the judgments or from `--probabilities`;
//! `sampling::probabilities` makes them from uncertainties.
//!
//! Parameters: `folds`; `ridge`, in judgments; `interval=safe|corrected`, as for `mean`.
//!
//! Deviations: the line instead of a given prediction, and Student's t with the judged items less one. An
//! item judged several times counts with its mean. Outputs are taken as chosen independently. A
//! sample of fixed size, as a campaign of ratings draws it, varies less; its lines are not quite independent
//! of what else was drawn, which moved 24 of 60 very unequal outputs by a seventh of a standard error.
//!
//! Outputs with small probabilities may all go unseen: with a known range an end reaches as far as those could move the mean
//! (`people::UnseenOutputs`). Without that, 95 % intervals from 100 judgments of yes or no, one in twenty, held in .78 where
//! the few were the least likely to be drawn; now in .99 (400 runs, `tests/estimators/coverage.rs`), elsewhere in .945 and
//! more, whether uncertainties are informative, useless or adversarial.

use super::contributions::Contributions;
use super::cross_fitting::{CrossFitParameters, Folds, RegressionLine};
use super::interval::IntervalParameters;
use super::people::{ItemJudgmentMeans, UnseenOutputs};
use super::rule::IntervalCase;
use super::{
    AdjustedJudgment, Adjuster, Estimator, EstimatorConstructor, InferenceScope, MeanEstimate,
    Metrics, Range, ScoredJudgment, Survey,
};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::{Entry, Params, parameters_of_both};

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "active",
    summary: "mean judgment of outputs chosen with known probabilities, corrected by metrics",
    cite: "Zrnic and Candès, Active statistical inference, ICML 2024",
    parameters: parameters_of_both::<CrossFitParameters, IntervalParameters>,
    build: EstimatorConstructor::new(Metrics::Several, build),
};

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let (fit, telling): (CrossFitParameters, IntervalParameters) = params.read_both(ENTRY.name)?;
    fit.check(ENTRY.name)?;
    let population = &survey.population;
    if population.n == 0 {
        return Err(Error::usage("active needs all outputs of the system"));
    }
    Ok(Box::new(ActiveEstimator {
        outputs: population.n as f64,
        standard: population.standard(),
        covariance: population.standard_covariance(),
        folds: Folds::new(fit, false, population.metrics(), survey.seed),
        offset: 0.0,
        items: BTreeMap::new(),
        judged: 0,
        telling,
        range: survey.range,
        bad: None,
    }))
}

/// The judgments of one judged output.
struct ActiveItemSums {
    fold: usize,
    n: f64,
    y: f64,
    g: Vec<f64>,
    probability: f64,
}

impl ActiveItemSums {
    fn y(&self) -> f64 {
        self.y / self.n
    }

    /// The residual of its judgment from the line of its fold.
    fn unpredicted(&self, lines: &[RegressionLine]) -> f64 {
        self.y() - self.predicted(lines)
    }

    fn predicted(&self, lines: &[RegressionLine]) -> f64 {
        let line = &lines[self.fold];
        line.intercept + line.slope(&self.g)
    }
}

struct ActiveEstimator {
    outputs: f64,
    /// The mean and the reciprocal deviation of each metric.
    standard: Vec<(f64, f64)>,
    /// The covariance of the standardised metrics over all outputs.
    covariance: Vec<f64>,
    folds: Folds,
    offset: f64,
    items: BTreeMap<u32, ActiveItemSums>,
    judged: u64,
    telling: IntervalParameters,
    range: Option<Range>,
    /// The error in a probability, if any.
    bad: Option<String>,
}

impl ActiveEstimator {
    /// Returns the probability of a judgment, or 1 and notes its error.
    fn probability(&mut self, judged: &ScoredJudgment<'_>) -> f64 {
        let known = self.items.get(&judged.item).map(|item| item.probability);
        let what = match (judged.probability, known) {
            (Some(p), None) if p > 0.0 && p <= 1.0 => return p,
            (Some(p), Some(known)) if p == known => return p,
            (Some(p), None) => format!(
                "a judged output has the probability {p}, expected a number above 0 and up to 1"
            ),
            (Some(p), Some(known)) => {
                format!("judgments of one output have the probabilities {known} and {p}")
            }
            (None, _) => "a judged output has no probability of being chosen".to_string(),
        };
        self.bad.get_or_insert(what);
        known.unwrap_or(1.0)
    }

    /// The mean over all folds' lines, for outputs that belong to none.
    fn mean_line(&self, lines: &[RegressionLine]) -> RegressionLine {
        let share = 1.0 / lines.len() as f64;
        let slope = |metric: usize| lines.iter().map(|line| share * line.slopes[metric]).sum();
        RegressionLine {
            intercept: lines.iter().map(|line| share * line.intercept).sum(),
            slopes: (0..self.standard.len()).map(slope).collect(),
        }
    }

    /// The estimate relative to the offset.
    fn mean(&self, lines: &[RegressionLine]) -> f64 {
        let folds = self.folds.sums().iter().zip(lines);
        let corrections: f64 = folds
            .map(|(sums, line)| sums.y - line.intercept * sums.weight - line.slope(&sums.g))
            .sum();
        self.mean_line(lines).intercept + corrections / self.outputs
    }

    /// N² times the variance, without its small-sample factor.
    fn squares(&self, lines: &[RegressionLine], value: f64) -> f64 {
        let line = self.mean_line(lines);
        let size = self.standard.len();
        let spread: f64 = (0..size)
            .map(|i| line.slopes[i] * line.slope(&self.covariance[i * size..(i + 1) * size]))
            .sum();
        let shift = line.intercept - value;
        let predictions = self.outputs * (spread + shift * shift);
        let judged = |item: &ActiveItemSums| {
            let moved = shift + line.slope(&item.g);
            let r = item.unpredicted(lines) / item.probability;
            r * (r + 2.0 * moved)
        };
        (predictions + self.items.values().map(judged).sum::<f64>()).max(0.0)
    }

    /// The contributions of the judged outputs; those of outputs only predicted are left out.
    fn contributions_of(&self, lines: &[RegressionLine]) -> Option<Contributions> {
        let df = self.df()?;
        let correction = (self.items.len() as f64 / df as f64).sqrt();
        let share = |item: &ActiveItemSums| {
            correction * item.unpredicted(lines) / (item.probability * self.outputs)
        };
        let by_item = self.items.iter();
        Some(Contributions {
            by_item: by_item.map(|(&at, item)| (at, share(item))).collect(),
            df,
        })
    }

    fn df(&self) -> Option<u64> {
        (self.items.len() as u64)
            .checked_sub(1)
            .filter(|&df| df > 0)
    }

    /// The standard error from all N terms.
    fn standard_error(&self, lines: &[RegressionLine], mean: f64, error: &Contributions) -> f64 {
        let correction = self.items.len() as f64 / error.df as f64;
        let items = correction * self.squares(lines, mean) / (self.outputs * self.outputs);
        items.sqrt()
    }

    fn people(&self) -> ItemJudgmentMeans {
        let chosen = |item: &ActiveItemSums| (self.offset + item.y(), item.probability);
        ItemJudgmentMeans::chosen(self.items.values().map(chosen), self.outputs as u64)
    }
}

impl Estimator for ActiveEstimator {
    fn push(&mut self, judged: &ScoredJudgment<'_>) {
        if self.items.is_empty() {
            self.offset = judged.y;
        }
        let probability = self.probability(judged);
        let weight = probability.recip();
        let scores = judged.g.iter().zip(&self.standard);
        let folds = &mut self.folds;
        let item = self
            .items
            .entry(judged.item)
            .or_insert_with(|| ActiveItemSums {
                fold: folds.of_item(judged.item),
                n: 0.0,
                y: 0.0,
                g: scores.map(|(g, (mean, per))| (g - mean) * per).collect(),
                probability,
            });
        if item.n > 0.0 {
            folds.push(item.fold, -weight, item.y(), &item.g);
        }
        item.n += 1.0;
        item.y += judged.y - self.offset;
        folds.push(item.fold, weight, item.y(), &item.g);
        self.judged += 1;
    }

    fn value(&self) -> Option<f64> {
        (self.judged > 0).then(|| self.offset + self.mean(&self.folds.lines()))
    }

    fn estimate(&self, confidence: f64) -> Option<MeanEstimate> {
        let lines = self.folds.lines();
        let mean = (self.judged > 0).then(|| self.mean(&lines))?;
        let only = (self.standard.len() == 1).then(|| self.mean_line(&lines).slopes[0]);
        let error = self.contributions_of(&lines);
        let case = IntervalCase {
            value: self.offset + mean,
            people: &self.people(),
            standard_error: error
                .as_ref()
                .map(|error| self.standard_error(&lines, mean, error)),
            error,
            range: self.range,
            plain: false,
            left: 1.0,
        };
        let (interval, method) = case.asked_for(self.telling.interval, confidence);
        Some(MeanEstimate {
            value: case.value,
            n: self.judged,
            alpha: only,
            interval,
            method,
            over: InferenceScope::OutputsAtHand,
        })
    }

    fn check(&self) -> Result<()> {
        match &self.bad {
            None => Ok(()),
            Some(what) => Err(Error::usage(format!("active: {what}")).with_hint(message!(
                "{} names them: columns item, system, probability",
                Key("probabilities").set("FILE")
            ))),
        }
    }

    fn unseen_by_design(&self) -> Option<UnseenOutputs> {
        Some(self.people().unseen())
    }

    fn is_weighable(&self) -> bool {
        false
    }

    fn adjuster(&self) -> Adjuster<'_> {
        let lines = self.folds.lines();
        Box::new(move |judged| {
            let item = self.items.get(&judged.item)?;
            Some(AdjustedJudgment {
                value: judged.y - lines[item.fold].slope(&item.g),
                weight: item.probability.recip(),
            })
        })
    }

    fn contributions(&self) -> Option<Contributions> {
        self.contributions_of(&self.folds.lines())
    }
}
