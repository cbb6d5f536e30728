//! From text to token ids: Hugging Face's `tokenizer.json`.

use super::{Checkpoint, checkpoint::digest};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::guard::contained;
use tokenizers::{Encoding, PostProcessor, TruncationDirection};

/// The error message where the library panics.
const FAULT: &str = "its rules contradict each other";

/// One input of an encoder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Rows of the word embeddings.
    pub ids: Vec<u32>,
    /// Rows of the token type embeddings, as many as ids.
    pub types: Vec<u32>,
}

/// The tokenizer of a checkpoint.
pub struct SubwordTokenizer {
    model: String,
    digest: String,
    /// The tokenizer that reads special tokens such as `[SEP]` as such everywhere.
    open: tokenizers::Tokenizer,
    /// The tokenizer that reads them as plain text, for the outputs of systems.
    plain: tokenizers::Tokenizer,
}

impl SubwordTokenizer {
    /// Reads the `tokenizer.json` of a checkpoint; its own truncation and padding are ignored.
    ///
    /// # Errors
    /// [`Error::Input`] if the file is missing or damaged.
    pub fn read(checkpoint: &Checkpoint) -> Result<Self> {
        let bytes = checkpoint.read("tokenizer.json")?;
        let damaged = |source: tokenizers::Error| {
            checkpoint.unfit("tokenizer.json", format!("not a tokenizer: {source}"))
        };
        let open = contained(|| tokenizers::Tokenizer::from_bytes(&bytes));
        let mut open = open.unwrap_or_else(|| Err(FAULT.into())).map_err(damaged)?;
        open.with_padding(None);
        open.with_truncation(None).map_err(damaged)?;
        let mut plain = open.clone();
        plain.set_encode_special_tokens(true);
        Ok(Self {
            model: checkpoint.name.clone(),
            digest: digest(&bytes),
            open,
            plain,
        })
    }

    /// SHA-256 of the file, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The id of a token that stands for itself, such as `[SEP]`.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.open.token_to_id(token)
    }

    /// The id of text that the vocabulary does not hold, where there is one.
    pub fn unknown(&self) -> Option<u32> {
        ["[UNK]", "<unk>"].iter().find_map(|token| self.id(token))
    }

    /// The token of an id, as the vocabulary spells it: `##ing`, say.
    pub fn piece(&self, id: u32) -> Option<String> {
        self.open.id_to_token(id)
    }

    /// One more than the largest id.
    pub fn vocabulary(&self) -> usize {
        let ids = self.open.get_vocab(true).into_values();
        ids.max().map_or(0, |id| id as usize + 1)
    }

    /// Refuses a model that has no embeddings for some of the ids.
    ///
    /// # Errors
    /// [`Error::Model`] with both sizes.
    pub fn fits(&self, vocabulary: usize) -> Result<()> {
        if self.vocabulary() <= vocabulary {
            return Ok(());
        }
        Err(Error::model(
            &self.model,
            format!(
                "tokenizer.json has ids up to {}, config.json a vocabulary of {vocabulary}",
                self.vocabulary() - 1
            ),
        )
        .with_hint("the tokenizer and the weights belong to different models"))
    }

    /// The ids of a text by itself, without the special tokens of the model. With `special`,
    /// special tokens written in the text count as such.
    ///
    /// # Errors
    /// [`Error::Model`] if the tokenizer cannot take the text.
    pub fn ids(&self, text: &str, special: bool) -> Result<Vec<u32>> {
        let tokenizer = if special { &self.open } else { &self.plain };
        let encoding = encoded(tokenizer, text).map_err(|source| self.failed(&source))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn failed(&self, source: &tokenizers::Error) -> Error {
        Error::model(&self.model, format!("tokenizer: {source}"))
    }

    /// The special tokens before, between and after two texts: `<s>`, `</s></s>`, `</s>`, say.
    /// `None` where the tokenizer puts nothing between them.
    pub fn frame(&self) -> Option<[String; 3]> {
        let text = encoded(&self.plain, "a").ok()?;
        let all = contained(|| self.plain.post_process(text.clone(), Some(text), true))?;
        let mut frame = [String::new(), String::new(), String::new()];
        let (mut texts, mut inside) = (0, false);
        let all = all.ok()?;
        for (token, &special) in all.get_tokens().iter().zip(all.get_special_tokens_mask()) {
            if special == 1 {
                frame.get_mut(texts)?.push_str(token);
            } else if !inside {
                texts += 1;
            }
            inside = special == 0;
        }
        (texts == 2).then_some(frame)
    }

    /// Encodes one text or a pair with the special tokens the model expects, as transformers does:
    /// what exceeds `max_length` is cut off the longer text first.
    ///
    /// # Errors
    /// [`Error::Model`] if the special tokens alone exceed `max_length`.
    pub fn encode(&self, text: &str, pair: Option<&str>, max_length: usize) -> Result<Tokens> {
        let failed = |source| self.failed(&source);
        let mut texts = vec![encoded(&self.open, text).map_err(failed)?];
        if let Some(pair) = pair {
            texts.push(encoded(&self.open, pair).map_err(failed)?);
        }
        let processor = self.open.get_post_processor();
        let special = processor.map_or(0, |processor| processor.added_tokens(texts.len() == 2));
        let budget = max_length.checked_sub(special).ok_or_else(|| {
            let what = format!("{special} special tokens do not fit into {max_length}");
            Error::model(&self.model, what)
        })?;
        let lengths: Vec<usize> = texts.iter().map(Encoding::len).collect();
        for (text, length) in texts.iter_mut().zip(shorten(&lengths, budget)) {
            text.truncate(length, 0, TruncationDirection::Right);
        }
        let second = (texts.len() == 2).then(|| texts.remove(1));
        let first = texts.remove(0);
        let all = contained(|| self.open.post_process(first, second, true));
        let all = all.unwrap_or_else(|| Err(FAULT.into())).map_err(failed)?;
        Ok(Tokens {
            ids: all.get_ids().to_vec(),
            types: all.get_type_ids().to_vec(),
        })
    }
}

/// Encodes a text by itself.
fn encoded(tokenizer: &tokenizers::Tokenizer, text: &str) -> tokenizers::Result<Encoding> {
    contained(|| tokenizer.encode_fast(text, false)).unwrap_or_else(|| Err(FAULT.into()))
}

/// Lengths that together fit into `budget`: the longest parts are cut to one common length, and
/// the rest goes to those that were longest, among equals to the last. For pairs this is the
/// `longest_first` of transformers.
pub fn shorten(lengths: &[usize], budget: usize) -> Vec<usize> {
    let total = |cap: usize| lengths.iter().map(|&length| length.min(cap)).sum::<usize>();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let cap = (0..=longest).rev().find(|&cap| total(cap) <= budget);
    let cap = cap.unwrap_or(0);
    let mut kept: Vec<usize> = lengths.iter().map(|&length| length.min(cap)).collect();
    let mut order: Vec<usize> = (0..lengths.len()).filter(|&i| lengths[i] > cap).collect();
    order.sort_by_key(|&i| std::cmp::Reverse((lengths[i], i)));
    for &i in order.iter().take(budget - total(cap)) {
        kept[i] += 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_shortened_as_transformers_does() {
        // Lengths of pairs in the golden files and the lengths kept.
        for (lengths, budget, kept) in [
            ([120, 68], 125, [63, 62]),
            ([41, 47], 61, [30, 31]),
            ([23, 60], 61, [23, 38]),
            ([120, 68], 61, [31, 30]),
        ] {
            assert_eq!(shorten(&lengths, budget), kept);
        }
    }

    #[test]
    fn the_budget_is_filled_and_only_the_longest_are_cut() {
        let cases: [&[usize]; 6] = [
            &[5, 9],
            &[40, 40],
            &[0, 3, 11],
            &[7, 7, 7],
            &[1, 0, 90],
            &[],
        ];
        for lengths in cases {
            for budget in 0..110 {
                let kept = shorten(lengths, budget);
                let total = lengths.iter().sum::<usize>();
                assert_eq!(kept.iter().sum::<usize>(), total.min(budget));
                let longest = kept.iter().copied().max().unwrap_or(0);
                for (&kept, &length) in kept.iter().zip(lengths) {
                    assert!(kept == length || (kept < length && kept + 1 >= longest));
                }
            }
        }
    }
}
