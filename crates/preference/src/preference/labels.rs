//! From the logits of a classifier to a preference.

use tiebreak_base::error::{Error, Result};
use tiebreak_base::stats::log_odds::logistic;

/// The meaning of each logit, as its share in the preference for `a`: 1 for `a`, ½ for a tie, 0 for
/// `b`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogitLabels {
    names: Vec<String>,
    shares: Vec<f64>,
}

impl LogitLabels {
    /// The labels of a model with `count` logits: those of its descriptor; else those of its
    /// `config.json`, if they are called `a`, `b` and `tie`; else `a` for one logit, `b, a` for
    /// two, `b, tie, a` for three.
    ///
    /// # Errors
    /// [`Error::Model`] if their number is wrong, one is unknown, or neither `a` nor `b` is there.
    pub(super) fn new(
        model: &str,
        count: usize,
        described: Option<&[String]>,
        configured: &[String],
    ) -> Result<Self> {
        let usual: &[&str] = match count {
            1 => &["a"],
            2 => &["b", "a"],
            3 => &["b", "tie", "a"],
            _ => &[],
        };
        let fail = |what: String| {
            Err(Error::model(model, what).with_hint(
                "set `labels` in its descriptor (tiebreak.toml): one of \"a\", \"b\", \"tie\" \
                 for each logit",
            ))
        };
        let names: Vec<String> = match described {
            Some(names) => names.to_vec(),
            None if count > 1 && shares(configured).is_some_and(|s| s.len() == count) => {
                configured.to_vec()
            }
            None => usual.iter().map(ToString::to_string).collect(),
        };
        if names.len() != count {
            return fail(format!("{} labels, expected {count}", names.len()));
        }
        match shares(&names) {
            Some(shares) => Ok(Self { names, shares }),
            None => fail(format!("labels {names:?} do not distinguish `a` from `b`")),
        }
    }

    /// The preference for `a`: one logit goes through the logistic function, several through
    /// softmax, ties counting half.
    pub(super) fn preference(&self, logits: &[f32]) -> f64 {
        if let ([logit], [share]) = (logits, self.shares.as_slice()) {
            let p = logistic(f64::from(*logit));
            return if *share == 1.0 { p } else { 1.0 - p };
        }
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights = logits.iter().map(|&x| f64::from(x - largest).exp());
        let (mut part, mut total) = (0.0, 0.0);
        for (weight, share) in weights.zip(&self.shares) {
            part += weight * share;
            total += weight;
        }
        part / total
    }

    /// The labels in the order of the logits.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}

/// The shares of labels that tell `a` from `b`.
fn shares(names: &[String]) -> Option<Vec<f64>> {
    let shares: Option<Vec<f64>> = names
        .iter()
        .map(|name| match name.as_str() {
            "a" => Some(1.0),
            "tie" => Some(0.5),
            "b" => Some(0.0),
            _ => None,
        })
        .collect();
    let shares = shares?;
    let told = match shares.as_slice() {
        [share] => *share != 0.5,
        _ => shares.contains(&1.0) && shares.contains(&0.0),
    };
    told.then_some(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str]) -> LogitLabels {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        LogitLabels::new("m", names.len(), Some(&names), &[]).unwrap()
    }

    #[test]
    fn one_logit_is_the_log_odds_of_a() {
        let one = LogitLabels::new("m", 1, None, &["LABEL_0".to_string()]).unwrap();
        assert_eq!(one.preference(&[0.0]), 0.5);
        assert!((one.preference(&[1.5]) - 0.817_574_476_193_643_7).abs() < 1e-12);
        assert_eq!(one.preference(&[1000.0]), 1.0);
        let turned = labels(&["b"]);
        assert!((turned.preference(&[1.5]) + one.preference(&[1.5]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_tie_counts_half() {
        let three = LogitLabels::new("m", 3, None, &[]).unwrap();
        let logits: Vec<f32> = [0.2_f32, 0.3, 0.5].iter().map(|p| p.ln()).collect();
        assert!((three.preference(&logits) - 0.65).abs() < 1e-7);
        assert!((labels(&["a", "tie", "b"]).preference(&logits) - 0.35).abs() < 1e-7);
    }

    #[test]
    fn two_logits_differ_by_the_log_odds() {
        let two = LogitLabels::new("m", 2, None, &[]).unwrap();
        assert!((two.preference(&[0.25, 1.75]) - 0.817_574_476_193_643_7).abs() < 1e-12);
    }

    #[test]
    fn the_configuration_speaks_where_the_descriptor_does_not() {
        let configured = ["a".to_string(), "b".to_string()];
        let two = LogitLabels::new("m", 2, None, &configured).unwrap();
        assert_eq!(two.names(), configured);
    }

    #[test]
    fn labels_that_say_nothing_are_refused() {
        for (count, names) in [
            (2, vec!["a", "a"]),
            (2, vec!["a"]),
            (1, vec!["tie"]),
            (2, vec!["a", "c"]),
        ] {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            assert!(
                LogitLabels::new("m", count, Some(&names), &[]).is_err(),
                "{names:?}"
            );
        }
        assert!(LogitLabels::new("m", 5, None, &[]).is_err());
    }
}
