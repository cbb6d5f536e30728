//! Answers that depend on each other: those of one annotator to one item, or in one ranking, are one unit.

use super::standing::ValueWithError;

/// Sums of values by unit, ascending: of hundreds of thousands of annotators most have few.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnitSums(Vec<UnitSum>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct UnitSum {
    unit: usize,
    number: u64,
    sum: f64,
}

impl UnitSums {
    /// Adds a value of a unit; fast where units come in ascending order.
    pub fn push(&mut self, unit: usize, value: f64) {
        let after = self.0.last().is_none_or(|last| last.unit < unit);
        let place = match after {
            true => self.0.len(),
            false => self.0.partition_point(|one| one.unit < unit),
        };
        if self.0.get(place).is_none_or(|one| one.unit != unit) {
            let (number, sum) = (0, 0.0);
            self.0.insert(place, UnitSum { unit, number, sum });
        }
        self.0[place].number += 1;
        self.0[place].sum += value;
    }

    /// The number of units.
    pub fn units(&self) -> u64 {
        self.0.len() as u64
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|one| one.number).sum()
    }

    /// The number of units that carry a sum of values above 0: as many equal ones have sums as uneven. Without any it is 0.
    pub fn effective(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|one| one.sum).sum();
        let squares: f64 = self.0.iter().map(|one| one.sum * one.sum).sum();
        if squares > 0.0 {
            sum * sum / squares
        } else {
            0.0
        }
    }

    /// The mean of all values with its standard error from the scatter between units; `None` for fewer than two units.
    /// With a value a unit it is the usual standard error of a mean.
    pub fn mean(&self) -> Option<ValueWithError> {
        let (units, n) = (self.units() as f64, self.count() as f64);
        let value = self.0.iter().map(|one| one.sum).sum::<f64>() / n;
        let residual = |one: &UnitSum| (one.sum - one.number as f64 * value).powi(2);
        let squares: f64 = self.0.iter().map(residual).sum();
        let error = (squares * units / (units - 1.0)).sqrt() / n;
        (units > 1.0).then_some(ValueWithError { value, error })
    }
}
