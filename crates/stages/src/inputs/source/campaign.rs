//! The folder of a campaign as a data set: the texts it asks about, and the answers so far.
//!
//! The journal is only read, so the campaign may go on meanwhile.

mod ratings;

pub use ratings::{IdenticalOutputs, OutputKey};

use super::Source;
use super::table::csv;
use crate::engine::context::Context;
use crate::journal::swapped;
use crate::journal::{Assignment, CheckResult, Journal, PosedQuestion, RatingPlan, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tiebreak_base::duel::Pair;
use tiebreak_base::error::{Error, Flag, Message, Result, is_there};
use tiebreak_base::layout::path_argument;
use tiebreak_base::limits::{Part, file_text};
use tiebreak_base::rng::Seed;
use tiebreak_data::records::{Dataset, Kind};
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_metrics::env::Env;

/// The journal, in the campaign's folder.
pub const JOURNAL: &str = "journal.jsonl";

/// The settings of the campaign, in its folder.
pub const SETTINGS: &str = "campaign.toml";

/// The place of the texts that a campaign asks about.
#[derive(Deserialize)]
struct CampaignDataSettings {
    data: PathBuf,
    seed: u64,
    #[serde(default)]
    columns: BTreeMap<String, String>,
}

/// The answers of a campaign, as far as they become a data set.
#[derive(Clone)]
pub struct CampaignAnswers<'a> {
    /// Every question.
    pub(crate) posed: Vec<&'a PosedQuestion>,
    /// Answers that cannot be taken back any more, as they came in.
    pub came: Vec<Assignment>,
    /// The questions whose answers can still be taken back.
    held: Vec<Assignment>,
    /// Everybody who was ever listed, in the order in which they were.
    people: Vec<String>,
    /// The plan of what was rated, where something was.
    pub(crate) plan: Option<&'a RatingPlan>,
    /// The annotators listed last.
    pub(crate) listed: &'a [String],
    /// The seed by which sides were drawn.
    pub(crate) seed: Seed,
    /// The tasks with known answers that each person has done.
    checked: &'a BTreeMap<u32, Vec<CheckResult>>,
}

/// The checks, training aside, that an annotator failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedChecks {
    /// The annotator's name.
    pub annotator: String,
    /// The number of failed checks.
    pub failed: u64,
    /// The number of all of them.
    pub of: u64,
}

/// The columns of what annotators of pairs gave back, and those of ratings.
const COMPARED: [&str; 10] = [
    "item",
    "system_a",
    "system_b",
    "outcome",
    "annotator",
    "seconds",
    "label",
    "comment",
    "skipped",
    "reason",
];
const RATED: [&str; 11] = [
    "item",
    "system",
    "criterion",
    "score",
    "annotator",
    "seconds",
    "post_edit",
    "evidence",
    "comment",
    "skipped",
    "reason",
];

/// The texts and answers of the campaign in a folder; `None` where there is none.
///
/// # Errors
/// Texts that changed since the campaign began; errors of the journal.
pub(super) fn source(context: &Context<'_>, folder: &Path) -> Result<Option<Source>> {
    with_answers(context, folder, |answered, texts| {
        answered.source(context, texts, folder)
    })
}

/// The error for the data set of a campaign in the folder `run` that is not where it was.
pub fn data_gone(run: &Path, data: &Path) -> Error {
    let run = path_argument(run);
    let [at, again, out] = ["data", "again", "out"].map(Flag);
    let moved = "if the data set has moved, say where it is";
    Error::missing(data).with_hint(Message::except_in_python(
        format!(
            "{moved}: `tiebreak tell {run} SHEET {at} DATA`, or without a sheet `tiebreak ask {run} DATA {again} {out} \
             open.csv`, which asks nothing new"
        ),
        format!("{moved}: `tb.load(\"DATA\").campaign(\"RUN\")`"),
    ))
}

/// Passes the answers of the campaign in a folder to `work`, with its texts; `None` where there is no campaign.
///
/// # Errors
/// Texts that changed since the campaign began; errors of the journal and of `work`.
pub(crate) fn with_answers<T>(
    context: &Context<'_>,
    folder: &Path,
    work: impl FnOnce(&CampaignAnswers<'_>, &Source) -> Result<T>,
) -> Result<Option<T>> {
    let (journal, settings) = (folder.join(JOURNAL), folder.join(SETTINGS));
    if !is_there(&journal) || !is_there(&settings) {
        return Ok(None);
    }
    let text = file_text(&settings, Part::Row).map_err(Error::reading(&settings))?;
    let begun: CampaignDataSettings = toml::from_str(&text)
        .map_err(|source| Error::input(&settings, source.message().to_string()))?;
    let columns: Vec<(String, String)> = begun.columns.into_iter().collect();
    let data = folder.join(begun.data);
    if !data.exists() {
        return Err(data_gone(folder, &data));
    }
    let texts = Source::open(context, &data, &columns)?;
    let read = Journal::look(&journal, &texts.tables)
        .map_err(|error| which_changed(&texts.dataset, error))?;
    let answered = CampaignAnswers {
        posed: read.posed.iter().collect(),
        came: read.came,
        held: read.held,
        people: read.people,
        plan: read.plan.as_ref(),
        listed: &read.list,
        seed: Seed(begun.seed),
        checked: &read.checked,
    };
    work(&answered, &texts).map(Some)
}

impl<'a> CampaignAnswers<'a> {
    /// The answers in an open journal.
    pub fn in_journal(journal: &'a Journal, seed: Seed) -> Self {
        Self {
            posed: journal.posed().collect(),
            came: journal.came().collect(),
            held: journal.held_questions().collect(),
            people: journal.everybody().to_vec(),
            plan: journal.plan(),
            listed: journal.list(),
            seed,
            checked: journal.all_checked(),
        }
    }

    /// The table that the answers are rows of.
    pub fn kind(&self) -> Kind {
        match self.plan {
            Some(_) => Kind::Judgments,
            None => Kind::Comparisons,
        }
    }

    /// Passes the answers to `take`, one by one as rows of their table: as objects they take ten times their text.
    ///
    /// # Errors
    /// A question about an item that is not there.
    fn each_row(&self, texts: &Source, take: impl FnMut(Value)) -> Result<()> {
        match self.plan {
            Some(plan) => ratings::each_row(texts, plan, self, take),
            None => self.each_comparison(texts, take),
        }
    }

    /// Everything that came back, as a table in CSV, with its number of rows: answers with their labels and comments, then
    /// skips with their reasons. What can still be taken back is in it, too.
    ///
    /// # Errors
    /// A question about an item that is not there.
    pub fn csv(&self, texts: &Source) -> Result<(Vec<u8>, u64)> {
        let columns = match self.kind() {
            Kind::Judgments => &RATED[..],
            _ => &COMPARED[..],
        };
        let all = Self {
            came: [&*self.came, &self.held].concat(),
            ..self.clone()
        };
        let mut rows = Vec::new();
        all.each_row(texts, |row| rows.push(row))?;
        rows.extend(all.skips(texts)?);
        let written = csv(columns, &rows)?;
        Ok((written, rows.len() as u64))
    }

    /// The skips, with their questions.
    fn skipped(&self) -> impl Iterator<Item = (PairQuestion, Assignment, &Response)> {
        let given = self.posed.iter().flat_map(|posed| {
            let given = posed.puts();
            given.filter_map(|(put, given)| Some((posed.question, put, given?)))
        });
        given.filter(|(.., given)| !given.is_answer())
    }

    /// The skips, as rows of the same columns.
    fn skips(&self, texts: &Source) -> Result<Vec<Value>> {
        let items = names(texts)?;
        let mut rows = Vec::new();
        for (question, put, given) in self.skipped() {
            let mut pair = question.duel.pair;
            if swapped(self.seed, put) {
                pair = Pair::new(pair.second, pair.first);
            }
            rows.push(json!({
                "item": name(&items, question.sample.item)?,
                "system": texts.system(pair.first),
                "system_a": texts.system(pair.first),
                "system_b": texts.system(pair.second),
                "annotator": given.annotator,
                "seconds": given.seconds,
                "comment": given.comment,
                "skipped": true,
                "reason": given.reason,
            }));
        }
        Ok(rows)
    }

    /// The answers as JSON lines, and the annotators in the order in which they came: the listed ones, then others by the
    /// first question that they answered.
    fn lines(&self, texts: &Source) -> Result<(String, Vec<String>)> {
        let (mut lines, mut annotators, mut known) = (String::new(), Vec::new(), BTreeSet::new());
        let mut note = |name: &str| {
            if !known.contains(name) {
                known.insert(name.to_string());
                annotators.push(name.to_string());
            }
        };
        self.people.iter().for_each(|name| note(name));
        self.each_row(texts, |row| {
            lines += &row.to_string();
            lines.push('\n');
            if let Some(name) = row["annotator"].as_str() {
                note(name);
            }
        })?;
        Ok((lines, annotators))
    }

    /// The texts with the answers, as the data set that the campaign's folder is.
    ///
    /// # Errors
    /// A question about an item that is not there; if the answers cannot be indexed.
    pub fn source(&self, context: &Context<'_>, texts: &Source, folder: &Path) -> Result<Source> {
        let ((answers, annotators), kind) = (self.lines(texts)?, self.kind());
        let ranges = self.plan.map(ratings::ranges).unwrap_or_default();
        let dataset = texts.dataset.clone();
        let answered = dataset.with_answers(folder, kind, &answers, ranges)?;
        // The next answer makes it another data set: its index is of use only once.
        let once = Context {
            env: Env {
                indexes: None,
                ..context.env.clone()
            },
            ..*context
        };
        let source = Source {
            failed_checks: self.failed_checks(&annotators),
            of_campaign: kind == Kind::Comparisons,
            rated_once: kind == Kind::Judgments,
            held: match kind {
                Kind::Judgments => self.held.len() as u64,
                _ => 0,
            },
            skips: self.skipped().map(|(.., given)| given.seconds).collect(),
            unanswered: answers.is_empty().then_some(kind),
            listed: self.listed.to_vec(),
            annotators,
            ..Source::index(&once, answered)?
        };
        let chosen = self.plan.filter(|plan| !plan.even);
        let chosen = chosen.map(|plan| ratings::chosen(&source, plan, self));
        Ok(Source {
            chosen: chosen.transpose()?,
            ..source
        })
    }

    /// The annotators who failed checks, by their places among all; where nobody is listed, the first is the only one.
    fn failed_checks(&self, annotators: &[String]) -> Vec<FailedChecks> {
        let of = |(person, done): (&u32, &Vec<CheckResult>)| {
            let done = done.iter().filter(|one| !one.training);
            let [failed, of] = done.fold([0, 0], |[failed, of], one| {
                [failed + u64::from(!one.right), of + 1]
            });
            let annotator = annotators.get(*person as usize)?.clone();
            (failed > 0).then_some(FailedChecks {
                annotator,
                failed,
                of,
            })
        };
        self.checked.iter().filter_map(of).collect()
    }

    /// Rows of `comparisons`, one an answer. `system_a` is the one whose text was shown first.
    fn each_comparison(&self, texts: &Source, mut take: impl FnMut(Value)) -> Result<()> {
        let items = names(texts)?;
        let given = self.posed.iter().flat_map(|posed| {
            let given = posed.puts().filter_map(|(put, given)| Some((put, given?)));
            given.filter_map(|(put, given)| Some((posed.question, put, given, given.outcome?)))
        });
        for (question, put, given, outcome) in given {
            let Pair { first, second } = question.duel.pair;
            let (pair, outcome) = match swapped(self.seed, put) {
                true => (Pair::new(second, first), outcome.flipped()),
                false => (question.duel.pair, outcome),
            };
            take(json!({
                "item": name(&items, question.sample.item)?,
                "system_a": texts.system(pair.first),
                "system_b": texts.system(pair.second),
                "outcome": outcome.value(),
                "annotator": given.annotator,
                "seconds": given.seconds,
                "label": given.label,
                "comment": given.comment,
            }));
        }
        Ok(())
    }
}

/// The names of all items.
fn names(texts: &Source) -> Result<Vec<String>> {
    texts.index.all().map(|group| Ok(group?.item)).collect()
}

fn name(items: &[String], item: u32) -> Result<&String> {
    let found = items.get(item as usize);
    found.ok_or_else(|| Error::failed(format!("item number {item} is not in the data set")))
}

/// An error that names the table or the setting that changed, and what can be done; two digests alone would not help.
pub fn which_changed(dataset: &Dataset, error: Error) -> Error {
    let Error::Changed { key, was, now, .. } = &error else {
        return error;
    };
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == key) else {
        // The name of a signature is that of the bandit.
        let key = if key == "run" { "bandit" } else { key };
        let [was, now] = [was, now].map(|value| match value.as_str() {
            // Only a campaign without audits leaves this out.
            "(none)" if key == "audit" => "0",
            "(none)" => "the default",
            value => value,
        });
        let what = format!("{key} was {was} when the campaign began, and is {now} now");
        let hint = "what decides which questions are asked is fixed then: leave it as it was, or begin another \
                    campaign in a folder of its own";
        return Error::usage(what).with_hint(hint);
    };
    let what = "changed since the campaign began, and the campaign needs the old contents";
    Error::input(dataset.table(kind).unwrap_or(dataset.path()), what).with_hint(
        "restore it from a copy, or begin another campaign in a folder of its own; new comparisons and \
         judgments may be added at any time",
    )
}
