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

use super::Measure;
use super::overlap::{Overlap, Overlaps};
use crate::metrics::by_item::Comparison;
use resources::Resources;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::{Signature, yes_no};
use tokens::{Limit, Tokens};

/// The options of ROUGE-1.5.5; its own names are single letters, given in brackets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rouge155Params {
    /// Whether words are stemmed (`-m`).
    #[serde(alias = "stem")]
    pub use_stemmer: bool,
    /// A table of words and their stems that go before the stemmer's.
    pub exceptions: Option<PathBuf>,
    /// A list of words that are left out (`-s`).
    pub stop_words: Option<PathBuf>,
    /// How many words of each text are read (`-l`).
    pub words: Option<usize>,
    /// How many bytes of each text are read (`-b`).
    pub bytes: Option<usize>,
    /// What several references come to (`-f`); by default their sum.
    pub references: Option<Several>,
    /// The weight of precision in F, 0 to 1 (`-p`): 1 is precision alone, 0 recall; 0.5 by default.
    pub alpha: Option<f64>,
    /// Which of the three numbers is the score.
    pub measure: Measure,
}

/// What several references come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Several {
    /// Their sum (`-f A`).
    Average,
    /// The one with the highest recall (`-f B`).
    Best,
}

impl Rouge155Params {
    /// Refuses what other programs do not have.
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

    fn limit(&self, name: &str) -> Result<Limit> {
        match (self.words, self.bytes) {
            (None, None) => Ok(Limit::None),
            (Some(0), _) | (_, Some(0)) => {
                let what = format!("{name}: a limit of words or bytes is 0, expected 1 or more");
                Err(Error::usage(what))
            }
            (Some(words), None) => Ok(Limit::Words(words)),
            (None, Some(bytes)) => Ok(Limit::Bytes(bytes)),
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
    limit: Limit,
    resources: Resources,
    several: Several,
    alpha: f64,
    measure: Measure,
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
            several: params.references.unwrap_or(Several::Average),
            alpha,
            measure: params.measure,
        })
    }

    /// A reader of texts.
    pub(super) fn tokens(&self) -> Tokens<'_> {
        Tokens::new(self.limit, &self.resources)
    }

    /// Adds what the options say, but for the measure.
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
            Limit::None => "no".to_string(),
            Limit::Words(words) => format!("words[{words}]"),
            Limit::Bytes(bytes) => format!("bytes[{bytes}]"),
        };
        let several = match self.several {
            Several::Average => "average",
            Several::Best => "best",
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
        ranking: Ranking,
        power: Option<f64>,
    ) -> impl Comparison {
        Combined {
            program: self,
            overlaps,
            ranking,
            power,
        }
    }
}

/// By which recall the best reference is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranking {
    /// As it is printed: of n-grams and pairs.
    Printed,
    /// As it is: of subsequences.
    Exact,
}

impl Ranking {
    fn rank(self, overlap: Overlap) -> f64 {
        match self {
            Self::Printed => rounded(overlap.recall()),
            Self::Exact => overlap.recall(),
        }
    }
}

struct Combined<'a, O> {
    program: &'a Rouge155,
    overlaps: O,
    ranking: Ranking,
    power: Option<f64>,
}

impl<O: Overlaps> Comparison for Combined<'_, O> {
    fn set_references(&mut self, references: &[String]) {
        self.overlaps.set_references(references);
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let (several, ranking, power) = (self.program.several, self.ranking, self.power);
        let weighed = |total: f64| power.map_or(total, |power| total.powf(power));
        let mut total = Overlap::default();
        let mut highest = f64::NEG_INFINITY;
        self.overlaps.overlaps(hypothesis, |overlap| {
            if several == Several::Best {
                if ranking.rank(overlap) <= highest {
                    return;
                }
                highest = ranking.rank(overlap);
                total = Overlap::default();
            }
            total.hits += overlap.hits;
            total.hypothesis += weighed(overlap.hypothesis);
            total.reference += weighed(overlap.reference);
        });
        values.push(self.measured(total));
    }
}

impl<O> Combined<'_, O> {
    fn measured(&self, total: Overlap) -> f64 {
        let share = |share: f64| rounded(self.power.map_or(share, |power| share.powf(1.0 / power)));
        let (precision, recall) = (share(total.precision()), share(total.recall()));
        let alpha = self.program.alpha;
        match self.program.measure {
            Measure::Precision => precision,
            Measure::Recall => recall,
            Measure::FMeasure => {
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

/// To five decimals, as printing does.
fn rounded(value: f64) -> f64 {
    format!("{value:.5}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing but given overlaps.
    struct Given(Vec<(f64, f64, f64)>);

    impl Overlaps for Given {
        fn set_references(&mut self, _: &[String]) {}

        fn overlaps(&mut self, _: &str, mut emit: impl FnMut(Overlap)) {
            for &(hits, hypothesis, reference) in &self.0 {
                emit(Overlap {
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
        let overlaps = Given(overlaps.to_vec());
        let mut comparison = program.comparison(overlaps, Ranking::Printed, power);
        comparison.compare("", &mut values);
        values[0]
    }

    fn measured(overlaps: &[(f64, f64, f64)], measure: Measure) -> f64 {
        let params = Rouge155Params {
            measure,
            ..Rouge155Params::default()
        };
        score(overlaps, &params, None)
    }

    #[test]
    fn f_is_made_of_rounded_numbers() {
        let one = [(1.0, 3.0, 7.0)];
        assert_eq!(measured(&one, Measure::Recall), 0.14286);
        assert_eq!(measured(&one, Measure::Precision), 0.33333);
        assert_eq!(measured(&one, Measure::FMeasure), 0.2);
        assert_eq!(measured(&[(0.0, 0.0, 0.0)], Measure::FMeasure), 0.0);
    }

    #[test]
    fn references_are_summed_or_the_one_with_the_highest_recall_is_kept() {
        let two = [(1.0, 4.0, 4.0), (2.0, 4.0, 4.0)];
        assert_eq!(measured(&two, Measure::Recall), 0.375);
        let best = Rouge155Params {
            references: Some(Several::Best),
            ..Rouge155Params::default()
        };
        assert_eq!(score(&two, &best, None), 0.5);
    }

    #[test]
    fn shares_of_weighted_hits_are_taken_to_the_inverse_power() {
        // Hits 4 = 2² of totals 2 and 4, squared: the roots are 1 and 1/2.
        let params = Rouge155Params {
            measure: Measure::Recall,
            ..Rouge155Params::default()
        };
        assert_eq!(score(&[(4.0, 2.0, 4.0)], &params, Some(2.0)), 0.5);
        let params = Rouge155Params {
            measure: Measure::Precision,
            ..params
        };
        assert_eq!(score(&[(4.0, 2.0, 4.0)], &params, Some(2.0)), 1.0);
    }
}
