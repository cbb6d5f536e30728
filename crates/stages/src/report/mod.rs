//! The answer, told from the tables a run left on disk: as text and as a page for people, as JSON for
//! programs.
//!
//! A report is made of chapters (`chapter::Chapter`), which the stages write; this module has pages,
//! plots, claims and wording, and depends on no stage.

pub(crate) mod chapter;
pub mod crosstab;
pub(crate) mod document;
pub(crate) mod headline;
pub(crate) mod html;
pub mod plot;
mod race;
pub(crate) mod summary;
mod text;

pub use document::ShownResult;
pub use race::RacePage;
pub(crate) use summary::ReportSummary;
pub(crate) use tiebreak_base::words::distinct;

use chapter::{Chapter, ChapterSection};
use html::experiments::ExperimentsReport;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::file::write_atomically;
use tiebreak_data::tables::{Manifest, json};

/// The report of a run, for readers who do not open the files.
#[non_exhaustive]
pub struct RenderedReport {
    /// The answer, and as much of the rest as a terminal has room for.
    pub brief: String,
    /// The whole report: `report.txt`.
    pub text: String,
    /// The report for programs: `report.json`.
    pub json: String,
}

/// Writes `report.txt`, `report.json` and `report.html` to the folder of a run; `chapters` are in the order of
/// their topics.
///
/// # Errors
/// If a plot cannot be drawn, or a file not be written.
pub(crate) fn write(
    dir: &Path,
    run: &Manifest,
    chapters: &[Box<dyn Chapter>],
) -> Result<RenderedReport> {
    let mut summary = ReportSummary::from_chapters(chapters);
    if let Some(plan) = &run.plan {
        if chapters.iter().all(|chapter| chapter.headline().is_none()) {
            summary.best = "Nothing is known yet: no output is rated.".to_string();
            summary.sure = "Means come with the first ratings.".to_string();
        }
        summary.next = match plan.is_done {
            true => format!("{} {}", summary.next, plan.next),
            false => plan.next.clone(),
        };
    }
    let sections = chapters.iter().map(|one| one.sections(&summary.standings));
    let sections: Vec<Vec<ChapterSection>> = sections.collect();
    let text_of = |all: &Vec<ChapterSection>| all.iter().map(|one| one.body.text()).collect();
    let texts: Vec<String> = sections.iter().map(text_of).collect();
    let text = text::render(run, &summary, chapters, &texts);
    let mut document = serde_json::Map::new();
    let mut add =
        |(key, value): chapter::ReportField| drop(document.insert(key.to_string(), value));
    add(chapter::field("run", run)?);
    add(chapter::field("summary", &summary)?);
    for chapter in chapters {
        chapter.json()?.into_iter().for_each(&mut add);
    }
    let json = json::text(&document)?;
    write_atomically(&dir.join("report.txt"), text.as_bytes())?;
    write_atomically(&dir.join("report.json"), json.as_bytes())?;
    let page = html::page(run, &summary, chapters, &sections)?;
    write_atomically(&dir.join("report.html"), page.as_bytes())?;
    let brief = text::brief(run, &summary, chapters, &texts, dir);
    Ok(RenderedReport { brief, text, json })
}

/// Writes `report.txt` and `report.html` to the folder of a grid of experiments, from `report.json`, which was
/// made with its cells. A terminal is shown all of its tables.
///
/// # Errors
/// If it is missing, changed or broken, or a file cannot be written.
pub(crate) fn write_experiments(dir: &Path) -> Result<RenderedReport> {
    let path = dir.join("report.json");
    let json = json::printed_text(&path)?;
    let found = ExperimentsReport::parse(&path, &json)?;
    let text = found.text();
    write_atomically(&dir.join("report.txt"), text.as_bytes())?;
    write_atomically(&dir.join("report.html"), found.page(dir)?.as_bytes())?;
    let brief = text.clone();
    Ok(RenderedReport { brief, text, json })
}
