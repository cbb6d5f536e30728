//! The range of the judgments under each criterion: given, declared in `dataset.toml`, or, where every
//! judgment of every system is 0 or 1, that of yes or no.

use super::EstimationData;
use super::rows::EstimateRow;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Flag, Result};
use tiebreak_base::layout::{number, percent};
use tiebreak_decide::estimators::{Judgments, Range};

/// The known ranges, by criterion.
///
/// # Errors
/// If a declared range is invalid, which reading the data set refuses.
pub(crate) fn ranges(
    source: &Source,
    judging: &JudgmentSelection,
    given: Option<Range>,
    data: &EstimationData,
) -> Result<BTreeMap<usize, Range>> {
    let criteria: BTreeSet<usize> = data.judgments.keys().map(|key| key.0).collect();
    let mut ranges = BTreeMap::new();
    for criterion in criteria {
        // What is counted from post-edits has no highest value.
        let counted = judging.is_counted(criterion);
        let name = judging.criterion(source, criterion);
        let declared = source.dataset.descriptor().range(name);
        let range = match (given, declared) {
            (Some(given), _) => Some(given),
            (None, Some([low, high])) if !counted => Some(Range::new(low, high)?),
            (None, None) if !counted && !data.graded.contains(&criterion) => {
                Some(Range::new(0.0, 1.0)?)
            }
            _ => None,
        };
        ranges.extend(range.map(|range| (criterion, range)));
    }
    Ok(ranges)
}

/// The relative excess of an interval that is said to come from the range's unseen ends.
const LEAST_SAID: f64 = 0.05;

/// The sentence on how much wider the range's unseen ends make the intervals of a criterion, and on what narrows them;
/// `None` where it is next to nothing.
pub(super) fn price(criterion: &str, rows: &[EstimateRow]) -> Option<String> {
    let of = rows.iter().filter(|row| row.criterion == criterion);
    let widest = of.max_by(|a, b| a.analysis.unseen.total_cmp(&b.analysis.unseen))?;
    let [low, high] = widest.range?.map(number);
    let unseen = widest.analysis.unseen;
    let excess = unseen / (1.0 - unseen);
    let wider = match excess.is_finite() {
        true => format!("up to {} wider", percent(excess)),
        false => "as wide as they are".to_string(),
    };
    (excess > LEAST_SAID).then(|| {
        format!(
            "Intervals of {criterion} are {wider} ({}) because rare judgments near {low} or {high} can have gone unseen. More \
             judged items narrow that most; so does {}, where the scale is narrower.",
            widest.system,
            Flag("range")
        )
    })
}

/// The usual rating scales.
const USUAL: [[f64; 2]; 2] = [[1.0, 5.0], [0.0, 100.0]];

/// The hint at `--range`, where a criterion's range is not known. All its judgments must be whole
/// numbers of a usual scale and use at least half of it.
pub(super) fn hint<'a>(
    criterion: &str,
    judged: &(impl Iterator<Item = &'a Judgments> + Clone),
) -> Option<String> {
    let scores = || judged.clone().flat_map(Judgments::rows).map(|one| one.y);
    let lowest = scores().reduce(f64::min)?;
    let highest = scores().reduce(f64::max)?;
    let fits = |[low, high]: &&[f64; 2]| {
        let wide = highest - lowest >= 0.5 * (high - low);
        wide && lowest >= *low && highest <= *high
    };
    let [low, high] = USUAL.iter().find(fits)?;
    scores().all(|y| y.fract() == 0.0).then(|| {
        format!(
            "All judgments of {criterion} are whole numbers from {low} to {high}. If that is the scale, {} {low},{high} makes the \
             intervals allow for rare judgments at its ends.",
            Flag("range")
        )
    })
}
