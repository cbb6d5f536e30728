//! The Arena votes of the Kaggle competition (LMSYS 55k): one-hot columns for the winner, and the turns of each side
//! as JSON lists inside cells.

use super::frame::{
    BattleTexts, DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, RecordValue, alternating, lenient, numbered, part,
};
use serde_json::Value;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;

/// The format of votes with one-hot columns.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "arena-kaggle",
    summary: "Arena votes with one-hot columns (LMSYS, Kaggle)",
    picks: &[],
    matching_files: |files| {
        files.that(|file| file.has(&["model_a", "model_b", "winner_model_a", "winner_model_b"]))
    },
    read,
};

/// The columns, the words kept as labels, and their outcomes.
const WINNERS: [(&str, &str, Outcome); 4] = [
    ("winner_model_a", "model_a", Outcome::Win),
    ("winner_model_b", "model_b", Outcome::Loss),
    ("winner_tie", "tie", Outcome::Tie),
    ("winner_tie_both_bad", "both bad", Outcome::Tie),
];

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("systems: model_a, model_b; item: id; outcome: the one-hot columns winner_…");
    numbered(found, |record, number| vote(record, number, builder))
}

fn vote(record: &ImportRecord, number: u64, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let id = record.get("id").filled()?;
    let item = id.clone().unwrap_or_else(|| number.to_string());
    let (a, b) = (record.get("model_a").name()?, record.get("model_b").name()?);
    let mut set = Vec::new();
    for (column, label, outcome) in WINNERS {
        match record.get(column).number()? {
            Some(1.0) => set.push((label, outcome)),
            None | Some(0.0) => {}
            Some(_) => return Err(record.get(column).wrong("0 or 1")),
        }
    }
    let prompt = texts(record.get("prompt"), builder)?;
    let mut parted = |name| -> Result<_> {
        let answers = texts(record.get(name), builder)?;
        Ok(part(&alternating(prompt.clone(), answers)))
    };
    let (of_a, of_b) = (parted("response_a")?, parted("response_b")?);
    let [(label, outcome)] = set[..] else {
        builder.drop("not one-hot: one of the columns winner_… must be 1");
        return Ok(());
    };
    if id.is_some() && builder.is_again("vote", &(&item, &a, &b, label)) {
        return Ok(());
    }
    let texts = BattleTexts {
        source: Some(&of_a.source),
        outputs: [of_a.output.as_deref(), of_b.output.as_deref()],
        at: record.node(),
        another_source: "another battle of the same id",
    };
    let compared = ImportedComparison {
        item: &item,
        system_a: &a,
        system_b: &b,
        outcome,
        label: Some(label),
        annotator: None,
        cost: Cost::default(),
    };
    let texts = (!prompt.is_empty()).then_some(&texts);
    builder.battle(&compared, texts, &super::frame::ExtraFields::new())
}

/// Returns the turns in a cell: a JSON list of texts and nulls, or one text.
fn texts(cell: RecordValue<'_>, builder: &mut DatasetBuilder<'_>) -> Result<Vec<Option<String>>> {
    let list: Vec<Option<String>> = match cell.value() {
        Value::String(text) if text.starts_with('[') => {
            let wrong = || cell.wrong("a JSON list of texts");
            let list = lenient(text.as_bytes()).map_err(|_| wrong())?;
            builder.halved(list.halves);
            serde_json::from_value(list.value).map_err(|_| wrong())?
        }
        Value::Array(_) => cell.items().map(RecordValue::text).collect::<Result<_>>()?,
        Value::Null => Vec::new(),
        _ => vec![cell.text()?],
    };
    Ok(list)
}
