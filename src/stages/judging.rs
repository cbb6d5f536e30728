//! How a judge is asked, wherever a preference model is named.

use crate::judges::{Asked, Delivery, Price};
use crate::keys::{AtLeast, Positive};
use crate::preference::Draws;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How a judge is asked. What is not said is as its descriptor says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[cfg_attr(feature = "cli", command(next_help_heading = "Judges"))]
pub struct Judging {
    /// The model is a language model behind this endpoint, which speaks OpenAI's chat completions, and is to
    /// judge
    #[cfg_attr(feature = "cli", arg(long, value_name = "URL"))]
    pub endpoint: Option<String>,
    /// A descriptor of a judge (docs/judges.md): its template, verdict and labels are taken for the model
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE"))]
    pub prompt: Option<PathBuf>,
    /// Ask a judge so often: a number, or adaptive, as often as a pair needs [default: 1]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N|adaptive:key=value,…", value_parser = crate::keys::flag::<Draws>))]
    pub samples: Option<Draws>,
    /// The folder in which a judge's answers are kept, so that none is paid for twice [default: judged]
    #[cfg_attr(feature = "cli", arg(long, value_name = "DIR"))]
    pub answers: Option<PathBuf>,
    /// Requests to an endpoint at a time; fewer while it says that it is crowded [default: 8]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = crate::keys::flag::<AtLeast<1, 1>>))]
    pub concurrency: Option<AtLeast<1, 1>>,
    /// Stop before the answers kept of this judge cost more, in dollars
    #[cfg_attr(feature = "cli", arg(long, value_name = "DOLLARS", value_parser = crate::keys::flag::<Positive>))]
    pub max_cost: Option<Positive>,
    /// Dollars for a million tokens read and written
    #[cfg_attr(feature = "cli", arg(long, value_name = "IN,OUT", value_parser = crate::keys::flag::<Price>))]
    pub price: Option<Price>,
}

impl Judging {
    /// The first key that is given.
    pub fn first(&self) -> Option<&'static str> {
        let all = [
            ("endpoint", self.endpoint.is_some()),
            ("prompt", self.prompt.is_some()),
            ("samples", self.samples.is_some()),
            ("answers", self.answers.is_some()),
            ("concurrency", self.concurrency.is_some()),
            ("max-cost", self.max_cost.is_some()),
            ("price", self.price.is_some()),
        ];
        all.into_iter().find_map(|(key, said)| said.then_some(key))
    }

    /// The same from here, where paths are relative to `folder`.
    #[must_use]
    pub fn beside(mut self, folder: &Path) -> Self {
        for path in [&mut self.prompt, &mut self.answers].into_iter().flatten() {
            *path = folder.join(&path);
        }
        self
    }

    /// As a judge takes it.
    pub fn asked(&self) -> Asked {
        Asked {
            endpoint: self.endpoint.clone(),
            prompt: self.prompt.clone(),
            answers: self.answers.clone(),
            concurrency: self.concurrency.map(|one| one.value() as usize),
            max_cost: self.max_cost.map(Positive::value),
            price: self.price,
            delivery: Delivery::Sent,
        }
    }
}
