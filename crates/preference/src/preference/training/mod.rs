//! Fine-tuning a preference model on people's comparisons.
//!
//! [`Base`] is the checkpoint it begins from and puts texts to it as [`TrainingExample`]s; [`Trainer`] goes
//! step by step, and knows nothing of files. The recipe is Mohankumar and Khapra's ("Active
//! Evaluation", ACL 2022); [`Settings`] lists its numbers, and what is ours: the pointwise head,
//! judgments of one pair put together, ties, early stopping.
//!
//! Every judgment has the same weight in the loss: a pair that ten people judged counts ten times
//! one that a single person judged.

#[cfg(feature = "neural")]
mod base;
#[cfg(feature = "neural")]
mod examples;
#[cfg(feature = "neural")]
mod loss;
#[cfg(feature = "neural")]
mod noising;
#[cfg(feature = "neural")]
mod plan;
mod settings;
#[cfg(feature = "neural")]
mod trainer;

pub use settings::{Quantisation, Settings, Ties};

#[cfg(feature = "neural")]
pub use self::{
    base::{Base, TrainingItem},
    examples::{JudgedPair, TrainingExample},
    loss::JudgmentCounts,
    noising::noised,
    trainer::{Evaluation, Examples, Trainer, TrainerAction, TrainingProgress},
};
