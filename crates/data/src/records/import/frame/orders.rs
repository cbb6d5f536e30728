//! Judges: one of several is picked, and each may have been shown two outputs in both orders.
//!
//! Both orders are one prediction: the mean of those that can be read, as `predict --order both` takes it.

use super::options::Pick;
use tiebreak_base::layout::decimals;

/// The choice of the judge whose verdicts are the predictions.
pub(in crate::records::import) const JUDGE: Pick = Pick {
    key: "judge",
    of: "",
    several: "verdicts of several judges",
    ask: "say whose predictions to read",
};

/// Counts of how often the output shown first was preferred.
#[derive(Debug, Default)]
pub(in crate::records::import) struct Orders {
    first: u64,
    second: u64,
    ties: u64,
}

impl Orders {
    /// Counts a verdict: the probability that the output shown first is preferred.
    pub(crate) fn shown(&mut self, first: f64) {
        match first {
            p if p > 0.5 => self.first += 1,
            p if p < 0.5 => self.second += 1,
            _ => self.ties += 1,
        }
    }

    /// Describes the position bias in words; `None` without any verdict.
    pub(crate) fn position_bias_note(&self) -> Option<String> {
        let decided = self.first + self.second;
        (decided > 0).then(|| {
            let share = decimals(100.0 * self.first as f64 / decided as f64, 0);
            format!(
                "position: the output shown first won {} of {decided} verdicts without ties ({share} %), {} ties",
                self.first, self.ties
            )
        })
    }
}

/// How far the output shown first was favoured: the mean of 2q - 1 over the probabilities q that it is preferred; `None`
/// unless both orders could be read, since in one alone it cannot be told from what the outputs are worth.
pub(in crate::records::import) fn position(shown_first: &[f64]) -> Option<f64> {
    match shown_first {
        [one, other] => Some(one + other - 1.0),
        _ => None,
    }
}

/// The mean of the orders that could be read.
pub(in crate::records::import) fn mean(readable: &[f64]) -> Option<f64> {
    (!readable.is_empty()).then(|| readable.iter().sum::<f64>() / readable.len() as f64)
}
