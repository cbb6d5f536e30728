//! White space as Python's `str.split()`, `str.strip()` and `\s` agree on it, since every reference
//! implementation of a lexical metric is written in Python.

/// Whether Python's `str.isspace` holds for `c`: Unicode's `White_Space` and the four ASCII
/// separators U+001C to U+001F, which Unicode leaves out.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// The words of a line, as `str.split()` gives them: never empty.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|word| !word.is_empty())
}

/// The line without trailing white space (`str.rstrip`).
pub(crate) fn trim_end(line: &str) -> &str {
    line.trim_end_matches(is_space)
}

/// The line without white space on either side (`str.strip`).
pub(crate) fn trim(line: &str) -> &str {
    line.trim_matches(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_spaces_split_and_zero_width_ones_do_not() {
        let line = "a\u{a0}b\u{3000}c\u{2028}d\u{85}e\u{1c}f\u{1f}g\u{200b}h\u{feff}i";
        let split: Vec<_> = words(line).collect();
        assert_eq!(split, ["a", "b", "c", "d", "e", "f", "g\u{200b}h\u{feff}i"]);
    }

    #[test]
    fn exactly_pythons_29_characters_are_spaces() {
        let spaces = ('\0'..=char::MAX).filter(|&c| is_space(c)).count();
        assert_eq!(spaces, 29);
    }

    #[test]
    fn trimming_leaves_the_inside_alone() {
        assert_eq!(trim("\u{1e} a  b \u{a0}"), "a  b");
        assert_eq!(trim_end(" a  b \u{85}"), " a  b");
    }
}
