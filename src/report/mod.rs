//! The answer, told from the tables a run left on disk: as text for people, as JSON for programs.
//!
//! Nothing is computed again but means over stored scores, so a report can be remade at any time.

pub mod crosstab;
pub mod plot;
mod status;
mod summary;
mod text;

pub use status::render_status;
pub use summary::{Estimated, Manifest, Plan, Scored, Stage, StageKind, Summary};
pub use text::{render_estimates, render_ranking};

use crate::error::{Error, Result};
use crate::tables::file::write_atomically;
use std::path::Path;

/// Reads a run's tables, writes `report.txt` and `report.json` beside them, and returns both. The
/// report of a grid of experiments was made with its cells, and is read.
///
/// # Errors
/// If the folder is not a run, a table is missing, or the report cannot be written.
pub fn write(dir: &Path) -> Result<(String, String)> {
    if dir.join("cells").is_dir() {
        let read = |name: &str| {
            let path = dir.join(name);
            std::fs::read_to_string(&path).map_err(Error::reading(&path))
        };
        return Ok((read("report.txt")?, read("report.json")?));
    }
    let summary = Summary::read(dir)?;
    let text = text::render(&summary);
    let json = serde_json::to_string_pretty(&summary).map_err(Error::failed)? + "\n";
    write_atomically(&dir.join("report.txt"), text.as_bytes())?;
    write_atomically(&dir.join("report.json"), json.as_bytes())?;
    Ok((text, json))
}
