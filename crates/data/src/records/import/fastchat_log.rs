//! The raw log of a FastChat server: one event a line, of which the votes count.
//!
//! While a battle is blind its `models` are empty, so the names are taken from the states. IP addresses are
//! not kept: annotators are numbered in order of appearance.

use super::frame::{
    BattleTexts, ChatTurn, DatasetBuilder, ExtraFields, ImportFile, ImportFiles, ImportFormat,
    ImportRecord, ImportedComparison, RecordValue, content, part,
};
use std::collections::HashMap;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;

/// The format of a server's log.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "fastchat-log",
    summary: "the log of a FastChat server",
    picks: &[],
    matching_files: |files| {
        files.that(|file| {
            file.has(&["tstamp", "type"])
                && (file.has(&["states"]) || file.has(&["state"]) || file.has(&["models"]))
        })
    },
    read,
};

const VOTES: [(&str, Outcome); 4] = [
    ("leftvote", Outcome::Win),
    ("rightvote", Outcome::Loss),
    ("tievote", Outcome::Tie),
    ("bothbad_vote", Outcome::Tie),
];

/// The reason to leave out a battle whose two prompts differ.
const TWO_PROMPTS: &str = "a battle of two different prompts";

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("systems: the model_name of the states; item: the battle; outcome: type; annotator: ip, numbered");
    let mut people: HashMap<String, usize> = HashMap::new();
    let mut battles = 0;
    for file in found {
        file.records(&[], &mut |record| {
            let kind = record.get("type").filled()?.unwrap_or_default();
            let is_kind = |(word, _): &&(&str, Outcome)| word.eq_ignore_ascii_case(&kind);
            let Some((_, outcome)) = VOTES.iter().find(is_kind) else {
                builder.drop(format!("no vote: {kind}"));
                return Ok(());
            };
            let next = people.len() + 1;
            let ip = record.get("ip").filled()?;
            let person = ip.map(|ip| format!("arena_user_{}", *people.entry(ip).or_insert(next)));
            battles += 1;
            let item = (battles - 1).to_string();
            vote(
                &record,
                &item,
                (*outcome, &kind),
                person.as_deref(),
                builder,
            )
        })?;
    }
    Ok(())
}

fn vote(
    record: &ImportRecord,
    item: &str,
    (outcome, kind): (Outcome, &str),
    annotator: Option<&str>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let states = record.get("states");
    let name = |side: usize| {
        let state = states.nth(side).get("model_name").filled()?;
        let model = record.get("models").nth(side).filled()?;
        Ok::<_, tiebreak_base::error::Error>(state.or(model))
    };
    let (Some(a), Some(b)) = (name(0)?, name(1)?) else {
        builder.drop("a vote without the names of the models");
        return Ok(());
    };
    let [of_a, of_b] = [0, 1].map(|side| part(&turns(states.nth(side))));
    if of_a.source != of_b.source {
        builder.drop(TWO_PROMPTS);
        return Ok(());
    }
    let texts = BattleTexts {
        source: Some(&of_a.source),
        outputs: [of_a.output.as_deref(), of_b.output.as_deref()],
        at: record.node(),
        another_source: TWO_PROMPTS,
    };
    let compared = ImportedComparison {
        item,
        system_a: &a,
        system_b: &b,
        outcome,
        label: Some(kind),
        annotator,
        cost: Cost::default(),
    };
    let texts = states.is_list().then_some(&texts);
    builder.battle(&compared, texts, &ExtraFields::new())
}

/// Returns the turns of a state: `[role, text]` from its offset on.
fn turns(state: RecordValue<'_>) -> Vec<ChatTurn> {
    let offset = state.get("offset").value().as_u64().unwrap_or(0);
    let said = state.get("messages").items().skip(offset as usize);
    let turn = |message: RecordValue<'_>| {
        let role = message.nth(0).text().ok().flatten().unwrap_or_default();
        let answers = role.eq_ignore_ascii_case("assistant") || role.eq_ignore_ascii_case("gpt");
        ChatTurn {
            role: if answers { "assistant" } else { "user" }.to_string(),
            text: content(message.nth(1).value()),
        }
    };
    let mut turns: Vec<ChatTurn> = said.map(turn).collect();
    // Other templates name the roles differently; then the user speaks first.
    if !turns.iter().any(|turn| turn.role == "assistant") {
        for turn in turns.iter_mut().skip(1).step_by(2) {
            turn.role = "assistant".to_string();
        }
    }
    turns
}
