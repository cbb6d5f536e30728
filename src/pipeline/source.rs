//! A data set made ready for stages: opened, indexed, digested; and the tables that lie beside it.

use super::context::Context;
use crate::duel::{Arm, Prediction, Uncertainty};
use crate::error::{Error, Location, Result};
use crate::records::Dataset;
use crate::records::index::{Beside, Extra, Group, Index};
use crate::records::reader::{Columns, Row, Rows};
use crate::tables::meta::{self, Meta};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A data set made ready for stages.
pub struct Source {
    /// Its files.
    pub dataset: Dataset,
    /// Its contents, item by item.
    pub index: Index,
    /// The digest of its contents.
    pub digest: String,
    /// Fewest and most references of an item that has outputs.
    pub references: (usize, usize),
}

impl Source {
    /// Opens, checks and indexes a data set. `columns` are renamings that go before those of
    /// `dataset.toml`.
    ///
    /// # Errors
    /// The first mistake in the data, with its place.
    pub fn open(context: &Context<'_>, path: &Path, columns: &[(String, String)]) -> Result<Self> {
        let dataset = Dataset::open(path, columns)?;
        context.progress.begin("reading", 0);
        let opened = Self::read(dataset);
        context.progress.end();
        opened
    }

    fn read(dataset: Dataset) -> Result<Self> {
        let digest = dataset.digest()?;
        let index = Index::build(&dataset)?;
        let mut references = (usize::MAX, 0);
        for group in index.all() {
            let group = group?;
            if !group.outputs.is_empty() {
                let n = group.references.len();
                references = (references.0.min(n), references.1.max(n));
            }
        }
        references.0 = references.0.min(references.1);
        Ok(Self {
            dataset,
            index,
            digest,
            references,
        })
    }

    /// The systems, by arm.
    pub fn systems(&self) -> &[String] {
        self.index.systems()
    }

    /// The name of a system.
    pub fn system(&self, arm: Arm) -> &str {
        &self.index.systems()[arm.index()]
    }

    /// The groups of a range of items.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn groups(&self, range: Range<u64>) -> Result<Vec<Group>> {
        self.index.groups(range).collect()
    }

    /// An error about the data set as a whole.
    pub fn lacks(&self, stage: &str, table: &str) -> Error {
        Error::MissingInput {
            stage: stage.to_string(),
            table: format!("`{table}` of {}", self.dataset.path().display()),
            hint: Some("`tiebreak check` tells what can be run on a data set".to_string()),
        }
    }
}

/// The scores of one metric, beside the outputs.
pub struct Scores {
    beside: Beside,
    path: PathBuf,
    metric: String,
    /// What made them, where the table says so.
    pub signature: String,
    /// Whether they come with draws.
    pub has_draws: bool,
}

/// A score and, where the metric has dropout, its draws.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The score.
    pub score: f64,
    /// The draws, possibly none.
    pub draws: Vec<f64>,
}

impl Scores {
    /// Reads the scores of `metric` from a table.
    ///
    /// # Errors
    /// Rows that do not fit the data set; a metric the table does not hold.
    pub fn open(source: &Source, path: &Path, metric: &str) -> Result<Self> {
        let metric = metric_in(path, metric)?;
        let rows = Rows::open(path, &Columns::default())?;
        rows.require(&["item", "system", "metric", "score"])?;
        let signature = metadata(path, &rows)?.remove("signature");
        let has_draws = rows.columns().iter().any(|column| column == "draws");
        let extra = |row: Result<Row>| -> Result<Option<(String, Extra)>> {
            let row = row?;
            if row.text("metric")? != metric {
                return Ok(None);
            }
            let arm = source
                .index
                .system(&row.text("system")?)
                .map_err(|error| at(&row, &error))?;
            let mut numbers = vec![row.number("score")?];
            if has_draws {
                numbers.extend(row.optional_numbers("draws")?.unwrap_or_default());
            }
            let extra = Extra {
                line: row.number_in_file(),
                systems: [arm, arm],
                numbers,
            };
            Ok(Some((row.text("item")?, extra)))
        };
        let beside = Beside::build(
            &source.index,
            path,
            rows.filter_map(|row| extra(row).transpose()),
        )?;
        Ok(Self {
            beside,
            path: path.to_path_buf(),
            signature: signature.unwrap_or_else(|| metric.clone()),
            metric,
            has_draws,
        })
    }

    /// The name under which the table holds the metric.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// The score of every output of the groups, in the order of the outputs.
    ///
    /// # Errors
    /// An output without a score, or with two.
    pub fn of(&self, source: &Source, groups: &[Group]) -> Result<Vec<Vec<Score>>> {
        let Some(first) = groups.first() else {
            return Ok(Vec::new());
        };
        let rows = self
            .beside
            .groups(first.position..first.position + groups.len() as u64)?;
        groups
            .iter()
            .zip(rows)
            .map(|(group, rows)| self.of_group(source, group, rows))
            .collect()
    }

    fn of_group(&self, source: &Source, group: &Group, rows: Vec<Extra>) -> Result<Vec<Score>> {
        let mut by_system: BTreeMap<Arm, Extra> = BTreeMap::new();
        for row in rows {
            let (line, system) = (row.line, row.systems[0]);
            if let Some(earlier) = by_system.insert(system, row) {
                return Err(Error::record(
                    Location::line(&self.path, line),
                    format!(
                        "a second {} score of system `{}` on item `{}`; the first is in row {}",
                        self.metric,
                        source.system(system),
                        group.item,
                        earlier.line
                    ),
                ));
            }
        }
        let score = |system: Arm| match by_system.get(&system) {
            Some(row) => Ok(Score {
                score: row.numbers[0],
                draws: row.numbers[1..].to_vec(),
            }),
            None => Err(Error::input(
                &self.path,
                format!(
                    "no {} score of system `{}` on item `{}`",
                    self.metric,
                    source.system(system),
                    group.item
                ),
            )
            .with_hint(
                "score the whole data set first: `tiebreak score DATA --metric NAME --out FILE`",
            )),
        };
        group
            .outputs
            .iter()
            .map(|output| score(output.system))
            .collect()
    }
}

/// The predictions of a model, beside the items.
pub struct Predictions {
    beside: Beside,
    /// What made them, where the table says so.
    pub signature: String,
    /// The thresholds τ1, τ2 that turn a preference into an outcome.
    pub thresholds: (f64, f64),
    /// Whether they come with uncertainty.
    pub has_uncertainty: bool,
}

impl Predictions {
    /// Reads a table of predictions.
    ///
    /// # Errors
    /// Rows that do not fit the data set; preferences outside [0, 1].
    pub fn open(source: &Source, path: &Path) -> Result<Self> {
        let rows = Rows::open(path, &Columns::default())?;
        rows.require(&["item", "system_a", "system_b", "p"])?;
        let mut metadata = metadata(path, &rows)?;
        let threshold = |key: &str| {
            metadata
                .get(key)
                .and_then(|text| text.parse().ok())
                .unwrap_or(0.5)
        };
        let thresholds = (threshold("tau1"), threshold("tau2"));
        let signature = metadata.remove("signature");
        let mut has_uncertainty = true;
        let extra = |row: &Row| -> Result<(String, Extra)> {
            let arm = |column| {
                source
                    .index
                    .system(&row.text(column)?)
                    .map_err(|error| at(row, &error))
            };
            let mut numbers = vec![share(row, "p")?];
            if let (Some(bald), Some(std)) =
                (row.optional_number("bald")?, row.optional_number("std")?)
            {
                numbers.extend([share(row, "mean")?, bald, std]);
            }
            let systems = [arm("system_a")?, arm("system_b")?];
            Ok((
                row.text("item")?,
                Extra {
                    line: row.number_in_file(),
                    systems,
                    numbers,
                },
            ))
        };
        let rows = rows.map(|row| {
            let found = extra(&row?)?;
            has_uncertainty &= found.1.numbers.len() > 1;
            Ok(found)
        });
        let beside = Beside::build(&source.index, path, rows)?;
        Ok(Self {
            beside,
            signature: signature.unwrap_or_else(|| "predictions".to_string()),
            thresholds,
            has_uncertainty,
        })
    }

    /// The predictions of one item.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn of(&self, position: u64) -> Result<Vec<(Arm, Arm, Prediction)>> {
        let rows = self
            .beside
            .groups(position..position + 1)?
            .pop()
            .unwrap_or_default();
        let prediction = |row: Extra| {
            let uncertainty = match row.numbers[..] {
                [_, mean, bald, std] => Some(Uncertainty { mean, bald, std }),
                _ => None,
            };
            (
                row.systems[0],
                row.systems[1],
                Prediction {
                    p: row.numbers[0],
                    uncertainty,
                },
            )
        };
        Ok(rows.into_iter().map(prediction).collect())
    }
}

fn share(row: &Row, column: &str) -> Result<f64> {
    let value = row.number(column)?;
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(row.error(format!(
        "`{column}` is {value}, expected a number from 0 to 1"
    )))
}

/// An error at a row, where a lookup by name failed.
fn at(row: &Row, error: &Error) -> Error {
    let located = row.error(error.to_string());
    match error.hint() {
        Some(hint) => located.with_hint(hint),
        None => located,
    }
}

/// The pairs a user asked for, beside the items.
pub struct Pairs {
    beside: Beside,
    digest: String,
}

impl Pairs {
    /// Reads a table of pairs.
    ///
    /// # Errors
    /// Rows that do not fit the data set; a system paired with itself.
    pub fn open(source: &Source, path: &Path) -> Result<Self> {
        let rows = Rows::open(path, &Columns::default())?;
        rows.require(&["item", "system_a", "system_b"])?;
        let extra = |row: Result<Row>| -> Result<(String, Extra)> {
            let row = row?;
            let arm = |column| {
                source
                    .index
                    .system(&row.text(column)?)
                    .map_err(|error| at(&row, &error))
            };
            let systems = [arm("system_a")?, arm("system_b")?];
            if systems[0] == systems[1] {
                return Err(row.error(format!(
                    "system `{}` is paired with itself",
                    source.system(systems[0])
                )));
            }
            Ok((
                row.text("item")?,
                Extra {
                    line: row.number_in_file(),
                    systems,
                    numbers: Vec::new(),
                },
            ))
        };
        let beside = Beside::build(&source.index, path, rows.map(extra))?;
        Ok(Self {
            beside,
            digest: digest(path)?,
        })
    }

    /// The digest of the file.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The pairs of every group of a range, each once, as first given.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn of(&self, range: Range<u64>) -> Result<Vec<Vec<(Arm, Arm)>>> {
        let once = |rows: Vec<Extra>| {
            let mut pairs: Vec<(Arm, Arm)> = Vec::new();
            for Extra {
                systems: [a, b], ..
            } in rows
            {
                if !pairs.contains(&(a, b)) && !pairs.contains(&(b, a)) {
                    pairs.push((a, b));
                }
            }
            pairs
        };
        Ok(self.beside.groups(range)?.into_iter().map(once).collect())
    }
}

/// What a table says of itself: in its schema, or in the `.meta.json` beside a text form.
fn metadata(path: &Path, rows: &Rows) -> Result<BTreeMap<String, String>> {
    let beside = meta::beside(path);
    match beside.exists() {
        true => Ok(Meta::read(&beside)?.fields()),
        false => Ok(rows.metadata().clone()),
    }
}

/// The digest of a file, or of a folder's parts in order.
///
/// # Errors
/// If it cannot be read.
pub fn digest(path: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files(path)? {
        let mut file = File::open(&file).map_err(Error::reading(&file))?;
        io::copy(&mut file, &mut hash).map_err(Error::reading(path))?;
    }
    Ok(format!("sha256:{:x}", hash.finalize()))
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut inside = Vec::new();
    for entry in fs::read_dir(path).map_err(Error::reading(path))? {
        inside.push(entry.map_err(Error::reading(path))?.path());
    }
    inside.sort();
    let nested: Vec<Vec<PathBuf>> = inside
        .iter()
        .map(|path| files(path))
        .collect::<Result<_>>()?;
    Ok(nested.concat())
}

/// The name under which a scores table holds a metric: as asked for or, where only one variant of
/// it is there, that one.
fn metric_in(path: &Path, metric: &str) -> Result<String> {
    let mut names: Vec<String> = Vec::new();
    for row in Rows::open(path, &Columns::default())? {
        let name = row?.text("metric")?;
        if name == metric {
            return Ok(name);
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let variants: Vec<&String> = names
        .iter()
        .filter(|name| name.split(':').next() == Some(metric))
        .collect();
    match variants[..] {
        [only] => Ok(only.clone()),
        _ => Err(
            Error::input(path, format!("no scores of metric `{metric}`"))
                .with_hint(format!("it holds {}", names.join(", "))),
        ),
    }
}
