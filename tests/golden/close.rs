//! Whether a number is the expected one, and what to say if not.

use serde_json::Value;

/// A number as golden files write it: JSON has no NaN and no infinity.
pub(super) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("NaN") => f64::NAN,
        Some("Infinity") => f64::INFINITY,
        Some("-Infinity") => f64::NEG_INFINITY,
        _ => value
            .as_f64()
            .unwrap_or_else(|| panic!("expected a number, found {value}")),
    }
}

/// Collects what differs, so that one run shows all of it.
#[derive(Default)]
pub(super) struct Differences {
    checked: usize,
    found: Vec<String>,
}

impl Differences {
    /// Compares at a relative tolerance; equal infinities and two NaN agree.
    pub(super) fn close(
        &mut self,
        relative: f64,
        expected: f64,
        got: f64,
        place: impl Fn() -> String,
    ) {
        let agree = expected == got
            || (expected.is_nan() && got.is_nan())
            || (expected - got).abs() <= relative * expected.abs().max(got.abs());
        self.check(agree, || {
            format!("{}: expected {expected}, got {got}", place())
        });
    }

    /// Notes whether something holds.
    pub(super) fn check(&mut self, holds: bool, difference: impl FnOnce() -> String) {
        self.checked += 1;
        if !holds {
            self.found.push(difference());
        }
    }

    /// Fails with the first differences, or if nothing was compared at all.
    pub(super) fn finish(self, name: &str) {
        assert!(self.checked > 0, "{name}: nothing was compared");
        let (found, checked) = (self.found.len(), self.checked);
        let shown = self.found[..found.min(20)].join("\n");
        assert!(found == 0, "{name}: {found} of {checked} differ\n{shown}");
    }
}
