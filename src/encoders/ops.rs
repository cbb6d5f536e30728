//! What an encoder does between matrix products, one pass each and in place.
//!
//! candle's own elementwise kernels take a fresh buffer per step and meet at a barrier shared by
//! all threads, which costs more than the arithmetic when sequences run in parallel. On the
//! processor these run on the slice itself; on other devices the same steps are tensor
//! operations. No gradient passes through them.

use super::config::Activation;
use super::dropout::Mask;
use super::math;
use candle_core::{
    CpuStorage, D, InplaceOp1, InplaceOp2, InplaceOp3, Layout, Result, Tensor, bail,
};

/// x + b, b along the last dimension.
pub fn add_bias(x: Tensor, bias: &Tensor) -> Result<Tensor> {
    if !x.device().is_cpu() {
        return x.broadcast_add(bias);
    }
    x.inplace_op2(
        bias,
        &With(|x: &mut [f32], bias: &[f32]| {
            for row in x.chunks_exact_mut(bias.len()) {
                add_to(row, bias);
            }
        }),
    )?;
    Ok(x)
}

/// x + y, of the same shape.
pub fn add(x: Tensor, y: &Tensor) -> Result<Tensor> {
    if !x.device().is_cpu() {
        return x + y;
    }
    x.inplace_op2(y, &With(add_to))?;
    Ok(x)
}

/// The activation of every element.
pub fn activate(x: Tensor, activation: Activation) -> Result<Tensor> {
    if !x.device().is_cpu() {
        return match activation {
            Activation::Gelu => x.gelu_erf(),
            Activation::GeluTanh => x.gelu(),
            Activation::Relu => x.relu(),
            Activation::Silu => x.silu(),
            Activation::Tanh => x.tanh(),
        };
    }
    x.inplace_op1(&Alone(|x: &mut [f32]| match activation {
        Activation::Gelu => map(x, |x| {
            0.5 * x * (1.0 + math::erf(x * std::f32::consts::FRAC_1_SQRT_2))
        }),
        Activation::GeluTanh => map(x, |x| {
            let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
            0.5 * x * (1.0 + math::tanh(inner))
        }),
        Activation::Relu => map(x, |x| x.max(0.0)),
        Activation::Silu => map(x, |x| x * math::sigmoid(x)),
        Activation::Tanh => map(x, math::tanh),
    }))?;
    Ok(x)
}

/// Softmax of `scale`·x along the last dimension.
pub fn softmax(x: Tensor, scale: f32) -> Result<Tensor> {
    if !x.device().is_cpu() {
        let x = (x * f64::from(scale))?;
        let x = x.broadcast_sub(&x.max_keepdim(D::Minus1)?)?.exp()?;
        return x.broadcast_div(&x.sum_keepdim(D::Minus1)?);
    }
    let width = x.dim(D::Minus1)?;
    x.inplace_op1(&Alone(|x: &mut [f32]| {
        for row in x.chunks_exact_mut(width) {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            map(row, |x| math::exp((x - largest) * scale));
            let share = 1.0 / math::sum_by(row, |x| x);
            map(row, |x| x * share);
        }
    }))?;
    Ok(x)
}

/// Drops what the mask drops and scales the rest.
pub fn dropout(x: Tensor, mask: Option<Mask>) -> Result<Tensor> {
    let Some(mask) = mask else { return Ok(x) };
    if !x.device().is_cpu() {
        let mut factors = vec![1.0; x.elem_count()];
        mask.apply(&mut factors);
        return &x * Tensor::from_vec(factors, x.shape(), x.device())?;
    }
    x.inplace_op1(&Alone(|x: &mut [f32]| mask.apply(x)))?;
    Ok(x)
}

/// (x − mean) / √(variance + ε) · weight + bias along the last dimension.
pub fn layer_norm(x: Tensor, weight: &Tensor, bias: &Tensor, epsilon: f32) -> Result<Tensor> {
    if !x.device().is_cpu() {
        let x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        let variance = x.sqr()?.mean_keepdim(D::Minus1)?;
        let x = x.broadcast_div(&(variance + f64::from(epsilon))?.sqrt()?)?;
        return x.broadcast_mul(weight)?.broadcast_add(bias);
    }
    let normalise = |x: &mut [f32], weight: &[f32], bias: &[f32]| {
        for row in x.chunks_exact_mut(weight.len()) {
            let share = 1.0 / row.len() as f32;
            let mean = math::sum_by(row, |x| x) * share;
            let variance = math::sum_by(row, |x| (x - mean) * (x - mean)) * share;
            let scale = 1.0 / (variance + epsilon).sqrt();
            for ((x, w), b) in row.iter_mut().zip(weight).zip(bias) {
                *x = (*x - mean) * scale * w + b;
            }
        }
    };
    x.inplace_op3(weight, bias, &WithTwo(normalise))?;
    Ok(x)
}

fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for x in x {
        *x = f(*x);
    }
}

fn add_to(x: &mut [f32], y: &[f32]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

/// A pass over one tensor, and the same with one or two others beside it.
struct Alone<F>(F);
struct With<F>(F);
struct WithTwo<F>(F);

impl<F: Fn(&mut [f32])> InplaceOp1 for Alone<F> {
    fn name(&self) -> &'static str {
        "pass"
    }

    fn cpu_fwd(&self, x: &mut CpuStorage, layout: &Layout) -> Result<()> {
        (self.0)(floats_mut(x, layout)?);
        Ok(())
    }
}

impl<F: Fn(&mut [f32], &[f32])> InplaceOp2 for With<F> {
    fn name(&self) -> &'static str {
        "pass with another"
    }

    fn cpu_fwd(
        &self,
        x: &mut CpuStorage,
        x_layout: &Layout,
        y: &CpuStorage,
        y_layout: &Layout,
    ) -> Result<()> {
        (self.0)(floats_mut(x, x_layout)?, floats(y, y_layout)?);
        Ok(())
    }
}

impl<F: Fn(&mut [f32], &[f32], &[f32])> InplaceOp3 for WithTwo<F> {
    fn name(&self) -> &'static str {
        "pass with two others"
    }

    fn cpu_fwd(
        &self,
        x: &mut CpuStorage,
        x_layout: &Layout,
        y: &CpuStorage,
        y_layout: &Layout,
        z: &CpuStorage,
        z_layout: &Layout,
    ) -> Result<()> {
        (self.0)(
            floats_mut(x, x_layout)?,
            floats(y, y_layout)?,
            floats(z, z_layout)?,
        );
        Ok(())
    }
}

fn floats_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(all), Some((start, end))) => Ok(&mut all[start..end]),
        _ => bail!("expected contiguous f32"),
    }
}

fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(all), Some((start, end))) => Ok(&all[start..end]),
        _ => bail!("expected contiguous f32"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    fn matrix(rows: usize, width: usize) -> Tensor {
        let mut rng = crate::rng::Seed(9).stream("test", width as u64);
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
    fn activations_are_those_of_candle() {
        let x = matrix(7, 33);
        for (activation, expected) in [
            (Activation::Gelu, x.gelu_erf()),
            (Activation::GeluTanh, x.gelu()),
            (Activation::Relu, x.relu()),
            (Activation::Silu, x.silu()),
            (Activation::Tanh, x.tanh()),
        ] {
            let found = activate(x.copy().unwrap(), activation).unwrap();
            agree(&found, &expected.unwrap());
        }
    }

    #[test]
    fn softmax_and_normalisation_are_those_of_candle() {
        let x = matrix(5, 19);
        let expected = candle_nn::ops::softmax(&(&x * 0.3).unwrap(), D::Minus1).unwrap();
        agree(&softmax(x.copy().unwrap(), 0.3).unwrap(), &expected);
        let (weight, bias) = (
            matrix(1, 19).squeeze(0).unwrap(),
            matrix(2, 19).get(1).unwrap(),
        );
        let expected = candle_nn::ops::layer_norm_slow(&x, &weight, &bias, 1e-5).unwrap();
        let found = layer_norm(x.copy().unwrap(), &weight, &bias, 1e-5).unwrap();
        agree(&found, &expected);
        agree(
            &add_bias(x.copy().unwrap(), &bias).unwrap(),
            &x.broadcast_add(&bias).unwrap(),
        );
    }

    #[test]
    fn a_product_has_the_same_bits_on_any_number_of_threads() {
        // Large enough for candle to split it.
        let (x, y) = (matrix(150, 700), matrix(700, 160));
        let product = || x.matmul(&y).unwrap().to_vec2::<f32>().unwrap();
        let whole = product();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            assert_eq!(whole, pool.unwrap().install(product));
        }
    }
}
