//! Words and marks as the scripts of the translation system Moses see them, for English.
//!
//! Source: `normalize-punctuation.perl` and `tokenizer.perl` of Moses in their Python form, sacremoses
//! 0.2.0, with neither escaping nor aggressive splitting of dashes, as LASER asks for them.
//! First punctuation is normalised (`punctuation.rs`), then marks and words are set apart
//! (`tokens.rs`); both are substitutions in a fixed order.
//!
//! Deviation: `DOTMULTI`, which the original puts into the text for dots in a row, is an ordinary
//! word here.

mod abbreviations;
mod letters;
mod punctuation;
mod tokens;

use super::rewrite::Rewrite;

/// Normaliser and tokeniser with room to work in; use one for many lines.
#[derive(Debug, Default)]
pub struct Moses {
    line: Rewrite,
}

impl Moses {
    /// The tokens of a line between single spaces.
    pub fn tokenize(&mut self, line: &str) -> String {
        self.line.begin(line);
        punctuation::normalize(&mut self.line);
        tokens::set_apart(&mut self.line);
        tokens::joined(&self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        assert_eq!(Moses::default().tokenize(line), expected, "of {line:?}");
    }

    #[test]
    fn punctuation_is_normalised_first() {
        check("“a” – ‘b’…", "\" a \" - ' b ' ...");
        check("( a ) ,b :c", "( a ) , b : c");
        check("he said \"no\", then", "he said \" no , \" then");
        check("5\u{a0}000 10 %", "5.000 10 %");
    }

    #[test]
    fn contractions_and_possessives_are_set_apart() {
        check("don't 1990's dogs' x", "don 't 1990 's dogs ' x");
        check("he said 'no'.", "he said ' no ' .");
    }

    #[test]
    fn full_stops_are_told_from_abbreviations() {
        check(
            "Mr. Lee, e.g. No. 5 or No. Five.",
            "Mr. Lee , e.g. No. 5 or No . Five .",
        );
        check("wait... U.S. end. so", "wait ... U.S. end. so");
        check("1,234.5, 6,7", "1,234.5 , 6,7");
    }

    #[test]
    fn ideographs_stand_alone_and_kana_do_not() {
        check("我喜欢猫。", "我 喜 欢 猫 。");
        check("とても나는", "とても 나 는");
        check("बाज़ार था।", "बाज़ार था ।");
    }
}
