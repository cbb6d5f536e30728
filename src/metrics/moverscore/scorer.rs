//! MoverScore on an encoder of ours.

use super::cloud::Cloud;
use super::{MoverScoreParams, Variant, first, second};
use crate::encoders::{Checkpoint, Embedder, Tokens};
use crate::env::Env;
use crate::error::{Error, Result};
use crate::metrics::by_item::items;
use crate::metrics::document_frequencies::DocumentFrequencies;
use crate::metrics::items::{each_once, score_items};
use crate::metrics::{Metric, Segment};
use crate::signature::{Signature, yes_no};
use rayon::prelude::*;

/// MoverScore with its parameters and its encoder.
pub struct MoverScore {
    params: MoverScoreParams,
    embedder: Embedder,
    /// By piece: whether it is left out.
    left_out: Vec<bool>,
    texts: DocumentFrequencies,
    references: DocumentFrequencies,
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
            .with("multi-reference", params.multi_reference.name())
            .with("version", 1);
        Ok(Self {
            params,
            embedder,
            left_out,
            texts: DocumentFrequencies::default(),
            references: DocumentFrequencies::default(),
            signature,
        })
    }

    /// The words of a text; `None` for a text without any piece.
    fn cloud(&self, text: &str, frequencies: &DocumentFrequencies) -> Result<Option<Cloud>> {
        let tokens = self.embedder.tokens(text)?;
        let ids = &tokens.ids;
        if ids.len() == self.embedder.special().len() {
            return Ok(None);
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
        let last = self.embedder.layers();
        Ok(Some(match self.params.variant {
            Variant::V1 => {
                let from = (last + 1).saturating_sub(first::LAYERS).max(last.min(1));
                let hidden = self.embedder.states(&tokens, from..=last)?;
                first::cloud(&hidden, &kept, &weights, self.params.n_gram)
            }
            Variant::V2 => {
                let hidden = self.embedder.states(&tokens, last..=last)?;
                second::cloud(&hidden.layers[0], hidden.width, &kept, &weights)
            }
        }))
    }

    fn compare(&self, text: &Cloud, reference: &Cloud) -> f64 {
        match self.params.variant {
            Variant::V1 => first::score(text, reference),
            Variant::V2 => second::score(text, reference),
        }
    }

    fn item(&self, item: &[Segment<'_>]) -> Result<Vec<f64>> {
        let multiple = self.params.multi_reference;
        let references: Vec<Option<Cloud>> = multiple
            .of(item[0].references)
            .iter()
            .map(|reference| self.cloud(reference, &self.references))
            .collect::<Result<_>>()?;
        let score = |text| {
            let text = self.cloud(text, &self.texts)?;
            let values = references.iter().map(|reference| {
                let both = text.as_ref().zip(reference.as_ref());
                both.map_or(0.0, |(text, reference)| self.compare(text, reference))
            });
            Ok(multiple.combine(&values.collect::<Vec<_>>()))
        };
        let texts = item.iter().map(|segment| segment.hypothesis);
        let scores = each_once(texts.clone(), score)?;
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
        score_items("moverscore", segments, |item| self.item(item))
    }

    fn needs_corpus(&self) -> bool {
        self.params.idf
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
