//! Filled-in sheets read back as judgments, with the probabilities by which estimators weigh them.
//!
//! Not everything needs to be judged. The rows of a sheet are in random order, so whoever stops
//! early has judged a random part of it: an output's probability is then multiplied by the share of
//! its system's questions that are answered, and estimates keep their truth.

use super::write::KEY;
use crate::error::{Error, Location, Result};
use crate::records::reader::Row;
use crate::sheets;
use crate::tables::file::TableFile;
use crate::tables::format::{Compression, Format};
use crate::tables::meta::Meta;
use crate::tables::schema::{self, Cell, JUDGMENTS, PROBABILITIES, schema};
use crate::tables::whole;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Said where a file is another.
const WHICH: &str = "give the sheet that `sample draw` wrote, with its first row as it was";

/// What to read.
pub struct Reading<'a> {
    /// The folder of the sample.
    pub sample: &'a Path,
    /// Filled sheets.
    pub sheets: &'a [PathBuf],
    /// What was judged.
    pub criterion: &'a str,
    /// Who filled the sheets in, where they do not say so themselves.
    pub annotator: Option<&'a str>,
}

/// How much was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// Judgments on the sheets.
    pub judgments: u64,
    /// Outputs judged.
    pub outputs: u64,
    /// Outputs of the sample still without a judgment.
    pub open: u64,
}

/// A question of the sample.
struct Question {
    item: String,
    system: String,
    probability: f64,
}

/// A judgment of it, by nobody in particular where nobody is named.
struct Judgment {
    score: f64,
    seconds: Option<f64>,
    at: Location,
}

/// By question and annotator.
type Judgments = BTreeMap<(String, String), Judgment>;

/// Reads sheets and writes `judgments.csv` and `probabilities.csv` to a folder, with what was read to it before.
///
/// # Errors
/// The first mistake with its place: a question of another sample, a score that is no number, two
/// different scores of one question by one annotator; sheets without any score.
pub fn read(reading: &Reading<'_>, out: &Path) -> Result<Judged> {
    let key = reading.sample.join(KEY);
    let questions = questions(&key)?;
    let meta = Meta::beside(&key)?;
    let meta = meta
        .ok_or_else(|| Error::input(&key, "without the .meta.json that was written beside it"))?;
    let mut judgments = earlier(reading, &questions, out)?;
    for path in reading.sheets {
        for row in sheets::open(path, &["question", "score"], WHICH)? {
            take(
                &row.map_err(sheets::saved_otherwise)?,
                reading,
                &questions,
                &mut judgments,
            )?;
        }
    }
    let judged: BTreeSet<&String> = judgments.keys().map(|(question, _)| question).collect();
    if judged.is_empty() {
        let error = Error::usage("the sheets have no score yet");
        return Err(error.with_hint("people fill in the column `score`"));
    }
    write_judgments(reading, &questions, &judgments, &meta, out)?;
    write_probabilities(&questions, &judged, &meta, out)?;
    Ok(Judged {
        judgments: judgments.len() as u64,
        outputs: judged.len() as u64,
        open: (questions.len() - judged.len()) as u64,
    })
}

fn questions(key: &Path) -> Result<BTreeMap<String, Question>> {
    if !key.exists() {
        let error = Error::input(key, "no sample was drawn here");
        return Err(error.with_hint("draw one: tiebreak sample draw DATA --budget N --out FOLDER"));
    }
    let mut questions = BTreeMap::new();
    for row in whole::open(key)? {
        let row = row?;
        let question = Question {
            item: row.text("item")?,
            system: row.text("system")?,
            probability: row.number("probability")?,
        };
        questions.insert(row.text("question")?, question);
    }
    Ok(questions)
}

/// What was read to a folder before: fewer sheets never shrink it.
fn earlier(
    reading: &Reading<'_>,
    questions: &BTreeMap<String, Question>,
    out: &Path,
) -> Result<Judgments> {
    let path = out.join("judgments.csv");
    let mut judgments = Judgments::new();
    if !path.exists() {
        return Ok(judgments);
    }
    let by_output = questions.iter();
    let by_output: BTreeMap<(&str, &str), &String> = by_output
        .map(|(code, one)| ((one.item.as_str(), one.system.as_str()), code))
        .collect();
    for row in whole::open(&path)? {
        let row = row?;
        let (item, system, criterion) = (
            row.text("item")?,
            row.text("system")?,
            row.text("criterion")?,
        );
        let code = by_output.get(&(item.as_str(), system.as_str()));
        let Some(code) = code.filter(|_| criterion == reading.criterion) else {
            return Err(Error::occupied(
                &path,
                "and holds judgments of another sample or criterion",
            ));
        };
        let judgment = Judgment {
            score: row.number("score")?,
            seconds: row.optional_number("seconds")?,
            at: row.at(),
        };
        let annotator = sheets::annotator(&row)?.unwrap_or_default();
        judgments.insert(((*code).clone(), annotator), judgment);
    }
    Ok(judgments)
}

fn take(
    row: &Row,
    reading: &Reading<'_>,
    questions: &BTreeMap<String, Question>,
    judgments: &mut Judgments,
) -> Result<()> {
    let question = row.optional_text("question")?.unwrap_or_default();
    let question = question.trim();
    let blank = row
        .optional_text("score")?
        .is_none_or(|score| score.trim().is_empty());
    if blank {
        return Ok(());
    }
    if !questions.contains_key(question) {
        let what = format!("question `{question}` is not of this sample");
        return Err(row
            .error(what)
            .with_hint("judgments belong to the sample whose sheet it is"));
    }
    let annotator = sheets::annotator(row)?;
    let annotator = annotator.or_else(|| reading.annotator.map(ToString::to_string));
    let judgment = Judgment {
        score: row.number("score")?,
        seconds: sheets::seconds(row)?,
        at: row.at(),
    };
    let by = (question.to_string(), annotator.unwrap_or_default());
    match judgments.get(&by) {
        Some(earlier) if earlier.score != judgment.score => {
            let (now, was) = (judgment.score, earlier.score);
            let what = format!("score is {now}, but it is {was} in {}", earlier.at);
            let error = row.error(what);
            Err(error.with_hint("several people may judge an output: name them in `annotator`"))
        }
        Some(_) => Ok(()),
        None => {
            judgments.insert(by, judgment);
            Ok(())
        }
    }
}

fn write_judgments(
    reading: &Reading<'_>,
    questions: &BTreeMap<String, Question>,
    judgments: &Judgments,
    meta: &Meta,
    out: &Path,
) -> Result<()> {
    let mut rows = schema::Rows::new(JUDGMENTS);
    for ((question, annotator), judgment) in judgments {
        let Question { item, system, .. } = &questions[question];
        rows.push(&[
            Cell::Text(item),
            Cell::Text(system),
            Cell::Text(reading.criterion),
            Cell::Number(Some(judgment.score)),
            Cell::Text(annotator),
            Cell::Number(judgment.seconds),
        ]);
    }
    write_table(&out.join("judgments.csv"), JUDGMENTS, rows, meta)
}

fn write_probabilities(
    questions: &BTreeMap<String, Question>,
    judged: &BTreeSet<&String>,
    meta: &Meta,
    out: &Path,
) -> Result<()> {
    let mut counts: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (code, question) in questions {
        let (answered, asked) = counts.entry(&question.system).or_default();
        *answered += f64::from(u8::from(judged.contains(code)));
        *asked += 1.0;
    }
    let mut rows = schema::Rows::new(PROBABILITIES);
    for (_, question) in questions.iter().filter(|(code, _)| judged.contains(code)) {
        let (answered, asked) = counts[question.system.as_str()];
        rows.push(&[
            Cell::Text(&question.item),
            Cell::Text(&question.system),
            Cell::Number(Some(question.probability * answered / asked)),
        ]);
    }
    write_table(&out.join("probabilities.csv"), PROBABILITIES, rows, meta)
}

fn write_table(
    path: &Path,
    columns: schema::Columns,
    rows: schema::Rows,
    meta: &Meta,
) -> Result<()> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let meta = Meta {
        table: name.to_string(),
        ..meta.clone()
    };
    let mut file = TableFile::create(
        path,
        Format::Csv(Compression::Plain),
        &schema(columns),
        &meta,
    )?;
    file.write(&rows.finish())?;
    file.finish()
}
