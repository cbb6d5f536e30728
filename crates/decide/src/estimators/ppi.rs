//! Prediction-powered inference with power tuning: the metric's mean over all outputs, plus its mean error
//! on the judged outputs.
//!
//! Source: Angelopoulos, Duchi and Zrnic, "PPI++: Efficient prediction-powered inference", arXiv
//! 2311.01453; ppi-python 0.2.3 (`ppi_mean_pointestimate`, `ppi_mean_ci`), which it equals:
//! μ̂ = λ ḡ_N + (1/n) Σ (y − λ g), variance λ² Var(g_N)/N + Var(y − λ g)/n, and
//! λ = Cov(y, g) / ((1 + n/N) Var(g)), cut to [0, 1].
//!
//! Here the N unlabelled outputs are all outputs of the system, the judged ones among them, where the
//! source has two separate samples. The estimate is the same kind of control variate as
//! `control-variates`; the variance counts the metric's share of the judged outputs twice and so is
//! too large by up to λ² Var(g)/N, nothing when few of many are judged.
//!
//! Parameters: `lambda`, a fixed λ instead of the tuned one; `clip=false` lets λ leave [0, 1], which a
//! metric needs whose scale is not that of the judgments (chrF in percent for stars from 1 to 5
//! has a best λ of about 0.02; a share for ratings up to 100 one above 1; an error rate one below 0);
//! `interval=safe|reference`, as for `mean` or as in ppi-python.
//!
//! Deviations: repeated judgments of an item are a cluster, robustly. No interval from fewer than
//! two items. A constant metric has λ = 0. The source uses normal quantiles and divides by n: its 95 %
//! intervals, `interval=reference`, cover 88 % at n = 10, 93 % at 30 and 94 % at 100 for normal
//! judgments, 83, 90 and 94 % on a three-point scale, and so are not the default.

use super::clusters::Clusters;
use super::interval::Interval;
use super::rule::IntervalCase;
use super::{
    AdjustedJudgment, Adjuster, Contributions, Estimator, EstimatorConstructor, InferenceScope,
    IntervalMethod, MeanEstimate, Metrics, Range, ScoredJudgment, Survey,
};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, finite, parameters};

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "ppi++",
    summary: "prediction-powered mean with power tuning, as in ppi-python",
    cite: "Angelopoulos, Duchi and Zrnic, arXiv 2311.01453; ppi-python 0.2.3",
    parameters: parameters::<Parameters>,
    build: EstimatorConstructor::new(Metrics::One, build),
};

#[derive(Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    lambda: Option<f64>,
    clip: bool,
    interval: PpiIntervalKind,
}

/// The source of the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PpiIntervalKind {
    /// By the rule of all estimators (see `rule`).
    #[default]
    Safe,
    /// By ppi-python's formula.
    Reference,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            lambda: None,
            clip: true,
            interval: PpiIntervalKind::default(),
        }
    }
}

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let read: Parameters = params.read(ENTRY.name)?;
    survey.needs_metric(ENTRY.name)?;
    if let Some(lambda) = read.lambda {
        finite(ENTRY.name, "lambda", lambda)?;
    }
    Ok(Box::new(PpiEstimator {
        outputs: survey.population.n as f64,
        mean: survey.population.mean[0],
        variance: survey.population.variance(0),
        lambda: read.lambda,
        clip: read.clip,
        ends: read.interval,
        range: survey.range,
        judged: Clusters::default(),
    }))
}

struct PpiEstimator {
    outputs: f64,
    /// The mean of the metric over all outputs.
    mean: f64,
    variance: f64,
    lambda: Option<f64>,
    clip: bool,
    ends: PpiIntervalKind,
    range: Option<Range>,
    /// The judgments, with g relative to its mean over all outputs.
    judged: Clusters,
}

impl PpiEstimator {
    fn lambda(&self) -> f64 {
        if let Some(lambda) = self.lambda {
            return lambda;
        }
        let sums = self.judged.all();
        // Pools the scores of the judged outputs and of all outputs.
        let count = sums.n + self.outputs;
        let squares = sums.gg + self.outputs * self.variance - sums.g * sums.g / count;
        let variance = squares / (count - 1.0);
        let best = sums.covariance() / ((1.0 + sums.n / self.outputs) * variance);
        match (best.is_finite() && variance > 0.0, self.clip) {
            (false, _) => 0.0,
            (true, true) => best.clamp(0.0, 1.0),
            (true, false) => best,
        }
    }

    fn value_at(&self, lambda: f64) -> Option<f64> {
        let sums = self.judged.all();
        (sums.n > 0.0).then(|| self.judged.offset() + sums.adjusted_mean(lambda))
    }

    /// The interval of ppi-python.
    fn reference(&self, lambda: f64, value: f64, confidence: f64) -> Option<Interval> {
        let rectifier = self.judged.standard_error(lambda, 0)?;
        let standard_error = (rectifier * rectifier + self.imputed(lambda)).sqrt();
        let enough = self.judged.items().len() > 1;
        Interval::of_normal(value, standard_error, confidence).filter(|_| enough)
    }

    /// The variance of the metric's mean over all outputs.
    fn imputed(&self, lambda: f64) -> f64 {
        lambda * lambda * self.variance / self.outputs
    }

    /// The interval by the rule, with the variance of the metric's mean added to that of items.
    fn safe(&self, lambda: f64, value: f64, confidence: f64) -> (Option<Interval>, IntervalMethod) {
        let error = self.error(lambda);
        let whole = |error: &Contributions| {
            let items = error.standard_error();
            (items * items + self.imputed(lambda)).sqrt()
        };
        let case = IntervalCase {
            value,
            people: &self.judged.people(),
            standard_error: error.as_ref().map(whole),
            error,
            range: self.range,
            plain: false,
            left: 1.0,
        };
        case.safe_interval(confidence)
    }

    fn error(&self, lambda: f64) -> Option<Contributions> {
        let fitted = 1 + u64::from(self.lambda.is_none());
        self.judged.contributions(lambda, fitted)
    }
}

impl Estimator for PpiEstimator {
    fn push(&mut self, judged: &ScoredJudgment<'_>) {
        let g = judged.g[0] - self.mean;
        self.judged.push(judged.item, judged.y, g);
    }

    fn value(&self) -> Option<f64> {
        self.value_at(self.lambda())
    }

    fn estimate(&self, confidence: f64) -> Option<MeanEstimate> {
        let lambda = self.lambda();
        let value = self.value_at(lambda)?;
        let (interval, method) = match self.ends {
            PpiIntervalKind::Safe => self.safe(lambda, value, confidence),
            PpiIntervalKind::Reference => (
                self.reference(lambda, value, confidence),
                IntervalMethod::of_range(self.range),
            ),
        };
        Some(MeanEstimate {
            value,
            n: self.judged.all().n as u64,
            alpha: Some(lambda * self.variance.sqrt()),
            interval,
            method,
            over: InferenceScope::OutputsAtHand,
        })
    }

    fn is_weighable(&self) -> bool {
        self.ends == PpiIntervalKind::Safe
    }

    fn adjuster(&self) -> Adjuster<'_> {
        let lambda = self.lambda();
        Box::new(move |judged| {
            let predicted = lambda * (judged.g[0] - self.mean);
            Some(AdjustedJudgment::even(judged.y - predicted))
        })
    }

    fn contributions(&self) -> Option<Contributions> {
        self.error(self.lambda())
    }
}
