//! The share of a data set that a table of predictions covers.
//!
//! Answers without a prediction count as they are. Those with one are compared with the mean prediction
//! of their pair. That adds nothing on average as long as they are a random sample of what was
//! predicted. So a table may lack any pairs, but not because of what was compared.

use crate::inputs::source::PredictionTable;
use std::collections::BTreeSet;
use std::fmt;
use tiebreak_base::duel::{Arm, Pair, Prediction};
use tiebreak_base::error::Result;
use tiebreak_data::records::index::Group;

/// The number of predicted pairs or comparisons, among all.
#[derive(Default)]
struct PredictedShare {
    predicted: u64,
    all: u64,
}

/// The coverage of pairs of outputs and of comparisons.
#[derive(Default)]
pub(in crate::stages) struct Coverage {
    outputs: PredictedShare,
    comparisons: PredictedShare,
}

impl Coverage {
    /// Counts an item with what is predicted of it.
    pub(in crate::stages) fn count(&mut self, group: &Group, of_item: &[(Arm, Arm, Prediction)]) {
        let pairs = of_item.iter().map(|&(a, b, _)| Pair::new(a, b));
        let both = |pair: &Pair| {
            let there = |arm| group.output(arm).is_some();
            there(pair.first) && there(pair.second)
        };
        let outputs = group.outputs.len() as u64;
        self.outputs.all += outputs * outputs.saturating_sub(1) / 2;
        self.outputs.predicted += pairs.clone().filter(both).count() as u64;
        let predicted: BTreeSet<Pair> = pairs.map(Pair::lower_first).collect();
        let compared = group.comparisons.iter();
        let compared = compared.map(|one| Pair::new(one.a, one.b).lower_first());
        self.comparisons.all += group.comparisons.len() as u64;
        self.comparisons.predicted +=
            compared.filter(|pair| predicted.contains(pair)).count() as u64;
    }

    /// Returns the warning about a table that does not cover everything.
    pub(super) fn warning(&self, table: &PredictionTable) -> Result<Option<String>> {
        if self.comparisons.predicted == 0 && self.comparisons.all > 0 {
            return Err(table.none_compared());
        }
        Ok(self.lacking(table).map(|lacking| {
            format!(
                "{lacking}. The other answers count without one, which is right only if predictions are missing by chance"
            )
        }))
    }

    /// Whether all comparisons are covered.
    pub(in crate::stages) fn has_all_comparisons(&self) -> bool {
        self.comparisons.is_whole()
    }

    /// Returns a clause on a table that does not cover everything.
    pub(in crate::stages) fn lacking(&self, table: &PredictionTable) -> Option<String> {
        let Self {
            outputs,
            comparisons,
        } = self;
        let of_comparisons = match comparisons.all {
            0 => String::new(),
            _ => format!(" and {comparisons} comparisons"),
        };
        let lacking = !(outputs.is_whole() && comparisons.is_whole());
        lacking.then(|| {
            format!(
                "{} has predictions for {outputs} pairs of outputs{of_comparisons}",
                table.path.display()
            )
        })
    }
}

impl PredictedShare {
    fn is_whole(&self) -> bool {
        self.predicted == self.all
    }
}

impl fmt::Display for PredictedShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.predicted, self.all)
    }
}
