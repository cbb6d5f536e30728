//! The range of the judgments under each criterion: given, declared in `dataset.toml`, or, where every
//! judgment of every system is 0 or 1, that of yes or no. Of several criteria the given range is that of those whose
//! range nothing else tells: their scales may differ.

use super::EstimationData;
use super::rows::EstimateRow;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Flag, Key, Result};
use tiebreak_base::keys::ScaleRange;
use tiebreak_base::layout::{number, percent, thousands};
use tiebreak_base::message;
use tiebreak_base::words::counted;
use tiebreak_data::records::index::GroupJudgment;
use tiebreak_decide::estimators::{Judgments, Range};

/// The known ranges, by criterion.
///
/// # Errors
/// If a declared range is invalid, which reading the data set refuses.
pub(crate) fn ranges(
    source: &Source,
    judging: &JudgmentSelection,
    given: Option<GivenRange>,
    data: &EstimationData,
) -> Result<BTreeMap<usize, Range>> {
    let criteria: BTreeSet<usize> = data.judgments.keys().map(|key| key.0).collect();
    let mut ranges = BTreeMap::new();
    for criterion in criteria {
        let known = known(source, judging, criterion, &data.graded)?;
        let given = given.filter(|given| given.is_of(known));
        let range = given.map(|given| given.range).or(known);
        ranges.extend(range.map(|range| (criterion, range)));
    }
    Ok(ranges)
}

/// The range of a criterion that is declared, or that of yes or no unless the criterion is among those with other scores.
fn known(
    source: &Source,
    judging: &JudgmentSelection,
    criterion: usize,
    graded: &BTreeSet<usize>,
) -> Result<Option<Range>> {
    // What is counted from post-edits has no highest value.
    if judging.is_counted(criterion) {
        return Ok(None);
    }
    let name = judging.criterion(source, criterion);
    let declared = source.dataset.descriptor().range(name);
    let yes_no = (!graded.contains(&criterion)).then_some([0.0, 1.0]);
    let known = declared.or(yes_no);
    known.map(|[low, high]| Range::new(low, high)).transpose()
}

/// The range that a command is given.
#[derive(Clone, Copy)]
pub(crate) struct GivenRange {
    range: Range,
    /// Whether it is given for one criterion.
    is_of_one: bool,
}

impl GivenRange {
    /// The range of one criterion.
    pub(crate) fn of_one(range: Range) -> Self {
        Self {
            range,
            is_of_one: true,
        }
    }

    /// The range by its key, for one criterion or several.
    ///
    /// # Errors
    /// A range that is none.
    pub(crate) fn new(key: Option<ScaleRange>, is_of_one: bool) -> Result<Option<Self>> {
        let range = key.map(ScaleRange::value);
        let range = range.map(|[low, high]| Range::new(low, high)).transpose()?;
        Ok(range.map(|range| Self { range, is_of_one }))
    }

    /// Whether it is the range of a criterion with this range by itself.
    fn is_of(self, known: Option<Range>) -> bool {
        self.is_of_one || known.is_none()
    }
}

/// A check that judgments are inside a given range, which tells the criteria with other scores than 0 and 1.
pub(super) struct RangeCheck {
    given: Option<GivenRange>,
    seen: BTreeMap<usize, SeenJudgments>,
}

/// The judgments seen under a criterion.
struct SeenJudgments {
    count: u64,
    lowest: f64,
    highest: f64,
    /// Whether some are other than 0 and 1.
    is_graded: bool,
    outside: u64,
    /// The first outside the given range: its place and score.
    first_outside: Option<(u64, f64)>,
}

impl RangeCheck {
    pub(super) fn new(given: Option<GivenRange>) -> Self {
        Self {
            given,
            seen: BTreeMap::new(),
        }
    }

    pub(super) fn push(&mut self, judgment: &GroupJudgment) {
        let score = judgment.score;
        let seen = self.seen.entry(judgment.criterion);
        let seen = seen.or_insert(SeenJudgments {
            count: 0,
            lowest: score,
            highest: score,
            is_graded: false,
            outside: 0,
            first_outside: None,
        });
        seen.count += 1;
        seen.lowest = seen.lowest.min(score);
        seen.highest = seen.highest.max(score);
        seen.is_graded |= ![0.0, 1.0].contains(&score);
        if self.given.is_some_and(|given| !given.range.contains(score)) {
            seen.outside += 1;
            seen.first_outside.get_or_insert((judgment.place, score));
        }
    }

    /// The criteria with other scores than 0 and 1.
    ///
    /// # Errors
    /// Judgments outside the range, under a criterion that it is the range of.
    pub(super) fn finish(
        self,
        source: &Source,
        judging: &JudgmentSelection,
    ) -> Result<BTreeSet<usize>> {
        let graded = self.seen.iter().filter(|(_, seen)| seen.is_graded);
        let graded: BTreeSet<usize> = graded.map(|(criterion, _)| *criterion).collect();
        for (criterion, seen) in self.seen {
            let Some(first) = seen.first_outside else {
                continue;
            };
            let known = known(source, judging, criterion, &graded)?;
            if self.given.is_some_and(|given| given.is_of(known)) {
                return Err(seen.error(source, judging.criterion(source, criterion), first));
            }
        }
        Ok(graded)
    }
}

impl SeenJudgments {
    fn error(&self, source: &Source, criterion: &str, (place, score): (u64, f64)) -> Error {
        let what = format!(
            "a judgment is {score}, outside the given range. Of {} of {criterion}, which go from {} to {}, {} outside",
            counted(self.count, "judgment"),
            number(self.lowest),
            number(self.highest),
            match self.outside {
                1 => "1 is".to_string(),
                n => format!("{} are", thousands(n)),
            }
        );
        let hint = message!(
            "{} is the scale people judged on",
            Key("range").set("LO,HI")
        );
        source.judgment_error(place, what, Some(hint))
    }
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

/// The hint at `--range`, where a criterion's range is not known; `is_of_one`: it is the only one. All its judgments must be
/// whole numbers of a usual scale and use at least half of it.
pub(super) fn hint<'a>(
    (criterion, is_of_one): (&str, bool),
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
    let alone = match is_of_one {
        true => String::new(),
        false => format!("{} {criterion} ", Flag("criterion")),
    };
    scores().all(|y| y.fract() == 0.0).then(|| {
        format!(
            "All judgments of {criterion} are whole numbers from {low} to {high}. If that is the scale, {alone}{} {low},{high} makes \
             the intervals allow for rare judgments at its ends.",
            Flag("range")
        )
    })
}
