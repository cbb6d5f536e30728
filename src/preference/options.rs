//! How a preference model is asked.

use super::{Choice, Draws};
use crate::encoders::{Precision, Scope};

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
    /// Whether both orders of presentation are averaged, where the head knows an order.
    pub both_orders: bool,
    /// Which calibration is applied.
    pub calibration: Choice,
}
