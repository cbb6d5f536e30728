//! People's judgments of single outputs, with a metric's scores of them, as experiments take them.

use crate::engine::context::Context;
use crate::experiments::keys::JudgmentTransform;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use crate::inputs::judging::JudgmentSelection;
use crate::stages::estimate;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::Kind;
use tiebreak_decide::estimators::{Judgments, ScoredJudgment};
use tiebreak_decide::evaluation::ratings::{BootstrapEstimate, Resampling, SystemRatings};

/// Resamples of the items.
const RESAMPLES: u64 = 1000;

/// One system's judgments under the criterion of a cell.
pub(super) struct System {
    pub name: String,
    pub judged: Judgments,
}

/// All judged systems of a cell, in their order.
pub(super) fn systems(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<Vec<System>> {
    let source = cell.data.source(context)?;
    if !source.index.has(Kind::Judgments) {
        return Err(source.lacks("the experiment", "judgments"));
    }
    let judging = JudgmentSelection::new(source, cell.keys.criterion.as_deref(), cell.keys.parts)?;
    let scores = cell
        .keys
        .metrics()
        .map(|(_, metric)| cell.scores(context, metric))
        .collect::<Result<Vec<_>>>()?;
    let marked = estimate::OutputSamplingDesign::default();
    let gathered = estimate::gather(context, source, &scores, &marked, &judging, None)?;
    let system = |((_, system), judged): ((usize, usize), Judgments)| {
        let name = source.systems()[system].clone();
        let judged = match cell.keys.scale {
            None => judged,
            Some(JudgmentTransform::Log) => logarithms(&judged)
                .map_err(|y| Error::input(source.dataset.path(), without_logarithm(&name, y)))?,
        };
        Ok(System { name, judged })
    };
    gathered.judgments.into_iter().map(system).collect()
}

/// The logarithms of the judgments, or the first judgment that has none.
fn logarithms(judged: &Judgments) -> Result<Judgments, f64> {
    let mut logarithms = Judgments::new(judged.metrics());
    for one in judged.rows() {
        if one.y <= 0.0 {
            return Err(one.y);
        }
        let y = one.y.ln();
        logarithms.push(ScoredJudgment { y, ..one });
    }
    Ok(logarithms)
}

fn without_logarithm(system: &str, y: f64) -> String {
    format!("a judgment of system `{system}` is {y}, which has no logarithm")
}

/// The ratings of all systems, by item.
pub(super) fn ratings(systems: &[System]) -> SystemRatings {
    SystemRatings::new(systems.iter().map(|system| &system.judged))
}

/// The resampling behind intervals: items are drawn again.
pub(super) fn resampling(context: &Context<'_>, cell: &CellInputs<'_>) -> Resampling {
    Resampling {
        resamples: RESAMPLES,
        confidence: cell.keys.confidence(),
        seed: context.seed,
    }
}

/// Notes the numbers that are defined.
pub(super) fn note(
    outcome: &mut CellOutcome,
    quantities: &[Quantity],
    found: &[BootstrapEstimate],
) {
    for (&quantity, bounded) in quantities.iter().zip(found) {
        if let Some(value) = bounded.value {
            let value = QuantityEstimate::bounded(value, bounded.interval);
            outcome.quantities.insert(quantity, value);
        }
    }
}

/// The numbers of all systems together and then of each, laid out one after the other.
pub(super) fn by_system(
    systems: &[System],
    quantities: &[Quantity],
    found: &[BootstrapEstimate],
) -> CellOutcome {
    let mut parts = found.chunks(quantities.len());
    let mut all = CellOutcome::default();
    note(&mut all, quantities, parts.next().unwrap_or_default());
    let system = |(system, found): (&System, &[BootstrapEstimate])| {
        let mut outcome = CellOutcome::default();
        note(&mut outcome, quantities, found);
        (system.name.clone(), outcome)
    };
    all.systems = systems.iter().zip(parts).map(system).collect();
    all
}
