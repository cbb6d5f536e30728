//! Slices of the items by a column: what `gate`, `estimate`, `rank` and `correlate` share. Two systems are compared on the items that
//! both have, of all items or of a slice, in one way.

pub(in crate::stages) mod differences;
mod evidence;
mod pairs;
pub(in crate::stages) mod tell;

pub(in crate::stages) use evidence::{
    DifferenceSample, TOO_FEW_ANNOTATORS, TOO_FEW_ITEMS, unlike_items,
};
pub(crate) use pairs::RepeatVariances;
pub(in crate::stages) use pairs::{
    ComparedPairs, CriterionJudgments, PairTerms, PairedSystems, Preferences, range_unknown,
    unlike_pair,
};

use crate::engine::context::Context;
use crate::inputs::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::number;
use tiebreak_base::stats::quantiles;
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::{AnnotatorShares, uneven_shares};
use tiebreak_decide::evaluation::slices::SliceEstimate;
use tiebreak_decide::ranking::NEGLIGIBLE;

/// The criterion of a judge's verdicts on two systems.
pub(in crate::stages) const VERDICTS: &str = "verdicts";

/// The probability with which a difference is found that is said to be.
pub(in crate::stages) const POWER: f64 = 0.8;

/// The most different numbers of a column that are slices by themselves; of more there are thirds.
const MOST_NUMBERS: usize = 6;

/// The reason why a slice claims nothing.
pub(in crate::stages) fn few_items() -> String {
    format!("fewer than {} items: no claim", SliceEstimate::FEWEST_ITEMS)
}

/// Why nothing is claimed of a slice that lacks somebody who weighs.
const APART: &str =
    "different people judged different systems or slices, so it may be the people who differ";

/// The slices of the items.
pub(in crate::stages) struct Slices {
    /// The column.
    pub column: String,
    /// The items of each slice, by its label.
    pub items: Vec<(String, BTreeSet<u32>)>,
    /// A sentence on the items that are in none, where there are any.
    pub without: Option<String>,
}

impl Slices {
    /// Reads the slices by a column, with a warning where items have no value in it: they are in no slice.
    ///
    /// # Errors
    /// A column that no table has.
    pub(in crate::stages) fn read(
        context: &Context<'_>,
        source: &Source,
        column: &str,
    ) -> Result<Self> {
        let labels = source.required_labels("by", column, "language")?;
        let names = thirds(&labels);
        let mut items: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        let mut without = 0;
        for group in source.index.all() {
            let group = group?;
            if let Some(label) = labels.get(&group.item) {
                let item = u32::try_from(group.position).map_err(Error::failed)?;
                let name = names.get(label).map_or(label.as_str(), String::as_str);
                items.entry(name).or_default().insert(item);
            } else {
                without += 1;
            }
        }
        let without = (without > 0).then(|| {
            let items = counted(without, "item");
            format!("left out of all slices, without a value in the column `{column}`: {items}")
        });
        if let Some(what) = &without {
            context.progress.warn(what);
        }
        Ok(Self {
            without,
            column: column.to_string(),
            items: items
                .into_iter()
                .map(|(label, items)| (label.to_string(), items))
                .collect(),
        })
    }

    /// The number of parts of the data that are compared: all items, and each slice.
    pub(in crate::stages) fn parts(slices: Option<&Self>) -> usize {
        slices.map_or(1, |slices| slices.items.len() + 1)
    }

    /// The items of the slice with a number, where there are slices.
    pub(in crate::stages) fn numbered(
        slices: Option<&Self>,
        number: Option<usize>,
    ) -> Option<&BTreeSet<u32>> {
        Some(&slices?.items[number?].1)
    }

    /// Annotators' shares of all judgments, each an item with its annotator, where slices did not go to them alike.
    fn uneven_shares(
        &self,
        judged: impl Iterator<Item = (u32, Option<u32>)>,
    ) -> Option<AnnotatorShares> {
        let slices = self.items.iter().zip(0..);
        let slices = slices.flat_map(|((_, items), slice)| items.iter().map(move |&i| (i, slice)));
        let slices: BTreeMap<u32, u32> = slices.collect();
        let judged = judged.map(|(item, by)| (slices.get(&item).copied(), item, by));
        uneven_shares(judged, NEGLIGIBLE)
    }
}

/// The third that each number is in, by its text; nothing where labels are few, or no numbers.
fn thirds(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let numbers = labels
        .values()
        .map(|label| label.parse::<f64>().ok().filter(|x| x.is_finite()));
    let Some(mut numbers) = numbers.collect::<Option<Vec<f64>>>() else {
        return BTreeMap::new();
    };
    numbers.sort_unstable_by(f64::total_cmp);
    let different = numbers.chunk_by(|a, b| a == b).count();
    let cut = |share: f64| quantiles::of_sorted(&numbers, share);
    let (Some(low), Some(high)) = (cut(1.0 / 3.0), cut(2.0 / 3.0)) else {
        return BTreeMap::new();
    };
    if different <= MOST_NUMBERS {
        return BTreeMap::new();
    }
    let third = |label: &String| {
        let x: f64 = label.parse().unwrap_or_default();
        let name = match (x <= low, x <= high) {
            (true, _) => format!("1: up to {}", number(low)),
            (false, true) => format!("2: up to {}", number(high)),
            (false, false) => format!("3: above {}", number(high)),
        };
        (label.clone(), name)
    };
    labels.values().map(third).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_of_fractions_are_thirds() {
        let labels = (0..9).map(|i| (format!("i{i}"), (f64::from(i) / 8.0).to_string()));
        let labels: BTreeMap<String, String> = labels.collect();
        let names = thirds(&labels);
        let mut sizes: BTreeMap<&str, u32> = BTreeMap::new();
        for name in names.values() {
            *sizes.entry(name).or_default() += 1;
        }
        assert_eq!(sizes.into_values().collect::<Vec<_>>(), [3, 3, 3]);
        let few: BTreeMap<String, String> = labels.into_iter().take(6).collect();
        assert!(thirds(&few).is_empty(), "few numbers are slices themselves");
    }
}
