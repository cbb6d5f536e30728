//! Whether systems were judged on the same items: means over different ones may differ by the items.

use super::kinds::sign;
use super::rows::EstimateRow;
use super::weights::CRITERIA;
use super::{CriterionAssignments, EstimationData};
use crate::inputs::source::Source;
use crate::stages::slices::unlike_items;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiebreak_base::error::Flag;
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::{Judgments, UnlikeItems};

/// Two systems of which one was judged on items of its own, beyond chance unlike those of both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnlikeSystems {
    pub criterion: String,
    /// The system with the best mean, and the other.
    pub systems: [String; 2],
    /// A clause on the items.
    pub why: String,
}

/// The system with the best mean under a criterion, beside the others: whose items are unlike, and who has the fewest in
/// common with it.
pub(super) struct LeadersItems {
    pub unlike: Vec<UnlikeSystems>,
    /// The sentence on the system with which the best one shares less than half of the items that either has, for
    /// [`WeightHints`](super::weights::WeightHints).
    pub apart: Option<String>,
}

impl LeadersItems {
    /// Compares the items of the best system of a criterion with those of each other one; `None` without estimates.
    pub(super) fn of_criterion(
        source: &Source,
        data: &EstimationData,
        (criterion, number): (&str, usize),
        dealt: &CriterionAssignments,
        rows: &[EstimateRow],
    ) -> Option<Self> {
        // Of equal ones the first is best, as in reports.
        let rows = rows.iter().rev().filter(|row| row.criterion == criterion);
        let estimated = rows.filter_map(|row| Some((row, row.analysis.estimate?)));
        let better = sign(criterion);
        let (best, _) =
            estimated.max_by(|one, other| (better * one.1).total_cmp(&(better * other.1)))?;
        let names = source.systems();
        let best = *dealt.systems.iter().find(|&&at| names[at] == best.system)?;
        let leading = item_means(&data.judgments[&(number, best)]);
        let pairs = dealt.systems.len() * (dealt.systems.len() - 1) / 2;
        let mut unlike = Vec::new();
        let mut fewest: Option<(usize, usize, usize)> = None;
        for &system in dealt.systems.iter().filter(|&&system| system != best) {
            let means = item_means(&data.judgments[&(number, system)]);
            let both = [&leading, &means];
            let [shared, alone] = UnlikeItems::shared_and_alone(both);
            if let Some(found) = UnlikeItems::between(both, pairs) {
                unlike.push(UnlikeSystems {
                    criterion: criterion.to_string(),
                    systems: [best, system].map(|at| names[at].clone()),
                    why: unlike_items(&names[[best, system][found.system]], &found),
                });
            } else if shared < alone && fewest.is_none_or(|(least, ..)| shared < least) {
                fewest = Some((shared, shared + alone, system));
            }
        }
        let apart = fewest.map(|(shared, either, system)| {
            format!(
                "Under {CRITERIA}, {} and {} were both judged on {shared} of {either} items. Means take the items of each as chosen \
                 by chance.",
                names[best], names[system]
            )
        });
        Some(Self { unlike, apart })
    }

    /// The sentence on systems whose items are unlike.
    pub(super) fn sentence(&self) -> Option<String> {
        let (first, more) = self.unlike.split_first()?;
        let more = match more.len() as u64 {
            0 => String::new(),
            more => format!(" So it is with {}.", counted(more, "other system")),
        };
        Some(format!(
            "{}: {}.{more} `tiebreak estimate {}` compares items of both where it can.",
            first.criterion,
            first.why,
            Flag("differences")
        ))
    }
}

/// The mean judgment of each item.
fn item_means(judged: &Judgments) -> BTreeMap<u32, f64> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for one in judged.rows() {
        let (sum, n) = sums.entry(one.item).or_default();
        *sum += one.y;
        *n += 1.0;
    }
    let means = sums.into_iter().map(|(item, (sum, n))| (item, sum / n));
    means.collect()
}
