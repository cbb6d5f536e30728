//! The stages of evaluation, with pipelines, experiments and reports.
//!
//! Begin with [`stages`]: [`STAGES`](stages::STAGES) lists them. [`pipeline`] runs stages from a file,
//! [`experiments`] over axes of their keys, and [`report`] writes the results. All of them take a
//! [`Context`](engine::Context) and read data through [`inputs`]. [`journal`] is the log of a campaign,
//! [`kernels`] score and predict record batches, [`exports`] writes the forms of other tools.
//! [`rendering`] makes HTML of what systems wrote, `viewer` pages for looking at a data set.
//!
//! Scores and a ranking of the data set `tiny`:
//!
//! ```
//! use std::{fs, sync::atomic::AtomicBool};
//! use tiebreak_base::rng::Seed;
//! use tiebreak_metrics::env::Env;
//! use tiebreak_stages::{engine::{Context, SilentProgress}, pipeline::Pipeline};
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("first.toml");
//! let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/tiny");
//! fs::write(&file, format!("data = {data:?}\n[[score]]\nmetric = \"chrf\"\n[[rank]]\n"))?;
//! let (env, stop) = (Env::default(), AtomicBool::new(false));
//! let context = Context { seed: Seed(42), env, progress: &SilentProgress, stop: &stop };
//! let out = folder.path().join("out");
//! let report = Pipeline::read(&file)?.run(&context, None, &out)?;
//! let mut rows = report.text.lines().map(|line| line.split_whitespace());
//! assert!(rows.any(|row| row.eq(["fjord", "88.72"]))); // fjord's mean chrF
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod columns;
pub mod engine;
pub mod experiments;
pub mod exports;
#[cfg(feature = "neural")]
pub mod fine_tuning;
pub mod inputs;
pub mod journal;
pub mod kernels;
pub mod pipeline;
pub mod rendering;
pub mod report;
pub mod stages;
#[cfg(feature = "view")]
pub mod viewer;
