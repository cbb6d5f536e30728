//! Scores that come back to a race: from tables, or from the logs of other tools.

use super::status::ToldScores;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::message;
use tiebreak_data::records::Kind;
use tiebreak_data::records::reader::{ColumnMapping, Row, TableReader};
use tiebreak_decide::race::RaceTask;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::journal::RaceJournal;

/// The scores that are read for a race.
pub(super) struct ScoreReader<'a> {
    journal: &'a RaceJournal,
    items: BTreeMap<&'a str, usize>,
    systems: BTreeMap<&'a str, usize>,
    by_number: BTreeMap<u64, RaceTask>,
    /// The tasks of each item and system, in the order of asking.
    by_output: BTreeMap<(usize, usize), VecDeque<u64>>,
    /// Whether scores are taken back.
    takes_back: bool,
    new: BTreeMap<u64, f64>,
    /// The tasks whose scores are taken back.
    wrong: BTreeSet<u64>,
    again: u64,
    not_asked: u64,
    missing: u64,
}

/// A score as it stands in a file.
struct ReadScore {
    task: Option<u64>,
    item: Option<String>,
    system: Option<String>,
    score: f64,
}

impl<'a> ScoreReader<'a> {
    pub(super) fn new(journal: &'a RaceJournal, takes_back: bool) -> Self {
        let places = |names: &'a [String]| names.iter().map(String::as_str).zip(0..).collect();
        let mut by_output: BTreeMap<(usize, usize), VecDeque<u64>> = BTreeMap::new();
        for task in journal.tasks() {
            let of_output = by_output.entry((task.item, task.system)).or_default();
            of_output.push_back(task.task);
        }
        Self {
            journal,
            items: places(&journal.setup().items),
            systems: places(&journal.setup().systems),
            by_number: journal
                .tasks()
                .iter()
                .map(|task| (task.task, *task))
                .collect(),
            by_output,
            takes_back,
            new: BTreeMap::new(),
            wrong: BTreeSet::new(),
            again: 0,
            not_asked: 0,
            missing: 0,
        }
    }

    /// The numbers of scores that were read.
    pub(super) fn counts(&self) -> ToldScores {
        ToldScores {
            new: self.new.len() as u64,
            taken_back: self.wrong.len() as u64,
            again: self.again,
            not_asked: self.not_asked,
            missing: self.missing,
        }
    }

    /// The new scores by task, and the tasks whose scores are taken back.
    pub(super) fn into_scores(self) -> (Vec<(u64, Option<f64>)>, Vec<u64>) {
        let new = self.new.into_iter();
        let new = new.map(|(task, score)| (task, Some(score))).collect();
        (new, self.wrong.into_iter().collect())
    }

    /// Reads a file.
    ///
    /// # Errors
    /// With the place of the first score that does not fit the race.
    pub(super) fn file(&mut self, context: &Context<'_>, path: &Path) -> Result<()> {
        if let Ok(rows) = TableReader::open(path, &ColumnMapping::default())
            && rows.require(&["score"]).is_ok()
            && (rows.require(&["task"]).is_ok() || rows.require(&["criterion"]).is_err())
        {
            return rows.into_iter().try_for_each(|row| self.row(&row?));
        }
        self.logs(context, path)
    }

    fn row(&mut self, row: &Row) -> Result<()> {
        let Some(score) = row.optional_score("score")? else {
            self.missing += 1;
            return Ok(());
        };
        let task = row.optional_number("task")?;
        if let Some(task) = task.filter(|task| *task < 0.0 || task.fract() != 0.0) {
            return Err(row.error(format!("task {task}, expected the number of a task")));
        }
        let read = ReadScore {
            task: task.map(|task| task as u64),
            item: row.optional_text("item")?,
            system: row.optional_text("system")?,
            score,
        };
        self.take(&read, |what| row.error(what))
    }

    /// Reads the judgments of the one criterion that logs have.
    fn logs(&mut self, context: &Context<'_>, path: &Path) -> Result<()> {
        let source = Source::open(context, path, &[])?;
        let bad = |what: Message| Error::input(path, what);
        if !source.index.has(Kind::Judgments) {
            return Err(bad("there are no scores here".into())
                .with_hint("expected the lines that `tiebreak ask` wrote, each with its score: {\"task\": 1, \"score\": 0.5}"));
        }
        if let criteria @ [_, _, ..] = source.index.criteria() {
            let what = format!(
                "scores under {} criteria: {}",
                criteria.len(),
                criteria.join(", ")
            );
            return Err(bad(what.into()).with_hint(
                "make a table with the columns item, system and score of the one that counts, and pass that in",
            ));
        }
        for group in source.groups(0..source.index.items())? {
            for judged in &group.judgments {
                let read = ReadScore {
                    task: None,
                    item: Some(group.item.clone()),
                    system: Some(source.system(judged.system).to_string()),
                    score: judged.score,
                };
                self.take(&read, |what| bad(what.into()))?;
            }
        }
        Ok(())
    }

    fn take(&mut self, read: &ReadScore, bad: impl Fn(String) -> Error) -> Result<()> {
        let place = |names: &BTreeMap<&str, usize>, what: &str, name: Option<&String>| {
            let of = |name: &String| {
                let unknown = || bad(format!("{what} `{name}`, which is not in this race"));
                names.get(name.as_str()).copied().ok_or_else(unknown)
            };
            name.map(of).transpose()
        };
        let item = place(&self.items, "item", read.item.as_ref())?;
        let system = place(&self.systems, "system", read.system.as_ref())?;
        let [low, high] = self.journal.setup().range;
        let score = read.score;
        if !(low..=high).contains(&score) {
            return Err(bad(format!(
                "score {score}, expected a number from {low} to {high}, the range of the race"
            )));
        }
        let known = |task: &u64| {
            self.new
                .get(task)
                .copied()
                .or(self.journal.scores().get(task).copied().flatten())
        };
        let task = match (read.task, item, system) {
            (Some(task), item, system) => {
                let asked = self.by_number.get(&task);
                let asked = asked.ok_or_else(|| bad(format!("task {task} was not asked for")))?;
                let fits = item.is_none_or(|item| item == asked.item)
                    && system.is_none_or(|system| system == asked.system);
                if !fits {
                    let setup = self.journal.setup();
                    let (item, system) = (&setup.items[asked.item], &setup.systems[asked.system]);
                    return Err(bad(format!(
                        "task {task} is item `{item}` of system `{system}`"
                    )));
                }
                task
            }
            (None, Some(item), Some(system)) => {
                let tasks = self.by_output.get(&(item, system));
                let Some(tasks) = tasks else {
                    self.not_asked += 1;
                    return Ok(());
                };
                // A repeated item takes its scores in the order of asking.
                let is_next = |task: &&u64| match self.takes_back {
                    true => known(task) == Some(score) && !self.wrong.contains(task),
                    false => known(task).is_none(),
                };
                *tasks.iter().find(is_next).unwrap_or(&tasks[0])
            }
            _ => return Err(bad("neither `task`, nor `item` and `system`".to_string())),
        };
        match known(&task) {
            // A score that never came cannot be taken back.
            None if self.takes_back => {}
            None => drop(self.new.insert(task, score)),
            Some(before) if before != score => {
                let what = format!("task {task} has the score {before} already, and {score} here");
                return Err(bad(what).with_hint(message!(
                    "take the score back as it was: the line {{\"task\": {}, \"score\": {}}} in a file, and {}; then read the \
                     right one",
                    task,
                    before,
                    Flag("take-back")
                )));
            }
            Some(_) if self.takes_back => drop(self.wrong.insert(task)),
            Some(_) => self.again += 1,
        }
        Ok(())
    }
}
