//! The report of a run: its tables read back, a chapter for each stage of the list.

mod found;

use crate::error::Result;
use crate::report::chapter::Chapter;
use crate::report::{self, Summary};
use crate::stages::{STAGES, disagreements, shown};
use crate::tables::Manifest;
use std::path::Path;

/// Reads a run's tables, writes `report.txt`, `report.json` and `report.html` beside them, and returns
/// the first two. Of a grid of experiments the first two were made with its cells, and are read.
///
/// # Errors
/// If the folder is not a run, a table is missing, or the report cannot be written.
pub fn write(dir: &Path) -> Result<(String, String)> {
    if dir.join("cells").is_dir() {
        return report::write_experiments(dir);
    }
    let (run, chapters) = chapters(dir)?;
    report::write(dir, &run, &chapters)
}

/// What the first page of a run's report says: the answer, how all systems stand, what it cost, what is
/// next, who judged. Its `Display` is a text for a terminal.
///
/// # Errors
/// If the folder is not a run, or a table is missing.
pub fn summary(dir: &Path) -> Result<Summary> {
    let (_, chapters) = chapters(dir)?;
    Ok(Summary::of(&chapters))
}

/// What was run, and what it left, in the order in which it is told.
fn chapters(dir: &Path) -> Result<(Manifest, Vec<Box<dyn Chapter>>)> {
    let run = match Manifest::read(dir)? {
        Some(run) => run,
        None => found::manifest(dir)?,
    };
    let mut chapters = vec![
        disagreements::chapter::read(dir)?,
        shown::chapter::read(dir)?,
    ];
    for read in STAGES.iter().filter_map(|entry| entry.chapter) {
        chapters.push(read(dir, &run)?);
    }
    chapters.sort_by_key(|chapter| chapter.topic());
    Ok((run, chapters))
}
