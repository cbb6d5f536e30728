//! Cells arranged in rows and columns, with published numbers beside them.

use super::outcome::{Cell, Value};
use super::plan::name;

use super::spec::{Axis, Grid, Quantity, Table, shows};
use crate::engine::names::file_name;
use crate::error::{Error, Location, Result};
use crate::keys::file::PipelineFile;
use crate::report::crosstab::{Crosstab, Entry, Unit};
use crate::report::distinct;
use std::collections::BTreeMap;
use std::path::Path;

/// All tables of a grid.
///
/// # Errors
/// If published numbers cannot be read.
pub(super) fn build(file: &PipelineFile<Grid>, cells: &[Cell]) -> Result<Vec<Crosstab>> {
    let table = |table: &toml::Spanned<Table>| {
        let table_ref = table.get_ref();
        let published = match &table_ref.published {
            Some(path) => published(&file.beside(path)).map_err(file.at(table))?,
            None => BTreeMap::new(),
        };
        Ok(panels(table_ref, &published, cells))
    };
    let tables = file.pipeline.table.iter().map(table);
    Ok(tables.collect::<Result<Vec<_>>>()?.concat())
}

/// The table or, where panels are told apart, one for each that has a number.
fn panels(table: &Table, published: &Published, cells: &[Cell]) -> Vec<Crosstab> {
    let shown = |cell: &&Cell| shows(table.only.as_ref(), &cell.settings.label);
    let mut keys = table.rows.0.clone();
    keys.extend(table.columns);
    let seen = cells.iter().filter(shown).flat_map(|cell| cell.seen(&keys));
    let seen: Vec<Cell> = seen.collect();
    let Some(Axis(keys)) = &table.panels else {
        return vec![arranged(table, published, &seen)];
    };
    let panel = |name_of_panel: String| {
        let of = |cell: &&Cell| name(&cell.settings, keys) == name_of_panel;
        let cells: Vec<Cell> = seen.iter().filter(of).cloned().collect();
        Crosstab {
            name: format!("{}-{}", table.name, file_name(&name_of_panel)),
            title: format!("{}: {name_of_panel}", table.title),
            ..arranged(table, published, &cells)
        }
    };
    let names = distinct(seen.iter().map(|cell| name(&cell.settings, keys)));
    let tables = names.into_iter().map(panel);
    tables.filter(|table| !table.entries.is_empty()).collect()
}

/// Numbers as they were published, by row and column.
type Published = BTreeMap<(String, String), String>;

fn arranged(table: &Table, published: &Published, cells: &[Cell]) -> Crosstab {
    let mut entries = Vec::new();
    for cell in cells {
        let row = name(&cell.settings, &table.rows.0);
        for quantity in &table.value.0 {
            let Some(&value) = cell.outcome.quantities.get(quantity) else {
                continue;
            };
            let column = match table.columns {
                Some(key) => cell.settings.text(key).unwrap_or_default(),
                None => spoken(*quantity),
            };
            let Value {
                value,
                lower,
                upper,
            } = value;
            entries.push(Entry {
                published: published.get(&(row.clone(), column.clone())).cloned(),
                row: row.clone(),
                column,
                value,
                lower,
                upper,
                unit: unit(*quantity),
            });
        }
    }
    let keys: Vec<String> = table.rows.0.iter().map(spoken).collect();
    Crosstab {
        name: table.name.clone(),
        title: table.title.clone(),
        corner: keys.join(", "),
        one_kind: table.value.0.len() == 1,
        drawn: table.drawn,
        entries,
    }
}

/// A key or quantity as its name in the file, with spaces.
pub(super) fn spoken(name: impl serde::Serialize) -> String {
    let text = serde_json::to_value(name).ok();
    let text = text
        .as_ref()
        .and_then(|text| text.as_str())
        .unwrap_or_default();
    text.replace('-', " ")
}

fn unit(quantity: Quantity) -> Unit {
    match quantity {
        Quantity::Accuracy
        | Quantity::Certified
        | Quantity::SentenceAccuracy
        | Quantity::DecidedAccuracy
        | Quantity::CalibrationError
        | Quantity::BaldWorth
        | Quantity::StdWorth
        | Quantity::MarginWorth
        | Quantity::Losses
        | Quantity::Ties
        | Quantity::Wins
        | Quantity::Coverage
        | Quantity::UnseenChanged
        | Quantity::HollowChanged => Unit::Share,
        Quantity::Signal
        | Quantity::Noise
        | Quantity::HumanMean
        | Quantity::MetricMean
        | Quantity::Brier
        | Quantity::LogLoss => Unit::Number,
        Quantity::Gamma
        | Quantity::Correlation
        | Quantity::Rho
        | Quantity::InstanceCorrelation
        | Quantity::SystemCorrelation
        | Quantity::DataEfficiency
        | Quantity::NoiselessEfficiency
        | Quantity::PerfectEfficiency
        | Quantity::MeasuredEfficiency
        | Quantity::MeasuredNoiseless
        | Quantity::MeasuredPerfect
        | Quantity::MeasuredLeaveOneOut
        | Quantity::VarianceRatio
        | Quantity::UnseenHumanGain
        | Quantity::UnseenMetricGain
        | Quantity::HollowHumanGain
        | Quantity::HollowMetricGain => Unit::Ratio,
        Quantity::AnnotationComplexity
        | Quantity::MeanAnnotations
        | Quantity::ModelAnswers
        | Quantity::Eliminated
        | Quantity::Systems
        | Quantity::Items
        | Quantity::Judgments => Unit::Count,
    }
}

/// Reads a CSV file whose first column names rows and whose header names columns.
fn published(path: &Path) -> Result<Published> {
    let broken =
        |line: u64, error: csv::Error| Error::record(Location::line(path, line), error.to_string());
    let mut reader = csv::Reader::from_path(path).map_err(|error| broken(1, error))?;
    let columns = reader.headers().map_err(|error| broken(1, error))?.clone();
    let mut numbers = BTreeMap::new();
    for (record, line) in reader.records().zip(2..) {
        let record = record.map_err(|error| broken(line, error))?;
        for (column, text) in columns.iter().zip(&record).skip(1) {
            if !text.is_empty() {
                numbers.insert(
                    (record[0].to_string(), column.to_string()),
                    text.to_string(),
                );
            }
        }
    }
    Ok(numbers)
}
