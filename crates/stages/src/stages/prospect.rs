//! `plan` from a pilot: what its judgments vary by.

use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::{ClusterKeys, Scores, Source};
use crate::stages::estimate::{GivenRange, OutputSamplingDesign, gather, ranges};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Which items count as one.
    pub clusters: ClusterKeys,
    /// The items that the study is about.
    pub items: ItemScope,
}

/// The judgments of a pilot.
pub struct PilotJudgments {
    /// What they vary by.
    pub pilot: Pilot,
    /// The number of items of the data set; of those judged, and each cluster one, where items share theirs.
    pub items: u64,
    /// What items of a cluster share: `source`, or the name of a column; `None` where each item is one.
    pub shared: Option<String>,
    /// Sentences on items that count as one, or that may depend on each other.
    pub hints: Vec<String>,
}

impl PilotQuestion {
    /// The judgments under a criterion.
    ///
    /// # Errors
    /// A data set without judgments under the criterion; scores that do not cover the outputs.
    pub fn pilot(self, context: &Context<'_>, source: &Source) -> Result<PilotJudgments> {
        if !source.index.has(Kind::Judgments) {
            return Err(source.lacks("plan", "judgments"));
        }
        let judging = JudgmentSelection::new(source, Some(&self.criterion), None)?;
        // Means of repeats would vary less than the single judgments that are planned.
        let judging = judging.with_repeats_apart().with_clusters(&self.clusters);
        let scores: Vec<Scores> = self.scores.into_iter().collect();
        let given = self.range.map(GivenRange::of_one);
        let data = gather(
            context,
            source,
            &scores,
            &OutputSamplingDesign::default(),
            &judging,
            given,
        )?
        .about(self.items);
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
        let judged = || data.judgments.values();
        let scale = match data.shared() {
            // Several judgments make the number of a cluster.
            Some(_) if range.is_some() => ScaleKind::Bounded,
            _ => scale(range, judged()),
        };
        let rows = judged().flat_map(Judgments::rows);
        let clusters = rows.map(|one| (one.item, data.cluster(one.item)));
        let clusters: BTreeMap<u32, u32> = match data.shared() {
            Some(_) => clusters.collect(),
            None => BTreeMap::new(),
        };
        let different: BTreeSet<u32> = clusters.values().copied().collect();
        let pilot = Pilot::new(dealing.weights().is_some(), scale);
        let mut pilot = pilot.of_clusters(clusters);
        for (place, (&key, judged)) in data.judgments.iter().enumerate() {
            let survey = data.survey(key, range, context.seed, ItemScope::LikeThese);
            let mut estimator = (entry.build.build)(&Params::default(), &survey)?;
            let clustered = data.clustered(judged);
            let counted = clustered.as_ref().unwrap_or(judged);
            let found = analyse_with(estimator.as_mut(), counted, &terms)?;
            if let Some(contender) = Contender::new(place, estimator.as_ref(), counted, &terms) {
                pilot.add(judged, contender, &found);
            }
        }
        let hint = self.clusters.hint(source, self.items)?;
        Ok(PilotJudgments {
            pilot,
            items: match data.shared() {
                Some(_) => different.len() as u64,
                None => source.index.items(),
            },
            shared: data.shared(),
            hints: data.cluster_sentence().into_iter().chain(hint).collect(),
        })
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
