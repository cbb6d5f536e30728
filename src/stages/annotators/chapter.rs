//! Annotators in a report.

use super::rows;
use super::{page, render};
use crate::error::Result;
use crate::report::chapter::{Chapter, Tables, Topic};
use crate::report::words::section;
use crate::tables::{Manifest, StageKind};
use std::path::Path;

/// What they answer.
const TITLE: &str = "Whether people agree";

/// Reads those of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(Tables {
        topic: Topic::Trust,
        key: "annotators",
        section: ("annotators", TITLE),
        found: run.read_each(dir, &[StageKind::Annotators], |path, _| rows::read(path))?,
        text: |_, found| section(TITLE, &render(found)),
        page: page::tell,
    }))
}
