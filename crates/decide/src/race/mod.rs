//! A race by scores: the best of many systems (prompts, models, checkpoints), dropping losers on the way.
//!
//! Every round draws an item at random and has it scored for all systems that are still in the race: what is common to an
//! item cancels. For each ordered pair of systems there is evidence that the first one's mean is higher (`evidence`). With
//! the top k of K systems sought, a pair is told apart once its evidence reaches k(K − k)/δ. A system is out once k
//! systems beat it, and in once it beats K − k. Of all pairs only those can mislead whose first system is not in the true
//! top k and whose second is; there are k(K − k) of them, hence a wrong verdict or the loss of a best system has a
//! chance of at most δ, whatever the number of looks. Systems with equal means are never told apart wrongly.
//!
//! With a margin ε, one system is nearly best once evidence against a margin of −ε has reached the same threshold for
//! every other one still in the race. That needs no further δ: evidence falls as the margin grows, so that one pair can
//! mislead about any margin only where it does about the true difference.
//!
//! What a verdict is about follows from how items are drawn ([`RaceItems`]).
//!
//! A wrong score can be taken back. Items are drawn at random whatever the scores were, so the evidence of the right ones
//! is bounded as before. It is found anew, and a system that comes back is scored on the items that it missed. A premise
//! is added: scores were taken back because they were wrong.
//!
//! A budget only says when to stop asking: evidence holds at any number of scores, so a larger one may be given later.
//!
//! Deviations from predictable bets that learn (Waudby-Smith and Ramdas, JRSSB 2024): capital is split over bets that are
//! fixed before the first score, so that late scores change no bet. Successive elimination is due to Even-Dar, Mannor
//! and Mansour, JMLR 2006.

mod claim;
mod evidence;
mod price;
pub mod replay;
#[cfg(test)]
mod tests;

use crate::estimators::Range;
use evidence::{MarginProcess, PairEvidence};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::rng::{Rng, Seed};

/// The items of a race, and with them what its verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceItems {
    /// Each item at most once, in random order; the verdict is about the scores that a full run on these items would
    /// give. It says nothing of means behind noisy scores.
    #[default]
    These,
    /// Each item at most once, in random order; the verdict is about all items that these are a random sample of.
    LikeThese,
    /// Any item again and again, scored anew each time; the verdict is about means over these items, noise averaged out.
    Repeated,
}

/// The settings of a race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaceTerms {
    /// The lowest and the highest possible score.
    pub range: Range,
    /// The number of best systems sought.
    pub top: usize,
    /// The margin within which the best system need not be told apart, in units of scores; 0 for none. Of one best
    /// system only.
    pub epsilon: f64,
    /// How items are drawn.
    pub items: RaceItems,
    /// The probability with which a verdict is right, between 0 and 1.
    pub confidence: f64,
    /// The largest number of scores asked for; `None` for any.
    pub budget: Option<u64>,
    /// The seed of the order of items.
    pub seed: Seed,
    /// Whether all systems are scored in every round to the end, as for comparison with a race.
    pub keeps_all: bool,
}

impl RaceTerms {
    /// The best system of all, with 95 % confidence.
    pub fn new(range: Range) -> Self {
        Self {
            range,
            top: 1,
            epsilon: 0.0,
            items: RaceItems::default(),
            confidence: 0.95,
            budget: None,
            seed: Seed::default(),
            keeps_all: false,
        }
    }

    /// The evidence of all pairs of systems before the first score.
    fn pairs(&self, systems: usize, items: usize) -> Vec<Option<PairEvidence>> {
        let finite = (self.items == RaceItems::These).then_some(items);
        let margins = [0.0, -self.epsilon];
        let margins = &margins[..=usize::from(self.epsilon > 0.0)];
        let pair = |at: usize| {
            let pair = [at / systems, at % systems];
            let process = |&margin: &f64| MarginProcess::new(self.range, margin, finite);
            let processes = || margins.iter().map(process).collect();
            (pair[0] != pair[1]).then(|| PairEvidence::new(pair, self.range, processes()))
        };
        (0..systems * systems).map(pair).collect()
    }

    fn check(&self, systems: usize, items: usize) -> Result<()> {
        if systems < 2 || systems > usize::from(u16::MAX) {
            let what = format!("{systems} systems in a race, expected 2 to {}", u16::MAX);
            return Err(Error::usage(what));
        }
        if items == 0 || u32::try_from(items).is_err() {
            let what = format!(
                "{items} items to score systems on, expected 1 to {}",
                u32::MAX
            );
            return Err(Error::usage(what));
        }
        let fault = |key: &str, what: String| Err(Error::key(key, what));
        let Self {
            top,
            epsilon,
            confidence,
            ..
        } = *self;
        if top == 0 || top >= systems {
            let most = systems - 1;
            let what =
                format!("the top {top} of {systems} systems, expected a number from 1 to {most}");
            return fault("top", what);
        }
        let width = self.range.upper() - self.range.lower();
        if !(epsilon >= 0.0 && epsilon < width) {
            return fault(
                "epsilon",
                format!("{epsilon}, expected a number from 0 to below {width}"),
            );
        }
        if epsilon > 0.0 && top > 1 {
            let what = "a margin is for one best system, not for several";
            let hint = message!("leave out {} or {}", Key("epsilon"), Key("top"));
            return Err(Error::key("epsilon", what).with_hint(hint));
        }
        if !(confidence > 0.0 && confidence < 1.0) {
            return fault(
                "confidence",
                format!("{confidence}, expected a number between 0 and 1"),
            );
        }
        match self.budget {
            Some(n) if n < systems as u64 => fault(
                "budget",
                format!("{n} scores for {systems} systems, expected {systems} or more"),
            ),
            _ => Ok(()),
        }
    }
}

/// A score to be made: of one system's output for one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaceTask {
    /// The number by which its score is passed in; unique, and growing in the order of asking.
    pub task: u64,
    /// The system, by its place.
    pub system: usize,
    /// The item, by its place.
    pub item: usize,
}

/// What is known of one system on a round's item.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ScoreState {
    /// The system had left the race before the round.
    Absent,
    Open,
    Scored(f64),
    /// There will be no score.
    Missing,
}

impl ScoreState {
    fn score(self) -> Option<f64> {
        match self {
            Self::Scored(score) => Some(score),
            _ => None,
        }
    }

    fn is_known(self) -> bool {
        matches!(self, Self::Scored(_) | Self::Missing)
    }
}

/// One item, scored for all systems in the race.
#[derive(Debug, Clone)]
struct RaceRound {
    item: usize,
    scores: Vec<ScoreState>,
}

/// The place of a system in a race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RacePlace {
    /// It is still in the race.
    Racing,
    /// It is not among those sought: these systems, by their places, have higher means.
    Out(Vec<usize>),
    /// It is among those sought.
    In,
}

/// What a race has proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RaceVerdict {
    /// These are the top systems, by their places.
    Top(Vec<usize>),
    /// No other system's mean is higher by more than the margin.
    NearlyBest(usize),
    /// Any of these may still be among those sought.
    Open(Vec<usize>),
}

/// A race of systems, as a state machine: it says what to score next, and is told scores in any order.
///
/// ```
/// use tiebreak_decide::estimators::Range;
/// use tiebreak_decide::race::{Race, RaceTerms, RaceVerdict};
/// let mut race = Race::new(3, 500, RaceTerms::new(Range::new(0.0, 1.0)?))?;
/// while let Some(task) = race.ask() {
///     let passed = (task.item * 7 + task.system) % 10 < [9, 5, 4][task.system]; // score the output here
///     race.tell(task.task, if passed { 1.0 } else { 0.0 })?;
/// }
/// assert_eq!(race.verdict(), RaceVerdict::Top(vec![0]));
/// assert!(race.asked() < 3 * 500);
/// # Ok::<(), tiebreak_base::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Race {
    terms: RaceTerms,
    items: usize,
    /// The order of items that are drawn once.
    order: Vec<u32>,
    draws: Rng,
    rounds: Vec<RaceRound>,
    /// The next system of the last round.
    next: usize,
    /// The tasks of earlier rounds that systems missed which are back in the race.
    missed: BTreeSet<u64>,
    /// Whether a score was ever taken back.
    is_corrected: bool,
    places: Vec<RacePlace>,
    /// At i·K + j, that i is better than j; `None` where i = j.
    pairs: Vec<Option<PairEvidence>>,
    threshold: f64,
    nearly: Option<usize>,
    asked: u64,
    received: u64,
}

impl Race {
    /// A race of `systems` systems, all of which can be scored on each of `items` items.
    ///
    /// # Errors
    /// [`Error::Usage`] for fewer than 2 systems or more than 65 535, no items, or terms that cannot be.
    pub fn new(systems: usize, items: usize, terms: RaceTerms) -> Result<Self> {
        terms.check(systems, items)?;
        let mut order = Vec::new();
        if terms.items != RaceItems::Repeated {
            order = (0..items as u32).collect();
            terms.seed.stream("race items", 0).shuffle(&mut order);
        }
        let sides = terms.top * (systems - terms.top);
        Ok(Self {
            items,
            order,
            draws: terms.seed.stream("race items", 1),
            rounds: Vec::new(),
            next: systems,
            missed: BTreeSet::new(),
            is_corrected: false,
            places: vec![RacePlace::Racing; systems],
            pairs: terms.pairs(systems, items),
            threshold: (sides as f64 / (1.0 - terms.confidence)).ln(),
            nearly: None,
            asked: 0,
            received: 0,
            terms,
        })
    }

    fn k(&self) -> usize {
        self.places.len()
    }

    /// Sets a larger budget: what was asked for stays, and the race goes on from there.
    ///
    /// # Errors
    /// [`Error::Usage`] for one that is smaller than it was, or where there was no limit.
    pub fn grow_budget(&mut self, budget: u64) -> Result<()> {
        let what = match self.terms.budget {
            Some(before) if before <= budget => {
                self.terms.budget = Some(budget);
                return Ok(());
            }
            Some(before) => {
                format!("{budget} scores, but it was {before}, and a budget can only grow")
            }
            None => format!("{budget} scores, but the race was begun without a budget"),
        };
        Err(Error::key("budget", what))
    }

    /// Whether nothing but the budget ends the asking.
    pub fn is_budget_spent(&self) -> bool {
        let mut unlimited = self.clone();
        unlimited.terms.budget = None;
        self.clone().ask().is_none() && unlimited.ask().is_some()
    }

    /// The number of scores asked for.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// The number of scores that came.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Asks for up to so many scores, and takes that back where `keep` fails for them.
    ///
    /// # Errors
    /// Those of `keep`.
    pub fn ask_if(
        &mut self,
        most: usize,
        keep: impl FnOnce(&[RaceTask]) -> Result<()>,
    ) -> Result<Vec<RaceTask>> {
        let before = (self.rounds.len(), self.next, self.asked, self.draws.clone());
        let missed = self.missed.clone();
        let new: Vec<RaceTask> = std::iter::from_fn(|| self.ask()).take(most).collect();
        let kept = keep(&new);
        if kept.is_err() {
            self.rounds.truncate(before.0);
            (self.next, self.asked, self.draws) = (before.1, before.2, before.3);
            for &task in &missed {
                *self.state(task) = ScoreState::Absent;
            }
            self.missed = missed;
        }
        kept.map(|()| new)
    }

    /// The next score to be made; `None` once the race is decided, or nothing is left to ask for before open scores
    /// come. A round that has begun is completed first.
    pub fn ask(&mut self) -> Option<RaceTask> {
        while !self.is_decided() {
            while self.next < self.k() {
                let system = self.next;
                self.next += 1;
                let round = self.rounds.last().expect("a round has begun");
                if self.is_asked(system) && round.scores[system] == ScoreState::Open {
                    self.asked += 1;
                    let task = (self.rounds.len() - 1) * self.k() + system;
                    return Some(RaceTask {
                        task: task as u64,
                        system,
                        item: round.item,
                    });
                }
            }
            if let Some(task) = self.ask_missed() {
                return Some(task);
            }
            let item = self.draw()?;
            let state = |system: usize| match self.is_asked(system) {
                true => ScoreState::Open,
                false => ScoreState::Absent,
            };
            let scores = (0..self.k()).map(state).collect();
            self.rounds.push(RaceRound { item, scores });
            self.next = 0;
        }
        None
    }

    /// The next score that a system missed before it came back.
    fn ask_missed(&mut self) -> Option<RaceTask> {
        let is_spent = self.terms.budget.is_some_and(|most| self.asked >= most);
        while !is_spent && let Some(task) = self.missed.pop_first() {
            let (round, system) = self.place(task);
            if self.is_asked(system) {
                *self.state(task) = ScoreState::Open;
                self.asked += 1;
                let item = self.rounds[round].item;
                return Some(RaceTask { task, system, item });
            }
        }
        None
    }

    fn is_asked(&self, system: usize) -> bool {
        self.terms.keeps_all || self.places[system] == RacePlace::Racing
    }

    /// The item of a new round; `None` where none is left or the budget does not reach for it.
    fn draw(&mut self) -> Option<usize> {
        let racing = (0..self.k()).filter(|&one| self.is_asked(one)).count() as u64;
        if self
            .terms
            .budget
            .is_some_and(|budget| self.asked + racing > budget)
        {
            return None;
        }
        match self.terms.items {
            RaceItems::Repeated => Some(self.draws.below(self.items)),
            _ => self.order.get(self.rounds.len()).map(|&item| item as usize),
        }
    }

    /// Passes in a score. Of several scores for a task only the first counts; returns whether this one does.
    ///
    /// # Errors
    /// [`Error::Usage`] for a task that was not asked for, or a score outside the range.
    pub fn tell(&mut self, task: u64, score: f64) -> Result<bool> {
        self.take(task, Some(score))
    }

    /// Says that there will be no score for a task: it counts at its worst. Returns whether this changes anything.
    ///
    /// # Errors
    /// [`Error::Usage`] for a task that was not asked for.
    pub fn miss(&mut self, task: u64) -> Result<bool> {
        self.take(task, None)
    }

    /// Whether a score, or with `None` that there will be none, would count if it were passed in.
    ///
    /// # Errors
    /// Those of [`Race::tell`].
    pub fn counts(&self, task: u64, score: Option<f64>) -> Result<bool> {
        let range = self.terms.range;
        if let Some(score) = score.filter(|&score| !range.contains(score)) {
            let (low, high) = (range.lower(), range.upper());
            let what =
                format!("the score {score} of task {task} is outside the range {low},{high}");
            return Err(Error::usage(what).with_hint(message!(
                "begin a race with the true range: {}",
                Key("range").set("LO,HI")
            )));
        }
        let (round, system) = self.place(task);
        let begun =
            round + 1 < self.rounds.len() || (round + 1 == self.rounds.len() && system < self.next);
        match self.rounds.get(round).map(|round| round.scores[system]) {
            Some(ScoreState::Open) if begun => Ok(true),
            Some(state) if begun && state.is_known() => Ok(false),
            _ => Err(Error::usage(format!("task {task} was not asked for"))),
        }
    }

    /// The round and the system of a task.
    fn place(&self, task: u64) -> (usize, usize) {
        let k = self.k() as u64;
        ((task / k) as usize, (task % k) as usize)
    }

    fn state(&mut self, task: u64) -> &mut ScoreState {
        let (round, system) = self.place(task);
        &mut self.rounds[round].scores[system]
    }

    /// Takes wrong scores back: their tasks are open again. What they decided is decided anew by those that are left.
    ///
    /// # Errors
    /// [`Error::Usage`] for a task without a score; nothing is taken back then.
    pub fn take_back(&mut self, tasks: &[u64]) -> Result<()> {
        let is_known = |&task: &u64| {
            let (round, system) = self.place(task);
            let round = self.rounds.get(round);
            round.is_some_and(|round| round.scores[system].is_known())
        };
        if let Some(task) = tasks.iter().find(|task| !is_known(task)) {
            return Err(Error::usage(format!("task {task} has no score")));
        }
        for &task in tasks {
            let was = std::mem::replace(self.state(task), ScoreState::Open);
            self.received -= u64::from(was.score().is_some());
        }
        self.is_corrected = true;
        self.places.fill(RacePlace::Racing);
        self.nearly = None;
        self.pairs = self.terms.pairs(self.k(), self.items);
        for pair in self.pairs.iter_mut().flatten() {
            pair.update_all(&self.rounds);
        }
        self.decide();
        let k = self.k();
        let all = (0..self.rounds.len()).flat_map(|round| (0..k).map(move |one| (round, one)));
        let is_missed = |&(round, one): &(usize, usize)| {
            self.is_asked(one) && self.rounds[round].scores[one] == ScoreState::Absent
        };
        let missed = all
            .filter(is_missed)
            .map(|(round, one)| (round * k + one) as u64);
        self.missed = missed.collect();
        Ok(())
    }

    /// Takes a score, or that there will be none.
    fn take(&mut self, task: u64, score: Option<f64>) -> Result<bool> {
        if !self.counts(task, score)? {
            return Ok(false);
        }
        let (k, (round, system)) = (self.k(), self.place(task));
        self.rounds[round].scores[system] = score.map_or(ScoreState::Missing, ScoreState::Scored);
        self.received += u64::from(score.is_some());
        for other in 0..k {
            for at in [system * k + other, other * k + system] {
                if let Some(pair) = &mut self.pairs[at]
                    && self.rounds[round].scores[other] != ScoreState::Absent
                {
                    pair.update(&self.rounds, round);
                }
            }
        }
        self.decide();
        Ok(true)
    }

    fn ln(&self, first: usize, second: usize, margin: usize) -> f64 {
        let pair = self.pairs[first * self.k() + second].as_ref();
        pair.map_or(f64::NEG_INFINITY, |pair| pair.ln(margin))
    }

    fn beats(&self, first: usize, second: usize) -> bool {
        self.ln(first, second, 0) >= self.threshold
    }

    /// Drops and admits systems until nothing changes.
    fn decide(&mut self) {
        let (k, top) = (self.k(), self.terms.top);
        while let Some((system, place)) =
            (0..k).find_map(|system| Some((system, self.moved(system)?)))
        {
            self.places[system] = place;
            let count =
                |is: fn(&RacePlace) -> bool| self.places.iter().filter(|one| is(one)).count();
            let full = count(|place| *place == RacePlace::In) == top;
            if full || count(|place| matches!(place, RacePlace::Out(_))) == k - top {
                for rest in 0..k {
                    if self.places[rest] == RacePlace::Racing {
                        self.places[rest] = match full {
                            true => RacePlace::Out(self.beaters(rest)),
                            false => RacePlace::In,
                        };
                    }
                }
                return;
            }
        }
        if self.terms.epsilon > 0.0 && self.nearly.is_none() {
            let racing: Vec<usize> = self.racing().collect();
            let within = |one: usize, other: usize| {
                one == other || self.ln(one, other, 1) >= self.threshold || self.beats(one, other)
            };
            let is_near = |one: &usize| racing.iter().all(|&other| within(*one, other));
            self.nearly = racing.iter().copied().find(is_near);
        }
    }

    /// The place that a system has from now on, where it is a new one.
    fn moved(&self, system: usize) -> Option<RacePlace> {
        if self.places[system] != RacePlace::Racing {
            return None;
        }
        let all = 0..self.k();
        let below = |&other: &usize| {
            matches!(self.places[other], RacePlace::Out(_)) || self.beats(system, other)
        };
        let above =
            |&other: &usize| self.places[other] == RacePlace::In || self.beats(other, system);
        if all.clone().filter(below).count() >= self.k() - self.terms.top {
            return Some(RacePlace::In);
        }
        (all.filter(above).count() >= self.terms.top).then(|| RacePlace::Out(self.beaters(system)))
    }

    fn beaters(&self, system: usize) -> Vec<usize> {
        (0..self.k())
            .filter(|&other| self.beats(other, system))
            .collect()
    }

    fn racing(&self) -> impl Iterator<Item = usize> {
        (0..self.k()).filter(|&system| self.places[system] == RacePlace::Racing)
    }

    /// Whether the verdict is final.
    pub fn is_decided(&self) -> bool {
        self.nearly.is_some() || self.racing().next().is_none()
    }

    /// The place of each system.
    pub fn places(&self) -> &[RacePlace] {
        &self.places
    }

    /// The number of a system's scores, and their mean. Means of different systems may be over different items.
    pub fn mean(&self, system: usize) -> (u64, Option<f64>) {
        let scores = self
            .rounds
            .iter()
            .filter_map(|round| round.scores[system].score());
        let (n, sum) = scores.fold((0_u64, 0.0), |(n, sum), score| (n + 1, sum + score));
        (n, (n > 0).then(|| sum / n as f64))
    }

    /// The system of highest mean among those not out: a guess, not a claim. `None` before any score, and where several
    /// have that mean.
    pub fn leader(&self) -> Option<usize> {
        match self.leaders()[..] {
            [leader] => Some(leader),
            _ => None,
        }
    }

    /// The systems of highest mean among those not out.
    pub fn leaders(&self) -> Vec<usize> {
        let alive = (0..self.k()).filter(|&one| !matches!(self.places[one], RacePlace::Out(_)));
        let mut means: Vec<(usize, f64)> = alive
            .filter_map(|one| Some((one, self.mean(one).1?)))
            .collect();
        let highest = means
            .iter()
            .map(|one| one.1)
            .fold(f64::NEG_INFINITY, f64::max);
        // Sums of the same scores in another order may differ by their rounding.
        means.retain(|one| highest - one.1 <= 1e-12 * highest.abs());
        means.into_iter().map(|one| one.0).collect()
    }

    /// Whether all scores that the verdict is about are there, of all systems still racing: their means are known, and
    /// not only those of a sample.
    pub fn has_all_scores(&self) -> bool {
        let all = self.items as u64;
        self.terms.items == RaceItems::These && self.racing().all(|one| self.mean(one).0 == all)
    }

    /// What is proved.
    pub fn verdict(&self) -> RaceVerdict {
        let of = |is: fn(&RacePlace) -> bool| {
            (0..self.k()).filter(|&one| is(&self.places[one])).collect()
        };
        match self.nearly {
            Some(system) => RaceVerdict::NearlyBest(system),
            None if self.is_decided() => RaceVerdict::Top(of(|place| *place == RacePlace::In)),
            None => RaceVerdict::Open(of(|place| !matches!(place, RacePlace::Out(_)))),
        }
    }
}
