//! Where a condition begins to hold.

/// The place between two from which on a condition holds, to a share of 2⁻³⁶ of their distance; `None` where it does not
/// hold at the high end. (The low end may be the larger number.)
pub fn bisected(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    if !holds(high) {
        return None;
    }
    let (mut fails, mut enough) = (low, high);
    for _ in 0..36 {
        let middle = 0.5 * (fails + enough);
        match holds(middle) {
            true => enough = middle,
            false => fails = middle,
        }
    }
    Some(enough)
}
