//! The probabilities of labels to follow a prompt.

/// The probabilities of some labels.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LabelProbabilities {
    /// The share of each label among the labels; they sum to 1.
    pub shares: Vec<f64>,
    /// The share of all labels among all tokens: near 0 a model does not follow the prompt.
    pub mass: f64,
}
