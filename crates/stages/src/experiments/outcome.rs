//! The outcome of a cell, and its file: one JSON file for each finished cell, named by
//! everything that decides its numbers, so that a changed setting is a new cell and an interrupted
//! grid continues with the first cell that is missing.

use super::keys::ExperimentSettings;
use super::quantity::Quantity;
use super::shown::{CellKey, SYSTEM};
use crate::engine::names::file_name;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::rng::Seed;
use tiebreak_data::tables::json;

/// A number with its interval. A `None` in place of the number or of its upper end is *never
/// reached*; a number without interval is exact or a mean.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct QuantityEstimate {
    pub value: Option<f64>,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
}

impl QuantityEstimate {
    /// An estimate without interval.
    pub(super) fn exact(value: f64) -> Self {
        Self {
            value: Some(value),
            ..Self::default()
        }
    }

    /// An estimate with its interval, if any.
    pub(super) fn bounded(value: f64, interval: Option<(f64, f64)>) -> Self {
        Self {
            value: Some(value),
            lower: interval.map(|(lower, _)| lower),
            upper: interval.map(|(_, upper)| upper),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct CellOutcome {
    pub quantities: BTreeMap<Quantity, QuantityEstimate>,
    /// (annotations, share of the runs that are right from there on).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<(u64, f64)>,
    /// (judgments, width of the interval) of every method compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<(String, Vec<(u64, f64)>)>,
    /// (mean judgment, metric) of every output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<(f64, f64)>,
    /// The outcome of each system alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub systems: Vec<(String, CellOutcome)>,
}

/// A finished cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CellRecord {
    #[serde(rename = "settings")]
    pub keys: ExperimentSettings,
    pub outcome: CellOutcome,
}

impl CellRecord {
    /// The cell as tables and plots see it: in one piece or, where systems are told apart, one for
    /// each of them.
    pub(super) fn seen(&self, by: &[CellKey]) -> Vec<Self> {
        if by.iter().all(|key| key.name() != SYSTEM) {
            return vec![self.clone()];
        }
        let of = |(system, outcome): &(String, CellOutcome)| Self {
            keys: ExperimentSettings {
                system: Some(system.clone()),
                ..self.keys.clone()
            },
            outcome: outcome.clone(),
        };
        self.outcome.systems.iter().map(of).collect()
    }
}

/// The path of a cell's file; `digests` are those of what it reads, with the signature of its model.
pub(super) fn cell_path(
    out: &Path,
    keys: &ExperimentSettings,
    seed: Seed,
    digests: &[String],
) -> Result<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let decisive = serde_json::to_string(&(version, seed.0, digests, keys.decisive()));
    let hash = format!("{:x}", Sha256::digest(decisive.map_err(Error::failed)?));
    let name = file_name(&keys.plain_label());
    let data = file_name(&keys.data);
    Ok(out
        .join("cells")
        .join(data)
        .join(format!("{name}.{}.json", &hash[..12])))
}

/// The outcome kept at `path`, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<CellOutcome>> {
    if !is_there(path) {
        return Ok(None);
    }
    let cell: CellRecord = json::read(path).map_err(anew)?;
    Ok(Some(cell.outcome))
}

/// Checks that all cells in a folder of experiments are as they were written; those that other settings left
/// may be of another form.
///
/// # Errors
/// If one was changed, or cannot be read.
pub(crate) fn check_cells(out: &Path) -> Result<()> {
    let is_cell = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    };
    for data in entries(&out.join("cells"))? {
        if data.is_dir() {
            for cell in entries(&data)?.iter().filter(|&path| is_cell(path)) {
                json::printed_text(cell).map_err(anew)?;
            }
        }
    }
    Ok(())
}

/// The paths in a folder, in their order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::reading(folder))? {
        paths.push(entry.map_err(Error::reading(folder))?.path());
    }
    paths.sort();
    Ok(paths)
}

/// Adds to an error how a cell is made anew.
fn anew(error: Error) -> Error {
    error.with_hint("delete the file, and run the experiments again, which compute this cell")
}

/// Keeps a finished cell.
pub(super) fn write(path: &Path, cell: &CellRecord) -> Result<()> {
    json::write(path, cell)
}
