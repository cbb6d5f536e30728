//! The derivatives of a loss by every parameter.

use super::parameter::Parameter;
use crate::Tokens;
use rayon::prelude::*;
use std::sync::Arc;

/// The derivatives of a loss by every parameter, in the parameters' order. For the word embeddings,
/// whose table is larger than everything else, only the rows that were read are held.
pub struct Gradients {
    names: Arc<[String]>,
    rows: Arc<[u32]>,
    parts: Vec<Vec<f32>>,
}

/// The place of the word embeddings in the list of parameters.
pub(super) const WORDS: usize = 0;

impl Gradients {
    /// Gradients of zero; the inputs determine which words are held.
    pub(super) fn new<'a>(
        parameters: &[Parameter],
        inputs: impl Iterator<Item = &'a Tokens>,
    ) -> Self {
        let mut rows: Vec<u32> = inputs.flat_map(|tokens| &tokens.ids).copied().collect();
        rows.sort_unstable();
        rows.dedup();
        let size = |(number, parameter): (usize, &Parameter)| match number {
            WORDS => rows.len() * parameter.shape[1],
            _ => parameter.values.len(),
        };
        let parts = parameters.iter().enumerate().map(size);
        let names = parameters.iter().map(|parameter| parameter.name.clone());
        Self {
            parts: parts.map(|size| vec![0.0; size]).collect(),
            names: names.collect(),
            rows: rows.into(),
        }
    }

    /// Gradients of zero in the same shape, in the memory of others that are no longer needed.
    pub(super) fn zeros(&self, others: Option<Self>) -> Self {
        let mut parts = others.map_or_else(Vec::new, |others| others.parts);
        parts.resize_with(self.parts.len(), Vec::new);
        for (part, own) in parts.iter_mut().zip(&self.parts) {
            part.clear();
            part.resize(own.len(), 0.0);
        }
        Self {
            names: self.names.clone(),
            rows: self.rows.clone(),
            parts,
        }
    }

    /// The derivatives by one parameter, row by row.
    pub(super) fn part(&mut self, number: usize) -> &mut [f32] {
        &mut self.parts[number]
    }

    /// The derivatives by several parameters.
    pub(super) fn some<const N: usize>(&mut self, numbers: [usize; N]) -> [&mut [f32]; N] {
        let parts = self.parts.get_disjoint_mut(numbers);
        parts.expect("different parameters").map(Vec::as_mut_slice)
    }

    /// The derivatives by the embedding of a word.
    ///
    /// # Panics
    /// If none of the inputs has it.
    pub(super) fn word(&mut self, id: u32) -> &mut [f32] {
        let row = self.rows.binary_search(&id).expect("a word of the inputs");
        let width = self.parts[WORDS].len() / self.rows.len();
        &mut self.parts[WORDS][row * width..][..width]
    }

    /// Adds a whole table of derivatives by the word embeddings; rows that are not held are zero.
    pub(super) fn add_words(&mut self, table: &[f32]) {
        let rows = self.rows.clone();
        for &row in rows.iter() {
            let held = self.word(row);
            let width = held.len();
            add(&table[row as usize * width..][..width], held);
        }
    }

    /// Adds other gradients, one after the other.
    pub(super) fn add(&mut self, others: &[Self]) {
        self.parts.par_iter_mut().enumerate().for_each(|(i, part)| {
            for other in others {
                add(&other.parts[i], part);
            }
        });
    }

    /// The derivatives by one parameter in pieces, each with the place of its first among the
    /// parameter's values.
    pub(super) fn pieces(&self, number: usize) -> impl Iterator<Item = (usize, &[f32])> {
        let part = &self.parts[number];
        let rows: &[u32] = if number == WORDS { &self.rows } else { &[0] };
        let width = part.len() / rows.len().max(1);
        let starts = rows.iter().map(move |&row| row as usize * width);
        starts.zip(part.chunks(width.max(1)))
    }

    /// The Euclidean norm of all derivatives together.
    pub fn norm(&self) -> f64 {
        let squares: Vec<f64> = self.parts.par_iter().map(|part| square(part)).collect();
        squares.iter().sum::<f64>().sqrt()
    }

    /// Multiplies all derivatives.
    pub fn scale(&mut self, factor: f32) {
        self.parts.par_iter_mut().for_each(|part| {
            for x in part {
                *x *= factor;
            }
        });
    }

    /// The names of the parameters whose derivatives are all exactly zero: those that the loss does
    /// not depend on.
    pub fn missing(&self) -> Vec<&str> {
        let named = self.names.iter().zip(&self.parts);
        let missing = named.filter(|(_, part)| part.iter().all(|&x| x == 0.0));
        missing.map(|(name, _)| name.as_str()).collect()
    }
}

/// Adds element by element.
pub(super) fn add(values: &[f32], to: &mut [f32]) {
    for (to, x) in to.iter_mut().zip(values) {
        *to += x;
    }
}

/// The sum of squares, in eight interleaved partial sums.
fn square(part: &[f32]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = part.as_chunks::<8>();
    for chunk in chunks.iter().map(<[f32; 8]>::as_slice).chain([rest]) {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += f64::from(x) * f64::from(x);
        }
    }
    lanes.iter().sum()
}
