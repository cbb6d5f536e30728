//! The spending of a run on people's answers, in all and until each change of leader.

use serde::{Deserialize, Serialize};
use tiebreak_base::cost::Cost;

/// The cost of people's answers, as far as it was noted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredSpending", into = "StoredSpending")]
#[non_exhaustive]
pub struct RunSpending {
    /// The total.
    pub all: Cost<f64>,
    /// The cost until each change of leader, in the order of
    /// [`RunTrace::leaders`](super::active::RunTrace::leaders); empty before anything is spent.
    pub until: Cost<Vec<f64>>,
}

impl RunSpending {
    /// Notes the spending until the newest of `leaders` leaders, if that one is new.
    pub(super) fn note(&mut self, leaders: usize) {
        let Self { all, until } = self;
        for (all, until) in [
            (all.seconds, &mut until.seconds),
            (all.price, &mut until.price),
        ] {
            if all > 0.0 && until.len() < leaders {
                until.resize(leaders - 1, 0.0);
                until.push(all);
            }
        }
    }

    /// Forgets the spending until all but the first `leaders` leaders.
    pub(super) fn forget(&mut self, leaders: usize) {
        self.until.seconds.truncate(leaders);
        self.until.price.truncate(leaders);
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.all == Cost::default()
    }
}

/// [`RunSpending`] as traces store it: time under the names from before there were prices.
#[derive(Serialize, Deserialize)]
struct StoredSpending {
    seconds: f64,
    until: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    price: Option<(f64, Vec<f64>)>,
}

impl From<StoredSpending> for RunSpending {
    fn from(stored: StoredSpending) -> Self {
        let (price, priced) = stored.price.unwrap_or_default();
        Self {
            all: Cost {
                seconds: stored.seconds,
                price,
            },
            until: Cost {
                seconds: stored.until,
                price: priced,
            },
        }
    }
}

impl From<RunSpending> for StoredSpending {
    fn from(RunSpending { all, until }: RunSpending) -> Self {
        Self {
            seconds: all.seconds,
            until: until.seconds,
            price: (all.price > 0.0).then_some((all.price, until.price)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_stored_and_read_back() {
        let mut spent = RunSpending::default();
        spent.all.add(Cost::taking(Some(7.5)));
        spent.note(2);
        let stored = r#"{"seconds":7.5,"until":[0.0,7.5]}"#;
        assert_eq!(serde_json::to_string(&spent).unwrap(), stored);
        let price = Some(0.5);
        let seconds = None;
        spent.all.add(Cost { seconds, price });
        spent.note(3);
        assert_eq!(spent.until.price, [0.0, 0.0, 0.5]);
        let stored = serde_json::to_string(&spent).unwrap();
        assert_eq!(serde_json::from_str::<RunSpending>(&stored).unwrap(), spent);
        spent.forget(1);
        assert_eq!(
            (spent.until.seconds, spent.until.price),
            (vec![0.0], vec![0.0])
        );
    }
}
