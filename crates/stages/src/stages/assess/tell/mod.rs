//! An assessment as people read it: how good predictions are, and what their uncertainty is worth.

mod plots;
mod tables;

pub(super) use plots::plots;

use super::rows::{self, Assessment, ThresholdOrigin};
use crate::report::chapter::{Chapter, TablesChapter, Topic};
use crate::report::document::{DocumentedResult, ResultDocument};
use std::path::Path;
use tables::{quantities, quantity_details};
use tiebreak_base::error::Result;
use tiebreak_base::words::counted;
use tiebreak_data::tables::Manifest;
use tiebreak_decide::model_based::UncertaintyMeasure;

/// Reads the assessments of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(TablesChapter {
        topic: Topic::Predictions,
        key: "assessments",
        section: ("model", "Whether the predictions can be trusted"),
        found: run.read_each(dir, &[super::NAME], |path, _| rows::read(path))?,
        document: |name, found| {
            let heading = ResultDocument::default().heading(3, name);
            let title = format!("Quality of the predictions {name}");
            heading.append(document(found)).under(title)
        },
        agreement: |_| Vec::new(),
    }))
}

impl DocumentedResult for Assessment {
    fn document(&self) -> ResultDocument {
        document(self)
    }
}

fn document(assessment: &Assessment) -> ResultDocument {
    let about = format!("{} on {}", assessment.signature, assessment.data);
    let about = ResultDocument::default().paragraph(about).gap();
    ResultDocument::default()
        .on_terminal(about)
        .append(quantities(assessment))
        .notes(notes(assessment))
        .side_by_side(plots(assessment).into_iter().map(|(_, figure)| figure))
        .fold("In numbers", quantity_details(assessment))
}

/// Notes on intervals, thresholds, identical outputs and what is left out.
fn notes(assessment: &Assessment) -> Vec<String> {
    let counts = &assessment.counts;
    let pairs = assessment.thresholds.pairs.iter();
    let pairs: Vec<String> = pairs
        .map(|(tau1, tau2)| format!("τ1 = {tau1}, τ2 = {tau2}"))
        .collect();
    let origin = match assessment.thresholds.origin {
        ThresholdOrigin::Given => "given",
        ThresholdOrigin::Halves => "each fitted on half of the items and tested on the other half",
    };
    let mut notes = vec![
        "Intervals are for each number by itself, for items like these and these annotators."
            .to_string(),
        format!(
            "Thresholds of the three-way accuracy: {} ({origin}).",
            pairs.join("; ")
        ),
        format!(
            "{} of {} comparisons of different outputs are ties; a tie counts half.",
            counts.ties, counts.comparisons
        ),
    ];
    if counts.identical > 0 {
        notes.push(format!(
            "{} of identical outputs ({}): only the three-way accuracy counts them.",
            counted(counts.identical, "comparison"),
            counted(counts.identical_ties, "tie")
        ));
    }
    if counts.clipped > 0 {
        let clip = assessment.clip;
        notes.push(format!(
            "{} of {} predictions are 0 or 1, or nearer than {clip}: the log loss counts them as {clip} or {}.",
            counts.clipped,
            counts.comparisons,
            1.0 - clip
        ));
    }
    if counts.unpredicted > 0 {
        notes.push(format!(
            "Left out: {} without a prediction.",
            counted(counts.unpredicted, "comparison")
        ));
    }
    notes
}

/// The name of a measure of uncertainty in text.
fn spoken(by: UncertaintyMeasure) -> &'static str {
    match by {
        UncertaintyMeasure::Bald => "BALD",
        UncertaintyMeasure::Std => "STD",
        UncertaintyMeasure::Margin => "1 − |2p − 1|",
    }
}
