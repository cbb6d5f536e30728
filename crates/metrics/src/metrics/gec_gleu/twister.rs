//! Python's generator of random numbers, because published scores depend on its draws.
//!
//! Source: M. Matsumoto and T. Nishimura, "Mersenne twister", ACM TOMACS 8(1), 1998 (MT19937),
//! seeded and read as CPython's `random` module does. For anything else there is `rng`.

const WORDS: usize = 624;
const MIDDLE: usize = 397;

/// The state of the generator.
#[derive(Clone)]
pub(super) struct Twister {
    words: [u32; WORDS],
    at: usize,
}

impl Twister {
    /// The state after `random.seed(seed)`.
    pub(super) fn new(seed: u32) -> Self {
        let mut words = [0; WORDS];
        words[0] = 19_650_218_u32;
        for i in 1..WORDS {
            words[i] = next_word(words[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        // The key is the seed alone, so its index, which is added too, is 0.
        let mut i = 1;
        let mut step = |words: &mut [u32; WORDS]| {
            i += 1;
            if i == WORDS {
                words[0] = words[WORDS - 1];
                i = 1;
            }
            i
        };
        let mut at = 1;
        for _ in 0..WORDS {
            words[at] = (words[at] ^ next_word(words[at - 1], 1_664_525)).wrapping_add(seed);
            at = step(&mut words);
        }
        for _ in 1..WORDS {
            words[at] =
                (words[at] ^ next_word(words[at - 1], 1_566_083_941)).wrapping_sub(at as u32);
            at = step(&mut words);
        }
        words[0] = 1 << 31;
        Self { words, at: WORDS }
    }

    /// Returns `int(random.random() * n)`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        let (high, low) = (self.next() >> 5, self.next() >> 6);
        let unit = (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0;
        (unit * n as f64) as usize
    }

    fn next(&mut self) -> u32 {
        if self.at == WORDS {
            self.twist();
        }
        let mut word = self.words[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    fn twist(&mut self) {
        for i in 0..WORDS {
            let next = self.words[(i + 1) % WORDS];
            let joined = self.words[i] & 0x8000_0000 | next & 0x7fff_ffff;
            let odd = if next & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[i] = self.words[(i + MIDDLE) % WORDS] ^ joined >> 1 ^ odd;
        }
        self.at = 0;
    }
}

fn next_word(word: u32, factor: u32) -> u32 {
    (word ^ word >> 30).wrapping_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    // From CPython: random.seed(s); [int(random.random() * 1000) for _ in range(5)], and the
    // 1000th draw.
    #[test]
    fn its_draws_are_pythons() {
        let expected = [
            (0, [844, 757, 420, 258, 511], 480),
            (101, [581, 194, 965, 923, 467], 896),
        ];
        for (seed, first, last) in expected {
            let mut twister = Twister::new(seed);
            let mut draws: Vec<usize> = (0..1000).map(|_| twister.below(1000)).collect();
            assert_eq!(draws.pop(), Some(last), "seed {seed}");
            assert_eq!(draws[..5], first, "seed {seed}");
        }
    }
}
