//! Work cut into parts: in parallel, in bounded memory, and continued where it stopped.

use super::context::Context;
use crate::error::Result;
use crate::tables::destination::Destination;
use crate::tables::file::TableFile;
use crate::tables::meta::Meta;
use crate::tables::parts::Folder;
use crate::tables::schema::{Columns, schema};
use arrow::array::RecordBatch;
use rayon::prelude::*;
use std::ops::Range;

/// A division of units (items, runs) into parts, and which of them this command computes.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    units: u64,
    per_part: u64,
    shard: Shard,
}

/// One of several commands that share the parts of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl Parts {
    /// `units` in parts of `per_part`, all computed here.
    pub fn new(units: u64, per_part: u64) -> Self {
        Self {
            units,
            per_part: per_part.max(1),
            shard: Shard::default(),
        }
    }

    /// The same, but only every `of`-th part, beginning with the `number`-th.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = shard;
        self
    }

    /// How many units a part holds (the last may hold fewer).
    pub fn per_part(&self) -> u64 {
        self.per_part
    }

    /// The units of a part.
    pub fn range(&self, part: u64) -> Range<u64> {
        let start = part * self.per_part;
        start..(start + self.per_part).min(self.units)
    }

    /// The parts this command computes, in order.
    pub fn mine(&self) -> impl Iterator<Item = u64> + use<> {
        let count = self.units.div_ceil(self.per_part);
        let Shard { number, of } = self.shard;
        (0..count).filter(move |part| part % of == number - 1)
    }
}

/// Computes a table part by part and writes it to `destination`.
///
/// A folder gets one file per part, and parts it already has are not computed again. A file gets
/// all parts in order; only a window of them is in memory at a time.
///
/// # Errors
/// The first error in part order, whatever thread met it first; [`crate::Error::Interrupted`].
pub fn produce(
    context: &Context<'_>,
    destination: &Destination,
    columns: Columns,
    meta: &Meta,
    parts: Parts,
    compute: impl Fn(Range<u64>) -> Result<RecordBatch> + Sync,
) -> Result<()> {
    match destination {
        Destination::Folder(path) => {
            let folder = Folder::open(path, meta)?;
            let missing: Vec<u64> = parts.mine().filter(|&part| !folder.has(part)).collect();
            context.progress.begin(&meta.table, missing.len() as u64);
            let work = |&part: &u64| -> Result<()> {
                context.check()?;
                folder.write(part, &compute(parts.range(part))?)?;
                context.progress.advance(1);
                Ok(())
            };
            let failed = missing.par_iter().find_map_first(|part| work(part).err());
            context.progress.end();
            failed.map_or(Ok(()), Err)
        }
        Destination::File(path, format) => {
            let mut file = TableFile::create(path, *format, &schema(columns), meta)?;
            for_each_in_order(context, &meta.table, parts, compute, |batch| {
                file.write(&batch)
            })?;
            file.finish()
        }
    }
}

/// Computes parts in parallel and hands the results on in part order, a window at a time.
///
/// # Errors
/// The first error in part order; [`crate::Error::Interrupted`].
pub fn for_each_in_order<T: Send>(
    context: &Context<'_>,
    what: &str,
    parts: Parts,
    compute: impl Fn(Range<u64>) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mine: Vec<u64> = parts.mine().collect();
    context.progress.begin(what, mine.len() as u64);
    let compute = |&part: &u64| -> Result<T> {
        context.check()?;
        let result = compute(parts.range(part));
        context.progress.advance(1);
        result
    };
    let window = 4 * rayon::current_num_threads();
    for window in mine.chunks(window) {
        let results: Vec<Result<T>> = window.par_iter().map(compute).collect();
        for result in results {
            take(result?)?;
        }
    }
    context.progress.end();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_the_parts_without_overlap() {
        let parts = Parts::new(10, 3);
        assert_eq!(
            parts
                .mine()
                .map(|part| parts.range(part))
                .collect::<Vec<_>>(),
            [0..3, 3..6, 6..9, 9..10]
        );
        let shard = |number| {
            parts
                .shard(Shard { number, of: 3 })
                .mine()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            [shard(1), shard(2), shard(3)],
            [vec![0, 3], vec![1], vec![2]]
        );
        assert_eq!(Parts::new(0, 3).mine().count(), 0);
    }
}
