//! Examples in micro-batches, micro-batches in lanes that run in parallel and are summed in order.

use super::Loss;
use super::backward::ActivationGradients;
use super::forward::Tape;
use super::gradients::Gradients;
use super::model::Model;
use super::rows::MicroBatch;
use crate::Tokens;
use crate::dropout::Dropout;
use crate::engine::Pass;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use tiebreak_base::rng::Seed;

/// The number of sums, whatever the number of threads.
const LANES: usize = 8;

/// The approximate number of tokens of a micro-batch: its activations are then 60 MB in a model of
/// six layers of width 384.
const TOKENS: usize = 512;

/// Memory of earlier calls, for reuse: a step needs more than half a gigabyte, and getting it from
/// the system page by page takes a tenth of the step.
#[derive(Default)]
pub(crate) struct BufferPool {
    lanes: Mutex<Vec<Gradients>>,
    workspaces: Mutex<Vec<Workspace>>,
}

/// The buffers of one micro-batch.
#[derive(Default)]
struct Workspace {
    tape: Tape,
    of_activations: ActivationGradients,
}

fn take<T>(from: &Mutex<Vec<T>>) -> Option<T> {
    from.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

fn give<T>(to: &Mutex<Vec<T>>, some: impl IntoIterator<Item = T>) {
    to.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .extend(some);
}

/// The examples, and the draw of their masks.
struct GradientTask<'a> {
    examples: &'a [Vec<&'a Tokens>],
    dropout: Option<(Seed, u32)>,
    loss: &'a Loss<'a>,
}

/// The sum of the examples' gradients, and their losses in order.
pub(crate) fn gradients(
    model: &Model<'_>,
    pool: &BufferPool,
    examples: &[Vec<&Tokens>],
    dropout: Option<(Seed, u32)>,
    loss: &Loss<'_>,
) -> (Gradients, Vec<f64>) {
    let mut sum = Gradients::new(model.list, examples.iter().flatten().copied());
    let task = GradientTask {
        examples,
        dropout,
        loss,
    };
    let batches = batches(examples);
    let lanes: Vec<(Gradients, Vec<f64>)> = (0..LANES.min(batches.len()))
        .into_par_iter()
        .map(|lane| {
            let mut to = sum.zeros(take(&pool.lanes));
            let mut workspace = take(&pool.workspaces).unwrap_or_default();
            let own = batches.iter().skip(lane).step_by(LANES);
            let losses =
                own.flat_map(|batch| task.run(model, batch.clone(), &mut workspace, &mut to));
            let losses = losses.collect();
            give(&pool.workspaces, [workspace]);
            (to, losses)
        })
        .collect();
    let (lanes, losses): (Vec<_>, Vec<_>) = lanes.into_iter().unzip();
    sum.add(&lanes);
    give(&pool.lanes, lanes);
    let mut losses: Vec<_> = losses.into_iter().map(Vec::into_iter).collect();
    // Back from lanes into the order of the examples.
    let of = |(number, batch): (usize, &Range<usize>)| {
        let lane = &mut losses[number % LANES];
        lane.take(batch.len()).collect::<Vec<f64>>()
    };
    let losses = batches.iter().enumerate().flat_map(of).collect();
    (sum, losses)
}

impl GradientTask<'_> {
    /// Runs some of the examples forward and back, and returns their losses.
    fn run(
        &self,
        model: &Model<'_>,
        batch: Range<usize>,
        Workspace {
            tape,
            of_activations,
        }: &mut Workspace,
        to: &mut Gradients,
    ) -> Vec<f64> {
        let examples = &self.examples[batch.clone()];
        let group = group(examples.iter().flatten().copied(), self.dropout);
        let rows = MicroBatch::new(&group, examples.iter().map(Vec::len));
        tape.run(model, &rows);
        let logits = &tape.head.logits;
        of_activations.logits.shape(logits.count(), logits.width());
        let mut first = 0;
        let mut losses = Vec::with_capacity(examples.len());
        for (number, example) in batch.zip(examples) {
            let own = first..first + example.len();
            let given: Vec<Vec<f32>> = own.clone().map(|i| logits.row(i).to_vec()).collect();
            let (loss, by) = (self.loss)(number, &given);
            assert_eq!(by.len(), given.len(), "one row of derivatives per input");
            for (row, by) in own.zip(by) {
                of_activations.logits.row_mut(row).copy_from_slice(&by);
            }
            losses.push(loss);
            first += example.len();
        }
        if first > 0 {
            of_activations.run(model, &rows, tape, to);
        }
        losses
    }
}

/// The logits of every input of every example, without dropout.
pub(crate) fn logits(
    model: &Model<'_>,
    pool: &BufferPool,
    examples: &[Vec<&Tokens>],
) -> Vec<Vec<Vec<f32>>> {
    let run = |batch: Range<usize>| {
        let mut workspace = take(&pool.workspaces).unwrap_or_default();
        let examples = &examples[batch];
        let group = group(examples.iter().flatten().copied(), None);
        let batch = MicroBatch::new(&group, examples.iter().map(Vec::len));
        workspace.tape.run(model, &batch);
        let logits = &workspace.tape.head.logits;
        let of = |inputs: &Range<usize>| inputs.clone().map(|i| logits.row(i).to_vec()).collect();
        let each = batch.examples.iter().map(of).collect::<Vec<_>>();
        give(&pool.workspaces, [workspace]);
        each
    };
    let each: Vec<_> = batches(examples).into_par_iter().map(run).collect();
    each.into_iter().flatten().collect()
}

/// Batches of consecutive examples of about [`TOKENS`] tokens; one that has more is alone.
pub(crate) fn batches(examples: &[Vec<&Tokens>]) -> Vec<Range<usize>> {
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

/// Lays inputs end to end.
pub(crate) fn group<'a>(
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
