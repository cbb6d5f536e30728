//! What the checks of answers found, and which checks are inconclusive.

use crate::report::document::{DocumentTable, ResultDocument};
use crate::stages::annotators::OUTLIERS;
use crate::stages::annotators::rows::{AnnotatorReport, Finding, InconclusiveCheck};
use tiebreak_base::layout::{decimals, number};

/// The title of what the checks found.
const CHECKED: &str = "Answers that are no judgments";

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
        .phrase(checks_verdict(found))
        .on_page(on_page)
        .phrase_notes(inconclusive(found))
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
            "gave the same answers to {found} of {of} questions; of other people one expects {expected}"
        ),
        "runs" => format!(
            "gave one answer {found} times in a row, of {of} answers; {expected} would be no surprise"
        ),
        "side" => format!(
            "preferred the output named first {found} of {of} times; by the systems one expects {expected}"
        ),
        "speed" => format!(
            "answered {found} of {of} times faster than anybody reads; the others at that rate {expected}"
        ),
        _ => format!(
            "was on {found} of {of} questions more than twice as far from the others as they from each other; \
             the others at that rate {expected}"
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

/// A sentence on the number of findings, and how sure they are.
fn checks_verdict(found: &AnnotatorReport) -> String {
    let named = match found.findings.len() {
        0 => "nothing found".to_string(),
        1 => "1 finding".to_string(),
        n => format!("{n} findings"),
    };
    format!(
        "{named} (copies, one answer in a row, sides, speed; of honest people in at most 1 % of data sets, Holm's \
         correction)"
    )
}

/// The inconclusive checks, a sentence each.
fn inconclusive(found: &AnnotatorReport) -> Vec<String> {
    let checks = found.not_known.iter().filter(|one| one.check != OUTLIERS);
    let sentence = |one: &InconclusiveCheck| {
        let (check, name, why) = (&one.check, one.asked.name(), &one.why);
        format!("{check}, {name}: cannot be known: {why}")
    };
    checks.map(sentence).collect()
}
