//! The judgments of every system with all that goes with them, read in one pass over the items.

use super::EstimateStage;
use super::repeats::RepeatTally;
use super::scale::{GivenRange, RangeCheck};
use crate::engine::context::Context;
use crate::inputs::judging::JudgmentSelection;
use crate::inputs::source::{ItemClusters, Marks, Scores, Source, add_names, each_group};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::ItemScope;
use tiebreak_base::words::counted;
use tiebreak_data::records::index::{Group, GroupJudgment};
use tiebreak_decide::estimators::{
    AnnotatorAllocation, AnnotatorLoads, Census, Judgments, Population, Range, RatedOutput,
    ScoredJudgment, Survey,
};
use tiebreak_decide::ranking::RepeatedRows;

/// The judgments, and all outputs that could have been judged.
#[derive(Default)]
pub(crate) struct EstimationData {
    /// The judgments by criterion and system, as they were recorded.
    pub judgments: BTreeMap<(usize, usize), Judgments>,
    /// The repeats of judged outputs, by criterion and system, where there are any.
    pub repeated: BTreeMap<(usize, usize), RepeatTally>,
    /// The judgments of an output by one annotator who judged it several times, by criterion and system, then item. Judgments
    /// of parts, and of several annotators, differ by more than chance, and have none.
    pub repeats: BTreeMap<(usize, usize), BTreeMap<u32, RatedOutput>>,
    /// The criteria with a judgment other than 0 and 1, repeats on their own.
    pub graded: BTreeSet<usize>,
    /// All outputs, by system.
    pub populations: Vec<Population>,
    /// The names of the annotators, by their numbers.
    pub annotators: Vec<String>,
    /// The judgments that are there again, with the same output, criterion, score and annotator.
    repeated_rows: u64,
    /// By system, how many outputs would be chosen by the probabilities that are given for all of them, and the variance.
    chosen: Vec<ExpectedChoice>,
    /// The clusters of judged items, where some share theirs and nothing is known of how outputs were chosen.
    clusters: Option<ItemClusters>,
    /// The number of items.
    items: u64,
    /// The numbers of those whom a campaign lists.
    listed: Vec<u32>,
}

impl EstimationData {
    /// What an estimator of one system under a criterion is built on.
    pub(crate) fn survey(
        &self,
        key: (usize, usize),
        range: Option<Range>,
        seed: Seed,
        items: ItemScope,
    ) -> Survey {
        let population = self.populations[key.1].clone();
        let is_unknown = population.n == 0 && items == ItemScope::These;
        Survey {
            // Without a table of outputs, these items are those that are known.
            population: match is_unknown {
                true => Population::unscored(self.items),
                false => population,
            },
            range,
            seed,
            items,
            repeats: self.repeats.get(&key).cloned().unwrap_or_default(),
        }
    }

    /// What makes the judgments doubtful: rows that are there again, and outputs that probabilities cannot have chosen.
    pub(super) fn doubts(&self, source: &Source, judging: &JudgmentSelection) -> Vec<String> {
        let again = (self.repeated_rows > 0).then(|| {
            let rows = counted(self.repeated_rows, "judgment");
            format!(
                "There again, with the same output, criterion, score and annotator: {rows}. Was a file given twice? Each row counts."
            )
        });
        let unlikely = self
            .judgments
            .iter()
            .filter_map(|(&(criterion, system), judged)| {
                let outputs: BTreeSet<u32> = judged.rows().map(|one| one.item).collect();
                let criterion = judging.criterion(source, criterion);
                let choice = self.chosen.get(system)?;
                choice.doubt(&source.systems()[system], criterion, outputs.len() as u64)
            });
        again.into_iter().chain(unlikely).collect()
    }

    /// The item that stands for those of its cluster.
    pub(crate) fn cluster(&self, item: u32) -> u32 {
        let clusters = self.clusters.as_ref();
        clusters.map_or(item, |shared| shared.cluster(item))
    }

    /// What items of a cluster share; `None` where each is one.
    pub(crate) fn shared(&self) -> Option<String> {
        self.clusters.as_ref()?.shared()
    }

    /// Judgments with the items that stand for their clusters; `None` where each is one.
    pub(crate) fn clustered(&self, judged: &Judgments) -> Option<Judgments> {
        self.clusters.as_ref()?;
        let clustered = judged.rows().map(|one| ScoredJudgment {
            item: self.cluster(one.item),
            ..one
        });
        Some(clustered.collect())
    }

    /// A sentence on items of the same cluster, where there are any.
    pub(crate) fn cluster_sentence(&self) -> Option<String> {
        let shared = self.clusters.as_ref()?;
        Some(shared.sentence("judged"))
    }

    /// The same data where results are about some items: of these alone clusters do not matter, and what several items of
    /// one cluster have are no repeats.
    #[must_use]
    pub(crate) fn about(mut self, items: ItemScope) -> Self {
        self.clusters.take_if(|_| items == ItemScope::These);
        if let Some(shared) = &self.clusters {
            for outputs in self.repeats.values_mut() {
                outputs.retain(|&item, _| shared.is_alone(item));
            }
        }
        self
    }

    /// Whether a campaign lists its annotators, who then weigh the same everywhere.
    pub(crate) fn lists_annotators(&self) -> bool {
        !self.listed.is_empty()
    }

    /// The allocation of judgments of one criterion to annotators. Those listed whose judgments are left out under it have
    /// no weight.
    pub(crate) fn allocation<S: Into<AnnotatorLoads>>(
        &self,
        systems: impl IntoIterator<Item = S>,
        is_left_out: impl Fn(&str) -> bool,
    ) -> AnnotatorAllocation {
        if !self.lists_annotators() {
            return AnnotatorAllocation::new(systems);
        }
        let mut listed = self.listed.clone();
        listed.retain(|&number| !is_left_out(&self.annotators[number as usize]));
        AnnotatorAllocation::of_listed(systems, &listed)
    }
}

/// The number of outputs that given probabilities choose.
#[derive(Debug, Clone, Default)]
struct ExpectedChoice {
    outputs: u64,
    mean: f64,
    variance: f64,
    /// Whether an output has no probability.
    lacks: bool,
}

/// The probability below which probabilities cannot have chosen so many outputs.
const IMPOSSIBLE: f64 = 1e-6;

impl ExpectedChoice {
    fn push(&mut self, probability: Option<f64>) {
        self.outputs += 1;
        self.lacks |= probability.is_none();
        let p = probability.unwrap_or_default();
        self.mean += p;
        self.variance += p * (1.0 - p);
    }

    /// A sentence on so many chosen outputs of a system where they are impossible (Bernstein's inequality).
    fn doubt(&self, system: &str, criterion: &str, judged: u64) -> Option<String> {
        let off = (judged as f64 - self.mean).abs();
        let exponent = off * off / (2.0 * (self.variance + off / 3.0));
        let is_doubtful = !self.lacks && 2.0 * (-exponent).exp() < IMPOSSIBLE;
        is_doubtful.then(|| {
            format!(
                "{system}: {judged} of {} outputs are judged under {criterion}, but by these probabilities about {} would \
                 be. The interval is wrong if others chose the outputs.",
                self.outputs,
                self.mean.round()
            )
        })
    }
}

/// Adds the judgments of an item to the rows that may be there again.
fn add_rows(rows: &mut RepeatedRows, each: &[GroupJudgment]) {
    let mut all: Vec<_> = each
        .iter()
        .map(|one| {
            let part = (one.part.as_deref(), one.repeat.as_deref());
            let judged = (one.system, one.criterion, part, one.annotator.as_deref());
            (judged, one.score.to_bits())
        })
        .collect();
    all.sort_unstable();
    for output in all.chunk_by(|one, other| one.0 == other.0) {
        rows.add(output, output[0].0.3.is_some());
    }
}

/// The sampling design of outputs, from tables beside their scores.
#[derive(Default)]
pub(crate) struct OutputSamplingDesign {
    /// The strata of all outputs.
    pub strata: Option<Marks>,
    /// The probabilities of those that were chosen to be judged.
    pub probabilities: Option<Marks>,
}

impl OutputSamplingDesign {
    pub(crate) fn open(source: &Source, keys: &EstimateStage) -> Result<Self> {
        let strata = keys.strata.as_ref();
        let strata = strata.map(|path| Marks::strata(source, path));
        let chosen = keys.probabilities.as_ref();
        let chosen = chosen.map(|path| Marks::probabilities(source, path));
        Ok(Self {
            strata: strata.transpose()?,
            probabilities: chosen.transpose()?,
        })
    }

    /// Whether nothing is known of how outputs were chosen.
    pub(crate) fn is_empty(&self) -> bool {
        self.strata.is_none() && self.probabilities.is_none()
    }

    /// The probabilities of the outputs that were chosen: those that are given, or those of a campaign's plan.
    pub(crate) fn probabilities<'a>(&'a self, source: &'a Source) -> Option<&'a Marks> {
        self.probabilities.as_ref().or(source.chosen.as_ref())
    }
}

/// The marks of one item's outputs; none without a table.
fn marks_of(marks: Option<&Marks>, group: &Group) -> Result<BTreeMap<Arm, f64>> {
    marks.map_or_else(|| Ok(BTreeMap::new()), |marks| marks.of_item(group))
}

/// Reads the judgments wanted and every output's scores.
pub(crate) fn gather(
    context: &Context<'_>,
    source: &Source,
    scores: &[Scores],
    marked: &OutputSamplingDesign,
    judging: &JudgmentSelection,
    given: Option<GivenRange>,
) -> Result<EstimationData> {
    let mut recorded: BTreeMap<(usize, usize), JudgmentRecords> = BTreeMap::new();
    let mut repeated: BTreeMap<(usize, usize), RepeatTally> = BTreeMap::new();
    let mut repeats: BTreeMap<(usize, usize), BTreeMap<u32, RatedOutput>> = BTreeMap::new();
    let mut check = RangeCheck::new(given);
    let mut rows = RepeatedRows::default();
    let mut clusters = judging.clusters().tally(source)?;
    let mut choices = vec![ExpectedChoice::default(); source.systems().len()];
    let mut censuses = vec![Census::new(scores.len()); source.systems().len()];
    let annotators = annotators(context, source)?;
    let numbers: BTreeMap<&str, u32> = annotators.iter().map(String::as_str).zip(0..).collect();
    each_group(context, source, scores, |group, scored| {
        let strata = marks_of(marked.strata.as_ref(), group)?;
        let chosen = marks_of(marked.probabilities(source), group)?;
        let stratum = |system: &Arm| strata.get(system).map(|&number| number as u32);
        for (output, scores) in group.outputs.iter().zip(scored) {
            let stratum = stratum(&output.system);
            if let (Some(marks), None) = (&marked.strata, stratum) {
                return Err(marks.lacks("stratum", source, group, output.system));
            }
            censuses[output.system.index()].push(scores, stratum);
            choices[output.system.index()].push(chosen.get(&output.system).copied());
        }
        let each = judging.of_each_repeat(source, group)?;
        clusters.push(group, !each.is_empty())?;
        add_rows(&mut rows, &each);
        for one in &each {
            check.push(one);
        }
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        let meet = |repeats: &[GroupJudgment]| {
            let key = (repeats[0].criterion, repeats[0].system.index());
            let scores: Vec<f64> = repeats.iter().map(|one| one.score).collect();
            repeated.entry(key).or_default().add(&scores);
        };
        for (key, output) in one_annotators_repeats(&each) {
            repeats.entry(key).or_default().insert(item, output);
        }
        for judgment in judging.counted_with(each, meet) {
            let key = (judgment.criterion, judgment.system.index());
            let g = scores_of(source, group, &judgment, scored, scores.len())?;
            let annotator = judgment.annotator.as_deref();
            let one = ScoredJudgment {
                annotator: annotator.and_then(|name| numbers.get(name).copied()),
                stratum: stratum(&judgment.system).unwrap_or_default(),
                probability: chosen.get(&judgment.system).copied(),
                ..ScoredJudgment::new(item, judgment.score, g)
            };
            let recorded = recorded
                .entry(key)
                .or_insert_with(|| JudgmentRecords::new(scores.len()));
            recorded.places.push(judgment.place);
            recorded.judgments.push(one);
        }
        Ok(())
    })?;
    if recorded.is_empty() {
        return judging.nothing(source);
    }
    let is_undesigned = marked.is_empty() && source.chosen.is_none();
    let listed = source.listed.iter();
    let listed = listed.map(|name| numbers[name.as_str()]).collect();
    Ok(EstimationData {
        judgments: recorded
            .into_iter()
            .map(|(key, found)| (key, found.in_order()))
            .collect(),
        repeated,
        repeats,
        clusters: clusters.finish().filter(|_| is_undesigned),
        repeated_rows: rows.number(),
        // A campaign's own judgments may not all be there yet.
        chosen: match marked.probabilities {
            Some(_) => choices,
            None => Vec::new(),
        },
        graded: check.finish(source, judging)?,
        populations: censuses.into_iter().map(Census::finish).collect(),
        items: source.index.items(),
        listed,
        annotators,
    })
}

/// The outputs of an item that one annotator judged several times, and nobody else.
fn one_annotators_repeats(each: &[GroupJudgment]) -> BTreeMap<(usize, usize), RatedOutput> {
    let mut outputs: BTreeMap<(usize, usize), Vec<&GroupJudgment>> = BTreeMap::new();
    for one in each {
        let key = (one.criterion, one.system.index());
        outputs.entry(key).or_default().push(one);
    }
    let repeated = outputs.into_iter().filter_map(|(key, judged)| {
        let first = &judged[0].annotator;
        let is_repeat = |one: &&GroupJudgment| one.part.is_none() && one.annotator == *first;
        let scores = judged.iter().map(|one| one.score);
        let is_repeated = judged.len() > 1 && judged.iter().all(is_repeat);
        is_repeated.then(|| (key, RatedOutput::new(scores)))
    });
    repeated.collect()
}

/// Checks that no judgment is outside the given range.
pub(super) fn all_within(
    source: &Source,
    judging: &JudgmentSelection,
    given: Option<GivenRange>,
) -> Result<()> {
    let mut check = RangeCheck::new(given);
    for group in source.index.all() {
        for judgment in judging.of_each_repeat(source, &group?)? {
            check.push(&judgment);
        }
    }
    check.finish(source, judging).map(drop)
}

/// A builder of judgments, with their places in the table.
struct JudgmentRecords {
    places: Vec<u64>,
    judgments: Judgments,
}

impl JudgmentRecords {
    fn new(metrics: usize) -> Self {
        Self {
            places: Vec::new(),
            judgments: Judgments::new(metrics),
        }
    }

    /// The judgments in the order of the table.
    fn in_order(&self) -> Judgments {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_unstable_by_key(|&at| self.places[at]);
        order.into_iter().map(|at| self.judgments.get(at)).collect()
    }
}

/// The annotators in the order of the data set's, in which no order of its rows plays a part; those listed are among them.
fn annotators(context: &Context<'_>, source: &Source) -> Result<Vec<String>> {
    let mut names: BTreeSet<String> = source.listed.iter().cloned().collect();
    each_group(context, source, &[], |group, _| {
        let judgments = group.judgments.iter();
        add_names(
            &mut names,
            judgments.filter_map(|one| one.annotator.as_ref()),
        );
        Ok(())
    })?;
    Ok(source.in_order(names))
}

/// The scores of a judged output; none without metrics.
fn scores_of<'a>(
    source: &Source,
    group: &Group,
    judgment: &GroupJudgment,
    scored: &'a [Vec<f64>],
    metrics: usize,
) -> Result<&'a [f64]> {
    let mut outputs = group.outputs.iter();
    match outputs.position(|output| output.system == judgment.system) {
        Some(place) => Ok(&scored[place]),
        None if metrics == 0 => Ok(&[]),
        None => Err(Error::input(
            source.dataset.path(),
            format!(
                "a judgment of system `{}` on item `{}`, which has no output and so no score",
                source.system(judgment.system),
                group.item
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_annotator_who_is_left_out_has_no_weight() {
        let judged = || {
            (0..8).map(|item| ScoredJudgment {
                annotator: Some(item % 2),
                ..ScoredJudgment::new(item, f64::from(item), &[])
            })
        };
        let systems: Vec<Judgments> = (0..2)
            .map(|_| {
                let mut judgments = Judgments::new(0);
                judged().for_each(|one| judgments.push(one));
                judgments
            })
            .collect();
        let data = EstimationData {
            items: 8,
            annotators: ["ana", "bo", "cy"].map(str::to_string).to_vec(),
            listed: vec![0, 1, 2],
            ..EstimationData::default()
        };
        let lacking = |left_out: &str| {
            let allocation = data.allocation(&systems, |name| name == left_out);
            let lacking = allocation.lacking().unwrap();
            lacking.iter().map(|one| one.annotator).collect::<Vec<_>>()
        };
        assert_eq!(lacking("nobody"), [Some(2), Some(2)]);
        assert_eq!(lacking("cy"), []);
    }
}
