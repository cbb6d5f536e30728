//! Training examples: inputs with the judgments of pairs of them.

use super::loss::{self, JudgmentCounts};
use super::settings::Settings;
use tiebreak_encoders::Tokens;
use tiebreak_encoders::descriptor::Head;

/// A pair of inputs, or of outputs, and its judgments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedPair {
    /// The place of the first.
    pub first: usize,
    /// The place of the second.
    pub second: usize,
    /// The judgments of the first against the second.
    pub said: JudgmentCounts,
}

/// Inputs that share a loss. For the pointwise head: the outputs of one item; for the matching head
/// also their context, the last. For the pairwise head: one pair, in both orders; a step of training shows one of the two.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingExample {
    /// The inputs.
    pub inputs: Vec<Tokens>,
    /// Pairs of them, at least one.
    pub pairs: Vec<JudgedPair>,
    /// The number of inputs that lost the end of a text to the largest length.
    pub cut: usize,
}

impl TrainingExample {
    /// The number of judgments it holds; its weight in a mean loss.
    pub fn judgments(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.said.total()).sum()
    }

    /// The length of its longest input, in tokens.
    pub fn length(&self) -> usize {
        let lengths = self.inputs.iter().map(|tokens| tokens.ids.len());
        lengths.max().unwrap_or(0)
    }

    /// The inputs that a step of training shows: all of them, or of a pairwise example one order.
    pub fn shown(&self, head: Head, turned: bool) -> Vec<&Tokens> {
        match head {
            Head::Pointwise | Head::Matching => self.inputs.iter().collect(),
            Head::Pairwise => vec![&self.inputs[usize::from(turned)]],
        }
    }

    /// The loss of what is shown, summed over judgments, and its derivatives by the logits.
    pub fn loss(
        &self,
        settings: &Settings,
        turned: bool,
        logits: &[Vec<f32>],
    ) -> (f64, Vec<Vec<f32>>) {
        match settings.head {
            Head::Pointwise | Head::Matching => self.of_scores(logits),
            Head::Pairwise => {
                let said = self.pairs[0].said;
                let said = if turned { said.flipped() } else { said };
                let (loss, derivatives) = of_pair(&logits[0], said);
                (loss, vec![derivatives])
            }
        }
    }

    fn of_scores(&self, scores: &[Vec<f32>]) -> (f64, Vec<Vec<f32>>) {
        let mut total = 0.0;
        let mut derivatives = vec![0.0; scores.len()];
        for &JudgedPair {
            first,
            second,
            said,
        } in &self.pairs
        {
            let d = f64::from(scores[first][0]) - f64::from(scores[second][0]);
            let (loss, slope) = loss::of_log_odds(d, said);
            total += said.total() * loss;
            derivatives[first] += said.total() * slope;
            derivatives[second] -= said.total() * slope;
        }
        (
            total,
            derivatives.into_iter().map(|d| vec![d as f32]).collect(),
        )
    }

    /// The quality of the logits of all inputs: the loss of every pair, and whether the side that more people were for
    /// is preferred; pairwise examples in both orders, averaged.
    pub(crate) fn quality(&self, settings: &Settings, logits: &[Vec<f32>]) -> LossSums {
        let mut quality = LossSums::default();
        for &JudgedPair {
            first,
            second,
            said,
        } in &self.pairs
        {
            let (there, back) = match settings.head {
                Head::Pointwise | Head::Matching => {
                    let d = f64::from(logits[first][0]) - f64::from(logits[second][0]);
                    ((loss::of_log_odds(d, said).0, d), None)
                }
                Head::Pairwise => {
                    let turned = of_pair(&logits[second], said.flipped()).0 / said.total();
                    let there = of_pair(&logits[first], said).0 / said.total();
                    let back = (turned, -margin(&logits[second]));
                    ((there, margin(&logits[first])), Some(back))
                }
            };
            let back = back.unwrap_or(there);
            quality.judgments += said.total();
            quality.loss += said.total() * 0.5 * (there.0 + back.0);
            let side = said.wins - said.losses;
            if side != 0.0 {
                quality.decided += 1.0;
                quality.right += 0.5 * (agrees(there.1, side) + agrees(back.1, side));
            }
        }
        quality
    }
}

/// Returns 1 where two numbers have the same sign, ½ where the first is 0.
fn agrees(margin: f64, side: f64) -> f64 {
    match margin * side {
        product if product > 0.0 => 1.0,
        product if product < 0.0 => 0.0,
        _ => 0.5,
    }
}

/// The margin by which the logits of a pairwise input are for `a`.
fn margin(logits: &[f32]) -> f64 {
    match logits {
        [b, _, a] => f64::from(*a) - f64::from(*b),
        _ => f64::from(logits[0]),
    }
}

/// The loss of a pairwise input, summed over judgments, and its derivatives.
fn of_pair(logits: &[f32], said: JudgmentCounts) -> (f64, Vec<f32>) {
    let weight = said.total();
    match logits {
        &[b, tie, a] => {
            let (loss, slopes) = loss::of_classes([b, tie, a].map(f64::from), said);
            (weight * loss, slopes.map(|x| (weight * x) as f32).to_vec())
        }
        _ => {
            let (loss, slope) = loss::of_log_odds(f64::from(logits[0]), said);
            (weight * loss, vec![(weight * slope) as f32])
        }
    }
}

/// Sums over pairs, from which a mean loss and an accuracy follow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct LossSums {
    judgments: f64,
    loss: f64,
    decided: f64,
    right: f64,
}

impl LossSums {
    /// Adds the sums of other pairs.
    pub(crate) fn add(&mut self, other: Self) {
        self.judgments += other.judgments;
        self.loss += other.loss;
        self.decided += other.decided;
        self.right += other.right;
    }

    /// The mean loss of a judgment, in nats.
    pub(crate) fn loss(&self) -> f64 {
        self.loss / self.judgments
    }

    /// The share of pairs with a majority where the model prefers the side that more people were for; ½ where there are
    /// no such pairs.
    pub(crate) fn accuracy(&self) -> f64 {
        match self.decided {
            0.0 => 0.5,
            decided => self.right / decided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preference::training::Ties;

    fn judgment_counts(wins: f64, ties: f64, losses: f64) -> JudgmentCounts {
        JudgmentCounts { wins, ties, losses }
    }

    fn example(inputs: usize, pairs: &[(usize, usize, JudgmentCounts)]) -> TrainingExample {
        let pair = |&(first, second, said): &(usize, usize, JudgmentCounts)| JudgedPair {
            first,
            second,
            said,
        };
        TrainingExample {
            inputs: vec![Tokens::default(); inputs],
            pairs: pairs.iter().map(pair).collect(),
            cut: 0,
        }
    }

    fn settings(head: Head, ties: Ties) -> Settings {
        Settings {
            head,
            ties,
            ..Settings::default()
        }
    }

    /// Derivatives against finite differences of the loss.
    fn slopes_fit(
        example: &TrainingExample,
        settings: &Settings,
        turned: bool,
        logits: &[Vec<f32>],
    ) {
        let (_, derivatives) = example.loss(settings, turned, logits);
        let step = 1.0 / 64.0;
        for (input, row) in derivatives.iter().enumerate() {
            for (label, derivative) in row.iter().enumerate() {
                let moved = |by: f32| {
                    let mut logits = logits.to_vec();
                    logits[input][label] += by;
                    example.loss(settings, turned, &logits).0
                };
                let slope = (moved(step) - moved(-step)) / f64::from(2.0 * step);
                assert!(
                    (slope - f64::from(*derivative)).abs() < 2e-3,
                    "{slope} {derivative}"
                );
            }
        }
    }

    #[test]
    fn derivatives_are_slopes() {
        let pointwise = settings(Head::Pointwise, Ties::Half);
        let pairs = [
            (0, 1, judgment_counts(3.0, 1.0, 0.0)),
            (2, 1, judgment_counts(0.0, 1.0, 2.0)),
        ];
        let scores = [vec![0.25], vec![-0.5], vec![1.5]];
        slopes_fit(&example(3, &pairs), &pointwise, false, &scores);
        let one = example(2, &pairs[..1]);
        for turned in [false, true] {
            let half = settings(Head::Pairwise, Ties::Half);
            slopes_fit(&one, &half, turned, &[vec![0.75]]);
            let class = settings(Head::Pairwise, Ties::Class);
            slopes_fit(&one, &class, turned, &[vec![0.75, -0.25, 0.5]]);
        }
    }

    #[test]
    fn quality_is_the_loss_without_dropout_and_sees_both_orders() {
        let pointwise = settings(Head::Pointwise, Ties::Half);
        let of_three = example(
            3,
            &[
                (0, 1, judgment_counts(2.0, 0.0, 1.0)),
                (1, 2, judgment_counts(0.0, 4.0, 0.0)),
            ],
        );
        let scores = [vec![1.0], vec![0.25], vec![0.5]];
        let quality = of_three.quality(&pointwise, &scores);
        let (loss, _) = of_three.loss(&pointwise, false, &scores);
        assert!((quality.loss() - loss / 7.0).abs() < 1e-12);
        assert_eq!(quality.accuracy(), 1.0, "ties are not decided");

        let pairwise = settings(Head::Pairwise, Ties::Half);
        let one = example(2, &[(0, 1, judgment_counts(1.0, 0.0, 0.0))]);
        // This model is always for the first that it reads: right in one order, wrong in the other.
        let sided = [vec![2.0], vec![2.0]];
        let quality = one.quality(&pairwise, &sided);
        let losses = [false, true].map(|turned| one.loss(&pairwise, turned, &sided[..1]).0);
        assert!((quality.loss() - 0.5 * (losses[0] + losses[1])).abs() < 1e-12);
        assert_eq!(quality.accuracy(), 0.5);
        let mut sum = LossSums::default();
        assert_eq!(sum.accuracy(), 0.5);
        sum.add(quality);
        assert_eq!(sum, quality);
    }
}
