//! The bias of a metric: improvements of each system that it does not see, and gains of its own that
//! are none (see [`tiebreak_decide::evaluation::improvements`]). Higher judgments are taken to be better.

use super::rated::{by_system, ratings, resampling, systems};
use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::CellOutcome;
use crate::experiments::quantity::Quantity;
use tiebreak_base::error::Result;
use tiebreak_base::keys::named::ParameterizedName;
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::evaluation::improvements::{Change, Gain};
use tiebreak_metrics::metrics::{Direction, direction};

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "improvements",
    MeasureSubject::Ratings,
    &QUANTITIES,
    measure,
)
.of_metric();

const QUANTITIES: [Quantity; 6] = [
    Quantity::UnseenHumanGain,
    Quantity::UnseenMetricGain,
    Quantity::UnseenChanged,
    Quantity::HollowHumanGain,
    Quantity::HollowMetricGain,
    Quantity::HollowChanged,
];

/// The gains of one system, by item.
type Gains = Vec<Option<Gain>>;

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let systems = systems(context, cell)?;
    let metric = cell.keys.metric.as_ref().map(ParameterizedName::label);
    let lower = metric.is_some_and(|metric| direction(&metric) == Direction::Lower);
    let ratings = ratings(&systems);
    let ratings = if lower { ratings.negated() } else { ratings };
    let gains = ratings
        .gains(Change::Unseen)
        .zip(ratings.gains(Change::Hollow));
    let Some((unseen, hollow)) = gains else {
        return Ok(CellOutcome::default());
    };
    let found = ratings.bounded(&resampling(context, cell), |items| {
        let changes = |systems: std::ops::Range<usize>| {
            let unseen = means(&unseen[systems.clone()], items);
            unseen.into_iter().chain(means(&hollow[systems], items))
        };
        let alone = (0..systems.len()).map(|system| system..system + 1);
        let all = std::iter::once(0..systems.len()).chain(alone);
        all.flat_map(changes).collect()
    });
    Ok(by_system(&systems, &QUANTITIES, &found))
}

/// People's mean gain, the metric's, and the share of outputs changed.
fn means(systems: &[Gains], items: &[usize]) -> [Option<f64>; 3] {
    let mut means = [Moments::default(); 3];
    for gain in systems
        .iter()
        .flat_map(|of| items.iter().filter_map(|&item| of[item]))
    {
        means[0].push(gain.human);
        means[1].push(gain.metric);
        means[2].push(f64::from(u8::from(gain.changed)));
    }
    means.map(|mean| mean.mean())
}
