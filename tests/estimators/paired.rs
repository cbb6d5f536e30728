//! The exact interval of paired proportions in every cell of an enumeration, and its width beside Tango's.

use super::tango;
use tiebreak::stats::paired_proportions::PairedCounts;
use tiebreak::stats::quantiles;

type Ends = (f64, f64);

/// The intervals of all counts of n items of which at most so many differ, by those of the first and of the second: the
/// exact ones, and Tango's.
fn intervals(n: u64, most: u64, level: f64) -> Vec<Vec<[Ends; 2]>> {
    let z = quantiles::normal(1.0 - level).unwrap();
    let mut all: Vec<Vec<[Ends; 2]>> = Vec::new();
    for a in 0..=most {
        // Those with the sides exchanged are mirrored.
        let row = (0..=most - a).map(|b| match b < a {
            true => all[b as usize][a as usize].map(|(lower, upper)| (-upper, -lower)),
            false => {
                let counts = PairedCounts {
                    only_first: a,
                    only_second: b,
                    n,
                };
                [counts.ends(level), tango::limits(&counts, z)]
            }
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
    let (mut cells, mut missed_by_tango) = (0, 0);
    for (n, most, level, widest) in [
        (10_u64, 10_u64, 0.025, 1.19),
        (30, 30, 0.025, 1.13),
        (100, 60, 0.025, 1.095),
        (10, 10, 0.05, 1.22),
        (30, 30, 0.0005, 1.11),
    ] {
        let ends = intervals(n, most, level);
        let factorials: Vec<f64> = (0..=n)
            .scan(0.0, |sum, k| {
                *sum += (k.max(1) as f64).ln();
                Some(*sum)
            })
            .collect();
        let grid = [0.01, 0.05, 0.1, 0.2, 0.35, 0.6, 0.9, 0.99];
        for &differing in grid.iter().filter(|&&share| n < 100 || share < 0.4) {
            for ahead in [0.5, 0.6, 0.75, 0.9, 1.0] {
                let shares = (differing * ahead, differing * (1.0 - ahead));
                let truth = shares.0 - shares.1;
                let (mut covered, mut width) = ([0.0; 2], [0.0; 2]);
                for (a, row) in (0..).zip(&ends) {
                    for (b, both) in (0..).zip(row) {
                        let chance = chance(&factorials, (a, b, n), shares);
                        for (at, &(lower, upper)) in both.iter().enumerate() {
                            let holds = lower - 1e-12 <= truth && truth <= upper + 1e-12;
                            covered[at] += if holds { chance } else { 0.0 };
                            width[at] += chance * (upper - lower);
                        }
                    }
                }
                let promised = 1.0 - 2.0 * level - 1e-6;
                assert!(covered[0] >= promised, "{n} items, {shares:?}: {covered:?}");
                assert!(
                    width[0] <= widest * width[1],
                    "{n} items, {shares:?}: {width:?}"
                );
                cells += 1;
                missed_by_tango += usize::from(covered[1] < promised);
            }
        }
    }
    // An interval that is only near enough would be found out.
    assert!(10 * missed_by_tango > cells, "{missed_by_tango} of {cells}");
}
