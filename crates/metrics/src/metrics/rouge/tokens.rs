//! Texts as numbers: equal words, or words with equal stems, get equal numbers.

use super::params::RougeWords;
use crate::text::stem::{Mode, stem};
#[cfg(feature = "icu")]
use crate::text::tokenize::icu_words;
use crate::text::tokenize::{rouge_tokens, unicode_letters, unicode_words};
use crate::text::vocabulary::Vocabulary;
use std::borrow::Cow;

/// The length of the longest words that are not stemmed, by rouge-score and by ROUGE-1.5.5.
pub(super) const UNSTEMMED: usize = 3;

/// A reader of texts.
pub(super) trait TokenReader {
    /// Replaces `symbols` by the tokens of `text`.
    fn read(&mut self, text: &str, symbols: &mut Vec<u32>);

    /// Lets numbers begin anew with the next item: few and small ones are found faster.
    fn forget(&mut self) {}
}

/// A reader of texts with a sentence per line.
pub(super) trait LineReader: TokenReader {
    /// The tokens of each line.
    fn lines(&mut self, text: &str) -> Vec<Vec<u32>>;
}

/// The meanings of words, worked out once for every distinct word.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    words: Vocabulary,
    /// The number of each word's meaning.
    of_word: Vec<Option<u32>>,
    meanings: Vocabulary,
}

impl Meanings {
    /// The number of what `word` stands for by `meaning`; `None` if it stands for nothing.
    pub(super) fn id<'a>(
        &mut self,
        word: &'a str,
        meaning: impl FnOnce(&'a str) -> Option<Cow<'a, str>>,
    ) -> Option<u32> {
        let at = self.words.id(word) as usize;
        // Words are numbered in the order in which they are first read.
        if at == self.of_word.len() {
            let id = meaning(word).map(|meaning| self.meanings.id(&meaning));
            self.of_word.push(id);
        }
        self.of_word[at]
    }
}

/// rouge-score's tokens: words, or their stems.
#[derive(Debug)]
pub(super) enum RougeScoreTokenizer {
    Words(RougeWords, Vocabulary),
    Stems(Meanings),
}

impl RougeScoreTokenizer {
    pub(super) fn new(words: RougeWords, use_stemmer: bool) -> Self {
        if use_stemmer {
            Self::Stems(Meanings::default())
        } else {
            Self::Words(words, Vocabulary::default())
        }
    }
}

impl TokenReader for RougeScoreTokenizer {
    fn forget(&mut self) {
        if let Self::Words(_, words) = self {
            words.clear();
        }
    }

    fn read(&mut self, text: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        match self {
            Self::Words(kind, words) => {
                let emit = |token: &str| symbols.push(words.id(token));
                match kind {
                    RougeWords::Reference => rouge_tokens(text, emit),
                    RougeWords::Unicode => unicode_words(text, emit),
                    #[cfg(feature = "icu")]
                    RougeWords::Icu => icu_words(text, emit),
                    RougeWords::Letters => unicode_letters(text, emit),
                }
            }
            Self::Stems(stems) => rouge_tokens(text, |token| {
                symbols.extend(stems.id(token, |word| Some(stemmed(word))));
            }),
        }
    }
}

fn stemmed(word: &str) -> Cow<'_, str> {
    if word.len() > UNSTEMMED {
        stem(word, Mode::Nltk).into()
    } else {
        word.into()
    }
}

impl LineReader for RougeScoreTokenizer {
    fn lines(&mut self, text: &str) -> Vec<Vec<u32>> {
        let read = |line| {
            let mut symbols = Vec::new();
            self.read(line, &mut symbols);
            symbols
        };
        text.split('\n').map(read).collect()
    }
}
