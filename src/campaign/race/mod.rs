//! A race by scores as files: `ask` writes what to score next, `tell` reads scores. The folder holds the log of the race, which
//! has all that it takes to go on; the data set is read once, for the names of systems and items.

mod scores;
mod status;

pub(crate) use status::RaceStatus;
use status::WrittenTasks;

use super::settings::name_of_sheet;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_data::records::import::ImportOptions;
use tiebreak_data::tables::file::write_atomically;
use tiebreak_decide::race::{RaceItems, RaceTask};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::inputs::source::campaign::JOURNAL;
use tiebreak_stages::journal::{RaceJournal, RaceSetup};

/// The name of the task by which a race is begun.
pub(crate) const TASK: &str = "score";

/// The number of scores asked for at once, unless given.
const SCORES: usize = 100;

/// Whether the race in a folder is meant, or a new one there.
///
/// # Errors
/// If there is a campaign of the other kind.
pub(crate) fn is_race(folder: &Path, task: Option<&str>) -> Result<bool> {
    let begun = is_begun(folder);
    let other = |what: &str| {
        let what = format!("{}: {what}", folder.display());
        Err(Error::usage(what).with_hint("begin another one in a new folder"))
    };
    match task {
        Some(TASK) if !begun && has_line(&folder.join(JOURNAL)) => {
            other("the campaign here asks people, and is no race by scores")
        }
        Some(task) if task != TASK && begun => other("here is a race by scores"),
        task => Ok(begun || task == Some(TASK)),
    }
}

/// Whether a race was begun in a folder. A log without a whole line is what is left of a command that was killed: nothing
/// was asked for yet.
pub(crate) fn is_begun(folder: &Path) -> bool {
    let path = folder.join(JOURNAL);
    RaceJournal::is_at(&path) && has_line(&path)
}

/// Whether the file at `path` has a whole line.
fn has_line(path: &Path) -> bool {
    let mut line = Vec::new();
    let file = File::open(path).map(BufReader::new);
    let read = file.and_then(|mut file| file.read_until(b'\n', &mut line));
    read.is_ok() && line.ends_with(b"\n")
}

/// What a race is begun with, as far as it is given.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RaceRequest<'a> {
    /// The data set, with the columns that have other names.
    pub data: Option<(&'a Path, &'a [(String, String)])>,
    pub systems: Vec<String>,
    pub range: Option<[f64; 2]>,
    pub top: Option<usize>,
    pub epsilon: Option<f64>,
    pub draws: Option<RaceItems>,
    pub confidence: Option<f64>,
    pub budget: Option<u64>,
    pub seed: Option<u64>,
}

impl RaceRequest<'_> {
    /// Replaces what is given.
    fn over(&self, context: &Context<'_>, mut setup: RaceSetup) -> Result<RaceSetup> {
        if let Some((data, columns)) = self.data {
            let options = ImportOptions {
                columns: columns.to_vec(),
                inputs_suffice: true,
                ..ImportOptions::default()
            };
            let source = Source::with(context, data, &options)?;
            let groups = source.groups(0..source.index.items())?;
            setup.items = groups.into_iter().map(|group| group.item).collect();
            if self.systems.is_empty() {
                setup.systems = source.systems().to_vec();
            }
        }
        if !self.systems.is_empty() {
            setup.systems.clone_from(&self.systems);
        }
        setup.range = self.range.unwrap_or(setup.range);
        setup.top = self.top.unwrap_or(setup.top);
        setup.epsilon = self.epsilon.unwrap_or(setup.epsilon);
        setup.draws = self.draws.unwrap_or(setup.draws);
        setup.confidence = self.confidence.unwrap_or(setup.confidence);
        setup.budget = self.budget.or(setup.budget);
        setup.seed = self.seed.unwrap_or(setup.seed);
        Ok(setup)
    }

    /// Opens the race in a folder, or begins it.
    fn open(&self, context: &Context<'_>, folder: &Path) -> Result<RaceJournal> {
        let path = folder.join(JOURNAL);
        if is_begun(folder) {
            let mut journal = RaceJournal::open(&path, None)?;
            let setup = self.over(context, journal.setup().clone())?;
            journal.go_on(&setup)?;
            return Ok(journal);
        }
        let begin = |what: &str| {
            let what = format!("{}: there is no race here{what}", folder.display());
            Err(Error::usage(what).with_hint(message!(
                "to begin one, name the data set with the items, and the range of scores: tiebreak ask {} DATA {} {}",
                path_argument(folder),
                Key("task").set(TASK),
                Key("range").set("LO,HI")
            )))
        };
        if self.data.is_none() {
            return begin("");
        }
        let Some(range) = self.range else {
            return begin(", and the range of scores is not given");
        };
        let setup = RaceSetup {
            systems: Vec::new(),
            items: Vec::new(),
            range,
            top: 1,
            epsilon: 0.0,
            draws: RaceItems::default(),
            confidence: 0.95,
            budget: None,
            seed: context.seed.0,
        };
        let setup = self.over(context, setup)?;
        if setup.systems.is_empty() {
            let what = "the data set has no outputs, so it names no systems";
            return Err(Error::key("systems", what).with_hint(message!(
                "name what is to be compared: {}",
                Key("systems").set("plain,polite,terse")
            )));
        }
        setup.race()?;
        std::fs::create_dir_all(folder).map_err(Error::writing(folder))?;
        RaceJournal::open(&path, Some(setup))
    }
}

/// The file or lines in which tasks go out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskRequest<'a> {
    /// The largest number of new tasks; by default [`SCORES`], with `again` none.
    pub n: Option<usize>,
    /// Whether the open tasks go out again.
    pub again: bool,
    /// The file; without one they are printed.
    pub out: Option<&'a Path>,
}

/// Asks for the next scores. Returns the status afterwards, and the tasks where they are to be printed.
///
/// # Errors
/// Settings that cannot be, or other ones than the race was begun with; those of the journal; a file that is already
/// there.
pub(crate) fn ask(
    context: &Context<'_>,
    folder: &Path,
    request: &RaceRequest<'_>,
    tasks: TaskRequest<'_>,
) -> Result<(RaceStatus, String)> {
    let out = tasks.out;
    if let Some(out) = out.filter(|out| out.extension().is_none_or(|end| end != "jsonl")) {
        let what = format!("{}: expected a name that ends in .jsonl", out.display());
        return Err(Error::usage(what).with_hint(message!("{}", Key("out").set("next.jsonl"))));
    }
    if let Some(out) = out.filter(|out| out.exists()) {
        return Err(Error::occupied(out, "and may be in use"));
    }
    let mut journal = request.open(context, folder)?;
    let name = out.map(|out| name_of_sheet(folder, out)).transpose()?;
    // A command that was killed after its tasks were logged, and before their file was written, is given again.
    let lost = journal
        .batches()
        .iter()
        .rev()
        .find(|batch| name.is_some() && batch.file == name);
    let open = open_tasks(&journal);
    let lost: Vec<RaceTask> = lost.map_or(Vec::new(), |batch| {
        let of_batch = journal.tasks()[batch.tasks.clone()].iter().copied();
        of_batch.filter(|task| open.contains(&task.task)).collect()
    });
    let again: Vec<RaceTask> = match tasks.again {
        true => journal
            .tasks()
            .iter()
            .copied()
            .filter(|task| open.contains(&task.task))
            .collect(),
        false => lost,
    };
    let new = tasks.n.unwrap_or(if tasks.again { 0 } else { SCORES });
    let mut going = again;
    let repeated = going.len();
    if tasks.again || going.is_empty() {
        going.extend(journal.ask(new, name.as_deref())?);
    }
    let lines = lines(&journal, &going)?;
    if let Some(out) = out.filter(|_| !going.is_empty()) {
        write_atomically(out, lines.as_bytes())?;
    }
    let written = WrittenTasks {
        path: out.filter(|_| !going.is_empty()).map(PathBuf::from),
        new: (going.len() - repeated) as u64,
        again: repeated as u64,
    };
    let printed = if out.is_none() { lines } else { String::new() };
    Ok((
        RaceStatus::new(context, folder, &journal, Some(written), None),
        printed,
    ))
}

/// The numbers of the tasks without a score.
fn open_tasks(journal: &RaceJournal) -> BTreeSet<u64> {
    let tasks = journal.tasks().iter().map(|task| task.task);
    tasks
        .filter(|task| !journal.scores().contains_key(task))
        .collect()
}

fn lines(journal: &RaceJournal, tasks: &[RaceTask]) -> Result<String> {
    let RaceSetup { systems, items, .. } = journal.setup();
    let line = |task: &RaceTask| {
        let row =
            json!({"task": task.task, "item": items[task.item], "system": systems[task.system]});
        Ok(serde_json::to_string(&row).map_err(Error::failed)? + "\n")
    };
    tasks.iter().map(line).collect()
}

/// Reads scores back: tables with a column `score`, or logs of other tools. If anything is wrong, none is taken. With
/// `take_back` they are those of before, which were wrong.
///
/// # Errors
/// Scores of tasks, items or systems that the race does not have, outside its range, or other than before; those of the
/// journal; if there is nothing to take back.
pub(crate) fn tell(
    context: &Context<'_>,
    folder: &Path,
    files: &[PathBuf],
    take_back: bool,
) -> Result<RaceStatus> {
    let mut journal = RaceJournal::open(&folder.join(JOURNAL), None)?;
    let mut read = scores::ScoreReader::new(&journal, take_back);
    for file in files {
        read.file(context, file)?;
    }
    let told = read.counts();
    let (new, wrong) = read.into_scores();
    match take_back {
        true if wrong.is_empty() => {
            let what = "the race has none of these scores, so nothing can be taken back";
            return Err(Error::usage(what));
        }
        true => journal.take_back(&wrong)?,
        false => journal.tell(&new)?,
    }
    Ok(RaceStatus::new(context, folder, &journal, None, Some(told)))
}

/// The status of a race, which is stored beside its log as `report.txt`, `report.json` and `report.html`.
///
/// # Errors
/// Those of the journal; if a plot cannot be drawn, or a file not be written.
pub(crate) fn report(context: &Context<'_>, folder: &Path) -> Result<RaceStatus> {
    let journal = RaceJournal::open(&folder.join(JOURNAL), None)?;
    let status = RaceStatus::new(context, folder, &journal, None, None);
    let json = serde_json::to_string_pretty(&status).map_err(Error::failed)? + "\n";
    write_atomically(&folder.join("report.json"), json.as_bytes())?;
    write_atomically(&folder.join("report.txt"), status.render().as_bytes())?;
    write_atomically(&folder.join("report.html"), status.page(folder)?.as_bytes())?;
    Ok(status)
}
