//! How a judge is asked, in addition to its descriptor.

use super::Price;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
#[cfg(feature = "judges")]
use std::sync::Arc;
use tiebreak_base::keys::{BoundedInteger, PositiveNumber};

/// A number of requests at a time. Each has a thread and a connection.
pub(super) type Concurrency = BoundedInteger<1, 1024, 8>;

/// How a judge is asked. What is not said is as its descriptor says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "cli", command(next_help_heading = "Judges"))]
#[non_exhaustive]
pub struct JudgeOptions {
    /// The URL of a language model with OpenAI's chat completions; the model is its name there
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL"))]
    pub endpoint: Option<String>,
    /// A descriptor of a judge (docs/judges.md), for its template, verdict and labels
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub prompt: Option<PathBuf>,
    /// Keep a judge's answers in this folder, so that none is paid for twice [default: judged]
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR"))]
    pub answers: Option<PathBuf>,
    /// Requests to an endpoint at a time; fewer while it reports that it is busy [default: 8]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = tiebreak_base::keys::flag::<Concurrency>))]
    pub concurrency: Option<Concurrency>,
    /// Stop before this judge's answers in the folder cost more, in dollars
    #[cfg_attr(feature = "cli", arg(long, value_name = "DOLLARS", value_parser = tiebreak_base::keys::flag::<PositiveNumber>))]
    pub max_cost: Option<PositiveNumber>,
    /// Dollars for a million tokens read and written
    #[cfg_attr(feature = "cli", arg(long, value_name = "IN,OUT", value_parser = tiebreak_base::keys::flag::<Price>))]
    pub(crate) price: Option<Price>,
    /// How requests reach the model.
    #[serde(skip)]
    #[cfg_attr(feature = "cli", arg(skip))]
    pub delivery: Delivery,
}

/// How requests reach a model behind an endpoint.
#[derive(Debug, Clone, Default)]
pub enum Delivery {
    /// They are sent.
    #[default]
    Sent,
    /// They are collected for a batch file, and nothing is answered that is not known.
    #[cfg(feature = "judges")]
    Collected(Arc<super::Outbox>),
    /// They are not: what is known is what a batch file answered, or why it did not.
    #[cfg(feature = "judges")]
    Answered(Arc<super::BatchResults>),
}

impl PartialEq for Delivery {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sent, Self::Sent) => true,
            #[cfg(feature = "judges")]
            (Self::Collected(one), Self::Collected(other)) => Arc::ptr_eq(one, other),
            #[cfg(feature = "judges")]
            (Self::Answered(one), Self::Answered(other)) => Arc::ptr_eq(one, other),
            #[cfg(feature = "judges")]
            _ => false,
        }
    }
}
