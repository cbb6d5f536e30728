//! A filter for things that were seen more than once, in memory that does not grow with them.
//!
//! Source: a count-min sketch (Cormode and Muthukrishnan 2005) with conservative update (Estan and
//! Varghese 2002) whose counters stop at two, all those of one thing in 64 bytes. It never
//! says no of what was repeated; it says yes of a few things that were not.

/// Counters for things known by their hashes.
#[derive(Debug)]
pub(super) struct CountingBloomFilter {
    lines: Vec<[u64; 8]>,
}

/// The number of lines, of 512 bits each: 128 MiB together. With 80 million different things about
/// one in twenty of those seen once is taken for repeated.
const LINES: usize = 1 << 21;

/// The number of counters of a thing.
const COUNTERS: usize = 3;

impl CountingBloomFilter {
    /// A filter that has seen nothing.
    pub(super) fn new() -> Self {
        Self::with_lines(LINES)
    }

    fn with_lines(lines: usize) -> Self {
        let lines = vec![[0; 8]; lines];
        Self { lines }
    }

    /// Counts a thing once more.
    pub(super) fn see(&mut self, hash: u64) {
        let (counters, lines) = (counters(hash), self.lines.len());
        let line = &mut self.lines[line(hash, lines)];
        let count = least(line, counters);
        if count < 2 {
            for (word, shift) in counters {
                if line[word] >> shift & 3 == count {
                    line[word] += 1 << shift;
                }
            }
        }
    }

    /// Whether a thing may have been seen more than once.
    pub(super) fn may_be(&self, hash: u64) -> bool {
        let line = &self.lines[line(hash, self.lines.len())];
        least(line, counters(hash)) >= 2
    }
}

/// The least of a thing's counters.
fn least(line: &[u64; 8], counters: [(usize, u32); COUNTERS]) -> u64 {
    let counts = counters.map(|(word, shift)| line[word] >> shift & 3);
    counts.into_iter().fold(3, u64::min)
}

fn line(hash: u64, lines: usize) -> usize {
    (hash >> 32) as usize % lines
}

/// Word and bit of each counter, from eight bits of the hash each.
fn counters(hash: u64) -> [(usize, u32); COUNTERS] {
    std::array::from_fn(|i| {
        let at = (hash >> (8 * i)) as usize;
        (at & 7, 2 * (at >> 3 & 31) as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::hash::join;

    #[test]
    fn what_was_repeated_is_always_known_and_little_else_taken_for_it() {
        // As full as 128 MiB are with 80 million things.
        let mut repeated = CountingBloomFilter::with_lines(1 << 8);
        let things = 10_000;
        for thing in 0..things {
            repeated.see(join(1, thing));
            if thing % 10 == 0 {
                repeated.see(join(1, thing));
                repeated.see(join(1, thing));
            }
        }
        let known = |thing: &u64| repeated.may_be(join(1, *thing));
        assert!(
            (0..things)
                .filter(|thing| thing % 10 == 0)
                .all(|thing| known(&thing))
        );
        let wrong = (0..things)
            .filter(|thing| thing % 10 != 0)
            .filter(known)
            .count();
        assert!(wrong < things as usize / 10, "{wrong}");
    }
}
