//! The status of a race: what `ask`, `tell` and `report` print.

use crate::campaign::next::free_name;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tiebreak_base::claims::{Claim, NoClaimReason};
use tiebreak_base::error::Result;
use tiebreak_base::layout::{number, or_dash, path_argument, percent, table};
use tiebreak_base::words::{counted, listed};
use tiebreak_decide::race::RacePlace;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::journal::RaceJournal;
use tiebreak_stages::report::RacePage;

/// The columns of the table of systems.
const COLUMNS: [&str; 5] = ["system", "race", "scores", "mean", "below the best at most"];

/// A race after `ask` or `tell`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RaceStatus {
    /// The system of highest mean among those not out: a guess. `None` before the first score, and where several have it.
    pub leader: Option<String>,
    pub claim: Claim,
    /// The verdict in words.
    pub verdict: String,
    /// The systems, in the order of the race.
    pub systems: Vec<SystemInRace>,
    /// The numbers of scores.
    pub scores: ScoreCounts,
    /// The share of the scores of all systems on all items that was asked for.
    pub share_of_all: f64,
    /// The tasks that `ask` wrote or printed.
    pub written: Option<WrittenTasks>,
    /// The scores that `tell` read.
    pub told: Option<ToldScores>,
    /// The next step, in a sentence.
    pub next: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SystemInRace {
    pub system: String,
    /// `racing`, `out` or `in`.
    pub place: &'static str,
    /// The systems whose means are higher, as is proved; of one that is out.
    pub beaten_by: Vec<String>,
    /// The number of its scores.
    pub scores: u64,
    /// Their mean. Means of different systems may be over different items.
    pub mean: Option<f64>,
    /// The most by which the highest mean exceeds its own, with the confidence of the claim; of one best system.
    pub most_below_best: Option<f64>,
}

/// What a race of several places says whose scores are all known, where systems have the same mean for the last of them.
fn tied_for_last_place(journal: &RaceJournal) -> Option<String> {
    let (setup, race) = (journal.setup(), journal.race());
    let names = |place: RacePlace| -> Vec<&str> {
        let systems = setup.systems.iter().zip(race.places());
        let of_place = systems.filter(|(_, own)| **own == place);
        of_place.map(|(name, _)| name.as_str()).collect()
    };
    let racing = |one: &usize| race.places()[*one] == RacePlace::Racing;
    let means: Vec<f64> = (0..setup.systems.len())
        .filter(racing)
        .filter_map(|one| race.mean(one).1)
        .collect();
    let (sure, tied) = (names(RacePlace::In), names(RacePlace::Racing));
    let &first = means.first()?;
    // Sums of the same scores in another order may differ by their rounding.
    let is_tie = |mean: &f64| (mean - first).abs() <= 1e-12 * first.abs();
    if !race.has_all_scores() || !means.iter().all(is_tie) {
        return None;
    }
    let top = setup.top;
    let sure_of = match sure[..] {
        [] => String::new(),
        [one] => format!(" {one} is one of the {top} best."),
        _ => format!(" {} are among the {top} best.", listed(&sure)),
    };
    let places = match top - sure.len() {
        1 => "the last place".to_string(),
        left => format!("the last {left} places"),
    };
    Some(format!(
        "Not decided.{sure_of} {} have exactly the same mean, for {places}.",
        listed(&tied)
    ))
}

/// The verdict in words.
fn verdict(journal: &RaceJournal, claim: &Claim, is_over: bool) -> String {
    if !matches!(claim.why, Some(NoClaimReason::NotToldApart(_))) {
        return claim.to_string();
    }
    let (setup, race) = (journal.setup(), journal.race());
    let tied = (is_over && setup.top > 1)
        .then(|| tied_for_last_place(journal))
        .flatten();
    let leaders = race.leaders();
    let named: Vec<&str> = leaders.iter().map(|&one| &*setup.systems[one]).collect();
    match (tied, &named[..]) {
        (Some(tied), _) => tied,
        (None, [_, _, ..]) if setup.top == 1 && race.has_all_scores() => format!(
            "Not decided. {} have the same mean, and none is higher.",
            listed(&named)
        ),
        (None, &[leader]) => claim.open_verdict(Some(leader), is_over),
        (None, _) => claim.open_verdict(None, is_over),
    }
}

/// The numbers of scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct ScoreCounts {
    pub asked: u64,
    pub received: u64,
    pub open: u64,
}

/// The tasks that went out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct WrittenTasks {
    /// The file; `None` where they were printed, or there were none.
    pub path: Option<PathBuf>,
    pub new: u64,
    /// The number of those that had gone out before.
    pub again: u64,
}

/// The scores that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct ToldScores {
    pub new: u64,
    /// The number of those taken back.
    pub taken_back: u64,
    /// The number of those known already.
    pub again: u64,
    /// The number of scores of outputs that the race did not ask for.
    pub not_asked: u64,
    /// The number of rows whose score is missing.
    pub missing: u64,
}

impl RaceStatus {
    pub(super) fn new(
        context: &Context<'_>,
        folder: &Path,
        journal: &RaceJournal,
        written: Option<WrittenTasks>,
        told: Option<ToldScores>,
    ) -> Self {
        if journal.torn() > 0 {
            context.progress.warn(&format!(
                "the last line of the journal was cut off after {} bytes and is dropped; it had never counted",
                journal.torn()
            ));
        }
        let (setup, race) = (journal.setup(), journal.race());
        let names = &setup.systems;
        let system = |(place, name): (usize, &String)| {
            let (scores, mean) = race.mean(place);
            let (word, beaten_by) = match &race.places()[place] {
                RacePlace::Racing => ("racing", Vec::new()),
                RacePlace::In => ("in", Vec::new()),
                RacePlace::Out(by) => ("out", by.iter().map(|&one| names[one].clone()).collect()),
            };
            SystemInRace {
                system: name.clone(),
                place: word,
                beaten_by,
                scores,
                mean,
                most_below_best: race.most_below_best(place),
            }
        };
        let leader = race.leader().map(|leader| names[leader].clone());
        let claim = race.claim(names);
        let asked = journal.tasks().len() as u64;
        let scores = ScoreCounts {
            asked,
            received: race.received(),
            open: asked - journal.scores().len() as u64,
        };
        let is_over = race.is_decided() || (race.clone().ask().is_none() && scores.open == 0);
        let verdict = verdict(journal, &claim, is_over);
        let (run, out) = (path_argument(folder), free_name("next", Some("jsonl"), 0));
        let next = match (&written, is_over) {
            (_, true) => match setup.budget.filter(|_| race.is_budget_spent()) {
                Some(budget) => format!(
                    "the budget of {} is used up; to go on, give a larger one: tiebreak ask {run} --budget {} --out {out}",
                    counted(budget, "score"),
                    2 * budget
                ),
                None => "nothing is left to score".to_string(),
            },
            (
                Some(WrittenTasks {
                    path: Some(path), ..
                }),
                _,
            ) => format!(
                "add a score to every line, then: tiebreak tell {run} {}",
                path_argument(path)
            ),
            _ if scores.open > 0 => format!(
                "{} missing: tiebreak tell {run} FILE; to write the tasks again: tiebreak ask {run} --again",
                match scores.open {
                    1 => "1 score is".to_string(),
                    n => format!("{n} scores are"),
                }
            ),
            _ => format!("tiebreak ask {run} --out {out}"),
        };
        Self {
            leader,
            verdict,
            claim,
            systems: names.iter().enumerate().map(system).collect(),
            share_of_all: asked as f64 / (setup.systems.len() * setup.items.len()) as f64,
            scores,
            written,
            told,
            next,
        }
    }

    /// The page of the race in a folder.
    pub(super) fn page(&self, folder: &Path) -> Result<String> {
        let name = folder.file_name().map(|name| name.to_string_lossy());
        let price = |one: &SystemInRace| Some((one.system.clone(), one.most_below_best?));
        let prices: Vec<(String, f64)> = self.ordered().into_iter().filter_map(price).collect();
        let mean = |one: &SystemInRace| Some((one.system.clone(), one.mean?));
        let page = RacePage {
            name: name.as_deref().unwrap_or("race"),
            verdict: &self.verdict,
            header: &COLUMNS,
            rows: self.rows(),
            drawn: match prices.is_empty() {
                true => (
                    COLUMNS[3],
                    self.ordered().into_iter().filter_map(mean).collect(),
                ),
                false => (COLUMNS[4], prices),
            },
            notes: vec![self.counts(), format!("Next: {}", self.next)],
        };
        page.html()
    }

    /// The systems, those that are not out first, then by their means.
    fn ordered(&self) -> Vec<&SystemInRace> {
        let mut systems: Vec<&SystemInRace> = self.systems.iter().collect();
        let rank =
            |one: &SystemInRace| (one.place == "out", -one.mean.unwrap_or(f64::NEG_INFINITY));
        systems.sort_by(|a, b| rank(a).partial_cmp(&rank(b)).expect("means are numbers"));
        systems
    }

    /// A row of the table for each system.
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |one: &SystemInRace| {
            let by: Vec<&str> = one.beaten_by.iter().map(String::as_str).collect();
            let place = match one.place {
                // It is in front for good, as the best one or among several.
                "in" => "chosen".to_string(),
                place if by.is_empty() => place.to_string(),
                place => format!("{place}: worse than {}", listed(&by)),
            };
            vec![
                one.system.clone(),
                place,
                one.scores.to_string(),
                one.mean.map_or(String::new(), number),
                or_dash(one.most_below_best, number),
            ]
        };
        self.ordered().into_iter().map(row).collect()
    }

    /// A sentence on the numbers of scores.
    fn counts(&self) -> String {
        let ScoreCounts {
            asked,
            received,
            open,
        } = self.scores;
        format!(
            "Scores: {asked} asked, {received} received, {open} open; {} of a full run.",
            percent(self.share_of_all)
        )
    }

    /// Renders the status for a terminal.
    pub(crate) fn render(&self) -> String {
        let mut text = format!("{}\n\n", self.verdict);
        text += &table(&COLUMNS, &self.rows());
        text += &format!("\n{}\n", self.counts());
        if let Some(told) = &self.told {
            text += &format!("Read: {}", counted(told.new, "new score"));
            for (n, what) in [
                (told.taken_back, "taken back"),
                (told.again, "known already"),
                (told.not_asked, "of outputs that were not asked for"),
                (told.missing, "missing (empty, null or NaN)"),
            ] {
                text += &if n > 0 {
                    format!(", {n} {what}")
                } else {
                    String::new()
                };
            }
            text += ".\n";
        }
        if let Some(WrittenTasks {
            path: Some(path),
            new,
            again,
        }) = &self.written
        {
            text += &format!(
                "Written: {} in {}",
                counted(*new, "new task"),
                path.display()
            );
            text += &if *again > 0 {
                format!(", and {again} again.\n")
            } else {
                ".\n".to_string()
            };
        }
        text + &format!("Next: {}\n", self.next)
    }
}
