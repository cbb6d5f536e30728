//! CIDEr and CIDEr-D: how alike a text and its references are in n-grams that are rare elsewhere.
//!
//! Source: R. Vedantam, C. L. Zitnick and D. Parikh, "CIDEr: consensus-based image description
//! evaluation", CVPR 2015; as in the authors' program (vrama91/cider), whose CIDEr-D is what
//! pycocoevalcap and nlg-eval call CIDEr. Scores run from 0 to 10.
//!
//! Texts are vectors of tf-idf weights, one per order; the score is the mean cosine over orders
//! and references, times 10. CIDEr-D clips a text's weights by the reference's and multiplies by
//! exp(-d²/2σ²), d being the difference in length (in bigrams), against texts that repeat or leave
//! out words. Words are what white space separates: lower-case and tokenise beforehand.
//!
//! Document frequencies come from the references of the whole data set, once per item. With
//! `df=segment` every segment is a data set of its own, as in Mohankumar and Khapra, "Active
//! Evaluation", ACL 2022, where all weights, and so all scores, are 0. With `df=FILE` they are read
//! from a file: `table.rs` says how it must be.
//!
//! Deviation: an empty reference, at which the authors' program raises an error, has cosine 0. An
//! n-gram that no reference has counts as if one item had it, as there.

mod document_frequencies;
mod repeated;
mod table;
mod vectors;

use super::by_item::items;
use super::by_item::{ReferenceComparison, compare_all};
use super::{Blueprint, Metric, Segment};
use crate::text::whitespace::words;
use document_frequencies::NgramDocumentFrequencies;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, parameters, positive};
use tiebreak_base::signature::Signature;
use vectors::{Vector, Vectors};

/// `cider`.
pub(super) const CIDER: Entry<Blueprint> = Entry {
    name: "cider",
    summary: "cosine of n-grams weighted by rarity, as first published (0-10)",
    cite: "Vedantam et al. 2015, CIDEr: consensus-based image description evaluation",
    parameters: parameters::<CiderParams>,
    build: Blueprint::higher(|params, _| {
        let params: CiderParams = params.read("cider")?;
        Ok(Box::new(Cider::new("cider", params.n, None, &params.df)?))
    }),
};

/// `cider-d`.
pub(super) const CIDER_D: Entry<Blueprint> = Entry {
    name: "cider-d",
    summary: "CIDEr with clipping and a length penalty, as in pycocoevalcap (0-10)",
    cite: "Vedantam et al. 2015, CIDEr: consensus-based image description evaluation",
    parameters: parameters::<CiderDParams>,
    build: Blueprint::higher(|params, _| {
        let params: CiderDParams = params.read("cider-d")?;
        let sigma = Some(params.sigma);
        Ok(Box::new(Cider::new(
            "cider-d", params.n, sigma, &params.df,
        )?))
    }),
};

/// The parameters of `cider`, named as in the authors' program.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CiderParams {
    /// The longest n-gram; 1 to 100.
    pub n: usize,
    /// The source of document frequencies.
    pub df: Documents,
}

/// The parameters of `cider-d`, named as in the authors' program.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CiderDParams {
    /// The longest n-gram; 1 to 100.
    pub n: usize,
    /// The difference in length, in bigrams, that is one standard deviation of the penalty.
    pub sigma: f64,
    /// The source of document frequencies.
    pub df: Documents,
}

impl Default for CiderParams {
    fn default() -> Self {
        let df = Documents::Corpus;
        Self { n: 4, df }
    }
}

impl Default for CiderDParams {
    fn default() -> Self {
        let CiderParams { n, df } = CiderParams::default();
        Self { n, sigma: 6.0, df }
    }
}

/// The source of document frequencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Documents {
    /// The references of all items.
    Corpus,
    /// The references of the segment alone: every score is 0.
    Segment,
    /// A file; one called `corpus` must be given as `./corpus`.
    #[serde(untagged)]
    File(PathBuf),
}

struct Cider {
    name: &'static str,
    order: usize,
    /// σ of CIDEr-D's length penalty.
    sigma: Option<f64>,
    /// The source of document frequencies, as signatures name it.
    documents: String,
    needs_corpus: bool,
    frequencies: Option<NgramDocumentFrequencies>,
}

impl Cider {
    fn new(
        name: &'static str,
        order: usize,
        sigma: Option<f64>,
        documents: &Documents,
    ) -> Result<Self> {
        if !(1..=100).contains(&order) {
            let what = format!("{name}: n is {order}, expected 1 to 100");
            return Err(Error::usage(what));
        }
        if let Some(sigma) = sigma {
            positive(name, "sigma", sigma)?;
        }
        let (documents, frequencies) = match documents {
            Documents::Corpus => ("corpus".to_string(), None),
            Documents::Segment => {
                let one = NgramDocumentFrequencies::of_one_item();
                ("segment".to_string(), Some(one))
            }
            Documents::File(path) => {
                let (read, digest) = table::read(path)?;
                (format!("file[{digest}]"), Some(read))
            }
        };
        Ok(Self {
            name,
            order,
            sigma,
            documents,
            needs_corpus: frequencies.is_none(),
            frequencies,
        })
    }
}

impl Metric for Cider {
    fn signature(&self) -> Signature {
        let signature = Signature::new(self.name).with("n", self.order);
        let signature = match self.sigma {
            Some(sigma) => signature.with("sigma", sigma),
            None => signature,
        };
        signature.with("df", &self.documents).with("version", 1)
    }

    fn needs_corpus(&self) -> bool {
        self.needs_corpus
    }

    fn observe(&mut self, segments: &[Segment<'_>]) -> Result<()> {
        let frequencies = self.frequencies.get_or_insert_default();
        for item in items(segments) {
            frequencies.add(item[0].references, self.order);
        }
        Ok(())
    }

    fn observed(&mut self) -> bool {
        let frequencies = self.frequencies.as_mut();
        frequencies.is_some_and(NgramDocumentFrequencies::needs_another_pass)
    }

    /// The n-grams of the item's references, and the item itself as the n-gram without words.
    fn terms(&self, item: &[Segment<'_>]) -> Result<Option<Vec<String>>> {
        let Some(one) = item.first().filter(|_| self.needs_corpus) else {
            return Ok(self.needs_corpus.then(Vec::new));
        };
        let mut terms = BTreeSet::from([String::new()]);
        for reference in one.references {
            let words: Vec<&str> = words(reference).collect();
            for n in 1..=self.order {
                terms.extend(words.windows(n).map(|ngram| ngram.join(" ")));
            }
        }
        Ok(Some(terms.into_iter().collect()))
    }

    fn count(&mut self, counts: &BTreeMap<String, u64>) -> Result<()> {
        if self.needs_corpus {
            self.frequencies = Some(NgramDocumentFrequencies::counted(counts)?);
        }
        Ok(())
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let complete = NgramDocumentFrequencies::is_complete;
        let Some(frequencies) = self.frequencies.as_ref().filter(|found| complete(found)) else {
            let what = format!("{} has not seen the references of the data set", self.name);
            return Err(Error::failed(what).with_hint("show it the data set before scoring"));
        };
        let similarity = Similarity {
            sigma: self.sigma,
            vectors: Vectors::new(self.order, frequencies),
            references: Vec::new(),
        };
        compare_all(self.name, similarity, segments)
    }
}

/// Compares a text with the references of its item.
struct Similarity<'a> {
    sigma: Option<f64>,
    vectors: Vectors<'a>,
    references: Vec<Vector>,
}

impl ReferenceComparison for Similarity<'_> {
    fn set_references(&mut self, references: &[String]) {
        let read = references.iter().map(|text| self.vectors.read(text));
        self.references = read.collect();
    }

    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>) {
        let text = self.vectors.read(hypothesis);
        let cosines = self.references.iter();
        let cosines = cosines.map(|reference| mean_cosine(&text, reference, self.sigma));
        values.push(10.0 * cosines.sum::<f64>() / self.references.len() as f64);
    }
}

/// The cosine averaged over orders; with `sigma`, CIDEr-D's.
fn mean_cosine(text: &Vector, reference: &Vector, sigma: Option<f64>) -> f64 {
    let mut products = vec![0.0; text.norms.len()];
    for &term in &text.terms {
        let weight = reference.weight(term);
        products[term.order] += match sigma {
            Some(_) => term.weight.min(weight) * weight,
            None => term.weight * weight,
        };
    }
    let norms = text.norms.iter().zip(&reference.norms);
    let cosine = |(product, (a, b)): (f64, (&f64, &f64))| {
        let norm = a * b;
        if norm == 0.0 { 0.0 } else { product / norm }
    };
    let orders = products.len() as f64;
    let mean = products.into_iter().zip(norms).map(cosine).sum::<f64>() / orders;
    let difference = text.bigrams as f64 - reference.bigrams as f64;
    match sigma {
        Some(sigma) => mean * (-difference * difference / (2.0 * sigma * sigma)).exp(),
        None => mean,
    }
}
