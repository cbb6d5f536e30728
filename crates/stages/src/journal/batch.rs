//! Feedback from annotators who take many questions at once and answer later.
//!
//! The journal holds the whole state: posed questions are replayed with the answers that came in between, and then
//! new ones are drawn. Either a given number is drawn, to be logged together once the run can go no further without
//! an answer, or as many as it takes until an annotator who waits has one ([`BatchFeedback::demand`]).
//! A skipped question is reported to the bandit as unanswered, so that it does not wait for it;
//! a certificate counts it at its worst.

use super::opinions::Opinions;
use super::{Assignment, DealtQuestion, Journal, SheetRecord};
use tiebreak_base::duel::{Duel, DuelId, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::{Rng, Seed};
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_decide::feedback::overlap::Overlap;
use tiebreak_decide::feedback::texts::Texts;
use tiebreak_decide::feedback::undrawn::UndrawnPlaces;
use tiebreak_decide::feedback::{
    CorrectedAnswer, DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample,
};

/// Draws that may fall to an annotator who waits before it is assumed that there is nothing new for them.
const MAX_FRUITLESS_DRAWS: u32 = 200;

/// Questions per annotator that may be drawn for others before one falls to the annotator who waits.
const AHEAD: usize = 20;

/// The most open questions of one annotator; while somebody has as many, no new question is asked. All count as
/// lost until they are answered, and what is asked meanwhile is asked without knowing the answers.
pub const MOST_OPEN: usize = 100;

/// The policy by which questions are assigned to annotators.
#[derive(Debug, Clone, Copy)]
pub struct AskPolicy {
    /// The annotators who are asked.
    pub people: People,
    /// The questions that several of them answer.
    pub overlap: Option<Overlap>,
    /// The seed that decides who answers those.
    pub seed: Seed,
    /// Whether each pair is asked about an item at most once, and about all pairs the same annotator, drawn beforehand.
    pub without_replacement: bool,
}

impl AskPolicy {
    /// One answer per question.
    pub fn singly(people: People) -> Self {
        Self {
            people,
            overlap: None,
            seed: Seed::default(),
            without_replacement: false,
        }
    }
}

/// The condition under which new questions are drawn.
#[derive(Debug, Clone, Copy)]
enum DrawCondition {
    /// Until this many are drawn.
    Number(usize),
    /// While an annotator waits for one.
    Demand(Option<WaitingAnnotator>),
    /// Until the block of a new annotator has this many.
    Block(usize),
}

#[derive(Debug, Clone, Copy)]
struct WaitingAnnotator {
    person: u32,
    /// Draws that fell to them.
    draws: u32,
    met: bool,
}

/// A source that poses new questions and waits for none of the answers.
#[derive(Debug)]
pub struct BatchFeedback<T> {
    texts: T,
    journal: Journal,
    dealing: AnnotatorAssignment,
    way: AskPolicy,
    opinions: Opinions,
    /// The items left of each pair, where none is drawn twice.
    left: UndrawnPlaces,
    wanted: DrawCondition,
    drawn: Vec<DealtQuestion>,
    /// Whether new questions have begun; with a panel they are one annotator's.
    begun: bool,
    /// Whether a new question came up and was not wanted.
    refused: bool,
}

impl<T: Texts> BatchFeedback<T> {
    /// Replays `journal`, then draws `wanted` new questions on `texts`.
    pub fn new(texts: T, journal: Journal, way: AskPolicy, wanted: usize) -> Self {
        Self::wanting(texts, journal, way, DrawCondition::Number(wanted))
    }

    /// Replays `journal`, then draws new questions while an annotator waits for one.
    pub fn on_demand(texts: T, journal: Journal, way: AskPolicy) -> Self {
        Self::wanting(texts, journal, way, DrawCondition::Demand(None))
    }

    fn wanting(texts: T, journal: Journal, way: AskPolicy, wanted: DrawCondition) -> Self {
        let mut batch = Self {
            texts,
            journal,
            dealing: AnnotatorAssignment::default(),
            way,
            opinions: Opinions::default(),
            left: UndrawnPlaces::default(),
            wanted,
            drawn: Vec::new(),
            begun: false,
            refused: false,
        };
        batch.rewind();
        batch
    }

    /// Starts to replay the journal from its first line again.
    pub fn rewind(&mut self) {
        self.journal.rewind();
        self.dealing = AnnotatorAssignment::new(self.way.people);
        self.opinions = Opinions::new(self.texts.alike());
        self.left = UndrawnPlaces::default();
        self.drawn.clear();
        self.begun = false;
        self.refused = false;
        if let Some(list) = self.journal.listed() {
            self.dealing.relist(&list);
        }
    }

    /// The journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The journal, to be added to.
    pub fn journal_mut(&mut self) -> &mut Journal {
        &mut self.journal
    }

    /// The assignment of questions to annotators.
    pub fn dealing(&self) -> &AnnotatorAssignment {
        &self.dealing
    }

    /// The state that follows from the journal, as text: batches with the same text are the same.
    pub fn replayed_state(&self) -> String {
        let past = self.journal.past();
        format!("{past:#?}\n{:#?}\n{:#?}", self.dealing, self.opinions)
    }

    /// The number of questions that an annotator has been asked.
    pub fn seen_by(&self, person: u32) -> usize {
        self.opinions.seen_by(person)
    }

    /// Has questions drawn until one falls to this annotator, or until it seems that none does.
    pub fn demand(&mut self, person: Option<u32>) {
        let demand = |person| WaitingAnnotator {
            person,
            draws: 0,
            met: false,
        };
        self.wanted = DrawCondition::Demand(person.map(demand));
    }

    /// Has the run go on to where it would ask a new question, which is not drawn.
    pub fn look_for_more(&mut self) {
        self.wanted = DrawCondition::Number(0);
    }

    /// Has a block of so many questions drawn for a new annotator of a panel.
    pub fn demand_block(&mut self, questions: usize) {
        self.wanted = DrawCondition::Block(questions);
        self.begun = false;
    }

    /// Whether the last question drawn is the one that an annotator waited for, or the last of a block.
    pub fn is_met(&self) -> bool {
        match self.wanted {
            DrawCondition::Demand(demand) => demand.is_some_and(|demand| demand.met),
            DrawCondition::Number(_) | DrawCondition::Block(_) => self.is_enough(),
        }
    }

    /// Whether a new question came up and was not wanted: there are more.
    pub fn has_more(&self) -> bool {
        self.refused
    }

    /// Deals a question about a pair on an item to an annotator with the least load, as a function tells it, of those who
    /// have not seen it; `None` where all have.
    pub fn deal<L: Ord>(
        &mut self,
        (pair, item): (Pair, u32),
        load: impl Fn(u32) -> L,
        rng: &mut Rng,
    ) -> Option<Sample> {
        let question = PairQuestion {
            duel: Duel {
                id: DuelId(0),
                pair,
                bet: 0.0,
            },
            sample: Sample::item(item),
        };
        let listed = self.dealing.listed().iter().copied();
        let new = |person: &u32| !self.opinions.has_seen(*person, question);
        let person = match self.dealing.people() {
            People::Listed => {
                let mut open: Vec<u32> = listed.filter(new).collect();
                let least = open.iter().map(|&person| load(person)).min()?;
                open.retain(|&person| load(person) == least);
                *rng.choose(&open)
            }
            People::One | People::Panel => Some(0).filter(new)?,
        };
        self.fell_to(person);
        Some(Sample {
            person,
            ..question.sample
        })
    }

    /// Draws an item that the pair was not asked about yet. Its annotator follows from the seed alone, so that what
    /// all questions would be answered is fixed before the first.
    fn draw_once(&mut self, pair: Pair, rng: &mut Rng) -> Result<(u32, u32)> {
        let items = self.texts.items(pair);
        let place = self.left.draw(pair, items.len(), rng).ok_or_else(|| {
            let pair = self.texts.names(pair);
            Error::failed(format!("all items of {pair} are drawn"))
        })?;
        let item = items[place];
        let mut whose = self.way.seed.stream("annotators of items", u64::from(item));
        Ok((item, self.dealing.deal(&mut whose)))
    }

    fn fell_to(&mut self, person: u32) {
        if let DrawCondition::Demand(Some(demand)) = &mut self.wanted
            && demand.person == person
        {
            demand.draws += 1;
        }
    }

    /// Logs the new questions, and returns them.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn pose(&mut self) -> Result<Vec<DealtQuestion>> {
        self.pose_on(None)
    }

    /// As [`pose`](Self::pose), with the sheet that the questions go out on.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn pose_on(&mut self, sheet: Option<SheetRecord>) -> Result<Vec<DealtQuestion>> {
        let drawn = std::mem::take(&mut self.drawn);
        self.journal.pose(&drawn, sheet)?;
        Ok(drawn)
    }

    /// The new questions, not yet logged.
    pub fn drawn(&self) -> &[DealtQuestion] {
        &self.drawn
    }

    /// The journal, the assignment of questions, and the new questions, not yet logged.
    ///
    /// # Errors
    /// [`tiebreak_base::error::Error::Record`] if the run ended before the journal does.
    pub fn finish(self) -> Result<(Journal, AnnotatorAssignment, Vec<DealtQuestion>)> {
        self.journal.replayed()?;
        Ok((self.journal, self.dealing, self.drawn))
    }

    /// A new question with those who are asked for a second opinion: listed annotators who have not seen it.
    fn dealt(&self, question: PairQuestion) -> DealtQuestion {
        let Some(overlap) = self.way.overlap else {
            return DealtQuestion::to_one(question);
        };
        let mut others = self.dealing.listed().to_vec();
        others.retain(|&person| {
            person != question.sample.person && !self.opinions.has_seen(person, question)
        });
        let others = overlap.second_judges(self.way.seed, question.duel.id, others);
        DealtQuestion { question, others }
    }

    fn is_enough(&self) -> bool {
        match self.wanted {
            DrawCondition::Number(wanted) | DrawCondition::Block(wanted) => {
                self.drawn.len() == wanted
            }
            DrawCondition::Demand(demand) => demand.is_none_or(|demand| {
                let ahead = AHEAD * self.dealing.count().max(1);
                demand.met
                    || demand.draws >= MAX_FRUITLESS_DRAWS
                    || self.drawn.len() >= ahead
                    || self.most_waiting().is_some()
            }),
        }
    }

    /// An annotator on the list with so many open questions that nothing new is asked.
    pub fn most_waiting(&self) -> Option<u32> {
        let drawn = |person: &u32| {
            let dealt = self.drawn.iter().map(|dealt| dealt.question.sample.person);
            dealt.filter(|one| one == person).count()
        };
        let open = |person: &u32| {
            let open = self.journal.open_of(*person);
            open.filter(|put| put.second.is_none()).count()
        };
        let mut listed = self.dealing.listed().iter();
        listed
            .find(|person| open(person) + drawn(person) >= MOST_OPEN)
            .copied()
    }

    /// Reassigns each question that everybody asked has skipped to somebody else, as a second opinion: that
    /// informs, while the certificate counts the question at its worst for good.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn reassign_skipped(&mut self) -> Result<Vec<Assignment>> {
        let mut passed = Vec::new();
        for id in self.journal.unanswered() {
            let Some(posed) = self.journal.question(id) else {
                continue;
            };
            let question = posed.question;
            let mut others = self.dealing.listed().to_vec();
            others.retain(|&person| !self.opinions.has_seen(person, question));
            let asked = posed.puts().count() as u64;
            let stream = id.0.wrapping_mul(1 << 16).wrapping_add(asked);
            // No bandit learns anything from an output that is rated alone.
            if others.is_empty() || question.duel.pair.is_self() {
                continue;
            }
            let person = *self.way.seed.stream("passed on", stream).choose(&others);
            self.opinions.note(&DealtQuestion {
                question,
                others: vec![person],
            });
            passed.push(Assignment {
                id,
                second: Some(person),
            });
        }
        self.journal.log_reassigned(&passed)?;
        Ok(passed)
    }
}

impl<T: Texts> FeedbackSource for BatchFeedback<T> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let (item, person) = match self.way.without_replacement {
            true => self.draw_once(pair, rng)?,
            false => (self.texts.draw(pair, rng)?.item, self.dealing.deal(rng)),
        };
        self.fell_to(person);
        Ok(Sample {
            person,
            ..Sample::item(item)
        })
    }

    fn repeats(&mut self, question: &PairQuestion) -> Result<bool> {
        Ok(self.opinions.is_second(*question))
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        if let Some(reply) = self.opinions.reply(question) {
            return Ok(reply);
        }
        if self.journal.replay(question)? {
            if let Some(posed) = self.journal.question(question.duel.id) {
                let others = posed.seconds.iter().map(|second| second.person).collect();
                self.opinions.note(&DealtQuestion { question, others });
            }
            return Ok(Reply::Later);
        }
        self.refused = self.is_enough();
        if self.refused {
            return Ok(Reply::Ended);
        }
        if let DrawCondition::Demand(Some(demand)) = &mut self.wanted {
            demand.met |= demand.person == question.sample.person;
        }
        let dealt = self.dealt(question);
        self.opinions.note(&dealt);
        self.drawn.push(dealt);
        Ok(Reply::Later)
    }

    /// Whether to draw on: to a number of questions a run goes on to where it would ask.
    fn wants(&mut self) -> Result<bool> {
        let on_demand = !matches!(self.wanted, DrawCondition::Number(_));
        Ok(!on_demand || !self.journal.is_replayed() || !self.is_enough())
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        // A run that learns from opinions has asked for them.
        while self.opinion()?.is_some() {}
        match self.opinions.arrived() {
            Some(answer) => Ok(Some(answer)),
            None => Ok(self.journal.arrival(&mut self.dealing)),
        }
    }

    fn opinion(&mut self) -> Result<Option<DuelAnswer>> {
        while let Some((person, answer)) = self.journal.opinion(&mut self.dealing) {
            let Some(answer) = answer else { continue };
            self.opinions.hear(answer.question, person, answer.outcome);
            return Ok(Some(answer));
        }
        Ok(None)
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        Ok(self.journal.skip())
    }

    fn corrected(&mut self) -> Result<Option<CorrectedAnswer>> {
        Ok(self.journal.correction(&mut self.dealing))
    }

    /// Whether a block begins: what one call draws is one annotator's block.
    fn begins_block(&mut self) -> Result<bool> {
        if self.dealing.people() != People::Panel {
            return Ok(false);
        }
        let next = match self.journal.next_person() {
            Some(block) => block,
            None if self.begun => self.dealing.block(),
            None => self.dealing.block() + 1,
        };
        self.begun = self.journal.next_person().is_none();
        let begins = next != self.dealing.block();
        self.dealing.begin_block(next);
        Ok(begins)
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        let list = self.journal.listed();
        Ok(list.and_then(|list| self.dealing.relist(&list)))
    }
}
