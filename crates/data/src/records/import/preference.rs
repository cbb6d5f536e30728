//! Preference data: a prompt, the chosen and the rejected answer (TRL, RewardBench).
//!
//! Where the rows do not name systems, they are `chosen` and `rejected`: to rank those is pointless, but `fit
//! pairwise` learns from them. Without a prompt it is the beginning that both conversations share.

use super::frame::{
    BattleTexts, ChatTurn, DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, numbered, text, turns,
};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;

/// The format of rows with chosen and rejected.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "preference",
    summary: "preference data: prompt, chosen, rejected (TRL, RewardBench)",
    picks: &[],
    matching_files: |files| {
        files.that(|file| {
            file.has(&["chosen", "rejected"]) || file.has(&["text_chosen", "text_rejected"])
        })
    },
    read,
};

const CHOSEN: [&str; 2] = ["chosen", "text_chosen"];
const REJECTED: [&str; 2] = ["rejected", "text_rejected"];
const KNOWN: [&str; 8] = [
    "id",
    "prompt",
    "chosen",
    "text_chosen",
    "rejected",
    "text_rejected",
    "chosen_model",
    "rejected_model",
];

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let named = found[0].has(&["chosen_model"]);
    builder.taken(match named {
        true => "systems: chosen_model, rejected_model; source: prompt; item: id or row",
        false => "systems: the words chosen and rejected; source: prompt; item: id or row",
    });
    if !named {
        builder.note("the rows name no systems: `tiebreak fit pairwise` can learn from such data, but nothing can be ranked");
    }
    numbered(found, |record, number| row(record, number, builder))
}

fn row(record: &ImportRecord, number: u64, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let id = record.get("id").filled()?;
    let item = id.clone().unwrap_or_else(|| number.to_string());
    let system = |name, word: &str| {
        let named = record.get(name).filled()?;
        Ok::<_, tiebreak_base::error::Error>(named.unwrap_or_else(|| word.to_string()))
    };
    let chosen = system("chosen_model", "chosen")?;
    let rejected = system("rejected_model", "rejected")?;
    let (source, [good, bad]) = texts(record)?;
    let texts = BattleTexts {
        source: source.as_deref(),
        outputs: [good.as_deref(), bad.as_deref()],
        at: record.node(),
        another_source: "another prompt under the same id",
    };
    let pair = (&item, &chosen, &rejected, texts.outputs);
    if id.is_some() && builder.is_again("pair", &pair) {
        return Ok(());
    }
    let compared = ImportedComparison {
        item: &item,
        system_a: &chosen,
        system_b: &rejected,
        outcome: Outcome::Win,
        label: Some("chosen"),
        annotator: None,
        cost: Cost::default(),
    };
    builder.battle(&compared, Some(&texts), &record.rest(&KNOWN))
}

/// Returns the prompt and its two answers.
fn texts(record: &ImportRecord) -> Result<(Option<String>, [Option<String>; 2])> {
    let prompt = record.get("prompt");
    let asked = turns(prompt);
    let prompt = match asked.is_empty() {
        true => prompt.text()?,
        false => Some(text(&asked)),
    };
    let sides = [record.first(&CHOSEN), record.first(&REJECTED)];
    let [good, bad] = sides.map(turns);
    if good.is_empty() || bad.is_empty() {
        let [good, bad] = sides;
        return Ok((prompt, [good.text()?, bad.text()?]));
    }
    // Both may begin with the prompt; the last turn of each is an answer in any case.
    let whole = good.len().min(bad.len()).saturating_sub(1);
    let both = good.iter().zip(&bad).take(whole);
    let shared = both.take_while(|(one, other)| one == other).count();
    let source = prompt.or_else(|| (shared > 0).then(|| text(&good[..shared])));
    let answer = |turns: &[ChatTurn]| match &turns[shared..] {
        [one] => one.text.clone(),
        several => Some(text(several)),
    };
    Ok((source, [answer(&good), answer(&bad)]))
}
