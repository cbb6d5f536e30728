//! The backward pass, from derivatives by the logits to those by every parameter: the chain rule
//! by hand, along a [`Tape`].

use super::activation::{Activate, ActivationBackward};
use super::attention::{self, AttentionGradient};
use super::dense::{self, Dense};
use super::forward::{LayerTape, Tape};
use super::gradients::{Gradients, add};
use super::model::{Model, TrainingHead, TrainingLayer};
use super::rows::{MicroBatch, copy};
use crate::dropout::DropoutSite;
use crate::packed::AlignedMatrix;

/// Derivatives of activations, reused between calls.
#[derive(Default)]
pub(crate) struct ActivationGradients {
    /// The derivative by the logits, where the pass begins.
    pub logits: AlignedMatrix,
    /// The derivative by a layer's output, then by its input.
    x: AlignedMatrix,
    added: AlignedMatrix,
    inner: AlignedMatrix,
    context: AlignedMatrix,
    queries: AlignedMatrix,
    keys_values: AlignedMatrix,
    activated: AlignedMatrix,
    firsts: AlignedMatrix,
    dense: dense::DenseGradientScratch,
    attention: attention::AttentionGradientScratch,
}

impl ActivationGradients {
    /// Adds the derivatives of one micro-batch, starting from `logits`.
    pub(super) fn run(
        &mut self,
        model: &Model<'_>,
        batch: &MicroBatch<'_>,
        tape: &Tape,
        to: &mut Gradients,
    ) {
        match &model.top {
            TrainingHead::Classifier(head) => {
                self.head(model, head, batch, tape, to);
                if model.layers.is_empty() {
                    std::mem::swap(&mut self.x, &mut self.firsts);
                    batch.scatter(&self.firsts, &mut self.x);
                }
            }
            TrainingHead::Matching(matcher) => {
                matcher.back(&self.logits, batch, &tape.matched, &mut self.x, to);
            }
        }
        for layer in model.layers.iter().rev() {
            let (x, tape) = (&tape.states[layer.number], &tape.layers[layer.number]);
            self.feed_forward(model, layer, batch, tape, to);
            self.attend(model, layer, batch, (x, tape), to);
        }
        self.embeddings(model, batch, tape, to);
    }

    fn head(
        &mut self,
        model: &Model<'_>,
        [dense, project]: &[Dense; 2],
        batch: &MicroBatch<'_>,
        tape: &Tape,
        to: &mut Gradients,
    ) {
        let (level, config, tape) = (model.level, model.config, &tape.head);
        project.parameters(&self.logits, &tape.hidden, to, &mut self.dense);
        project.input(&self.logits, false, &mut self.inner);
        let rate = config.dropout.head;
        batch.drop(
            level,
            DropoutSite::HeadHidden,
            rate,
            &batch.firsts,
            &mut self.inner,
        );
        level.run(ActivationBackward {
            activation: config.head_activation,
            x: &tape.inner,
            d: &mut self.inner,
        });
        dense.parameters(&self.inner, &tape.input, to, &mut self.dense);
        dense.input(&self.inner, false, &mut self.x);
        if config.family.drops_head_input() {
            batch.drop(
                level,
                DropoutSite::HeadInput,
                rate,
                &batch.firsts,
                &mut self.x,
            );
        }
    }

    /// Goes from a layer's output to the middle between its halves.
    fn feed_forward(
        &mut self,
        model: &Model<'_>,
        layer: &TrainingLayer<'_>,
        batch: &MicroBatch<'_>,
        tape: &LayerTape,
        to: &mut Gradients,
    ) {
        let (level, activation) = (model.level, model.config.activation);
        let spans = if layer.narrow {
            &batch.firsts
        } else {
            &batch.tokens
        };
        layer.output_norm.back(&tape.output_norm, &mut self.x, to);
        copy(&self.x, &mut self.added);
        let rate = model.config.dropout.hidden;
        batch.drop(
            level,
            DropoutSite::Output(layer.number),
            rate,
            spans,
            &mut self.added,
        );
        level.run(Activate {
            activation,
            x: &tape.inner,
            y: &mut self.activated,
        });
        let scratch = &mut self.dense;
        layer
            .output
            .parameters(&self.added, &self.activated, to, scratch);
        layer.output.input(&self.added, false, &mut self.inner);
        level.run(ActivationBackward {
            activation,
            x: &tape.inner,
            d: &mut self.inner,
        });
        layer
            .intermediate
            .parameters(&self.inner, &tape.middle, to, scratch);
        layer.intermediate.input(&self.inner, true, &mut self.x);
    }

    /// Goes from the middle between a layer's halves to its input.
    fn attend(
        &mut self,
        model: &Model<'_>,
        layer: &TrainingLayer<'_>,
        batch: &MicroBatch<'_>,
        (x, tape): (&AlignedMatrix, &LayerTape),
        to: &mut Gradients,
    ) {
        let (asking, spans) = match layer.narrow {
            true => (&tape.firsts, &batch.firsts),
            false => (x, &batch.tokens),
        };
        layer
            .attention_norm
            .back(&tape.attention_norm, &mut self.x, to);
        copy(&self.x, &mut self.added);
        let (site, rate) = (
            DropoutSite::AttentionOutput(layer.number),
            model.config.dropout.hidden,
        );
        batch.drop(model.level, site, rate, spans, &mut self.added);
        let output = &layer.attention_output;
        output.parameters(&self.added, &tape.context, to, &mut self.dense);
        output.input(&self.added, false, &mut self.context);
        self.heads(model, layer, batch, tape, to);
        let scratch = &mut self.dense;
        layer.queries.parameters(&self.queries, asking, to, scratch);
        layer.queries.input(&self.queries, true, &mut self.x);
        if layer.narrow {
            std::mem::swap(&mut self.x, &mut self.firsts);
            batch.scatter(&self.firsts, &mut self.x);
        }
        layer
            .keys_values
            .parameters(&self.keys_values, x, to, scratch);
        layer
            .keys_values
            .input(&self.keys_values, true, &mut self.x);
    }

    /// Goes from the context to queries, keys and values.
    fn heads(
        &mut self,
        model: &Model<'_>,
        layer: &TrainingLayer<'_>,
        batch: &MicroBatch<'_>,
        tape: &LayerTape,
        to: &mut Gradients,
    ) {
        let config = model.config;
        let spans = if layer.narrow {
            &batch.firsts
        } else {
            &batch.tokens
        };
        self.queries.shape(self.context.count(), config.hidden);
        self.keys_values.shape(batch.size(), 2 * config.hidden);
        for ((pass, tokens), asking) in batch.group.iter().zip(spans) {
            AttentionGradient {
                level: model.level,
                heads: (config.heads, config.hidden / config.heads),
                asking: asking.len(),
                tokens: tokens.len(),
                queries: tape.queries.view(asking.start, 0),
                keys_values: tape.keys_values.view(tokens.start, 0),
                biases: model.biases.as_ref(),
                mask: pass.mask(
                    DropoutSite::Attention(layer.number),
                    config.dropout.attention,
                ),
                d_context: self.context.view(asking.start, 0),
                d_queries: self.queries.view_mut(asking.start, 0),
                d_keys_values: self.keys_values.view_mut(tokens.start, 0),
                d_distances: model.tables.distances.map(|table| to.part(table)),
            }
            .back(&mut self.attention);
        }
    }

    fn embeddings(
        &mut self,
        model: &Model<'_>,
        batch: &MicroBatch<'_>,
        tape: &Tape,
        to: &mut Gradients,
    ) {
        if let Some(project) = &model.project {
            project.parameters(&self.x, &tape.embedded, to, &mut self.dense);
            project.input(&self.x, false, &mut self.added);
            std::mem::swap(&mut self.x, &mut self.added);
        }
        let rate = model.config.dropout.hidden;
        batch.drop(
            model.level,
            DropoutSite::Embeddings,
            rate,
            &batch.tokens,
            &mut self.x,
        );
        model.norm.back(&tape.embeddings, &mut self.x, to);
        let width = model.config.embedding;
        for (pass, tokens) in batch.group {
            let pieces = model.config.rows(pass.tokens);
            for ([word, kind, place], row) in pieces.zip(tokens.clone()) {
                let row = self.x.row(row);
                add(row, to.word(word as u32));
                add(row, &mut to.part(model.tables.positions)[place * width..]);
                if let Some(types) = model.tables.types {
                    add(row, &mut to.part(types)[kind * width..]);
                }
            }
        }
    }
}
