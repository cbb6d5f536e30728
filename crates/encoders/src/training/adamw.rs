//! AdamW: Adam with weight decay separate from the gradient.
//!
//! Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019, as PyTorch has it:
//!
//! p ← p (1 − rate·decay) − rate · m̂ / (√v̂ + ε), with m ← β₁ m + (1 − β₁) g,
//! v ← β₂ v + (1 − β₂) g², m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ).
//!
//! For word embeddings it is lazy: rows that no input of a step has read are left alone in that
//! step, moments, decay and all. Dense Adam would move them by their old moments, but they are half
//! of a small model's parameters, and a step reads one row in a hundred.

use super::gradients::Gradients;
use super::parameter::Parameter;
use super::{Trainable, write};
use crate::packed::{Simd, Work};
use candle_core::Device;
use rayon::prelude::*;
use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// The name of the number of steps, beside the moments in a file.
const STEPS: &str = "steps";

/// The optimiser: settings, steps taken and moments.
pub struct AdamW {
    /// Decay of the mean of gradients; 0.9.
    pub beta1: f64,
    /// Decay of the mean of their squares; 0.99.
    pub beta2: f64,
    /// Added to the root of the latter; 1e-8.
    pub epsilon: f64,
    /// Weight decay, for parameters that have it; 0.01.
    pub decay: f64,
    steps: u64,
    moments: Vec<GradientMoments>,
}

/// Running means of one parameter's gradients and of their squares.
struct GradientMoments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl AdamW {
    /// An optimiser before its first step, with the settings of Mohankumar and Khapra's training.
    pub fn new(model: &Trainable) -> Self {
        let zeros = |parameter: &Parameter| vec![0.0; parameter.values.len()];
        let moments = model.parameters().iter().map(|parameter| GradientMoments {
            first: zeros(parameter),
            second: zeros(parameter),
        });
        Self {
            beta1: 0.9,
            beta2: 0.99,
            epsilon: 1e-8,
            decay: 0.01,
            steps: 0,
            moments: moments.collect(),
        }
    }

    /// The number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Changes the parameters by one step, each at the rate that `rate` gives it.
    pub fn step(
        &mut self,
        model: &mut Trainable,
        gradients: &Gradients,
        rate: impl Fn(&Parameter) -> f64,
    ) {
        self.steps += 1;
        let level = model.level;
        let parameters = model.parameters_mut();
        let update = |parameter: &Parameter| self.update(rate(parameter), parameter.decays);
        let updates: Vec<Update> = parameters.iter().map(update).collect();
        let each = parameters
            .par_iter_mut()
            .zip(&mut self.moments)
            .zip(updates);
        each.enumerate()
            .for_each(|(number, ((parameter, moments), update))| {
                for (start, gradient) in gradients.pieces(number) {
                    let range = start..start + gradient.len();
                    level.run(AdamWStep {
                        update,
                        gradient,
                        values: &mut parameter.values[range.clone()],
                        first: &mut moments.first[range.clone()],
                        second: &mut moments.second[range],
                    });
                }
            });
    }

    /// The constants of a step at some rate.
    fn update(&self, rate: f64, decays: bool) -> Update {
        let steps = self.steps as f64;
        let decay = if decays { self.decay } else { 0.0 };
        Update {
            beta1: self.beta1 as f32,
            beta2: self.beta2 as f32,
            rest1: (1.0 - self.beta1) as f32,
            rest2: (1.0 - self.beta2) as f32,
            keep: (1.0 - rate * decay) as f32,
            rate: (rate / (1.0 - self.beta1.powf(steps))) as f32,
            unbias: (1.0 / (1.0 - self.beta2.powf(steps)).sqrt()) as f32,
            epsilon: self.epsilon as f32,
        }
    }

    /// Writes moments and the number of steps as a safetensors file.
    ///
    /// # Errors
    /// [`Error::Write`] if it cannot be written.
    pub fn save(&self, model: &Trainable, path: &Path) -> Result<()> {
        // In 16 bits each, which f32 holds exactly.
        let steps = [0, 16, 32, 48].map(|shift| (self.steps >> shift & 0xffff) as f32);
        let named: Vec<_> = model
            .parameters()
            .iter()
            .zip(&self.moments)
            .flat_map(|(parameter, moments)| {
                let [first, second] = names(parameter);
                let shape = parameter.shape.as_slice();
                [
                    (first, shape, &moments.first),
                    (second, shape, &moments.second),
                ]
            })
            .collect();
        let moments = named
            .iter()
            .map(|(name, shape, values)| (name.as_str(), *shape, &values[..]));
        write(path, moments.chain([(STEPS, &[4][..], &steps[..])]))
    }

    /// Restores moments and the number of steps that [`AdamW::save`] wrote for the same model, so
    /// that the next step is what it would have been.
    ///
    /// # Errors
    /// [`Error::Input`] if the file cannot be read or belongs to another model.
    pub fn restore(&mut self, model: &Trainable, path: &Path) -> Result<()> {
        let bad = |what: String| {
            Error::input(path, what).with_hint("the optimiser's state belongs to another model")
        };
        let bytes = std::fs::read(path).map_err(Error::reading(path))?;
        let tensors = candle_core::safetensors::load_buffer(&bytes, &Device::Cpu)
            .map_err(|source| bad(format!("not a whole safetensors file: {source}")))?;
        let take = |name: &str, size: usize| {
            let tensor = tensors
                .get(name)
                .ok_or_else(|| bad(format!("has no `{name}`")))?;
            let values = tensor.flatten_all().and_then(|flat| flat.to_vec1::<f32>());
            let values = values.map_err(|source| bad(format!("`{name}`: {source}")))?;
            match values.len() == size {
                true => Ok(values),
                false => Err(bad(format!(
                    "`{name}` has {} values, expected {size}",
                    values.len()
                ))),
            }
        };
        let moments = model.parameters().iter().map(|parameter| {
            let ([first, second], size) = (names(parameter), parameter.values.len());
            Ok(GradientMoments {
                first: take(&first, size)?,
                second: take(&second, size)?,
            })
        });
        let moments = moments.collect::<Result<Vec<_>>>()?;
        let steps = take(STEPS, 4)?;
        self.steps = steps
            .iter()
            .rev()
            .fold(0, |steps, &part| steps << 16 | part as u64);
        self.moments = moments;
        Ok(())
    }
}

fn names(parameter: &Parameter) -> [String; 2] {
    ["first", "second"].map(|moment| format!("{moment}.{}", parameter.name))
}

#[derive(Clone, Copy)]
struct Update {
    beta1: f32,
    beta2: f32,
    rest1: f32,
    rest2: f32,
    /// 1 − rate·decay.
    keep: f32,
    /// rate / (1 − β₁ᵗ).
    rate: f32,
    /// 1 / √(1 − β₂ᵗ).
    unbias: f32,
    epsilon: f32,
}

/// One update of some values.
struct AdamWStep<'a> {
    update: Update,
    gradient: &'a [f32],
    values: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl Work for AdamWStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let u = self.update;
        let moments = self.first.iter_mut().zip(self.second);
        for ((p, g), (m, v)) in self.values.iter_mut().zip(self.gradient).zip(moments) {
            *m = u.beta1 * *m + u.rest1 * g;
            *v = u.beta2 * *v + u.rest2 * (g * g);
            *p = *p * u.keep - u.rate * *m / (v.sqrt() * u.unbias + u.epsilon);
        }
    }
}
