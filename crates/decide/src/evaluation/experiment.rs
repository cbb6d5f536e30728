//! The annotation-complexity experiment: many seeded runs of one bandit on recorded comparisons.
//!
//! A run is a pure function of its index, so runs can be computed in any order, on any number of
//! threads, or be stored one by one and continued later.

use super::active::{RunTrace, Setup};
use super::annotation_complexity::{BanditRunSummary, Scoring, summarise};
use super::truth::Truth;
use crate::estimators::margins::Reading;
use crate::feedback::FeedbackSource;
use crate::feedback::comparisons::Comparisons;
use crate::feedback::delayed::DelayedFeedback;
use crate::feedback::recollected::DeduplicatedFeedback;
use crate::feedback::recorded::RecordedFeedback;
use crate::model_based::audits::Rate;
use crate::model_based::{AdvisedPolicy, AssistedFeedback, Audits, Forecasts, Policy};
use rayon::prelude::*;
use std::ops::Range;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};

/// One bandit on one data set, with or without a model.
pub struct Experiment<'a> {
    setup: Setup,
    comparisons: &'a Comparisons,
    model: Option<(&'a dyn Forecasts, Policy)>,
    survivors: Option<Vec<Arm>>,
    audit: Option<Rate>,
    delay: usize,
    as_campaign: bool,
    truth: Truth,
}

impl<'a> Experiment<'a> {
    /// An experiment, after checking everything that could fail in the middle of a run.
    ///
    /// # Errors
    /// [`Error::MissingInput`] for a pair without comparisons or a comparison without prediction,
    /// [`Error::Usage`] where the policy does not fit the predictions or an arm is unknown.
    pub fn new(
        setup: Setup,
        comparisons: &'a Comparisons,
        model: Option<(&'a dyn Forecasts, Policy)>,
        delay: usize,
    ) -> Result<Self> {
        if let Some(arm) = setup
            .arms()
            .iter()
            .find(|arm| arm.index() >= comparisons.k())
        {
            return Err(Error::usage(format!(
                "system number {} of {}, which are counted from 0",
                arm.0,
                comparisons.k()
            )));
        }
        let all: Vec<Arm> = Arm::all(comparisons.k()).collect();
        let truth = Truth::new(&comparisons.preferences()?, &all);
        if let Some((predictions, policy)) = model {
            policy.check(predictions)?;
            predictions.cover(comparisons)?;
            // Surveys before the first run, so that no two runs ask for it at once.
            if matches!(policy, Policy::Advised(AdvisedPolicy::Selection(_))) {
                predictions.survey()?;
            }
        }
        Ok(Self {
            setup,
            comparisons,
            model,
            survivors: None,
            audit: None,
            delay,
            as_campaign: false,
            truth,
        })
    }

    /// Scores the runs against the truth about `arms` instead of all systems.
    ///
    /// # Errors
    /// As [`Comparisons::preferences`].
    pub fn among(mut self, arms: &[Arm]) -> Result<Self> {
        self.truth = Truth::new(&self.comparisons.preferences()?, arms);
        Ok(self)
    }

    /// Eliminates all but `survivors` in each run whose judgments show that the predictions are good
    /// enough.
    #[must_use]
    pub fn eliminating(mut self, survivors: Option<Vec<Arm>>) -> Self {
        self.survivors = survivors;
        self
    }

    /// Has people check the model's answers at this rate.
    #[must_use]
    pub fn audited(mut self, audit: Option<Rate>) -> Self {
        self.audit = audit;
        self
    }

    /// Has a judgment that is drawn again cost nothing and inform nobody, as in a campaign, where it is on record.
    #[must_use]
    pub fn as_campaign(mut self, as_campaign: bool) -> Self {
        self.as_campaign = as_campaign;
        self
    }

    /// Plays run number `index`.
    ///
    /// # Errors
    /// Those of the feedback.
    pub fn run_one(&self, index: u64) -> Result<RunTrace> {
        self.run_noting(index, &mut |_| {})
    }

    /// Plays run number `index`, noting all that it shows about pairs of systems.
    ///
    /// # Errors
    /// Those of the feedback.
    pub fn run_noting(&self, index: u64, note: &mut dyn FnMut(Reading)) -> Result<RunTrace> {
        let recorded = RecordedFeedback::new(self.comparisons);
        let recorded = match self.setup.known.stock {
            None => recorded,
            Some(_) => recorded.without_replacement(),
        };
        let people = DelayedFeedback::new(recorded, self.delay);
        let mut feedback: Box<dyn FeedbackSource + '_> = match self.as_campaign {
            true => Box::new(DeduplicatedFeedback::new(people)),
            false => Box::new(people),
        };
        if let Some((predictions, policy)) = self.model {
            let seed = self.setup.seed();
            let mixing = seed.stream("mixing", index);
            let audits = self.audit.map(|audit| Audits::new(audit, seed, index));
            let assisted = AssistedFeedback::new(feedback, predictions, policy, mixing)
                .audited(audits)
                .eliminating(self.survivors.clone());
            feedback = Box::new(assisted);
        }
        self.setup.play_noting(index, &mut feedback, note)
    }

    /// Plays a range of runs, in parallel; the result does not depend on the number of threads.
    ///
    /// # Errors
    /// The error of the first run that failed, by index.
    pub fn run_many(&self, indices: Range<u64>) -> Result<Vec<RunTrace>> {
        let traces: Vec<Result<RunTrace>> = indices
            .into_par_iter()
            .map(|index| self.run_one(index))
            .collect();
        traces.into_iter().collect()
    }

    /// Summarises the runs, at the usual level of 95 % with 95 % bootstrap intervals.
    ///
    /// # Errors
    /// [`Error::Usage`] if there are no runs.
    pub fn summarise(&self, traces: &[RunTrace]) -> Result<BanditRunSummary> {
        summarise(traces, &Scoring::new(Some(&self.truth), self.setup.seed()))
    }
}
