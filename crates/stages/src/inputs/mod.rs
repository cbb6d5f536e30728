//! The inputs of stages: a data set, the tables beside it, and judgments under a criterion.

pub mod judging;
pub mod source;
