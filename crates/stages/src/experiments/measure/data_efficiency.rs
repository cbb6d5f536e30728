//! The savings of an estimator, and those with people or a metric without fault, by resampled
//! campaigns on each system: figure 6 of Chaganty, Mussmann and Liang, ACL 2018.

use super::rated::{System, systems};
use super::{MeasureEntry, MeasureSubject};
use crate::engine::context::Context;
use crate::experiments::materials::CellInputs;
use crate::experiments::outcome::{CellOutcome, QuantityEstimate};
use crate::experiments::quantity::Quantity;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{self, Params, find_entry};
use tiebreak_base::rng::Seed;
use tiebreak_base::stats::moments::Moments;
use tiebreak_decide::estimators::{
    ESTIMATORS, Estimator, EstimatorConstructor, Judgments, Population, RatedOutput, Survey,
};
use tiebreak_decide::evaluation::data_efficiency::{
    Campaigns, ComparedEstimator, EstimatorFactory, Trajectories,
};

pub(super) const ENTRY: MeasureEntry = MeasureEntry::new(
    "data-efficiency",
    MeasureSubject::Campaigns,
    &[
        Quantity::MeasuredEfficiency,
        Quantity::MeasuredNoiseless,
        Quantity::MeasuredPerfect,
        Quantity::MeasuredLeaveOneOut,
    ],
    measure,
)
.of_metric();

/// The coverage of intervals, as in the paper.
const HELD: f64 = 0.8;

/// The number of budgets at which widths are computed.
const CHECKPOINTS: u32 = 20;

/// Resamples of the campaigns, for the precision of a ratio of widths.
const RESAMPLES: u64 = 100;

fn measure(context: &Context<'_>, cell: &CellInputs<'_>) -> Result<CellOutcome> {
    let named = cell.keys.estimator();
    let estimator = RegistryEstimator {
        entry: find_entry("estimator", ESTIMATORS, &named.name)?,
        params: &named.params,
        seed: context.seed,
    };
    let mut all = CellOutcome::default();
    for System { name, judged } in systems(context, cell)? {
        context.check()?;
        let outcome = of_system(context, cell, &estimator, &judged)?;
        all.systems.push((name, outcome));
    }
    for quantity in METHODS.iter().filter_map(|method| method.1) {
        let of = |(_, outcome): &(String, CellOutcome)| outcome.quantities.get(&quantity)?.value;
        let mean = all
            .systems
            .iter()
            .filter_map(of)
            .collect::<Moments>()
            .mean();
        let mean = mean.map(|mean| (quantity, QuantityEstimate::exact(mean)));
        all.quantities.extend(mean);
    }
    Ok(all)
}

/// The methods compared, the first with all others.
const METHODS: [(&str, Option<Quantity>); 5] = [
    ("humans", None),
    ("humans + metric", Some(Quantity::MeasuredEfficiency)),
    (
        "noiseless humans + metric",
        Some(Quantity::MeasuredNoiseless),
    ),
    ("humans + perfect metric", Some(Quantity::MeasuredPerfect)),
    (
        "humans + leave-one-out metric",
        Some(Quantity::MeasuredLeaveOneOut),
    ),
];

/// An estimator of the registry with its parameters.
struct RegistryEstimator<'a> {
    entry: &'static registry::Entry<EstimatorConstructor>,
    params: &'a Params,
    seed: Seed,
}

impl RegistryEstimator<'_> {
    fn on(&self, population: &Population) -> Result<Box<dyn Estimator>> {
        let survey = Survey {
            seed: self.seed,
            ..Survey::new(population.clone())
        };
        (self.entry.build.build)(self.params, &survey)
    }
}

fn of_system(
    context: &Context<'_>,
    cell: &CellInputs<'_>,
    estimator: &RegistryEstimator<'_>,
    judged: &Judgments,
) -> Result<CellOutcome> {
    let mean = RegistryEstimator {
        entry: find_entry("estimator", ESTIMATORS, "mean")?,
        params: &Params::default(),
        seed: context.seed,
    };
    // A campaign draws from the judged outputs, so these are its population.
    let outputs = RatedOutput::all(judged);
    let population = Population::from_scores(outputs.values().map(|one| one.g));
    let noiseless = judged.noiseless_humans();
    let (perfect, of_perfect) = judged.perfect_metric();
    let (others, of_others) = judged.leave_one_out();
    let (humans, helped) = (|| mean.on(&population), || estimator.on(&population));
    let (by_perfect, by_others) = (|| estimator.on(&of_perfect), || estimator.on(&of_others));
    let shown: [(&Judgments, &EstimatorFactory<'_>); METHODS.len()] = [
        (judged, &humans),
        (judged, &helped),
        (&noiseless, &helped),
        (&perfect, &by_perfect),
        (&others, &by_others),
    ];
    let methods = shown.map(|(judged, make)| ComparedEstimator { judged, make });
    // Without an output that was judged twice, nothing is known of the noise.
    let known = if outputs.len() < judged.len() {
        METHODS.len()
    } else {
        2
    };
    let last = cell.keys.budget();
    let last = u32::try_from(last).map_err(Error::failed)?;
    let checkpoints: Vec<u32> = (1..=CHECKPOINTS).map(|i| last * i / CHECKPOINTS).collect();
    let campaigns = Campaigns {
        methods: &methods[..known],
        checkpoints: &checkpoints,
        runs: cell.keys.simulate.runs.value(),
        confidence: HELD,
        seed: context.seed,
    };
    Ok(summarise_trajectories(
        &campaigns.run()?,
        known,
        context,
        cell,
    ))
}

fn summarise_trajectories(
    found: &Trajectories,
    methods: usize,
    context: &Context<'_>,
    cell: &CellInputs<'_>,
) -> CellOutcome {
    let mut outcome = CellOutcome::default();
    for (place, (name, quantity)) in METHODS.iter().enumerate().take(methods) {
        let widths = found.spreads(place).into_iter();
        let widths = widths
            .map(|(n, spread)| (u64::from(n), spread.width))
            .collect();
        outcome.widths.push(((*name).to_string(), widths));
        if let Some((quantity, value)) = quantity.zip(found.efficiency(place)) {
            let interval =
                found.efficiency_interval(place, RESAMPLES, cell.keys.confidence(), context.seed);
            outcome
                .quantities
                .insert(quantity, QuantityEstimate::bounded(value, interval));
        }
    }
    outcome
}
