//! Comparing the systems of one criterion once all are estimated.

pub(super) mod page;
mod rows;
mod text;

pub use rows::{Compared, Comparisons, Group, Stopped};
pub use text::render;

use super::{Estimates, Round};
use crate::error::{Error, Result};
use crate::estimators::{Contender, Difference, Estimator, Judgments, Range, differences, groups};
use crate::inputs::source::{Scores, Source};
use std::collections::BTreeMap;

/// Why a pair has no interval: too little is known of one of its systems.
const TOO_FEW: &str = "too few judged items";

/// Why a pair has no interval: no item tells the systems apart more than another.
const NOTHING_VARIES: &str =
    "the differences do not vary, and the range of the judgments is not known (--range)";

/// Systems as they are estimated, by criterion.
pub(super) struct Comparing<'a> {
    source: &'a Source,
    estimator: String,
    metric: Option<String>,
    confidence: f64,
    contenders: BTreeMap<String, Vec<(usize, Contender)>>,
}

impl<'a> Comparing<'a> {
    pub fn new(source: &'a Source, asked: &Round<'_>) -> Self {
        let metrics: Vec<&str> = asked.scores.iter().map(Scores::metric).collect();
        Self {
            source,
            estimator: asked.estimator.to_string(),
            metric: (!metrics.is_empty()).then(|| metrics.join("+")),
            confidence: asked.confidence,
            contenders: BTreeMap::new(),
        }
    }

    /// One more system under a criterion, its estimator having taken all judgments.
    ///
    /// # Errors
    /// If the estimator does not say how its error comes about.
    pub fn add(
        &mut self,
        criterion: &str,
        system: usize,
        estimator: &dyn Estimator,
        judged: &Judgments,
        range: Option<Range>,
    ) -> Result<()> {
        let compared = estimator.value().filter(|_| estimator.is_comparable());
        let estimate = compared.ok_or_else(|| {
            Error::usage(format!("{} cannot compare systems", self.estimator)).with_hint(
                "differences need an estimator with a standard error by item, such as mean or regression",
            )
        })?;
        let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for one in judged.rows() {
            let sum = sums.entry(one.item).or_default();
            *sum = (sum.0 + one.y, sum.1 + 1.0);
        }
        let means = sums
            .into_iter()
            .map(|(item, (y, n))| (item, y / n))
            .collect();
        let contender = Contender {
            estimate,
            error: estimator.contributions(),
            means,
            range: range.filter(|_| estimator.is_at_random()),
        };
        let contenders = self.contenders.entry(criterion.to_string()).or_default();
        contenders.push((system, contender));
        Ok(())
    }

    /// Compares all pairs of each criterion.
    pub fn finish(self, estimates: &mut Estimates) {
        for (criterion, contenders) in self.contenders {
            let (systems, contenders): (Vec<usize>, Vec<Contender>) =
                contenders.into_iter().unzip();
            let name = |place: usize| self.source.systems()[systems[place]].clone();
            let found = differences(&contenders, self.confidence);
            let why = |one: &Difference| {
                let pair = [one.a, one.b].into_iter();
                let mut unknown = pair.filter(|&place| contenders[place].error.is_none());
                match (one.interval, unknown.next()) {
                    (Some(_), _) => None,
                    (None, Some(place)) => Some(format!("{}: {TOO_FEW}", name(place))),
                    (None, None) => Some(NOTHING_VARIES.to_string()),
                }
            };
            for group in groups(&contenders, &found) {
                estimates.comparisons.groups.push(Group {
                    criterion: criterion.clone(),
                    metric: self.metric.clone(),
                    estimator: self.estimator.clone(),
                    systems: group.into_iter().map(name).collect(),
                });
            }
            estimates
                .comparisons
                .differences
                .extend(found.into_iter().map(|one| Compared {
                    why: why(&one),
                    system_a: name(one.a),
                    system_b: name(one.b),
                    criterion: criterion.clone(),
                    metric: self.metric.clone(),
                    estimator: self.estimator.clone(),
                    difference: one.difference,
                    lower: one.interval.map(|ends| ends.0),
                    upper: one.interval.map(|ends| ends.1),
                    standard_error: one.standard_error,
                    corrected_lower: one.corrected.map(|ends| ends.0),
                    corrected_upper: one.corrected.map(|ends| ends.1),
                    significant: one.significant,
                    items: one.items,
                    win_rate: one.wins.map(|(rate, _)| rate),
                    win_lower: one.wins.and_then(|(_, ends)| Some(ends?.0)),
                    win_upper: one.wins.and_then(|(_, ends)| Some(ends?.1)),
                }));
        }
    }
}
