//! ROUGE's tokens as numbers: words, or their stems.

use crate::text::stem::{Mode, stem};
use crate::text::tokenize::rouge_tokens;
use crate::text::vocabulary::Vocabulary;

/// Words longer than this are stemmed.
const UNSTEMMED: usize = 3;

/// Reads texts; equal words (or words with equal stems) get equal numbers.
#[derive(Debug)]
pub(super) struct Tokens {
    words: Vocabulary,
    stems: Option<Stems>,
}

/// Every distinct word is stemmed once.
#[derive(Debug, Default)]
struct Stems {
    /// The stem's number, by the word's number.
    of_word: Vec<u32>,
    stems: Vocabulary,
}

impl Tokens {
    pub(super) fn new(use_stemmer: bool) -> Self {
        Self {
            words: Vocabulary::default(),
            stems: use_stemmer.then(Stems::default),
        }
    }

    /// Replaces `symbols` by the tokens of `text`.
    pub(super) fn read(&mut self, text: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        rouge_tokens(text, |token| {
            let word = self.words.id(token);
            symbols.push(match &mut self.stems {
                None => word,
                Some(stems) => stems.id(word, token),
            });
        });
    }
}

impl Stems {
    fn id(&mut self, word: u32, token: &str) -> u32 {
        if let Some(&stem) = self.of_word.get(word as usize) {
            return stem;
        }
        let id = if token.len() > UNSTEMMED {
            self.stems.id(&stem(token, Mode::Nltk))
        } else {
            self.stems.id(token)
        };
        // Words are numbered in the order in which they are first read.
        self.of_word.push(id);
        id
    }
}
