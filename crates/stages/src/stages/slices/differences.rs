//! The differences of all pairs of systems in all slices, by one criterion after another.

use super::{PairedSystems, Slices, few_items};
use crate::inputs::source::Source;
use std::collections::BTreeSet;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;
use tiebreak_decide::evaluation::slices::{
    FEWEST_ITEMS, SliceDifference, SliceHeterogeneity, SlicedDifferences, shared_level,
};

/// A collector of comparisons in slices, until it is known how many share the level.
pub(in crate::stages) struct SlicedPairs<'a> {
    source: &'a Source,
    slices: &'a Slices,
    seed: Seed,
    sliced: Vec<(String, PairedSystems)>,
    tests: Vec<SliceHeterogeneity>,
}

impl<'a> SlicedPairs<'a> {
    pub(in crate::stages) fn new(source: &'a Source, slices: &'a Slices, seed: Seed) -> Self {
        Self {
            source,
            slices,
            seed,
            sliced: Vec::new(),
            tests: Vec::new(),
        }
    }

    /// Compares all pairs of systems under one criterion, by a function of the base, the new system and the items of a
    /// slice. Pairs without a common item are left out.
    ///
    /// # Errors
    /// As `compare`.
    pub(in crate::stages) fn add(
        &mut self,
        systems: &[Arm],
        compare: impl Fn(Arm, Arm, Option<&BTreeSet<u32>>) -> Result<Option<PairedSystems>>,
    ) -> Result<()> {
        for (at, &first) in systems.iter().enumerate() {
            for &second in &systems[at + 1..] {
                let Some(all) = compare(second, first, None)? else {
                    continue;
                };
                for (label, items) in &self.slices.items {
                    let found = compare(second, first, Some(items))?;
                    self.sliced
                        .extend(found.map(|found| (label.clone(), found)));
                }
                self.tests.push(SliceHeterogeneity {
                    criterion: all.criterion.clone(),
                    system_a: self.source.system(first).to_string(),
                    system_b: self.source.system(second).to_string(),
                    p: self.slices.heterogeneity(&all, self.seed),
                });
            }
        }
        Ok(())
    }

    /// The differences, with intervals that hold together.
    pub(in crate::stages) fn finish(self, confidence: f64) -> SlicedDifferences {
        let items = self.sliced.iter().map(|(_, one)| one.n);
        let level = 0.5 * shared_level(1.0 - confidence, items);
        let row = |(slice, one): &(String, PairedSystems)| {
            let claims = one.n >= FEWEST_ITEMS;
            let ends = one.sample.ends(level).filter(|_| claims);
            SliceDifference {
                slice: slice.clone(),
                criterion: one.criterion.clone(),
                system_a: self.source.system(one.new).to_string(),
                system_b: self.source.system(one.base).to_string(),
                n: one.n,
                difference: one.sample.difference(),
                lower: ends.map(|ends| ends.0),
                upper: ends.map(|ends| ends.1),
                significant: ends.is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0),
                why: match claims {
                    true => one.sample.why(),
                    false => Some(few_items()),
                },
            }
        };
        SlicedDifferences {
            by: self.slices.column.clone(),
            confidence,
            rows: self.sliced.iter().map(row).collect(),
            tests: self.tests,
        }
    }
}
