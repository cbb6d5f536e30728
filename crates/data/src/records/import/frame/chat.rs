//! Conversations as texts. The source holds the turns that are equal for all systems, of user and system; what a
//! system wrote is the output. One turn is its bare text; several are written with their roles, an empty line between
//! them.

use super::record::{RecordValue, plain};
use crate::records::reader::spelled_objects;
use serde_json::Value;
use tiebreak_base::error::Result;

/// A turn of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::records::import) struct ChatTurn {
    /// The speaker's role.
    pub role: String,
    /// The text; `None` where it is null.
    pub text: Option<String>,
}

/// A conversation, split into the source and the last answer.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::records::import) struct SplitConversation {
    /// The prompt.
    pub source: String,
    /// The answer; `None` where it is null or missing.
    pub output: Option<String>,
}

/// Returns the turns of a list of `{role, content}`, which a cell of a table may spell; a content may be a list of parts,
/// of which the texts are used.
pub(in crate::records::import) fn turns(messages: RecordValue<'_>) -> Vec<ChatTurn> {
    let turn = |message: &Value| ChatTurn {
        role: message.get("role").and_then(plain).unwrap_or_default(),
        text: message.get("content").and_then(content),
    };
    let turns = |list: &Value| list.as_array().into_iter().flatten().map(turn).collect();
    match messages.value() {
        Value::String(text) => spelled_objects(text)
            .filter(|list| list[0].get("content").is_some())
            .map_or_else(Vec::new, |list| turns(&list)),
        list => turns(list),
    }
}

/// Returns the turns of two speakers who alternate, the user first.
pub(in crate::records::import) fn alternating(
    user: impl IntoIterator<Item = Option<String>>,
    assistant: impl IntoIterator<Item = Option<String>>,
) -> Vec<ChatTurn> {
    let turn = |role: &'static str| {
        move |text| ChatTurn {
            role: role.to_string(),
            text,
        }
    };
    let mut assistant = assistant.into_iter().map(turn("assistant"));
    let mut turns = Vec::new();
    for asked in user.into_iter().map(turn("user")) {
        turns.push(asked);
        turns.extend(assistant.next());
    }
    turns.extend(assistant);
    turns
}

/// Splits what was asked and an answer, each a text or a list of turns; an answer may begin with what was asked, or
/// answer it turn by turn.
///
/// # Errors
/// If a turn is a list, or an object among texts.
pub(in crate::records::import) fn answered(
    asked: RecordValue<'_>,
    answer: RecordValue<'_>,
) -> Result<SplitConversation> {
    let (asked, answer) = (spoken(asked, "user")?, spoken(answer, "assistant")?);
    let is_all = |turns: &[ChatTurn], role: &str| turns.iter().all(|turn| turn.role == role);
    let by_turns = asked.len() > 1
        && asked.len() == answer.len()
        && is_all(&asked, "user")
        && is_all(&answer, "assistant");
    let texts = |turns: Vec<ChatTurn>| turns.into_iter().map(|turn| turn.text);
    // What an assistant said before the answer was asked is no part of it.
    if asked.iter().any(is_answer) {
        let own = answer.strip_prefix(&asked[..]).unwrap_or(&answer);
        return Ok(SplitConversation {
            source: text(&asked),
            output: output(own),
        });
    }
    let turns = match answer.starts_with(&asked) {
        true => answer,
        false if by_turns => alternating(texts(asked), texts(answer)),
        false => [asked, answer].concat(),
    };
    Ok(part(&turns))
}

/// Returns the turns of a list of messages, or of the texts that one speaker said.
fn spoken(said: RecordValue<'_>, role: &str) -> Result<Vec<ChatTurn>> {
    let is_messages = said.is_list() && said.items().all(|one| one.value().is_object());
    let spelled = turns(said);
    if is_messages || said.value().is_string() && !spelled.is_empty() {
        return Ok(spelled);
    }
    let texts = match said.is_list() {
        true => said.items().map(RecordValue::text).collect::<Result<_>>()?,
        false => vec![said.text()?],
    };
    let turn = |text| ChatTurn {
        role: role.to_string(),
        text,
    };
    Ok(texts.into_iter().map(turn).collect())
}

/// Returns the text of a content: a text, or the texts of a list of parts.
pub(in crate::records::import) fn content(value: &Value) -> Option<String> {
    match value {
        Value::Array(parts) => {
            let text = |part: &Value| match part {
                Value::Object(part) => part.get("text").and_then(plain),
                other => plain(other),
            };
            let texts: Vec<String> = parts.iter().filter_map(text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(part) => ["text", "answer", "content"]
            .iter()
            .find_map(|key| part.get(*key).and_then(plain)),
        other => plain(other),
    }
}

/// Joins turns into a text: of one the bare text.
pub(in crate::records::import) fn text<'a>(
    turns: impl IntoIterator<Item = &'a ChatTurn>,
) -> String {
    let turns: Vec<&ChatTurn> = turns.into_iter().collect();
    let said = |turn: &ChatTurn| turn.text.clone().unwrap_or_default();
    match turns[..] {
        [one] => said(one),
        _ => {
            let told = turns
                .iter()
                .map(|turn| format!("{}: {}", turn.role, said(turn)));
            told.collect::<Vec<_>>().join("\n\n")
        }
    }
}

/// Splits a conversation: the source has all turns but the assistant's, the output all from the assistant's first on.
pub(in crate::records::import) fn part(turns: &[ChatTurn]) -> SplitConversation {
    let first = turns.iter().position(is_answer).unwrap_or(turns.len());
    SplitConversation {
        source: text(turns.iter().filter(|turn| !is_answer(turn))),
        output: output(&turns[first..]),
    }
}

fn is_answer(turn: &ChatTurn) -> bool {
    ["assistant", "gpt", "model"].contains(&turn.role.to_lowercase().as_str())
}

fn output(turns: &[ChatTurn]) -> Option<String> {
    match turns {
        [] => None,
        [one] => one.text.clone(),
        several => Some(text(several)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::ImportRecord;
    use super::*;
    use tiebreak_base::error::Location;

    fn owned_texts(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_string())).collect()
    }

    #[test]
    fn one_turn_is_bare_and_several_have_roles() {
        let one = part(&alternating(owned_texts(&["Hi"]), owned_texts(&["Hello"])));
        assert_eq!((&*one.source, one.output.as_deref()), ("Hi", Some("Hello")));
        let two = part(&alternating(
            owned_texts(&["Hi", "and again"]),
            owned_texts(&["Hello", "Hello again"]),
        ));
        assert_eq!(two.source, "user: Hi\n\nuser: and again");
        let output = "assistant: Hello\n\nuser: and again\n\nassistant: Hello again";
        assert_eq!(two.output.as_deref(), Some(output));
    }

    #[test]
    fn what_an_assistant_said_before_is_asked() {
        let prompt = serde_json::json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"},
            {"role": "user", "content": "again"}]);
        let mut whole = prompt.as_array().unwrap().clone();
        whole.push(serde_json::json!({"role": "assistant", "content": "A1"}));
        for answer in [serde_json::json!("A1"), whole.into()] {
            let record = ImportRecord {
                value: serde_json::json!({"prompt": prompt, "response": answer}),
                at: Location::file("votes.json"),
            };
            let split = answered(record.get("prompt"), record.get("response")).unwrap();
            assert_eq!(split.source, "user: hi\n\nassistant: yo\n\nuser: again");
            assert_eq!(split.output.as_deref(), Some("A1"));
        }
    }

    #[test]
    fn parts_of_a_content_are_joined_and_nulls_stay_nulls() {
        let parts =
            serde_json::json!([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]);
        assert_eq!(content(&parts).as_deref(), Some("a\nb"));
        assert_eq!(content(&Value::Null), None);
        let unanswered = part(&alternating(owned_texts(&["Hi"]), [None]));
        assert_eq!(unanswered.output, None);
    }
}
