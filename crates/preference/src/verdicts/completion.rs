//! A response of a chat endpoint: OpenAI's shape, which vLLM, llama.cpp and Ollama's `/v1` share, and Ollama's
//! own.

use super::UnreadableAnswer;
use serde_json::Value;

/// The response of an endpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completion {
    /// The choices; usually one.
    pub choices: Vec<Choice>,
    /// The tokens that it took.
    pub usage: Usage,
}

/// The number of tokens read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The tokens of the prompt.
    pub prompt: u64,
    /// The tokens of the answer.
    pub completion: u64,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The text of the answer.
    pub text: String,
    /// Whether the model refused or a filter cut in.
    pub refused: bool,
    /// Whether it was cut off at the limit of tokens.
    pub cut_off: bool,
    /// The most likely first tokens, where they came.
    pub likely: Option<Vec<TokenLogprob>>,
}

/// A token with its log-probability.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenLogprob {
    /// The token, as text.
    pub token: String,
    /// The natural logarithm of its probability.
    pub logprob: f64,
}

impl Completion {
    /// Reads a response; `None` if it is none.
    pub fn read(body: &Value) -> Option<Self> {
        let choices = match body.get("choices").and_then(Value::as_array) {
            Some(choices) => choices.iter().map(choice).collect::<Option<_>>()?,
            None => vec![choice(body)?],
        };
        let usage = &body["usage"];
        let count = |one: &Value, other: &Value| one.as_u64().or(other.as_u64()).unwrap_or(0);
        Some(Self {
            choices,
            usage: Usage {
                prompt: count(&usage["prompt_tokens"], &body["prompt_eval_count"]),
                completion: count(&usage["completion_tokens"], &body["eval_count"]),
            },
        })
    }
}

impl Choice {
    /// The reason why an answer has no verdict in its text.
    pub(super) fn without_verdict(&self) -> UnreadableAnswer {
        match self.cut_off {
            true => UnreadableAnswer::CutOff,
            false => UnreadableAnswer::NoVerdict,
        }
    }
}

fn choice(one: &Value) -> Option<Choice> {
    let message = one.get("message")?.as_object()?;
    let written = |key: &str| message.get(key).and_then(Value::as_str);
    let ended = one["finish_reason"]
        .as_str()
        .or(one["done_reason"].as_str());
    let refused = written("refusal").is_some_and(|text| !text.is_empty());
    Some(Choice {
        text: written("content").unwrap_or_default().to_string(),
        refused: refused || ended == Some("content_filter"),
        cut_off: ended == Some("length"),
        likely: first_token(&one["logprobs"]),
    })
}

/// The likely first tokens: OpenAI has them under `content`, Ollama in a list.
fn first_token(logprobs: &Value) -> Option<Vec<TokenLogprob>> {
    let tokens = logprobs.get("content").unwrap_or(logprobs);
    let first = tokens.as_array()?.first()?;
    let listed = first.get("top_logprobs")?.as_array()?;
    let likely = |one: &Value| {
        Some(TokenLogprob {
            token: one["token"].as_str()?.to_string(),
            logprob: one["logprob"].as_f64()?,
        })
    };
    let listed: Vec<TokenLogprob> = listed.iter().filter_map(likely).collect();
    // Asked for none, an endpoint may list none.
    (!listed.is_empty()).then_some(listed)
}
