//! The body of a request, from messages.

use super::answers::Key;
use super::descriptor::JudgeDescriptor;
use super::dialect::Dialect;
use super::template::{JudgeTemplate, JudgeTemplateKind, PromptMessage};
use crate::verdicts::{Rule, VerdictLabels};
use serde_json::{Map, Value, json};
use tiebreak_base::error::{Error, Result};

/// The number of likely tokens that are asked for; as many as OpenAI gives.
const LIKELY: u32 = 20;

/// The most tokens of an answer that may reason before it decides.
const WORDS: u32 = 1024;

/// A request as it is sent.
pub(crate) struct JudgeRequest {
    /// The key under which its answer is kept.
    pub key: Key,
    /// The body, as JSON.
    pub body: String,
    /// The dialect of the body.
    pub dialect: Dialect,
}

/// A builder of requests, with what all requests of a judge have in common.
pub(crate) struct JudgeRequestBuilder {
    dialect: Dialect,
    model: String,
    rule: Rule,
    labels: VerdictLabels,
    temperature: f64,
    max_tokens: u32,
    top_logprobs: u32,
    seed: Option<u64>,
    more: Map<String, Value>,
}

impl JudgeRequestBuilder {
    /// Makes the builder of a judge, which is sampled where `seed` is given.
    ///
    /// # Errors
    /// A model that is not named; a temperature at which every sample is the same.
    pub(super) fn new(descriptor: &JudgeDescriptor, seed: Option<u64>) -> Result<Self> {
        let model = descriptor.model()?.to_string();
        let rule = descriptor.rule();
        if seed.is_some() && (rule.wants_probabilities() || descriptor.temperature == Some(0.0)) {
            let what = "several samples, but all would be the same";
            return Err(Error::key("samples", what).with_hint(
                "log-probabilities need one sample; others a `temperature` above 0 and verdict = \"label\", \
                 say",
            ));
        }
        let more = serde_json::to_value(&descriptor.body).map_err(Error::failed)?;
        let short = matches!(rule, Rule::Probabilities | Rule::Label);
        Ok(Self {
            dialect: descriptor.dialect,
            model,
            labels: descriptor.labels.clone(),
            temperature: descriptor
                .temperature
                .unwrap_or(f64::from(u8::from(seed.is_some()))),
            max_tokens: descriptor
                .max_tokens
                .unwrap_or(if short { 1 } else { WORDS }),
            top_logprobs: descriptor.top_logprobs.unwrap_or(LIKELY),
            rule,
            seed,
            more: more.as_object().cloned().unwrap_or_default(),
        })
    }

    /// The most tokens that an answer may have, where there is a limit.
    pub(super) fn most_tokens(&self) -> Option<u64> {
        let mut given = ["max_completion_tokens", "max_tokens"].iter();
        let given = given.find_map(|key| self.more.get(*key)?.as_u64());
        let each = given.or((self.max_tokens > 0).then_some(u64::from(self.max_tokens)));
        let choices = self.more.get("n").and_then(Value::as_u64).unwrap_or(1);
        each.map(|each| each.saturating_mul(choices.max(1)))
    }

    /// The request for a sample of some messages.
    pub(super) fn request(
        &self,
        template: &JudgeTemplate,
        messages: &[PromptMessage],
        sample: u32,
    ) -> Result<JudgeRequest> {
        let mut body = Map::new();
        body.insert("model".into(), json!(self.model));
        self.dialect.add_messages(&mut body, messages);
        if self.max_tokens > 0 && !self.more.contains_key("max_completion_tokens") {
            body.insert("max_tokens".into(), json!(self.max_tokens));
        }
        body.insert("temperature".into(), json!(self.temperature));
        if self.rule.wants_probabilities() {
            body.insert("logprobs".into(), json!(true));
            body.insert("top_logprobs".into(), json!(self.top_logprobs));
        }
        if self.rule == Rule::Json {
            body.insert("response_format".into(), self.schema(template.kind));
        }
        if let Some(seed) = self.seed {
            body.insert(
                "seed".into(),
                json!(seed.wrapping_add(u64::from(sample)) % (1 << 31)),
            );
        }
        self.dialect.fit(&mut body, WORDS);
        // A field that the descriptor gives replaces ours.
        body.extend(self.more.clone());
        let body = serde_json::to_string(&body).map_err(Error::failed)?;
        let key = Key::new(self.dialect.path(), &body, sample);
        Ok(JudgeRequest {
            key,
            body,
            dialect: self.dialect,
        })
    }

    fn schema(&self, kind: JudgeTemplateKind) -> Value {
        let property = match kind {
            JudgeTemplateKind::Pairwise => {
                let mut choices = vec![self.labels.a.as_str(), &self.labels.b];
                choices.extend(self.labels.tie.as_ref().map(|_| "tie"));
                json!({"choice": {"type": "string", "enum": choices}})
            }
            JudgeTemplateKind::Pointwise => json!({"rating": {"type": "integer"}}),
        };
        let required: Vec<&String> = property
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .collect();
        json!({"type": "json_schema", "json_schema": {"name": "verdict", "strict": true, "schema": {
            "type": "object", "properties": property, "required": required, "additionalProperties": false}}})
    }
}
