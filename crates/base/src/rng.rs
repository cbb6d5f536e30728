//! Random numbers as a function of (seed, stream, index): Philox 4x32-10.
//!
//! A counter-based generator has no history to share between threads, so run 17 of an experiment
//! draws the same numbers whether it is the first or the last to be computed. Every purpose takes
//! a stream of its own by name, and every unit within a purpose (a run, a resample, a part) an
//! index, so asking one question can never change the answer to another.
//!
//! Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
//! The samplers below are written here, not taken from a crate, because their values are part of
//! every published result: an upgrade must not move them.

/// The seed of a whole command; 42 unless the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Default for Seed {
    fn default() -> Self {
        Self(42)
    }
}

impl Seed {
    /// The generator of one purpose (`stream`) and one unit of it (`index`).
    ///
    /// ```
    /// use tiebreak_base::rng::Seed;
    /// let mut a = Seed(42).stream("bootstrap", 7);
    /// let mut b = Seed(42).stream("bootstrap", 7);
    /// assert_eq!(a.next_u64(), b.next_u64());
    /// ```
    pub fn stream(self, stream: &str, index: u64) -> Rng {
        let name = stream
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        let key = mix64(self.0 ^ mix64(name));
        Rng {
            key: [low(key), high(key)],
            index,
            block: 0,
            buffer: [0; 4],
            used: 4,
        }
    }
}

/// A stream of random numbers. Cloning it repeats the stream from where it stands.
#[derive(Debug, Clone)]
pub struct Rng {
    key: [u32; 2],
    index: u64,
    block: u64,
    buffer: [u32; 4],
    used: usize,
}

impl Rng {
    /// 32 uniform bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.used == 4 {
            self.buffer = self.next_block();
            self.used = 0;
        }
        let word = self.buffer[self.used];
        self.used += 1;
        word
    }

    fn next_block(&mut self) -> [u32; 4] {
        let counter = [
            low(self.block),
            high(self.block),
            low(self.index),
            high(self.index),
        ];
        self.block += 1;
        philox4x32_10(counter, self.key)
    }

    /// The next block as pieces of 16 bits.
    fn next_halves(&mut self) -> [u16; 8] {
        let [a, b, c, d] = self.next_block();
        [a, a >> 16, b, b >> 16, c, c >> 16, d, d >> 16].map(|half| half as u16)
    }

    /// 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        u64::from(self.next_u32()) | u64::from(self.next_u32()) << 32
    }

    /// Uniform in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Uniform in 0..n, without bias (Lemire, 2019).
    ///
    /// # Panics
    /// If `n` is 0: there is nothing to choose from.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "a choice among nothing");
        let n = n as u64;
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            // The threshold is below n, so that a division is hardly ever needed.
            if wide as u64 >= n || wide as u64 >= n.wrapping_neg() % n {
                return (wide >> 64) as usize;
            }
        }
    }

    /// Fills `numbers` with uniform ones of 0..n, without bias (Lemire, 2019), from 16 random bits
    /// each: several times as fast as [`Rng::below`].
    ///
    /// # Panics
    /// Unless `n` is from 1 to 65,536.
    pub fn fill_below(&mut self, n: usize, numbers: &mut [u16]) {
        assert!((1..=1 << 16).contains(&n), "{n} does not fit 16 bits");
        let (eights, rest) = numbers.as_chunks_mut();
        for eight in eights {
            *eight = self.next_halves();
        }
        rest.copy_from_slice(&self.next_halves()[..rest.len()]);
        let n = n as u32;
        let threshold = (1 << 16) % n;
        for number in numbers {
            let mut wide = u32::from(*number) * n;
            // Never where n is a power of two, for which the threshold is 0.
            while wide & 0xffff < threshold {
                wide = (self.next_u32() & 0xffff) * n;
            }
            *number = (wide >> 16) as u16;
        }
    }

    /// True with probability `p`.
    pub fn bernoulli(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// One element of a slice, uniformly.
    ///
    /// # Panics
    /// If the slice is empty.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Uniformly random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// Standard normal (Marsaglia's polar method; the second variate is not kept).
    pub fn normal(&mut self) -> f64 {
        loop {
            let point = self.point();
            if point.is_inside() {
                return point.normal();
            }
        }
    }

    /// The numbers that `n` calls of [`Rng::normal`] give, twice as fast: the points do not wait for each other's
    /// logarithm or for whether the one before was inside.
    pub fn normals(&mut self, n: usize) -> Vec<f64> {
        let mut normals = Vec::with_capacity(n);
        while normals.len() < n {
            let wanted = POINTS.min(n - normals.len());
            let (mut inside, mut found) = ([PolarPoint::default(); POINTS], 0);
            while found < wanted {
                inside[found] = self.point();
                found += usize::from(inside[found].is_inside());
            }
            normals.extend(inside[..wanted].iter().map(|point| point.normal()));
        }
        normals
    }

    /// Uniform in the square from -1 to 1.
    fn point(&mut self) -> PolarPoint {
        let u = 2.0 * self.uniform() - 1.0;
        let v = 2.0 * self.uniform() - 1.0;
        PolarPoint {
            u,
            s: u * u + v * v,
        }
    }

    /// Gamma with the given shape (at least 1) and scale 1 (Marsaglia and Tsang, 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v <= 0.0 {
                continue;
            }
            let u = self.uniform();
            // The first test implies the second, exact one, and spares nearly all of its logarithms.
            if u < 1.0 - 0.0331 * (x * x) * (x * x)
                || u.max(f64::MIN_POSITIVE).ln() < 0.5 * x * x + d - d * v + d * v.ln()
            {
                return d * v;
            }
        }
    }

    /// Beta(a, b) for a, b ≥ 1, as the posteriors of counted wins are.
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        debug_assert!(
            a >= 1.0 && b >= 1.0,
            "Beta({a}, {b}): both must be at least 1"
        );
        let x = self.gamma(a);
        x / (x + self.gamma(b))
    }

    /// The number of successes in `n` trials, each with probability `p`.
    ///
    /// Many trials are cut in half at the middle one of n uniform numbers, which has a beta law
    /// (Devroye, Non-Uniform Random Variate Generation, 1986, chapter X.4.3); few are tried.
    pub fn binomial(&mut self, mut n: u64, mut p: f64) -> u64 {
        let mut successes = 0;
        while n > 32 {
            let middle = n / 2 + 1;
            let at = self.beta(middle as f64, (n + 1 - middle) as f64);
            if at <= p {
                successes += middle;
                n -= middle;
                p = (p - at) / (1.0 - at);
            } else {
                n = middle - 1;
                p /= at;
            }
        }
        successes + (0..n).filter(|_| self.bernoulli(p)).count() as u64
    }
}

/// The number of points drawn before any is transformed.
const POINTS: usize = 64;

/// A point of a square around 0: its first coordinate and the square of its distance.
#[derive(Clone, Copy, Default)]
struct PolarPoint {
    u: f64,
    s: f64,
}

impl PolarPoint {
    /// Whether the point lies in the unit circle, and not in the middle.
    fn is_inside(self) -> bool {
        self.s > 0.0 && self.s < 1.0
    }

    fn normal(self) -> f64 {
        self.u * (-2.0 * self.s.ln() / self.s).sqrt()
    }
}

fn low(word: u64) -> u32 {
    word as u32
}

fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

/// A bijective mixer (the finaliser of SplitMix64): near keys become unrelated ones.
pub fn mix64(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// One block of Philox 4x32 with ten rounds.
fn philox4x32_10(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let left = u64::from(counter[0]) * 0xd251_1f53;
        let right = u64::from(counter[2]) * 0xcd9e_8d57;
        counter = [
            high(right) ^ counter[1] ^ key[0],
            low(right),
            high(left) ^ counter[3] ^ key[1],
            low(left),
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers published with Random123 (kat_vectors, philox 4x32 10).
    #[test]
    fn philox_gives_the_published_answers() {
        assert_eq!(
            philox4x32_10([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox4x32_10([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32_10(
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_differ_by_seed_name_and_index() {
        let first = |seed, name, index| Seed(seed).stream(name, index).next_u64();
        let all = [
            first(1, "a", 0),
            first(2, "a", 0),
            first(1, "b", 0),
            first(1, "a", 1),
        ];
        for (i, x) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|y| x != y));
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = Seed(1).stream("test", 0);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        let chi2: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0)
            .sum();
        assert!(
            chi2 < 22.5,
            "chi squared with 6 degrees of freedom is {chi2}"
        ); // p = 0.001
    }

    #[test]
    fn many_numbers_below_are_uniform_and_follow_one_another() {
        for n in [1, 3, 7, 64, 1000, 1 << 16] {
            let mut numbers = vec![0; 200_001];
            Seed(1).stream("test", 0).fill_below(n, &mut numbers);
            let cells = n.min(50);
            let mut counts = vec![0.0; cells];
            for &number in &numbers {
                counts[usize::from(number) * cells / n] += 1.0;
            }
            // How many of the numbers fall into a cell.
            let size = |cell: usize| (0..n).filter(|i| i * cells / n == cell).count();
            let chi2: f64 = counts
                .iter()
                .enumerate()
                .map(|(cell, count)| {
                    let expected = 200_001.0 * size(cell) as f64 / n as f64;
                    (count - expected).powi(2) / expected
                })
                .sum();
            // Five standard deviations of chi squared, whose variance is twice its mean.
            let mean = cells as f64 - 1.0;
            assert!(chi2 <= mean + 5.0 * (2.0 * mean).sqrt(), "{n}: {chi2}");
            let below = |&&number: &&u16| 2 * usize::from(number) < n;
            let pairs = numbers.chunks_exact(2);
            let both = pairs.filter(|pair| pair.iter().filter(below).count() == 2);
            let share = size_of_lower_half(n).powi(2);
            let expected = 100_000.0 * share;
            let error = (expected * (1.0 - share)).sqrt();
            assert!((both.count() as f64 - expected).abs() <= 4.0 * error, "{n}");
        }
    }

    /// The share of 0..n that is below n/2.
    fn size_of_lower_half(n: usize) -> f64 {
        n.div_ceil(2) as f64 / n as f64
    }

    #[test]
    fn many_normals_are_those_of_single_calls() {
        let mut one = Seed(3).stream("test", 0);
        let mut many = one.clone();
        for n in [0, 1, POINTS - 1, POINTS, 5 * POINTS + 3] {
            // Points begin in the middle of a block, too.
            assert_eq!(one.next_u32(), many.next_u32());
            let singly: Vec<f64> = (0..n).map(|_| one.normal()).collect();
            assert_eq!(many.normals(n), singly);
        }
        assert_eq!(one.next_u64(), many.next_u64());
    }

    #[test]
    fn beta_has_its_mean_and_variance() {
        for (a, b) in [(1.0, 1.0), (3.0, 2.0), (20.5, 80.0)] {
            let mut rng = Seed(2).stream("test", 0);
            let n = 200_000;
            let draws: Vec<f64> = (0..n).map(|_| rng.beta(a, b)).collect();
            let mean = draws.iter().sum::<f64>() / f64::from(n);
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
            let true_mean: f64 = a / (a + b);
            let true_variance = true_mean * (1.0 - true_mean) / (a + b + 1.0);
            let error = (true_variance / f64::from(n)).sqrt();
            assert!(
                (mean - true_mean).abs() < 4.0 * error,
                "Beta({a}, {b}) has mean {mean}"
            );
            assert!((variance / true_variance - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn binomial_has_its_mean_and_variance() {
        for (n, p) in [(5, 0.3), (33, 0.5), (1_000, 0.02), (1_000_000, 0.7)] {
            let mut rng = Seed(4).stream("test", 0);
            let draws: Vec<f64> = (0..40_000).map(|_| rng.binomial(n, p) as f64).collect();
            let count = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / count;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            let (true_mean, true_variance) = (n as f64 * p, n as f64 * p * (1.0 - p));
            let error = (true_variance / count).sqrt();
            assert!((mean - true_mean).abs() < 4.0 * error, "{n}, {p}: {mean}");
            assert!((variance / true_variance - 1.0).abs() < 0.04, "{n}, {p}");
            assert!(draws.iter().all(|&x| x <= n as f64));
        }
        let mut rng = Seed(4).stream("test", 1);
        assert_eq!(
            (
                rng.binomial(100, 0.0),
                rng.binomial(100, 1.0),
                rng.binomial(0, 0.5)
            ),
            (0, 100, 0)
        );
    }

    #[test]
    fn shuffle_is_a_permutation() {
        let mut items: Vec<u32> = (0..50).collect();
        Seed(3).stream("test", 0).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
