//! The files of an assessment: as text, as tables (CSV, JSON) and as plots (SVG).

use super::rows::{Assessment, DOCUMENT};
use super::tell::plots;
use crate::report::document::DocumentedResult;
use crate::report::plot::svg;
use serde::Serialize;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::tables::file::write_result;
use tiebreak_data::tables::json;
use tiebreak_decide::model_based::UncertaintyMeasure;

impl Assessment {
    /// Writes the assessment, its tables (CSV) and its plots (SVG) into a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        for (name, content) in files(self)? {
            write_result(&folder.join(name), content.as_bytes())?;
        }
        Ok(())
    }
}

/// The names and contents of the files.
fn files(assessment: &Assessment) -> Result<Vec<(&'static str, String)>> {
    let mut files = vec![
        (DOCUMENT, json::stored_text(assessment)?),
        ("assessment.txt", assessment.text()),
        ("reliability.csv", csv(&assessment.reliability)?),
        ("rejection.csv", csv(&curves(assessment))?),
    ];
    if !assessment.bald.is_empty() {
        files.push(("bald.csv", csv(&assessment.bald)?));
    }
    for (name, figure) in plots(assessment) {
        files.extend(svg(&figure.plot)?.map(|drawing| (name, drawing)));
    }
    Ok(files)
}

/// A row of `rejection.csv`.
#[derive(Serialize)]
struct RejectionRow {
    by: UncertaintyMeasure,
    rejected: f64,
    accuracy: f64,
}

fn curves(assessment: &Assessment) -> Vec<RejectionRow> {
    let all = assessment.uncertainty.iter();
    all.flat_map(|one| {
        one.curve.iter().map(|&(rejected, accuracy)| RejectionRow {
            by: one.by,
            rejected,
            accuracy,
        })
    })
    .collect()
}

fn csv(rows: &[impl Serialize]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(Error::failed)?;
    }
    let bytes = writer.into_inner().map_err(Error::failed)?;
    String::from_utf8(bytes).map_err(Error::failed)
}
