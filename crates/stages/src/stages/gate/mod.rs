//! `gate`: is the new system good enough beside the one that is there.
//!
//! Systems are compared on the items that both have, repeats averaged first. What is proved at which level, and what becomes
//! of several criteria and systems, is in `evaluation::gate`; how each difference gets its interval in `estimators::paired`
//! (judgments, scores, comparisons, verdicts of a judge) and `score::significance` (corpus metrics). Slices share a level of their own and show
//! where a difference is; the requirement is that of all items.

mod compare;
mod keys;
mod logs;
mod rows;
pub(super) mod tell;

pub use keys::Gate;
pub(crate) use keys::UndecidedOutcome;
pub(crate) use rows::{FailedAnswers, SliceTest, UnchangedRates};
pub use rows::{GateReport, GateRow};

use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::slices::{ComparedPairs, DifferenceSample, POWER, PairedSystems, Slices};
use compare::{ComparedSystems, GateComparisons, MissingComparison, both, systems};
use std::collections::BTreeSet;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::number;
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::{as_sentence, distinct};
use tiebreak_data::records::import::MissingAnswers;
use tiebreak_decide::evaluation::gate::{GateDecision, GateEvidence, Requirement, decide};
use tiebreak_decide::evaluation::slices::SliceEstimate;

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "gate";

/// The name of a decision's file in its folder.
pub(crate) const FILE: &str = "gate.json";

/// Decides a gate.
///
/// # Errors
/// Unknown systems or criteria; a system with nothing to compare it by; a criterion whose scale is not known; a requirement
/// that lacks its margin, with the smallest one that these items can show.
pub(super) fn run(context: &Context<'_>, source: &Source, gate: &Gate) -> Result<GateReport> {
    let gate = &Gate {
        new: distinct(gate.new.iter().cloned()),
        criterion: distinct(gate.criterion.iter().cloned()),
        metric: distinct(gate.metric.iter().cloned()),
        ..gate.clone()
    };
    let (base, news) = systems(source, gate)?;
    let slices = gate
        .by
        .as_deref()
        .map(|column| Slices::read(context, source, column))
        .transpose()?;
    let GateComparisons {
        pairs,
        missing,
        mut notes,
        judge,
    } = ComparedSystems {
        context,
        source,
        gate,
        base,
        news: &news,
        slices: slices.as_ref(),
    }
    .compare()?;
    if gate.scope.people == PeopleScope::NewAnnotators {
        notes.push(
            "What is proved is about new annotators, people like those who judged.".to_string(),
        );
    }
    let without = slices.iter().filter_map(|slices| slices.without.as_ref());
    notes.extend(without.map(|what| as_sentence(what)));
    let all = &pairs.all;
    let is_compared = |new: Arm| all.iter().any(|one| one.new == new);
    if let Some(&new) = news.iter().find(|&&new| !is_compared(new)) {
        let systems = both(source, base, new);
        let what = format!("no item has judgments, comparisons or scores of {systems}");
        return Err(Error::key("new", what));
    }
    let margin = gate.positive_margin();
    let level = gate.level();
    let printed = PrintedLevels::new(gate, level, all);
    if gate.require.needs_margin() && margin.is_none() {
        return Err(margin_missing(gate, all, printed.margin_end));
    }
    let mut results: Vec<GateRow> = all
        .iter()
        .map(|one| row(source, gate, one, &printed))
        .collect();
    let evidence: Vec<_> = all
        .iter()
        .zip(&results)
        .map(|(one, row)| (one.number, one.evidence(margin, row.is_blind())))
        .collect();
    let outcome = decide(&evidence, gate.require, level);
    let is_open = missing.iter().any(|one| one.slice.is_none());
    let unchanged = unchanged(gate, all, (&evidence, is_open), &printed);
    let proved = outcome.verdicts.into_iter().zip(outcome.refuted);
    for (row, (verdicts, refuted)) in results.iter_mut().zip(proved) {
        row.verdicts = verdicts;
        row.refuted = refuted;
    }
    results.extend(slice_rows(source, gate, &pairs));
    let missing = missing.into_iter();
    results.extend(missing.map(|one| one.row(source, base, &printed)));
    let decision = match outcome.decision {
        GateDecision::Met if is_open => GateDecision::Undecided,
        decision => decision,
    };
    let compared = [base].into_iter().chain(news).map(|arm| source.system(arm));
    let compared = compared.filter(|_| source.dataset.imported().is_some());
    let failures = failures(compared.map(|name| (name, source.missing(name))), &results);
    let undecided_passes =
        decision == GateDecision::Undecided && gate.undecided == UndecidedOutcome::Pass;
    Ok(GateReport {
        passed: decision == GateDecision::Met || undecided_passes,
        decision,
        require: gate.require,
        margin,
        confidence: gate.confidence.value(),
        over: gate.over.value(),
        results,
        slices: slices.map_or_else(Vec::new, |slices| slice_tests(source, &slices, &pairs)),
        unchanged,
        failures,
        notes,
        judge,
        seed: context.seed.0,
        signature: signature(context, source, gate),
    })
}

/// Tests whether each difference is the same in all slices.
fn slice_tests(source: &Source, slices: &Slices, pairs: &ComparedPairs) -> Vec<SliceTest> {
    let all = pairs.all.iter();
    let judged = all.filter(|one| !matches!(one.sample, DifferenceSample::Corpus(_)));
    let test = |one: &PairedSystems| SliceTest {
        new: source.system(one.new).to_string(),
        criterion: one.criterion.clone(),
        by: slices.column.clone(),
        p: pairs.heterogeneity(one),
    };
    judged.map(test).collect()
}

/// Counts what the logs of systems lack, of scores those under the criteria compared.
fn failures<'a>(
    missing: impl IntoIterator<Item = (&'a str, MissingAnswers)>,
    results: &[GateRow],
) -> Vec<FailedAnswers> {
    let criteria: BTreeSet<&str> = results.iter().map(|row| &*row.criterion).collect();
    let failed = |(system, missing): (&str, MissingAnswers)| FailedAnswers {
        system: system.to_string(),
        count: missing.failed,
        unscored: criteria
            .iter()
            .filter_map(|&name| missing.unscored.get(name))
            .sum(),
    };
    missing.into_iter().map(failed).collect()
}

/// The rows of slices, which share a level of their own; few items claim nothing.
fn slice_rows(source: &Source, gate: &Gate, pairs: &ComparedPairs) -> Vec<GateRow> {
    let shared = pairs.slice_level(gate.level());
    let levels = PrintedLevels {
        end: 0.5 * shared,
        margin_end: shared,
        interval: match gate.require.needs_margin() {
            true => shared,
            false => 0.5 * shared,
        },
    };
    let rows = pairs.sliced.iter().map(|(slice, one)| {
        let claims = one.n >= SliceEstimate::FEWEST_ITEMS;
        let row = row(source, gate, one, &levels);
        let proofs = one.evidence(gate.positive_margin(), row.is_blind());
        let found = decide(&[(0, proofs)], gate.require, shared);
        let verdicts = found.verdicts.into_iter().next().filter(|_| claims);
        let (ends, why) = one.slice_ends(source, levels.interval);
        GateRow {
            slice: Some(slice.clone()),
            verdicts: verdicts.unwrap_or_default(),
            refuted: claims && found.refuted.contains(&true),
            lower: ends.map(|ends| ends.0),
            upper: ends.map(|ends| ends.1),
            why,
            ..row
        }
    });
    rows.collect()
}

/// The levels of what is printed of one comparison.
struct PrintedLevels {
    /// Of either end where a difference is to be shown beside 0.
    end: f64,
    /// Of either end where it is to be shown beside a margin.
    margin_end: f64,
    /// Of either end of the printed interval.
    interval: f64,
}

impl PrintedLevels {
    /// Bonferroni's share of each comparison. Where all criteria must hold at once, these share nothing.
    fn new(gate: &Gate, level: f64, all: &[PairedSystems]) -> Self {
        let end = 0.5 * level / all.len() as f64;
        let (margin_end, interval) = match gate.require.needs_margin() {
            true => {
                let same = |one: &&PairedSystems| one.number == all[0].number;
                let each = level / all.iter().filter(same).count() as f64;
                (each, each)
            }
            false => (2.0 * end, end),
        };
        Self {
            end,
            margin_end,
            interval,
        }
    }
}

/// A row of one comparison; nothing is proved yet.
fn row(source: &Source, gate: &Gate, one: &PairedSystems, levels: &PrintedLevels) -> GateRow {
    let ends = one.sample.ends(levels.interval);
    let ends = ends.filter(|_| !one.is_unbalanced);
    let margin = gate.positive_margin().unwrap_or_default();
    let difference = one.sample.difference();
    let open = one.open_reason(source);
    let detectable = match open {
        Some(_) => None,
        None => one.sample.detectable(levels.end),
    };
    let needed = match gate.require {
        _ if open.is_some() => None,
        Requirement::NotWorse => one.sample.needed(-margin, levels.margin_end, POWER),
        Requirement::Equivalent => {
            let nearer = if difference < 0.0 { -margin } else { margin };
            let needed = |boundary, power| one.sample.needed(boundary, levels.margin_end, power);
            // Both ends must stay within: where the farther margin is near, too, either fails half as often.
            let is_sure = needed(-nearer, SURE).zip(needed(nearer, POWER));
            match is_sure.is_some_and(|(farther, nearer)| farther <= nearer) {
                true => needed(nearer, POWER),
                false => needed(nearer, 0.5 + 0.5 * POWER),
            }
        }
        Requirement::NoRegression | Requirement::Better => {
            one.sample.needed(0.0, levels.end, POWER)
        }
    };
    GateRow {
        base: source.system(one.base).to_string(),
        new: source.system(one.new).to_string(),
        criterion: one.criterion.clone(),
        n: one.n,
        difference: Some(difference),
        lower: ends.map(|ends| ends.0),
        upper: ends.map(|ends| ends.1),
        interval_confidence: 1.0 - 2.0 * levels.interval,
        needed,
        detectable,
        only_base: one.only_base,
        only_new: one.only_new,
        repeats: one.repeats,
        new_annotators: one
            .new_annotators
            .filter(|_| gate.scope.people != PeopleScope::NewAnnotators)
            .filter(|new| gate.scope.people.includes_new(new.annotators as usize))
            .map(Into::into),
        why: open.or_else(|| one.sample.why()).or_else(|| {
            let is_blind = detectable.is_none();
            is_blind.then(|| BLIND.to_string())
        }),
        ..GateRow::default()
    }
}

impl MissingComparison {
    /// The row of the comparison, of which nothing is known.
    fn row(self, source: &Source, base: Arm, levels: &PrintedLevels) -> GateRow {
        let systems = both(source, base, self.new);
        GateRow {
            base: source.system(base).to_string(),
            new: source.system(self.new).to_string(),
            why: Some(format!("no item has `{}` of {systems}", self.criterion)),
            criterion: self.criterion,
            slice: self.slice,
            interval_confidence: 1.0 - 2.0 * levels.interval,
            only_base: self.only_base,
            only_new: self.only_new,
            ..GateRow::default()
        }
    }
}

/// The probability from which on the farther margin of two counts as certain.
const SURE: f64 = 0.99;

/// Why nothing can be proved where no difference is large enough.
const BLIND: &str = "the items are too few to show even the largest difference";

/// How often a system without any difference does not pass; `is_missing`: a comparison is not there at all.
fn unchanged(
    gate: &Gate,
    all: &[PairedSystems],
    (evidence, is_missing): (&[(usize, GateEvidence)], bool),
    levels: &PrintedLevels,
) -> UnchangedRates {
    let level = gate.level();
    let margin = gate.positive_margin().unwrap_or_default();
    let both = gate.require == Requirement::Equivalent;
    let is_blind = is_missing || evidence.iter().any(|(_, one)| one.is_blind);
    let is_open = is_missing || all.iter().any(PairedSystems::is_open);
    match gate.require {
        Requirement::NoRegression => UnchangedRates {
            fails: 0.5 * level,
            undecided: is_blind.then_some(1.0),
        },
        Requirement::Better => UnchangedRates {
            fails: 0.5 * level,
            undecided: Some(if is_open { 1.0 } else { 1.0 - level }),
        },
        Requirement::NotWorse | Requirement::Equivalent if is_open => UnchangedRates {
            fails: level,
            undecided: Some(1.0),
        },
        Requirement::NotWorse | Requirement::Equivalent => UnchangedRates {
            fails: level,
            // All must hold; what they have in common only helps.
            undecided: all
                .iter()
                .map(|one| one.sample.chance_within(margin, levels.margin_end, both))
                .try_fold(1.0, |product, chance| Some(product * chance?))
                .map(|within: f64| 1.0 - within),
        },
    }
}

/// The error about a requirement without its margin.
fn margin_missing(gate: &Gate, all: &[PairedSystems], level: f64) -> Error {
    let both = gate.require == Requirement::Equivalent;
    let margins = all
        .iter()
        .filter_map(|one| one.sample.least_margin(level, POWER, both));
    let largest = margins.reduce(f64::max);
    let error = Error::key(
        "margin",
        format!("`{}` takes a margin above 0", gate.require),
    );
    match largest {
        Some(margin) => error.with_hint(format!(
            "{} is the smallest that these items can show (with probability {POWER}, for a system that is no different)",
            number(margin)
        )),
        None => error,
    }
}

fn signature(context: &Context<'_>, source: &Source, gate: &Gate) -> String {
    let base = gate.base.as_deref().unwrap_or_default();
    let (new, criterion) = (gate.new.join(","), gate.criterion.join(","));
    let metric = gate.metric.iter().map(ToString::to_string);
    let metric = metric.collect::<Vec<_>>().join(",");
    let mut signature = format!(
        "gate|base:{base}|new:{new}|criterion:{criterion}|metric:{metric}|require:{}|undecided:{}|confidence:{}|over:{}|seed:{}|data:{}",
        gate.require, gate.undecided, gate.confidence, gate.over, context.seed.0, source.digest
    );
    let margin = gate
        .positive_margin()
        .map(|margin| format!("|margin:{margin}"));
    let range = gate
        .range
        .map(|range| format!("|range:{},{}", range.value()[0], range.value()[1]));
    let by = gate.by.as_ref().map(|column| format!("|by:{column}"));
    signature.extend([margin, range, by].into_iter().flatten());
    signature + &gate.clusters.signature() + &gate.scope.signature() + "|version:8"
}
