//! ROUGE as ROUGE-1.5.5 computes it: Lin's own program, in Perl.
//!
//! With `average`, hits and totals are summed over references (`-f A`); with `best`, the one with
//! the highest recall counts, the first on ties (`-f B`). Precision and recall are rounded to five
//! decimals, then F is computed from these and rounded: all as the program prints them. With w the
//! weight of ROUGE-W its shares are (hits / totalʷ)^(1/w).
//!
//! `use-stemmer` (`-m`) and `stop-words` (`-s`) need files of the program's for its numbers:
//! `exceptions` is its table of irregular forms (without it all words go through the Porter
//! stemmer), and `stop-words` its list. `words` and `bytes` (`-l`, `-b`) cut texts and references.
//! Chaganty, Mussmann and Liang ("The price of debiasing automatic metrics", ACL 2018) ran it as
//! `-n 4 -2 4 -u -l 50 -m -s -f A -p 0.5` and took the recall:
//!
//! ```text
//! rouge-l:implementation=1.5.5,use-stemmer=true,exceptions=FILE,stop-words=FILE,words=50,measure=recall
//! ```
//!
//! Deviation: no bootstrap interval. A text without anything to compare scores 0, also where the
//! program divides by zero.

mod resources;
mod tokens;

use super::RougeMeasure;
use super::overlap::{Overlaps, RougeOverlap};
use crate::metrics::by_item::ReferenceComparison;
use resources::Resources;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::{Signature, yes_no};
use tokens::{LengthLimit, Rouge155Tokenizer};

/// The options of ROUGE-1.5.5; its own names are single letters, given in brackets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Rouge155Params {
    /// Whether words are stemmed (`-m`).
    #[serde(alias = "stem")]
    pub use_stemmer: bool,
    /// A table of words and their stems that go before the stemmer's.
    pub exceptions: Option<PathBuf>,
    /// A list of words that are left out (`-s`).
    pub stop_words: Option<PathBuf>,
    /// The number of words that are read of each text (`-l`).
    pub words: Option<usize>,
    /// The number of bytes that are read of each text (`-b`).
    pub bytes: Option<usize>,
    /// The combination of several references (`-f`); by default their sum.
    pub references: Option<ReferenceCombination>,
    /// The weight of precision in F, 0 to 1 (`-p`): 1 is precision alone, 0 recall; 0.5 by default.
    pub alpha: Option<f64>,
    /// The one of the three numbers that is the score.
    pub measure: RougeMeasure,
}

/// The combination of several references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReferenceCombination {
    /// The sum over references (`-f A`).
    Average,
    /// The reference with the highest recall (`-f B`).
    Best,
}

impl Rouge155Params {
    /// Refuses all options but stemming, which are of ROUGE-1.5.5 alone.
    pub(super) fn refuse_all_but_stemming(&self, name: &str) -> Result<()> {
        let given = [
            ("exceptions", self.exceptions.is_some()),
            ("stop-words", self.stop_words.is_some()),
            ("words", self.words.is_some()),
            ("bytes", self.bytes.is_some()),
            ("references", self.references.is_some()),
            ("alpha", self.alpha.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => {
                let what = format!("{name}: {option} is for another implementation");
                Err(Error::usage(what).with_hint("add implementation=1.5.5"))
            }
        }
    }

    fn limit(&self, name: &str) -> Result<LengthLimit> {
        match (self.words, self.bytes) {
            (None, None) => Ok(LengthLimit::None),
            (Some(0), _) | (_, Some(0)) => {
                let what = format!("{name}: a limit of words or bytes is 0, expected 1 or more");
                Err(Error::usage(what))
            }
            (Some(words), None) => Ok(LengthLimit::Words(words)),
            (None, Some(bytes)) => Ok(LengthLimit::Bytes(bytes)),
            (Some(_), Some(_)) => {
                let what = format!("{name}: words and bytes cannot both be limited");
                Err(Error::usage(what))
            }
        }
    }
}

/// The program with its options and files.
#[derive(Debug)]
pub(super) struct Rouge155 {
    limit: LengthLimit,
    resources: Resources,
    several: ReferenceCombination,
    alpha: f64,
    measure: RougeMeasure,
}

impl Rouge155 {
    pub(super) fn new(name: &str, params: &Rouge155Params) -> Result<Self> {
        let limit = params.limit(name)?;
        let alpha = params.alpha.unwrap_or(0.5);
        if !(0.0..=1.0).contains(&alpha) {
            let what = format!("{name}: alpha is {alpha}, expected 0 to 1");
            return Err(Error::usage(what));
        }
        if params.exceptions.is_some() && !params.use_stemmer {
            let what = format!("{name}: exceptions are for stemming, which is off");
            return Err(Error::usage(what).with_hint("add use-stemmer=true"));
        }
        Ok(Self {
            limit,
            resources: Resources::load(
                params.use_stemmer,
                params.exceptions.as_deref(),
                params.stop_words.as_deref(),
            )?,
            several: params.references.unwrap_or(ReferenceCombination::Average),
            alpha,
            measure: params.measure,
        })
    }

    /// A reader of texts.
    pub(super) fn tokens(&self) -> Rouge155Tokenizer<'_> {
        Rouge155Tokenizer::new(self.limit, &self.resources)
    }

    /// Adds the options, but for the measure, to a signature.
    pub(super) fn sign(&self, signature: Signature) -> Signature {
        let stem = match &self.resources.exceptions {
            Some(exceptions) => format!("exceptions[{}]", exceptions.digest),
            None => yes_no(self.resources.stem).to_string(),
        };
        let stop = match &self.resources.stop_words {
            Some(stop_words) => format!("list[{}]", stop_words.digest),
            None => "no".to_string(),
        };
        let limit = match self.limit {
            LengthLimit::None => "no".to_string(),
            LengthLimit::Words(words) => format!("words[{words}]"),
            LengthLimit::Bytes(bytes) => format!("bytes[{bytes}]"),
        };
        let several = match self.several {
            ReferenceCombination::Average => "average",
            ReferenceCombination::Best => "best",
        };
        signature
            .with("stem", stem)
            .with("stop", stop)
            .with("limit", limit)
            .with("refs", several)
            .with("alpha", self.alpha)
    }

    /// Makes one score of a text's overlaps with all references; `power` is the weight of ROUGE-W.
    pub(super) fn comparison<O: Overlaps>(
        &self,
        overlaps: O,
        ranking: RecallRounding,
        power: Option<f64>,
    ) -> impl ReferenceComparison {
        Rouge155Comparison {
            program: self,
            overlaps,
            ranking,
            power,
        }
    }
}

/// The recall by which the best reference is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecallRounding {
    /// Recall as it is printed: of n-grams and pairs.
    Printed,
    /// Recall as it is: of subsequences.
    Exact,
}

impl RecallRounding {
    fn rank(self, overlap: RougeOverlap) -> f64 {
        match self {
            Self::Printed => rounded(overlap.recall()),
            Self::Exact => overlap.recall(),
        }
    }
}

struct Rouge155Comparison<'a, O> {
    program: &'a Rouge155,
    overlaps: O,
    ranking: RecallRounding,
    power: Option<f64>,
}

impl<O: Overlaps> ReferenceComparison for Rouge155Comparison<'_, O> {
    fn set_references(&mut self, references: &[String]) {
        self.overlaps.set_references(references);
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let (several, ranking, power) = (self.program.several, self.ranking, self.power);
        let weighed = |total: f64| power.map_or(total, |power| total.powf(power));
        let mut total = RougeOverlap::default();
        let mut highest = f64::NEG_INFINITY;
        self.overlaps.overlaps(hypothesis, |overlap| {
            if several == ReferenceCombination::Best {
                if ranking.rank(overlap) <= highest {
                    return;
                }
                highest = ranking.rank(overlap);
                total = RougeOverlap::default();
            }
            total.hits += overlap.hits;
            total.hypothesis += weighed(overlap.hypothesis);
            total.reference += weighed(overlap.reference);
        });
        values.push(self.measured(total));
    }
}

impl<O> Rouge155Comparison<'_, O> {
    fn measured(&self, total: RougeOverlap) -> f64 {
        let share = |share: f64| rounded(self.power.map_or(share, |power| share.powf(1.0 / power)));
        let (precision, recall) = (share(total.precision()), share(total.recall()));
        let alpha = self.program.alpha;
        match self.program.measure {
            RougeMeasure::Precision => precision,
            RougeMeasure::Recall => recall,
            RougeMeasure::FMeasure => {
                let weighted = (1.0 - alpha) * precision + alpha * recall;
                if weighted > 0.0 {
                    rounded(precision * recall / weighted)
                } else {
                    0.0
                }
            }
        }
    }
}

/// Rounds to five decimals, as printing does.
fn rounded(value: f64) -> f64 {
    format!("{value:.5}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Overlaps that are fixed in advance.
    struct FixedOverlaps(Vec<(f64, f64, f64)>);

    impl Overlaps for FixedOverlaps {
        fn set_references(&mut self, _: &[String]) {}

        fn overlaps(&mut self, _: &str, mut emit: impl FnMut(RougeOverlap)) {
            for &(hits, hypothesis, reference) in &self.0 {
                emit(RougeOverlap {
                    hits,
                    hypothesis,
                    reference,
                });
            }
        }
    }

    fn score(overlaps: &[(f64, f64, f64)], params: &Rouge155Params, power: Option<f64>) -> f64 {
        let program = Rouge155::new("rouge", params).unwrap();
        let mut values = Vec::new();
        let overlaps = FixedOverlaps(overlaps.to_vec());
        let mut comparison = program.comparison(overlaps, RecallRounding::Printed, power);
        comparison.compare("", &mut values);
        values[0]
    }

    fn measured(overlaps: &[(f64, f64, f64)], measure: RougeMeasure) -> f64 {
        let params = Rouge155Params {
            measure,
            ..Rouge155Params::default()
        };
        score(overlaps, &params, None)
    }

    #[test]
    fn f_is_made_of_rounded_numbers() {
        let one = [(1.0, 3.0, 7.0)];
        assert_eq!(measured(&one, RougeMeasure::Recall), 0.14286);
        assert_eq!(measured(&one, RougeMeasure::Precision), 0.33333);
        assert_eq!(measured(&one, RougeMeasure::FMeasure), 0.2);
        assert_eq!(measured(&[(0.0, 0.0, 0.0)], RougeMeasure::FMeasure), 0.0);
    }

    #[test]
    fn references_are_summed_or_the_one_with_the_highest_recall_is_kept() {
        let two = [(1.0, 4.0, 4.0), (2.0, 4.0, 4.0)];
        assert_eq!(measured(&two, RougeMeasure::Recall), 0.375);
        let best = Rouge155Params {
            references: Some(ReferenceCombination::Best),
            ..Rouge155Params::default()
        };
        assert_eq!(score(&two, &best, None), 0.5);
    }

    #[test]
    fn shares_of_weighted_hits_are_taken_to_the_inverse_power() {
        // Hits 4 = 2² of totals 2 and 4, squared: the roots are 1 and 1/2.
        let params = Rouge155Params {
            measure: RougeMeasure::Recall,
            ..Rouge155Params::default()
        };
        assert_eq!(score(&[(4.0, 2.0, 4.0)], &params, Some(2.0)), 0.5);
        let params = Rouge155Params {
            measure: RougeMeasure::Precision,
            ..params
        };
        assert_eq!(score(&[(4.0, 2.0, 4.0)], &params, Some(2.0)), 1.0);
    }
}
