//! The differences of all pairs of systems in all slices, by one criterion after another.

use super::{ComparedPairs, PairedSystems, Slices};
use crate::inputs::source::Source;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_decide::evaluation::slices::{SliceDifference, SliceHeterogeneity, SlicedDifferences};

/// A collector of comparisons in slices, until it is known how many share the level.
pub(in crate::stages) struct SlicedPairs<'a> {
    source: &'a Source,
    slices: &'a Slices,
    pairs: ComparedPairs,
}

impl<'a> SlicedPairs<'a> {
    pub(in crate::stages) fn new(source: &'a Source, slices: &'a Slices) -> Self {
        Self {
            source,
            slices,
            pairs: ComparedPairs::default(),
        }
    }

    /// Compares all pairs of systems under one criterion, by a function of the base, the new system and the number of
    /// a slice. Pairs without a common item are left out.
    pub(in crate::stages) fn add(
        &mut self,
        systems: &[Arm],
        compare: impl Fn(Arm, Arm, Option<usize>) -> Result<Option<PairedSystems>>,
    ) -> Result<()> {
        for (at, &first) in systems.iter().enumerate() {
            for &second in &systems[at + 1..] {
                self.pairs
                    .add(Some(self.slices), |slice| compare(second, first, slice))?;
            }
        }
        Ok(())
    }

    /// The differences, with intervals that hold together.
    pub(in crate::stages) fn finish(self, confidence: f64) -> SlicedDifferences {
        let level = 0.5 * self.pairs.slice_level(1.0 - confidence);
        let name = |arm: Arm| self.source.system(arm).to_string();
        let test = |one: &PairedSystems| SliceHeterogeneity {
            criterion: one.criterion.clone(),
            system_a: name(one.new),
            system_b: name(one.base),
            p: self.pairs.heterogeneity(one),
        };
        let row = |(slice, one): &(String, PairedSystems)| {
            let (ends, why) = one.slice_ends(self.source, level);
            SliceDifference {
                slice: slice.clone(),
                criterion: one.criterion.clone(),
                system_a: name(one.new),
                system_b: name(one.base),
                n: one.n,
                difference: one.sample.difference(),
                lower: ends.map(|ends| ends.0),
                upper: ends.map(|ends| ends.1),
                significant: ends.is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0),
                why,
            }
        };
        SlicedDifferences {
            by: self.slices.column.clone(),
            confidence,
            rows: self.pairs.sliced.iter().map(row).collect(),
            tests: self.pairs.all.iter().map(test).collect(),
        }
    }
}
