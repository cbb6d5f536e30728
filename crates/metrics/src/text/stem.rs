//! Porter's stemmer: English words that differ in their ending only become one.
//!
//! Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, in the three
//! forms that nltk 3.10 has: as published, as corrected by Porter, and as extended by nltk (the
//! form that rouge-score and nltk's METEOR use). Steps and rules carry the paper's names; m is
//! its measure, the number of vowel-consonant sequences.

/// The form of the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The paper of 1980.
    Original,
    /// With the corrections of Porter's own programs.
    Martin,
    /// With nltk's irregular forms and rules on top.
    #[default]
    Nltk,
}

/// The stem of `word`, lower-cased.
pub fn stem(word: &str, mode: Mode) -> String {
    let lower = word.to_lowercase();
    if mode == Mode::Nltk
        && let Some(stem) = irregular(&lower)
    {
        return stem.to_string();
    }
    if mode != Mode::Original && word.chars().count() <= 2 {
        return lower;
    }
    let mut word: Vec<char> = lower.chars().collect();
    step_1a(&mut word, mode);
    step_1b(&mut word, mode);
    step_1c(&mut word, mode);
    step_2(&mut word, mode);
    replace_first(&mut word, &STEP_3, |_, stem| measure(stem) > 0);
    step_4(&mut word);
    step_5(&mut word, mode);
    word.into_iter().collect()
}

fn irregular(word: &str) -> Option<&'static str> {
    Some(match word {
        "sky" | "skies" => "sky",
        "dying" => "die",
        "lying" => "lie",
        "tying" => "tie",
        "news" => "news",
        "inning" | "innings" => "inning",
        "outing" | "outings" => "outing",
        "canning" | "cannings" => "canning",
        "howe" => "howe",
        "proceed" => "proceed",
        "exceed" => "exceed",
        "succeed" => "succeed",
        _ => return None,
    })
}

type SuffixRule = (&'static str, &'static str);

const STEP_1A: [SuffixRule; 4] = [("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")];

/// The rules of step 2 that all forms share.
const STEP_2: [SuffixRule; 19] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [SuffixRule; 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

fn step_1a(word: &mut Vec<char>, mode: Mode) {
    if mode == Mode::Nltk && word.len() == 4 && before(word, "ies").is_some() {
        word.pop();
        return;
    }
    replace_first(word, &STEP_1A, |_, _| true);
}

fn step_1b(word: &mut Vec<char>, mode: Mode) {
    if mode == Mode::Nltk && before(word, "ied").is_some() {
        let short = word.len() == 4;
        replace(word, "ied", if short { "ie" } else { "i" });
        return;
    }
    if let Some(stem) = before(word, "eed") {
        if measure(stem) > 0 {
            word.pop();
        }
        return;
    }
    let stripped = ["ed", "ing"]
        .into_iter()
        .find(|suffix| before(word, suffix).is_some_and(contains_vowel));
    if let Some(suffix) = stripped {
        replace(word, suffix, "");
        restore_ending(word, mode);
    }
}

/// Does the second half of step 1b: hopp -> hop, fil -> file, conflat -> conflate.
fn restore_ending(word: &mut Vec<char>, mode: Mode) {
    let lost_e = ["at", "bl", "iz"]
        .iter()
        .any(|ending| before(word, ending).is_some());
    if lost_e {
        word.push('e');
    } else if ends_double_consonant(word) {
        if !matches!(word.last(), Some('l' | 's' | 'z')) {
            word.pop();
        }
    } else if measure(word) == 1 && ends_cvc(word, mode) {
        word.push('e');
    }
}

fn step_1c(word: &mut [char], mode: Mode) {
    let Some(stem) = before(word, "y") else {
        return;
    };
    let applies = match mode {
        Mode::Nltk => stem.len() > 1 && is_consonant(stem, stem.len() - 1),
        Mode::Original | Mode::Martin => contains_vowel(stem),
    };
    if applies && let Some(last) = word.last_mut() {
        *last = 'i';
    }
}

fn step_2(word: &mut Vec<char>, mode: Mode) {
    let positive = |_: &str, stem: &[char]| measure(stem) > 0;
    if mode == Mode::Nltk {
        // -alli comes first, and what it leaves goes through the step again.
        while before(word, "alli").is_some_and(|stem| measure(stem) > 0) {
            replace(word, "alli", "al");
        }
    }
    let (bli, more): (SuffixRule, &[SuffixRule]) = match mode {
        Mode::Original => (("abli", "able"), &[]),
        Mode::Martin => (("bli", "ble"), &[("logi", "log")]),
        Mode::Nltk => (("bli", "ble"), &[("fulli", "ful")]),
    };
    if mode == Mode::Nltk && before(word, "logi").is_some() {
        // The l counts with the stem, so that short stems like geo- and theo- are long enough.
        if measure(&word[..word.len() - 3]) > 0 {
            word.pop();
        }
        return;
    }
    // No word matches rules of two of these lists, so their order does not matter.
    let _ = replace_first(word, &[bli], positive)
        || replace_first(word, more, positive)
        || replace_first(word, &STEP_2, positive);
}

fn step_4(word: &mut Vec<char>) {
    let rules = STEP_4.map(|suffix| (suffix, ""));
    replace_first(word, &rules, |suffix, stem| {
        measure(stem) > 1 && (suffix != "ion" || matches!(stem.last(), Some('s' | 't')))
    });
}

fn step_5(word: &mut Vec<char>, mode: Mode) {
    if let Some(stem) = before(word, "e") {
        let m = measure(stem);
        if m > 1 || (m == 1 && !ends_cvc(stem, mode)) {
            word.pop();
        }
    }
    if before(word, "ll").is_some() && measure(&word[..word.len() - 1]) > 1 {
        word.pop();
    }
}

/// The part of the word before `suffix`, if the word ends in it.
fn before<'a>(word: &'a [char], suffix: &str) -> Option<&'a [char]> {
    let start = word.len().checked_sub(suffix.len())?;
    let (stem, end) = word.split_at(start);
    end.iter().copied().eq(suffix.chars()).then_some(stem)
}

fn replace(word: &mut Vec<char>, suffix: &str, replacement: &str) {
    word.truncate(word.len() - suffix.len());
    word.extend(replacement.chars());
}

/// Applies the first rule whose suffix the word ends in, if the condition on that suffix and the
/// stem before it holds; later rules are not tried either way. Returns whether a suffix was found.
fn replace_first(
    word: &mut Vec<char>,
    rules: &[SuffixRule],
    condition: impl Fn(&str, &[char]) -> bool,
) -> bool {
    for &(suffix, replacement) in rules {
        if let Some(stem) = before(word, suffix) {
            if condition(suffix, stem) {
                replace(word, suffix, replacement);
            }
            return true;
        }
    }
    false
}

/// For each letter whether it is a consonant: not a, e, i, o, u, nor a y after a consonant.
fn consonants(letters: &[char]) -> impl Iterator<Item = bool> {
    letters.iter().scan(false, |previous, letter| {
        *previous = match letter {
            'a' | 'e' | 'i' | 'o' | 'u' => false,
            'y' => !*previous,
            _ => true,
        };
        Some(*previous)
    })
}

fn is_consonant(letters: &[char], at: usize) -> bool {
    consonants(letters).nth(at).unwrap_or(false)
}

/// The measure m: how often a vowel is followed by a consonant.
fn measure(stem: &[char]) -> usize {
    consonants(stem)
        .zip(consonants(stem).skip(1))
        .filter(|&(first, second)| !first && second)
        .count()
}

fn contains_vowel(stem: &[char]) -> bool {
    consonants(stem).any(|consonant| !consonant)
}

/// Whether the paper's condition *d holds.
fn ends_double_consonant(word: &[char]) -> bool {
    matches!(word, [.., a, b] if a == b) && is_consonant(word, word.len() - 1)
}

/// The paper's condition *o: consonant, vowel, consonant other than w, x, y at the end. nltk also
/// takes two letters, a vowel and a consonant.
fn ends_cvc(word: &[char], mode: Mode) -> bool {
    let at = |from_end: usize| is_consonant(word, word.len() - from_end);
    match word {
        [_, _] => mode == Mode::Nltk && !at(2) && at(1),
        [.., _, _, last] => at(3) && !at(2) && at(1) && !matches!(last, 'w' | 'x' | 'y'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_examples() {
        let examples = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("adjustable", "adjust"),
            ("adoption", "adopt"),
            ("controlling", "control"),
        ];
        for (word, expected) in examples {
            for mode in [Mode::Original, Mode::Martin, Mode::Nltk] {
                assert_eq!(stem(word, mode), expected, "of {word}, {mode:?}");
            }
        }
    }

    #[test]
    fn the_forms_differ_where_nltk_says() {
        let of = |word| [Mode::Original, Mode::Martin, Mode::Nltk].map(|mode| stem(word, mode));
        assert_eq!(of("dying"), ["dy", "dy", "die"]);
        assert_eq!(of("enjoy"), ["enjoi", "enjoi", "enjoy"]);
        assert_eq!(of("as"), ["a", "as", "as"]);
        assert_eq!(of("ties"), ["ti", "ti", "tie"]);
        assert_eq!(of("theology"), ["theologi", "theologi", "theolog"]);
    }

    #[test]
    fn a_long_run_of_y_is_quick() {
        let word = "y".repeat(20_000);
        assert_eq!(stem(&word, Mode::Nltk).len(), 20_000);
    }
}
