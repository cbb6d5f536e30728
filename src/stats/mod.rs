//! Pure numerics over slices; no domain words.
