//! Knockout: a tournament whose matches become longer and more certain from round to round.
//!
//! Source: Falahatgar, Orlitsky, Pichapati and Suresh, "Maximum selection and ranking under noisy
//! comparisons", ICML 2017. Assumes strong stochastic transitivity and the stochastic triangle
//! inequality.
//! Parameters: `epsilon` (0.2), by how much the winner may fall short of the best; `gamma` (0.6),
//! the strength of the transitivity; `delta` (0.09), the probability of error allowed.
//!
//! In round i = 1, 2, … the survivors are paired at random, an odd one advances, and every pair
//! plays with `ε_i` = (2^⅓ − 1) ε / (γ 2^(i/3)) and `δ_i` = δ / 2^i: duels go on while
//! |q − ½| ≤ c − `ε_i` and n ≤ ln(2/`δ_i`) / (2 `ε_i`²), where q is the share of wins after n duels and
//! c = √(ln(4 n²/`δ_i`) / 2n). The higher share advances. Until the end, the first survivor leads.
//! Late answers: see `versus.rs`.
//!
//! `variant=released` has δ in place of `δ_i` inside c, which makes matches slightly shorter, and lets
//! the second arm advance where the shares are equal.

use super::bracket::{Bracket, BracketStep};
use super::versus::{MatchScore, MatchSeries, anytime_radius};
use super::{Arena, BuildDueling, DuelingBandit, Variant, positive, probability};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `knockout`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "knockout",
    summary: "a tournament with matches that become longer from round to round",
    cite: "Falahatgar et al., ICML 2017",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    epsilon: f64,
    gamma: f64,
    delta: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            epsilon: 0.2,
            gamma: 0.6,
            delta: 0.09,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let parameters: Parameters = params.read("knockout")?;
    positive("knockout", "epsilon", parameters.epsilon)?;
    positive("knockout", "gamma", parameters.gamma)?;
    probability("knockout", "delta", parameters.delta)?;
    Ok(Box::new(Knockout {
        parameters,
        bracket: Bracket::new(arena.k()),
        versus: MatchSeries::default(),
        round: 0,
    }))
}

struct Knockout {
    parameters: Parameters,
    bracket: Bracket,
    versus: MatchSeries,
    /// i; 0 before the first.
    round: i32,
}

/// The rule by which a match of one round is over.
#[derive(Debug, Clone, Copy)]
struct KnockoutMatchRule {
    epsilon: f64,
    /// The δ within c.
    delta: f64,
    budget: f64,
}

impl KnockoutMatchRule {
    fn of_round(parameters: &Parameters, round: i32) -> Self {
        let shrinking = 2.0_f64.powf(f64::from(round) / 3.0);
        let epsilon = (2.0_f64.cbrt() - 1.0) * parameters.epsilon / (parameters.gamma * shrinking);
        let delta = parameters.delta / 2.0_f64.powi(round);
        Self {
            epsilon,
            delta: match parameters.variant {
                Variant::Original => delta,
                Variant::Released => parameters.delta,
            },
            budget: (2.0 / delta).ln() / (2.0 * epsilon * epsilon),
        }
    }

    fn over(&self, score: &MatchScore) -> bool {
        let clear = anytime_radius(score.duels, self.delta) - self.epsilon;
        (score.share() - 0.5).abs() > clear || score.duels as f64 > self.budget
    }
}

impl Knockout {
    fn begin_round(&mut self, rng: &mut Rng) {
        if self.round > 0 {
            self.bracket.next_round();
        }
        self.round += 1;
        rng.shuffle(self.bracket.alive_mut());
    }

    fn winner(&self, score: &MatchScore) -> Arm {
        match self.parameters.variant {
            Variant::Released if score.share() == 0.5 => score.pair.second,
            _ => score.winner(),
        }
    }
}

impl DuelingBandit for Knockout {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if self.round == 0 {
            self.begin_round(rng);
        }
        loop {
            if let Some(duel) = self.versus.ask() {
                return Some(duel);
            }
            match self.bracket.next() {
                BracketStep::Match(first, second) => self.versus.begin(first, second, rng),
                BracketStep::Bye(arm) => self.bracket.advance(arm),
                BracketStep::RoundOver if self.bracket.is_final() => return None,
                BracketStep::RoundOver => self.begin_round(rng),
            }
        }
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        let rule = KnockoutMatchRule::of_round(&self.parameters, self.round);
        let result = self
            .versus
            .record_outcome(duel, outcome, |score| rule.over(score));
        if let Some(score) = result {
            let winner = self.winner(&score);
            self.bracket.advance(winner.index());
        }
    }

    fn leader(&self) -> Arm {
        Arm::from(self.bracket.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Pair;
    use tiebreak_base::rng::Seed;

    /// The lengths of the matches in which the lower arm always wins, or all duels are ties.
    fn lengths(variant: Variant, outcome: impl Fn(Pair) -> Outcome) -> (Vec<usize>, Arm) {
        let (_, params) = Params::parse("knockout").unwrap();
        let arena = Arena::new(5, 100).unwrap();
        let mut parameters: Parameters = params.read("knockout").unwrap();
        parameters.variant = variant;
        let mut knockout = Knockout {
            parameters,
            bracket: Bracket::new(arena.k()),
            versus: MatchSeries::default(),
            round: 0,
        };
        let mut rng = Seed(1).stream("test", 0);
        let mut asked = Vec::new();
        while let Some(duel) = knockout.ask(&mut rng) {
            knockout.record_outcome(duel.id, outcome(duel.pair), Origin::Human);
            asked.push(duel.pair);
        }
        let matches = asked.chunk_by(|a, b| a == b);
        (matches.map(<[Pair]>::len).collect(), knockout.leader())
    }

    #[test]
    fn a_tied_match_is_as_long_as_its_budget_or_until_the_radius_is_below_epsilon() {
        let (lengths, _) = lengths(Variant::Original, |_| Outcome::Tie);
        let expected = |round: i32| {
            let epsilon =
                0.259_921_049_894_873_2 * 0.2 / (0.6 * 2.0_f64.powf(f64::from(round) / 3.0));
            let delta = 0.09 / f64::from(1 << round);
            let over = |n: &u64| {
                let radius = ((4.0 * (n * n) as f64 / delta).ln() / (2 * n) as f64).sqrt();
                radius < epsilon || *n as f64 > (2.0 / delta).ln() / (2.0 * epsilon * epsilon)
            };
            (1..100_000).find(over).unwrap() as usize
        };
        assert_eq!(lengths, [1, 1, 2, 3].map(expected));
    }

    #[test]
    fn clear_matches_are_shorter_as_released() {
        let better = |pair: Pair| {
            if pair.first < pair.second {
                Outcome::Win
            } else {
                Outcome::Loss
            }
        };
        let (original, winner) = lengths(Variant::Original, better);
        let (released, _) = lengths(Variant::Released, better);
        assert_eq!((original.len(), winner), (4, Arm(0)));
        assert!(original.iter().sum::<usize>() > released.iter().sum::<usize>());
        assert!(original[3] > original[0], "later rounds are longer");
    }
}
