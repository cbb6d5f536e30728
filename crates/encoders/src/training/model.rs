//! The parameters of a classifier, packed for the forward and the backward pass.

use super::dense::Dense;
use super::gradients::add;
use super::matched::MatchingHead;
use super::norm::TrainingLayerNorm;
use super::parameter::{Parameter, ParameterLayout};
use crate::Config;
use crate::Tokens;
use crate::distances::RelativePositionBias;
use crate::packed::{AlignedMatrix, Level, View};
use crate::parameters::{self, EncoderParameters};
use rayon::prelude::*;

/// All parameters, packed where they are factors of a product.
pub(crate) struct Model<'a> {
    pub level: Level,
    pub config: &'a Config,
    pub list: &'a [Parameter],
    pub tables: &'a EncoderParameters<usize>,
    pub norm: TrainingLayerNorm<'a>,
    pub project: Option<Dense>,
    /// The bias by distance of attention scores, if any.
    pub biases: Option<RelativePositionBias>,
    pub layers: Vec<TrainingLayer<'a>>,
    pub top: TrainingHead<'a>,
}

/// The head on top of the encoder.
pub(crate) enum TrainingHead<'a> {
    /// The head's dense layer, and its projection to the logits.
    Classifier(Box<[Dense; 2]>),
    Matching(MatchingHead<'a>),
}

/// One layer.
pub(crate) struct TrainingLayer<'a> {
    /// The place of the layer, from 0.
    pub number: usize,
    /// Whether only the first token of every sequence is computed: in the last layer below a classifier.
    pub narrow: bool,
    pub queries: Dense,
    pub keys_values: Dense,
    pub attention_output: Dense,
    pub attention_norm: TrainingLayerNorm<'a>,
    pub intermediate: Dense,
    pub output: Dense,
    pub output_norm: TrainingLayerNorm<'a>,
}

impl<'a> Model<'a> {
    /// Packs the parameters for an instruction set.
    pub(super) fn new(
        level: Level,
        config: &'a Config,
        layout: &'a ParameterLayout,
        list: &'a [Parameter],
    ) -> Self {
        let tables = &layout.encoder;
        let dense = |at: &parameters::DenseParameters<usize>| Dense::new(level, list, &[at]);
        let norm =
            |at: &parameters::LayerNormParameters<usize>| TrainingLayerNorm::new(level, list, at);
        let layer = |(number, at): (usize, &parameters::LayerParameters<usize>)| TrainingLayer {
            number,
            narrow: number + 1 == config.layers
                && matches!(layout.top, parameters::HeadParameters::Classifier(_)),
            queries: dense(&at.queries),
            keys_values: Dense::new(level, list, &[&at.keys, &at.values]),
            attention_output: dense(&at.attention_output),
            attention_norm: norm(&at.attention_norm),
            intermediate: dense(&at.intermediate),
            output: dense(&at.output),
            output_norm: norm(&at.output_norm),
        };
        Self {
            level,
            config,
            list,
            tables,
            norm: norm(&tables.norm),
            project: tables.project.as_ref().map(dense),
            biases: tables
                .distances
                .map(|table| RelativePositionBias::new(config, &list[table].values)),
            layers: tables.layers.par_iter().enumerate().map(layer).collect(),
            top: match &layout.top {
                parameters::HeadParameters::Classifier(head) => {
                    TrainingHead::Classifier(Box::new([dense(&head.dense), dense(&head.project)]))
                }
                parameters::HeadParameters::Matching(at) => {
                    TrainingHead::Matching(MatchingHead::new(list, at))
                }
            },
        }
    }

    /// Writes the sum of the embeddings of every token of one sequence.
    pub(super) fn embed(&self, tokens: &Tokens, first: usize, to: &mut AlignedMatrix) {
        let width = self.config.embedding;
        let table = |number: usize| View::new(&self.list[number].values, width);
        let words = table(self.tables.words);
        let (kinds, positions) = (self.tables.types.map(table), table(self.tables.positions));
        for (number, [word, kind, place]) in self.config.rows(tokens).enumerate() {
            let row = to.row_mut(first + number);
            row.copy_from_slice(words.row(word, width));
            let kinds = kinds.map(|kinds| kinds.row(kind, width));
            for added in kinds.into_iter().chain([positions.row(place, width)]) {
                add(added, row);
            }
        }
    }
}
