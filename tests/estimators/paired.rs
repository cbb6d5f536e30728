//! The exact interval of paired proportions in every cell of an enumeration, and its width beside Tango's.

use super::tango;
use tiebreak::stats::melded::PairedCounts;
use tiebreak::stats::quantiles;

const Z: f64 = 1.959_963_984_540_054;

/// The intervals of all counts of n items of which at most so many differ, by those of the first and of the second.
fn intervals(n: u64, most: u64) -> Vec<Vec<(f64, f64)>> {
    let counts = |a: u64, b: u64| PairedCounts {
        only_first: a,
        only_second: b,
        n,
    };
    let mut all: Vec<Vec<(f64, f64)>> = Vec::new();
    for a in 0..=most {
        // Those with the sides exchanged are mirrored.
        let row = (0..=most - a).map(|b| match b < a {
            true => {
                let (lower, upper) = all[b as usize][a as usize];
                (-upper, -lower)
            }
            false => counts(a, b).ends(0.025),
        });
        let row = row.collect();
        all.push(row);
    }
    all
}

/// The chances of counts, by the logarithms of factorials.
fn chance(factorials: &[f64], (a, b, n): (u64, u64, u64), (first, second): (f64, f64)) -> f64 {
    let power = |k: u64, p: f64| if k == 0 { 0.0 } else { k as f64 * p.ln() };
    let rest = n - a - b;
    let ways = factorials[n as usize]
        - factorials[a as usize]
        - factorials[b as usize]
        - factorials[rest as usize];
    (ways + power(a, first) + power(b, second) + power(rest, 1.0 - first - second)).exp()
}

#[test]
fn no_difference_is_missed_more_often_than_promised_at_little_more_width_than_tangos() {
    assert!((quantiles::normal(0.975).unwrap() - Z).abs() < 1e-12);
    for (n, most) in [(10_u64, 10_u64), (30, 30), (100, 60)] {
        let ends = intervals(n, most);
        let factorials: Vec<f64> = (0..=n)
            .scan(0.0, |sum, k| {
                *sum += (k.max(1) as f64).ln();
                Some(*sum)
            })
            .collect();
        let grid = [0.01, 0.05, 0.1, 0.2, 0.35, 0.6, 0.9];
        for &differing in grid.iter().filter(|&&share| n < 100 || share < 0.4) {
            for ahead in [0.5, 0.6, 0.75, 0.9, 1.0] {
                let shares = (differing * ahead, differing * (1.0 - ahead));
                let truth = shares.0 - shares.1;
                let (mut covered, mut width, mut by_tango) = (0.0, 0.0, 0.0);
                for (a, row) in (0..).zip(&ends) {
                    for (b, &(lower, upper)) in (0..).zip(row) {
                        let chance = chance(&factorials, (a, b, n), shares);
                        let holds = lower - 1e-12 <= truth && truth <= upper + 1e-12;
                        covered += if holds { chance } else { 0.0 };
                        if chance > 1e-6 {
                            let counts = PairedCounts {
                                only_first: a,
                                only_second: b,
                                n,
                            };
                            let (low, high) = tango::limits(&counts, Z);
                            width += chance * (upper - lower);
                            by_tango += chance * (high - low);
                        }
                    }
                }
                assert!(covered >= 0.95 - 1e-6, "{n} items, {shares:?}: {covered}");
                // Where nearly all items that differ speak for one system, Tango's covers down to .93.
                let most = if ahead > 0.8 { 1.35 } else { 1.2 };
                assert!(
                    width <= most * by_tango,
                    "{n} items, {shares:?}: {width} {by_tango}"
                );
            }
        }
    }
}
