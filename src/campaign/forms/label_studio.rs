//! Label Studio: tasks to import, and the labelling configuration of their project.
//!
//! Its control for pairs knows no tie: a choice beside it says tie or both bad, and goes before the side when the
//! export is read.

use super::{Batch, Friend, SIDES, Written, json, key, texts};
use crate::error::Result;
use serde_json::{Value, json};

pub(super) const FRIEND: Friend = Friend {
    name: "label-studio",
    extension: "json",
    write,
};

fn write(batch: &Batch<'_>) -> Result<Vec<Written>> {
    let task = |row| -> Value {
        let [left, right] = texts(row);
        json!({"data": {
            "item": key(row),
            "source": row.source.unwrap_or_default(),
            "reference": row.references.join("\n\n"),
            "left": left, "right": right,
            "sys_left": SIDES[0], "sys_right": SIDES[1],
        }})
    };
    let tasks: Vec<Value> = batch.rows.iter().map(task).collect();
    let config = configuration(&batch.task.prompt);
    Ok(vec![("json", json(&tasks)?), ("xml", config.into_bytes())])
}

fn configuration(prompt: &str) -> String {
    let prompt = prompt
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;");
    format!(
        r#"<View>
  <Header value="{prompt}"/>
  <Text name="source" value="$source"/>
  <Text name="reference" value="$reference"/>
  <Pairwise name="better" toName="left,right"/>
  <View style="display: flex; gap: 2em">
    <Text name="left" value="$left"/>
    <Text name="right" value="$right"/>
  </View>
  <Choices name="neither" toName="source" choice="single" showInline="true">
    <Choice value="tie"/>
    <Choice value="both bad"/>
  </Choices>
</View>
"#
    )
}
