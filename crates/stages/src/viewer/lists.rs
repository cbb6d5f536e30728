//! Names by number: annotators and labels of answers, slices of items.

use super::notes::{RowNotes, columns_beside};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_data::records::reader::CellValue;
use tiebreak_data::records::{Kind, Row};

/// The number of what has no name.
pub(super) const NONE: u32 = u32::MAX;

/// The most different labels that can be chosen; of more there is no choice.
pub(super) const MOST_LABELS: usize = 100;

/// Names, numbered as they come.
#[derive(Default)]
pub(super) struct NumberedNames {
    numbers: BTreeMap<String, u32>,
    pub names: Vec<String>,
}

impl NumberedNames {
    /// The number of a name, new or not.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_string(), number);
        self.names.push(name.to_string());
        number
    }

    /// The number of a name that is there.
    pub(super) fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The names in order.
    pub(super) fn sorted(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }
}

/// What the tables say of answers by row: labels, by their numbers, and notes; of comparisons and of judgments.
pub(super) struct RowLabels {
    pub names: NumberedNames,
    pub labels: [Vec<u32>; 2],
    pub notes: [RowNotes; 2],
}

/// Who answered about which systems, with which label.
#[derive(Clone, Copy)]
pub(super) struct AnswerKey {
    pub systems: [u16; 2],
    pub annotator: u32,
    pub label: u32,
}

/// The answers of all items.
pub(super) struct AnswerLists {
    starts: Vec<u32>,
    keys: Vec<AnswerKey>,
    pub annotators: NumberedNames,
    pub labels: NumberedNames,
}

impl AnswerLists {
    /// No answers yet, and the labels that rows have.
    pub(super) fn new(labels: NumberedNames) -> Self {
        Self {
            starts: Vec::new(),
            keys: Vec::new(),
            annotators: NumberedNames::default(),
            labels,
        }
    }

    /// Adds an answer on the present item. A comparison without a label of its own has that of its outcome.
    pub(super) fn push(
        &mut self,
        system: Arm,
        other: Option<(Arm, f64)>,
        annotator: Option<&str>,
        label: Option<u32>,
    ) {
        let outcome = other.map(|(_, won)| if won == 0.5 { "tie" } else { "one is better" });
        let label = label.filter(|&label| label != NONE);
        let label = label.or_else(|| outcome.map(|label| self.labels.number(label)));
        self.keys.push(AnswerKey {
            systems: [system.0, other.map_or(system.0, |(other, _)| other.0)],
            annotator: annotator.map_or(NONE, |name| self.annotators.number(name)),
            label: label.unwrap_or(NONE),
        });
    }

    /// Ends the present item.
    pub(super) fn end_item(&mut self) {
        self.starts.push(self.keys.len() as u32);
    }

    /// The answers on an item.
    pub(super) fn of_item(&self, item: usize) -> &[AnswerKey] {
        let before = item.checked_sub(1).map_or(0, |before| self.starts[before]);
        &self.keys[before as usize..self.starts[item] as usize]
    }
}

/// A column of labels of items, such as a language.
#[derive(Default)]
pub(super) struct ItemLabels {
    pub column: String,
    pub values: NumberedNames,
    /// The number of each item's label, or [`NONE`].
    pub of_items: Vec<u32>,
}

impl ItemLabels {
    /// The label of an item.
    pub(super) fn label(&self, item: u64) -> Option<&str> {
        let number = self.of_items[item as usize];
        self.values.names.get(number as usize).map(String::as_str)
    }

    /// Whether it divides the items.
    fn divides(&self) -> bool {
        (2..=MOST_LABELS).contains(&self.values.names.len())
    }
}

/// Labels of items by the keys of their names, as tables have them.
#[derive(Default)]
pub(super) struct LabelTable {
    columns: Vec<ItemLabels>,
    /// The key of an item, a column and the number of a label, in order.
    rows: Vec<(u64, u32, u32)>,
}

impl LabelTable {
    /// Reads the columns of `items`, else of `outputs`, that divide the items: from 2 to [`MOST_LABELS`] labels. The first
    /// label of an item counts.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub(super) fn read(context: &Context<'_>, source: &Source) -> Result<Self> {
        for kind in [Kind::Items, Kind::Outputs] {
            let mut table = Self::default();
            let rows = source.dataset.rows(kind)?;
            let rows = rows.filter(|rows| !columns_beside(source, kind, rows.columns()).is_empty());
            for row in rows.into_iter().flatten() {
                context.check()?;
                table.add(source, kind, &row?)?;
            }
            if table.columns.iter().any(ItemLabels::divides) {
                table.rows.sort_by_key(|row| (row.0, row.1));
                return Ok(table);
            }
        }
        Ok(Self::default())
    }

    fn add(&mut self, source: &Source, kind: Kind, row: &Row) -> Result<()> {
        let key = names_key(&[&row.text("item")?]);
        for name in columns_beside(source, kind, row.columns()) {
            let label = row.cell(name).and_then(CellValue::to_text);
            let Some(label) = label.filter(|label| !label.is_empty()) else {
                continue;
            };
            let known = self.columns.iter().position(|one| one.column == name);
            let place = known.unwrap_or(self.columns.len());
            if known.is_none() {
                self.columns.push(ItemLabels {
                    column: name.to_string(),
                    ..ItemLabels::default()
                });
            }
            let values = &mut self.columns[place].values;
            if values.names.len() <= MOST_LABELS {
                self.rows.push((key, place as u32, values.number(&label)));
            }
        }
        Ok(())
    }

    /// Adds the labels of the next item.
    pub(super) fn add_item(&mut self, item: &str) {
        let key = names_key(&[item]);
        let first = self.rows.partition_point(|row| row.0 < key);
        let own = || self.rows[first..].iter().take_while(|row| row.0 == key);
        for (place, column) in (0..).zip(&mut self.columns) {
            let label = own().find(|row| row.1 == place).map_or(NONE, |row| row.2);
            column.of_items.push(label);
        }
    }

    /// The columns that divide the items.
    pub(super) fn into_columns(mut self) -> Vec<ItemLabels> {
        self.columns.retain(ItemLabels::divides);
        self.columns
    }
}

/// A key for names: two lists of a million share one with a probability of 3 in 100 million.
pub(super) fn names_key(names: &[&str]) -> u64 {
    let digest = Sha256::digest(format!("{names:?}"));
    digest
        .iter()
        .take(8)
        .fold(0, |key, &byte| (key << 8) | u64::from(byte))
}
