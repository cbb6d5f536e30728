//! The commands that a data set has tables for, and what the others lack.

use super::counts::DatasetCounts;
use crate::records::{Dataset, Index, Kind};
use serde::Serialize;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::path_argument;

/// Whether a command can be run on a data set, and why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Ability {
    /// The command.
    pub command: &'static str,
    /// Whether it can be run.
    pub possible: bool,
    /// The reason why not, or the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Lists every command. `both` counts the outputs of two systems for the same item, `never` the pairs without a comparison.
pub(super) fn abilities(
    counts: &DatasetCounts,
    (both, never): (u64, u64),
    index: &Index,
    dataset: &Dataset,
) -> Vec<Ability> {
    let [outputs, comparisons, judgments] =
        [Kind::Outputs, Kind::Comparisons, Kind::Judgments].map(|kind| index.rows(kind));
    let ability = |command, possible, note: Option<&str>| Ability {
        command,
        possible,
        note: note.map(str::to_string),
    };
    let score = match counts.references {
        _ if outputs == 0 => Some("there are no outputs"),
        Some([_, 0]) | None => Some("only with metrics that need no references"),
        Some([0, _]) => Some("some items have no references: only with metrics that need none"),
        Some(_) => None,
    };
    let predict = (both == 0).then_some("no item has outputs of two systems");
    let apart = counts.has_strangers();
    let ask = predict.or(apart.then_some("some systems have no item in common"));
    let none = (comparisons == 0).then_some("there are no comparisons");
    let simulate = none.or((never > 0).then_some("some pairs were never compared"));
    // A race is replayed by judgments of several systems.
    let judged = counts.systems.iter().filter(|one| one.judgments > 0);
    let has_race = simulate.is_some() && judged.count() > 1;
    let race = has_race.then(|| {
        let (criterion, range) = (Flag("criterion"), Flag("range"));
        format!("only a race by scores: {criterion} NAME {range} LO,HI")
    });
    // A judge compared, and no people.
    let has_verdicts = comparisons == 0 && dataset.predictions().is_some();
    let verdicts = has_verdicts.then(|| {
        let path = path_argument(dataset.path());
        let flag = Flag("verdicts");
        format!("only by a judge's verdicts: `tiebreak rank {path} {flag}`")
    });
    let rank = verdicts.as_deref().or(none);
    let estimate = (judgments == 0).then_some("there are no judgments");
    vec![
        ability("score", outputs > 0, score),
        ability("predict", both > 0, predict),
        ability("rank", comparisons > 0 || has_verdicts, rank),
        ability(
            "simulate",
            simulate.is_none() || has_race,
            race.as_deref().or(simulate),
        ),
        ability("ask", ask.is_none(), ask),
        ability("estimate", judgments > 0, estimate),
    ]
}
