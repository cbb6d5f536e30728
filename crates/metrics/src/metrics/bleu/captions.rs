//! BLEU-1 to BLEU-4 as image captioning and dialogue papers report them: no tokeniser, no smoothing
//! but tiny constants, 0 to 1.
//!
//! Source: nlg-eval (git 2ab4528) and pycocoevalcap 1.2, whose arithmetic is the same. Words are
//! what white space separates. Matches and the closest reference's length are as in sacrebleu's
//! BLEU. With c matches among g n-grams the precision is (c + 10⁻¹⁵)/(g + 10⁻⁹), so a text without
//! matches scores little more than 0, a perfect one little less than 1, and an empty one 0.
//! Mohankumar and Khapra ("Active Evaluation", ACL 2022) use these per segment.
//!
//! With `implementation=nltk` they are nltk's instead, with its smoothing methods: see `nltk.rs`.

use super::nltk::{Constants, NltkBleu, SmoothingFunction};
use super::{Bleu, BleuParams, Blueprint, CorpusMetric, Env, Metric, SacrebleuTokenizer, Segment};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, Params, parameters};
use tiebreak_base::signature::Signature;

/// `bleu-1`: words.
pub(in crate::metrics) const BLEU_1: Entry<Blueprint> = Entry {
    name: "bleu-1",
    summary: "BLEU over words, as in nlg-eval or nltk (0-1)",
    build: Blueprint::higher(|params, env| build("bleu-1", 1, params, env)),
    ..TEMPLATE
};

/// `bleu-2`: words and pairs of words.
pub(in crate::metrics) const BLEU_2: Entry<Blueprint> = Entry {
    name: "bleu-2",
    summary: "BLEU up to pairs of words, as in nlg-eval or nltk (0-1)",
    build: Blueprint::higher(|params, env| build("bleu-2", 2, params, env)),
    ..TEMPLATE
};

/// `bleu-3`: up to triples of words.
pub(in crate::metrics) const BLEU_3: Entry<Blueprint> = Entry {
    name: "bleu-3",
    summary: "BLEU up to triples of words, as in nlg-eval or nltk (0-1)",
    build: Blueprint::higher(|params, env| build("bleu-3", 3, params, env)),
    ..TEMPLATE
};

/// `bleu-4`: up to quadruples of words.
pub(in crate::metrics) const BLEU_4: Entry<Blueprint> = Entry {
    name: "bleu-4",
    summary: "BLEU up to quadruples of words, as in nlg-eval or nltk (0-1)",
    build: Blueprint::higher(|params, env| build("bleu-4", 4, params, env)),
    ..TEMPLATE
};

const TEMPLATE: Entry<Blueprint> = Entry {
    name: "",
    summary: "",
    cite: "Papineni et al. 2002; Sharma et al. 2017, nlg-eval",
    parameters: parameters::<CaptionBleuParams>,
    build: Blueprint::higher(|params, env| build("bleu-4", 4, params, env)),
};

/// The parameters of `bleu-1` to `bleu-4`; smoothing is nltk's only, with nltk's names.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CaptionBleuParams {
    /// The program that is followed.
    pub implementation: CaptionBleuImplementation,
    /// The smoothing of orders without matches; `method0` by default.
    pub smoothing_function: Option<SmoothingFunction>,
    /// ε of `method1`; 0.1 by default.
    pub epsilon: Option<f64>,
    /// α of `method6`; 5 by default.
    pub alpha: Option<f64>,
    /// K of `method4` and `method7`; 5 by default.
    pub k: Option<f64>,
}

/// A program that computes BLEU of words as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub(crate) enum CaptionBleuImplementation {
    #[default]
    NlgEval,
    Nltk,
}

fn build(name: &'static str, order: usize, params: &Params, env: &Env) -> Result<Box<dyn Metric>> {
    let params: CaptionBleuParams = params.read(name)?;
    let CaptionBleuParams {
        epsilon, alpha, k, ..
    } = params;
    if params.implementation == CaptionBleuImplementation::Nltk {
        let smoothing = params.smoothing_function.unwrap_or_default();
        let constants = Constants {
            epsilon: epsilon.unwrap_or(0.1),
            alpha: alpha.unwrap_or(5.0),
            k: k.unwrap_or(5.0),
        };
        return Ok(Box::new(NltkBleu::new(
            name, order, smoothing, constants, env,
        )?));
    }
    if params.smoothing_function.is_some() || epsilon.or(alpha).or(k).is_some() {
        let what = format!("{name}: nlg-eval smooths with tiny constants only");
        return Err(Error::usage(what).with_hint("add implementation=nltk"));
    }
    let params = BleuParams {
        tokenize: SacrebleuTokenizer::None,
        max_ngram_order: order,
        ..BleuParams::default()
    };
    let counts = Bleu::new(params, env)?;
    Ok(Box::new(CaptionBleu { name, counts }))
}

struct CaptionBleu {
    name: &'static str,
    /// The counter of lengths and matches.
    counts: Bleu,
}

impl Metric for CaptionBleu {
    fn signature(&self) -> Signature {
        Signature::new(self.name)
            .with("case", "mixed")
            .with("tok", "none")
            .with("smooth", "tiny")
            .with("version", 1)
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let statistics = self.statistics(segments)?;
        let rows = statistics.chunks_exact(self.width());
        Ok(rows.map(formula).collect())
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// The statistics are those of `bleu`.
impl CorpusMetric for CaptionBleu {
    fn width(&self) -> usize {
        self.counts.width()
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        self.counts.statistics_for(self.name, segments)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        formula(totals)
    }
}

/// The constants that keep fractions defined; `SMALL` also keeps perfect precisions below 1.
const TINY: f64 = 1e-15;
const SMALL: f64 = 1e-9;

/// The score from the text's length, the reference's, then N matches and N totals.
fn formula(statistics: &[f64]) -> f64 {
    let (lengths, orders) = statistics.split_at(2);
    let (matches, totals) = orders.split_at(orders.len() / 2);
    let precisions = matches.iter().zip(totals);
    let product: f64 = precisions
        .map(|(matches, total)| (matches + TINY) / (total + SMALL))
        .product();
    let ratio = (lengths[0] + TINY) / (lengths[1] + SMALL);
    let penalty = (1.0 - 1.0 / ratio).min(0.0).exp();
    penalty * product.powf(1.0 / matches.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Three words against four, two of them matched, and one of two pairs.
        let score = formula(&[3.0, 4.0, 2.0, 1.0, 3.0, 2.0]);
        let expected = (1.0 - 4.0_f64 / 3.0).exp() * (2.0 / 3.0 * 0.5_f64).sqrt();
        assert!((score - expected).abs() < 1e-8);
        assert_eq!(formula(&[0.0, 4.0, 0.0, 0.0]), 0.0);
    }
}
