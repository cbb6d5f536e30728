//! The stopping time: the first judgment at which an interval that holds at any time was narrow
//! enough.
//!
//! Source: Mnih, Szepesvári and Audibert, "Empirical Bernstein stopping", ICML 2008: with an absolute
//! goal stop once the interval is at most W wide, with a relative goal ε once
//! (1 + ε) L ≥ (1 − ε) U for the ends L ≤ U of the interval of |μ|, whence |μ̂ − μ| ≤ ε |μ| for
//! μ̂ = ½ ((1 + ε) L + (1 − ε) U). Any confidence sequence serves; `betting` is the shortest here.
//!
//! Deviation: none in the rule. Intervals only shrink, so the time is found by bisection. The estimate of a relative goal is
//! μ̂, not the sample mean, whose relative error can be twice as large.

use super::{Estimator, Interval, Judgments};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tiebreak_base::error::{Error, Result};

/// The goal at which judging stops.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Goal {
    /// The interval is at most this wide.
    Width(f64),
    /// The relative error of the estimate is at most this.
    Relative(f64),
}

impl FromStr for Goal {
    type Err = Error;

    /// Reads `width=W` or `relative=E`.
    fn from_str(text: &str) -> Result<Self> {
        let read = |value: &str| value.trim().parse().ok();
        let goal = match text.split_once('=') {
            Some(("width", value)) => read(value).map(Self::Width),
            Some(("relative", value)) => read(value).map(Self::Relative),
            _ => None,
        };
        let goal = goal.ok_or_else(|| {
            Error::usage(format!("cannot stop at `{text}`"))
                .with_hint("width=W with W above 0, or relative=E with E between 0 and 1")
        })?;
        goal.check().map(|()| goal)
    }
}

impl TryFrom<String> for Goal {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error: Error| error.with_its_hint())
    }
}

impl From<Goal> for String {
    fn from(goal: Goal) -> Self {
        goal.to_string()
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Width(width) => write!(f, "width={width}"),
            Self::Relative(share) => write!(f, "relative={share}"),
        }
    }
}

impl Goal {
    /// Refuses a goal that no interval can reach.
    ///
    /// # Errors
    /// Unless the width is above 0, or the share above 0 and below 1.
    pub fn check(self) -> Result<()> {
        let (what, sound) = match self {
            Self::Width(width) => (format!("width={width}"), width > 0.0 && width.is_finite()),
            Self::Relative(share) => (format!("relative={share}"), share > 0.0 && share < 1.0),
        };
        if sound {
            return Ok(());
        }
        Err(Error::usage(format!("cannot stop at {what}"))
            .with_hint("width=W with W above 0, or relative=E with E between 0 and 1"))
    }

    /// The estimate at which judging stops, of a mean with an interval; `None` where the goal is not reached.
    fn reached(self, mean: f64, interval: &Interval) -> Option<f64> {
        match self {
            Self::Width(width) => (interval.width() <= width).then_some(mean),
            Self::Relative(share) => {
                let nearest = (1.0 + share) * interval.lower.max(-interval.upper).max(0.0);
                let farthest = (1.0 - share) * interval.upper.max(-interval.lower);
                let size = 0.5 * (nearest + farthest);
                (nearest > 0.0 && nearest >= farthest).then_some(size.copysign(interval.lower))
            }
        }
    }

    /// The message for intervals that do not hold at any time.
    pub const NOT_AT_ANY_TIME: &str =
        "only intervals that are valid at any time can say when to stop";
}

/// The time at which judging could have stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StoppingPoint {
    /// The number of judgments.
    pub n: u64,
    /// The estimate then: the mean, or of a relative goal the number with at most this relative error.
    pub estimate: f64,
    /// Lower end of the interval then.
    pub lower: f64,
    /// Upper end of the interval then.
    pub upper: f64,
}

impl StoppingPoint {
    /// The first time at which the goal was reached by judgments in the order in which they were
    /// recorded; `None` if it never was. An item's judgments are seen together.
    ///
    /// # Errors
    /// If the goal makes no sense, `make` fails, or its estimator's intervals do not hold at any time.
    pub fn first(
        make: &dyn Fn() -> Result<Box<dyn Estimator>>,
        judged: &Judgments,
        confidence: f64,
        goal: Goal,
    ) -> Result<Option<StoppingPoint>> {
        goal.check()?;
        if !make()?.holds_at_any_time() {
            return Err(
                Error::usage(Goal::NOT_AT_ANY_TIME).with_hint("such as betting:anytime=true")
            );
        }
        let looks = looks(judged);
        let reached = |look: usize| -> Result<Option<StoppingPoint>> {
            let mut estimator = make()?;
            judged
                .rows()
                .take(looks[look])
                .for_each(|one| estimator.push(&one));
            estimator.check()?;
            let estimate = estimator.estimate(confidence);
            Ok(estimate.and_then(|estimate| {
                let interval = estimate.interval?;
                Some(StoppingPoint {
                    n: looks[look] as u64,
                    estimate: goal.reached(estimate.value, &interval)?,
                    lower: interval.lower,
                    upper: interval.upper,
                })
            }))
        };
        let (mut early, mut late) = (0, looks.len());
        let mut found = None;
        while early < late {
            let middle = usize::midpoint(early, late);
            match reached(middle)? {
                Some(stop) => (found, late) = (Some(stop), middle),
                None => early = middle + 1,
            }
        }
        Ok(found)
    }
}

/// The width of the interval after growing numbers of judgments, up to all: about `points` numbers
/// that grow by equal factors, where there was an interval.
///
/// # Errors
/// If `make` or its estimator fails.
pub fn widths(
    make: &dyn Fn() -> Result<Box<dyn Estimator>>,
    judged: &Judgments,
    confidence: f64,
    points: usize,
) -> Result<Vec<(u64, f64)>> {
    let mut wanted: Vec<usize> = looks(judged);
    let factor = (judged.len() as f64).powf(1.0 / points.max(1) as f64);
    let mut least = 1.0;
    wanted.retain(|&n| {
        let kept = n as f64 >= least || n == judged.len();
        if kept {
            least = n as f64 * factor;
        }
        kept
    });
    let mut estimator = make()?;
    let mut rows = judged.rows();
    let (mut found, mut seen) = (Vec::new(), 0);
    for n in wanted {
        rows.by_ref()
            .take(n - seen)
            .for_each(|one| estimator.push(&one));
        seen = n;
        estimator.check()?;
        let interval = estimator.estimate(confidence).and_then(|one| one.interval);
        found.extend(interval.map(|interval| (n as u64, interval.width())));
    }
    Ok(found)
}

/// The numbers of judgments after which another item comes, or none.
fn looks(judged: &Judgments) -> Vec<usize> {
    let next_is_new =
        |n: &usize| *n == judged.len() || judged.get(*n).item != judged.get(n - 1).item;
    (1..=judged.len()).filter(next_is_new).collect()
}
