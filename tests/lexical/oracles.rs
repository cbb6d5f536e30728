//! Slow obvious versions that the fast ones agree with.

use super::texts::items;
use super::{metric, score};
use std::collections::BTreeMap;

use tiebreak::env::Env;
use tiebreak::text::lcs::Pattern;
use tiebreak::text::ngrams::NgramCounts;
use tiebreak::text::tokenize::{SacrebleuTokenizer, rouge_tokens};

type Counts<T> = BTreeMap<Vec<T>, usize>;

fn ngrams<T: Clone + Ord>(symbols: &[T], n: usize) -> Counts<T> {
    let mut counts = BTreeMap::new();
    for window in symbols.windows(n) {
        *counts.entry(window.to_vec()).or_insert(0) += 1;
    }
    counts
}

fn shared<T: Ord>(first: &Counts<T>, second: &Counts<T>) -> usize {
    let common = |(ngram, count): (&Vec<T>, &usize)| *count.min(second.get(ngram).unwrap_or(&0));
    first.iter().map(common).sum()
}

fn tokens(tokenizer: SacrebleuTokenizer, line: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let tokenizer = Env::default().tokenizer(tokenizer).unwrap();
    tokenizer.tokens(line, |token| tokens.push(token.to_string()));
    tokens
}

fn assert_close(got: f64, expected: f64, place: &str) {
    let scale = expected.abs().max(1e-12);
    assert!(
        (got - expected).abs() <= 1e-9 * scale,
        "{place}: expected {expected}, got {got}"
    );
}

/// The four substitutions of 13a one after another, each on the result of the one before.
fn substituted(line: &str) -> Vec<String> {
    let class =
        |c: char| matches!(c, ' '..='&' | '('..='+' | '/' | ':'..='@' | '['..='`' | '{'..='~');
    let digit = |c: char| c.is_ascii_digit();
    let point = |c: char| c == '.' || c == ',';
    let mut text: Vec<char> = format!(" {} ", line.trim_end()).chars().collect();
    text = text
        .iter()
        .flat_map(|&c| if class(c) { vec![' ', c, ' '] } else { vec![c] })
        .collect();
    text = pairs(
        &text,
        |a, b| !digit(a) && point(b),
        |a, b| vec![a, ' ', b, ' '],
    );
    text = pairs(
        &text,
        |a, b| point(a) && !digit(b),
        |a, b| vec![' ', a, ' ', b],
    );
    text = pairs(
        &text,
        |a, b| digit(a) && b == '-',
        |a, b| vec![a, ' ', b, ' '],
    );
    let text: String = text.into_iter().collect();
    text.split_whitespace().map(str::to_string).collect()
}

/// Replaces neighbours that match, left to right without overlap.
fn pairs(
    text: &[char],
    matches: impl Fn(char, char) -> bool,
    replace: impl Fn(char, char) -> Vec<char>,
) -> Vec<char> {
    let (mut result, mut at) = (Vec::new(), 0);
    while at < text.len() {
        if at + 1 < text.len() && matches(text[at], text[at + 1]) {
            result.extend(replace(text[at], text[at + 1]));
            at += 2;
        } else {
            result.push(text[at]);
            at += 1;
        }
    }
    result
}

#[test]
fn one_scan_does_what_13as_substitutions_do() {
    for (text, references) in items("substitutions", 400) {
        for line in references.iter().chain([&text]) {
            // Line breaks and entities are dealt with before the substitutions.
            let line = line.replace(['\n', '&'], " ");
            assert_eq!(
                tokens(SacrebleuTokenizer::V13a, &line),
                substituted(&line),
                "{line:?}"
            );
        }
    }
    let alphabet = ['.', ',', '-', '1', 'a', ' ', '/', 'é'];
    for code in 0..8_u32.pow(6) {
        let line: String = (0..6)
            .map(|k| alphabet[(code >> (3 * k) & 7) as usize])
            .collect();
        assert_eq!(
            tokens(SacrebleuTokenizer::V13a, &line),
            substituted(&line),
            "{line:?}"
        );
    }
}

fn slow_bleu(text: &[String], references: &[Vec<String>]) -> f64 {
    let closest = references
        .iter()
        .map(Vec::len)
        .min_by_key(|&length| (length.abs_diff(text.len()), length))
        .unwrap();
    let (mut logs, mut orders, mut zeros, mut any) = (0.0, 0, 0, false);
    for n in 1..=text.len().min(4) {
        let mut allowed = BTreeMap::new();
        for reference in references {
            for (ngram, count) in ngrams(reference, n) {
                let largest = allowed.entry(ngram).or_insert(0);
                *largest = count.max(*largest);
            }
        }
        let matches = shared(&ngrams(text, n), &allowed);
        any |= matches > 0;
        let matches = if matches == 0 {
            zeros += 1;
            0.5_f64.powi(zeros)
        } else {
            matches as f64
        };
        logs += (matches / (text.len() + 1 - n) as f64).ln();
        orders += 1;
    }
    if !any {
        return 0.0;
    }
    let penalty = (1.0 - closest as f64 / text.len() as f64).min(0.0).exp();
    100.0 * penalty * (logs / f64::from(orders)).exp()
}

#[test]
fn bleu_is_its_definition() {
    let bleu = metric("bleu");
    for (text, references) in items("bleu", 500) {
        let cut = |line: &String| tokens(SacrebleuTokenizer::V13a, line);
        let expected = slow_bleu(&cut(&text), &references.iter().map(cut).collect::<Vec<_>>());
        assert_close(score(bleu.as_ref(), &text, &references), expected, &text);
    }
}

fn slow_chrf(text: &str, reference: &str) -> f64 {
    let letters = |line: &str| {
        line.chars()
            .filter(|c| !c.is_whitespace())
            .collect::<Vec<_>>()
    };
    let (text, reference) = (letters(text), letters(reference));
    let orders: Vec<usize> = (1..=6)
        .filter(|&n| n <= text.len().min(reference.len()))
        .collect();
    let (mut precision, mut recall) = (0.0, 0.0);
    for &n in &orders {
        let matches = shared(&ngrams(&text, n), &ngrams(&reference, n)) as f64;
        precision += matches / (text.len() + 1 - n) as f64 / orders.len() as f64;
        recall += matches / (reference.len() + 1 - n) as f64 / orders.len() as f64;
    }
    if precision == 0.0 || recall == 0.0 {
        return 0.0;
    }
    100.0 * 5.0 * precision * recall / (4.0 * precision + recall)
}

#[test]
fn chrf_is_its_definition_and_takes_the_best_reference() {
    let chrf = metric("chrf");
    for (text, references) in items("chrf", 300) {
        let scores = references
            .iter()
            .map(|reference| slow_chrf(&text, reference));
        let expected = scores.fold(0.0, f64::max);
        assert_close(score(chrf.as_ref(), &text, &references), expected, &text);
    }
}

/// The table of dynamic programming.
fn slow_lcs(first: &[u32], second: &[u32]) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; second.len() + 1]; first.len() + 1];
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate() {
            table[i + 1][j + 1] = if a == b {
                table[i][j] + 1
            } else {
                table[i][j + 1].max(table[i + 1][j])
            };
        }
    }
    table
}

/// The way back through the table, as rouge-score takes it.
fn slow_positions(first: &[u32], second: &[u32]) -> Vec<usize> {
    let table = slow_lcs(first, second);
    let (mut i, mut j, mut positions) = (first.len(), second.len(), Vec::new());
    while i > 0 && j > 0 {
        if first[i - 1] == second[j - 1] {
            (i, j) = (i - 1, j - 1);
            positions.push(i);
        } else if table[i][j - 1] > table[i - 1][j] {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    positions
}

#[test]
fn the_bit_vectors_walk_the_table() {
    let mut pattern = Pattern::default();
    for index in 0..300 {
        let mut rng = tiebreak::rng::Seed(7).stream("lcs", index);
        let symbols = 2 + rng.below(20);
        let mut draw = |most: usize| -> Vec<u32> {
            let length = rng.below(most);
            (0..length).map(|_| rng.below(symbols) as u32).collect()
        };
        let (first, second) = (draw(200), draw(150));
        pattern.set(&first);
        let mut found = Vec::new();
        pattern.lcs_positions(&second, |at| found.push(at));
        assert_eq!(
            found,
            slow_positions(&first, &second),
            "{first:?} {second:?}"
        );
        assert_eq!(pattern.lcs(&second), found.len());
    }
}

#[test]
fn shared_ngrams_are_counted_as_hash_maps_do() {
    let mut counts = NgramCounts::default();
    for index in 0..200 {
        let mut rng = tiebreak::rng::Seed(7).stream("ngrams", index);
        let symbols = 1 + rng.below(9);
        let order = 1 + rng.below(7);
        let mut draw = || -> Vec<u32> {
            // Short references are compared otherwise than long ones.
            let length = rng.below([60, 200, 500][index as usize % 3]);
            (0..length).map(|_| rng.below(symbols) as u32).collect()
        };
        let (text, references) = (draw(), [draw(), draw()]);
        counts.set(order, references.iter().map(Vec::as_slice));
        let mut matches = vec![0; order];
        counts.overlap(&text, &mut matches);
        for n in 1..=order {
            let mut allowed = ngrams(&references[0], n);
            for (ngram, count) in ngrams(&references[1], n) {
                let largest = allowed.entry(ngram).or_insert(0);
                *largest = count.max(*largest);
            }
            assert_eq!(
                matches[n - 1] as usize,
                shared(&ngrams(&text, n), &allowed),
                "n = {n}"
            );
        }
    }
}

#[test]
fn rouge_l_and_rouge_2_are_their_definitions() {
    let (rouge_l, rouge_2) = (
        metric("rouge-l:measure=recall"),
        metric("rouge-2:measure=precision"),
    );
    for (text, references) in items("rouge", 300) {
        let reference = &references[..1];
        let mut names: Vec<String> = Vec::new();
        let mut cut = |line: &str| {
            let mut symbols = Vec::new();
            rouge_tokens(line, |token| {
                let known = names.iter().position(|name| name == token);
                symbols.push(known.unwrap_or(names.len()) as u32);
                if known.is_none() {
                    names.push(token.to_string());
                }
            });
            symbols
        };
        let (a, b) = (cut(&text), cut(&reference[0]));
        let longest = slow_lcs(&a, &b)[a.len()][b.len()] as f64;
        let recall = longest / b.len().max(1) as f64;
        assert_close(score(rouge_l.as_ref(), &text, reference), recall, &text);
        let bigrams = a.len().saturating_sub(1).max(1) as f64;
        let precision = shared(&ngrams(&a, 2), &ngrams(&b, 2)) as f64 / bigrams;
        assert_close(score(rouge_2.as_ref(), &text, reference), precision, &text);
    }
}
