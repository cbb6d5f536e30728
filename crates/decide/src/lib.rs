//! Bandits, estimators and rankings: which pair to compare next, how good each system is, who is best. No files.
//!
//! [`ranking::rank`] ranks systems by collected comparisons. [`Live`](evaluation::live::Live) asks a question at
//! a time, with one of the [`bandits`], until the best system is proved. [`Survey`](estimators::Survey) estimates
//! the mean rating of a system from few ratings, with one of the [`estimators`]. [`feedback`] has the sources of
//! answers, and [`model_based`] lets a model answer where it is trusted. [`annotators`] compares annotators,
//! [`evaluation`] runs whole experiments. [`race`] finds the best of many systems by scores.
//!
//! Three systems, each compared 60 times with each other:
//!
//! ```
//! use tiebreak_base::duel::Outcome::{Loss, Win};
//! use tiebreak_decide::ranking::{Comparison, rank};
//! let wins = [("atlas", "birch", 45), ("atlas", "cedar", 47), ("birch", "cedar", 31)]; // of the first
//! let comparisons = wins.into_iter().flat_map(|(first, second, wins)| {
//!     (0..60).map(move |n| Comparison::new(first, second, if n < wins { Win } else { Loss }))
//! });
//! let ranking = rank(comparisons, 0.95)?;
//! assert_eq!(ranking.claim.systems, ["atlas"]); // is the best, with 95 % confidence
//! assert_eq!(ranking.groups, [vec!["atlas"], vec!["birch", "cedar"]]); // no proved difference between the last two
//! # Ok::<(), tiebreak_base::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod annotators;
pub mod bandits;
pub mod estimators;
pub mod evaluation;
pub mod feedback;
pub mod model_based;
pub mod race;
pub mod ranking;
