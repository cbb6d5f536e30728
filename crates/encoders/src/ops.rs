//! Operations of the encoder on tensors, between matrix products, that pass gradients.

use super::config::Activation;
use super::dropout::Mask;
use candle_core::{D, Result, Tensor};
use rayon::prelude::*;

/// Applies an activation to every element.
pub(crate) fn activate(x: &Tensor, activation: Activation) -> Result<Tensor> {
    match activation {
        Activation::Gelu => x.gelu_erf(),
        Activation::GeluTanh => x.gelu(),
        Activation::Relu => x.relu(),
        Activation::Silu => x.silu(),
        Activation::Tanh => x.tanh(),
    }
}

/// Softmax along the last dimension.
pub(crate) fn softmax(x: &Tensor) -> Result<Tensor> {
    // The largest is subtracted only to avoid overflow: it has no gradient.
    let x = x
        .broadcast_sub(&x.max_keepdim(D::Minus1)?.detach())?
        .exp()?;
    x.broadcast_div(&x.sum_keepdim(D::Minus1)?)
}

/// Drops elements by masks, each of which is for as many, and scales the rest.
pub(crate) fn dropout(x: Tensor, masks: &[Option<Mask>]) -> Result<Tensor> {
    if masks.iter().all(Option::is_none) {
        return Ok(x);
    }
    let mut factors = vec![1.0; x.elem_count()];
    let each = factors.len() / masks.len();
    let parts = factors.par_chunks_mut(each).zip(masks);
    parts.for_each(|(factors, mask)| {
        if let Some(mask) = mask {
            mask.apply(0, factors);
        }
    });
    let factors = Tensor::from_vec(factors, x.shape(), x.device())?;
    x * factors
}

/// (x − mean) / √(variance + ε) · weight + bias along the last dimension.
pub(crate) fn layer_norm(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    epsilon: f32,
) -> Result<Tensor> {
    let x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
    let variance = x.sqr()?.mean_keepdim(D::Minus1)?;
    let x = x.broadcast_div(&(variance + f64::from(epsilon))?.sqrt()?)?;
    x.broadcast_mul(weight)?.broadcast_add(bias)
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    fn matrix(rows: usize, width: usize) -> Tensor {
        let mut rng = tiebreak_base::rng::Seed(9).stream("test", width as u64);
        let values: Vec<f32> = (0..rows * width)
            .map(|_| 4.0 * rng.normal() as f32)
            .collect();
        Tensor::from_vec(values, (rows, width), &Device::Cpu).unwrap()
    }

    fn agree(found: &Tensor, expected: &Tensor) {
        assert_eq!(found.dims(), expected.dims());
        let flat = |x: &Tensor| x.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        for (found, expected) in flat(found).iter().zip(flat(expected)) {
            assert!(
                (found - expected).abs() < 2e-6,
                "{found}, expected {expected}"
            );
        }
    }

    #[test]
    fn softmax_and_normalisation_are_those_of_candle() {
        let x = matrix(5, 19);
        let expected = candle_nn::ops::softmax(&x, D::Minus1).unwrap();
        agree(&softmax(&x).unwrap(), &expected);
        let weight = matrix(1, 19).squeeze(0).unwrap();
        let bias = matrix(2, 19).get(1).unwrap();
        let expected = candle_nn::ops::layer_norm_slow(&x, &weight, &bias, 1e-5).unwrap();
        agree(&layer_norm(&x, &weight, &bias, 1e-5).unwrap(), &expected);
    }
}
