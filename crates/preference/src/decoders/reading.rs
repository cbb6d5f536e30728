//! How likely labels are to follow a prompt.

/// How likely each of some labels is.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelProbabilities {
    /// Of each label, among the labels; they sum to 1.
    pub shares: Vec<f64>,
    /// Of all labels together, among all tokens: near 0 a model does not do as the prompt says.
    pub mass: f64,
}
