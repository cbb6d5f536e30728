//! Words of every script as ICU4X's `icu_segmenter` 2.4.0 sees them, with its dictionaries of scripts without spaces.
//!
//! Source: Unicode Standard Annex 29. ICU4X's words of Thai, Khmer, Lao, Burmese, Chinese and Japanese are often others
//! than those of ICU 78, which has other dictionaries and rules. Its neural networks for four of these scripts are not
//! used: their words agree less with ICU's.

use icu_segmenter::{WordSegmenter, options::WordBreakInvariantOptions};

/// Calls `emit` with each word of the lower-cased text that has a letter or number.
pub fn icu_words(text: &str, mut emit: impl FnMut(&str)) {
    let text = text.to_lowercase();
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    let mut start = 0;
    for (end, kind) in segmenter.segment_str(&text).iter_with_word_type() {
        if kind.is_word_like() {
            emit(&text[start..end]);
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `icu_segmenter` 2.4.0 cuts them by its dictionaries; ICU 78 cuts most of them otherwise.
    #[test]
    fn scripts_without_spaces_are_cut_by_dictionaries() {
        for (text, expected) in [
            ("รถบ้านเล็กในแมวGPU มี", "รถ|บ้าน|เล็ก|ใน|แมว|gpu|มี"),
            (
                "写作2026孩子水和市场很小市场。",
                "写作|2026|孩子|水|和市|场|很小|市场",
            ),
            ("すもももももももものうち", "すもも|もも|もも|もも|のう|ち"),
            ("ແມວກິນ9:30ປາໃນ", "ແມວ|ກິນ|9|30|ປາ|ໃນ"),
            ("အိမ်ရေကြောင်", "အိမ်|ရေကြော|င်"),
            (" … ", ""),
        ] {
            let mut words = Vec::new();
            icu_words(text, |word| words.push(word.to_string()));
            assert_eq!(words.join("|"), expected);
        }
    }
}
