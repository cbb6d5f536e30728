//! The contents of a question, and how a page shows them.

use super::{Protocol, Task};
use serde_json::{Value, json};
use tiebreak_data::sheets::SheetRow;
use tiebreak_stages::rendering::Rendering;

/// The contents of a task: texts in their order, and what they are judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::campaign) struct Content {
    pub(in crate::campaign) source: Option<String>,
    pub(in crate::campaign) passage: Option<String>,
    pub(in crate::campaign) references: Vec<String>,
    pub(in crate::campaign) texts: Vec<String>,
}

impl Task {
    /// The contents of a question. The references of the item are the passage that an answer is judged by.
    pub(in crate::campaign) fn content(&self, row: &SheetRow<'_>) -> Content {
        let (passage, references) = match self.protocol {
            Protocol::QuestionAnswering => (Some(row.references.join("\n\n")), Vec::new()),
            _ => (None, row.references.to_vec()),
        };
        Content {
            source: row.source.map(str::to_string),
            passage,
            references,
            texts: row.texts.iter().map(|(_, text)| text.to_string()).collect(),
        }
    }

    /// Adds the contents of a question to the constant part of a state: texts as they are and, if they are not plain,
    /// as they are shown.
    pub(in crate::campaign) fn show(&self, content: &Content, state: &mut Value) {
        for (key, value) in [
            ("source", json!(content.source)),
            ("passage", json!(content.passage)),
            ("references", json!(content.references)),
            ("texts", json!(content.texts)),
        ] {
            state[key] = value;
        }
        let outputs = self.render.unwrap_or_default();
        if !outputs.is_plain() {
            state["shown"] = self.shown(content, outputs);
        }
    }

    /// The HTML of each part of a question. A text that is to be edited is shown as it is.
    fn shown(&self, content: &Content, outputs: Rendering) -> Value {
        let prompt =
            |text: &Option<String>| text.as_deref().map(|one| outputs.for_prompts().html(one));
        let html = |texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| outputs.html(text)).collect()
        };
        let texts = (self.protocol != Protocol::PostEdit).then(|| html(&content.texts));
        json!({
            "source": prompt(&content.source),
            "passage": prompt(&content.passage),
            "references": html(&content.references),
            "texts": texts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shown_as_the_task_says() {
        let content = Content {
            source: Some("`a`".to_string()),
            passage: None,
            references: Vec::new(),
            texts: vec!["**a**".to_string()],
        };
        let shown = |protocol, render| {
            let task = Task {
                render,
                ..Task::built_in(protocol).unwrap()
            };
            let mut state = task.state();
            task.show(&content, &mut state);
            assert_eq!(state["texts"], json!(["**a**"]));
            state["shown"].clone()
        };
        assert_eq!(shown(Protocol::Rating, None), Value::Null);
        assert_eq!(shown(Protocol::Rating, Some(Rendering::Plain)), Value::Null);
        let markdown = shown(Protocol::Rating, Some(Rendering::Markdown));
        let bold = "<p dir=\"auto\"><strong>a</strong></p>\n";
        assert_eq!(markdown["texts"], json!([bold]));
        let code = shown(Protocol::Rating, Some(Rendering::Code));
        assert_eq!(code["source"], markdown["source"]);
        assert!(
            code["texts"][0]
                .as_str()
                .unwrap()
                .contains("<code>**a**</code>")
        );
        let edited = shown(Protocol::PostEdit, Some(Rendering::Markdown));
        assert_eq!(edited["texts"], Value::Null);
    }
}
