//! The report of a file of experiments, as text and as a page: its tables and plots.

use super::markup::{Html, HtmlTable, element, facts, row_cells, with};
use super::{Section, document, provenance};
use crate::report::crosstab::Crosstab;
use serde::Deserialize;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{Part, file_text};

/// The parts of the `report.json` of experiments that are told to people.
#[derive(Debug, Deserialize)]
pub(in crate::report) struct ExperimentsReport {
    tiebreak: String,
    name: String,
    seed: u64,
    #[serde(default)]
    command: String,
    #[serde(default)]
    note: String,
    skipped: Vec<String>,
    tables: Vec<Crosstab>,
    plots: Vec<String>,
    cells: Vec<serde::de::IgnoredAny>,
}

impl ExperimentsReport {
    /// Reads the text of the file `path`.
    pub(in crate::report) fn parse(path: &Path, json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|source| {
            Error::input(path, format!("broken: {source}"))
                .with_hint("run the experiments again: cells that are there are kept")
        })
    }

    /// The report as text.
    pub(in crate::report) fn text(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            text += &format!("{}\n", table.text());
        }
        for plot in &self.plots {
            text += &format!("plot: {plot}\n");
        }
        for name in &self.skipped {
            text += &format!("skipped (not found): {name}\n");
        }
        text + &format!(
            "tiebreak {}, {}, seed {}, {} cells\n",
            self.tiebreak,
            self.name,
            self.seed,
            self.cells.len()
        )
    }

    /// The whole page.
    pub(in crate::report) fn page(&self, dir: &Path) -> Result<String> {
        let plots = self
            .plots
            .iter()
            .map(|name| plot(dir, name))
            .collect::<Result<Html>>()?;
        let count = format!(
            "{} cells, {} tables, {} plots",
            self.cells.len(),
            self.tables.len(),
            self.plots.len()
        );
        let heading = Html::from([
            element("h1", self.name.as_str()),
            with("p", &[("class", "note")], count),
        ]);
        let mut known = vec![
            ("tiebreak", self.tiebreak.clone()),
            ("seed", self.seed.to_string()),
        ];
        if !self.skipped.is_empty() {
            known.push(("data sets not found", self.skipped.join(", ")));
        }
        let made = Html::from([facts(known), provenance::again(&self.command, &self.note)]);
        let tables = self.tables.iter().map(table).collect();
        let first = vec![
            Section::new("tables", "Tables", tables),
            Section::new("plots", "Plots", plots),
        ];
        let made = Section::new("provenance", "How this was made", made);
        Ok(document(&self.name, heading, first, vec![made]))
    }
}

fn table(table: &Crosstab) -> Html {
    let (header, lines) = table.lines();
    let body = HtmlTable {
        caption: table.title.clone(),
        header,
        texts: 1,
        rows: lines.iter().map(|line| row_cells(line)).collect(),
    };
    Html::from([element("h3", table.title.as_str()), body.html()])
}

/// A plot as it was drawn, in a box that scrolls where the page is narrow.
fn plot(dir: &Path, name: &str) -> Result<Html> {
    let path = dir.join(name);
    let drawing = file_text(&path, Part::Batch).map_err(Error::reading(&path))?;
    let region = [
        ("class", "scroll drawing"),
        ("tabindex", "0"),
        ("role", "region"),
        ("aria-label", name),
    ];
    Ok(with("div", &region, Html::ready(drawing)))
}
