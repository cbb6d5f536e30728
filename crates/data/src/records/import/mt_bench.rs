//! MT-Bench folders of FastChat: questions, answers, and the verdicts of judges on pairs and on single answers.
//!
//! An item is a question and a turn. The winners of both games are already those of `model_1` and `model_2`, although
//! the second game was shown the other way round: they are not turned again.

use super::frame::{
    ChatTurn, DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord, JUDGE,
    JudgmentRow, Orders, PredictionRow, content, mean, plain, position, text,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;

/// The format of MT-Bench folders.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "mt-bench",
    summary: "MT-Bench questions, answers and judgments (FastChat)",
    picks: &[JUDGE.key],
    matching_files: |files| files.that(|file| is_answer(file) || is_pair(file) || is_single(file)),
    read,
};

fn is_question(file: &ImportFile) -> bool {
    let turns = || file.look().first["turns"][0].is_string();
    file.has(&["question_id", "turns"]) && turns()
}

fn is_answer(file: &ImportFile) -> bool {
    let turn = || &file.look().first["choices"][0]["turns"][0];
    file.has(&["question_id", "model_id", "choices"]) && !turn().is_object() && !is_reference(file)
}

/// Whether a file holds the reference answers that FastChat shows a judge; they are the output of no system.
fn is_reference(file: &ImportFile) -> bool {
    file.folder() == "reference_answer"
}

fn is_pair(file: &ImportFile) -> bool {
    file.has(&["question_id", "model_1", "model_2", "g1_winner"])
}

fn is_single(file: &ImportFile) -> bool {
    file.has(&["question_id", "model", "judge", "score"])
}

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    builder.taken("system: model_id; item: question and turn; output: the first choice; source: the user's turns");
    for file in files.that(is_reference) {
        file.leave_out("answers that a judge was shown as right");
    }
    let mut questions = BTreeMap::new();
    for file in files.that(is_question) {
        file.records(&[], &mut |record| {
            questions.insert(record.get("question_id").name()?, record);
            Ok(())
        })?;
    }
    for file in found.iter().filter(|file| is_answer(file)) {
        answers(file, &questions, builder)?;
    }
    pairs(found, builder)?;
    for file in found.iter().filter(|file| is_single(file)) {
        file.records(&[], &mut |record| single(&record, builder))?;
    }
    Ok(())
}

type QuestionRecords = BTreeMap<String, ImportRecord>;

/// Reads answers; a later answer to a question replaces an earlier one.
fn answers(
    file: &ImportFile,
    questions: &QuestionRecords,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let mut latest: BTreeMap<String, ImportRecord> = BTreeMap::new();
    file.records(&[], &mut |record| {
        let earlier = latest.insert(record.get("question_id").name()?, record);
        builder.drop_many(
            "an earlier answer to the same question",
            u64::from(earlier.is_some()),
        );
        Ok(())
    })?;
    for (question, answer) in &latest {
        let system = answer.get("model_id").name()?;
        let choices = answer.get("choices");
        builder.drop_many(
            "a further choice",
            choices.items().len().saturating_sub(1) as u64,
        );
        for (turn, said) in choices.nth(0).get("turns").items().enumerate() {
            let item = format!("{question}#{}", turn + 1);
            let (source, references) = asked(questions.get(question), turn)?;
            builder.item(&item, source.as_deref(), &references)?;
            let output = content(said.value());
            builder.output(&item, &system, output.as_deref(), answer.node())?;
        }
    }
    Ok(())
}

/// Returns the user's turns so far, and the reference for the last.
fn asked(question: Option<&ImportRecord>, turn: usize) -> Result<(Option<String>, Vec<String>)> {
    let Some(question) = question else {
        return Ok((None, Vec::new()));
    };
    let said = question
        .get("turns")
        .items()
        .take(turn + 1)
        .map(|text| ChatTurn {
            role: "user".to_string(),
            text: plain(text.value()),
        });
    let said: Vec<ChatTurn> = said.collect();
    let reference = question.get("reference").nth(turn).text()?;
    Ok((Some(text(&said)), reference.into_iter().collect()))
}

fn judge(record: &ImportRecord) -> Result<String> {
    let judge = record.get("judge");
    match judge.is_list() {
        true => judge.nth(0).name(),
        false => judge.name(),
    }
}

fn item(record: &ImportRecord) -> Result<String> {
    let turn = record
        .get("turn")
        .filled()?
        .unwrap_or_else(|| "1".to_string());
    Ok(format!("{}#{turn}", record.get("question_id").name()?))
}

fn pairs(found: &[&ImportFile], builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let pairs: Vec<&&ImportFile> = found.iter().filter(|file| is_pair(file)).collect();
    let mut judges = BTreeSet::new();
    for file in &pairs {
        file.records(&[], &mut |record| {
            judges.insert(judge(&record)?);
            Ok(())
        })?;
    }
    let Some(first) = pairs.first() else {
        return Ok(());
    };
    let wanted = builder.options.one_of(&judges, &JUDGE, &first.path)?;
    let mut orders = Orders::default();
    for file in pairs {
        file.records(&[], &mut |record| match judge(&record)? == wanted {
            true => pair(&record, &mut orders, builder),
            false => {
                builder.drop("another judge");
                Ok(())
            }
        })?;
    }
    if let Some(told) = orders.position_bias_note() {
        builder.note(told);
    }
    Ok(())
}

fn pair(
    record: &ImportRecord,
    orders: &mut Orders,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let (mut readable, mut firsts) = (Vec::new(), Vec::new());
    let mut failed = 0;
    for (game, shown_first) in [("g1_winner", 1.0), ("g2_winner", 0.0)] {
        // A judge may be asked for one game only.
        let Some(winner) = record.get(game).filled()? else {
            continue;
        };
        let verdict = match winner.to_lowercase().as_str() {
            "model_1" => Some(1.0),
            "model_2" => Some(0.0),
            "tie" => Some(0.5),
            _ => None,
        };
        match verdict {
            Some(p) => {
                let first = if shown_first == 1.0 { p } else { 1.0 - p };
                orders.shown(first);
                firsts.push(first);
                readable.push(p);
            }
            None => failed += 1,
        }
    }
    let (a, b) = (record.get("model_1").name()?, record.get("model_2").name()?);
    match mean(&readable) {
        Some(p) => {
            builder.drop_many("a failed judgment (one order)", failed);
            builder.prediction(&PredictionRow {
                item: &item(record)?,
                system_a: &a,
                system_b: &b,
                p,
                judge: Some(&judge(record)?),
                position: position(&firsts),
                more: None,
            })
        }
        None => {
            builder.drop("a failed judgment (both orders)");
            Ok(())
        }
    }
}

fn single(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    match record.get("score").number()? {
        // FastChat writes -1 where no grade could be read.
        None | Some(-1.0) => {
            let system = record.get("model").name()?;
            builder.no_score(&system, "score", "no grade could be read (-1)");
            Ok(())
        }
        Some(score) => {
            let (item, system) = (item(record)?, record.get("model").name()?);
            let judge = judge(record)?;
            if builder.is_again("score", &(&item, &system, &judge, score.to_bits())) {
                return Ok(());
            }
            builder.judgment(&JudgmentRow {
                item: &item,
                system: &system,
                criterion: "score",
                score,
                annotator: Some(&judge),
                at: Some(&record.at),
                ..JudgmentRow::default()
            })
        }
    }
}
