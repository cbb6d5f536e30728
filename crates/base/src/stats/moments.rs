//! Running mean, variance and covariance: one pass, no loss of digits.
//!
//! Source: Welford, "Note on a method for calculating corrected sums of squares and products",
//! Technometrics 1962; the covariance is its two-variable form. Equal values give a variance of
//! exactly 0, whatever their size. What is undefined is `None`, never NaN.

/// Mean and variance of the values pushed so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// A whole number, as it divides.
    n: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a value.
    #[inline]
    pub fn push(&mut self, x: f64) {
        self.n += 1.0;
        let before = x - self.mean;
        self.mean += before / self.n;
        self.squares += before * (x - self.mean);
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        self.n as u64
    }

    /// The mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0.0).then_some(self.mean)
    }

    /// The variance of the values themselves (divided by n); `None` without values.
    pub fn population_variance(&self) -> Option<f64> {
        (self.n > 0.0).then(|| self.squares / self.n)
    }

    /// The unbiased estimate of the variance they were drawn from (divided by n − 1); `None` for
    /// fewer than two values.
    pub fn sample_variance(&self) -> Option<f64> {
        (self.n > 1.0).then(|| self.squares / (self.n - 1.0))
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|x| moments.push(x));
        moments
    }
}

/// Means, variances and covariance of the pairs pushed so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointMoments {
    x: Moments,
    y: Moments,
    products: f64,
}

impl JointMoments {
    /// Adds a pair.
    #[inline]
    pub fn push(&mut self, x: f64, y: f64) {
        let before = x - self.x.mean;
        self.x.push(x);
        self.y.push(y);
        self.products += before * (y - self.y.mean);
    }

    /// The moments of the first of each pair.
    pub fn x(&self) -> &Moments {
        &self.x
    }

    /// The moments of the second of each pair.
    pub fn y(&self) -> &Moments {
        &self.y
    }

    /// The covariance of the pairs themselves (divided by n); `None` without pairs.
    pub fn population_covariance(&self) -> Option<f64> {
        (self.x.n > 0.0).then(|| self.products / self.x.n)
    }

    /// The unbiased estimate of the covariance (divided by n − 1); `None` for fewer than two pairs.
    pub fn sample_covariance(&self) -> Option<f64> {
        (self.x.n > 1.0).then(|| self.products / (self.x.n - 1.0))
    }

    /// Pearson's correlation in [-1, 1]; `None` when either side does not vary.
    pub fn correlation(&self) -> Option<f64> {
        let scale = self.x.squares.sqrt() * self.y.squares.sqrt();
        (scale.is_finite() && scale > 0.0).then(|| (self.products / scale).clamp(-1.0, 1.0))
    }
}

impl FromIterator<(f64, f64)> for JointMoments {
    fn from_iter<I: IntoIterator<Item = (f64, f64)>>(pairs: I) -> Self {
        let mut moments = Self::default();
        pairs.into_iter().for_each(|(x, y)| moments.push(x, y));
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_spread_on_a_large_offset_keeps_its_digits() {
        let moments: Moments = [4.0, 7.0, 13.0, 16.0]
            .map(|x| x + 1e9)
            .into_iter()
            .collect();
        assert_eq!(moments.mean(), Some(1e9 + 10.0));
        assert_eq!(moments.population_variance(), Some(22.5));
        assert_eq!(moments.sample_variance(), Some(30.0));
    }

    #[test]
    fn what_is_undefined_is_none() {
        let mut joint = JointMoments::default();
        assert_eq!(joint.x().mean(), None);
        assert_eq!(joint.population_covariance(), None);
        joint.push(0.1, 0.7);
        assert_eq!(joint.sample_covariance(), None);
        assert_eq!(joint.correlation(), None);
        joint.push(0.1, 0.3);
        assert_eq!(joint.x().sample_variance(), Some(0.0));
        assert_eq!(joint.correlation(), None, "x does not vary");
    }

    #[test]
    fn covariance_by_hand() {
        let joint: JointMoments = [(1.0, 2.0), (2.0, 1.0), (4.0, 6.0), (5.0, 7.0)]
            .into_iter()
            .collect();
        assert!((joint.population_covariance().unwrap() - 3.75).abs() < 1e-12);
        let expected = 3.75 / (2.5_f64 * 6.5).sqrt();
        assert!((joint.correlation().unwrap() - expected).abs() < 1e-12);
    }
}
