//! Rows of a batch brought together by item.

use arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::mem;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::{Group, GroupOutput};
use tiebreak_data::records::reader::each_row;
use tiebreak_data::records::{OutputRecord, Row};

/// The name of a batch in messages.
const BATCH: &str = "batch";

/// The column of a batch with one row an item.
const LISTED: &str = "systems";

/// Items with their outputs. Systems are in the order of their names.
#[derive(Debug, Default)]
pub(super) struct BatchItems {
    pub systems: Vec<String>,
    pub groups: Vec<Group>,
}

/// An output, and the row of the batch that it is from.
struct BatchOutput {
    output: OutputRecord,
    row: u64,
}

impl BatchItems {
    /// Rows that follow each other and agree about an item, in the order of the rows.
    ///
    /// # Errors
    /// An invalid row, with its number.
    pub(super) fn in_order(batch: &RecordBatch) -> Result<Self> {
        let read = outputs(batch)?;
        let mut items = Self::of_systems(&read)?;
        for BatchOutput { output, .. } in read {
            let system = items.arm(&output.system);
            let group = group(&output);
            match items.groups.last_mut() {
                Some(last) if is_same(last, &group) => last.outputs.push(written(system, output)),
                _ => items.groups.push(Group {
                    outputs: vec![written(system, output)],
                    ..group
                }),
            }
        }
        Ok(items)
    }

    /// The rows of each item, wherever they stand, with outputs by system; items in the order of their first
    /// rows.
    ///
    /// # Errors
    /// An invalid row, or one that contradicts an earlier row about its item, with its
    /// number.
    pub(super) fn whole(batch: &RecordBatch) -> Result<Self> {
        let read = outputs(batch)?;
        let mut items = Self::of_systems(&read)?;
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for BatchOutput { output, row } in read {
            let system = items.arm(&output.system);
            let mut new = group(&output);
            let place = *places.entry(new.item.clone()).or_insert(items.groups.len());
            if place == items.groups.len() {
                items.groups.push(mem::take(&mut new));
            } else {
                agree(&mut items.groups[place], new, &output, row)?;
            }
            let group = &mut items.groups[place];
            match group
                .outputs
                .binary_search_by_key(&system, |one| one.system)
            {
                Ok(_) => {
                    let what = format!(
                        "system `{}` has two outputs for item `{}`",
                        output.system, group.item
                    );
                    return Err(wrong(row, what));
                }
                Err(at) => group.outputs.insert(at, written(system, output)),
            }
        }
        Ok(items)
    }

    fn of_systems(read: &[BatchOutput]) -> Result<Self> {
        let mut systems: Vec<String> = read.iter().map(|one| one.output.system.clone()).collect();
        systems.sort();
        systems.dedup();
        if systems.len() > Arm::MOST {
            let what = format!("{} systems, expected {} at most", systems.len(), Arm::MOST);
            return Err(Error::usage(what));
        }
        Ok(Self {
            systems,
            groups: Vec::new(),
        })
    }

    fn arm(&self, name: &String) -> Arm {
        let place = self.systems.binary_search(name);
        Arm::from(place.expect("the systems are those of the rows"))
    }
}

/// The item of a row, without outputs.
fn group(output: &OutputRecord) -> Group {
    Group {
        item: output.item.clone(),
        source: output.source.clone(),
        references: output.references.clone().unwrap_or_default(),
        ..Group::default()
    }
}

fn is_same(one: &Group, other: &Group) -> bool {
    one.item == other.item && one.references == other.references && one.source == other.source
}

/// Takes from a later row of an item what earlier ones left out.
fn agree(group: &mut Group, new: Group, output: &OutputRecord, row: u64) -> Result<()> {
    let item = &group.item;
    match (&group.source, new.source) {
        (Some(known), Some(said)) if *known != said => {
            return Err(wrong(row, format!("another source of item `{item}`")));
        }
        (None, said) => group.source = said,
        _ => {}
    }
    match output.references.is_some() {
        true if group.references.is_empty() => group.references = new.references,
        true if group.references != new.references => {
            return Err(wrong(row, format!("other references of item `{item}`")));
        }
        _ => {}
    }
    Ok(())
}

fn written(system: Arm, output: OutputRecord) -> GroupOutput {
    GroupOutput {
        system,
        text: output.output,
    }
}

/// The outputs of a batch, in either form.
fn outputs(batch: &RecordBatch) -> Result<Vec<BatchOutput>> {
    let listed = batch.schema().column_with_name(LISTED).is_some();
    let mut read = Vec::with_capacity(batch.num_rows());
    each_row(BATCH, batch, |row| {
        let number = row.number_in_file();
        let with = |output| BatchOutput {
            output,
            row: number,
        };
        match listed {
            false => read.push(with(OutputRecord::from_row(&row)?)),
            true => read.extend(of_item(&row)?.into_iter().map(with)),
        }
        Ok(())
    })?;
    Ok(read)
}

/// The outputs of a row that holds an item.
fn of_item(row: &Row) -> Result<Vec<OutputRecord>> {
    let (systems, outputs) = (row.texts(LISTED)?, row.texts("outputs")?);
    if systems.len() != outputs.len() {
        let (systems, outputs) = (systems.len(), outputs.len());
        return Err(row.error(format!("{systems} systems with {outputs} outputs")));
    }
    let (item, source) = (row.text("item")?, row.optional_text("source")?);
    let references = row.optional_texts("references")?;
    let pairs = systems.into_iter().zip(outputs);
    let output = pairs.map(|(system, output)| OutputRecord {
        item: item.clone(),
        system,
        output,
        source: source.clone(),
        references: references.clone(),
    });
    Ok(output.collect())
}

fn wrong(row: u64, what: String) -> Error {
    Error::record(tiebreak_base::error::Location::row(BATCH, row), what)
}
