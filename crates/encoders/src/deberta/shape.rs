//! The settings of `config.json` that only DeBERTa has.

use crate::config::Activation;
use serde::Deserialize;
use serde_json::Value;

/// The use of distances between tokens, and the other differences to BERT.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DebertaConfig {
    /// The number of distances distinguished on either side; 0 where attention has none.
    pub span: usize,
    /// The number of buckets on either side and the distance of the last, where far distances
    /// share embeddings.
    pub buckets: Option<[usize; 2]>,
    /// Whether words attend to distances.
    pub to_positions: bool,
    /// Whether distances attend to words.
    pub from_positions: bool,
    /// Whether distances are projected as words are.
    pub shared: bool,
    /// Whether the embeddings of distances are normalised.
    pub normed: bool,
    /// Whether embeddings of positions are added to those of the words too.
    pub absolute: bool,
    /// The convolution beside the first layer.
    pub convolution: Option<ConvolutionShape>,
}

/// The shape of a convolution over neighbouring tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub(crate) struct ConvolutionShape {
    /// The number of tokens it sees; odd.
    pub kernel: usize,
    /// The number of groups of columns.
    pub groups: usize,
    /// The activation after it.
    pub activation: Activation,
}

#[derive(Deserialize)]
struct RawDebertaConfig {
    max_position_embeddings: i64,
    #[serde(default)]
    relative_attention: bool,
    max_relative_positions: Option<i64>,
    position_buckets: Option<i64>,
    position_biased_input: Option<bool>,
    pos_att_type: Option<Kinds>,
    share_att_key: Option<bool>,
    norm_rel_ebd: Option<String>,
    attention_head_size: Option<usize>,
    num_attention_heads: usize,
    pooler_hidden_size: Option<usize>,
    conv_kernel_size: Option<usize>,
    conv_groups: Option<usize>,
    conv_act: Option<Activation>,
}

/// `"c2p|p2c"` or `["c2p", "p2c"]`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kinds {
    Text(String),
    List(Vec<String>),
}

impl DebertaConfig {
    /// Reads the settings; `hidden` is the width of the hidden states.
    ///
    /// # Errors
    /// A description of what is wrong.
    pub(crate) fn read(json: &Value, hidden: usize) -> Result<Self, String> {
        let raw = RawDebertaConfig::deserialize(json).map_err(|source| source.to_string())?;
        if let Some(size) = raw.attention_head_size
            && size.checked_mul(raw.num_attention_heads) != Some(hidden)
        {
            return Err(format!(
                "attention_head_size is {size}, expected hidden_size over num_attention_heads"
            ));
        }
        match raw.pooler_hidden_size {
            Some(size) if size != hidden => {
                return Err(format!(
                    "pooler_hidden_size is {size}, expected hidden_size {hidden}"
                ));
            }
            _ => {}
        }
        let kinds = match &raw.pos_att_type {
            None => Vec::new(),
            Some(Kinds::Text(text)) => text
                .split('|')
                .map(|kind| kind.trim().to_lowercase())
                .collect(),
            Some(Kinds::List(list)) => list.clone(),
        };
        let has = |kind: &str| kinds.iter().any(|has| has == kind);
        let normed = raw
            .norm_rel_ebd
            .as_deref()
            .unwrap_or_default()
            .to_lowercase();
        let (span, buckets) = raw.distances()?;
        Ok(Self {
            span,
            buckets,
            to_positions: has("c2p"),
            from_positions: has("p2c"),
            shared: raw.share_att_key.unwrap_or(false),
            normed: normed.split('|').any(|part| part.trim() == "layer_norm"),
            absolute: raw.position_biased_input.unwrap_or(true),
            convolution: raw.convolution(hidden)?,
        })
    }

    /// The number of parts that attention scores are a sum of.
    pub(crate) fn parts(&self) -> usize {
        1 + usize::from(self.to_positions) + usize::from(self.from_positions)
    }

    /// The row of an embedding for every distance from −(n−1) to n−1, that is, how far the key is before
    /// the query. Up to half the buckets each has its own row, then rows are for ranges that grow by a constant
    /// factor, as in `make_log_bucket_position` of the authors' program. There must be distances.
    pub(crate) fn rows(&self, n: usize) -> Vec<u32> {
        let span = self.span as i64;
        let row = |distance: i64| (self.bucket(distance) + span).clamp(0, 2 * span - 1) as u32;
        let last = n as i64 - 1;
        (-last..=last).map(row).collect()
    }

    fn bucket(&self, distance: i64) -> i64 {
        let Some([buckets, furthest]) = self.buckets else {
            return distance;
        };
        let middle = buckets as i64 / 2;
        if distance.abs() <= middle {
            return distance;
        }
        // Rounded to single precision where the original is, so that ceilings agree.
        let log = |x: f64| f64::from(f64::from(x as f32).ln() as f32);
        let far = log(distance.abs() as f64 / middle as f64) as f32;
        let share = far / log((furthest as f64 - 1.0) / middle as f64) as f32;
        let above = (share * (middle - 1) as f32).ceil() as i64;
        distance.signum() * (middle + above)
    }
}

impl RawDebertaConfig {
    /// The number of distances distinguished on either side, and the buckets of far ones.
    fn distances(&self) -> Result<(usize, Option<[usize; 2]>), String> {
        if !self.relative_attention {
            return Ok((0, None));
        }
        let given = self
            .max_relative_positions
            .filter(|&positions| positions >= 1);
        let furthest = given.unwrap_or(self.max_position_embeddings) as usize;
        match self.position_buckets.filter(|&buckets| buckets >= 1) {
            None => Ok((furthest, None)),
            Some(buckets) if buckets >= 2 && furthest as i64 - 1 > buckets / 2 => {
                Ok((buckets as usize, Some([buckets as usize, furthest])))
            }
            Some(buckets) => Err(format!(
                "position_buckets is {buckets}, expected at least 2, and half of it below the \
                 {furthest} relative positions"
            )),
        }
    }

    fn convolution(&self, hidden: usize) -> Result<Option<ConvolutionShape>, String> {
        let kernel = self.conv_kernel_size.unwrap_or(0);
        if kernel == 0 {
            return Ok(None);
        }
        let groups = self.conv_groups.unwrap_or(1);
        if kernel.is_multiple_of(2) {
            return Err(format!(
                "conv_kernel_size is {kernel}, expected an odd number"
            ));
        }
        if groups == 0 || !hidden.is_multiple_of(groups) {
            return Err(format!(
                "conv_groups is {groups}, expected a divisor of hidden_size {hidden}"
            ));
        }
        Ok(Some(ConvolutionShape {
            kernel,
            groups,
            activation: self.conv_act.unwrap_or(Activation::Tanh),
        }))
    }
}
