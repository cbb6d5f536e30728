//! The input of the first layer: embeddings of word, type and position.

use super::factor::Arithmetic;
use super::layer::{Buffers, SequenceGroup};
use super::linear::PackedLinear;
use super::norm::{PackedLayerNorm, SequenceDropout};
use super::rows::View;
use super::simd::Level;
use super::{floats, linear, norm};
use crate::config::Config;
use crate::dropout::DropoutSite;
use crate::parameters::EncoderParameters;
use candle_core::Result;

/// Two or three tables, a normalisation and, in ELECTRA-small, a projection to the hidden width.
pub(crate) struct Embeddings {
    words: Vec<f32>,
    types: Option<Vec<f32>>,
    positions: Vec<f32>,
    norm: PackedLayerNorm,
    project: Option<PackedLinear>,
}

impl Embeddings {
    /// Takes the tables unchanged.
    pub(super) fn new(
        level: Level,
        arithmetic: Arithmetic,
        from: &EncoderParameters,
    ) -> Result<Self> {
        let project = from.project.as_ref();
        Ok(Self {
            words: floats(&from.words)?,
            types: from.types.as_ref().map(floats).transpose()?,
            positions: floats(&from.positions)?,
            norm: norm(level, &from.norm)?,
            project: project
                .map(|part| linear(level, arithmetic, &[part]))
                .transpose()?,
        })
    }

    /// Writes the input of the first layer to `buffers.x`.
    pub(super) fn run(
        &self,
        level: Level,
        config: &Config,
        group: &SequenceGroup<'_>,
        buffers: &mut Buffers,
    ) {
        let width = config.embedding;
        let Buffers { x, embedded, .. } = buffers;
        let rows = if self.project.is_some() { embedded } else { x };
        rows.shape(group.last().map_or(0, |(_, tokens)| tokens.end), width);
        for (pass, tokens) in group {
            for ([word, kind, place], row) in config.rows(pass.tokens).zip(tokens.clone()) {
                let at = |table, row| View::new(table, width).row(row, width);
                let to = rows.row_mut(row);
                to.copy_from_slice(at(&self.words, word));
                let kinds = self.types.as_ref().map(|types| at(types, kind));
                for added in kinds.into_iter().chain([at(&self.positions, place)]) {
                    for (x, added) in to.iter_mut().zip(added) {
                        *x += added;
                    }
                }
            }
            self.norm.apply(rows, tokens.clone());
            if let Some(mask) = pass.mask(DropoutSite::Embeddings, config.dropout.hidden) {
                let rows = SequenceDropout {
                    mask,
                    x: rows,
                    rows: tokens.clone(),
                };
                level.run(rows);
            }
        }
        if let Some(project) = &self.project {
            project.apply(&buffers.embedded, None, &mut buffers.x);
        }
    }
}
