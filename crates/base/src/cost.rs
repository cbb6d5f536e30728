//! The cost of answers, in people's time and in money. Judgments differ in price (long texts, experts), so
//! their number says little of what is paid for them.

use serde::Serialize;

/// An amount in each unit of cost; by default the cost of one answer, as far as it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Cost<T = Option<f64>> {
    /// Annotation time, in seconds.
    pub seconds: T,
    /// Money, in whatever currency.
    pub price: T,
}

impl<T> Cost<T> {
    /// Applies `of` to each unit.
    pub fn map<U>(&self, of: impl Fn(&T) -> U) -> Cost<U> {
        Cost {
            seconds: of(&self.seconds),
            price: of(&self.price),
        }
    }
}

impl Cost {
    /// The cost of an answer of which at most the time is known.
    pub fn taking(seconds: Option<f64>) -> Self {
        Self {
            seconds,
            price: None,
        }
    }

    /// Whether `spent` reaches this limit in a unit that has one.
    pub fn is_reached(&self, spent: &Cost<f64>) -> bool {
        let reached = |limit: Option<f64>, spent| limit.is_some_and(|limit| spent >= limit);
        reached(self.seconds, spent.seconds) || reached(self.price, spent.price)
    }
}

impl Cost<f64> {
    /// Adds an answer; what was not recorded counts as nothing.
    pub fn add(&mut self, answer: Cost) {
        self.seconds += answer.seconds.unwrap_or(0.0);
        self.price = money(self.price + answer.price.unwrap_or(0.0));
    }
}

/// The smallest piece of money: a billionth of the unit in which prices are.
pub const PIECES: f64 = 1e9;

/// An amount of money in whole pieces: three answers at 0.1 come to 0.3, not to a little more.
fn money(amount: f64) -> f64 {
    (PIECES * amount).round() / PIECES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_money_is_reached_exactly() {
        let limit = Cost {
            seconds: None,
            price: Some(1.0),
        };
        let (mut spent, mut plain) = (Cost::default(), 0.0);
        for answer in 1..=10 {
            spent.add(Cost {
                seconds: Some(7.5),
                price: Some(0.1),
            });
            plain += 0.1;
            assert_eq!(limit.is_reached(&spent), answer == 10);
        }
        assert!(plain < 1.0);
        assert_eq!((spent.seconds, spent.price), (75.0, 1.0));
        spent.add(Cost::default());
        assert_eq!((spent.seconds, spent.price), (75.0, 1.0));
    }

    #[test]
    fn whichever_unit_has_a_limit_may_reach_it() {
        let spent = Cost {
            seconds: 60.0,
            price: 2.5,
        };
        let limits = [(Some(60.0), None), (Some(61.0), Some(2.5)), (None, None)];
        let reached = limits.map(|(seconds, price)| Cost { seconds, price }.is_reached(&spent));
        assert_eq!(reached, [true, true, false]);
    }
}
