//! What the checks of answers found, and which checks are inconclusive.

use crate::report::distinct;
use crate::report::document::{DocumentTable, ResultDocument};
use crate::stages::annotators::rows::{
    AnnotatorReport, AnswerKind, Finding, FindingCost, InconclusiveCheck,
};
use crate::stages::annotators::{ALL_CHECKS, ONE_ANSWER, OUTLIERS};
use tiebreak_base::layout::{decimals, number, or_dash};
use tiebreak_base::words::{counted, listed};

/// The title of what the checks found.
const CHECKED: &str = "Signs of careless answering";

/// The findings of the checks, in sentences and in numbers, then the checks that are inconclusive.
pub(super) fn checked_answers(found: &AnnotatorReport) -> ResultDocument {
    let sentences = found.findings.iter().map(Finding::sentence).collect();
    let table = findings(found).map(ResultDocument::from);
    let on_terminal = table.clone().map(ResultDocument::gap).unwrap_or_default();
    let on_page = ResultDocument::default()
        .list(sentences)
        .fold("In numbers", table.unwrap_or_default());
    ResultDocument::default()
        .heading(3, CHECKED)
        .on_terminal(on_terminal)
        .notes(found.failed_checks_sentence())
        .paragraph(checks_verdict(found))
        .on_page(on_page)
        .notes(clock_warning(found))
        .notes(inconclusive(found))
        .under(CHECKED)
}

/// A row for each finding; `None` where there are none.
fn findings(found: &AnnotatorReport) -> Option<DocumentTable> {
    let header = [
        "annotator",
        "answers",
        "what",
        "found",
        "of",
        "expected",
        "by chance",
        "costs",
        "intervals",
    ];
    let row = |one: &Finding| {
        vec![
            names(one),
            one.asked.name(),
            one.check.clone(),
            one.found.to_string(),
            one.of.to_string(),
            decimals(one.expected, 1),
            chance(one.p_value),
            format!("{} answers", one.cost.answers),
            or_dash(one.cost.wider, |wider| format!("× {}", decimals(wider, 2))),
        ]
    };
    let rows: Vec<_> = found.findings.iter().map(row).collect();
    (!rows.is_empty()).then(|| DocumentTable::new(CHECKED, &header, rows))
}

/// The names of the annotators in a finding.
fn names(one: &Finding) -> String {
    match &one.other {
        Some(other) => format!("{} and {other}", one.annotator),
        None => one.annotator.clone(),
    }
}

impl Finding {
    /// A finding in a sentence, and what acting on it costs in another.
    pub fn sentence(&self) -> String {
        let (found, of, expected) = (self.found, self.of, decimals(self.expected, 1));
        let what = match self.check.as_str() {
            "copies" => format!(
                "gave the same answers in {found} of {of} items (expected of two others: {expected})"
            ),
            "runs" => format!(
                "gave the same answer {found} times in a row, of {of} answers (expected at most: {expected})"
            ),
            "side" => format!(
                "preferred the output named first {found} of {of} times (expected from its systems: {expected})"
            ),
            "speed" => format!(
                "answered faster than self can read in {found} of {of} items (expected at the others' rate: {expected})"
            ),
            _ => format!(
                "agreed little with the others: on the other side of the average in {found} of {of} questions (expected at the \
             others' rate: {expected})"
            ),
        };
        format!("{} {what}. {}", names(self), cost(self))
    }
}

/// What acting on a finding costs, in a sentence.
fn cost(one: &Finding) -> String {
    let FindingCost {
        answers,
        share,
        wider,
    } = one.cost;
    let who = match one.other {
        Some(_) => "one of the two",
        None => "this annotator",
    };
    let share = decimals(100.0 * share, 0);
    match wider {
        Some(wider) => format!(
            "Leaving out {who} costs {} ({share} % of all): intervals become about {} times as wide.",
            counted(answers, "answer"),
            decimals(wider, 2)
        ),
        None => format!("Leaving out {who} leaves no answers."),
    }
}

/// The annotators who look careless, with the reasons, in a sentence; `None` where nobody does.
pub(super) fn careless_sentence(found: &AnnotatorReport) -> Option<String> {
    let reason = |check: &str| match check {
        "copies" => "the same answers as somebody else",
        "runs" => "one answer in a row",
        "side" => "one side preferred",
        "speed" => "faster than one can read",
        _ => "little agreement with the others",
    };
    let checks = distinct(found.findings.iter().map(|one| &one.check)).into_iter();
    let reasons = checks.map(|check| {
        let with = found.findings.iter().filter(|one| one.check == *check);
        let names = distinct(with.map(names));
        format!("{} ({})", reason(check), first_names(&names))
    });
    let reasons: Vec<String> = reasons.collect();
    let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
    let looking = match distinct(found.findings.iter().map(|one| &one.annotator)).len() {
        0 => return None,
        1 => "1 annotator looks".to_string(),
        n => format!("{n} annotators look"),
    };
    Some(format!("{looking} careless: {}.", listed(&reasons)))
}

/// The first of some names, and how many more there are.
pub(in crate::stages::annotators) fn first_names(names: &[String]) -> String {
    const NAMED: usize = 3;
    let more = (names.len() > NAMED).then(|| format!("{} more", names.len() - NAMED));
    let shown = names.iter().take(NAMED).chain(&more);
    listed(&shown.map(String::as_str).collect::<Vec<_>>())
}

/// A warning where most annotators of a kind of answer were found too fast.
fn clock_warning(found: &AnnotatorReport) -> Option<String> {
    let of = |asked: &AnswerKind| {
        let all = found.annotators.iter().filter(|one| one.asked == *asked);
        let fast = found.findings.iter();
        let fast = fast.filter(|one| one.check == "speed" && one.asked == *asked);
        [fast.count(), all.count()]
    };
    let mut kinds = found.agreement.iter().map(|one| of(&one.asked));
    kinds.any(|[fast, all]| 2 * fast > all).then(|| {
        "Most annotators answer faster than one can read. First check that `seconds` holds seconds.".to_string()
    })
}

/// A probability that may be too small to write out.
fn chance(p: f64) -> String {
    match p {
        p if p < 1e-300 => "< 1e-300".to_string(),
        p if p < 1e-3 => format!("{p:.0e}"),
        p => number(p),
    }
}

impl AnnotatorReport {
    /// A sentence on the annotators who failed tasks with known answers; `None` where nobody did.
    pub fn failed_checks_sentence(&self) -> Option<String> {
        let failed = self.failed_checks.iter();
        let failed: Vec<String> = failed
            .map(|one| format!("{} ({} of {})", one.annotator, one.failed, one.of))
            .collect();
        let failed: Vec<&str> = failed.iter().map(String::as_str).collect();
        (!failed.is_empty())
            .then(|| format!("Failed checks with known answers: {}.", listed(&failed)))
    }
}

/// Sentences on the number of findings and how sure they are.
fn checks_verdict(found: &AnnotatorReport) -> String {
    let other = match found.failed_checks.is_empty() {
        true => "",
        false => "other ",
    };
    let named = match found.findings.len() {
        0 => format!("No {other}signs found"),
        1 => format!("1 {other}sign found"),
        n => format!("{n} {other}signs found"),
    };
    format!(
        "{named}. Checks: copied answers, long runs of one answer, a favoured side, speed, little agreement. Careful annotators fail one in \
         at most 1 % of data sets (Holm's correction)."
    )
}

/// The inconclusive checks, a sentence each.
fn inconclusive(found: &AnnotatorReport) -> Vec<String> {
    let checks = found.not_known.iter().filter(|one| one.check != OUTLIERS);
    let sentence = |one: &InconclusiveCheck| {
        let (check, name, why) = (&one.check, one.asked.name(), &one.why);
        match check.as_str() {
            ALL_CHECKS => format!("Not checked for {name}: {why}."),
            ONE_ANSWER => format!("Not conclusive for {name}: {why}."),
            _ => format!("Not checked: {check} of {name}, since {why}."),
        }
    };
    checks.map(sentence).collect()
}
