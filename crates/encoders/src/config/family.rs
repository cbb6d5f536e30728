//! The families of encoders that can be run, and what follows from the family alone: tensor
//! names and the tokenizer's settings.

use super::Activation;
use crate::parameters::Output;

/// The family of an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncoderFamily {
    /// Devlin et al., 2019.
    Bert,
    /// Clark et al., 2020; the discriminator.
    Electra,
    /// Liu et al., 2019: BERT that numbers positions from after its padding.
    Roberta,
    /// Conneau et al., 2020: RoBERTa in a hundred languages.
    XlmRoberta,
    /// Song et al., 2020: attention also has a bias by distance.
    MpNet,
    /// He et al., 2021 and 2023: versions 2 and 3 of DeBERTa.
    Deberta,
    /// Warner et al., 2024.
    ModernBert,
}

impl EncoderFamily {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Bert,
        Self::Electra,
        Self::Roberta,
        Self::XlmRoberta,
        Self::MpNet,
        Self::Deberta,
        Self::ModernBert,
    ];

    /// The name that `config.json` gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::Electra => "electra",
            Self::Roberta => "roberta",
            Self::XlmRoberta => "xlm-roberta",
            Self::MpNet => "mpnet",
            Self::Deberta => "deberta-v2",
            Self::ModernBert => "modernbert",
        }
    }

    /// The family of a `model_type`.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// The class of transformers with the head that gives such an output, if it has one.
    pub fn class(self, output: Output) -> String {
        let prefix = match self {
            Self::Bert => "Bert",
            Self::Electra => "Electra",
            Self::Roberta => "Roberta",
            Self::XlmRoberta => "XLMRoberta",
            Self::MpNet => "MPNet",
            Self::Deberta => "DebertaV2",
            Self::ModernBert => "ModernBert",
        };
        match output {
            Output::Logits(_) => format!("{prefix}ForSequenceClassification"),
            Output::Match => format!("{prefix}Model"),
        }
    }

    /// Whether it is run with dropout and can be fine-tuned.
    pub fn has_dropout(self) -> bool {
        !matches!(self, Self::Deberta | Self::ModernBert)
    }

    /// Whether it has token types for the texts of an input. The tokenizers of the others, as
    /// transformers has them, give none, whatever stands in `tokenizer.json`.
    pub fn has_types(self) -> bool {
        matches!(self, Self::Bert | Self::Electra | Self::Deberta)
    }

    /// The prefix of an encoder's tensor names in a model with a head.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Bert => "bert.",
            Self::Electra => "electra.",
            Self::Roberta | Self::XlmRoberta => "roberta.",
            Self::MpNet => "mpnet.",
            Self::Deberta => "deberta.",
            Self::ModernBert => "model.",
        }
    }

    /// The name of the table of word embeddings, after the prefix.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::ModernBert => "embeddings.tok_embeddings.weight",
            _ => "embeddings.word_embeddings.weight",
        }
    }

    /// The names of attention's tensors, after `attention.`.
    pub(crate) fn attention(self) -> AttentionTensorNames {
        AttentionTensorNames {
            asked: match self {
                Self::Deberta => ["self.query_proj", "self.key_proj", "self.value_proj"],
                Self::MpNet => ["attn.q", "attn.k", "attn.v"],
                _ => ["self.query", "self.key", "self.value"],
            },
            output: match self {
                Self::MpNet => "attn.o",
                _ => "output.dense",
            },
            norm: match self {
                Self::MpNet => "LayerNorm",
                _ => "output.LayerNorm",
            },
        }
    }

    /// Whether positions are numbered from after the padding's id, which takes none.
    pub(crate) fn skips_padding(self) -> bool {
        matches!(self, Self::Roberta | Self::XlmRoberta | Self::MpNet)
    }

    /// The name of the classification head's first layer, in a model whose other names begin with
    /// `prefix`.
    pub(crate) fn dense(self, prefix: &str) -> String {
        match self {
            Self::Bert => format!("{prefix}pooler.dense"),
            Self::Electra | Self::Roberta | Self::XlmRoberta | Self::MpNet => {
                "classifier.dense".to_string()
            }
            Self::Deberta => "pooler.dense".to_string(),
            Self::ModernBert => "head.dense".to_string(),
        }
    }

    /// The name of the classification head's last layer.
    pub(crate) fn projection(self) -> &'static str {
        match self {
            Self::Electra | Self::Roberta | Self::XlmRoberta | Self::MpNet => "classifier.out_proj",
            Self::Bert | Self::Deberta | Self::ModernBert => "classifier",
        }
    }

    /// The activation between the two, unless `config.json` says another.
    pub(super) fn head_activation(self) -> Activation {
        match self {
            Self::Bert | Self::Roberta | Self::XlmRoberta | Self::MpNet => Activation::Tanh,
            Self::Electra | Self::Deberta | Self::ModernBert => Activation::Gelu,
        }
    }

    /// Whether the head's input is dropped out too: the pooler of BERT's is not.
    pub(crate) fn drops_head_input(self) -> bool {
        matches!(
            self,
            Self::Electra | Self::Roberta | Self::XlmRoberta | Self::MpNet
        )
    }
}

/// Names of tensors of a layer's attention.
pub(crate) struct AttentionTensorNames {
    /// The projections of queries, keys and values.
    pub asked: [&'static str; 3],
    /// The projection of the context.
    pub output: &'static str,
    /// The normalisation after it.
    pub norm: &'static str,
}
