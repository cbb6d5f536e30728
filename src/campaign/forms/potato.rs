//! Potato: the data of a project and its configuration. The folder with both, and with the annotations that Potato puts
//! there, is what `tell` reads.

use super::{AnnotationTool, OutgoingQuestions, SIDES, TaskFile, key, texts};
use serde_json::json;
use tiebreak_base::error::{Error, Result};

pub(super) const FRIEND: AnnotationTool = AnnotationTool {
    name: "potato",
    extension: "jsonl",
    holds: super::is_of_pairs,
    write,
};

fn write(batch: &OutgoingQuestions<'_>) -> Result<Vec<TaskFile>> {
    let mut data = String::new();
    for row in batch.rows {
        let key = key(row);
        let line = json!({
            "id": key, "item": key,
            "source": row.source.unwrap_or_default(),
            "reference": row.references.join("\n\n"),
            "responses": texts(row),
            "system_a": SIDES[0], "system_b": SIDES[1],
        });
        data += &format!("{line}\n");
    }
    let config = configuration(batch)?;
    Ok(vec![
        ("jsonl", data.into_bytes()),
        ("yaml", config.into_bytes()),
    ])
}

fn configuration(batch: &OutgoingQuestions<'_>) -> Result<String> {
    // A string of JSON is one of YAML.
    let quoted = |text: &str| serde_json::to_string(text).map_err(Error::failed);
    let (name, prompt) = (quoted(batch.name)?, quoted(&batch.task.prompt)?);
    let data = quoted(&format!("{}.jsonl", batch.name))?;
    let given = |any: bool, name: &str, label: &str| match any {
        true => format!("    - {{key: {name}, type: text, label: {label}}}\n"),
        false => String::new(),
    };
    let rows = || batch.rows.iter();
    let source = given(rows().any(|row| row.source.is_some()), "source", "Source");
    let references = rows().any(|row| !row.references.is_empty());
    let reference = given(references, "reference", "Reference");
    Ok(format!(
        "annotation_task_name: {name}
task_dir: .
output_annotation_dir: annotation_output/
export_annotation_format: jsonl
data_files:
  - {data}
item_properties:
  id_key: id
  text_key: responses
user_config:
  allow_all_users: true
  users: []
annotation_schemes:
  - annotation_type: pairwise
    name: preference
    description: {prompt}
    mode: binary
    items_key: responses
    allow_tie: true
    label_requirement:
      required: true
instance_display:
  fields:
{source}{reference}    - {{key: responses, type: pairwise, label: Texts, display_options: {{labels: [A, B]}}}}
"
    ))
}
