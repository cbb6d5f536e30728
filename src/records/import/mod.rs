//! Makes a data set folder of what people have in other shapes: line-aligned text files, or one
//! wide table with a column for every system.
//!
//! Both are streamed. The folder is made under another name and renamed when it is whole; a folder
//! that is already there is left alone unless it would become the same.

mod aligned;
mod roles;
mod wide;
mod writer;

pub use aligned::{Aligned, aligned};
pub use wide::{Wide, wide};

use std::fmt;

/// What an import made.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Imported {
    /// How many items.
    pub items: u64,
    /// The systems, in the order given.
    pub systems: Vec<String>,
    /// Whether items have sources.
    pub source: bool,
    /// From how many files or columns the references come.
    pub references: usize,
    /// Outputs that are not there: a null in a wide table.
    pub missing: u64,
    /// What was taken for what, a line each.
    pub taken: Vec<String>,
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = if self.source { "" } else { "no " };
        let (items, systems) = (self.items, self.systems.len());
        writeln!(
            f,
            "{items} items, {systems} systems, {source}source, {} references an item",
            self.references
        )?;
        if self.missing > 0 {
            writeln!(f, "{} outputs are missing", self.missing)?;
        }
        self.taken.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}
