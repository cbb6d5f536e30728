//! The texts of a comparison, the sides they are shown on, and ties of identical texts without a question.
//!
//! Which output comes first is drawn from the seed and the question's number, so a question shown
//! again, on the terminal or on a sheet, looks the same. Two identical texts are a tie without
//! asking anyone; that costs no annotation.

use super::alike::OutputAliases;
use super::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak_base::duel::{AuditWeighting, Outcome, Pair};
use tiebreak_base::error::{Error, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::rng::Rng;

/// The texts that a person sees of one item.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonTexts<'a> {
    /// The input, where it is known.
    pub source: Option<&'a str>,
    /// The texts that people wrote, possibly none.
    pub references: &'a [String],
    /// The output of the pair's first system.
    pub first: &'a str,
    /// The output of the pair's second system.
    pub second: &'a str,
}

/// A source of texts.
pub trait Texts {
    /// The items on which both systems of `pair` have an output.
    fn items(&self, pair: Pair) -> &[u32];

    /// The texts of one of those items.
    ///
    /// # Errors
    /// If they cannot be had.
    fn texts(&self, item: u32, pair: Pair) -> Result<ComparisonTexts<'_>>;

    /// The pair's names, for messages to whoever runs the comparison.
    fn names(&self, pair: Pair) -> String;

    /// The outputs that are identical.
    fn alike(&self) -> OutputAliases {
        OutputAliases::default()
    }

    /// Draws one of the pair's items, uniformly.
    ///
    /// # Errors
    /// [`Error::MissingInput`] where there is none.
    fn draw(&self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        let items = self.items(pair);
        if items.is_empty() {
            return Err(Error::MissingInput {
                stage: "feedback of people".to_string(),
                table: format!("an item with outputs of {}", self.names(pair)),
                hint: Some(message!(
                    "{} shows which outputs there are",
                    StageCommand("check", &[])
                )),
            });
        }
        let item = *rng.choose(items);
        Ok(Sample::item(item))
    }
}

impl<T: Texts + ?Sized> Texts for &T {
    fn items(&self, pair: Pair) -> &[u32] {
        (**self).items(pair)
    }

    fn texts(&self, item: u32, pair: Pair) -> Result<ComparisonTexts<'_>> {
        (**self).texts(item, pair)
    }

    fn names(&self, pair: Pair) -> String {
        (**self).names(pair)
    }

    fn alike(&self) -> OutputAliases {
        (**self).alike()
    }
}

/// A source whose people are not asked about identical texts. Wrap it around a journal: what it
/// does follows from the data and need not be logged.
#[derive(Debug)]
pub struct IdenticalTexts<T, F> {
    texts: T,
    people: F,
}

impl<T, F> IdenticalTexts<T, F> {
    /// Creates a source that asks `people` where the `texts` differ.
    pub fn new(texts: T, people: F) -> Self {
        Self { texts, people }
    }
}

impl<T: Texts, F> IdenticalTexts<T, F> {
    fn are_the_same(&self, question: &PairQuestion) -> Result<bool> {
        let item = question.sample.item;
        let shown = self.texts.texts(item, question.duel.pair)?;
        Ok(shown.first == shown.second)
    }
}

impl<T: Texts, F: FeedbackSource> FeedbackSource for IdenticalTexts<T, F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.people)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    /// A tie without asking needs no audit.
    fn weighing(&mut self, question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        match self.are_the_same(question)? {
            true => Ok(None),
            false => self.people.weighing(question),
        }
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        if self.are_the_same(&question)? {
            return Ok(Reply::Answer(DuelAnswer::model(question, Outcome::Tie)));
        }
        self.people.ask(question)
    }
}
