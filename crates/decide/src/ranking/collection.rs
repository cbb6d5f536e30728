//! Collected comparisons, with their annotators.

use super::repeated::RepeatedRows;
use super::verdicts::CollectedVerdicts;
use crate::estimators::bradley_terry::{StrengthComparison, Strengths};
use foldhash::fast::RandomState;
use rayon::prelude::*;
use std::collections::HashMap;
use tiebreak_base::duel::Pair;

/// Comparisons of systems by number, with the systems' names.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    systems: Vec<String>,
    pub(super) comparisons: Vec<StrengthComparison>,
    /// The annotator of each, by number.
    annotators: Vec<u32>,
    /// The numbers of annotators by name.
    people: HashMap<String, u32, RandomState>,
    /// The number of all without a name.
    unnamed: Option<u32>,
    /// The differences in style between the outputs of each, where style is to be held equal.
    styles: Vec<Vec<f64>>,
    /// Whether items are groups of items.
    pub(super) is_grouped: bool,
    /// The judge, where the comparisons are a judge's verdicts.
    pub(super) verdicts: Option<CollectedVerdicts>,
}

impl Collection {
    /// Creates a collection of these systems, without comparisons.
    pub fn new(systems: Vec<String>) -> Self {
        Self {
            systems,
            ..Self::default()
        }
    }

    /// Adds a comparison of two of the systems. Where the last digit matters they come in the order of
    /// items.
    pub fn push(&mut self, comparison: StrengthComparison, annotator: Option<&str>) {
        let next = self.people() as u32;
        let person = match annotator.map(|name| (name, self.people.get(name))) {
            None => *self.unnamed.get_or_insert(next),
            Some((_, Some(&known))) => known,
            Some((name, None)) => {
                self.people.insert(name.to_string(), next);
                next
            }
        };
        self.comparisons.push(comparison);
        self.annotators.push(person);
    }

    /// Sets the differences in every feature of style between the outputs of each comparison.
    ///
    /// # Panics
    /// If there are not as many differences as comparisons.
    #[must_use]
    pub fn styled(mut self, styles: Vec<Vec<f64>>) -> Self {
        assert_eq!(styles.len(), self.comparisons.len(), "a style each");
        self.styles = styles;
        self
    }

    /// Takes the items of a group for one, which a function names, as far as answers about them are dependent.
    #[must_use]
    pub fn grouped(mut self, group: impl Fn(u32) -> u32) -> Self {
        for one in &mut self.comparisons {
            one.item = group(one.item);
        }
        self.is_grouped = true;
        self
    }

    /// Whether style is held equal.
    pub fn holds_style(&self) -> bool {
        !self.styles.is_empty()
    }

    /// The systems, by number.
    pub fn systems(&self) -> &[String] {
        &self.systems
    }

    /// All comparisons, as they came.
    pub fn comparisons(&self) -> &[StrengthComparison] {
        &self.comparisons
    }

    /// The number of people who answered; answers without names are taken to be one person's.
    pub fn people(&self) -> usize {
        self.people.len() + usize::from(self.has_unnamed())
    }

    /// The comparisons that are there again, with the same item, systems, outcome and annotator (see [`RepeatedRows`]).
    pub fn repeated(&self) -> u64 {
        let both = self.comparisons.iter().zip(&self.annotators);
        let same = both.map(|(one, &annotator)| {
            let lower_first = one.pair.lower_first();
            let outcome = match lower_first == one.pair {
                true => one.outcome,
                false => one.outcome.flipped(),
            };
            // By item first: rows come in the order of items.
            (
                one.item,
                annotator,
                lower_first,
                (2.0 * outcome.value()) as u8,
            )
        });
        let mut all: Vec<_> = same.collect();
        all.par_sort_unstable();
        let mut rows = RepeatedRows::default();
        let question = |one: &(u32, u32, Pair, u8)| (one.0, one.1, one.2);
        for answers in all.chunk_by(|one, other| question(one) == question(other)) {
            rows.add(answers, self.unnamed != Some(answers[0].1));
        }
        rows.number()
    }

    /// The annotator of each comparison, by number.
    pub fn annotators(&self) -> &[u32] {
        &self.annotators
    }

    /// Whether somebody answered without a name.
    pub(super) fn has_unnamed(&self) -> bool {
        self.unnamed.is_some()
    }

    pub(super) fn styles(&self) -> &[Vec<f64>] {
        &self.styles
    }

    /// The strengths of the systems by the judgment of these annotators, in log-odds.
    pub fn strengths(&self) -> Strengths {
        self.these_annotators().strengths()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Arm, Outcome};

    #[test]
    fn a_table_given_twice_is_told_from_people_who_judge_again() {
        let repeated = |again: usize, changed: usize, name: Option<&str>| {
            let mut found = Collection::new(["a", "b"].map(String::from).to_vec());
            let rows = (0..100).chain(0..again);
            for (place, item) in rows.enumerate() {
                let is_changed = place >= 100 && item < changed;
                let comparison = StrengthComparison {
                    item: item as u32,
                    pair: Pair::new(Arm(0), Arm(1)),
                    outcome: [Outcome::Win, Outcome::Loss][usize::from(is_changed)],
                };
                found.push(comparison, name);
            }
            found.repeated()
        };
        // A file of last week lies beside one that has all of its rows and others.
        assert_eq!(repeated(30, 0, Some("ana")), 30);
        assert_eq!(repeated(30, 6, Some("ana")), 0);
        assert_eq!(repeated(0, 0, Some("ana")), 0);
        // Two people without a name may well agree.
        assert_eq!((repeated(30, 0, None), repeated(100, 0, None)), (0, 100));
    }
}
