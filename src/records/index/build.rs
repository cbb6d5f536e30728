//! Reads every table of a data set once, sorts the rows by item and joins them.

use super::encode::{Encoded, Met};
use super::entry::{Entry, Head};
use super::join::{Joiner, Mistake};
use super::names::Names;
use super::runs::{self, Record};
use super::sort::{Sorted, Sorter};
use super::store::{Store, StoreWriter};
use super::{Index, codec};
use crate::error::{Error, Location, Result, nearest};
use crate::limits::{Part, advice};
use crate::records::ordered::{Weight, ordered};
use crate::records::{Dataset, Kind};

/// Most systems a data set may have: what an [`Arm`](crate::duel::Arm) can number.
const SYSTEMS: usize = u16::MAX as usize;

/// Bytes of rows that are joined in one piece, more or less.
const PIECE: usize = 1 << 18;

/// Builds the index of a data set with about `budget` bytes of rows in memory.
pub(super) fn build(dataset: &Dataset, budget: usize) -> Result<Index> {
    let mut reading = Reading {
        dataset,
        systems: Names::default(),
        criteria: Names::default(),
        sorter: Sorter::new(budget),
        rows: [0; 4],
        head: Vec::new(),
    };
    for kind in Kind::ALL {
        reading.table(kind)?;
    }
    let (systems, system_places) = reading.systems.sorted();
    let (criteria, criterion_places) = reading.criteria.sorted();
    let joiner = Joiner {
        dataset,
        names: &systems,
        systems: &system_places,
        criteria: &criterion_places,
    };
    let (store, references) = join(reading.sorter.finish()?, &joiner, budget)?;
    let tables = Kind::ALL.into_iter();
    Ok(Index {
        systems,
        criteria,
        rows: reading.rows,
        tables: tables.filter(|k| dataset.table(*k).is_some()).collect(),
        references,
        store,
    })
}

struct Reading<'a> {
    dataset: &'a Dataset,
    systems: Names,
    criteria: Names,
    sorter: Sorter,
    rows: [u64; 4],
    head: Vec<u8>,
}

impl Reading<'_> {
    fn table(&mut self, kind: Kind) -> Result<()> {
        let dataset = self.dataset;
        let Some(mut rows) = dataset.rows(kind).map_err(|e| lone(dataset, e))? else {
            return Ok(());
        };
        ordered(
            || rows.piece(),
            |piece| Encoded::new(dataset, kind, piece),
            |encoded| self.take(encoded),
        )
    }

    /// Sorts rows in, under names that hold everywhere.
    fn take(&mut self, encoded: Encoded) -> Result<()> {
        let kind = encoded.kind;
        // Where there are outputs, who is compared or judged must have some.
        let known = kind != Kind::Outputs && self.dataset.table(Kind::Outputs).is_some();
        let systems = self.numbered(&encoded.systems, known)?;
        let criteria = numbered(&mut self.criteria, &encoded.criteria)?;
        let second = match kind {
            Kind::Judgments => &criteria,
            _ => &systems,
        };
        encoded.rows(|row| {
            let of = |numbers: &[usize], name| numbers.get(name).copied().unwrap_or(0);
            let head = Head {
                kind,
                line: row.line,
                place: self.rows[kind as usize],
                names: [of(&systems, row.names[0]), of(second, row.names[1])],
            };
            head.encode(&mut self.head);
            self.rows[kind as usize] += 1;
            self.sorter.push(row.item, &self.head, row.body)
        })?;
        let mistake = encoded.mistake.map(|error| lone(self.dataset, error));
        mistake.map_or(Ok(()), Err)
    }

    /// The numbers of systems; those that must be known are not numbered anew.
    fn numbered(&mut self, met: &Met, known: bool) -> Result<Vec<usize>> {
        if known {
            let find = |(name, at): &(String, Location)| {
                let found = self.systems.find(name);
                found.ok_or_else(|| without_outputs(&self.systems, name, at))
            };
            return met.names.iter().map(find).collect();
        }
        let numbers = numbered(&mut self.systems, met)?;
        match numbers.iter().position(|&number| number >= SYSTEMS) {
            Some(first) => {
                let at = met.names[first].1.clone();
                Err(Error::record(at, format!("more than {SYSTEMS} systems"))
                    .with_hint("is another column meant to be the system?"))
            }
            None => Ok(numbers),
        }
    }
}

fn without_outputs(systems: &Names, name: &str, at: &Location) -> Error {
    let error = Error::record(at.clone(), format!("system `{name}` has no outputs"));
    match nearest(name, systems.iter()) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error.with_hint("every system must be named as in `outputs`"),
    }
}

/// The numbers of names that may be new.
fn numbered(names: &mut Names, met: &Met) -> Result<Vec<usize>> {
    let number = |(name, at): &(String, Location)| {
        names.number(name).map_err(|excess| {
            let what = format!("the names up to here take {excess}");
            Error::record(at.clone(), what).with_hint(advice())
        })
    };
    met.names.iter().map(number).collect()
}

/// A lone file that lacks a column may be another table than the one it is taken for.
fn lone(dataset: &Dataset, error: Error) -> Error {
    let lone = dataset.table(Kind::Outputs) == Some(dataset.path());
    match (lone, error.hint()) {
        (true, Some(hint)) if hint.starts_with("map it") => error.with_hint(format!(
            "a lone file is read as `outputs`; put any other table in a folder under its own \
             name, such as comparisons.jsonl. If it is `outputs`, {hint}"
        )),
        _ => error,
    }
}

/// The rows of some items, as they were sorted.
#[derive(Default)]
struct Items {
    items: Vec<Rows>,
    bytes: usize,
}

/// The rows of an item, as a record has them.
struct Rows {
    item: Vec<u8>,
    body: Vec<u8>,
}

impl Weight for Items {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What becomes of some items: the bytes of their groups, one after the other.
#[derive(Default)]
struct Joined {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    references: Option<(usize, usize)>,
    mistake: Option<Mistake>,
}

fn join(
    mut sorted: Sorted,
    joiner: &Joiner<'_>,
    budget: usize,
) -> Result<(Store, Option<(usize, usize)>)> {
    let mut store = StoreWriter::new(budget);
    let (mut references, mut mistake) = (None, None);
    let mut ahead = None;
    ordered(
        || next_items(&mut sorted, &mut ahead, joiner.dataset),
        |items| joined(joiner, items),
        |joined| {
            let joined = joined?;
            references = spanned(references, joined.references);
            mistake = Mistake::first(mistake.take(), joined.mistake);
            let mut start = 0;
            for end in joined.ends {
                store.push(&joined.bytes[start..end])?;
                start = end;
            }
            Ok(())
        },
    )?;
    match mistake {
        Some(mistake) => Err(mistake.error),
        None => Ok((store.finish()?, references)),
    }
}

/// The rows of the next items. `ahead` is a row that was read and belongs to the item after them.
fn next_items(
    sorted: &mut Sorted,
    ahead: &mut Option<Record>,
    dataset: &Dataset,
) -> Result<Option<Items>> {
    let mut items = Items::default();
    while items.bytes < PIECE {
        let mut record = match ahead.take() {
            Some(record) => record,
            None => {
                let mut first = Record::default();
                if !sorted.next(&mut first)? {
                    break;
                }
                first
            }
        };
        let mut rows = Rows {
            item: std::mem::take(&mut record.item),
            body: Vec::new(),
        };
        let mut count = 0;
        loop {
            count += record.rows().count();
            rows.body.extend_from_slice(&record.body);
            let taken = count * size_of::<Entry>() + rows.body.len();
            Part::Item.holds(taken as u64).map_err(|excess| {
                let item = String::from_utf8_lossy(&rows.item);
                let what = format!("the rows of item `{item}` take {excess}");
                Error::input(dataset.path(), what).with_hint(advice())
            })?;
            if !sorted.next(&mut record)? {
                break;
            }
            if record.item != rows.item {
                *ahead = Some(record);
                break;
            }
        }
        items.bytes += rows.item.len() + rows.body.len();
        items.items.push(rows);
    }
    Ok((!items.items.is_empty()).then_some(items))
}

fn joined(joiner: &Joiner<'_>, items: Items) -> Result<Joined> {
    let mut joined = Joined::default();
    for rows in items.items {
        let entries = runs::rows(&rows.body).map(|row| Entry::decode(row?));
        let entries = entries.collect::<Result<_>>()?;
        let item = String::from_utf8(rows.item).map_err(|_| codec::damaged())?;
        let group = joiner.join(item, entries, &mut joined.mistake);
        if !group.outputs.is_empty() {
            let count = group.references.len();
            joined.references = spanned(joined.references, Some((count, count)));
        }
        group.encode(&mut joined.bytes);
        joined.ends.push(joined.bytes.len());
    }
    Ok(joined)
}

/// From the least to the most of both.
fn spanned(one: Option<(usize, usize)>, other: Option<(usize, usize)>) -> Option<(usize, usize)> {
    match (one, other) {
        (Some((least, most)), Some((low, high))) => Some((least.min(low), most.max(high))),
        (one, other) => one.or(other),
    }
}
