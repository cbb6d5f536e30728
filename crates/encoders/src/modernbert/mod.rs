//! ModernBERT: rotary positions, and in most layers attention within a window.
//!
//! Warner et al., "Smarter, Better, Faster, Longer: A Modern Bidirectional Encoder", 2024. Layers
//! normalise their input rather than their output. Queries and keys are rotated by an angle
//! that grows with the position (Su et al., "RoFormer", 2021). Every third layer sees all tokens,
//! the others those within a window. The feed-forward part is gated (Shazeer, "GLU variants
//! improve transformer", 2020).
//!
//! It runs on tensors, everywhere, and without dropout.

mod shape;

pub(crate) use shape::ModernBertConfig;

use super::Weights;
use super::config::Config;
use super::engine::Pass;
use super::ops;
use super::parameters::{self, DenseParameters, LayerNormParameters, PartReader};
use super::tensors::{Layers, dense, join, norm, rows, split};
use candle_core::{D, Device, Result as Computed, Tensor};
use tiebreak_base::error::Result;

/// ModernBERT's encoder.
pub(super) struct ModernBert {
    config: Config,
    rotary: ModernBertConfig,
    words: Tensor,
    norm: LayerNormParameters,
    layers: Vec<ModernBertLayer>,
    final_norm: LayerNormParameters,
}

/// One layer.
struct ModernBertLayer {
    /// The first has none: its input is normalised already.
    attention_norm: Option<LayerNormParameters>,
    /// Queries, keys and values.
    attention: DenseParameters,
    attention_output: DenseParameters,
    norm: LayerNormParameters,
    /// The values that are gated, and the gates.
    intermediate: DenseParameters,
    output: DenseParameters,
}

impl ModernBert {
    /// Takes its parameters from a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) naming the first tensor that is missing or has
    /// another shape.
    pub(crate) fn read(
        weights: &Weights,
        config: &Config,
        rotary: &ModernBertConfig,
    ) -> Result<Self> {
        let prefix = weights.prefix(config.family);
        let mut reader = parameters::reader(weights, config);
        let read = &mut |name: &str, shape: &[usize]| reader(&format!("{prefix}{name}"), shape);
        let words = read(
            "embeddings.tok_embeddings.weight",
            &[config.vocabulary, config.hidden],
        )?;
        let norm =
            LayerNormParameters::read(read, "embeddings.norm", config.hidden, config.epsilon)?;
        let layers = (0..config.layers).map(|number| ModernBertLayer::read(read, number, config));
        Ok(Self {
            words,
            norm,
            layers: layers.collect::<Result<_>>()?,
            final_norm: LayerNormParameters::read(
                read,
                "final_norm",
                config.hidden,
                config.epsilon,
            )?,
            config: config.clone(),
            rotary: rotary.clone(),
        })
    }

    fn layer(
        &self,
        layer: &ModernBertLayer,
        x: &Tensor,
        passes: usize,
        sight: &RotaryTables,
    ) -> Computed<Tensor> {
        let split = |x: &Tensor| split(x, passes, self.config.heads);
        let read = match &layer.attention_norm {
            Some(part) => norm(part, x)?,
            None => x.clone(),
        };
        let all = dense(&layer.attention, &read)?.chunk(3, D::Minus1)?;
        let (queries, keys) = (split(&all[0])?, split(&all[1])?);
        let (queries, keys) = (sight.turn(&queries)?, sight.turn(&keys)?);
        let width = self.config.hidden / self.config.heads;
        let mut scores = (queries.matmul(&keys.t()?)? * (1.0 / (width as f64).sqrt()))?;
        if let Some(hidden) = &sight.hidden {
            scores = scores.broadcast_add(hidden)?;
        }
        let context = ops::softmax(&scores)?.matmul(&split(&all[2])?)?;
        let x = (x + dense(&layer.attention_output, &join(&context, passes)?)?)?;
        let inner = dense(&layer.intermediate, &norm(&layer.norm, &x)?)?.chunk(2, D::Minus1)?;
        let gated = (ops::activate(&inner[0], self.config.activation)? * &inner[1])?;
        x + dense(&layer.output, &gated)?
    }
}

impl Layers for ModernBert {
    fn config(&self) -> &Config {
        &self.config
    }

    fn device(&self) -> &Device {
        self.words.device()
    }

    fn states(&self, passes: &[Pass<'_>], depth: usize) -> Computed<Vec<Tensor>> {
        let n = passes[0].tokens.ids.len();
        let each = passes.iter();
        let each: Vec<[usize; 3]> = each
            .flat_map(|pass| self.config.rows(pass.tokens))
            .collect();
        let width = self.config.hidden / self.config.heads;
        let device = self.words.device();
        let everywhere = RotaryTables::new(n, width, self.rotary.theta_global, None, device)?;
        let window = Some(self.rotary.window);
        let nearby = RotaryTables::new(n, width, self.rotary.theta_local, window, device)?;
        let mut states = vec![norm(&self.norm, &rows(&self.words, &each, 0)?)?];
        for (number, layer) in self.layers[..depth].iter().enumerate() {
            let sight = match self.rotary.is_global(number) {
                true => &everywhere,
                false => &nearby,
            };
            states.push(self.layer(layer, &states[number], passes.len(), sight)?);
        }
        // The output of the last layer is normalised once more.
        if depth == self.layers.len()
            && let Some(last) = states.last_mut()
        {
            *last = norm(&self.final_norm, last)?;
        }
        Ok(states)
    }
}

impl ModernBertLayer {
    fn read(read: &mut PartReader<'_, Tensor>, number: usize, config: &Config) -> Result<Self> {
        let (hidden, inner) = (config.hidden, config.intermediate);
        let name = |part: &str| format!("layers.{number}.{part}");
        let mut normed =
            |part: &str| LayerNormParameters::read(read, &name(part), hidden, config.epsilon);
        let attention_norm = (number > 0).then(|| normed("attn_norm")).transpose()?;
        let norm = normed("mlp_norm")?;
        let mut dense = |part: &str, shape| DenseParameters::read(read, &name(part), shape);
        Ok(Self {
            attention_norm,
            attention: dense("attn.Wqkv", [hidden.saturating_mul(3), hidden])?,
            attention_output: dense("attn.Wo", [hidden, hidden])?,
            norm,
            intermediate: dense("mlp.Wi", [inner.saturating_mul(2), hidden])?,
            output: dense("mlp.Wo", [hidden, inner])?,
        })
    }
}

/// The rotations and the window of one kind of layer.
struct RotaryTables {
    /// (tokens, width / 2), like the sines.
    cosines: Tensor,
    sines: Tensor,
    /// The window: −∞ where a key is too far from a query, else 0, (queries, keys).
    hidden: Option<Tensor>,
}

impl RotaryTables {
    fn new(
        n: usize,
        width: usize,
        theta: f64,
        window: Option<usize>,
        device: &Device,
    ) -> Computed<Self> {
        let half = width / 2;
        // Rounded to single precision wherever transformers does: far positions magnify the difference.
        let exponent = |i: usize| f64::from((2 * i) as f32 / width as f32);
        let frequency = |i: usize| 1.0 / theta.powf(exponent(i)) as f32;
        let frequencies: Vec<f32> = (0..half).map(frequency).collect();
        let angles = (0..n).flat_map(|place| frequencies.iter().map(move |f| place as f32 * f));
        let angles: Vec<f64> = angles.map(f64::from).collect();
        let table = |of: fn(f64) -> f64| {
            Tensor::from_iter(angles.iter().map(|&x| of(x) as f32), device)?.reshape((n, half))
        };
        let hidden = window.filter(|&window| n > window + 1).map(|window| {
            let far = |i: usize, j: usize| i.abs_diff(j) > window;
            let cell =
                move |i| (0..n).map(move |j| if far(i, j) { f32::NEG_INFINITY } else { 0.0 });
            Tensor::from_iter((0..n).flat_map(cell), device)?.reshape((n, n))
        });
        Ok(Self {
            cosines: table(f64::cos)?,
            sines: table(f64::sin)?,
            hidden: hidden.transpose()?,
        })
    }

    /// Rotates column i with column i + width / 2, for every head.
    fn turn(&self, x: &Tensor) -> Computed<Tensor> {
        let parts = x.chunk(2, D::Minus1)?;
        let by = |part: &Tensor, table: &Tensor| part.broadcast_mul(table);
        let low = (by(&parts[0], &self.cosines)? - by(&parts[1], &self.sines)?)?;
        let high = (by(&parts[1], &self.cosines)? + by(&parts[0], &self.sines)?)?;
        Tensor::cat(&[low, high], D::Minus1)
    }
}
