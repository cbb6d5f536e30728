//! A known preference matrix, which systems truly beat which, and answers drawn from it.

use super::names::{Names, all_pairs, pair_index};
use super::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak_base::duel::{Arm, Outcome, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Rng;

/// `p_ij`, the probability that system i is preferred to j, a tie counting one half to each.
#[derive(Debug, Clone, PartialEq)]
pub struct PreferenceMatrix {
    k: usize,
    /// `p_ij` for i < j, row by row.
    upper: Vec<f64>,
}

impl PreferenceMatrix {
    /// Creates the matrix from `p_ij` for i < j, row by row: (0,1), (0,2), …, (1,2), …
    ///
    /// # Errors
    /// [`Error::Usage`] if their number is not `k`(`k` − 1)/2 or one is no probability.
    pub fn from_upper(k: usize, upper: &[f64]) -> Result<Self> {
        let expected = k * k.saturating_sub(1) / 2;
        if upper.len() != expected {
            return Err(Error::usage(format!(
                "{} preferences among {k} systems, expected {expected}",
                upper.len()
            )));
        }
        if let Some(p) = upper.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(Error::usage(format!(
                "a preference is {p}, expected a number from 0 to 1"
            )));
        }
        Ok(Self {
            k,
            upper: upper.to_vec(),
        })
    }

    /// The number of systems.
    pub fn k(&self) -> usize {
        self.k
    }

    /// `p_ij`; ½ on the diagonal.
    pub fn get(&self, i: Arm, j: Arm) -> f64 {
        let stored = |i, j| self.upper[pair_index(self.k, Pair::new(i, j))];
        match i.cmp(&j) {
            std::cmp::Ordering::Less => stored(i, j),
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0 - stored(j, i),
        }
    }

    /// The Copeland score of every system: how many it beats, `p_ij` > ½.
    pub fn copeland(&self) -> Vec<usize> {
        let mut scores = vec![0; self.k];
        for (pair, &p) in all_pairs(self.k).zip(&self.upper) {
            if p > 0.5 {
                scores[pair.first.index()] += 1;
            } else if p < 0.5 {
                scores[pair.second.index()] += 1;
            }
        }
        scores
    }

    /// The systems with the highest Copeland score, in order.
    pub fn copeland_winners(&self) -> Vec<Arm> {
        self.winners_among(&Arm::all(self.k).collect::<Vec<_>>())
    }

    /// The members of `arms` that beat most of the others among them, in the order given.
    pub fn winners_among(&self, arms: &[Arm]) -> Vec<Arm> {
        let beaten = |&arm: &Arm| {
            arms.iter()
                .filter(|&&other| self.get(arm, other) > 0.5)
                .count()
        };
        let best = arms.iter().map(beaten).max();
        let is_best = |arm: &Arm| Some(beaten(arm)) == best;
        arms.iter().copied().filter(is_best).collect()
    }

    /// The system that beats all others, where there is one.
    pub fn condorcet_winner(&self) -> Option<Arm> {
        let place = self
            .copeland()
            .iter()
            .position(|score| score + 1 == self.k)?;
        Some(Arm::from(place))
    }
}

/// Answers drawn independently from a known matrix, a given share of them ties.
#[derive(Debug, Clone)]
pub struct Bernoulli {
    matrix: PreferenceMatrix,
    ties: f64,
}

impl Bernoulli {
    /// Answers whose mean is the matrix, of which the share `ties` are ties.
    ///
    /// # Errors
    /// [`Error::Usage`] if so many ties leave no room for a preference in the matrix: `p_ij` must
    /// lie in [ties/2, 1 − ties/2].
    pub fn new(matrix: PreferenceMatrix, ties: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&ties) {
            return Err(Error::usage(format!(
                "a share of ties is {ties}, expected a number from 0 to 1"
            )));
        }
        let fits = |&p: &f64| p >= ties / 2.0 && p <= 1.0 - ties / 2.0;
        let names = Names::numbered(matrix.k());
        match all_pairs(matrix.k())
            .zip(&matrix.upper)
            .find(|(_, p)| !fits(p))
        {
            Some((pair, p)) => Err(Error::usage(format!(
                "the preference between {} is {p}, impossible when {ties} of the answers are ties",
                names.pair(pair)
            ))),
            None => Ok(Self { matrix, ties }),
        }
    }
}

impl FeedbackSource for Bernoulli {
    fn draw(&mut self, _pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let judgment = rng.next_u32();
        Ok(Sample {
            judgment,
            ..Sample::item(0)
        })
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let u = (f64::from(question.sample.judgment) + 0.5) / 4_294_967_296.0;
        let pair = question.duel.pair;
        let wins = self.matrix.get(pair.first, pair.second) - self.ties / 2.0;
        let outcome = if u < wins {
            Outcome::Win
        } else if u < wins + self.ties {
            Outcome::Tie
        } else {
            Outcome::Loss
        };
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::{Duel, DuelId};
    use tiebreak_base::rng::Seed;

    #[test]
    fn answers_have_the_mean_and_the_ties_asked_for() {
        let matrix = PreferenceMatrix::from_upper(2, &[0.7]).unwrap();
        let mut source = Bernoulli::new(matrix, 0.4).unwrap();
        let mut rng = Seed(4).stream("test", 0);
        let pair = Pair::new(Arm(1), Arm(0));
        let (mut sum, mut ties) = (0.0, 0.0);
        let n = 40_000_u32;
        for id in 0..u64::from(n) {
            let sample = source.draw(pair, &mut rng).unwrap();
            let id = DuelId(id);
            let duel = Duel { id, pair, bet: 0.0 };
            let Reply::Answer(answer) = source.ask(PairQuestion { duel, sample }).unwrap() else {
                panic!("a matrix answers at once");
            };
            sum += answer.outcome.value();
            ties += f64::from(u8::from(answer.outcome == Outcome::Tie));
        }
        assert!((sum / f64::from(n) - 0.3).abs() < 0.01);
        assert!((ties / f64::from(n) - 0.4).abs() < 0.01);
    }

    #[test]
    fn too_many_ties_are_refused() {
        let matrix = PreferenceMatrix::from_upper(2, &[0.9]).unwrap();
        assert!(Bernoulli::new(matrix.clone(), 0.2).is_ok());
        assert!(Bernoulli::new(matrix, 0.21).is_err());
    }
}
