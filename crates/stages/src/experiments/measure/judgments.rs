//! The numbers of systems, items and comparisons of a data set, and how often the system named first
//! lost, tied and won.

use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use std::collections::BTreeMap;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::Result;

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "judgments",
    MeasureSubject::Records,
    &[
        Quantity::Systems,
        Quantity::Items,
        Quantity::Judgments,
        Quantity::Losses,
        Quantity::Ties,
        Quantity::Wins,
    ],
    measure,
);

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let source = cell.data.source(context)?;
    let mut counts = [0_u64; 3];
    for group in source.index.all() {
        for comparison in group?.comparisons {
            counts[match comparison.outcome {
                Outcome::Loss => 0,
                Outcome::Tie => 1,
                Outcome::Win => 2,
            }] += 1;
        }
    }
    let all: u64 = counts.iter().sum();
    if all == 0 {
        return Err(source.lacks("the count of judgments", "comparisons"));
    }
    let share = |count: u64| QuantityEstimate::exact(count as f64 / all as f64);
    let quantities = BTreeMap::from([
        (
            Quantity::Systems,
            QuantityEstimate::exact(source.systems().len() as f64),
        ),
        (
            Quantity::Items,
            QuantityEstimate::exact(source.index.items() as f64),
        ),
        (Quantity::Judgments, QuantityEstimate::exact(all as f64)),
        (Quantity::Losses, share(counts[0])),
        (Quantity::Ties, share(counts[1])),
        (Quantity::Wins, share(counts[2])),
    ]);
    Ok(CellOutcome {
        quantities,
        ..CellOutcome::default()
    })
}
