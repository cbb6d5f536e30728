//! Annotators in a report.

use super::rows::{self, AnnotatorReport, InterAnnotatorAgreement};
use super::{page, render};
use crate::report::chapter::{Chapter, MeasureStandings, ReportField, TablesChapter, Topic};
use crate::report::distinct;
use crate::report::html::Section;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::decimals;
use tiebreak_base::words::{listed, section};
use tiebreak_data::tables::Manifest;

/// The title: the question that the chapter answers.
const TITLE: &str = "Whether people agree";

/// The chapter of one run's annotators.
struct AnnotatorsChapter(TablesChapter<AnnotatorReport>);

/// Reads the annotators of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(AnnotatorsChapter(TablesChapter {
        topic: Topic::Trust,
        key: "annotators",
        section: ("annotators", TITLE),
        found: run.read_each(dir, &[super::NAME], |path, _| rows::read(path))?,
        text: |_, found| section(TITLE, &render(found)),
        page: page::result_page,
    })))
}

impl Chapter for AnnotatorsChapter {
    fn topic(&self) -> Topic {
        self.0.topic()
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        self.0.json()
    }

    fn text(&self) -> String {
        self.0.text()
    }

    fn page(&self, people: &[MeasureStandings]) -> Result<Vec<Section>> {
        self.0.page(people)
    }

    fn agreement(&self) -> Vec<String> {
        let first = self.0.found.first().map(|(_, found)| found);
        first.map(agreement).unwrap_or_default()
    }
}

/// Sentences on agreement, and on how many annotators gave answers that may be no judgments.
fn agreement(found: &AnnotatorReport) -> Vec<String> {
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
