//! Examples in micro-batches, micro-batches in lanes that run in parallel and are summed in order.

use super::Loss;
use super::backward::Slopes;
use super::forward::Tape;
use super::gradients::Gradients;
use super::model::Model;
use super::rows::Batch;
use crate::encoders::Tokens;
use crate::encoders::dropout::Dropout;
use crate::encoders::engine::Pass;
use crate::encoders::packed::Rows;
use crate::rng::Seed;
use rayon::prelude::*;
use std::ops::Range;

/// How many sums are kept, whatever the number of threads.
const LANES: usize = 8;

/// Tokens of a micro-batch, about: its activations are then 60 MB in a model of six layers of width
/// 384.
const TOKENS: usize = 512;

/// Examples one after the other, and the draw of their masks.
struct Task<'a> {
    examples: &'a [Vec<&'a Tokens>],
    dropout: Option<(Seed, u32)>,
    loss: &'a Loss<'a>,
}

/// The sum of the examples' gradients, and their losses in order.
pub fn gradients(
    model: &Model<'_>,
    examples: &[Vec<&Tokens>],
    dropout: Option<(Seed, u32)>,
    loss: &Loss<'_>,
) -> (Gradients, Vec<f64>) {
    let mut sum = Gradients::new(model.list, examples.iter().flatten().copied());
    let task = Task {
        examples,
        dropout,
        loss,
    };
    let batches = batches(examples);
    let lanes: Vec<(Gradients, Vec<f64>)> = (0..LANES.min(batches.len()))
        .into_par_iter()
        .map(|lane| {
            let mut to = sum.zeros();
            let (mut tape, mut slopes) = (Tape::default(), Slopes::default());
            let own = batches.iter().skip(lane).step_by(LANES);
            let losses = own
                .flat_map(|batch| task.run(model, batch.clone(), &mut tape, &mut slopes, &mut to));
            let losses = losses.collect();
            (to, losses)
        })
        .collect();
    let (lanes, losses): (Vec<_>, Vec<_>) = lanes.into_iter().unzip();
    sum.add(&lanes);
    let mut losses: Vec<_> = losses.into_iter().map(Vec::into_iter).collect();
    // Back from lanes into the order of the examples.
    let of = |(number, batch): (usize, &Range<usize>)| {
        let lane = &mut losses[number % LANES];
        lane.take(batch.len()).collect::<Vec<f64>>()
    };
    let losses = batches.iter().enumerate().flat_map(of).collect();
    (sum, losses)
}

impl Task<'_> {
    /// Forward and back with some of the examples. Their losses.
    fn run(
        &self,
        model: &Model<'_>,
        batch: Range<usize>,
        tape: &mut Tape,
        slopes: &mut Slopes,
        to: &mut Gradients,
    ) -> Vec<f64> {
        let examples = &self.examples[batch.clone()];
        let group = group(examples.iter().flatten().copied(), self.dropout);
        let rows = Batch::new(&group);
        tape.run(model, &rows);
        let logits = &tape.head.logits;
        slopes.logits.shape(logits.count(), logits.width());
        let mut first = 0;
        let mut losses = Vec::with_capacity(examples.len());
        for (number, example) in batch.zip(examples) {
            let own = first..first + example.len();
            let given: Vec<Vec<f32>> = own.clone().map(|i| logits.row(i).to_vec()).collect();
            let (loss, by) = (self.loss)(number, &given);
            assert_eq!(by.len(), given.len(), "one row of derivatives per input");
            for (row, by) in own.zip(by) {
                slopes.logits.row_mut(row).copy_from_slice(&by);
            }
            losses.push(loss);
            first += example.len();
        }
        if first > 0 {
            slopes.run(model, &rows, tape, to);
        }
        losses
    }
}

/// The logits of every input, without dropout.
pub fn logits(model: &Model<'_>, inputs: &[&Tokens]) -> Vec<Vec<f32>> {
    let examples: Vec<Vec<&Tokens>> = inputs.iter().map(|&tokens| vec![tokens]).collect();
    let run = |tape: &mut Tape, batch: Range<usize>| {
        let group = group(examples[batch].iter().flatten().copied(), None);
        tape.run(model, &Batch::new(&group));
        let logits: &Rows = &tape.head.logits;
        (0..logits.count())
            .map(|i| logits.row(i).to_vec())
            .collect::<Vec<_>>()
    };
    let each: Vec<_> = batches(&examples)
        .into_par_iter()
        .map_init(Tape::default, run)
        .collect();
    each.into_iter().flatten().collect()
}

/// Consecutive examples, as many as have about [`TOKENS`] tokens; one that has more is alone.
pub fn batches(examples: &[Vec<&Tokens>]) -> Vec<Range<usize>> {
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut tokens = usize::MAX;
    for (i, example) in examples.iter().enumerate() {
        let size: usize = example.iter().map(|tokens| tokens.ids.len()).sum();
        match batches.last_mut() {
            Some(batch) if tokens + size <= TOKENS => batch.end = i + 1,
            _ => {
                batches.push(i..i + 1);
                tokens = 0;
            }
        }
        tokens += size;
    }
    batches
}

/// Inputs laid end to end.
pub fn group<'a>(
    inputs: impl Iterator<Item = &'a Tokens>,
    dropout: Option<(Seed, u32)>,
) -> Vec<(Pass<'a>, Range<usize>)> {
    let mut end = 0;
    let place = |tokens: &'a Tokens| {
        let pass = Pass {
            tokens,
            dropout: dropout.map(|(seed, draw)| Dropout::new(seed, tokens, draw)),
        };
        let start = end;
        end += tokens.ids.len();
        (pass, start..end)
    };
    inputs.map(place).collect()
}
