//! A match score of two texts, token by token, that can be trained.
//!
//! Greedy matching is that of BERTScore (Zhang et al., ICLR 2020). Precision p of a token of the output is its
//! cosine with the most similar token of the context; recall r of a token of the context is that with the most
//! similar one of the output. The weights of both means, the states under them and the worth of a token of the
//! output by itself are trained:
//!
//! s = mean(k₀ p + v·h) + k₁ mean(r), over the output's tokens and over the context's.
//!
//! With v = 0 and k₀ = k₁ it is the sum of BERTScore's precision and recall. The first and the last token of a
//! text are special and do not count; a text without other tokens has no matches.

use super::rows::dot;

/// The parameters of the score.
#[derive(Clone, Copy)]
pub(super) struct GreedyMatcher<'a> {
    /// k: the weights of precision and recall, in log-odds.
    pub scale: [f32; 2],
    /// v, as wide as a state.
    pub worth: &'a [f32],
}

/// A text as the states of its tokens.
pub(super) struct TokenStates {
    width: usize,
    /// The states scaled to length 1, row by row.
    units: Vec<f32>,
    /// The lengths of the states before.
    lengths: Vec<f32>,
    /// The mean of v·h.
    worth: f32,
}

/// The most similar token of the other text, and its cosine, for every token of a text.
type NearestTokens = Vec<(usize, f32)>;

/// The match of an output with its context.
#[derive(Default)]
pub(super) struct GreedyMatch {
    /// The score s.
    pub score: f32,
    /// Precision and recall.
    means: [f32; 2],
    found: [NearestTokens; 2],
}

/// Derivatives of a loss by the parameters.
pub(super) struct Slopes<'a> {
    /// The derivatives by k.
    pub scale: &'a mut [f32],
    /// The derivatives by v.
    pub worth: &'a mut [f32],
}

impl GreedyMatcher<'_> {
    /// A text from the last states of all its tokens.
    pub(crate) fn pieces<'a>(
        &self,
        states: impl ExactSizeIterator<Item = &'a [f32]>,
    ) -> TokenStates {
        let width = self.worth.len();
        let inner = states.len().saturating_sub(2);
        let mut pieces = TokenStates {
            width,
            units: Vec::with_capacity(inner * width),
            lengths: Vec::with_capacity(inner),
            worth: 0.0,
        };
        for state in states.skip(1).take(inner) {
            let length = dot(state, state).sqrt();
            let unit = |x: &f32| if length > 0.0 { x / length } else { 0.0 };
            pieces.units.extend(state.iter().map(unit));
            pieces.lengths.push(length);
            pieces.worth += dot(self.worth, state) / inner as f32;
        }
        pieces
    }

    /// Matches an output with its context.
    pub(crate) fn score(&self, output: &TokenStates, context: &TokenStates) -> GreedyMatch {
        let found = nearest_tokens(output, context);
        let mean = |found: &NearestTokens| {
            let sum: f32 = found.iter().map(|(_, cosine)| cosine).sum();
            sum / found.len().max(1) as f32
        };
        let means = found.each_ref().map(mean);
        GreedyMatch {
            score: self.scale[0] * means[0] + self.scale[1] * means[1] + output.worth,
            means,
            found,
        }
    }

    /// Adds the derivatives by the parameters and by the states of output and context (all their tokens, row by row),
    /// given that by the score.
    pub(crate) fn back(
        &self,
        by_score: f32,
        matched: &GreedyMatch,
        texts: [&TokenStates; 2],
        states: [&mut [f32]; 2],
        slopes: &mut Slopes<'_>,
    ) {
        for (slope, mean) in slopes.scale.iter_mut().zip(matched.means) {
            *slope += by_score * mean;
        }
        let mut units = texts.map(|pieces| vec![0.0; pieces.units.len()]);
        for (side, found) in matched.found.iter().enumerate() {
            let (one, other) = (texts[side], texts[1 - side]);
            let by_cosine = by_score * self.scale[side] / found.len().max(1) as f32;
            for (i, &(j, _)) in found.iter().enumerate() {
                add(by_cosine, other.unit(j), one.row(i, &mut units[side]));
                add(by_cosine, one.unit(i), other.row(j, &mut units[1 - side]));
            }
        }
        let ([output, context], [of_output, of_context]) = (texts, states);
        output.unscale(&units[0], of_output);
        context.unscale(&units[1], of_context);
        let by_worth = by_score / output.count().max(1) as f32;
        for (i, &length) in output.lengths.iter().enumerate() {
            add(by_worth, self.worth, output.state(i, of_output));
            add(by_worth * length, output.unit(i), slopes.worth);
        }
    }
}

/// The nearest tokens of every token in the other text; none where one of them is empty.
fn nearest_tokens(output: &TokenStates, context: &TokenStates) -> [NearestTokens; 2] {
    if output.count() == 0 || context.count() == 0 {
        return Default::default();
    }
    let mut found = [output, context].map(|text| vec![(0, f32::NEG_INFINITY); text.count()]);
    let [ours, theirs] = &mut found;
    for (i, our) in ours.iter_mut().enumerate() {
        for (j, their) in theirs.iter_mut().enumerate() {
            let cosine = dot(output.unit(i), context.unit(j));
            for (best, other) in [(&mut *our, j), (their, i)] {
                if cosine > best.1 {
                    *best = (other, cosine);
                }
            }
        }
    }
    found
}

impl TokenStates {
    fn count(&self) -> usize {
        self.lengths.len()
    }

    fn unit(&self, i: usize) -> &[f32] {
        &self.units[i * self.width..][..self.width]
    }

    fn row<'a>(&self, i: usize, rows: &'a mut [f32]) -> &'a mut [f32] {
        &mut rows[i * self.width..][..self.width]
    }

    /// The row of a token among those of all tokens, the first of which is special.
    fn state<'a>(&self, i: usize, states: &'a mut [f32]) -> &'a mut [f32] {
        self.row(i + 1, states)
    }

    /// Adds the derivatives by the states, given those by the states of length 1.
    fn unscale(&self, by_units: &[f32], states: &mut [f32]) {
        let by_units = by_units.chunks_exact(self.width);
        for (i, (by_unit, &length)) in by_units.zip(&self.lengths).enumerate() {
            if length > 0.0 {
                let (unit, state) = (self.unit(i), self.state(i, states));
                add(1.0 / length, by_unit, state);
                add(-dot(by_unit, unit) / length, unit, state);
            }
        }
    }
}

/// Adds a multiple of a row.
fn add(times: f32, row: &[f32], to: &mut [f32]) {
    for (to, x) in to.iter_mut().zip(row) {
        *to += times * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    const WIDTH: usize = 3;

    fn numbers(n: usize, stream: u64) -> Vec<f32> {
        let mut rng = Seed(4).stream("test", stream);
        (0..n).map(|_| rng.normal() as f32).collect()
    }

    fn score(parameters: &[f32], output: &[f32], context: &[f32]) -> f32 {
        let matching = matching(parameters);
        let [output, context] =
            [output, context].map(|rows| matching.pieces(rows.chunks_exact(WIDTH)));
        matching.score(&output, &context).score
    }

    fn matching(parameters: &[f32]) -> GreedyMatcher<'_> {
        let (scale, worth) = parameters.split_at(2);
        GreedyMatcher {
            scale: [scale[0], scale[1]],
            worth,
        }
    }

    #[test]
    fn a_small_match_by_hand() {
        // Special tokens surround the ones that count, and are far from everything.
        let around = |rows: &[[f32; WIDTH]]| {
            let special = [[9.0, -7.0, 5.0]];
            [&special, rows, &special].concat().concat()
        };
        let output = around(&[[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]]);
        let context = around(&[[1.0, 0.0, 0.0], [3.0, 4.0, 0.0]]);
        // Cosines (1, .6) and (0, .8): precision .9, recall .9.
        let plain = [10.0, 5.0, 0.0, 0.0, 0.0];
        assert!((score(&plain, &output, &context) - 13.5).abs() < 1e-5);
        // By itself: the mean of 2·2 and .5·3.
        let worth = [0.0, 0.0, 2.0, 3.0, 0.0];
        assert!((score(&worth, &output, &context) - 2.75).abs() < 1e-6);
    }

    #[test]
    fn a_text_of_special_tokens_alone_matches_nothing() {
        let parameters = numbers(2 + WIDTH, 0);
        let (text, nothing) = (numbers(4 * WIDTH, 1), numbers(2 * WIDTH, 2));
        assert_eq!(score(&parameters, &nothing, &text), 0.0);
        assert_eq!(score(&parameters, &nothing, &nothing), 0.0);
        let alone = matching(&parameters);
        let pieces = alone.pieces(text.chunks_exact(WIDTH));
        assert_eq!(score(&parameters, &text, &nothing), pieces.worth);
    }

    #[test]
    fn derivatives_are_slopes() {
        let nothing = numbers(2 * WIDTH, 3);
        let (output, context) = (numbers(6 * WIDTH, 1), numbers(5 * WIDTH, 2));
        let parameters = numbers(2 + WIDTH, 0);
        for (output, context) in [
            (&output, &context),
            (&output, &nothing),
            (&nothing, &context),
        ] {
            let matching = matching(&parameters);
            let [ours, theirs] =
                [output, context].map(|rows| matching.pieces(rows.chunks_exact(WIDTH)));
            let matched = matching.score(&ours, &theirs);
            let mut found = [parameters.len(), output.len(), context.len()].map(|n| vec![0.0; n]);
            let [by_parameters, by_output, by_context] = &mut found;
            let (scale, worth) = by_parameters.split_at_mut(2);
            let mut slopes = Slopes { scale, worth };
            matching.back(
                0.5,
                &matched,
                [&ours, &theirs],
                [by_output, by_context],
                &mut slopes,
            );
            let all = [&parameters, output, context];
            for (which, slopes) in found.iter().enumerate() {
                for (at, slope) in slopes.iter().enumerate() {
                    let moved = |by: f32| {
                        let mut moved = all.map(Clone::clone);
                        moved[which][at] += by;
                        score(&moved[0], &moved[1], &moved[2])
                    };
                    let expected = 0.5 * (moved(1e-2) - moved(-1e-2)) / 2e-2;
                    assert!(
                        (slope - expected).abs() < 2e-3 * expected.abs().max(1.0),
                        "{which} {at}: {slope}, expected {expected}"
                    );
                }
            }
        }
    }
}
