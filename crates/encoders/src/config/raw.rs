//! `config.json` as it is written, and the checks of it.

use super::{Activation, Config, EncoderFamily, PositionEncoding, Rates};
use crate::Scope;
use crate::deberta::DebertaConfig;
use crate::distances::BUCKETS;
use crate::modernbert::ModernBertConfig;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The settings that all families have. Defaults are those of transformers.
#[derive(Deserialize)]
pub(crate) struct RawEncoderConfig {
    vocab_size: usize,
    embedding_size: Option<usize>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    hidden_act: Option<Value>,
    hidden_activation: Option<Value>,
    layer_norm_eps: Option<f64>,
    norm_eps: Option<f64>,
    max_position_embeddings: usize,
    type_vocab_size: Option<usize>,
    pad_token_id: Option<i64>,
    #[serde(default = "tenth")]
    hidden_dropout_prob: f64,
    #[serde(default = "tenth")]
    attention_probs_dropout_prob: f64,
    classifier_dropout: Option<f64>,
    position_embedding_type: Option<String>,
    pooler_hidden_act: Option<Value>,
    classifier_activation: Option<Value>,
    id2label: Option<Map<String, Value>>,
    relative_attention_num_buckets: Option<usize>,
}

fn tenth() -> f64 {
    0.1
}

impl RawEncoderConfig {
    /// The configuration of a family; `json` is the whole file, for the family's own settings.
    pub(super) fn check(self, family: EncoderFamily, json: &Value) -> Result<Config, String> {
        match self.position_embedding_type.as_deref() {
            None | Some("absolute") => {}
            Some(other) => {
                return Err(format!(
                    "position_embedding_type is `{other}`, expected `absolute`"
                ));
            }
        }
        self.check_sizes()?;
        let padding = self.padding(family)?;
        let taken = padding.map_or(0, |id| id as usize + 1);
        let head = match family {
            EncoderFamily::Deberta => ("pooler_hidden_act", &self.pooler_hidden_act),
            EncoderFamily::ModernBert => ("classifier_activation", &self.classifier_activation),
            _ => ("", &None),
        };
        let inner = match family {
            EncoderFamily::ModernBert => ("hidden_activation", &self.hidden_activation),
            _ => ("hidden_act", &self.hidden_act),
        };
        Ok(Config {
            family,
            vocabulary: self.vocab_size,
            embedding: match family {
                EncoderFamily::Electra => self.embedding_size.unwrap_or(128),
                EncoderFamily::Deberta => self.embedding_size.unwrap_or(self.hidden_size),
                _ => self.hidden_size,
            },
            hidden: self.hidden_size,
            layers: self.num_hidden_layers,
            heads: self.num_attention_heads,
            intermediate: self.intermediate_size,
            activation: activation(inner, Activation::Gelu)?,
            epsilon: self.epsilon(family)?,
            positions: self.max_position_embeddings - taken,
            padding,
            types: self.types(family)?,
            places: match family {
                EncoderFamily::MpNet => self.biased()?,
                EncoderFamily::Deberta => {
                    PositionEncoding::Relative(DebertaConfig::read(json, self.hidden_size)?)
                }
                EncoderFamily::ModernBert => PositionEncoding::Rotary(ModernBertConfig::read(
                    json,
                    self.hidden_size / self.num_attention_heads,
                )?),
                _ => PositionEncoding::Absolute,
            },
            head_activation: activation(head, family.head_activation())?,
            dropout: self.rates(family)?,
            scope: Scope::default(),
            labels: self.labels(),
        })
    }

    /// The token that takes no position.
    fn padding(&self, family: EncoderFamily) -> Result<Option<u32>, String> {
        if !family.skips_padding() {
            return Ok(None);
        }
        let (id, rows) = (self.pad_token_id.unwrap_or(1), self.max_position_embeddings);
        match u32::try_from(id) {
            Ok(padding) if padding as usize + 1 < rows => Ok(Some(padding)),
            Ok(_) => Err(format!(
                "max_position_embeddings is {rows}, expected more: positions begin after \
                 pad_token_id {id}"
            )),
            Err(_) => Err(format!("pad_token_id is {id}, expected a token's id")),
        }
    }

    fn biased(&self) -> Result<PositionEncoding, String> {
        match self.relative_attention_num_buckets.unwrap_or(BUCKETS) {
            BUCKETS => Ok(PositionEncoding::Biased),
            other => Err(format!(
                "relative_attention_num_buckets is {other}, expected {BUCKETS}"
            )),
        }
    }

    fn types(&self, family: EncoderFamily) -> Result<usize, String> {
        let types = match family {
            EncoderFamily::Deberta => self.type_vocab_size.unwrap_or(0),
            EncoderFamily::ModernBert | EncoderFamily::MpNet => return Ok(0),
            _ => self.type_vocab_size.unwrap_or(2),
        };
        if types == 0 && family != EncoderFamily::Deberta {
            return Err("type_vocab_size is 0, expected at least 1".to_string());
        }
        Ok(types)
    }

    fn epsilon(&self, family: EncoderFamily) -> Result<f32, String> {
        let (key, given, usual) = match family {
            EncoderFamily::ModernBert => ("norm_eps", self.norm_eps, 1e-5),
            EncoderFamily::Deberta => ("layer_norm_eps", self.layer_norm_eps, 1e-7),
            _ => ("layer_norm_eps", self.layer_norm_eps, 1e-12),
        };
        let epsilon = given.unwrap_or(usual);
        if (0.0..1.0).contains(&epsilon) {
            return Ok(epsilon as f32);
        }
        Err(format!(
            "{key} is {epsilon}, expected a small positive number"
        ))
    }

    fn check_sizes(&self) -> Result<(), String> {
        let sizes = [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("num_attention_heads", self.num_attention_heads),
            ("intermediate_size", self.intermediate_size),
            ("max_position_embeddings", self.max_position_embeddings),
            ("embedding_size", self.embedding_size.unwrap_or(1)),
        ];
        if let Some((key, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(format!("{key} is 0, expected at least 1"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(format!(
                "hidden_size {} is not a multiple of num_attention_heads {}",
                self.hidden_size, self.num_attention_heads
            ));
        }
        Ok(())
    }

    fn rates(&self, family: EncoderFamily) -> Result<Rates, String> {
        if !family.has_dropout() {
            return Ok(Rates {
                hidden: 0.0,
                attention: 0.0,
                head: 0.0,
            });
        }
        let head = self.classifier_dropout.unwrap_or(self.hidden_dropout_prob);
        for (key, rate) in [
            ("hidden_dropout_prob", self.hidden_dropout_prob),
            (
                "attention_probs_dropout_prob",
                self.attention_probs_dropout_prob,
            ),
            ("classifier_dropout", head),
        ] {
            if !(0.0..1.0).contains(&rate) {
                return Err(format!("{key} is {rate}, expected at least 0 and below 1"));
            }
        }
        Ok(Rates {
            hidden: self.hidden_dropout_prob,
            attention: self.attention_probs_dropout_prob,
            head,
        })
    }

    fn labels(&self) -> Vec<String> {
        let Some(map) = &self.id2label else {
            return Vec::new();
        };
        let at = |i: usize| map.get(&i.to_string())?.as_str().map(str::to_string);
        (0..map.len()).map_while(at).collect()
    }
}

fn activation(
    (key, given): (&str, &Option<Value>),
    usual: Activation,
) -> Result<Activation, String> {
    let Some(given) = given else {
        return Ok(usual);
    };
    serde_json::from_value(given.clone()).map_err(|_| {
        format!("{key} is {given}, expected gelu, gelu_new, gelu_pytorch_tanh, relu, silu or tanh")
    })
}
