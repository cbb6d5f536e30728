//! The settings of `config.json` that only ModernBERT has.

use serde::Deserialize;
use serde_json::Value;

/// The window of each layer, the rotation of positions, and the biases that there are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModernBertConfig {
    /// The number of tokens seen on either side in a layer that is not global.
    pub window: usize,
    /// The base Θ of rotations in global layers.
    pub theta_global: f64,
    /// The base Θ in the others.
    pub theta_local: f64,
    /// Whether the head reads the mean of all tokens in place of the first.
    pub mean: bool,
    globals: GlobalLayers,
    norm_bias: bool,
    attention_bias: bool,
    mlp_bias: bool,
    classifier_bias: bool,
}

/// The choice of global layers.
#[derive(Debug, Clone, PartialEq)]
enum GlobalLayers {
    /// The first, and every n-th after it.
    Every(usize),
    /// A flag for each layer.
    Listed(Vec<bool>),
}

#[derive(Deserialize)]
struct RawModernBertConfig {
    num_hidden_layers: usize,
    local_attention: Option<usize>,
    global_attn_every_n_layers: Option<usize>,
    layer_types: Option<Vec<String>>,
    global_rope_theta: Option<f64>,
    local_rope_theta: Option<f64>,
    rope_parameters: Option<LayerRopeParameters>,
    rope_scaling: Option<Value>,
    classifier_pooling: Option<String>,
    norm_bias: Option<bool>,
    attention_bias: Option<bool>,
    mlp_bias: Option<bool>,
    classifier_bias: Option<bool>,
}

/// The base of rotations by kind of layer, as newer files state it.
#[derive(Default, Deserialize)]
struct LayerRopeParameters {
    full_attention: Option<RopeParameters>,
    sliding_attention: Option<RopeParameters>,
}

#[derive(Deserialize)]
struct RopeParameters {
    rope_type: Option<String>,
    rope_theta: Option<f64>,
}

impl ModernBertConfig {
    /// Reads the settings; `width` is that of an attention head.
    ///
    /// # Errors
    /// A description of what is wrong.
    pub(crate) fn read(json: &Value, width: usize) -> Result<Self, String> {
        let raw = RawModernBertConfig::deserialize(json).map_err(|source| source.to_string())?;
        if !width.is_multiple_of(2) {
            return Err(format!(
                "an attention head has width {width}, expected an even one"
            ));
        }
        let [theta_global, theta_local] = raw.thetas()?;
        let mean = match raw.classifier_pooling.as_deref() {
            None | Some("cls") => false,
            Some("mean") => true,
            Some(other) => {
                return Err(format!(
                    "classifier_pooling is `{other}`, expected `cls` or `mean`"
                ));
            }
        };
        Ok(Self {
            window: raw.local_attention.unwrap_or(128) / 2,
            theta_global,
            theta_local,
            mean,
            globals: raw.globals()?,
            norm_bias: raw.norm_bias.unwrap_or(false),
            attention_bias: raw.attention_bias.unwrap_or(false),
            mlp_bias: raw.mlp_bias.unwrap_or(false),
            classifier_bias: raw.classifier_bias.unwrap_or(false),
        })
    }

    /// Whether every token sees every other in a layer.
    pub(crate) fn is_global(&self, layer: usize) -> bool {
        match &self.globals {
            GlobalLayers::Every(number) => layer.is_multiple_of(*number),
            GlobalLayers::Listed(globals) => globals[layer],
        }
    }

    /// Whether a tensor is a bias that this model does not have.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        let Some(part) = name.strip_suffix(".bias") else {
            return false;
        };
        let has = match part {
            "head.dense" => self.classifier_bias,
            part if part.ends_with("norm") => self.norm_bias,
            part if part.contains(".attn.") => self.attention_bias,
            part if part.contains(".mlp.") => self.mlp_bias,
            _ => true,
        };
        !has
    }
}

impl RawModernBertConfig {
    fn thetas(&self) -> Result<[f64; 2], String> {
        if self
            .rope_scaling
            .as_ref()
            .is_some_and(|scaling| !scaling.is_null())
        {
            return Err("rope_scaling is given, expected none".to_string());
        }
        let turns = self.rope_parameters.as_ref();
        let theta = |turn: Option<&RopeParameters>, older: Option<f64>, usual: f64| {
            if let Some(kind) = turn.and_then(|turn| turn.rope_type.as_deref())
                && kind != "default"
            {
                return Err(format!("rope_type is `{kind}`, expected `default`"));
            }
            let theta = turn
                .and_then(|turn| turn.rope_theta)
                .or(older)
                .unwrap_or(usual);
            match theta > 0.0 && theta.is_finite() {
                true => Ok(theta),
                false => Err(format!("rope_theta is {theta}, expected a positive number")),
            }
        };
        let global = turns.and_then(|turns| turns.full_attention.as_ref());
        let local = turns.and_then(|turns| turns.sliding_attention.as_ref());
        Ok([
            theta(global, self.global_rope_theta, 160_000.0)?,
            theta(local, self.local_rope_theta, 10_000.0)?,
        ])
    }

    fn globals(&self) -> Result<GlobalLayers, String> {
        let Some(types) = &self.layer_types else {
            return match self.global_attn_every_n_layers.unwrap_or(3) {
                0 => Err("global_attn_every_n_layers is 0, expected at least 1".to_string()),
                number => Ok(GlobalLayers::Every(number)),
            };
        };
        if types.len() != self.num_hidden_layers {
            return Err(format!(
                "layer_types has {} entries, expected num_hidden_layers {}",
                types.len(),
                self.num_hidden_layers
            ));
        }
        let global = |kind: &String| match kind.as_str() {
            "full_attention" => Ok(true),
            "sliding_attention" => Ok(false),
            other => Err(format!(
                "layer_types has `{other}`, expected `full_attention` or `sliding_attention`"
            )),
        };
        Ok(GlobalLayers::Listed(
            types.iter().map(global).collect::<Result<_, _>>()?,
        ))
    }
}
