//! `config.json` of a decoder, in the layout of transformers 4 or 5, brought into the one that candle-transformers
//! reads, with everything refused that its modules would pass over.

use super::family::DecoderFamily;
use super::refused;
use serde_json::{Map, Value, json};
use tiebreak_base::error::{Error, Result};

/// The most positions that are kept: tables of angles and masks grow with them.
const POSITIONS: usize = 32_768;

/// The settings that decide the numbers of a decoder.
#[derive(Debug, Clone)]
pub struct DecoderSettings {
    /// The architecture's module.
    pub(crate) family: DecoderFamily,
    /// Whether the decoder scores a text rather than continues it.
    pub is_reward: bool,
    /// The longest input that is computed as transformers does.
    pub longest: usize,
    /// Width of the hidden states.
    pub hidden: usize,
    /// Number of tokens.
    pub vocabulary: usize,
    /// Whether the embeddings serve as the head.
    pub tied: bool,
    /// The padding token.
    pub pad: Option<u32>,
    /// The configuration as candle-transformers reads it.
    pub(super) normal: Value,
}

/// A configuration that is being checked.
struct RawDecoderConfig<'a> {
    model: &'a str,
    family: DecoderFamily,
    map: Map<String, Value>,
}

impl DecoderSettings {
    /// Whether a `config.json` is that of a decoder, known here or not.
    pub fn is_decoder(config: &Value) -> bool {
        let named = config["architectures"].as_array();
        let mut names = named.into_iter().flatten().filter_map(Value::as_str);
        let kind = config["model_type"].as_str().unwrap_or_default();
        names.any(|name| name.ends_with("ForCausalLM") || DecoderFamily::by_name(kind).is_some())
    }

    /// Reads the configuration of the model called `model`.
    ///
    /// # Errors
    /// [`Error::Model`] naming the first thing that is asked for and not computed here.
    pub fn new(model: &str, config: &Value) -> Result<Self> {
        let kind = config["model_type"].as_str().unwrap_or("none");
        let unknown = || refused(model, format!("it is of the architecture `{kind}`"));
        let family = DecoderFamily::by_name(kind).ok_or_else(unknown)?;
        let map = config.as_object().cloned().unwrap_or_default();
        let mut raw = RawDecoderConfig { model, family, map };
        let is_reward = raw.kind()?;
        raw.angles()?;
        raw.arithmetic()?;
        let window = raw.window()?;
        let longest = raw.positions(window)?;
        raw.of_family(is_reward)?;
        let size = |key: &str| raw.size(key);
        Ok(Self {
            family,
            is_reward,
            longest,
            hidden: size("hidden_size")?,
            vocabulary: size("vocab_size")?,
            tied: raw.tied(),
            pad: raw
                .map
                .get("pad_token_id")
                .and_then(Value::as_u64)
                .map(|id| id as u32),
            normal: Value::Object(raw.map),
        })
    }
}

impl RawDecoderConfig<'_> {
    fn refused(&self, what: impl std::fmt::Display) -> Error {
        refused(self.model, what)
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.get(key)?.as_f64()
    }

    fn size(&self, key: &str) -> Result<usize> {
        let size = self.get(key).and_then(Value::as_u64);
        let missing = || Error::model(self.model, format!("config.json has no number `{key}`"));
        size.map(|size| size as usize).ok_or_else(missing)
    }

    fn is(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    fn set(&mut self, key: &str, value: Value) {
        self.map.insert(key.to_string(), value);
    }

    fn tied(&self) -> bool {
        let usual = matches!(
            self.family,
            DecoderFamily::Gemma2 | DecoderFamily::Gemma3 | DecoderFamily::Smollm3
        );
        let said = self.get("tie_word_embeddings").and_then(Value::as_bool);
        said.unwrap_or(usual)
    }

    /// Whether the decoder is a reward model; other heads are refused.
    fn kind(&self) -> Result<bool> {
        let named = self.get("architectures").and_then(Value::as_array);
        let name = named
            .and_then(|all| all.first()?.as_str())
            .unwrap_or("ForCausalLM");
        if name.ends_with("ForCausalLM") {
            return Ok(false);
        }
        if !name.ends_with("ForSequenceClassification") {
            return Err(self.refused(format!("its head is that of `{name}`")));
        }
        let labels = self
            .get("id2label")
            .and_then(Value::as_object)
            .map(Map::len);
        let labels = labels
            .or(self.number("num_labels").map(|n| n as usize))
            .unwrap_or(2);
        match labels {
            1 => Ok(true),
            n => Err(self.refused(format!("it has {n} scores (num_labels), expected 1"))),
        }
    }

    /// Reads how positions turn queries and keys: transformers 5 has all of it in `rope_parameters`.
    fn angles(&mut self) -> Result<()> {
        if let Some(parameters) = self
            .get("rope_parameters")
            .and_then(Value::as_object)
            .cloned()
        {
            self.parameters(&parameters)?;
        }
        let usual = json!(10_000.0);
        if self.get("rope_theta").is_none() {
            self.set("rope_theta", usual);
        }
        let partial = self.number("partial_rotary_factor").unwrap_or(1.0);
        if partial != 1.0 && self.family != DecoderFamily::Phi3 {
            return Err(self.refused(format!(
                "it turns a part of each head (partial_rotary_factor {partial})"
            )));
        }
        let Some(scaling) = self.get("rope_scaling").cloned() else {
            self.set("rope_scaling", Value::Null);
            return Ok(());
        };
        let named = scaling.get("rope_type").or(scaling.get("type"));
        let kind = named.and_then(Value::as_str).unwrap_or("none").to_string();
        match (kind.as_str(), self.family) {
            ("default", _) => self.set("rope_scaling", Value::Null),
            ("llama3", DecoderFamily::Llama) => {
                let mut scaling = scaling;
                scaling["rope_type"] = json!("llama3");
                self.set("rope_scaling", scaling);
            }
            (kind, _) => {
                return Err(self.refused(format!("it scales positions by `{kind}` (rope_scaling)")));
            }
        }
        Ok(())
    }

    fn parameters(&mut self, parameters: &Map<String, Value>) -> Result<()> {
        // Gemma 3 has one table for each kind of layer.
        let [full, sliding] =
            ["full_attention", "sliding_attention"].map(|kind| parameters.get(kind));
        let main = full.and_then(Value::as_object).unwrap_or(parameters);
        if let Some(theta) = main.get("rope_theta") {
            self.set("rope_theta", theta.clone());
        }
        if let Some(partial) = main.get("partial_rotary_factor") {
            self.set("partial_rotary_factor", partial.clone());
        }
        if let Some(local) = sliding {
            let kind = local
                .get("rope_type")
                .and_then(Value::as_str)
                .unwrap_or("default");
            if kind != "default" {
                return Err(self.refused(format!("it scales positions by `{kind}` in some layers")));
            }
            self.set("rope_local_base_freq", local["rope_theta"].clone());
        }
        let kind = main
            .get("rope_type")
            .or(main.get("type"))
            .and_then(Value::as_str);
        if kind.is_some_and(|kind| kind != "default") {
            self.set("rope_scaling", Value::Object(main.clone()));
        }
        Ok(())
    }

    /// Refuses arithmetic of a layer that would be passed over.
    fn arithmetic(&mut self) -> Result<()> {
        let act = ["hidden_activation", "hidden_act"]
            .iter()
            .find_map(|key| self.get(key));
        let act = act.and_then(Value::as_str).unwrap_or("silu").to_string();
        let gemma = matches!(self.family, DecoderFamily::Gemma2 | DecoderFamily::Gemma3);
        let expected = if gemma { "gelu_pytorch_tanh" } else { "silu" };
        if act != expected {
            return Err(self.refused(format!("its activation is `{act}` (hidden_act)")));
        }
        let key = if gemma {
            "hidden_activation"
        } else {
            "hidden_act"
        };
        self.set(key, json!(act));
        for key in ["attention_bias", "mlp_bias"] {
            let known = key == "attention_bias" && matches!(self.family, DecoderFamily::Qwen3);
            if self.is(key) && !known {
                return Err(self.refused(format!("it has biases ({key})")));
            }
        }
        if gemma || self.family == DecoderFamily::Qwen3 {
            self.set("attention_bias", json!(self.is("attention_bias")));
        }
        for key in ["quantization_config", "num_local_experts", "num_experts"] {
            if self.get(key).is_some() {
                return Err(self.refused(format!("its config.json has `{key}`")));
            }
        }
        Ok(())
    }

    /// The attention window that prompts must keep to, if any; also sets the one of the family's module.
    fn window(&mut self) -> Result<Option<usize>> {
        let layers = self.size("num_hidden_layers")?;
        let window = self
            .get("sliding_window")
            .and_then(Value::as_u64)
            .map(|n| n as usize);
        let none = self.size("max_position_embeddings")?.min(POSITIONS) + 1;
        let kinds = self.get("layer_types").and_then(Value::as_array);
        let slides = kinds.map(|all| {
            all.iter()
                .filter(|kind| *kind == "sliding_attention")
                .count()
        });
        match self.family {
            DecoderFamily::Qwen2 | DecoderFamily::Qwen3 | DecoderFamily::Smollm3 => {
                let from = self.number("max_window_layers").map_or(0, |n| n as usize);
                let sliding = slides.unwrap_or(layers.saturating_sub(from));
                if self.is("use_sliding_window") && window.is_some() && sliding > 0 {
                    return Err(self.refused("its attention has a window (use_sliding_window)"));
                }
                self.set("use_sliding_window", json!(false));
                self.set("max_window_layers", json!(layers));
                let unused = if self.family == DecoderFamily::Qwen2 {
                    json!(none)
                } else {
                    Value::Null
                };
                self.set("sliding_window", unused);
                Ok(None)
            }
            DecoderFamily::Mistral => {
                // A token sees one more there than in transformers.
                self.set(
                    "sliding_window",
                    window.map_or(Value::Null, |n| json!(n - 1)),
                );
                Ok(None)
            }
            // All layers have the window there, or none: prompts within it are the same.
            DecoderFamily::Gemma2 | DecoderFamily::Phi3 => {
                if self.family == DecoderFamily::Gemma2 {
                    self.set("sliding_window", json!(none));
                }
                Ok(window)
            }
            DecoderFamily::Gemma3 => {
                let window = window.unwrap_or(none);
                self.set("sliding_window", json!(window - 1));
                Ok(None)
            }
            DecoderFamily::Llama | DecoderFamily::Olmo2 => Ok(None),
        }
    }

    /// The longest input; shortens tables to the positions that are kept.
    fn positions(&mut self, window: Option<usize>) -> Result<usize> {
        let positions = self.size("max_position_embeddings")?.min(POSITIONS);
        self.set("max_position_embeddings", json!(positions));
        Ok(window.map_or(positions, |window| window.min(positions)))
    }

    /// Reads what is particular to a family.
    fn of_family(&mut self, is_reward: bool) -> Result<()> {
        let heads = self.size("num_attention_heads")?;
        let width = self.size("hidden_size")? / heads.max(1);
        let head = self
            .get("head_dim")
            .and_then(Value::as_u64)
            .map_or(width, |n| n as usize);
        if self.get("num_key_value_heads").is_none() {
            self.set("num_key_value_heads", json!(heads));
        }
        let fixed = matches!(
            self.family,
            DecoderFamily::Llama
                | DecoderFamily::Qwen2
                | DecoderFamily::Olmo2
                | DecoderFamily::Phi3
                | DecoderFamily::Smollm3
        );
        if fixed && head != width {
            return Err(self.refused(format!("its heads are {head} wide (head_dim), not {width}")));
        }
        self.set("tie_word_embeddings", json!(self.tied()));
        match self.family {
            DecoderFamily::Gemma2 | DecoderFamily::Gemma3 => self.gemma(head, is_reward)?,
            DecoderFamily::Qwen3 => self.set("head_dim", json!(head)),
            DecoderFamily::Smollm3 => self.nope(),
            _ => {}
        }
        // These are about writing only, and may be a list where a number is read.
        for key in ["eos_token_id", "bos_token_id"] {
            self.set(key, Value::Null);
        }
        Ok(())
    }

    fn gemma(&mut self, head: usize, is_reward: bool) -> Result<()> {
        self.set("head_dim", json!(head));
        let scalar = self.number("query_pre_attn_scalar").unwrap_or(head as f64);
        if scalar != head as f64 {
            return Err(self.refused(format!(
                "it scales queries by {scalar} (query_pre_attn_scalar), not {head}"
            )));
        }
        self.set("query_pre_attn_scalar", json!(head));
        if !self.tied() {
            return Err(self.refused("it has a head of its own (tie_word_embeddings false)"));
        }
        if is_reward {
            return Err(self.refused("it is a reward model of this family"));
        }
        if self.family == DecoderFamily::Gemma3 {
            let heads = self.size("num_key_value_heads")?;
            if heads != 1 {
                return Err(self.refused(format!(
                    "it has {heads} heads of keys (num_key_value_heads)"
                )));
            }
            self.pattern()?;
            if self.get("rope_local_base_freq").is_none() {
                self.set("rope_local_base_freq", json!(10_000.0));
            }
        }
        Ok(())
    }

    /// Reads the interval between layers with whole attention; transformers 5 lists them.
    fn pattern(&mut self) -> Result<()> {
        if self.get("sliding_window_pattern").is_some() {
            return Ok(());
        }
        let kinds = self.get("layer_types").and_then(Value::as_array).cloned();
        let Some(kinds) = kinds else {
            self.set("sliding_window_pattern", json!(6));
            return Ok(());
        };
        let whole = |kind: &Value| kind == "full_attention";
        let every = kinds
            .iter()
            .position(whole)
            .map_or(kinds.len() + 1, |at| at + 1);
        let fits = (1..)
            .zip(&kinds)
            .all(|(number, kind)| whole(kind) == (number % every == 0));
        match fits {
            true => self.set("sliding_window_pattern", json!(every)),
            false => return Err(self.refused("its layers take turns irregularly (layer_types)")),
        }
        Ok(())
    }

    /// Leaves positions out of every fourth layer of SmolLM3, unless the configuration names others.
    fn nope(&mut self) {
        if self.get("no_rope_layers").is_none() && self.get("no_rope_layer_interval").is_none() {
            self.set("no_rope_layer_interval", json!(4));
        }
    }
}
