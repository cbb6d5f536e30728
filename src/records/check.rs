//! X
pub struct Summary;
pub fn check() {}
