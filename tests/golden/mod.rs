//! Values computed by the reference implementations.
//!
//! The files beside the checkout (`TIEBREAK_GOLDEN`) are read in whatever number, size and with
//! whatever ids they come; small ones of our own lie in `tests/golden/`.

mod agreement;
#[cfg(feature = "neural")]
mod bertscore;
#[cfg(feature = "neural")]
mod bleurt;
mod captions;
mod cases;
#[cfg(feature = "neural")]
mod checkpoints;
mod close;
#[cfg(feature = "neural")]
mod comet;
mod correlation;
mod edit;
mod folders;
pub(crate) mod formats;
mod gleu;
mod lexical;
mod listing;
mod meteor;
#[cfg(feature = "neural")]
mod models;
#[cfg(feature = "neural")]
mod moverscore;
mod nltk;
mod paired;
mod repeats;
mod rouge155;
mod rouge_scripts;
mod sacrebleu;
#[cfg(feature = "neural")]
mod sentence_embedding;
mod sentence_vectors;
mod significance;
mod text;
mod word_vectors;
