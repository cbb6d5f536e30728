//! Annotators as people read them: agreement, every annotator beside the others, those who stand out by name, answers
//! that are no judgments.

mod checked;
mod listing;

pub use checked::finding_sentence;

use super::rows::{self, AnnotatorReport, InterAnnotatorAgreement};
use crate::report::chapter::{Chapter, TablesChapter, Topic};
use crate::report::distinct;
use crate::report::document::{DocumentTable, ResultDocument};
use checked::checked_answers;
use listing::{AnnotatorListing, listings};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{decimals, or_dash};
use tiebreak_base::words::listed;
use tiebreak_data::tables::Manifest;

/// The title: the question that the chapter answers.
const TITLE: &str = "Whether people agree";

/// Reads the annotators of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(TablesChapter {
        topic: Topic::Trust,
        key: "annotators",
        section: ("annotators", TITLE),
        found: run.read_each(dir, &[super::NAME], |path, _| rows::read(path))?,
        document: |_, found| document(found).under(TITLE),
        agreement: agreement_sentences,
    }))
}

/// Renders agreement in a table, then a section for each kind of answer, then what the checks found.
pub fn render(found: &AnnotatorReport) -> String {
    document(found).text()
}

const SCALE: &str = "1 is perfect agreement, 0 what answers at random have; alpha is Krippendorff's, of categories, \
                     ranks and numbers.";

fn document(found: &AnnotatorReport) -> ResultDocument {
    let listings = listings(found);
    let listings = listings.iter().map(AnnotatorListing::document);
    ResultDocument::default()
        .on_page(ResultDocument::default().note(SCALE))
        .append(agreement(found))
        .phrase_notes(notes(found))
        .append(listings.collect::<ResultDocument>())
        .append(checked_answers(found))
}

/// A row for each kind of answer.
fn agreement(found: &AnnotatorReport) -> DocumentTable {
    let header = [
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
    let coefficient = |value: Option<f64>| or_dash(value, |x| decimals(x, 3));
    let row = |one: &InterAnnotatorAgreement| {
        vec![
            one.asked.name(),
            one.annotators.to_string(),
            one.questions.to_string(),
            one.shared.to_string(),
            coefficient(one.alpha_nominal),
            coefficient(one.alpha_ordinal),
            coefficient(one.alpha_interval),
            coefficient(one.kappa_fleiss),
            coefficient(one.kappa_cohen),
        ]
    };
    let rows = found.agreement.iter().map(row).collect();
    DocumentTable::new("Agreement between annotators", &header, rows)
}

/// Notes on what the numbers alone would hide, a sentence each.
fn notes(found: &AnnotatorReport) -> Vec<String> {
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

/// Sentences on agreement, and on how many annotators gave answers that may be no judgments.
fn agreement_sentences(found: &AnnotatorReport) -> Vec<String> {
    let alpha = |one: &InterAnnotatorAgreement| {
        let (alpha, kind) = match one.asked.criterion {
            None => (one.alpha_nominal, "nominal"),
            Some(_) => (one.alpha_interval, "interval"),
        };
        Some(format!(
            "{} on {} ({kind})",
            decimals(alpha?, 2),
            one.asked.name()
        ))
    };
    let all: Vec<String> = found.agreement.iter().filter_map(alpha).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let agree = format!(
        "How far they agree, by Krippendorff's alpha (1 wholly, 0 as by chance): {}.",
        listed(&all)
    );
    let odd = distinct(found.findings.iter().map(|one| &one.annotator)).len();
    let odd = match odd {
        0 => None,
        1 => Some("The answers of 1 of them may be no judgments.".to_string()),
        n => Some(format!("The answers of {n} of them may be no judgments.")),
    };
    let agree = (!all.is_empty()).then_some(agree);
    agree.into_iter().chain(odd).collect()
}
