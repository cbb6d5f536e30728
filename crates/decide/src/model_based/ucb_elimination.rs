//! UCB elimination: drops the systems that even an optimistic reading of the model sees losing.
//!
//! Source: Mohankumar and Khapra, ACL 2022, section 4.3. Once, before the first question: `u_ij` is
//! an upper bound of the preference for i over j; a system stays when the share of its rivals with
//! `u_ij` > ½, its optimistic Copeland score, is at least `τ_cop`. Parameters: `alpha` (0.6) scales
//! the optimism, `copeland` (0.8) is `τ_cop`, both as advised in appendix D; `formula` chooses
//! `u_ij`:
//!
//! * `paper` (default): `u_ij` = `p_ij` + α `s_ij`, with `p_ij` the mean of p over the N predicted
//!   items and `s_ij`² = (1/N²) Σ std², a standard error that shrinks as 1/√N.
//! * `released`: the mean over the N stored human comparisons of min(1, w + α std), with w the
//!   thresholded outcome, an *average* deviation that does not shrink. The α published with tables
//!   8 and 9 belong to this one.
//!
//! Deviations: the released code needs a score strictly above `τ_cop`; here equality keeps, as in
//! the paper's text. Where no system reaches `τ_cop`, those with the largest score stay.

use super::{Forecasts, PairPredictions};
use crate::feedback::comparisons::Comparisons;
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Result, StageCommand};
use tiebreak_base::message;

/// The parameters of an elimination, as in `alpha=0.5,copeland=0.8,formula=released`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EliminationOptions {
    /// α, at least 0.
    pub alpha: f64,
    /// `τ_cop`, from 0 to 1.
    pub copeland: f64,
    /// The upper bound.
    pub formula: Formula,
}

/// The upper bound `u_ij` in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Formula {
    /// Mean preference and its standard error, over predicted items.
    #[default]
    Paper,
    /// Mean of optimistic outcomes, over stored comparisons.
    Released,
}

impl Default for EliminationOptions {
    fn default() -> Self {
        Self {
            alpha: 0.6,
            copeland: 0.8,
            formula: Formula::Paper,
        }
    }
}

/// The systems that stay and those that are dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct Elimination {
    /// The systems that stay, in order; never empty.
    pub kept: Vec<Arm>,
    /// The systems dropped, in order.
    pub eliminated: Vec<Arm>,
    /// The optimistic Copeland score of every system, from 0 to 1.
    pub scores: Vec<f64>,
}

/// Decides which systems stay. `comparisons` are needed by [`Formula::Released`] only.
///
/// # Errors
/// [`Error::Usage`] for parameters out of range, predictions without uncertainty (unless α is 0),
/// or a missing input; [`Error::MissingInput`] for a pair without a prediction.
pub fn survivors(
    predictions: &dyn Forecasts,
    comparisons: Option<&Comparisons>,
    options: EliminationOptions,
) -> Result<Elimination> {
    check(predictions, options)?;
    let k = predictions.k();
    let mut scores = Vec::with_capacity(k);
    for arm in Arm::all(k) {
        let mut beaten = 0_u32;
        for rival in Arm::all(k).filter(|&rival| rival != arm) {
            let pair = Pair::new(arm, rival);
            let upper = match (options.formula, comparisons) {
                (Formula::Paper, _) => upper_of_paper(predictions.survey()?, pair, options.alpha)?,
                (Formula::Released, Some(comparisons)) => {
                    upper_of_release(predictions, comparisons, pair, options.alpha)?
                }
                (Formula::Released, None) => {
                    return Err(Error::usage(
                        "formula=released averages over stored comparisons, and there are none",
                    )
                    .with_hint("use formula=paper, which averages over predictions"));
                }
            };
            beaten += u32::from(upper > 0.5);
        }
        scores.push(f64::from(beaten) / (k - 1) as f64);
    }
    Ok(decide(scores, options.copeland))
}

impl EliminationOptions {
    /// Checks the parameters, as far as that takes no predictions.
    ///
    /// # Errors
    /// [`Error::Usage`] for parameters out of range.
    pub fn check(self) -> Result<()> {
        let Self {
            alpha, copeland, ..
        } = self;
        if !(alpha.is_finite() && alpha >= 0.0) {
            return Err(Error::usage(format!(
                "elimination: alpha is {alpha}, expected a number of at least 0"
            )));
        }
        if !(0.0..=1.0).contains(&copeland) {
            return Err(Error::usage(format!(
                "elimination: copeland is {copeland}, expected a number from 0 to 1"
            )));
        }
        Ok(())
    }
}

fn check(predictions: &dyn Forecasts, options: EliminationOptions) -> Result<()> {
    options.check()?;
    if predictions.k() < 2 {
        return Err(Error::usage("elimination needs at least two systems"));
    }
    if options.alpha > 0.0 {
        predictions.require_uncertainty()?;
    }
    Ok(())
}

fn decide(scores: Vec<f64>, copeland: f64) -> Elimination {
    let best = scores.iter().copied().fold(0.0, f64::max);
    // A score is a ratio of small integers: a threshold meant to equal it must not miss it by an
    // ulp.
    let bar = copeland.min(best) - 1e-12;
    let (kept, eliminated) =
        Arm::all(scores.len()).partition(|arm: &Arm| scores[arm.index()] >= bar);
    Elimination {
        kept,
        eliminated,
        scores,
    }
}

/// `p_ij` + α `s_ij`.
fn upper_of_paper(predictions: &PairPredictions, pair: Pair, alpha: f64) -> Result<f64> {
    let list = predictions.of_pair(pair);
    if list.is_empty() {
        return Err(Error::MissingInput {
            stage: "elimination".to_string(),
            table: format!("a prediction for {}", predictions.names().pair(pair)),
            hint: Some(message!(
                "make predictions for all pairs with {}",
                StageCommand("predict", &[])
            )),
        });
    }
    let n = list.len() as f64;
    let mut sum = 0.0;
    let mut variances = 0.0;
    for (_, prediction) in list {
        sum += prediction.p;
        variances += prediction
            .uncertainty
            .map_or(0.0, |known| known.std.powi(2));
    }
    let mean = if pair.first < pair.second {
        sum / n
    } else {
        1.0 - sum / n
    };
    Ok(mean + alpha * variances.sqrt() / n)
}

/// Mean of min(1, w + α std) over the stored comparisons.
fn upper_of_release(
    predictions: &dyn Forecasts,
    comparisons: &Comparisons,
    pair: Pair,
    alpha: f64,
) -> Result<f64> {
    let list = comparisons.judgments(pair);
    if list.is_empty() {
        return Err(comparisons.missing(pair));
    }
    let mut sum = 0.0;
    for judgment in list {
        let outcome = predictions.outcome(pair, judgment.item)?;
        let known = predictions.get(pair, judgment.item)?.uncertainty;
        sum += (outcome.value() + alpha * known.map_or(0.0, |known| known.std)).min(1.0);
    }
    Ok(sum / list.len() as f64)
}
