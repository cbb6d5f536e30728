//! Metrics, which turn a text and its references into a score.
//!
//! [`metrics::score`] scores one system's outputs by a metric's name, with parameters as in `chrf:word-order=2`;
//! [`METRICS`](metrics::METRICS) lists the names. [`metrics::load`] gives the [`Metric`](metrics::Metric) itself,
//! with models and device from an [`Env`](env::Env). [`text`] cuts texts into what metrics on words compare,
//! [`vectors`] has the static vectors of words. Metrics that read with an encoder need the feature `neural`.
//!
//! The translation edit rate: edits per hundred words of the references.
//!
//! ```
//! use tiebreak_metrics::metrics::{Direction, score};
//! let outputs = ["The train is late.", "He sang a song."];
//! let references = [vec!["The train is very late."], vec!["He is singing.", "He sang a song."]];
//! let ter = score("ter", &outputs, &references)?;
//! println!("{}: {:.1} over all", ter.corpus_signature, ter.corpus);
//! assert_eq!(ter.better, Direction::Lower);
//! assert_eq!(ter.segments, [20.0, 0.0]); // one word of five is missing, none of four
//! # Ok::<(), tiebreak_base::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod env;
pub mod metrics;
pub mod text;
pub mod vectors;
