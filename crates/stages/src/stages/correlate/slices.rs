//! Coefficients in slices of the items, with intervals that hold together over slices and metrics, and whether they differ.

use super::gather::{self, CorrelationData, ScoredAnswers};
use super::rows::{
    CorrelationHeterogeneity, CorrelationSlices, MetricCoefficient, SlicedCorrelation,
};
use super::{BATCH, Correlate, NO_VALUE, draw, targets};
use crate::engine::context::Context;
use crate::inputs::source::{ItemClusters, Scores, Source};
use crate::stages::slices::{Slices, few_items};
use tiebreak_base::error::Result;
use tiebreak_base::rng::Seed;
use tiebreak_decide::evaluation::correlation::{Coefficient, Human, Intervals};
use tiebreak_decide::evaluation::slices::SliceEstimate;

/// The resamples beyond either end of an interval.
const BEYOND: f64 = 10.0;

/// Slices in progress.
struct SlicesRun<'a> {
    context: &'a Context<'a>,
    options: &'a Correlate,
    metrics: &'a [&'a str],
    /// The level of each interval.
    level: f64,
    found: CorrelationSlices,
    /// What each slice adds to the tests: by target and metric, in the order of their rows.
    estimates: Vec<(CorrelationHeterogeneity, Vec<SliceEstimate>)>,
}

/// Correlates metrics with people in each slice by a column.
///
/// # Errors
/// A column that no table has; those of `correlate`.
pub(super) fn sliced(
    context: &Context<'_>,
    source: &Source,
    scores: &[Scores],
    options: &Correlate,
    column: &str,
    clusters: Option<&ItemClusters>,
) -> Result<CorrelationSlices> {
    let slices = Slices::read(context, source, column)?;
    let criterion = options.criterion.as_deref();
    let criterion = criterion.map(|name| source.index.criterion(name));
    let criterion = criterion.transpose()?;
    let gathered = slices.items.iter().map(|(label, items)| {
        let data = gather::gather(context, source, scores, criterion, Some(items), clusters)?;
        Ok((label, data))
    });
    let gathered: Vec<(&String, CorrelationData)> = gathered.collect::<Result<_>>()?;
    let sizes = gathered.iter().flat_map(|(_, data)| data.items());
    let claims = sizes.flat_map(|n| scores.iter().map(move |_| n));
    let confidence = options.confidence.value();
    let metrics: Vec<&str> = scores.iter().map(Scores::metric).collect();
    let mut running = SlicesRun {
        context,
        options,
        metrics: &metrics,
        level: SliceEstimate::shared_level(1.0 - confidence, claims),
        found: CorrelationSlices {
            by: column.to_string(),
            confidence,
            rows: Vec::new(),
            tests: Vec::new(),
        },
        estimates: Vec::new(),
    };
    for (label, data) in &gathered {
        for (criterion, scored) in &data.judged {
            let name = &source.index.criteria()[*criterion];
            running.hold(label, "judgments", Some(name), scored)?;
        }
        if let Some(scored) = &data.compared {
            running.hold(label, "comparisons", None, scored)?;
        }
    }
    let tests = running.estimates.into_iter().map(|(test, estimates)| {
        let p = SliceEstimate::homogeneity(&estimates);
        CorrelationHeterogeneity { p, ..test }
    });
    Ok(CorrelationSlices {
        tests: tests.collect(),
        ..running.found
    })
}

impl SlicesRun<'_> {
    /// Correlates all metrics with one kind of answer in one slice.
    fn hold<H: Human>(
        &mut self,
        slice: &str,
        human: &str,
        criterion: Option<&str>,
        scored: &ScoredAnswers<H>,
    ) -> Result<()> {
        let (wanted, held) = targets::<H>(self.options.level, human, criterion);
        let items = scored.human.layout().units().count() as u64;
        let claims = items >= SliceEstimate::FEWEST_ITEMS;
        let units = self.options.resample.replicates();
        let mut stream = self.context.seed.stream(criterion.unwrap_or(human), 1);
        let seed = Seed(stream.next_u64());
        let mut intervals = Intervals::new(&scored.human, &scored.scores, &wanted, units, seed);
        if claims {
            let needed = (2.0 * BEYOND / self.level).ceil() as u64;
            let all = self.options.resamples.value().max(needed);
            draw(self.context, all, BATCH, |resamples| {
                intervals.draw(resamples);
            })?;
        }
        let metrics = self.metrics;
        for (m, metric) in metrics.iter().enumerate() {
            for (s, (found, held)) in intervals.values(m).iter().zip(&held).enumerate() {
                let interval = match found.value {
                    None => Err(NO_VALUE.to_string()),
                    Some(_) if !claims => Err(few_items()),
                    Some(_) => intervals
                        .interval(m, s, 1.0 - self.level)
                        .map_err(str::to_string),
                };
                let test = CorrelationHeterogeneity {
                    metric: (*metric).to_string(),
                    held: held.clone(),
                    p: None,
                };
                // Soft pairwise accuracy depends on how many items a slice has.
                if wanted[s].coefficient != Coefficient::SoftPairwiseAccuracy {
                    self.test(test, intervals.spread(m, s));
                }
                self.found.rows.push(SlicedCorrelation {
                    slice: slice.to_string(),
                    items,
                    found: MetricCoefficient::new(metric, held, *found, interval),
                });
            }
        }
        Ok(())
    }

    /// Adds what a slice says to a test.
    fn test(&mut self, test: CorrelationHeterogeneity, estimate: Option<SliceEstimate>) {
        let mut known = self.estimates.iter_mut();
        match known.find(|one| one.0 == test) {
            Some((_, estimates)) => estimates.extend(estimate),
            None => self.estimates.push((test, estimate.into_iter().collect())),
        }
    }
}
