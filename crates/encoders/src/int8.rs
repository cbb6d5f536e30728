//! Matrices in eight bits: a quarter of the size on disk.
//!
//! For a matrix `NAME` a file holds whole numbers q from −127 to 127 (I8, in its shape), and in
//! `NAME.scale` one f32 per row: the row is scale·q, with scale = max|x| / 127 and q rounded to
//! nearest. Vectors, and matrices of fewer than 16 rows (the last of a head, token types), stay f32:
//! their size is negligible. A file is read back into f32, so it is the same to every engine.

use candle_core::safetensors::Load;
use candle_core::{Device, Tensor};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};

/// The fewest rows of a matrix that is stored in eight bits.
const ROWS: usize = 16;

/// The suffix of a matrix's name for its scales.
const SCALE: &str = ".scale";

/// Quantises the matrices of a safetensors file of f32 to eight bits.
///
/// # Errors
/// If the bytes are not such a file, or a number in it is not finite.
pub fn quantise(file: &[u8]) -> Result<Vec<u8>> {
    let file = SafeTensors::deserialize(file).map_err(Error::failed)?;
    let mut parts: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)> = BTreeMap::new();
    for (name, view) in file.iter() {
        let shape = view.shape().to_vec();
        let matrix = shape.len() == 2 && shape[0] >= ROWS && shape[1] > 0;
        if view.dtype() != Dtype::F32 || !matrix {
            parts.insert(
                name.to_string(),
                (view.dtype(), shape, view.data().to_vec()),
            );
            continue;
        }
        let values = floats(view.data());
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            return Err(Error::failed(format!("{name}: {value} has no eight bits")));
        }
        let (scales, whole) = rows(&values, shape[1]);
        parts.insert(
            format!("{name}{SCALE}"),
            (Dtype::F32, vec![shape[0]], scales),
        );
        parts.insert(name.to_string(), (Dtype::I8, shape, whole));
    }
    let views: Vec<(&String, TensorView<'_>)> = parts
        .iter()
        .map(|(name, (dtype, shape, bytes))| {
            let view = TensorView::new(*dtype, shape.clone(), bytes);
            view.map(|view| (name, view)).map_err(Error::failed)
        })
        .collect::<Result<_>>()?;
    safetensors::serialize(views, None).map_err(Error::failed)
}

/// The scales and the whole numbers of a matrix, as bytes.
fn rows(values: &[f32], width: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut scales, mut whole) = (Vec::new(), Vec::with_capacity(values.len()));
    for row in values.chunks_exact(width) {
        let (scale, quantised) = rounded(row);
        scales.extend(scale.to_le_bytes());
        whole.extend(quantised.map(i8::cast_unsigned));
    }
    (scales, whole)
}

/// The scale of a row of finite numbers, and its whole numbers.
pub(super) fn rounded(row: &[f32]) -> (f32, impl Iterator<Item = i8>) {
    let largest = row.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let scale = largest / 127.0;
    // A row of zeros, or of numbers too small to be divided, is zeros.
    let inverse = if scale.is_normal() { 1.0 / scale } else { 0.0 };
    let whole = move |x: &f32| (x * inverse).round().clamp(-127.0, 127.0) as i8;
    (scale, row.iter().map(whole))
}

/// The tensors of a safetensors file, by name, and whether some were in eight bits.
///
/// # Errors
/// A description of what is wrong with it.
pub(super) fn read(file: &[u8]) -> Result<(BTreeMap<String, Tensor>, bool), String> {
    let whole = |source: &dyn std::fmt::Display| format!("not a whole safetensors file: {source}");
    let file = SafeTensors::deserialize(file).map_err(|source| whole(&source))?;
    let mut quantised = false;
    let mut tensors = BTreeMap::new();
    for (name, view) in file.iter() {
        let tensor = match view.dtype() {
            Dtype::I8 => {
                quantised = true;
                restored(&file, name, &view)?
            }
            // Read on the processor first, to distinguish a damaged file from a full device.
            _ => view.load(&Device::Cpu).map_err(|source| whole(&source))?,
        };
        tensors.insert(name.to_string(), tensor);
    }
    Ok((tensors, quantised))
}

/// Restores a matrix in eight bits to f32.
fn restored(file: &SafeTensors<'_>, name: &str, view: &TensorView<'_>) -> Result<Tensor, String> {
    let scale = file.tensor(&format!("{name}{SCALE}"));
    let scale = scale.map_err(|_| format!("`{name}` is I8 without `{name}{SCALE}`"))?;
    let shape = view.shape();
    if shape.len() != 2 || scale.dtype() != Dtype::F32 || scale.shape() != &shape[..1] {
        return Err(format!(
            "`{name}{SCALE}` is {:?} of shape {:?}, expected F32 with one number for each row of {shape:?}",
            scale.dtype(),
            scale.shape()
        ));
    }
    let rows = view.data().chunks_exact(shape[1].max(1));
    let values: Vec<f32> = rows
        .zip(floats(scale.data()))
        .flat_map(|(row, scale)| row.iter().map(move |q| scale * f32::from(q.cast_signed())))
        .collect();
    Tensor::from_vec(values, shape, &Device::Cpu).map_err(|source| source.to_string())
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks::<4>();
    chunks
        .iter()
        .map(|&chunk| f32::from_le_bytes(chunk))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn file(tensors: &[(&str, Dtype, &[usize], Vec<u8>)]) -> Vec<u8> {
        let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
            (
                *name,
                TensorView::new(*dtype, shape.to_vec(), bytes).unwrap(),
            )
        });
        safetensors::serialize(views, None).unwrap()
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_read_back_is_within_half_a_step() {
        let mut rng = Seed(3).stream("test", 0);
        let mut values: Vec<f32> = (0..20 * 7).map(|_| rng.normal() as f32).collect();
        values[7..14].fill(0.0);
        values[14..21].fill(1e-42);
        let f32s = file(&[
            ("m", Dtype::F32, &[20, 7], bytes(&values)),
            ("few", Dtype::F32, &[2, 70], bytes(&values)),
            ("bias", Dtype::F32, &[140], bytes(&values)),
        ]);
        let small = quantise(&f32s).unwrap();
        assert!(small.len() < f32s.len());
        let (tensors, quantised) = read(&small).unwrap();
        assert!(quantised);
        let of = |name: &str| {
            tensors[name]
                .flatten_all()
                .unwrap()
                .to_vec1::<f32>()
                .unwrap()
        };
        assert_eq!((of("few"), of("bias")), (values.clone(), values.clone()));
        let rows = values
            .chunks(7)
            .zip(of("m").chunks(7).map(<[f32]>::to_vec).collect::<Vec<_>>());
        for (row, back) in rows {
            let largest = row.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
            let half = largest / 254.0 * 1.001 + 1e-40;
            assert!(row.iter().zip(back).all(|(x, y)| (x - y).abs() <= half));
        }
        assert!(!read(&f32s).unwrap().1);
    }

    #[test]
    fn scales_that_are_missing_or_do_not_fit_are_refused() {
        let matrix = || ("m", Dtype::I8, &[16, 2][..], vec![1; 32]);
        let short = ("m.scale", Dtype::F32, &[2][..], bytes(&[1.0, 1.0]));
        assert!(read(&file(&[matrix()])).unwrap_err().contains("`m.scale`"));
        assert!(read(&file(&[matrix(), short])).unwrap_err().contains("[2]"));
        assert!(read(b"short").unwrap_err().contains("not a whole"));
        assert!(quantise(b"short").is_err());
        let odd = file(&[("m", Dtype::F32, &[16, 1], bytes(&[f32::NAN; 16]))]);
        assert!(quantise(&odd).unwrap_err().to_string().contains("NaN"));
    }
}
