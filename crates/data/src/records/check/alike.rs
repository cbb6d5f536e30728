//! Near-duplicate names: they differ in capitals, blanks, hyphens and underscores only, or in the Unicode form of letters.

use std::collections::BTreeMap;
use tiebreak_base::error::plain;
use tiebreak_base::words::counted;
use unicode_normalization::UnicodeNormalization;

/// Groups names that are alike, sorted by name; single names are left out.
pub(crate) fn alike<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        let whole: String = name
            .split_whitespace()
            .flat_map(UnicodeNormalization::nfc)
            .collect();
        kinds
            .entry(plain(&whole))
            .or_default()
            .push(name.to_string());
    }
    kinds.into_values().filter(|kind| kind.len() > 1).collect()
}

/// The name with composed letters, where it has others.
pub(crate) fn composed(name: &str) -> Option<String> {
    let composed: String = name.nfc().collect();
    (composed != name).then_some(composed)
}

/// A line about names that are alike.
pub(crate) fn sentence(names: &[String]) -> String {
    format!(
        "similar names: {} differ only in capitals, blanks, hyphens, underscores or the Unicode form of letters; a system \
         needs one name",
        names.join(" and ")
    )
}

/// A line about items whose names are alike, if there are any.
pub(crate) fn items_sentence(items: &[[String; 2]]) -> Option<String> {
    let [one, other] = items.first()?;
    Some(format!(
        "similar names of items: {}, such as {one} and {other}, differ only in the Unicode form of letters; an item needs \
         one name",
        counted(items.len() as u64, "pair")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_blanks_and_hyphens_are_no_difference() {
        let names = ["GPT-4", "gpt 4", "gpt-4.1", "a1", "a_1", "b"];
        let expected = [vec!["a1", "a_1"], vec!["GPT-4", "gpt 4"]];
        assert_eq!(alike(names.into_iter()), expected);
    }

    #[test]
    fn composed_and_decomposed_letters_are_no_difference() {
        let names = ["caf\u{e9}", "cafe\u{301}", "cafe"];
        assert_eq!(alike(names.into_iter()), [[names[0], names[1]]]);
        let expected = [None, Some(names[0].to_string()), None];
        assert_eq!(names.map(composed), expected);
    }
}
