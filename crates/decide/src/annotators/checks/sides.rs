//! A preference for the side on which an output is shown.
//!
//! Among decided answers to one pair of systems, how often a system is preferred must not depend on whether
//! it is named first. So each annotator's answers are laid out in a 2 × 2 table for every pair of systems
//! (named first or second, preferred or not), and the tables are tested together: Mantel and Haenszel,
//! "Statistical aspects of the analysis of data from retrospective studies of disease", 1959, with a
//! continuity correction of one half, two-sided. Where a pair always has the same order, side and system
//! cannot be told apart.

use super::{AnnotatorCheckResult, Check, CheckedAnswer, FEWEST};
use std::collections::BTreeMap;
use tiebreak_base::stats::normal;

/// Decided answers to one pair of systems, the lower number being "the system".
#[derive(Default, Clone, Copy)]
struct SideContingencyTable {
    /// The number of answers: named first, named second.
    shown: [u64; 2],
    /// The number of these in which the system was preferred.
    preferred: [u64; 2],
}

/// Tests every annotator with enough answers to pairs that they saw in both orders.
pub fn sides(rows: &[Vec<CheckedAnswer>]) -> Vec<AnnotatorCheckResult> {
    let tested = |(annotator, rows): (usize, &Vec<CheckedAnswer>)| of_one(annotator, rows);
    rows.iter().enumerate().filter_map(tested).collect()
}

/// Whether any two systems were compared in both orders.
pub fn can_be_told(rows: &[Vec<CheckedAnswer>]) -> bool {
    let mut orders: BTreeMap<[usize; 2], [bool; 2]> = BTreeMap::new();
    for row in rows.iter().flatten().filter(|row| row.is_comparison()) {
        orders.entry(pair(row)).or_default()[turned(row)] = true;
    }
    orders.values().any(|seen| *seen == [true; 2])
}

fn of_one(annotator: usize, rows: &[CheckedAnswer]) -> Option<AnnotatorCheckResult> {
    let mut tables: BTreeMap<[usize; 2], SideContingencyTable> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| row.is_comparison() && row.value != 0.5)
    {
        let (table, side) = (tables.entry(pair(row)).or_default(), turned(row));
        table.shown[side] += 1;
        table.preferred[side] += u64::from((row.value > 0.5) == (side == 0));
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
    let distance = ((found as f64 - expected).abs() - 1.0).max(0.0);
    (of >= FEWEST && variance > 0.0).then(|| AnnotatorCheckResult {
        check: Check::Side,
        annotator,
        other: None,
        found,
        of,
        expected,
        p: (2.0 * normal::cdf(-distance / variance.sqrt())).min(1.0),
    })
}

fn pair(row: &CheckedAnswer) -> [usize; 2] {
    let [a, b] = row.systems;
    [a.min(b), a.max(b)]
}

/// The side of the lower system: 0 where it is named first, 1 where second.
fn turned(row: &CheckedAnswer) -> usize {
    usize::from(row.systems[0] > row.systems[1])
}
