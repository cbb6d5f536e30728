//! Which systems differ significantly, which do not, and when judging could have stopped, as people read it.

mod plots;

use super::rows::{SystemComparisons, SystemDifference, SystemStoppingPoint, TiedSystems};
use crate::inputs::judging::direction_doubt;
use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::stages::estimate::kinds::{sign, titled, with_metric};
use crate::stages::slices::tell::sliced_differences;
use plots::{matrix, pairs_plot, widths};
use tiebreak_base::layout::{number, or_dash, same_decimals};
use tiebreak_base::words::{counted, interval, interval_in, not_told_apart};

/// The most pairs that are drawn with a line each.
const PAIRS: usize = 28;

/// The meaning of the intervals of differences.
const MEANING: &str = "\
A difference is that of two means, for these annotators (with a metric: of the outputs of this data set). \"items\" are those of \
both systems. \"interval\" is for one pair by itself; \"corrected\" and the verdicts hold for all pairs of this table together \
(Holm). \"wins\" is the share of items that the first of a pair wins, by whatever margin; a tie counts half. Of named \
annotators, those who judged both count. It names these items where they are fewer. It can point against the mean difference.";

/// The meaning of the intervals at which judging could have stopped.
const STOPPED_MEANING: &str = "\
Each interval is for one system, over items (with a metric: over the outputs of this data set). It holds at any time, so one may \
look again and again. Until relative=E the estimate is not the mean judgment, but the number that is at most E of the true mean \
away from it.";

const WHISKERS: &str = "the better system minus the other; whiskers are intervals corrected for all pairs (Holm), and \
                        those without 0 are significant";

const NARROWING: &str = "width of the interval after so many judgments; it holds at any time, and at a dot judging \
                         could have stopped";

/// The differences and groups of one criterion, estimator and metric.
pub(super) struct DifferencesTable<'a> {
    pub title: String,
    pub pairs: Vec<&'a SystemDifference>,
    /// The runs of systems without a significant difference, best first.
    pub groups: Vec<&'a TiedSystems>,
}

impl SystemComparisons {
    /// Differences and groups by criterion, estimator and metric.
    pub(super) fn kinds(&self) -> Vec<DifferencesTable<'_>> {
        let of = |group: &TiedSystems| {
            let TiedSystems {
                criterion,
                estimator,
                metric,
                ..
            } = group;
            (criterion.clone(), estimator.clone(), metric.clone())
        };
        // Systems of which too little is known have pairs but no groups.
        let of_pair = |pair: &SystemDifference| {
            (
                pair.criterion.clone(),
                pair.estimator.clone(),
                pair.metric.clone(),
            )
        };
        let groups = self.groups.iter().map(of);
        let kinds = distinct(groups.chain(self.differences.iter().map(of_pair))).into_iter();
        let kind = |kind: (String, String, Option<String>)| {
            let same = |pair: &&SystemDifference| {
                (&pair.criterion, &pair.estimator, &pair.metric) == (&kind.0, &kind.1, &kind.2)
            };
            let how = with_metric(&kind.1, kind.2.as_deref());
            DifferencesTable {
                title: titled(&format!("Differences of {}", kind.0), &how),
                pairs: self.differences.iter().filter(same).collect(),
                groups: self
                    .groups
                    .iter()
                    .filter(|group| of(group) == kind)
                    .collect(),
            }
        };
        kinds.map(kind).collect()
    }
}

/// The differences: pairs, then groups, by criterion, estimator and metric.
pub(in crate::stages::estimate) fn system_differences(found: &SystemComparisons) -> ResultDocument {
    let kinds = found.kinds();
    let slices = found.slices.iter().map(sliced_differences);
    kinds
        .iter()
        .map(differences_of_kind)
        .chain(slices)
        .collect()
}

fn differences_of_kind(kind: &DifferencesTable<'_>) -> ResultDocument {
    let table = kind.table();
    let on_page = match kind.pairs.len() <= PAIRS {
        true => DocumentFigure::new(pairs_plot(kind), WHISKERS).into(),
        false => ResultDocument::from(matrix(kind)),
    };
    ResultDocument::default()
        .heading(3, &kind.title)
        .note(MEANING)
        .notes(kind.direction())
        .on_terminal(table.clone())
        .notes(untested(&kind.pairs))
        .notes(left_out(&kind.pairs))
        .on_terminal(ResultDocument::default().notes(new_annotators(&kind.pairs)))
        .notes(not_told_apart(
            kind.groups.iter().map(|group| &group.systems),
        ))
        .on_page(on_page.fold("In numbers", table))
        .under(&kind.title)
}

impl DifferencesTable<'_> {
    /// A sentence on which differences are good, where lower scores are better or may be.
    fn direction(&self) -> Option<String> {
        let criterion = &self.pairs.first()?.criterion;
        match sign(criterion) < 0.0 {
            true => Some(format!(
                "Lower {criterion} is better: a difference below 0 is in favour of the first of a pair."
            )),
            false => direction_doubt(criterion),
        }
    }

    /// A row for each pair.
    fn table(&self) -> DocumentTable {
        let write = same_decimals(self.pairs.iter().map(|pair| pair.difference));
        let line = |pair: &&SystemDifference| {
            vec![
                format!("{} – {}", pair.system_a, pair.system_b),
                write(pair.difference),
                interval_in(pair.lower, pair.upper, write),
                interval_in(pair.corrected_lower, pair.corrected_upper, write),
                or_dash(pair.win_rate, |rate| pair.wins(rate)),
                pair.items.to_string(),
                verdict(pair).to_string(),
            ]
        };
        let header = [
            "systems",
            "difference",
            "interval",
            "corrected",
            "wins",
            "items",
            "verdict",
        ];
        DocumentTable::new(&self.title, &header, self.pairs.iter().map(line).collect())
    }
}

/// The verdict on a pair, or that nothing was tested.
fn verdict(pair: &SystemDifference) -> &'static str {
    match (pair.significant, pair.corrected_lower) {
        (true, _) => "differ",
        (false, Some(_)) => "undecided",
        (false, None) => "not tested",
    }
}

/// The reasons why pairs have no interval, a line each.
fn untested(pairs: &[&SystemDifference]) -> Vec<String> {
    let reasons = pairs.iter().filter_map(|pair| pair.why.as_deref());
    let reasons = distinct(reasons).into_iter();
    reasons.map(|why| format!("Not tested: {why}.")).collect()
}

/// What differences leave out, where they do: means are of all items.
fn left_out(pairs: &[&SystemDifference]) -> Option<String> {
    let most = pairs.iter().map(|pair| pair.left_out).max();
    most.filter(|&most| most > 0).map(|most| {
        format!(
            "Where most items of a pair were judged for both systems, the difference is on these. Left out of a pair: at \
             most {}. So means need not subtract to it.",
            counted(most, "item")
        )
    })
}

/// The differences for new annotators, where there are any.
fn new_annotators(pairs: &[&SystemDifference]) -> Option<String> {
    let told = pairs.iter().filter_map(|pair| {
        let new = pair.new_annotators?;
        let ends = interval(Some(new.lower), Some(new.upper));
        let (a, b) = (&pair.system_a, &pair.system_b);
        Some(format!("{a} – {b} {} {ends}", number(new.estimate)))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("New annotators like these: {}.", told.join("; ")))
}

/// The points at which judging could have stopped, in one table.
pub(in crate::stages::estimate) fn stopping_table(found: &SystemComparisons) -> ResultDocument {
    if found.stops.is_empty() {
        return ResultDocument::default();
    }
    let title = "Could have stopped";
    let stops: Vec<&SystemStoppingPoint> = found.stops.iter().collect();
    ResultDocument::default()
        .note(STOPPED_MEANING)
        .append(stopped(title, &stops))
        .under(title)
}

/// The points at which judging could have stopped, by criterion and estimator, with plots.
pub(in crate::stages::estimate) fn stopping_points(found: &SystemComparisons) -> ResultDocument {
    let key = |stop: &SystemStoppingPoint| (stop.criterion.clone(), stop.estimator.clone());
    let kinds = distinct(found.stops.iter().map(key)).into_iter();
    let kind = |kind: (String, String)| {
        let stops: Vec<&SystemStoppingPoint> = found
            .stops
            .iter()
            .filter(|stop| key(stop) == kind)
            .collect();
        let title = format!("{}: {}, until {}", kind.0, kind.1, stops[0].goal);
        let plot = DocumentFigure::new(widths(&kind.0, &stops), NARROWING);
        let table = stopped(&title, &stops);
        ResultDocument::default()
            .heading(3, title)
            .note(STOPPED_MEANING)
            .side_by_side([ResultDocument::from(plot), table.into()])
    };
    kinds.map(kind).collect()
}

/// A row for each system.
fn stopped(title: &str, stops: &[&SystemStoppingPoint]) -> DocumentTable {
    let header = [
        "system",
        "criterion",
        "goal",
        "judgments",
        "estimate",
        "interval",
    ];
    let write = same_decimals(stops.iter().filter_map(|stop| stop.estimate));
    let line = |stop: &&SystemStoppingPoint| {
        vec![
            stop.system.clone(),
            stop.criterion.clone(),
            stop.goal.clone(),
            stop.n
                .map_or_else(|| "not yet".to_string(), |n| n.to_string()),
            or_dash(stop.estimate, write),
            interval_in(stop.lower, stop.upper, write),
        ]
    };
    DocumentTable::new(title, &header, stops.iter().map(line).collect())
}
