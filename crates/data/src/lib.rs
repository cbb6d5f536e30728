//! Input data sets, the file formats of other tools, and stored tables.

#![forbid(unsafe_code)]

pub mod records;
pub mod sheets;
pub mod tables;
