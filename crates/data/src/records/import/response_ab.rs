//! Rows of an instruction, two responses and who won.
//!
//! Without an id the item is a hash of the instruction, so the same instruction in several rows is one item.

use super::convention::OutcomeColumn;
use super::frame::{
    BattleTexts, DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, answered,
};
use tiebreak_base::cost::Cost;
use tiebreak_base::error::Result;

/// The format of rows with two responses.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "response-ab",
    summary: "rows of two responses and a winner",
    picks: &[],
    matching_files,
    read,
};

const ASKED: [&str; 5] = ["instruction", "prompt", "question", "input", "source"];
const ITEM: [&str; 3] = ["item", "id", "question_id"];
const WON: [&str; 4] = ["winner", "outcome", "preference", "label"];
const JUDGED_BY: [&str; 3] = ["annotator", "judge", "user"];
const SIDES: [[&str; 4]; 2] = [
    ["response_a", "output_a", "answer_a", "response_1"],
    ["response_b", "output_b", "answer_b", "response_2"],
];
const MODELS: [[&str; 3]; 2] = [
    ["model_a", "system_a", "model_1"],
    ["model_b", "system_b", "model_2"],
];

fn any(file: &ImportFile, names: &[&str]) -> bool {
    names.iter().any(|name| file.has(&[*name]))
}

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let answered = any(file, &SIDES[0]) && any(file, &SIDES[1]);
        answered && any(file, &ASKED) && any(file, &WON) && !file.has(&["conversation_a"])
    })
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let first = &found[0].look().first;
    let used =
        |names: &[&'static str]| names.iter().copied().find(|name| first.contains_key(*name));
    if let (Some(asked), Some(won)) = (used(&ASKED), used(&WON)) {
        let item = used(&ITEM).map_or_else(|| format!("a hash of {asked}"), ToString::to_string);
        builder.taken(format!("source: {asked}; item: {item}; outcome: {won}"));
    }
    if used(&MODELS[0]).is_none() {
        builder.note("the rows do not name the systems: they are called after the columns");
    }
    for file in found {
        let won = WON
            .into_iter()
            .find(|won| file.has(&[won]))
            .unwrap_or(WON[0]);
        let outcomes = OutcomeColumn::decided(&[file], won, [&MODELS[0], &MODELS[1]], builder)?;
        file.records(&[], &mut |record| row(&record, &outcomes, builder))?;
    }
    Ok(())
}

fn row(
    record: &ImportRecord,
    outcomes: &OutcomeColumn<'_>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let [of_a, of_b] = SIDES
        .each_ref()
        .map(|side| answered(record.first(&ASKED), record.first(side)));
    let (of_a, of_b) = (of_a?, of_b?);
    if of_a.source != of_b.source {
        builder.drop("two responses to different instructions");
        return Ok(());
    }
    let id = record.first(&ITEM).filled()?;
    let system = |side: usize| {
        let named = record.first(&MODELS[side]).filled()?;
        Ok::<_, tiebreak_base::error::Error>(named.unwrap_or_else(|| SIDES[side][0].to_string()))
    };
    let (a, b) = (system(0)?, system(1)?);
    let outputs = [of_a.output.as_deref(), of_b.output.as_deref()];
    let item = id.unwrap_or_else(|| builder.battle_item(&of_a.source, [&a, &b], outputs));
    let Some((outcome, word)) = outcomes.read(record, [&a, &b], builder)? else {
        return Ok(());
    };
    let known: Vec<&str> = [
        &ASKED[..],
        &ITEM,
        &WON,
        &JUDGED_BY,
        &SIDES[0],
        &SIDES[1],
        &MODELS[0],
        &MODELS[1],
    ]
    .concat();
    let annotator = record.first(&JUDGED_BY).filled()?;
    let compared = ImportedComparison {
        item: &item,
        system_a: &a,
        system_b: &b,
        outcome,
        label: Some(&word),
        annotator: annotator.as_deref(),
        cost: Cost {
            seconds: record.get("seconds").amount()?,
            price: record.get("price").amount()?,
        },
    };
    let texts = BattleTexts {
        source: Some(&of_a.source),
        outputs,
        at: record.node(),
        another_source: "another instruction under the same id",
    };
    builder.battle(&compared, Some(&texts), &record.rest(&known))
}
