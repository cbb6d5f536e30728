//! The exact interval of a share of yeses: Clopper and Pearson, "The use of confidence or fiducial
//! limits illustrated in the case of the binomial", Biometrika 1934.
//!
//! Its ends are the shares under which as many yeses as were seen, or more (or fewer), have half the
//! error as probability; they are quantiles of Beta(k, n − k + 1) and Beta(k + 1, n − k). Whatever the
//! true share, the interval misses it at most with probability 1 − confidence.

use super::special::beta_below;

/// The interval for `yeses` of `n` independent answers, in [0, 1]; all of it where `n` is 0 or the
/// confidence is not between 0 and 1.
pub fn interval(yeses: u64, n: u64, confidence: f64) -> (f64, f64) {
    if n == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return (0.0, 1.0);
    }
    (
        lower(yeses, n, confidence),
        1.0 - lower(n - yeses, n, confidence),
    )
}

/// The share below which so many yeses are too rare.
fn lower(yeses: u64, n: u64, confidence: f64) -> f64 {
    if yeses == 0 {
        return 0.0;
    }
    let (a, b) = (yeses as f64, (n - yeses) as f64 + 1.0);
    let (mut out, mut inside) = (0.0, 1.0);
    // Halving the gap so often leaves nothing that f64 could tell.
    for _ in 0..60 {
        let middle = 0.5 * (out + inside);
        if beta_below(middle, a, b) < 0.5 * (1.0 - confidence) {
            out = middle;
        } else {
            inside = middle;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_limits() {
        // R's binom.test(k, n)$conf.int.
        for (k, n, lower, upper) in [
            (0, 10, 0.0, 0.308_497_1),
            (1, 10, 0.002_528_579, 0.445_016_1),
            (5, 100, 0.016_431_88, 0.112_834_9),
            (10, 10, 0.691_502_9, 1.0),
        ] {
            let found = interval(k, n, 0.95);
            assert!((found.0 - lower).abs() < 1e-7, "{k} of {n}: {found:?}");
            assert!((found.1 - upper).abs() < 1e-7, "{k} of {n}: {found:?}");
        }
        assert_eq!(interval(0, 0, 0.95), (0.0, 1.0));
        assert_eq!(interval(3, 5, 1.0), (0.0, 1.0));
    }

    /// P(X = k) for k from 0 to n.
    fn binomial(n: u64, p: f64) -> Vec<f64> {
        let mut chances = vec![(1.0 - p).powi(n as i32)];
        for k in 0..n {
            chances.push(chances[k as usize] * (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p));
        }
        chances
    }

    #[test]
    fn no_share_is_missed_more_often_than_promised() {
        for n in [1, 2, 10, 30, 100] {
            for p in [0.001, 0.05, 0.2, 0.5, 0.77, 0.99] {
                let missed = |(k, chance): (usize, f64)| {
                    let (lower, upper) = interval(k as u64, n, 0.9);
                    if lower <= p && p <= upper {
                        0.0
                    } else {
                        chance
                    }
                };
                let all = binomial(n, p).into_iter().enumerate();
                let missed: f64 = all.map(missed).sum();
                assert!(missed <= 0.1, "{n} answers, share {p}: {missed}");
            }
        }
    }
}
