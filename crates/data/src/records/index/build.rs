//! The construction of an index: every table is read once, sorted by item and checked.

use super::Index;
use super::agree::{Checker, Mistake};
use super::codec::ByteEncoder;
use super::encode::{EncodedRows, LocalNameNumbering, UnansweredRows};
use super::entry::{EntryHead, NameRanks};
use super::group::GroupJudgment;
use super::items::{ItemStore, ItemsWriter};
use super::names::NameNumbering;
use super::runs::{self, Bodies, BodyPlace};
use super::sort::{SortedRecords, Sorter};
use crate::records::decimals::DecimalMarks;
use crate::records::import::wide_command;
use crate::records::ordered::{ByteSize, ordered};
use crate::records::{Dataset, Kind};
use std::ops::Range;
use std::sync::Arc;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Audience, Error, Location, Result, nearest};
use tiebreak_base::limits::{Part, advice};
use tiebreak_base::message;

/// Approximate bytes of rows that are checked in one piece.
const PIECE: usize = 1 << 18;

/// Builds the index of a data set with about `budget` bytes of rows in memory.
pub(super) fn build(dataset: &Dataset, budget: usize) -> Result<Index> {
    let mut reading = IndexTableReader {
        dataset,
        systems: NameNumbering::default(),
        criteria: NameNumbering::default(),
        sorter: Sorter::new(budget),
        rows: [0; 4],
        unanswered: [UnansweredRows::default(); 4],
        decimals: DecimalMarks::default(),
        head: Vec::new(),
    };
    for kind in Kind::ALL {
        reading.table(kind)?;
    }
    let rows =
        Kind::ALL.map(|kind| reading.rows[kind as usize] - reading.unanswered[kind as usize].count);
    let unanswered = reading.unanswered;
    let (systems, by_system) = reading.systems.sorted();
    let (criteria, by_criterion) = reading.criteria.sorted();
    let places = NameRanks {
        systems: by_system.into_iter().map(Arm::from).collect(),
        criteria: by_criterion,
    };
    let checker = Checker {
        dataset,
        names: &systems,
        places: &places,
    };
    let (items, references) = checked(reading.sorter.finish()?, &checker, budget)?;
    let tables = Kind::ALL.into_iter();
    Ok(Index {
        systems,
        criteria,
        rows,
        unanswered,
        tables: tables.filter(|k| dataset.table(*k).is_some()).collect(),
        references,
        places,
        items,
    })
}

struct IndexTableReader<'a> {
    dataset: &'a Dataset,
    systems: NameNumbering,
    criteria: NameNumbering,
    sorter: Sorter,
    /// The number of rows of each table, those left out included.
    rows: [u64; 4],
    /// The rows of each table that are left out, since nobody answered.
    unanswered: [UnansweredRows; 4],
    /// How scores are written.
    decimals: DecimalMarks,
    head: Vec<u8>,
}

impl IndexTableReader<'_> {
    fn table(&mut self, kind: Kind) -> Result<()> {
        let dataset = self.dataset;
        let rows = dataset.documented_rows(kind);
        let Some(mut rows) = rows.map_err(|e| lone(dataset, e))? else {
            return Ok(());
        };
        ordered(
            || rows.piece(),
            |piece| EncodedRows::new(dataset, kind, piece),
            |encoded| self.take(encoded),
        )
    }

    /// Adds rows to the sorter, with global numbers for their names.
    fn take(&mut self, encoded: EncodedRows) -> Result<()> {
        let kind = encoded.kind;
        // Where there are outputs, the systems compared or judged must have some.
        let known = kind != Kind::Outputs && self.dataset.table(Kind::Outputs).is_some();
        let systems = self.numbered(&encoded, known)?;
        self.decimals.add(&encoded.decimals);
        self.decimals.check("score")?;
        let criteria = numbered(&mut self.criteria, &encoded.criteria)?;
        let second = match kind {
            Kind::Judgments => &criteria,
            _ => &systems,
        };
        encoded.rows(|row| {
            let of = |numbers: &[usize], name| numbers.get(name).copied().unwrap_or(0);
            let head = EntryHead {
                kind,
                line: row.line,
                place: self.rows[kind as usize] + row.place,
                names: [of(&systems, row.names[0]), of(second, row.names[1])],
            };
            head.encode(&mut self.head);
            self.sorter.push(row.item, &self.head, row.body)
        })?;
        self.rows[kind as usize] += encoded.seen;
        self.unanswered[kind as usize].add(encoded.unanswered);
        let mistake = encoded.mistake.map(|error| lone(self.dataset, error));
        mistake.map_or(Ok(()), Err)
    }

    /// Returns the numbers of systems; where they must be `known`, new names are errors.
    fn numbered(&mut self, encoded: &EncodedRows, known: bool) -> Result<Vec<usize>> {
        let met = &encoded.systems;
        if known {
            let find = |((name, at), number): (&(String, Location), u32)| {
                let found = self.systems.number_of(name);
                let other = || encoded.opponent(number);
                found.ok_or_else(|| without_outputs(&self.systems, name, other(), at))
            };
            return met.names.iter().zip(0..).map(find).collect();
        }
        let numbers = numbered(&mut self.systems, met)?;
        match numbers.iter().position(|&number| number >= Arm::MOST) {
            Some(first) => {
                let at = met.names[first].1.clone();
                Err(
                    Error::record(at, format!("more than {} systems", Arm::MOST))
                        .with_hint("is another column meant to be the system?"),
                )
            }
            None => Ok(numbers),
        }
    }
}

/// The error for a system without outputs. `other` is what its row compares it with, so that it is not meant.
fn without_outputs(
    systems: &NameNumbering,
    name: &str,
    other: Option<&str>,
    at: &Location,
) -> Error {
    let error = Error::record(at.clone(), format!("system `{name}` has no outputs"));
    match nearest(name, systems.iter().filter(|known| Some(*known) != other)) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error.with_hint("every system must be named as in `outputs`"),
    }
}

/// Returns the numbers of names, new or not.
fn numbered(names: &mut NameNumbering, met: &LocalNameNumbering) -> Result<Vec<usize>> {
    let number = |(name, at): &(String, Location)| {
        names.number(name).map_err(|excess| {
            let what = format!("the names up to here take {excess}");
            Error::record(at.clone(), what).with_hint(advice())
        })
    };
    met.names.iter().map(number).collect()
}

/// Adds a hint to an error of a lone file: where it lacks a column it may be another table than assumed.
fn lone(dataset: &Dataset, error: Error) -> Error {
    let lone = dataset.table(Kind::Outputs) == Some(dataset.path());
    match (lone, error.advice()) {
        (true, Some(advice)) if advice.shown_to(Audience::File).starts_with("map it") => error
            .with_hint(message!(
                "a lone file of outputs has a row for each. One with a column for each system is read by {}. If the file \
                 has outputs, {}",
                wide_command(dataset.path()),
                advice
            )),
        _ => error,
    }
}

/// Consecutive items, and the places of their rows.
#[derive(Default)]
struct ItemChunk {
    names: Vec<u8>,
    places: Vec<BodyPlace>,
    /// The end of each item in the names and in the places.
    ends: Vec<[usize; 2]>,
    bytes: usize,
}

impl ByteSize for ItemChunk {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Items after the checks: their names and rows, and where the rows came from.
struct CheckedItems {
    bytes: Vec<u8>,
    places: Vec<BodyPlace>,
    /// The end of each item in the bytes and in the places.
    ends: Vec<[usize; 2]>,
    references: Option<(usize, usize)>,
    mistake: Option<Mistake>,
}

fn checked(
    mut sorted: SortedRecords,
    checker: &Checker<'_>,
    budget: usize,
) -> Result<(ItemStore, Option<(usize, usize)>)> {
    let mut items = ItemsWriter::new(budget, sorted.lent());
    let bodies = Arc::clone(sorted.bodies());
    let (mut references, mut mistake) = (None, None);
    ordered(
        || next_chunk(&mut sorted, checker.dataset),
        |chunk| check(checker, &bodies, chunk),
        |checked| {
            let checked = checked?;
            references = spanned(references, checked.references);
            mistake = Mistake::first(mistake.take(), checked.mistake);
            let mut spans = spans(&checked.ends);
            spans.try_for_each(|[item, places]| {
                items.push(&checked.bytes[item], &checked.places[places])
            })
        },
    )?;
    match mistake {
        Some(mistake) => Err(mistake.error(checker.dataset)),
        None => Ok((items.finish()?, references)),
    }
}

/// Returns the two ranges of each item, by their ends.
fn spans(ends: &[[usize; 2]]) -> impl Iterator<Item = [Range<usize>; 2]> {
    let starts = std::iter::once([0; 2]).chain(ends.iter().copied());
    let spans = starts.zip(ends);
    spans.map(|(start, end)| [0, 1].map(|of| start[of]..end[of]))
}

/// Takes the next items.
fn next_chunk(sorted: &mut SortedRecords, dataset: &Dataset) -> Result<Option<ItemChunk>> {
    let mut chunk = ItemChunk::default();
    while chunk.bytes < PIECE
        && let Some(item) = sorted.item()
    {
        let (start, mut bytes) = (chunk.names.len(), item.len());
        chunk.names.extend_from_slice(item);
        let item = &chunk.names[start..];
        while sorted.item() == Some(item) {
            let place = sorted.take()?;
            bytes += place.map_or(0, |place| place.length as usize);
            holds(dataset, item, bytes)?;
            chunk.places.extend(place);
        }
        chunk.bytes += bytes;
        chunk.ends.push([chunk.names.len(), chunk.places.len()]);
    }
    Ok((!chunk.ends.is_empty()).then_some(chunk))
}

/// Checks that an item of so many bytes may be held in memory.
fn holds(dataset: &Dataset, item: &[u8], bytes: usize) -> Result<()> {
    Part::Item.holds(bytes as u64).map_err(|excess| {
        let item = String::from_utf8_lossy(item);
        let what = format!("the rows of item `{item}` take {excess}");
        Error::input(dataset.path(), what).with_hint(advice())
    })
}

fn check(checker: &Checker<'_>, bodies: &Bodies, chunk: ItemChunk) -> Result<CheckedItems> {
    let read = bodies.read(chunk.places.iter())?;
    let mut checked = CheckedItems {
        bytes: Vec::with_capacity(chunk.bytes + chunk.bytes / 8),
        places: Vec::new(),
        ends: Vec::with_capacity(chunk.ends.len()),
        references: None,
        mistake: None,
    };
    for [name, places] in spans(&chunk.ends) {
        let item = &chunk.names[name];
        let bytes = &mut checked.bytes;
        let start = bytes.len();
        bytes.put_slice(item);
        let body = bytes.len();
        for place in &chunk.places[places.clone()] {
            bytes.extend_from_slice(read.at(place));
        }
        let rows = runs::rows(&bytes[body..]).count() * size_of::<GroupJudgment>();
        holds(checker.dataset, item, rows + bytes.len() - start)?;
        let count = checker.check(&bytes[start..], &mut checked.mistake)?;
        checked.references = spanned(checked.references, count.map(|count| (count, count)));
        checked.ends.push([bytes.len(), places.end]);
    }
    checked.places = chunk.places;
    Ok(checked)
}

/// Returns the range that spans both.
fn spanned(one: Option<(usize, usize)>, other: Option<(usize, usize)>) -> Option<(usize, usize)> {
    match (one, other) {
        (Some((least, most)), Some((low, high))) => Some((least.min(low), most.max(high))),
        (one, other) => one.or(other),
    }
}
