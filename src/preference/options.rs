//! How a preference model is asked.

use super::{Choice, Draws, Order};
use crate::encoders::{Precision, Scope};
use crate::judges::Asked;

/// How a preference model is asked. The default is what the paper does: 20 draws with dropout
/// everywhere, in full precision, each pair shown as it is given.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How many dropout draws are taken per contest.
    pub draws: Draws,
    /// Where dropout is on in a draw.
    pub dropout: Scope,
    /// In which precision the encoder multiplies.
    pub precision: Precision,
    /// Which output is shown first, where the model knows an order; as it is usual for the model where nothing
    /// is said.
    pub order: Option<Order>,
    /// How often a judge is asked each question; as its descriptor says where nothing is said.
    pub samples: Option<Draws>,
    /// How else a judge is asked.
    pub judging: Asked,
    /// Which calibration is applied.
    pub calibration: Choice,
}
