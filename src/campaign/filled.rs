//! Answers by file, row by row, whatever the form: filled sheets, files that a page has saved, exports of other tools.
//!
//! Each row has `question` (its code) and `answer`. It may have the annotator, the time taken, a comment and the texts
//! that were shown.

use super::answers::WRONG_FILE_HINT;
use super::context::CampaignContext;
use super::exported::{self, KnownNames, exported};
use super::folder::is_begun;
use super::task::Task;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::limits::{Part, excess_of, file_text};
use tiebreak_data::records::import::ImportOptions;
use tiebreak_data::records::reader::{CellValue, ColumnMapping, Row, TableReader};
use tiebreak_data::sheets;

/// The rows of a file of answers.
pub(super) enum ResponseRows {
    /// The rows of a sheet, as it is read.
    Sheet(Box<TableReader>),
    /// The rows of any other form.
    Made(std::vec::IntoIter<Row>),
}

impl Iterator for ResponseRows {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        match self {
            Self::Sheet(rows) => rows.next(),
            Self::Made(rows) => rows.next().map(Ok),
        }
    }
}

/// The extensions of answer files in a folder.
const ENDINGS: [&str; 4] = ["csv", "tsv", "jsonl", "json"];

/// Lists the files of a path: in a folder of sheets all that were filled in or saved, by name. A folder that another
/// tool keeps is read as a whole. `pass_over` hears of each file or folder in it that is none of these, nor a page to fill in.
///
/// # Errors
/// A folder without any; if it is not there, or cannot be read.
pub(super) fn files(path: &Path, mut pass_over: impl FnMut(&Path)) -> Result<Vec<PathBuf>> {
    if !is_there(path) {
        return Err(Error::missing(path));
    }
    if !path.is_dir() || exported::friendly(path)?.is_some() {
        return Ok(vec![path.to_path_buf()]);
    }
    // Sheets may lie in a campaign's folder. Its own files are no sheets.
    let is_campaign = is_begun(path);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(Error::reading(path))? {
        let file = entry.map_err(Error::reading(path))?.path();
        let is_hidden = file
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let ending = file.extension().and_then(|ending| ending.to_str());
        let ending = ending.unwrap_or_default().to_lowercase();
        let ending = ending.as_str();
        // What only a spreadsheet reads is refused when it is opened.
        let is_sheet = ENDINGS.contains(&ending) || sheets::OF_SPREADSHEETS.contains(&ending);
        let is_own = is_campaign && (!is_sheet || ending.starts_with("json"));
        match (is_hidden || is_own || ending == "html", is_sheet) {
            (true, _) => {}
            (false, true) => files.push(file),
            (false, false) => pass_over(&file),
        }
    }
    files.sort();
    match files.is_empty() {
        // A tool's folder in which something is damaged says so.
        true => ImportOptions::default()
            .is_some_format(path)
            .and(Err(Error::input(path, "the folder has no sheet")
                .with_hint(format!(
                    "name filled sheets, or a folder of them: .{}",
                    ENDINGS.join(", .")
                )))),
        false => Ok(files),
    }
}

/// Opens a file of answers.
///
/// # Errors
/// If it is not a file of answers, or not readable.
pub(super) fn open(
    path: &Path,
    campaign_context: &CampaignContext<'_>,
    names: KnownNames<'_>,
) -> Result<ResponseRows> {
    let task = &campaign_context.task;
    if let Some(saved) = saved(path, task)? {
        return Ok(ResponseRows::Made(saved.into_iter()));
    }
    // A line of JSON may lack any column: its first one says what the file is.
    let is_sheet = TableReader::open(path, &ColumnMapping::default()).is_ok_and(|rows| {
        let columns = rows.columns();
        let mut needed = task.needed().into_iter();
        needed.all(|needed| columns.iter().any(|column| column == needed))
    });
    if !is_sheet && let Some(rows) = exported(path, campaign_context, names)? {
        return Ok(ResponseRows::Made(rows.into_iter()));
    }
    let is_page = path.extension().is_some_and(|one| one == "html");
    if is_page && is_there(path) {
        let what = "a page to fill in: answers are in the file that it saves, not in the page";
        return Err(Error::input(path, what).with_hint(
            "give that file (.json): the page's button saves it where the browser keeps downloads",
        ));
    }
    let rows = sheets::open(path, &task.needed(), WRONG_FILE_HINT)?;
    Ok(ResponseRows::Sheet(Box::new(rows)))
}

/// The file that a page saves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageAnswerFile {
    tiebreak: u64,
    #[allow(dead_code)] // the name of the page, for people
    sheet: String,
    annotator: Option<String>,
    answers: Vec<FilledAnswer>,
}

#[derive(Deserialize)]
struct FilledAnswer {
    question: String,
    answer: Option<String>,
    #[serde(default)]
    scores: BTreeMap<String, f64>,
    text: Option<String>,
    seconds: Option<f64>,
    comment: Option<String>,
    reason: Option<String>,
}

/// The newest version of such a file that is known.
const VERSION: u64 = 1;

/// Reads the answers that a page saved; `None` for any other file.
fn saved(path: &Path, task: &Task) -> Result<Option<Vec<Row>>> {
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    if !is_json || path.is_dir() {
        return Ok(None);
    }
    let text = match file_text(path, Part::Row) {
        // No page saves as much.
        Err(error) if excess_of(&error).is_some() => return Ok(None),
        read => read.map_err(Error::reading(path))?,
    };
    if !text.trim_start().starts_with('{') || !text.contains("\"tiebreak\"") {
        return Ok(None);
    }
    let wrong = |what: String| {
        Error::input(path, what)
            .with_hint("give the file as the page saved it; the page can save it again")
    };
    let saved: PageAnswerFile = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("not what a page saves: {error}")))?;
    if saved.tiebreak > VERSION {
        let what = format!("answers of form {}, expected {VERSION}", saved.tiebreak);
        return Err(wrong(what));
    }
    let row = |(said, number): (FilledAnswer, u64)| {
        let text = |text: Option<String>| text.map_or(CellValue::Null, CellValue::Text);
        let mut cells = vec![
            ("question", CellValue::Text(said.question)),
            ("answer", text(said.answer)),
            (sheets::ANNOTATOR, text(saved.annotator.clone())),
            (
                "seconds",
                said.seconds.map_or(CellValue::Null, CellValue::Float),
            ),
            ("comment", text(said.comment)),
            ("reason", text(said.reason)),
        ];
        let scores = said.scores.iter();
        cells.extend(scores.map(|(name, &score)| (name.as_str(), CellValue::Float(score))));
        cells.extend(task.text_column().map(|column| (column, text(said.text))));
        Row::made(path, number, cells)
    };
    Ok(Some(saved.answers.into_iter().zip(1..).map(row).collect()))
}
