//! The report of a run: its tables read back, a chapter for each stage of the list.

mod found;

use crate::error::Result;
use crate::report;
use crate::stages::{STAGES, disagreements};
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
    let run = match Manifest::read(dir)? {
        Some(run) => run,
        None => found::manifest(dir)?,
    };
    let mut chapters = vec![disagreements::chapter::read(dir)?];
    for read in STAGES.iter().filter_map(|entry| entry.chapter) {
        chapters.push(read(dir, &run)?);
    }
    report::write(dir, &run, chapters)
}
