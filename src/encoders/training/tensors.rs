//! Gradients by candle, over the encoder on tensors: on a GPU, and as the oracle of tests.
//!
//! Parameters are sent to the device for every call and gradients brought back, so that the
//! optimiser is the same everywhere.

use super::gradients::{Gradients, WORDS, add};
use super::lanes::{batches, group};
use super::{Loss, Trainable};
use crate::encoders::Tokens;
use crate::encoders::dropout::Site;
use crate::encoders::engine::Pass;
use crate::encoders::ops;
use crate::encoders::parameters::{Head, Parameters};
use crate::encoders::tensors::{Layers, Tensors, dense};
use crate::rng::Seed;
use candle_core::{Result, Tensor, Var};

/// A classifier on tensors that are variables.
struct Classifier<'a> {
    model: &'a Trainable,
    encoder: Tensors,
    head: Head,
    variables: Vec<Var>,
}

impl<'a> Classifier<'a> {
    fn new(model: &'a Trainable) -> Result<Self> {
        let variables = model.parameters.iter().map(|parameter| {
            let shape = parameter.shape.as_slice();
            Var::from_slice(&parameter.values, shape, &model.device)
        });
        let variables = variables.collect::<Result<Vec<_>>>()?;
        // The list is in the order of reading.
        let mut tensors = variables
            .iter()
            .map(|variable| variable.as_tensor().clone());
        let mut next = |_: &str, _: &[usize]| Ok(tensors.next().expect("as many as were listed"));
        let listed = "a list of its own parameters";
        let encoder = Parameters::named(&model.config, "", &mut next).expect(listed);
        let head = Head::named(&model.config, "", model.labels(), &mut next).expect(listed);
        Ok(Self {
            encoder: Tensors::new(&model.config, encoder),
            model,
            head,
            variables,
        })
    }

    /// (labels).
    fn logits(&self, pass: &Pass<'_>) -> Result<Tensor> {
        let config = &self.model.config;
        let states = self.encoder.states(pass, config.layers)?;
        let mut x = states[config.layers].narrow(0, 0, 1)?;
        let rate = config.dropout.head;
        if config.family.drops_head_input() {
            x = ops::dropout(x, pass.mask(Site::HeadInput, rate))?;
        }
        let inner = dense(&self.head.dense, &x)?;
        let inner = ops::activate(&inner, config.head_activation)?;
        let inner = ops::dropout(inner, pass.mask(Site::HeadHidden, rate))?;
        dense(&self.head.project, &inner)?.squeeze(0)
    }

    /// Adds the gradients of Σ logits · derivatives.
    fn back(&self, logits: &[Tensor], by: &[Vec<f32>], to: &mut Gradients) -> Result<()> {
        let device = &self.model.device;
        let mut sum = Tensor::new(0.0_f32, device)?;
        for (logits, by) in logits.iter().zip(by) {
            sum = (sum + (logits * Tensor::new(by.as_slice(), device)?)?.sum_all()?)?;
        }
        let found = sum.backward()?;
        for (number, variable) in self.variables.iter().enumerate() {
            let Some(gradient) = found.get(variable) else {
                continue;
            };
            let values: Vec<f32> = gradient.flatten_all()?.to_vec1()?;
            if number == WORDS {
                to.add_words(&values);
            } else {
                add(&values, to.part(number));
            }
        }
        Ok(())
    }
}

/// As [`lanes::gradients`](super::lanes::gradients).
pub fn gradients(
    model: &Trainable,
    examples: &[Vec<&Tokens>],
    dropout: Option<(Seed, u32)>,
    loss: &Loss<'_>,
) -> Result<(Gradients, Vec<f64>)> {
    let classifier = Classifier::new(model)?;
    let mut to = Gradients::new(&model.parameters, examples.iter().flatten().copied());
    let mut losses = Vec::with_capacity(examples.len());
    for batch in batches(examples) {
        let (mut logits, mut by) = (Vec::new(), Vec::new());
        for (number, example) in batch.clone().zip(&examples[batch]) {
            let passes = group(example.iter().copied(), dropout);
            let own = passes.iter().map(|(pass, _)| classifier.logits(pass));
            let own = own.collect::<Result<Vec<_>>>()?;
            let given = own
                .iter()
                .map(Tensor::to_vec1)
                .collect::<Result<Vec<_>>>()?;
            let (value, of_activations) = loss(number, &given);
            assert_eq!(
                of_activations.len(),
                given.len(),
                "one row of derivatives per input"
            );
            losses.push(value);
            logits.extend(own);
            by.extend(of_activations);
        }
        classifier.back(&logits, &by, &mut to)?;
    }
    Ok((to, losses))
}

/// As [`lanes::logits`](super::lanes::logits).
pub fn logits(model: &Trainable, inputs: &[&Tokens]) -> Result<Vec<Vec<f32>>> {
    let classifier = Classifier::new(model)?;
    let passes = group(inputs.iter().copied(), None);
    let each = passes
        .iter()
        .map(|(pass, _)| classifier.logits(pass)?.to_vec1());
    each.collect()
}
