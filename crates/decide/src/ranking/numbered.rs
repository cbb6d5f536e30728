//! Numbers for names, in the order that a data set on disk has, so that the last digit is the same too.

use super::{Collection, Comparison};
use crate::estimators::bradley_terry;
use std::collections::BTreeSet;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::order::compare;

/// Converts comparisons by name to comparisons by number.
pub(super) fn numbered(mut comparisons: Vec<Comparison<'_>>) -> Result<Collection> {
    let both = comparisons.iter().flat_map(|one| [one.first, one.second]);
    let systems: BTreeSet<&str> = both.collect();
    Arm::comparable(systems.len())?;
    let systems: Vec<&str> = systems.into_iter().collect();
    let arm = |name| Arm::from(systems.partition_point(|&other| other < name));
    // Stable, and those without an item come last, each on an item of its own.
    comparisons.sort_by(|one, other| match (one.item, other.item) {
        (Some(one), Some(other)) => compare(one, other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    });
    let together = |a: &Comparison<'_>, b: &Comparison<'_>| a.item.is_some() && a.item == b.item;
    let mut collection = Collection::new(systems.iter().map(|&name| name.to_string()).collect());
    for (item, group) in comparisons.chunk_by(together).enumerate() {
        let item = u32::try_from(item).map_err(|_| Error::usage("more items than 4294967295"))?;
        for one in group {
            if one.first == one.second {
                let what = format!("system `{}` is compared with itself", one.first);
                return Err(Error::usage(what));
            }
            let (pair, outcome) = (Pair::new(arm(one.first), arm(one.second)), one.outcome);
            let comparison = bradley_terry::StrengthComparison {
                item,
                pair,
                outcome,
            };
            collection.push(comparison, one.annotator);
        }
    }
    Ok(collection)
}
