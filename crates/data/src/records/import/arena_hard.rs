//! Folders of Arena-Hard-Auto, v0.1 and v2.0: questions, answers, and a judge's two games against a baseline.
//!
//! Game 0 shows the baseline as A, game 1 as B. The baseline's name is in the configuration and, in v0.1, in no
//! other file: it is the only model with answers and without judgments, or chosen by `--pick`. `>>` counts as `>`.

use super::frame::{
    ChatTurn, DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord, JUDGE, Orders,
    PredictionRow, content, mean, picked, picks, position, text, turns,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::message;

/// The format of Arena-Hard-Auto folders.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "arena-hard",
    summary: "Arena-Hard-Auto answers and judgments",
    picks: &["baseline", JUDGE.key],
    matching_files: |files| files.that(|file| is_answer(file) || is_judgment(file)),
    read,
};

const ID: [&str; 2] = ["question_id", "uid"];

fn is_question(file: &ImportFile) -> bool {
    let turns = || file.look().first["turns"][0].is_object();
    (file.has(&["question_id", "turns"]) && turns()) || file.has(&["uid", "prompt"])
}

fn is_answer(file: &ImportFile) -> bool {
    let turn = || file.look().first["choices"][0]["turns"][0].is_object();
    (file.has(&["question_id", "model_id", "choices"]) && turn())
        || file.has(&["uid", "model", "messages"])
}

fn is_judgment(file: &ImportFile) -> bool {
    file.has(&["model", "games"])
}

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let mut questions: BTreeMap<String, String> = BTreeMap::new();
    for file in files.that(is_question) {
        file.records(&[], &mut |record| {
            questions.insert(record.first(&ID).name()?, question(&record)?);
            Ok(())
        })?;
    }
    let mut answering = BTreeSet::new();
    for file in found.iter().filter(|file| is_answer(file)) {
        answers(file, &questions, &mut answering, builder)?;
    }
    let judgments: Vec<&ImportFile> = found
        .iter()
        .copied()
        .filter(|file| is_judgment(file))
        .collect();
    let met = JudgmentParticipants::gather(&judgments)?;
    let Some(first) = judgments.first() else {
        builder.taken("system: model_id; item: question_id; no judgments");
        return Ok(());
    };
    let baseline = baseline(first, &met, &answering, builder)?;
    let judge = builder.options.one_of(&met.judges, &JUDGE, &first.path)?;
    builder.taken(format!(
        "system: model_id; item: question_id; judge: {judge}; baseline: {}",
        baseline.description()
    ));
    let mut orders = Orders::default();
    for file in judgments {
        file.records(
            &[],
            &mut |record| match record.get("judge").filled()?.unwrap_or_default() == judge {
                true => games(&record, &baseline, &mut orders, builder),
                false => {
                    builder.drop("another judge");
                    Ok(())
                }
            },
        )?;
    }
    if let Some(told) = orders.position_bias_note() {
        builder.note(told);
    }
    Ok(())
}

/// The judges and the judged models.
#[derive(Default)]
struct JudgmentParticipants {
    judges: BTreeSet<String>,
    models: BTreeSet<String>,
    /// Whether every judgment names the baseline.
    named: bool,
}

impl JudgmentParticipants {
    fn gather(judgments: &[&ImportFile]) -> Result<Self> {
        let mut met = Self {
            named: true,
            ..Self::default()
        };
        for file in judgments {
            file.records(&[], &mut |record| {
                met.judges
                    .insert(record.get("judge").filled()?.unwrap_or_default());
                met.models.insert(record.get("model").name()?);
                met.named &= record.get("baseline").filled()?.is_some();
                Ok(())
            })?;
        }
        Ok(met)
    }
}

/// The opponent of the models.
enum Baseline {
    One(String),
    /// The baseline named in each judgment.
    Named,
}

impl Baseline {
    fn description(&self) -> &str {
        match self {
            Self::One(name) => name,
            Self::Named => "as the judgments name it",
        }
    }
}

fn baseline(
    file: &ImportFile,
    met: &JudgmentParticipants,
    answering: &BTreeSet<String>,
    builder: &DatasetBuilder<'_>,
) -> Result<Baseline> {
    if let Some(name) = builder.options.picked("baseline") {
        return Ok(Baseline::One(name.to_string()));
    }
    if met.named {
        return Ok(Baseline::Named);
    }
    let unjudged: Vec<&String> = answering.difference(&met.models).collect();
    match unjudged[..] {
        [one] => Ok(Baseline::One(one.clone())),
        _ => {
            let candidates: Vec<&String> = if unjudged.is_empty() {
                answering.iter().collect()
            } else {
                unjudged
            };
            Err(unknown_baseline(&file.path, &candidates))
        }
    }
}

fn unknown_baseline(path: &Path, candidates: &[&String]) -> Error {
    let pick = match candidates.is_empty() {
        true => picked("baseline", "NAME"),
        false => picks("baseline", candidates),
    };
    let error = Error::input(path, "the name of the baseline is in no file");
    error.with_hint(message!("say what it is: {}", pick))
}

fn question(record: &ImportRecord) -> Result<String> {
    let turns = record.get("turns");
    if !turns.is_list() {
        return Ok(record.get("prompt").text()?.unwrap_or_default());
    }
    let turn = |said: super::frame::RecordValue<'_>| ChatTurn {
        role: "user".to_string(),
        text: content(said.value()),
    };
    let said: Vec<ChatTurn> = turns.items().map(turn).collect();
    Ok(text(&said))
}

fn answers(
    file: &ImportFile,
    questions: &BTreeMap<String, String>,
    answering: &mut BTreeSet<String>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let mut latest: BTreeMap<String, ImportRecord> = BTreeMap::new();
    file.records(&[], &mut |record| {
        let earlier = latest.insert(record.first(&ID).name()?, record);
        builder.drop_many(
            "an earlier answer to the same question",
            u64::from(earlier.is_some()),
        );
        Ok(())
    })?;
    for (item, answer) in &latest {
        let system = answer.first(&["model_id", "model"]).name()?;
        answering.insert(system.clone());
        let choices = answer.get("choices");
        builder.drop_many(
            "a further choice",
            choices.items().len().saturating_sub(1) as u64,
        );
        let said: Vec<ChatTurn> = match choices.is_list() {
            true => choices
                .nth(0)
                .get("turns")
                .items()
                .map(|said| ChatTurn {
                    role: "assistant".to_string(),
                    text: content(said.value()),
                })
                .collect(),
            false => turns(answer.get("messages"))
                .into_iter()
                .filter(|turn| turn.role == "assistant")
                .collect(),
        };
        let output = match &said[..] {
            [one] => one.text.clone(),
            [] => None,
            several => Some(text(several)),
        };
        builder.item(item, questions.get(item).map(String::as_str), &[])?;
        builder.output(item, &system, output.as_deref(), answer.node())?;
    }
    Ok(())
}

/// Returns the outcome of A in a game.
fn verdict(score: Option<&str>) -> Option<f64> {
    match score?.to_uppercase().as_str() {
        "A>>B" | "A>B" | "B<A" | "B<<A" => Some(1.0),
        "A=B" | "B=A" => Some(0.5),
        "B>A" | "B>>A" | "A<B" | "A<<B" => Some(0.0),
        _ => None,
    }
}

fn games(
    record: &ImportRecord,
    baseline: &Baseline,
    orders: &mut Orders,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let (mut readable, mut shown_first) = (Vec::new(), Vec::new());
    for (number, game) in record.get("games").items().enumerate() {
        match verdict(game.get("score").filled()?.as_deref()) {
            Some(first) => {
                orders.shown(first);
                shown_first.push(first);
                // The model is B in game 0.
                readable.push(if number == 0 { 1.0 - first } else { first });
            }
            None => builder.drop("a failed game"),
        }
    }
    let baseline = match baseline {
        Baseline::One(name) => name.clone(),
        Baseline::Named => record.get("baseline").name()?,
    };
    match mean(&readable) {
        Some(p) => builder.prediction(&PredictionRow {
            item: &record.first(&ID).name()?,
            system_a: &record.get("model").name()?,
            system_b: &baseline,
            p,
            judge: record.get("judge").filled()?.as_deref(),
            position: position(&shown_first),
            more: None,
        }),
        None => {
            builder.drop("a failed judgment: no game could be read");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_that_is_in_no_file_is_picked_by_name() {
        let hint = |candidates: &[&String]| {
            let error = unknown_baseline(Path::new("judgments.jsonl"), candidates);
            error.hint().unwrap()
        };
        assert_eq!(hint(&[]), "say what it is: --pick baseline=NAME");
        let name = "gpt".to_string();
        assert_eq!(hint(&[&name]), "say what it is: --pick baseline=gpt");
    }
}
