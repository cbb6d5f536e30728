//! Values computed by the reference implementations.
