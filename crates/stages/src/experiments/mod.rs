//! `run` on a file of experiments: every combination of their settings is a cell, computed once and
//! kept, and then shown in tables and plots.

mod file;
mod keys;
mod materials;
mod measure;
mod outcome;
mod pictures;
mod plan;
mod plots;
mod quantity;
mod shown;
mod tables;

use crate::engine::context::{Context, ProgressReporter};
use crate::engine::names::RepeatCommand;
use crate::report::crosstab::Crosstab;
use crate::report::{self, plot};
pub(crate) use file::Grid;
use keys::ExperimentSettings;
use materials::{CellInputs, Data, GridResources};
pub(crate) use outcome::check_cells;
use outcome::{CellOutcome, CellRecord};
use plan::PlannedCell;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Audience, Result};
use tiebreak_base::rng::Seed;
use tiebreak_data::tables::file::write_atomically;
use tiebreak_data::tables::json;

/// Values that take precedence over the file's own settings.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The seed.
    pub seed: Option<u64>,
    /// The folder that holds the data sets.
    pub data_root: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct GridReport {
    tiebreak: &'static str,
    name: String,
    seed: u64,
    /// The command that runs it again.
    command: String,
    /// What the command needs beside.
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
    /// Data sets that do not exist; their cells are left out.
    skipped: Vec<String>,
    tables: Vec<Crosstab>,
    /// The file names of the plots, beside the report.
    plots: Vec<String>,
    cells: Vec<CellRecord>,
}

impl Grid {
    /// Runs a grid; cells, tables, plots and report go to `out`. Cells that exist already are not
    /// computed again. Returns the report as text and as JSON.
    ///
    /// # Errors
    /// The first mistake in the file, before anything runs; then errors of the cells.
    pub fn run(
        &self,
        context: &Context<'_>,
        overrides: &Overrides,
        out: &Path,
    ) -> Result<report::RenderedReport> {
        let seed = overrides.seed.or(self.seed).unwrap_or(context.seed.0);
        let context = &context.seeded(Seed(seed));
        let shared = GridResources::new(self.folder(), out);
        let mut cells = plan::check(context, self, &shared)?;
        let root = overrides.data_root.as_ref().unwrap_or(&self.data_root);
        let (mut data, skipped) = open_datasets(self, root)?;
        for name in &skipped {
            context.progress.warn(&format!(
                "skipped `{name}`: there is no {}",
                root.join(name).display()
            ));
        }
        cells.retain(|cell| needed(cell.keys).all(|name| data.contains_key(name)));
        fit(context, &mut data, &cells)?;
        let cells = compute(context, &mut data, &cells, &shared)?;
        let tables = write_tables(self, &cells, out)?;
        let data_root = overrides.data_root.as_deref();
        let RepeatCommand { command, note } =
            RepeatCommand::new(self.path(), context.seed, data_root);
        let report = GridReport {
            tiebreak: env!("CARGO_PKG_VERSION"),
            name: self.name(),
            seed,
            command,
            note,
            skipped,
            plots: write_plots(self, &cells, &tables, out)?,
            tables,
            cells,
        };
        json::write(&out.join("report.json"), &report)?;
        report::write_experiments(out)
    }
}

fn write_tables(grid: &Grid, cells: &[CellRecord], out: &Path) -> Result<Vec<Crosstab>> {
    let tables = tables::build(grid, cells);
    for table in &tables {
        let path = |extension: &str| out.join(format!("{}.{extension}", table.name));
        write_atomically(&path("txt"), table.text().as_bytes())?;
        write_atomically(&path("csv"), table.csv()?.as_bytes())?;
        write_atomically(&path("json"), table.json()?.as_bytes())?;
    }
    Ok(tables)
}

/// Draws the plots and the tables that are drawn; returns the names of their files.
fn write_plots(
    grid: &Grid,
    cells: &[CellRecord],
    tables: &[Crosstab],
    out: &Path,
) -> Result<Vec<String>> {
    let mut drawings = Vec::new();
    for table in tables.iter().filter(|table| table.drawn) {
        drawings.push((&table.name, plot::matrix_svg(&table.matrix())?));
    }
    let plots = plots::build(grid, cells);
    for (name, plot) in &plots {
        drawings.push((name, plot::svg(plot)?));
    }
    let mut names = Vec::new();
    for (name, drawing) in drawings {
        if let Some(drawing) = drawing {
            let name = format!("{name}.svg");
            write_atomically(&out.join(&name), drawing.as_bytes())?;
            names.push(name);
        }
    }
    Ok(names)
}

/// The data sets that a cell reads.
fn needed(cell: &ExperimentSettings) -> impl Iterator<Item = &str> {
    std::iter::once(cell.data.as_str()).chain(cell.validation.as_deref())
}

/// All data sets by name, and the names of those that do not exist.
fn open_datasets(grid: &Grid, root: &Path) -> Result<(BTreeMap<String, Data>, Vec<String>)> {
    let mut found = BTreeMap::new();
    let mut missing: Vec<String> = Vec::new();
    for name in grid.cells.iter().flat_map(|(_, cell)| needed(cell)) {
        if found.contains_key(name) || missing.iter().any(|other| other == name) {
            continue;
        }
        match Data::open_if_present(root, name)? {
            Some(data) => drop(found.insert(name.to_string(), data)),
            None => missing.push(name.to_string()),
        }
    }
    match found.is_empty() {
        true => Err(grid.without_data(root)),
        false => Ok((found, missing)),
    }
}

/// Checks cells against their data, before any of them is computed.
fn fit(
    context: &Context<'_>,
    data: &mut BTreeMap<String, Data>,
    cells: &[PlannedCell<'_>],
) -> Result<()> {
    let mut open = "";
    for cell in cells.iter().filter(|cell| cell.keys.names_what_data_has()) {
        if open != cell.keys.data {
            data.values_mut().for_each(Data::close);
            open = &cell.keys.data;
        }
        let source = data[open].source(context)?;
        cell.keys.fits(source).map_err(cell.table.at())?;
    }
    Ok(())
}

/// Computes all cells that are not kept already, data set by data set so that few are
/// open at a time.
fn compute(
    context: &Context<'_>,
    data: &mut BTreeMap<String, Data>,
    cells: &[PlannedCell<'_>],
    shared: &GridResources,
) -> Result<Vec<CellRecord>> {
    let mut places = Vec::new();
    for PlannedCell { keys, digests, .. } in cells {
        let of_data = needed(keys).map(|name| data[name].digest.clone());
        let digests: Vec<String> = of_data.chain(digests.iter().cloned()).collect();
        places.push(outcome::cell_path(
            &shared.out,
            keys,
            context.seed,
            &digests,
        )?);
    }
    let kept = places.iter().map(|place| outcome::read(place));
    let mut outcomes: Vec<Option<CellOutcome>> = kept.collect::<Result<_>>()?;
    let first_of_data = |i: usize| {
        let same = |cell: &PlannedCell<'_>| cell.keys.data == cells[i].keys.data;
        cells.iter().position(same)
    };
    let mut missing: Vec<usize> = (0..cells.len())
        .filter(|&i| outcomes[i].is_none())
        .collect();
    missing.sort_by_key(|&i| first_of_data(i));
    context.progress.begin("cells", missing.len() as u64);
    let mut open = "";
    for i in missing {
        context.check()?;
        let keys = cells[i].keys;
        if open != keys.data {
            data.values_mut().for_each(Data::close);
            open = &keys.data;
        }
        // Cells that differ only in their label are one.
        outcomes[i] = match outcome::read(&places[i])? {
            Some(same) => Some(same),
            None => {
                let computed = compute_cell(context, data, keys, shared, &places[i]);
                Some(computed.map_err(cells[i].table.at())?)
            }
        };
        context.progress.advance(1);
    }
    context.progress.end();
    let finished = |(cell, outcome): (&PlannedCell<'_>, Option<CellOutcome>)| {
        Some(CellRecord {
            keys: cell.keys.labelled(),
            outcome: outcome?,
        })
    };
    Ok(cells.iter().zip(outcomes).filter_map(finished).collect())
}

fn compute_cell(
    context: &Context<'_>,
    data: &BTreeMap<String, Data>,
    keys: &ExperimentSettings,
    shared: &GridResources,
    place: &Path,
) -> Result<CellOutcome> {
    let quiet = Context {
        progress: &WarningsOnlyProgress(context.progress),
        env: context.env.clone(),
        ..*context
    };
    let model = CellInputs {
        data: &data[&keys.data],
        validation: &data[keys.validation.as_ref().unwrap_or(&keys.data)],
        keys,
        shared,
    };
    let cell = CellRecord {
        keys: keys.labelled(),
        outcome: (model.keys.measure.measure)(&quiet, &model)?,
    };
    outcome::write(place, &cell)?;
    Ok(cell.outcome)
}

/// A reporter that passes on warnings alone, for the work within a cell.
struct WarningsOnlyProgress<'a>(&'a dyn ProgressReporter);

impl ProgressReporter for WarningsOnlyProgress<'_> {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn warn(&self, message: &str) {
        self.0.warn(message);
    }
    fn audience(&self) -> Audience {
        self.0.audience()
    }
}
