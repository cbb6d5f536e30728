//! Collected comparisons, with their annotators.

use super::verdicts::CollectedVerdicts;
use crate::estimators::bradley_terry::{StrengthComparison, Strengths};
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// Comparisons of systems by number, with the systems' names.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    systems: Vec<String>,
    pub(super) comparisons: Vec<StrengthComparison>,
    /// The annotator of each, by number.
    annotators: Vec<u32>,
    /// The numbers of annotators by name, one for all without a name.
    people: HashMap<Option<String>, u32, RandomState>,
    /// The differences in style between the outputs of each, where style is to be held equal.
    styles: Vec<Vec<f64>>,
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
    pub fn push(&mut self, comparison: StrengthComparison, annotator: Option<String>) {
        let next = self.people.len() as u32;
        let person = *self.people.entry(annotator).or_insert(next);
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
        self.people.len()
    }

    /// Whether every comparison is there at least twice, with the same item, systems, outcome and annotator.
    pub fn is_repeated(&self) -> bool {
        let of_annotators = |some: &dyn Fn(u32) -> bool| {
            let both = self.comparisons.iter().zip(&self.annotators);
            let same = both.filter(|(_, annotator)| some(**annotator));
            let same = same.map(|(one, annotator)| {
                let lower_first = one.pair.lower_first();
                let outcome = match lower_first == one.pair {
                    true => one.outcome,
                    false => one.outcome.flipped(),
                };
                let outcome = (2.0 * outcome.value()) as u64;
                (one.item, lower_first, outcome, *annotator)
            });
            let mut all: Vec<_> = same.collect();
            all.sort_unstable();
            !all.is_empty() && all.chunk_by(PartialEq::eq).all(|same| same.len() > 1)
        };
        // The first annotator nearly always tells that they are not all there.
        of_annotators(&|annotator| annotator == 0) && of_annotators(&|_| true)
    }

    /// The annotator of each comparison, by number.
    pub(super) fn annotators(&self) -> &[u32] {
        &self.annotators
    }

    /// Whether somebody answered without a name.
    pub(super) fn has_unnamed(&self) -> bool {
        self.people.contains_key(&None)
    }

    pub(super) fn styles(&self) -> &[Vec<f64>] {
        &self.styles
    }

    /// The strengths of the systems by the judgment of these annotators, in log-odds.
    pub fn strengths(&self) -> Strengths {
        self.these_annotators().strengths()
    }
}
