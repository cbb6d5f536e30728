//! What people write in flags and files: the values of keys, read alike wherever they stand.

pub mod named;
pub mod one_or_more;
pub mod setting;
