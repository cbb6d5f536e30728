//! Choice of the best of several, and a rule for ties.

use tiebreak_base::rng::Rng;

/// The rule that breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgmaxTieRule {
    /// Uniformly at random.
    Random,
    /// The first one met.
    First,
}

/// The key with the largest value, `None` for an empty iterator. Draws a random number only where
/// there is a tie to break.
pub(super) fn argmax(
    values: impl Iterator<Item = (usize, f64)>,
    ties: ArgmaxTieRule,
    rng: &mut Rng,
) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    let mut equals = 1;
    for (key, value) in values {
        match best {
            Some((_, highest)) if value < highest => {}
            Some((_, highest)) if value == highest => {
                equals += 1;
                // Keeping the n-th equal with probability 1/n leaves all equally likely.
                if ties == ArgmaxTieRule::Random && rng.below(equals) == 0 {
                    best = Some((key, value));
                }
            }
            _ => {
                best = Some((key, value));
                equals = 1;
            }
        }
    }
    best
}

/// The first key with the largest value, without a random draw; `None` for an empty iterator.
pub(super) fn first_highest(values: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    let better = |best: (usize, f64), next: (usize, f64)| match next.1 > best.1 {
        true => next,
        false => best,
    };
    values.reduce(better).map(|(key, _)| key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    #[test]
    fn equals_are_chosen_equally_often() {
        let values = [1.0, 3.0, 2.0, 3.0, 3.0];
        let mut rng = Seed(1).stream("test", 0);
        let mut counts = [0_u32; 5];
        for _ in 0..30_000 {
            let (key, value) = argmax(
                values.into_iter().enumerate(),
                ArgmaxTieRule::Random,
                &mut rng,
            )
            .unwrap();
            assert_eq!(value, 3.0);
            counts[key] += 1;
        }
        assert_eq!(counts[0] + counts[2], 0);
        for key in [1, 3, 4] {
            assert!(counts[key].abs_diff(10_000) < 400, "{counts:?}"); // 5 standard deviations
        }
        let first = argmax(
            values.into_iter().enumerate(),
            ArgmaxTieRule::First,
            &mut rng,
        );
        assert_eq!(first, Some((1, 3.0)));
        assert_eq!(first_highest(values.into_iter().enumerate()), Some(1));
    }
}
