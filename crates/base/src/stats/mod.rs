//! Pure numerics over slices; no domain words.

pub mod binomial;
pub mod bisection;
pub mod bootstrap;
pub mod cholesky;
pub mod clopper_pearson;
pub mod correlation;
pub mod covariance;
pub mod forecast;
pub mod holm;
pub mod linked;
pub mod log_odds;
pub mod moments;
pub mod normal;
pub mod numeric;
pub mod paired_proportions;
pub mod power;
pub mod quantiles;
pub mod resampled_sums;
pub mod special;
pub mod tie_calibration;
pub mod wilson;
