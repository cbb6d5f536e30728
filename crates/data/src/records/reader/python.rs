//! Lists printed by Python, where a tool wrote `str(list)` into a field.

/// Parses a list of quoted texts, written as JSON or as Python prints it. `None` for anything
/// else.
pub(in crate::records) fn spelled_list(text: &str) -> Option<Vec<String>> {
    if !text.starts_with('[') {
        return None;
    }
    serde_json::from_str(text).ok().or_else(|| {
        let elements = python_elements(text)?;
        let text = |(element, is_quoted): (String, bool)| is_quoted.then_some(element);
        elements.into_iter().map(text).collect()
    })
}

/// Parses a list as Python prints it: `['a', "it's", 3]`. `None` for anything else.
pub(in crate::records) fn python_list(text: &str) -> Option<Vec<String>> {
    let elements = python_elements(text)?.into_iter();
    Some(elements.map(|(element, _)| element).collect())
}

/// Parses the elements of such a list, and whether each is in quotes.
fn python_elements(text: &str) -> Option<Vec<(String, bool)>> {
    let mut rest = text.strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let element = match rest.chars().next()? {
            quote @ ('\'' | '"') => {
                let (element, after) = python_text(&rest[1..], quote)?;
                rest = after;
                (element, true)
            }
            _ => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (element, after) = rest.split_at(end);
                rest = after;
                let element = element.trim();
                let simple =
                    element.parse::<f64>().is_ok() || ["True", "False", "None"].contains(&element);
                simple.then(|| (element.to_string(), false))?
            }
        };
        texts.push(element);
        rest = rest.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(texts)
}

/// Splits a text at its closing quote into the text before and the rest after.
fn python_text(text: &str, quote: char) -> Option<(String, &str)> {
    let mut read = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            c if c == quote => return Some((read, &text[at + 1..])),
            '\\' => {
                let escape = characters.next()?.1;
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                let code: String = characters.by_ref().take(digits).map(|(_, c)| c).collect();
                read.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    _ if digits > 0 => char::from_u32(u32::from_str_radix(&code, 16).ok()?)?,
                    other => other,
                });
            }
            c => read.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_python_prints_them() {
        let read = |text: &str| python_list(text);
        let texts =
            |texts: &[&str]| Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read("['a', \"it's\", 3]"), texts(&["a", "it's", "3"]));
        assert_eq!(
            read(r"['x\u200dy', 'a\'b', '\\']"),
            texts(&["x\u{200d}y", "a'b", "\\"])
        );
        assert_eq!(read("[]"), texts(&[]));
        assert_eq!(spelled_list("['a', \"it's\"]"), texts(&["a", "it's"]));
        assert_eq!(spelled_list("[\"a\"]"), texts(&["a"]));
        assert_eq!(spelled_list("['a', 3]"), None);
        for text in ["[a, b]", "['a'", "a", "[see above]", "['a' 'b']"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
