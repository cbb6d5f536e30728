//! The report of a run: its tables read back, a chapter for each stage of the list.

mod dates;
mod found;

use crate::experiments;
use crate::report::chapter::Chapter;
use crate::report::{self, RenderedReport};
use crate::stages::{STAGES, disagreements, shown};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::Manifest;

/// Reads a run's tables, writes `report.txt`, `report.json` and `report.html` beside them. For a grid
/// of experiments `report.json` was made with its cells, and is read.
///
/// # Errors
/// If the folder is not a run, a table is missing or changed, or the report cannot be written.
pub fn write(dir: &Path) -> Result<RenderedReport> {
    if dir.join("cells").is_dir() {
        experiments::check_cells(dir)?;
        return report::write_experiments(dir);
    }
    let (run, chapters) = chapters(dir)?;
    report::write(dir, &run, &chapters)
}

/// The manifest of a run, and its chapters in the order of the report.
fn chapters(dir: &Path) -> Result<(Manifest, Vec<Box<dyn Chapter>>)> {
    let mut run = match Manifest::read(dir)? {
        Some(run) => run,
        None => found::manifest(dir)?,
    };
    if let Some(answered) = dates::answered(dir) {
        run.contents += &format!(", {answered}");
    }
    // Scores of metrics, the first of the stages, use no answers of people.
    let is_used = run.stages.iter().any(|one| one.kind != STAGES[0].name);
    let mut chapters = vec![
        disagreements::tell::read(dir)?,
        shown::tell::read(dir, is_used)?,
    ];
    for read in STAGES.iter().filter_map(|entry| entry.chapter) {
        chapters.push(read(dir, &run)?);
    }
    chapters.sort_by_key(|chapter| chapter.topic());
    Ok((run, chapters))
}
