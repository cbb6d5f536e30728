//! A preference for the side on which an output is shown.
//!
//! Among decided answers to one pair of systems, how often a system is preferred must not depend on whether
//! it is named first. So each annotator's answers are laid out in a 2 × 2 table for every pair of systems
//! (named first or second, preferred or not), and the tables are tested together: Mantel and Haenszel,
//! "Statistical aspects of the analysis of data from retrospective studies of disease", 1959, with a
//! continuity correction of one half, two-sided. Where a pair always has the same order, side and system
//! cannot be told apart.
//!
//! Mantel and Haenszel's variance takes rows as independent. Where units have several rows, the summed differences from
//! what is expected are also tested between units by Student's t, and the larger probability counts.

use super::{AnnotatorCheckResult, Check, CheckedAnswer, FEWEST};
use std::collections::BTreeMap;
use tiebreak_base::duel::Arm;
use tiebreak_base::stats::moments::Moments;
use tiebreak_base::stats::{normal, special};

/// Decided answers to one pair of systems, the lower number being "the system".
#[derive(Default, Clone, Copy)]
struct SideContingencyTable {
    /// The number of answers: named first, named second.
    shown: [u64; 2],
    /// The number of these in which the system was preferred.
    preferred: [u64; 2],
}

/// Tests every annotator with enough answers to pairs that they saw in both orders.
pub fn sides(rows: &[impl AsRef<[CheckedAnswer]>]) -> Vec<AnnotatorCheckResult> {
    let rows = rows.iter().map(AsRef::as_ref).enumerate();
    rows.filter_map(|(annotator, rows)| of_one(annotator, rows))
        .collect()
}

/// Whether any two systems were compared in both orders.
pub fn can_be_told(rows: &[impl AsRef<[CheckedAnswer]>]) -> bool {
    let mut orders: BTreeMap<[Arm; 2], [bool; 2]> = BTreeMap::new();
    let rows = rows.iter().flat_map(AsRef::as_ref);
    for row in rows.filter(|row| row.is_comparison()) {
        orders.entry(pair(row)).or_default()[turned(row)] = true;
    }
    orders.values().any(|seen| *seen == [true; 2])
}

fn of_one(annotator: usize, rows: &[CheckedAnswer]) -> Option<AnnotatorCheckResult> {
    let mut tables: BTreeMap<[Arm; 2], SideContingencyTable> = BTreeMap::new();
    let decided = || {
        let compared = rows.iter().filter(|row| row.is_comparison());
        compared.filter(|row| row.value != 0.5)
    };
    for row in decided() {
        let (table, side) = (tables.entry(pair(row)).or_default(), turned(row));
        table.shown[side] += 1;
        table.preferred[side] += u64::from(prefers_lower(row));
    }
    tables.retain(|_, table| table.shown.iter().all(|&n| n > 0));
    let (mut found, mut of, mut expected, mut variance) = (0, 0, 0.0, 0.0);
    for SideContingencyTable { shown, preferred } in tables.values() {
        let [first, second] = shown.map(|n| n as f64);
        let (n, wins) = (first + second, (preferred[0] + preferred[1]) as f64);
        // The first is preferred where the system is, and where it stands second and is not.
        found += preferred[0] + shown[1] - preferred[1];
        of += shown[0] + shown[1];
        expected += first * wins / n + second * (1.0 - wins / n);
        // The variance of the hypergeometric count; each unit of it moves `found` by two.
        variance += 4.0 * first * second * wins * (n - wins) / (n * n * (n - 1.0).max(1.0));
    }
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for row in decided() {
        if let Some(table) = tables.get(&pair(row)) {
            *sums.entry(row.unit).or_default() += table.difference(row);
        }
    }
    let units = sums.len() as u64;
    let distance = ((found as f64 - expected).abs() - 1.0).max(0.0);
    let by_rows = 2.0 * normal::cdf(-distance / variance.sqrt());
    let by_units = match units < of {
        true => between_units(distance, &sums),
        false => 0.0,
    };
    (units >= FEWEST && variance > 0.0).then(|| AnnotatorCheckResult {
        check: Check::Side,
        annotator,
        other: None,
        found,
        of,
        expected,
        p: by_rows.max(by_units).min(1.0),
    })
}

/// The probability of a sum at least this far from 0, by the scatter of its parts.
fn between_units(distance: f64, sums: &BTreeMap<u32, f64>) -> f64 {
    let parts: Moments = sums.values().copied().collect();
    let variance = parts.sample_variance().unwrap_or(0.0) * parts.count() as f64;
    let t = match variance > 0.0 {
        true => distance / variance.sqrt(),
        false => return 0.0,
    };
    2.0 * special::student_t_above(t, parts.count() as f64 - 1.0)
}

impl SideContingencyTable {
    /// What a row adds to the difference of the number found from that expected, scaled so that independent rows have
    /// the variance of the table.
    fn difference(&self, row: &CheckedAnswer) -> f64 {
        let n = (self.shown[0] + self.shown[1]) as f64;
        let from_mean = |is: bool, count: u64| f64::from(u8::from(is)) - count as f64 / n;
        let shown = from_mean(turned(row) == 0, self.shown[0]);
        let preferred = from_mean(prefers_lower(row), self.preferred[0] + self.preferred[1]);
        2.0 * shown * preferred * (n / (n - 1.0)).sqrt()
    }
}

/// Whether the lower system is preferred.
fn prefers_lower(row: &CheckedAnswer) -> bool {
    (row.value > 0.5) == (turned(row) == 0)
}

fn pair(row: &CheckedAnswer) -> [Arm; 2] {
    let [a, b] = row.systems;
    [a.min(b), a.max(b)]
}

/// The side of the lower system: 0 where it is named first, 1 where second.
fn turned(row: &CheckedAnswer) -> usize {
    usize::from(row.systems[0] > row.systems[1])
}
