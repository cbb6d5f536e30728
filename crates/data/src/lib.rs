//! What people bring and what is stored: data sets, the formats of other tools, tables.

#![forbid(unsafe_code)]

pub mod records;
pub mod sheets;
pub mod tables;
