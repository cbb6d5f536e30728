//! Pure numerics over slices; no domain words.

pub mod special;
