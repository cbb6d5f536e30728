//! The comparisons that were collected, with whoever made them.

use crate::claims::About;
use crate::estimators::bradley_terry::{Comparison, Strengths};
use crate::estimators::shares::uneven;
use std::collections::BTreeMap;

/// Comparisons of systems by number, with the systems' names.
#[derive(Debug, Clone, Default)]
pub struct Collection {
    systems: Vec<String>,
    comparisons: Vec<Comparison>,
    /// The annotator of each, by number.
    annotators: Vec<u32>,
    /// Those named, and one for all without a name.
    people: BTreeMap<Option<String>, u32>,
    /// By how much the outputs of each differ in style, where that is to be held equal.
    styles: Vec<Vec<f64>>,
}

impl Collection {
    /// No comparisons yet of these systems.
    pub fn new(systems: Vec<String>) -> Self {
        Self {
            systems,
            ..Self::default()
        }
    }

    /// One more, of two of the systems, by somebody. Where the last digit matters they come in the
    /// order of items.
    pub fn push(&mut self, comparison: Comparison, annotator: Option<String>) {
        let next = self.people.len() as u32;
        let person = *self.people.entry(annotator).or_insert(next);
        self.comparisons.push(comparison);
        self.annotators.push(person);
    }

    /// The same with by how much the outputs of each comparison differ in every feature of style.
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
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// How many people answered; answers without names are taken to be one person's.
    pub fn people(&self) -> usize {
        self.people.len()
    }

    /// Whose preferences the comparisons can speak of.
    ///
    /// People at large are spoken of where those who answered are all named, and about as good as five who answered alike
    /// often: of fewer, one more or less would change what they have in common.
    pub fn about(&self) -> About {
        if self.people() < 2 {
            return About::OneAnnotator;
        }
        let shares = uneven(1, self.annotators.iter().map(|&person| (0, person)));
        match shares[0].degrees > 0 && !self.people.contains_key(&None) {
            true => About::Panel,
            false => About::TheseAnnotators,
        }
    }

    /// The annotator of each comparison, where they stand for people at large.
    pub fn annotators(&self) -> Option<&[u32]> {
        (self.about() == About::Panel).then_some(self.annotators.as_slice())
    }

    /// How strong the systems are, in log-odds.
    pub fn strengths(&self) -> Strengths {
        let k = self.systems.len();
        if self.holds_style() {
            return Strengths::fit_styled(k, &self.comparisons, self.annotators(), &self.styles);
        }
        match self.annotators() {
            Some(annotators) => Strengths::fit_crossed(k, &self.comparisons, annotators),
            None => Strengths::fit(k, &self.comparisons),
        }
    }
}
