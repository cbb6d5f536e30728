//! Pure numerics over slices; no domain words.

pub mod bootstrap;
pub mod cholesky;
pub mod correlation;
pub mod covariance;
pub mod holm;
pub mod moments;
pub mod normal;
pub mod quantiles;
pub mod special;
pub mod tie_calibration;
pub mod transport;
pub mod wilson;
