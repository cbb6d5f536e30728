//! A pipeline file: its stages, each read and checked against what those before it make.

use crate::engine::Context;
use crate::engine::names::{file_name, stem};
use crate::experiments::Grid;
use crate::stages::training::Trainings;
use crate::stages::{PipelineArtifacts, PipelineStage, STAGES, StageEntry, rank, simulate};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Key, Location, Result};
use tiebreak_base::keys::file::PipelineFile;
use tiebreak_base::keys::table::{Document, Table};
use tiebreak_base::message;

/// The content of a file for `tiebreak run`.
pub enum Runnable {
    /// Stages on one data set.
    Pipeline(Box<Pipeline>),
    /// Experiments on many, `[[experiment]]`.
    Grid(Box<Grid>),
    /// Trainings of preference models, `[[train]]`.
    Trainings(Box<PipelineFile<Trainings>>),
}

impl Runnable {
    /// Reads a file of any kind.
    ///
    /// # Errors
    /// As [`Pipeline::read`], `Grid::new` and [`PipelineFile::read`].
    pub fn read(path: &Path) -> Result<Self> {
        let document = Document::read(path)?;
        let has = |list: &str| document.lists.iter().any(|(name, _)| name == list);
        if has("experiment") {
            Grid::new(path, document).map(|grid| Self::Grid(Box::new(grid)))
        } else if has("train") {
            PipelineFile::read(path).map(|file| Self::Trainings(Box::new(file)))
        } else {
            Pipeline::new(path, document).map(|pipeline| Self::Pipeline(Box::new(pipeline)))
        }
    }
}

/// A pipeline: a data set and stages.
pub struct Pipeline {
    /// The seed of everything random, if it names one.
    pub seed: Option<u64>,
    /// The data set.
    pub data: PathBuf,
    /// Column names that differ from the interface's, as in `dataset.toml`.
    pub columns: Vec<(String, String)>,
    /// Its stages, in the order they run, whatever their order in the file.
    pub(crate) stages: Vec<PlannedStage>,
    path: PathBuf,
    top: Table,
}

/// A stage of a pipeline.
#[non_exhaustive]
pub(crate) struct PlannedStage {
    /// The verb.
    pub kind: &'static str,
    /// The name for later stages and the report.
    pub name: String,
    /// The stage itself.
    pub stage: Box<dyn PipelineStage>,
    /// Its keys in the file.
    pub table: Table,
}

/// The keys outside of stages.
const TOP: [&str; 3] = ["seed", "data", "columns"];

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    /// [`Error::Pipeline`] with the line for anything that is not a pipeline; [`Error::Input`] if the file
    /// cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        Self::new(path, Document::read(path)?)
    }

    fn new(path: &Path, document: Document) -> Result<Self> {
        let Document {
            mut top, mut lists, ..
        } = document;
        for (name, tables) in &lists {
            if !STAGES.iter().any(|entry| entry.name == name) {
                return Err(unknown(name, tables));
            }
        }
        let known = TOP.map(str::to_string);
        if let Some((key, value)) = top.values.iter().find(|(key, _)| !known.contains(key)) {
            let is_stage = STAGES.iter().any(|entry| entry.name == key);
            let error = top.unknown(key, &known);
            return Err(match is_stage && value.is_table() {
                true => error.with_hint(format!("a stage is a list of tables: [[{key}]]")),
                false => error,
            });
        }
        let seed = top.take("seed")?;
        let data: Option<PathBuf> = top.take("data")?;
        let columns: Option<toml::map::Map<String, toml::Value>> = top.take("columns")?;
        let columns = columns.unwrap_or_default().into_iter();
        let column = |(name, column): (String, toml::Value)| match column {
            toml::Value::String(column) => Ok((name, column)),
            _ => Err(Error::pipeline(
                top.place_of("columns"),
                format!("columns: `{name}` is not the name of a column"),
            )),
        };
        let columns = columns.map(column).collect::<Result<_>>()?;
        let Some(data) = data else {
            let missing = Error::pipeline(top.location(), "data is missing");
            return Err(missing.with_hint("name the data set: data = \"folder\""));
        };
        let mut stages = Vec::new();
        for entry in STAGES {
            let list = lists.iter_mut().find(|(name, _)| name == entry.name);
            let tables = list.map(|(_, tables)| std::mem::take(tables));
            for table in tables.unwrap_or_default() {
                stages.extend(planned(entry, table)?);
            }
        }
        if stages.is_empty() {
            let what = "no stage, so there is nothing to run";
            return Err(Error::pipeline(top.location(), what)
                .with_hint("add one, such as [[rank]]; docs/pipelines.md has examples"));
        }
        Ok(Self {
            seed,
            // Paths in a file are seen from its folder.
            data: path.with_file_name("").join(data),
            columns,
            stages,
            path: path.to_path_buf(),
            top,
        })
    }

    /// The name of the pipeline: that of its file.
    pub fn name(&self) -> String {
        stem(&self.path)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The place of a key outside of stages.
    pub fn place_of(&self, key: &str) -> Location {
        self.top.place_of(key)
    }

    /// Checks everything that can be known without the data: names, parameters, and that earlier stages make the tables
    /// that later ones need. Returns what is made.
    ///
    /// # Errors
    /// [`Error::Pipeline`] at the line of the first mistake.
    pub fn plan(&self, context: &Context<'_>) -> Result<PipelineArtifacts> {
        let mut made = PipelineArtifacts::new(&self.path.with_file_name(""));
        for (place, planned) in self.stages.iter().enumerate() {
            let PlannedStage {
                kind, name, table, ..
            } = planned;
            if matches!(&**name, "" | "." | "..") {
                let what = format!("a stage called `{name}`, which cannot be a folder name");
                return Err(Error::pipeline(table.place_of("name"), what));
            }
            let mut before = self.stages[..place].iter();
            // Tables of stages lie in files of the stages' names.
            let same = |other: &PlannedStage| file_name(&other.name) == file_name(name);
            if before.any(|other| other.kind == *kind && same(other)) {
                let what = format!("two [[{kind}]] stages are called `{name}`");
                let error = Error::pipeline(table.place_of("name"), what);
                return Err(error.with_hint(message!("give one of them another {}", Key("name"))));
            }
            let planned = planned.stage.plan(context, name, &mut made);
            planned.map_err(table.at())?;
        }
        Ok(made)
    }
}

/// The stages of a table: one, or one for each combination of its axes, named by the values that
/// differ.
fn planned(entry: &StageEntry, mut table: Table) -> Result<Vec<PlannedStage>> {
    let name: Option<String> = table.take("name")?;
    let mut stages = Vec::new();
    for one in (entry.each)(&table)? {
        let stage = (entry.read)(&one).map_err(|error| moved(entry.name, &one, error))?;
        stages.push(PlannedStage {
            kind: entry.name,
            name: name.clone().unwrap_or_else(|| stage.label()),
            stage,
            table: one,
        });
    }
    let names: BTreeSet<&String> = stages.iter().map(|one| &one.name).collect();
    if names.len() < stages.len() {
        for one in &mut stages {
            one.name = format!("{}-{}", one.name, one.table.apart(&table));
        }
    }
    Ok(stages)
}

fn unknown(name: &str, tables: &[Table]) -> Error {
    let known: Vec<String> = STAGES.iter().map(|one| one.name.to_string()).collect();
    let at = tables[0].location();
    let near = tiebreak_base::error::nearest(name, known.iter().map(String::as_str));
    let hint = match near {
        _ if name == "judge" => {
            "a judge is a model of [[predict]]: model = \"judge.toml\"".to_string()
        }
        Some(near) => format!("did you mean [[{near}]]?"),
        None => format!("the stages are {}", known.join(", ")),
    };
    Error::pipeline(at, format!("unknown stage [[{name}]]")).with_hint(hint)
}

/// Points a `[[rank]]` with the keys of a replay to where those are.
fn moved(kind: &str, table: &Table, error: Error) -> Error {
    let replays = STAGES.iter().find(|one| one.name == simulate::NAME);
    let ranks = STAGES.iter().find(|one| one.name == rank::NAME);
    let (Some(replays), Some(ranks)) = (replays, ranks) else {
        return error;
    };
    let (there, here) = ((replays.keys)(), (ranks.keys)());
    let gone = |key: &String| there.contains(key) && !here.contains(key);
    match kind == rank::NAME && table.values.keys().any(gone) {
        true => error.with_hint("replays of recorded comparisons are [[simulate]]"),
        false => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Pipeline> {
        let path = Path::new("folder/p.toml");
        Pipeline::new(path, Document::parse(path, text.to_string())?)
    }

    #[test]
    fn stages_run_in_the_order_data_flows() {
        let text = "seed = 42\ndata = \"../x\"\n[[simulate]]\nbandit = { name = \"rmed\", f = 0.3 }\n\
             runs = 200\n[[score]]\nmetric = \"chrf:word-order=2\"\n";
        let pipeline = read(text).unwrap();
        assert_eq!(pipeline.data, Path::new("folder/../x"));
        let names: Vec<&str> = pipeline
            .stages
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["chrf:word-order=2", "rmed_f-0.3"]);
        assert_eq!(
            pipeline.stages[1].stage.settings()["runs"].as_integer(),
            Some(200)
        );
    }

    #[test]
    fn what_cannot_be_is_refused_at_its_line() {
        for (stages, expected) in [
            (
                "[[score]]\nmetric = \"chrf\"\nmetrik = 1",
                "p.toml:4: unknown key `metrik`",
            ),
            (
                "[[scores]]\nmetric = \"chrf\"",
                "p.toml:2: unknown stage [[scores]]",
            ),
            (
                "[[rank]]\nbandit = \"rmed\"",
                "p.toml:3: unknown key `bandit`",
            ),
            ("[[simulate]]\nruns = 0", "p.toml:3: runs: 0, expected"),
            ("", "p.toml:1: no stage"),
        ] {
            let error = read(&format!("data = \"x\"\n{stages}\n")).err().unwrap();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let error = read("dota = \"x\"\n").err().unwrap();
        assert!(error.hint().unwrap().contains("`data`"), "{error}");
    }
}
