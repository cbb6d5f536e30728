//! From counts to a BLEU score: brevity penalty, smoothed precisions, geometric mean.

use std::fmt;

/// The smoothing: what an order without matches counts for.
///
/// Source: B. Chen and C. Cherry, "A systematic comparison of smoothing techniques for
/// sentence-level BLEU", WMT 2014.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Smoothing {
    /// No smoothing: the score is 0.
    None,
    /// Method 1: such an order counts this many matches.
    Floor(f64),
    /// Method 2: this much is added to matches and n-grams of every order above 1.
    AddK(f64),
    /// Method 3, mteval's: the k-th such order counts 1/2ᵏ matches.
    Exp,
}

/// Writes sacrebleu's signature; a value that two decimals cannot show is written out.
impl fmt::Display for Smoothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, value) = match *self {
            Self::None => return f.write_str("none"),
            Self::Exp => return f.write_str("exp"),
            Self::Floor(value) => ("floor", value),
            Self::AddK(value) => ("add-k", value),
        };
        let short = format!("{value:.2}");
        if short.parse() == Ok(value) {
            write!(f, "{name}[{short}]")
        } else {
            write!(f, "{name}[{value}]")
        }
    }
}

/// Turns counts into a score.
#[derive(Debug, Clone, Copy)]
pub struct BleuFormula {
    /// The smoothing of orders without matches.
    pub(crate) smoothing: Smoothing,
    /// Whether the mean is over the orders that the text is long enough for.
    pub effective_order: bool,
}

/// A score and what it is made of; lists are by order, from 1.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BleuScore {
    /// BLEU, 0 to 100.
    pub score: f64,
    /// Clipped matches, with what smoothing added to them.
    pub counts: Vec<f64>,
    /// n-grams of the text, with what smoothing added to them.
    pub totals: Vec<f64>,
    /// Precisions in percent, after smoothing.
    pub precisions: Vec<f64>,
    /// The brevity penalty.
    pub bp: f64,
    /// Tokens of the text.
    pub sys_len: f64,
    /// Tokens of the closest reference.
    pub ref_len: f64,
}

/// Writes what the score is made of, as sacrebleu does.
impl fmt::Display for BleuScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, precision) in self.precisions.iter().enumerate() {
            write!(f, "{}{precision:.1}", if n > 0 { "/" } else { "" })?;
        }
        let Self {
            bp,
            sys_len,
            ref_len,
            ..
        } = self;
        let ratio = match *ref_len {
            0.0 => 0.0,
            _ => sys_len / ref_len,
        };
        write!(
            f,
            " (BP = {bp:.3} ratio = {ratio:.3} hyp_len = {sys_len} ref_len = {ref_len})"
        )
    }
}

impl BleuFormula {
    /// The score of `statistics`: text length, reference length, then N matches and N totals.
    ///
    /// # Panics
    /// If there are fewer than two numbers.
    pub fn score(&self, statistics: &[f64]) -> BleuScore {
        let [sys_len, ref_len, orders @ ..] = statistics else {
            panic!("BLEU statistics begin with two lengths");
        };
        let (counts, totals) = orders.split_at(orders.len() / 2);
        let mut result = BleuScore {
            score: 0.0,
            counts: counts.to_vec(),
            totals: totals.to_vec(),
            precisions: vec![0.0; counts.len()],
            bp: brevity_penalty(*sys_len, *ref_len),
            sys_len: *sys_len,
            ref_len: *ref_len,
        };
        // Without any match the score is 0 whatever the smoothing.
        if counts.iter().any(|&count| count > 0.0) {
            let reached = self.fill_precisions(&mut result);
            result.score = result.bp * geometric_mean(&result.precisions[..reached]);
        }
        result
    }

    /// Fills in precisions, and counts and totals where smoothing changes them, up to the first
    /// order the text has no n-grams of. Returns the number of orders the mean is over.
    fn fill_precisions(&self, result: &mut BleuScore) -> usize {
        let mut halvings = 1.0;
        for n in 0..result.counts.len() {
            if let Smoothing::AddK(k) = self.smoothing
                && n > 0
            {
                result.counts[n] += k;
                result.totals[n] += k;
            }
            let (count, total) = (result.counts[n], result.totals[n]);
            if total == 0.0 {
                return if self.effective_order {
                    n
                } else {
                    result.counts.len()
                };
            }
            result.precisions[n] = if count > 0.0 {
                100.0 * count / total
            } else {
                match self.smoothing {
                    Smoothing::Exp => {
                        halvings *= 2.0;
                        100.0 / (halvings * total)
                    }
                    Smoothing::Floor(value) => 100.0 * value / total,
                    Smoothing::None | Smoothing::AddK(_) => 0.0,
                }
            };
        }
        result.counts.len()
    }
}

fn brevity_penalty(sys_len: f64, ref_len: f64) -> f64 {
    if sys_len >= ref_len {
        1.0
    } else if sys_len > 0.0 {
        (1.0 - ref_len / sys_len).exp()
    } else {
        0.0
    }
}

/// The geometric mean, with sacrebleu's finite logarithm of 0: it is then 0, not undefined.
fn geometric_mean(values: &[f64]) -> f64 {
    let log = |value: f64| {
        if value == 0.0 {
            -9_999_999_999.0
        } else {
            value.ln()
        }
    };
    let sum: f64 = values.iter().map(|&value| log(value)).sum();
    (sum / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(smoothing: Smoothing, effective_order: bool, statistics: &[f64]) -> BleuScore {
        let formula = BleuFormula {
            smoothing,
            effective_order,
        };
        formula.score(statistics)
    }

    // Three tokens against four: matches 2, 0 of 3, 2 unigrams and bigrams; no trigram matches.
    const SHORT: [f64; 8] = [3.0, 4.0, 2.0, 0.0, 0.0, 3.0, 2.0, 1.0];

    #[test]
    fn smoothing_by_hand() {
        let penalty = (1.0_f64 - 4.0 / 3.0).exp();
        let expect = |smoothing, product: f64| {
            let found = score(smoothing, true, &SHORT).score;
            let expected = 100.0 * penalty * product.cbrt();
            assert!(
                (found - expected).abs() < 1e-9,
                "{smoothing}: {found} {expected}"
            );
        };
        expect(Smoothing::Exp, 2.0 / 3.0 * (0.5 / 2.0) * (0.25 / 1.0));
        expect(Smoothing::Floor(0.1), 2.0 / 3.0 * (0.1 / 2.0) * (0.1 / 1.0));
        expect(Smoothing::AddK(1.0), 2.0 / 3.0 * (1.0 / 3.0) * (1.0 / 2.0));
        expect(Smoothing::None, 0.0);
    }

    #[test]
    fn effective_order_leaves_out_what_the_text_is_too_short_for() {
        let two = [2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0];
        assert!((score(Smoothing::Exp, true, &two).score - 100.0).abs() < 1e-9);
        assert_eq!(score(Smoothing::Exp, false, &two).score, 0.0);
    }

    #[test]
    fn no_match_is_zero_and_nothing_is_smoothed() {
        let none = [1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let result = score(Smoothing::AddK(1.0), true, &none);
        assert_eq!((result.score, result.bp), (0.0, 1.0));
        assert_eq!(result.totals, [1.0, 0.0]);
    }

    #[test]
    fn signatures_show_the_value_smoothed_with() {
        let shown = [
            Smoothing::Floor(0.1),
            Smoothing::AddK(1.0),
            Smoothing::Floor(0.125),
        ];
        let shown = shown.map(|smoothing| smoothing.to_string());
        assert_eq!(shown, ["floor[0.10]", "add-k[1.00]", "floor[0.125]"]);
    }
}
