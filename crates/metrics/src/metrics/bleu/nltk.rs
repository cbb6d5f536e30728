//! BLEU as nltk computes it, with the smoothing methods of Chen and Cherry.
//!
//! Source: nltk 3.10.4, `translate/bleu_score.py`; B. Chen and C. Cherry, "A systematic comparison of
//! smoothing techniques for sentence-level BLEU", WMT 2014. Words are what white space separates,
//! weights are uniform. Without a shared word the score is 0. A text shorter than an order counts as
//! having one n-gram of it. Chaganty, Mussmann and Liang ("The price of debiasing automatic metrics",
//! ACL 2018) used `bleu-2:implementation=nltk,smoothing-function=method3` on the words of nltk's
//! tokeniser.
//!
//! | method | what an order without matches counts for |
//! | --- | --- |
//! | 0 | the smallest positive number |
//! | 1 | ε matches |
//! | 2 | every order above 1 has one more match and one more n-gram |
//! | 3 | the k-th such order counts 1/2ᵏ matches |
//! | 4 | as 3, times ln(length)/K; nothing if the text is a single word |
//! | 5 | every precision is the mean of its neighbours' and its own, and the order after the last is 5 |
//! | 6 | from order 3 on, α more n-grams are taken to match as the two orders before suggest |
//! | 7 | 4, then 5 |
//!
//! Deviations: method 6 needs a shared triple; where nltk raises an error the score is 0. Corpus
//! scores of methods 4 to 7 are made of summed counts throughout, where nltk looks at the last text
//! alone.

use super::{Bleu, BleuParams, CorpusMetric, Env, Metric, SacrebleuTokenizer, Segment};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::name_of;
use tiebreak_base::registry::positive;
use tiebreak_base::signature::Signature;

/// nltk's smoothing methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub(crate) enum SmoothingFunction {
    #[default]
    Method0,
    Method1,
    Method2,
    Method3,
    Method4,
    Method5,
    Method6,
    Method7,
}

impl SmoothingFunction {
    fn name(self) -> String {
        name_of(&self)
    }

    /// Whether precisions are averaged with that of the order after the last, which is always order 5.
    fn averages(self) -> bool {
        matches!(self, Self::Method5 | Self::Method7)
    }
}

/// The constants of the smoothing methods.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constants {
    /// ε of method 1.
    pub(super) epsilon: f64,
    /// α of method 6.
    pub(super) alpha: f64,
    /// K of methods 4 and 7.
    pub(super) k: f64,
}

/// The order after the last, for methods 5 and 7.
const NEXT_ORDER: usize = 5;

pub(super) struct NltkBleu {
    name: &'static str,
    order: usize,
    smoothing: SmoothingFunction,
    constants: Constants,
    /// The counter of lengths and matches.
    counts: Bleu,
}

impl NltkBleu {
    pub(super) fn new(
        name: &'static str,
        order: usize,
        smoothing: SmoothingFunction,
        constants: Constants,
        env: &Env,
    ) -> Result<Self> {
        let Constants { epsilon, alpha, k } = constants;
        for (key, value) in [("epsilon", epsilon), ("alpha", alpha), ("k", k)] {
            positive(name, key, value)?;
        }
        if smoothing == SmoothingFunction::Method6 && order < 3 {
            let what = format!("{name}: method6 begins at triples of words");
            return Err(Error::usage(what).with_hint("take bleu-3 or bleu-4, or another method"));
        }
        let counted = if smoothing.averages() {
            NEXT_ORDER
        } else {
            order
        };
        let params = BleuParams {
            tokenize: SacrebleuTokenizer::None,
            max_ngram_order: counted,
            ..BleuParams::default()
        };
        let counts = Bleu::new(params, env)?;
        Ok(Self {
            name,
            order,
            smoothing,
            constants,
            counts,
        })
    }

    fn counted(&self) -> usize {
        self.counts.params.max_ngram_order
    }

    /// The score of statistics or of their sum.
    fn formula(&self, statistics: &[f64]) -> f64 {
        let (lengths, orders) = statistics.split_at(2);
        let counted = self.counted();
        let orders = (0..counted).map(|n| NgramOrderCounts {
            matches: orders[n],
            ngrams: orders[counted + n],
            total: orders[counted + n] + orders[2 * counted + n],
        });
        let orders: Vec<NgramOrderCounts> = orders.collect();
        if orders[0].matches == 0.0 {
            return 0.0;
        }
        let Some(precisions) = self.precisions(&orders, lengths[0]) else {
            return 0.0;
        };
        let logs = precisions.iter().filter(|&&p| p > 0.0).map(|p| p.ln());
        let penalty = (1.0 - lengths[1] / lengths[0]).min(0.0).exp();
        penalty * (logs.sum::<f64>() / self.order as f64).exp()
    }

    /// The smoothed precision of each order; `None` if method 6 has nothing to begin with.
    fn precisions(&self, orders: &[NgramOrderCounts], length: f64) -> Option<Vec<f64>> {
        let Constants { epsilon, alpha, k } = self.constants;
        let next = orders.get(NEXT_ORDER - 1).copied().unwrap_or_default();
        let orders = &orders[..self.order];
        let mut precisions: Vec<f64> = orders.iter().map(|order| order.precision()).collect();
        // The number of orders without matches so far, this one included.
        let mut without = 0;
        for (n, order) in orders.iter().enumerate() {
            let none = order.matches == 0.0;
            without += i32::from(none);
            let halves = 0.5_f64.powi(without);
            match self.smoothing {
                SmoothingFunction::Method0 if none => precisions[n] = f64::MIN_POSITIVE,
                SmoothingFunction::Method1 if none => precisions[n] = epsilon / order.total,
                SmoothingFunction::Method2 if n > 0 => {
                    precisions[n] = (order.matches + 1.0) / (order.total + 1.0);
                }
                SmoothingFunction::Method3 if none => precisions[n] = halves / order.total,
                SmoothingFunction::Method4 | SmoothingFunction::Method7 if none && length > 1.0 => {
                    precisions[n] = halves * length.ln() / k / order.total;
                }
                SmoothingFunction::Method6 if n > 1 => {
                    if orders[2].matches == 0.0 {
                        return None;
                    }
                    let (one, two) = (precisions[n - 1], precisions[n - 2]);
                    let expected = if two == 0.0 { 0.0 } else { one * one / two };
                    precisions[n] = (order.matches + alpha * expected) / (order.ngrams + alpha);
                }
                _ => {}
            }
        }
        if self.smoothing.averages() {
            average(&mut precisions, next.precision());
        }
        Some(precisions)
    }
}

/// Replaces each precision by the mean of the (averaged) one before, itself and the one after.
fn average(precisions: &mut [f64], next: f64) {
    let mut before = precisions[0] + 1.0;
    for n in 0..precisions.len() {
        let after = precisions.get(n + 1).copied().unwrap_or(next);
        precisions[n] = (before + precisions[n] + after) / 3.0;
        before = precisions[n];
    }
}

/// The n-grams of one order.
#[derive(Debug, Clone, Copy, Default)]
struct NgramOrderCounts {
    matches: f64,
    ngrams: f64,
    /// The n-grams of all texts, with one for each text that has none.
    total: f64,
}

impl NgramOrderCounts {
    fn precision(self) -> f64 {
        self.matches / self.total.max(1.0)
    }
}

impl Metric for NltkBleu {
    fn signature(&self) -> Signature {
        let Constants { epsilon, alpha, k } = self.constants;
        let smooth = match self.smoothing {
            SmoothingFunction::Method1 => format!("method1[{epsilon}]"),
            SmoothingFunction::Method6 => format!("method6[{alpha}]"),
            SmoothingFunction::Method4 | SmoothingFunction::Method7 => {
                format!("{}[{k}]", self.smoothing.name())
            }
            _ => self.smoothing.name(),
        };
        Signature::new(self.name)
            .with("impl", "nltk")
            .with("case", "mixed")
            .with("tok", "none")
            .with("smooth", smooth)
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let statistics = self.statistics(segments)?;
        let rows = statistics.chunks_exact(self.width());
        Ok(rows.map(|row| self.formula(row)).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// The statistics are those of `bleu`, then for each order whether the text has no n-gram of it.
impl CorpusMetric for NltkBleu {
    fn width(&self) -> usize {
        2 + 3 * self.counted()
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let counts = self.counts.statistics_for(self.name, segments)?;
        let mut statistics = Vec::with_capacity(segments.len() * self.width());
        for row in counts.chunks_exact(self.counts.width()) {
            statistics.extend_from_slice(row);
            let ngrams = &row[2 + self.counted()..];
            let none = ngrams.iter().map(|&ngrams| f64::from(ngrams == 0.0));
            statistics.extend(none);
        }
        Ok(statistics)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        self.formula(totals)
    }
}
