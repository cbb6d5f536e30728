//! The forward pass from tokens to logits, which keeps what the backward pass needs.
//!
//! The steps are those of [`packed`](crate::packed), under the same masks. Where only the first token
//! of a sequence is read after the last layer, only that is computed there.

use super::activation::Activate;
use super::dense::Dense;
use super::matched::MatchTape;
use super::model::{Model, TrainingHead, TrainingLayer};
use super::norm::LayerNormTape;
use super::rows::MicroBatch;
use crate::dropout::DropoutSite;
use crate::packed::{self, AlignedMatrix};

/// The activations of one micro-batch.
#[derive(Default)]
pub(crate) struct Tape {
    /// The normalisation of the embeddings.
    pub embeddings: LayerNormTape,
    /// Embeddings before they are projected; empty if they are not.
    pub embedded: AlignedMatrix,
    /// The input of layer i, and at last the output of the last one.
    pub states: Vec<AlignedMatrix>,
    pub layers: Vec<LayerTape>,
    pub head: HeadTape,
    pub matched: MatchTape,
    scratch: ForwardScratch,
}

/// The activations in one layer.
#[derive(Default)]
pub(crate) struct LayerTape {
    /// The inputs of the tokens with queries; only in a narrow layer.
    pub firsts: AlignedMatrix,
    pub queries: AlignedMatrix,
    pub keys_values: AlignedMatrix,
    pub context: AlignedMatrix,
    pub attention_norm: LayerNormTape,
    /// The state between attention and feed-forward network.
    pub middle: AlignedMatrix,
    /// The state in the feed-forward network, before the activation.
    pub inner: AlignedMatrix,
    pub output_norm: LayerNormTape,
}

/// The activations in the head, one row per sequence.
#[derive(Default)]
pub(crate) struct HeadTape {
    pub input: AlignedMatrix,
    /// The state before the activation.
    pub inner: AlignedMatrix,
    /// The state after it, and dropout.
    pub hidden: AlignedMatrix,
    pub logits: AlignedMatrix,
}

#[derive(Default)]
struct ForwardScratch {
    added: AlignedMatrix,
    activated: AlignedMatrix,
    attention: packed::AttentionScratch,
}

impl Tape {
    /// Runs a micro-batch; the logits are then in `head.logits`.
    pub(super) fn run(&mut self, model: &Model<'_>, batch: &MicroBatch<'_>) {
        self.states
            .resize_with(model.layers.len() + 1, AlignedMatrix::default);
        self.layers
            .resize_with(model.layers.len(), LayerTape::default);
        self.embed(model, batch);
        for layer in &model.layers {
            self.layer(model, layer, batch);
        }
        match &model.top {
            TrainingHead::Classifier(head) => self.head(model, head, batch),
            TrainingHead::Matching(matcher) => {
                let last = &self.states[model.layers.len()];
                matcher.run(last, batch, &mut self.matched, &mut self.head.logits);
            }
        }
    }

    fn embed(&mut self, model: &Model<'_>, batch: &MicroBatch<'_>) {
        let Self {
            embeddings,
            embedded,
            states,
            ..
        } = self;
        let to = match model.project {
            Some(_) => &mut *embedded,
            None => &mut states[0],
        };
        let read = |rows: &mut AlignedMatrix| {
            rows.shape(batch.size(), model.config.embedding);
            for (pass, tokens) in batch.group {
                model.embed(pass.tokens, tokens.start, rows);
            }
        };
        model.norm.run_on(read, embeddings, to);
        let rate = model.config.dropout.hidden;
        batch.drop(
            model.level,
            DropoutSite::Embeddings,
            rate,
            &batch.tokens,
            to,
        );
        if let Some(project) = &model.project {
            project.linear.apply(embedded, None, &mut states[0]);
        }
    }

    fn layer(&mut self, model: &Model<'_>, layer: &TrainingLayer<'_>, batch: &MicroBatch<'_>) {
        let (level, config, number) = (model.level, model.config, layer.number);
        let (before, after) = self.states.split_at_mut(number + 1);
        let (x, out) = (&before[number], &mut after[0]);
        let tape = &mut self.layers[number];
        let ForwardScratch {
            added,
            activated,
            attention,
        } = &mut self.scratch;
        if layer.narrow {
            batch.gather(x, &mut tape.firsts);
        }
        let asking = if layer.narrow { &tape.firsts } else { x };
        layer
            .keys_values
            .linear
            .apply(x, None, &mut tape.keys_values);
        layer.queries.linear.apply(asking, None, &mut tape.queries);
        tape.context.shape(asking.count(), config.hidden);
        attend(model, layer, batch, tape, attention);
        let (asking, spans) = match layer.narrow {
            true => (&tape.firsts, &batch.firsts),
            false => (x, &batch.tokens),
        };
        let rate = config.dropout.hidden;
        layer
            .attention_output
            .linear
            .apply(&tape.context, None, added);
        batch.drop(
            level,
            DropoutSite::AttentionOutput(number),
            rate,
            spans,
            added,
        );
        let norm = &layer.attention_norm;
        norm.run(asking, added, &mut tape.attention_norm, &mut tape.middle);
        layer
            .intermediate
            .linear
            .apply(&tape.middle, None, &mut tape.inner);
        level.run(Activate {
            activation: config.activation,
            x: &tape.inner,
            y: activated,
        });
        layer.output.linear.apply(activated, None, added);
        batch.drop(level, DropoutSite::Output(number), rate, spans, added);
        layer
            .output_norm
            .run(&tape.middle, added, &mut tape.output_norm, out);
    }

    fn head(&mut self, model: &Model<'_>, [dense, project]: &[Dense; 2], batch: &MicroBatch<'_>) {
        let (level, config) = (model.level, model.config);
        let tape = &mut self.head;
        let last = &self.states[model.layers.len()];
        match model.layers.is_empty() {
            true => batch.gather(last, &mut tape.input),
            false => super::rows::copy(last, &mut tape.input),
        }
        let rate = config.dropout.head;
        if config.family.drops_head_input() {
            batch.drop(
                level,
                DropoutSite::HeadInput,
                rate,
                &batch.firsts,
                &mut tape.input,
            );
        }
        dense.linear.apply(&tape.input, None, &mut tape.inner);
        level.run(Activate {
            activation: config.head_activation,
            x: &tape.inner,
            y: &mut tape.hidden,
        });
        batch.drop(
            level,
            DropoutSite::HeadHidden,
            rate,
            &batch.firsts,
            &mut tape.hidden,
        );
        project.linear.apply(&tape.hidden, None, &mut tape.logits);
    }
}

/// Computes the context from queries, keys and values, sequence by sequence.
fn attend(
    model: &Model<'_>,
    layer: &TrainingLayer<'_>,
    batch: &MicroBatch<'_>,
    tape: &mut LayerTape,
    scratch: &mut packed::AttentionScratch,
) {
    let config = model.config;
    let spans = if layer.narrow {
        &batch.firsts
    } else {
        &batch.tokens
    };
    for ((pass, tokens), asking) in batch.group.iter().zip(spans) {
        packed::SequenceAttention {
            heads: (config.heads, config.hidden / config.heads),
            asking: asking.len(),
            tokens: tokens.len(),
            queries: tape.queries.view(asking.start, 0),
            keys: tape.keys_values.view(tokens.start, 0),
            values: tape.keys_values.view(tokens.start, config.hidden),
            biases: model.biases.as_ref(),
            masks: &[pass.mask(
                DropoutSite::Attention(layer.number),
                config.dropout.attention,
            )],
            context: tape.context.view_mut(asking.start, 0),
        }
        .run(model.level, scratch);
    }
}
