//! TER as pyter computes it: a greedy search without limits on blocks, and plain Levenshtein.
//!
//! Source: pyter (arunchaganty's fork, git c8189ca), which Chaganty, Mussmann and Liang ("The price of
//! debiasing automatic metrics", ACL 2018) used. In each round every longest block of words that stands
//! elsewhere in the reference is moved to the place where it begins there; the move that gains most is
//! made, and of several the one whose text comes last in alphabetical order. Words are what white space
//! separates, and case counts. Scores are shares: 1 is an edit per word of the reference.
//!
//! Deviations: where a reference has no words its length is taken to be 1; pyter raises an error.
//! pyter knows one reference; of several the lowest score counts, unless `multi-reference` says
//! otherwise. The search takes time in the fifth power of the length, so texts on which it would take
//! more than some minutes are refused.

use super::{Metric, Segment};
use crate::metrics::MultiReference;
use crate::metrics::by_item::{ReferenceComparison, compare_all};
use crate::text::lcs::Pattern;
use crate::text::whitespace::words;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::Signature;

/// The limit of a search: pairs of equal words, times words of both texts; that takes about a second per round.
const LIMIT: usize = 10_000_000_000;

pub(super) struct Pyter {
    pub(super) multi_reference: MultiReference,
}

impl Metric for Pyter {
    fn signature(&self) -> Signature {
        Signature::new("ter")
            .with("impl", "pyter")
            .with("refs", self.multi_reference.name())
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let rates = PyterRates {
            multi_reference: self.multi_reference,
            references: Vec::new(),
            refused: None,
        };
        compare_all("ter", rates, segments)
    }
}

/// The rates of a text against each reference of its item.
struct PyterRates {
    multi_reference: MultiReference,
    references: Vec<String>,
    /// The number of words of a text that was refused.
    refused: Option<usize>,
}

impl ReferenceComparison for PyterRates {
    fn set_references(&mut self, references: &[String]) {
        self.references = self.multi_reference.considered(references).to_vec();
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let mut rates = Vec::new();
        for reference in &self.references {
            let (text, reference) = numbered(hypothesis, reference);
            let words = text.len();
            match edits(text, &reference) {
                Some(edits) => rates.push(edits as f64 / reference.len().max(1) as f64),
                None => self.refused = Some(words),
            }
        }
        values.push(self.multi_reference.combine(&rates));
    }

    fn refusal(&self) -> Option<Error> {
        self.refused.map(|words| {
            let what = format!("ter: pyter's search would never end on a text of {words} words");
            Error::usage(what).with_hint("leave out implementation=pyter")
        })
    }
}

/// The words of both texts as numbers in alphabetical order.
fn numbered(text: &str, reference: &str) -> (Vec<u32>, Vec<u32>) {
    let mut all: Vec<&str> = words(text).chain(words(reference)).collect();
    all.sort_unstable();
    all.dedup();
    let number = |word| all.partition_point(|&other| other < word) as u32;
    (
        words(text).map(number).collect(),
        words(reference).map(number).collect(),
    )
}

/// The edits that turn `text` into `reference`, unless they are too many to try.
fn edits(mut text: Vec<u32>, reference: &[u32]) -> Option<usize> {
    let mut pattern = Pattern::default();
    pattern.set(reference);
    // Shifts change no word, so the number of pairs stays.
    let tries = equal_pairs(&text, reference).saturating_mul(text.len());
    if tries.saturating_mul(reference.len()) > LIMIT {
        return None;
    }
    let mut distance = pattern.distance(&text);
    let mut shifts = 0;
    loop {
        let blocks = blocks(&text, reference).into_iter();
        let shifted = blocks.map(|block| {
            let shifted = block.shifted(&text);
            (pattern.distance(&shifted), shifted)
        });
        let best = shifted
            .min_by(|(one, text), (other, another)| one.cmp(other).then_with(|| another.cmp(text)));
        match best {
            Some((nearer, shifted)) if nearer < distance => {
                (distance, text) = (nearer, shifted);
                shifts += 1;
            }
            _ => return Some(shifts + distance),
        }
    }
}

/// A block of words that stands in the reference too, somewhere else.
struct ShiftBlock {
    start: usize,
    length: usize,
    /// The position in the reference where it begins.
    target: usize,
}

/// The number of pairs of equal words.
fn equal_pairs(text: &[u32], reference: &[u32]) -> usize {
    let words = text.iter().max().map_or(0, |&word| word as usize + 1);
    let mut counts = vec![0; words];
    for &word in text {
        counts[word as usize] += 1;
    }
    let found = reference
        .iter()
        .filter_map(|&word| counts.get(word as usize));
    found.sum()
}

/// For every pair of equal words at unlike positions, the longest block that they begin.
fn blocks(text: &[u32], reference: &[u32]) -> Vec<ShiftBlock> {
    let mut found = Vec::new();
    // By position in the reference, the length of the block that begins there and at the word after
    // this one of the text.
    let mut lengths = vec![0; reference.len() + 1];
    for (start, word) in text.iter().enumerate().rev() {
        for target in 0..reference.len() {
            lengths[target] = if *word == reference[target] {
                lengths[target + 1] + 1
            } else {
                0
            };
            if lengths[target] > 0 && target != start {
                found.push(ShiftBlock {
                    start,
                    length: lengths[target],
                    target,
                });
            }
        }
    }
    found
}

impl ShiftBlock {
    /// Returns the text with the block taken out, and put where it begins in the reference or at the end.
    fn shifted(&self, text: &[u32]) -> Vec<u32> {
        let (before, rest) = text.split_at(self.start);
        let (block, after) = rest.split_at(self.length);
        let mut shifted = [before, after].concat();
        let target = self.target.min(shifted.len());
        shifted.splice(target..target, block.iter().copied());
        shifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str, reference: &str) -> f64 {
        let (text, reference) = numbered(text, reference);
        edits(text, &reference).unwrap() as f64 / reference.len() as f64
    }

    #[test]
    fn pyters_own_example() {
        let reference =
            "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times";
        let text = "THIS WEEK THE SAUDIS denied information published in the new york times";
        assert_eq!(rate(text, reference), 4.0 / 13.0);
    }

    #[test]
    fn a_block_of_any_length_moves_any_distance() {
        let words: Vec<String> = (0..120).map(|n| format!("w{n}")).collect();
        let turned = [&words[100..], &words[..100]].concat().join(" ");
        assert_eq!(rate(&turned, &words.join(" ")), 1.0 / 120.0);
    }

    #[test]
    fn a_search_without_end_is_refused() {
        let same = vec!["a"; 20_000].join(" ");
        let (text, reference) = numbered(&same, &format!("b {same}"));
        assert_eq!(edits(text, &reference), None);
    }
}
