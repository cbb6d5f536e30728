//! Estimates as people read them, with differences, stopping points and what would narrow their intervals.

mod estimates;
mod headline;

pub(super) use headline::best_estimated;

use super::differences::{SystemComparisons, stopping_points, stopping_table, system_differences};
use super::kinds::{about, leading};
use super::repeats::RepeatedJudgments;
use super::rows::{self, EstimateRow, Estimates, IntervalWidthPlan, ReportedEstimate};
use super::standing::{EstimateRanking, standings};
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, ReportAnswer, ReportField, Topic, field,
};
use crate::report::document::{DocumentedResult, ResultDocument};
use crate::report::headline::Headline;
use estimates::{estimates, planned, repeated};
use headline::estimates_headline;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::words::{counted, distinct, listed};
use tiebreak_data::tables::Manifest;

impl DocumentedResult for Estimates {
    fn document(&self) -> ResultDocument {
        estimates(&self.reported_estimates())
            .notes(self.hints.iter().cloned())
            .append(repeated(&self.repeats))
            .append(planned(&self.plans))
    }

    fn text(&self) -> String {
        let missing = self.rows.iter();
        let missing = missing.filter(|row| row.analysis.estimate.is_none());
        estimates(&self.reported_estimates())
            .notes(missing.map(without_estimate))
            .notes(self.hints.iter().cloned())
            .append(repeated(&self.repeats))
            .append(planned(&self.plans))
            .append(system_differences(&self.comparisons))
            .append(stopping_table(&self.comparisons))
            .text()
    }
}

/// A line for a system that has no estimate.
fn without_estimate(row: &EstimateRow) -> String {
    let why = row.why.as_deref().unwrap_or_default();
    format!(
        "No estimate of {} for {}: {why}.",
        row.criterion, row.system
    )
}

/// The most criteria that are named with their judgments.
const NAMED: usize = 3;

/// The results of a run's stages, by their names.
type StageResults<T> = Vec<(String, T)>;

/// The estimates of one run.
struct EstimateChapter {
    estimates: StageResults<Vec<ReportedEstimate>>,
    comparisons: StageResults<SystemComparisons>,
    plans: Vec<IntervalWidthPlan>,
    hints: Vec<String>,
    repeats: Vec<RepeatedJudgments>,
}

/// Reads the estimates of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let kinds = [super::NAME];
    let mut estimates = run.read_each(dir, &kinds, |path, _| rows::read(path))?;
    let mut comparisons = run.read_each(dir, &kinds, |path, _| SystemComparisons::read(path))?;
    comparisons.retain(|(_, found)| !found.is_empty());
    let mut plans = run.read_each(dir, &kinds, |path, _| rows::plans(path))?;
    let hints = run.read_each(dir, &kinds, |path, _| rows::hints(path))?;
    let repeats = run.read_each(dir, &kinds, |path, _| rows::repeats(path))?;
    tell_apart(&mut estimates, &mut comparisons, &mut plans);
    Ok(Box::new(EstimateChapter {
        estimates,
        comparisons,
        plans: plans.into_iter().flat_map(|(_, plans)| plans).collect(),
        hints: hints_of_stages(&hints),
        repeats: distinct(repeats.into_iter().flat_map(|(_, repeats)| repeats)),
    }))
}

/// Returns the hints of all stages, each once. One that does not hold for all of them says for which.
fn hints_of_stages(hints: &StageResults<Vec<String>>) -> Vec<String> {
    let all = distinct(hints.iter().flat_map(|(_, hints)| hints));
    let told = |hint: &String| {
        let having = hints.iter().filter(|(_, hints)| hints.contains(hint));
        let having: Vec<&str> = having.map(|(stage, _)| stage.as_str()).collect();
        match having.len() == hints.len() {
            true => hint.clone(),
            false => format!("{}: {hint}", having.join(", ")),
        }
    };
    all.into_iter().map(told).collect()
}

/// Adds the stage to an estimator's name where several stages have estimates of one kind. At two
/// confidences, or of other judgments, those are no rows of one table.
fn tell_apart(
    estimates: &mut StageResults<Vec<ReportedEstimate>>,
    comparisons: &mut StageResults<SystemComparisons>,
    plans: &mut StageResults<Vec<IntervalWidthPlan>>,
) {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut shared: BTreeSet<String> = BTreeSet::new();
    for (stage, (_, rows)) in estimates.iter().enumerate() {
        for row in rows {
            if *first.entry(about(row)).or_insert(stage) != stage {
                shared.insert(row.estimator.clone());
            }
        }
    }
    let call = |estimator: &mut String, stage: &String| {
        if shared.contains(estimator) && estimator != stage {
            *estimator += &format!(" ({stage})");
        }
    };
    for (stage, rows) in estimates {
        for row in rows {
            call(&mut row.estimator, stage);
        }
    }
    for (stage, found) in comparisons {
        found.estimators_mut().for_each(|one| call(one, stage));
    }
    for (stage, plans) in plans {
        for plan in plans {
            call(&mut plan.estimator, stage);
        }
    }
}

impl EstimateChapter {
    /// All estimates together.
    fn rows(&self) -> Vec<ReportedEstimate> {
        let all = self.estimates.iter();
        all.flat_map(|(_, rows)| rows.clone()).collect()
    }
}

impl Chapter for EstimateChapter {
    fn topic(&self) -> Topic {
        Topic::Quality
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![
            field("estimates", &self.estimates)?,
            field("comparisons", &self.comparisons)?,
            field("plans", &self.plans)?,
            field("hints", &self.hints)?,
            field("repeats", &self.repeats)?,
        ])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        let comparisons = || self.comparisons.iter().map(|(_, found)| found);
        // A terminal has the stopping points of a stage below its differences, and plans at the end.
        let compared = comparisons().map(|found| {
            let stopping = stopping_table(found);
            system_differences(found).on_terminal(stopping)
        });
        let stops: ResultDocument = comparisons().map(stopping_points).collect();
        let planned = planned(&self.plans);
        let estimates = estimates(&self.rows())
            .notes(self.hints.iter().cloned())
            .append(repeated(&self.repeats))
            .on_page(planned.clone());
        let stopping = ResultDocument::default()
            .on_page(stops)
            .on_terminal(planned);
        vec![
            ChapterSection::new("estimates", "How good each system is", estimates),
            ChapterSection::new("differences", "Which systems differ", compared.collect()),
            ChapterSection::new("stopping", "When judging could have stopped", stopping),
        ]
    }

    fn headline(&self) -> Option<Headline> {
        let rows = self.rows();
        standings(&rows, &self.comparisons)
            .first()
            .map(estimates_headline)
    }

    fn answers(&self) -> Vec<ReportAnswer> {
        let rows = self.rows();
        let answer = |one: &EstimateRanking<'_>| ReportAnswer {
            about: about(one.rows[0]),
            sentence: best_estimated(one),
        };
        standings(&rows, &self.comparisons)
            .iter()
            .map(answer)
            .collect()
    }

    fn judged(&self) -> Vec<MeasureStandings> {
        let rows = self.rows();
        standings(&rows, &self.comparisons)
            .iter()
            .map(EstimateRanking::judged)
            .collect()
    }

    fn cost(&self) -> Vec<String> {
        let rows = self.rows();
        let judgments = |kind: &Vec<&ReportedEstimate>| kind.iter().map(|row| row.n).sum::<u64>();
        let all = leading(&rows);
        let each =
            |kind: &Vec<&ReportedEstimate>| format!("{} of {}", judgments(kind), kind[0].criterion);
        let named: Vec<String> = all.iter().map(each).collect();
        let told = match all.len() {
            0 => return Vec::new(),
            1..=NAMED => listed(&named.iter().map(String::as_str).collect::<Vec<_>>()),
            n => {
                let sum: u64 = all.iter().map(judgments).sum();
                format!("{sum} under {n} criteria")
            }
        };
        vec![format!("The estimates use scores: {told}.")]
    }

    fn who(&self) -> Option<String> {
        let rows = self.rows();
        let people = rows
            .iter()
            .filter_map(|row| row.rests_on.as_ref()?.annotators);
        let most = people.max().filter(|&most| most > 0)?;
        Some(format!(
            "Each system was judged by up to {}.",
            counted(most, "annotator")
        ))
    }
}
