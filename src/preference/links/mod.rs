//! From two scores to a preference.

use crate::error::Result;
use crate::registry::Entry;

/// Two scores of the same item and how the first fared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Labelled {
    /// The score of the first output.
    pub first: f64,
    /// The score of the second output.
    pub second: f64,
    /// 1, ½ or 0: how the first fared with people.
    pub outcome: f64,
}

/// Turns two scores into a preference.
pub trait Link: Send + Sync {
    /// The preference for the first, in [0, 1]; `preference(a, b) + preference(b, a) = 1`.
    fn preference(&self, first: f64, second: f64) -> f64;

    /// The fitted parameters, by name, as stored in a calibration.
    fn parameters(&self) -> Vec<(&'static str, f64)>;
}

/// How a link comes to be.
pub struct BuildLink {
    /// Fits the link's parameters to labelled pairs of scores.
    pub fit: fn(&[Labelled]) -> Result<Box<dyn Link>>,
    /// Rebuilds a fitted link from its stored parameters.
    pub restore: fn(&dyn Fn(&str) -> Result<f64>) -> Result<Box<dyn Link>>,
}

/// All links.
pub const LINKS: &[Entry<BuildLink>] = &[];
