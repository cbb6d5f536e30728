//! Tango's interval for a difference of paired proportions (Statistics in Medicine 1998), as an oracle.

use tiebreak::stats::paired_proportions::PairedCounts;

/// The score statistic of a difference.
pub(crate) fn statistic(counts: &PairedCounts, delta: f64) -> f64 {
    let [b, c, n] = [counts.only_first, counts.only_second, counts.n].map(|count| count as f64);
    let linear = -b - c + (2.0 * n - b + c) * delta;
    let constant = -c * delta * (1.0 - delta);
    let root = (linear * linear - 8.0 * n * constant).max(0.0).sqrt();
    let second = (root - linear) / (4.0 * n);
    let variance = n * (2.0 * second + delta * (1.0 - delta));
    let distance = b - c - n * delta;
    match variance > 1e-14 {
        true => distance / variance.sqrt(),
        false if distance.abs() < 1e-12 => 0.0,
        false => f64::INFINITY.copysign(distance),
    }
}

/// The limits at a standard normal quantile.
pub(crate) fn limits(counts: &PairedCounts, z: f64) -> (f64, f64) {
    let cross = |mut low: f64, mut high: f64, level: f64| {
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            match statistic(counts, middle) > level {
                true => low = middle,
                false => high = middle,
            }
        }
        0.5 * (low + high)
    };
    let estimate = counts.difference();
    (cross(-1.0, estimate, z), cross(estimate, 1.0, -z))
}
