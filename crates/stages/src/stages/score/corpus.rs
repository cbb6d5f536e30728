//! A metric over a whole corpus: by its own sufficient statistics, or else as the mean of its
//! scores, whose statistics are the score and one for the segment.

use super::{Scorer, segments};
use crate::inputs::source::Source;
use std::ops::Range;
use tiebreak_base::error::Result;
use tiebreak_base::signature::Signature;
use tiebreak_data::records::index::Group;
use tiebreak_metrics::metrics::{CorpusMetric, Metric, with_references};

/// A metric over a whole corpus.
#[derive(Clone, Copy)]
pub(super) struct Corpus<'a> {
    scorer: &'a Scorer,
    metric: &'a dyn Metric,
}

impl<'a> Corpus<'a> {
    pub(super) fn new(scorer: &'a Scorer) -> Self {
        let metric = &*scorer.metric;
        Self { scorer, metric }
    }

    /// The number of statistics of a segment.
    pub(super) fn width(self) -> usize {
        self.metric.corpus().map_or(2, CorpusMetric::width)
    }

    /// Reads some items with the statistics of their outputs, one row after the other.
    pub(super) fn statistics(
        self,
        source: &Source,
        range: Range<u64>,
    ) -> Result<(Vec<Group>, Vec<f64>)> {
        let first = self.scorer.observed_before(&range);
        let groups = source.groups(range)?;
        let segments = segments(&groups);
        let Some(corpus) = self.metric.corpus() else {
            let scores = self.metric.score(&segments)?;
            let statistics = scores.into_iter().flat_map(|score| [score, 1.0]).collect();
            return Ok((groups, statistics));
        };
        let with_outputs = groups.iter().filter(|group| !group.outputs.is_empty());
        let positions: Vec<u64> = (first..)
            .zip(with_outputs)
            .flat_map(|(position, group)| group.outputs.iter().map(move |_| position))
            .collect();
        let statistics = corpus.statistics_at(&segments, &positions)?;
        Ok((groups, statistics))
    }

    /// The corpus score from summed statistics of at least one segment.
    pub(super) fn aggregate(self, totals: &[f64]) -> f64 {
        match self.metric.corpus() {
            Some(corpus) => corpus.aggregate(totals),
            None => totals[0] / totals[1],
        }
    }

    /// What the corpus score from these sums is made of.
    pub(super) fn details(self, totals: &[f64]) -> Option<String> {
        self.metric.corpus()?.details(totals)
    }

    /// The signature of the corpus score with the number of references in this data set.
    pub(super) fn signature(self, source: &Source) -> Signature {
        let signature = match self.metric.corpus() {
            Some(corpus) => corpus.corpus_signature(),
            None => self.metric.signature(),
        };
        with_references(signature, source.index.references())
    }
}
