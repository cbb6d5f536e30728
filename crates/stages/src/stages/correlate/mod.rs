//! `correlate`: how well metrics correlate with people, with intervals, and whether one does better.

mod gather;
mod keys;
mod rows;
mod slices;
pub(super) mod tell;

use crate::engine::context::Context;
use crate::inputs::source::{Scores, Source};
use gather::ScoredAnswers;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::holm;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_data::tables::meta::Meta;
use tiebreak_decide::evaluation::correlation::{
    AnnotatorIntervals, Grouping, Human, Intervals, Pairing, PermutationTest, ResamplingUnits,
    Statistic, Value,
};

pub use keys::Correlate;
pub use rows::CorrelationTarget;
pub(crate) use rows::{Correlation, CorrelationDifference, Correlations, Meaning};
pub(crate) use rows::{MetricCoefficient, TheseSystems};

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "correlate";

/// The fewest resamples whose tails can be estimated at all.
pub(crate) const FEWEST_RESAMPLES: u64 = 100;

/// The reason why a coefficient does not exist.
const NO_VALUE: &str = "the metric or the answers do not vary, or are too few";

/// The number of resamples between two checks for an interruption.
const BATCH: u64 = 50;

/// The same number for resamples that hold the coefficients of all annotators.
const ANNOTATOR_BATCH: u64 = 10;

/// The most resamples for the variance that annotators share.
const MOST_ANNOTATOR_RESAMPLES: u64 = 200;

/// The units between which coefficients are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CorrelationLevel {
    /// Between outputs.
    Segment,
    /// Between systems.
    System,
    /// Both.
    #[default]
    Both,
}

/// The units that a resample draws again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resample {
    /// Items only: intervals are about these systems.
    Items,
    /// Items and systems: intervals are about systems like these.
    #[default]
    Both,
}

impl Resample {
    fn replicates(self) -> ResamplingUnits {
        match self {
            Self::Items => ResamplingUnits::Items,
            Self::Both => ResamplingUnits::Both,
        }
    }
}

impl std::fmt::Display for Resample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl std::fmt::Display for CorrelationLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl CorrelationLevel {
    fn has(self, grouping: Grouping) -> bool {
        match self {
            Self::Segment => grouping != Grouping::System,
            Self::System => grouping == Grouping::System,
            Self::Both => true,
        }
    }
}

/// The correlations found, and the meta of their table.
#[non_exhaustive]
pub struct CorrelationResult {
    /// The numbers.
    pub found: Correlations,
    /// The meta of their table.
    pub meta: Meta,
}

/// Correlates metrics with people's judgments and comparisons.
///
/// # Errors
/// A data set with neither; an unknown criterion; a metric named twice; scores that do not cover the
/// outputs; a judgment or comparison of an output that is not there.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    scores: &[Scores],
    options: &Correlate,
) -> Result<CorrelationResult> {
    check(source, scores, options)?;
    let criterion = options.criterion.as_deref();
    let criterion = criterion.map(|name| source.index.criterion(name));
    let is_answered = |group: &Group| !(group.judgments.is_empty() && group.comparisons.is_empty());
    let clusters = options.clusters.among(source, is_answered)?;
    let criterion = criterion.transpose()?;
    let gathered = gather::gather(context, source, scores, criterion, None, clusters.as_ref())?;
    let metrics: Vec<&str> = scores.iter().map(Scores::metric).collect();
    let mut running = CorrelationRun {
        context,
        options,
        metrics: &metrics,
        found: Correlations::default(),
    };
    let what = match gathered.judged.len() + usize::from(gathered.compared.is_some()) {
        1 => "correlating".to_string(),
        several => format!("correlating with {several} kinds of answers"),
    };
    context.progress.begin(&what, 0);
    let mut all = || -> Result<()> {
        for (criterion, scored) in &gathered.judged {
            let name = &source.index.criteria()[*criterion];
            running.hold("judgments", Some(name), scored)?;
        }
        match &gathered.compared {
            Some(scored) => running.hold("comparisons", None, scored),
            None => Ok(()),
        }
    };
    let done = all();
    context.progress.end();
    done?;
    let mut found = running.found;
    if let Some(column) = &options.by {
        found.slices = Some(slices::sliced(
            context,
            source,
            scores,
            options,
            column,
            clusters.as_ref(),
        )?);
    }
    found.intervals = Meaning {
        confidence: options.confidence.value(),
        of: options.resample.to_string(),
        partners: Pairing::sampled(source.index.systems().len()).map(|partners| partners as u64),
        clusters: clusters.and_then(|clusters| clusters.shared()),
        scope: options.scope,
    };
    let meta = meta(context, source, scores, options, &found.intervals);
    Ok(CorrelationResult { found, meta })
}

fn check(source: &Source, scores: &[Scores], options: &Correlate) -> Result<()> {
    let names: Vec<&str> = scores.iter().map(Scores::metric).collect();
    if let Some(i) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
        let what = format!("metric {} is asked for twice", names[i]);
        return Err(Error::usage(what));
    }
    let rows = |kind| source.index.rows(kind) > 0;
    match &options.criterion {
        Some(_) if !rows(Kind::Judgments) => Err(source.lacks("correlate", "judgments")),
        None if !rows(Kind::Judgments) && !rows(Kind::Comparisons) => {
            Err(source.lacks("correlate", "judgments or comparisons"))
        }
        _ => Ok(()),
    }
}

fn meta(
    context: &Context<'_>,
    source: &Source,
    scores: &[Scores],
    options: &Correlate,
    intervals: &Meaning,
) -> Meta {
    let metrics: Vec<&str> = scores.iter().map(Scores::metric).collect();
    let made_by: Vec<&str> = scores.iter().map(|one| one.signature.as_str()).collect();
    let resample = options.resample;
    let partners = Pairing::sampled(source.index.systems().len());
    let partners = partners.map_or(String::new(), |partners| format!("|partners:{partners}"));
    let clusters = intervals.clusters.as_ref();
    let clusters = clusters.map_or(String::new(), |shared| format!("|clusters:{shared}"));
    let by = options.by.as_ref();
    let by = by.map_or(String::new(), |column| format!("|by:{column}"));
    let signature = format!(
        "correlate|metrics:{}|scores:[{}]|boot:{resample}|swap:items+ranks|resamples:{}|confidence:{}{partners}{clusters}{}|version:5",
        metrics.join(","),
        made_by.join(" "),
        options.resamples.value(),
        options.confidence.value(),
        options.scope.signature()
    ) + &by;
    let meta = Meta::new("correlations", signature, context.seed.0, &source.digest);
    let meta = match options.level {
        CorrelationLevel::Segment => meta.with("level", "segment"),
        CorrelationLevel::System => meta.with("level", "system"),
        CorrelationLevel::Both => meta,
    };
    match &options.criterion {
        Some(criterion) => meta.with("criterion", criterion),
        None => meta,
    }
}

/// Correlations in progress.
struct CorrelationRun<'a> {
    context: &'a Context<'a>,
    options: &'a Correlate,
    metrics: &'a [&'a str],
    found: Correlations,
}

impl CorrelationRun<'_> {
    /// Correlates all metrics with one kind of answer.
    fn hold<H: Human>(
        &mut self,
        human: &str,
        criterion: Option<&str>,
        scored: &ScoredAnswers<H>,
    ) -> Result<()> {
        let (wanted, held) = targets::<H>(self.options.level, human, criterion);
        self.correlations(scored, &wanted, &held)?;
        self.differences(scored, &wanted, &held)
    }

    fn correlations<H: Human>(
        &mut self,
        scored: &ScoredAnswers<H>,
        wanted: &[Statistic],
        held: &[CorrelationTarget],
    ) -> Result<()> {
        let (human, scores) = (&scored.human, &scored.scores);
        let replicates = self.options.resample.replicates();
        let mut intervals = Intervals::new(human, scores, wanted, replicates, self.seed(held));
        self.in_batches(|resamples| intervals.draw(resamples))?;
        let each = wanted.iter().copied();
        let of_one: Vec<Statistic> = each.filter(Statistic::is_of_one_annotator).collect();
        let others = self.new_annotators(scored, &of_one, held)?;
        let confidence = self.options.confidence.value();
        for (m, metric) in self.metrics.iter().enumerate() {
            for (s, (found, held)) in intervals.values(m).iter().zip(held).enumerate() {
                let interval = match found.value {
                    Some(_) => intervals.interval(m, s, confidence),
                    None => Err(NO_VALUE),
                };
                let others = others.as_ref().filter(|_| interval.is_ok());
                let interval = interval.map_err(str::to_string);
                self.found.correlations.push(Correlation {
                    found: MetricCoefficient::new(metric, held, *found, interval),
                    annotators: scored.people.len() as u64,
                    new_annotators: others.and_then(|all| {
                        let s = of_one.iter().position(|one| *one == wanted[s])?;
                        all.interval(m, s, confidence)
                    }),
                });
            }
        }
        Ok(())
    }

    /// The intervals of coefficients for new annotators, where the scope includes them.
    fn new_annotators<'a, H: Human>(
        &self,
        scored: &'a ScoredAnswers<H>,
        wanted: &'a [Statistic],
        held: &[CorrelationTarget],
    ) -> Result<Option<AnnotatorIntervals<'a, H>>> {
        let people = &scored.people;
        if people.len() < 2 || !self.options.scope.people.includes_new(people.len()) {
            return Ok(None);
        }
        let items = scored.human.layout().units();
        let replicates = self.options.resample.replicates();
        let seed = self.seed(held);
        let mut intervals = AnnotatorIntervals::new(people, items, wanted, replicates, seed);
        let all = self.options.resamples.value().min(MOST_ANNOTATOR_RESAMPLES);
        draw(self.context, all, ANNOTATOR_BATCH, |resamples| {
            intervals.draw(resamples);
        })?;
        Ok(Some(intervals))
    }

    fn differences<H: Human>(
        &mut self,
        scored: &ScoredAnswers<H>,
        wanted: &[Statistic],
        held: &[CorrelationTarget],
    ) -> Result<()> {
        let (human, seed) = (&scored.human, self.seed(held));
        let of_outputs = wanted.partition_point(|one| one.grouping != Grouping::System);
        let (outputs, systems) = wanted.split_at(of_outputs);
        let values: Vec<Vec<Value>> = scored
            .scores
            .iter()
            .map(|scores| human.values(scores, wanted))
            .collect();
        let units = ResamplingUnits::Items;
        let mut these = Intervals::new(human, &scored.scores, systems, units, seed);
        if self.metrics.len() > 1 {
            self.in_batches(|resamples| these.draw(resamples))?;
        }
        let mut found = Vec::new();
        for (a, metric) in self.metrics.iter().enumerate() {
            for (b, other) in self.metrics.iter().enumerate().skip(a + 1) {
                let metrics = [a, b].map(|m| scored.scores[m].as_slice());
                let tests = [
                    PermutationTest::of_items(human, metrics, outputs, seed),
                    PermutationTest::of_systems(human, metrics, systems, seed),
                ];
                let mut p_values = Vec::new();
                for mut test in tests {
                    self.in_batches(|trials| test.run(trials))?;
                    p_values.extend(test.p_values());
                }
                for (s, held) in held.iter().enumerate() {
                    let Some((value, against)) = values[a][s].value.zip(values[b][s].value) else {
                        continue;
                    };
                    let these = s
                        .checked_sub(of_outputs)
                        .map(|at| these.p_value([a, b], at));
                    found.push(CorrelationDifference {
                        metric: (*metric).to_string(),
                        other: (*other).to_string(),
                        held: held.clone(),
                        difference: value - against,
                        p_value: p_values[s],
                        significant: false,
                        these_systems: these.map(|p| TheseSystems {
                            p_value: p.ok(),
                            significant: false,
                            why: p.err().map(str::to_string),
                        }),
                    });
                }
            }
        }
        for held in held {
            let mut family: Vec<&mut CorrelationDifference> =
                found.iter_mut().filter(|one| one.held == *held).collect();
            let rejected = |p_values: Vec<Option<f64>>| {
                let p_values: Vec<f64> = p_values.iter().map(|p| p.unwrap_or(1.0)).collect();
                holm::rejected(&p_values, 1.0 - self.options.confidence.value())
            };
            let of_these = family.iter().map(|one| one.for_these_systems().0);
            let of_these = rejected(of_these.collect());
            let of_all = rejected(family.iter().map(|one| one.p_value).collect());
            for (at, one) in family.iter_mut().enumerate() {
                one.significant = of_all[at];
                if let Some(these) = &mut one.these_systems {
                    these.significant = of_these[at];
                }
            }
        }
        self.found.differences.extend(found);
        Ok(())
    }

    /// A seed for each kind of answer, so that leaving one out moves no other number.
    fn seed(&self, held: &[CorrelationTarget]) -> Seed {
        let kind = held.first().map_or("", |held| {
            held.criterion.as_deref().unwrap_or("comparisons")
        });
        Seed(self.context.seed.stream(kind, 0).next_u64())
    }

    fn in_batches(&self, batch: impl FnMut(Range<u64>)) -> Result<()> {
        draw(self.context, self.options.resamples.value(), BATCH, batch)
    }
}

/// The statistics of one kind of answer at a level, and what they are of.
fn targets<H: Human>(
    level: CorrelationLevel,
    human: &str,
    criterion: Option<&str>,
) -> (Vec<Statistic>, Vec<CorrelationTarget>) {
    let wanted = H::STATISTICS.iter().filter(|one| level.has(one.grouping));
    let target = |one: &Statistic| CorrelationTarget {
        human: human.to_string(),
        criterion: criterion.map(str::to_string),
        grouping: one.grouping.name().to_string(),
        coefficient: one.coefficient.name().to_string(),
    };
    wanted.map(|one| (*one, target(one))).unzip()
}

/// Draws `all` resamples, `few` at a time.
fn draw(
    context: &Context<'_>,
    all: u64,
    few: u64,
    mut batch: impl FnMut(Range<u64>),
) -> Result<()> {
    for start in (0..all).step_by(few as usize) {
        context.check()?;
        batch(start..(start + few).min(all));
    }
    Ok(())
}
