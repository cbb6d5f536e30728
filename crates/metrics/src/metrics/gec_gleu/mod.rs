//! GLEU for grammatical error correction: BLEU that penalises what should have been corrected.
//!
//! Source: C. Napoles, K. Sakaguchi, M. Post and J. Tetreault, "Ground truth for grammatical error
//! correction metrics", ACL 2015, and "GLEU without tuning", 2016; as in the authors' program
//! (cnap/gec-ranking, git 50b5032). Scores run from 0 to 1. Words are what white space separates.
//!
//! n-grams (1 to 4) that a text shares with the source but not with the reference count against it.
//! A segment's score is the mean over references, with 1 for every count or length that is 0. The
//! corpus score is the mean of `iter` scores; each draws one reference per item, from the generator
//! of Python 2 seeded with 101 times the iteration's number, and is 0 if any sum is 0.
//!
//! Deviation: where items differ in their number of references each is drawn from with its own; the
//! program expects equal numbers. Draws go by the item's place in the data set, so a system without
//! outputs for some items is scored on the draws of those it has.

mod drawn;
mod overlap;
mod twister;

use super::by_item::{items, require_references};
use super::{Blueprint, CorpusMetric, Metric, Segment};
use crate::text::ngram_ids::NgramIds;
use drawn::ReferenceDraws;
use overlap::{Bag, ORDER, rewarded};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Entry, parameters};
use tiebreak_base::signature::Signature;
use twister::Twister;

/// `gec-gleu`.
pub(super) const ENTRY: Entry<Blueprint> = Entry {
    name: "gec-gleu",
    summary: "GLEU for grammatical error correction; needs the source (0-1)",
    cite: "Napoles et al. 2015, Ground truth for grammatical error correction metrics",
    parameters: parameters::<GecGleuParams>,
    build: Blueprint::higher(|params, _| Ok(Box::new(GecGleu::new(&params.read("gec-gleu")?)?))),
};

/// The parameters of `gec-gleu`, named as in the authors' program.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct GecGleuParams {
    /// How many times references are drawn for a corpus score; 1 to 10,000.
    pub iter: usize,
}

impl Default for GecGleuParams {
    fn default() -> Self {
        Self { iter: 500 }
    }
}

struct GecGleu {
    /// One generator per iteration, at its beginning.
    twisters: Vec<Twister>,
    /// The reference that each iteration draws, item by item.
    drawn: ReferenceDraws,
}

impl GecGleu {
    fn new(params: &GecGleuParams) -> Result<Self> {
        if !(1..=10_000).contains(&params.iter) {
            let what = format!("gec-gleu: iter is {}, expected 1 to 10000", params.iter);
            return Err(Error::usage(what));
        }
        let seeds = (0..params.iter as u32).map(|iteration| iteration * 101);
        Ok(Self {
            twisters: seeds.map(Twister::new).collect(),
            drawn: ReferenceDraws::default(),
        })
    }

    /// The reference that an iteration draws for the item at `position`.
    fn drawn(&self, position: u64, iteration: usize) -> Result<usize> {
        self.drawn.draw(position, iteration).ok_or_else(|| {
            let what = "gec-gleu has not seen the references of the data set";
            Error::failed(what).with_hint("show it the data set before scoring a corpus")
        })
    }

    fn compare(
        segments: &[Segment<'_>],
        mut emit: impl FnMut(usize, GecGleuCounts) -> Result<()>,
    ) -> Result<()> {
        let mut ids = NgramIds::default();
        let mut current: Option<&[String]> = None;
        let mut references: Vec<Bag> = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            require_references(ENTRY.name, segment)?;
            let Some(source) = segment.context else {
                let what = "gec-gleu needs the text that was corrected, and a segment has none";
                return Err(Error::usage(what).with_hint("give every item a `source`"));
            };
            if !current.is_some_and(|shared| std::ptr::eq(shared, segment.references)) {
                let read = segment.references.iter();
                references = read.map(|line| Bag::read(&mut ids, line)).collect();
                current = Some(segment.references);
            }
            let text = Bag::read(&mut ids, segment.hypothesis);
            let source = Bag::read(&mut ids, source);
            let row =
                |reference: &Bag| (reference.length as f64, rewarded(&text, &source, reference));
            let compared = GecGleuCounts {
                length: text.length as f64,
                totals: text.totals(),
                references: references.iter().map(row).collect(),
            };
            emit(at, compared)?;
        }
        Ok(())
    }
}

/// The counts of a text, and of its comparison with each reference.
struct GecGleuCounts {
    length: f64,
    totals: [f64; ORDER],
    /// The length of each reference, and the n-grams that are rewarded.
    references: Vec<(f64, [f64; ORDER])>,
}

impl Metric for GecGleu {
    fn signature(&self) -> Signature {
        Signature::new(ENTRY.name)
            .with("n", ORDER)
            .with("refs", "mean")
            .with("version", 1)
    }

    fn needs_corpus(&self) -> bool {
        true
    }

    fn observe(&mut self, segments: &[Segment<'_>]) -> Result<()> {
        for item in items(segments) {
            require_references(ENTRY.name, &item[0])?;
            let n = item[0].references.len();
            let twisters = self.twisters.iter_mut();
            let draws = twisters.map(|twister| twister.below(n) as u64);
            self.drawn.push(n, draws);
        }
        Ok(())
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let mut scores = Vec::with_capacity(segments.len());
        let or_one = |count: f64| if count == 0.0 { 1.0 } else { count };
        Self::compare(segments, |_, compared| {
            let (length, totals) = (or_one(compared.length), compared.totals.map(or_one));
            let each = compared.references.iter().map(|(reference, rewarded)| {
                formula(length, or_one(*reference), &rewarded.map(or_one), &totals)
            });
            scores.push(each.sum::<f64>() / compared.references.len() as f64);
            Ok(())
        })?;
        Ok(scores)
    }

    fn corpus(&self) -> Option<&dyn CorpusMetric> {
        Some(self)
    }
}

/// Statistics: the text's length and n-grams of each order, then for each iteration the length of
/// the reference it draws and the n-grams rewarded.
impl CorpusMetric for GecGleu {
    fn width(&self) -> usize {
        (1 + ORDER) * (1 + self.twisters.len())
    }

    fn statistics(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let positions: Vec<u64> = (0..segments.len() as u64).collect();
        self.statistics_at(segments, &positions)
    }

    fn statistics_at(&self, segments: &[Segment<'_>], positions: &[u64]) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(segments.len() * self.width());
        Self::compare(segments, |at, compared| {
            values.push(compared.length);
            values.extend(compared.totals);
            for iteration in 0..self.twisters.len() {
                let drawn = self.drawn(positions[at], iteration)?;
                let found = compared.references.get(drawn);
                let Some((length, rewarded)) = found else {
                    let what = "gec-gleu saw more references than a segment has";
                    return Err(Error::failed(what));
                };
                values.push(*length);
                values.extend(rewarded);
            }
            Ok(())
        })?;
        Ok(values)
    }

    fn aggregate(&self, totals: &[f64]) -> f64 {
        let (text, iterations) = totals.split_at(1 + ORDER);
        let scores = iterations.chunks_exact(1 + ORDER);
        let scores = scores.map(|drawn| formula(text[0], drawn[0], &drawn[1..], &text[1..]));
        scores.sum::<f64>() / self.twisters.len() as f64
    }

    fn corpus_signature(&self) -> Signature {
        Signature::new(ENTRY.name)
            .with("n", ORDER)
            .with("refs", "drawn")
            .with("iter", self.twisters.len())
            .with("version", 1)
    }
}

/// The brevity penalty times the geometric mean of precisions; 0 if anything is 0.
fn formula(length: f64, reference: f64, rewarded: &[f64], totals: &[f64]) -> f64 {
    let lengths = [length, reference];
    if lengths
        .iter()
        .chain(rewarded)
        .chain(totals)
        .any(|&count| count == 0.0)
    {
        return 0.0;
    }
    let precisions = rewarded.iter().zip(totals);
    let logs: f64 = precisions.map(|(count, total)| (count / total).ln()).sum();
    ((1.0 - reference / length).min(0.0) + logs / ORDER as f64).exp()
}
