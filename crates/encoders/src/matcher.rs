//! An encoder that reads two texts separately and scores their match: see [`matching`](super::matching).

use super::engine::{HiddenStates, Pass, StateSelection};
use super::matching::{GreedyMatcher, TokenStates};
use super::parameters::{self, reader};
use super::{Checkpoint, Config, Encoder, Tokens, Weights};
use rayon::prelude::*;
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;

/// The approximate number of tokens, times draws, whose states are held at once: 100 MB at a width of 384.
const TOKENS: usize = 1 << 16;

/// An encoder with the parameters of the match score.
pub struct MatchingModel {
    encoder: Encoder,
    scale: [f32; 2],
    worth: Vec<f32>,
}

impl MatchingModel {
    /// Reads encoder and match score from the weights of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) naming the first tensor that is missing or has another shape.
    pub fn new(checkpoint: &Checkpoint, config: &Config, weights: &Weights) -> Result<Self> {
        let encoder = Encoder::new(&checkpoint.name, config, weights)?;
        let first = parameters::MatchingHeadParameters::<()>::FIRST;
        if weights.shape(first).is_none() {
            let what = format!("it has no parameters of a match (`{first}`)");
            return Err(checkpoint.untuned(what, Some("matching")));
        }
        let matching =
            parameters::MatchingHeadParameters::read_parts(config, &mut reader(weights, config))?;
        let values = |part: &candle_core::Tensor| {
            part.to_vec1::<f32>()
                .map_err(|source| encoder.failed(source))
        };
        let scale = values(&matching.scale)?;
        Ok(Self {
            scale: [scale[0], scale[1]],
            worth: values(&matching.worth)?,
            encoder,
        })
    }

    /// The score of every pair of inputs (output and context by their places) in every pass: with dropout off (`None`),
    /// or under the masks of a draw of a seed. A score depends on nothing else. Both texts are read in the same draw;
    /// pairs with a text in common are best adjacent.
    ///
    /// # Errors
    /// [`Error::Model`](tiebreak_base::error::Error::Model) for an input that is empty, too long, or has an id out of range, and if a
    /// score is not a finite number.
    pub fn scores(
        &self,
        inputs: &[&Tokens],
        pairs: &[(usize, usize)],
        draws: &[Option<(Seed, u32)>],
    ) -> Result<Vec<Vec<f32>>> {
        let mut all = Vec::with_capacity(pairs.len());
        let mut rest = pairs;
        while !rest.is_empty() {
            let (some, read) = few(inputs, rest, draws.len());
            all.extend(self.read(inputs, &rest[..some], &read, draws)?);
            rest = &rest[some..];
        }
        Ok(all)
    }

    /// The scores of pairs that need only a few inputs.
    fn read(
        &self,
        inputs: &[&Tokens],
        pairs: &[(usize, usize)],
        needed: &[usize],
        draws: &[Option<(Seed, u32)>],
    ) -> Result<Vec<Vec<f32>>> {
        let layers = self.encoder.config().layers;
        let of = |&input: &usize| {
            draws
                .iter()
                .map(move |&draw| self.encoder.pass(inputs[input], draw))
        };
        let passes: Vec<Pass<'_>> = needed.iter().flat_map(of).collect();
        let read = self
            .encoder
            .run(&passes, &StateSelection::Layers(layers..=layers))?;
        let matching = GreedyMatcher {
            scale: self.scale,
            worth: &self.worth,
        };
        let pieces =
            |hidden: &HiddenStates| matching.pieces(hidden.layers[0].chunks_exact(hidden.width));
        let pieces: Vec<TokenStates> = read.par_iter().map(pieces).collect();
        let place = |input| needed.binary_search(&input).expect("it is needed") * draws.len();
        let score = |&(output, context): &(usize, usize)| {
            let (output, context) = (place(output), place(context));
            let each = (0..draws.len()).map(|draw| {
                let [output, context] = [output, context].map(|first| &pieces[first + draw]);
                matching.score(output, context).score
            });
            each.collect::<Vec<f32>>()
        };
        let scores: Vec<Vec<f32>> = pairs.par_iter().map(score).collect();
        match scores.iter().flatten().find(|score| !score.is_finite()) {
            None => Ok(scores),
            Some(score) => Err(self
                .encoder
                .failed(format!("a score is {score}, expected a finite number"))),
        }
    }
}

/// The number of pairs that are scored together, at least one, and the inputs they need, in order.
fn few(inputs: &[&Tokens], pairs: &[(usize, usize)], draws: usize) -> (usize, Vec<usize>) {
    let mut needed = std::collections::BTreeSet::new();
    let mut tokens = 0;
    for (count, &(output, context)) in pairs.iter().enumerate() {
        for input in [output, context] {
            if !needed.contains(&input) {
                tokens += inputs[input].ids.len() * draws;
            }
        }
        if count > 0 && tokens > TOKENS {
            return (count, needed.into_iter().collect());
        }
        needed.extend([output, context]);
    }
    (pairs.len(), needed.into_iter().collect())
}
