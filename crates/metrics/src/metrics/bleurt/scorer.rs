//! BLEURT on a classifier of ours with one logit.

use super::BleurtParams;
use crate::env::Env;
use crate::metrics::batches::{all_once, score_batches};
use crate::metrics::{DrawMatrix, Metric, MultiReference, Segment};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_encoders::{
    Checkpoint, Classifier, Config, SubwordTokenizer, Tokens, Weights, checkpoint::digest,
};

/// A fine-tuned regression model.
pub struct Bleurt {
    classifier: Classifier,
    tokenizer: SubwordTokenizer,
    max_length: usize,
    multi_reference: MultiReference,
    seed: Seed,
    signature: Signature,
}

impl Bleurt {
    /// Loads a checkpoint.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit, or that the model has not
    /// just one logit.
    pub fn load(params: &BleurtParams, checkpoint: &Checkpoint, env: &Env) -> Result<Self> {
        let config = Config::read(checkpoint)?;
        let tokenizer = SubwordTokenizer::read(checkpoint)?;
        tokenizer.fits(config.vocabulary)?;
        let weights = Weights::read(checkpoint, env.device)?;
        let classifier = Classifier::new(checkpoint, &config, &weights)?;
        if classifier.labels() != 1 {
            let what = format!("it has {} labels, expected 1 logit", classifier.labels());
            return Err(Error::model(&checkpoint.name, what)
                .with_hint("bleurt needs a regression model; `predict` runs preference models"));
        }
        let longest = checkpoint.max_length(config.positions)?;
        let max_length = params.max_length.unwrap_or(longest);
        let special = tokenizer.encode("", Some(""), config.positions)?.ids.len();
        if !(special + 1..=config.positions).contains(&max_length) {
            return Err(Error::usage(format!(
                "bleurt: max-length is {max_length}, expected {} to {}, the positions of {}",
                special + 1,
                config.positions,
                checkpoint.name
            )));
        }
        let config_digest = digest(&checkpoint.read("config.json")?);
        let signature = Signature::new("bleurt")
            .with("model", &checkpoint.name)
            .with("weights", &weights.digest()[..16])
            .with("config", &config_digest[..16])
            .with("tokenizer", &tokenizer.digest()[..16])
            .with("max-length", max_length)
            .with("multi-reference", params.multi_reference.name());
        Ok(Self {
            classifier,
            tokenizer,
            max_length,
            multi_reference: params.multi_reference,
            seed: env.seed,
            signature: env.device.sign(signature).with("version", 1),
        })
    }

    /// The scores of all segments under some draws, segment by segment; dropout is off in the draw
    /// `None`.
    fn all(&self, segments: &[Segment<'_>], draws: &[Option<u32>]) -> Result<Vec<f64>> {
        score_batches("bleurt", segments, |items| {
            let mut scores = Vec::new();
            for item in items {
                let references = self.multi_reference.considered(item[0].references);
                let texts = item.iter().map(|segment| segment.hypothesis);
                let of = all_once(texts.clone(), |texts| self.texts(texts, references, draws))?;
                scores.extend(texts.flat_map(|text| of[text].clone()));
            }
            Ok(scores)
        })
    }

    /// The scores of each text under each of some draws.
    fn texts(
        &self,
        texts: &[&str],
        references: &[String],
        draws: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let pairs = texts
            .iter()
            .flat_map(|text| references.iter().map(move |reference| (reference, *text)));
        let inputs = pairs
            .map(|(reference, text)| {
                self.tokenizer
                    .encode(reference, Some(text), self.max_length)
            })
            .collect::<Result<Vec<Tokens>>>()?;
        let asked: Vec<_> = inputs
            .iter()
            .flat_map(|tokens| draws.iter().map(move |draw| (tokens, draw)))
            .map(|(tokens, draw)| (tokens, draw.map(|draw| (self.seed, draw))))
            .collect();
        let logits = self.classifier.all_logits(&asked)?;
        let score = |logits: &[Vec<f32>]| -> Vec<f64> {
            let of = |draw: usize| {
                let logits = logits.iter().skip(draw).step_by(draws.len());
                let logits: Vec<f64> = logits.map(|logits| f64::from(logits[0])).collect();
                self.multi_reference.combine(&logits)
            };
            (0..draws.len()).map(of).collect()
        };
        let per_text = references.len() * draws.len();
        Ok(logits.chunks_exact(per_text).map(score).collect())
    }
}

impl Metric for Bleurt {
    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn score(&self, segments: &[Segment<'_>]) -> Result<Vec<f64>> {
        self.all(segments, &[None])
    }

    fn has_dropout(&self) -> bool {
        true
    }

    fn draws(&self, segments: &[Segment<'_>], draws: usize) -> Result<Option<DrawMatrix>> {
        DrawMatrix::drawn(draws, |numbers| self.all(segments, numbers))
    }
}
