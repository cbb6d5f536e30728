//! People with a model beside them: the model answers where the policy lets it, people the rest.
//!
//! Whatever people answer is also a judgment of the model ([`Trial`]). What is left to advice has to
//! be earned: before the predictions are shown to be better than chance, and right often enough for
//! [`advice`] to give them a share, people answer everything and no system is eliminated. From then
//! on the share of mixing follows the accuracy seen. Elimination and the threshold of a selection
//! change what people see, so they are decided once, when a quarter of the answers is earned. The run
//! then begins again under new [`Terms`], and what it was told before was the model's trial only.

use super::trial::{Forecast, Trial};
use super::{Advised, Forecasts, Policy, Selection, advice};
use crate::duel::{Arm, DuelId, Origin, Pair, Prediction, Weighing};
use crate::error::{Error, Result};
use crate::feedback::{Answer, Credit, FeedbackSource, Question, Reply, Sample, Terms};
use crate::rng::Rng;

/// `p_m` that is worth beginning again for.
const WORTH: f64 = 0.25;

/// A source whose model answers some questions.
#[derive(Clone)]
pub struct Assisted<'a, F> {
    people: F,
    predictions: &'a dyn Forecasts,
    policy: Policy,
    trial: Trial,
    /// Those left by an elimination still to be earned.
    survivors: Option<Vec<Arm>>,
    /// Whether what is decided once is decided.
    decided: bool,
    rng: Rng,
}

impl<'a, F> Assisted<'a, F> {
    /// Lets the model behind `predictions` answer under `policy`. `rng` is drawn from by mixing
    /// only.
    pub fn new(people: F, predictions: &'a dyn Forecasts, policy: Policy, rng: Rng) -> Self {
        Self {
            people,
            predictions,
            policy,
            trial: Trial::default(),
            survivors: None,
            decided: false,
            rng,
        }
    }

    /// Eliminates all but `survivors` once the predictions have earned it.
    #[must_use]
    pub fn eliminating(mut self, survivors: Option<Vec<Arm>>) -> Self {
        self.survivors = survivors;
        self
    }

    /// `p_m` that the predictions have earned.
    fn earned(&self) -> f64 {
        match self.trial.passed() {
            true => advice::share(self.trial.accuracy()),
            false => 0.0,
        }
    }

    /// Whether the model answers a question.
    fn answers(&mut self, question: Question) -> Result<bool> {
        match self.policy {
            Policy::Mixing { share } => Ok(self.rng.bernoulli(share)),
            Policy::Selection(selection) => self.is_certain(question, selection),
            Policy::Advised(Advised::Mixing) => {
                let share = self.earned();
                Ok(self.rng.bernoulli(share))
            }
            Policy::Advised(Advised::Selection(_)) | Policy::Nothing => Ok(false),
        }
    }

    fn is_certain(
        &self,
        Question { duel, sample }: Question,
        selection: Selection,
    ) -> Result<bool> {
        let prediction = self.predictions.get(duel.pair, sample.item)?;
        // Unknown is not certain: `Policy::check` refuses such predictions before the first
        // question.
        let uncertainty = selection.by.of(&prediction).ok_or_else(|| {
            Error::failed("a prediction of unknown uncertainty cannot be selected by it")
        })?;
        Ok(uncertainty < selection.threshold)
    }

    /// What the model says of a question, if it says anything.
    fn forecast(&self, Question { duel, sample }: Question) -> Result<Option<Forecast>> {
        let Prediction { p, .. } = match self.predictions.get(duel.pair, sample.item) {
            Err(Error::MissingInput { .. }) => return Ok(None),
            known => known?,
        };
        let outcome = self.predictions.outcome(duel.pair, sample.item)?;
        Ok(Some(Forecast { p, outcome }))
    }

    fn learn(&mut self, answer: &Answer) {
        if answer.origin == Origin::Human {
            self.trial.answer(answer.question.duel.id, answer.outcome);
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for Assisted<'_, F> {
    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    fn weighing(&mut self, question: &Question) -> Result<Option<Weighing>> {
        self.people.weighing(question)
    }

    fn ask(&mut self, question: Question) -> Result<Reply> {
        let Question { duel, sample } = question;
        if self.answers(question)? {
            let outcome = self.predictions.outcome(duel.pair, sample.item)?;
            return Ok(Reply::Answer(Answer::model(question, outcome)));
        }
        let reply = self.people.ask(question)?;
        let with_a_person = match reply {
            Reply::Answer(answer) => answer.origin == Origin::Human,
            Reply::Later => true,
            Reply::Known(_) | Reply::Repeated | Reply::Ended => false,
        };
        if with_a_person && let Some(forecast) = self.forecast(question)? {
            self.trial.ask(duel.id, forecast);
        }
        if let Reply::Answer(answer) = &reply {
            self.learn(answer);
        }
        Ok(reply)
    }

    fn begins_block(&mut self) -> Result<bool> {
        self.people.begins_block()
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        self.people.renews_evidence()
    }

    fn arrived(&mut self) -> Result<Option<Answer>> {
        let answer = self.people.arrived()?;
        if let Some(answer) = &answer {
            self.learn(answer);
        }
        Ok(answer)
    }

    fn skipped(&mut self) -> Result<Option<DuelId>> {
        self.people.skipped()
    }

    fn collect(&mut self) -> Result<Option<Answer>> {
        let answer = self.people.collect()?;
        if let Some(answer) = &answer {
            self.learn(answer);
        }
        Ok(answer)
    }

    fn credit(&self) -> Option<Credit> {
        Some(self.trial.credit())
    }

    fn renewed(&mut self) -> Result<Option<Terms>> {
        let share = self.earned();
        if self.decided || share < WORTH {
            return Ok(None);
        }
        self.decided = true;
        let kept = self.survivors.take();
        let selects = match self.policy {
            Policy::Advised(Advised::Selection(by)) => {
                let threshold = advice::threshold(self.predictions.survey()?, by, share);
                self.policy = Policy::Selection(Selection { by, threshold });
                true
            }
            _ => false,
        };
        if kept.is_none() && !selects {
            return Ok(None);
        }
        Ok(Some(Terms {
            kept: kept.unwrap_or_else(|| Arm::all(self.predictions.k()).collect()),
            sampled: !matches!(self.policy, Policy::Selection(_)),
        }))
    }
}
