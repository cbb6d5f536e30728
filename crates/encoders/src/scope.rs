//! In which part of an encoder dropout is on.

use serde::{Deserialize, Serialize};

/// In which part of an encoder dropout is on when it is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Everywhere, as it was trained.
    #[default]
    All,
    /// In the last layer and the head. What lies below is the same in all draws, and is computed
    /// once; the masks above are those of [`Scope::All`].
    LastLayer,
}

impl Scope {
    /// As flags and signatures write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::LastLayer => "last-layer",
        }
    }
}
