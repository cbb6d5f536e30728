//! A data set made ready for stages: opened, indexed, digested; and the tables that lie beside it.

pub mod campaign;
mod clusters;
mod marks;
mod pairs;
mod predictions;
mod scores;
mod sides;
pub(crate) mod table;
mod together;

pub use clusters::ClusterKeys;
pub(crate) use clusters::{COMPARED, ItemClusters, SCORED};
pub(crate) use marks::{Marks, PROBABILITY, STRATUM};
pub(crate) use pairs::RequestedPairs;
pub(crate) use predictions::Alteration;
pub use predictions::PredictionTable;
pub(crate) use predictions::UnbalancedPlaces;
pub(crate) use predictions::{TAU1_BY_FOLD, TAU2_BY_FOLD};
pub use scores::Scores;
pub(crate) use scores::{OutputScore, each_group};
pub(crate) use sides::{LogSide, SideBySide};
pub(crate) use tiebreak_data::tables::meta::digest;
pub use together::CommonItems;

use crate::engine::context::Context;
use campaign::FailedChecks;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_base::words::counted;
use tiebreak_data::records::dataset::Digests;
use tiebreak_data::records::import::ImportOptions;
use tiebreak_data::records::index::{Group, GroupJudgment, Index};
use tiebreak_data::records::{Dataset, Kind};
use tiebreak_data::tables::{Manifest, ManifestStage};
use tiebreak_decide::estimators::bradley_terry::StrengthComparison;
use tiebreak_decide::ranking::Collection;

/// Items read at a time; as many are read ahead.
pub(crate) const CHUNK: u64 = 256;

/// A data set made ready for stages.
pub struct Source {
    /// Its files.
    pub dataset: Dataset,
    /// Its contents, item by item.
    pub index: Index,
    /// The digest of its contents.
    pub digest: String,
    /// The digest of its texts alone.
    pub texts: String,
    /// The digest of each table that has texts, by its name, and of their renamed columns.
    pub tables: Vec<(&'static str, String)>,
    /// Whether its comparisons are the answers of a campaign, which were asked for because of earlier ones.
    pub of_campaign: bool,
    /// Whether a text was rated once for all systems that wrote it: judgments of the others are copies.
    pub(crate) rated_once: bool,
    /// The table that answers will be rows of, for a campaign without any answer yet.
    pub unanswered: Option<Kind>,
    /// The seconds that each skip of a campaign took, where they are known.
    pub(crate) skips: Vec<Option<f64>>,
    /// The answers of a campaign that are not in its table, since they can still be taken back.
    pub(crate) held: u64,
    /// The annotators of a campaign who failed checks.
    pub(crate) failed_checks: Vec<FailedChecks>,
    /// The annotators that a campaign lists.
    pub listed: Vec<String>,
    /// The annotators of a campaign in the order in which they came, which is theirs everywhere: whatever name somebody has
    /// or gets, sums are the same. Those of any other data set stand in the order of names.
    pub annotators: Vec<String>,
    /// The probabilities with which a campaign chose the outputs to be judged, where these differ.
    pub(crate) chosen: Option<Marks>,
}

/// Adds names, of which most are there already.
pub(crate) fn add_names<'a>(names: &mut BTreeSet<String>, met: impl Iterator<Item = &'a String>) {
    for name in met {
        if !names.contains(name) {
            names.insert(name.clone());
        }
    }
}

/// Warns of rows that nobody answered, which are left out.
fn unanswered(context: &Context<'_>, dataset: &Dataset, index: &Index) {
    for (kind, column) in [(Kind::Comparisons, "outcome"), (Kind::Judgments, "score")] {
        let rows = index.unanswered(kind);
        let Some(more) = rows.count.checked_sub(1) else {
            continue;
        };
        let what = match more {
            0 => format!("no `{column}`, so the row counts as unanswered and is left out"),
            more => format!(
                "no `{column}` here and in {}, so they count as unanswered and are left out",
                counted(more, "further row")
            ),
        };
        let first = Error::record(dataset.row_location(kind, rows.first), what);
        context
            .progress
            .warn(&dataset.relocate_error(first).to_string());
    }
}

/// Warns of criteria that `dataset.toml` declares and no judgment has, where there are judgments.
fn declared(context: &Context<'_>, dataset: &Dataset, index: &Index) {
    let declared = dataset.descriptor().declared.iter();
    for (criterion, at) in declared.filter(|_| index.rows(Kind::Judgments) > 0) {
        if let Err(error) = index.criterion(criterion) {
            let hint = error.hint().unwrap_or_default();
            let what = format!("{at}: no judgment is under the criterion `{criterion}` ({hint})");
            context.progress.warn(&what);
        }
    }
}

impl Source {
    /// Opens, checks and indexes a data set. `columns` are renamings that take precedence over those of
    /// `dataset.toml`.
    ///
    /// # Errors
    /// The first mistake in the data, with its place.
    pub fn open(context: &Context<'_>, path: &Path, columns: &[(String, String)]) -> Result<Self> {
        let options = ImportOptions {
            columns: columns.to_vec(),
            ..ImportOptions::default()
        };
        Self::with(context, path, &options)
    }

    /// As [`open`](Self::open), with all options for files of other tools; reports which column was taken for which.
    /// The folder of a campaign is a data set of its texts and answers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn with(context: &Context<'_>, path: &Path, options: &ImportOptions) -> Result<Self> {
        if let Some(campaign) = campaign::source(context, path)? {
            options.refuse_picks("a campaign", &[])?;
            return Ok(campaign);
        }
        context.progress.begin("reading", 0);
        let dataset = Dataset::read(path, options);
        context.progress.end();
        let source = Self::index(context, dataset?)?;
        let imported = source.dataset.imported().map(ToString::to_string);
        for line in imported.iter().flat_map(|told| told.lines()) {
            context.progress.done(line);
        }
        Ok(source)
    }

    /// Indexes an open data set.
    ///
    /// # Errors
    /// The first mistake in the data, with its place.
    pub fn index(context: &Context<'_>, dataset: Dataset) -> Result<Self> {
        context.progress.begin("reading", 0);
        let opened = Index::open(&dataset, context.env.indexes.as_ref());
        context.progress.end();
        let (index, Digests { all, texts, tables }, lacking) = opened?;
        if let Some(error) = lacking {
            let what = "no index could be taken from the cache or kept in it, so it was made";
            context.progress.warn(&format!("{what}: {error}"));
        }
        declared(context, &dataset, &index);
        unanswered(context, &dataset, &index);
        Ok(Self {
            dataset,
            index,
            digest: all,
            texts,
            tables,
            of_campaign: false,
            rated_once: false,
            unanswered: None,
            skips: Vec::new(),
            held: 0,
            failed_checks: Vec::new(),
            listed: Vec::new(),
            annotators: Vec::new(),
            chosen: None,
        })
    }

    /// Whether its comparisons or judgments are the answers of a campaign.
    pub(crate) fn is_of_answers(&self) -> bool {
        self.of_campaign || self.rated_once
    }

    /// The systems, by arm.
    pub fn systems(&self) -> &[String] {
        self.index.systems()
    }

    /// The name of a system.
    pub fn system(&self, arm: Arm) -> &str {
        &self.index.systems()[arm.index()]
    }

    /// The systems whose judgments on an item are copies, each with the first system that wrote its text.
    pub(crate) fn copies(&self, group: &Group) -> BTreeMap<Arm, Arm> {
        let mut first: BTreeMap<&str, Arm> = BTreeMap::new();
        let judged = group.judgments.iter().map(|one| one.system);
        let judged: BTreeSet<Arm> = judged.filter(|_| self.rated_once).collect();
        let writer = |system| {
            let text = group.output(system)?;
            Some((system, *first.entry(text).or_insert(system)))
        };
        let writers = judged.into_iter().filter_map(writer);
        writers.filter(|(system, first)| system != first).collect()
    }

    /// The judgments on an item as people gave them, without copies.
    pub(crate) fn given_judgments<'g>(&self, group: &'g Group) -> Vec<&'g GroupJudgment> {
        let copies = self.copies(group);
        let given = group.judgments.iter();
        given
            .filter(|one| !copies.contains_key(&one.system))
            .collect()
    }

    /// Annotators in the order in which they are numbered.
    pub fn in_order(&self, names: BTreeSet<String>) -> Vec<String> {
        let places: BTreeMap<&String, usize> = self.annotators.iter().zip(0..).collect();
        let came = |name: &String| places.get(name).copied().unwrap_or(usize::MAX);
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_by_cached_key(came);
        names
    }

    /// The groups of a range of items.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn groups(&self, range: Range<u64>) -> Result<Vec<Group>> {
        self.index.decoded(range)
    }

    /// Passes all groups to `take` in their order, some at a time, while the next are read.
    ///
    /// # Errors
    /// Those of `take`; an interruption; if a temporary file cannot be read.
    pub(crate) fn each_chunk(
        &self,
        context: &Context<'_>,
        mut take: impl FnMut(Vec<Group>) -> Result<()>,
    ) -> Result<()> {
        let items = self.index.items();
        let read = |start: u64| self.groups(start..(start + CHUNK).min(items));
        let mut next = read(0);
        for start in (0..items).step_by(CHUNK as usize) {
            context.check()?;
            let groups = std::mem::replace(&mut next, Ok(Vec::new()))?;
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| next = read(start + CHUNK));
                take(groups)
            })?;
        }
        Ok(())
    }

    /// Checks that there are judgments under a criterion, if one is named. Without any judgments yet, no name is wrong.
    ///
    /// # Errors
    /// [`Error::Key`] with the nearest name.
    pub fn has_criterion(&self, criterion: Option<&str>) -> Result<()> {
        let named = criterion.filter(|_| self.unanswered != Some(Kind::Judgments));
        let known = named.map(|name| self.index.criterion(name));
        let known = known.transpose().map(drop);
        known.map_err(Error::of_key("criterion"))
    }

    /// An error about a comparison of a system that has no output for the item.
    pub fn lacks_output(&self, item: &str, system: Arm) -> Error {
        let system = self.system(system);
        let what = format!(
            "a comparison on item `{item}` of system `{system}`, which has no output there"
        );
        Error::input(self.dataset.path(), what)
    }

    /// The manifest of a run on it.
    pub fn manifest(
        &self,
        context: &Context<'_>,
        name: String,
        stages: Vec<ManifestStage>,
    ) -> Manifest {
        Manifest {
            tiebreak: env!("CARGO_PKG_VERSION").to_string(),
            name,
            seed: context.seed.0,
            data: self.dataset.name(),
            digest: self.digest.clone(),
            contents: self.contents(),
            command: String::new(),
            note: String::new(),
            changes: Vec::new(),
            plan: None,
            stages,
        }
    }

    /// An error about the judgment at a place, at its row in the user's file.
    pub(crate) fn judgment_error(
        &self,
        place: u64,
        what: impl Into<Message>,
        hint: Option<Message>,
    ) -> Error {
        let row = self.dataset.rows(Kind::Judgments).ok().flatten();
        let row = row.and_then(|mut rows| rows.nth(place as usize)?.ok());
        let mut error = match row {
            Some(row) => row.error(what),
            None => Error::input(self.dataset.path(), what),
        };
        if let Some(hint) = hint {
            error = error.with_hint(hint);
        }
        self.dataset.relocate_error(error)
    }

    /// A description of its contents, in a phrase.
    fn contents(&self) -> String {
        let mut text = format!(
            "{}, {}, {}",
            counted(self.systems().len() as u64, "system"),
            counted(self.index.items(), "item"),
            counted(self.index.rows(Kind::Outputs), "output")
        );
        for kind in [Kind::Comparisons, Kind::Judgments] {
            if self.index.has(kind) {
                text += &format!(", {} {}", self.index.rows(kind), kind.name());
            }
        }
        text
    }

    /// Whether its judgments are those of a campaign, which draws outputs by chance.
    pub(crate) fn draws_by_chance(&self) -> bool {
        self.rated_once
    }

    /// Checks that no comparison was asked for because of earlier answers.
    ///
    /// # Errors
    /// The comparisons of a campaign, of which its own ranking knows more.
    pub(crate) fn require_fixed_questions(&self) -> Result<()> {
        if !self.of_campaign {
            return Ok(());
        }
        let run = self.dataset.path();
        let what = format!(
            "{}: a campaign, whose questions depend on earlier answers",
            run.display()
        );
        let run = path_argument(run);
        Err(Error::usage(what).with_hint(Message::except_in_python(
            format!("it has its own ranking: tiebreak rank {run}"),
            "it has its own ranking: `rank()`".to_string(),
        )))
    }

    /// People's comparisons, in the order of items.
    pub(crate) fn comparisons(&self) -> Result<Collection> {
        let mut found = Collection::new(self.systems().to_vec());
        self.index
            .each_comparison(|position, pair, outcome, annotator| {
                let item = u32::try_from(position).map_err(Error::failed)?;
                let comparison = StrengthComparison {
                    item,
                    pair,
                    outcome,
                };
                found.push(comparison, annotator);
                Ok(())
            })?;
        Ok(found)
    }

    /// An error about a data set in which fewer than two systems can be compared.
    pub fn lacks_second_system(&self) -> Error {
        let data = self.dataset.path();
        if self.systems().is_empty() && self.dataset.table(Kind::Comparisons).is_some() {
            let what = "no row of `comparisons` has an outcome, and comparing needs some";
            return Error::input(data, what)
                .with_hint("write 1, 0.5 or 0 in `outcome`: how `system_a` fared");
        }
        let what = match self.systems() {
            [] => "holds outputs of no system, and comparing needs two".to_string(),
            [one, ..] => format!("holds one system, `{one}`, and comparing needs two"),
        };
        Error::input(data, what).with_hint(Message::except_in_python(
            format!(
                "to have outputs of one system rated: tiebreak ask RUN {} {} rating {} questions.csv",
                path_argument(data),
                Flag("task"),
                Flag("out")
            ),
            "to have outputs of one system rated: `campaign(\"run\", task=\"rating\")`".to_string(),
        ))
    }

    /// An error about the data set as a whole: it lacks a table, or one of several.
    pub fn lacks(&self, stage: &str, table: &str) -> Error {
        if self
            .unanswered
            .is_some_and(|kind| table.contains(kind.name()))
        {
            let run = self.dataset.path();
            let what = format!(
                "{}: there are no answers yet, and {stage} needs {table}",
                run.display()
            );
            let run = path_argument(run);
            return Error::usage(what).with_hint(Message::except_in_python(
                format!(
                    "get answers with `tiebreak ask {run}`; read filled sheets with `tiebreak tell {run} SHEET`"
                ),
                "continue it with the data set that it was begun with: `tb.load(\"DATA\").campaign(\"RUN\")`".to_string(),
            ));
        }
        let data = self.dataset.path();
        let what = format!("{} has no {table}, which {stage} needs", data.display());
        let shows = "shows what it has, and what can be run on it";
        Error::usage(what).with_hint(Message::except_in_python(
            format!("`tiebreak check {}` {shows}", path_argument(data)),
            format!("`check()` {shows}"),
        ))
    }
}
