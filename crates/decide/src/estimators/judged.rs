//! Human judgments as estimators take them: one at a time, or a table of them.

/// One human judgment with the metrics' scores of the judged output. All numbers are finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredJudgment<'a> {
    /// The item judged; judgments with the same number count as one cluster.
    pub item: u32,
    /// The annotator, where known.
    pub annotator: Option<u32>,
    /// The stratum of the judged output; 0 without strata.
    pub stratum: u32,
    /// The human judgment.
    pub y: f64,
    /// Each metric's score of the judged output, on the metric's own scale; none without a metric.
    pub g: &'a [f64],
    /// The probability with which the output was chosen to be judged, where that was recorded.
    pub probability: Option<f64>,
}

impl<'a> ScoredJudgment<'a> {
    /// A judgment with only its item, value and scores.
    pub fn new(item: u32, y: f64, g: &'a [f64]) -> Self {
        Self {
            item,
            annotator: None,
            stratum: 0,
            y,
            g,
            probability: None,
        }
    }
}

/// The judgments of one system under one criterion.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgments {
    metrics: usize,
    rows: Vec<ScoredJudgment<'static>>,
    /// The scores of all rows, one after the other.
    scores: Vec<f64>,
}

impl Judgments {
    /// An empty table, for judgments with the scores of `metrics` metrics each.
    pub fn new(metrics: usize) -> Self {
        Self {
            metrics,
            ..Self::default()
        }
    }

    /// Adds a judgment.
    ///
    /// # Panics
    /// If it has another number of scores than the others: a fault of the caller.
    pub fn push(&mut self, one: ScoredJudgment<'_>) {
        assert_eq!(one.g.len(), self.metrics, "one score per metric");
        self.scores.extend_from_slice(one.g);
        self.rows.push(ScoredJudgment { g: &[], ..one });
    }

    /// The number of judgments.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of metrics.
    pub fn metrics(&self) -> usize {
        self.metrics
    }

    /// The judgment at a place below [`Judgments::len`].
    pub fn get(&self, place: usize) -> ScoredJudgment<'_> {
        let start = place * self.metrics;
        ScoredJudgment {
            g: &self.scores[start..start + self.metrics],
            ..self.rows[place]
        }
    }

    /// All judgments, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = ScoredJudgment<'_>> + Clone {
        (0..self.len()).map(|place| self.get(place))
    }
}

impl<'a> FromIterator<ScoredJudgment<'a>> for Judgments {
    fn from_iter<I: IntoIterator<Item = ScoredJudgment<'a>>>(all: I) -> Self {
        let mut all = all.into_iter().peekable();
        let mut judgments = Self::new(all.peek().map_or(0, |first| first.g.len()));
        all.for_each(|one| judgments.push(one));
        judgments
    }
}
