//! Ratings of one text: `item`, `system` and `text` in the data of a task, numbers and stars as scores under the name of
//! their control, and a text area called `post_edit` with the text as it was edited.

use super::super::frame::{DatasetBuilder, ImportRecord, JudgmentRow, RecordValue};
use super::{ADDED, Fields, cancelled, is_again, item, listed, person, which_field};
use serde_json::Value;
use tiebreak_base::error::Result;

/// The control of an edited text.
const POST_EDIT: &str = "post_edit";

/// A rated text, and its system.
struct RatingTask {
    item: String,
    system: String,
    text: String,
}

/// Reads a task; `None` where the text had to be left out.
fn task(
    data: RecordValue<'_>,
    id: RecordValue<'_>,
    fields: &Fields,
    builder: &mut DatasetBuilder<'_>,
) -> Result<Option<RatingTask>> {
    let system = data
        .get(&fields.system)
        .name()
        .map_err(|error| error.with_hint(which_field("system")))?;
    let text = data.get(&fields.text).text()?.unwrap_or_default();
    let Some(item) = item(data, id, fields, builder)? else {
        return Ok(None);
    };
    let kept = builder.output(&item, &system, Some(&text), data)?;
    Ok(kept.then_some(RatingTask { item, system, text }))
}

enum ControlValue {
    Score(f64),
    Edited(String),
}

/// Reads a task of the full export with all annotations of its text.
pub(super) fn full(
    record: &ImportRecord,
    fields: &Fields,
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
        let mut said = Vec::new();
        for result in annotation.get("result").items() {
            let value = result.get("value");
            let control = result.get("from_name").filled()?.unwrap_or_default();
            let edited = || Ok(value.get("text").texts()?.pop().map(ControlValue::Edited));
            let one = match value.first(&["number", "rating"]).number()? {
                Some(score) => Some(ControlValue::Score(score)),
                None if control == POST_EDIT => edited()?,
                None => {
                    // Relations between regions have no value.
                    if !value.is_null() {
                        builder.no_number(&task.system, &control);
                    }
                    None
                }
            };
            said.extend(one.map(|one| (control, one)));
        }
        let who = person(annotation.get("completed_by"));
        add_judgments(&task, who, annotation.get("lead_time"), said, builder)?;
    }
    Ok(())
}

/// Reads a row of the short exports: data, controls and the annotation side by side.
pub(super) fn short(
    record: &ImportRecord,
    fields: &Fields,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    let Some(task) = task(record.node(), record.get("id"), fields, builder)? else {
        return Ok(());
    };
    let annotation = record.get("annotation_id");
    if annotation.filled()?.is_none() || is_again(record.get("id"), annotation, builder)? {
        return Ok(());
    }
    let mut said = Vec::new();
    let controls = record
        .node()
        .fields()
        .filter(|(name, _)| !ADDED.contains(name) && !fields.all().contains(name));
    for (name, control) in controls {
        let one = match score(control.value()) {
            Some(score) => Some(ControlValue::Score(score)),
            None if name == POST_EDIT => control.filled()?.map(ControlValue::Edited),
            None => None,
        };
        said.extend(one.map(|one| (name.to_string(), one)));
    }
    let who = person(record.get("annotator"));
    add_judgments(&task, who, record.get("lead_time"), said, builder)
}

/// Returns the number of a control: `[{"number": 5}]`, in a CSV as text.
fn score(control: &Value) -> Option<f64> {
    let held = listed(control)?;
    held.get("number").or_else(|| held.get("rating"))?.as_f64()
}

fn add_judgments(
    task: &RatingTask,
    who: RecordValue<'_>,
    seconds: RecordValue<'_>,
    said: Vec<(String, ControlValue)>,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    if said.is_empty() {
        builder.drop("an annotation without a score");
    }
    let annotator = who.filled()?;
    let about = JudgmentRow {
        item: &task.item,
        system: &task.system,
        annotator: annotator.as_deref(),
        seconds: seconds.amount()?,
        ..JudgmentRow::default()
    };
    for (control, said) in said {
        match said {
            ControlValue::Score(score) => builder.judgment(&JudgmentRow {
                criterion: &control,
                score,
                ..about
            })?,
            ControlValue::Edited(edited) => builder.edited(&about, &task.text, &edited)?,
        }
    }
    Ok(())
}
