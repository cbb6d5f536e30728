//! The log of a race by scores: its settings, then what was asked for and the scores, in the order of asking and arrival,
//! and larger budgets.
//!
//! What is next to be scored follows from the settings and the scores, so replaying the log *is* the state of the race. Tasks
//! are logged before anybody sees them, scores before anything is asked next: a race that is killed at any moment asks for
//! nothing twice and loses no score that was taken. Lines are chained as those of other journals (`chain`).

use super::chain::Chain;
use super::file::JournalFile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Location, Message, Result};
use tiebreak_base::rng::Seed;
use tiebreak_decide::estimators;
use tiebreak_decide::race::{Race, RaceItems, RaceTask, RaceTerms};

/// The settings that a race was begun with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RaceSetup {
    /// The systems, by place.
    pub systems: Vec<String>,
    /// The items, by place.
    pub items: Vec<String>,
    /// The lowest and the highest possible score.
    pub range: [f64; 2],
    /// The number of best systems sought.
    pub top: usize,
    /// The margin of a nearly best system; 0 for none.
    pub epsilon: f64,
    /// How items are drawn.
    pub draws: RaceItems,
    /// The probability with which a verdict is right.
    pub confidence: f64,
    /// The largest number of scores, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The seed of the order of items.
    pub seed: u64,
}

impl RaceSetup {
    /// The race at its beginning.
    ///
    /// # Errors
    /// Of [`Race::new`]; a range that is none; a name that occurs twice.
    pub fn race(&self) -> Result<Race> {
        for (names, what) in [(&self.systems, "system"), (&self.items, "item")] {
            let mut sorted: Vec<&String> = names.iter().collect();
            sorted.sort_unstable();
            if let Some(twice) = sorted.chunk_by(PartialEq::eq).find(|same| same.len() > 1) {
                let name = twice[0];
                return Err(Error::usage(format!("{what} `{name}` is named twice")));
            }
        }
        let terms = RaceTerms {
            top: self.top,
            epsilon: self.epsilon,
            items: self.draws,
            confidence: self.confidence,
            budget: self.budget,
            seed: Seed(self.seed),
            ..RaceTerms::new(estimators::Range::new(self.range[0], self.range[1])?)
        };
        Race::new(self.systems.len(), self.items.len(), terms)
    }
}

/// A line of the log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RaceLine {
    Race(RaceSetup),
    /// So many further tasks, written to a file of that name.
    Asked {
        tasks: usize,
        file: Option<String>,
    },
    /// A score; none if there will be none.
    Score {
        task: u64,
        score: Option<f64>,
    },
    /// Tasks whose scores were wrong: they are open again.
    TakenBack(Vec<u64>),
    /// A larger budget, from there on.
    Budget(u64),
}

/// Tasks that were asked for together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RaceBatch {
    /// The name of the file that they were written to, if it was one.
    pub file: Option<String>,
    /// Their places among all tasks.
    pub tasks: Range<usize>,
}

/// The open log of a race, with its state. The file is locked while it is open.
#[derive(Debug)]
pub struct RaceJournal {
    file: JournalFile,
    chain: Chain,
    setup: RaceSetup,
    race: Race,
    tasks: Vec<RaceTask>,
    batches: Vec<RaceBatch>,
    scores: BTreeMap<u64, Option<f64>>,
    torn: usize,
}

/// The first bytes of the log of a race.
pub(super) const OPENING: &[u8] = b"{\"race\":";

impl RaceJournal {
    /// Whether the file at `path` is the log of a race.
    pub fn is_at(path: &Path) -> bool {
        use std::io::Read as _;
        let mut opening = [0; OPENING.len()];
        let file = std::fs::File::open(path);
        file.and_then(|mut file| file.read_exact(&mut opening))
            .is_ok()
            && opening == OPENING
    }

    /// Opens the log at `path`, or begins it with these settings where there is none.
    ///
    /// # Errors
    /// [`Error::Input`] if there is none and no settings are given, if another process has it open, or if it is shorter
    /// than it was; [`Error::Record`] with the line if it was changed; those of [`RaceSetup::race`].
    pub fn open(path: &Path, setup: Option<RaceSetup>) -> Result<Self> {
        if !path.exists() {
            let what = "there is no race here";
            let setup = setup.as_ref().ok_or_else(|| Error::input(path, what))?;
            // Settings that cannot be are refused before anything is written.
            setup.race()?;
        }
        let mut file = JournalFile::open(path)?;
        let (text, torn) = file.whole_lines()?;
        let kept = Chain::kept(path)?;
        if text.is_empty() && kept.as_ref().is_none_or(|kept| kept.lines == 0) {
            let what = "there is no race here: its log has no whole line";
            let setup = setup.ok_or_else(|| Error::input(path, what))?;
            let mut journal = Self::new(file, setup)?;
            journal.file.adopt(&Chain::default(), 0)?;
            let first = RaceLine::Race(journal.setup.clone());
            Self::log(&mut journal.file, &mut journal.chain, &[first])?;
            return Ok(journal);
        }
        let mut journal = None;
        let mut chain = Chain::default();
        let lines = text
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let mut file = Some(file);
        for (number, bytes) in (1_u64..).zip(lines) {
            let bad = |what: String| Error::record(Location::line(path, number), what);
            let object = chain.follow(bytes);
            let object = object.ok_or_else(|| Chain::changed(path, number))?;
            chain.check_line(path, number, kept.as_ref())?;
            let line: RaceLine = serde_json::from_slice(&object)
                .map_err(|source| bad(format!("not a line of the log of a race: {source}")))?;
            match (&mut journal, line) {
                (journal @ None, RaceLine::Race(setup)) => {
                    *journal = file.take().map(|file| Self::new(file, setup)).transpose()?;
                }
                (Some(journal), line) => {
                    journal.take(line).map_err(|error| bad(error.to_string()))?;
                }
                (None, _) => {
                    return Err(bad(
                        "the first line must be the settings of the race".to_string()
                    ));
                }
            }
        }
        chain.check_end(path, kept.as_ref())?;
        let mut journal = journal.ok_or_else(|| Error::input(path, "the log has no line"))?;
        journal.file.adopt(&chain, text.len())?;
        journal.chain = chain;
        journal.torn = torn;
        Ok(journal)
    }

    fn new(file: JournalFile, setup: RaceSetup) -> Result<Self> {
        Ok(Self {
            file,
            chain: Chain::default(),
            race: setup.race()?,
            setup,
            tasks: Vec::new(),
            batches: Vec::new(),
            scores: BTreeMap::new(),
            torn: 0,
        })
    }

    fn take(&mut self, line: RaceLine) -> Result<()> {
        match line {
            RaceLine::Race(_) => Err(Error::usage("settings stand in the first line alone")),
            RaceLine::Asked { tasks, file } => {
                let new: Vec<RaceTask> =
                    std::iter::from_fn(|| self.race.ask()).take(tasks).collect();
                if new.len() < tasks {
                    let what = format!(
                        "{tasks} tasks were logged, and this version asks for {}",
                        new.len()
                    );
                    return Err(Error::usage(what));
                }
                self.hold(new, file);
                Ok(())
            }
            RaceLine::Score { task, score } => {
                match score {
                    Some(score) => self.race.tell(task, score)?,
                    None => self.race.miss(task)?,
                };
                self.scores.insert(task, score);
                Ok(())
            }
            RaceLine::TakenBack(tasks) => {
                self.race.take_back(&tasks)?;
                self.scores.retain(|task, _| !tasks.contains(task));
                Ok(())
            }
            RaceLine::Budget(budget) => {
                self.race.grow_budget(budget)?;
                self.setup.budget = Some(budget);
                Ok(())
            }
        }
    }

    fn hold(&mut self, new: Vec<RaceTask>, file: Option<String>) {
        let first = self.tasks.len();
        self.tasks.extend(new);
        self.batches.push(RaceBatch {
            file,
            tasks: first..self.tasks.len(),
        });
    }

    /// Adds lines to the file; nothing else is changed where that fails.
    fn log(file: &mut JournalFile, chain: &mut Chain, lines: &[RaceLine]) -> Result<()> {
        let mut longer = chain.clone();
        let mut text = String::new();
        for line in lines {
            text += &longer.link(&serde_json::to_string(line).map_err(Error::failed)?);
            text.push('\n');
        }
        file.append(&text, &longer)?;
        *chain = longer;
        Ok(())
    }

    /// Asks for up to so many further scores, to be written to a file of that name if it is one; returns what is to be scored.
    /// It is on disk when this returns.
    ///
    /// # Errors
    /// If it cannot be logged: then nothing was asked for.
    pub fn ask(&mut self, most: usize, file: Option<&str>) -> Result<Vec<RaceTask>> {
        let file = file.map(str::to_string);
        let (log, chain) = (&mut self.file, &mut self.chain);
        let new = self.race.ask_if(most, |new| match new.len() {
            0 => Ok(()),
            tasks => {
                let file = file.clone();
                Self::log(log, chain, &[RaceLine::Asked { tasks, file }])
            }
        })?;
        if !new.is_empty() {
            self.hold(new.clone(), file);
        }
        Ok(new)
    }

    /// Takes scores, `None` where there will be none. They are on disk when this returns.
    ///
    /// # Errors
    /// Those of [`Race::tell`], another score than a task has, or if they cannot be logged: then none is taken.
    pub fn tell(&mut self, scores: &[(u64, Option<f64>)]) -> Result<()> {
        // In the order of asking evidence is updated fastest; it is the same in any order.
        let mut new: BTreeMap<u64, Option<f64>> = BTreeMap::new();
        for &(task, score) in scores {
            self.race.counts(task, score)?;
            match new.get(&task).or(self.scores.get(&task)) {
                Some(&before) if before != score => {
                    return Err(self.has_another(task, before, score));
                }
                Some(_) => {}
                None => drop(new.insert(task, score)),
            }
        }
        let lines = new.into_iter();
        let lines: Vec<_> = lines
            .map(|(task, score)| RaceLine::Score { task, score })
            .collect();
        if !lines.is_empty() {
            Self::log(&mut self.file, &mut self.chain, &lines)?;
        }
        lines.into_iter().try_for_each(|line| self.take(line))
    }

    /// The error for another score of a task that has one, or had none to come.
    fn has_another(&self, task: u64, before: Option<f64>, now: Option<f64>) -> Error {
        let words =
            |score: Option<f64>| score.map_or("none".to_string(), |score| score.to_string());
        let asked = self.tasks.iter().find(|asked| asked.task == task);
        let output = asked.map_or_else(String::new, |asked| {
            let (system, item) = (
                &self.setup.systems[asked.system],
                &self.setup.items[asked.item],
            );
            format!(" of {system} on item `{item}`")
        });
        let (before, now) = (words(before), words(now));
        let what = format!("the score{output} is {now}, but it was {before} before");
        let hint = "take the earlier score back, then give the right one: ";
        Error::usage(what).with_hint(Message::except_in_python(
            format!("{hint}{}", Flag("take-back")),
            format!("{hint}`take_back`"),
        ))
    }

    /// Takes wrong scores back. It is on disk when this returns.
    ///
    /// # Errors
    /// Those of [`Race::take_back`], or if it cannot be logged: then none is taken back.
    pub fn take_back(&mut self, tasks: &[u64]) -> Result<()> {
        self.race.clone().take_back(tasks)?;
        let line = RaceLine::TakenBack(tasks.to_vec());
        Self::log(&mut self.file, &mut self.chain, std::slice::from_ref(&line))?;
        self.take(line)
    }

    /// Goes on with settings, which may have a larger budget than the race has; without one it stays. It is on disk when
    /// this returns.
    ///
    /// # Errors
    /// Other settings than those of the race; those of [`Race::grow_budget`]; if it cannot be logged.
    pub fn go_on(&mut self, setup: &RaceSetup) -> Result<()> {
        let same = RaceSetup {
            budget: self.setup.budget,
            ..setup.clone()
        };
        if same != self.setup {
            let what = "the race here was begun with other systems, items or settings";
            let hint = "leave out what differs, or begin another one in a folder of its own";
            return Err(Error::usage(what).with_hint(hint));
        }
        let Some(budget) = setup.budget.filter(|_| setup.budget != self.setup.budget) else {
            return Ok(());
        };
        self.race.clone().grow_budget(budget)?;
        let line = RaceLine::Budget(budget);
        Self::log(&mut self.file, &mut self.chain, std::slice::from_ref(&line))?;
        self.take(line)
    }

    /// The settings of the race, with its latest budget.
    pub fn setup(&self) -> &RaceSetup {
        &self.setup
    }

    /// The state of the race.
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// All that was asked for, in order.
    pub fn tasks(&self) -> &[RaceTask] {
        &self.tasks
    }

    /// The batches in which it was asked for.
    pub fn batches(&self) -> &[RaceBatch] {
        &self.batches
    }

    /// The scores, by task; `None` where there will be none.
    pub fn scores(&self) -> &BTreeMap<u64, Option<f64>> {
        &self.scores
    }

    /// The bytes of a last line that was cut off; it had never counted.
    pub fn torn(&self) -> usize {
        self.torn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn setup() -> RaceSetup {
        RaceSetup {
            systems: ["a", "b", "c"].map(str::to_string).into(),
            items: (0..40).map(|item| format!("item-{item}")).collect(),
            range: [0.0, 1.0],
            top: 1,
            epsilon: 0.0,
            draws: RaceItems::These,
            confidence: 0.95,
            budget: None,
            seed: 42,
        }
    }

    fn score(task: RaceTask) -> Option<f64> {
        (task.item % 9 != 4).then(|| [0.9, 0.5, 0.4][task.system] - 0.01 * (task.item % 5) as f64)
    }

    /// A race in which everything is scored at once, from an open log on.
    fn finish(journal: &mut RaceJournal, at_once: usize) {
        loop {
            let open: Vec<RaceTask> = journal.tasks().to_vec();
            let open: Vec<(u64, Option<f64>)> =
                open.iter().map(|&task| (task.task, score(task))).collect();
            journal.tell(&open).unwrap();
            if journal.ask(at_once, None).unwrap().is_empty() {
                return;
            }
        }
    }

    #[test]
    fn another_score_is_refused_until_the_first_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = RaceJournal::open(&path, Some(setup())).unwrap();
        let task = journal.ask(3, None).unwrap()[0].task;
        // In one call as in two.
        assert!(
            journal
                .tell(&[(task, Some(1.0)), (task, Some(0.5))])
                .is_err()
        );
        assert!(journal.scores().is_empty());
        journal
            .tell(&[(task, Some(1.0)), (task, Some(1.0))])
            .unwrap();
        journal.tell(&[(task, Some(1.0))]).unwrap();
        for other in [Some(0.5), None] {
            let error = journal.tell(&[(task, other)]).unwrap_err();
            assert!(error.to_string().contains("but it was 1 before"), "{error}");
        }
        journal.take_back(&[task]).unwrap();
        journal.tell(&[(task, None)]).unwrap();
        assert!(journal.tell(&[(task, Some(0.5))]).is_err());
        assert_eq!(journal.scores()[&task], None);
    }

    #[test]
    fn a_log_cut_anywhere_goes_on_as_if_nothing_had_happened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let length = folder.path().join("journal.length.json");
        let mut whole = RaceJournal::open(&path, Some(setup())).unwrap();
        finish(&mut whole, 7);
        let (tasks, verdict) = (whole.tasks().to_vec(), whole.race().verdict());
        assert!(whole.race().is_decided() && tasks.len() < 120);
        drop(whole);
        assert!(RaceJournal::is_at(&path));
        let text = fs::read(&path).unwrap();
        for end in (0..text.len()).step_by(97) {
            // A kill leaves a torn line, and a record that is not ahead of the whole ones.
            fs::write(&path, &text[..end]).unwrap();
            let _ = fs::remove_file(&length);
            fs::write(&length, "{\"lines\":0,\"last\":\"\"}\n").unwrap();
            let mut journal = RaceJournal::open(&path, Some(setup())).unwrap();
            assert_eq!(
                journal.tasks(),
                &tasks[..journal.tasks().len()],
                "nothing is asked for twice"
            );
            finish(&mut journal, 7);
            assert_eq!(
                (journal.tasks(), journal.race().verdict()),
                (&tasks[..], verdict.clone())
            );
        }
    }

    #[test]
    fn a_budget_grows_and_what_it_had_ended_goes_on_as_without_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).join("journal.jsonl");
        for name in ["free", "grown"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let with = |budget: Option<u64>| RaceSetup { budget, ..setup() };
        let mut free = RaceJournal::open(&path("free"), Some(setup())).unwrap();
        finish(&mut free, 3);
        let mut grown = RaceJournal::open(&path("grown"), Some(with(Some(20)))).unwrap();
        finish(&mut grown, 3);
        assert!(grown.race().is_budget_spent() && !grown.race().is_decided());
        assert_eq!(grown.tasks(), &free.tasks()[..18], "six rounds of three");
        let refused = |grown: &mut RaceJournal, setup: &RaceSetup, what: &str| {
            let error = grown.go_on(setup).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        };
        refused(&mut grown, &with(Some(19)), "it was 20");
        let seed = 43;
        refused(
            &mut grown,
            &RaceSetup {
                seed,
                ..with(Some(40))
            },
            "other",
        );
        grown.go_on(&with(None)).unwrap();
        assert_eq!(grown.setup().budget, Some(20));
        grown.go_on(&with(Some(1000))).unwrap();
        drop(grown);
        let mut grown = RaceJournal::open(&path("grown"), None).unwrap();
        assert_eq!(grown.setup().budget, Some(1000));
        finish(&mut grown, 3);
        assert!(!grown.race().is_budget_spent());
        assert_eq!(
            (grown.tasks(), grown.race().verdict()),
            (free.tasks(), free.race().verdict())
        );
        refused(&mut free, &with(Some(1000)), "without a budget");
    }

    #[test]
    fn scores_that_were_taken_back_stay_so_when_the_log_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = RaceJournal::open(&path, Some(setup())).unwrap();
        finish(&mut journal, 7);
        let wrong: Vec<u64> = journal.scores().keys().copied().take(30).collect();
        let known: BTreeMap<u64, Option<f64>> = journal.scores().clone();
        let verdict = journal.race().verdict();
        assert!(journal.take_back(&[wrong[0], 9999]).is_err());
        assert_eq!(journal.scores(), &known, "all or nothing");
        journal.take_back(&wrong).unwrap();
        assert!(!journal.race().is_decided());
        // What is asked for depends on it, and is asked for again.
        let more = journal.ask(5, None).unwrap();
        let state = (journal.tasks().to_vec(), journal.scores().clone());
        drop(journal);
        let mut journal = RaceJournal::open(&path, None).unwrap();
        assert_eq!((journal.tasks().to_vec(), journal.scores().clone()), state);
        let of_wrong = wrong.iter().map(|task| (*task, known[task]));
        let of_more = more.iter().map(|&task| (task.task, score(task)));
        journal
            .tell(&of_wrong.chain(of_more).collect::<Vec<_>>())
            .unwrap();
        assert_eq!(journal.race().verdict(), verdict);
    }

    #[test]
    fn a_changed_or_shortened_log_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = RaceJournal::open(&path, Some(setup())).unwrap();
        assert!(
            RaceJournal::open(&path, None)
                .unwrap_err()
                .to_string()
                .contains("another tiebreak")
        );
        let tasks = journal.ask(6, Some("tasks.jsonl")).unwrap();
        assert_eq!(journal.batches()[0].tasks, 0..6);
        journal
            .tell(&[(tasks[1].task, Some(0.25)), (tasks[0].task, None)])
            .unwrap();
        assert!(
            journal
                .tell(&[(tasks[2].task, Some(0.5)), (99, Some(0.5))])
                .is_err()
        );
        assert_eq!(
            journal.race().received(),
            1,
            "of a wrong batch nothing is taken"
        );
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("0.25", "0.75")).unwrap();
        let error = RaceJournal::open(&path, None).unwrap_err().to_string();
        assert!(
            error.contains("journal.jsonl:4") && error.contains("changed"),
            "{error}"
        );
        let cut: Vec<&str> = text.lines().take(3).collect();
        fs::write(&path, cut.join("\n") + "\n").unwrap();
        let error = RaceJournal::open(&path, None).unwrap_err().to_string();
        assert!(
            error.contains("ends after line 3, but 4 lines were logged"),
            "{error}"
        );
        let twice = RaceSetup {
            systems: vec!["a".to_string(); 2],
            ..setup()
        };
        let error = RaceJournal::open(&folder.path().join("new.jsonl"), Some(twice)).unwrap_err();
        assert!(error.to_string().contains("system `a` is named twice"));
        assert!(!folder.path().join("new.jsonl").exists());
    }
}
