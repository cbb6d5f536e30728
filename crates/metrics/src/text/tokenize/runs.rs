//! Runs of ASCII letters and digits, found sixty-four bytes at a time.
//!
//! Whether a byte belongs to a run is a bit, and where a bit differs from the one before it a run begins or ends.
//! The loop over bytes has no branches, so that it becomes a few vector instructions, and what follows has a step
//! for each edge and none for each byte: twice as fast as going from byte to byte.

/// The number of bytes whose bits are one number.
pub(super) const WIDTH: usize = 64;

/// Calls `emit` with each run of `text`.
pub(super) fn runs<'a>(text: &'a str, mut emit: impl FnMut(&'a str)) {
    // The beginning of the run that is being read.
    let mut start: Option<usize> = None;
    let mut read = |chunk: &[u8; WIDTH], from: usize| {
        let inside = inside(chunk);
        let mut edges = inside ^ (inside << 1 | u64::from(start.is_some()));
        while edges != 0 {
            let at = from + edges.trailing_zeros() as usize;
            edges &= edges - 1;
            start = match start {
                None => Some(at),
                Some(start) => {
                    emit(&text[start..at]);
                    None
                }
            };
        }
    };
    let (chunks, rest) = text.as_bytes().as_chunks();
    for (number, chunk) in chunks.iter().enumerate() {
        read(chunk, number * WIDTH);
    }
    // What is behind the text belongs to no run. At a multiple of the width it is all there is.
    let mut last = [0; WIDTH];
    last[..rest.len()].copy_from_slice(rest);
    read(&last, chunks.len() * WIDTH);
}

/// The bits of the bytes that are letters or digits.
fn inside(chunk: &[u8; WIDTH]) -> u64 {
    bits(&chunk.map(|byte| u8::from(byte.is_ascii_alphanumeric())))
}

/// The lowest bits of bytes as one number, that of the first lowest.
pub(super) fn bits(flags: &[u8; WIDTH]) -> u64 {
    let (eights, _) = flags.as_chunks();
    let bits = eights.iter().map(|&eight| {
        // Brings the lowest bits of eight bytes together in the uppermost byte: no two of the sums meet.
        u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    bits.rev().fold(0, |all, bits| all << 8 | bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn runs_are_what_splitting_leaves() {
        let mut rng = Seed(1).stream("test", 0);
        let letters = ['a', 'z', '0', '9', ' ', ' ', '.', '\n', 'é', '字', '\0'];
        for length in (0..200).chain([1000]) {
            let text: String = (0..length)
                .map(|_| letters[rng.below(letters.len())])
                .collect();
            let split = text.split(|c: char| !c.is_ascii_alphanumeric());
            let expected: Vec<&str> = split.filter(|run| !run.is_empty()).collect();
            let mut found = Vec::new();
            runs(&text, |run| found.push(run));
            assert_eq!(found, expected, "{text:?}");
        }
        let mut found = Vec::new();
        runs(&"a".repeat(2 * WIDTH), |run| found.push(run.len()));
        assert_eq!(found, [2 * WIDTH]);
    }
}
