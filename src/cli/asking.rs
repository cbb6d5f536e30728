//! The flags that say how a preference model is asked, wherever one is named.

use super::values::{draws, precision, scope};
use crate::encoders::{Precision, Scope};
use crate::preference::Draws;
use crate::stages::asking::{Asking, Order};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How a preference model is asked. Its calibration has a flag of the verb's own.
#[derive(Debug, Clone, Args)]
pub struct AskingArgs {
    /// Monte Carlo draws: their number, or adaptive, as many as a pair needs [default: 20; of `rank` and
    /// `ask` 0 without --select or --eliminate]
    #[arg(long, value_name = "L|adaptive:key=value,…", value_parser = draws)]
    pub draws: Option<Draws>,
    /// Where draws have dropout: all, or last-layer (and the head), which makes draws nearly free
    /// [default: all]
    #[arg(long, value_name = "all|last-layer", value_parser = scope)]
    pub dropout: Option<Scope>,
    /// In which precision the encoder multiplies, on the processor: f32, or bf16, which is faster on
    /// processors with AMX or AVX512-BF16 [default: f32]
    #[arg(long, value_name = "f32|bf16", value_parser = precision)]
    pub precision: Option<Precision>,
    /// Show the model a pair as given, or in both orders and average [default: given]
    #[arg(long, value_enum)]
    pub order: Option<OrderArg>,
}

/// In which order a pair is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// As given.
    Given,
    /// Both, averaged.
    Both,
}

impl From<OrderArg> for Order {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Given => Self::Given,
            OrderArg::Both => Self::Both,
        }
    }
}

impl AskingArgs {
    /// What was said, with a calibration.
    pub(super) fn with(&self, calibration: Option<&PathBuf>) -> Asking {
        Asking {
            draws: self.draws,
            dropout: self.dropout,
            precision: self.precision,
            order: self.order.map(Order::from),
            calibration: calibration.cloned(),
        }
    }
}
