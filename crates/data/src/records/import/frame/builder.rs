//! The data set that an import builds: format readers add records, which are checked against earlier ones.
//!
//! For every item, output and predicted pair it keeps a few dozen bytes, however long the texts are, so that no two
//! texts share a name and nothing occurs twice.
#![allow(clippy::ref_option_ref)] // serde passes what may be missing so

mod about_nothing;
mod battle;
mod left_out;

pub(in crate::records::import) use battle::BattleTexts;

use super::account::{self, ImportSummary};
use super::file::ImportFile;
use super::folder::ImportFiles;
use super::options::{ImportOptions, Nulls};
use super::record::RecordValue;
use super::writer::{
    ComparisonRow, DatasetWriter, ExtraFields, ImportTableRow, ItemRow, OutputRow, PredictionRow,
};
use crate::records::check::alike;
use crate::records::decimals::DecimalMarks;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Flag, Location, Result};

/// The data set that an import builds.
pub(in crate::records::import) struct DatasetBuilder<'a> {
    /// The options of the user.
    pub options: &'a ImportOptions,
    account: ImportSummary,
    writer: DatasetWriter,
    /// The texts of each item.
    items: HashMap<u128, ItemTexts>,
    /// The numbers of the rows of items that a later one replaces, which has more texts.
    replaced_items: Vec<u64>,
    /// The text of each output, hashed.
    outputs: HashMap<u128, u64>,
    /// The outputs whose texts were left out, and their systems.
    refused: HashSet<u128>,
    refused_systems: BTreeSet<String>,
    /// The records that are identified, such as annotations by their ids.
    identified: HashSet<u128>,
    /// The first repeat of each judgment, hashed, where no other counts.
    first_repeats: HashMap<u128, u64>,
    predictions: HashSet<u128>,
    /// All items in any record, and those with outputs.
    met: HashSet<u128>,
    with_outputs: HashSet<u128>,
    /// The systems, and whether each has outputs.
    systems: HashMap<String, bool>,
    /// The criteria, and how many judgments each has.
    criteria: HashMap<String, u64>,
    /// The names of all criteria in the files, wanted or not, where the user names some.
    met_criteria: BTreeSet<String>,
    /// The rows of each table of answers whose outputs are not there yet.
    early: BTreeMap<&'static str, PendingAnswers>,
    /// How ratings are written.
    pub decimals: DecimalMarks,
    /// Halves of surrogate pairs that were replaced.
    halves: u64,
    /// Records whose prompt is not the first of their document.
    other_prompts: u64,
    /// A row of judgments whose record is sought, as it is written, and the place of the first such record.
    pub sought: Option<(String, Option<Location>)>,
}

/// The texts of an item, hashed.
#[derive(Debug, Clone, Copy)]
struct ItemTexts {
    source: Option<u64>,
    references: Option<u64>,
    /// The prompt, where the file says by other means which document it is of.
    prompt: Option<u64>,
    /// The number of references.
    count: usize,
    /// The number of the item's row, and whether it has further columns.
    row: u64,
    has_more: bool,
}

/// The rows of a table of answers that precede the outputs they are about, if these ever come.
#[derive(Debug, Default)]
struct PendingAnswers {
    /// The number of rows of the table.
    rows: u64,
    /// The numbers of the early rows, from 0.
    early: Vec<u64>,
}

/// A comparison as a format reader adds it.
#[derive(Debug, Clone, Copy)]
pub(in crate::records::import) struct ImportedComparison<'a> {
    pub item: &'a str,
    pub system_a: &'a str,
    pub system_b: &'a str,
    pub outcome: Outcome,
    pub label: Option<&'a str>,
    pub annotator: Option<&'a str>,
    pub cost: Cost,
}

/// The reason to leave out an output that differs from an earlier one.
const ANOTHER_TEXT: &str = "an output, with any scores: the system has another for the same item";

/// The reason to leave out a comparison of a system with itself.
pub(in crate::records::import) const ITSELF: &str = "a system compared with itself";

/// The reason to leave out the text of a repeat after the first.
pub(in crate::records::import) const FURTHER_OUTPUT: &str =
    "an output of a further repeat, whose scores are kept";

/// The criterion of a post-edit: whether anything was changed.
pub const EDITED: &str = "edited";

/// Whether a text was edited. Browsers and spreadsheets write different line ends, and add blanks at the ends.
pub fn is_edited(shown: &str, written: &str) -> bool {
    let lines = |text: &str| text.trim().replace("\r\n", "\n");
    lines(shown) != lines(written)
}

/// A judgment, as a format reader adds it and as it is written.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(in crate::records::import) struct JudgmentRow<'a> {
    pub item: &'a str,
    pub system: &'a str,
    pub criterion: &'a str,
    pub score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotator: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<&'a str>,
    /// The repeat (epoch, trial) of the output; written as a number where it is one.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "repeat_number"
    )]
    pub repeat: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_edit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Fields without a column, kept as they were.
    #[serde(flatten)]
    pub more: Option<&'a ExtraFields>,
    /// The place of the record that makes it by itself.
    #[serde(skip)]
    pub at: Option<&'a Location>,
}

/// Writes a repeat as a number where it is spelled as one.
#[allow(clippy::ref_option)] // as serde calls it
fn repeat_number<S: Serializer>(repeat: &Option<&str>, to: S) -> Result<S::Ok, S::Error> {
    let text = repeat.unwrap_or_default();
    match text.parse::<u64>() {
        Ok(number) if number.to_string() == text => to.serialize_u64(number),
        _ => to.serialize_str(text),
    }
}

impl ImportTableRow for JudgmentRow<'_> {
    const TABLE: &'static str = "judgments";
}

impl<'a> DatasetBuilder<'a> {
    /// Begins the data set that will be at `out`.
    ///
    /// # Errors
    /// If nothing can be written beside `out`.
    pub(crate) fn create(out: &Path, options: &'a ImportOptions, format: &str) -> Result<Self> {
        Ok(Self {
            options,
            account: ImportSummary {
                format: format.to_string(),
                ..ImportSummary::default()
            },
            writer: DatasetWriter::create(out)?,
            items: HashMap::new(),
            replaced_items: Vec::new(),
            outputs: HashMap::new(),
            refused: HashSet::new(),
            refused_systems: BTreeSet::new(),
            identified: HashSet::new(),
            first_repeats: HashMap::new(),
            predictions: HashSet::new(),
            met: HashSet::new(),
            with_outputs: HashSet::new(),
            systems: HashMap::new(),
            criteria: HashMap::new(),
            met_criteria: BTreeSet::new(),
            early: BTreeMap::new(),
            decimals: DecimalMarks::default(),
            halves: 0,
            other_prompts: 0,
            sought: None,
        })
    }

    /// Adds an item; false where the name belongs to a different item already, so that its records must be left
    /// out. An absent source is no other source, and absent references are no others. Of texts that differ in blanks
    /// around them alone the first are kept.
    pub(crate) fn item(
        &mut self,
        item: &str,
        source: Option<&str>,
        references: &[String],
    ) -> Result<bool> {
        self.item_with(item, source, references, None)
    }

    /// Adds an [`item`](Self::item) with the further columns of its row.
    pub(crate) fn item_with(
        &mut self,
        item: &str,
        source: Option<&str>,
        references: &[String],
        more: Option<&ExtraFields>,
    ) -> Result<bool> {
        let texts = ItemTexts {
            source: source.map(|source| digest(&source.trim())),
            references: (!references.is_empty()).then(|| {
                let trimmed = references.iter().map(|text| text.trim());
                digest(&trimmed.collect::<Vec<_>>())
            }),
            prompt: None,
            count: references.len(),
            row: self.items.len() as u64 + self.replaced_items.len() as u64,
            has_more: more.is_some_and(|more| !more.is_empty()),
        };
        let key = self.meet(item);
        if let Some(known) = self.items.get(&key) {
            let pairs = [
                (known.source, texts.source),
                (known.references, texts.references),
            ];
            let is_same = |(one, other): (Option<u64>, Option<u64>)| {
                one.zip(other).is_none_or(|(one, other)| one == other)
            };
            let adds = pairs
                .iter()
                .any(|(known, new)| known.is_none() && new.is_some());
            let lacks = pairs
                .iter()
                .any(|(known, new)| known.is_some() && new.is_none());
            if !pairs.into_iter().all(is_same) || adds && lacks {
                return Ok(false);
            }
            if !adds {
                return Ok(true);
            }
            self.replaced_items.push(known.row);
            if known.has_more {
                self.drop("further columns of an item whose texts a later row completes");
            }
        }
        self.add_item(item, texts, (source, references), more)?;
        Ok(true)
    }

    /// Adds an item whose `identity` the file gives: its texts may differ between systems, as prompts
    /// do, and the first are taken.
    pub(crate) fn item_of(
        &mut self,
        item: &str,
        identity: u64,
        source: Option<&str>,
        references: &[String],
    ) -> Result<bool> {
        let key = self.meet(item);
        let prompt = source.map(|source| digest(&source.trim()));
        if let Some(known) = self.items.get(&key) {
            let is_same = known.source == Some(identity);
            self.other_prompts += u64::from(is_same && known.prompt != prompt);
            return Ok(is_same);
        }
        let texts = ItemTexts {
            source: Some(identity),
            references: None,
            prompt,
            count: references.len(),
            row: self.items.len() as u64 + self.replaced_items.len() as u64,
            has_more: false,
        };
        self.add_item(item, texts, (source, references), None)?;
        Ok(true)
    }

    fn add_item(
        &mut self,
        item: &str,
        texts: ItemTexts,
        (source, references): (Option<&str>, &[String]),
        more: Option<&ExtraFields>,
    ) -> Result<()> {
        self.items.insert(wide(&item), texts);
        self.account.source |= source.is_some();
        self.account.references = self.account.references.max(texts.count);
        self.writer.push(&ItemRow {
            item,
            source,
            references,
            more,
        })
    }

    /// Adds the output of a system; null is an empty text, unless empty ones are a mistake. False where the system has another
    /// text for the item already: then this one is left out.
    ///
    /// # Errors
    /// If it is empty and must not be, or writing fails.
    pub(crate) fn output(
        &mut self,
        item: &str,
        system: &str,
        output: Option<&str>,
        at: RecordValue<'_>,
    ) -> Result<bool> {
        self.output_with(item, system, output, at, None)
    }

    /// Adds an [`output`](Self::output) with the further columns of its row.
    pub(crate) fn output_with(
        &mut self,
        item: &str,
        system: &str,
        output: Option<&str>,
        at: RecordValue<'_>,
        more: Option<&ExtraFields>,
    ) -> Result<bool> {
        let text = output.unwrap_or_default();
        // A CSV has nothing but empty cells for nulls.
        if text.is_empty() && self.options.nulls == Nulls::Error {
            let found = if output.is_none() { "null" } else { "empty" };
            let what = format!("the output of system `{system}` is {found}");
            let hint = format!("{} empty takes it for an empty text", Flag("nulls"));
            return Err(at.error(what).with_hint(hint));
        }
        let item_key = self.meet(item);
        let (key, told) = (wide(&(item_key, system)), digest(&text));
        if let Some(known) = self.outputs.get(&key).copied() {
            if known != told {
                self.drop(ANOTHER_TEXT);
            }
            return Ok(known == told);
        }
        self.outputs.insert(key, told);
        self.account.nulls += u64::from(text.is_empty());
        self.account.outputs += 1;
        if !self.items.contains_key(&item_key) {
            self.item(item, None, &[])?;
        }
        self.system(system);
        self.with_outputs.insert(item_key);
        if let Some(has_outputs) = self.systems.get_mut(system) {
            *has_outputs = true;
        }
        self.writer.push(&OutputRow {
            item,
            system,
            output: text,
            more,
        })?;
        Ok(true)
    }

    /// Adds an [`output_with`](Self::output_with) of a file with one row an output and nothing else in it: a repeated row
    /// is counted.
    pub(crate) fn output_once(
        &mut self,
        item: &str,
        system: &str,
        output: Option<&str>,
        at: RecordValue<'_>,
        more: Option<&ExtraFields>,
    ) -> Result<bool> {
        let before = self.account.outputs;
        let kept = self.output_with(item, system, output, at, more)?;
        if kept && self.account.outputs == before {
            self.drop("the same output again");
        }
        Ok(kept)
    }

    /// Adds a comparison of two systems.
    pub(crate) fn comparison(
        &mut self,
        compared: &ImportedComparison<'_>,
        more: &ExtraFields,
    ) -> Result<()> {
        let systems = [compared.system_a, compared.system_b];
        if !self.has_pair(compared.item, systems) {
            return Ok(());
        }
        self.account.comparisons += 1;
        let row = ComparisonRow {
            item: compared.item,
            system_a: compared.system_a,
            system_b: compared.system_b,
            outcome: compared.outcome.value(),
            label: compared.label,
            annotator: compared.annotator,
            seconds: compared.cost.seconds,
            price: compared.cost.price,
            more,
        };
        self.answer(&row, compared.item, &systems)
    }

    /// Adds a judgment of an output, where the criterion is wanted.
    pub(crate) fn judgment(&mut self, judged: &JudgmentRow<'_>) -> Result<()> {
        let criterion = judged.criterion;
        if !self.meet_criterion(criterion) || !self.has_subject(judged.item, &[judged.system]) {
            return Ok(());
        }
        if self.is_further_repeat(judged) {
            self.drop("a score of a further repeat");
            return Ok(());
        }
        match self.criteria.get_mut(criterion) {
            Some(count) => *count += 1,
            None => {
                self.criteria.insert(criterion.to_string(), 1);
                self.account.criteria.push(criterion.to_string());
            }
        }
        self.account.judgments += 1;
        if let Some((row, place @ None)) = &mut self.sought
            && serde_json::to_string(judged).map_err(Error::failed)? == *row
        {
            *place = judged.at.cloned();
        }
        self.answer(judged, judged.item, &[judged.system])
    }

    /// Adds a post-edited text, as a judgment of its own.
    pub(crate) fn edited(
        &mut self,
        judged: &JudgmentRow<'_>,
        text: &str,
        edited: &str,
    ) -> Result<()> {
        self.judgment(&JudgmentRow {
            criterion: EDITED,
            score: f64::from(u8::from(is_edited(text, edited))),
            post_edit: Some(edited),
            ..*judged
        })
    }

    /// Adds the measured value of an output (item and system), or of a repeat of it, under a criterion; a value that is
    /// no number is left out, and counted.
    pub(crate) fn measured(
        &mut self,
        about: (&str, &str),
        repeat: Option<&str>,
        criterion: &str,
        score: Option<f64>,
    ) -> Result<()> {
        let Some(score) = score else {
            self.no_number(about.1, criterion);
            return Ok(());
        };
        let (item, system) = about;
        self.judgment(&JudgmentRow {
            item,
            system,
            criterion,
            score,
            repeat,
            ..JudgmentRow::default()
        })
    }

    /// Adds the predicted probability that the first of two systems is preferred.
    pub(crate) fn prediction(&mut self, row: &PredictionRow<'_>) -> Result<()> {
        let systems = [row.system_a, row.system_b];
        if !self.has_pair(row.item, systems) {
            return Ok(());
        }
        let item_key = self.meet(row.item);
        let pair = (systems[0].min(systems[1]), systems[0].max(systems[1]));
        if !self.predictions.insert(wide(&(item_key, pair))) {
            self.drop("another prediction of the same pair");
            return Ok(());
        }
        self.account.predictions += 1;
        let pair = (pair.0.to_string(), pair.1.to_string());
        self.account.predicted_pairs.insert(pair);
        self.answer(row, row.item, &systems)
    }

    /// Counts a value of a system that is no number, under a wanted criterion.
    pub(crate) fn no_number(&mut self, system: &str, criterion: &str) {
        self.no_score(system, criterion, format!("{criterion} is not a number"));
    }

    /// Counts an answer of a system that is missing because a call failed.
    pub(crate) fn failed(&mut self, system: &str, reason: &str) {
        self.drop(reason);
        let missing = self.account.missing.entry(system.to_string());
        missing.or_default().failed += 1;
    }

    /// Counts a score of a system that is missing for a reason, under a wanted criterion.
    pub(crate) fn no_score(&mut self, system: &str, criterion: &str, reason: impl Into<String>) {
        if self.meet_criterion(criterion) {
            self.drop(reason);
            let missing = self.account.missing.entry(system.to_string());
            let unscored = &mut missing.or_default().unscored;
            *unscored.entry(criterion.to_string()).or_default() += 1;
        }
    }

    /// Whether a criterion of the files is wanted.
    pub(crate) fn meet_criterion(&mut self, criterion: &str) -> bool {
        if self.options.criteria.is_some() && !self.met_criteria.contains(criterion) {
            self.met_criteria.insert(criterion.to_string());
        }
        self.options.wants(criterion)
    }

    /// Counts replaced halves of surrogate pairs in the input.
    pub(crate) fn halved(&mut self, halves: u64) {
        self.halves += halves;
    }

    /// Reports which files were read and not read, and which of them leave doubts.
    pub(super) fn account_for(&mut self, files: &ImportFiles) -> Result<()> {
        self.halved(files.all.iter().map(ImportFile::halves).sum());
        self.account.left_out = files.left_out();
        for file in &files.all {
            file.doubts()?
                .into_iter()
                .for_each(|doubt| self.note(doubt));
        }
        Ok(())
    }

    /// Counts a record that is left out.
    pub(crate) fn drop(&mut self, reason: impl Into<String>) {
        self.account.drop(reason, 1);
    }

    /// Reads the references of a list, or the one; nulls among them are skipped, and counted.
    pub(crate) fn references(&mut self, given: RecordValue<'_>) -> Result<Vec<String>> {
        match given.is_list() {
            true => {
                let texts = given.items().map(RecordValue::text);
                Ok(self.given_references(texts.collect::<Result<_>>()?))
            }
            false => given.texts(),
        }
    }

    /// Returns references without their nulls, which are counted.
    pub(crate) fn given_references(&mut self, texts: Vec<Option<String>>) -> Vec<String> {
        let nulls = texts.iter().filter(|text| text.is_none()).count();
        self.drop_many("a null among references", nulls as u64);
        texts.into_iter().flatten().collect()
    }

    /// Counts several records that are left out.
    pub(crate) fn drop_many(&mut self, reason: impl Into<String>, count: u64) {
        self.account.drop(reason, count);
    }

    /// Reports how columns or fields were interpreted.
    pub(crate) fn taken(&mut self, line: impl Into<String>) {
        self.account.taken.push(line.into());
    }

    /// Adds a note for the user, once.
    pub(crate) fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !self.account.notes.contains(&line) {
            self.account.notes.push(line);
        }
    }

    /// Moves the data set to its final path.
    ///
    /// # Errors
    /// If there is nothing in it, a criterion is named that is not in the files, something else is there, or writing fails.
    pub(crate) fn finish(mut self, from: &Path) -> Result<ImportSummary> {
        self.options.check_criteria(&self.met_criteria)?;
        self.replaced_items.sort_unstable();
        let replaced = &self.replaced_items;
        self.writer.retain(ItemRow::TABLE, replaced, |_| false)?;
        self.account.fewest_references = self.items.values().map(|texts| texts.count).min();
        self.leave_out_answers_about_nothing()?;
        self.note_lost_systems();
        if self.other_prompts > 0 {
            let others = self.other_prompts;
            self.note(format!(
                "records whose prompt is not the first of their document, which is kept as the source: {others}"
            ));
        }
        if self.halves > 0 {
            let halves = self.halves;
            self.note(format!(
                "halves of surrogate pairs, which no text can hold, became U+FFFD: {halves}"
            ));
        }
        let ImportSummary {
            outputs,
            comparisons,
            judgments,
            predictions,
            ..
        } = self.account;
        let has_inputs = self.options.inputs_suffice && !self.items.is_empty();
        if outputs + comparisons + judgments + predictions == 0 && !has_inputs {
            let what = format!("nothing to import, read as {}", self.account.format);
            let dropped = self.account.dropped.iter();
            let dropped = dropped.map(|one| format!("{} ({})", one.count, one.reason));
            let files = self.account.left_out.iter();
            let files = files.map(|one| format!("{} ({})", account::names(&one.files), one.rule));
            let dropped = dropped.chain(files).collect::<Vec<_>>().join(", ");
            let error = Error::input(from, what);
            return Err(match dropped.is_empty() {
                true => error,
                false => error.with_hint(format!("left out: {dropped}")),
            });
        }
        for names in alike::alike(self.account.systems.iter().map(String::as_str)) {
            self.account.notes.push(alike::sentence(&names));
        }
        let made = format!("{}, by tiebreak import", self.account.format);
        self.writer.finish(&made)?;
        Ok(self.account)
    }

    /// Writes an answer about outputs, which may come later.
    fn answer<R: ImportTableRow>(&mut self, row: &R, item: &str, systems: &[&str]) -> Result<()> {
        let item_key = self.meet(item);
        for system in systems {
            self.system(system);
        }
        let there = self.with_outputs.contains(&item_key)
            && systems.iter().all(|system| self.systems[*system]);
        let table = self.early.entry(R::TABLE).or_default();
        if !there {
            table.early.push(table.rows);
        }
        table.rows += 1;
        self.writer.push(row)
    }

    fn meet(&mut self, item: &str) -> u128 {
        let key = wide(&item);
        self.met.insert(key);
        key
    }

    fn system(&mut self, system: &str) {
        if !self.systems.contains_key(system) {
            self.systems.insert(system.to_string(), false);
            self.account.systems.push(system.to_string());
        }
    }
}

/// Hashes a value; the same within one run only.
pub(in crate::records::import) fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Hashes a value in 128 bits, for names of which there are many.
fn wide(value: &impl Hash) -> u128 {
    (u128::from(digest(&(0u8, value))) << 64) | u128::from(digest(&(1u8, value)))
}

/// Returns the name of an unnamed item: a hash of its prompt, the same in every file and on every day.
pub(in crate::records::import) fn key_of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex = |byte: &u8| format!("{byte:02x}");
    format!("q{}", hash[..6].iter().map(hex).collect::<String>())
}
