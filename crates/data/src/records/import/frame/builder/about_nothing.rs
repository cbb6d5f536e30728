//! Answers about items or systems without outputs, which are left out in the end.

use super::{DatasetBuilder, JudgmentRow, wide};
use crate::records::import::frame::account;
use crate::records::import::frame::writer::{ComparisonRow, ImportTableRow};
use serde_json::Value;
use std::collections::BTreeMap;
use tiebreak_base::error::Result;

/// The missing subject of an answer, in words.
const ITEM: &str = "an item";
const SYSTEM: &str = "a system";

/// The columns of answers that name systems.
const SYSTEMS: [&str; 3] = ["system", "system_a", "system_b"];

/// Answers that are left out because their subjects are missing.
#[derive(Debug, Default)]
struct DanglingAnswers {
    /// By table and kind of subject: the missing names, and the number of answers about each.
    names: BTreeMap<(&'static str, &'static str), BTreeMap<String, u64>>,
    /// The number of judgments of each criterion.
    criteria: BTreeMap<String, u64>,
}

impl DanglingAnswers {
    fn count(
        &mut self,
        (table, what, name): (&'static str, &'static str, String),
        criterion: Option<&str>,
    ) {
        let names = self.names.entry((table, what)).or_default();
        *names.entry(name).or_default() += 1;
        if let Some(criterion) = criterion {
            *self.criteria.entry(criterion.to_string()).or_default() += 1;
        }
    }
}

impl DatasetBuilder<'_> {
    /// Removes answers about an item or a system without outputs, where others have some, and counts them:
    /// a data set of outputs is refused with such answers. Where there are items and no outputs they must be those.
    pub(super) fn leave_out_answers_about_nothing(&mut self) -> Result<()> {
        let (outputs, items) = (!self.with_outputs.is_empty(), !self.items.is_empty());
        if !outputs && !items {
            self.account.items = self.met.len() as u64;
            return Ok(());
        }
        let about_nothing = self.remove_answers_about_nothing(outputs)?;
        self.account.items = self.items.len() as u64;
        if outputs {
            let systems = &self.systems;
            self.account.systems.retain(|system| systems[system]);
        }
        for (criterion, count) in &about_nothing.criteria {
            if let Some(judgments) = self.criteria.get_mut(criterion) {
                *judgments -= count;
            }
        }
        let criteria = &self.criteria;
        let has_judgments = |criterion: &String| criteria[criterion] > 0;
        self.account.criteria.retain(has_judgments);
        let lacking = match outputs {
            true => "without outputs",
            false => "not among the items",
        };
        for ((table, what), names) in about_nothing.names {
            let count: u64 = names.values().sum();
            let (told, of) = match table {
                ComparisonRow::TABLE => ("a comparison", &mut self.account.comparisons),
                JudgmentRow::TABLE => ("a judgment", &mut self.account.judgments),
                _ => ("a prediction", &mut self.account.predictions),
            };
            *of -= count;
            let names: Vec<String> = names.into_keys().collect();
            let names = account::names(&names);
            self.drop_many(format!("{told} of {what} {lacking}: {names}"), count);
        }
        Ok(())
    }

    /// Removes the rows of answers whose item or system has no outputs; where there are none at all, whose item is none.
    fn remove_answers_about_nothing(&mut self, outputs: bool) -> Result<DanglingAnswers> {
        let mut about_nothing = DanglingAnswers::default();
        for (table, early) in &self.early {
            self.writer.retain(table, &early.early, |row| {
                let name = |column: &str| row.get(column).and_then(Value::as_str);
                let item = name("item").unwrap_or_default();
                let key = wide(&item);
                let has_item = match outputs {
                    true => self.with_outputs.contains(&key),
                    false => self.items.contains_key(&key),
                };
                let mut systems = SYSTEMS.iter().filter_map(|column| name(column));
                let system = systems.find(|system| outputs && !self.systems[*system]);
                let left_out = match (has_item, system) {
                    (true, None) => return true,
                    (false, _) => (*table, ITEM, item.to_string()),
                    (true, Some(system)) => (*table, SYSTEM, system.to_string()),
                };
                about_nothing.count(left_out, name("criterion"));
                false
            })?;
        }
        Ok(about_nothing)
    }
}
