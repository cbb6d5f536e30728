//! tiebreak tells which text-generation system is best, and how good each one is, from few human judgments and
//! with a guarantee.
//!
//! This is the library, with five things that it does. Longer programs are in `examples/`. The program `tiebreak`
//! does the same from files.
//!
//! # Score texts
//!
//! [`score()`] takes a metric by name, outputs, and a list of references for each. [`metrics::METRICS`] lists the
//! metrics; parameters are written `chrf:word-order=2`.
//!
//! ```
//! let outputs = ["The train is late today.", "He sings."];
//! let references = [vec!["The train is late."], vec!["He is singing.", "He sings a song."]];
//! let bleu = tiebreak::score("bleu", &outputs, &references)?;
//! println!("corpus {:.1}, sentences {:?}", bleu.corpus, bleu.segments);
//! println!("{}", bleu.signature); // what made the numbers, as sacrebleu says it
//! # Ok::<(), tiebreak::Error>(())
//! ```
//!
//! # Predict which of two outputs people prefer
//!
//! [`preference::load`] loads a model: [`DEFAULT_MODEL`](preference::DEFAULT_MODEL) comes with tiebreak, others
//! are folders or hub ids. Dropout draws give its uncertainty. [`Direct::fit`](preference::direct::Direct::fit)
//! makes a model of any metric.
//!
//! ```
//! # #[cfg(feature = "neural")] {
//! use tiebreak::{Contest, Env, preference::{self, Options, PairwiseModel}};
//! let model = preference::load(preference::DEFAULT_MODEL, &Options::default(), &Env::default())?;
//! let contest = Contest::new("The train is late today.", "Train today late is.");
//! let found = &model.predict(&[contest.with_source("Der Zug hat heute Verspätung.")])?[0];
//! println!("the first is preferred with probability {:.2}", found.p);
//! println!("{:?}", preference::uncertainty(&found.draws)); // mean, BALD and deviation
//! # }
//! # Ok::<(), tiebreak::Error>(())
//! ```
//!
//! # Rank systems by a list of comparisons
//!
//! [`rank()`] takes pairs of systems with the outcome of the first; [`on`](Comparison::on) and
//! [`by`](Comparison::by) add item and annotator. It returns strengths and ranks with intervals, groups without a
//! proved difference, and a verdict, the claim.
//!
//! ```
//! use tiebreak::{Comparison, Outcome, rank};
//! let comparisons = [
//!     Comparison::new("atlas", "birch", Outcome::Win).on("item 1").by("ann"),
//!     Comparison::new("birch", "cedar", Outcome::Tie).on("item 1").by("ben"),
//!     Comparison::new("cedar", "atlas", Outcome::Loss).on("item 2").by("ann"),
//! ];
//! let ranking = rank(comparisons, 0.95)?;
//! for one in &ranking.ranks {
//!     println!("{}: rank {} to {}", one.system, one.rank_low, one.rank_high);
//! }
//! println!("{}", ranking.claim); // a sentence; `ranking` itself prints the whole table
//! # Ok::<(), tiebreak::Error>(())
//! ```
//!
//! # Ask people, a question at a time
//!
//! [`Live`] chooses the next pair of systems and item, takes the answer, and stops once the best system is
//! proved. That takes far fewer judgments than comparing everything.
//!
//! ```
//! use tiebreak::{Live, Outcome};
//! let outputs = [["a fine text"; 100], ["a text"; 100], ["text a"; 100]]; // by system and item
//! let mut live = Live::new(&["atlas", "birch", "cedar"], 100)?;
//! while let Some(question) = live.ask() {
//!     let [a, b] = [question.first, question.second].map(|system| outputs[system][question.item]);
//!     let outcome = if a.len() > b.len() { Outcome::Win } else { Outcome::Loss }; // ask somebody
//!     live.tell(question, outcome);
//! }
//! println!("after {} answers: {}", live.answers(), live.claim());
//! # Ok::<(), tiebreak::Error>(())
//! ```
//!
//! # Estimate how good a system is
//!
//! [`Survey::estimate`] takes a metric's scores of all outputs, and judgments of some as (output, judgment). It
//! returns the mean judgment of all with an interval. [`estimators::ESTIMATORS`] lists the estimators; `mean`
//! needs no metric.
//!
//! ```
//! use tiebreak::Survey;
//! let chrf = [61.2, 48.0, 77.5, 55.1, 90.3, 39.9, 70.2, 66.6, 81.7, 59.4];
//! let judged = [(0, 63.0), (2, 80.0), (3, 49.0), (5, 41.0), (6, 68.0), (8, 85.0)];
//! let survey = Survey::scored(chrf).with_range(0.0, 100.0)?; // the scale people judge on
//! let found = survey.estimate("control-variates", &judged, 0.95)?;
//! println!("{:?} between {:?} and {:?}", found.estimate, found.lower, found.upper);
//! # Ok::<(), tiebreak::Error>(())
//! ```
//!
//! An [`Error`] names what was found and what was expected, and has a [`hint`](Error::hint). Numbers depend on
//! inputs and seeds alone, never on threads or order.
//!
//! # Features
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `neural` | preference models, and metrics that read with an encoder |
//! | `hub` | models by hub id; implies `neural` |
//! | `judges` | language models as judges; implies `neural` |
//! | `report` | plots, as files and in pages |
//! | `cli` | the program |
//! | `cuda`, `metal` | neural models on such devices |
//!
//! The first five are on by default; `default-features = false` leaves metrics on words, links, bandits,
//! ranking and estimates.
//!
//! # The modules
//!
//! ```text
//! records ──> metrics ────> scores ───────┐
//!    │           │                        ├──> estimators ──> estimates ──┐
//!    │           └─ links ─> predictions ─┤                               ├──> report
//!    │   preference models ─> predictions ┴──> bandits ─────> ranking ────┘
//!    └──── people (recorded or live) ─────────────┘
//! ```
//!
//! * [`records`] are input data, [`tables`] are stored between stages.
//! * [`metrics`] turn a text and its references into a score, [`preference`] two texts into a
//!   preference with its uncertainty.
//! * [`bandits`] choose the next pair of systems, [`feedback`] answers, [`model_based`] lets a model answer where
//!   it is certain.
//! * [`annotators`] compares annotators: agreement, bias, noise, outliers.
//! * [`estimators`] say how good each system is, [`mod@ranking`] which is best; [`claims`] are verdicts.
//!   [`evaluation`] runs whole experiments; a [`race`] finds the best by scores.
//! * [`stages`] are the steps of an evaluation. [`pipeline`] runs them from a file, [`experiments`] over axes of
//!   their keys, `campaign` with people; [`report`] shows the results.
//! * [`kernels`] score and predict record batches, for engines such as Spark.
//!
//! `ARCHITECTURE.md` has the crates, the formats and a reading path; `Cargo.toml` the reason for each dependency.

#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
pub mod campaign;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "serve")]
mod web;

pub use tiebreak_base::{
    claims, cost, duel, error, keys, layout, limits, order, registry, rng, scope, signature, stats,
    words,
};
pub use tiebreak_data::{records, tables};
pub use tiebreak_decide::{
    annotators, bandits, estimators, evaluation, feedback, model_based, race, ranking,
};
pub use tiebreak_encoders as encoders;
pub use tiebreak_metrics::{env, metrics, text, vectors};
#[cfg(feature = "judges")]
pub use tiebreak_preference::decoders;
pub use tiebreak_preference::{judges, preference, verdicts};
#[cfg(feature = "neural")]
pub use tiebreak_stages::fine_tuning;
pub use tiebreak_stages::{
    engine, experiments, exports, inputs, journal, kernels, pipeline, report, stages,
};

pub use tiebreak_base::duel::Outcome;
pub use tiebreak_base::error::{Error, Result};
pub use tiebreak_decide::estimators::Survey;
pub use tiebreak_decide::evaluation::live::Live;
pub use tiebreak_decide::ranking::{Comparison, rank};
pub use tiebreak_metrics::env::Env;
pub use tiebreak_metrics::metrics::score;
pub use tiebreak_preference::preference::Contest;
