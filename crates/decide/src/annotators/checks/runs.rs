//! One answer many times in a row.
//!
//! The longest run of equal answers, in the order of an annotator's rows, is compared with answers drawn
//! independently for each row. The probability of an honest answer v in a row is at most the largest of three:
//! the annotator's own share of v, the others' share of v for the same systems, and their share for the same
//! item (smoothed by two answers at the own share): good systems and easy items come in blocks. With h_t(v)
//! the largest of them, P(a run of L or more) ≤ Σ_v Σ_s Π h_t(v) over t = s … s + L − 1. Rows of one unit may depend on
//! each other, so that only the first of a unit in s … s + L − 1 has its factor.
//!
//! The share of an annotator who nearly always gives one answer explains any run. Honest people give other answers
//! at least a fifth as often as the others do, so an own share counts for at most 1 − (1 − others' share)/5.
//! Rows sorted by the answer are not in the order of answering, so annotators with such rows are not tested.

use super::{AnnotatorCheckResult, Check, CheckedAnswer, FEWEST};
use foldhash::fast::RandomState;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use tiebreak_base::duel::Arm;

/// Honest people give other answers at least this part as often as the others do.
const VARIED: f64 = 0.2;

/// The number of answers at the own share by which a share is smoothed.
const SMOOTH: f64 = 2.0;

/// A block of rows that honest people answer alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum AnswerBlock {
    Everything,
    /// The same systems, as they were named.
    Systems([Arm; 2]),
    /// The same item; of comparisons also the same systems.
    Item(u32, Option<[Arm; 2]>),
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

/// Counts of answers by block. Nothing iterates over them.
#[derive(Default)]
struct AnswerFrequencies {
    blocks: HashMap<AnswerBlock, BlockTotal, RandomState>,
    /// The number of each answer, by its bits, in each block, by number.
    each: HashMap<(u32, u64), u32, RandomState>,
}

/// The number of a block, and of all answers in it.
#[derive(Clone, Copy)]
struct BlockTotal {
    number: u32,
    answers: u32,
}

impl AnswerFrequencies {
    /// Begins to count the blocks of these answers.
    fn begin(&mut self, rows: &[CheckedAnswer]) {
        for block in rows.iter().flat_map(AnswerBlock::of_row) {
            let number = self.blocks.len() as u32;
            let new = BlockTotal { number, answers: 0 };
            self.blocks.entry(block).or_insert(new);
        }
    }

    /// Counts the answers in blocks that were begun.
    fn count(&mut self, rows: &[CheckedAnswer]) {
        for row in rows {
            for block in AnswerBlock::of_row(row) {
                if let Some(total) = self.blocks.get_mut(&block) {
                    total.answers += 1;
                    let key = (total.number, row.value.to_bits());
                    *self.each.entry(key).or_default() += 1;
                }
            }
        }
    }

    /// The number of answers of a value in a block.
    fn answers(&self, block: BlockTotal, value: u64) -> u32 {
        let each = self.each.get(&(block.number, value));
        each.copied().unwrap_or(0)
    }
}

/// Tests every annotator with enough units, not sorted. Rows by annotator, in order.
pub fn runs(rows: &[impl AsRef<[CheckedAnswer]>]) -> Vec<AnnotatorCheckResult> {
    let enough = rows.iter().map(AsRef::as_ref).enumerate();
    let enough = enough.filter(|(_, rows)| {
        CheckedAnswer::units(rows) >= FEWEST
            && !is_sorted(rows)
            && !CheckedAnswer::have_many_values(rows)
    });
    let tested: Vec<(usize, &[CheckedAnswer])> = enough.collect();
    // Most of many annotators have too few answers, and with them most blocks need no counts.
    let mut all = AnswerFrequencies::default();
    for (_, rows) in &tested {
        all.begin(rows);
    }
    for one in rows {
        all.count(one.as_ref());
    }
    tested
        .into_par_iter()
        .map(|(annotator, rows)| of_one(annotator, rows, &all))
        .collect()
}

impl CheckedAnswer {
    /// The most different answers of somebody tested; a slider from 0 to 100 has 201 in halves.
    pub const MOST_VALUES: usize = 250;

    /// Whether rows have so many different answers that no two in a row are expected to be the same. Each answer has a
    /// probability in each row, so that these would take gigabytes.
    pub fn have_many_values(rows: &[CheckedAnswer]) -> bool {
        let mut values: Vec<u64> = rows.iter().map(|row| row.value.to_bits()).collect();
        values.sort_unstable();
        values.dedup();
        values.len() > CheckedAnswer::MOST_VALUES
    }
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
    all: &AnswerFrequencies,
) -> AnnotatorCheckResult {
    let mut own = AnswerFrequencies::default();
    own.begin(rows);
    own.count(rows);
    let longest = rows
        .chunk_by(|a, b| a.value == b.value)
        .map(<[CheckedAnswer]>::len);
    let longest = longest.max().unwrap_or(0);
    let honest = HonestProbabilities::new(rows, &own, all).of_rows(rows);
    let neighbours = UnitNeighbours::new(rows);
    let bound = |length: usize| neighbours.bound(&honest, length);
    // The longest run whose bound is at most one half is as likely as not. The bound falls with the length.
    let (mut usual, mut rare) = (0, longest);
    while usual + 1 < rare {
        let middle = usual.midpoint(rare);
        match bound(middle) > 0.5 {
            true => usual = middle,
            false => rare = middle,
        }
    }
    AnnotatorCheckResult {
        check: Check::Runs,
        annotator,
        other: None,
        found: longest as u64,
        of: rows.len() as u64,
        expected: rare as f64,
        p: bound(longest).min(1.0),
    }
}

/// For each row, the row of the same unit before it and the one after it.
struct UnitNeighbours {
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
}

impl UnitNeighbours {
    fn new(rows: &[CheckedAnswer]) -> Self {
        let mut last: BTreeMap<u32, usize> = BTreeMap::new();
        let mut before = vec![None; rows.len()];
        let mut after = vec![None; rows.len()];
        for (at, row) in rows.iter().enumerate() {
            before[at] = last.insert(row.unit, at);
            if let Some(earlier) = before[at] {
                after[earlier] = Some(at);
            }
        }
        Self { before, after }
    }

    /// The bound on the probability of a run of `length`, of the values whose ln h are given by row.
    fn bound(&self, honest: &[Vec<f64>], length: usize) -> f64 {
        honest.iter().map(|of| self.bound_of_one(of, length)).sum()
    }

    fn bound_of_one(&self, honest: &[f64], length: usize) -> f64 {
        let is_first = |at: usize, start: usize| self.before[at].is_none_or(|one| one < start);
        let firsts = (0..length).filter(|&at| is_first(at, 0));
        let mut product: f64 = firsts.map(|at| honest[at]).sum();
        let mut bound = product.exp();
        for start in 1..=honest.len() - length {
            let (left, entered) = (start - 1, start + length - 1);
            product -= honest[left];
            if is_first(entered, start) {
                product += honest[entered];
            }
            // The next row of the unit that left is its first now. The row that entered is counted above.
            product += match self.after[left] {
                Some(next) if next < entered => honest[next],
                _ => 0.0,
            };
            bound += product.exp();
        }
        bound
    }
}

/// The probabilities h of an annotator, by their own answers. Most of h is the same in all rows of a block.
struct HonestProbabilities<'a> {
    own: &'a AnswerFrequencies,
    all: &'a AnswerFrequencies,
    values: Vec<u64>,
    /// The annotator's own share of each value.
    habits: Vec<f64>,
}

impl<'a> HonestProbabilities<'a> {
    fn new(rows: &[CheckedAnswer], own: &'a AnswerFrequencies, all: &'a AnswerFrequencies) -> Self {
        let mut values: Vec<u64> = rows.iter().map(|row| row.value.to_bits()).collect();
        values.sort_unstable();
        values.dedup();
        let mut honest = Self {
            own,
            all,
            values,
            habits: Vec::new(),
        };
        let everything = own.blocks[&AnswerBlock::Everything];
        let habit = |(&value, (given, answers)): (&u64, (f64, f64))| {
            let own = f64::from(own.answers(everything, value));
            let habit = own / f64::from(everything.answers);
            match answers > 0.0 {
                true => habit.min(1.0 - VARIED * (1.0 - given / answers)),
                false => habit,
            }
        };
        let of_others = honest.others(AnswerBlock::Everything);
        honest.habits = honest.values.iter().zip(of_others).map(habit).collect();
        honest
    }

    /// For each value, how often others gave it in a block, and how often they answered there.
    fn others(&self, block: AnswerBlock) -> impl Iterator<Item = (f64, f64)> {
        let both = [self.all, self.own].map(|of| (of, of.blocks[&block]));
        let others = |[all, own]: [u32; 2]| f64::from(all - own);
        let answers = others(both.map(|(_, block)| block.answers));
        let given = move |&value: &u64| {
            let given = others(both.map(|(of, block)| of.answers(block, value)));
            (given, answers)
        };
        self.values.iter().map(given)
    }

    /// The smoothed share of each value in a block.
    fn smoothed(&self, block: AnswerBlock) -> Vec<f64> {
        let others = self.others(block).zip(&self.habits);
        let smoothed = |((given, answers), habit): ((f64, f64), &f64)| {
            (given + SMOOTH * habit) / (answers + SMOOTH)
        };
        others.map(smoothed).collect()
    }

    /// ln h by value and row.
    fn of_rows(&self, rows: &[CheckedAnswer]) -> Vec<Vec<f64>> {
        let mut smoothed: HashMap<AnswerBlock, Vec<f64>, RandomState> = HashMap::default();
        let blocks = rows.iter().map(|row| {
            let [_, systems, item] = AnswerBlock::of_row(row);
            [systems, item]
        });
        for block in blocks.clone().flatten() {
            smoothed
                .entry(block)
                .or_insert_with(|| self.smoothed(block));
        }
        let of_rows = blocks.map(|blocks| blocks.map(|block| smoothed[&block].as_slice()));
        let of_rows: Vec<[&[f64]; 2]> = of_rows.collect();
        let of_value = |(at, habit): (usize, &f64)| {
            let honest = of_rows.iter().map(|blocks| {
                let honest = blocks.iter().map(|of| of[at]).fold(*habit, f64::max);
                honest.ln()
            });
            honest.collect()
        };
        self.habits.iter().enumerate().map(of_value).collect()
    }
}
