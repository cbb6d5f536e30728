//! The character classes of each tokeniser.

use super::scan::{CharClass, Classes};
use crate::text::whitespace::is_space;
use std::sync::LazyLock;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The classes of 13a.
pub(super) static WESTERN: LazyLock<Classes> = LazyLock::new(|| Classes::new(western));
/// The classes of Tercom where it looks after Chinese and Japanese.
pub(super) static WESTERN_AND_ASIAN: LazyLock<Classes> =
    LazyLock::new(|| Classes::new(western_and_asian));
/// The classes of the international tokeniser.
pub(super) static INTERNATIONAL: LazyLock<Classes> = LazyLock::new(|| Classes::new(international));
/// The classes of the Chinese tokeniser.
pub(super) static CHINESE: LazyLock<Classes> = LazyLock::new(|| Classes::new(chinese));
/// The classes for tokens of one character.
pub(super) static CHARACTERS: LazyLock<Classes> = LazyLock::new(|| Classes::new(character));
/// The classes for tokens between white space.
pub(super) static WORDS: LazyLock<Classes> = LazyLock::new(|| Classes::new(word));

/// mteval-v13a: ASCII punctuation stands alone but for the apostrophe, and full stop, comma and
/// dash depend on digits.
fn western(c: char) -> CharClass {
    match c {
        'a'..='z' | 'A'..='Z' => CharClass::Other,
        '0'..='9' => CharClass::Digit,
        ' ' => CharClass::Space,
        '.' | ',' => CharClass::Point,
        '-' => CharClass::Dash,
        _ if is_western_symbol(c) => CharClass::Isolated,
        _ if is_space(c) => CharClass::Space,
        _ => CharClass::Other,
    }
}

/// Whether 13a sets `c` apart wherever it stands, the space included.
pub(super) fn is_western_symbol(c: char) -> bool {
    matches!(c, ' '..='&' | '('..='+' | '/' | ':'..='@' | '['..='`' | '{'..='~')
}

/// The class as of [`western`], with Chinese characters and Asian punctuation standing alone.
fn western_and_asian(c: char) -> CharClass {
    if is_asian(c) || is_asian_punctuation(c) {
        return CharClass::Isolated;
    }
    western(c)
}

/// Whether Tercom takes `c` for a Chinese character. The range that should end with the enclosed
/// letters at U+32FF ends at U+3F22 in the reference.
fn is_asian(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2eff}' // radicals
        | '\u{31c0}'..='\u{31ef}' // strokes
        | '\u{3200}'..='\u{4dbf}' // enclosed letters, compatibility, extension A
        | '\u{4e00}'..='\u{9fff}' // unified ideographs
        | '\u{f900}'..='\u{faff}' // compatibility ideographs
        | '\u{fe30}'..='\u{fe4f}') // compatibility forms
}

/// Whether Tercom takes `c` for punctuation beyond ASCII: Chinese, Japanese and of full width.
pub(super) fn is_asian_punctuation(c: char) -> bool {
    matches!(c,
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}'
        | '\u{30fb}' | '\u{ff61}'..='\u{ff65}'
        | '！' | '＂' | '（' | '）' | '，' | '．' | '：' | '；' | '？')
}

/// mteval-v14's international tokenisation: Unicode punctuation depends on numbers, symbols stand
/// alone.
fn international(c: char) -> CharClass {
    match c.general_category_group() {
        _ if is_space(c) => CharClass::Space,
        GeneralCategoryGroup::Punctuation => CharClass::Point,
        GeneralCategoryGroup::Symbol => CharClass::Isolated,
        GeneralCategoryGroup::Number => CharClass::Digit,
        _ => CharClass::Other,
    }
}

/// The class as of [`western`], with Chinese characters standing alone.
fn chinese(c: char) -> CharClass {
    if is_chinese(c) {
        // The ideographic space and the spaces of general punctuation lie in the ranges below.
        return if is_space(c) {
            CharClass::Space
        } else {
            CharClass::Isolated
        };
    }
    western(c)
}

/// Every character but white space stands alone.
fn character(c: char) -> CharClass {
    if is_space(c) {
        CharClass::Space
    } else {
        CharClass::Isolated
    }
}

/// Only white space separates.
fn word(c: char) -> CharClass {
    if is_space(c) {
        CharClass::Space
    } else {
        CharClass::Other
    }
}

/// Whether sacrebleu 2.6.0 takes `c` for a Chinese character.
///
/// Two of its ranges are meant to lie beyond U+FFFF (extension B, compatibility supplement) but
/// are written with four hexadecimal digits and a literal fifth: as strings they span U+2001 to
/// U+2A6D (arrows, dashes, curly quotes, mathematics) and U+2F81 to U+2FA1. Real extension B
/// characters are not recognised. Both are kept, since published scores contain them.
fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{2001}'..='\u{2a6d}'
        | '\u{2e80}'..='\u{2eff}' // radicals
        | '\u{2f00}'..='\u{2fdf}' // Kangxi radicals
        | '\u{2ff0}'..='\u{2fff}' // structure
        | '\u{3000}'..='\u{303f}' // punctuation
        | '\u{3100}'..='\u{312f}' // bopomofo
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31c0}'..='\u{31ef}' // strokes
        | '\u{3200}'..='\u{33ff}' // enclosed letters, compatibility
        | '\u{3400}'..='\u{4db5}' // extension A
        | '\u{4e00}'..='\u{9fbb}' // unified ideographs
        | '\u{f900}'..='\u{fa2d}'
        | '\u{fa30}'..='\u{fa6a}'
        | '\u{fa70}'..='\u{fad9}'
        | '\u{fe10}'..='\u{fe1f}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}') // full width
}
