//! The network that scores: dense layers, with an activation after each but the last.

use super::CometHyperparameters;
use super::shape::FeedForwardActivation;
use crate::Weights;
use crate::dropout::{Dropout, DropoutSite};
use tiebreak_base::error::Result;

/// A dense layer: a row of weights for each output.
struct FeedForwardLayer {
    weights: Vec<f64>,
    bias: Vec<f64>,
}

/// The network: dense layers and the activation between them.
pub(crate) struct CometFeedForward {
    layers: Vec<FeedForwardLayer>,
    activation: FeedForwardActivation,
    last: Option<FeedForwardActivation>,
    dropout: f64,
}

impl CometFeedForward {
    /// Reads its parameters from the weights of a checkpoint whose encoder is `width` wide.
    ///
    /// # Errors
    /// A tensor that is missing or has another shape.
    pub(super) fn read(
        weights: &Weights,
        shape: &CometHyperparameters,
        width: usize,
    ) -> Result<Self> {
        let parts = if shape.has_reference() { 6 } else { 4 };
        let mut inputs = parts * width;
        let mut layers = Vec::new();
        // Between two dense layers stand an activation and a dropout.
        for (place, outputs) in (0..)
            .step_by(3)
            .zip(shape.hidden_sizes().into_iter().chain([1]))
        {
            let name = |part: &str| format!("estimator.ff.{place}.{part}");
            layers.push(FeedForwardLayer {
                weights: weights.numbers(&name("weight"), &[outputs, inputs])?,
                bias: weights.numbers(&name("bias"), &[outputs])?,
            });
            inputs = outputs;
        }
        Ok(Self {
            layers,
            activation: shape.activation(),
            last: shape.final_activation(),
            dropout: shape.dropout(),
        })
    }

    /// The score of some features, under the masks of a draw if there is one.
    pub(super) fn score(&self, features: Vec<f64>, dropout: Option<Dropout>) -> f64 {
        let mut x = features;
        let last = self.layers.len() - 1;
        for (at, layer) in self.layers.iter().enumerate() {
            x = layer.apply(&x);
            if at == last {
                break;
            }
            for x in &mut x {
                *x = self.activation.apply(*x);
            }
            if let Some(mask) =
                dropout.and_then(|one| one.mask(DropoutSite::Estimator(at), self.dropout))
            {
                let mut stays = vec![1.0; x.len()];
                mask.apply(0, &mut stays);
                x.iter_mut()
                    .zip(stays)
                    .for_each(|(x, stays)| *x *= f64::from(stays));
            }
        }
        self.last.map_or(x[0], |last| last.apply(x[0]))
    }
}

impl FeedForwardLayer {
    fn apply(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.weights.chunks_exact(x.len()).zip(&self.bias);
        rows.map(|(row, bias)| bias + row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>())
            .collect()
    }
}
