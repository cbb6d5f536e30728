//! The reference that each iteration draws for each item, in as few bits as the choice takes: none
//! for one reference, one bit per iteration for two.

/// The draws of all items, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct ReferenceDraws {
    words: Vec<u64>,
    /// For each item, where its draws begin, and the number of bits of a draw.
    items: Vec<(u64, u32)>,
}

impl ReferenceDraws {
    /// Adds the draws of the next item, each of them below `n`.
    pub(super) fn push(&mut self, n: usize, draws: impl Iterator<Item = u64>) {
        let bits = usize::BITS - (n - 1).leading_zeros();
        self.items.push((self.words.len() as u64, bits));
        let mut filled = u64::BITS;
        for draw in draws {
            if bits > 0 {
                if filled + bits > u64::BITS {
                    self.words.push(0);
                    filled = 0;
                }
                let last = self.words.len() - 1;
                self.words[last] |= draw << filled;
                filled += bits;
            }
        }
    }

    /// The draw of an iteration for the item at `position`, if it was seen.
    pub(super) fn draw(&self, position: u64, iteration: usize) -> Option<usize> {
        let &(start, bits) = self.items.get(usize::try_from(position).ok()?)?;
        let Some(per_word) = u64::BITS.checked_div(bits) else {
            return Some(0);
        };
        let per_word = per_word as usize;
        let word = self.words[start as usize + iteration / per_word];
        let shift = bits * (iteration % per_word) as u32;
        Some((word >> shift & ((1 << bits) - 1)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn draws_are_found_again_whatever_their_number_and_size() {
        let mut rng = Seed(3).stream("test", 0);
        let mut drawn = ReferenceDraws::default();
        let sizes = [1, 2, 3, 1, 4, 5, 300, 2, 70_000];
        let draws = sizes.map(|n| (0..65).map(|_| rng.below(n)).collect::<Vec<_>>());
        for (&n, draws) in sizes.iter().zip(&draws) {
            drawn.push(n, draws.iter().map(|&draw| draw as u64));
        }
        for (position, draws) in (0..).zip(&draws) {
            for (iteration, &draw) in draws.iter().enumerate() {
                assert_eq!(drawn.draw(position, iteration), Some(draw));
            }
        }
        assert_eq!(drawn.draw(9, 0), None);
        // One word holds 64 draws of one bit, 32 of two, 7 of nine.
        let words: usize = [0, 2, 3, 0, 3, 4, 10, 2, 22].iter().sum();
        assert_eq!(drawn.words.len(), words);
    }
}
