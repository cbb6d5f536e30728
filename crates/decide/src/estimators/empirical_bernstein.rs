//! An interval for the mean of judgments on a known scale, from their variance and their bounds.
//!
//! Source, `bound=plug-in`: Waudby-Smith and Ramdas, JRSSB 2024, theorem 2 (predictable plug-in empirical
//! Bernstein); confseq 0.0.11 (`predmix_empbern_ci`, and with `anytime=true` the running intersection
//! of `predmix_empbern_twosided_cs`). With bets λ cut to ½, ψ(λ) = −ln(1 − λ) − λ, and the mean
//! x̄_{i−1} of what came before, the lower end is
//! (Σ λ_i x_i − ln(2/δ) − Σ (x_i − x̄_{i−1})² ψ(λ_i)) / Σ λ_i.
//! `bound=maurer-pontil`: Maurer and Pontil, COLT 2009, theorem 4:
//! x̄ ± √(2 s² ln(4/δ)/n) + 7 ln(4/δ)/(3 (n − 1)).
//!
//! It is what Mnih, Szepesvári and Audibert (ICML 2008) stop by; `betting` is shorter throughout.
//!
//! Parameters: `bound`; `anytime`, `alpha`, `order` and `population` (see `bounded`), of which
//! `maurer-pontil` takes only `alpha`.
//!
//! Deviations: none in the numbers; the estimate is the mean over items.

use super::bounded::{BoundedObservations, BoundedParameters, bets};
use super::{Estimator, EstimatorConstructor, Extent, Metrics, Survey};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters_of_both};
use tiebreak_base::stats::moments::Moments;

pub(super) const ENTRY: Entry<EstimatorConstructor> = Entry {
    name: "empirical-bernstein",
    summary: "mean judgment with an empirical Bernstein interval; needs --range",
    cite: "Waudby-Smith and Ramdas, JRSSB 2024; Maurer and Pontil, COLT 2009",
    parameters: parameters_of_both::<BernsteinParameters, BoundedParameters>,
    build: EstimatorConstructor::new(Metrics::Unused, build),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Bound {
    #[default]
    PlugIn,
    MaurerPontil,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct BernsteinParameters {
    bound: Bound,
}

fn build(params: &Params, survey: &Survey) -> Result<Box<dyn Estimator>> {
    let (BernsteinParameters { bound }, read): (BernsteinParameters, BoundedParameters) =
        params.read_both(ENTRY.name)?;
    if bound == Bound::MaurerPontil && (read.anytime || read.population == Extent::Finite) {
        let what =
            "empirical-bernstein: bound=maurer-pontil is for one look at an infinite population";
        return Err(Error::usage(what).with_hint("use bound=plug-in for the others"));
    }
    let lower = match bound {
        Bound::PlugIn => plug_in,
        Bound::MaurerPontil => maurer_pontil,
    };
    Ok(Box::new(BoundedObservations::new(
        ENTRY.name, read, survey, lower,
    )?))
}

/// The largest λ.
const LARGEST_BET: f64 = 0.5;

fn plug_in(judged: &BoundedObservations, x: &[f64], confidence: f64) -> f64 {
    let ln_inverse_error = (2.0 / (1.0 - confidence)).ln();
    let anytime = judged.anytime();
    let bets = bets(x, ln_inverse_error, (!anytime).then_some(x.len()));
    let (mut sum, mut weighted, mut weights, mut cost) = (0.0, 0.0, 0.0, ln_inverse_error);
    let (mut highest, mut last) = (0.0_f64, 0.0);
    for (i, (&x, bet)) in x.iter().zip(bets).enumerate() {
        let before = i as f64;
        let mean = if i == 0 { 0.0 } else { sum / before };
        let bet = bet.min(LARGEST_BET);
        // Without replacement, the judged outputs determine the sum of the rest.
        let left = judged.outputs().map(|n| n - before);
        weighted += bet * (x + left.map_or(0.0, |left| sum / left));
        weights += bet * (1.0 + left.map_or(0.0, |left| before / left));
        cost += (x - mean).powi(2) * (-(-bet).ln_1p() - bet);
        sum += x;
        last = ((weighted - cost) / weights).max(0.0);
        highest = highest.max(last);
    }
    if anytime { highest } else { last }
}

fn maurer_pontil(_: &BoundedObservations, x: &[f64], confidence: f64) -> f64 {
    let ln_inverse_error = (4.0 / (1.0 - confidence)).ln();
    let moments: Moments = x.iter().copied().collect();
    let n = x.len() as f64;
    match (moments.mean(), moments.sample_variance()) {
        (Some(mean), Some(variance)) => {
            let reach = (2.0 * variance * ln_inverse_error / n).sqrt()
                + 7.0 * ln_inverse_error / (3.0 * (n - 1.0));
            (mean - reach).max(0.0)
        }
        _ => 0.0,
    }
}
