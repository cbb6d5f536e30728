//! A reward model as a preference model: a decoder scores each output by itself.
//!
//! Bradley and Terry, 1952: the preference for `a` is σ(score of a − score of b). One pass an output, each text
//! read as what an assistant answers to the source. Such decoders have no dropout, so there is no spread.

use super::calibrator::Calibrator;
use super::distinct::{DistinctIndex, Sides};
use super::{Contest, PairwiseModel, Preference};
use crate::decoders::{Decoder, message};
use rayon::prelude::*;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::Signature;
use tiebreak_decide::model_based::thresholds::Thresholds;

pub(crate) struct RewardModel {
    decoder: Decoder,
    calibrator: Option<Calibrator>,
}

impl RewardModel {
    /// Makes a reward model of a decoder with a head of one score.
    ///
    /// # Errors
    /// One that has no chat template.
    /// A calibration of another model.
    pub(super) fn new(decoder: Decoder, calibrator: Option<Calibrator>) -> Result<Self> {
        if decoder.chat.is_none() {
            let what = "it has no chat template, so what it read in training is unknown";
            return Err(Error::model(decoder.name(), what)
                .with_hint("a chat_template.jinja in its folder says it"));
        }
        let mut model = Self {
            decoder,
            calibrator: None,
        };
        if let Some(calibrator) = &calibrator {
            calibrator.check(&model.signature().to_string())?;
        }
        model.calibrator = calibrator;
        Ok(model)
    }

    /// The token ids of an output, as the model reads it.
    fn ids(&self, side: &Contest<'_>) -> Result<Vec<u32>> {
        let source = side.source.unwrap_or_default();
        let messages = [message("user", source), message("assistant", side.a)];
        let Some(chat) = &self.decoder.chat else {
            return Ok(Vec::new());
        };
        self.decoder.ids(&chat.prompt(&messages, false)?)
    }
}

impl PairwiseModel for RewardModel {
    fn signature(&self) -> Signature {
        let signature = self
            .decoder
            .signature()
            .with("head", "reward")
            .with("version", 1);
        self.calibrator
            .as_ref()
            .map_or(signature.clone(), |one| one.sign(signature))
    }

    fn thresholds(&self) -> Thresholds {
        self.calibrator
            .as_ref()
            .map_or_else(Thresholds::default, |one| one.thresholds)
    }

    fn reads_outputs_apart(&self) -> bool {
        true
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let sides = Sides::from_contests(contests);
        let inputs: Vec<Vec<u32>> = sides
            .all
            .iter()
            .map(|side| self.ids(side))
            .collect::<Result<_>>()?;
        let mut distinct = DistinctIndex::default();
        let places: Vec<usize> = inputs
            .iter()
            .map(|ids| distinct.index_or_insert(ids, ids))
            .collect();
        let scores: Vec<Result<f32>> = distinct
            .all
            .par_iter()
            .map(|ids| self.decoder.score(ids))
            .collect();
        let scores: Vec<f32> = scores.into_iter().collect::<Result<_>>()?;
        let prefer = |&(a, b): &(usize, usize)| {
            let [a, b] = [a, b].map(|side| f64::from(scores[places[side]]));
            let p = 1.0 / (1.0 + (b - a).exp());
            let p = self
                .calibrator
                .as_ref()
                .map_or(p, |one| one.map.preference(p));
            Preference {
                p,
                draws: vec![p],
                position: None,
                answers: Vec::new(),
            }
        };
        Ok(sides.of.iter().map(prefer).collect())
    }

    fn own_draws(&self) -> Option<u32> {
        Some(1)
    }
}
