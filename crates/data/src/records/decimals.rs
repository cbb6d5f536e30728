//! The marks of decimals: where some numbers have a comma, the point in 1.234 may mark thousands.

use tiebreak_base::error::{Error, Location, Result};

/// The first numbers whose point may mark thousands, and whose decimals have a comma, with their places.
#[derive(Debug, Default)]
pub(super) struct DecimalMarks([Option<(String, Location)>; 2]);

impl DecimalMarks {
    /// Notes how a number is written; `at` gives its place.
    pub(super) fn note(&mut self, text: &str, at: impl Fn() -> Location) {
        let marked = [may_be_thousands(text), text.contains(',')];
        for (is_marked, first) in marked.into_iter().zip(&mut self.0) {
            if first.is_none() && is_marked {
                *first = Some((text.to_string(), at()));
            }
        }
    }

    /// Adds those of later rows.
    pub(super) fn add(&mut self, later: &Self) {
        for (first, new) in self.0.iter_mut().zip(&later.0) {
            if first.is_none() {
                first.clone_from(new);
            }
        }
    }

    /// Refuses numbers such as 1.234 where others have a decimal comma.
    pub(super) fn check(&self, column: &str) -> Result<()> {
        let [Some(point), Some(comma)] = &self.0 else {
            return Ok(());
        };
        let what = format!(
            "`{column}` is {} here and {} in {}: some decimals have a comma and some a point",
            comma.0, point.0, point.1
        );
        Err(Error::record(comma.1.clone(), what).with_hint("write all with a decimal point"))
    }
}

/// Whether a number has a point where one would mark thousands, as in 1.234 or 12.500.
fn may_be_thousands(text: &str) -> bool {
    let parts = text.trim().split_once('.');
    parts.is_some_and(|(whole, rest)| rest.len() == 3 && !["", "0", "-0"].contains(&whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_before_three_digits_may_mark_thousands() {
        let doubtful = ["1.234", "12.500", " 3.000"].map(may_be_thousands);
        let sure = ["2.5", "0.125", ".125", "3", "1.2345", "2,5"].map(may_be_thousands);
        assert_eq!((doubtful, sure), ([true; 3], [false; 6]));
    }
}
