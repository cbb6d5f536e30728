//! MoverScore on an encoder of ours.

use super::cloud::Cloud;
use super::{MoverScoreParams, MoverScoreVersion, first, second};
use crate::env::Env;
use crate::metrics::batches::{all_once, score_batches};
use crate::metrics::by_item::items;
use crate::metrics::document_frequencies::PieceDocumentFrequencies;
use crate::metrics::items::each_once;
use crate::metrics::{Metric, Segment};
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::{Signature, yes_no};
use tiebreak_encoders::{Checkpoint, Embedder, HiddenStates, Tokens};

/// The kind of document for outputs.
const TEXT: &str = "text ";

/// The kind of document for references.
const REFERENCE: &str = "reference ";

/// A text's pieces and their hidden states.
type PieceHiddenStates = (Tokens, HiddenStates);

/// MoverScore with its parameters and its encoder.
pub struct MoverScore {
    params: MoverScoreParams,
    embedder: Embedder,
    /// Whether each piece is left out.
    left_out: Vec<bool>,
    texts: PieceDocumentFrequencies,
    references: PieceDocumentFrequencies,
    signature: Signature,
}

impl MoverScore {
    /// Loads the encoder.
    ///
    /// # Errors
    /// If the checkpoint cannot be read, or the parameters do not go together.
    pub fn load(params: MoverScoreParams, checkpoint: &Checkpoint, env: &Env) -> Result<Self> {
        params.check()?;
        let embedder = Embedder::load(checkpoint, env.device)?;
        let left_out = |id: u32| {
            let piece = embedder.tokenizer().piece(id).unwrap_or_default();
            let mark = piece.len() == 1 && piece.chars().all(|c| c.is_ascii_punctuation());
            mark || (params.remove_subwords && piece.contains("##"))
        };
        let pieces = 0..embedder.tokenizer().vocabulary() as u32;
        let left_out = pieces.map(left_out).collect();
        let mut signature = Signature::new("moverscore").with("model", &checkpoint.name);
        for (file, digest) in embedder.digests() {
            signature = signature.with(file, digest);
        }
        let signature = signature
            .with("max-length", embedder.max_length())
            .with("variant", params.variant.name())
            .with("idf", yes_no(params.idf))
            .with("n-gram", params.n_gram)
            .with("remove-subwords", yes_no(params.remove_subwords))
            .with("multi-reference", params.multi_reference.name());
        Ok(Self {
            params,
            embedder,
            left_out,
            texts: PieceDocumentFrequencies::default(),
            references: PieceDocumentFrequencies::default(),
            signature: env.device.sign(signature).with("version", 1),
        })
    }

    /// The hidden states that the words of each text are made of.
    fn encode(&self, texts: &[&str]) -> Result<Vec<PieceHiddenStates>> {
        let last = self.embedder.layers();
        let first = match self.params.variant {
            MoverScoreVersion::V1 => (last + 1).saturating_sub(first::LAYERS).max(last.min(1)),
            MoverScoreVersion::V2 => last,
        };
        let tokens = self.all_tokens(texts)?;
        let hidden = self.embedder.states(&tokens, first..=last)?;
        Ok(tokens.into_iter().zip(hidden).collect())
    }

    /// The words of a text; `None` for a text without any piece.
    fn cloud(
        &self,
        (tokens, hidden): &PieceHiddenStates,
        frequencies: &PieceDocumentFrequencies,
    ) -> Option<Cloud> {
        let ids = &tokens.ids;
        if ids.len() == self.embedder.special().len() {
            return None;
        }
        let weight = |&id: &u32| {
            if self.params.idf {
                frequencies.idf(id)
            } else {
                1.0
            }
        };
        let weights: Vec<f64> = ids.iter().map(weight).collect();
        let counts = |&place: &usize| !self.left_out[ids[place] as usize];
        let kept: Vec<usize> = (0..ids.len()).filter(counts).collect();
        Some(match self.params.variant {
            MoverScoreVersion::V1 => first::cloud(hidden, &kept, &weights, self.params.n_gram),
            MoverScoreVersion::V2 => {
                second::cloud(&hidden.layers[0], hidden.width, &kept, &weights)
            }
        })
    }

    fn compare(&self, text: &Cloud, reference: &Cloud) -> f64 {
        match self.params.variant {
            MoverScoreVersion::V1 => first::score(text, reference),
            MoverScoreVersion::V2 => second::score(text, reference),
        }
    }

    fn batch(&self, items: &[&[Segment<'_>]]) -> Result<Vec<f64>> {
        let multiple = self.params.multi_reference;
        let texts = items.iter().flat_map(|item| {
            let references = multiple
                .considered(item[0].references)
                .iter()
                .map(String::as_str);
            references.chain(item.iter().map(|segment| segment.hypothesis))
        });
        let encoded = all_once(texts, |texts| self.encode(texts))?;
        let mut scores = Vec::new();
        for item in items {
            scores.extend(self.item(item, &encoded)?);
        }
        Ok(scores)
    }

    fn item(
        &self,
        item: &[Segment<'_>],
        encoded: &BTreeMap<&str, PieceHiddenStates>,
    ) -> Result<Vec<f64>> {
        let multiple = self.params.multi_reference;
        let references: Vec<Option<Cloud>> = multiple
            .considered(item[0].references)
            .iter()
            .map(|reference| self.cloud(&encoded[reference.as_str()], &self.references))
            .collect();
        let score = |text: &str| {
            let text = self.cloud(&encoded[text], &self.texts);
            let values = references.iter().map(|reference| {
                let both = text.as_ref().zip(reference.as_ref());
                both.map_or(0.0, |(text, reference)| self.compare(text, reference))
            });
            multiple.combine(&values.collect::<Vec<_>>())
        };
        let texts = item.iter().map(|segment| segment.hypothesis);
        let scores = each_once(texts.clone(), |text| Ok(score(text)))?;
        Ok(texts.map(|text| scores[text]).collect())
    }

    fn all_tokens(&self, texts: &[&str]) -> Result<Vec<Tokens>> {
        let tokens: Vec<Result<Tokens>> = texts
            .par_iter()
            .map(|text| self.embedder.tokens(text))
            .collect();
        tokens.into_iter().collect()
    }
}

impl Metric for MoverScore {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        if self.params.idf && self.references.documents() == 0 {
            let what = "moverscore with idf has not seen the texts of the data set";
            return Err(Error::usage(what).with_hint("call `observe` before `score`"));
        }
        score_batches("moverscore", segments, |items| self.batch(items))
    }

    fn needs_corpus(&self) -> bool {
        self.params.idf
    }

    fn terms(&self, item: &[Segment<'_>]) -> Result<Option<Vec<String>>> {
        if !self.params.idf {
            return Ok(None);
        }
        let references = item.first().into_iter().flat_map(|one| one.references);
        let texts = item.iter().map(|segment| (TEXT, segment.hypothesis));
        let mut terms = Vec::new();
        for (kind, text) in texts.chain(references.map(|text| (REFERENCE, text.as_str()))) {
            terms.extend(PieceDocumentFrequencies::terms(
                kind,
                &self.embedder.tokens(text)?.ids,
            ));
        }
        Ok(Some(terms))
    }

    fn count(&mut self, counts: &BTreeMap<String, u64>) -> Result<()> {
        if self.params.idf {
            self.texts = PieceDocumentFrequencies::counted(TEXT, counts)?;
            self.references = PieceDocumentFrequencies::counted(REFERENCE, counts)?;
        }
        Ok(())
    }

    fn observe(&mut self, segments: &[Segment<'_>]) -> Result<()> {
        let texts: Vec<&str> = segments.iter().map(|segment| segment.hypothesis).collect();
        for tokens in self.all_tokens(&texts)? {
            self.texts.add(&tokens.ids);
        }
        let references: Vec<&str> = items(segments)
            .flat_map(|item| item[0].references)
            .map(String::as_str)
            .collect();
        for tokens in self.all_tokens(&references)? {
            self.references.add(&tokens.ids);
        }
        Ok(())
    }
}
