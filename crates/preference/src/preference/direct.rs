//! A metric with a link, seen as a pairwise model: score both outputs, link the scores.
//!
//! Source: Mohankumar and Khapra, "Active Evaluation", ACL 2022 (direct evaluation metrics). Where
//! scores have dropout draws, draw l of the preference links draw l of both scores: they come from
//! the same mask, as one network's do. Where lower is better the scores change places first.

use super::links::{LINKS, LabelledScorePair, Link};
use super::{Contest, PairwiseModel, Preference};
use std::iter;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_base::signature::Signature;
use tiebreak_metrics::env::Env;
use tiebreak_metrics::metrics::{self, DrawMatrix, Metric, Segment, direction};

/// A score of one output, with its dropout draws; none for metrics that cannot be sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampledScore<'a> {
    /// The score with dropout off.
    pub score: f64,
    /// The scores under dropout.
    pub draws: &'a [f64],
}

impl Preference {
    /// The preference for the first of two outputs from their scores.
    ///
    /// # Errors
    /// If one has more draws than the other, or a score is not finite.
    pub fn direct(
        link: &dyn Link,
        first: SampledScore<'_>,
        second: SampledScore<'_>,
    ) -> Result<Preference> {
        if first.draws.len() != second.draws.len() {
            let (one, other) = (first.draws.len(), second.draws.len());
            let what = format!("one score has {one} draws and its opponent's {other}");
            return Err(Error::usage(what)
                .with_hint(message!("score all systems with the same {}", Key("draws"))));
        }
        Ok(Preference {
            position: None,
            answers: Vec::new(),
            p: linked(link, first.score, second.score)?,
            draws: first
                .draws
                .iter()
                .zip(second.draws)
                .map(|(&a, &b)| linked(link, a, b))
                .collect::<Result<_>>()?,
        })
    }
}

fn linked(link: &dyn Link, first: f64, second: f64) -> Result<f64> {
    if first.is_finite() && second.is_finite() {
        return Ok(link.preference(first, second));
    }
    let what = format!("scores {first} and {second} cannot be compared, expected finite numbers");
    Err(Error::usage(what))
}

/// A pairwise model of any metric with any link.
pub struct Direct {
    /// The metric that scores the outputs.
    pub metric: Box<dyn Metric>,
    /// The link of their scores.
    pub link: Box<dyn Link>,
    /// The link's name.
    pub name: String,
}

impl Direct {
    /// Fits a link, by name, for a metric, by name, to contests that people decided: the outcome is that of `a`. The
    /// predictions for those very contests are a little too good.
    ///
    /// ```
    /// use tiebreak_base::duel::Outcome;
    /// use tiebreak_metrics::env::Env;
    /// use tiebreak_preference::preference::{Contest, PairwiseModel, direct::Direct};
    /// let references = ["the train is late".to_string()];
    /// let against = |a, b| Contest::new(a, b).with_references(&references);
    /// let judged = [
    ///     (against("the train is late", "late"), Outcome::Win),
    ///     (against("a train", "the train is slow"), Outcome::Loss),
    ///     (against("the train", "train is late"), Outcome::Win),
    /// ];
    /// let model = Direct::fit("chrf", "btl-logistic", &judged, &Env::default())?;
    /// let p = model.predict(&[against("the train is late", "a bus")])?[0].p;
    /// assert!(p > 0.5);
    /// # Ok::<(), tiebreak_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// An unknown metric, link or parameter; contests that the metric is not defined on (no references,
    /// say) or that leave nothing to fit to.
    pub fn fit(
        metric: &str,
        link: &str,
        judged: &[(Contest<'_>, Outcome)],
        env: &Env,
    ) -> Result<Self> {
        let entry = find_entry("link", LINKS, link)?;
        let metric = metrics::load(metric, env)?;
        if metric.needs_corpus() {
            let name = metric.signature().name().to_string();
            let what = format!("{name} has to see a whole data set before it scores any of it");
            return Err(Error::usage(what).with_hint("use a metric of single outputs"));
        }
        let side = |text: for<'t> fn(&Contest<'t>) -> &'t str| {
            let segments = judged.iter().map(|(one, _)| segment(one, text(one)));
            metric.score(&segments.collect::<Vec<_>>())
        };
        let (firsts, seconds) = (side(|one| one.a)?, side(|one| one.b)?);
        let direction = direction(metric.signature().name());
        let labelled: Vec<LabelledScorePair> = firsts
            .into_iter()
            .zip(seconds)
            .zip(judged)
            .map(|((first, second), &(_, outcome))| {
                let (first, second) = direction.rising(first, second);
                LabelledScorePair {
                    first,
                    second,
                    outcome,
                }
            })
            .collect();
        Ok(Self {
            link: (entry.build.fit)(&labelled)?,
            metric,
            name: entry.name.to_string(),
        })
    }
}

impl PairwiseModel for Direct {
    fn signature(&self) -> Signature {
        let link = Signature::new(&self.name);
        let link = self
            .link
            .parameters()
            .0
            .iter()
            .fold(link, |link, (key, value)| link.with(key, value));
        let metric = self.metric.signature();
        let link = link.with("metric", metric.name());
        metric
            .fields()
            .iter()
            .fold(link, |link, (key, value)| link.with(key, value))
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let firsts: Vec<_> = contests.iter().map(|c| segment(c, c.a)).collect();
        let seconds: Vec<_> = contests.iter().map(|c| segment(c, c.b)).collect();
        let first = SideScores::compute(&*self.metric, &firsts)?;
        let second = SideScores::compute(&*self.metric, &seconds)?;
        let direction = direction(self.metric.signature().name());
        let pairs = first.each().zip(second.each());
        pairs
            .map(|(first, second)| {
                let (first, second) = direction.rising(first, second);
                Preference::direct(&*self.link, first, second)
            })
            .collect()
    }
}

/// One output of a contest, as metrics take it.
pub(super) fn segment<'a>(contest: &Contest<'a>, hypothesis: &'a str) -> Segment<'a> {
    Segment {
        hypothesis,
        references: contest.references,
        context: contest.source,
    }
}

/// The scores of one side of all contests.
struct SideScores {
    scores: Vec<f64>,
    draws: Option<DrawMatrix>,
}

impl SideScores {
    fn compute(metric: &dyn Metric, segments: &[Segment<'_>]) -> Result<Self> {
        Ok(Self {
            scores: metric.score(segments)?,
            draws: metric.draws(segments, super::DRAWS)?,
        })
    }

    fn each(&self) -> impl Iterator<Item = SampledScore<'_>> {
        let drawn = self.draws.iter().flat_map(DrawMatrix::rows);
        self.scores
            .iter()
            .zip(drawn.chain(iter::repeat(&[][..])))
            .map(|(&score, draws)| SampledScore { score, draws })
    }
}
