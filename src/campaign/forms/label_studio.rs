//! Label Studio: tasks to import, and the labelling configuration of their project.
//!
//! Its control for pairs knows no tie: a choice beside it says tie or both bad, and goes before the side when the
//! export is read. One text gets a number a criterion, or is edited in a box; controls go by the names of the criteria.

use super::{AnnotationTool, OutgoingQuestions, SIDES, TaskFile, is_of_pairs, json, key, texts};
use crate::campaign::task::{Criterion, Task};
use serde_json::{Value, json};
use tiebreak_base::error::Result;

pub(super) const FRIEND: AnnotationTool = AnnotationTool {
    name: "label-studio",
    extension: "json",
    holds: |_| true,
    write,
};

fn write(batch: &OutgoingQuestions<'_>) -> Result<Vec<TaskFile>> {
    let of_pairs = is_of_pairs(batch.task);
    let task = |row| -> Value {
        let [first, second] = texts(row);
        let mut data = json!({
            "item": key(row),
            "source": row.source.unwrap_or_default(),
            "reference": row.references.join("\n\n"),
        });
        let shown = match of_pairs {
            true => vec![
                ("left", first),
                ("right", second),
                ("sys_left", SIDES[0]),
                ("sys_right", SIDES[1]),
            ],
            false => vec![("text", first), ("system", SIDES[0])],
        };
        for (name, value) in shown {
            data[name] = json!(value);
        }
        json!({ "data": data })
    };
    let tasks: Vec<Value> = batch.rows.iter().map(task).collect();
    let controls = match of_pairs {
        true => COMPARED.to_string(),
        false => rated(batch.task),
    };
    let config = configuration(&batch.task.prompt, &controls);
    Ok(vec![("json", json(&tasks)?), ("xml", config.into_bytes())])
}

/// Escapes a text as the value of an attribute.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

fn configuration(prompt: &str, controls: &str) -> String {
    let prompt = attribute(prompt);
    format!(
        r#"<View>
  <Header value="{prompt}"/>
  <Text name="source" value="$source"/>
  <Text name="reference" value="$reference"/>
{controls}</View>
"#
    )
}

const COMPARED: &str = r#"  <Pairwise name="better" toName="left,right"/>
  <View style="display: flex; gap: 2em">
    <Text name="left" value="$left"/>
    <Text name="right" value="$right"/>
  </View>
  <Choices name="neither" toName="source" choice="single" showInline="true">
    <Choice value="tie"/>
    <Choice value="both bad"/>
  </Choices>
"#;

fn rated(task: &Task) -> String {
    let text = "  <Text name=\"text\" value=\"$text\"/>\n".to_string();
    let controls = task.criteria.iter().map(number);
    let edit = task.edited_column().map(|name| {
        format!(
            r#"  <TextArea name="{name}" toName="text" value="$text" rows="6" maxSubmissions="1" editable="true" required="true"/>
"#
        )
    });
    std::iter::once(text).chain(controls).chain(edit).collect()
}

fn number(criterion: &Criterion) -> String {
    let (name, question) = (attribute(&criterion.name), attribute(&criterion.question()));
    let ends = criterion.range().map(|[low, high]| {
        let step = criterion.step.map(|step| format!(" step=\"{step}\""));
        format!(" min=\"{low}\" max=\"{high}\"{}", step.unwrap_or_default())
    });
    let ends = ends.unwrap_or_default();
    format!(
        r#"  <Header value="{question}" size="5"/>
  <Number name="{name}" toName="text"{ends} required="true"/>
"#
    )
}
