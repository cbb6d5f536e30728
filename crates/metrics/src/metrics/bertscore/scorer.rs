//! BERTScore on an encoder of ours.

use super::matching::{Match, PieceEmbeddings, compare};
use super::{BertScoreParams, RougeMeasure, baseline};
use crate::env::Env;
use crate::metrics::batches::{all_once, score_batches};
use crate::metrics::by_item::items;
use crate::metrics::document_frequencies::PieceDocumentFrequencies;
use crate::metrics::{Metric, Segment};
use crate::text::whitespace::trim;
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::{Signature, yes_no};
use tiebreak_encoders::{Checkpoint, Embedder, HiddenStates, Tokens, normalise};

/// The kind of document that is counted: references alone.
const REFERENCE: &str = "";

/// BERTScore with its parameters and its encoder.
pub struct BertScore {
    params: BertScoreParams,
    embedder: Embedder,
    layer: usize,
    /// The baselines of precision, recall and F.
    baseline: Option<[f64; 3]>,
    frequencies: PieceDocumentFrequencies,
    signature: Signature,
}

impl BertScore {
    /// Loads the encoder.
    ///
    /// # Errors
    /// If the checkpoint or the baseline cannot be read, or has no such layer.
    pub fn load(params: BertScoreParams, checkpoint: &Checkpoint, env: &Env) -> Result<Self> {
        let embedder = Embedder::load(checkpoint, env.device)?;
        let layer = params.num_layers.unwrap_or(embedder.layers());
        if layer > embedder.layers() {
            return Err(Error::usage(format!(
                "bertscore: num-layers is {layer}, expected 0 to {}, the layers of {}",
                embedder.layers(),
                checkpoint.name
            )));
        }
        let baseline = params.baseline.as_deref();
        let baseline = baseline
            .map(|path| baseline::read(path, layer))
            .transpose()?;
        let rescaled = baseline.map_or("no".to_string(), |values| format!("{values:?}"));
        let mut signature = Signature::new("bertscore").with("model", &checkpoint.name);
        for (file, digest) in embedder.digests() {
            signature = signature.with(file, digest);
        }
        let signature = signature
            .with("max-length", embedder.max_length())
            .with("layer", layer)
            .with("measure", params.measure.name())
            .with("idf", yes_no(params.idf))
            .with("baseline", rescaled)
            .with("multi-reference", params.multi_reference.name());
        Ok(Self {
            params,
            embedder,
            layer,
            baseline,
            frequencies: PieceDocumentFrequencies::default(),
            signature: env.device.sign(signature).with("version", 1),
        })
    }

    fn tokens(&self, text: &str) -> Result<Tokens> {
        self.embedder.tokens(trim(text))
    }

    fn pieces(&self, texts: &[&str]) -> Result<Vec<PieceEmbeddings>> {
        let tokens = texts.iter().map(|text| self.tokens(text));
        let tokens = tokens.collect::<Result<Vec<Tokens>>>()?;
        let hidden = self.embedder.states(&tokens, self.layer..=self.layer)?;
        let pieces = |(hidden, tokens): (HiddenStates, &Tokens)| {
            let mut vectors = hidden.layers.concat();
            vectors.chunks_exact_mut(hidden.width).for_each(normalise);
            PieceEmbeddings {
                vectors,
                width: hidden.width,
                weights: self.weights(&tokens.ids),
            }
        };
        Ok(hidden.into_iter().zip(&tokens).map(pieces).collect())
    }

    /// The weight of each piece. Under `idf`, special pieces have none because every reference has
    /// them; a text that would weigh nothing at all is weighed as without `idf`.
    fn weights(&self, ids: &[u32]) -> Vec<f64> {
        let special = self.embedder.special();
        if ids.len() == special.len() {
            return vec![0.0; ids.len()];
        }
        if self.params.idf {
            let weights: Vec<f64> = ids.iter().map(|&id| self.frequencies.idf(id)).collect();
            if weights.iter().any(|&weight| weight > 0.0) {
                return weights;
            }
        }
        let weight = |id| f64::from(u8::from(!special.contains(id)));
        ids.iter().map(weight).collect()
    }

    fn rescale(&self, found: Match) -> Match {
        let Some([precision, recall, f]) = self.baseline else {
            return found;
        };
        let rescale = |value: f64, baseline: f64| (value - baseline) / (1.0 - baseline);
        Match {
            precision: rescale(found.precision, precision),
            recall: rescale(found.recall, recall),
            f: rescale(found.f, f),
        }
    }

    fn batch(&self, items: &[&[Segment<'_>]]) -> Result<Vec<Match>> {
        let multiple = self.params.multi_reference;
        let texts = items.iter().flat_map(|item| {
            let references = multiple
                .considered(item[0].references)
                .iter()
                .map(String::as_str);
            references.chain(item.iter().map(|segment| segment.hypothesis))
        });
        let pieces = all_once(texts, |texts| self.pieces(texts))?;
        let matched = |segment: &Segment<'_>| {
            let text = &pieces[segment.hypothesis];
            let found: Vec<Match> = multiple
                .considered(segment.references)
                .iter()
                .map(|reference| self.rescale(compare(text, &pieces[reference.as_str()])))
                .collect();
            let combine = |part: fn(&Match) -> f64| {
                multiple.combine(&found.iter().map(part).collect::<Vec<_>>())
            };
            Match {
                precision: combine(|found| found.precision),
                recall: combine(|found| found.recall),
                f: combine(|found| found.f),
            }
        };
        Ok(items.iter().copied().flatten().map(matched).collect())
    }

    /// Precision, recall and F of each segment, in order.
    ///
    /// # Errors
    /// For a segment without references, a text the encoder cannot take, and with `idf` if no
    /// references were [observed](Metric::observe).
    pub fn matches(&self, segments: &[Segment<'_>]) -> Result<Vec<Match>> {
        if self.params.idf && self.frequencies.documents() == 0 {
            let what = "bertscore with idf has not seen the references of the data set";
            return Err(Error::usage(what).with_hint("call `observe` before `score`"));
        }
        score_batches("bertscore", segments, |items| self.batch(items))
    }
}

impl Metric for BertScore {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        let matches = self.matches(segments)?;
        let measure = |found: Match| match self.params.measure {
            RougeMeasure::Precision => found.precision,
            RougeMeasure::Recall => found.recall,
            RougeMeasure::FMeasure => found.f,
        };
        Ok(matches.into_iter().map(measure).collect())
    }

    fn needs_corpus(&self) -> bool {
        self.params.idf
    }

    fn terms(&self, item: &[Segment<'_>]) -> Result<Option<Vec<String>>> {
        if !self.params.idf {
            return Ok(None);
        }
        let mut terms = Vec::new();
        for reference in item.first().iter().flat_map(|one| one.references) {
            terms.extend(PieceDocumentFrequencies::terms(
                REFERENCE,
                &self.tokens(reference)?.ids,
            ));
        }
        Ok(Some(terms))
    }

    fn count(&mut self, counts: &BTreeMap<String, u64>) -> Result<()> {
        if self.params.idf {
            self.frequencies = PieceDocumentFrequencies::counted(REFERENCE, counts)?;
        }
        Ok(())
    }

    fn observe(&mut self, segments: &[Segment<'_>]) -> Result<()> {
        let references: Vec<&String> = items(segments)
            .flat_map(|item| item[0].references)
            .collect();
        let tokens: Vec<Result<Tokens>> = references
            .par_iter()
            .map(|reference| self.tokens(reference))
            .collect();
        for tokens in tokens {
            self.frequencies.add(&tokens?.ids);
        }
        Ok(())
    }
}
