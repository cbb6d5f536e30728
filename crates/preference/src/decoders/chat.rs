//! From messages to a prompt, by the template that a checkpoint brings: Jinja as transformers runs it.
//!
//! Blocks leave no lines, methods of Python's strings, lists and dictionaries are there, `tojson` writes as
//! `json.dumps` does, and `raise_exception` is an error. A template that asks for the date gets the one that was given,
//! never that of the clock, and else none. The blocks that mark what a model is to learn from (`generation`) mark
//! nothing here.

mod dates;
mod json;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, ErrorKind};
use serde_json::Value as Json;
use tiebreak_base::error::{Error, Result};
use tiebreak_encoders::Checkpoint;

/// The files of a folder: a template by itself, and the settings of its tokenizer.
const TEMPLATE: &str = "chat_template.jinja";
const CONFIG: &str = "tokenizer_config.json";

/// A message: who speaks and what; further fields as a template wants them.
pub type ChatMessage = serde_json::Map<String, Json>;

/// The template of a checkpoint.
pub struct Chat {
    environment: Environment<'static>,
    /// The values that the template gets beside the messages.
    told: serde_json::Map<String, Json>,
}

impl Chat {
    /// Reads the template of a checkpoint, if it has one.
    ///
    /// # Errors
    /// A file that cannot be read; a template that is none.
    pub fn read(checkpoint: &Checkpoint) -> Result<Option<Self>> {
        let config: Json = match checkpoint.files.has(CONFIG) {
            true => serde_json::from_slice(&checkpoint.read(CONFIG)?)
                .map_err(|source| checkpoint.unfit(CONFIG, format!("is not JSON: {source}")))?,
            false => Json::Null,
        };
        let template = match checkpoint.files.has(TEMPLATE) {
            true => String::from_utf8(checkpoint.read(TEMPLATE)?).ok(),
            false => default_template(&config["chat_template"]),
        };
        let Some(template) = template else {
            return Ok(None);
        };
        let tokens = ["bos_token", "eos_token", "pad_token", "unk_token"];
        let token = |key: &str| {
            let token = config[key].as_str().or(config[key]["content"].as_str())?;
            Some((key.to_string(), token.into()))
        };
        let told = tokens.into_iter().filter_map(token).collect();
        let chat = Self::new(&template, told);
        let wrong = |error: Error| Error::model(&checkpoint.name, error);
        chat.map(Some).map_err(wrong)
    }

    /// Makes a chat from a template, which gets some tokens and other values.
    ///
    /// # Errors
    /// A template that is none.
    pub fn new(template: &str, told: serde_json::Map<String, Json>) -> Result<Self> {
        let mut environment = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        environment.set_syntax(syntax.build().map_err(Error::failed)?);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_filter("tojson", json::filter);
        environment.add_function("raise_exception", raise);
        let source = unmarked(template);
        environment
            .add_template_owned("chat", source)
            .map_err(|error| Error::usage(format!("its chat template is wrong: {error}")))?;
        Ok(Self { environment, told })
    }

    /// Adds values for the template: `enable_thinking`, say.
    #[must_use]
    pub fn with(mut self, more: &serde_json::Map<String, Json>) -> Self {
        self.told.extend(more.clone());
        self
    }

    /// Adds the date for the template: `2026-07-05`, or with a time after a `T`.
    ///
    /// # Errors
    /// A date that is none.
    pub fn dated(mut self, date: &str) -> Result<Self> {
        let date = dates::parse(date).ok_or_else(|| {
            Error::usage(format!(
                "`{date}` is not a date, expected such as 2026-07-05"
            ))
        })?;
        self.environment
            .add_function("strftime_now", move |format: String| {
                dates::format(date, &format).ok_or_else(|| {
                    minijinja::Error::new(ErrorKind::InvalidOperation, "a format of dates")
                })
            });
        Ok(self)
    }

    /// The prompt of some messages; with `answer` up to where the model answers.
    ///
    /// # Errors
    /// No messages; what the template itself refuses.
    pub fn prompt(&self, messages: &[ChatMessage], answer: bool) -> Result<String> {
        if messages.is_empty() {
            return Err(Error::usage("a conversation without messages"));
        }
        let values: Vec<Value> = messages
            .iter()
            .map(|message| json::value(&Json::Object(message.clone())))
            .collect();
        let mut told: Vec<(String, Value)> = ["tools", "documents"]
            .map(|key| (key.to_string(), Value::from(())))
            .to_vec();
        told.extend(
            self.told
                .iter()
                .map(|(key, one)| (key.clone(), json::value(one))),
        );
        told.push(("messages".to_string(), Value::from(values)));
        told.push(("add_generation_prompt".to_string(), Value::from(answer)));
        let context = Value::from_pairs(told);
        let template = self
            .environment
            .get_template("chat")
            .map_err(Error::failed)?;
        template
            .render(context)
            .map_err(|error| Error::usage(format!("the chat template refuses this: {error}")))
    }

    /// The prompt of a system's message and a user's. For a template without a role for the system, its message goes in
    /// front of the user's.
    ///
    /// # Errors
    /// As [`Chat::prompt`].
    pub fn asked(&self, system: Option<&str>, user: &str) -> Result<String> {
        let Some(system) = system else {
            return self.prompt(&[message("user", user)], true);
        };
        let apart = [message("system", system), message("user", user)];
        self.prompt(&apart, true).or_else(|_| {
            let joined = format!("{system}\n\n{user}");
            self.prompt(&[message("user", &joined)], true)
        })
    }
}

/// Makes a message of a role.
pub fn message(role: &str, content: &str) -> ChatMessage {
    let both = [("role", role), ("content", content)];
    both.map(|(key, text)| (key.to_string(), Json::from(text)))
        .into_iter()
        .collect()
}

/// Returns a template, or the default one of a list.
fn default_template(written: &Json) -> Option<String> {
    if let Some(one) = written.as_str() {
        return Some(one.to_string());
    }
    let all = written.as_array()?;
    let default = all.iter().find(|one| one["name"] == "default")?;
    default["template"].as_str().map(str::to_string)
}

fn raise(message: String) -> Result<Value, minijinja::Error> {
    Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
}

/// Returns the template with its `generation` blocks as blocks that are always there.
fn unmarked(template: &str) -> String {
    let mut whole = String::new();
    let mut rest = template;
    while let Some(at) = rest.find("{%") {
        let Some(end) = rest[at..].find("%}").map(|end| at + end) else {
            break;
        };
        let inside = &rest[at + 2..end];
        let word = inside.trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
        whole += &rest[..at + 2];
        whole += &match word {
            "generation" => inside.replace("generation", " if true "),
            "endgeneration" => inside.replace("endgeneration", " endif "),
            _ => inside.to_string(),
        };
        whole += "%}";
        rest = &rest[end + 2..];
    }
    whole + rest
}
