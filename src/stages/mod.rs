//! What can be asked of tiebreak, a folder or file each.

pub mod annotators;
pub mod asking;
pub mod assess;
pub mod calibrate;
pub mod correlate;
pub mod disagreements;
pub mod estimate;
pub mod fit;
pub mod predict;
pub mod prospect;
pub mod rank;
pub mod sample;
pub mod score;
pub mod simulate;
pub mod spec;
