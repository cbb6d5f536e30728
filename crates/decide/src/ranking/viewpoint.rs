//! The people whose opinion a ranking is about, and the weights of comparisons for it.

use super::Collection;
use super::verdicts::CollectedVerdicts;
use super::weights::PairTable;
use crate::estimators::bradley_terry::{ComparisonDetails, StrengthComparison, Strengths};
use crate::estimators::contrasts::{Contrast, Contrasts, JointErrors};
use tiebreak_base::claims::ClaimPopulation;

/// Comparisons as they count for the opinion of some people.
pub(super) struct Viewpoint<'a> {
    pub about: ClaimPopulation,
    k: usize,
    pub comparisons: &'a [StrengthComparison],
    /// The weight of each, where they do not count alike.
    weights: Option<Vec<f64>>,
    /// The annotator of each, where people like them count.
    annotators: Option<&'a [u32]>,
    styles: &'a [Vec<f64>],
    /// Systems that annotators of more than a little weight never judged.
    pub unjudged: Vec<bool>,
}

impl Collection {
    /// The opinion of those who answered, or of the judge.
    pub(super) fn these_annotators(&self) -> Viewpoint<'_> {
        match &self.verdicts {
            Some(held) => self.of_judge(held),
            None => self.of_people(&self.pair_table()),
        }
    }

    /// The comparisons counted by pair and annotator.
    fn pair_table(&self) -> PairTable {
        PairTable::new(self.comparisons(), self.annotators())
    }

    /// Each annotator's share of all comparisons, by number, where pairs did not go to them alike: the weights that they
    /// then have in every pair.
    pub fn uneven_shares(&self) -> Option<Vec<f64>> {
        let table = self.pair_table();
        (self.verdicts.is_none() && !table.is_even()).then(|| table.shares().to_vec())
    }

    fn of_people(&self, table: &PairTable) -> Viewpoint<'_> {
        let k = self.systems().len();
        let even = table.is_even();
        Viewpoint {
            about: match self.people() {
                0 | 1 => ClaimPopulation::OneAnnotator,
                _ => ClaimPopulation::TheseAnnotators,
            },
            k,
            comparisons: self.comparisons(),
            weights: (!even).then(|| table.by_share()),
            annotators: None,
            styles: self.styles(),
            unjudged: match even {
                true => vec![false; k],
                false => table.unjudged(k),
            },
        }
    }

    /// The opinion of the judge.
    fn of_judge<'a>(&'a self, held: &'a CollectedVerdicts) -> Viewpoint<'a> {
        let k = self.systems().len();
        Viewpoint {
            about: ClaimPopulation::Judge,
            k,
            comparisons: self.comparisons(),
            weights: Some(held.weights.clone()),
            annotators: None,
            styles: self.styles(),
            unjudged: vec![false; k],
        }
    }

    /// The opinion of those who answered, or of the judge, and that of people like those who answered, all with the same
    /// weight. `None` for a single person, or if somebody answered without a name.
    pub(super) fn viewpoints(&self, new: bool) -> (Viewpoint<'_>, Option<Viewpoint<'_>>) {
        let new = new && self.people() > 1 && !self.has_unnamed();
        if !new {
            return (self.these_annotators(), None);
        }
        // One table for both: its size is that of the comparisons.
        let table = self.pair_table();
        let these = match &self.verdicts {
            Some(held) => self.of_judge(held),
            None => self.of_people(&table),
        };
        let k = self.systems().len();
        let new = Viewpoint {
            about: ClaimPopulation::Panel,
            k,
            comparisons: self.comparisons(),
            weights: Some(table.equal()),
            annotators: Some(self.annotators()),
            styles: self.styles(),
            unjudged: vec![false; k],
        };
        (these, Some(new))
    }
}

impl Viewpoint<'_> {
    pub(super) fn details(&self) -> ComparisonDetails<'_> {
        ComparisonDetails {
            weights: self.weights(),
            annotators: self.annotators,
            styles: self.styles,
        }
    }

    /// The weight of each comparison, where they do not count alike.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    pub(super) fn strengths(&self) -> Strengths {
        Strengths::fit_detailed(self.k, self.comparisons, self.details())
    }

    /// Restricts strengths to the systems that are not `unjudged`.
    pub(super) fn restricted<'a, C>(&'a self, strengths: &'a C) -> RestrictedContrasts<'a, C> {
        RestrictedContrasts {
            strengths,
            unjudged: &self.unjudged,
        }
    }
}

/// Contrasts without those of systems that some never judged.
pub(super) struct RestrictedContrasts<'a, C> {
    strengths: &'a C,
    unjudged: &'a [bool],
}

impl<C: Contrasts> Contrasts for RestrictedContrasts<'_, C> {
    fn k(&self) -> usize {
        self.strengths.k()
    }

    fn strength(&self, system: usize) -> Contrast {
        let contrast = self.strengths.strength(system);
        match self.unjudged[system] {
            true => Contrast { df: 0, ..contrast },
            false => contrast,
        }
    }

    fn difference(&self, i: usize, j: usize) -> Option<Contrast> {
        let known = !self.unjudged[i] && !self.unjudged[j];
        self.strengths.difference(i, j).filter(|_| known)
    }

    fn joint_errors(&self) -> JointErrors {
        self.strengths.joint_errors()
    }
}
