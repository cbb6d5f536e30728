//! People with a model beside them: the model answers where the policy lets it, people the rest.
//!
//! Whatever people answer is also a judgment of the model ([`Trial`]). What is left to advice has to
//! be earned: before the predictions are shown to be better than chance, and right often enough for
//! [`advice`] to give them a share, people answer everything and no system is eliminated. From then
//! on the share of mixing follows the accuracy seen. Elimination and the threshold of a selection
//! change what people see, so they are decided once, when the model has earned a quarter of the answers. The
//! run then begins again ([`Restart`]), and all answers before were the model's trial only.
//!
//! With [`Audits`] people check some of what the model would answer, and all of it counts as evidence
//! about people. What a person has answered already needs no model: the draw counts with the recorded answer. (If the
//! model answered such draws too, a verdict that must also hold without repeated draws would rest on answers of the model
//! that no audit made up for: of two equal systems, 20 items and a biased model, one was best in 27 % of campaigns.)
//! Without audits the model's answers are no evidence. A run that may begin again may claim
//! something before and after, at half of the error probability each.
//!
//! The accuracy of predictions is reported over all systems: after an elimination those that the model is
//! surest of are not judged.

use super::trial::{QuestionForecast, Trial};
use super::{AdvisedPolicy, Audits, Forecasts, Policy, Selection, advice};
use crate::feedback::{
    DuelAnswer, FeedbackSource, PairQuestion, PredictionCounts, Reply, Restart, Sample,
};
use tiebreak_base::duel::{Arm, AuditWeighting, Origin, Pair, Prediction};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Rng;

/// The least `p_m` that is worth beginning again for.
const WORTH: f64 = 0.25;

/// A source whose model answers some questions.
#[derive(Clone)]
pub struct AssistedFeedback<'a, F> {
    people: F,
    predictions: &'a dyn Forecasts,
    policy: Policy,
    audits: Option<Audits>,
    trial: Trial,
    /// The systems left by an elimination that is still to be earned.
    survivors: Option<Vec<Arm>>,
    /// Whether elimination and threshold, which are decided once, are decided.
    decided: bool,
    /// Whether half of the error probability is kept for a second beginning; known from the first question on.
    halved: Option<bool>,
    /// The agreement with judgments of all systems, once some were eliminated.
    of_all: Option<PredictionCounts>,
    rng: Rng,
}

impl<'a, F: FeedbackSource> AssistedFeedback<'a, F> {
    /// Lets the model behind `predictions` answer under `policy`. `rng` is drawn from once a
    /// question.
    pub fn new(people: F, predictions: &'a dyn Forecasts, policy: Policy, rng: Rng) -> Self {
        Self {
            people,
            predictions,
            policy,
            audits: None,
            trial: Trial::default(),
            survivors: None,
            decided: false,
            halved: None,
            of_all: None,
            rng,
        }
    }

    /// Eliminates all but `survivors` once the predictions have earned it.
    #[must_use]
    pub fn eliminating(mut self, survivors: Option<Vec<Arm>>) -> Self {
        self.survivors = survivors;
        self
    }

    /// Has people check some of the model's answers.
    #[must_use]
    pub fn audited(mut self, audits: Option<Audits>) -> Self {
        self.audits = audits;
        self
    }

    /// `p_m` that the predictions have earned.
    fn mixing_probability(&self) -> f64 {
        match self.trial.passed() {
            true => advice::share(self.trial.accuracy()),
            false => 0.0,
        }
    }

    /// Whether the run may begin again, with claims about people before and after: where one system is left there are none
    /// after, nor are there where the model's answers are not audited.
    fn begins_again(&self) -> bool {
        let selects = matches!(self.policy, Policy::Advised(AdvisedPolicy::Selection(_)));
        let several = self.survivors.as_ref().is_some_and(|left| left.len() > 1);
        several || selects && self.audits.is_some()
    }

    /// The largest probability that the model answers a question now, audits aside.
    fn most(&self) -> f64 {
        match self.policy {
            Policy::Mixing { share } => share,
            Policy::Selection(_) => 1.0,
            Policy::Advised(AdvisedPolicy::Mixing) => self.mixing_probability(),
            Policy::Advised(AdvisedPolicy::Selection(_)) | Policy::Nothing => 0.0,
        }
    }

    /// The probability that the model answers this question, audits aside; 0 where it has no forecast.
    fn share(&mut self, question: PairQuestion) -> Result<f64> {
        let most = self.most();
        if most == 0.0 || self.forecast(question)?.is_none() {
            return Ok(0.0);
        }
        if self.audits.is_some() && self.people.repeats(&question)? {
            return Ok(0.0);
        }
        match self.policy {
            Policy::Selection(selection) if !self.is_certain(question, selection)? => Ok(0.0),
            _ => Ok(most),
        }
    }

    /// Draws whether the model answers a question, which it is to do with probability `share`, audits aside.
    fn answers(&mut self, question: PairQuestion, share: f64) -> Result<bool> {
        if !self.rng.bernoulli(share) {
            return Ok(false);
        }
        let Some(audits) = &self.audits else {
            return Ok(true);
        };
        let PairQuestion { duel, sample } = question;
        let p = self.predictions.get(duel.pair, sample.item)?.p;
        Ok(!audits.puts(duel.id, p))
    }

    fn is_certain(
        &self,
        PairQuestion { duel, sample }: PairQuestion,
        selection: Selection,
    ) -> Result<bool> {
        // As stored, whichever side is asked: a threshold as advised is one of these very numbers.
        let prediction = self.predictions.stored(duel.pair, sample.item)?;
        // Unknown is not certain: `Policy::check` refuses such predictions before the first
        // question.
        let uncertainty = selection.by.measure(&prediction).ok_or_else(|| {
            Error::failed("a prediction of unknown uncertainty cannot be selected by it")
        })?;
        Ok(uncertainty < selection.threshold)
    }

    /// The model's forecast of a question, if it has one.
    fn forecast(
        &self,
        PairQuestion { duel, sample }: PairQuestion,
    ) -> Result<Option<QuestionForecast>> {
        let Prediction { p, .. } = match self.predictions.get(duel.pair, sample.item) {
            Err(Error::MissingInput { .. }) => return Ok(None),
            known => known?,
        };
        let outcome = self.predictions.outcome(duel.pair, sample.item)?;
        Ok(Some(QuestionForecast { p, outcome }))
    }

    /// Notes that a question is with a person.
    fn put(&mut self, question: PairQuestion, weighed: bool) -> Result<()> {
        let Some(forecast) = self.forecast(question)? else {
            return Ok(());
        };
        self.trial.ask(question.duel.id, forecast);
        if let Some(audits) = self.audits.as_mut().filter(|_| weighed) {
            audits.ask(question.duel.id, forecast.p);
        }
        Ok(())
    }

    fn learn(&mut self, answer: &DuelAnswer) {
        if answer.origin == Origin::Human {
            let id = answer.question.duel.id;
            self.trial.answer(id, answer.outcome);
            if let Some(audits) = &mut self.audits {
                audits.answer(id, answer.outcome);
            }
        }
    }
}

impl<F: FeedbackSource> FeedbackSource for AssistedFeedback<'_, F> {
    fn inner(&mut self) -> Option<&mut dyn FeedbackSource> {
        Some(&mut self.people)
    }

    fn draw(&mut self, pair: Pair, rng: &mut Rng) -> Result<Sample> {
        self.people.draw(pair, rng)
    }

    fn reach(&mut self) -> Result<Option<f64>> {
        let most = self.most();
        match &self.audits {
            Some(audits) => Ok(Some(audits.reach(most))),
            None => self.people.reach(),
        }
    }

    /// The weighting of a question that the model may answer and audits check; else that of the source within.
    fn weighing(&mut self, question: &PairQuestion) -> Result<Option<AuditWeighting>> {
        let share = match self.audits {
            Some(_) => self.share(*question)?,
            None => 0.0,
        };
        if let Some(audits) = self.audits.as_ref().filter(|_| share > 0.0) {
            let PairQuestion { duel, sample } = question;
            let p = self.predictions.get(duel.pair, sample.item)?.p;
            return Ok(Some(audits.weighing(p, share)));
        }
        self.people.weighing(question)
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let PairQuestion { duel, sample } = question;
        let share = self.share(question)?;
        if self.answers(question, share)? {
            let outcome = self.predictions.outcome(duel.pair, sample.item)?;
            return Ok(Reply::Answer(DuelAnswer::model(question, outcome)));
        }
        let weighed = self.audits.is_some() && share > 0.0;
        let reply = self.people.ask(question)?;
        match &reply {
            // A tie of identical texts counts here as if a person had answered.
            Reply::Answer(tie) if tie.origin == Origin::Model && weighed => {
                return Ok(Reply::Known(DuelAnswer::human(question, tie.outcome)));
            }
            Reply::Answer(answer) if answer.origin != Origin::Model => {
                self.put(question, weighed)?;
                self.learn(answer);
            }
            Reply::Later => self.put(question, weighed)?,
            Reply::Answer(_) | Reply::Known(_) | Reply::Repeated | Reply::Ended => {}
        }
        Ok(reply)
    }

    fn renews_evidence(&mut self) -> Result<Option<f64>> {
        let renewed = self.people.renews_evidence()?;
        let first = self.halved.is_none();
        let begins_again = self.begins_again();
        let halved = *self.halved.get_or_insert(begins_again);
        let own = if halved { 0.5 } else { 1.0 };
        let begun = (first && halved).then_some(own);
        Ok(renewed.map(|share| own * share).or(begun))
    }

    fn arrived(&mut self) -> Result<Option<DuelAnswer>> {
        let answer = self.people.arrived()?;
        if let Some(answer) = &answer {
            self.learn(answer);
        }
        Ok(answer)
    }

    fn collect(&mut self) -> Result<Option<DuelAnswer>> {
        let answer = self.people.collect()?;
        if let Some(answer) = &answer {
            self.learn(answer);
        }
        Ok(answer)
    }

    fn credit(&mut self) -> Option<PredictionCounts> {
        Some(self.of_all.unwrap_or(self.trial.credit()))
    }

    fn restart(&mut self) -> Result<Option<Restart>> {
        let share = self.mixing_probability();
        if self.decided || share < WORTH {
            return Ok(None);
        }
        self.decided = true;
        let kept = self.survivors.take();
        if kept.is_some() {
            self.of_all = Some(self.trial.credit());
        }
        let selects = match self.policy {
            Policy::Advised(AdvisedPolicy::Selection(by)) => {
                let threshold = self.predictions.survey()?.threshold(by, share);
                self.policy = Policy::Selection(Selection { by, threshold });
                true
            }
            _ => false,
        };
        if kept.is_none() && !selects {
            return Ok(None);
        }
        let audited = self.audits.is_some();
        Ok(Some(Restart {
            kept: kept.unwrap_or_else(|| Arm::all(self.predictions.k()).collect()),
            sampled: audited || !matches!(self.policy, Policy::Selection(_)),
        }))
    }
}
