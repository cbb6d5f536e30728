//! Hierarchical top-two sampling: learns all margins together, starting from a model's predictions
//! where there are any, and stops when the evidence is strong enough for whoever doubts the model.
//!
//! Source: our own; top-two sampling after Russo, "Simple Bayesian algorithms for best arm
//! identification", COLT 2016, for a hierarchical Gaussian model of the margins (`prior`,
//! `posterior`, `evidence`) and an anytime-valid elimination certificate (`certificate`).
//! Each step draws all margins from the posterior, takes the Copeland winner I of the draw, and
//! asks it against the system most likely to beat it, J = argmin `Z_Ij`. Once the leader is in doubt
//! by no more than δ, every second question instead collects the evidence that the certificate
//! lacks. Predictions and model only choose questions and bets: the certificate's error probability
//! δ holds whatever they are worth.
//!
//! Parameters: `assume` (`condorcet`) is what the certificate takes for granted; `none` proves that
//! a winner exists and costs about twice as many answers. δ is 1 − confidence; an arena without a
//! confidence has no certificate, and then the run goes on. Outputs that are the same are never
//! compared, and systems whose outputs never differ count as one.
//!
//! Answers of models enter the posterior, never the certificate. The claim is about the items at
//! hand, drawn with replacement, and the people asked. With `assume=none` the certifying questions
//! are asked of the leader itself, because only its own victories count there.

use super::choice::{Ties, argmax};
use super::open_duels::OpenDuels;
use super::square::Square;
use super::{Arena, BuildDueling, Dueling, Uses};
use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair, Verdict};
use crate::error::Result;
use crate::registry::{Entry, Params, parameters};
use crate::rng::Rng;
use certificate::{Assume, Certificate};
use duplicates::Duplicates;
use evidence::Evidence;
use posterior::Posterior;
use prior::Scales;
use serde::{Deserialize, Serialize};

mod certificate;
mod duplicates;
mod evidence;
mod posterior;
mod prior;

/// How `adaptive` is listed.
pub const ENTRY: Entry<BuildDueling> = Entry {
    name: "adaptive",
    summary: "top-two sampling on a model of all margins; stops by a certificate",
    cite: "tiebreak; top-two sampling after Russo, COLT 2016",
    parameters: parameters::<Parameters>,
    build,
};

/// Up to this many answers every one is learned from at once; later one percent more are awaited.
const LEARN_AT_ONCE: u64 = 100;

/// The share of questions that collect evidence once the leader is hardly in doubt.
const CERTIFYING: f64 = 0.5;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Parameters {
    assume: Assume,
}

fn build(params: &Params, arena: &Arena) -> Result<Box<dyn Dueling>> {
    let Parameters { assume } = params.read("adaptive")?;
    let differing = match arena.differing() {
        Some(differing) => differing.clone(),
        None => Square::from_fn(arena.k(), |_, _| 1.0),
    };
    let duplicates = Duplicates::find(&differing);
    let differing = differing.of(duplicates.distinct());
    let predicted = arena.margins().map(|table| table.of(duplicates.distinct()));
    let delta = arena.confidence().map(|confidence| 1.0 - confidence);
    let goal = delta.map(|delta| Goal {
        delta,
        certificate: Certificate::new(assume, duplicates.distinct().len(), delta),
    });
    Ok(Box::new(Adaptive::new(
        duplicates, differing, predicted, goal,
    )))
}

/// A certificate to be reached.
struct Goal {
    delta: f64,
    certificate: Certificate,
}

/// The state of a run. Systems are numbered among the distinct ones.
struct Adaptive {
    duplicates: Duplicates,
    evidence: Evidence,
    predicted: Option<Square>,
    scales: Vec<Scales>,
    posterior: Posterior,
    /// Answers that the posterior knows of.
    learned: u64,
    /// The posterior's leader, and how much it is in doubt.
    leader: usize,
    doubt: f64,
    open: OpenDuels,
    goal: Option<Goal>,
}

impl Adaptive {
    fn new(
        duplicates: Duplicates,
        differing: Square,
        predicted: Option<Square>,
        goal: Option<Goal>,
    ) -> Self {
        let scales = prior::scales(predicted.is_some());
        let evidence = Evidence::new(differing);
        let posterior = Posterior::fit(&evidence, predicted.as_ref(), &scales);
        let leader = posterior.leader();
        Self {
            doubt: posterior.doubt(leader),
            leader,
            learned: 0,
            duplicates,
            evidence,
            predicted,
            scales,
            posterior,
            open: OpenDuels::default(),
            goal,
        }
    }

    fn k(&self) -> usize {
        self.evidence.k()
    }

    fn learn(&mut self) {
        let answers = self.evidence.judged();
        if answers > LEARN_AT_ONCE && (answers - self.learned) * 100 < answers {
            return;
        }
        self.posterior = Posterior::fit(&self.evidence, self.predicted.as_ref(), &self.scales);
        self.leader = self.posterior.leader();
        self.doubt = self.posterior.doubt(self.leader);
        self.learned = answers;
    }

    /// The winner of a draw against the system most likely to beat it.
    fn top_two(&self, rng: &mut Rng) -> (usize, usize) {
        let first = copeland_winner(&self.posterior.draw(rng), self.k());
        let threat = |j: usize| {
            let variance = self.posterior.variance(first, j);
            let variance = self.evidence.anticipated(first, j, variance);
            -self.posterior.mean(first, j) / variance.sqrt()
        };
        let rivals = self.rivals(first).map(|j| (j, threat(j)));
        let second = argmax(rivals, Ties::Random, rng);
        (first, second.map_or(first, |(j, _)| j))
    }

    /// A system against which evidence is lacking, and who is most likely to provide it.
    fn certifying(&self, certificate: &Certificate, rng: &mut Rng) -> Option<(usize, usize)> {
        let lacking = certificate.to_beat(self.leader);
        if lacking.is_empty() {
            return None;
        }
        let system = *rng.choose(&lacking);
        if certificate.needs_leader() {
            return Some((system, self.leader));
        }
        let strengths = self
            .rivals(system)
            .map(|j| (j, self.posterior.mean(j, system)));
        let (strongest, _) = argmax(strengths, Ties::Random, rng)?;
        Some((system, strongest))
    }

    fn rivals(&self, system: usize) -> impl Iterator<Item = usize> {
        (0..self.k()).filter(move |&j| j != system)
    }

    fn choose(&self, rng: &mut Rng) -> (usize, usize) {
        let certifying = match &self.goal {
            Some(goal) if self.doubt <= goal.delta && rng.bernoulli(CERTIFYING) => {
                self.certifying(&goal.certificate, rng)
            }
            _ => None,
        };
        certifying.unwrap_or_else(|| self.top_two(rng))
    }

    /// The system itself, for one of the distinct ones.
    fn arm(&self, place: usize) -> Arm {
        Arm::from(self.duplicates.distinct()[place])
    }

    fn winner(&self) -> Option<usize> {
        self.goal.as_ref()?.certificate.winner()
    }
}

/// The arm that wins most of its duels when margins are `drawn`; of several, the one whose margins
/// sum to most.
fn copeland_winner(drawn: &[f64], k: usize) -> usize {
    let score = |i: usize| {
        let row = &drawn[i * k..(i + 1) * k];
        let wins = row.iter().filter(|&&margin| margin > 0.0).count();
        (wins, row.iter().sum::<f64>())
    };
    let mut best = (0, score(0));
    for i in 1..k {
        let score = score(i);
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

impl Dueling for Adaptive {
    fn ask(&mut self, rng: &mut Rng) -> Option<Duel> {
        if self.k() == 1 || self.winner().is_some() {
            return None;
        }
        let (first, second) = self.choose(rng);
        let pair = Pair::new(Arm::from(first), Arm::from(second));
        self.evidence.ask(pair);
        let mut duel = self.open.open(pair);
        if let Some(goal) = &mut self.goal {
            let margin = self.posterior.mean(first, second);
            let advantage = self.evidence.advantage(first, second, margin);
            duel.bet = goal.certificate.bet(duel.id, pair, advantage);
        }
        duel.pair = Pair::new(self.arm(first), self.arm(second));
        Some(duel)
    }

    fn tell(&mut self, duel: DuelId, outcome: Outcome, origin: Origin) {
        let Some(pair) = self.open.close(duel) else {
            return;
        };
        self.evidence.record(pair, outcome);
        if let Some(goal) = &mut self.goal {
            let human = (origin == Origin::Human).then_some(outcome);
            goal.certificate.settle(duel, human);
        }
        self.learn();
    }

    fn leader(&self) -> Arm {
        self.arm(self.winner().unwrap_or(self.leader))
    }

    fn verdict(&self) -> Verdict {
        if self.k() == 1 {
            return Verdict::Undecided(self.duplicates.of(0).map(Arm::from).collect());
        }
        let Some(Goal { certificate, .. }) = &self.goal else {
            return Verdict::Open;
        };
        if let Some(winner) = certificate.winner() {
            let shared = self.duplicates.of(winner).count() > 1;
            let assumption = certificate.assumption();
            return Verdict::Winner {
                arm: self.arm(winner),
                assumption: match shared {
                    true => {
                        format!("{assumption}; another system has the very same outputs").into()
                    }
                    false => assumption.into(),
                },
            };
        }
        let left: Vec<usize> = (0..self.k())
            .filter(|&i| !certificate.ruled_out(i))
            .collect();
        if left.len() == self.k() {
            return Verdict::Open;
        }
        let systems = left.iter().flat_map(|&place| self.duplicates.of(place));
        Verdict::Undecided(systems.map(Arm::from).collect())
    }

    fn uses(&self) -> Uses {
        Uses {
            differing: true,
            margins: true,
            confidence: true,
        }
    }
}
