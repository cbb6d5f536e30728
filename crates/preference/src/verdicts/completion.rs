//! A response of a chat endpoint: OpenAI's shape, which vLLM, llama.cpp and Ollama's `/v1` share, Ollama's own, and
//! Anthropic's messages.

use super::UnreadableAnswer;
use serde_json::Value;
use std::ops::AddAssign;

/// The response of an endpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completion {
    /// The choices; usually one.
    pub choices: Vec<Choice>,
    /// The tokens that it took; none where the endpoint does not count them, or wrongly.
    pub(crate) usage: Option<Usage>,
}

/// The keys that [`Completion::read`] and [`Usage::read`] look at, wherever they stand: of a reply no more is held.
#[cfg(feature = "judges")]
pub(crate) const COMPLETION_KEYS: [&str; 22] = [
    "choices",
    "message",
    "content",
    "type",
    "text",
    "refusal",
    "finish_reason",
    "done_reason",
    "stop_reason",
    LOGPROBS,
    "top_logprobs",
    "token",
    "logprob",
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "prompt_eval_count",
    "eval_count",
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
];

/// The key of the log-probabilities, of which those of the first token are read.
pub(crate) const LOGPROBS: &str = "logprobs";

/// The most tokens that a count may say: a larger one is no count.
const MOST_TOKENS: u64 = 1 << 32;

/// The highest log-probability: rounding lifts that of a certain token a little above 0.
const HIGHEST_LOGPROB: f64 = 1e-3;

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
    /// Reads a response.
    ///
    /// # Errors
    /// [`UnreadableAnswer::Failed`] if it is none, [`UnreadableAnswer::InvalidProbability`] if it is one whose
    /// log-probabilities are none, [`UnreadableAnswer::NoVerdict`] if it is one without any choice.
    pub fn read(body: &Value) -> Result<Self, UnreadableAnswer> {
        let choices = match body.get("choices").and_then(Value::as_array) {
            Some(choices) if choices.is_empty() => return Err(UnreadableAnswer::NoVerdict),
            Some(choices) => choices.iter().map(choice).collect::<Result<_, _>>()?,
            None if body["type"] == "message" => vec![message(body)],
            None => vec![choice(body)?],
        };
        let usage = Usage::read(body);
        Ok(Self { choices, usage })
    }
}

impl Usage {
    /// Reads the tokens that a response says it took; `None` unless it says both, in whole numbers. A prompt has at
    /// least one token.
    pub(crate) fn read(body: &Value) -> Option<Self> {
        let usage = &body["usage"];
        let count = |one: &Value, other: &Value| {
            let given = if one.is_null() { other } else { one };
            given.as_u64().filter(|&tokens| tokens <= MOST_TOKENS)
        };
        if let Some(written) = usage["output_tokens"].as_u64() {
            return Self::of_message(usage, written);
        }
        let prompt = count(&usage["prompt_tokens"], &body["prompt_eval_count"]);
        Some(Self {
            prompt: prompt.filter(|&tokens| tokens > 0)?,
            completion: count(&usage["completion_tokens"], &body["eval_count"])?,
        })
    }
}

impl Usage {
    /// Reads Anthropic's count of what was read, cached or not, beside what was written.
    fn of_message(usage: &Value, completion: u64) -> Option<Self> {
        let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
        let cached = cached.iter().filter_map(|key| usage[*key].as_u64());
        let prompt = usage["input_tokens"].as_u64()?;
        let prompt = cached.fold(prompt, u64::saturating_add);
        let is_count = (1..=MOST_TOKENS).contains(&prompt) && completion <= MOST_TOKENS;
        is_count.then_some(Self { prompt, completion })
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.prompt = self.prompt.saturating_add(more.prompt);
        self.completion = self.completion.saturating_add(more.completion);
    }
}

impl Choice {
    /// The reason why an answer has no verdict in its text; one that was cut off may have been about to give it.
    pub(super) fn explain_missing(&self, why: UnreadableAnswer) -> UnreadableAnswer {
        match (self.cut_off, why) {
            (true, UnreadableAnswer::NoVerdict) => UnreadableAnswer::CutOff,
            (_, why) => why,
        }
    }
}

/// Reads an answer of Anthropic's: parts of text, others such as thoughts beside them, and why it ended.
fn message(body: &Value) -> Choice {
    let ended = body["stop_reason"].as_str();
    Choice {
        text: without_thoughts(&written_text(&body["content"])).to_string(),
        refused: ended == Some("refusal"),
        cut_off: matches!(ended, Some("max_tokens" | "model_context_window_exceeded")),
        likely: None,
    }
}

fn choice(one: &Value) -> Result<Choice, UnreadableAnswer> {
    let message = one.get("message").and_then(Value::as_object);
    let message = message.ok_or(UnreadableAnswer::Failed)?;
    let ended = one["finish_reason"]
        .as_str()
        .or(one["done_reason"].as_str());
    let refusal = message.get("refusal").and_then(Value::as_str);
    let refused = refusal.is_some_and(|text| !text.is_empty());
    let text = message.get("content").map(written_text).unwrap_or_default();
    Ok(Choice {
        text: without_thoughts(&text).to_string(),
        refused: refused || ended == Some("content_filter"),
        cut_off: ended == Some("length"),
        likely: first_token(&one[LOGPROBS]).transpose()?,
    })
}

/// The text of a message: its content, or the parts of it that are text.
fn written_text(content: &Value) -> String {
    let part = |part: &Value| {
        let is_text = part.get("type").is_none_or(|kind| kind == "text");
        let text = part.as_str().or(part.get("text").and_then(Value::as_str));
        text.filter(|_| is_text).map(str::to_string)
    };
    match content {
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        whole => part(whole).unwrap_or_default(),
    }
}

/// The tags between which models think, where the server leaves their thoughts in the answer.
const THOUGHTS: [(&str, &str); 3] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
];

/// Returns what stands after the thoughts of an answer. Templates of some models open the tag in the prompt, so that
/// the answer has its end alone; of thoughts that do not end nothing is left.
fn without_thoughts(text: &str) -> &str {
    let mut answer = text;
    for (begin, end) in THOUGHTS {
        if let Some((_, after)) = answer.rsplit_once(end) {
            answer = after;
        }
        if answer.trim_start().starts_with(begin) {
            return "";
        }
    }
    answer
}

/// The likely first tokens: OpenAI has them under `content`, Ollama in a list.
fn first_token(logprobs: &Value) -> Option<Result<Vec<TokenLogprob>, UnreadableAnswer>> {
    let tokens = logprobs.get("content").unwrap_or(logprobs);
    let first = tokens.as_array()?.first()?;
    let listed = first.get("top_logprobs")?.as_array()?;
    let likely = |one: &Value| {
        let token = one["token"].as_str()?.to_string();
        let logprob = one["logprob"].as_f64();
        // One that is none spoils the others: what share they have is not known.
        let logprob = logprob.filter(|&one| one.is_finite() && one <= HIGHEST_LOGPROB);
        Some(match logprob {
            Some(logprob) => Ok(TokenLogprob { token, logprob }),
            None => Err(UnreadableAnswer::InvalidProbability),
        })
    };
    let listed: Vec<_> = listed.iter().filter_map(likely).collect();
    // Asked for none, an endpoint may list none.
    (!listed.is_empty()).then(|| listed.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_log_probability_that_is_none_makes_an_answer_unreadable() {
        let read = |logprob: Value| {
            let listed =
                json!([{"token": "B", "logprob": -0.5}, {"token": "A", "logprob": logprob}]);
            let choice =
                json!({"message": {}, "logprobs": {"content": [{"top_logprobs": listed}]}});
            Completion::read(&json!({ "choices": [choice] }))
        };
        for bad in [json!(710.0), json!(0.1), Value::Null, json!("-1")] {
            let why = read(bad).unwrap_err();
            assert_eq!(why, UnreadableAnswer::InvalidProbability);
        }
        for good in [json!(0), json!(1e-6), json!(-9999.0), json!(-3.4e38)] {
            assert!(read(good).is_ok());
        }
        let failed = Err(UnreadableAnswer::Failed);
        assert_eq!(Completion::read(&json!({"choices": [{}]})), failed);
    }

    #[test]
    fn thoughts_are_no_answer_and_parts_of_text_are_one() {
        let read = |content: Value| {
            let body = json!({"choices": [{"message": {"content": content}}]});
            Completion::read(&body).unwrap().choices[0].text.clone()
        };
        assert_eq!(
            read(json!("<think>\n[[A]]?\n</think>\n\n[[B]]")),
            "\n\n[[B]]"
        );
        assert_eq!(read(json!("so A, then </think>B")), "B");
        assert_eq!(read(json!("<think>\n\n</think>\n\nB")).trim(), "B");
        assert_eq!(read(json!(" <think> it is [[A]]")), "");
        assert_eq!(read(json!("I think [[A]]")), "I think [[A]]");
        let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "[[A]]"}]});
        let parts =
            json!([thought, {"type": "text", "text": "[["}, {"type": "text", "text": "B]]"}]);
        assert_eq!(read(parts), "[[B]]");
        assert_eq!(read(Value::Null), "");
    }

    #[test]
    fn a_message_of_anthropics_is_its_parts_of_text() {
        let body = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude",
            "content": [
                {"type": "thinking", "thinking": "[[A]]?", "signature": "s"},
                {"type": "text", "text": "So "}, {"type": "text", "text": "[[B]]"},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 7},
        });
        let read = Completion::read(&body).unwrap();
        assert_eq!(read.choices[0].text, "So [[B]]");
        let (prompt, completion) = (100, 7);
        assert_eq!(read.usage, Some(Usage { prompt, completion }));
        let ended = |why: &str| {
            let body = json!({"type": "message", "content": [], "stop_reason": why});
            let read = Completion::read(&body).unwrap();
            (read.choices[0].refused, read.choices[0].cut_off)
        };
        assert_eq!(ended("refusal"), (true, false));
        assert_eq!(ended("max_tokens"), (false, true));
        let error = json!({"type": "error", "error": {"type": "overloaded_error"}});
        assert_eq!(Completion::read(&error), Err(UnreadableAnswer::Failed));
    }

    #[test]
    fn a_count_of_tokens_is_two_whole_numbers() {
        let read = |prompt: Value, completion: Value| {
            let usage = json!({"prompt_tokens": prompt, "completion_tokens": completion});
            Usage::read(&json!({ "usage": usage }))
        };
        let (prompt, completion) = (100, 0);
        let counted = Some(Usage { prompt, completion });
        assert_eq!(read(json!(100), json!(0)), counted);
        for bad in [
            json!(-5),
            json!(100.5),
            Value::Null,
            json!("7"),
            json!(u64::MAX),
        ] {
            assert_eq!(read(bad.clone(), json!(1)), None, "{bad}");
            assert_eq!(read(json!(100), bad.clone()), None, "{bad}");
        }
        assert_eq!(read(json!(0), json!(1)), None);
        assert_eq!(
            Usage::read(&json!({"prompt_eval_count": 100, "eval_count": 0})),
            counted
        );
    }
}
