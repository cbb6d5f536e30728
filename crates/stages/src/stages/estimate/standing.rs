//! The standing of systems by estimates of one kind: the places that tests leave open, and what is not
//! told apart from the best.

use super::differences::{SystemComparisons, SystemDifference};
use super::items::UnlikeSystems;
use super::kinds::{leading, sign};
use super::meaning;
use super::rows::ReportedEstimate;
use super::tell::best_estimated;
use crate::report::chapter::{MeasureStandings, SystemPlacement};
use tiebreak_base::layout::share;

/// Estimates of one kind, best first, with the tests of their differences, where there are any.
pub(super) struct EstimateRanking<'a> {
    /// The estimates, best first.
    pub rows: Vec<&'a ReportedEstimate>,
    tests: Vec<&'a SystemDifference>,
    unlike: Vec<&'a UnlikeSystems>,
}

/// The rankings by the leading estimates of each criterion.
pub(super) fn standings<'a>(
    rows: &'a [ReportedEstimate],
    compared: &'a [(String, SystemComparisons)],
) -> Vec<EstimateRanking<'a>> {
    let of = |rows: Vec<&'a ReportedEstimate>| {
        let ReportedEstimate {
            criterion,
            estimator,
            metric,
            ..
        } = rows[0];
        let same = |pair: &&SystemDifference| {
            (&pair.criterion, &pair.estimator, &pair.metric) == (criterion, estimator, metric)
        };
        let all = compared.iter().flat_map(|(_, found)| &found.differences);
        // Tests are about these annotators.
        let tests = all.filter(same).filter(|_| !rows[0].is_of_new()).collect();
        let all = compared.iter().flat_map(|(_, found)| &found.unlike);
        let unlike = all.filter(|one| one.criterion == *criterion).collect();
        EstimateRanking {
            rows,
            tests,
            unlike,
        }
    };
    leading(rows).into_iter().map(of).collect()
}

impl<'a> EstimateRanking<'a> {
    /// Whether differences were tested.
    pub(super) fn is_tested(&self) -> bool {
        !self.tests.is_empty()
    }

    /// The numbers of systems that one is shown to be better than, and worse than.
    fn shown(&self, system: &str) -> (u64, u64) {
        let count = |side: f64| {
            let leads = self.tests.iter().map(|pair| side * self.lead(pair, system));
            leads.filter(|lead| *lead > 0.0).count() as u64
        };
        (count(1.0), count(-1.0))
    }

    /// By how much a system of a pair is shown to be better; below 0 where it is shown to be worse.
    fn lead(&self, pair: &SystemDifference, system: &str) -> f64 {
        let better = sign(&self.rows[0].criterion);
        match (&pair.system_a, &pair.system_b) {
            _ if !pair.significant => 0.0,
            (a, _) if a == system => better * pair.difference,
            (_, b) if b == system => -better * pair.difference,
            _ => 0.0,
        }
    }

    /// Whether a system is shown to be better than the one with the best mean, which was judged on other items too.
    pub(super) fn is_ahead(&self, row: &ReportedEstimate) -> bool {
        let test = self.test(&self.rows[0].system, &row.system);
        test.is_some_and(|pair| self.lead(pair, &row.system) > 0.0)
    }

    /// The test of the difference of two systems, where there is one.
    pub(super) fn test(&self, one: &str, other: &str) -> Option<&'a SystemDifference> {
        let both = |pair: &&&SystemDifference| {
            let names = [pair.system_a.as_str(), pair.system_b.as_str()];
            names.contains(&one) && names.contains(&other)
        };
        self.tests.iter().find(both).copied()
    }

    /// Why the best mean and that of another system may differ by their items alone, where no test tells.
    pub(super) fn unlike_to_best(&self, row: &ReportedEstimate) -> Option<&'a str> {
        let pair = [&self.rows[0].system, &row.system];
        let mut all = self.unlike.iter();
        let found = all.find(|one| one.systems.iter().all(|name| pair.contains(&name)))?;
        (!self.is_tested()).then_some(found.why.as_str())
    }

    /// The systems that the best one is not shown to be better than, by tests or, without any, by intervals.
    pub(super) fn near(&self) -> Vec<&'a ReportedEstimate> {
        let best = self.rows[0];
        let tested = |row: &ReportedEstimate| {
            self.test(&best.system, &row.system)
                .is_some_and(|pair| self.lead(pair, &best.system) > 0.0)
        };
        let overlaps = |row: &ReportedEstimate| match (best.first_interval(), row.first_interval())
        {
            (Some(one), Some(other)) => one.0.max(other.0) <= one.1.min(other.1),
            _ => true,
        };
        let near = |row: &&&'a ReportedEstimate| match self.is_tested() {
            true => !tested(row),
            false => overlaps(row) || self.unlike_to_best(row).is_some(),
        };
        self.rows[1..].iter().filter(near).copied().collect()
    }

    /// The standings as the first page shows them.
    pub(super) fn judged(&self) -> MeasureStandings {
        let among = self.rows.len() as u64;
        let placed = |row: &&ReportedEstimate| {
            let (better, worse) = self.shown(&row.system);
            SystemPlacement {
                system: row.system.clone(),
                places: self.is_tested().then_some((1 + worse, among - better)),
                value: Some(row.first_estimate()),
                interval: row.first_interval(),
                n: row.n,
            }
        };
        let confidence = self.rows[0].rests_on.as_ref().map(|one| one.confidence);
        let criterion = &self.rows[0].criterion;
        let ranks = ranked_by_tests(self.is_tested(), criterion, confidence);
        let meaning = meaning::of_estimates(&self.rows).unwrap_or_default();
        MeasureStandings {
            what: criterion.clone(),
            scale: None,
            of: "judgments",
            answer: best_estimated(self),
            meaning: format!("{meaning} {ranks}").trim_start().to_string(),
            systems: self.rows.iter().map(placed).collect(),
        }
    }
}

/// A sentence on what ranks by estimates mean, with `confidence` where it is known: each criterion has its own.
fn ranked_by_tests(tested: bool, criterion: &str, confidence: Option<f64>) -> String {
    let with = confidence.map_or_else(String::new, |one| {
        format!(" with {} confidence", share(one))
    });
    match tested {
        true => format!(
            "Ranks follow from tests of all differences under {criterion} and hold together{with} (Holm's correction)."
        ),
        false => {
            "There are no ranks: intervals of single systems do not test differences.".to_string()
        }
    }
}
