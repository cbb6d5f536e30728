//! Ratings of one text: `item`, `system` and `text` in the data of a task, numbers and stars as scores under the name of
//! their control, and a text area called `post_edit` with the text as it was edited.

use super::super::frame::{Builder, Judged, Node, Record};
use super::{Fields, cancelled, person};
use crate::error::Result;

/// The control of an edited text.
const POST_EDIT: &str = "post_edit";

/// Whether a task is about one text.
pub(super) fn is_rated(data: Node<'_>, fields: &Fields) -> bool {
    !data.get(&fields.text).is_null() && data.get(&fields.outputs[0]).is_null()
}

/// A task of the full export with all that was said of its text.
pub(super) fn read(record: &Record, fields: &Fields, builder: &mut Builder<'_>) -> Result<()> {
    let data = record.get("data");
    let item = match data.get(&fields.item).filled()? {
        Some(item) => item,
        None => record.get("id").name()?,
    };
    let system = data.get(&fields.system).name().map_err(|error| {
        error.with_hint("say which field of the task it is: --pick system=FIELD")
    })?;
    let source = data.get(&fields.source).text()?;
    let text = data.get(&fields.text).text()?;
    if !builder.item(&item, source.as_deref(), &[])? {
        builder.drop("another source of the same item");
        return Ok(());
    }
    if !builder.output(&item, &system, text.as_deref(), data)? {
        return Ok(());
    }
    for annotation in record.get("annotations").items() {
        if cancelled(annotation, builder) {
            continue;
        }
        let annotator = person(annotation.get("completed_by")).filled()?;
        let about = Judged {
            item: &item,
            system: &system,
            annotator: annotator.as_deref(),
            seconds: annotation.get("lead_time").number()?,
            ..Judged::default()
        };
        let before = text.as_deref().unwrap_or_default();
        if !say(annotation, &about, before, builder)? {
            builder.drop("an annotation without a score");
        }
    }
    Ok(())
}

/// The scores of an annotation and its edited text; whether there are any.
fn say(
    annotation: Node<'_>,
    about: &Judged<'_>,
    text: &str,
    builder: &mut Builder<'_>,
) -> Result<bool> {
    let mut any = false;
    for result in annotation.get("result").items() {
        let value = result.get("value");
        let control = result.get("from_name").filled()?.unwrap_or_default();
        let score = value.first(&["number", "rating"]).number()?;
        let edited = match control == POST_EDIT {
            true => value.get("text").texts()?.pop(),
            false => None,
        };
        match (score, &edited) {
            (Some(score), _) => builder.judgment(&Judged {
                criterion: &control,
                score,
                ..*about
            })?,
            (None, Some(edited)) => builder.edited(about, text, edited)?,
            (None, None) => continue,
        }
        any = true;
    }
    Ok(any)
}
