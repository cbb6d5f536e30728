//! Battles of JudgeArena (`battles.jsonl`): systems and a winner, without texts.
//!
//! Battles that a model judged are predictions; those of people are comparisons. The judge's verdicts on both orders of a
//! question are one prediction, their mean.

use super::convention::OutcomeColumn;
use super::frame::{
    DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportedComparison, JUDGE,
    PredictionRow, mean, numbered,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::cost::Cost;
use tiebreak_base::error::Result;

/// The format of JudgeArena's battles.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "judgearena",
    summary: "JudgeArena battles",
    picks: &[JUDGE.key],
    matching_files: |files| files.that(is_battles),
    read,
};

const KNOWN: [&str; 6] = [
    "model_a",
    "model_b",
    "winner",
    "source",
    "question_id",
    "judge_model",
];

/// Whether a file holds such battles: votes of the Chatbot Arena have conversations or name who judged otherwise.
pub(super) fn is_battles(file: &ImportFile) -> bool {
    file.has(&KNOWN[..4]) && !file.has(&["conversation_a"]) && !file.has(&["judge"])
}

/// A judge's verdicts on each item and pair: the probabilities that the first is preferred.
type PairVerdicts = BTreeMap<(String, String, String), Vec<f64>>;

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("systems: model_a, model_b; item: question_id; outcome: winner; p: of battles with a judge_model");
    let outcomes = OutcomeColumn::decided(found, "winner", [&["model_a"], &["model_b"]], builder)?;
    let mut by_judge: BTreeMap<String, PairVerdicts> = BTreeMap::new();
    numbered(found, |record, number| {
        let (a, b) = (record.get("model_a").name()?, record.get("model_b").name()?);
        let judge = record.get("judge_model").filled()?;
        let question = record.get("question_id").filled()?;
        let annotator = record.get("annotator").filled()?;
        let item = question
            .clone()
            .unwrap_or_else(|| format!("battle-{number}"));
        if judge.is_some() && builder.is_again("battle", &(&question, &a, &b, &judge)) {
            return Ok(());
        }
        let Some((outcome, winner)) = outcomes.read(record, [&a, &b], builder)? else {
            return Ok(());
        };
        // Votes and predictions are about other questions, and each needs its item.
        builder.item(&item, None, &[])?;
        match judge {
            Some(judge) if a < b => {
                let verdicts = by_judge.entry(judge).or_default();
                verdicts
                    .entry((item, a, b))
                    .or_default()
                    .push(outcome.value());
            }
            Some(judge) => {
                let verdicts = by_judge.entry(judge).or_default();
                verdicts
                    .entry((item, b, a))
                    .or_default()
                    .push(1.0 - outcome.value());
            }
            None => {
                let compared = ImportedComparison {
                    item: &item,
                    system_a: &a,
                    system_b: &b,
                    outcome,
                    label: Some(&winner),
                    annotator: annotator.as_deref(),
                    cost: Cost::default(),
                };
                builder.comparison(&compared, &record.rest(&KNOWN))?;
            }
        }
        Ok(())
    })?;
    let judges: BTreeSet<String> = by_judge.keys().cloned().collect();
    let judge = builder.options.one_of(&judges, &JUDGE, &found[0].path)?;
    for ((item, system_a, system_b), verdicts) in by_judge.get(&judge).into_iter().flatten() {
        if let Some(p) = mean(verdicts) {
            let judge = Some(&*judge);
            builder.prediction(&PredictionRow {
                item,
                system_a,
                system_b,
                p,
                judge,
                position: None,
                more: None,
            })?;
        }
    }
    Ok(())
}
