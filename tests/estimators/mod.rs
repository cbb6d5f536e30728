//! Estimators against simulated truth, slow oracles and real judgments.

mod agreement;
mod bradley_terry;
mod campaigns;
mod coverage;
mod data;
mod defaults;
mod differences;
mod edges;
mod golden;
mod margins;
mod paired;
mod plans;
mod populations;
mod simulation;
mod stopping;
mod styled;
pub(crate) mod tango;

use tiebreak::Result;
use tiebreak::estimators::{
    AnnotatorAllocation, Contender, ESTIMATORS, EstimateDifference, Estimator, Judgments,
    Population, ScoredJudgment, Survey,
};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::{Rng, Seed};

/// `NAME:key=value,…` for a population.
pub(crate) fn build(text: &str, population: &Population) -> Result<Box<dyn Estimator>> {
    let survey = Survey {
        seed: Seed(7),
        ..Survey::new(population.clone())
    };
    make(text, &survey)
}

/// The differences of systems by all their judgments.
pub(crate) fn differences(
    systems: &[Contender],
    dealing: &AnnotatorAllocation,
    confidence: f64,
) -> Vec<EstimateDifference> {
    EstimateDifference::all(systems, &|_, _, _| None, dealing, confidence)
}

/// `NAME:key=value,…` for a survey.
pub(crate) fn make(text: &str, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let (name, params) = Params::parse(text)?;
    (find_entry("estimator", ESTIMATORS, &name)?.build.build)(&params, survey)
}

/// The same, having taken all judgments.
pub(crate) fn fed(text: &str, population: &Population, judged: &Judgments) -> Box<dyn Estimator> {
    let mut estimator = build(text, population).unwrap();
    for one in judged.rows() {
        estimator.push(&one);
    }
    estimator
}

/// An endless system: outputs have a true mean `f = 50 + σ_f u` and a metric `g = 20 + 5 v` with
/// `corr(u, v) = ρ`; a judgment adds noise of deviation `σ_a` to f.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub signal: f64,
    pub noise: f64,
    pub rho: f64,
}

impl World {
    pub(crate) const MEAN: f64 = 50.0;

    /// The metric's moments over all outputs.
    pub(crate) fn population() -> Population {
        Population {
            n: 1_000_000,
            mean: vec![20.0],
            covariance: vec![25.0],
            ..Population::default()
        }
    }

    /// The standardised metric and the true mean of one output.
    fn output(&self, rng: &mut Rng) -> (f64, f64) {
        let (v, w) = (rng.normal(), rng.normal());
        let u = self.rho * v + (1.0 - self.rho * self.rho).sqrt() * w;
        (20.0 + 5.0 * v, Self::MEAN + self.signal * u)
    }

    /// Judgments of items picked at random, item i by `annotators(i)` people.
    pub(crate) fn judge(
        &self,
        items: u32,
        annotators: impl Fn(u32) -> u32,
        rng: &mut Rng,
    ) -> Judgments {
        let mut judged = Judgments::new(1);
        for item in 0..items {
            let (g, f) = self.output(rng);
            for _ in 0..annotators(item) {
                let y = f + self.noise * rng.normal();
                judged.push(ScoredJudgment::new(item, y, &[g]));
            }
        }
        judged
    }

    /// `σ_f²(1 − ρ²) + σ_a²`: n times the variance of Theorem 3.1.
    pub(crate) fn residual_variance(&self) -> f64 {
        self.signal.powi(2) * (1.0 - self.rho * self.rho) + self.noise.powi(2)
    }
}
