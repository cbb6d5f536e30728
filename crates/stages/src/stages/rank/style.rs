//! Style that is held equal: by how much two outputs differ in length and in Markdown, as arena's style control has it.
//!
//! Li et al., "Does style matter? Disentangling style and substance in Chatbot Arena", 2024, divide each feature's
//! difference between two outputs by its sum. Here the quotient is divided by its root mean square, not by its
//! standard deviation after the mean is taken off: so the answer does not depend on which output is named first.
//! Length is counted in words.

use crate::inputs::source::Source;
use std::collections::BTreeMap;
use tiebreak_base::duel::Pair;
use tiebreak_base::error::Result;
use tiebreak_decide::estimators::bradley_terry::Strengths;
use tiebreak_decide::ranking::Collection;
use tiebreak_decide::ranking::result::StyleEffect;

/// The features, in order.
const FEATURES: [&str; 4] = ["length", "headings", "list items", "bold"];

/// How the outputs of all comparisons differ in style.
pub(super) struct StyleDifferences {
    /// The features of each comparison in the order of items, each with a mean square of 1.
    pub rows: Vec<Vec<f64>>,
    /// What is known of each feature.
    pub features: [FeatureUse; FEATURES.len()],
}

/// How outputs differ in a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeatureUse {
    /// Not at all.
    Alike,
    /// Always alike between two systems: it cannot be told from the systems themselves, so it has no effect of its own.
    Confounded,
    /// It varies among the comparisons of two systems.
    Varies,
}

/// The number of times that each feature is in a text.
fn counts(text: &str) -> [f64; 4] {
    let (mut headings, mut items, mut bold) = (0, 0, 0);
    let mut code = false;
    for line in text.lines() {
        let line = line.trim_start();
        if line.starts_with("```") {
            code = !code;
            continue;
        }
        if code {
            continue;
        }
        headings += usize::from(is_heading(line));
        items += usize::from(is_item(line));
        bold += line.matches("**").count() / 2 + line.matches("__").count() / 2;
    }
    [words(text), headings, items, bold].map(|count| count as f64)
}

/// The number of words in a text.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn is_heading(line: &str) -> bool {
    let marks = line.chars().take_while(|&c| c == '#').count();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

fn is_item(line: &str) -> bool {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let numbered = digits > 0 && line[digits..].starts_with(". ");
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Computes how the outputs of each comparison differ in style.
///
/// # Errors
/// A judged system without an output.
pub(super) fn differences(source: &Source, collection: &Collection) -> Result<StyleDifferences> {
    let (mut all, mut pairs) = (Vec::new(), Vec::new());
    let mut rest = collection.comparisons().iter().peekable();
    for group in source.index.all() {
        let group = group?;
        while let Some(one) = rest.next_if(|one| u64::from(one.item) == group.position) {
            let Pair { first, second } = one.pair;
            let counts = |system| match group.output(system) {
                Some(text) => Ok(counts(text)),
                None => Err(source.lacks_output(&group.item, system)),
            };
            let both = counts(first)?.into_iter().zip(counts(second)?);
            let share = |(a, b): (f64, f64)| if a + b > 0.0 { (a - b) / (a + b) } else { 0.0 };
            all.push(both.map(share).collect());
            pairs.push([first.index(), second.index()]);
        }
    }
    let features = uses(&all, &pairs);
    scale(&mut all);
    Ok(StyleDifferences {
        rows: all,
        features,
    })
}

/// How the outputs of comparisons differ in each feature.
fn uses(all: &[Vec<f64>], pairs: &[[usize; 2]]) -> [FeatureUse; FEATURES.len()] {
    let mut first: BTreeMap<[usize; 2], Vec<f64>> = BTreeMap::new();
    let mut uses = [FeatureUse::Alike; FEATURES.len()];
    for (differences, &[a, b]) in all.iter().zip(pairs) {
        let sign = if a < b { 1.0 } else { -1.0 };
        let turned: Vec<f64> = differences.iter().map(|x| sign * x).collect();
        let first = first
            .entry([a.min(b), a.max(b)])
            .or_insert_with(|| turned.clone());
        for (feature, found) in uses.iter_mut().enumerate() {
            if first[feature] != turned[feature] {
                *found = FeatureUse::Varies;
            } else if turned[feature] != 0.0 && *found == FeatureUse::Alike {
                *found = FeatureUse::Confounded;
            }
        }
    }
    uses
}

/// Scales every feature to a mean square of 1; one that never differs stays 0.
fn scale(all: &mut [Vec<f64>]) {
    for feature in 0..FEATURES.len() {
        let squares: f64 = all.iter().map(|one| one[feature] * one[feature]).sum();
        let size = (squares / all.len() as f64).sqrt();
        for one in all.iter_mut().filter(|_| size > 0.0) {
            one[feature] /= size;
        }
    }
}

/// The effect of each feature in which outputs differ.
pub(super) fn effects(
    strengths: &Strengths,
    uses: [FeatureUse; FEATURES.len()],
    confidence: f64,
) -> Vec<StyleEffect> {
    let effect = |(at, feature): (usize, &&str)| {
        let found = (uses[at] == FeatureUse::Varies).then(|| strengths.style(at));
        let ends = found.and_then(|found| found.interval(confidence));
        StyleEffect {
            feature: (*feature).to_string(),
            effect: found.map(|found| found.value),
            lower: ends.map(|[lower, _]| lower),
            upper: ends.map(|[_, upper]| upper),
        }
    };
    let features = FEATURES.iter().enumerate();
    let differing = features.filter(|(at, _)| uses[*at] != FeatureUse::Alike);
    differing.map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_counted_outside_of_code() {
        let text =
            "# A title\n\n1. one **bold** word\n- two\n* three __x__\n```\n# no\n- no\n```\n#no";
        assert_eq!(counts(text)[1..], [1.0, 3.0, 2.0]);
        assert_eq!(counts("a b  c")[0], 3.0);
    }

    #[test]
    fn what_two_systems_always_differ_by_does_not_vary() {
        let all = [
            [0.2, 0.0, 0.1, 0.0],
            [-0.2, 0.0, 0.1, 0.0],
            [0.3, 0.0, 0.1, 0.0],
        ];
        let all = all.map(|one| one.to_vec());
        let pairs = [[0, 1], [1, 0], [0, 2]];
        let found = [
            FeatureUse::Confounded,
            FeatureUse::Alike,
            FeatureUse::Varies,
            FeatureUse::Alike,
        ];
        assert_eq!(uses(&all, &pairs), found);
    }

    #[test]
    fn differences_have_a_mean_square_of_one() {
        let mut all = vec![vec![0.5, 0.0, 0.1, 0.0], vec![-0.1, 0.0, 0.3, 0.0]];
        scale(&mut all);
        let square = |at: usize| all.iter().map(|one| one[at] * one[at]).sum::<f64>() / 2.0;
        assert!((square(0) - 1.0).abs() < 1e-12 && (square(2) - 1.0).abs() < 1e-12);
        assert_eq!(square(1), 0.0);
    }
}
