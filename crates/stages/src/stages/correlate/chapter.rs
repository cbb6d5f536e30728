//! Correlations in a report.

use super::rows;
use super::{page, render};
use crate::report::chapter::{Chapter, TablesChapter, Topic};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::Manifest;

/// Reads the correlations of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(TablesChapter {
        topic: Topic::Trust,
        key: "correlations",
        section: ("correlations", "How metrics go with people"),
        found: run.read_each(dir, &[super::NAME], rows::read)?,
        text: |_, found| render(found),
        page: page::result_page,
    }))
}
