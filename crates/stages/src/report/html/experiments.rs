//! The page of a file of experiments: its tables and plots.

use super::markup::{Html, HtmlTable, element, facts, with};
use super::{Section, document, provenance};
use crate::report::crosstab::Crosstab;
use serde::Deserialize;
use std::fs;
use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// The parts of the `report.json` of experiments that the page needs.
#[derive(Debug, Deserialize)]
struct Experiments {
    tiebreak: String,
    name: String,
    seed: u64,
    #[serde(default)]
    command: String,
    skipped: Vec<String>,
    tables: Vec<Crosstab>,
    plots: Vec<String>,
    cells: Vec<serde::de::IgnoredAny>,
}

/// The whole page.
///
/// # Errors
/// If the report or one of its plots cannot be read.
pub(in crate::report) fn page(dir: &Path, report: &str) -> Result<String> {
    let path = dir.join("report.json");
    let found: Experiments = serde_json::from_str(report).map_err(|source| {
        Error::input(&path, format!("broken: {source}"))
            .with_hint("run the experiments again: cells that are there are kept")
    })?;
    let plots = found
        .plots
        .iter()
        .map(|name| plot(dir, name))
        .collect::<Result<Html>>()?;
    let count = format!(
        "{} cells, {} tables, {} plots",
        found.cells.len(),
        found.tables.len(),
        found.plots.len()
    );
    let heading = Html::from([
        element("h1", found.name.as_str()),
        with("p", &[("class", "note")], count),
    ]);
    let mut known = vec![
        ("tiebreak", found.tiebreak),
        ("seed", found.seed.to_string()),
    ];
    if !found.skipped.is_empty() {
        known.push(("data sets that were not there", found.skipped.join(", ")));
    }
    let made = Html::from([facts(known), provenance::again(&found.command)]);
    let tables = found.tables.iter().map(table).collect();
    let first = vec![
        Section::new("tables", "Tables", tables),
        Section::new("plots", "Plots", plots),
    ];
    let made = Section::new("provenance", "How this was made", made);
    Ok(document(&found.name, heading, first, vec![made]))
}

fn table(table: &Crosstab) -> Html {
    let (header, lines) = table.lines();
    let row = |line: Vec<String>| line.into_iter().map(Html::from).collect();
    let body = HtmlTable {
        caption: table.title.clone(),
        header,
        texts: 1,
        groups: vec![lines.into_iter().map(row).collect()],
    };
    Html::from([element("h3", table.title.as_str()), body.html()])
}

/// A plot as it was drawn, in a box that scrolls where the page is narrow.
fn plot(dir: &Path, name: &str) -> Result<Html> {
    let path = dir.join(name);
    let drawing = fs::read_to_string(&path).map_err(Error::reading(&path))?;
    let region = [
        ("class", "scroll drawing"),
        ("tabindex", "0"),
        ("role", "region"),
        ("aria-label", name),
    ];
    Ok(with("div", &region, Html::ready(drawing)))
}
