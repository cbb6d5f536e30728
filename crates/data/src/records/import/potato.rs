//! Annotations of Potato: a folder a person with `user_state.json`, and the data that were shown.
//!
//! A scheme of pairs says A, B or tie, or a value on a scale, where below zero A is better; how far is kept in the
//! label. A state has answers by scheme and name, or, as Potato 2 stores it, a list of `[{schema, name}, value]`.

use super::frame::{
    DatasetBuilder, ExtraFields, ITSELF, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, Pick, RecordValue,
};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Flag, Message, Result};

/// The format of Potato's folders.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "potato",
    summary: "Potato annotations and their data",
    picks: &[SCHEME.key],
    matching_files: |files| {
        files.that(|file| file.name() == "user_state.json" || file.has(&["user_id", STATES]))
    },
    read,
};

const SCHEME: Pick = Pick {
    key: "scheme",
    of: " of pairs",
    several: "several schemes of pairs",
    ask: "say which",
};

const STATES: &str = "instance_id_to_label_to_value";

fn is_data(file: &ImportFile) -> bool {
    file.has(&["id"])
        && ["responses", "text"].iter().any(|field| {
            file.look()
                .first
                .get(*field)
                .is_some_and(serde_json::Value::is_array)
        })
}

/// The instance shown under an id.
struct PotatoInstance {
    item: String,
    systems: [String; 2],
}

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    builder.taken("systems: system_a, system_b of the data; item: item or id; annotator: user_id");
    let mut shown = BTreeMap::new();
    for file in files.that(is_data) {
        file.records(&[], &mut |record| {
            let id = record.get("id").name()?;
            shown.insert(id, instance(&record, builder)?);
            Ok(())
        })?;
    }
    if shown.is_empty() {
        let what = "annotations without the data that were shown";
        return Err(
            Error::input(&found[0].path, what).with_hint(Message::except_in_python(
                format!(
                    "name the data file too: tiebreak import annotation_output data.jsonl {} DIR",
                    Flag("out")
                ),
                "open a folder that holds the data file too".to_string(),
            )),
        );
    }
    let mut states = Vec::new();
    let mut schemes = BTreeSet::new();
    for file in found {
        let state = file.object(&[])?;
        for (_, answers) in state.get(STATES).fields() {
            let verdicts = answers_of(answers).filter(|said| said.verdict().is_some());
            schemes.extend(verdicts.map(|said| said.scheme.to_string()));
        }
        states.push(state);
    }
    let scheme = builder.options.one_of(&schemes, &SCHEME, &found[0].path)?;
    for state in &states {
        let person = state.get("user_id").filled()?;
        for (id, answers) in state.get(STATES).fields() {
            if person.is_some() && builder.is_again("annotation", &(&person, id)) {
                continue;
            }
            let Some(shown) = shown.get(id) else {
                builder.drop("an annotation of an item that is not in the data");
                continue;
            };
            let mut said = answers_of(answers).filter(|said| said.scheme == scheme);
            let verdict = said.find_map(NamedAnswer::verdict);
            answer(shown.as_ref(), verdict, person.as_deref(), builder)?;
        }
    }
    Ok(())
}

fn instance(
    record: &ImportRecord,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Option<PotatoInstance>> {
    let item = record.first(&["item", "id"]).name()?;
    let systems = [
        record.first(&["system_a", "model_a"]).name()?,
        record.first(&["system_b", "model_b"]).name()?,
    ];
    if systems[0] == systems[1] {
        builder.drop(ITSELF);
        return Ok(None);
    }
    let source = record.first(&["source", "prompt", "instruction"]).text()?;
    if !builder.item(&item, source.as_deref(), &[])? {
        builder.drop("another source of the same item");
        return Ok(None);
    }
    let responses = record.first(&["responses", "text"]);
    let mut kept = true;
    for (side, system) in systems.iter().enumerate() {
        let response = responses.nth(side).text()?;
        kept &= builder.output(&item, system, response.as_deref(), record.node())?;
    }
    Ok(kept.then_some(PotatoInstance { item, systems }))
}

/// An answer under its name in a scheme.
#[derive(Clone, Copy)]
struct NamedAnswer<'a> {
    scheme: &'a str,
    name: &'a str,
    value: RecordValue<'a>,
}

/// Returns all answers about the instance of an id.
fn answers_of(answers: RecordValue<'_>) -> impl Iterator<Item = NamedAnswer<'_>> {
    let listed = answers.items().map(|one| NamedAnswer {
        scheme: word(one.nth(0).get("schema")),
        name: word(one.nth(0).get("name")),
        value: one.nth(1),
    });
    let named = answers.fields().flat_map(|(scheme, values)| {
        let values = values.fields();
        values.map(move |(name, value)| NamedAnswer {
            scheme,
            name,
            value,
        })
    });
    listed.chain(named)
}

fn word(node: RecordValue<'_>) -> &str {
    node.value().as_str().unwrap_or_default()
}

impl NamedAnswer<'_> {
    /// Returns the outcome of A, and its word.
    fn verdict(self) -> Option<(Outcome, String)> {
        let word = self.value.filled().ok().flatten()?;
        let outcome = match (self.name, self.value.measure()) {
            ("selection", _) => crate::records::outcomes::Outcomes::default().read(&word)?,
            ("scale_value", Some(number)) if number < 0.0 => Outcome::Win,
            ("scale_value", Some(number)) if number > 0.0 => Outcome::Loss,
            ("scale_value", Some(_)) => Outcome::Tie,
            _ => return None,
        };
        Some((outcome, word))
    }
}

fn answer(
    shown: Option<&PotatoInstance>,
    verdict: Option<(Outcome, String)>,
    annotator: Option<&str>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let (Some(shown), Some((outcome, label))) = (shown, verdict) else {
        builder.drop("an annotation without a verdict");
        return Ok(());
    };
    let compared = ImportedComparison {
        item: &shown.item,
        system_a: &shown.systems[0],
        system_b: &shown.systems[1],
        outcome,
        label: Some(&label),
        annotator,
        cost: Cost::default(),
    };
    builder.comparison(&compared, &ExtraFields::new())
}
