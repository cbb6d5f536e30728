//! The combination of several references, for metrics that compare with one.

use serde::{Deserialize, Serialize};
use tiebreak_base::keys::name_of;

/// The value that counts when a text is compared with several references, one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MultiReference {
    /// The largest value.
    Max,
    /// The smallest value: the best where lower is better.
    Min,
    /// The mean of the values.
    #[default]
    Mean,
    /// The value of the first reference.
    First,
}

impl MultiReference {
    /// The name in parameters and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }

    /// The references that need to be compared.
    pub fn considered(self, references: &[String]) -> &[String] {
        match self {
            Self::First => &references[..references.len().min(1)],
            Self::Max | Self::Min | Self::Mean => references,
        }
    }

    /// The value for all references from the values for each.
    ///
    /// # Panics
    /// If there is none.
    pub fn combine(self, values: &[f64]) -> f64 {
        match self {
            Self::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Self::First => values[0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_of_combining_is_what_it_is_called() {
        let values = [2.0, -3.0, 5.0, 0.0];
        assert_eq!(MultiReference::Max.combine(&values), 5.0);
        assert_eq!(MultiReference::Min.combine(&values), -3.0);
        assert_eq!(MultiReference::Mean.combine(&values), 1.0);
        assert_eq!(MultiReference::First.combine(&values), 2.0);
        let references = ["a".to_string(), "b".to_string()];
        assert_eq!(
            MultiReference::First.considered(&references),
            &references[..1]
        );
        assert_eq!(MultiReference::Mean.considered(&references), references);
    }
}
