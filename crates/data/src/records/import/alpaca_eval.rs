//! Outputs and annotations of AlpacaEval.
//!
//! `preference` is from 1 to 2, and p(output_2 is better) = preference − 1, whatever the tool's README says in one
//! place: a judge that always prefers the longer text proves it. 0 is a draw as older annotators write it, null a call
//! that failed. Items have no names: they are a hash of the instruction.

use super::frame::{
    DatasetBuilder, ITSELF, ImportFile, ImportFiles, ImportFormat, ImportRecord, JUDGE,
    PredictionRow, key_of,
};
use std::collections::BTreeSet;
use tiebreak_base::error::Result;

/// The format of AlpacaEval's outputs and annotations.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "alpaca-eval",
    summary: "AlpacaEval outputs and annotations",
    picks: &[JUDGE.key],
    matching_files: |files| files.that(|file| is_annotation(file) || is_output(file)),
    read,
};

fn is_annotation(file: &ImportFile) -> bool {
    file.has(&["instruction", "output_1", "output_2", "preference"])
}

fn is_output(file: &ImportFile) -> bool {
    file.has(&["instruction", "output", "generator"]) && !is_annotation(file)
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken("system: generator; item: a hash of instruction; source: instruction; p(output_1): 2 - preference");
    for file in found.iter().filter(|file| is_output(file)) {
        file.records(&[], &mut |record| {
            let item = item(&record, builder)?;
            let output = record.get("output").text()?;
            let system = record.get("generator").name()?;
            builder
                .output_once(&item, &system, output.as_deref(), record.node(), None)
                .map(drop)
        })?;
    }
    let annotations: Vec<&ImportFile> = found
        .iter()
        .copied()
        .filter(|file| is_annotation(file))
        .collect();
    let Some(first) = annotations.first() else {
        return Ok(());
    };
    let mut judges = BTreeSet::new();
    for file in &annotations {
        file.records(&[], &mut |record| {
            judges.insert(record.get("annotator").filled()?.unwrap_or_default());
            Ok(())
        })?;
    }
    let judge = builder.options.one_of(&judges, &JUDGE, &first.path)?;
    for file in annotations {
        file.records(&[], &mut |record| annotation(&record, &judge, builder))?;
    }
    Ok(())
}

fn item(record: &ImportRecord, builder: &mut DatasetBuilder<'_>) -> Result<String> {
    let instruction = record.get("instruction").text()?.unwrap_or_default();
    let item = key_of(&instruction);
    builder.item(&item, Some(&instruction), &[])?;
    Ok(item)
}

fn annotation(record: &ImportRecord, judge: &str, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    if record.get("generator_1").name()? == record.get("generator_2").name()? {
        builder.drop(ITSELF);
        return Ok(());
    }
    let item = item(record, builder)?;
    let mut kept = true;
    let mut systems = Vec::new();
    for (generator, output) in [("generator_1", "output_1"), ("generator_2", "output_2")] {
        let system = record.get(generator).name()?;
        let output = record.get(output).text()?;
        kept &= builder.output(&item, &system, output.as_deref(), record.node())?;
        systems.push(system);
    }
    if record.get("annotator").filled()?.unwrap_or_default() != judge {
        builder.drop("another annotator");
        return Ok(());
    }
    let preference = record.get("preference");
    let p = match preference.number()? {
        None => {
            builder.drop("a failed annotation: no preference");
            return Ok(());
        }
        Some(0.0) => 0.5,
        Some(number) if (1.0..=2.0).contains(&number) => 2.0 - number,
        Some(_) => return Err(preference.wrong("a number from 1 to 2, or 0 for a draw")),
    };
    match kept {
        true => builder.prediction(&PredictionRow {
            item: &item,
            system_a: &systems[0],
            system_b: &systems[1],
            p,
            judge: Some(judge).filter(|name| !name.is_empty()),
            position: None,
            more: None,
        }),
        false => Ok(()),
    }
}
