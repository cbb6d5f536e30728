//! TER against the search written out, and what must hold for any text.

use super::texts::items;
use super::{metric, score};
use tiebreak::metrics::CorpusMetric;

/// The table of dynamic programming, without a band.
fn table(text: &[&str], reference: &[&str]) -> Vec<Vec<usize>> {
    let mut costs = vec![vec![0; reference.len() + 1]; text.len() + 1];
    for i in 0..=text.len() {
        for j in 0..=reference.len() {
            costs[i][j] = match (i, j) {
                (0, _) => j,
                (_, 0) => i,
                _ => {
                    let both = costs[i - 1][j - 1] + usize::from(text[i - 1] != reference[j - 1]);
                    both.min(costs[i - 1][j] + 1).min(costs[i][j - 1] + 1)
                }
            };
        }
    }
    costs
}

fn distance(text: &[&str], reference: &[&str]) -> usize {
    table(text, reference)[text.len()][reference.len()]
}

/// For each word of the reference the word of the text it is aligned with, -1 if it stands before
/// all; and which words of both are wrong.
fn alignment(text: &[&str], reference: &[&str]) -> (Vec<isize>, Vec<bool>, Vec<bool>) {
    let costs = table(text, reference);
    let mut aligned = vec![-1; reference.len()];
    let (mut right, mut right_in_text) = (vec![false; reference.len()], vec![false; text.len()]);
    let (mut i, mut j) = (text.len(), reference.len());
    while j > 0 {
        aligned[j - 1] = i as isize - 1;
        if i > 0 {
            let same = text[i - 1] == reference[j - 1];
            if costs[i][j] == costs[i - 1][j - 1] + usize::from(!same) {
                (i, j) = (i - 1, j - 1);
                (right[j], right_in_text[i]) = (same, same);
                continue;
            }
            if costs[i][j] == costs[i - 1][j] + 1 {
                i -= 1;
                continue;
            }
        }
        j -= 1;
    }
    (aligned, right, right_in_text)
}

/// The best text that one shift leads to: most gained, longest block, first start, first target.
fn best_shift<'a>(text: &[&'a str], reference: &[&str]) -> Option<Vec<&'a str>> {
    let (aligned, right, right_in_text) = alignment(text, reference);
    let mut found: Vec<(isize, isize, isize, isize, Vec<&str>)> = Vec::new();
    for start in 0..text.len() {
        for like in 0..reference.len() {
            for length in 1..=10.min(text.len() - start).min(reference.len() - like) {
                let (end, like_end) = (start + length, like + length);
                let inside = (start as isize..end as isize).contains(&aligned[like]);
                if text[start..end] != reference[like..like_end]
                    || right_in_text[start..end].iter().all(|&right| right)
                    || right[like..like_end].iter().all(|&right| right)
                    || inside
                {
                    continue;
                }
                for place in like..=like_end {
                    let target = if place == 0 {
                        0
                    } else {
                        aligned[place - 1] + 1
                    };
                    let mut rest = text.to_vec();
                    let block: Vec<&str> = rest.drain(start..end).collect();
                    let at = match target as usize {
                        target if target > end => target - length,
                        target => target.min(rest.len()),
                    };
                    rest.splice(at..at, block);
                    let gain =
                        distance(text, reference) as isize - distance(&rest, reference) as isize;
                    found.push((-gain, -(length as isize), start as isize, target, rest));
                }
            }
        }
    }
    let best = found.into_iter().min()?;
    (best.0 < 0).then_some(best.4)
}

fn slow_edits(text: &[&str], reference: &[&str]) -> usize {
    let (mut text, mut shifts) = (text.to_vec(), 0);
    if !reference.is_empty() {
        while let Some(shifted) = best_shift(&text, reference) {
            text = shifted;
            shifts += 1;
        }
    }
    shifts + distance(&text, reference)
}

#[test]
fn ter_is_the_search_written_out() {
    let ter = metric("ter:case-sensitive=true");
    let mut shifted = 0;
    for (text, references) in items("ter", 300) {
        let words = |line: &'_ str| -> Vec<String> {
            line.split_whitespace().map(str::to_string).collect()
        };
        let text_words = words(&text);
        let text_words: Vec<&str> = text_words.iter().map(String::as_str).collect();
        let (mut fewest, mut length) = (usize::MAX, 0);
        for reference in &references {
            let reference = words(reference);
            let reference: Vec<&str> = reference.iter().map(String::as_str).collect();
            let edits = slow_edits(&text_words, &reference);
            shifted += usize::from(edits < distance(&text_words, &reference));
            fewest = fewest.min(edits);
            length += reference.len();
        }
        let expected = match (length, fewest) {
            (0, 0) => 0.0,
            (0, _) => 100.0,
            _ => 100.0 * fewest as f64 / (length as f64 / references.len() as f64),
        };
        let got = score(ter.as_ref(), &text, &references);
        assert!(
            (got - expected).abs() <= 1e-9 * expected,
            "{text:?}: {got}, expected {expected}"
        );
    }
    assert!(shifted > 50, "only {shifted} texts had anything to shift");
}

#[test]
fn a_text_equal_to_a_reference_needs_no_edits_and_a_stranger_one_per_word() {
    let ter = metric("ter");
    let references = ["Rain fell all day .".to_string()];
    assert_eq!(score(ter.as_ref(), "rain FELL all day .", &references), 0.0);
    assert_eq!(score(ter.as_ref(), "", &references), 100.0);
    assert_eq!(score(ter.as_ref(), "a b c d e f g", &references), 140.0);
    assert_eq!(score(ter.as_ref(), "a", &[String::new()]), 100.0);
    assert_eq!(score(ter.as_ref(), "", &[String::new()]), 0.0);
}

#[test]
fn sums_are_exact_with_any_number_of_references_up_to_16() {
    let ter = metric("ter");
    let corpus: &dyn CorpusMetric = ter.corpus().unwrap();
    for references in 1..=16 {
        let references: Vec<String> = (0..references).map(|n| "a ".repeat(n)).collect();
        let segment = tiebreak::metrics::Segment {
            hypothesis: "a",
            references: &references,
            context: None,
        };
        let row = corpus.statistics(&[segment]).unwrap();
        assert_eq!(row[1].fract(), 0.0, "{} references", references.len());
    }
}

#[test]
fn the_signature_says_what_was_normalised() {
    assert_eq!(
        metric("ter").signature().to_string(),
        "ter|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:1"
    );
    let all = metric("ter:normalized=true,no-punct=true,asian-support=true,case-sensitive=true");
    assert_eq!(
        all.signature().to_string(),
        "ter|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:1"
    );
}
