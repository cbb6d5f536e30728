//! Annotators as text: agreement, those who stand out and the busiest, answers that are no judgments.

use super::OUTLIERS;
use super::rows::{
    Annotator, AnnotatorReport, AnswerKind, Finding, InconclusiveCheck, InterAnnotatorAgreement,
};
use crate::report::distinct;
use std::cmp::Reverse;
use tiebreak_base::layout::{self, optional};
use tiebreak_base::words::section;

/// The most annotators listed for one kind of answer, outliers aside.
const LISTED: usize = 12;

/// Renders agreement in a table, then a section for each kind of answer, then what the checks found.
pub fn render(found: &AnnotatorReport) -> String {
    let rows: Vec<Vec<String>> = found.agreement.iter().map(agreement).collect();
    let mut text = layout::table(&AGREEMENT, &rows);
    for note in notes(found) {
        text += &format!("{note}\n");
    }
    for kind in kinds(found) {
        let (header, lines) = kind.lines(LISTED);
        let title = format!("Annotators, {}", kind.asked.name());
        let mut body = layout::table(&header, &lines);
        let rest = kind.annotators.len() - lines.len();
        if rest > 0 {
            body += &format!("and {rest} more\n");
        }
        text += &section(&title, &format!("{body}{}\n", kind.verdict()));
    }
    text + &section(CHECKED, &checked(found))
}

/// The title of what the checks found.
pub(super) const CHECKED: &str = "Answers that are no judgments";

fn checked(found: &AnnotatorReport) -> String {
    let mut text = match found.findings.is_empty() {
        true => String::new(),
        false => layout::table(&FINDINGS, &findings(found)) + "\n",
    };
    for line in [checks_verdict(found)].into_iter().chain(unknown(found)) {
        text += &format!("{line}\n");
    }
    text
}

/// The columns of [`findings`].
pub(super) const FINDINGS: [&str; 7] = [
    "annotator",
    "answers",
    "what",
    "found",
    "of",
    "expected",
    "by chance",
];

/// A row for each finding.
pub(super) fn findings(found: &AnnotatorReport) -> Vec<Vec<String>> {
    let row = |one: &Finding| {
        vec![
            names(one),
            one.asked.name(),
            one.check.clone(),
            one.found.to_string(),
            one.of.to_string(),
            layout::decimals(one.expected, 1),
            chance(one.p_value),
        ]
    };
    found.findings.iter().map(row).collect()
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
    let (found, of, expected) = (one.found, one.of, layout::decimals(one.expected, 1));
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
        p => layout::number(p),
    }
}

/// A sentence on the number of findings, and how sure they are.
pub(super) fn checks_verdict(found: &AnnotatorReport) -> String {
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
pub(super) fn unknown(found: &AnnotatorReport) -> Vec<String> {
    let checks = found.not_known.iter().filter(|one| one.check != OUTLIERS);
    let sentence = |one: &InconclusiveCheck| {
        let (check, name, why) = (&one.check, one.asked.name(), &one.why);
        format!("{check}, {name}: cannot be known: {why}")
    };
    checks.map(sentence).collect()
}

/// The columns of [`agreement`].
pub(super) const AGREEMENT: [&str; 9] = [
    "agreement on",
    "annotators",
    "questions",
    "by two or more",
    "alpha nominal",
    "ordinal",
    "interval",
    "kappa Fleiss",
    "Cohen",
];

/// A row for each kind of answer.
pub(super) fn agreement(one: &InterAnnotatorAgreement) -> Vec<String> {
    let decimals =
        |value: Option<f64>| value.map_or_else(|| "–".to_string(), |x| layout::decimals(x, 3));
    vec![
        one.asked.name(),
        one.annotators.to_string(),
        one.questions.to_string(),
        one.shared.to_string(),
        decimals(one.alpha_nominal),
        decimals(one.alpha_ordinal),
        decimals(one.alpha_interval),
        decimals(one.kappa_fleiss),
        decimals(one.kappa_cohen),
    ]
}

/// Notes on what the numbers alone would hide, a sentence each.
pub(super) fn notes(found: &AnnotatorReport) -> Vec<String> {
    let of =
        "coefficients are of these people's answers to these questions; they have no intervals";
    let mut notes = vec![of.to_string()];
    for one in &found.agreement {
        let name = one.asked.name();
        if one.shared == 0 {
            notes.push(format!(
                "{name}: no question was answered by two, so agreement is unknown"
            ));
        }
        if one.repeated > 0 {
            let n = one.repeated;
            notes.push(format!(
                "{name}: {n} answers repeat an annotator's own; their mean counts once"
            ));
        }
        if one.unknown > 0 {
            notes.push(format!(
                "{name}: {} answers do not say who gave them",
                one.unknown
            ));
        }
    }
    notes
}

/// The annotators who gave one kind of answer.
pub(super) struct AnnotatorListing<'a> {
    /// The kind of answer.
    pub asked: &'a AnswerKind,
    /// The annotators: outliers first, then the busiest.
    pub annotators: Vec<&'a Annotator>,
    /// The reason why outliers cannot be known, where they cannot.
    too_few: Option<&'a str>,
}

/// The listings by kind of answer, in the order of their agreement.
pub(crate) fn kinds(found: &AnnotatorReport) -> Vec<AnnotatorListing<'_>> {
    let asked = distinct(found.agreement.iter().map(|one| &one.asked)).into_iter();
    asked
        .map(|asked| {
            let all = found.annotators.iter();
            let mut annotators: Vec<&Annotator> = all.filter(|one| one.asked == *asked).collect();
            annotators.sort_by_key(|one| (one.outlier.is_empty(), Reverse(one.answers)));
            let mut too_few = found.not_known.iter();
            let too_few = too_few.find(|one| one.check == OUTLIERS && one.asked == *asked);
            AnnotatorListing {
                asked,
                annotators,
                too_few: too_few.map(|one| one.why.as_str()),
            }
        })
        .collect()
}

impl AnnotatorListing<'_> {
    /// The number of outliers.
    pub(super) fn outliers(&self) -> usize {
        let all = self.annotators.iter();
        all.filter(|one| !one.outlier.is_empty()).count()
    }

    /// Rows of all outliers and of at most that many others.
    pub(super) fn lines(&self, others: usize) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let has_accuracy = self.annotators.iter().any(|one| one.accuracy.is_some());
        let line = |one: &&Annotator| {
            let mut line = vec![
                one.annotator.clone(),
                one.answers.to_string(),
                one.shared.to_string(),
                optional(one.agreement),
                optional(one.bias),
                optional(one.noise),
            ];
            if has_accuracy {
                line.push(optional(one.accuracy));
            }
            line.push(one.outlier.join(", "));
            line
        };
        let shown = self.outliers() + others;
        let lines = self.annotators.iter().take(shown).map(line).collect();
        let mut header = vec![
            "annotator",
            "answers",
            "shared",
            "agreement",
            "bias",
            "noise",
        ];
        if has_accuracy {
            header.push("accuracy");
        }
        header.push("stands out in");
        (header, lines)
    }

    /// A sentence on the number of outliers and their test, or why they cannot be known.
    pub(super) fn verdict(&self) -> String {
        let named = match (self.outliers(), self.too_few) {
            (0, Some(why)) => return format!("who stands out cannot be known: {why}"),
            (0, None) => "nobody stands out".to_string(),
            (1, _) => "1 annotator stands out".to_string(),
            (n, _) => format!("{n} annotators stand out"),
        };
        format!(
            "{named} (distance to the median annotator, Student's t; of like people in at most 4 % of data sets, where what they differ by is \
             about normal)"
        )
    }
}
