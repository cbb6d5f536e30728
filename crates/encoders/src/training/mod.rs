//! Fine-tuning: a classifier whose parameters can be changed, the gradients of a loss by them, and
//! the optimiser.
//!
//! On the processor the backward pass is written by hand, over whole sequences laid end to end
//! without padding, with the encoder's matrix products there. Elsewhere, and as the oracle of
//! the tests, it is candle's over the encoder on tensors.
//!
//! Examples are cut into micro-batches of about 512 tokens, in order; micro-batch j adds its
//! gradients to lane j mod 8, and lanes are summed in order. Lanes run in parallel, so that neither
//! the number of threads nor their timing changes a bit. Six layers of width 384 need 44 MB of
//! gradients per lane and 60 MB of activations per thread, which are kept from call to call.

mod activation;
mod adamw;
mod attention;
mod backward;
mod dense;
mod forward;
mod gradients;
mod lanes;
mod matched;
mod model;
mod norm;
mod parameter;
mod rows;
mod tensors;
#[cfg(test)]
mod tests;

pub use super::parameters::Output;
pub use adamw::AdamW;
pub use gradients::Gradients;
pub(crate) use parameter::Parameter;

use self::lanes::BufferPool;
use self::model::Model;
use self::parameter::ParameterLayout;
use super::encoder::check;
use super::packed::Level;
use super::{Checkpoint, Config, Tokens, Weights};
use candle_core::Tensor;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;

/// The loss of one example: a function of its number and the logits of its inputs that returns the
/// loss and its derivative by every logit.
pub(crate) type Loss<'a> = dyn Fn(usize, &[Vec<f32>]) -> (f64, Vec<Vec<f32>>) + Sync + 'a;

/// A classifier whose parameters can be trained.
pub struct Trainable {
    model: String,
    config: Config,
    output: Output,
    layout: ParameterLayout,
    parameters: Vec<Parameter>,
    device: candle_core::Device,
    level: Level,
    pool: BufferPool,
}

impl Trainable {
    /// Takes all parameters from a checkpoint, in any layout that
    /// [`Classifier`](super::Classifier) or [`Encoder`](super::Encoder) reads. Parts of the head that are
    /// missing or do not fit `output` are drawn from N(0, 0.02²), biases 0; a new match score
    /// is BERTScore's.
    ///
    /// # Errors
    /// [`Error::Model`] for a family that is run without dropout, and naming the first tensor of the
    /// encoder that is missing or has another shape.
    pub fn new(
        checkpoint: &Checkpoint,
        config: &Config,
        weights: &Weights,
        output: Output,
        seed: Seed,
    ) -> Result<Self> {
        let family = config.family;
        if !family.has_dropout() {
            let what = format!("{} cannot be fine-tuned here", family.name());
            let hint = "begin with a BERT, ELECTRA, RoBERTa or MPNet, or fine-tune it in Python";
            return Err(Error::model(&checkpoint.name, what).with_hint(hint));
        }
        let (layout, parameters) = parameter::read(config, weights, output, seed)?;
        Ok(Self {
            model: checkpoint.name.clone(),
            config: config.clone(),
            output,
            layout,
            parameters,
            device: weights.device().clone(),
            level: Level::best(),
            pool: BufferPool::default(),
        })
    }

    /// All parameters, always in the same order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// All parameters, to be changed. The number of values stays the same.
    pub fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.parameters
    }

    /// The shape of the encoder.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The output it is trained to give.
    pub fn output(&self) -> Output {
        self.output
    }

    /// The gradients of the sum of the examples' losses, and the losses in order.
    ///
    /// An example is the inputs of one loss: one pairwise input, say, or all the outputs of one
    /// item. With `dropout`, the masks are those of a draw of a seed, as in
    /// [`Dropout::new`](super::dropout::Dropout::new): give every step its own number.
    /// A loss that is not finite is returned as it is, and so are its gradients.
    ///
    /// # Errors
    /// [`Error::Model`] for an input that is empty, too long, or has an id out of range.
    ///
    /// # Panics
    /// If `loss` returns derivatives of another shape than its logits.
    pub fn gradients(
        &self,
        examples: &[Vec<&Tokens>],
        dropout: Option<(Seed, u32)>,
        loss: &Loss<'_>,
    ) -> Result<(Gradients, Vec<f64>)> {
        self.check(examples.iter().flatten().copied())?;
        if self.device.is_cpu() {
            return Ok(lanes::gradients(
                &self.pack(),
                &self.pool,
                examples,
                dropout,
                loss,
            ));
        }
        tensors::gradients(self, examples, dropout, loss).map_err(|source| self.failed(source))
    }

    /// The logits of every input of every example, without dropout; those of a model that has diverged may
    /// not be finite. For a match they are one score of every input, 0 for the last.
    ///
    /// # Errors
    /// As [`Trainable::gradients`].
    pub fn logits(&self, examples: &[Vec<&Tokens>]) -> Result<Vec<Vec<Vec<f32>>>> {
        self.check(examples.iter().flatten().copied())?;
        if self.device.is_cpu() {
            return Ok(lanes::logits(&self.pack(), &self.pool, examples));
        }
        tensors::logits(self, examples).map_err(|source| self.failed(source))
    }

    /// Writes all parameters as a safetensors file that [`Classifier`](super::Classifier) reads,
    /// in f32 and under the names of a complete classifier of the family.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let named = self.parameters.iter().map(|parameter| {
            let values = &parameter.values[..];
            (parameter.name.as_str(), parameter.shape.as_slice(), values)
        });
        write(path, named)
    }

    /// The `config.json` of the classifier: that of the checkpoint it began as, with the class and its
    /// labels in the order of the logits.
    pub fn configuration(&self, mut original: Map<String, Value>, labels: &[&str]) -> Value {
        let numbered = || labels.iter().enumerate();
        let names: Map<_, _> = numbered().map(|(i, l)| (i.to_string(), json!(l))).collect();
        let numbers: Map<_, _> = numbered().map(|(i, l)| (l.to_string(), json!(i))).collect();
        original.remove("num_labels");
        original.insert(
            "architectures".into(),
            json!([self.config.family.class(self.output)]),
        );
        original.insert("id2label".into(), names.into());
        original.insert("label2id".into(), numbers.into());
        original.into()
    }

    fn pack(&self) -> Model<'_> {
        Model::new(self.level, &self.config, &self.layout, &self.parameters)
    }

    fn check<'a>(&self, mut inputs: impl Iterator<Item = &'a Tokens>) -> Result<()> {
        let check = |tokens| check(tokens, &self.config).map_err(|what| self.failed(what));
        inputs.try_for_each(check)
    }

    fn failed(&self, source: impl std::fmt::Display) -> Error {
        Error::model(&self.model, source)
    }
}

/// Writes named arrays of f32 as a safetensors file.
fn write<'a>(
    path: &Path,
    named: impl Iterator<Item = (&'a str, &'a [usize], &'a [f32])>,
) -> Result<()> {
    let cpu = candle_core::Device::Cpu;
    let tensor = |(name, shape, values): (&'a str, &[usize], &[f32])| {
        Tensor::from_slice(values, shape, &cpu).map(|tensor| (name, tensor))
    };
    let tensors: candle_core::Result<HashMap<&str, Tensor>> = named.map(tensor).collect();
    let failed = Error::writing(path);
    let tensors = tensors.map_err(|source| failed(io::Error::other(source)))?;
    // Not `save`: its file would be readable by its owner only, whatever the umask.
    let bytes = safetensors::serialize(&tensors, None);
    let bytes = bytes.map_err(|source| failed(io::Error::other(source)))?;
    std::fs::write(path, bytes).map_err(failed)
}
