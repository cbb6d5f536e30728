//! A data set, and what stages find on it.

use crate::errors::{raise, raised_of};
use crate::given::{Beside, held, keys_of};
use crate::progress::Renamed;
use crate::table::Table;
use crate::work::{Settings, work};
use pyo3::prelude::*;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tiebreak::engine::{Context, ProgressReporter};
use tiebreak::inputs::source::Source;
use tiebreak::keys::Keys;
use tiebreak::records::import::ImportOptions;
use tiebreak::records::{self, Dataset, Kind, Outcomes};
use tiebreak::report::ShownResult;
use tiebreak::stages::predict::{self, Predict};
use tiebreak::stages::score::{self, ScoreStage, SystemScore};
use tiebreak::stages::{
    PipelineArtifacts, PipelineStage, StageContext, annotators, assess, correlate, estimate, gate,
    rank, simulate,
};
use tiebreak::tables::Destination;
use tiebreak::{Error, Result};

/// A data set, open and indexed.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Data {
    source: Source,
    settings: Settings,
    /// What messages call the paths of tables in memory, which lie in a folder that nobody named.
    names: Vec<(String, &'static str)>,
}

/// The options by which a data set is read.
fn options(
    py: Python<'_>,
    columns: Vec<(String, String)>,
    pick: Vec<(String, String)>,
    format: Option<String>,
    criteria: Option<Vec<String>>,
    outcomes: Vec<(String, String)>,
) -> PyResult<ImportOptions> {
    let outcomes = Outcomes::new(outcomes).map_err(Error::of_key("outcomes"));
    Ok(ImportOptions {
        columns,
        pick,
        format,
        criteria,
        outcomes: outcomes.map_err(raise(py))?,
        ..ImportOptions::default()
    })
}

/// What a stage found: as `--json` prints it, as text, and as a piece of HTML.
type Found = (String, String, String);

#[pymethods]
impl Data {
    /// A folder or file, as the command line opens it.
    #[staticmethod]
    #[pyo3(signature = (path, columns, pick, format, asked, criteria, outcomes, seed, device, quiet))]
    #[allow(clippy::too_many_arguments)] // each is a flag
    fn open(
        py: Python<'_>,
        path: PathBuf,
        columns: Vec<(String, String)>,
        pick: Vec<(String, String)>,
        format: Option<String>,
        asked: Option<Vec<String>>,
        criteria: Option<Vec<String>>,
        outcomes: Vec<(String, String)>,
        seed: Option<u64>,
        device: Option<&str>,
        quiet: bool,
    ) -> PyResult<Self> {
        let settings = Settings::new(py, seed, device, quiet)?;
        let options = ImportOptions {
            lone_is_one_system: asked.is_some(),
            asked,
            ..options(py, columns, pick, format, criteria, outcomes)?
        };
        let source = work(py, &settings, |context| {
            Source::with(context, &path, &options)
        })?;
        Ok(Self {
            source,
            settings,
            names: Vec::new(),
        })
    }

    /// A table in memory that is read as a file of it would be: the name of its kind, and JSON lines or something that speaks
    /// Arrow.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // each is a flag
    fn of_table(
        py: Python<'_>,
        table: (String, Bound<'_, PyAny>),
        columns: Vec<(String, String)>,
        pick: Vec<(String, String)>,
        format: Option<String>,
        asked: Option<Vec<String>>,
        criteria: Option<Vec<String>>,
        outcomes: Vec<(String, String)>,
        seed: Option<u64>,
        device: Option<&str>,
        quiet: bool,
    ) -> PyResult<Self> {
        let settings = Settings::new(py, seed, device, quiet)?;
        let (kind, table) = held(&table.0, &table.1)?;
        let options = ImportOptions {
            asked,
            ..options(py, columns, pick, format, criteria, outcomes)?
        };
        let source = work(py, &settings, |context| {
            Source::index(context, Dataset::of_table(kind, &table, &options)?)
        })?;
        Ok(Self::in_memory(source, settings))
    }

    /// Tables in memory: (name, JSON lines or something that speaks Arrow).
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // each is a flag
    fn of_tables(
        py: Python<'_>,
        tables: Vec<(String, Bound<'_, PyAny>)>,
        columns: Vec<(String, String)>,
        pick: Vec<(String, String)>,
        format: Option<String>,
        criteria: Option<Vec<String>>,
        outcomes: Vec<(String, String)>,
        seed: Option<u64>,
        device: Option<&str>,
        quiet: bool,
    ) -> PyResult<Self> {
        let settings = Settings::new(py, seed, device, quiet)?;
        let tables = tables.iter().map(|(name, given)| held(name, given));
        let tables: Vec<_> = tables.collect::<PyResult<_>>()?;
        let options = options(py, columns, pick, format, criteria, outcomes)?;
        let source = work(py, &settings, |context| {
            Source::index(context, Dataset::read_tables(&tables, &options)?)
        })?;
        Ok(Self::in_memory(source, settings))
    }

    /// Where it lies.
    #[getter]
    fn path(&self) -> PathBuf {
        self.source.dataset.path().to_path_buf()
    }

    /// The folder of the tables that were made of it, where the files are another tool's.
    #[getter]
    fn imported(&self) -> Option<PathBuf> {
        self.source.dataset.imported_folder()
    }

    /// The systems, by name.
    #[getter]
    fn systems(&self) -> Vec<String> {
        self.source.systems().to_vec()
    }

    /// How many items there are.
    #[getter]
    fn items(&self) -> u64 {
        self.source.index.items()
    }

    /// What it holds: as `check --json` prints it, and as text.
    fn check(&self, py: Python<'_>) -> PyResult<(String, String)> {
        self.work(py, |_| {
            let summary = records::DatasetSummary::new(&self.source.index, &self.source.dataset)?;
            Ok((json(&summary)?, summary.to_string()))
        })
    }

    /// What a command prints that has this data set as an argument.
    fn command(&self, py: Python<'_>, arguments: Vec<OsString>) -> PyResult<String> {
        self.work(py, |context| {
            tiebreak::cli::command(&arguments, context.progress, context.stop)
        })
    }

    /// `score`, into memory.
    fn score(&self, py: Python<'_>, keys: &str) -> PyResult<Table> {
        let keys: ScoreStage = keys_of(keys).map_err(raise(py))?;
        self.work(py, |context| {
            let scorers = self.scorers(context, &keys)?;
            score::table(context, &self.source, &scorers)
        })
        .map(Table::from)
    }

    /// The scores of each system: corpus scores, or means of its outputs' scores. As JSON.
    fn system_scores(&self, py: Python<'_>, keys: &str, corpus: bool) -> PyResult<String> {
        let keys: ScoreStage = keys_of(keys).map_err(raise(py))?;
        self.work(py, |context| {
            let scorers = self.scorers(context, &keys)?;
            let rows = match corpus {
                true => SystemScore::corpus(context, &self.source, &scorers)?,
                false => SystemScore::means(context, &self.source, &scorers)?,
            };
            SystemScore::warn_of_different_items(context, &self.source, &rows)?;
            json(&rows)
        })
    }

    /// `predict`, into memory.
    fn predict(
        &self,
        py: Python<'_>,
        keys: &str,
        tables: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Table> {
        self.stage_at(py, keys, &tables, |keys: &Predict, site| {
            let predictor = match keys.load(site.context, Path::new(""))? {
                Some(model) => model,
                None => keys.direct(site)?,
            };
            let options = keys.options(site)?;
            predict::table(site.context, site.source, &predictor, &options)
        })
        .map(Table::from)
    }

    /// A stage by its name; `tables` are those that its keys name, and what it found goes to `out` too.
    fn stage(
        &self,
        py: Python<'_>,
        name: &str,
        keys: &str,
        tables: Vec<(String, Bound<'_, PyAny>)>,
        out: Option<PathBuf>,
    ) -> PyResult<Found> {
        let out = out.as_deref();
        let to = out.map(Destination::from_path).transpose();
        let to = to.map_err(raise(py))?;
        match name {
            "rank" => self.stage_at(py, keys, &tables, |keys: &rank::Rank, site| {
                let found = keys.rank(site, None)?;
                shown(&found)
            }),
            "estimate" => {
                self.stage_at(py, keys, &tables, |keys: &estimate::EstimateStage, site| {
                    let found = keys.estimate(site)?;
                    Ok((json(&found.to_json())?, found.render(), found.html()?))
                })
            }
            "correlate" => self.stage_at(py, keys, &tables, |keys: &correlate::Correlate, site| {
                let made = keys.correlate(site)?;
                to.map_or(Ok(()), |to| made.write(&to))?;
                shown(&made.found)
            }),
            "assess" => self.stage_at(py, keys, &tables, |keys: &assess::Assess, site| {
                let found = keys.assess(site)?;
                out.map_or(Ok(()), |out| found.write(out))?;
                shown(&found)
            }),
            "simulate" => {
                self.stage_at(py, keys, &tables, |keys: &simulate::SimulateStage, site| {
                    let found = keys.simulate(site, out)?;
                    shown(&found)
                })
            }
            "annotators" => self.stage_at(
                py,
                keys,
                &tables,
                |keys: &annotators::AnnotatorsStage, site| {
                    let made = keys.compare(site)?;
                    to.map_or(Ok(()), |to| made.write(&to))?;
                    shown(&made.annotators)
                },
            ),
            _ => Err(raise(py)(Error::failed(format!("{name} is no stage")))),
        }
    }

    /// Refuses keys that `gate` does not have, before any log is read.
    #[staticmethod]
    fn check_gate(py: Python<'_>, keys: &str) -> PyResult<()> {
        keys_of::<gate::Gate>(keys).map(drop).map_err(raise(py))
    }

    /// `gate`: of two systems of this data set, or with further ones of their systems against the one here.
    fn gate(&self, py: Python<'_>, keys: &str, others: Vec<PyRef<'_, Self>>) -> PyResult<Found> {
        let keys: gate::Gate = keys_of(keys).map_err(raise(py))?;
        keys.check().map_err(raise(py))?;
        let news = others.iter().map(|other| &other.source);
        let logs: Vec<&Source> = std::iter::once(&self.source).chain(news).collect();
        self.at(py, |site| {
            let report = match logs.len() {
                1 => {
                    keys.fits(site)?;
                    keys.decide(site)?
                }
                _ => keys.decide_logs(site.context, &logs)?,
            };
            shown(&report)
        })
    }
}

impl Data {
    /// A data set of tables in memory.
    fn in_memory(source: Source, settings: Settings) -> Self {
        let dataset = &source.dataset;
        // The folder comes last: its path is a part of theirs.
        let paths = Kind::ALL.map(|kind| (dataset.table(kind), kind.name()));
        let paths = paths.into_iter().chain([(Some(dataset.path()), "data")]);
        let names = paths.filter_map(|(path, name)| Some((path?.to_string_lossy().into(), name)));
        Self {
            names: names.collect(),
            source,
            settings,
        }
    }

    fn work<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Context<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let done = work(py, &self.settings, |context| {
            let named = |text: &str| self.named(text);
            Ok(job(&with_notes(context, &Renamed(context.progress, named))))
        })?;
        done.map_err(|error| raised_of(py, &error, |text| self.named(text)))
    }

    /// A text in which tables in memory have their names in the place of paths.
    fn named(&self, text: &str) -> String {
        let names = self.names.iter();
        names.fold(text.to_string(), |text, (path, name)| {
            text.replace(path, name)
        })
    }

    /// Does a stage with these keys and tables.
    fn stage_at<K: Keys + PipelineStage + Send + Sync, T: Send>(
        &self,
        py: Python<'_>,
        keys: &str,
        tables: &[(String, Bound<'_, PyAny>)],
        job: impl FnOnce(&K, &StageContext<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let beside = Beside::new(tables)?;
        let named = |error| raised_of(py, &error, |text| self.named(&beside.named(text)));
        let keys: K = beside.keys(keys).map_err(named)?;
        let done = self.at(py, |site| {
            let notes = Renamed(site.context.progress, |text: &str| beside.named(text));
            let site = &StageContext {
                context: &with_notes(site.context, &notes),
                ..*site
            };
            let fits = keys.fits(site);
            Ok(fits.and_then(|()| job(&keys, site)))
        })?;
        done.map_err(named)
    }

    fn at<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&StageContext<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.work(py, |context| {
            job(&StageContext {
                context,
                source: &self.source,
                out: Path::new(""),
                made: &PipelineArtifacts::default(),
            })
        })
    }

    fn scorers(&self, context: &Context<'_>, keys: &ScoreStage) -> Result<Vec<score::Scorer>> {
        let mut scorers = keys.scorers(context)?;
        self.source.require_outputs()?;
        for scorer in &mut scorers {
            scorer.prepare(context, &self.source)?;
        }
        Ok(scorers)
    }
}

/// A context whose notes go elsewhere.
fn with_notes<'a>(context: &Context<'a>, notes: &'a dyn ProgressReporter) -> Context<'a> {
    Context {
        progress: notes,
        seed: context.seed,
        env: context.env.clone(),
        stop: context.stop,
    }
}

/// A result as JSON, as text and as HTML.
pub(crate) fn shown(found: &(impl Serialize + ShownResult)) -> Result<Found> {
    Ok((json(found)?, found.render(), found.html()?))
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::failed)
}
