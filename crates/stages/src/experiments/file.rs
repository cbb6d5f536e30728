//! A file of experiments: its cells, and the tables and plots made of them, each read and checked before
//! anything runs.
//!
//! `[[experiment]]` is a table of keys, over those of `[defaults]`, in which lists are axes
//! ([`tiebreak_base::keys`]). Paths are relative to the folder of the file.

use super::keys::ExperimentSettings;
use super::quantity::Quantity;
use super::shown::{PlotSettings, TableSettings, shows};
use super::tables::{PublishedNumbers, published};
use crate::engine::names::file_name;
use crate::report::distinct;
use crate::stages::PipelineArtifacts;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Key, Result, nearest};
use tiebreak_base::keys::Keys;
use tiebreak_base::keys::table::{Document, Table};
use tiebreak_base::message;

/// A file of experiments.
pub struct Grid {
    /// The seed of everything random, if it names one.
    pub seed: Option<u64>,
    /// The folder that holds the data sets.
    pub(super) data_root: PathBuf,
    /// Every combination of what the experiments list, with its keys in the file.
    pub(super) cells: Vec<(Table, ExperimentSettings)>,
    pub(super) tables: Vec<(Table, TableSettings)>,
    pub(super) plots: Vec<(Table, PlotSettings)>,
    path: PathBuf,
    top: Table,
}

impl Grid {
    /// Reads the experiments, tables and plots of a file.
    ///
    /// # Errors
    /// [`Error::Pipeline`] with the line of the first mistake.
    pub(crate) fn new(path: &Path, document: Document) -> Result<Self> {
        let Document {
            mut top,
            mut lists,
            mut tables,
        } = document;
        let known = ["experiment", "table", "plot"].map(str::to_string);
        if let Some((name, _)) = lists.iter().find(|(name, _)| !known.contains(name)) {
            return Err(top.unknown(name, &known));
        }
        let seed = top.take("seed")?;
        let Some(root) = top.take::<PathBuf>("data-root")? else {
            let missing = Error::pipeline(top.location(), "data-root is missing");
            return Err(missing.with_hint("name the folder of the data sets: data-root = \"…\""));
        };
        let defaults = match top.values.remove("defaults") {
            Some(toml::Value::Table(_)) | None => tables.remove("defaults"),
            Some(_) => {
                return Err(Error::pipeline(
                    top.place_of("defaults"),
                    "expected a table",
                ));
            }
        };
        if let Some(key) = top.values.keys().next() {
            let known = ["seed", "data-root", "defaults"].map(str::to_string);
            return Err(top.unknown(key, &known));
        }
        let mut list = |name: &str| {
            let place = lists.iter().position(|(other, _)| other == name);
            place.map_or_else(Vec::new, |place| lists.swap_remove(place).1)
        };
        let mut cells = Vec::new();
        for table in list("experiment") {
            let whole = match &defaults {
                Some(defaults) => over(table, defaults.clone()),
                None => table,
            };
            cells.extend(read(whole.each::<ExperimentSettings>()?)?);
        }
        let mut tables: Vec<(Table, TableSettings)> = read(list("table"))?;
        for (table, asked) in &mut tables {
            let folder = path.with_file_name("");
            let name = asked.published.as_ref();
            let checked = PipelineArtifacts::new(&folder).file("published", name);
            let read = checked.and_then(|()| match name {
                Some(name) => published(&folder.join(name)).map_err(Error::of_key("published")),
                None => Ok(PublishedNumbers::default()),
            });
            asked.numbers = read.map_err(table.at())?;
        }
        let grid = Self {
            seed,
            data_root: path.with_file_name("").join(root),
            cells,
            tables,
            plots: read(list("plot"))?,
            path: path.to_path_buf(),
            top,
        };
        grid.check()?;
        Ok(grid)
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that its paths are relative to.
    pub(super) fn folder(&self) -> PathBuf {
        self.path.with_file_name("")
    }

    /// The error for a folder without any of its data sets.
    pub(super) fn without_data(&self, root: &Path) -> Error {
        let what = format!("{}: none of the data sets is there", root.display());
        let error = Error::pipeline(self.top.place_of("data-root"), what);
        error.with_hint(format!("say where they are with {} DIR", Flag("data-root")))
    }

    /// Checks that tables and plots go with the cells.
    fn check(&self) -> Result<()> {
        for (table, plot) in &self.plots {
            check_name(&plot.name).map_err(table.at())?;
            self.check_only(&plot.only).map_err(table.at())?;
            match (plot.x.is_some(), plot.y == Quantity::default()) {
                (true, _) => self.check_found(plot.y, "y").map_err(table.at())?,
                (false, true) => {}
                (false, false) => {
                    let what = message!(
                        "this is what stands along the y axis where there is an {}",
                        Key("x")
                    );
                    return Err(table.at()(Error::key("y", what)));
                }
            }
            if let Some(baseline) = &plot.baseline {
                let cells = self.cells.iter().map(|(_, cell)| cell);
                let cells = cells.filter(|cell| shows(&plot.only, &cell.label()));
                let series = distinct(cells.map(|cell| cell.name(&plot.series.0)));
                is_among(baseline, &series, "series").map_err(table.at())?;
            }
        }
        for (place, (table, asked)) in self.tables.iter().enumerate() {
            check_name(&asked.name).map_err(table.at())?;
            self.check_only(&asked.only).map_err(table.at())?;
            let found = |&quantity| self.check_found(quantity, "value");
            asked.value.iter().try_for_each(found).map_err(table.at())?;
            self.check_table(asked).map_err(table.at())?;
            let same = |other: &str| other == asked.name;
            let mut before = self.tables[..place].iter();
            let wrong = if before.any(|(_, other)| same(&other.name)) {
                format!("two tables are called `{}`", asked.name)
            } else if asked.drawn && self.plots.iter().any(|(_, plot)| same(&plot.name)) {
                format!(
                    "a table that is drawn and a plot are called `{}`",
                    asked.name
                )
            } else {
                continue;
            };
            return Err(table.at()(Error::key("name", wrong)));
        }
        Ok(())
    }

    /// Refuses labels that no cell has.
    fn check_only(&self, only: &[String]) -> Result<()> {
        let labels: Vec<String> = self.cells.iter().map(|(_, cell)| cell.label()).collect();
        let Some(unknown) = only.iter().find(|label| !labels.contains(label)) else {
            return Ok(());
        };
        let error = Error::key("only", format!("no experiment has the label `{unknown}`"));
        Err(match nearest(unknown, labels.iter().map(String::as_str)) {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    /// Refuses a quantity that no cell finds.
    fn check_found(&self, quantity: Quantity, key: &str) -> Result<()> {
        let mut cells = self.cells.iter();
        match cells.any(|(_, cell)| cell.measure.finds.contains(&quantity)) {
            true => Ok(()),
            false => {
                let what = format!("no experiment measures {}", quantity.spoken());
                Err(Error::key(key, what))
            }
        }
    }

    /// Refuses two cells in one place of a table.
    fn check_table(&self, table: &TableSettings) -> Result<()> {
        let (Some(columns), [quantity]) = (&table.columns, &table.value[..]) else {
            return Ok(());
        };
        let mut places = Vec::new();
        for (_, cell) in &self.cells {
            if !shows(&table.only, &cell.label()) || !cell.measure.finds.contains(quantity) {
                continue;
            }
            let (row, column) = (
                cell.name(&table.rows.0),
                cell.text(columns).unwrap_or_default(),
            );
            let place = (cell.name(&table.panels), row, column);
            if places.contains(&place) {
                let (_, row, column) = place;
                let what =
                    format!("two cells fall into row `{row}`, column `{column}` of the table");
                let error = Error::key("rows", what);
                return Err(error.with_hint(message!(
                    "add the key in which they differ to {}",
                    Key("rows")
                )));
            }
            places.push(place);
        }
        let rows = distinct(places.into_iter().map(|(_, row, _)| row));
        let baseline = table.baseline.as_ref();
        baseline.map_or(Ok(()), |baseline| is_among(baseline, &rows, "row"))
    }
}

/// Refuses a baseline that is not shown.
fn is_among(baseline: &str, shown: &[String], kind: &str) -> Result<()> {
    if shown.iter().any(|name| name == baseline) {
        return Ok(());
    }
    let what = format!("no {kind} is called `{baseline}`: {}", shown.join(", "));
    Err(Error::key("baseline", what))
}

/// Checks a name, which becomes the name of a file.
fn check_name(name: &str) -> Result<()> {
    match file_name(name) == name {
        true => Ok(()),
        false => {
            let what = format!("`{name}` is no name of a file");
            Err(Error::key("name", what).with_hint(format!("such as {}", file_name(name))))
        }
    }
}

/// Reads tables, with their keys.
fn read<K: Keys>(tables: Vec<Table>) -> Result<Vec<(Table, K)>> {
    let read = |table: Table| table.read().map(|keys| (table, keys));
    tables.into_iter().map(read).collect()
}

/// An experiment over the defaults. A metric with its link and a model replace each other.
fn over(experiment: Table, mut defaults: Table) -> Table {
    if experiment.values.contains_key("model") {
        defaults
            .values
            .retain(|key, _| key != "metric" && key != "link");
    }
    if experiment.values.contains_key("metric") {
        defaults.values.remove("model");
    }
    experiment.over(&defaults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::shown::CellKey;
    use crate::stages::setting::{Audit, Eliminate};
    use crate::stages::simulate::Simulate;
    use crate::stages::tests::values;

    fn grid(text: &str) -> Result<Grid> {
        let path = Path::new("folder/g.toml");
        let text = format!("data-root = \"data\"\n{text}\n");
        Grid::new(path, Document::parse(path, text)?)
    }

    fn cells(text: &str) -> Vec<ExperimentSettings> {
        let cells = grid(text).unwrap().cells.into_iter();
        cells.map(|(_, cell)| cell).collect()
    }

    fn text(cell: &ExperimentSettings, key: &str) -> Option<String> {
        cell.text(&CellKey::try_from(key.to_string()).unwrap())
    }

    fn number(cell: &ExperimentSettings, key: &str) -> Option<f64> {
        cell.number(&CellKey::try_from(key.to_string()).unwrap())
    }

    #[test]
    fn cells_are_the_combinations_of_what_is_listed() {
        let asked =
            "[[experiment]]\nbandit = [\"rmed\", \"rcs:alpha=1\"]\ndata = [\"a\", \"b\"]\nruns = 3";
        let cells = cells(asked);
        let of = |cell: &ExperimentSettings| format!("{} {}", cell.data, cell.label());
        let names: Vec<String> = cells.iter().map(of).collect();
        assert_eq!(
            names,
            ["a rmed", "a rcs:alpha=1", "b rmed", "b rcs:alpha=1"]
        );
        assert!(cells.iter().all(|cell| cell.simulate.runs.value() == 3));
    }

    #[test]
    fn defaults_fill_what_an_experiment_leaves_open() {
        let asked = "[defaults]\ndata = \"a\"\nmix = 0.5\nbudget = 10\nmodel = \"m\"\n\
                     [[experiment]]\nmix = [0.2, 0.8]\nmetric = \"chrf\"\nlink = \"linear\"";
        let cells = cells(asked);
        let mix: Vec<Option<f64>> = cells.iter().map(|cell| number(cell, "mix")).collect();
        assert_eq!(mix, [Some(0.2), Some(0.8)]);
        let of_first = (number(&cells[0], "budget"), text(&cells[0], "data"));
        assert_eq!(of_first, (Some(10.0), Some("a".into())));
        assert_eq!(cells[0].model(), None, "a metric stands in its place");
    }

    #[test]
    fn help_may_be_left_to_advice() {
        let asked = "[[experiment]]\ndata = \"a\"\nmodel = \"m\"\nmix = [\"auto\", 0.5]\neliminate = \"auto\"";
        let cells = cells(asked);
        let of = |cell: &ExperimentSettings| (text(cell, "mix"), number(cell, "mix"));
        assert_eq!(of(&cells[0]), (Some("auto".into()), None));
        assert_eq!(of(&cells[1]), (Some("0.5".into()), Some(0.5)));
        let choices = cells[0].stage().choices;
        assert_eq!(choices.eliminate, Some(Eliminate::Auto));
        assert_eq!(choices.audit, Some(Audit::NONE), "as in the papers");
    }

    #[test]
    fn keys_of_tables_in_a_key_tell_cells_apart() {
        let asked = "[[experiment]]\ndata = \"a\"\nmodel = \"m\"\nselect = \"bald:0.1\"\n\
                     eliminate = [{ copeland = 0.2 }, { copeland = 0.4 }]";
        let cell = &cells(asked)[1];
        assert_eq!(number(cell, "copeland"), Some(0.4));
        let select = (text(cell, "select"), number(cell, "select"));
        assert_eq!(select, (Some("bald:0.1".into()), Some(0.1)));
    }

    /// The lines beside a key of `simulate`: a model that answers, without the keys that it replaces.
    fn around(key: &str) -> String {
        let with = |name: &str| match key {
            "predictions" => name == "data" || name == "mix",
            "select" | "without-replacement" => name != "mix",
            _ => name != key,
        };
        let all = [("data", "\"d\""), ("model", "\"m\""), ("mix", "0.5")];
        let lines = all.iter().filter(|(name, _)| with(name));
        let lines: Vec<String> = lines
            .map(|(name, value)| {
                format!(
                    "{name} = {value}
"
                )
            })
            .collect();
        lines.concat()
    }

    #[test]
    fn every_key_of_simulate_is_an_axis() {
        for key in Simulate::names() {
            let [one, other] = values(&key);
            let asked = format!("[[experiment]]\n{}{key} = [{one}, {other}]", around(&key));
            let found: Vec<_> = cells(&asked).iter().map(|cell| text(cell, &key)).collect();
            assert_eq!(found.len(), 2, "{key}");
            assert!(
                found[0].is_some() && found[0] != found[1],
                "{key}: {found:?}"
            );
            // No key takes both a truth value and a number.
            let wrong = if one == "true" { "2" } else { "false" };
            let asked = format!(
                "[[experiment]]\n{key} = [\n{one},\n{wrong}]\n{}",
                around(&key)
            );
            let error = grid(&asked).err().unwrap().to_string();
            let expected = format!("folder/g.toml:5: {key}: ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    /// Where and what is wrong, and the file.
    const WRONG: &str = r#"
2: data:                      | [[experiment]]\nbandit = "rmed"
4: metric:                    | [[experiment]]\ndata = "a"\nmetric = "chrf"
3: measure:                   | [[experiment]]\nmeasure = "sentence-accuracy"\ndata = "a"
4: bandit:                    | [[experiment]]\nmeasure = "judgments"\nbandit = "rmed"\ndata = "a"
4: criterion:                 | [[experiment]]\nmeasure = "judgments"\ncriterion = "c"\ndata = "a"
6: dropout:                   | [[experiment]]\ndata = "a"\nLINKED\ndropout = "last-layer"
6: draws:                     | [[experiment]]\ndata = "a"\nLINKED\ndraws = "adaptive"
3: measure:                   | [[experiment]]\nmeasure = "variance"\ndata = "a"
6: metric:                    | [[experiment]]\nmeasure = "variance"\ncriterion = "c"\ndata = "a"\nmetric = "chrf"
3: measure:                   | [[experiment]]\nmeasure = "correlation"\ncriterion = "c"\ndata = "a"
2: runs:                      | [[experiment]]\ndata = "a"\nRATED\nbudget = 100
8: budget:                    | [[experiment]]\ndata = "a"\nRATED\nruns = 9\nbudget = [100, 9]
7: estimator:                 | [[experiment]]\ndata = "a"\nRATED\nestimator = "maen"\nruns = 9\nbudget = 10
7: uncertainty:               | [[experiment]]\ndata = "a"\nRATED\nuncertainty = "others"
4: systems:                   | [[experiment]]\ndata = "a"\nsystems = 3\nmodel = "m"\neliminate = {}
4: mix:                       | [[experiment]]\ndata = "a"\nmix = 1.5
3: unknown key `dota`         | [[experiment]]\ndota = "a"
6: rows: unknown key `bandid` | [[experiment]]\ndata = "a"\n[[table]]\nname = "t"\nrows = "bandid"
4: value: missing             | [[experiment]]\ndata = "a"\n[[table]]\nname = "t"\ntitle = "T"
5: y: unknown variant         | [[experiment]]\ndata = "a"\n[[plot]]\ny = "accurate"
7: only: no experiment        | [[experiment]]\ndata = "a"\n[[plot]]\nname = "p"\ntitle = "P"\nonly = "q"
4: unknown key `tabel`        | [[experiment]]\ndata = "a"\n[[tabel]]\nname = "t"
"#;

    #[test]
    fn what_cannot_be_is_refused_at_its_line() {
        let rated = r#"measure = "data-efficiency"\nmetric = "chrf"\ncriterion = "c""#;
        for line in WRONG.trim().lines() {
            let (expected, file) = line.split_once(" | ").unwrap();
            let file = file.trim_start().replace("RATED", rated);
            let file = file.replace("LINKED", r#"metric = "chrf"\nlink = "linear""#);
            let error = grid(&file.replace("\\n", "\n")).err();
            let error = error.unwrap_or_else(|| panic!("{file}")).to_string();
            let expected = format!("folder/g.toml:{}", expected.trim_end());
            assert!(error.starts_with(&expected), "{file}\n{error}");
        }
    }
}
