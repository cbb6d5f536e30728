//! The encoder on candle's tensors: for CUDA and Metal, and with gradients.
//!
//! Every sequence is run by itself at its own length, so there is no padding to mask. Every step is
//! an operation through which candle passes gradients; its own fused layer normalisation and
//! softmax silently cut them.

use super::config::Config;
use super::distances::buckets;
use super::dropout::DropoutSite;
use super::engine::{EncoderEngine, HiddenStates, Pass, StateSelection};
use super::ops;
use super::parameters::{DenseParameters, EncoderParameters, LayerNormParameters, LayerParameters};
use candle_core::{Device, Result, Tensor};
use rayon::prelude::*;

/// An encoder on tensors.
pub(super) struct Tensors {
    config: Config,
    parameters: EncoderParameters,
}

impl Tensors {
    /// An encoder on the device of its parameters.
    pub(super) fn new(config: &Config, parameters: EncoderParameters) -> Self {
        Self {
            config: config.clone(),
            parameters,
        }
    }

    fn embed(&self, pass: &Pass<'_>) -> Result<Tensor> {
        let EncoderParameters {
            words,
            positions,
            types,
            ..
        } = &self.parameters;
        let each: Vec<[usize; 3]> = self.config.rows(pass.tokens).collect();
        let mut state = rows(words, &each, 0)?;
        if let Some(types) = types {
            state = (state + rows(types, &each, 1)?)?;
        }
        let placed = (state + rows(positions, &each, 2)?)?;
        let state = norm(&self.parameters.norm, &placed)?;
        let mask = pass.mask(DropoutSite::Embeddings, self.config.dropout.hidden);
        let state = ops::dropout(state, mask)?;
        match &self.parameters.project {
            Some(project) => dense(project, &state),
            None => Ok(state),
        }
    }

    fn layer(
        &self,
        layer: &LayerParameters,
        number: usize,
        x: &Tensor,
        biases: Option<&Tensor>,
        pass: &Pass<'_>,
    ) -> Result<Tensor> {
        let context = self.attend(layer, number, x, biases, pass)?;
        finish(layer, &self.config, number, &context, x, pass)
    }

    /// Attention of every token to every token, head by head: (tokens, hidden) to the same shape.
    fn attend(
        &self,
        layer: &LayerParameters,
        number: usize,
        x: &Tensor,
        biases: Option<&Tensor>,
        pass: &Pass<'_>,
    ) -> Result<Tensor> {
        let heads = self.config.heads;
        let of = |part: &DenseParameters| split(&dense(part, x)?, heads);
        let (queries, keys) = (of(&layer.queries)?, of(&layer.keys)?);
        let width = self.config.hidden / heads;
        let scores = (queries.matmul(&keys.t()?)? * (1.0 / (width as f64).sqrt()))?;
        let scores = match biases {
            Some(biases) => (scores + biases)?,
            None => scores,
        };
        let mask = pass.mask(
            DropoutSite::Attention(number),
            self.config.dropout.attention,
        );
        let weights = ops::dropout(ops::softmax(&scores)?, mask)?;
        join(&weights.matmul(&of(&layer.values)?)?)
    }

    /// The bias by distance of the scores of `n` tokens, (heads, tokens, tokens), if any.
    fn biases(&self, n: usize) -> Result<Option<Tensor>> {
        let Some(table) = &self.parameters.distances else {
            return Ok(None);
        };
        let buckets = Tensor::from_iter(buckets(n), table.device())?;
        let heads = table.dim(1)?;
        let biases = table
            .index_select(&buckets, 0)?
            .t()?
            .reshape((heads, n, n))?;
        Ok(Some(biases))
    }
}

impl Layers for Tensors {
    fn config(&self) -> &Config {
        &self.config
    }

    fn device(&self) -> &Device {
        self.parameters.words.device()
    }

    fn states(&self, pass: &Pass<'_>, depth: usize) -> Result<Vec<Tensor>> {
        let mut states = vec![self.embed(pass)?];
        let biases = self.biases(pass.tokens.ids.len())?;
        for (number, layer) in self.parameters.layers[..depth].iter().enumerate() {
            states.push(self.layer(layer, number, &states[number], biases.as_ref(), pass)?);
        }
        Ok(states)
    }
}

/// An encoder on tensors, of any family.
pub(super) trait Layers: Send + Sync {
    /// The shape of the encoder.
    fn config(&self) -> &Config;

    /// The device it runs on.
    fn device(&self) -> &Device;

    /// The hidden states of the first `depth` layers, each (tokens, hidden), beginning with what
    /// enters the first layer.
    fn states(&self, pass: &Pass<'_>, depth: usize) -> Result<Vec<Tensor>>;

    /// Runs one pass, and returns the states that are wanted.
    fn read(&self, pass: &Pass<'_>, wanted: &StateSelection) -> Result<HiddenStates> {
        let states = match wanted {
            StateSelection::Layers(layers) => {
                self.states(pass, *layers.end())?.split_off(*layers.start())
            }
            StateSelection::First => {
                let last = self.states(pass, self.config().layers)?.pop();
                vec![last.expect("what enters the first layer").narrow(0, 0, 1)?]
            }
        };
        let floats = |state: &Tensor| state.flatten_all()?.to_vec1();
        Ok(HiddenStates {
            layers: states.iter().map(floats).collect::<Result<_>>()?,
            width: self.config().hidden,
        })
    }
}

impl<T: Layers> EncoderEngine for T {
    fn run(&self, passes: &[Pass<'_>], wanted: &StateSelection) -> Result<Vec<HiddenStates>> {
        let read = |pass| self.read(pass, wanted);
        if !self.device().is_cpu() {
            return passes.iter().map(read).collect();
        }
        // Passes run in parallel, so a product is not split into threads as well: that of one sequence is
        // too small, and threads took more of the processor than they gave back.
        gemm::set_threading_threshold(usize::MAX);
        // Collected before the search for an error, so that the first one is reported.
        let states: Vec<_> = passes.par_iter().map(read).collect();
        states.into_iter().collect()
    }
}

/// Computes what follows attention in a layer of BERT, ELECTRA and DeBERTa.
pub(super) fn finish(
    layer: &LayerParameters,
    config: &Config,
    number: usize,
    context: &Tensor,
    x: &Tensor,
    pass: &Pass<'_>,
) -> Result<Tensor> {
    let rate = config.dropout.hidden;
    let added = dense(&layer.attention_output, context)?;
    let added = ops::dropout(added, pass.mask(DropoutSite::AttentionOutput(number), rate))?;
    let x = norm(&layer.attention_norm, &(added + x)?)?;
    let inner = ops::activate(&dense(&layer.intermediate, &x)?, config.activation)?;
    let added = dense(&layer.output, &inner)?;
    let added = ops::dropout(added, pass.mask(DropoutSite::Output(number), rate))?;
    norm(&layer.output_norm, &(added + x)?)
}

/// The rows of a table for tokens, by the given column of `each`.
pub(super) fn rows(table: &Tensor, each: &[[usize; 3]], column: usize) -> Result<Tensor> {
    let ids = each.iter().map(|rows| rows[column] as u32);
    table.index_select(&Tensor::from_iter(ids, table.device())?, 0)
}

/// Reshapes (tokens, hidden) to (heads, tokens, width).
pub(super) fn split(x: &Tensor, heads: usize) -> Result<Tensor> {
    let (tokens, hidden) = x.dims2()?;
    let x = x.reshape((tokens, heads, hidden / heads))?;
    x.transpose(0, 1)?.contiguous()
}

/// Reshapes (heads, tokens, width) to (tokens, hidden).
pub(super) fn join(x: &Tensor) -> Result<Tensor> {
    let (heads, tokens, width) = x.dims3()?;
    x.transpose(0, 1)?.reshape((tokens, heads * width))
}

/// x Wᵀ + b.
pub(super) fn dense(layer: &DenseParameters, x: &Tensor) -> Result<Tensor> {
    x.matmul(&layer.weight.t()?)?.broadcast_add(&layer.bias)
}

/// Layer normalisation.
pub(super) fn norm(layer: &LayerNormParameters, x: &Tensor) -> Result<Tensor> {
    ops::layer_norm(x, &layer.weight, &layer.bias, layer.epsilon)
}

#[cfg(test)]
mod tests {
    use super::super::dropout::Dropout;
    use super::super::{Checkpoint, Device, Tokens, Weights};
    use super::*;
    use candle_core::Var;
    use std::path::Path;
    use tiebreak_base::rng::Seed;

    #[test]
    fn every_parameter_gets_a_gradient() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-electra");
        let checkpoint = Checkpoint::in_folder(&folder).unwrap();
        let config = Config::read(&checkpoint).unwrap();
        let weights = Weights::read(&checkpoint, Device::Cpu).unwrap();
        let mut variables = Vec::new();
        let parameters = EncoderParameters::read_parts(&config, "electra.", &mut |name, shape| {
            let variable = Var::from_tensor(&weights.get(name, shape)?).unwrap();
            variables.push(variable.clone());
            Ok(variable.into_inner())
        });
        let tokens = Tokens {
            ids: vec![2, 7, 9, 3],
            types: vec![0, 0, 1, 1],
        };
        let dropout = Some(Dropout::new(Seed(1), &tokens, 0));
        let pass = Pass {
            tokens: &tokens,
            dropout,
        };
        let tensors = Tensors::new(&config, parameters.unwrap());
        let last = tensors.states(&pass, config.layers).unwrap().pop().unwrap();
        let loss = last.narrow(1, 0, 1).unwrap().sqr().unwrap().sum_all();
        let gradients = loss.unwrap().backward().unwrap();
        assert_eq!(variables.len(), 5 + 2 + 16 * config.layers);
        for variable in &variables {
            let gradient = gradients.get(variable).expect("a gradient");
            let size = gradient.abs().unwrap().sum_all().unwrap();
            assert!(size.to_scalar::<f32>().unwrap() > 0.0);
        }
    }
}
