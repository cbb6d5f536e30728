//! Assessments of predictions in a report.

use super::rows;
use super::{page, render};
use crate::report::chapter::{Chapter, TablesChapter, Topic};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::words::section;
use tiebreak_data::tables::Manifest;

/// Reads the assessments of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(TablesChapter {
        topic: Topic::Predictions,
        key: "assessments",
        section: ("model", "Whether the predictions can be trusted"),
        found: run.read_each(dir, &[super::NAME], |path, _| rows::read(path))?,
        text: |name, found| {
            let title = format!("How good the predictions {name} are");
            section(&title, &render(found))
        },
        page: page::result_page,
    }))
}
