//! Values as they are written: the same number may be rounded to different decimals in different places.

/// Whether two texts say the same: their words are the same, and so are their numbers as far as both are written out.
pub(super) fn agree(one: &str, other: &str) -> bool {
    let ((words, numbers), (same_words, same_numbers)) = (parted(one), parted(other));
    let all = numbers.iter().zip(&same_numbers);
    words == same_words && numbers.len() == same_numbers.len() && all.clone().all(is_same)
}

/// A number and its decimals; of a whole number none are known.
type Written = (f64, Option<i32>);

fn is_same(((a, decimals), (b, others)): (&Written, &Written)) -> bool {
    let coarsest = decimals.iter().chain(others).min();
    let tolerance = coarsest.map_or(0.0, |&decimals| 0.5 * 10_f64.powi(-decimals));
    (a - b).abs() <= tolerance * (1.0 + 1e-9) + 1e-12
}

/// The words of a text, with `#` in the place of each number, and the numbers.
fn parted(text: &str) -> (String, Vec<Written>) {
    let (mut words, mut numbers) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.trim_start_matches('-');
        let is_number =
            rest.len() - digits.len() < 2 && digits.starts_with(|c: char| c.is_ascii_digit());
        if !is_number {
            words.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let sign = rest.len() - digits.len();
        let whole = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        let after = digits[whole..].strip_prefix('.').unwrap_or_default();
        let decimals = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        let end = sign + whole + if decimals > 0 { 1 + decimals } else { 0 };
        let known = (decimals > 0).then_some(decimals as i32);
        words.push('#');
        numbers.push((rest[..end].parse().expect("digits"), known));
        rest = &rest[end..];
    }
    (words, numbers)
}

#[test]
fn numbers_agree_as_far_as_both_are_written_out() {
    for (one, other) in [
        ("0.2928", "0.293"),
        ("[0.2928, 0.9197]", "[0.293, 0.920]"),
        ("0", "0.000"),
        ("-0.00346", "-0.003"),
        ("100", "100.00"),
        ("1–3", "1–3"),
        ("atlas", "atlas"),
    ] {
        assert!(agree(one, other) && agree(other, one), "{one}, {other}");
    }
    for (one, other) in [
        ("0.2928", "0.294"),
        ("0.293", "–"),
        ("3", "4"),
        ("0.4", "0"),
        ("1–3", "1–2"),
        ("[0.1, 0.2]", "[0.1, 0.3]"),
        ("-0.5", "0.5"),
    ] {
        assert!(!agree(one, other) && !agree(other, one), "{one}, {other}");
    }
}
