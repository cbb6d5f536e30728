//! A ranking by a judge's verdicts, in the judge's name: predictions in the place of people's comparisons.

use super::margins;
use crate::inputs::source::{PredictionTable, Source};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use tiebreak_base::error::{Error, Key, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_decide::estimators::margins::MarginPrediction;
use tiebreak_decide::ranking::Collection;
use tiebreak_decide::ranking::result::PositionBias;

/// The verdicts to rank by: those of the data set, or a table of predictions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "VerdictsValue", into = "VerdictsValue")]
pub enum VerdictSource {
    /// The predictions that the data set holds.
    DataSet,
    /// A file, or what a stage of the pipeline predicts.
    Table(String),
}

/// The value of the key: true, or a name.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected true, for the verdicts of the data set, or a table of predictions"
)]
enum VerdictsValue {
    DataSet(bool),
    Table(String),
}

impl TryFrom<VerdictsValue> for VerdictSource {
    type Error = &'static str;

    fn try_from(value: VerdictsValue) -> Result<Self, Self::Error> {
        match value {
            VerdictsValue::DataSet(true) => Ok(Self::DataSet),
            VerdictsValue::DataSet(false) => Err(
                "false, expected true or a table of predictions; leave it out to rank by people",
            ),
            // The flag without a value.
            VerdictsValue::Table(name) if name.is_empty() => Ok(Self::DataSet),
            VerdictsValue::Table(name) => Ok(Self::Table(name)),
        }
    }
}

impl From<VerdictSource> for VerdictsValue {
    fn from(source: VerdictSource) -> Self {
        match source {
            VerdictSource::DataSet => Self::DataSet(true),
            VerdictSource::Table(name) => Self::Table(name),
        }
    }
}

impl fmt::Display for VerdictSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DataSet => f.write_str("true"),
            Self::Table(name) => f.write_str(name),
        }
    }
}

/// The table of verdicts that a data set holds.
///
/// # Errors
/// A data set without one.
pub(super) fn own_table(source: &Source) -> Result<PathBuf> {
    let own = source
        .dataset
        .predictions()
        .map(std::path::Path::to_path_buf);
    own.ok_or_else(|| {
        let data = source.dataset.path().display();
        let what = format!("{data} holds no predictions, whose verdicts could rank its systems");
        Error::key("verdicts", what).with_hint(message!(
            "name a table that {} or {} made: {}",
            StageCommand("judge", &[]),
            StageCommand("predict", &[]),
            Key("verdicts").set("FILE")
        ))
    })
}

/// Collects the verdicts of a table; all must be one judge's.
///
/// # Errors
/// Verdicts of several judges; an index that cannot be read.
pub(super) fn collect(source: &Source, table: &PredictionTable) -> Result<Collection> {
    let mut verdicts: Vec<MarginPrediction> = Vec::new();
    for item in 0..source.index.items() {
        verdicts.extend(margins(item, &table.of_item(item)?)?);
    }
    let judge = table.judge()?;
    let systems = source.systems().to_vec();
    Ok(Collection::of_verdicts(
        systems,
        (&judge, &table.signature),
        &verdicts,
    ))
}

/// The position bias over all verdicts whose sides are known, with its interval over items.
pub(super) fn position(
    source: &Source,
    table: &PredictionTable,
    confidence: f64,
) -> Result<Option<PositionBias>> {
    let mut biases = Vec::new();
    for item in 0..source.index.items() {
        let of_item = table.positions(item)?;
        biases.extend(of_item.into_iter().map(|bias| (item as usize, bias)));
    }
    PositionBias::new(&biases, confidence)
}
