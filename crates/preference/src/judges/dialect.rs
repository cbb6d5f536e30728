//! The dialects of endpoints: OpenAI's chat completions, which most servers speak, and Anthropic's messages.
//!
//! What differs is the path, the headers, the body of a request and the form of batches; replies of both are read by
//! [`Completion::read`](crate::verdicts::Completion::read). Anthropic has neither log-probabilities nor seeds nor a form
//! of response, needs a limit of tokens, and takes the system's message beside the others.

use super::template::PromptMessage;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The version of Anthropic's API that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The fields of a request that Anthropic does not know.
const UNKNOWN_TO_ANTHROPIC: [&str; 4] = ["logprobs", "top_logprobs", "response_format", "seed"];

/// The dialect of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Dialect {
    /// Chat completions.
    #[default]
    Openai,
    /// Messages, and message batches.
    Anthropic,
}

impl Dialect {
    /// The path of every request, after the host.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Openai => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
        }
    }

    /// The end of every address.
    pub(super) fn address_end(self) -> &'static str {
        match self {
            Self::Openai => "/chat/completions",
            Self::Anthropic => "/messages",
        }
    }

    /// The header that takes the key alone, where the descriptor names none.
    pub(super) fn key_header(self) -> Option<&'static str> {
        match self {
            Self::Openai => None,
            Self::Anthropic => Some("x-api-key"),
        }
    }

    /// The header of every request beside the key's: name and value.
    pub(super) fn header(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Openai => None,
            Self::Anthropic => Some(("anthropic-version", ANTHROPIC_VERSION)),
        }
    }

    /// The name in signatures; none for the usual one.
    pub(super) fn signature(self) -> Option<&'static str> {
        match self {
            Self::Openai => None,
            Self::Anthropic => Some("anthropic"),
        }
    }

    /// Adds the messages of a prompt to a body.
    pub(super) fn add_messages(self, body: &mut Map<String, Value>, messages: &[PromptMessage]) {
        let apart = |one: &&PromptMessage| self == Self::Anthropic && one.role == "system";
        let (system, others): (Vec<_>, Vec<_>) = messages.iter().partition(apart);
        if !system.is_empty() {
            let texts: Vec<&str> = system.iter().map(|one| one.content.as_str()).collect();
            body.insert("system".into(), json!(texts.join("\n\n")));
        }
        body.insert("messages".into(), json!(others));
    }

    /// Leaves out the fields that the dialect does not know, and adds those that it needs: `tokens` is the limit of an answer
    /// where the body names none.
    pub(super) fn fit(self, body: &mut Map<String, Value>, tokens: u32) {
        if self == Self::Anthropic {
            body.retain(|field, _| !UNKNOWN_TO_ANTHROPIC.contains(&field.as_str()));
            body.entry("max_tokens").or_insert(json!(tokens));
        }
    }

    /// The lines of a batch around those of its requests: Anthropic takes one document, OpenAI a line each.
    pub(super) fn batch_frame(self) -> [&'static str; 3] {
        match self {
            Self::Openai => ["", "\n", "\n"],
            Self::Anthropic => ["{\"requests\":[\n", ",\n", "\n]}\n"],
        }
    }

    /// A request of a batch, in one line.
    pub(super) fn batch_request(self, id: &str, body: &str) -> String {
        match self {
            Self::Openai => {
                let path = self.path();
                format!(
                    "{{\"custom_id\":\"{id}\",\"method\":\"POST\",\"url\":\"{path}\",\"body\":{body}}}"
                )
            }
            Self::Anthropic => format!("{{\"custom_id\":\"{id}\",\"params\":{body}}}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: &str, content: &str) -> PromptMessage {
        PromptMessage {
            role: role.to_string(),
            content: content.to_string(),
        }
    }

    #[test]
    fn anthropic_takes_the_system_apart_and_no_probabilities() {
        let messages = [message("system", "be fair"), message("user", "A or B?")];
        let made = |dialect: Dialect| {
            let mut body = Map::new();
            body.insert("model".into(), json!("m"));
            dialect.add_messages(&mut body, &messages);
            body.insert("logprobs".into(), json!(true));
            body.insert("seed".into(), json!(3));
            dialect.fit(&mut body, 9);
            Value::Object(body)
        };
        let expected = json!({
            "model": "m", "system": "be fair", "max_tokens": 9,
            "messages": [{"role": "user", "content": "A or B?"}],
        });
        assert_eq!(made(Dialect::Anthropic), expected);
        let body = made(Dialect::Openai);
        assert_eq!(body["messages"].as_array().unwrap().len(), 2);
        assert_eq!(body["seed"], 3);
    }
}
