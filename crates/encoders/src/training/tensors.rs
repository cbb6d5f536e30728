//! Gradients by candle, over the encoder on tensors: on a GPU, and as the oracle of tests.
//!
//! Parameters are sent to the device for every call and gradients brought back, so that the
//! optimiser is the same everywhere.

use super::gradients::{Gradients, WORDS, add};
use super::lanes::{batches, group};
use super::{Loss, Trainable};
use crate::Tokens;
use crate::dropout::DropoutSite;
use crate::engine::Pass;
use crate::ops;
use crate::parameters::{
    ClassifierHeadParameters, EncoderParameters, HeadParameters, MatchingHeadParameters,
};
use crate::tensors::{Layers, Tensors, dense};
use candle_core::{Result, Tensor, Var};
use tiebreak_base::rng::Seed;

/// A classifier on tensors that are variables.
struct TensorClassifier<'a> {
    model: &'a Trainable,
    encoder: Tensors,
    top: HeadParameters,
    variables: Vec<Var>,
}

impl<'a> TensorClassifier<'a> {
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
        let encoder = EncoderParameters::read_parts(&model.config, "", &mut next).expect(listed);
        let top =
            HeadParameters::read_parts(&model.config, "", model.output, &mut next).expect(listed);
        Ok(Self {
            encoder: Tensors::new(&model.config, encoder),
            model,
            top,
            variables,
        })
    }

    /// The logits of every input of an example, (labels).
    fn logits<'b>(&self, passes: impl Iterator<Item = &'b Pass<'b>>) -> Result<Vec<Tensor>> {
        let last = |pass: &Pass<'_>| {
            let mut states = self
                .encoder
                .states(std::slice::from_ref(pass), self.model.config.layers)?;
            Ok(states.pop().expect("the embeddings at least"))
        };
        match &self.top {
            HeadParameters::Classifier(head) => passes
                .map(|pass| self.of_first(head, pass, &last(pass)?))
                .collect(),
            HeadParameters::Matching(matching) => {
                let states = passes.map(last).collect::<Result<Vec<_>>>()?;
                matches(matching, &states)
            }
        }
    }

    /// Computes the logits from last states.
    fn of_first(
        &self,
        head: &ClassifierHeadParameters,
        pass: &Pass<'_>,
        states: &Tensor,
    ) -> Result<Tensor> {
        let config = &self.model.config;
        let mut x = states.narrow(0, 0, 1)?;
        let rate = config.dropout.head;
        if config.family.drops_head_input() {
            x = ops::dropout(x, &[pass.mask(DropoutSite::HeadInput, rate)])?;
        }
        let inner = dense(&head.dense, &x)?;
        let inner = ops::activate(&inner, config.head_activation)?;
        let inner = ops::dropout(inner, &[pass.mask(DropoutSite::HeadHidden, rate)])?;
        dense(&head.project, &inner)?.squeeze(0)
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

/// The gradients, as [`lanes::gradients`](super::lanes::gradients).
pub(crate) fn gradients(
    model: &Trainable,
    examples: &[Vec<&Tokens>],
    dropout: Option<(Seed, u32)>,
    loss: &Loss<'_>,
) -> Result<(Gradients, Vec<f64>)> {
    let classifier = TensorClassifier::new(model)?;
    let mut to = Gradients::new(&model.parameters, examples.iter().flatten().copied());
    let mut losses = Vec::with_capacity(examples.len());
    for batch in batches(examples) {
        let (mut logits, mut by) = (Vec::new(), Vec::new());
        for (number, example) in batch.clone().zip(&examples[batch]) {
            let passes = group(example.iter().copied(), dropout);
            let own = classifier.logits(passes.iter().map(|(pass, _)| pass))?;
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

/// The logits, as [`lanes::logits`](super::lanes::logits).
pub(crate) fn logits(model: &Trainable, examples: &[Vec<&Tokens>]) -> Result<Vec<Vec<Vec<f32>>>> {
    let classifier = TensorClassifier::new(model)?;
    let of = |example: &Vec<&Tokens>| {
        let passes = group(example.iter().copied(), None);
        let logits = classifier.logits(passes.iter().map(|(pass, _)| pass))?;
        logits.iter().map(Tensor::to_vec1).collect()
    };
    examples.iter().map(of).collect()
}

/// The scores of every input with the last, (1), as [`GreedyMatcher::score`](crate::matching::GreedyMatcher::score).
fn matches(by: &MatchingHeadParameters, states: &[Tensor]) -> Result<Vec<Tensor>> {
    let Some((context, outputs)) = states.split_last() else {
        return Ok(Vec::new());
    };
    let inner = |states: &Tensor| {
        let count = states.dim(0)?.saturating_sub(2);
        (count > 0).then(|| states.narrow(0, 1, count)).transpose()
    };
    let unit = |rows: &Tensor| rows.broadcast_div(&rows.sqr()?.sum_keepdim(1)?.sqrt()?);
    let context = inner(context)?;
    let zero = by.scale.zeros_like()?.narrow(0, 0, 1)?;
    let score = |output: &Tensor| -> Result<Tensor> {
        let Some(output) = inner(output)? else {
            return Ok(zero.clone());
        };
        let worth = output.matmul(&by.worth.unsqueeze(1)?)?.mean(0)?;
        let Some(context) = &context else {
            return Ok(worth);
        };
        let cosines = unit(&output)?.matmul(&unit(context)?.t()?)?;
        let means = [
            cosines.max(1)?.mean_keepdim(0)?,
            cosines.max(0)?.mean_keepdim(0)?,
        ];
        (&by.scale * Tensor::cat(&means, 0)?)?.sum_keepdim(0)? + worth
    };
    let scores = outputs.iter().map(score);
    scores.chain([Ok(zero.clone())]).collect()
}
