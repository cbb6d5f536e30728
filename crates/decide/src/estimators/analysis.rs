//! One row of the estimates table: the analysis of one system, criterion and metric.

use super::dealing::AnnotatorWeightedMean;
use super::people::ItemJudgmentMeans;
use super::pilot::noise_components;
use super::rule::{IntervalCase, unseen_items};
use super::tails::TailShape;
use super::{
    AdjustedJudgment, AnnotatorMeans, AnnotatorWeights, DesignTerms, Estimator, InferenceScope,
    IntervalMethod, Judgments, MeanEstimate, NewAnnotators, Prospect, ProspectBasis, Range,
    ScaleKind, ScoredJudgment, StudyTarget, Widening,
};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::stats::moments::JointMoments;
use tiebreak_base::stats::quantiles;

/// The distance from ±1 below which a correlation is exact to f64 precision, and the data efficiency
/// has no finite value.
const EXACT: f64 = 1e-12;

/// Why an estimate has no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoInterval {
    /// One item was judged.
    OneItem,
    /// All items have the same mean, and no range is known.
    AllEqual,
    /// Too few items were judged, or they leave nothing that varies.
    FewItems,
    /// The judgments are too large to compute with.
    TooLarge,
}

impl NoInterval {
    /// The reason in words, for tables and texts.
    pub fn words(self) -> &'static str {
        match self {
            Self::OneItem => "one judged item",
            Self::AllEqual => "all items have the same mean",
            Self::FewItems => "too few judged items",
            Self::TooLarge => "judgments too large to compute with",
        }
    }
}

/// One row of the estimates table without its names. `None` marks unknown values.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Analysis {
    /// The number of judgments.
    pub n: u64,
    /// The number of items judged at least once; no column of the table.
    #[serde(skip)]
    pub items: u64,
    /// The estimated mean judgment; `None` without judgments.
    pub estimate: Option<f64>,
    /// Lower end of its interval; without a range `None` for fewer than two judged items (three where
    /// α is fitted), and where all items have the same mean.
    pub lower: Option<f64>,
    /// Upper end of its interval.
    pub upper: Option<f64>,
    /// Why there is no interval.
    #[serde(skip)]
    pub no_interval: Option<NoInterval>,
    /// Its standard error, robust to clusters by item.
    pub standard_error: Option<f64>,
    /// The coefficient of the control variate, per standard deviation of the metric.
    pub alpha: Option<f64>,
    /// Pearson's correlation of judgments and metric; `None` when either does not vary, or with
    /// several metrics.
    pub correlation: Option<f64>,
    /// The metric's correlation with the outputs' true means; `None` without repeated judgments, or
    /// with several metrics.
    pub rho: Option<f64>,
    /// Annotator noise relative to the variance of outputs; `None` without repeated judgments.
    pub gamma: Option<f64>,
    /// The variance of the judgments of one output, as [`Pilot`](super::Pilot) has it; no column of the table.
    #[serde(skip)]
    pub noise: Option<f64>,
    /// 1/(1 − correlation²), Chaganty et al.'s (1 + γ)/(1 − ρ² + γ): judgments the plain mean needs
    /// for each one that control variates with the best α need. `None` when the correlation is
    /// unknown or exact.
    pub data_efficiency: Option<f64>,
    /// What makes the interval hold.
    pub interval: IntervalMethod,
    /// The scope of the interval's claim.
    pub over: InferenceScope,
    /// The number of named annotators; `None` where no names were given.
    pub annotators: Option<u64>,
    /// The estimate for new annotators; `None` where there is none.
    pub new_annotators: Option<NewAnnotators>,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The share of the interval's width that is there only for outputs at an end of the range that no judgment shows; no
    /// column of the table.
    #[serde(skip)]
    pub unseen: f64,
    /// The shape of what items contribute, where the interval follows it; no column of the table.
    #[serde(skip)]
    pub shape: Option<TailShape>,
}

/// The share of a reach of bets, on a scale so long, that shrinks as 1/√n, as what varies asks. They reach about as far as
/// that or as where nothing varies, whichever is farther; the latter shrinks as 1/n.
pub fn varied_share_of_bets(half_width: f64, scale: f64, items: u64, confidence: f64) -> f64 {
    let unvaried = scale * (2.0 / (1.0 - confidence)).ln() / items as f64;
    ((half_width / unvaried - LEAST_VARIED) / VARIED_OVER).clamp(1e-6, 1.0)
}

/// How many times as far as ln(2/α) · range / n bets reach at most where nothing varies (measured: 1.01 to 1.03).
const LEAST_VARIED: f64 = 1.05;

/// Beyond that, how many times as far again they reach where all of it is due to what varies.
const VARIED_OVER: f64 = 0.15;

impl Analysis {
    /// Student's reach for a standard error of 1, and the half-width of the interval less what unseen outputs add.
    fn half_width(&self) -> Option<(f64, f64)> {
        let t = quantiles::two_sided_t(self.confidence, self.items.checked_sub(1)?)?;
        let half = (self.upper? - self.lower?) / 2.0;
        Some((t, half * (1.0 - self.unseen)))
    }

    /// The standard error or, of an interval by the range alone, the one whose Student's interval has the part that
    /// shrinks as 1/√n; 0 where nothing varies on a known range.
    fn error(&self, range: Option<Range>) -> Option<f64> {
        let own = self.standard_error.filter(|&error| error > 0.0);
        own.or_else(|| {
            let (t, half) = self.half_width()?;
            match (range, self.interval) {
                (Some(range), IntervalMethod::Bounded) => {
                    let scale = 2.0 * range.largest_deviation();
                    let varied = varied_share_of_bets(half, scale, self.items, self.confidence);
                    Some(half * varied / t)
                }
                (Some(_), _) => Some(0.0),
                (None, _) => Some(half / t).filter(|&error| error > 0.0),
            }
        })
    }

    /// What the interval has beyond Student's.
    pub fn widening(&self, range: Option<Range>) -> Widening {
        let error = self.error(range).filter(|&error| error > 0.0);
        let own = self.half_width().zip(error);
        let own = own.filter(|_| self.interval != IntervalMethod::Exact);
        let unseen = match self.interval {
            IntervalMethod::UnseenEnds | IntervalMethod::Hull => unseen_items(self.confidence),
            // The exact interval of nothing but yeses or noes.
            IntervalMethod::Exact => (2.0 / (1.0 - self.confidence)).ln(),
            _ => 0.0,
        };
        let ends = range.zip(self.estimate).map_or([0.0; 2], |(range, mean)| {
            [mean - range.lower(), range.upper() - mean]
        });
        Widening {
            shape: self.shape,
            excess: own.map_or(0.0, |((t, half), error)| (half / t / error - 1.0).max(0.0)),
            items: self.items as f64,
            unseen: ends.map(|end| unseen * end.max(0.0)),
        }
    }

    /// The expected variation of further judgments of this kind: from the standard error, else from the present
    /// interval, else from the worst case of the range; `None` where none is known.
    pub fn prospect(&self, range: Option<Range>) -> Option<Prospect> {
        let items = self.items as f64;
        let Some(error) = self.error(range) else {
            return range.map(|range| Prospect::worst(&range));
        };
        let (per_item, once) = (error * error * items, items / self.n as f64);
        // Noise cannot exceed the whole variance.
        let noise = self.noise.map(|noise| noise.min(per_item / once));
        Some(Prospect {
            signal: noise.map_or(per_item, |noise| (per_item - noise * once).max(0.0)),
            noise,
            tastes: self.new_annotators.map(|new| new.tastes),
            rho: 0.0,
            basis: ProspectBasis::Pilot {
                degrees: self.items.saturating_sub(1).max(1),
                annotators: self.annotators.unwrap_or_default(),
            },
            scale: match (self.interval, range) {
                (IntervalMethod::Exact, _) => ScaleKind::YesNo,
                (_, Some(_)) => ScaleKind::Bounded,
                (_, None) => ScaleKind::Unknown,
            },
            items: None,
            widening: self.widening(range),
            most: None,
        })
    }

    /// The number of judgments at which four studies of five have so narrow an interval, with items judged as often as
    /// now. At most the present number if that suffices; `None` where it is not known.
    pub fn judgments_for_width(&self, width: f64, range: Option<Range>) -> Option<u64> {
        let terms = DesignTerms {
            wish: StudyTarget::Width(width),
            confidence: self.confidence,
            people: PeopleScope::These,
        };
        let each = match self.items {
            0 => 1.0,
            items => self.n as f64 / items as f64,
        };
        let found = self.prospect(range)?;
        let once = Prospect {
            noise: None,
            signal: found.per_item(each),
            ..found
        };
        let items = once.design(1, 1, &terms).ok()?.items;
        let needed = (items as f64 * each).ceil() as u64;
        let is_reached = self
            .lower
            .zip(self.upper)
            .is_some_and(|(lower, upper)| upper - lower <= width);
        Some(if is_reached {
            needed.min(self.n)
        } else {
            needed
        })
    }
}

/// The settings that estimates of several systems share.
#[derive(Debug, Clone, Copy)]
pub struct AnalysisTerms<'a> {
    /// The confidence of the intervals, between 0 and 1.
    pub confidence: f64,
    /// The scale of the judgments, where it is known.
    pub range: Option<Range>,
    /// The weight of each annotator, unless each counts as often as they judged.
    pub weights: Option<&'a AnnotatorWeights>,
}

/// [`analyse_with`] where each annotator counts as often as they judged.
///
/// # Errors
/// As [`analyse_with`].
pub fn analyse(
    estimator: &mut dyn Estimator,
    judged: &Judgments,
    confidence: f64,
    range: Option<Range>,
) -> Result<Analysis> {
    let terms = AnalysisTerms {
        confidence,
        range,
        weights: None,
    };
    analyse_with(estimator, judged, &terms)
}

/// Runs a fresh estimator over the judgments of one system and computes its row of the estimates table.
/// With a range, judgments must lie in it and the interval is cut to it. Unless the estimator depends on the
/// order of the judgments, that makes no difference, not even to the last bit.
///
/// # Errors
/// If the confidence is not between 0 and 1, a number is not finite, or a judgment is out of range.
pub fn analyse_with(
    estimator: &mut dyn Estimator,
    judged: &Judgments,
    terms: &AnalysisTerms<'_>,
) -> Result<Analysis> {
    let AnalysisTerms {
        confidence, range, ..
    } = *terms;
    if !(confidence > 0.0 && confidence < 1.0) {
        let what = format!("confidence is {confidence}, expected a number between 0 and 1");
        return Err(Error::usage(what));
    }
    let judged = match estimator.minds_order() {
        true => judged.clone(),
        false => in_order(judged),
    };
    judged.check(range)?;
    let weights = terms.weights.filter(|_| estimator.is_weighable());
    let weights = weights.and_then(|weights| weights.of_those_who_judged(&judged));
    let judged = match &weights {
        Some(weights) => weights.weighed(&judged),
        None => judged,
    };
    let terms = &AnalysisTerms {
        weights: weights.as_ref(),
        ..*terms
    };
    judged.rows().for_each(|one| estimator.push(&one));
    estimator.check()?;
    let (estimate, shape) = match weighted_estimate(estimator, &judged, terms) {
        Some((weighted, shape)) => (Some(weighted), shape),
        None => {
            let error = estimator.contributions();
            let shape = error.and_then(|error| TailShape::from_contributions(&error));
            (estimator.estimate(confidence), shape)
        }
    };
    let estimate = estimate.filter(|estimate| estimate.value.is_finite());
    let interval = estimate.and_then(|estimate| estimate.interval);
    let interval = interval.map(|found| range.map_or(found, |range| range.clip(found)));
    let interval = interval.filter(|found| found.lower.is_finite() && found.upper.is_finite());
    let no_interval = || no_interval(&judged, estimate.and_then(|one| one.interval).is_some());
    let correlation = correlation(&judged);
    let components = judged.variance_components();
    let (annotators, repeat) = annotators(&judged);
    let scale = range.map(|range| [range.lower(), range.upper()]);
    let new_annotators =
        AnnotatorMeans::of_judgments(estimator, &judged).interval(confidence, scale);
    let these = estimate.map(|estimate| on_scale(estimate.value, range));
    let these = these.unwrap_or_default();
    let ends = interval.map(|found| (found.lower, found.upper));
    Ok(Analysis {
        n: judged.len() as u64,
        items: judged
            .rows()
            .map(|one| one.item)
            .collect::<BTreeSet<_>>()
            .len() as u64,
        estimate: estimate.map(|estimate| on_scale(estimate.value, range)),
        lower: interval.map(|interval| interval.lower),
        upper: interval.map(|interval| interval.upper),
        no_interval: (interval.is_none() && !judged.is_empty()).then(no_interval),
        standard_error: interval.and_then(|interval| interval.standard_error),
        unseen: interval.map_or(0.0, |interval| interval.unseen),
        shape: shape.filter(|_| {
            estimate.is_some_and(|estimate| estimate.method != IntervalMethod::Bounded)
        }),
        interval: estimate.map(|estimate| estimate.method).unwrap_or_default(),
        over: match estimate.map(|estimate| estimate.over).unwrap_or_default() {
            // The annotators' habits were not allowed for.
            InferenceScope::Items if repeat => InferenceScope::TheseAnnotators,
            over => over,
        },
        annotators,
        alpha: estimate.and_then(|estimate| estimate.alpha),
        correlation,
        rho: components
            .filter(|_| judged.metrics() == 1)
            .and_then(|components| components.rho()),
        gamma: components.and_then(|components| components.gamma()),
        noise: match terms.weights {
            None => components,
            Some(_) => noise_components(&judged, true).1,
        }
        .map(|components| components.noise),
        data_efficiency: correlation.and_then(data_efficiency),
        confidence,
        new_annotators: new_annotators.map(|new| new.reaching(these, ends, scale)),
    })
}

/// The estimate with annotators' weights, where there are any and it is a mean over judgments.
fn weighted_estimate(
    estimator: &dyn Estimator,
    judged: &Judgments,
    terms: &AnalysisTerms<'_>,
) -> Option<(MeanEstimate, Option<TailShape>)> {
    let plain = estimator.estimate(terms.confidence)?;
    let weighted = weighted(estimator, judged, terms)?;
    let shape = TailShape::from_contributions(&weighted.error);
    // With an equal value the exact interval stays valid.
    let same = (weighted.value - plain.value).abs() <= 1e-12 * plain.value.abs();
    if same && plain.method == IntervalMethod::Exact {
        return Some((plain, shape));
    }
    let case = IntervalCase {
        value: weighted.value,
        people: &ItemJudgmentMeans::weighted(weighted.items.values().copied()),
        error: Some(weighted.error),
        standard_error: None,
        range: terms.range,
        plain: false,
        left: 1.0,
    };
    let (interval, method) = case.safe_interval(terms.confidence);
    let estimate = MeanEstimate {
        value: weighted.value,
        interval,
        method,
        ..plain
    };
    Some((estimate, shape))
}

/// A mean, or the end of the scale that it lies beyond: the true mean is nearer to that, whatever it is. A metric may carry
/// the mean of a few judgments so far.
pub(super) fn on_scale(mean: f64, range: Option<Range>) -> f64 {
    range.map_or(mean, |range| mean.clamp(range.lower(), range.upper()))
}

/// The mean with annotators' weights, where there are any and the estimator supports them.
pub(super) fn weighted(
    estimator: &dyn Estimator,
    judged: &Judgments,
    terms: &AnalysisTerms<'_>,
) -> Option<AnnotatorWeightedMean> {
    let weights = terms.weights.filter(|_| estimator.is_weighable())?;
    let values = adjusted(estimator, judged)?;
    let values: Vec<(Option<u32>, u32, f64)> = values
        .into_iter()
        .map(|(who, item, one)| (who, item, one.value))
        .collect();
    weights.mean(&values)
}

/// The adjusted judgments with their annotators and items; `None` where the estimate is no mean over judgments.
pub(super) fn adjusted(
    estimator: &dyn Estimator,
    judged: &Judgments,
) -> Option<Vec<(Option<u32>, u32, AdjustedJudgment)>> {
    let adjuster = estimator.adjuster();
    let values = judged.rows();
    let values = values.map(|one| Some((one.annotator, one.item, adjuster(&one)?)));
    values.collect()
}

/// The reason for a missing interval; `some`: there is one, but its ends are not finite.
fn no_interval(judged: &Judgments, some: bool) -> NoInterval {
    let all_are = |same: &dyn Fn(&ScoredJudgment<'_>, &ScoredJudgment<'_>) -> bool| {
        let first = judged.get(0);
        judged.rows().all(|one| same(&one, &first))
    };
    match some {
        true => NoInterval::TooLarge,
        false if all_are(&|one, first| one.item == first.item) => NoInterval::OneItem,
        false if all_are(&|one, first| one.y == first.y) => NoInterval::AllEqual,
        false => NoInterval::FewItems,
    }
}

/// The number of named annotators, and whether one of them judged more than once.
fn annotators(judged: &Judgments) -> (Option<u64>, bool) {
    let mut judgments: BTreeMap<u32, u64> = BTreeMap::new();
    for annotator in judged.rows().filter_map(|one| one.annotator) {
        *judgments.entry(annotator).or_default() += 1;
    }
    let named = judgments.len() as u64;
    let repeat = judgments.values().any(|&n| n > 1);
    ((named > 0).then_some(named), repeat)
}

/// Sorts the judgments: floating-point sums depend on their order, and records may come in any.
fn in_order(judged: &Judgments) -> Judgments {
    let mut order: Vec<usize> = (0..judged.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (judged.get(a), judged.get(b));
        let by_scores = || {
            let scores = a.g.iter().zip(b.g);
            scores.fold(Ordering::Equal, |so_far, (a, b)| {
                so_far.then_with(|| a.total_cmp(b))
            })
        };
        a.item
            .cmp(&b.item)
            .then_with(|| a.y.total_cmp(&b.y))
            .then_with(by_scores)
            .then_with(|| a.annotator.cmp(&b.annotator))
    });
    order.into_iter().map(|place| judged.get(place)).collect()
}

fn correlation(judged: &Judgments) -> Option<f64> {
    let one_metric = judged.metrics() == 1;
    let joint = one_metric.then(|| judged.rows().map(|one| (one.y, one.g[0])));
    joint?.collect::<JointMoments>().correlation()
}

fn data_efficiency(correlation: f64) -> Option<f64> {
    let unexplained = (1.0 - correlation) * (1.0 + correlation);
    (unexplained > EXACT).then(|| unexplained.recip())
}

impl Judgments {
    /// Refuses judgments that are not finite, or out of range.
    ///
    /// # Errors
    /// The first such judgment.
    pub fn check(&self, range: Option<Range>) -> Result<()> {
        self.rows().try_for_each(|one| check(&one, range))
    }
}

fn check(judged: &ScoredJudgment<'_>, range: Option<Range>) -> Result<()> {
    let ScoredJudgment { y, g, .. } = *judged;
    if let Some(bad) = [y].iter().chain(g).find(|number| !number.is_finite()) {
        let what =
            format!("a judgment of {y} with metric scores {g:?}: {bad} is not a finite number");
        return Err(Error::usage(what));
    }
    if range.is_some_and(|range| !range.contains(y)) {
        let what = format!("a judgment is {y}, which is outside the range of judgments");
        return Err(Error::usage(what).with_hint(message!(
            "{} is the range of the judgments",
            Key("range").set("LO,HI")
        )));
    }
    Ok(())
}
