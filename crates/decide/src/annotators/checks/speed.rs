//! Answers too fast for anyone to have read the outputs.
//!
//! An answer is too fast if it took less than a sixth of what the others usually take (the median of their
//! medians, for two others at least), or less than four tenths of a second for each text and the time to read the
//! shorter one at 100 Latin characters a second. English readers manage some 24 (238 words a minute; most
//! people 175 to 300), and there is no faster way of reading: Brysbaert, "How many words do we read per minute? A
//! review and meta-analysis of reading rate", 2019. Han characters count three times, kana and hangul
//! syllables twice: read aloud, texts of the same content take 255 characters a minute in Chinese, 357 in
//! Japanese and some 880 in alphabets (68 ms each): Trauzettel-Klosinski and Dietz, "Standardized assessment of reading
//! performance: the new International Reading Speed Texts IReST", 2012. So the limit is four times what people read in
//! any script. To tell a word from a string of letters alone takes longer than four tenths of a second.
//!
//! A unit is too fast if more than half of its answers are. Single fast answers are slips; the check reports annotators
//! with more than half of their units too fast, by the exact test of a share of one half. It needs no others, so that
//! everybody can be found; [`CheckedAnswer::are_batched`] says where the clock is the likelier reason.

use super::{AnnotatorCheckResult, Check, CheckedAnswer, FEWEST};
use std::collections::BTreeMap;
use tiebreak_base::stats::{binomial, quantiles};

/// An answer in less than this part of the others' time is too fast.
const QUICK: f64 = 1.0 / 6.0;

/// The Latin characters a second above which no one reads.
const READ: f64 = 100.0;

/// The seconds that each text takes at least, however short.
const GLANCE: f64 = 0.4;

/// The fewest other annotators whose times define what is usual.
const OTHERS: usize = 2;

/// Returns the length of a text in Latin characters that take as long to read.
pub fn reading_length(text: &str) -> u32 {
    if text.is_ascii() {
        return text.len() as u32;
    }
    let weight = |character: char| match character {
        // CJK ideographs with their extensions and compatibility forms.
        '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => 3,
        // Hiragana, katakana and hangul syllables.
        '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ac00}'..='\u{d7a3}' => 2,
        _ => 1,
    };
    text.chars().map(weight).sum()
}

/// Tests every annotator with enough timed units.
pub fn speed(rows: &[impl AsRef<[CheckedAnswer]>]) -> Vec<AnnotatorCheckResult> {
    let timed = rows.iter().map(|rows| {
        let timed = rows.as_ref().iter().filter(|row| row.seconds.is_some());
        timed.copied().collect()
    });
    let timed: Vec<Vec<CheckedAnswer>> = timed.collect();
    let median = |rows: &Vec<CheckedAnswer>| {
        let times = rows.iter().filter_map(|row| row.seconds);
        quantiles::median(times.collect()).filter(|_| CheckedAnswer::units(rows) >= FEWEST)
    };
    let medians: Vec<Option<f64>> = timed.iter().map(median).collect();
    let mut sorted: Vec<f64> = medians.iter().copied().flatten().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let counted = timed.iter().zip(&medians);
    let counted = counted.map(|(rows, own)| count(rows, median_of_others(&sorted, *own)));
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

/// The median of sorted medians without an annotator's own, if they have one; `None` with too few others.
fn median_of_others(sorted: &[f64], own: Option<f64>) -> Option<f64> {
    let place = own.map(|own| sorted.partition_point(|&median| median < own));
    let others = sorted.len() - usize::from(place.is_some());
    let at = |at: usize| sorted[at + usize::from(place.is_some_and(|place| place <= at))];
    // As `quantiles::median` has it, to the bit.
    (others >= OTHERS).then(|| {
        let [low, high] = [at((others - 1) / 2), at(others / 2)];
        low + 0.5 * (high - low)
    })
}

/// The number of units that were too fast, and of those whose speed can be judged.
fn count(rows: &[CheckedAnswer], usual: Option<f64>) -> [u64; 2] {
    let mut units: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for row in rows {
        let texts = if row.is_comparison() { 2.0 } else { 1.0 };
        let reading = row
            .to_read
            .map(|length| GLANCE * texts + f64::from(length) / READ);
        let limits = [reading, usual.map(|usual| QUICK * usual)];
        let limit = limits.into_iter().flatten().reduce(f64::max);
        if let (Some(seconds), Some(limit)) = (row.seconds, limit) {
            let [found, of] = units.entry(row.unit).or_default();
            *of += 1;
            *found += u64::from(seconds < limit);
        }
    }
    let fast = units.values().filter(|[found, of]| 2 * found > *of);
    [fast.count() as u64, units.len() as u64]
}

impl CheckedAnswer {
    /// Whether an annotator's times look like those of batches rather than of answers: most are whole seconds, or most
    /// repeat the time of the unit before. One and the same time throughout is no batch: scripts answer so.
    pub fn are_batched(rows: &[CheckedAnswer]) -> bool {
        let units = rows.chunk_by(|a, b| a.unit == b.unit);
        let times: Vec<f64> = units.filter_map(|unit| unit[0].seconds).collect();
        let are_most = |count: usize| 2 * count > times.len();
        let whole = times.iter().filter(|time| time.fract() == 0.0).count();
        let repeated = times.windows(2).filter(|two| two[0] == two[1]).count();
        are_most(whole) || are_most(repeated) && repeated + 1 < times.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn the_median_of_others_is_that_of_a_list_without_ones_own() {
        let mut rng = Seed(4).stream("test", 0);
        for n in 0..40 {
            let all: Vec<f64> = (0..n).map(|_| 0.1 + rng.below(9) as f64 / 3.0).collect();
            let mut sorted = all.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            for left_out in 0..=n {
                let mut others = all.clone();
                let own = (left_out < n).then(|| others.remove(left_out));
                let expected = (others.len() >= OTHERS).then(|| quantiles::median(others));
                assert_eq!(
                    median_of_others(&sorted, own),
                    expected.flatten(),
                    "{all:?}"
                );
            }
        }
    }
}
