//! Answers that depend on each other: those of one annotator to one item, or in one ranking, are one unit.

use super::standing::ValueWithError;
use std::collections::BTreeMap;

/// Sums of values by unit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnitSums(BTreeMap<usize, (u64, f64)>);

impl UnitSums {
    /// Adds a value of a unit.
    pub fn push(&mut self, unit: usize, value: f64) {
        let (n, sum) = self.0.entry(unit).or_default();
        *n += 1;
        *sum += value;
    }

    /// The number of units.
    pub fn units(&self) -> u64 {
        self.0.len() as u64
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.0.values().map(|(n, _)| n).sum()
    }

    /// The mean of all values with its standard error from the scatter between units; `None` for fewer than two units.
    /// With a value a unit it is the usual standard error of a mean.
    pub fn mean(&self) -> Option<ValueWithError> {
        let (units, n) = (self.units() as f64, self.count() as f64);
        let value = self.0.values().map(|(_, sum)| sum).sum::<f64>() / n;
        let residual = |(n, sum): &(u64, f64)| (sum - *n as f64 * value).powi(2);
        let squares: f64 = self.0.values().map(residual).sum();
        let error = (squares * units / (units - 1.0)).sqrt() / n;
        (units > 1.0).then_some(ValueWithError { value, error })
    }
}
