//! How a judge is asked, beside what its descriptor says.

use super::Price;
use std::path::PathBuf;
#[cfg(feature = "judges")]
use std::{collections::BTreeMap, sync::Arc};

/// How a judge is asked. What is not said is as the descriptor says.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// The model is behind this endpoint.
    pub endpoint: Option<String>,
    /// A descriptor whose template and rules are taken for a model that is named beside it.
    pub prompt: Option<PathBuf>,
    /// The folder in which answers are kept.
    pub answers: Option<PathBuf>,
    /// Requests at a time.
    pub concurrency: Option<usize>,
    /// Dollars for all answers of the model in that folder.
    pub max_cost: Option<f64>,
    /// What tokens cost.
    pub price: Option<Price>,
    /// How requests reach the model.
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
    Answered(Arc<BTreeMap<super::answers::Key, crate::verdicts::Unreadable>>),
}
