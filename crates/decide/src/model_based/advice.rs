//! Defaults for the share of questions that a model may answer.
//!
//! Source: Mohankumar and Khapra, ACL 2022, appendix D: `p_m` = 0.8 for a model that predicts over
//! 70 % of judgments, 0.5 to 0.7 for 65 to 70 %. Below that the same line is drawn on, so a model
//! that predicts at most 52.5 % answers nothing. Their τ for uncertainty-aware selection is the
//! `p_m`-quantile of the uncertainties, so that the share `p_m` lies below it (the text of appendix
//! D has the direction reversed); for elimination they advise α = 0.6 and `τ_cop` = 0.8, the
//! defaults of [`super::ucb_elimination`].

use super::{PairPredictions, UncertaintyMeasure};

/// The largest `p_m`.
pub(super) const MOST: f64 = 0.8;

/// `p_m` for a model that predicts this share of judgments.
pub(crate) fn share(accuracy: f64) -> f64 {
    if accuracy > 0.7 {
        return MOST;
    }
    (0.5 + 4.0 * (accuracy - 0.65)).max(0.0)
}

impl PairPredictions {
    /// τ below which the uncertainty of a share of the predictions lies.
    pub fn threshold(&self, by: UncertaintyMeasure, share: f64) -> f64 {
        let mut uncertainties: Vec<f64> = self
            .all()
            .filter_map(|prediction| by.measure(prediction))
            .collect();
        uncertainties.sort_by(f64::total_cmp);
        let below = (share * uncertainties.len() as f64).round() as usize;
        uncertainties.get(below).copied().unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_of_appendix_d() {
        for (accuracy, expected) in [
            (0.9, 0.8),
            (0.71, 0.8),
            (0.7, 0.7),
            (0.65, 0.5),
            (0.6, 0.3),
            (0.525, 0.0),
            (0.3, 0.0),
        ] {
            assert!((share(accuracy) - expected).abs() < 1e-12, "{accuracy}");
        }
    }
}
