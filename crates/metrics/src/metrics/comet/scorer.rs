//! COMET on an encoder of ours.

use super::CometParams;
use crate::env::Env;
use crate::metrics::batches::all_once;
use crate::metrics::{DrawMatrix, Metric, MultiReference, Segment};
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;
use tiebreak_encoders::Checkpoint;
use tiebreak_encoders::comet::{CometEmbedding, CometModel};

/// The number of segments at a time, so that their encodings fit into memory.
const BATCH: usize = 32;

/// A COMET checkpoint as a metric.
pub struct Comet {
    model: CometModel,
    multi_reference: MultiReference,
    seed: Seed,
    signature: Signature,
}

impl Comet {
    /// Loads a checkpoint.
    ///
    /// # Errors
    /// As [`CometModel::load`].
    pub fn load(params: &CometParams, checkpoint: &Checkpoint, env: &Env) -> Result<Self> {
        let model = CometModel::load(checkpoint, env.device)?;
        let mut signature = Signature::new("comet").with("model", &checkpoint.name);
        for (file, digest) in model.digests() {
            signature = signature.with(file, digest);
        }
        if model.needs_references() {
            signature = signature.with("multi-reference", params.multi_reference.name());
        }
        Ok(Self {
            model,
            multi_reference: params.multi_reference,
            seed: env.seed,
            signature: env.device.sign(signature).with("version", 1),
        })
    }

    /// The scores of all segments under some draws, segment by segment.
    fn all(&self, segments: &[Segment<'_>], draws: &[Option<u32>]) -> Result<Vec<f64>> {
        let batches: Vec<Result<Vec<f64>>> = segments
            .par_chunks(BATCH)
            .map(|batch| self.batch(batch, draws))
            .collect();
        let batches: Vec<Vec<f64>> = batches.into_iter().collect::<Result<_>>()?;
        Ok(batches.concat())
    }

    fn batch(&self, segments: &[Segment<'_>], draws: &[Option<u32>]) -> Result<Vec<f64>> {
        let texts = segments.iter().flat_map(|segment| {
            let references = self.references(segment).iter().map(String::as_str);
            [Some(segment.hypothesis), segment.context]
                .into_iter()
                .flatten()
                .chain(references)
        });
        let read = all_once(texts, |texts| self.model.read(texts, draws, self.seed))?;
        let scores = segments
            .iter()
            .map(|segment| self.segment_scores(segment, &read, draws));
        Ok(scores.collect::<Result<Vec<_>>>()?.concat())
    }

    /// The scores of a segment, by draw.
    fn segment_scores(
        &self,
        segment: &Segment<'_>,
        read: &BTreeMap<&str, CometEmbedding>,
        draws: &[Option<u32>],
    ) -> Result<Vec<f64>> {
        let source = segment.context.ok_or_else(|| {
            Error::usage("comet needs the source of every output, and one has none")
                .with_hint("a data set has it as `source` of its items")
        })?;
        let score = |reference: Option<&CometEmbedding>| {
            let (output, source) = (&read[segment.hypothesis], &read[source]);
            self.model
                .score(output, source, reference, draws, self.seed)
        };
        if !self.model.needs_references() {
            return score(None);
        }
        let references = self.references(segment);
        if references.is_empty() {
            return Err(
                Error::usage("comet needs a reference for every output, and one has none")
                    .with_hint("a referenceless checkpoint needs none"),
            );
        }
        let each: Vec<Vec<f64>> = references
            .iter()
            .map(|reference| score(Some(&read[reference.as_str()])))
            .collect::<Result<_>>()?;
        let of = |draw: usize| {
            let values: Vec<f64> = each.iter().map(|scores| scores[draw]).collect();
            self.multi_reference.combine(&values)
        };
        Ok((0..draws.len()).map(of).collect())
    }

    fn references<'a>(&self, segment: &Segment<'a>) -> &'a [String] {
        match self.model.needs_references() {
            true => self.multi_reference.considered(segment.references),
            false => &[],
        }
    }
}

impl Metric for Comet {
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

    fn needs_references(&self) -> bool {
        self.model.needs_references()
    }
}
