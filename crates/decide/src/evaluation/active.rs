//! The loop of a run: a bandit asks, a feedback source answers, until something ends the run.
//!
//! The same loop serves recorded comparisons, people at the terminal or with a sheet, and simulations. Everything
//! random has a stream of its own per run (order of arms, bandit, drawing of judgments), so that
//! looking at the leader changes nothing. Arms are renumbered at random in each run: bandits break
//! ties by index, and no system may profit from its name.

use super::game::BanditRun;
use super::known::PriorKnowledge;
use super::spent::RunSpending;
use crate::bandits::{Arena, BuildDueling, DuelingBandit, Uses};
use crate::estimators::margins::Reading;
use crate::feedback::{FeedbackSource, PredictionCounts};
use serde::{Deserialize, Serialize};
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Arm, Outlook, Verdict};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params};
use tiebreak_base::rng::Seed;

/// The limits of a run. The first limit reached ends it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The number of human annotations.
    pub annotations: u64,
    /// The number of steps: annotations, answers of models, and duels of a system with itself, which are free and
    /// could go on for ever.
    pub steps: u64,
    /// The cost of people's answers: no more are requested once it is reached in any unit.
    pub cost: Cost,
}

impl Limits {
    /// A budget of human annotations; `steps` defaults to ten times as many.
    pub fn new(annotations: u64, steps: Option<u64>) -> Self {
        let steps = steps.unwrap_or(annotations.saturating_mul(10));
        Self {
            annotations,
            steps,
            cost: Cost::default(),
        }
    }

    /// These limits, with one on the cost of people's answers.
    #[must_use]
    pub fn within(self, cost: Cost) -> Self {
        Self { cost, ..self }
    }
}

/// The reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// The bandit has a certificate for its claim.
    Certificate,
    /// The bandit has nothing more to ask, without a certificate.
    Finished,
    /// The budget of annotations, of people's time or of money, is spent.
    Budget,
    /// The limit of steps is reached.
    Steps,
    /// There are no more answers.
    Ended,
}

/// The record of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTrace {
    /// The leader from each number of annotations on; the changes only, beginning at 0. Where the
    /// leader changed several times at one number, the last change counts.
    pub leaders: Vec<(u64, Arm)>,
    /// The number of human annotations, counted when asked.
    pub annotations: u64,
    /// The cost of the annotations, counted when answered.
    #[serde(default, skip_serializing_if = "RunSpending::is_nothing")]
    pub spent: RunSpending,
    /// The number of answers without a person, not counting duels of a system with itself.
    pub model_answers: u64,
    /// The number of steps taken, including those that an answer on record settled.
    pub steps: u64,
    /// The audit results of the model that may answer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<PredictionCounts>,
    /// The number of annotations at the last restart under other terms.
    // Stored traces know this field by another name.
    #[serde(
        default,
        rename = "renewed_after",
        skip_serializing_if = "Option::is_none"
    )]
    pub restarted_after: Option<u64>,
    /// Whether an answer was corrected on which the claim would rest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_corrected: bool,
    /// The reason why the run ended.
    pub stop: Stop,
    /// The claim at the end.
    pub verdict: Verdict,
}

impl RunTrace {
    pub(super) fn new(leader: Arm) -> Self {
        Self {
            leaders: vec![(0, leader)],
            annotations: 0,
            spent: RunSpending::default(),
            model_answers: 0,
            steps: 0,
            credit: None,
            restarted_after: None,
            is_corrected: false,
            stop: Stop::Finished,
            verdict: Verdict::Open,
        }
    }

    /// The leader at the end.
    pub fn winner(&self) -> Option<Arm> {
        self.leaders.last().map(|&(_, arm)| arm)
    }

    pub(super) fn note(&mut self, leader: Arm) {
        if self.winner() == Some(leader) {
            return;
        }
        if self
            .leaders
            .last()
            .is_some_and(|last| last.0 == self.annotations)
        {
            self.leaders.pop();
            self.spent.forget(self.leaders.len());
        }
        if self.winner() != Some(leader) {
            self.leaders.push((self.annotations, leader));
        }
        self.spent.note(self.leaders.len());
    }
}

/// A bandit with its parameters, the systems it chooses among, and its limits: everything but the answers.
#[derive(Clone)]
pub struct Setup {
    entry: &'static Entry<BuildDueling>,
    params: Params,
    pub(super) arms: Vec<Arm>,
    pub(super) limits: Limits,
    /// The number of steps that the bandit plans for.
    horizon: u64,
    pub(super) seed: Seed,
    pub(super) known: PriorKnowledge,
    pub(super) uses: Uses,
}

impl Setup {
    /// A setup that finds the best of `arms` with the bandit of `entry`.
    ///
    /// # Errors
    /// [`Error::Usage`] for parameters that the bandit refuses, no arms, or limits of 0.
    pub fn new(
        entry: &'static Entry<BuildDueling>,
        params: Params,
        arms: Vec<Arm>,
        limits: Limits,
        seed: Seed,
    ) -> Result<Self> {
        if arms.is_empty() {
            return Err(Error::usage("no systems to compare, expected at least 1"));
        }
        if limits.annotations == 0 || limits.steps == 0 {
            return Err(Error::usage(
                "a budget of 0, expected at least 1 annotation and 1 step",
            ));
        }
        // Wrong parameters are reported even where one arm leaves nothing to ask.
        let arena = Arena::new(arms.len().max(2), limits.steps)?;
        let uses = (entry.build)(&params, &arena)?.uses();
        Ok(Self {
            entry,
            params,
            arms,
            limits,
            horizon: limits.steps,
            seed,
            known: PriorKnowledge::default(),
            uses,
        })
    }

    /// Adds prior knowledge. The bandit uses the parts it can.
    ///
    /// # Errors
    /// [`Error::Usage`] for an impossible confidence, margins or shares.
    pub fn with(mut self, known: PriorKnowledge) -> Result<Self> {
        if self.arms.len() > 1 {
            known.arena(&self.arms, self.limits.steps, self.uses)?;
        }
        self.known = known;
        Ok(self)
    }

    /// This setup with a bandit that plans for so many steps, whatever the limit is now: a run whose limits grew asks
    /// what it asked before.
    #[must_use]
    pub fn planned_for(self, horizon: u64) -> Self {
        Self { horizon, ..self }
    }

    /// Whether the bandit can give a certificate.
    pub(super) fn certifies(&self) -> bool {
        self.uses.confidence && self.known.confidence.is_some()
    }

    /// The systems compared.
    pub fn arms(&self) -> &[Arm] {
        &self.arms
    }

    /// The limits of a run.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The seed of all runs.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Plays run number `index` against `feedback`. The same index, seed and answers give the same
    /// trace.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn play(&self, index: u64, feedback: &mut dyn FeedbackSource) -> Result<RunTrace> {
        self.play_noting(index, feedback, &mut |_| {})
    }

    /// Plays run number `index` and notes all that it shows about pairs of systems: the answers of
    /// people, those of an audited model, and the ties of identical outputs, about which no question is
    /// needed.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn play_noting(
        &self,
        index: u64,
        feedback: &mut dyn FeedbackSource,
        note: &mut dyn FnMut(Reading),
    ) -> Result<RunTrace> {
        self.run(index, feedback, note).map(|mut run| run.trace())
    }

    /// Plays as [`Setup::play_noting`] does, and returns the outlook at the end of the run too.
    ///
    /// # Errors
    /// Those of the feedback source.
    pub fn follow(
        &self,
        index: u64,
        feedback: &mut dyn FeedbackSource,
        note: &mut dyn FnMut(Reading),
    ) -> Result<(RunTrace, Outlook)> {
        self.run(index, feedback, note)
            .map(|mut run| run.standing())
    }

    /// A run at its end.
    fn run<'a>(
        &'a self,
        index: u64,
        feedback: &'a mut dyn FeedbackSource,
        note: &'a mut dyn FnMut(Reading),
    ) -> Result<BanditRun<'a>> {
        let mut run = self.begin(index, Box::new(feedback), Box::new(note))?;
        run.go_on()?;
        run.collect()?;
        Ok(run)
    }

    /// Begins run number `index` against `feedback`; `note` receives all that it shows about pairs of
    /// systems. Nothing is asked yet.
    ///
    /// # Errors
    /// Those of the bandit.
    pub fn begin<'a>(
        &'a self,
        index: u64,
        feedback: Box<dyn FeedbackSource + 'a>,
        note: Box<dyn FnMut(Reading) + 'a>,
    ) -> Result<BanditRun<'a>> {
        BanditRun::new(self, index, feedback, note)
    }

    /// The bandit for the systems in `order`, in its initial state.
    pub(super) fn bandit(
        &self,
        order: &[Arm],
        certifiable: bool,
    ) -> Result<Box<dyn DuelingBandit>> {
        let mut uses = self.uses;
        uses.confidence &= certifiable;
        let arena = self.known.arena(order, self.horizon, uses)?;
        (self.entry.build)(&self.params, &arena)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_change_at_a_count_is_kept() {
        let mut trace = RunTrace::new(Arm(0));
        trace.annotations = 3;
        trace.note(Arm(1));
        trace.note(Arm(2));
        assert_eq!(trace.leaders, [(0, Arm(0)), (3, Arm(2))]);
        trace.note(Arm(0));
        assert_eq!(trace.leaders, [(0, Arm(0))]);
        trace.annotations = 5;
        trace.note(Arm(0));
        assert_eq!(trace.leaders, [(0, Arm(0))]);
    }
}
