//! Answers too fast for anyone to have read the outputs.
//!
//! An answer is too fast if it took less than a sixth of what the others usually take (the median of their
//! medians, for two others at least), or less than the time to read the shorter text at 100 characters a
//! second: some 1,000 words a minute, four times what people read. Single fast answers are slips; the check
//! reports annotators with more than half of their answers too fast, by the exact test of a share of one half.

use super::{AnnotatorCheckResult, Check, CheckedAnswer, FEWEST};
use tiebreak_base::stats::{binomial, quantiles};

/// An answer in less than this part of the others' time is too fast.
const QUICK: f64 = 1.0 / 6.0;

/// The characters a second above which no one reads.
const READ: f64 = 100.0;

/// The fewest other annotators whose times define what is usual.
const OTHERS: usize = 2;

/// Tests every annotator with enough times.
pub fn speed(rows: &[Vec<CheckedAnswer>]) -> Vec<AnnotatorCheckResult> {
    let median = |rows: &Vec<CheckedAnswer>| {
        let times = rows
            .iter()
            .filter_map(|row| row.seconds)
            .collect::<Vec<_>>();
        quantiles::median(times).filter(|_| timed(rows) >= FEWEST)
    };
    let medians: Vec<Option<f64>> = rows.iter().map(median).collect();
    let counted = rows.iter().enumerate().map(|(annotator, rows)| {
        let others = medians.iter().enumerate();
        let others = others.filter(|&(other, _)| other != annotator);
        let others: Vec<f64> = others.filter_map(|(_, median)| *median).collect();
        let usual = (others.len() >= OTHERS)
            .then(|| quantiles::median(others))
            .flatten();
        count(rows, usual)
    });
    let counted: Vec<[u64; 2]> = counted.collect();
    let [all_found, all] = counted.iter().fold([0, 0], |[a, b], [x, y]| [a + x, b + y]);
    let enough = counted
        .iter()
        .enumerate()
        .filter(|(_, [_, of])| *of >= FEWEST);
    let tested = enough.map(|(annotator, &[found, of])| AnnotatorCheckResult {
        check: Check::Speed,
        annotator,
        other: None,
        found,
        of,
        expected: (all_found - found) as f64 / (all - of).max(1) as f64 * of as f64,
        p: binomial::at_least(found, of, 0.5),
    });
    tested.collect()
}

/// The number of answers that were too fast, and of those whose speed can be judged.
fn count(rows: &[CheckedAnswer], usual: Option<f64>) -> [u64; 2] {
    let (mut found, mut of) = (0, 0);
    for row in rows {
        let reading = row.characters.map(|characters| characters as f64 / READ);
        let limits = [reading, usual.map(|usual| QUICK * usual)];
        let limit = limits.into_iter().flatten().reduce(f64::max);
        if let (Some(seconds), Some(limit)) = (row.seconds, limit) {
            of += 1;
            found += u64::from(seconds < limit);
        }
    }
    [found, of]
}

fn timed(rows: &[CheckedAnswer]) -> u64 {
    rows.iter().filter(|row| row.seconds.is_some()).count() as u64
}
