//! Exports of Label Studio with a Pairwise control, or with scores of one text (`ratings`): JSON, JSON_MIN and CSV.
//!
//! The task's data name the sides: `item`, `source`, `left`, `right`, `sys_left`, `sys_right`, or fields
//! of other names, picked. A Choices control for a tie or both bad takes precedence over the side.

mod ratings;

use super::frame::{
    DatasetBuilder, ExtraFields, ITSELF, ImportFile, ImportFiles, ImportFormat, ImportRecord,
    ImportedComparison, RecordValue, decimal, picked,
};
use crate::records::outcomes::{advice, is_no_verdict};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Message, Result};
use tiebreak_base::message;

/// The format of Label Studio's exports.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "label-studio",
    summary: "Label Studio export with a Pairwise control or scores",
    picks: &[
        "item",
        "source",
        "left",
        "right",
        "sys_left",
        "sys_right",
        "text",
        "system",
    ],
    matching_files: |files| files.that(|file| is_full(file) || is_short(file)),
    read,
};

/// The fields that the short exports add to the data of a task.
const ADDED: [&str; 8] = [
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
    "lead_time",
    "agreement",
    "predictions",
];

fn is_full(file: &ImportFile) -> bool {
    file.has(&["data", "annotations"])
}

fn is_short(file: &ImportFile) -> bool {
    file.has(&["annotation_id", "annotator", "lead_time"])
}

/// The data of a file's first task.
fn data_of_first(file: &ImportFile) -> &serde_json::Map<String, Value> {
    let first = &file.look().first;
    let data = first.get("data").and_then(Value::as_object);
    data.unwrap_or(first)
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    let fields = Fields::picked(builder);
    let is_rated = |file: &&&ImportFile| {
        let data = data_of_first(file);
        fields.are_rated(|field| data.get(field))
    };
    let rated = found.iter().filter(is_rated).count();
    let ([left, right], [one, other]) = (&fields.outputs, &fields.systems);
    let (item, seconds) = (&fields.item, "seconds: lead_time");
    if rated < found.len() {
        let has_texts = |file: &&ImportFile| {
            let data = data_of_first(file);
            [left, right].iter().any(|field| data.contains_key(*field))
        };
        let outputs = match found.iter().any(has_texts) {
            true => format!("outputs: {left}, {right}"),
            false => {
                builder.note(format!(
                    "no texts are read: the tasks have no `{left}` and `{right}`; pick the fields that hold them"
                ));
                "no outputs".to_string()
            }
        };
        builder.taken(format!(
            "systems: {one}, {other}; {outputs}; item: {item}; {seconds}"
        ));
    }
    if rated > 0 {
        builder.taken(format!(
            "system: {}; output: {}; item: {item}; {seconds}",
            fields.system, fields.text
        ));
    }
    let mut controls = Controls::default();
    for file in found {
        file.records(&[], &mut |record| match is_full(file) {
            true if fields.are_rated(|field| record.value.get("data")?.get(field)) => {
                ratings::full(&record, &fields, builder)
            }
            false if fields.are_rated(|field| record.value.get(field)) => {
                ratings::short(&record, &fields, builder)
            }
            true => full(&record, &fields, &mut controls, builder),
            false => short(&record, &fields, &mut controls, builder),
        })?;
    }
    if controls.contradictions > 0 {
        builder.note(format!(
            "annotations with a side and, in a Choices control, another answer, which counts: {}",
            controls.contradictions
        ));
    }
    controls.check()
}

/// The Choices controls of all tasks, by their names.
#[derive(Default)]
struct Controls {
    /// Those of which some word is a win of one side, and those of which some word is a tie.
    decisive: BTreeSet<String>,
    tied: BTreeSet<String>,
    /// Whether a Pairwise control has selected a side.
    has_sides: bool,
    /// The annotations with a side and another outcome beside it.
    contradictions: u64,
    /// The error about the first word of each that is no outcome and leaves an annotation without a verdict.
    unread: BTreeMap<String, Error>,
}

impl Controls {
    /// Refuses a control whose words are understood for some annotations only: all wins of one side could be missing.
    fn check(mut self) -> Result<()> {
        // Where nothing else selects a side, the words beside ties do.
        let tied = self.tied.iter().filter(|_| !self.has_sides);
        let mut decisive = self.decisive.iter().chain(tied);
        let refused = decisive.find_map(|control| self.unread.remove(control));
        refused.map_or(Ok(()), Err)
    }
}

/// The names of a task's fields.
struct Fields {
    item: String,
    source: String,
    outputs: [String; 2],
    systems: [String; 2],
    /// The one text that is rated, and its system.
    text: String,
    system: String,
}

impl Fields {
    fn picked(builder: &DatasetBuilder<'_>) -> Self {
        let name = |field: &str| builder.options.picked(field).unwrap_or(field).to_string();
        Self {
            item: name("item"),
            source: name("source"),
            outputs: [name("left"), name("right")],
            systems: [name("sys_left"), name("sys_right")],
            text: name("text"),
            system: name("system"),
        }
    }

    /// Whether a task is about one text, by the values of its fields.
    fn are_rated<'a>(&'a self, value: impl Fn(&'a str) -> Option<&'a Value>) -> bool {
        let is_given = |field: &'a str| value(field).is_some_and(|value| !value.is_null());
        is_given(&self.text) && !is_given(&self.outputs[0])
    }

    fn all(&self) -> [&str; 8] {
        let ([a, b], [c, d]) = (&self.outputs, &self.systems);
        [
            &self.item,
            &self.source,
            a,
            b,
            c,
            d,
            &self.text,
            &self.system,
        ]
    }
}

/// A task: its item and systems; `None` where its texts had to be left out.
struct PairwiseTask {
    item: String,
    systems: [String; 2],
}

/// Adds the item of a task with its source; `None` where the item had another source before.
fn item(
    data: RecordValue<'_>,
    id: RecordValue<'_>,
    fields: &Fields,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Option<String>> {
    let item = match data.get(&fields.item).filled()? {
        Some(item) => item,
        None => id.name()?,
    };
    let source = data.get(&fields.source).text()?;
    if builder.item(&item, source.as_deref(), &[])? {
        return Ok(Some(item));
    }
    builder.drop("another source of the same item");
    Ok(None)
}

fn task(
    data: RecordValue<'_>,
    id: RecordValue<'_>,
    fields: &Fields,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Option<PairwiseTask>> {
    let [left, right] = &fields.systems;
    let systems = [
        name(data, left, "sys_left")?,
        name(data, right, "sys_right")?,
    ];
    if systems[0] == systems[1] {
        builder.drop(ITSELF);
        return Ok(None);
    }
    let Some(item) = item(data, id, fields, builder)? else {
        return Ok(None);
    };
    let mut kept = true;
    for (field, system) in fields.outputs.iter().zip(&systems) {
        let output = data.get(field);
        if !output.is_null() {
            kept &= builder.output(&item, system, output.text()?.as_deref(), data)?;
        }
    }
    Ok(kept.then_some(PairwiseTask { item, systems }))
}

fn name(data: RecordValue<'_>, field: &str, pick: &str) -> Result<String> {
    let name = data.get(field).name();
    name.map_err(|error| error.with_hint(which_field(pick)))
}

/// The hint at the field of a task that is not where it was looked for.
fn which_field(pick: &str) -> Message {
    message!(
        "say which field of the task it is: {}",
        picked(pick, "FIELD")
    )
}

/// The contents of an annotation.
#[derive(Default)]
struct Annotation {
    /// The words that are no outcomes, with their controls.
    unread: Vec<(String, String)>,
    side: Option<(Outcome, String)>,
    word: Option<(Outcome, String)>,
    annotator: Option<String>,
    seconds: Option<f64>,
}

impl Annotation {
    /// Reads a word of a Choices control, where it is one for the outcome of a comparison. A number may be anything,
    /// such as a rating, unless the user has said what it means.
    fn choice(
        &mut self,
        control: &str,
        word: &str,
        controls: &mut Controls,
        builder: &DatasetBuilder<'_>,
    ) {
        let outcomes = &builder.options.outcomes;
        match outcomes.read(word) {
            Some(outcome) if outcomes.has_own(word) || decimal(word).is_none() => {
                let kind = match outcome {
                    Outcome::Tie => &mut controls.tied,
                    Outcome::Win | Outcome::Loss => &mut controls.decisive,
                };
                kind.insert(control.to_string());
                self.word = Some((outcome, word.to_string()));
            }
            _ if is_no_verdict(word) || outcomes.leaves_out(word) => {}
            _ => self.unread.push((control.to_string(), word.to_string())),
        }
    }

    fn selected(&mut self, side: &str) {
        self.side = match side.to_lowercase().as_str() {
            "left" => Some((Outcome::Win, side.to_string())),
            "right" => Some((Outcome::Loss, side.to_string())),
            _ => self.side.take(),
        };
    }

    fn add_comparison(
        self,
        task: &PairwiseTask,
        record: &ImportRecord,
        controls: &mut Controls,
        builder: &mut DatasetBuilder<'_>,
    ) -> Result<()> {
        controls.has_sides |= self.side.is_some();
        let (word, side) = (self.word.as_ref(), self.side.as_ref());
        let are_two = word.zip(side).is_some_and(|(word, side)| word.0 != side.0);
        controls.contradictions += u64::from(are_two);
        let Some((outcome, label)) = self.word.or(self.side) else {
            for (control, word) in self.unread {
                let error = record.error(format!("`{control}` is {word}, which is no outcome"));
                let error = error.with_hint(advice(Some(&word), false));
                controls.unread.entry(control).or_insert(error);
            }
            builder.drop("an annotation without a verdict");
            return Ok(());
        };
        let compared = ImportedComparison {
            item: &task.item,
            system_a: &task.systems[0],
            system_b: &task.systems[1],
            outcome,
            label: Some(&label),
            annotator: self.annotator.as_deref(),
            cost: Cost::taking(self.seconds),
        };
        builder.comparison(&compared, &ExtraFields::new())
    }
}

fn full(
    record: &ImportRecord,
    fields: &Fields,
    controls: &mut Controls,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let Some(task) = task(record.get("data"), record.get("id"), fields, builder)? else {
        return Ok(());
    };
    for annotation in record.get("annotations").items() {
        if cancelled(annotation, builder)
            || is_again(record.get("id"), annotation.get("id"), builder)?
        {
            continue;
        }
        let mut said = Annotation {
            annotator: person(annotation.get("completed_by")).filled()?,
            seconds: annotation.get("lead_time").amount()?,
            ..Annotation::default()
        };
        for result in annotation.get("result").items() {
            let value = result.get("value");
            if let Some(side) = value.get("selected").filled()? {
                said.selected(&side);
            }
            let control = result.get("from_name").filled()?.unwrap_or_default();
            for word in value.get("choices").texts()? {
                said.choice(&control, &word, controls, builder);
            }
        }
        said.add_comparison(&task, record, controls, builder)?;
    }
    Ok(())
}

/// Whether an annotation of a task came before, as where two exports lie side by side.
fn is_again(
    task: RecordValue<'_>,
    annotation: RecordValue<'_>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<bool> {
    let id = annotation.filled()?;
    let task = task.filled()?;
    Ok(id.is_some_and(|id| builder.is_again("annotation", &(task, id))))
}

/// Whether an annotator cancelled an annotation.
fn cancelled(annotation: RecordValue<'_>, builder: &mut DatasetBuilder<'_>) -> bool {
    let cancelled = annotation.get("was_cancelled").is_true();
    if cancelled {
        builder.drop("skipped (was_cancelled)");
    }
    cancelled
}

/// Returns who annotated: the value itself, or the email or id in an object.
fn person(named: RecordValue<'_>) -> RecordValue<'_> {
    match named.value().is_object() {
        true => named.first(&["email", "id"]),
        false => named,
    }
}

/// Reads a row of the short exports: data, controls and the annotation side by side.
fn short(
    record: &ImportRecord,
    fields: &Fields,
    controls: &mut Controls,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let Some(task) = task(record.node(), record.get("id"), fields, builder)? else {
        return Ok(());
    };
    let annotation = record.get("annotation_id");
    if annotation.filled()?.is_none() || is_again(record.get("id"), annotation, builder)? {
        return Ok(());
    }
    let mut said = Annotation {
        annotator: person(record.get("annotator")).filled()?,
        seconds: record.get("lead_time").amount()?,
        ..Annotation::default()
    };
    let given = record
        .node()
        .fields()
        .filter(|(name, _)| !ADDED.contains(name) && !fields.all().contains(name));
    for (name, control) in given {
        match side(control.value()) {
            Some(side) => said.selected(&side),
            None => {
                let words = control.get("choices").texts()?;
                let bare = control.value().as_str().map(ToString::to_string);
                for word in words.into_iter().chain(bare) {
                    said.choice(name, &word, controls, builder);
                }
            }
        }
    }
    said.add_comparison(&task, record, controls, builder)
}

/// Returns the side in a Pairwise control: `[{"selected": "left"}]`, in a CSV as text.
fn side(control: &Value) -> Option<String> {
    let held = listed(control)?;
    held.get("selected")?.as_str().map(ToString::to_string)
}

/// Returns the value of a control that the short exports write as a list of one; in a CSV as text.
fn listed(control: &Value) -> Option<Value> {
    match control {
        Value::String(text) if text.starts_with('[') => {
            let parsed: Value = serde_json::from_str(text).ok()?;
            parsed.get(0).cloned()
        }
        other => other.get(0).cloned(),
    }
}
