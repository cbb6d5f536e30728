//! Verdicts from the text of an answer.

use super::{UnreadableAnswer, VerdictLabels};
use serde_json::Value;

/// The preference of the one label that stands between `before` and `after`; arrows (`A>>B`, `B>A`, `A=B`)
/// may stand in its place. Several must say the same.
pub(super) fn between(
    text: &str,
    before: &str,
    after: &str,
    labels: &VerdictLabels,
) -> Result<f64, UnreadableAnswer> {
    agreed(found(text, before, after).filter_map(|one| label(one, labels)))
}

/// The rating between `before` and `after`, likewise.
pub(super) fn rating(
    text: &str,
    before: &str,
    after: &str,
    scale: (u8, u8),
) -> Result<u8, UnreadableAnswer> {
    agreed(found(text, before, after).filter_map(|one| number(one, scale)))
}

/// The rating that a text is.
pub(super) fn number(text: &str, scale: (u8, u8)) -> Option<u8> {
    let number = text.trim().parse::<f64>().ok()?;
    let rating = (number.fract() == 0.0).then_some(number)?;
    let on_scale = (f64::from(scale.0)..=f64::from(scale.1)).contains(&rating);
    on_scale.then_some(rating as u8)
}

/// The preference of the last verdict in JSON: an object with `choice`.
pub(super) fn json(text: &str, labels: &VerdictLabels) -> Option<f64> {
    last_object(text, |object| {
        match object.get("choice")?.as_str()?.trim() {
            "tie" => Some(0.5),
            choice => labels.value(choice),
        }
    })
}

/// The last rating in JSON: an object with `rating`.
pub(super) fn json_rating(text: &str, scale: (u8, u8)) -> Option<u8> {
    last_object(text, |object| {
        let rating = u8::try_from(object.get("rating")?.as_u64()?).ok()?;
        (scale.0..=scale.1).contains(&rating).then_some(rating)
    })
}

/// Returns what `read` makes of the last JSON object of a text in which it finds something. Objects inside another, and
/// those that stand in quotes, are what somebody else said.
fn last_object<T>(text: &str, read: impl Fn(&Value) -> Option<T>) -> Option<T> {
    let (mut rest, mut last) = (text, None);
    while let Some(start) = rest.find('{') {
        let is_quoted = rest[..start].ends_with(['"', '\'', '“', '«', '„']);
        let mut values = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<Value>();
        let length = match values.next() {
            Some(Ok(object)) => {
                if !is_quoted {
                    last = read(&object).or(last);
                }
                values.byte_offset()
            }
            _ => 1,
        };
        rest = &rest[start + length..];
    }
    last
}

/// The preference that the words of a verdict stand for.
pub(super) fn label(words: &str, labels: &VerdictLabels) -> Option<f64> {
    let words = words.trim();
    if let Some(known) = labels.value(words) {
        return Some(known);
    }
    let (left, arrow, right) = arrow(words)?;
    match (labels.value(left)?, labels.value(right)?, arrow) {
        (first, second, '=') if first != second => Some(0.5),
        (first, second, '>') if first != second => Some(first),
        (first, second, '<') if first != second => Some(second),
        _ => None,
    }
}

fn arrow(words: &str) -> Option<(&str, char, &str)> {
    let sign = words.chars().find(|one| "<>=".contains(*one))?;
    let (left, rest) = words.split_once(sign)?;
    let right = rest.strip_prefix(sign).unwrap_or(rest);
    Some((left.trim(), sign, right.trim()))
}

/// The texts between `before` and the next `after` on its line; where `after` is empty, the word behind `before`.
fn found<'t>(text: &'t str, before: &'t str, after: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(before).filter_map(move |(at, _)| {
        let rest = &text[at + before.len()..];
        let line = rest.trim_start().lines().next()?;
        match after {
            "" => line.split_whitespace().next(),
            after => line.split_once(after).map(|(inside, _)| inside),
        }
    })
}

fn agreed<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Result<T, UnreadableAnswer> {
    let first = all.next().ok_or(UnreadableAnswer::NoVerdict)?;
    match all.all(|other| other == first) {
        true => Ok(first),
        false => Err(UnreadableAnswer::Contradiction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<f64> {
        between(text, "[[", "]]", &VerdictLabels::default()).ok()
    }

    #[test]
    fn verdicts_stand_in_brackets() {
        assert_eq!(read("B is longer, but … [[A]]"), Some(1.0));
        assert_eq!(read("[[B]]"), Some(0.0));
        assert_eq!(read("My verdict: [[ C ]]."), Some(0.5));
        assert_eq!(read("[[A>>B]]"), Some(1.0));
        assert_eq!(read("[[B>A]] and so: [[B>>A]]"), Some(0.0));
        assert_eq!(read("[[A<B]]"), Some(0.0));
        assert_eq!(read("[[A=B]]"), Some(0.5));
    }

    #[test]
    fn what_is_no_verdict_or_two_is_none() {
        for text in ["", "A", "[[D]]", "[[A", "[[A]] or [[B]]", "[[A>A]]", "[[]]"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn results_json_and_ratings_are_read() {
        let labels = VerdictLabels::default();
        assert_eq!(between("… [RESULT] B\n", "[RESULT]", "", &labels), Ok(0.0));
        assert_eq!(
            json("```json\n{\"choice\": \"A\"}\n```", &labels),
            Some(1.0)
        );
        assert_eq!(
            json("{x} {\"why\":\"\", \"choice\":\"tie\"}", &labels),
            Some(0.5)
        );
        assert_eq!(json("{\"choice\": 1}", &labels), None);
        assert_eq!(rating("Rating: [[4]]", "[[", "]]", (1, 5)), Ok(4));
        for none in ["Rating: [[7]]", "[[4.5]]"] {
            let why = rating(none, "[[", "]]", (1, 5)).unwrap_err();
            assert_eq!(why, UnreadableAnswer::NoVerdict);
        }
        let why = rating("[[4]] or [[5]]", "[[", "]]", (1, 5)).unwrap_err();
        assert_eq!(why, UnreadableAnswer::Contradiction);
        assert_eq!(json_rating("{\"rating\": 3}", (1, 5)), Some(3));
    }

    #[test]
    fn the_last_verdict_in_json_counts_and_none_in_quotes() {
        let read = |text: &str| json(text, &VerdictLabels::default());
        for (text, p) in [
            (
                r#"Answer A says {"choice": "A"}. My verdict: {"choice": "B"}"#,
                0.0,
            ),
            (r#"{"bird": "owl"} … {"choice": "B"}"#, 0.0),
            (
                r#"{"why": "it says {\"choice\": \"A\"}", "choice": "B"}"#,
                0.0,
            ),
            (
                r#"{"choice": "A"} is mine; it wrote "{"choice": "B"}"."#,
                1.0,
            ),
            (r#"{"choice": "A"} {"choice": "#, 1.0),
        ] {
            assert_eq!(read(text), Some(p), "{text}");
        }
        assert_eq!(read(r#"{"verdict": {"choice": "A"}}"#), None);
    }
}
