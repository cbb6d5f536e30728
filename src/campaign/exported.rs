//! Exports of other tools as rows of a sheet.
//!
//! `import` reads them: a question is an item, its texts are of the systems `1` and `2` ([`super::forms`]), and a
//! comparison of the two is the answer. For a single text all judgments of a person are the answer.

use super::context::CampaignContext;
use super::forms::{FRIENDS, LETTERS, SIDE, SIDES};
use super::task::{Protocol, Task};
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::import::{ExcludedFiles, FORMATS, ImportOptions};
use tiebreak_data::records::reader::{CellValue, Row};
use tiebreak_data::records::{ComparisonRecord, Dataset, Kind, Outcomes, OutputRecord};
use tiebreak_data::sheets;

/// Reads the answers that another tool exported; `None` for any other file. The tool does not know the campaign's names
/// of annotators, so `annotator` takes precedence.
///
/// # Errors
/// As [`friendly`].
pub(super) fn exported(
    path: &Path,
    campaign_context: &CampaignContext<'_>,
    annotator: Option<&str>,
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
        return rated(path, &data, task, annotator, &texts).map(Some);
    }
    let mut rows = Vec::new();
    for (row, number) in data.rows(Kind::Comparisons)?.into_iter().flatten().zip(1..) {
        let row = row?;
        let compared = ComparisonRecord::from_row(&row, &Outcomes::default())?;
        let label = row.optional_text("label")?;
        rows.push(answer(path, number, &compared, label, annotator, &texts));
    }
    Ok(Some(rows))
}

/// Returns all judgments of each person and text as rows of a sheet.
fn rated(
    path: &Path,
    data: &Dataset,
    task: &Task,
    annotator: Option<&str>,
    texts: &BTreeMap<(String, String), String>,
) -> Result<Vec<Row>> {
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
        let who = annotator.or(dealt).or(who.as_deref());
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
    Ok(said.into_iter().zip(1..).map(row).collect())
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

/// Returns a comparison of the two texts of a question as the row of a sheet.
fn answer(
    path: &Path,
    number: u64,
    compared: &ComparisonRecord,
    label: Option<String>,
    annotator: Option<&str>,
    texts: &BTreeMap<(String, String), String>,
) -> Row {
    let (key, side) = match compared.system_a.split_once(SIDE) {
        Some((code, side)) => (code, side),
        None => (compared.item.as_str(), side(&compared.system_a)),
    };
    let (code, dealt) = put_to(key);
    let first = match side == SIDES[0] {
        true => compared.outcome,
        false => compared.outcome.flipped(),
    };
    let answer = match (first, label) {
        (Outcome::Win, _) => SIDES[0].to_string(),
        (Outcome::Loss, _) => SIDES[1].to_string(),
        (Outcome::Tie, label) => label
            .filter(|label| label == "both bad")
            .unwrap_or_else(|| "tie".to_string()),
    };
    let who = annotator.or(dealt).or(compared.annotator.as_deref());
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
