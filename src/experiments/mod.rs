//! `run` on a file of experiments: every combination of their settings is a cell, computed once and
//! kept, and then shown in tables and plots.

mod materials;
mod measure;
mod outcome;
mod pictures;
mod plan;
mod plots;
mod settings;
pub mod spec;
mod tables;

use crate::engine::context::{Context, Progress};
use crate::engine::names::command;
use crate::error::{Error, Result};
use crate::keys::file::PipelineFile;
use crate::report::crosstab::Crosstab;
use crate::report::{self, plot};
use crate::rng::Seed;
use crate::tables::file::write_atomically;
use materials::{Data, Model};
use outcome::{Cell, Outcome};
use serde::Serialize;
use settings::Settings;
use spec::Grid;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What goes before the file's own settings.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The seed.
    pub seed: Option<u64>,
    /// The folder that holds the data sets.
    pub data_root: Option<PathBuf>,
}

/// What a grid found.
#[derive(Debug, Serialize)]
struct Report {
    tiebreak: &'static str,
    name: String,
    seed: u64,
    /// The command that makes it again.
    command: String,
    /// Data sets that are not there; their cells are left out.
    skipped: Vec<String>,
    tables: Vec<Crosstab>,
    /// The plots' files, beside the report.
    plots: Vec<String>,
    cells: Vec<Cell>,
}

/// Runs a grid; cells, tables, plots and report go to `out`. Cells that are there already are not
/// computed again. Returns the report as text and as JSON.
///
/// # Errors
/// The first mistake in the file, before anything runs; then those of the cells.
pub fn run(
    context: &Context<'_>,
    file: &PipelineFile<Grid>,
    overrides: &Overrides,
    out: &Path,
) -> Result<(String, String)> {
    let seed = overrides
        .seed
        .or(file.pipeline.seed)
        .unwrap_or(context.seed.0);
    let context = &context.seeded(Seed(seed));
    let mut settings = plan::check(context, file)?;
    let root = match &overrides.data_root {
        Some(root) => root.clone(),
        None => file.beside(file.pipeline.data_root.get_ref()),
    };
    let (mut data, skipped) = find(file, &root, &settings)?;
    for name in &skipped {
        context.progress.warn(&format!(
            "skipped `{name}`: there is no {}",
            root.join(name).display()
        ));
    }
    settings.retain(|cell| needed(cell).all(|name| data.contains_key(name)));
    let cells = compute(context, &mut data, &settings, out)?;
    let tables = write_tables(file, &cells, out)?;
    let report = Report {
        tiebreak: env!("CARGO_PKG_VERSION"),
        name: file.name(),
        seed,
        command: command(file.path(), context.seed),
        skipped,
        plots: write_plots(file, &cells, &tables, out)?,
        tables,
        cells,
    };
    let json = serde_json::to_string_pretty(&report).map_err(Error::failed)? + "\n";
    write_atomically(&out.join("report.txt"), told(&report).as_bytes())?;
    write_atomically(&out.join("report.json"), json.as_bytes())?;
    report::write_experiments(out)
}

fn write_tables(file: &PipelineFile<Grid>, cells: &[Cell], out: &Path) -> Result<Vec<Crosstab>> {
    let tables = tables::build(file, cells)?;
    for table in &tables {
        let path = |extension: &str| out.join(format!("{}.{extension}", table.name));
        write_atomically(&path("txt"), table.text().as_bytes())?;
        write_atomically(&path("csv"), table.csv()?.as_bytes())?;
        write_atomically(&path("json"), table.json()?.as_bytes())?;
    }
    Ok(tables)
}

/// Draws the plots and the tables that are drawn; the names of their files.
fn write_plots(
    file: &PipelineFile<Grid>,
    cells: &[Cell],
    tables: &[Crosstab],
    out: &Path,
) -> Result<Vec<String>> {
    let mut drawings = Vec::new();
    for table in tables.iter().filter(|table| table.drawn) {
        drawings.push((&table.name, plot::matrix_svg(&table.matrix())?));
    }
    let plots = plots::build(file, cells);
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
fn needed(cell: &Settings) -> impl Iterator<Item = &str> {
    std::iter::once(cell.data.as_str()).chain(cell.validation.as_deref())
}

/// All data sets by name, and the names of those that are not there.
fn find(
    file: &PipelineFile<Grid>,
    root: &Path,
    settings: &[Settings],
) -> Result<(BTreeMap<String, Data>, Vec<String>)> {
    let mut found = BTreeMap::new();
    let mut missing: Vec<String> = Vec::new();
    for name in settings.iter().flat_map(needed) {
        if found.contains_key(name) || missing.iter().any(|other| other == name) {
            continue;
        }
        match Data::find(root, name)? {
            Some(data) => drop(found.insert(name.to_string(), data)),
            None => missing.push(name.to_string()),
        }
    }
    if found.is_empty() {
        let error = Error::input(root, "none of the data sets is there");
        let error = error.with_hint("say where they are with --data-root DIR");
        return Err(file.at(&file.pipeline.data_root)(error));
    }
    Ok((found, missing))
}

/// All cells: those that are kept, and the others, computed data set by data set so that few are
/// open at a time.
fn compute(
    context: &Context<'_>,
    data: &mut BTreeMap<String, Data>,
    settings: &[Settings],
    out: &Path,
) -> Result<Vec<Cell>> {
    let mut places = Vec::new();
    let mut outcomes = Vec::new();
    for cell in settings {
        let digests = needed(cell).map(|name| data[name].digest.clone());
        let mut digests: Vec<String> = digests.collect();
        if let Some(model) = &cell.model {
            // Other weights under the same name are another cell.
            let loaded = materials::load(context, model, cell)?;
            digests.push(loaded.signature().to_string());
        }
        let place = outcome::place(out, cell, context.seed, &digests)?;
        outcomes.push(outcome::read(&place)?);
        places.push(place);
    }
    let first_of_data = |i: usize| {
        settings
            .iter()
            .position(|cell| cell.data == settings[i].data)
    };
    let mut missing: Vec<usize> = (0..settings.len())
        .filter(|&i| outcomes[i].is_none())
        .collect();
    missing.sort_by_key(|&i| first_of_data(i));
    context.progress.begin("cells", missing.len() as u64);
    let mut open = "";
    for i in missing {
        context.check()?;
        let cell = &settings[i];
        if open != cell.data {
            data.values_mut().for_each(Data::close);
            open = &cell.data;
        }
        outcomes[i] = Some(compute_cell(context, data, cell, out, &places[i])?);
        context.progress.advance(1);
    }
    context.progress.end();
    let cells = settings.iter().zip(outcomes);
    let finished = |(settings, outcome): (&Settings, Option<Outcome>)| {
        Some(Cell {
            settings: settings.clone(),
            outcome: outcome?,
        })
    };
    Ok(cells.filter_map(finished).collect())
}

fn compute_cell(
    context: &Context<'_>,
    data: &BTreeMap<String, Data>,
    settings: &Settings,
    out: &Path,
    place: &Path,
) -> Result<Outcome> {
    let quiet = Context {
        progress: &OnlyWarnings(context.progress),
        env: context.env.clone(),
        ..*context
    };
    let model = Model {
        data: &data[&settings.data],
        validation: &data[settings.validation.as_ref().unwrap_or(&settings.data)],
        settings,
        out,
    };
    let cell = Cell {
        settings: settings.clone(),
        outcome: measure::measure(&quiet, &model)?,
    };
    outcome::write(place, &cell)?;
    Ok(cell.outcome)
}

/// Within a cell only warnings are of interest.
struct OnlyWarnings<'a>(&'a dyn Progress);

impl Progress for OnlyWarnings<'_> {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
    fn warn(&self, message: &str) {
        self.0.warn(message);
    }
}

/// The report for people.
fn told(report: &Report) -> String {
    let mut text = String::new();
    for table in &report.tables {
        text += &format!("{}\n", table.text());
    }
    for plot in &report.plots {
        text += &format!("plot: {plot}\n");
    }
    for name in &report.skipped {
        text += &format!("skipped, as it is not there: {name}\n");
    }
    text + &format!(
        "tiebreak {}, {}, seed {}, {} cells\n",
        report.tiebreak,
        report.name,
        report.seed,
        report.cells.len()
    )
}
