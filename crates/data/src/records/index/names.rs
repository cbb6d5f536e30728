//! Numbers for names: in order of appearance while reading, by name afterwards.

use std::collections::HashMap;
use tiebreak_base::limits::{Excess, Part};

/// Names, numbered in order of appearance.
#[derive(Debug, Default)]
pub(super) struct NameNumbering {
    numbers: HashMap<String, usize>,
    names: Vec<String>,
    /// The bytes taken by the names.
    taken: u64,
}

/// The overhead of a name besides its bytes, in a table and a list.
const NAME: u64 = 96;

impl NameNumbering {
    /// Returns the number of a name, new or not.
    ///
    /// # Errors
    /// If the names exceed the memory limit.
    pub(super) fn number(&mut self, name: &str) -> Result<usize, Excess> {
        if let Some(number) = self.number_of(name) {
            return Ok(number);
        }
        self.taken += 2 * name.len() as u64 + NAME;
        Part::Names.holds(self.taken)?;
        let number = self.names.len();
        self.numbers.insert(name.to_string(), number);
        self.names.push(name.to_string());
        Ok(number)
    }

    /// Returns the number of a name that has one.
    pub(super) fn number_of(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Returns the names in order of appearance.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the names sorted by bytes, and for every number the rank of its name.
    pub(super) fn sorted(self) -> (Vec<String>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| self.names[a].cmp(&self.names[b]));
        let mut places = vec![0; order.len()];
        for (place, &number) in order.iter().enumerate() {
            places[number] = place;
        }
        let mut names = self.names;
        names.sort_unstable();
        (names, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_to_sorted_places() {
        let mut names = NameNumbering::default();
        let numbers = ["c", "a", "c", "b"].map(|name| names.number(name).unwrap());
        assert_eq!(numbers, [0, 1, 0, 2]);
        assert_eq!(names.number_of("d"), None);
        let (sorted, places) = names.sorted();
        assert_eq!(sorted, ["a", "b", "c"]);
        assert_eq!(places, [2, 0, 1]);
    }
}
