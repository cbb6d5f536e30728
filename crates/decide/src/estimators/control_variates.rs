//! The mean judgment, corrected by how the metric's scores of the judged outputs differ from its
//! scores of all outputs.
//!
//! Source: Chaganty, Mussmann and Liang, "The price of debiasing automatic metrics in natural
//! language evaluation", ACL 2018, Algorithm 1: with g standardised over all outputs,
//! μ̂ = (1/n) Σ (y − α̂ g) and α̂ = (1/n) Σ (y − ȳ) g. Theorem 3.1: with the best α the variance is
//! `(σ_f² (1 − ρ²) + σ_a²)/n`; the fitted α̂ adds a bias and a variance of order 1/n each relative to
//! it.
//!
//! Parameters: `alpha`, a fixed coefficient per standard deviation of g instead of the fitted one
//! (then the estimate has no bias at all); `interval`, `resamples` and `population`, as for `mean`.
//!
//! Deviations: none in the estimate. The paper gives no standard error for a fitted α̂: here it is
//! that of the residuals, robust to clusters by item, with one degree of freedom less. A metric
//! that gives all outputs the same score corrects nothing: α is 0 and everything equals `mean`.

use super::clusters::{Clusters, ControlVariateSums};
use super::finite::{Extent, FiniteCorrection, TheseItems};
use super::interval::{Interval, IntervalKind, UncertaintyParameters};
use super::rule::IntervalCase;
use super::tails;
use super::{
    AdjustedJudgment, Adjuster, Contributions, Estimator, EstimatorConstructor, InferenceScope,
    IntervalMethod, MeanEstimate, Metrics, Population, Range, RatedOutput, ScoredJudgment, Survey,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, finite, parameters_of_both};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::bootstrap::percentile_interval;
use tiebreak_base::stats::quantiles::two_sided_t;
use tiebreak_base::stats::resampled_sums::resampled_sums;

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "control-variates",
    summary: "mean judgment, corrected by a metric whose mean over all outputs is known",
    cite: "Chaganty, Mussmann and Liang, ACL 2018, Algorithm 1",
    parameters: parameters_of_both::<Parameters, UncertaintyParameters>,
    build: EstimatorConstructor::new(Metrics::One, build),
};

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    alpha: Option<f64>,
}

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let (read, uncertainty): (Parameters, UncertaintyParameters) = params.read_both(ENTRY.name)?;
    uncertainty.check(ENTRY.name)?;
    survey.needs_metric(ENTRY.name)?;
    let coefficient = match read.alpha {
        None => AlphaSource::Fitted,
        Some(alpha) => AlphaSource::Given(finite(ENTRY.name, "alpha", alpha)?),
    };
    let control = Control::new(&survey.population, coefficient);
    Ok(Box::new(ControlVariates::new(
        control,
        &uncertainty,
        survey,
    )))
}

/// The source of α.
#[derive(Debug, Clone, Copy, PartialEq)]
enum AlphaSource {
    /// The covariance of the judgments and g.
    Fitted,
    /// The user.
    Given(f64),
}

/// The control variate: how g is standardised and weighted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Control {
    mean: f64,
    /// The reciprocal deviation of g; 0 for a metric that does not vary, which standardises to 0 everywhere.
    per_deviation: f64,
    coefficient: Option<AlphaSource>,
}

impl Control {
    /// No control: the plain mean.
    pub(super) const NONE: Self = Self {
        mean: 0.0,
        per_deviation: 0.0,
        coefficient: None,
    };

    fn new(population: &Population, coefficient: AlphaSource) -> Self {
        let (mean, per_deviation) = population.standard()[0];
        let varies = per_deviation > 0.0;
        Self {
            mean,
            per_deviation,
            coefficient: Some(if varies {
                coefficient
            } else {
                AlphaSource::Given(0.0)
            }),
        }
    }

    /// The standardised score; 0 without a control.
    fn standardise(&self, g: &[f64]) -> f64 {
        g.first()
            .map_or(0.0, |g| (g - self.mean) * self.per_deviation)
    }

    fn alpha(&self, sums: &ControlVariateSums) -> f64 {
        match self.coefficient {
            None => 0.0,
            Some(AlphaSource::Fitted) => sums.covariance(),
            Some(AlphaSource::Given(alpha)) => alpha,
        }
    }

    /// The number of values estimated from the judgments: the mean, and perhaps α.
    fn fitted(&self) -> u64 {
        1 + u64::from(self.coefficient == Some(AlphaSource::Fitted))
    }
}

/// The control-variates estimator: Algorithm 1, online.
pub(super) struct ControlVariates {
    control: Control,
    kind: IntervalKind,
    /// The number of resamples of a bootstrap interval.
    resamples: u64,
    seed: Seed,
    finite: FiniteCorrection,
    extent: Extent,
    range: Option<Range>,
    judged: Clusters,
    /// What one annotator said of an output several times, where a result is about these items.
    repeats: BTreeMap<u32, RatedOutput>,
}

impl ControlVariates {
    pub(super) fn new(
        control: Control,
        uncertainty: &UncertaintyParameters,
        survey: &Survey,
    ) -> Self {
        let extent = uncertainty.population.over(survey.items);
        Self {
            control,
            kind: uncertainty.interval,
            resamples: uncertainty.resamples,
            seed: survey.seed,
            finite: FiniteCorrection::new(extent, survey.population.n),
            extent,
            range: survey.range,
            judged: Clusters::default(),
            repeats: match extent {
                Extent::TheseItems => survey.repeats.clone(),
                _ => BTreeMap::new(),
            },
        }
    }

    fn alpha(&self) -> f64 {
        self.control.alpha(&self.judged.all())
    }

    fn value_from(&self, sums: &ControlVariateSums) -> Option<f64> {
        let alpha = self.control.alpha(sums);
        (sums.n > 0.0).then(|| self.judged.offset() + sums.adjusted_mean(alpha))
    }

    fn error(&self) -> Option<Contributions> {
        let error = self.contributions()?;
        let these = self
            .these_items()
            .map(|one| one.factor(error.standard_error()));
        Some(error.scaled(these.unwrap_or(1.0)))
    }

    /// Whether the estimate is the mean of the judgments.
    fn is_plain(&self) -> bool {
        self.control.fitted() == 1 && self.alpha() == 0.0
    }

    fn over(&self) -> InferenceScope {
        match self.extent {
            Extent::Infinite if self.is_plain() => InferenceScope::Items,
            Extent::Infinite | Extent::Finite => InferenceScope::OutputsAtHand,
            Extent::TheseItems => InferenceScope::TheseItems,
        }
    }

    fn interval(&self, value: f64, confidence: f64) -> (Option<Interval>, IntervalMethod) {
        let error = self.error();
        if self.kind == IntervalKind::Safe {
            let case = IntervalCase {
                value,
                people: &self.judged.people(),
                error,
                standard_error: None,
                range: self.range,
                plain: self.is_plain(),
                left: self.unjudged(),
            };
            return case.safe_interval(confidence);
        }
        let asked = error.and_then(|error| self.asked_for(value, &error, confidence));
        (asked, IntervalMethod::of_range(self.range))
    }

    /// The interval of the kind that was asked for.
    fn asked_for(&self, value: f64, error: &Contributions, confidence: f64) -> Option<Interval> {
        let reach = match self.kind {
            IntervalKind::Corrected => tails::reach(error, confidence)?,
            _ => two_sided_t(confidence, error.df)?,
        };
        let by_error = Interval::around(value, error.standard_error(), reach);
        if self.kind != IntervalKind::Bootstrap {
            return Some(by_error);
        }
        let (lower, upper) = self.bootstrap(self.resamples, confidence)?;
        let shrink = self.finite.factor(self.judged.items().len());
        Some(Interval {
            lower: value + shrink * (lower - value),
            upper: value + shrink * (upper - value),
            ..by_error
        })
    }

    /// The bootstrap interval: resamples items, with all their judgments, and refits α each time. Without an α to fit,
    /// fewer sums are needed, and more items are alike.
    fn bootstrap(&self, resamples: u64, confidence: f64) -> Option<(f64, f64)> {
        let items = self.judged.items().iter();
        let mut values: Vec<f64> = match self.control.coefficient {
            Some(AlphaSource::Fitted) => {
                let rows = items.map(|one| [one.n, one.y, one.g, one.yg]).collect();
                let sums = resampled_sums(rows, resamples, self.seed).into_iter();
                let value = |[n, y, g, yg]: [f64; 4]| {
                    // α̂ assumes standardised g.
                    self.value_from(&ControlVariateSums {
                        n,
                        y,
                        g,
                        yg,
                        ..ControlVariateSums::default()
                    })
                };
                sums.filter_map(value).collect()
            }
            _ => {
                let alpha = self.alpha();
                let rows = items.map(|one| [one.n, one.y - alpha * one.g]).collect();
                let sums = resampled_sums(rows, resamples, self.seed).into_iter();
                sums.map(|[n, y]| self.judged.offset() + y / n).collect()
            }
        };
        percentile_interval(&mut values, confidence)
    }
}

impl Estimator for ControlVariates {
    fn push(&mut self, judged: &ScoredJudgment<'_>) {
        let g = self.control.standardise(judged.g);
        self.judged.push(judged.item, judged.y, g);
    }

    fn value(&self) -> Option<f64> {
        self.value_from(&self.judged.all())
    }

    fn estimate(&self, confidence: f64) -> Option<MeanEstimate> {
        let value = self.value()?;
        let (interval, method) = self.interval(value, confidence);
        Some(MeanEstimate {
            value,
            n: self.judged.all().n as u64,
            alpha: self.control.coefficient.map(|_| self.alpha()),
            interval,
            method,
            over: self.over(),
        })
    }

    fn check(&self) -> Result<()> {
        self.finite.check(self.judged.items().len())
    }

    fn unjudged(&self) -> f64 {
        match self.extent {
            Extent::Finite => self.finite.left(self.judged.items().len()),
            Extent::Infinite | Extent::TheseItems => 1.0,
        }
    }

    fn is_weighable(&self) -> bool {
        self.kind == IntervalKind::Safe && self.extent == Extent::Infinite
    }

    fn adjuster(&self) -> Adjuster<'_> {
        let alpha = self.alpha();
        Box::new(move |judged| {
            let predicted = alpha * self.control.standardise(judged.g);
            Some(AdjustedJudgment::even(judged.y - predicted))
        })
    }

    fn contributions(&self) -> Option<Contributions> {
        let (alpha, fitted) = (self.alpha(), self.control.fitted());
        let error = self.judged.contributions(alpha, fitted)?;
        Some(error.scaled(self.unjudged().sqrt()))
    }

    fn these_items(&self) -> Option<TheseItems> {
        (self.extent == Extent::TheseItems).then(|| TheseItems {
            left: self.finite.left(self.judged.items().len()),
            noise: self.judged.noise(&self.repeats),
            even: self.judged.evenness(self.alpha()),
        })
    }
}
