//! The answer, told from the tables a run left on disk: as text and as a page for people, as JSON for
//! programs.
//!
//! Nothing is computed again but means over stored scores, so a report can be remade at any time.

mod annotators;
mod assessment;
mod claims;
mod comparisons;
mod correlations;
pub mod crosstab;
mod found;
mod headline;
mod html;
mod meaning;
pub mod plot;
mod status;
mod summary;
mod text;
mod words;

pub use annotators::render_annotators;
pub use assessment::{assessment_files, render_assessment};
pub use claims::claim_sentence;
pub use comparisons::{Compared, Comparisons, Group, Stopped, render_comparisons};
pub use correlations::render_correlations;
pub use status::render_status;
pub(crate) use summary::distinct;
pub use summary::{DISAGREEMENTS, Estimated, Plan, RestsOn, Scored, Summary};
pub use text::{render_estimates, render_ranking, render_simulation};

use crate::error::{Error, Result};
use crate::tables::file::write_atomically;
use std::path::Path;

/// Reads a run's tables, writes `report.txt`, `report.json` and `report.html` beside them, and returns
/// the first two. Of a grid of experiments the first two were made with its cells, and are read.
///
/// # Errors
/// If the folder is not a run, a table is missing, or the report cannot be written.
pub fn write(dir: &Path) -> Result<(String, String)> {
    if dir.join("cells").is_dir() {
        return experiments(dir);
    }
    let summary = Summary::read(dir)?;
    let text = text::render(&summary);
    let json = serde_json::to_string_pretty(&summary).map_err(Error::failed)? + "\n";
    write_atomically(&dir.join("report.txt"), text.as_bytes())?;
    write_atomically(&dir.join("report.json"), json.as_bytes())?;
    write_atomically(&dir.join("report.html"), html::page(&summary)?.as_bytes())?;
    Ok((text, json))
}

fn experiments(dir: &Path) -> Result<(String, String)> {
    let read = |name: &str| {
        let path = dir.join(name);
        std::fs::read_to_string(&path).map_err(Error::reading(&path))
    };
    let (text, json) = (read("report.txt")?, read("report.json")?);
    let page = html::experiments::page(dir, &json)?;
    write_atomically(&dir.join("report.html"), page.as_bytes())?;
    Ok((text, json))
}
