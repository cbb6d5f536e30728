//! Pure numerics over slices; no domain words.

pub(crate) mod binomial;
pub mod bootstrap;
pub(crate) mod cholesky;
pub(crate) mod clopper_pearson;
pub mod correlation;
pub(crate) mod covariance;
pub(crate) mod forecast;
pub mod holm;
pub(crate) mod isotonic;
pub(crate) mod linked;
pub(crate) mod log_odds;
pub mod moments;
pub(crate) mod normal;
pub mod quantiles;
pub(crate) mod rejection;
pub mod reliability;
pub(crate) mod resampled_sums;
pub(crate) mod special;
pub mod tie_calibration;
#[cfg(feature = "neural")]
pub(crate) mod transport;
pub(crate) mod wilson;
