//! The encoder on candle's tensors: for CUDA and Metal, and with gradients.
//!
//! Only sequences of one length are run together, so there is no padding to mask. Every step is
//! an operation through which candle passes gradients; its own fused layer normalisation and
//! softmax silently cut them.

use super::config::Config;
use super::distances::buckets;
use super::dropout::{DropoutSite, Mask};
use super::engine::{EncoderEngine, HiddenStates, Pass, StateSelection};
use super::ops;
use super::parameters::{DenseParameters, EncoderParameters, LayerNormParameters, LayerParameters};
use candle_core::{Device, Result, Tensor};
use rayon::prelude::*;

/// The approximate number of tokens that a GPU is given at once, and the most passes. They decide how many passes of a
/// length are run together, and with that a result's last digits.
const ROWS: usize = 1024;
const MOST: usize = 32;

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

    fn embed(&self, passes: &[Pass<'_>]) -> Result<Tensor> {
        let EncoderParameters {
            words,
            positions,
            types,
            ..
        } = &self.parameters;
        let each = passes.iter();
        let each: Vec<[usize; 3]> = each
            .flat_map(|pass| self.config.rows(pass.tokens))
            .collect();
        let mut state = rows(words, &each, 0)?;
        if let Some(types) = types {
            state = (state + rows(types, &each, 1)?)?;
        }
        let placed = (state + rows(positions, &each, 2)?)?;
        let state = norm(&self.parameters.norm, &placed)?;
        let masks = masks(passes, DropoutSite::Embeddings, self.config.dropout.hidden);
        let state = ops::dropout(state, &masks)?;
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
        passes: &[Pass<'_>],
    ) -> Result<Tensor> {
        let context = self.attend(layer, number, x, biases, passes)?;
        finish(layer, &self.config, number, &context, x, passes)
    }

    /// Attention of every token to every token of its pass, head by head, in the shape of `x`.
    fn attend(
        &self,
        layer: &LayerParameters,
        number: usize,
        x: &Tensor,
        biases: Option<&Tensor>,
        passes: &[Pass<'_>],
    ) -> Result<Tensor> {
        let (count, heads) = (passes.len(), self.config.heads);
        let of = |part: &DenseParameters| split(&dense(part, x)?, count, heads);
        let (queries, keys) = (of(&layer.queries)?, of(&layer.keys)?);
        let width = self.config.hidden / heads;
        let scores = (queries.matmul(&keys.t()?)? * (1.0 / (width as f64).sqrt()))?;
        let scores = match biases {
            Some(biases) => {
                let n = scores.dim(2)?;
                let each = scores.reshape((count, heads, n, n))?;
                each.broadcast_add(biases)?.reshape(scores.shape())?
            }
            None => scores,
        };
        let rate = self.config.dropout.attention;
        let masks = masks(passes, DropoutSite::Attention(number), rate);
        let weights = ops::dropout(ops::softmax(&scores)?, &masks)?;
        join(&weights.matmul(&of(&layer.values)?)?, count)
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

    fn states(&self, passes: &[Pass<'_>], depth: usize) -> Result<Vec<Tensor>> {
        let mut states = vec![self.embed(passes)?];
        let biases = self.biases(passes[0].tokens.ids.len())?;
        for (number, layer) in self.parameters.layers[..depth].iter().enumerate() {
            states.push(self.layer(layer, number, &states[number], biases.as_ref(), passes)?);
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

    /// Whether it runs several passes at once.
    fn takes_several(&self) -> bool {
        true
    }

    /// The hidden states of the first `depth` layers, beginning with what enters the first layer, of passes of one
    /// length: each (passes · tokens, hidden).
    fn states(&self, passes: &[Pass<'_>], depth: usize) -> Result<Vec<Tensor>>;

    /// Runs passes of one length, and returns the states that are wanted.
    fn read(&self, passes: &[Pass<'_>], wanted: &StateSelection) -> Result<Vec<HiddenStates>> {
        let (count, width) = (passes.len(), self.config().hidden);
        let states = match wanted {
            StateSelection::Layers(layers) => self
                .states(passes, *layers.end())?
                .split_off(*layers.start()),
            StateSelection::First => {
                let last = self.states(passes, self.config().layers)?.pop();
                let last = last.expect("what enters the first layer");
                let each = last.reshape((count, passes[0].tokens.ids.len(), width))?;
                vec![each.narrow(1, 0, 1)?]
            }
        };
        let floats = |state: &Tensor| state.flatten_all()?.to_vec1::<f32>();
        let layers: Vec<Vec<f32>> = states.iter().map(floats).collect::<Result<_>>()?;
        let of = |pass: usize| HiddenStates {
            layers: layers
                .iter()
                .map(|all| all[pass * all.len() / count..][..all.len() / count].to_vec())
                .collect(),
            width,
        };
        Ok((0..count).map(of).collect())
    }

    /// Runs passes on a GPU, which is idle most of the time with a single one: several of one length at once. There
    /// are always as many, the last again where others are lacking, because a product may have other last digits in
    /// another shape.
    fn run_in_groups(
        &self,
        passes: &[Pass<'_>],
        wanted: &StateSelection,
    ) -> Result<Vec<HiddenStates>> {
        let length = |&number: &usize| passes[number].tokens.ids.len();
        let mut order: Vec<usize> = (0..passes.len()).collect();
        order.sort_by_key(length);
        let mut found = Vec::with_capacity(passes.len());
        for same in order.chunk_by(|a, b| length(a) == length(b)) {
            let count = match self.takes_several() {
                true => (ROWS / length(&same[0])).clamp(1, MOST),
                false => 1,
            };
            for some in same.chunks(count) {
                let last = some[some.len() - 1];
                let each = some.iter().copied().chain(std::iter::repeat(last));
                let group: Vec<Pass<'_>> = each.take(count).map(|number| passes[number]).collect();
                found.extend(some.iter().copied().zip(self.read(&group, wanted)?));
            }
        }
        found.sort_by_key(|&(number, _)| number);
        Ok(found.into_iter().map(|(_, states)| states).collect())
    }
}

impl<T: Layers> EncoderEngine for T {
    fn run(&self, passes: &[Pass<'_>], wanted: &StateSelection) -> Result<Vec<HiddenStates>> {
        if !self.device().is_cpu() {
            return self.run_in_groups(passes, wanted);
        }
        // Passes run in parallel, so a product is not split into threads as well: that of one sequence is
        // too small, and threads took more of the processor than they gave back.
        gemm::set_threading_threshold(usize::MAX);
        let read = |pass| self.read(std::slice::from_ref(pass), wanted);
        // Collected before the search for an error, so that the first one is reported.
        let states: Vec<_> = passes.par_iter().map(read).collect();
        let states: Result<Vec<_>> = states.into_iter().collect();
        Ok(states?.into_iter().flatten().collect())
    }
}

/// Computes what follows attention in a layer of BERT, ELECTRA and DeBERTa.
pub(super) fn finish(
    layer: &LayerParameters,
    config: &Config,
    number: usize,
    context: &Tensor,
    x: &Tensor,
    passes: &[Pass<'_>],
) -> Result<Tensor> {
    let rate = config.dropout.hidden;
    let added = dense(&layer.attention_output, context)?;
    let added = ops::dropout(
        added,
        &masks(passes, DropoutSite::AttentionOutput(number), rate),
    )?;
    let x = norm(&layer.attention_norm, &(added + x)?)?;
    let inner = ops::activate(&dense(&layer.intermediate, &x)?, config.activation)?;
    let added = dense(&layer.output, &inner)?;
    let added = ops::dropout(added, &masks(passes, DropoutSite::Output(number), rate))?;
    norm(&layer.output_norm, &(added + x)?)
}

/// The rows of a table for tokens, by the given column of `each`.
pub(super) fn rows(table: &Tensor, each: &[[usize; 3]], column: usize) -> Result<Tensor> {
    let ids = each.iter().map(|rows| rows[column] as u32);
    table.index_select(&Tensor::from_iter(ids, table.device())?, 0)
}

/// The masks of passes at one site.
fn masks(passes: &[Pass<'_>], site: DropoutSite, rate: f64) -> Vec<Option<Mask>> {
    passes.iter().map(|pass| pass.mask(site, rate)).collect()
}

/// Reshapes (passes · tokens, hidden) to (passes · heads, tokens, width).
pub(super) fn split(x: &Tensor, passes: usize, heads: usize) -> Result<Tensor> {
    let (rows, hidden) = x.dims2()?;
    let (tokens, width) = (rows / passes, hidden / heads);
    let x = x.reshape((passes, tokens, heads, width))?;
    let x = x.transpose(1, 2)?.contiguous()?;
    x.reshape((passes * heads, tokens, width))
}

/// Reshapes (passes · heads, tokens, width) to (passes · tokens, hidden).
pub(super) fn join(x: &Tensor, passes: usize) -> Result<Tensor> {
    let (all, tokens, width) = x.dims3()?;
    let heads = all / passes;
    let x = x.reshape((passes, heads, tokens, width))?;
    x.transpose(1, 2)?.reshape((passes * tokens, heads * width))
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
    use super::super::engine::largest_difference;
    use super::super::{Checkpoint, Device, Tokens, Weights};
    use super::*;
    use candle_core::Var;
    use std::path::Path;
    use tiebreak_base::rng::Seed;

    /// As on a GPU, but on the processor.
    #[test]
    fn passes_in_groups_are_what_they_are_alone() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for folder in ["models/tiny-electra", "tests/golden/families/mpnet"] {
            let checkpoint = Checkpoint::in_folder(&root.join(folder)).unwrap();
            let config = Config::read(&checkpoint).unwrap();
            let weights = Weights::read(&checkpoint, Device::Cpu).unwrap();
            let parameters = EncoderParameters::read(&weights, &config).unwrap();
            let tensors = Tensors::new(&config, parameters);
            // More of one length than a group takes, and fewer.
            let lengths = (0..40).map(|i| if i % 4 == 0 { i % 7 + 1 } else { 9 });
            let input = |n: usize| Tokens {
                ids: (0..n).map(|i| (3 + 5 * i + n) as u32 % 50).collect(),
                types: vec![0; n],
            };
            let inputs: Vec<Tokens> = lengths.map(input).collect();
            let pass = |(i, tokens)| Pass {
                tokens,
                dropout: (i % 3 > 0).then(|| Dropout::new(Seed(1), tokens, i as u32)),
            };
            let passes: Vec<Pass<'_>> = inputs.iter().enumerate().map(pass).collect();
            for wanted in [
                StateSelection::Layers(1..=config.layers),
                StateSelection::First,
            ] {
                let expected = tensors.run(&passes, &wanted).unwrap();
                let found = tensors.run_in_groups(&passes, &wanted).unwrap();
                assert!(largest_difference(&found, &expected) < 1e-5);
            }
        }
    }

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
        let last = tensors
            .states(&[pass], config.layers)
            .unwrap()
            .pop()
            .unwrap();
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
