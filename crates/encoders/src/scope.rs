//! The part of an encoder in which dropout is on.

use serde::{Deserialize, Serialize};
use tiebreak_base::keys::name_of;

/// The part of an encoder in which dropout is on when draws are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Everywhere, as in training.
    #[default]
    All,
    /// The last layer and the head. States below are the same in all draws, and are computed once;
    /// the masks above are those of [`Scope::All`].
    LastLayer,
}

impl Scope {
    /// The name in flags and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}
