//! Text, cut into what lexical metrics compare: tokens, stems, n-grams, common subsequences.
//!
//! | file | from | to |
//! | --- | --- | --- |
//! | [`whitespace`] | a line | words, as Python's `split()` sees them |
//! | [`tokenize`] | a line | tokens, as sacrebleu's tokenisers and ROUGE's see them |
//! | [`word_tokenize`] | a line | words and marks, as nltk's `word_tokenize` sees them |
//! | [`moses`] | a line | words and marks, as Moses's tokeniser sees them |
//! | [`stem`] | a word | its stem, after Porter |
//! | [`snowball`] | a word | its stem, after Porter's second algorithm |
//! | [`hash`] | a token or n-gram | 64 bits for hash tables |
//! | [`vocabulary`] | a token | a number, equal for equal tokens |
//! | [`ngrams`] | two sequences of numbers | the n-grams they share |
//! | [`ngram_ids`] | words | their n-grams as numbers, equal for equal n-grams |
//! | [`lcs`] | two sequences of numbers | their longest common subsequence |
//! | `resource` | a file, compressed or not | a table of words |
//! | `levenshtein` | two sequences of numbers | how many edits turn one into the other |

pub mod hash;
pub mod lcs;
mod levenshtein;
pub mod moses;
pub mod ngram_ids;
pub mod ngrams;
mod occurrences;
pub(crate) mod resource;
mod rewrite;
pub mod snowball;
pub mod stem;
pub mod tokenize;
pub mod vocabulary;
pub mod whitespace;
pub mod word_tokenize;
