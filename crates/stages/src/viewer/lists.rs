//! Names by number: annotators and labels of answers, slices of items.

use super::notes::columns_beside;
use crate::inputs::source::Source;
use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::{Extra, ItemAlignedRows};

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
pub(super) struct ItemLabels {
    pub column: String,
    pub values: NumberedNames,
    /// The number of each item's label, or [`NONE`].
    pub of_items: Vec<u32>,
}

impl ItemLabels {
    /// Reads the columns of `items`, else of `outputs`, that divide the items: from 2 to [`MOST_LABELS`] labels. The last
    /// label of an item counts.
    pub(super) fn read(source: &Source) -> Result<Vec<Self>> {
        for kind in [Kind::Items, Kind::Outputs] {
            let Some(path) = source.dataset.table(kind) else {
                continue;
            };
            let Some(rows) = source.dataset.rows(kind)? else {
                continue;
            };
            if columns_beside(source, kind, rows.columns()).is_empty() {
                continue;
            }
            let mut found: Vec<(String, NumberedNames)> = Vec::new();
            let extras = rows.map(|row| {
                let row = row?;
                let mut numbers = Vec::new();
                for name in columns_beside(source, kind, row.columns()) {
                    let Some(label) = row.cell(name).and_then(|cell| cell.to_text()) else {
                        continue;
                    };
                    let at = match found.iter().position(|(known, _)| known == name) {
                        Some(at) => at,
                        None => {
                            found.push((name.to_string(), NumberedNames::default()));
                            found.len() - 1
                        }
                    };
                    if found[at].1.names.len() <= MOST_LABELS && !label.is_empty() {
                        numbers.extend([at as f64, f64::from(found[at].1.number(&label))]);
                    }
                }
                let (line, systems) = (row.number_in_file(), [Arm(0); 2]);
                Ok::<_, Error>((
                    row.text("item")?,
                    Extra {
                        line,
                        systems,
                        numbers,
                    },
                ))
            });
            let aligned = ItemAlignedRows::build(&source.index, path, extras)?;
            let none = || vec![NONE; source.index.items() as usize];
            let mut all: Vec<Self> = found
                .into_iter()
                .map(|(column, values)| Self {
                    column,
                    values,
                    of_items: none(),
                })
                .collect();
            for start in (0..source.index.items()).step_by(4096) {
                for (item, rows) in (start as usize..).zip(aligned.groups(start..start + 4096)?) {
                    for pair in rows.iter().flat_map(|row| row.numbers.chunks(2)) {
                        all[pair[0] as usize].of_items[item] = pair[1] as u32;
                    }
                }
            }
            all.retain(|one| (2..=MOST_LABELS).contains(&one.values.names.len()));
            if !all.is_empty() {
                return Ok(all);
            }
        }
        Ok(Vec::new())
    }
}
