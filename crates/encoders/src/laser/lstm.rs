//! A stack of long short-term memories (LSTM), read in one direction or both.
//!
//! Source: Hochreiter and Schmidhuber 1997, with the gates of PyTorch's `LSTM` in its order: input i,
//! forget f, cell g, output o.
//!
//! c ← σ(f)·c + σ(i)·tanh(g), h ← σ(o)·tanh(c)
//!
//! A sequence is run by itself, and every product is an inner product in one fixed order, so that
//! its result depends on nothing else.

use super::super::checkpoint::Checkpoint;
use super::super::math::{sigmoid, tanh};
use super::super::rows::dot;
use candle_core::{DType, Device, Tensor};
use serde::Deserialize;
use std::collections::HashMap;
use tiebreak_base::error::{Error, Result};

/// The sizes of an encoder, by LASER's names.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Sizes {
    pub num_embeddings: usize,
    pub embed_dim: usize,
    pub hidden_size: usize,
    #[serde(default = "default_num_layers")]
    pub num_layers: usize,
    #[serde(default)]
    pub bidirectional: bool,
}

fn default_num_layers() -> usize {
    1
}

/// The stack of layers, with the embeddings of its input.
#[derive(Debug)]
pub(super) struct Lstm {
    /// One row per unit.
    embeddings: Vec<f32>,
    width: usize,
    layers: Vec<Vec<LstmDirection>>,
}

/// One direction of a layer: four gates for each of `hidden` numbers.
#[derive(Debug)]
struct LstmDirection {
    hidden: usize,
    /// Rows as wide as the input, 4·hidden of them.
    input: Vec<f32>,
    /// Rows as wide as the state, 4·hidden of them.
    recurrent: Vec<f32>,
    /// The sum of PyTorch's two biases.
    bias: Vec<f32>,
    backward: bool,
}

impl Lstm {
    /// Reads the tensors of LASER's encoder.
    ///
    /// # Errors
    /// A tensor that is missing or has another shape than `sizes` require.
    pub(super) fn read(
        checkpoint: &Checkpoint,
        file: &str,
        bytes: &[u8],
        sizes: &Sizes,
    ) -> Result<Self> {
        let tensors =
            candle_core::safetensors::load_buffer(bytes, &Device::Cpu).map_err(|source| {
                let error =
                    checkpoint.unfit(file, format!("not a whole safetensors file: {source}"));
                error.with_hint("fetch or convert it again")
            })?;
        let get = |name: &str, shape: &[usize]| {
            values(&tensors, name, shape).map_err(|what| {
                Error::model(&checkpoint.name, what)
                    .with_hint("params.json and encoder.safetensors belong to different models")
            })
        };
        let embeddings = get(
            "embed_tokens.weight",
            &[sizes.num_embeddings, sizes.embed_dim],
        )?;
        let directions = 1 + usize::from(sizes.bidirectional);
        let mut layers = Vec::new();
        let mut width = sizes.embed_dim;
        for layer in 0..sizes.num_layers {
            let direction = |backward: usize| {
                let suffix = ["", "_reverse"][backward];
                let part = |name: &str| format!("lstm.{name}_l{layer}{suffix}");
                let gates = 4 * sizes.hidden_size;
                let mut bias = get(&part("bias_ih"), &[gates])?;
                let other = get(&part("bias_hh"), &[gates])?;
                bias.iter_mut()
                    .zip(other)
                    .for_each(|(bias, other)| *bias += other);
                Ok(LstmDirection {
                    hidden: sizes.hidden_size,
                    input: get(&part("weight_ih"), &[gates, width])?,
                    recurrent: get(&part("weight_hh"), &[gates, sizes.hidden_size])?,
                    bias,
                    backward: backward == 1,
                })
            };
            layers.push((0..directions).map(direction).collect::<Result<_>>()?);
            width = directions * sizes.hidden_size;
        }
        Ok(Self {
            embeddings,
            width: sizes.embed_dim,
            layers,
        })
    }

    /// The maximum over time of the last layer's states.
    ///
    /// # Panics
    /// If there are no ids, or one of them has no embedding.
    pub(super) fn maximum(&self, ids: &[u32]) -> Vec<f32> {
        let width = self.width;
        let embedding = |&id: &u32| &self.embeddings[id as usize * width..][..width];
        let mut states: Vec<f32> = ids.iter().flat_map(embedding).copied().collect();
        for layer in &self.layers {
            let width: usize = layer.iter().map(|direction| direction.hidden).sum();
            let mut next = vec![0.0; ids.len() * width];
            let mut offset = 0;
            for direction in layer {
                direction.run(&states, &mut next, (offset, width));
                offset += direction.hidden;
            }
            states = next;
        }
        let mut maximum = states[..states.len() / ids.len()].to_vec();
        for row in states.chunks_exact(maximum.len()) {
            maximum
                .iter_mut()
                .zip(row)
                .for_each(|(most, &x)| *most = most.max(x));
        }
        maximum
    }
}

impl LstmDirection {
    /// Writes the state after each row of `rows` into the row of `states` in the same place, of
    /// `width` numbers, from number `offset` on.
    fn run(&self, rows: &[f32], states: &mut [f32], (offset, width): (usize, usize)) {
        let gates = self.bias.len();
        let given = self.given_by(rows);
        let (mut hidden, mut cell) = (vec![0.0; self.hidden], vec![0.0; self.hidden]);
        let mut now = vec![0.0; gates];
        let steps = states.len() / width;
        for step in 0..steps {
            let at = if self.backward {
                steps - 1 - step
            } else {
                step
            };
            let weights = self.recurrent.chunks_exact(self.hidden);
            let given = &given[at * gates..][..gates];
            for ((now, given), weights) in now.iter_mut().zip(given).zip(weights) {
                *now = given + dot(weights, &hidden);
            }
            for (i, (h, c)) in hidden.iter_mut().zip(&mut cell).enumerate() {
                let gate = |which: usize| now[which * self.hidden + i];
                *c = sigmoid(gate(1)) * *c + sigmoid(gate(0)) * tanh(gate(2));
                *h = sigmoid(gate(3)) * tanh(*c);
            }
            states[at * width + offset..][..self.hidden].copy_from_slice(&hidden);
        }
    }

    /// The input's part of the gates at every step, the bias included: each row of weights is used
    /// for all steps while it is in the cache.
    fn given_by(&self, rows: &[f32]) -> Vec<f32> {
        let gates = self.bias.len();
        let width = self.input.len() / gates;
        let mut given = vec![0.0; rows.len() / width * gates];
        for (gate, weights) in self.input.chunks_exact(width).enumerate() {
            for (step, row) in rows.chunks_exact(width).enumerate() {
                given[step * gates + gate] = self.bias[gate] + dot(weights, row);
            }
        }
        given
    }
}

/// The numbers of a tensor, whose shape is checked.
fn values(
    tensors: &HashMap<String, Tensor>,
    name: &str,
    shape: &[usize],
) -> Result<Vec<f32>, String> {
    let tensor = tensors
        .get(name)
        .ok_or_else(|| format!("tensor `{name}` is missing"))?;
    if tensor.dims() != shape {
        return Err(format!(
            "tensor `{name}` has shape {:?}, expected {shape:?}",
            tensor.dims()
        ));
    }
    let numbers = tensor
        .to_dtype(DType::F32)
        .and_then(|tensor| tensor.flatten_all()?.to_vec1());
    numbers.map_err(|source| format!("tensor `{name}`: {source}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;
    use tiebreak_base::stats::log_odds::logistic;

    /// One direction of one layer, computed number by number in f64.
    fn slow(direction: &LstmDirection, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let size = direction.hidden;
        let (mut h, mut c) = (vec![0.0; size], vec![0.0; size]);
        let mut states = vec![Vec::new(); rows.len()];
        let mut order: Vec<usize> = (0..rows.len()).collect();
        if direction.backward {
            order.reverse();
        }
        for at in order {
            let gate = |which: usize, i: usize| {
                let row = which * size + i;
                let width = rows[at].len();
                let given_by =
                    (0..width).map(|k| f64::from(direction.input[row * width + k]) * rows[at][k]);
                let from_state =
                    (0..size).map(|k| f64::from(direction.recurrent[row * size + k]) * h[k]);
                f64::from(direction.bias[row]) + given_by.sum::<f64>() + from_state.sum::<f64>()
            };
            let cells: Vec<f64> = (0..size)
                .map(|i| logistic(gate(1, i)) * c[i] + logistic(gate(0, i)) * gate(2, i).tanh())
                .collect();
            let next = (0..size)
                .map(|i| logistic(gate(3, i)) * cells[i].tanh())
                .collect();
            c = cells;
            h = next;
            states[at].clone_from(&h);
        }
        states
    }

    #[test]
    fn two_layers_in_both_directions_are_what_plain_loops_make() {
        let mut rng = Seed(5).stream("lstm", 0);
        let mut numbers = |count: usize| -> Vec<f32> {
            (0..count)
                .map(|_| (rng.uniform() * 2.0 - 1.0) as f32)
                .collect()
        };
        let (width, hidden) = (5, 3);
        let mut layer = |width: usize| -> Vec<LstmDirection> {
            [false, true]
                .map(|backward| LstmDirection {
                    hidden,
                    input: numbers(4 * hidden * width),
                    recurrent: numbers(4 * hidden * hidden),
                    bias: numbers(4 * hidden),
                    backward,
                })
                .into()
        };
        let layers = vec![layer(width), layer(2 * hidden)];
        let lstm = Lstm {
            embeddings: numbers(7 * width),
            width,
            layers,
        };
        for ids in [
            vec![3],
            vec![0, 6, 6, 1, 2],
            (0..40).map(|i| i % 7).collect(),
        ] {
            let embedding = |&id: &u32| {
                let row = &lstm.embeddings[id as usize * width..][..width];
                row.iter().map(|&x| f64::from(x)).collect()
            };
            let mut rows: Vec<Vec<f64>> = ids.iter().map(embedding).collect();
            for layer in &lstm.layers {
                let [forward, backward] =
                    [&layer[0], &layer[1]].map(|direction| slow(direction, &rows));
                let joined = forward.into_iter().zip(backward);
                rows = joined.map(|(one, other)| [one, other].concat()).collect();
            }
            let found = lstm.maximum(&ids);
            assert_eq!(found.len(), 2 * hidden);
            for (i, found) in found.into_iter().enumerate() {
                let most = rows
                    .iter()
                    .map(|row| row[i])
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(
                    (f64::from(found) - most).abs() < 1e-6,
                    "{found}, expected {most}"
                );
            }
        }
    }
}
