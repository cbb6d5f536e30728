//! Values computed by the reference implementations.

#[cfg(feature = "neural")]
mod models;
