//! Sequential elimination: an anchor meets every other system once, and gives way to whoever
//! clearly beats it.
//!
//! Source: Falahatgar, Hao, Orlitsky, Pichapati and Ravindrakumar, "Maxing and ranking with few
//! assumptions", NeurIPS 2017, algorithms 1 and 2. Assumes strong stochastic transitivity.
//! Parameters: `delta` (0.01), the probability of error allowed; `eps-lower` (0) and `eps-upper`
//! (0.05), the advantages over the anchor at which a challenger should fail and should win.
//!
//! Anchor and challengers come in random order, each challenger once. With mid = (ε_u + ε_l)/2, a
//! match goes on while |q − mid| ≤ √(ln(4 n²/δ') / 2n) and n < ⌊2 ln(2/δ') / (ε_u − ε_l)²⌋, where q is
//! the challenger's share of wins after n duels less ½; the challenger becomes the anchor if
//! q ≥ mid. The anchor leads. Late answers: see `versus.rs`.
//!
//! Every match may err with δ' = δ/K; `variant=released` takes δ' = δ.

use super::versus::{MatchScore, MatchSeries, anytime_radius};
use super::{Arena, BuildDueling, DuelingBandit, Variant, probability};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `sequential-elimination`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "sequential-elimination",
    summary: "one system after another against the best so far",
    cite: "Falahatgar et al., NeurIPS 2017",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    delta: f64,
    eps_lower: f64,
    eps_upper: f64,
    variant: Variant,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            delta: 0.01,
            eps_lower: 0.0,
            eps_upper: 0.05,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let parameters: Parameters = params.read("sequential-elimination")?;
    probability("sequential-elimination", "delta", parameters.delta)?;
    let (lower, upper) = (parameters.eps_lower, parameters.eps_upper);
    if !(0.0 <= lower && lower < upper && upper <= 0.5) {
        return Err(Error::usage(format!(
            "sequential-elimination: eps-lower is {lower} and eps-upper {upper}, \
             expected 0 ≤ eps-lower < eps-upper ≤ 0.5"
        )));
    }
    Ok(Box::new(SequentialElimination {
        rule: SequentialMatchRule::new(&parameters, arena.k()),
        anchor: None,
        remaining: (0..arena.k()).collect(),
        versus: MatchSeries::default(),
    }))
}

struct SequentialElimination {
    rule: SequentialMatchRule,
    anchor: Option<usize>,
    /// The arms that have not met the anchor.
    remaining: Vec<usize>,
    versus: MatchSeries,
}

/// The rule by which a match is over and one arm wins it.
#[derive(Debug, Clone, Copy)]
struct SequentialMatchRule {
    /// δ'.
    delta: f64,
    middle: f64,
    budget: f64,
}

impl SequentialMatchRule {
    fn new(parameters: &Parameters, k: usize) -> Self {
        let delta = match parameters.variant {
            Variant::Original => parameters.delta / k as f64,
            Variant::Released => parameters.delta,
        };
        let width = parameters.eps_upper - parameters.eps_lower;
        Self {
            delta,
            middle: f64::midpoint(parameters.eps_lower, parameters.eps_upper),
            budget: (2.0 * (2.0 / delta).ln() / (width * width)).floor(),
        }
    }

    /// q − mid.
    fn lead(&self, score: &MatchScore) -> f64 {
        score.share() - 0.5 - self.middle
    }

    fn over(&self, score: &MatchScore) -> bool {
        score.duels as f64 >= self.budget
            || self.lead(score).abs() > anytime_radius(score.duels, self.delta)
    }
}

impl DuelingBandit for SequentialElimination {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        let remaining = &mut self.remaining;
        let mut draw = |rng: &mut Rng| match remaining.len() {
            0 => None,
            n => Some(remaining.swap_remove(rng.below(n))),
        };
        loop {
            if let Some(duel) = self.versus.ask() {
                return Some(duel);
            }
            match self.anchor {
                None => self.anchor = draw(rng),
                Some(anchor) => {
                    let challenger = draw(rng)?;
                    self.versus.begin(challenger, anchor, rng);
                }
            }
        }
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        let rule = self.rule;
        let result = self
            .versus
            .record_outcome(duel, outcome, |score| rule.over(score));
        if let Some(score) = result.filter(|score| rule.lead(score) >= 0.0) {
            self.anchor = Some(score.pair.first.index());
        }
    }

    fn leader(&self) -> Arm {
        Arm::from(self.anchor.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::duel::Pair;
    use tiebreak_base::rng::Seed;

    /// Plays a run; returns the lengths of the matches, and the anchor at the end.
    fn play(text: &str, outcome: impl Fn(Pair) -> Outcome) -> (Vec<usize>, Arm) {
        let (_, params) = Params::parse(text).unwrap();
        let mut bandit = build(&params, &Arena::new(4, 100).unwrap()).unwrap();
        let mut rng = Seed(1).stream("test", 0);
        let mut asked = Vec::new();
        while let Some(duel) = bandit.ask(&mut rng) {
            bandit.record_outcome(duel.id, outcome(duel.pair), Origin::Human);
            asked.push(duel.pair);
        }
        let matches = asked.chunk_by(|a, b| a == b);
        (matches.map(<[Pair]>::len).collect(), bandit.leader())
    }

    #[test]
    fn a_challenger_of_exactly_the_middle_plays_out_the_budget_and_wins() {
        // mid = 0 is out of reach of 0 ≤ eps-lower < eps-upper, so a tie falls short of it.
        let rule = SequentialMatchRule::new(&Parameters::default(), 4);
        let even = SequentialMatchRule {
            middle: 0.0,
            ..rule
        };
        assert_eq!(even.budget, (2.0 * 800.0_f64.ln() / 0.0025).floor());
        let mut versus = MatchSeries::default();
        versus.begin(0, 1, &mut Seed(1).stream("test", 0));
        let mut result = None;
        while let Some(duel) = versus.ask() {
            result = versus.record_outcome(duel.id, Outcome::Tie, |score| even.over(score));
        }
        assert_eq!(result.unwrap().duels as f64, even.budget);
        assert!(even.lead(&result.unwrap()) >= 0.0);
    }

    #[test]
    fn the_best_becomes_anchor_and_released_matches_are_shorter() {
        let better = |pair: Pair| {
            if pair.first < pair.second {
                Outcome::Win
            } else {
                Outcome::Loss
            }
        };
        let (original, winner) = play("x:delta=0.01", better);
        let (released, _) = play("x:variant=released", better);
        assert_eq!((original.len(), winner), (3, Arm(0)));
        let total = |lengths: &[usize]| lengths.iter().sum::<usize>();
        assert!(
            total(&original) > total(&released),
            "{original:?} {released:?}"
        );
    }

    #[test]
    fn an_empty_range_is_refused() {
        let arena = Arena::new(4, 100).unwrap();
        for text in ["x:eps-lower=0.05", "x:eps-upper=0.6", "x:eps-upper=0"] {
            let (_, params) = Params::parse(text).unwrap();
            assert!(build(&params, &arena).is_err(), "{text}");
        }
    }
}
