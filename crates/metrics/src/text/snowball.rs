//! Snowball's English stemmer: Porter's second thoughts on his own algorithm.
//!
//! Source: M. F. Porter, "Snowball: a language for stemming algorithms", 2001, and the published
//! definition of its English stemmer ("Porter 2"), in the edition of METEOR 1.5. Steps, regions
//! and rules carry the definition's names. Words are taken as they are: only lower-case letters
//! take part in rules, so a word in capitals is its own stem. Its lists are Snowball's (`THIRD_PARTY.md`).

/// The stem of `word`.
pub fn stem(word: &str) -> String {
    if let Some(stem) = irregular(word) {
        return stem.to_string();
    }
    if word.chars().count() <= 2 {
        return word.to_string();
    }
    let mut word = SnowballWord::new(word);
    word.step_0();
    word.step_1a();
    if !INVARIANT.iter().any(|invariant| word.is(invariant)) {
        word.step_1b();
        word.step_1c();
        word.step_2();
        word.step_3();
        word.step_4();
        word.step_5();
    }
    word.finish()
}

/// The stem of a word that the rules would get wrong.
fn irregular(word: &str) -> Option<&str> {
    Some(match word {
        "skis" => "ski",
        "skies" => "sky",
        "dying" => "die",
        "lying" => "lie",
        "tying" => "tie",
        "idly" => "idl",
        "gently" => "gentl",
        "ugly" => "ugli",
        "early" => "earli",
        "only" => "onli",
        "singly" => "singl",
        "sky" | "news" | "howe" | "atlas" | "cosmos" | "bias" | "andes" => word,
        _ => return None,
    })
}

/// Words that stay as step 1a leaves them.
const INVARIANT: [&str; 8] = [
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
];

/// Beginnings after which R1 starts, wherever the vowels are.
const PREFIXES: [&str; 3] = ["gener", "commun", "arsen"];

/// Endings of step 2 and what becomes of them, longest first where one ends another.
const STEP_2: [(&str, &str); 22] = [
    ("ization", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
];

const STEP_3: [(&str, &str); 8] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ness", ""),
    ("ful", ""),
];

const STEP_4: [&str; 17] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic",
];

/// A word on its way, a `Y` standing for a y that is a consonant.
struct SnowballWord {
    letters: Vec<char>,
    /// Whether a y was marked so; without any, capital Ys are the word's own and stay.
    marked: bool,
    /// R1: where the region after the first non-vowel that follows a vowel begins.
    r1: usize,
    /// R2: the same within R1.
    r2: usize,
}

impl SnowballWord {
    fn new(word: &str) -> Self {
        let mut letters: Vec<char> = word.strip_prefix('\'').unwrap_or(word).chars().collect();
        let mut marked = false;
        for at in 0..letters.len() {
            if letters[at] == 'y' && (at == 0 || is_vowel(letters[at - 1])) {
                letters[at] = 'Y';
                marked = true;
            }
        }
        let begins = |prefix: &&&str| {
            letters
                .iter()
                .copied()
                .take(prefix.len())
                .eq(prefix.chars())
        };
        let r1 = match PREFIXES.iter().find(begins) {
            Some(prefix) => prefix.len(),
            None => region(&letters, 0),
        };
        let r2 = region(&letters, r1);
        Self {
            letters,
            marked,
            r1,
            r2,
        }
    }

    /// The word as text, every y a small one again.
    fn finish(self) -> String {
        let small = |letter| match letter {
            'Y' if self.marked => 'y',
            _ => letter,
        };
        self.letters.into_iter().map(small).collect()
    }

    fn is(&self, other: &str) -> bool {
        self.letters.iter().copied().eq(other.chars())
    }

    /// The place where `suffix` begins, if the word ends in it.
    fn before(&self, suffix: &str) -> Option<usize> {
        let at = self.letters.len().checked_sub(suffix.len())?;
        let ending = self.letters[at..].iter().copied();
        ending.eq(suffix.chars()).then_some(at)
    }

    /// The first of `suffixes` that the word ends in, and where it begins.
    fn ending<'a>(&self, suffixes: &[&'a str]) -> Option<(&'a str, usize)> {
        let mut found = suffixes.iter();
        found.find_map(|suffix| self.before(suffix).map(|at| (*suffix, at)))
    }

    fn replace(&mut self, at: usize, with: &str) {
        self.letters.truncate(at);
        self.letters.extend(with.chars());
    }

    fn last_before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).map(|last| self.letters[last])
    }

    /// Removes possessives.
    fn step_0(&mut self) {
        if let Some((_, at)) = self.ending(&["'s'", "'s", "'"]) {
            self.letters.truncate(at);
        }
    }

    /// Removes plurals.
    fn step_1a(&mut self) {
        match self.ending(&["sses", "ied", "ies", "us", "ss", "s"]) {
            Some(("sses", at)) => self.replace(at, "ss"),
            Some(("ied" | "ies", at)) => self.replace(at, if at > 1 { "i" } else { "ie" }),
            // A vowel must come before the s, but not just before: gaps loses its s, gas does not.
            Some(("s", at)) if at > 0 && self.has_vowel(at - 1) => self.letters.truncate(at),
            _ => {}
        }
    }

    /// Removes past tenses and participles.
    fn step_1b(&mut self) {
        match self.ending(&["eedly", "ingly", "edly", "eed", "ing", "ed"]) {
            Some(("eedly" | "eed", at)) if at >= self.r1 => self.replace(at, "ee"),
            Some(("eedly" | "eed", _)) | None => {}
            Some((_, at)) => {
                if self.has_vowel(at) {
                    self.letters.truncate(at);
                    self.restore_ending();
                }
            }
        }
    }

    /// Does the second half of step 1b: hopp to hop, hop to hope, luxuriat to luxuriate.
    fn restore_ending(&mut self) {
        const DOUBLES: [&str; 9] = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"];
        if self.ending(&["at", "bl", "iz"]).is_some() {
            self.letters.push('e');
        } else if self.ending(&DOUBLES).is_some() {
            self.letters.pop();
        } else if self.r1 >= self.letters.len() && self.ends_short() {
            self.letters.push('e');
        }
    }

    /// Turns cry to cri, but neither by nor say.
    fn step_1c(&mut self) {
        if let Some((_, at)) = self.ending(&["y", "Y"])
            && at > 1
            && !is_vowel(self.letters[at - 1])
        {
            self.replace(at, "i");
        }
    }

    fn step_2(&mut self) {
        let ending = STEP_2.map(|(suffix, _)| suffix);
        if let Some((suffix, at)) = self.ending(&ending) {
            if at >= self.r1 {
                let with = STEP_2.iter().find(|rule| rule.0 == suffix);
                self.replace(at, with.map_or("", |rule| rule.1));
            }
        } else if let Some(at) = self.before("ogi") {
            if at >= self.r1 && self.last_before(at) == Some('l') {
                self.replace(at, "og");
            }
        } else if let Some(at) = self.before("li")
            && at >= self.r1
            && self.last_before(at).is_some_and(is_valid_before_li)
        {
            self.letters.truncate(at);
        }
    }

    fn step_3(&mut self) {
        if let Some(at) = self.before("ative") {
            if at >= self.r2 {
                self.letters.truncate(at);
            }
            return;
        }
        let ending = STEP_3.map(|(suffix, _)| suffix);
        if let Some((suffix, at)) = self.ending(&ending)
            && at >= self.r1
        {
            let with = STEP_3.iter().find(|rule| rule.0 == suffix);
            self.replace(at, with.map_or("", |rule| rule.1));
        }
    }

    fn step_4(&mut self) {
        if let Some((_, at)) = self.ending(&STEP_4) {
            if at >= self.r2 {
                self.letters.truncate(at);
            }
        } else if let Some(at) = self.before("ion")
            && at >= self.r2
            && matches!(self.last_before(at), Some('s' | 't'))
        {
            self.letters.truncate(at);
        }
    }

    /// Removes a final e, and the second l of two.
    fn step_5(&mut self) {
        if let Some(at) = self.before("e") {
            let rest = Self {
                letters: self.letters[..at].to_vec(),
                ..*self
            };
            if at >= self.r2 || (at >= self.r1 && !rest.ends_short()) {
                self.letters.truncate(at);
            }
        } else if let Some(at) = self.before("l")
            && at >= self.r2
            && self.last_before(at) == Some('l')
        {
            self.letters.truncate(at);
        }
    }

    fn has_vowel(&self, end: usize) -> bool {
        self.letters[..end].iter().any(|&letter| is_vowel(letter))
    }

    /// Whether the word ends in a short syllable: consonant, vowel, and a consonant that is not
    /// w, x or Y; or is a vowel and a consonant.
    fn ends_short(&self) -> bool {
        match self.letters[..] {
            [vowel, last] => is_vowel(vowel) && !is_vowel(last),
            [.., before, vowel, last] => {
                let closed = !is_vowel(last) && !matches!(last, 'w' | 'x' | 'Y');
                !is_vowel(before) && is_vowel(vowel) && closed
            }
            _ => false,
        }
    }
}

/// Where the region after the first non-vowel that follows a vowel begins, searching from `from`.
fn region(letters: &[char], from: usize) -> usize {
    let follows = |at: &usize| is_vowel(letters[at - 1]) && !is_vowel(letters[*at]);
    let found = (from + 1..letters.len()).find(follows);
    found.map_or(letters.len(), |at| at + 1)
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

fn is_valid_before_li(letter: char) -> bool {
    matches!(
        letter,
        'c' | 'd' | 'e' | 'g' | 'h' | 'k' | 'm' | 'n' | 'r' | 't'
    )
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn endings_go_only_where_a_word_is_left() {
        let examples = [
            ("ties", "tie"),
            ("cries", "cri"),
            ("gaps", "gap"),
            ("gas", "gas"),
            ("hoped", "hope"),
            ("hopped", "hop"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("say", "say"),
            ("happy", "happi"),
            ("geology", "geolog"),
            ("fluently", "fluentli"),
            ("quickly", "quick"),
            ("generously", "generous"),
            ("adoption", "adopt"),
            ("controlled", "control"),
            ("children's", "children"),
        ];
        for (word, expected) in examples {
            assert_eq!(stem(word), expected, "of {word}");
        }
    }

    #[test]
    fn lists_of_exceptions_come_first() {
        let examples = [("dying", "die"), ("news", "news"), ("innings", "inning")];
        for (word, expected) in examples {
            assert_eq!(stem(word), expected, "of {word}");
        }
    }

    #[test]
    fn capitals_and_strangers_are_left_alone() {
        for word in ["RUNNING", "YES", "", "'", "猫", "naïveté", "ßß"] {
            assert_eq!(stem(word), word, "of {word}");
        }
    }
}
