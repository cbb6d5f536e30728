//! Error rates by words against slow obvious versions.

use super::texts::items;
use super::{metric, score};
use tiebreak::rng::Seed;
use tiebreak::text::lcs::Pattern;

/// The table of dynamic programming.
fn distance<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let best = (corner + usize::from(a != b))
                .min(row[j] + 1)
                .min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = best;
        }
    }
    row[other.len()]
}

#[test]
fn distances_are_levenshteins() {
    for index in 0..400 {
        let mut rng = Seed(3).stream("distances", index);
        let symbols = 1 + rng.below(6);
        let mut sequence = |longest| -> Vec<u32> {
            let length = rng.below(longest);
            (0..length).map(|_| rng.below(symbols) as u32).collect()
        };
        let (one, other) = (sequence(200), sequence(200));
        let mut pattern = Pattern::default();
        pattern.set(&one);
        assert_eq!(pattern.distance(&other), distance(&one, &other), "{index}");
    }
}

#[test]
fn wer_is_its_definition() {
    let (all, first) = (metric("wer"), metric("wer:multi-reference=first"));
    for (text, references) in items("wer", 200) {
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_string).collect() };
        let rate = |reference: &String| {
            let reference = words(reference);
            100.0 * (distance(&words(&text), &reference) as f64 / reference.len().max(1) as f64)
        };
        let rates: Vec<f64> = references.iter().map(rate).collect();
        let lowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(score(all.as_ref(), &text, &references), lowest, "{text:?}");
        assert_eq!(
            score(first.as_ref(), &text, &references),
            rates[0],
            "{text:?}"
        );
    }
}

/// All words in alphabetical order; every shift tried; the last text of the best ones.
fn slow_pyter(text: &str, reference: &str) -> f64 {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let reference: Vec<&str> = reference.split_whitespace().collect();
    let mut shifts = 0;
    loop {
        let before = distance(&words, &reference);
        let mut tried: Vec<(isize, Vec<&str>)> = Vec::new();
        for i in 0..words.len() {
            for j in 0..reference.len() {
                let common = words[i..].iter().zip(&reference[j..]);
                let length = common.take_while(|(a, b)| a == b).count();
                if i == j || length == 0 {
                    continue;
                }
                let mut shifted: Vec<&str> = words.clone();
                let block: Vec<&str> = shifted.drain(i..i + length).collect();
                let at = j.min(shifted.len());
                shifted.splice(at..at, block);
                let gain = before as isize - distance(&shifted, &reference) as isize;
                tried.push((gain, shifted));
            }
        }
        match tried.into_iter().max() {
            Some((gain, shifted)) if gain > 0 => {
                words = shifted;
                shifts += 1;
            }
            _ => return (shifts + before) as f64 / reference.len().max(1) as f64,
        }
    }
}

#[test]
fn pyters_ter_is_its_search_written_out() {
    let metric = metric("ter:implementation=pyter,multi-reference=first");
    let mut shifted = 0;
    for (text, references) in items("pyter", 200) {
        let expected = slow_pyter(&text, &references[0]);
        let got = score(metric.as_ref(), &text, &references);
        assert_eq!(got, expected, "{text:?} {:?}", references[0]);
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        let reference = words(&references[0]);
        let plain = distance(&words(&text), &reference) as f64 / reference.len().max(1) as f64;
        shifted += usize::from(got < plain);
    }
    assert!(shifted > 20, "only {shifted} texts are shifted");
}
