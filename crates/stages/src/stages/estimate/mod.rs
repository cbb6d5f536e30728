//! `estimate`: each system's mean human judgment, with an interval.

mod differences;
mod gather;
mod items;
mod keys;
mod kinds;
mod meaning;
mod new;
mod remedy;
mod repeats;
mod rows;
mod scale;
mod standing;
pub(super) mod tell;
mod weights;

pub use self::keys::EstimateStage;
pub(crate) use differences::NewAnnotatorsDifference;
pub(crate) use differences::SystemStoppingPoint;
pub use kinds::kinds;
pub use meaning::{of_each as meanings, of_new_annotators_each as new_annotators};
pub(crate) use repeats::RepeatedJudgments;
pub(crate) use rows::EstimateRow;
pub use rows::{Estimates, ReportedEstimate};
pub(crate) use scale::{GivenRange, ranges};

use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::{Scores, Source};
use crate::stages::slices::Slices;
use differences::DifferencesBuilder;
pub(crate) use gather::{EstimationData, OutputSamplingDesign, gather};
use items::LeadersItems;
use remedy::IntervalWidthTarget;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{ParameterizedName, PositiveNumber, ScaleRange};
use tiebreak_base::message;
use tiebreak_base::registry::{Entry, find_entry};
use tiebreak_data::records::Kind;
use tiebreak_data::records::import::Repeats;
use tiebreak_data::tables::meta::Meta;
use tiebreak_decide::estimators::{
    AnalysisTerms, AnnotatorAllocation, ESTIMATORS, EstimatorConstructor, Goal, Judgments, Metrics,
    Range, StoppingPoint, Survey, analyse_with, uneven_sentence, widths,
};
use weights::WeightHints;
pub(in crate::stages) use weights::uneven;

/// The stage's name: its verb, and its list in a pipeline.
pub const NAME: &str = "estimate";

/// The number of counts of judgments at which the width of an interval is reported, where a stopping goal is given.
const WIDTHS: usize = 24;

/// One round of estimates, with one set of metrics.
struct Round<'a> {
    keys: &'a EstimateStage,
    estimator: &'a ParameterizedName,
    scores: &'a [Scores],
    confidence: f64,
}

impl Round<'_> {
    /// The given range.
    fn range(&self) -> Option<[f64; 2]> {
        self.keys.range.map(ScaleRange::value)
    }
}

/// Estimates every judged system.
///
/// # Errors
/// A data set without judgments; an unknown estimator or criterion; scores that do not cover the
/// outputs; judgments outside the range.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    scores: &[Scores],
    keys: &EstimateStage,
) -> Result<Estimates> {
    if !source.index.has(Kind::Judgments) {
        return Err(source.lacks("estimate", "judgments"));
    }
    let estimator = &keys.estimator_of(source);
    let entry = find_entry("estimator", ESTIMATORS, &estimator.name)?;
    let judging = JudgmentSelection::new(source, keys.criterion.as_deref(), keys.parts)?;
    let judging = judging
        .of_repeats(keys.repeats)
        .with_clusters(&keys.clusters);
    let (judging, left_out) = judging.screened(context, source, &keys.quality)?;
    let at_once = match entry.build.metrics {
        Metrics::Several => scores.len().max(1),
        Metrics::Unused | Metrics::One => 1,
    };
    let mut all: Option<Estimates> = None;
    // Without scores there is one round, with none.
    for start in (0..scores.len().max(1)).step_by(at_once) {
        let end = (start + at_once).min(scores.len());
        let asked = Round {
            keys,
            estimator,
            scores: &scores[start..end],
            confidence: keys.confidence.value(),
        };
        let estimates = round(context, source, entry, &asked, &judging)?;
        match &mut all {
            None => all = Some(estimates),
            Some(all) => all.extend(estimates),
        }
    }
    let mut all = all.ok_or_else(|| Error::failed("nothing was estimated"))?;
    all.left_out = left_out;
    Ok(all)
}

/// Estimates every judged system with one set of metrics.
fn round(
    context: &Context<'_>,
    source: &Source,
    entry: &Entry<EstimatorConstructor>,
    asked: &Round<'_>,
    judging: &JudgmentSelection,
) -> Result<Estimates> {
    let is_of_one = judging.is_of_one(source);
    let given = GivenRange::new(asked.keys.range, is_of_one)?;
    let marked = OutputSamplingDesign::open(source, asked.keys)?;
    let data = gather(context, source, asked.scores, &marked, judging, given)?;
    let data = data.about(asked.keys.scope.items);
    let dealt = dealings(&data, judging);
    let ranges = scale::ranges(source, judging, given, &data)?;
    let column = asked.keys.by.as_deref();
    let slices = column
        .map(|column| Slices::read(context, source, column))
        .transpose()?;
    let sliced = slices.map(|slices| {
        let of_criteria = (&data, &ranges, judging);
        differences::sliced(context, source, asked, &slices, of_criteria)
    });
    let sliced = sliced.transpose()?;
    let mut estimates = Estimates::new(meta(context, source, asked, &marked));
    estimates.hints = data.doubts(source, judging);
    estimates.hints.extend(data.cluster_sentence());
    if marked.is_empty() && source.chosen.is_none() {
        let keys = asked.keys;
        let hint = keys.clusters.hint(source, keys.scope.items)?;
        estimates.hints.extend(hint);
    }
    let judgments = &data.judgments;
    let repeats = data
        .repeated
        .iter()
        .filter_map(|(&(criterion, system), tally)| {
            tally.summary(
                &source.systems()[system],
                judging.criterion(source, criterion),
            )
        });
    estimates.repeats = repeats.collect();
    for &number in dealt.keys().filter(|number| !ranges.contains_key(number)) {
        let of = judgments.range((number, 0)..=(number, usize::MAX));
        let judged = of.map(|(_, judged)| judged);
        let criterion = judging.criterion(source, number);
        let hint = scale::hint((criterion, is_of_one), &judged);
        let counted = judging.is_counted(number);
        estimates.hints.extend(hint.filter(|_| !counted));
    }
    let clustered = judgments.iter();
    let clustered = clustered.filter_map(|(&key, judged)| Some((key, data.clustered(judged)?)));
    let clustered: BTreeMap<(usize, usize), Judgments> = clustered.collect();
    let mut comparing = DifferencesBuilder::new(source, asked, &data.annotators);
    for ((number, _), judged) in judgments {
        judged.check(ranges.get(number).copied())?;
    }
    // A system that cannot be estimated must not stop the others.
    let mut failed: Option<Error> = None;
    let mut estimated = false;
    let mut weighed = BTreeSet::new();
    for (&(number, system), judged) in judgments {
        let range = ranges.get(&number).copied();
        let items = asked.keys.scope.items;
        let subject = Subject {
            system,
            name: &source.systems()[system],
            criterion: judging.criterion(source, number),
            counted: judging.is_counted(number),
            range,
            outputs: data.populations[system].n,
            is_repeated: data.repeated.contains_key(&(number, system)),
            survey: data.survey((number, system), range, context.seed, items),
            judged: clustered.get(&(number, system)).unwrap_or(judged),
            dealt: &dealt[&number],
        };
        match subject.estimate(entry, asked, &mut estimates, &mut comparing) {
            Ok(is_weighed) => {
                estimated = true;
                weighed.extend(is_weighed.then_some(number));
            }
            Err(error) => {
                let row = EstimateRow::without_estimate(&subject, asked, &error);
                estimates.rows.push(row);
                let located = about(&error, subject.name, subject.criterion);
                failed.get_or_insert(located);
            }
        }
    }
    match failed {
        Some(error) if !estimated => return Err(error),
        _ => {}
    }
    let found = (source, &data, judging, &dealt);
    add_doubts(found, (asked, &marked, &weighed), &mut estimates);
    comparing.finish(&mut estimates);
    estimates.comparisons.slices.extend(sliced);
    Ok(estimates)
}

/// Adds what means rest on besides judgments: who judged, who chose what is judged, and which items.
fn add_doubts(
    (source, data, judging, dealt): (
        &Source,
        &EstimationData,
        &JudgmentSelection,
        &BTreeMap<usize, CriterionAssignments>,
    ),
    (asked, marked, weighed): (&Round<'_>, &OutputSamplingDesign, &BTreeSet<usize>),
    estimates: &mut Estimates,
) {
    let judgments = &data.judgments;
    let mut hints = WeightHints::default();
    for (&number, dealt) in dealt {
        let criterion = judging.criterion(source, number);
        let is_weighed = weighed.contains(&number);
        if let Some(price) = scale::price(criterion, &estimates.rows) {
            estimates.hint(&price);
        }
        if let Some(hint) = weights::hint(dealt, is_weighed, source.systems(), &data.annotators) {
            hints.add(criterion, hint);
        }
    }
    hints.sentences().for_each(|hint| estimates.hint(&hint));
    if asked.estimator.name != "regression" && !source.draws_by_chance() {
        let chosen = chosen_by_scores(source, data, dealt, judging);
        chosen.for_each(|hint| estimates.hint(&hint));
    }
    for &number in dealt.keys() {
        let criterion = judging.criterion(source, number);
        let is_weighed = weighed.contains(&number);
        let of = judgments.range((number, 0)..=(number, usize::MAX));
        let of = of.map(|(&(_, system), judged)| (source.systems()[system].as_str(), judged));
        if let Some(which) = uneven(of).filter(|_| is_weighed) {
            estimates.hint(&uneven_sentence(criterion, &which));
        }
    }
    if !source.draws_by_chance() && marked.is_empty() {
        let mut apart = WeightHints::default();
        for (&number, dealt) in dealt {
            let criterion = judging.criterion(source, number);
            let rows = &estimates.rows;
            let found = LeadersItems::of_criterion(source, data, (criterion, number), dealt, rows);
            let Some(found) = found else { continue };
            if let Some(hint) = found.sentence() {
                estimates.hint(&hint);
            }
            if let Some(hint) = found.apart {
                apart.add(criterion, hint);
            }
            estimates.comparisons.unlike.extend(found.unlike);
        }
        apart.sentences().for_each(|hint| estimates.hint(&hint));
    }
}

/// The hints at judged outputs that were chosen by scores, each of a criterion.
fn chosen_by_scores(
    source: &Source,
    data: &EstimationData,
    dealt: &BTreeMap<usize, CriterionAssignments>,
    judging: &JudgmentSelection,
) -> impl Iterator<Item = String> {
    dealt.iter().filter_map(|(&number, dealt)| {
        let is_chosen = |system: &&usize| {
            let (judged, all) = (
                data.judgments.get(&(number, **system)),
                &data.populations[**system],
            );
            judged.is_some_and(|judged| judged.were_chosen_by_scores(all, dealt.systems.len()))
        };
        let systems = dealt.systems.iter().filter(is_chosen);
        let systems: Vec<&str> = systems
            .map(|&system| source.systems()[system].as_str())
            .collect();
        (!systems.is_empty()).then(|| weights::chosen(judging.criterion(source, number), &systems))
    })
}

/// A system under a criterion: what is estimated.
struct Subject<'a> {
    /// The system's place among all.
    system: usize,
    name: &'a str,
    criterion: &'a str,
    /// Whether the judgments are counted from post-edits.
    counted: bool,
    range: Option<Range>,
    /// The outputs of the system in the data set.
    outputs: u64,
    /// Whether judgments are means of repeats.
    is_repeated: bool,
    survey: Survey,
    judged: &'a Judgments,
    /// The annotators who judged each system under the criterion.
    dealt: &'a CriterionAssignments,
}

impl<'a> Subject<'a> {
    /// Estimates the system, with all that was asked for beside the estimate; true if annotators can be weighted.
    fn estimate(
        &self,
        entry: &Entry<EstimatorConstructor>,
        asked: &Round<'a>,
        estimates: &mut Estimates,
        comparing: &mut DifferencesBuilder<'a>,
    ) -> Result<bool> {
        let Self {
            name,
            criterion,
            judged,
            range,
            ..
        } = *self;
        let scope = asked.keys.scope;
        let terms = AnalysisTerms {
            confidence: asked.confidence,
            range,
            weights: self.dealt.dealing.weights(),
        };
        let make = || (entry.build.build)(&asked.estimator.params, &self.survey);
        let mut estimator = make()?;
        if self.dealt.dealing.requires_weights() && !estimator.is_weighable() {
            estimates.hint(&weights::unweighed(criterion, &asked.estimator.name));
        }
        let mut analysis = analyse_with(estimator.as_mut(), judged, &terms)?;
        if self.counted {
            analysis.lower = analysis.lower.map(|lower| lower.max(0.0));
        }
        let new = analysis.new_annotators;
        analysis.new_annotators =
            new.filter(|new| scope.people.includes_new(new.annotators as usize));
        if let Some(goal) = asked.keys.stop {
            let stop = StoppingPoint::first(&make, judged, asked.confidence, goal)?;
            let widths = widths(&make, judged, asked.confidence, WIDTHS)?;
            estimates.comparisons.stops.push(SystemStoppingPoint {
                widths,
                ..stopped(name, criterion, asked, goal, stop)
            });
        }
        if asked.keys.differences {
            let (build, params) = (entry.build.build, &asked.estimator.params);
            comparing.add(self, estimator.as_ref(), terms, move |survey| {
                build(params, survey)
            })?;
        }
        if let Some(width) = asked.keys.target_width.map(PositiveNumber::value) {
            let wanted = IntervalWidthTarget {
                system: name,
                criterion,
                estimator: asked.estimator.to_string(),
                width,
                range,
                outputs: self.outputs,
                is_repeated: self.is_repeated,
            };
            estimates.plans.push(wanted.plan(&analysis));
        }
        let row = EstimateRow::new(name, criterion, asked, range, analysis);
        estimates.rows.push(row);
        Ok(estimator.is_weighable())
    }
}

/// The annotators who judged each system under a criterion; the dealing has systems in this order.
struct CriterionAssignments {
    systems: Vec<usize>,
    dealing: AnnotatorAllocation,
}

/// The annotators who judged each system, by criterion.
fn dealings(
    data: &EstimationData,
    judging: &JudgmentSelection,
) -> BTreeMap<usize, CriterionAssignments> {
    let mut all: BTreeMap<usize, (Vec<usize>, Vec<&Judgments>)> = BTreeMap::new();
    for (&(criterion, system), judged) in &data.judgments {
        let of = all.entry(criterion).or_default();
        of.0.push(system);
        of.1.push(judged);
    }
    let dealt = |(criterion, (systems, judged)): (usize, (Vec<usize>, Vec<&Judgments>))| {
        let is_left_out = |name: &str| judging.leaves_out(criterion, name);
        let dealing = data.allocation(judged, is_left_out);
        (criterion, CriterionAssignments { systems, dealing })
    };
    all.into_iter().map(dealt).collect()
}

/// Adds the system and criterion to an error.
fn about(error: &Error, system: &str, criterion: &str) -> Error {
    let what = message!(
        "system `{system}`, criterion `{criterion}`: {}",
        error.message()
    );
    Error::usage(what).with_hint_of(error)
}

fn stopped(
    system: &str,
    criterion: &str,
    asked: &Round<'_>,
    goal: Goal,
    stop: Option<StoppingPoint>,
) -> SystemStoppingPoint {
    SystemStoppingPoint {
        system: system.to_string(),
        criterion: criterion.to_string(),
        estimator: asked.estimator.to_string(),
        goal: goal.to_string(),
        n: stop.map(|stop| stop.n),
        estimate: stop.map(|stop| stop.estimate),
        lower: stop.map(|stop| stop.lower),
        upper: stop.map(|stop| stop.upper),
        widths: Vec::new(),
    }
}

/// The places of some names among all, in ascending order: names may change or be erased, and places stay.
fn places(names: &[String], all: &[String]) -> String {
    let names: BTreeSet<&String> = names.iter().collect();
    let placed = all.iter().zip(0..).filter(|(name, _)| names.contains(name));
    let places = placed.map(|(_, place): (_, usize)| place.to_string());
    places.collect::<Vec<_>>().join(",")
}

fn meta(
    context: &Context<'_>,
    source: &Source,
    asked: &Round<'_>,
    marked: &OutputSamplingDesign,
) -> Meta {
    let mut signature = format!("{}|confidence:{}", asked.estimator, asked.confidence);
    for scores in asked.scores {
        signature += &format!("|metric:[{}]", scores.signature);
    }
    if let Some([low, high]) = asked.range() {
        signature += &format!("|range:{low},{high}");
    }
    // Declared ranges are part of the data's digest.
    if let Some(parts) = asked.keys.parts {
        signature += &format!("|parts:{}", parts.name());
    }
    if let Some(column) = &asked.keys.by {
        signature += &format!("|by:{column}");
    }
    if asked.keys.repeats == Repeats::First {
        signature += "|repeats:first";
    }
    signature += &asked.keys.quality.signature();
    signature += &asked.keys.clusters.signature();
    signature += &asked.keys.scope.signature();
    if !source.listed.is_empty() {
        let places = places(&source.listed, &source.annotators);
        signature += &format!("|listed:{places}");
    }
    let marks = [
        ("strata", marked.strata.as_ref()),
        ("probabilities", marked.probabilities(source)),
    ];
    for (name, marks) in marks {
        if let Some(marks) = marks {
            signature += &format!("|{name}:{}", marks.digest);
        }
    }
    signature += "|version:9";
    let meta = Meta::new("estimates", signature, context.seed.0, &source.digest);
    match &asked.keys.criterion {
        Some(criterion) => meta.with("criterion", criterion),
        None => meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_annotators_are_known_by_their_places() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let all = names(&["bo", "ana, or not", "cy"]);
        assert_eq!(places(&names(&["ana, or not", "bo"]), &all), "0,1");
        let renamed = names(&["a1", "ana, or not", "cy"]);
        assert_eq!(places(&names(&["a1", "ana, or not"]), &renamed), "0,1");
    }
}
