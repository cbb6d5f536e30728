//! In which precision an encoder multiplies.

use serde::{Deserialize, Serialize};

/// In which precision an encoder multiplies activations by weights. Sums, and all that is not a
/// product of a dense layer, are f32 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Both factors whole. On the processor with vectors of f32 or, where it has AMX, as three bf16
    /// numbers each: faster, with half the error, and with other last digits than elsewhere.
    #[default]
    F32,
    /// Both factors rounded to bf16, eight bits and an exponent; on the processor only. Faster where it has
    /// instructions for it (AMX, AVX512-BF16), and of the same bits where it has not.
    Bf16,
    /// Both factors rounded to eight bits by a scale for each output and token; on the processor only. Several
    /// times as fast where it has instructions for it (AVX-512 VNNI, AVX-VNNI), and of the same bits where
    /// it has not.
    Int8,
}

impl Precision {
    /// As flags and signatures write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
        }
    }
}
