//! Language models of the decoder kind, run in this process through candle-transformers: token ids in, the
//! logits of the next token or the score of a reward model out.
//!
//! candle-transformers computes some families exactly, others only within limits, and passes over settings that
//! it does not know. So a configuration is [read](DecoderSettings) here first, in either layout that transformers writes,
//! and whatever it asks for and the family's module lacks is refused by name. What is left is checked by golden
//! values of transformers.
//!
//! Every prompt is run by itself, without padding and without a cache of others, in f32.

mod chat;
mod family;
mod gguf;
mod labels;
mod model;
mod reading;
mod settings;

pub use chat::{Chat, ChatMessage, message};
pub use labels::Label;
pub use model::Decoder;
pub(crate) use model::DecoderTask;
pub use reading::LabelProbabilities;
pub use settings::DecoderSettings;

use tiebreak_base::error::{Error, Key};
use tiebreak_base::message;

/// The error of a model that is not computed here, with the reason.
fn refused(model: &str, what: impl std::fmt::Display) -> Error {
    Error::model(model, format!("{what}, which is not supported")).with_hint(message!(
        "serve the model by llama.cpp or vLLM and name that: {}",
        Key("endpoint").set("http://127.0.0.1:8000/v1")
    ))
}
