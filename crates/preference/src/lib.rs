//! Preferences: which of two texts people would choose, by a model, a metric or a judge.
//!
//! Begin with [`preference`]: every model is a [`PairwiseModel`](preference::PairwiseModel). [`preference::load`]
//! loads a neural model or a judge by name. [`Direct`](preference::direct::Direct) makes a model of a metric and
//! one of the [`links`](preference::links). [`judges`] ask language models and keep their answers, [`verdicts`]
//! read these; `decoders` run such models in this process. Neural models need the feature `neural`, judges
//! `judges`.
//!
//! chrF with a link, fitted to what people preferred before:
//!
//! ```
//! use tiebreak_base::duel::Outcome::{Loss, Tie, Win};
//! use tiebreak_metrics::env::Env;
//! use tiebreak_preference::preference::{Contest, PairwiseModel, direct::Direct};
//! let references = ["The train is late today.".to_string()];
//! let contest = |a, b| Contest::new(a, b).with_references(&references);
//! let judged = [
//!     (contest("The train is late.", "A bus is late."), Win),
//!     (contest("Late.", "Today the train is late."), Loss),
//!     (contest("A train today.", "The train today."), Win),
//!     (contest("It is late today.", "Train is late."), Tie),
//! ];
//! let model = Direct::fit("chrf", "btl-logistic", &judged, &Env::default())?;
//! let (fine, poor) = ("The train is late, today.", "Train today late is.");
//! let found = model.predict(&[contest(fine, poor), contest(poor, fine)])?;
//! assert_eq!([found[0].p, found[1].p].map(|p| (100.0 * p).round()), [85.0, 15.0]); // per cent
//! # Ok::<(), tiebreak_base::Error>(())
//! ```

#![forbid(unsafe_code)]

#[cfg(feature = "judges")]
pub mod decoders;
pub mod judges;
pub mod preference;
pub mod verdicts;
