//! Reads every table of a data set once, sorts the rows by item and joins them.

use super::Index;
use super::entry::{Context, Entry, What};
use super::group::{GroupComparison, GroupJudgment, GroupOutput};
use super::join::Joiner;
use super::names::Names;
use super::runs::Record;
use super::sort::{Sorted, Sorter};
use super::store::{Store, StoreWriter};
use crate::duel::Arm;
use crate::error::{Error, Result, nearest};
use crate::limits::{Part, advice};
use crate::records::{Comparison, Dataset, Item, Judgment, Kind, Output, Row};

/// Most systems a data set may have: what an [`Arm`] can number.
const SYSTEMS: usize = u16::MAX as usize;

/// Builds the index of a data set with about `budget` bytes of rows in memory.
pub(super) fn build(dataset: &Dataset, budget: usize) -> Result<Index> {
    let mut reading = Reading {
        dataset,
        systems: Names::default(),
        criteria: Names::default(),
        sorter: Sorter::new(budget),
        rows: [0; 4],
        before: None,
        bytes: Vec::new(),
    };
    for kind in Kind::ALL {
        reading.table(kind)?;
    }
    let (systems, system_places) = reading.systems.sorted();
    let (criteria, criterion_places) = reading.criteria.sorted();
    let mut joiner = Joiner::new(dataset, &systems, system_places, criterion_places);
    let (store, references) = join(dataset, reading.sorter.finish()?, &mut joiner, budget)?;
    joiner.finish()?;
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
    /// The item of the last output and what it was judged against.
    before: Option<(String, Context)>,
    bytes: Vec<u8>,
}

impl Reading<'_> {
    fn table(&mut self, kind: Kind) -> Result<()> {
        let rows = self.dataset.rows(kind).map_err(|e| self.lone(e))?;
        for row in rows.into_iter().flatten() {
            let row = row?;
            let (item, what) = self.row(kind, &row).map_err(|e| self.lone(e))?;
            let entry = Entry {
                line: row.number_in_file(),
                what,
            };
            entry.encode(&mut self.bytes);
            self.sorter.push(&item, &self.bytes)?;
            self.rows[kind as usize] += 1;
        }
        Ok(())
    }

    /// A lone file that lacks a column may be another table than the one it is taken for.
    fn lone(&self, error: Error) -> Error {
        let lone = self.dataset.table(Kind::Outputs) == Some(self.dataset.path());
        match (lone, error.hint()) {
            (true, Some(hint)) if hint.starts_with("map it") => error.with_hint(format!(
                "a lone file is read as `outputs`; put any other table in a folder under its own \
                 name, such as comparisons.jsonl. If it is `outputs`, {hint}"
            )),
            _ => error,
        }
    }

    fn row(&mut self, kind: Kind, row: &Row) -> Result<(String, What)> {
        Ok(match kind {
            Kind::Items => {
                let item = Item::from_row(row)?;
                let context = Context {
                    source: item.source,
                    references: item.references,
                };
                (item.item, What::Item(context))
            }
            Kind::Outputs => self.output(row)?,
            Kind::Comparisons => self.comparison(row)?,
            Kind::Judgments => self.judgment(row)?,
        })
    }

    fn output(&mut self, row: &Row) -> Result<(String, What)> {
        let output = Output::from_row(row)?;
        let context = Context {
            source: output.source,
            references: output.references,
        };
        // Rows of one item often follow each other and repeat its source and references. The sort
        // keeps their order, so that "as before" is still true afterwards.
        let now = (output.item, context);
        let repeated = self.before.as_ref() == Some(&now);
        let context = (!repeated).then(|| now.1.clone());
        let item = now.0.clone();
        self.before = Some(now);
        let output = GroupOutput {
            system: self.new_system(row, &output.system)?,
            text: output.output,
        };
        Ok((item, What::Output(output, context)))
    }

    fn comparison(&mut self, row: &Row) -> Result<(String, What)> {
        let comparison = Comparison::from_row(row, self.dataset.outcomes())?;
        let what = What::Comparison(GroupComparison {
            place: self.rows[Kind::Comparisons as usize],
            a: self.known_system(row, &comparison.system_a)?,
            b: self.known_system(row, &comparison.system_b)?,
            outcome: comparison.outcome,
            annotator: comparison.annotator,
            seconds: comparison.seconds,
        });
        Ok((comparison.item, what))
    }

    fn judgment(&mut self, row: &Row) -> Result<(String, What)> {
        let judgment = Judgment::from_row(row)?;
        let (criterion, score) = (&judgment.criterion, judgment.score);
        if let Some([low, high]) = self.dataset.descriptor().range(criterion)
            && !(low..=high).contains(&score)
        {
            let what = format!("`score` is {score}, outside the range {low} to {high}");
            return Err(row.error(what).with_hint(format!(
                "dataset.toml declares the range of `{criterion}`: correct either"
            )));
        }
        let what = What::Judgment(GroupJudgment {
            place: self.rows[Kind::Judgments as usize],
            system: self.known_system(row, &judgment.system)?,
            criterion: numbered(&mut self.criteria, row, &judgment.criterion)?,
            score: judgment.score,
            annotator: judgment.annotator,
            part: judgment.part,
            post_edit: judgment.post_edit,
            seconds: judgment.seconds,
        });
        Ok((judgment.item, what))
    }

    /// The number of a system that may not have been met before.
    fn new_system(&mut self, row: &Row, name: &str) -> Result<Arm> {
        let number = numbered(&mut self.systems, row, name)?;
        if number >= SYSTEMS {
            return Err(row
                .error(format!("more than {SYSTEMS} systems"))
                .with_hint("is another column meant to be the system?"));
        }
        Ok(Arm::from(number))
    }

    /// The number of a system that was compared or judged; where there are outputs, it must have
    /// some.
    fn known_system(&mut self, row: &Row, name: &str) -> Result<Arm> {
        if self.dataset.table(Kind::Outputs).is_none() {
            return self.new_system(row, name);
        }
        self.systems.find(name).map(Arm::from).ok_or_else(|| {
            let error = row.error(format!("system `{name}` has no outputs"));
            match nearest(name, self.systems.iter()) {
                Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                None => error.with_hint("every system must be named as in `outputs`"),
            }
        })
    }
}

/// The number of a name that may be new.
fn numbered(names: &mut Names, row: &Row, name: &str) -> Result<usize> {
    let number = names.number(name);
    number.map_err(|excess| {
        let what = format!("the names up to here take {excess}");
        row.error(what).with_hint(advice())
    })
}

fn join(
    dataset: &Dataset,
    mut sorted: Sorted,
    joiner: &mut Joiner<'_>,
    budget: usize,
) -> Result<(Store, Option<(usize, usize)>)> {
    let mut store = StoreWriter::new(budget);
    let mut record = Record::default();
    let mut item: Option<Vec<u8>> = None;
    let (mut rows, mut taken) = (Vec::new(), 0);
    let mut bytes = Vec::new();
    let mut position = 0;
    let mut references: Option<(usize, usize)> = None;
    let mut close = |item: Vec<u8>, rows: Vec<Entry>| {
        let item = String::from_utf8(item).map_err(|_| super::codec::damaged())?;
        let group = joiner.join(position, item, rows);
        if !group.outputs.is_empty() {
            let n = group.references.len();
            let (least, most) = references.unwrap_or((n, n));
            references = Some((least.min(n), most.max(n)));
        }
        group.encode(&mut bytes);
        position += 1;
        store.push(&bytes)
    };
    while sorted.next(&mut record)? {
        if item.as_ref() != Some(&record.item)
            && let Some(done) = item.replace(record.item.clone())
        {
            close(done, std::mem::take(&mut rows))?;
            taken = 0;
        }
        taken += (size_of::<Entry>() + record.body.len()) as u64;
        Part::Item.holds(taken).map_err(|excess| {
            let item = String::from_utf8_lossy(&record.item);
            let what = format!("the rows of item `{item}` take {excess}");
            Error::input(dataset.path(), what).with_hint(advice())
        })?;
        rows.push(Entry::decode(&record.body)?);
    }
    if let Some(done) = item {
        close(done, rows)?;
    }
    Ok((store.finish()?, references))
}
