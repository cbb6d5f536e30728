//! The non-decreasing function nearest to some points: isotonic regression.
//!
//! Source: Barlow, Bartholomew, Bremner and Brunk, "Statistical inference under order
//! restrictions", 1972; least squares by pooling adjacent violators.

/// Points between which the function is constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct IsotonicBlock {
    /// The smallest x.
    pub lower: f64,
    /// The largest x.
    pub upper: f64,
    /// The mean of y, rising from block to block.
    pub y: f64,
    /// The number of points.
    pub n: u64,
}

impl IsotonicBlock {
    fn pooled(self, next: Self) -> Self {
        let n = self.n + next.n;
        Self {
            lower: self.lower,
            upper: next.upper,
            y: (self.y * self.n as f64 + next.y * next.n as f64) / n as f64,
            n,
        }
    }
}

/// Fits blocks to points (x, y), by rising x; points of equal x fall into one block.
pub(crate) fn blocks(points: &[(f64, f64)]) -> Vec<IsotonicBlock> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut blocks: Vec<IsotonicBlock> = Vec::new();
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        let mut block = IsotonicBlock {
            lower: equal[0].0,
            upper: equal[0].0,
            y: equal.iter().map(|point| point.1).sum::<f64>() / equal.len() as f64,
            n: equal.len() as u64,
        };
        while let Some(before) = blocks.pop_if(|before| before.y >= block.y) {
            block = before.pooled(block);
        }
        blocks.push(block);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn violators_are_pooled() {
        let found = blocks(&[(1.0, 1.0), (3.0, 2.0), (2.0, 3.0), (4.0, 2.5), (4.0, 4.5)]);
        let ends = |block: &IsotonicBlock| (block.lower, block.upper, block.y, block.n);
        let found: Vec<_> = found.iter().map(ends).collect();
        assert_eq!(
            found,
            [(1.0, 1.0, 1.0, 1), (2.0, 3.0, 2.5, 2), (4.0, 4.0, 3.5, 2)]
        );
        assert!(blocks(&[]).is_empty());
    }

    /// At every x the largest, over starts, of the smallest mean, over ends, of what lies between.
    #[test]
    fn it_is_the_max_min_of_means() {
        let mut rng = Seed(3).stream("test", 0);
        for n in 1..40 {
            let points: Vec<(f64, f64)> = (0..n)
                .map(|x| (f64::from(x), rng.uniform() + 0.02 * f64::from(x)))
                .collect();
            let mean = |part: &[(f64, f64)]| {
                part.iter().map(|point| point.1).sum::<f64>() / part.len() as f64
            };
            let found = blocks(&points);
            for at in 0..points.len() {
                let from = |start: usize| {
                    let ends = (at..points.len()).map(|end| mean(&points[start..=end]));
                    ends.fold(f64::INFINITY, f64::min)
                };
                let expected = (0..=at).map(from).fold(f64::NEG_INFINITY, f64::max);
                let x = points[at].0;
                let inside = |block: &&IsotonicBlock| block.lower <= x && x <= block.upper;
                let value = found.iter().find(inside).unwrap().y;
                assert!((value - expected).abs() < 1e-12, "{value} {expected}");
            }
        }
    }
}
