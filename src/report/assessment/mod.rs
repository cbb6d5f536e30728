//! How good predictions are: as text, as tables (CSV, JSON) and as plots (SVG).

mod plots;
mod text;

pub(super) use plots::all as plots;
pub use text::render_assessment;
pub(super) use text::{notes, tables};

use super::plot::svg;
use crate::error::{Error, Result};
use crate::tables::assessment::Assessment;
use serde::Serialize;

/// The files of an assessment: names and contents.
///
/// # Errors
/// If one cannot be made.
pub fn assessment_files(assessment: &Assessment) -> Result<Vec<(&'static str, String)>> {
    let document = serde_json::to_string_pretty(assessment).map_err(Error::failed)? + "\n";
    let mut files = vec![
        ("assessment.json", document),
        ("assessment.txt", render_assessment(assessment)),
        ("reliability.csv", csv(&assessment.reliability)?),
        ("rejection.csv", csv(&curves(assessment))?),
    ];
    if !assessment.bald.is_empty() {
        files.push(("bald.csv", csv(&assessment.bald)?));
    }
    for (name, plot) in plots(assessment) {
        files.extend(svg(&plot)?.map(|drawing| (name, drawing)));
    }
    Ok(files)
}

/// A row of `rejection.csv`.
#[derive(Serialize)]
struct Kept<'a> {
    by: &'a str,
    rejected: f64,
    accuracy: f64,
}

fn curves(assessment: &Assessment) -> Vec<Kept<'_>> {
    let all = assessment.uncertainty.iter();
    all.flat_map(|one| {
        one.curve.iter().map(|&(rejected, accuracy)| Kept {
            by: &one.by,
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
