//! Words as METEOR compares them: by hash codes of the word and its stem, by synonym sets, and by
//! their numbers in the table of paraphrases.

use super::paraphrases::Paraphrases;
use super::synonyms::Synonyms;
use crate::text::snowball;
use crate::text::vocabulary::Vocabulary;
use std::collections::BTreeSet;

/// A way in which two words can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Module {
    /// The same word.
    Exact,
    /// Different words with the same stem.
    Stem,
    /// Different words in a common synonym set.
    Synonym,
    /// Phrases that the table of paraphrases has.
    Paraphrase,
}

impl Module {
    pub(super) const ALL: [Self; 4] = [Self::Exact, Self::Stem, Self::Synonym, Self::Paraphrase];

    /// The name in METEOR's `-m`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Stem => "stem",
            Self::Synonym => "synonym",
            Self::Paraphrase => "paraphrase",
        }
    }

    /// Whether this module matches two words; never for paraphrases, which are of phrases.
    pub(super) fn matches(self, one: &LexiconEntry, other: &LexiconEntry) -> bool {
        match self {
            Self::Exact => one.code == other.code,
            Self::Paraphrase => false,
            _ if one.code == other.code => false,
            Self::Stem => one.stem == other.stem,
            Self::Synonym => {
                one.set_bits & other.set_bits != 0 && intersect(&one.sets, &other.sets)
            }
        }
    }
}

/// A word with the codes and sets that modules compare.
#[derive(Debug)]
pub(super) struct LexiconEntry {
    /// The number of the word, different for different words, unlike the code.
    pub(super) number: u32,
    /// Its number in the table of paraphrases.
    pub(super) in_table: u32,
    code: i32,
    stem: i32,
    /// The synonym sets, in ascending order.
    sets: Vec<i32>,
    /// A bit for each set, so that most words are told apart without a look at the lists.
    set_bits: u128,
    /// Whether it is a function word, in whatever case.
    pub(super) function: bool,
}

impl LexiconEntry {
    pub(super) fn same(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

/// The tables that words are looked up in.
#[derive(Debug, Default)]
pub(super) struct LexiconTables {
    pub(super) function_words: BTreeSet<String>,
    pub(super) synonyms: Synonyms,
    pub(super) paraphrases: Paraphrases,
}

/// Every word of the texts read so far, looked up once.
#[derive(Debug)]
pub(super) struct Lexicon<'a> {
    tables: &'a LexiconTables,
    vocabulary: Vocabulary,
    words: Vec<LexiconEntry>,
}

impl<'a> Lexicon<'a> {
    pub(super) fn new(tables: &'a LexiconTables) -> Self {
        Self {
            tables,
            vocabulary: Vocabulary::default(),
            words: Vec::new(),
        }
    }

    /// The words of a line, as numbers for [`word`](Self::word).
    pub(super) fn read(&mut self, line: &str) -> Vec<u32> {
        let space = |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}');
        let words = line.split(space).filter(|word| !word.is_empty());
        words.map(|word| self.id(word)).collect()
    }

    pub(super) fn word(&self, id: u32) -> &LexiconEntry {
        &self.words[id as usize]
    }

    fn id(&mut self, word: &str) -> u32 {
        let id = self.vocabulary.id(word);
        // Words are numbered in the order in which they are first read.
        if id as usize == self.words.len() {
            let sets = self.tables.synonyms.sets(word);
            let bit = |bits: u128, set: &i32| bits | 1 << set.rem_euclid(128);
            self.words.push(LexiconEntry {
                number: id,
                in_table: self.tables.paraphrases.word(word),
                code: hash_code(word),
                stem: hash_code(&snowball::stem(word)),
                set_bits: sets.iter().fold(0, bit),
                sets,
                function: self.tables.function_words.contains(&word.to_lowercase()),
            });
        }
        id
    }
}

/// Java's `String.hashCode`. Different words can have the same code, and then match.
fn hash_code(text: &str) -> i32 {
    let step = |code: i32, unit| code.wrapping_mul(31).wrapping_add(i32::from(unit));
    text.encode_utf16().fold(0, step)
}

/// Whether two ascending lists have an element in common.
fn intersect(one: &[i32], other: &[i32]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        match one[i].cmp(&other[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_javas() {
        assert_eq!(hash_code("hello"), 99_162_322);
        assert_eq!(hash_code("Aa"), hash_code("BB"));
        assert_eq!(hash_code("🍕"), 1_773_209);
    }

    #[test]
    fn a_module_matches_what_no_stricter_one_does() {
        let tables = LexiconTables::default();
        let mut lexicon = Lexicon::new(&tables);
        let ids = lexicon.read("running runs running\tdog");
        let matched = |module: Module, i: usize, j: usize| {
            module.matches(lexicon.word(ids[i]), lexicon.word(ids[j]))
        };
        assert!(matched(Module::Exact, 0, 2) && !matched(Module::Stem, 0, 2));
        assert!(matched(Module::Stem, 0, 1) && !matched(Module::Exact, 0, 1));
        assert!(!Module::ALL.iter().any(|&module| matched(module, 0, 3)));
    }
}
