//! Judged and compared outputs with their scores, item by item.

use crate::engine::context::Context;
use crate::inputs::judging::{averaged_groups, is_less_better};
use crate::inputs::source::{ItemClusters, OutputScore, Scores, Source};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::{Group, GroupComparison, GroupJudgment};
use tiebreak_decide::evaluation::correlation::{
    AnnotatorAnswers, ComparedOutputs, Human, JudgedOutputs, Layout, OutputPreference,
};
use tiebreak_metrics::metrics::Direction;

/// Human answers, and each metric's scores of the outputs they are about.
pub(super) struct ScoredAnswers<H> {
    pub human: H,
    /// The scores by metric; the larger, the better.
    pub scores: Vec<Vec<f64>>,
    /// The answers of each annotator who gave a name.
    pub people: Vec<AnnotatorAnswers<H>>,
}

/// All human answers of a data set.
pub(super) struct CorrelationData {
    /// The judgments by criterion.
    pub judged: Vec<(usize, ScoredAnswers<JudgedOutputs>)>,
    pub compared: Option<ScoredAnswers<ComparedOutputs>>,
}

impl CorrelationData {
    /// The numbers of items with each kind of answer, or of their clusters.
    pub(super) fn items(&self) -> Vec<u64> {
        let judged = self.judged.iter().map(|(_, scored)| scored.human.layout());
        let compared = self.compared.iter().map(|scored| scored.human.layout());
        judged
            .chain(compared)
            .map(|layout| layout.units().count() as u64)
            .collect()
    }
}

/// Reads the data set once. With a criterion, only its judgments count; with a slice, only its items. Items of a cluster
/// are drawn together.
pub(super) fn gather(
    context: &Context<'_>,
    source: &Source,
    metrics: &[Scores],
    criterion: Option<usize>,
    slice: Option<&BTreeSet<u32>>,
    clusters: Option<&ItemClusters>,
) -> Result<CorrelationData> {
    let inside = |group: &Group| {
        let item = u32::try_from(group.position);
        slice.is_none_or(|slice| item.is_ok_and(|item| slice.contains(&item)))
    };
    let none = ScoredLayoutBuilder::new(source.systems().len(), metrics);
    let mut judged: BTreeMap<usize, AnswersBuilder<'_, f64>> = BTreeMap::new();
    let mut compared = AnswersBuilder::new(&none);
    source.each_chunk(context, |groups| {
        let mut groups = averaged_groups(groups);
        groups.retain(inside);
        let scores = metrics
            .iter()
            .map(|metric| metric.of_outputs(source, &groups));
        let scores = scores.collect::<Result<Vec<_>>>()?;
        for (g, group) in groups.iter().enumerate() {
            let scores: Vec<&[OutputScore]> = scores.iter().map(|of| of[g].as_slice()).collect();
            let one = OneItem {
                source,
                group,
                scores: &scores,
                cluster: number(group, clusters)?,
            };
            for (of, judgments) in one.judgments(criterion) {
                let judged = judged
                    .entry(of)
                    .or_insert_with(|| AnswersBuilder::new(&none));
                judged.judge(&one, &judgments)?;
            }
            if criterion.is_none() && !group.comparisons.is_empty() {
                compared.compare(&one)?;
            }
        }
        Ok(())
    })?;
    let judged = judged.into_iter();
    let compare = |layout, answers: Vec<OutputPreference>| ComparedOutputs::new(layout, &answers);
    Ok(CorrelationData {
        judged: judged
            .map(|(of, all)| (of, all.scored(source, clusters, JudgedOutputs::new)))
            .collect(),
        compared: (!compared.all.answers.is_empty())
            .then(|| compared.scored(source, clusters, compare)),
    })
}

/// The number of an item's cluster.
fn number(group: &Group, clusters: Option<&ItemClusters>) -> Result<u32> {
    let item = u32::try_from(group.position).map_err(Error::failed)?;
    Ok(clusters.map_or(item, |clusters| clusters.cluster(item)))
}

/// An item with everything known of it.
struct OneItem<'a> {
    source: &'a Source,
    group: &'a Group,
    scores: &'a [&'a [OutputScore]],
    /// The number of its cluster.
    cluster: u32,
}

impl OneItem<'_> {
    /// The judgments that count, by criterion.
    fn judgments(&self, wanted: Option<usize>) -> BTreeMap<usize, Vec<&GroupJudgment>> {
        let mut by_criterion: BTreeMap<usize, Vec<&GroupJudgment>> = BTreeMap::new();
        for one in &self.group.judgments {
            if wanted.is_none_or(|wanted| wanted == one.criterion) {
                by_criterion.entry(one.criterion).or_default().push(one);
            }
        }
        by_criterion
    }

    /// The places of the judged outputs among the item's, with the means of their judgments under one criterion; the larger,
    /// the better.
    fn means(&self, judgments: &[&GroupJudgment]) -> Result<Vec<(usize, f64)>> {
        let mut outputs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let criteria = self.source.index.criteria();
        let is_turned = judgments
            .first()
            .is_some_and(|one| is_less_better(&criteria[one.criterion]));
        let sign = if is_turned { -1.0 } else { 1.0 };
        for one in judgments {
            let place = self.output_position(one.system, "judgment")?;
            outputs.entry(place).or_default().push(sign * one.score);
        }
        let mean = |(place, mut scores): (usize, Vec<f64>)| {
            // Sums depend on their order, and records may come in any.
            scores.sort_unstable_by(f64::total_cmp);
            (place, scores.iter().sum::<f64>() / scores.len() as f64)
        };
        Ok(outputs.into_iter().map(mean).collect())
    }

    /// The position of a system's output among the item's.
    fn output_position(&self, system: Arm, what: &str) -> Result<usize> {
        let mut outputs = self.group.outputs.iter();
        let place = outputs.position(|output| output.system == system);
        place.ok_or_else(|| {
            let what = format!(
                "a {what} of system `{}` on item `{}`, which has no output and so no score",
                self.source.system(system),
                self.group.item
            );
            Error::input(self.source.dataset.path(), what)
        })
    }
}

/// A builder of answers of one kind: of all annotators together, and of each.
struct AnswersBuilder<'a, T> {
    /// The empty layout that each annotator begins with.
    none: &'a ScoredLayoutBuilder,
    all: OutputAnswers<T>,
    /// The cluster of each of their items.
    clusters: Vec<u32>,
    each: BTreeMap<String, OutputAnswers<T>>,
}

/// Answers with the outputs they are about.
struct OutputAnswers<T> {
    building: ScoredLayoutBuilder,
    answers: Vec<T>,
    /// The place of each item among all items with answers.
    items: Vec<usize>,
}

impl<'a, T> AnswersBuilder<'a, T> {
    fn new(none: &'a ScoredLayoutBuilder) -> Self {
        Self {
            none,
            all: OutputAnswers::new(none.clone()),
            clusters: Vec::new(),
            each: BTreeMap::new(),
        }
    }

    /// The answers of one annotator so far.
    fn own(&mut self, annotator: &str) -> &mut OutputAnswers<T> {
        let own = self.each.entry(annotator.to_string());
        own.or_insert_with(|| OutputAnswers::new(self.none.clone()))
    }

    fn scored<H>(
        mut self,
        source: &Source,
        clusters: Option<&ItemClusters>,
        human: impl Fn(Layout, Vec<T>) -> H,
    ) -> ScoredAnswers<H> {
        let own = |own: OutputAnswers<T>| AnnotatorAnswers {
            human: human(own.building.layout, own.answers),
            scores: own.building.scores,
            items: own.items,
        };
        let names = source.in_order(self.each.keys().cloned().collect());
        let people = names.iter().filter_map(|name| self.each.remove(name));
        let people = people.map(own).collect();
        let layout = match clusters {
            Some(_) => self.all.building.layout.clustered(&self.clusters),
            None => self.all.building.layout,
        };
        ScoredAnswers {
            human: human(layout, self.all.answers),
            scores: self.all.building.scores,
            people,
        }
    }
}

impl AnswersBuilder<'_, f64> {
    /// Adds the judgments of one more item, under one criterion.
    fn judge(&mut self, one: &OneItem<'_>, judgments: &[&GroupJudgment]) -> Result<()> {
        let item = self.all.building.layout.items();
        self.all.judge(one, item, judgments)?;
        self.clusters.push(one.cluster);
        for (annotator, own) in by_annotator(judgments, |one| one.annotator.as_deref()) {
            self.own(annotator).judge(one, item, &own)?;
        }
        Ok(())
    }
}

impl AnswersBuilder<'_, OutputPreference> {
    /// Adds the comparisons of one more item.
    fn compare(&mut self, one: &OneItem<'_>) -> Result<()> {
        let item = self.all.building.layout.items();
        let comparisons: Vec<&GroupComparison> = one.group.comparisons.iter().collect();
        self.all.compare(one, item, &comparisons)?;
        self.clusters.push(one.cluster);
        for (annotator, own) in by_annotator(&comparisons, |one| one.annotator.as_deref()) {
            self.own(annotator).compare(one, item, &own)?;
        }
        Ok(())
    }
}

/// Groups records by the annotator who gave a name.
fn by_annotator<'a, T>(
    records: &[&'a T],
    annotator: impl Fn(&'a T) -> Option<&'a str>,
) -> BTreeMap<&'a str, Vec<&'a T>> {
    let mut each: BTreeMap<&str, Vec<&T>> = BTreeMap::new();
    for one in records {
        if let Some(annotator) = annotator(one) {
            each.entry(annotator).or_default().push(one);
        }
    }
    each
}

impl<T> OutputAnswers<T> {
    fn new(building: ScoredLayoutBuilder) -> Self {
        Self {
            building,
            answers: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl OutputAnswers<f64> {
    fn judge(&mut self, one: &OneItem<'_>, item: usize, judged: &[&GroupJudgment]) -> Result<()> {
        let means = one.means(judged)?;
        self.building.push(one, &means.iter().map(|mean| mean.0));
        self.answers.extend(means.iter().map(|mean| mean.1));
        self.items.push(item);
        Ok(())
    }
}

impl OutputAnswers<OutputPreference> {
    fn compare(&mut self, one: &OneItem<'_>, item: usize, said: &[&GroupComparison]) -> Result<()> {
        // The item's outputs that were compared, and their places in the layout.
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        for system in said.iter().flat_map(|one| [one.a, one.b]) {
            places.insert(one.output_position(system, "comparison")?, 0);
        }
        let first = self.building.layout.outputs();
        self.building.push(one, &places.keys().copied());
        for (at, place) in places.values_mut().enumerate() {
            *place = first + at;
        }
        for answer in said {
            let at = |system| Ok(places[&one.output_position(system, "comparison")?]);
            self.answers.push(OutputPreference {
                first: at(answer.a)?,
                second: at(answer.b)?,
                outcome: answer.outcome,
            });
        }
        self.items.push(item);
        Ok(())
    }
}

/// A builder of a layout, with the scores of its outputs.
#[derive(Clone)]
struct ScoredLayoutBuilder {
    layout: Layout,
    directions: Vec<Direction>,
    scores: Vec<Vec<f64>>,
}

impl ScoredLayoutBuilder {
    fn new(systems: usize, metrics: &[Scores]) -> Self {
        Self {
            layout: Layout::new(systems),
            directions: metrics.iter().map(Scores::direction).collect(),
            scores: vec![Vec::new(); metrics.len()],
        }
    }

    /// Adds one more item, with its outputs at `places`.
    fn push(&mut self, one: &OneItem<'_>, places: &(impl Iterator<Item = usize> + Clone)) {
        let systems = places
            .clone()
            .map(|at| one.group.outputs[at].system.index());
        self.layout.push(systems);
        let metrics = self.scores.iter_mut().zip(&self.directions).zip(one.scores);
        for ((column, direction), scores) in metrics {
            let score = |at: usize| match direction {
                Direction::Higher => scores[at].score,
                Direction::Lower => -scores[at].score,
            };
            column.extend(places.clone().map(score));
        }
    }
}
