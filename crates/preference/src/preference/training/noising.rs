//! Synthetic judgments: of two noised copies of a reference, the one noised less is better.
//!
//! After the synthetic pairs that BLEURT is trained on first (Sellam, Das and Parikh, "BLEURT:
//! learning robust metrics for text generation", ACL 2020, section 4.1). Theirs are rated by other
//! metrics; ours are ranked by how many small errors were put in, of the kinds that learners of a
//! language and translators make: a word left out, doubled, moved, misspelt, wrongly inflected, or
//! another one in its place. They teach what little a wrong ending changes in the letters and how
//! much it changes for people, of which judgments of translations say little.

use super::examples::JudgedPair;
use super::loss::JudgmentCounts;
use tiebreak_base::rng::Rng;

/// The number of copies of one reference.
const COPIES: usize = 5;

/// The fewest words a reference needs, so that an error stays a small one.
const FEWEST_WORDS: usize = 5;

/// Words that carry grammar rather than meaning, in English; the ones most often wrong.
const FUNCTION_WORDS: [&str; 34] = [
    "a", "an", "the", "in", "on", "at", "of", "to", "for", "with", "by", "from", "into", "is",
    "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "it", "they",
    "this", "that", "these", "and", "but", "as", "not",
];

/// Endings, the longer first, and what takes their place.
const ENDINGS: [(&str, &str); 6] = [
    ("ies", "y"),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("s", ""),
    ("ly", ""),
];

/// Endings that are put where there is none.
const NEW_ENDINGS: [&str; 3] = ["s", "ed", "ing"];

/// Copies of a reference with ever more errors, the first without any, and their pairs: always the
/// copy with fewer errors wins. `others` are words to take from. `None` for a text that is too short.
pub fn noised(
    reference: &str,
    others: &[&str],
    rng: &mut Rng,
) -> Option<(Vec<String>, Vec<JudgedPair>)> {
    let words: Vec<&str> = reference.split_whitespace().collect();
    if words.len() < FEWEST_WORDS {
        return None;
    }
    let mut copies: Vec<String> = Vec::with_capacity(COPIES);
    let mut errors = 0;
    while copies.len() < COPIES {
        let mut copy: Vec<String> = words.iter().map(ToString::to_string).collect();
        for _ in 0..errors {
            err(&mut copy, others, rng);
        }
        let copy = copy.join(" ");
        // Two errors may undo each other; then there is nothing to tell apart.
        if !copies.contains(&copy) {
            copies.push(copy);
        }
        errors += *rng.choose(&[1, 1, 1, 2, 3]);
    }
    let said = JudgmentCounts {
        wins: 1.0,
        ..JudgmentCounts::default()
    };
    let pair = |first, second| JudgedPair {
        first,
        second,
        said,
    };
    let pairs =
        (0..COPIES).flat_map(|first| (first + 1..COPIES).map(move |second| (first, second)));
    let pairs = pairs.map(|(first, second)| pair(first, second)).collect();
    Some((copies, pairs))
}

/// Puts one error into the words.
fn err(words: &mut Vec<String>, others: &[&str], rng: &mut Rng) {
    let place = rng.below(words.len());
    let function: Vec<usize> = (0..words.len())
        .filter(|&i| FUNCTION_WORDS.contains(&words[i].to_lowercase().as_str()))
        .collect();
    let word = |rng: &mut Rng| (*rng.choose(&FUNCTION_WORDS)).to_string();
    match rng.below(100) {
        0..20 if words.len() > FEWEST_WORDS - 1 => {
            let grammatical = !function.is_empty() && rng.bernoulli(0.6);
            words.remove(if grammatical {
                *rng.choose(&function)
            } else {
                place
            });
        }
        20..35 => words.insert(place, word(rng)),
        35..50 if !function.is_empty() => words[*rng.choose(&function)] = word(rng),
        50..70 => words[place] = inflected(&words[place], rng),
        70..80 => words[place] = misspelt(&words[place], rng),
        80..88 if place + 1 < words.len() => words.swap(place, place + 1),
        88..94 if !others.is_empty() => words[place] = (*rng.choose(others)).to_string(),
        _ => words.insert(place, words[place].clone()),
    }
}

fn inflected(word: &str, rng: &mut Rng) -> String {
    let stem = |&(ending, instead): &(&str, &str)| {
        let stem = word.strip_suffix(ending)?;
        (stem.chars().count() > 2).then(|| format!("{stem}{instead}"))
    };
    let found = ENDINGS.iter().find_map(stem);
    found.unwrap_or_else(|| format!("{word}{}", rng.choose(&NEW_ENDINGS)))
}

/// Misspells a word: a letter is left out, doubled, or changed for the next.
fn misspelt(word: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.len() < 4 {
        return format!("{word}{word}");
    }
    let place = 1 + rng.below(letters.len() - 2);
    match rng.below(3) {
        0 => drop(letters.remove(place)),
        1 => letters.insert(place, letters[place]),
        _ => letters.swap(place, place + 1),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    const TEXT: &str = "The committees were asking for the same answers in every city .";

    #[test]
    fn fewer_errors_win_and_no_two_copies_are_alike() {
        let mut nearer = 0;
        for index in 0..300 {
            let mut rng = Seed(1).stream("test", index);
            let (copies, pairs) = noised(TEXT, &["water", "slowly"], &mut rng).unwrap();
            assert_eq!((copies.len(), copies[0].as_str()), (COPIES, TEXT));
            assert_eq!(pairs.len(), COPIES * (COPIES - 1) / 2);
            for pair in pairs {
                assert!(pair.first < pair.second && pair.said.wins == 1.0);
                assert_ne!(copies[pair.first], copies[pair.second]);
            }
            let distance = |copy: &str| {
                let [a, b] = [TEXT, copy].map(|text| text.split(' ').collect::<Vec<_>>());
                changed(&a, &b)
            };
            nearer += usize::from(distance(&copies[1]) < distance(&copies[4]));
        }
        assert!(nearer > 250, "{nearer} of 300");
    }

    /// The number of words of one that the other lacks, both ways.
    fn changed(a: &[&str], b: &[&str]) -> usize {
        let lacking = |a: &[&str], b: &[&str]| a.iter().filter(|x| !b.contains(x)).count();
        lacking(a, b) + lacking(b, a) + a.len().abs_diff(b.len())
    }

    #[test]
    fn the_same_stream_gives_the_same_errors() {
        let of = |index| noised(TEXT, &["water"], &mut Seed(3).stream("test", index));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn a_short_text_is_left_alone() {
        assert_eq!(
            noised("Only four words here", &[], &mut Seed(1).stream("t", 0)),
            None
        );
        // Nothing to take from, no function word, nothing but letters beyond ASCII.
        let (copies, _) = noised("ä ö ü é è", &[], &mut Seed(1).stream("t", 0)).unwrap();
        assert_eq!(copies.len(), COPIES);
    }
}
