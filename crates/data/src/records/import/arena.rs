//! Chatbot Arena votes, as they were published (33k, 55k, 100k, 140k), and MT-Bench's human judgments, which have
//! the same columns. A judge that is a list, of a model and its prompt, is no person: its verdicts are predictions.
//!
//! A battle is an item of its own, also where two have the same prompt: so an item has two systems. Questions of
//! MT-Bench have numbers; people judged the same answers there, turn by turn, so an item is a question and a turn.

use super::convention::OutcomeColumn;
use super::frame::{
    BattleTexts, ChatTurn, DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, PredictionRow, numbered, part, turns,
};
use super::judgearena;
use tiebreak_base::cost::Cost;
use tiebreak_base::error::Result;

/// The format of the Arena's votes.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "arena",
    summary: "Chatbot Arena votes",
    picks: &[],
    matching_files,
    read,
};

const KNOWN: [&str; 11] = [
    "question_id",
    "id",
    "model_a",
    "model_b",
    "winner",
    "judge",
    "judge_hash",
    "evaluation_session_id",
    "annotator",
    "conversation_a",
    "conversation_b",
];

/// The columns of annotators; the first that is filled counts.
const JUDGES: [&str; 4] = ["judge", "judge_hash", "evaluation_session_id", "annotator"];

/// What votes without texts and names may have as well.
const ABOUT: [&str; 4] = ["turn", "anony", "language", "tstamp"];

const CONVERSATIONS: [&str; 2] = ["conversation_a", "conversation_b"];

/// The reason to leave out a battle whose two prompts differ, or differ from an earlier one of its name.
const TWO_PROMPTS: &str = "a battle of two different prompts under one id";

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let voted = file.has(&["model_a", "model_b", "winner"]);
        let mut columns = file.look().first.keys();
        let is_vote = file.has(&CONVERSATIONS)
            || file.has(&["question_id"])
            || columns.all(|name| KNOWN.contains(&&**name) || ABOUT.contains(&&**name));
        voted && is_vote && !judgearena::is_battles(file)
    })
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let mut judges = JUDGES.iter();
    let judge = judges.find(|&&name| found.iter().any(|file| file.has(&[name])));
    let judge = judge.map_or(String::new(), |name| format!("; annotator: {name}"));
    builder.taken(format!(
        "systems: model_a, model_b; item: the battle; outcome: winner{judge}"
    ));
    let outcomes = OutcomeColumn::decided(found, "winner", [&["model_a"], &["model_b"]], builder)?;
    numbered(found, |record, number| {
        vote(record, number, &outcomes, builder)
    })
}

fn vote(
    record: &ImportRecord,
    number: u64,
    outcomes: &OutcomeColumn<'_>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let question = record.first(&["question_id", "id"]);
    let item = question.filled()?.unwrap_or_else(|| number.to_string());
    let turn = match question.value().is_i64() {
        true => record.get("turn").value().as_u64(),
        false => None,
    };
    let item = match turn {
        Some(turn) => format!("{item}#{turn}"),
        None => item,
    };
    let (a, b) = (record.get("model_a").name()?, record.get("model_b").name()?);
    let conversation = |name| {
        let turns = turns(record.get(name));
        let parted = part(until(&turns, turn));
        (!turns.is_empty()).then_some(parted)
    };
    let [of_a, of_b] = CONVERSATIONS.map(conversation);
    let sides = of_a.zip(of_b);
    let is_given = |name: &str| {
        let said = record.get(name).value();
        said.is_object() || said.as_str().is_some_and(|text| !text.trim().is_empty())
    };
    let are_unread = sides.is_none() && CONVERSATIONS.iter().any(|name| is_given(name));
    if sides.as_ref().is_some_and(|(a, b)| a.source != b.source) {
        builder.drop(TWO_PROMPTS);
        return Ok(());
    }
    let Some((outcome, winner)) = outcomes.read(record, [&a, &b], builder)? else {
        return Ok(());
    };
    let verdict_of = record.get("judge").nth(0).filled()?;
    let people = JUDGES.iter().filter(|_| verdict_of.is_none());
    let judge = people
        .map(|name| record.get(name).filled())
        .find_map(Result::transpose);
    let judge = judge.transpose()?;
    // A battle is voted on once; a question of MT-Bench by many, turn by turn.
    let vote = (&item, &a, &b, &winner, &judge);
    if turn.is_none() && !question.is_null() && builder.is_again("vote", &vote) {
        return Ok(());
    }
    let texts = sides.as_ref().map(|(of_a, of_b)| BattleTexts {
        source: Some(&of_a.source),
        outputs: [of_a.output.as_deref(), of_b.output.as_deref()],
        at: record.node(),
        another_source: TWO_PROMPTS,
    });
    let compared = ImportedComparison {
        item: &item,
        system_a: &a,
        system_b: &b,
        outcome,
        label: Some(&winner),
        annotator: judge.as_deref(),
        cost: Cost::default(),
    };
    if are_unread {
        builder.drop("texts of a battle: no list of messages");
    }
    if let Some(model) = verdict_of {
        if builder.battle_texts(&item, [&a, &b], texts.as_ref())? {
            builder.prediction(&PredictionRow {
                item: &item,
                system_a: &a,
                system_b: &b,
                p: outcome.value(),
                judge: Some(&model),
                position: None,
                more: None,
            })?;
        }
        return Ok(());
    }
    builder.battle(&compared, texts.as_ref(), &record.rest(&KNOWN))
}

/// Returns the turns up to the end of one.
fn until(turns: &[ChatTurn], turn: Option<u64>) -> &[ChatTurn] {
    let Some(turn) = turn else { return turns };
    let answers = turns
        .iter()
        .enumerate()
        .filter(|(_, said)| said.role == "assistant");
    let last = answers.map(|(i, _)| i).nth(turn.saturating_sub(1) as usize);
    last.map_or(turns, |last| &turns[..=last])
}
