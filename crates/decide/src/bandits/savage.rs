//! SAVAGE, sensitivity analysis of variables for generic exploration: duels every pair of systems
//! equally often, until the pair can no longer matter.
//!
//! Source: Urvoy, Clerot, Féraud and Naamane, "Generic exploration and k-armed voting bandits",
//! ICML 2013, algorithm 2. Assumes a Condorcet winner with `winner=condorcet`, nothing otherwise.
//! Parameters: `delta` (0.01), the probability of error allowed; `winner` (`condorcet` or
//! `copeland`), what is looked for.
//!
//! The radius of a pair after n duels is c = √(ln(K (K−1) T / δ) / 2n), 1 before the first; T is the
//! limit of steps. The next pair is one of those least often asked for among the pairs W that are
//! not settled. A pair is settled for good once its interval `m_ij` ± c excludes ½, or once neither
//! of its arms can win: in the Copeland variant, no optimistic score #{k: `m_ik` + c > ½} exceeds
//! the largest pessimistic score #{k: `m_ik` − c > ½}; in the Condorcet variant, both optimistic
//! scores are below K − 1. Exploration ends when W is empty. Pairs are counted when asked for, so
//! that late answers leave the rotation as it is.
//!
//! `variant=released` looks for a Copeland winner whatever `winner` says.

use super::open_duels::OpenDuels;
use super::tally::Tally;
use super::{Arena, BuildDueling, DuelingBandit, Variant, probability};
use serde::{Deserialize, Serialize};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::rng::Rng;

/// The registry entry of `savage`.
pub(super) const ENTRY: Entry<BuildDueling> = Entry {
    name: "savage",
    summary: "all pairs in turn, without those that can no longer matter",
    cite: "Urvoy et al., ICML 2013",
    parameters: parameters::<Parameters>,
    build,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    delta: f64,
    winner: WinnerKind,
    variant: Variant,
}

/// The kind of winner that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WinnerKind {
    Condorcet,
    Copeland,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            delta: 0.01,
            winner: WinnerKind::Condorcet,
            variant: Variant::Original,
        }
    }
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn DuelingBandit>> {
    let Parameters {
        delta,
        winner,
        variant,
    } = params.read("savage")?;
    let winner = match variant {
        Variant::Original => winner,
        Variant::Released => WinnerKind::Copeland,
    };
    let delta = probability("savage", "delta", delta)?;
    Ok(Box::new(Savage::new(arena, delta, winner)))
}

struct Savage {
    winner: WinnerKind,
    /// c² n, the squared radius of a pair that met once.
    width: f64,
    tally: Tally,
    scores: CopelandTracker,
    open: OpenDuels,
    /// W: the pairs still to be asked for in this round, and those asked for already.
    round: Vec<Pair>,
    asked: Vec<Pair>,
}

/// The bounds on the Copeland score of every arm.
struct CopelandTracker {
    optimistic: Vec<usize>,
    pessimistic: Vec<usize>,
    /// Whether they changed since the pairs were last looked through.
    changed: bool,
}

/// The position of a pair's interval relative to ½, for its first arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IntervalSide {
    Below,
    Open,
    Above,
}

impl Savage {
    fn new(arena: &Arena, delta: f64, winner: WinnerKind) -> Self {
        let k = arena.k();
        let pairs = (0..k).flat_map(|i| {
            let pair = move |j| Pair::new(Arm::from(i), Arm::from(j));
            (i + 1..k).map(pair)
        });
        let events = (k * (k - 1)) as f64 * arena.horizon() as f64;
        Self {
            winner,
            width: (events / delta).ln() / 2.0,
            tally: Tally::new(k),
            scores: CopelandTracker {
                optimistic: vec![k - 1; k],
                pessimistic: vec![0; k],
                changed: false,
            },
            open: OpenDuels::default(),
            round: pairs.collect(),
            asked: Vec::new(),
        }
    }

    fn side(&self, pair: Pair) -> IntervalSide {
        let (i, j) = pair.indices();
        let n = self.tally.duels(i, j);
        if n == 0.0 {
            return IntervalSide::Open;
        }
        let (mean, radius) = (self.tally.mean(i, j), (self.width / n).sqrt());
        if mean - radius > 0.5 {
            IntervalSide::Above
        } else if mean + radius < 0.5 {
            IntervalSide::Below
        } else {
            IntervalSide::Open
        }
    }

    fn settled(&self, pair: Pair) -> bool {
        if self.side(pair) != IntervalSide::Open {
            return true;
        }
        let optimistic = [pair.first, pair.second].map(|arm| self.scores.optimistic[arm.index()]);
        let needed = match self.winner {
            WinnerKind::Condorcet => self.tally.k() - 1,
            WinnerKind::Copeland => self.scores.pessimistic.iter().max().map_or(0, |&l| l + 1),
        };
        optimistic.iter().all(|&score| score < needed)
    }

    fn drop_settled_pairs(&mut self) {
        if !std::mem::take(&mut self.scores.changed) {
            return;
        }
        let open = |pairs: &[Pair]| -> Vec<Pair> {
            let open = pairs.iter().copied().filter(|&pair| !self.settled(pair));
            open.collect()
        };
        (self.round, self.asked) = (open(&self.round), open(&self.asked));
    }
}

impl CopelandTracker {
    /// Notes that the interval of a pair moved from one side of ½ to another.
    fn update(&mut self, pair: Pair, before: IntervalSide, after: IntervalSide) {
        if before == after {
            return;
        }
        self.changed = true;
        let (i, j) = pair.indices();
        for (arm, lost, won) in [
            (i, IntervalSide::Below, IntervalSide::Above),
            (j, IntervalSide::Above, IntervalSide::Below),
        ] {
            self.optimistic[arm] += usize::from(before == lost);
            self.optimistic[arm] -= usize::from(after == lost);
            self.pessimistic[arm] += usize::from(after == won);
            self.pessimistic[arm] -= usize::from(before == won);
        }
    }
}

impl DuelingBandit for Savage {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        self.drop_settled_pairs();
        if self.round.is_empty() {
            std::mem::swap(&mut self.round, &mut self.asked);
        }
        if self.round.is_empty() {
            return None;
        }
        let pair = self.round.swap_remove(rng.below(self.round.len()));
        self.asked.push(pair);
        Some(self.open.open(pair))
    }

    fn record_outcome(&mut self, duel: DuelId, outcome: Outcome, _origin: Origin) {
        if let Some(pair) = self.open.close(duel) {
            let before = self.side(pair);
            self.tally.record(pair, outcome);
            self.scores.update(pair, before, self.side(pair));
        }
    }

    fn leader(&self) -> Arm {
        self.tally.leader()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// Plays among arms where the lower one wins with probability 0.8; also the pairs asked for.
    fn play(
        winner: WinnerKind,
        steps: usize,
        mut check: impl FnMut(&Savage),
    ) -> (Savage, Vec<Pair>) {
        let mut savage = Savage::new(&Arena::new(5, 10_000).unwrap(), 0.01, winner);
        let mut rng = Seed(6).stream("test", 0);
        let mut pairs = Vec::new();
        for _ in 0..steps {
            let Some(duel) = savage.ask(&mut rng) else {
                break;
            };
            let win = rng.bernoulli(if duel.pair.first < duel.pair.second {
                0.8
            } else {
                0.2
            });
            savage.record_outcome(
                duel.id,
                if win { Outcome::Win } else { Outcome::Loss },
                Origin::Human,
            );
            pairs.push(duel.pair);
            check(&savage);
        }
        (savage, pairs)
    }

    #[test]
    fn scores_are_those_counted_afresh() {
        let mut certain = 0;
        play(WinnerKind::Copeland, 2000, |savage| {
            for i in 0..5 {
                let sides = (0..5).filter(|&j| j != i).map(|j| {
                    let (m, n) = (savage.tally.mean(i, j), savage.tally.duels(i, j));
                    let radius = if n == 0.0 {
                        1.0
                    } else {
                        (savage.width / n).sqrt()
                    };
                    (m + radius > 0.5, m - radius > 0.5)
                });
                let sides: Vec<(bool, bool)> = sides.collect();
                let optimistic = sides.iter().filter(|side| side.0).count();
                let pessimistic = sides.iter().filter(|side| side.1).count();
                assert_eq!(savage.scores.optimistic[i], optimistic);
                assert_eq!(savage.scores.pessimistic[i], pessimistic);
                certain += pessimistic;
            }
        });
        assert!(certain > 200);
    }

    #[test]
    fn it_ends_with_the_winner_and_sooner_where_a_condorcet_winner_is_assumed() {
        let [condorcet, copeland] = [WinnerKind::Condorcet, WinnerKind::Copeland].map(|winner| {
            let (savage, pairs) = play(winner, 10_000, |_| ());
            assert_eq!(savage.leader(), Arm(0));
            assert!(savage.round.is_empty() && savage.asked.is_empty());
            pairs.len()
        });
        assert!(condorcet <= copeland, "{condorcet} {copeland}");
        assert!(copeland < 3000);
    }

    #[test]
    fn no_open_pair_is_asked_for_twice_before_every_other() {
        let (_, pairs) = play(WinnerKind::Condorcet, 60, |savage| {
            assert!(!savage.scores.changed, "too early to settle anything");
        });
        for round in pairs.chunks(10) {
            let mut round = round.to_vec();
            round.sort_unstable();
            round.dedup();
            assert_eq!(round.len(), 10);
        }
    }
}
