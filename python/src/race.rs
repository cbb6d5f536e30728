//! A race by scores that Python drives. Its log is open, and what a call did is on disk when it returns.

use crate::work::quickly;
use pyo3::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tiebreak::journal::{RaceJournal, RaceSetup};
use tiebreak::race::{RacePlace, RaceTask};
use tiebreak::{Error, Result};

/// An open race.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Race(Mutex<RaceJournal>);

/// A task by its number, with the places of its system and item.
type Task = (u64, usize, usize);

fn numbered(task: &RaceTask) -> Task {
    (task.task, task.system, task.item)
}

fn read(setup: &str) -> Result<RaceSetup> {
    serde_json::from_str(setup).map_err(|error| Error::usage(error.to_string()))
}

#[pymethods]
impl Race {
    /// Opens the log at `path`, or begins it there; `setup` is its first line as JSON.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, setup: &str) -> PyResult<Self> {
        quickly(py, || {
            let journal = RaceJournal::open(&path, Some(read(setup)?))?;
            Ok(Self(Mutex::new(journal)))
        })
    }

    /// Goes on as `setup` has it, which may have a larger budget than before.
    fn go_on(&self, py: Python<'_>, setup: &str) -> PyResult<()> {
        self.with(py, |journal| journal.go_on(&read(setup)?))
    }

    /// Asks for a round: an item, scored for all systems that are left. It is empty where nothing is left to ask for.
    fn ask(&self, py: Python<'_>) -> PyResult<Vec<Task>> {
        self.with(py, |journal| {
            let places = journal.race().places().iter();
            let racing = places.filter(|place| **place == RacePlace::Racing).count();
            Ok(journal.ask(racing, None)?.iter().map(numbered).collect())
        })
    }

    /// The tasks without a score.
    fn open(&self, py: Python<'_>) -> PyResult<Vec<Task>> {
        self.with(py, |journal| {
            let tasks = journal.tasks().iter();
            let open = tasks.filter(|task| !journal.scores().contains_key(&task.task));
            Ok(open.map(numbered).collect())
        })
    }

    /// All tasks that were asked for, in order.
    fn tasks(&self, py: Python<'_>) -> PyResult<Vec<Task>> {
        self.with(py, |journal| {
            Ok(journal.tasks().iter().map(numbered).collect())
        })
    }

    /// Takes scores by task; None where there will be none.
    fn tell(&self, py: Python<'_>, scores: Vec<(u64, Option<f64>)>) -> PyResult<()> {
        self.with(py, |journal| journal.tell(&scores))
    }

    /// Takes wrong scores back; their tasks are open again.
    fn take_back(&self, py: Python<'_>, tasks: Vec<u64>) -> PyResult<()> {
        self.with(py, |journal| journal.take_back(&tasks))
    }

    /// The claim, the verdict and the system of highest mean among those left, as JSON.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |journal| {
            let (race, names) = (journal.race(), &journal.setup().systems);
            let claim = race.claim(names);
            let status = json!({
                "verdict": claim.verdict(),
                "leader": race.leader().map(|leader| &names[leader]),
                "asked": race.asked(),
                "received": race.received(),
                "is_over": race.is_decided(),
                "most_below_best": names
                    .iter()
                    .enumerate()
                    .filter_map(|(place, name)| Some((name, race.most_below_best(place)?)))
                    .collect::<BTreeMap<_, _>>(),
                "claim": claim,
            });
            Ok(status.to_string())
        })
    }
}

impl Race {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut RaceJournal) -> Result<T> + Send,
    ) -> PyResult<T> {
        quickly(py, || {
            job(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}
