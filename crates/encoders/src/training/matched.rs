//! The match score in training: of every input of an example with its last, the context.

use super::gradients::Gradients;
use super::parameter::Parameter;
use super::rows::MicroBatch;
use crate::matching::{GreedyMatch, GreedyMatcher, Slopes, TokenStates};
use crate::packed::AlignedMatrix;
use crate::parameters;

/// The parameters of the score, and their places in the list.
pub(crate) struct MatchingHead<'a> {
    at: &'a parameters::MatchingHeadParameters<usize>,
    matching: GreedyMatcher<'a>,
}

/// The pieces and matches that the backward pass needs, one per sequence.
#[derive(Default)]
pub(crate) struct MatchTape {
    pieces: Vec<TokenStates>,
    matches: Vec<GreedyMatch>,
}

impl<'a> MatchingHead<'a> {
    /// The head of the parameters at some places of the list.
    pub(super) fn new(
        list: &'a [Parameter],
        at: &'a parameters::MatchingHeadParameters<usize>,
    ) -> Self {
        let values = |number: usize| &list[number].values[..];
        let scale = values(at.scale);
        let matching = GreedyMatcher {
            scale: [scale[0], scale[1]],
            worth: values(at.worth),
        };
        Self { at, matching }
    }

    /// Computes one score of every sequence from last states, 0 for a context.
    pub(super) fn run(
        &self,
        states: &AlignedMatrix,
        batch: &MicroBatch<'_>,
        tape: &mut MatchTape,
        scores: &mut AlignedMatrix,
    ) {
        let pieces = |tokens: &std::ops::Range<usize>| {
            self.matching
                .pieces(tokens.clone().map(|row| states.row(row)))
        };
        tape.pieces = batch.tokens.iter().map(pieces).collect();
        tape.matches.clear();
        scores.shape(batch.tokens.len(), 1);
        for example in &batch.examples {
            let context = example.end - 1;
            for i in example.clone() {
                let matched = match i == context {
                    true => GreedyMatch::default(),
                    false => self.matching.score(&tape.pieces[i], &tape.pieces[context]),
                };
                scores.row_mut(i)[0] = matched.score;
                tape.matches.push(matched);
            }
        }
    }

    /// Writes the derivatives by the states, given those by the scores, and adds the derivatives by the
    /// parameters.
    pub(super) fn back(
        &self,
        by_scores: &AlignedMatrix,
        batch: &MicroBatch<'_>,
        tape: &MatchTape,
        by_states: &mut AlignedMatrix,
        to: &mut Gradients,
    ) {
        let width = self.matching.worth.len();
        by_states.shape(batch.size(), width);
        let [scale, worth] = to.some([self.at.scale, self.at.worth]);
        let mut slopes = Slopes { scale, worth };
        let zeros = |i: usize| vec![0.0; batch.tokens[i].len() * width];
        for example in &batch.examples {
            let context = example.end - 1;
            let mut of_context = zeros(context);
            let mut write = |i: usize, rows: &[f32]| {
                for (row, by) in batch.tokens[i].clone().zip(rows.chunks_exact(width)) {
                    by_states.row_mut(row).copy_from_slice(by);
                }
            };
            for i in example.start..context {
                let mut of_output = zeros(i);
                let pieces = [&tape.pieces[i], &tape.pieces[context]];
                let states = [&mut of_output[..], &mut of_context[..]];
                let by_score = by_scores.row(i)[0];
                self.matching
                    .back(by_score, &tape.matches[i], pieces, states, &mut slopes);
                write(i, &of_output);
            }
            write(context, &of_context);
        }
    }
}
