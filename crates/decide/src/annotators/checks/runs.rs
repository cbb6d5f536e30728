//! One answer many times in a row.
//!
//! The longest run of equal answers, in the order of an annotator's rows, is compared with answers drawn
//! independently for each row. The probability of an honest answer v in a row is at most the largest of three:
//! the annotator's own share of v, the others' share of v for the same systems, and their share for the same
//! item (smoothed by two answers at the own share): good systems and easy items come in blocks. With h_t(v)
//! the largest of them, P(a run of L or more) ≤ Σ_v Σ_s Π h_t(v) over t = s … s + L − 1.
//!
//! The share of an annotator who nearly always gives one answer explains any run. Honest people give other answers
//! at least a fifth as often as the others do, so an own share counts for at most 1 − (1 − others' share)/5.
//! Rows sorted by the answer are not in the order of answering, so annotators with such rows are not tested.

use super::{AnnotatorCheckResult, Check, CheckedAnswer, FEWEST};
use std::collections::BTreeMap;

/// Honest people give other answers at least this part as often as the others do.
const VARIED: f64 = 0.2;

/// The number of answers at the own share by which a share is smoothed.
const SMOOTH: f64 = 2.0;

/// Counts of each answer, by its bits, and of all answers.
#[derive(Default, Clone)]
struct AnswerFrequencies {
    each: BTreeMap<u64, f64>,
    all: f64,
}

impl AnswerFrequencies {
    fn push(&mut self, value: f64) {
        *self.each.entry(value.to_bits()).or_default() += 1.0;
        self.all += 1.0;
    }

    fn count(&self, value: u64) -> f64 {
        self.each.get(&value).copied().unwrap_or(0.0)
    }
}

/// A block of rows that honest people answer alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AnswerBlock {
    Everything,
    /// The same systems, as they were named.
    Systems([usize; 2]),
    /// The same item; of comparisons also the same systems.
    Item(usize, Option<[usize; 2]>),
}

impl AnswerBlock {
    fn of_row(row: &CheckedAnswer) -> [Self; 3] {
        let systems = row.is_comparison().then_some(row.systems);
        [
            Self::Everything,
            Self::Systems(row.systems),
            Self::Item(row.item, systems),
        ]
    }
}

type BlockFrequencies = BTreeMap<AnswerBlock, AnswerFrequencies>;

fn blocks(rows: &[CheckedAnswer]) -> BlockFrequencies {
    let mut blocks = BlockFrequencies::new();
    for row in rows {
        for block in AnswerBlock::of_row(row) {
            blocks.entry(block).or_default().push(row.value);
        }
    }
    blocks
}

/// Tests every annotator with enough answers, not sorted. Rows by annotator, in order.
pub fn runs(rows: &[Vec<CheckedAnswer>]) -> Vec<AnnotatorCheckResult> {
    let all = blocks(&rows.concat());
    let enough = rows.iter().enumerate();
    let enough = enough.filter(|(_, rows)| rows.len() as u64 >= FEWEST && !is_sorted(rows));
    enough
        .map(|(annotator, rows)| of_one(annotator, rows, &all))
        .collect()
}

/// Whether rows with different answers are in the order of the answers.
fn is_sorted(rows: &[CheckedAnswer]) -> bool {
    let values = || rows.iter().map(|row| row.value);
    let varies = values().any(|value| value != rows[0].value);
    varies && (values().is_sorted() || values().rev().is_sorted())
}

fn of_one(
    annotator: usize,
    rows: &[CheckedAnswer],
    all: &BlockFrequencies,
) -> AnnotatorCheckResult {
    let own = blocks(rows);
    let longest = rows
        .chunk_by(|a, b| a.value == b.value)
        .map(<[CheckedAnswer]>::len);
    let longest = longest.max().unwrap_or(0);
    let sums = HonestProbabilities::new(&own, all).sums(rows);
    // The longest run whose bound is at most one half is as likely as not.
    let usual = (1..longest).find(|&length| bound(&sums, length) <= 0.5);
    AnnotatorCheckResult {
        check: Check::Runs,
        annotator,
        other: None,
        found: longest as u64,
        of: rows.len() as u64,
        expected: usual.unwrap_or(longest) as f64,
        p: bound(&sums, longest).min(1.0),
    }
}

/// The bound on the probability of a run of `length`.
fn bound(sums: &[Vec<f64>], length: usize) -> f64 {
    let windows = sums.iter().flat_map(|sums| {
        let starts = sums.iter().zip(&sums[length..]);
        starts.map(|(before, after)| (after - before).exp())
    });
    windows.sum()
}

/// The probabilities h of an annotator, by their own answers. Most of h is the same in all rows of a block.
struct HonestProbabilities<'a> {
    own: &'a BlockFrequencies,
    all: &'a BlockFrequencies,
    values: Vec<u64>,
    /// The annotator's own share of each value.
    habits: Vec<f64>,
}

impl<'a> HonestProbabilities<'a> {
    fn new(own: &'a BlockFrequencies, all: &'a BlockFrequencies) -> Self {
        let everything = &own[&AnswerBlock::Everything];
        let mut honest = Self {
            own,
            all,
            values: everything.each.keys().copied().collect(),
            habits: Vec::new(),
        };
        let of_others = honest.others(&AnswerBlock::Everything);
        let habit = |(own, (given, answers)): (&f64, (f64, f64))| {
            let habit = own / everything.all;
            match answers > 0.0 {
                true => habit.min(1.0 - VARIED * (1.0 - given / answers)),
                false => habit,
            }
        };
        honest.habits = everything.each.values().zip(of_others).map(habit).collect();
        honest
    }

    /// For each value, how often others gave it in a block, and how often they answered there.
    fn others(&self, block: &AnswerBlock) -> Vec<(f64, f64)> {
        let (all, own) = (&self.all[block], &self.own[block]);
        let answers = all.all - own.all;
        let given = |&value: &u64| (all.count(value) - own.count(value), answers);
        self.values.iter().map(given).collect()
    }

    /// The smoothed share of each value in a block.
    fn smoothed(&self, block: &AnswerBlock) -> Vec<f64> {
        let others = self.others(block).into_iter().zip(&self.habits);
        let smoothed = |((given, answers), habit): ((f64, f64), &f64)| {
            (given + SMOOTH * habit) / (answers + SMOOTH)
        };
        others.map(smoothed).collect()
    }

    /// The running sums of ln h, by value.
    fn sums(&self, rows: &[CheckedAnswer]) -> Vec<Vec<f64>> {
        let blocks = self
            .own
            .keys()
            .filter(|block| **block != AnswerBlock::Everything);
        let smoothed: BTreeMap<&AnswerBlock, Vec<f64>> =
            blocks.map(|block| (block, self.smoothed(block))).collect();
        let of_rows: Vec<[&[f64]; 2]> = rows
            .iter()
            .map(|row| {
                let [_, systems, item] = AnswerBlock::of_row(row);
                [systems, item].map(|block| smoothed[&block].as_slice())
            })
            .collect();
        let of_value = |(at, habit): (usize, &f64)| {
            let mut sum = 0.0;
            let running = of_rows.iter().map(|blocks| {
                let honest = blocks.iter().map(|of| of[at]).fold(*habit, f64::max);
                sum += honest.ln();
                sum
            });
            std::iter::once(0.0).chain(running).collect()
        };
        self.habits.iter().enumerate().map(of_value).collect()
    }
}
