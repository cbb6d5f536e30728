//! Cuts a line into tokens exactly as sacrebleu 2.6.0 (for BLEU and TER) and rouge-score 0.1.2 do.
//!
//! Each of sacrebleu's tokenisers of rules is a way to class characters (`classes.rs`) and one scan
//! over the line. Tokens are slices of the line wherever possible, so tokenising allocates nothing.
//! The others need files (`files.rs`): models of SentencePiece, dictionaries of MeCab.
//!
//! Deviation: categories and case are those of the Unicode version this program was built with,
//! which may know characters that Python's version did not.

mod classes;
mod files;
#[cfg(feature = "icu")]
mod icu;
mod mecab;
mod runs;
mod scan;
mod sentencepiece;
mod tercom;

pub use files::TokenizerCache;
#[cfg(feature = "icu")]
pub use icu::icu_words;
pub use tercom::Tercom;

use crate::text::whitespace;
use files::FileTokenizer;
use scan::scan;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::Result;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// One of sacrebleu's tokenisers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SacrebleuTokenizer {
    /// mteval-v13a, the standard of WMT.
    #[default]
    #[serde(rename = "13a")]
    V13a,
    /// White space only.
    #[serde(rename = "none")]
    None,
    /// mteval-v14 with international tokenisation: Unicode punctuation and symbols.
    #[serde(rename = "intl")]
    Intl,
    /// Every character a token.
    #[serde(rename = "char")]
    Char,
    /// Chinese characters are tokens, everything else as in 13a.
    #[serde(rename = "zh")]
    Zh,
    /// Japanese words, by MeCab and IPADIC.
    #[serde(rename = "ja-mecab")]
    JaMecab,
    /// Korean words, by MeCab and mecab-ko-dic.
    #[serde(rename = "ko-mecab")]
    KoMecab,
    /// Pieces of SentencePiece by the model of FLORES-101; its older name.
    #[serde(rename = "spm")]
    Spm,
    /// The same.
    #[serde(rename = "flores101")]
    Flores101,
    /// Pieces of SentencePiece by the model of FLORES-200.
    #[serde(rename = "flores200")]
    Flores200,
    /// Pieces of SentencePiece by a model of a thousand languages.
    #[serde(rename = "spBLEU-1K")]
    SpBleu1K,
}

impl SacrebleuTokenizer {
    /// The name in sacrebleu's signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::V13a => "13a",
            Self::None => "none",
            Self::Intl => "intl",
            Self::Char => "char",
            Self::Zh => "zh",
            Self::JaMecab => "ja-mecab-0.996-IPA",
            Self::KoMecab => "ko-mecab-0.996/ko-0.9.2-KO",
            Self::Spm | Self::Flores101 => "flores101",
            Self::Flores200 => "flores200",
            Self::SpBleu1K => "spBLEU-1K",
        }
    }

    /// The tokeniser, with what it reads from files: those of the folder that `TIEBREAK_TOKENIZERS` names, or beside
    /// the models.
    ///
    /// # Errors
    /// If files are missing or are others than those that sacrebleu uses.
    pub fn open(self, cache: &TokenizerCache, models: &Path) -> Result<LineTokenizer> {
        let read = |files| cache.get(files, models).map(Cutter::Files);
        let cutter = match self {
            Self::V13a => Cutter::V13a,
            Self::None => Cutter::None,
            Self::Intl => Cutter::Intl,
            Self::Char => Cutter::Char,
            Self::Zh => Cutter::Zh,
            Self::JaMecab => read(&files::IPADIC)?,
            Self::KoMecab => read(&files::KO_DIC)?,
            Self::Spm | Self::Flores101 => read(&files::FLORES_101)?,
            Self::Flores200 => read(&files::FLORES_200)?,
            Self::SpBleu1K => read(&files::SPBLEU_1K)?,
        };
        Ok(LineTokenizer(cutter))
    }
}

/// One of sacrebleu's tokenisers, ready for lines.
#[derive(Debug, Clone)]
pub struct LineTokenizer(Cutter);

#[derive(Debug, Clone)]
enum Cutter {
    V13a,
    None,
    Intl,
    Char,
    Zh,
    Files(Arc<FileTokenizer>),
}

impl LineTokenizer {
    /// Pieces by a model of SentencePiece.
    ///
    /// # Errors
    /// If the file cannot be read or is no such model.
    pub fn of_model(path: &Path) -> Result<Self> {
        let model = FileTokenizer::of_model(path)?;
        Ok(Self(Cutter::Files(Arc::new(model))))
    }

    /// Calls `emit` with each token of `line`, in order. Tokens are never empty and contain no
    /// white space.
    pub fn tokens(&self, line: &str, emit: impl FnMut(&str)) {
        let line = whitespace::trim_end(line);
        match &self.0 {
            Cutter::V13a => scan(&without_markup(line), true, &classes::WESTERN, emit),
            Cutter::None => scan(line, false, &classes::WORDS, emit),
            Cutter::Intl => scan(line, false, &classes::INTERNATIONAL, emit),
            Cutter::Char => scan(line, false, &classes::CHARACTERS, emit),
            Cutter::Zh => scan(whitespace::trim(line), false, &classes::CHINESE, emit),
            Cutter::Files(files) => match &**files {
                FileTokenizer::Pieces(model) => model.tokens(line, emit),
                FileTokenizer::Words(dictionary) => dictionary.tokens(line, emit),
            },
        }
    }
}

/// The language-independent step of 13a: skipped segments, words broken over lines, and four
/// entities. The order counts: `&amp;lt;` becomes `<`, but `&amp;quot;` stays `&quot;`.
fn without_markup(line: &str) -> Cow<'_, str> {
    let suspect = |found, byte| found | matches!(byte, b'&' | b'<' | b'\n');
    if !line.bytes().fold(false, suspect) {
        return Cow::Borrowed(line);
    }
    let joined = line.replace("<skipped>", "").replace("-\n", "");
    Cow::Owned(without_entities(&joined))
}

fn without_entities(line: &str) -> String {
    line.replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
}

/// Calls `emit` with each of ROUGE's tokens: runs of a-z and 0-9 in the lower-cased text.
///
/// Everything else separates, accented letters included. Lower-casing is Unicode's, so the Kelvin
/// sign is a `k` and a dotted capital I is an `i` (and a combining dot, which separates).
pub fn rouge_tokens(text: &str, emit: impl FnMut(&str)) {
    runs::runs(&text.to_lowercase(), emit);
}

/// Calls `emit` with each run of letters, marks and numbers in the lower-cased text, of any script.
pub fn unicode_words(text: &str, emit: impl FnMut(&str)) {
    let text = text.to_lowercase();
    let words = text.split(|c| !is_alphanumeric(c) && !is_mark(c));
    words.filter(|word| !word.is_empty()).for_each(emit);
}

/// Calls `emit` with each letter or number of the lower-cased text, with the marks that follow it.
pub(crate) fn unicode_letters(text: &str, mut emit: impl FnMut(&str)) {
    let text = text.to_lowercase();
    for (at, c) in text.char_indices().filter(|(_, c)| is_alphanumeric(*c)) {
        let rest = &text[at + c.len_utf8()..];
        let marks = rest.find(|c| !is_mark(c)).unwrap_or(rest.len());
        emit(&text[at..at + c.len_utf8() + marks]);
    }
}

fn is_alphanumeric(c: char) -> bool {
    let group = c.general_category_group();
    matches!(
        group,
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

fn is_mark(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokenizer: SacrebleuTokenizer, line: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        let opened = tokenizer.open(&TokenizerCache::default(), Path::new(""));
        opened
            .unwrap()
            .tokens(line, |token| tokens.push(token.to_string()));
        tokens
    }

    fn check(tokenizer: SacrebleuTokenizer, line: &str, expected: &str) {
        assert_eq!(tokens(tokenizer, line).join(" "), expected, "of {line:?}");
    }

    #[test]
    fn points_stay_in_numbers_and_nowhere_else() {
        check(
            SacrebleuTokenizer::V13a,
            "1,234.5 a.b 5. .5",
            "1,234.5 a . b 5 . . 5",
        );
        check(
            SacrebleuTokenizer::V13a,
            "a..5 ... 1.,2",
            "a . .5 . . . 1 . , 2",
        );
    }

    #[test]
    fn dashes_split_after_digits_only() {
        check(
            SacrebleuTokenizer::V13a,
            "10-12 well-known 1--2",
            "10 - 12 well-known 1 - -2",
        );
    }

    #[test]
    fn entities_are_unescaped_in_sacrebleus_order() {
        check(
            SacrebleuTokenizer::V13a,
            "&amp;lt; &amp;quot; x-\ny",
            "< & quot ; xy",
        );
        check(SacrebleuTokenizer::V13a, "a<skipped>b", "ab");
    }

    #[test]
    fn only_13a_assumes_a_space_after_the_line() {
        check(SacrebleuTokenizer::V13a, "in 2020.", "in 2020 .");
        check(SacrebleuTokenizer::Intl, "in 2020.", "in 2020.");
        check(SacrebleuTokenizer::Zh, "in 2020.", "in 2020.");
    }

    #[test]
    fn international_punctuation_and_symbols_stand_alone() {
        check(
            SacrebleuTokenizer::Intl,
            "«a» 5€ ½.½ x+y",
            "« a » 5 € ½.½ x + y",
        );
        check(SacrebleuTokenizer::V13a, "«a» 5€", "«a» 5€");
    }

    #[test]
    fn chinese_keeps_sacrebleus_mistaken_ranges() {
        check(SacrebleuTokenizer::Zh, "我用GPT-4。", "我 用 GPT-4 。");
        check(SacrebleuTokenizer::Zh, "a→b ‘c’ 𠀀𠀁", "a → b ‘ c ’ 𠀀𠀁");
    }

    #[test]
    fn words_and_letters_of_every_script_keep_their_marks() {
        let (mut words, mut letters) = (Vec::new(), Vec::new());
        unicode_words("Ñandú हिन्दी, 5½!", |word| {
            words.push(word.to_string());
        });
        unicode_letters("Né हि\u{301}!ก็", |one| {
            letters.push(one.to_string());
        });
        assert_eq!(words, ["ñandú", "हिन्दी", "5½"]);
        assert_eq!(letters, ["n", "é", "हि\u{301}", "ก็"]);
    }

    #[test]
    fn rouge_keeps_ascii_letters_and_digits() {
        let mut tokens = Vec::new();
        rouge_tokens("Naïve \u{212a}ing's 2nd İx", |token| {
            tokens.push(token.to_string());
        });
        assert_eq!(tokens, ["na", "ve", "king", "s", "2nd", "i", "x"]);
    }
}
