//! ROUGE-W: common subsequences in which an unbroken run of k words counts kʷ (section 4 of
//! Lin 2004, with f(k) = kʷ).
//!
//! As in ROUGE-1.5.5, runs are followed along the reference only where hits are counted, and a run
//! whose last word has no occurrence to spare is not closed: its words count with the next run, or
//! not at all if there is none.

use super::union_subsequence::Subsequence;
use crate::text::lcs::Pattern;

pub(super) struct WeightedSubsequence {
    weight: f64,
    /// The powers kʷ, by k.
    powers: Vec<f64>,
    /// The way back from a mismatch, row by row, a bit per column: whether it is up.
    up: Vec<u64>,
}

impl WeightedSubsequence {
    pub(super) fn new(weight: f64) -> Self {
        Self {
            weight,
            powers: vec![0.0],
            up: Vec::new(),
        }
    }

    /// Fills in `up` for all prefixes of `line` (rows) and `other` (columns).
    fn fill(&mut self, line: &[u32], other: &[u32]) {
        for k in self.powers.len()..=line.len().min(other.len()) {
            self.powers.push((k as f64).powf(self.weight));
        }
        let width = other.len() + 1;
        self.up.clear();
        self.up.resize(line.len() * width.div_ceil(64), 0);
        // Costs, and lengths of the runs that end here, of the row above and of this one.
        let (mut above, mut row) = (vec![0.0; width], vec![0.0; width]);
        let (mut runs_above, mut runs) = (vec![0; width], vec![0; width]);
        let bits = self.up.chunks_exact_mut(width.div_ceil(64));
        for (&symbol, bits) in line.iter().zip(bits) {
            for j in 1..width {
                if symbol == other[j - 1] {
                    let run: usize = runs_above[j - 1];
                    // In the order of the program: other orders round otherwise and move ties.
                    row[j] = above[j - 1] + self.powers[run + 1] - self.powers[run];
                    runs[j] = run + 1;
                } else {
                    let up = above[j] >= row[j - 1];
                    bits[j / 64] |= u64::from(up) << (j % 64);
                    row[j] = if up { above[j] } else { row[j - 1] };
                    runs[j] = 0;
                }
            }
            std::mem::swap(&mut above, &mut row);
            std::mem::swap(&mut runs_above, &mut runs);
        }
    }
}

impl Subsequence for WeightedSubsequence {
    fn positions(&mut self, line: &mut Pattern, other: &[u32], mut mark: impl FnMut(usize)) {
        let line = line.symbols();
        self.fill(line, other);
        let words = (other.len() + 1).div_ceil(64);
        let (mut i, mut j) = (line.len(), other.len());
        while i > 0 && j > 0 {
            if line[i - 1] == other[j - 1] {
                mark(i - 1);
                (i, j) = (i - 1, j - 1);
            } else if self.up[(i - 1) * words + j / 64] >> (j % 64) & 1 == 1 {
                i -= 1;
            } else {
                j -= 1;
            }
        }
    }

    fn line(&self, length: usize) -> f64 {
        (length as f64).powf(self.weight)
    }

    fn hits(&self, marks: &[bool], hits: impl Iterator<Item = bool>) -> f64 {
        let (mut sum, mut run) = (0.0, 0);
        for (at, hit) in hits.enumerate() {
            run += usize::from(hit);
            let ends = !marks.get(at + 1).copied().unwrap_or(false);
            if hit && ends {
                sum += self.line(run);
                run = 0;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(marks: &[bool], hits: &[bool]) -> f64 {
        WeightedSubsequence::new(2.0).hits(marks, hits.iter().copied())
    }

    #[test]
    fn runs_count_the_power_of_their_length() {
        assert_eq!(
            hits(&[true, true, false, true], &[true, true, false, true]),
            5.0
        );
        assert_eq!(hits(&[], &[]), 0.0);
    }

    #[test]
    fn a_run_whose_last_word_is_no_hit_goes_on_in_the_next() {
        let marks = [true, true, false, true];
        assert_eq!(hits(&marks, &[true, false, false, true]), 4.0);
        assert_eq!(hits(&marks, &[true, false, false, false]), 0.0);
    }

    #[test]
    fn of_two_subsequences_the_one_that_weighs_more_is_marked() {
        // "2 3" in a row, rather than "1".
        let mut line = Pattern::default();
        line.set(&[1, 2, 3]);
        let mut found = Vec::new();
        WeightedSubsequence::new(1.5).positions(&mut line, &[2, 3, 9, 1], |at| found.push(at));
        assert_eq!(found, [2, 1]);
    }
}
