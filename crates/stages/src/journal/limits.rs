//! The limits of a campaign's run: how much is asked at most. They may grow, since evidence that holds whenever one
//! looks may be extended; what is asked up to the old limits stays the same.

use serde::{Deserialize, Serialize};

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// The number of questions.
    pub budget: u64,
    /// The number of steps, free ones included.
    pub steps: u64,
    /// The hours of answering; `None` without such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
}

/// A later change of the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LimitGrowth {
    /// The number of questions posed before it.
    pub asked: u64,
    /// The limits from there on.
    pub limits: RunLimits,
}

impl RunLimits {
    /// The names of the limits in a signature.
    const KEYS: [&'static str; 3] = ["budget", "steps", "hours"];

    /// Whether a field of a signature is a limit.
    pub(super) fn is_limit(key: &str) -> bool {
        Self::KEYS.contains(&key)
    }

    /// The limits among the fields of a signature; `None` where nothing limits the run.
    pub(super) fn of(fields: &[(String, String)]) -> Option<Self> {
        let field = |name: &str| {
            let mut fields = fields.iter();
            fields.find_map(|(key, value)| (key == name).then_some(value.as_str()))
        };
        let [budget, steps, hours] = Self::KEYS.map(field);
        Some(Self {
            budget: budget?.parse().ok()?,
            steps: steps?.parse().ok()?,
            hours: hours.and_then(|hours| hours.parse().ok()),
        })
    }

    /// The name of the first limit that is smaller than it was, and what it was; `None` as its value where there was no
    /// limit.
    pub fn shrunk(&self, before: &Self) -> Option<(&'static str, Option<String>)> {
        let [budget, steps, hours] = Self::KEYS;
        let limit = |hours: Option<f64>| hours.unwrap_or(f64::INFINITY);
        if self.budget < before.budget {
            Some((budget, Some(before.budget.to_string())))
        } else if self.steps < before.steps {
            Some((steps, Some(before.steps.to_string())))
        } else if limit(self.hours) < limit(before.hours) {
            Some((hours, before.hours.map(|hours| hours.to_string())))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_from_a_signature_and_only_grow() {
        let fields = [("budget", "10"), ("steps", "100"), ("hours", "0.5")];
        let fields = fields.map(|(key, value)| (key.to_string(), value.to_string()));
        let begun = RunLimits::of(&fields).unwrap();
        let hours = Some(0.5);
        assert_eq!((begun.budget, begun.steps, begun.hours), (10, 100, hours));
        assert_eq!(RunLimits::of(&fields[1..]), None);
        let more = RunLimits {
            budget: 20,
            hours: None,
            ..begun
        };
        assert_eq!(more.shrunk(&begun), None);
        let was = |was: &str| Some(was.to_string());
        assert_eq!(begun.shrunk(&more), Some(("budget", was("20"))));
        let timed = RunLimits { hours, ..more };
        assert_eq!(timed.shrunk(&more), Some(("hours", None)));
        let fewer = RunLimits { steps: 50, ..more };
        assert_eq!(fewer.shrunk(&begun), Some(("steps", was("100"))));
    }
}
