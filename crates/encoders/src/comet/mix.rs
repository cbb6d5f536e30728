//! The layers of a text, mixed with learned weights: γ Σ wᵢ hᵢ, where w is the softmax of the scalars, or their
//! sparsemax (Martins and Astudillo, "From softmax to sparsemax", ICML 2016).

use super::CometHyperparameters;
use crate::HiddenStates;
use crate::Weights;
use crate::dropout::Mask;
use std::ops::RangeInclusive;
use tiebreak_base::error::Result;

/// The value that replaces the scalar of a dropped layer.
const DROPPED: f64 = -1e20;

/// The number added to a variance before division by its root.
const EPSILON: f64 = 1e-12;

/// The combination of layers into one state per token.
pub(crate) enum Mix {
    /// Reads one of them.
    One(usize),
    /// Mixes all of them.
    All {
        gamma: f64,
        scalars: Vec<f64>,
        sparse: bool,
        normalised: bool,
    },
}

impl Mix {
    /// Reads its parameters from the weights of a checkpoint with `layers` layers.
    ///
    /// # Errors
    /// A layer that is not there; a tensor that is missing.
    pub(super) fn read(
        weights: &Weights,
        shape: &CometHyperparameters,
        layers: usize,
    ) -> Result<Self> {
        if let Some(layer) = shape.layer() {
            // Negative layers count from the end, as in Python.
            let at = if layer < 0 {
                layer + layers as i64 + 1
            } else {
                layer
            };
            let at = usize::try_from(at).ok().filter(|&at| at <= layers);
            let lacking = || weights.failed(format!("it has no layer {layer} of {layers}"));
            return at.map(Self::One).ok_or_else(lacking);
        }
        let number = |name: &str| Ok(weights.numbers(name, &[1])?[0]);
        let scalar = |i| number(&format!("layerwise_attention.scalar_parameters.{i}"));
        Ok(Self::All {
            gamma: number("layerwise_attention.gamma")?,
            scalars: (0..=layers).map(scalar).collect::<Result<_>>()?,
            sparse: shape.is_sparse(),
            normalised: shape.layer_norm(),
        })
    }

    /// The range of layers that are needed.
    pub(super) fn layers(&self) -> RangeInclusive<usize> {
        match self {
            Self::One(layer) => *layer..=*layer,
            Self::All { scalars, .. } => 0..=scalars.len() - 1,
        }
    }

    /// The mixed states of every token.
    pub(super) fn apply(&self, hidden: &HiddenStates, dropped: Option<Mask>) -> Vec<f64> {
        let wide = |layer: &[f32]| layer.iter().map(|&x| f64::from(x)).collect();
        let Self::All {
            gamma,
            scalars,
            sparse,
            normalised,
        } = self
        else {
            return wide(&hidden.layers[0]);
        };
        let mut scalars = scalars.clone();
        if let Some(mask) = dropped {
            let mut stays = vec![1.0; scalars.len()];
            mask.apply(0, &mut stays);
            for (scalar, _) in scalars
                .iter_mut()
                .zip(&stays)
                .filter(|(_, stays)| **stays == 0.0)
            {
                *scalar = DROPPED;
            }
        }
        let weights = if *sparse {
            sparsemax(&scalars)
        } else {
            softmax(&scalars)
        };
        let mut mixed = vec![0.0; hidden.layers[0].len()];
        for (layer, weight) in hidden.layers.iter().zip(weights) {
            let mut states: Vec<f64> = wide(layer);
            if *normalised {
                standardise(&mut states);
            }
            mixed
                .iter_mut()
                .zip(&states)
                .for_each(|(sum, x)| *sum += gamma * weight * x);
        }
        mixed
    }
}

fn softmax(scalars: &[f64]) -> Vec<f64> {
    let most = scalars.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scalars.iter().map(|x| (x - most).exp()).collect();
    let all: f64 = powers.iter().sum();
    powers.iter().map(|x| x / all).collect()
}

fn sparsemax(scalars: &[f64]) -> Vec<f64> {
    let most = scalars.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let z: Vec<f64> = scalars.iter().map(|x| x - most).collect();
    let mut sorted = z.clone();
    sorted.sort_by(|x, y| y.total_cmp(x));
    let (mut sum, mut threshold) = (0.0, 0.0);
    for (k, x) in (1..).zip(&sorted) {
        if 1.0 + f64::from(k) * x <= sum + x {
            break;
        }
        sum += x;
        threshold = (sum - 1.0) / f64::from(k);
    }
    z.iter().map(|x| (x - threshold).max(0.0)).collect()
}

/// Standardises states over all tokens and elements of a text, without weights.
fn standardise(states: &mut [f64]) {
    let n = states.len() as f64;
    let mean = states.iter().sum::<f64>() / n;
    let variance = states.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let scale = 1.0 / (variance + EPSILON).sqrt();
    for x in states {
        *x = (*x - mean) * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_and_what_is_dropped_has_none() {
        for scalars in [[0.3, -0.2, 1.4], [DROPPED, 0.1, 0.2], [DROPPED; 3]] {
            for weights in [softmax(&scalars), sparsemax(&scalars)] {
                assert!(
                    (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12,
                    "{weights:?}"
                );
            }
        }
        assert_eq!(sparsemax(&[DROPPED, 0.1, 0.2])[0], 0.0);
        assert_eq!(sparsemax(&[0.3, -0.2, 1.4]), [0.0, 0.0, 1.0]);
        let near = sparsemax(&[0.5, 0.1, -3.0]);
        assert!((near[0] - 0.7).abs() < 1e-12 && (near[1] - 0.3).abs() < 1e-12);
    }
}
