//! Near-duplicate names: they differ in capitals, blanks, hyphens and underscores only.

use std::collections::BTreeMap;
use tiebreak_base::error::plain;

/// Groups names that are alike, sorted by name; single names are left out.
pub(crate) fn alike<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Vec<String>> {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        let whole: String = name.split_whitespace().collect();
        kinds
            .entry(plain(&whole))
            .or_default()
            .push(name.to_string());
    }
    kinds.into_values().filter(|kind| kind.len() > 1).collect()
}

/// A line about names that are alike.
pub(crate) fn sentence(names: &[String]) -> String {
    format!(
        "similar names: {} differ only in capitals, blanks, hyphens or underscores; a system needs one name",
        names.join(" and ")
    )
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
}
