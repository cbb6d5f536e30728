//! Pure numerics over slices; no domain words.

pub mod bootstrap;
pub mod correlation;
pub mod moments;
pub mod quantiles;
pub mod special;
pub mod transport;
