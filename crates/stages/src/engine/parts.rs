//! Work cut into parts: in parallel, in bounded memory, and continued where it stopped.
//!
//! A part is a file of the finished table, so there should be few of them; a piece is what is computed
//! and stored at a time, so it should not take long. Where both cannot be had at once, a part is joined
//! from several pieces.

use crate::engine::context::Context;
use arrow_array::RecordBatch;
use rayon::prelude::*;
use std::ops::Range;
use tiebreak_base::error::Result;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::file::TableFile;
use tiebreak_data::tables::in_memory::ComputedTable;
use tiebreak_data::tables::meta::{self, Meta};
use tiebreak_data::tables::parts::Folder;
use tiebreak_data::tables::pieces::Pieces;
use tiebreak_data::tables::schema::{TableColumns, schema};

/// The approximate number of parts of a table whose parts are neither at their least nor at their most.
const PARTS: u64 = 256;

/// A division of units (items, runs) into parts, and which of them this command computes.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    units: u64,
    per_part: u64,
    per_piece: u64,
    shard: Shard,
}

/// The limits of the sizes of parts and pieces, in units.
#[derive(Debug, Clone, Copy)]
pub struct Grain {
    /// The least size worth a file.
    pub least: u64,
    /// The most that may be lost when a command is killed.
    pub quick: u64,
    /// The most that may be in memory at once.
    pub most: u64,
}

/// One of several commands that share the parts of one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The number of this one, from 1.
    pub number: u64,
    /// The number of all.
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
            per_piece: per_part.max(1),
            shard: Shard::default(),
        }
    }

    /// `units` in some hundreds of parts, fewer where there is little and more where there is very
    /// much; parts that take long in pieces. All computed here.
    pub fn divide(units: u64, grain: Grain) -> Self {
        let Grain { least, quick, most } = grain;
        let even = units.div_ceil(PARTS);
        let per_part = even.max(least).min(most).max(1);
        let pieces = per_part.div_ceil(quick.max(1));
        let per_piece = per_part.div_ceil(pieces);
        Self {
            per_piece,
            ..Self::new(units, per_piece * pieces)
        }
    }

    /// The same parts, but only every `of`-th is computed, beginning with the `number`-th.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        self.shard = shard;
        self
    }

    /// The number of units in a part (the last may hold fewer).
    pub fn per_part(&self) -> u64 {
        self.per_part
    }

    /// The number of parts, whoever computes them.
    pub fn count(&self) -> u64 {
        self.units.div_ceil(self.per_part)
    }

    /// The units of a part.
    pub fn range(&self, part: u64) -> Range<u64> {
        let start = part * self.per_part;
        start..(start + self.per_part).min(self.units)
    }

    /// The units of each piece of a part.
    pub fn pieces(&self, part: u64) -> impl Iterator<Item = Range<u64>> + use<> {
        let (Range { start, end }, step) = (self.range(part), self.per_piece);
        let pieces = (end - start).div_ceil(step);
        (0..pieces).map(move |piece| {
            let start = start + piece * step;
            start..(start + step).min(end)
        })
    }

    /// The parts this command computes, in order.
    pub fn mine(&self) -> impl Iterator<Item = u64> + use<> {
        let Shard { number, of } = self.shard;
        (0..self.count()).filter(move |part| part % of == number - 1)
    }
}

/// Computes a table part by part and writes it to `destination`.
///
/// A folder gets one file per part, and parts it already has are not computed again. A file gets
/// all parts in order; only a window of them is in memory at a time.
///
/// # Errors
/// The first error in part order, whatever thread met it first; [`tiebreak_base::error::Error::Interrupted`].
pub fn produce(
    context: &Context<'_>,
    destination: &Destination,
    columns: TableColumns,
    meta: &Meta,
    parts: Parts,
    compute: impl Fn(Range<u64>) -> Result<RecordBatch> + Sync,
) -> Result<()> {
    match destination {
        Destination::Folder(path) => {
            let meta = meta.clone().with(meta::PARTS, parts.count());
            fill(context, &Folder::open(path, &meta)?, parts, compute)
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

/// Computes a table part by part into memory.
pub(crate) fn collect(
    context: &Context<'_>,
    columns: TableColumns,
    meta: Meta,
    parts: Parts,
    compute: impl Fn(Range<u64>) -> Result<RecordBatch> + Sync,
) -> Result<ComputedTable> {
    let name = meta.table.clone();
    let mut table = ComputedTable::new(columns, meta);
    for_each_in_order(context, &name, parts, compute, |batch| table.push(&batch))?;
    Ok(table)
}

/// Computes the parts that a folder lacks.
fn fill(
    context: &Context<'_>,
    folder: &Folder,
    parts: Parts,
    compute: impl Fn(Range<u64>) -> Result<RecordBatch> + Sync,
) -> Result<()> {
    let missing = missing(folder, parts)?;
    let pieces = missing.iter().map(|&part| parts.pieces(part).count());
    context
        .progress
        .begin(&folder.meta().table, pieces.sum::<usize>() as u64);
    let failed = missing.par_iter().find_map_first(|&part| {
        let units: Vec<Range<u64>> = parts.pieces(part).collect();
        make(context, folder, part, &units, &compute).err()
    });
    folder.tidy();
    context.progress.end();
    failed.map_or(Ok(()), Err)
}

/// The parts of this command that are missing or damaged. Pieces of the other parts are discarded.
fn missing(folder: &Folder, parts: Parts) -> Result<Vec<u64>> {
    let mine: Vec<u64> = parts.mine().collect();
    let there = mine.par_iter().map(|&part| folder.has(part));
    let there: Vec<Result<bool>> = there.collect();
    let mut missing = Vec::new();
    for (&part, there) in mine.iter().zip(there) {
        match there? {
            true => Pieces::of_part(folder, part).discard()?,
            false => missing.push(part),
        }
    }
    Ok(missing)
}

/// Computes a part of one or several pieces.
fn make(
    context: &Context<'_>,
    folder: &Folder,
    part: u64,
    units: &[Range<u64>],
    compute: impl Fn(Range<u64>) -> Result<RecordBatch> + Sync,
) -> Result<()> {
    let pieces = Pieces::of_part(folder, part);
    let piece = |one: &Range<u64>| -> Result<()> {
        context.check()?;
        if units.len() == 1 {
            folder.write(part, &compute(one.clone())?)?;
        } else if !pieces.has(one)? {
            pieces.write(one, &compute(one.clone())?)?;
        }
        context.progress.advance(1);
        Ok(())
    };
    match units.par_iter().find_map_first(|one| piece(one).err()) {
        Some(error) => Err(error),
        None if units.len() > 1 => pieces.join(units),
        None => Ok(()),
    }
}

/// Computes pieces in parallel, a window at a time, and hands the results on in order while the next are computed.
///
/// # Errors
/// The first error in order; [`tiebreak_base::error::Error::Interrupted`].
pub(crate) fn for_each_in_order<T: Send>(
    context: &Context<'_>,
    what: &str,
    parts: Parts,
    compute: impl Fn(Range<u64>) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    let mine = parts.mine().flat_map(|part| parts.pieces(part));
    let mine: Vec<Range<u64>> = mine.collect();
    context.progress.begin(what, mine.len() as u64);
    let compute = |units: &Range<u64>| -> Result<T> {
        context.check()?;
        let result = compute(units.clone());
        context.progress.advance(1);
        result
    };
    let mut windows = mine.chunks(4 * rayon::current_num_threads());
    let mut before: Vec<Result<T>> = Vec::new();
    loop {
        let window = windows.next().unwrap_or_default();
        let take_all = || before.into_iter().try_for_each(|result| take(result?));
        let compute_all = || window.par_iter().map(compute).collect();
        let (taken, results) = rayon::join(take_all, compute_all);
        taken?;
        if window.is_empty() {
            break;
        }
        before = results;
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
