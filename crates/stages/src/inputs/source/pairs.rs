//! The pairs a user asked for, laid beside the items they belong to.

use super::Source;
use super::digest;
use super::table::two_systems;
use crate::engine::Context;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_data::records::index::{Extra, ItemAlignedRows};
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::whole;

/// The pairs a user asked for, beside the items.
pub struct RequestedPairs {
    beside: ItemAlignedRows,
    rows: u64,
    digest: String,
}

impl RequestedPairs {
    /// The columns that a table of pairs needs.
    pub(crate) const COLUMNS: [&'static str; 3] = ["item", "system_a", "system_b"];

    /// Reads a table of pairs, with a warning that names the number of rows whose pair an earlier row has.
    ///
    /// # Errors
    /// Rows that do not fit the data set, or none at all; a system paired with itself.
    pub(crate) fn open(context: &Context<'_>, source: &Source, path: &Path) -> Result<Self> {
        let rows = whole::open(path)?;
        rows.require(&Self::COLUMNS)?;
        let mut number = 0;
        let extra = |row: Result<Row>| -> Result<(String, Extra)> {
            let row = row?;
            number += 1;
            let systems = two_systems(source, &row)?;
            Ok((
                row.text("item")?,
                Extra {
                    line: row.number_in_file(),
                    systems,
                    numbers: Vec::new(),
                    text: String::new(),
                },
            ))
        };
        let beside = ItemAlignedRows::build(&source.index, path, rows.map(extra))?;
        if number == 0 {
            let what = "holds no pairs, so there is nothing to predict";
            let hint = message!(
                "a row has an item and two systems; without {} all are predicted",
                Key("pairs")
            );
            return Err(Error::input(path, what).with_hint(hint));
        }
        let pairs = Self {
            beside,
            rows: number,
            digest: digest(path)?,
        };
        let mut once = 0;
        for position in 0..source.index.items() {
            let of_item = pairs.compared(position..position + 1)?;
            once += of_item.iter().flatten().count() as u64;
        }
        if once < number {
            context.progress.warn(&format!(
                "{}: {} of {number} rows repeat an item and its two systems; such a pair is predicted once, in the order of its \
                 first row",
                path.display(),
                number - once
            ));
        }
        Ok(pairs)
    }

    /// The number of rows in the file.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// The digest of the file.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The pairs of every group of a range, each once, as first given.
    pub(crate) fn compared(&self, range: Range<u64>) -> Result<Vec<Vec<(Arm, Arm)>>> {
        let once = |rows: Vec<Extra>| {
            let mut seen = HashSet::new();
            let pairs = rows.into_iter().map(|row| row.systems.into());
            let first = pairs.filter(|&(a, b)| seen.insert(Pair::new(a, b).lower_first()));
            first.collect()
        };
        Ok(self.beside.groups(range)?.into_iter().map(once).collect())
    }
}
