//! An interval for the mean of judgments on a known scale that holds at every number of judgments:
//! bets are placed against each candidate mean, and a candidate at which their capital grows large is ruled out.
//!
//! Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSSB
//! 2024, hedged capital; confseq 0.0.11 (`betting_ci`, and with `anytime=true` `hedged_cs`). A
//! candidate m is out once ½ Π (1 + λ_i (x_i − m)) or ½ Π (1 − λ_i (x_i − m)) has reached 1/δ at any
//! time so far, δ = 1 − confidence; the bets λ_i depend on what came before (see `bounded`). They are
//! cut to 1, or with `anytime=true` to ½/m and ½/(1 − m). Without replacement m becomes the
//! mean (N m − Σ_{j<i} x_j)/(N − i + 1) of what is left.
//!
//! Parameters: `anytime=true` for a confidence sequence, valid however often one looks and whenever one
//! stops, some 20 to 40 % wider; `alpha`, `order` and `population` (see `bounded`).
//!
//! Deviations: the ends are found by bisection where confseq widens a grid of 1000 candidates by one
//! step, and so lie up to two steps inside its own. The estimate is the mean over items.

use super::bounded::{BoundedObservations, BoundedParameters, bets};
use super::{Estimator, EstimatorConstructor, Metrics, Survey};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "betting",
    summary: "mean judgment with an interval that is valid at any sample size; needs --range",
    cite: "Waudby-Smith and Ramdas, JRSSB 2024; confseq 0.0.11",
    parameters: parameters::<BoundedParameters>,
    build: EstimatorConstructor::new(Metrics::Unused, build),
};

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let read: BoundedParameters = params.read(ENTRY.name)?;
    let lower = |judged: &BoundedObservations, x: &[f64], confidence: f64| {
        CapitalProcess::new(x, judged, confidence).lower()
    };
    Ok(Box::new(BoundedObservations::new(
        ENTRY.name, read, survey, lower,
    )?))
}

/// The capital process of bets that the mean is higher than a candidate.
struct CapitalProcess<'a> {
    x: &'a [f64],
    bets: Vec<f64>,
    /// Whether bets are cut to ½/m instead of 1.
    anytime: bool,
    outputs: Option<f64>,
    /// The target of the capital: 2/δ.
    target: f64,
}

impl<'a> CapitalProcess<'a> {
    fn new(x: &'a [f64], judged: &BoundedObservations, confidence: f64) -> Self {
        let target = 2.0 / (1.0 - confidence);
        let anytime = judged.anytime();
        Self {
            x,
            bets: bets(x, target.ln(), (!anytime).then_some(x.len())),
            anytime,
            outputs: judged.outputs(),
            target,
        }
    }

    /// The smallest candidate that is not ruled out: capital falls with m, so bisection finds it.
    fn lower(&self) -> f64 {
        let (mut out, mut inside) = (0.0, 1.0);
        if !self.rules_out(out) {
            return out;
        }
        // A candidate of 1 can only be too high, never too low.
        while inside - out > 1e-10 {
            let middle = 0.5 * (out + inside);
            if self.rules_out(middle) {
                out = middle;
            } else {
                inside = middle;
            }
        }
        inside
    }

    /// Whether the bets show that the mean is larger than m.
    fn rules_out(&self, m: f64) -> bool {
        let (mut capital, mut sum) = (1.0, 0.0);
        for (i, (&x, &bet)) in self.x.iter().zip(&self.bets).enumerate() {
            let left = self.outputs.map_or(m, |n| (n * m - sum) / (n - i as f64));
            if left < 0.0 {
                return true;
            }
            sum += x;
            let cut = if self.anytime { 0.5 / left } else { 1.0 };
            // Capital that has shrunk to 0 cannot recover, as in confseq: the interval gets longer.
            capital *= 1.0 + bet.min(cut) * (x - left);
            if capital > self.target {
                return true;
            }
        }
        // What is still to be judged is at least 0.
        self.outputs.is_some_and(|n| sum > n * m)
    }
}
