//! Matches, of which tournaments are made: one duel repeated until it is decided, and then the next.
//!
//! Matches are played one after another. Where answers are late a match goes on being asked for
//! until enough of its answers have arrived, so no annotator waits; what arrives after the decision
//! is not counted. With a delay of d a match costs up to d further duels.

use super::open_duels::OpenDuels;
use std::cmp::Ordering;
use tiebreak_base::duel::{Arm, Duel, DuelId, Outcome, Pair};
use tiebreak_base::rng::Rng;

/// The standing of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MatchScore {
    /// The arms that meet.
    pub(super) pair: Pair,
    /// Answers so far.
    pub(super) duels: u64,
    /// Wins of the first, a tie being half of one.
    pub(super) wins: f64,
    ties: u64,
    /// A fair coin, thrown beforehand: who wins if both have half.
    coin: Arm,
}

impl MatchScore {
    /// The share of wins of the first, ½ before the first answer.
    pub(super) fn share(&self) -> f64 {
        if self.duels == 0 {
            return 0.5;
        }
        self.wins / self.duels as f64
    }

    /// The numbers of losses, ties and wins of the first.
    pub(super) fn counts(&self) -> [u64; 3] {
        let wins = (self.wins - self.ties as f64 / 2.0).round() as u64;
        [self.duels - self.ties - wins, self.ties, wins]
    }

    /// The arm with the larger share of wins; by a fair coin where both have half.
    pub(super) fn winner(&self) -> Arm {
        match self.share().total_cmp(&0.5) {
            Ordering::Greater => self.pair.first,
            Ordering::Less => self.pair.second,
            Ordering::Equal => self.coin,
        }
    }
}

/// The radius √(ln(4 n² / δ) / 2n) of a share after n duels: by Hoeffding's inequality and a union
/// over n, the share is that far off at any n with probability below δ.
pub(super) fn anytime_radius(duels: u64, delta: f64) -> f64 {
    let n = duels as f64;
    ((4.0 * n * n / delta).ln() / (2.0 * n)).sqrt()
}

/// The match in progress and the duels asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct MatchSeries {
    open: OpenDuels,
    current: Option<TournamentMatch>,
}

#[derive(Debug, Clone, Copy)]
struct TournamentMatch {
    score: MatchScore,
    /// The first duel of the match; answers to earlier ones belong to matches that are over.
    since: DuelId,
}

impl MatchSeries {
    /// Starts the match of two arms.
    pub(super) fn begin(&mut self, first: usize, second: usize, rng: &mut Rng) {
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        self.current = Some(TournamentMatch {
            score: MatchScore {
                pair,
                duels: 0,
                wins: 0.0,
                ties: 0,
                coin: *rng.choose(&[pair.first, pair.second]),
            },
            since: self.open.next_id(),
        });
    }

    /// A duel of the match in progress; `None` between matches.
    pub(super) fn ask(&mut self) -> Option<Duel> {
        let pair = self.current?.score.pair;
        Some(self.open.open(pair))
    }

    /// Counts an answer. Where `over` says that it decides the match, returns the result, and the
    /// next match can begin.
    pub(super) fn record_outcome(
        &mut self,
        duel: DuelId,
        outcome: Outcome,
        over: impl Fn(&MatchScore) -> bool,
    ) -> Option<MatchScore> {
        self.open.close(duel)?;
        let current = self.current.as_mut().filter(|one| duel >= one.since)?;
        current.score.duels += 1;
        current.score.wins += outcome.value();
        current.score.ties += u64::from(outcome == Outcome::Tie);
        let decided = self.current.take_if(|one| over(&one.score))?;
        Some(decided.score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn late_answers_count_for_their_own_match_only() {
        let mut versus = MatchSeries::default();
        let mut rng = Seed(1).stream("test", 0);
        let two = |score: &MatchScore| score.duels == 2;
        versus.begin(0, 1, &mut rng);
        let early: Vec<Duel> = (0..4).map(|_| versus.ask().unwrap()).collect();
        assert_eq!(versus.record_outcome(early[3].id, Outcome::Win, two), None);
        assert_eq!(versus.record_outcome(early[3].id, Outcome::Win, two), None);
        let result = versus
            .record_outcome(early[0].id, Outcome::Tie, two)
            .unwrap();
        assert_eq!((result.duels, result.share()), (2, 0.75));
        assert_eq!(result.winner(), Arm(0));
        assert_eq!(versus.record_outcome(early[1].id, Outcome::Loss, two), None);
        assert_eq!(versus.ask(), None);
        versus.begin(2, 0, &mut rng);
        let late = versus.ask().unwrap();
        assert_eq!(versus.record_outcome(early[2].id, Outcome::Loss, two), None);
        assert_eq!(versus.record_outcome(late.id, Outcome::Win, two), None);
        assert_eq!(versus.current.unwrap().score.wins, 1.0);
    }

    #[test]
    fn a_coin_decides_between_equals() {
        let mut rng = Seed(1).stream("test", 0);
        let mut firsts = 0;
        for _ in 0..2000 {
            let mut versus = MatchSeries::default();
            versus.begin(0, 1, &mut rng);
            let duel = versus.ask().unwrap();
            let result = versus
                .record_outcome(duel.id, Outcome::Tie, |_| true)
                .unwrap();
            firsts += u32::from(result.winner() == Arm(0));
        }
        assert!(firsts.abs_diff(1000) < 120, "{firsts}"); // 5 standard deviations
    }
}
