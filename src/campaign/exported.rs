//! Exports of other tools as rows of a sheet.
//!
//! `import` reads them: a question is an item, its texts are of the systems `1` and `2` ([`super::forms`]), and a
//! comparison of the two is the answer. For a single text all judgments of a person are the answer.

use super::context::CampaignContext;
use super::forms::{FRIENDS, LETTERS, SIDE, SIDES};
use super::task::Protocol;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::words::counted;
use tiebreak_data::records::import::{ExcludedFiles, FORMATS, ImportOptions};
use tiebreak_data::records::reader::{CellValue, Row};
use tiebreak_data::records::{ComparisonRecord, Dataset, Kind, Outcomes, OutputRecord};
use tiebreak_data::sheets;
use tiebreak_decide::feedback::dealing::is_same_person;

/// The annotators as the command and the campaign know them.
#[derive(Clone, Copy)]
pub(super) struct KnownNames<'a> {
    /// The annotator that the command names: it takes precedence.
    pub told: Option<&'a str>,
    /// Everybody known.
    pub all: &'a [String],
}

impl KnownNames<'_> {
    /// Whether each answer counts, by its [`key`](super::forms) and whom the tool names: where whom a question was dealt to
    /// answered it, the answers of others who saw it there do not.
    fn counting(
        &self,
        answers: &[(&str, Option<&str>)],
        campaign_context: &CampaignContext<'_>,
    ) -> Vec<bool> {
        let is_own = |(key, named): &(&str, Option<&str>)| {
            let dealt = put_to(key).1;
            let who = self.annotator(dealt, *named);
            dealt
                .zip(who)
                .is_none_or(|(dealt, who)| is_same_person(dealt, who))
        };
        let own: BTreeSet<&str> = answers
            .iter()
            .filter(|one| is_own(one))
            .map(|one| one.0)
            .collect();
        let counts: Vec<bool> = answers
            .iter()
            .map(|one| is_own(one) || !own.contains(one.0))
            .collect();
        let others = counts.iter().filter(|counts| !**counts).count();
        if others > 0 {
            campaign_context.context.progress.warn(&format!(
                "left out: {} by others than those asked, who answered too",
                counted(others as u64, "answer")
            ));
        }
        counts
    }

    /// The annotator of an answer: whom the tool names, if the campaign knows the name, else whom it was dealt to.
    fn annotator<'n>(&'n self, dealt: Option<&'n str>, named: Option<&'n str>) -> Option<&'n str> {
        let is_known = |name: &&str| self.all.iter().any(|known| is_same_person(known, name));
        let known = named.filter(is_known);
        self.told.or(known).or(dealt).or(named)
    }
}

/// Reads the answers that another tool exported; `None` for any other file.
pub(super) fn exported(
    path: &Path,
    campaign_context: &CampaignContext<'_>,
    names: KnownNames<'_>,
) -> Result<Option<Vec<Row>>> {
    let Some(data) = friendly(path)? else {
        return Ok(None);
    };
    let (task, imported) = (&campaign_context.task, data.imported());
    let dropped = imported.iter().flat_map(|imported| &imported.dropped);
    let dropped = dropped.map(|one| format!("left out: {} ({})", one.count, one.reason));
    let notes = imported
        .iter()
        .flat_map(|imported| &imported.notes)
        .cloned();
    for line in dropped.chain(notes) {
        let what = format!("{}: {line}", path.display());
        campaign_context.context.progress.warn(&what);
    }
    let mut texts: BTreeMap<(String, String), String> = BTreeMap::new();
    for row in data.rows(Kind::Outputs)?.into_iter().flatten() {
        let OutputRecord {
            item,
            system,
            output,
            ..
        } = OutputRecord::from_row(&row?)?;
        texts.insert((item, side(&system).to_string()), output);
    }
    if task.protocol != Protocol::Pairwise {
        return rated(path, &data, campaign_context, names, &texts).map(Some);
    }
    let mut answers = Vec::new();
    for row in data.rows(Kind::Comparisons)?.into_iter().flatten() {
        let row = row?;
        let compared = ComparisonRecord::from_row(&row, &Outcomes::default())?;
        answers.push((compared, row.optional_text("label")?));
    }
    let asked = answers
        .iter()
        .map(|(compared, _)| (key(compared).0, compared.annotator.as_deref()));
    let counts = names.counting(&asked.collect::<Vec<_>>(), campaign_context);
    let rows = answers
        .iter()
        .zip(counts)
        .zip(1..)
        .filter(|((_, counts), _)| *counts);
    let rows = rows.map(|(((compared, label), _), number)| {
        answer(path, number, compared, label.as_deref(), names, &texts)
    });
    Ok(Some(rows.collect()))
}

/// Returns all judgments of each person and text as rows of a sheet.
fn rated(
    path: &Path,
    data: &Dataset,
    campaign_context: &CampaignContext<'_>,
    names: KnownNames<'_>,
    texts: &BTreeMap<(String, String), String>,
) -> Result<Vec<Row>> {
    let task = &campaign_context.task;
    let mut said: BTreeMap<(String, Option<String>), BTreeMap<String, CellValue>> = BTreeMap::new();
    for row in data.rows(Kind::Judgments)?.into_iter().flatten() {
        let row = row?;
        let who = row.optional_text(sheets::ANNOTATOR)?;
        let cells = said.entry((row.text("item")?, who)).or_default();
        let criterion = row.text("criterion")?;
        if task.criteria.iter().any(|one| one.name == criterion) {
            cells.insert(criterion, CellValue::Float(row.score("score")?));
        }
        if let (Some(column), Some(text)) = (task.edited_column(), row.optional_text("post_edit")?)
        {
            cells.insert(column.to_string(), CellValue::Text(text));
        }
        if let Some(seconds) = row.optional_number("seconds")? {
            cells.insert("seconds".to_string(), CellValue::Float(seconds));
        }
    }
    let row = |(((item, who), cells), number): ((_, BTreeMap<String, CellValue>), u64)| {
        let (item, who): (String, Option<String>) = (item, who);
        let (code, dealt) = put_to(&item);
        let who = names.annotator(dealt, who.as_deref());
        let text = texts.get(&(item.clone(), SIDES[0].to_string()));
        let cell = |text: Option<&str>| {
            text.map_or(CellValue::Null, |text| CellValue::Text(text.to_string()))
        };
        let beside = [
            ("question", cell(Some(code))),
            (sheets::ANNOTATOR, cell(who)),
            ("text", cell(text.map(String::as_str))),
        ];
        let said = cells
            .iter()
            .map(|(name, cell)| (name.as_str(), cell.clone()));
        Row::made(path, number, beside.into_iter().chain(said).collect())
    };
    let asked = said
        .keys()
        .map(|(item, who)| (item.as_str(), who.as_deref()));
    let counts = names.counting(&asked.collect::<Vec<_>>(), campaign_context);
    let rows = said.into_iter().zip(counts).zip(1..);
    let rows = rows.filter_map(|((said, counts), number)| counts.then_some((said, number)));
    Ok(rows.map(row).collect())
}

/// Returns the text of a question that a system stands for.
fn side(system: &str) -> &str {
    system.strip_prefix(LETTERS).unwrap_or(system)
}

/// Returns a question's code from its [`key`](super::forms), and the annotator it was dealt to.
fn put_to(key: &str) -> (&str, Option<&str>) {
    key.split_once('/')
        .map_or((key, None), |(code, name)| (code, Some(name)))
}

/// Opens an export of one of the tools that questions are written for.
pub(super) fn friendly(path: &Path) -> Result<Option<Dataset>> {
    // A file that `import` does not know is a sheet with a mistake, about which more can be said.
    let Ok(data) = Dataset::open(path, &[]) else {
        return Ok(None);
    };
    // What `import` leaves out is not shown here, so it must be an error.
    let left_out = data.imported().map(|imported| imported.left_out.as_slice());
    let mut left_out = left_out.unwrap_or_default().iter();
    if let Some(empty) = left_out.find(|one| one.rule == ExcludedFiles::EMPTY) {
        return Err(Error::input(&empty.files[0], "the file is empty")
            .with_hint("copy the file again, or move it out of the folder"));
    }
    let read_as = data.imported().map(|imported| imported.format.as_str());
    let mut formats = FORMATS.iter();
    let format = formats.find(|format| Some(format.summary) == read_as);
    let format = format.map(|format| format.name);
    let is_known = FRIENDS.iter().any(|friend| Some(friend.name) == format);
    if format != Some("pearmut") {
        return Ok(is_known.then_some(data));
    }
    // Scores of annotators, of which the higher is better.
    let pick = vec![("comparisons".to_string(), "derived".to_string())];
    let options = ImportOptions {
        pick,
        ..ImportOptions::default()
    };
    Dataset::read(path, &options).map(Some)
}

/// Returns the [`key`](super::forms) of the question that a comparison answers, and its first text.
fn key(compared: &ComparisonRecord) -> (&str, &str) {
    match compared.system_a.split_once(SIDE) {
        Some((code, side)) => (code, side),
        None => (compared.item.as_str(), side(&compared.system_a)),
    }
}

/// Returns a comparison of the two texts of a question as the row of a sheet.
fn answer(
    path: &Path,
    number: u64,
    compared: &ComparisonRecord,
    label: Option<&str>,
    names: KnownNames<'_>,
    texts: &BTreeMap<(String, String), String>,
) -> Row {
    let (key, side) = key(compared);
    let (code, dealt) = put_to(key);
    let first = match side == SIDES[0] {
        true => compared.outcome,
        false => compared.outcome.flipped(),
    };
    let answer = match (first, label) {
        (Outcome::Win, _) => SIDES[0].to_string(),
        (Outcome::Loss, _) => SIDES[1].to_string(),
        (Outcome::Tie, label) => label
            .filter(|label| *label == "both bad")
            .unwrap_or("tie")
            .to_string(),
    };
    let who = names.annotator(dealt, compared.annotator.as_deref());
    let shown = |side: &str| {
        let text = texts.get(&(compared.item.clone(), side.to_string()));
        text.map_or(CellValue::Null, |text| CellValue::Text(text.clone()))
    };
    let cells = vec![
        ("question", CellValue::Text(code.to_string())),
        ("answer", CellValue::Text(answer)),
        (
            sheets::ANNOTATOR,
            who.map_or(CellValue::Null, |name| CellValue::Text(name.to_string())),
        ),
        (
            "seconds",
            compared
                .cost
                .seconds
                .map_or(CellValue::Null, CellValue::Float),
        ),
        ("text_1", shown(SIDES[0])),
        ("text_2", shown(SIDES[1])),
    ];
    Row::made(path, number, cells)
}
