//! The rows of another table (scores, predictions, pairs), aligned with the groups of an index.
//!
//! They are sorted by item like the data set itself and stored in the same order, so that a stage
//! reads both by position, in memory that does not grow with either.

use super::codec::{ByteDecoder, ByteEncoder, damaged};
use super::runs;
use super::sort::{SortedRecords, Sorter};
use super::store::{RecordStore, StoreWriter};
use super::{BUDGET, Group, Index};
use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::limits::{Part, advice};
use tiebreak_base::order::compare;

/// A row of the other table: systems of one item, numbers, and a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Extra {
    /// The line or row in its file, for messages.
    pub line: u64,
    /// The system, twice; or the two of a pair.
    pub systems: [Arm; 2],
    /// The numbers of the row.
    pub numbers: Vec<f64>,
    /// The text of the row, possibly empty.
    pub text: String,
}

/// The rows of another table, by position in the index.
pub struct ItemAlignedRows {
    store: RecordStore,
}

impl ItemAlignedRows {
    /// Aligns rows (item, extra), in any order, with the groups of `index`. Rows of one item keep
    /// their order. `path` is the file they come from.
    ///
    /// # Errors
    /// What `rows` yields; a row whose item the index does not have; a temporary file that cannot
    /// be written.
    pub fn build(
        index: &Index,
        path: &Path,
        rows: impl IntoIterator<Item = Result<(String, Extra)>>,
    ) -> Result<Self> {
        Self::checked(index, path, rows, |_, _| Ok(()))
    }

    /// Builds the rows of a table with one row an item for two systems, in either order.
    ///
    /// # Errors
    /// As [`build`](Self::build); a second row, with the place of the first.
    pub fn of_pairs(
        index: &Index,
        path: &Path,
        rows: impl IntoIterator<Item = Result<(String, Extra)>>,
    ) -> Result<Self> {
        let check = |group: &Group, list: &[u8]| once(index, path, &group.item, list);
        Self::checked(index, path, rows, check)
    }

    /// Builds the rows; `check` gets the encoded list of each group.
    fn checked(
        index: &Index,
        path: &Path,
        rows: impl IntoIterator<Item = Result<(String, Extra)>>,
        check: impl Fn(&Group, &[u8]) -> Result<()>,
    ) -> Result<Self> {
        let mut sorter = Sorter::new(BUDGET);
        let mut body = Vec::new();
        for row in rows {
            let (item, extra) = row?;
            body.clear();
            extra.encode(&mut body);
            sorter.push(item.as_bytes(), &body, &[])?;
        }
        let mut rest = RemainingRows(sorter.finish()?);
        let mut store = StoreWriter::new(BUDGET);
        let (mut bodies, mut list) = (Vec::new(), Vec::new());
        for group in index.all() {
            let group = group?;
            let count = rest.take(&group.item, &mut bodies, path)?;
            list.clear();
            list.put(count);
            list.extend_from_slice(&bodies);
            check(&group, &list)?;
            store.push(&list)?;
        }
        rest.finish(path)?;
        Ok(Self {
            store: store.finish()?,
        })
    }

    /// Returns the rows of each group of a range, in the order of the groups.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn groups(&self, range: Range<u64>) -> Result<Vec<Vec<Extra>>> {
        let mut reader = self.store.reader(range.start)?;
        let mut bytes = Vec::new();
        let mut groups = Vec::new();
        for _ in range {
            if !reader.next(&mut bytes)? {
                break;
            }
            groups.push(ByteDecoder(&bytes).list(Extra::decode)?);
        }
        Ok(groups)
    }
}

/// Checks that no two systems have two rows in the list of an item.
fn once(index: &Index, path: &Path, item: &str, list: &[u8]) -> Result<()> {
    let rows = ByteDecoder(list).list(Extra::decode)?.into_iter();
    let places = rows.map(|Extra { systems, line, .. }| {
        let [one, other] = systems;
        (Pair::new(one, other).lower_first(), line)
    });
    let mut places: Vec<(Pair, u64)> = places.collect();
    places.sort_unstable();
    let mut twice = places.windows(2).filter(|two| two[0].0 == two[1].0);
    twice.next().map_or(Ok(()), |two| {
        let name = |arm: Arm| &index.systems()[arm.index()];
        let (one, other) = (name(two[0].0.first), name(two[0].0.second));
        let what = format!(
            "a second row for `{one}` and `{other}` on item `{item}`; the first is in row {}",
            two[0].1
        );
        Err(Error::record(Location::line(path, two[1].1), what)
            .with_hint("keep one of them; the other way round it is the same pair"))
    })
}

/// The sorted rows that are not yet assigned to a group.
struct RemainingRows(SortedRecords);

impl RemainingRows {
    /// Moves the rows of `item` into `bodies` and counts them.
    fn take(&mut self, item: &str, bodies: &mut Vec<u8>, path: &Path) -> Result<u64> {
        bodies.clear();
        let (mut count, mut rows) = (0, Vec::new());
        while let Some(next) = self.item()? {
            match compare(next, item) {
                Ordering::Greater => break,
                Ordering::Less => return Err(self.unknown(path)),
                Ordering::Equal => {}
            }
            rows.clear();
            self.0.take_body(&mut rows)?;
            for row in runs::rows(&rows) {
                bodies.extend_from_slice(row?);
                count += 1;
            }
            let taken = count * size_of::<Extra>() as u64 + bodies.len() as u64;
            Part::Item.holds(taken).map_err(|excess| {
                let what = format!("the rows of item `{item}` take {excess}");
                Error::input(path, what).with_hint(advice())
            })?;
        }
        Ok(count)
    }

    /// Checks that no rows are left.
    fn finish(mut self, path: &Path) -> Result<()> {
        match self.item()? {
            Some(_) => Err(self.unknown(path)),
            None => Ok(()),
        }
    }

    /// Returns the item of the next rows; `None` at the end.
    fn item(&self) -> Result<Option<&str>> {
        let item = self.0.item().map(std::str::from_utf8);
        item.transpose().map_err(|_| damaged())
    }

    fn unknown(&mut self, path: &Path) -> Error {
        self.first().map_or_else(
            |error| error,
            |(item, line)| {
                Error::record(
                    Location::line(path, line),
                    format!("item `{item}` is not in the data set"),
                )
                .with_hint("the table must have been made from this data set")
            },
        )
    }

    /// Returns the item and the line of the next row.
    fn first(&mut self) -> Result<(String, u64)> {
        let item = self.item()?.ok_or_else(damaged)?.to_string();
        let mut rows = Vec::new();
        self.0.take_body(&mut rows)?;
        let first = runs::rows(&rows).next().ok_or_else(damaged)?;
        Ok((item, Extra::decode(&mut ByteDecoder(first?))?.line))
    }
}

impl Extra {
    fn encode(&self, out: &mut Vec<u8>) {
        out.put(self.line);
        out.put(u64::from(self.systems[0].0));
        out.put(u64::from(self.systems[1].0));
        out.put_list(&self.numbers, |out, &number| out.put_f64(number));
        out.put_str(&self.text);
    }

    fn decode(take: &mut ByteDecoder<'_>) -> Result<Self> {
        let line = take.take()?;
        let mut arm = || u16::try_from(take.take()?).map(Arm).map_err(|_| damaged());
        let systems = [arm()?, arm()?];
        Ok(Self {
            line,
            systems,
            numbers: take.list(ByteDecoder::f64)?,
            text: take.string()?,
        })
    }
}
