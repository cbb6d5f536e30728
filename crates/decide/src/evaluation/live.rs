//! The loop turned inside out: the caller asks for the next question and passes in the answer.
//!
//! Questions and the use of answers are those of [`Setup::play`] with a person present: items
//! are drawn with replacement, nothing is asked twice, and arms are permuted by seed.

use super::active::{Limits, Setup};
use super::eligible::EligibleItems;
use super::known::PriorKnowledge;
use super::variates::Variates;
use crate::bandits::{BANDITS, DuelingBandit};
use crate::feedback::recollected::DeduplicatedFeedback;
use crate::feedback::{self, DuelAnswer, FeedbackSource, Reply, Sample};
use std::collections::{BTreeMap, VecDeque};
use tiebreak_base::claims::{Basis, Claim, NoClaimReason};
use tiebreak_base::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair, Verdict};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_base::rng::{Rng, Seed};

/// The settings of a live loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The bandit, as `NAME` or `NAME:key=value,…` of [`BANDITS`].
    pub bandit: String,
    /// The probability with which a claim is right, between 0 and 1.
    pub confidence: f64,
    /// The largest number of questions, at least 1.
    pub budget: u64,
    /// The seed of everything drawn.
    pub seed: Seed,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            bandit: "adaptive".to_string(),
            confidence: 0.95,
            budget: 10_000,
            seed: Seed::default(),
        }
    }
}

/// A question for a person: which of two systems' outputs for an item is better?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The id by which its answer is passed in.
    pub id: DuelId,
    /// The system whose outcome is reported, by its place in the list.
    pub first: usize,
    /// Its opponent.
    pub second: usize,
    /// The item, from 0 on.
    pub item: usize,
}

/// Finds the best of some systems by asking one person, a question at a time.
///
/// ```
/// use tiebreak_base::duel::Outcome;
/// use tiebreak_decide::evaluation::live::Live;
/// let systems = ["atlas", "birch", "cedar"];
/// let mut live = Live::new(&systems, 500)?; // outputs of 500 items each
/// while let Some(question) = live.ask() {
///     // Show outputs[question.first][question.item] beside outputs[question.second][question.item].
///     let outcome = if question.first < question.second { Outcome::Win } else { Outcome::Loss };
///     live.tell(question, outcome);
/// }
/// assert_eq!(live.claim().systems, ["atlas"]);
/// println!("{}", live.claim()); // what is claimed, and what it assumes
/// # Ok::<(), tiebreak_base::Error>(())
/// ```
///
/// Several questions may be open at once; answers may come late and in any order. The certificate of the
/// default bandit holds whenever the loop ends, as long as all answers are one person's. For several people,
/// or a terminal, a sheet or a journal that survives, there is `campaign`.
pub struct Live {
    systems: Vec<String>,
    confidence: f64,
    certifies: bool,
    limits: Limits,
    bandit: Box<dyn DuelingBandit>,
    variates: Variates,
    /// The system behind each of the bandit's arms.
    order: Vec<Arm>,
    person: DeduplicatedFeedback<Caller>,
    open: BTreeMap<DuelId, feedback::PairQuestion>,
    asked: u64,
    answered: u64,
    steps: u64,
    choices: Rng,
    judgments: Rng,
}

impl Live {
    /// A loop over systems that all wrote an output for each of `items` items, as [`Plan::default`] has it.
    ///
    /// # Errors
    /// As [`Live::planned`].
    pub fn new(systems: &[impl AsRef<str>], items: usize) -> Result<Self> {
        Self::planned(systems, items, &Plan::default())
    }

    /// A loop over the same systems by another plan.
    ///
    /// # Errors
    /// [`Error::UnknownName`] for an unknown bandit; [`Error::Usage`] for fewer than 2 systems or more
    /// than 65 535, no items, an invalid confidence, or a budget of 0.
    pub fn planned(systems: &[impl AsRef<str>], items: usize, plan: &Plan) -> Result<Self> {
        let k = systems.len();
        Arm::comparable(k)?;
        if items == 0 || u32::try_from(items).is_err() {
            let what = format!("{items} items to compare systems on, expected 1 to 4294967295");
            return Err(Error::usage(what));
        }
        let (name, params) = Params::parse(&plan.bandit)?;
        let entry = find_entry("bandit", BANDITS, &name)?;
        let limits = Limits::new(plan.budget, None);
        let known = PriorKnowledge {
            confidence: Some(plan.confidence),
            eligible: Some(EligibleItems::new(move |_| (0..items as u32).collect())),
            ..PriorKnowledge::default()
        };
        let arms: Vec<Arm> = Arm::all(k).collect();
        let setup = Setup::new(entry, params, arms.clone(), limits, plan.seed)?.with(known)?;
        let mut order = arms;
        plan.seed.stream("arms", 0).shuffle(&mut order);
        Ok(Self {
            systems: systems
                .iter()
                .map(|name| name.as_ref().to_string())
                .collect(),
            confidence: plan.confidence,
            certifies: setup.certifies(),
            limits,
            bandit: setup.bandit(&order, true)?,
            variates: Variates::new(&setup.known, setup.uses),
            order,
            person: DeduplicatedFeedback::new(Caller::new(items)),
            open: BTreeMap::new(),
            asked: 0,
            answered: 0,
            steps: 0,
            choices: plan.seed.stream("bandit", 0),
            judgments: plan.seed.stream("judgments", 0),
        })
    }

    /// The next question; `None` once something is claimed, the budget is spent, or there is nothing new
    /// to ask before open questions are answered.
    pub fn ask(&mut self) -> Option<Question> {
        while self.asked < self.limits.annotations && self.steps < self.limits.steps {
            let duel = self.bandit.ask(&mut self.choices)?;
            self.steps += 1;
            if duel.pair.is_self() {
                self.bandit
                    .record_outcome(duel.id, Outcome::Tie, Origin::Model);
                continue;
            }
            let pair = Pair::new(self.system(duel.pair.first), self.system(duel.pair.second));
            let bandit = self.bandit.as_mut();
            let bet = self.variates.bet(bandit, duel, pair);
            let drawn = self.person.draw(pair, &mut self.judgments);
            let question = feedback::PairQuestion {
                duel: Duel { pair, bet, ..duel },
                sample: drawn.expect("every pair can be compared"),
            };
            let item = question.sample.item;
            self.variates.control(bandit, duel.id, pair, item);
            match self.person.ask(question).expect("a caller is there") {
                Reply::Known(answer) | Reply::Answer(answer) => self.take(&answer),
                Reply::Repeated => {}
                Reply::Ended => return None,
                Reply::Later => {
                    self.asked += 1;
                    self.open.insert(duel.id, question);
                    return Some(Question {
                        id: duel.id,
                        first: pair.first.index(),
                        second: pair.second.index(),
                        item: question.sample.item as usize,
                    });
                }
            }
        }
        None
    }

    /// Passes in the outcome for the first of a question's systems. Only the first answer to a question counts.
    pub fn tell(&mut self, question: Question, outcome: Outcome) {
        let Some(open) = self.open.remove(&question.id) else {
            return;
        };
        self.answered += 1;
        self.person
            .people_mut()
            .told
            .push_back(DuelAnswer::human(open, outcome));
        while let Some(answer) = self.person.arrived().expect("a caller is there") {
            self.take(&answer);
        }
    }

    fn take(&mut self, answer: &DuelAnswer) {
        let id = answer.question.duel.id;
        self.variates.hear(answer);
        self.bandit
            .record_outcome(id, answer.outcome, answer.origin);
    }

    fn system(&self, arm: Arm) -> Arm {
        self.order[arm.index()]
    }

    /// The system that looks best now: a guess, not a claim.
    pub fn leader(&self) -> &str {
        &self.systems[self.system(self.bandit.leader()).index()]
    }

    /// The number of answers.
    pub fn answers(&self) -> u64 {
        self.answered
    }

    /// The verdict that the certificate proves now, with systems by their places in the list.
    pub fn verdict(&self) -> Verdict {
        self.bandit.verdict().about(|arm| self.system(arm))
    }

    /// The claim that can be made now, with its premises; printed (`{claim}`), a sentence.
    pub fn claim(&self) -> Claim {
        let open = match self.answered {
            _ if !self.certifies => NoClaimReason::NoCertificate,
            0 => NoClaimReason::NoAnswers,
            _ => NoClaimReason::NotToldApart(self.systems.clone()),
        };
        let nothing = Claim::undecided(self.systems.clone(), Basis::Campaign, self.answered);
        let name = |arm: &Arm| self.systems[arm.index()].clone();
        let alone = |arm| vec![arm];
        nothing.certified(&self.verdict(), self.confidence, open, name, alone)
    }
}

/// The caller of the loop, as a source whose answers come later.
#[derive(Debug)]
struct Caller {
    items: usize,
    told: VecDeque<DuelAnswer>,
}

impl Caller {
    fn new(items: usize) -> Self {
        let told = VecDeque::new();
        Self { items, told }
    }
}

impl FeedbackSource for Caller {
    fn draw(&mut self, _pair: Pair, rng: &mut Rng) -> Result<Sample> {
        Ok(Sample::item(rng.below(self.items) as u32))
    }

    fn ask(&mut self, _question: feedback::PairQuestion) -> Result<Reply> {
        Ok(Reply::Later)
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        Ok(self.told.pop_front())
    }
}
