//! What the checks of answers found, and which checks are inconclusive.

use crate::report::document::{DocumentTable, ResultDocument};
use crate::stages::annotators::OUTLIERS;
use crate::stages::annotators::rows::{AnnotatorReport, Finding, InconclusiveCheck};
use tiebreak_base::layout::{decimals, number};

/// The title of what the checks found.
const CHECKED: &str = "Signs of careless answering";

/// The findings of the checks, in sentences and in numbers, then the checks that are inconclusive.
pub(super) fn checked_answers(found: &AnnotatorReport) -> ResultDocument {
    let sentences = found.findings.iter().map(finding_sentence).collect();
    let table = findings(found).map(ResultDocument::from);
    let on_terminal = table.clone().map(ResultDocument::gap).unwrap_or_default();
    let on_page = ResultDocument::default()
        .list(sentences)
        .fold("In numbers", table.unwrap_or_default());
    ResultDocument::default()
        .heading(3, CHECKED)
        .on_terminal(on_terminal)
        .paragraph(checks_verdict(found))
        .on_page(on_page)
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

/// A finding in a sentence.
pub fn finding_sentence(one: &Finding) -> String {
    let (found, of, expected) = (one.found, one.of, decimals(one.expected, 1));
    let what = match one.check.as_str() {
        "copies" => format!(
            "gave the same answers to {found} of {of} questions (expected of two others: {expected})"
        ),
        "runs" => format!(
            "gave the same answer {found} times in a row, of {of} answers (expected at most: {expected})"
        ),
        "side" => format!(
            "preferred the output named first {found} of {of} times (expected from its systems: {expected})"
        ),
        "speed" => format!(
            "answered faster than one can read {found} of {of} times (expected at the others' rate: {expected})"
        ),
        _ => format!(
            "was unusually far from the others on {found} of {of} questions (expected at the others' rate: {expected})"
        ),
    };
    format!("{} {what}.", names(one))
}

/// A probability that may be too small to write out.
fn chance(p: f64) -> String {
    match p {
        p if p < 1e-300 => "< 1e-300".to_string(),
        p if p < 1e-3 => format!("{p:.0e}"),
        p => number(p),
    }
}

/// Sentences on the number of findings and how sure they are.
fn checks_verdict(found: &AnnotatorReport) -> String {
    let named = match found.findings.len() {
        0 => "No signs found".to_string(),
        1 => "1 sign found".to_string(),
        n => format!("{n} signs found"),
    };
    format!(
        "{named}. Checks: copied answers, long runs of one answer, a favoured side, speed. Careful annotators fail one in \
         at most 1 % of data sets (Holm's correction)."
    )
}

/// The inconclusive checks, a sentence each.
fn inconclusive(found: &AnnotatorReport) -> Vec<String> {
    let checks = found.not_known.iter().filter(|one| one.check != OUTLIERS);
    let sentence = |one: &InconclusiveCheck| {
        let (check, name, why) = (&one.check, one.asked.name(), &one.why);
        format!("Not checked: {check} of {name}, since {why}.")
    };
    checks.map(sentence).collect()
}
