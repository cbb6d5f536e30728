//! Lists as axes: one table that stands for many.
//!
//! Where a key takes one value, a list of values is an axis: the table stands for as many tables, each with
//! one of them. Where a key takes a list by itself (several `predictions`, a `range`), that list is one
//! value, and its axis is a list of lists. The type of the key decides, not its name.

use super::Keys;
use super::table::{KeyOffsets, Table};
use crate::error::{Error, Result};
use toml::Value;

impl Table {
    /// Fills in missing keys from another table of the file.
    #[must_use]
    pub fn over(mut self, defaults: &Self) -> Self {
        for (key, value) in &defaults.values {
            if !self.values.contains_key(key) {
                self.values.insert(key.clone(), value.clone());
                let place = defaults.places.get(key).cloned();
                self.places.extend(place.map(|place| (key.clone(), place)));
            }
        }
        self
    }

    /// Returns the tables that this one stands for: every combination of the values of its axes. The first
    /// axis varies most slowly; axes are in the order in which `K` has its keys.
    ///
    /// # Errors
    /// For an axis without values, at its line.
    pub fn each<K: Keys>(&self) -> Result<Vec<Self>> {
        let mut tables = vec![self.clone()];
        for key in K::names() {
            let Some(Value::Array(values)) = self.values.get(&key) else {
                continue;
            };
            // A list of which no value is valid alone is one value, and wrong as a whole.
            let right = |value: &Value| self.alone::<K>(&key, value).is_ok();
            if right(&self.values[&key]) || !values.is_empty() && !values.iter().any(right) {
                continue;
            }
            if values.is_empty() {
                let what = format!("{key}: an empty list, expected at least one value");
                return Err(Error::pipeline(self.place_of(&key), what));
            }
            let again = |at: &usize| values[..*at].contains(&values[*at]);
            if let Some(at) = (1..values.len()).find(again) {
                let what = format!("{key}: {} twice, expected different values", values[at]);
                return Err(Error::pipeline(self.place_of(&key), what));
            }
            let with = |table: &Self, place: usize| {
                let mut table = table.clone();
                table.values.insert(key.clone(), values[place].clone());
                if let Some(KeyOffsets { value, items, .. }) = table.places.get_mut(&key) {
                    *value = items.get(place).copied().unwrap_or(*value);
                }
                table
            };
            let spread = tables.iter();
            let spread = spread.flat_map(|table| (0..values.len()).map(|at| with(table, at)));
            tables = spread.collect();
        }
        Ok(tables)
    }

    /// Describes in words how this table differs from the others of `whole`: its values along the axes.
    pub fn apart(&self, whole: &Self) -> String {
        let along = |(key, value): &(&String, &Value)| whole.values.get(*key) != Some(value);
        let along = self.values.iter().filter(along);
        let values: Vec<String> = along.map(|(_, value)| words(value)).collect();
        values.join("-")
    }
}

/// A value in words: a number, a name, a list, or a table by its values, such as `bald:0.1`.
pub fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(number) => number.to_string(),
        Value::Array(values) => values.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Table(table) => table.values().map(words).collect::<Vec<_>>().join(":"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MinimumInteger, one_or_more, table::Document};
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::path::Path;

    #[derive(Debug, Default, Serialize, Deserialize)]
    #[serde(default, rename_all = "kebab-case")]
    struct Example {
        runs: MinimumInteger<1, 10>,
        #[serde(with = "one_or_more")]
        names: Vec<String>,
        share: f64,
    }

    impl Keys for Example {}

    fn tables(text: &str) -> Result<Vec<Table>> {
        let document = Document::parse(Path::new("p.toml"), text.to_string())?;
        document.lists[0].1[0].each::<Example>()
    }

    #[test]
    fn a_list_is_an_axis_unless_the_key_takes_it() {
        let text = "[[x]]\nshare = [0.1, 0.2]\nruns = [1, 2]\nnames = [\"a\", \"b\"]\n";
        let of = |one: Table| one.read::<Example>().unwrap();
        let read: Vec<Example> = tables(text).unwrap().into_iter().map(of).collect();
        let runs: Vec<_> = read
            .iter()
            .map(|one| (one.runs.value(), one.share))
            .collect();
        assert_eq!(runs, [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2)]);
        assert!(read.iter().all(|one| one.names == ["a", "b"]));
        let axis = tables("[[x]]\nnames = [[\"a\", \"b\"], [\"c\"]]\n").unwrap();
        assert_eq!(of(axis[1].clone()).names, ["c"]);
    }

    #[test]
    fn a_value_that_cannot_be_is_told_at_its_own_line() {
        let tables = tables("[[x]]\nruns = [\n  1,\n  0,\n]\n").unwrap();
        let error = tables[1].read::<Example>().unwrap_err().to_string();
        assert!(error.starts_with("p.toml:4: runs: 0, expected"), "{error}");
        let error = super::tests::tables("[[x]]\n\nruns = []").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("p.toml:3: runs: an empty list")
        );
        let error = super::tests::tables("[[x]]\nruns = [1, 2, 1]").unwrap_err();
        let told = "p.toml:2: runs: 1 twice, expected different values";
        assert!(error.to_string().starts_with(told), "{error}");
    }

    #[test]
    fn what_a_table_lacks_may_come_from_another() {
        let text = "[y]\nruns = 0\nshare = 0.5\n[[x]]\nshare = 0.1\n";
        let document = Document::parse(Path::new("p.toml"), text.to_string()).unwrap();
        let table = document.lists[0].1[0].clone();
        let table = table.over(&document.tables["y"]);
        assert_eq!(table.values["share"].as_float(), Some(0.1));
        let error = table.read::<Example>().unwrap_err().to_string();
        assert!(error.starts_with("p.toml:2: runs: 0"), "{error}");
    }
}
