//! The precision in which an encoder multiplies.

use serde::{Deserialize, Serialize};
use tiebreak_base::keys::name_of;

/// The precision in which an encoder multiplies activations by weights. Sums, and everything else
/// but products of dense layers, are f32 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Both factors in f32. On the processor with vectors of f32 or, with AMX, as three bf16
    /// numbers each: faster, with half the error, and with other last digits than elsewhere.
    #[default]
    F32,
    /// Both factors rounded to bf16, eight bits and an exponent; on the processor only. Faster with
    /// instructions for it (AMX, AVX512-BF16), and the same bits without.
    Bf16,
    /// Both factors rounded to eight bits by a scale for each output and token; on the processor only. Several
    /// times as fast with instructions for it (AVX-512 VNNI, AVX-VNNI), and the same bits without.
    Int8,
}

impl Precision {
    /// The name in flags and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}
