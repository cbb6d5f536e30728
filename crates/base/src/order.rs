//! The order of items: plain whole numbers first, by value; then everything else, by bytes.
//!
//! Numbered items thus come in the order people expect (2 before 10), and the place of a name
//! depends on nothing but the names themselves.

use std::cmp::Ordering;

/// Longest number, in digits, that is compared by value.
const DIGITS: usize = 18;

/// The value of a plain whole number; for anything else the largest `u64`, which no such number
/// reaches.
pub fn number(item: &[u8]) -> u64 {
    let plain = (1..=DIGITS).contains(&item.len()) && item.iter().all(u8::is_ascii_digit);
    if !plain {
        return u64::MAX;
    }
    let digit = |byte: &u8| u64::from(byte - b'0');
    item.iter().fold(0, |value, byte| value * 10 + digit(byte))
}

/// Compares two items by their order.
pub fn compare(a: &str, b: &str) -> Ordering {
    let key = |item: &str| number(item.as_bytes());
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_value_then_names_by_bytes() {
        let mut items = vec![
            "b",
            "10",
            "a10",
            "2",
            "02",
            "a2",
            "-1",
            "1234567890123456789",
        ];
        items.sort_by(|a, b| compare(a, b));
        let sorted = [
            "02",
            "2",
            "10",
            "-1",
            "1234567890123456789",
            "a10",
            "a2",
            "b",
        ];
        assert_eq!(items, sorted);
    }
}
