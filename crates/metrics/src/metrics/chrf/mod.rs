//! chrF and chrF++: F-score of character n-grams, and for chrF++ of word n-grams too.
//!
//! Source: M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015, and
//! "chrF++: words helping character n-grams", WMT 2017; as in sacrebleu 2.6.0. Scores run from 0
//! to 100.
//!
//! Precision and recall are averaged over the orders that both texts have, then F is taken once;
//! with `eps-smoothing` F is averaged over all orders instead, as in the authors' program. Of
//! several references the best counts. The corpus score comes from summed counts (of the best
//! references), not from a mean of scores.
//!
//! VizSeq, which Mohankumar and Khapra ("Active Evaluation", ACL 2022) used, calls sacrebleu 1.4 with
//! the first reference only, and rounds shares: `multi-reference=first,scale=1,decimals=3`.
//!
//! Deviation: the signature also names `beta`, and the three parameters above where they are given.

mod formula;
mod matching;
mod params;

pub(crate) use params::ChrfParams;

use super::by_item::compare_all;
use super::{Blueprint, CorpusMetric, Metric, Segment};
use matching::ChrfMatcher;
use tiebreak_base::error::Result;
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::{Signature, yes_no};

/// `chrf`.
pub(super) const CHRF: Entry<Blueprint> = Entry {
    name: "chrf",
    summary: "F-score of character n-grams, as in sacrebleu (0-100)",
    cite: "Popović 2015, chrF: character n-gram F-score for automatic MT evaluation",
    parameters: parameters::<ChrfParams>,
    build: Blueprint::higher(|params, _| Ok(Box::new(Chrf::new("chrf", params.read("chrf")?)?))),
};

/// `chrf++`: word unigrams and bigrams as well.
pub(super) const CHRF_PLUS_PLUS: Entry<Blueprint> = Entry {
    name: "chrf++",
    summary: "F-score of character n-grams and word n-grams, as in sacrebleu (0-100)",
    cite: "Popović 2017, chrF++: words helping character n-grams",
    parameters: || serde_json::to_value(ChrfParams::plus_plus()).unwrap_or_default(),
    build: Blueprint::higher(|params, _| {
        let mut params = params.clone();
        let words = ChrfParams::plus_plus().word_order as i64;
        params.0.entry("word-order").or_insert(words.into());
        Ok(Box::new(Chrf::new("chrf++", params.read("chrf++")?)?))
    }),
};

/// chrF with its parameters.
#[derive(Debug, Clone)]
pub(crate) struct Chrf {
    name: &'static str,
    params: ChrfParams,
}

impl Chrf {
    /// Makes chrF with these parameters, under the name that was asked for.
    ///
    /// # Errors
    /// [`tiebreak_base::error::Error::Usage`] for orders that are both 0 or above 100, or a beta that is not a positive
    /// number.
    pub(crate) fn new(name: &'static str, params: ChrfParams) -> Result<Self> {
        params.check(name)?;
        Ok(Self { name, params })
    }
}

impl Metric for Chrf {
    fn signature(&self) -> Signature {
        let params = &self.params;
        let signature = Signature::new(self.name)
            .with("case", if params.lowercase { "lc" } else { "mixed" })
            .with("eff", yes_no(!params.eps_smoothing))
            .with("nc", params.char_order)
            .with("nw", params.word_order)
            .with("space", yes_no(params.whitespace))
            .with("beta", params.beta);
        let usual = ChrfParams::default();
        let refs = params.multi_reference;
        let more = [
            ("refs", (refs != usual.multi_reference).then(|| refs.name())),
            (
                "scale",
                (params.scale != usual.scale).then(|| params.scale.to_string()),
            ),
            (
                "decimals",
                params.decimals.map(|decimals| decimals.to_string()),
            ),
        ];
        let more = more
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)));
        more.fold(signature, |signature, (key, value)| {
            signature.with(key, value)
        })
        .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let statistics = self.statistics(segments)?;
        let rows = statistics.chunks_exact(self.width());
        Ok(rows.map(|row| self.params.score(row)).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// The statistics are, for each order of characters and then of words, the n-grams of the text, of the best reference,
/// and the clipped matches.
impl CorpusMetric for Chrf {
    fn width(&self) -> usize {
        3 * (self.params.char_order + self.params.word_order)
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        compare_all(self.name, ChrfMatcher::new(&self.params), segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        self.params.score(totals)
    }
}
