//! A fast hash for what the program makes itself: tokens, n-grams and their numbers. It is no
//! defence against keys chosen to collide; nothing that is written down depends on it.

use std::hash::{BuildHasherDefault, Hasher};

/// The builder of this module's hasher, for hash tables.
pub(crate) type FastBuildHasher = BuildHasherDefault<FastHasher>;

/// A hasher of eight bytes at a time. Tokens are short, so speed is all that is asked of it.
#[derive(Debug, Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0.rotate_left(23) ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            self.mix(packed(rest));
        }
    }

    // What ends a string (0xff) arrives here; colliding tokens only cost a comparison.
    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Fewer than eight bytes as a number, the first lowest. With their length it says which bytes they are.
pub(crate) fn packed(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    debug_assert!(length < 8);
    // Overlapping parts are put over each other: they hold the same bytes at the same places.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (length - 4));
    }
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    match length {
        0 => 0,
        _ => byte(0) | byte(length / 2) | byte(length - 1),
    }
}

/// The first slot in which to look for a key, in a table of so many slots, a power of two.
pub(crate) fn slot(key: u64, slots: usize) -> usize {
    // The upper bits of the product depend on all bits of the key.
    let bits = slots.trailing_zeros();
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as usize
}

/// The hash of a token on its own.
pub(crate) fn token(token: &str) -> u64 {
    let mut hasher = FastHasher(token.len() as u64);
    hasher.write(token.as_bytes());
    hasher.finish()
}

/// The hash of a sequence from that of all but the last element (0 for none) and that of the last.
pub(crate) fn join(before: u64, last: u64) -> u64 {
    // The finaliser of SplitMix64, so that every bit depends on every bit.
    let mut x = before.rotate_left(29) ^ last.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn sequences_in_another_order_or_of_another_length_differ() {
        let words = ["a", "b", "ab", "", "aaaaaaaaa", "aaaaaaaa"].map(token);
        let mut seen = HashSet::new();
        for &one in &words {
            assert!(seen.insert(join(0, one)));
            for &two in &words {
                assert!(seen.insert(join(join(0, one), two)));
                for &three in &words {
                    assert!(seen.insert(join(join(join(0, one), two), three)));
                }
            }
        }
    }

    #[test]
    fn few_bytes_are_told_apart_by_their_number_and_length() {
        for length in 0..8 {
            let bytes: Vec<u8> = (1..=length).collect();
            let expected = bytes
                .iter()
                .rev()
                .fold(0, |n, &byte| n << 8 | u64::from(byte));
            assert_eq!(packed(&bytes), expected, "{length}");
        }
    }

    #[test]
    fn the_hashes_of_a_million_pairs_fill_the_buckets_evenly() {
        let mut buckets = vec![0_u32; 1 << 12];
        for one in 0..1_000_u64 {
            let before = join(0, token(&one.to_string()));
            for two in 0..1_000_u64 {
                buckets[(join(before, token(&two.to_string())) >> 52) as usize] += 1;
            }
        }
        let expected = 1e6 / 4096.0;
        let chi2: f64 = buckets
            .iter()
            .map(|&count| (f64::from(count) - expected).powi(2) / expected)
            .sum();
        // 4095 degrees of freedom: mean 4095, standard deviation 90.
        assert!((chi2 - 4095.0).abs() < 4.0 * 90.5, "{chi2}");
    }
}
