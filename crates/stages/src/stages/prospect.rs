//! `plan` from a pilot: what its judgments vary by.

use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::{Scores, Source};
use crate::stages::estimate::{GivenRange, OutputSamplingDesign, gather, ranges};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_base::scope::ItemScope;
use tiebreak_data::records::Kind;
use tiebreak_decide::estimators::{
    AnalysisTerms, Contender, ESTIMATORS, Judgments, Pilot, Range, ScaleKind, analyse_with,
};

/// The question that a pilot answers.
pub struct PilotQuestion {
    /// The criterion of the judgments.
    pub criterion: String,
    /// The scores of a metric, if one is to help.
    pub scores: Option<Scores>,
    /// The scale of the judgments, if given.
    pub range: Option<Range>,
    /// Whether differences of systems are planned; else means.
    pub differences: bool,
    /// The confidence of the intervals that are planned.
    pub confidence: f64,
}

impl PilotQuestion {
    /// The judgments under a criterion, and how many items the data set has.
    ///
    /// # Errors
    /// A data set without judgments under the criterion; scores that do not cover the outputs.
    pub fn pilot(self, context: &Context<'_>, source: &Source) -> Result<(Pilot, u64)> {
        if !source.index.has(Kind::Judgments) {
            return Err(source.lacks("plan", "judgments"));
        }
        let judging = JudgmentSelection::new(source, Some(&self.criterion), None)?;
        // Means of repeats would vary less than the single judgments that are planned.
        let judging = judging.with_repeats_apart();
        let scores: Vec<Scores> = self.scores.into_iter().collect();
        let given = self.range.map(GivenRange::of_one);
        let data = gather(
            context,
            source,
            &scores,
            &OutputSamplingDesign::default(),
            &judging,
            given,
        )?;
        let ranges = ranges(source, &judging, given, &data)?;
        // For means the metric's correlation is its worth; differences are those of its estimates.
        let estimator = match self.differences && !scores.is_empty() {
            true => "control-variates",
            false => "mean",
        };
        let entry = find_entry("estimator", ESTIMATORS, estimator)?;
        let dealing = data.allocation(data.judgments.values(), |_| false);
        let range = ranges.values().next().copied();
        let terms = AnalysisTerms {
            confidence: self.confidence,
            range,
            weights: dealing.weights(),
        };
        let scale = scale(range, data.judgments.values());
        let mut pilot = Pilot::new(dealing.weights().is_some(), scale);
        for (place, (&key, judged)) in data.judgments.iter().enumerate() {
            let survey = data.survey(key, range, context.seed, ItemScope::LikeThese);
            let mut estimator = (entry.build.build)(&Params::default(), &survey)?;
            let found = analyse_with(estimator.as_mut(), judged, &terms)?;
            if let Some(contender) = Contender::new(place, estimator.as_ref(), judged, &terms) {
                pilot.add(judged, contender, &found);
            }
        }
        Ok((pilot, source.index.items()))
    }
}

/// The scale of the judgments, as far as it is known.
fn scale<'a>(range: Option<Range>, mut judged: impl Iterator<Item = &'a Judgments>) -> ScaleKind {
    let Some(range) = range else {
        return ScaleKind::Unknown;
    };
    match range.is_yes_no() && judged.all(|one| one.rows().all(|one| [0.0, 1.0].contains(&one.y))) {
        true => ScaleKind::YesNo,
        false => ScaleKind::Bounded,
    }
}

/// The error of a pilot in which nothing varies, or that has too little.
pub fn says_nothing(source: &Source, criterion: &str, differences: bool) -> Error {
    let what = match differences {
        true => format!("no two systems whose judgments of `{criterion}` vary on the same items"),
        false => format!("the judgments of `{criterion}` do not vary, or one item was judged"),
    };
    Error::input(source.dataset.path(), what).with_hint(message!(
        "have a few more items judged, or plan for the worst case: {} without DATA",
        Key("range").set("LO,HI")
    ))
}
