//! The parameters of a classifier, packed for one run forward and back.

use super::dense::Dense;
use super::gradients::add;
use super::matched::Matcher;
use super::norm::Norm;
use super::parameter::{Layout, Parameter};
use crate::Config;
use crate::Tokens;
use crate::distances::Biases;
use crate::packed::{Level, Rows, View};
use crate::parameters::{self, Parameters};
use rayon::prelude::*;

/// All parameters, packed where they are factors of a product.
pub(crate) struct Model<'a> {
    pub level: Level,
    pub config: &'a Config,
    pub list: &'a [Parameter],
    pub tables: &'a Parameters<usize>,
    pub norm: Norm<'a>,
    pub project: Option<Dense>,
    /// What distances add to attention scores, where they do.
    pub biases: Option<Biases>,
    pub layers: Vec<Layer<'a>>,
    pub top: Top<'a>,
}

/// What stands on top.
pub(crate) enum Top<'a> {
    /// The head's dense layer, and its projection to the logits.
    Classifier(Box<[Dense; 2]>),
    Matching(Matcher<'a>),
}

/// One layer.
pub(crate) struct Layer<'a> {
    /// Its place, from 0.
    pub number: usize,
    /// Whether only the first token of every sequence comes out of it: it is the last below a classifier.
    pub narrow: bool,
    pub queries: Dense,
    pub keys_values: Dense,
    pub attention_output: Dense,
    pub attention_norm: Norm<'a>,
    pub intermediate: Dense,
    pub output: Dense,
    pub output_norm: Norm<'a>,
}

impl<'a> Model<'a> {
    /// Packs them for an instruction set.
    pub(super) fn new(
        level: Level,
        config: &'a Config,
        layout: &'a Layout,
        list: &'a [Parameter],
    ) -> Self {
        let tables = &layout.encoder;
        let dense = |at: &parameters::Dense<usize>| Dense::new(level, list, &[at]);
        let norm = |at: &parameters::Norm<usize>| Norm::new(level, list, at);
        let layer = |(number, at): (usize, &parameters::Layer<usize>)| Layer {
            number,
            narrow: number + 1 == config.layers
                && matches!(layout.top, parameters::Top::Classifier(_)),
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
                .map(|table| Biases::new(config, &list[table].values)),
            layers: tables.layers.par_iter().enumerate().map(layer).collect(),
            top: match &layout.top {
                parameters::Top::Classifier(head) => {
                    Top::Classifier(Box::new([dense(&head.dense), dense(&head.project)]))
                }
                parameters::Top::Matching(at) => Top::Matching(Matcher::new(list, at)),
            },
        }
    }

    /// Writes the sum of the embeddings of every token of one sequence.
    pub(super) fn embed(&self, tokens: &Tokens, first: usize, to: &mut Rows) {
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
