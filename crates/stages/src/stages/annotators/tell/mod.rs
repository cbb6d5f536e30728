//! Annotators as people read them: agreement, each annotator compared with the others, those who stand out by name, and
//! signs of careless answering.

mod checked;
mod listing;

use super::rows::{self, AnnotatorReport, InterAnnotatorAgreement};
use crate::report::chapter::{Chapter, TablesChapter, Topic};
use crate::report::document::{DocumentTable, DocumentedResult, ResultDocument};
pub(super) use checked::first_names;
use checked::{careless_sentence, checked_answers};
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

impl DocumentedResult for AnnotatorReport {
    fn document(&self) -> ResultDocument {
        document(self)
    }
}

const SCALE: &str = "1 is perfect agreement, 0 is chance. Alpha is Krippendorff's: for categories (nominal), ranks \
                     (ordinal) and numbers (interval).";

fn document(found: &AnnotatorReport) -> ResultDocument {
    let listings = listings(found);
    let listings = listings.iter().map(AnnotatorListing::document);
    ResultDocument::default()
        .on_page(ResultDocument::default().note(SCALE))
        .append(agreement(found))
        .notes(notes(found))
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
    let of = "Coefficients are for these annotators and questions, and have no intervals.";
    let mut notes = vec![of.to_string()];
    for one in &found.agreement {
        let name = one.asked.name();
        if one.shared == 0 {
            notes.push(format!(
                "Agreement on {name} is unknown: no question has answers by two annotators."
            ));
        }
        if one.repeated > 0 {
            let n = one.repeated;
            notes.push(format!(
                "In {name}, answers that repeat a question for the same annotator: {n}. Their mean counts once."
            ));
        }
        if one.unknown > 0 {
            notes.push(format!(
                "In {name}, answers without an annotator's name: {}.",
                one.unknown
            ));
        }
    }
    notes
}

/// Sentences on agreement, and on how many annotators look careless.
fn agreement_sentences(found: &AnnotatorReport) -> Vec<String> {
    let alpha = |one: &InterAnnotatorAgreement| {
        let (alpha, kind) = one.alpha();
        Some(format!(
            "{} on {} ({kind})",
            decimals(alpha?, 2),
            one.asked.name()
        ))
    };
    let all: Vec<String> = found.agreement.iter().filter_map(alpha).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let agree = format!(
        "Their agreement by Krippendorff's alpha (1 is perfect, 0 is chance): {}.",
        listed(&all)
    );
    let agree = (!all.is_empty()).then_some(agree);
    let sentences = agree.into_iter().chain(careless_sentence(found));
    sentences.chain(found.failed_checks_sentence()).collect()
}
