//! POCOWISTA, potential Copeland winners stay: the system that may still score highest meets the strongest
//! one it has not met, until it is known how they stand.
//!
//! Source: Bengs, Haddenhorst and Hüllermeier, "Identifying Copeland winners in dueling bandits with
//! indifferences", AISTATS 2024; matches after Jain et al., "PAC mode estimation using PPR martingale
//! confidence sequences", AISTATS 2022.
//! Parameters: `delta` (0.05), the probability of error allowed; `transitive` (false): who beats, ties
//! with or loses to whom is taken to be transitive, so that fewer pairs need to meet (TRA-POCOWISTA).
//!
//! A match is over once the density at ½ of Beta(a + 1, b + 1), with a ≥ b the two largest counts
//! among wins, ties and losses, is at most δ'/2; the most frequent answer is how the two stand, which is
//! worth 1, ½ or 0 to the Copeland score. δ' is δ over the number of matches there can be, K(K − 1)/2 or,
//! where transitive, K ln K. The potential score adds 1 for each system not yet met. The run ends when
//! no other's potential exceeds the score of one; until then the one of the highest potential leads.
//! Late answers: see `versus.rs`.

use super::choice::first_highest;
use super::versus::{MatchScore, MatchSeries};
use super::{Arena, BuildDueling, DuelingBandit, probability};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;
use tiebreak_base::stats::special::ln_beta;

/// The registry entry of `pocowista`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "pocowista",
    summary: "a system that may still score highest against its strongest new opponent; uses ties",
    cite: "Bengs et al., AISTATS 2024",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    delta: f64,
    transitive: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            delta: 0.05,
            transitive: false,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let parameters: Parameters = params.read("pocowista")?;
    probability("pocowista", "delta", parameters.delta)?;
    Ok(Box::new(Pocowista::new(&parameters, arena.k())))
}

struct Pocowista {
    transitive: bool,
    /// ln(δ'/2).
    threshold: f64,
    standings: Standings,
    versus: MatchSeries,
}

/// ln of the density at ½ of Beta(a + 1, b + 1), with a ≥ b the two largest counts of one match.
fn ln_density(score: &MatchScore) -> f64 {
    let mut counts = score.counts();
    counts.sort_unstable();
    let [_, b, a] = counts.map(|count| count as f64);
    -(a + b) * std::f64::consts::LN_2 - ln_beta(a + 1.0, b + 1.0)
}

/// The most frequent outcome. A match is not over while two are equally frequent.
fn mode(score: &MatchScore) -> Outcome {
    let [losses, ties, wins] = score.counts();
    match () {
        () if wins > ties && wins > losses => Outcome::Win,
        () if losses > ties && losses > wins => Outcome::Loss,
        () => Outcome::Tie,
    }
}

impl Pocowista {
    fn new(parameters: &Parameters, k: usize) -> Self {
        let systems = k as f64;
        let matches = match parameters.transitive {
            true => systems * systems.ln(),
            false => systems * (systems - 1.0) / 2.0,
        };
        Self {
            transitive: parameters.transitive,
            threshold: (parameters.delta / matches.max(1.0) / 2.0).ln(),
            standings: Standings::new(k),
            versus: MatchSeries::default(),
        }
    }

    fn begin_match(&mut self, rng: &mut Rng) {
        let first = self.standings.most_promising();
        if let Some(second) = self.standings.strongest_unmet(first) {
            self.versus.begin(first, second, rng);
        }
    }
}

impl DuelingBandit for Pocowista {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if let Some(duel) = self.versus.ask() {
            return Some(duel);
        }
        if self.standings.is_settled() {
            return None;
        }
        self.begin_match(rng);
        self.versus.ask()
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        let threshold = self.threshold;
        let over = |score: &MatchScore| ln_density(score) <= threshold;
        if let Some(score) = self.versus.record_outcome(duel, outcome, over) {
            let (i, j) = score.pair.indices();
            self.standings.note(i, j, mode(&score));
            if self.transitive {
                self.standings.close();
            }
        }
    }

    fn leader(&self) -> Arm {
        Arm::from(self.standings.most_promising())
    }
}

/// The outcomes known so far of each system against each.
struct Standings {
    k: usize,
    /// The outcome of i against j, at i·K + j.
    known: Vec<Option<Outcome>>,
}

impl Standings {
    fn new(k: usize) -> Self {
        Self {
            k,
            known: vec![None; k * k],
        }
    }

    fn get(&self, i: usize, j: usize) -> Option<Outcome> {
        self.known[i * self.k + j]
    }

    fn note(&mut self, i: usize, j: usize, outcome: Outcome) {
        self.known[i * self.k + j] = Some(outcome);
        self.known[j * self.k + i] = Some(outcome.flipped());
    }

    fn outcomes(&self, i: usize) -> impl Iterator<Item = Option<Outcome>> {
        let others = (0..self.k).filter(move |&j| j != i);
        others.map(move |j| self.get(i, j))
    }

    /// The Copeland score so far.
    fn score(&self, i: usize) -> f64 {
        self.outcomes(i).flatten().map(Outcome::value).sum()
    }

    /// The highest it may still become.
    fn potential(&self, i: usize) -> f64 {
        self.outcomes(i)
            .map(|known| known.map_or(1.0, Outcome::value))
            .sum()
    }

    /// The first of the highest potential.
    fn most_promising(&self) -> usize {
        first_highest((0..self.k).map(|i| (i, self.potential(i)))).unwrap_or(0)
    }

    /// The first of the highest score among those that i has not met.
    fn strongest_unmet(&self, i: usize) -> Option<usize> {
        let unmet = (0..self.k).filter(|&j| j != i && self.get(i, j).is_none());
        first_highest(unmet.map(|j| (j, self.score(j))))
    }

    /// Whether one system's score is at least what any other may still reach.
    fn is_settled(&self) -> bool {
        let best = self.most_promising();
        let others = (0..self.k).filter(|&i| i != best);
        let reach = others.map(|i| self.potential(i)).fold(0.0, f64::max);
        self.score(best) >= reach || self.strongest_unmet(best).is_none()
    }

    /// Adds what follows: who beats one that beats or ties with a third beats the third, and ties of ties
    /// are ties. What was found in a match stays.
    fn close(&mut self) {
        let follows = |a: Outcome, b: Outcome| match (a, b) {
            (Outcome::Tie, other) | (other, Outcome::Tie) => Some(other),
            (a, b) => (a == b).then_some(a),
        };
        let triples = |k: usize| {
            let pairs = (0..k).flat_map(move |j| (0..k).map(move |i| (j, i)));
            pairs.flat_map(move |(j, i)| (0..k).map(move |l| (i, j, l)))
        };
        loop {
            let known = |i, l| i == l || self.get(i, l).is_some();
            let new = triples(self.k)
                .filter(|&(i, _, l)| !known(i, l))
                .find_map(|(i, j, l)| {
                    let outcome = follows(self.get(i, j)?, self.get(j, l)?)?;
                    Some((i, l, outcome))
                });
            let Some((i, l, outcome)) = new else { return };
            self.note(i, l, outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    fn run(
        transitive: bool,
        outcome: impl Fn(usize, usize) -> Outcome,
    ) -> (Vec<(usize, usize)>, usize) {
        let parameters = Parameters {
            transitive,
            ..Parameters::default()
        };
        let mut bandit = Pocowista::new(&parameters, 5);
        let mut rng = Seed(1).stream("test", 0);
        let mut asked = Vec::new();
        while let Some(Duel { id, pair, .. }) = bandit.ask(&mut rng) {
            let (i, j) = pair.indices();
            bandit.record_outcome(id, outcome(i, j), Origin::Human);
            asked.push((i, j));
        }
        (asked, bandit.leader().index())
    }

    fn matches(asked: &[(usize, usize)]) -> Vec<usize> {
        asked.chunk_by(|a, b| a == b).map(<[_]>::len).collect()
    }

    #[test]
    fn a_match_of_one_answer_is_over_when_its_density_is_small_enough() {
        // (n + 1)/2ⁿ ≤ 0.05/10/2 first holds for n = 13: 14/8192.
        for outcome in [Outcome::Win, Outcome::Tie] {
            let (asked, _) = run(false, |i, j| match outcome {
                Outcome::Tie => Outcome::Tie,
                _ => Outcome::of_scores(-(i as f64), -(j as f64)),
            });
            assert!(matches(&asked).iter().all(|&duels| duels == 13));
        }
    }

    #[test]
    fn the_winner_stays_and_what_is_settled_is_not_played() {
        // The first beats everybody: its four matches, and nobody else can reach it.
        let (asked, leader) = run(false, |i, j| Outcome::of_scores(-(i as f64), -(j as f64)));
        assert_eq!((matches(&asked).len(), leader), (4, 0));
        assert!(asked.iter().all(|&(i, j)| i == 0 || j == 0));
        // The last one does: whoever leads loses to it in the end.
        let (asked, leader) = run(false, |i, j| Outcome::of_scores(i as f64, j as f64));
        assert_eq!(leader, 4);
        assert!(matches(&asked).len() <= 10);
    }

    #[test]
    fn who_beats_a_winner_need_not_meet_whom_that_one_beat() {
        let upwards = |i: usize, j: usize| Outcome::of_scores(i as f64, j as f64);
        let [plain, transitive] = [false, true].map(|how| run(how, upwards));
        assert_eq!((plain.1, transitive.1), (4, 4));
        assert_eq!(matches(&transitive.0).len(), 4);
        assert!(matches(&plain.0).len() > 4);
        // All tie: of five, four matches say so of all.
        let (asked, _) = run(true, |_, _| Outcome::Tie);
        assert_eq!(matches(&asked).len(), 4);
    }
}
