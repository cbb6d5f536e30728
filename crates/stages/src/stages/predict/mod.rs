//! `predict`: pairs of outputs to preferences, from a model or from the scores of a metric.

mod keys;
mod on_demand;
mod pairing;
mod predictor;
mod store;

pub use keys::Predict;
pub(crate) use on_demand::{OnDemandOptions, OnDemandPredictor};
pub use predictor::Predictor;
pub(crate) use predictor::direct;

use crate::columns::{JUDGED, JUDGED_WITH_DRAWS, PREDICTIONS, PREDICTIONS_WITH_DRAWS};
use crate::engine::context::Context;
use crate::engine::parts::{Grain, Parts, Shard, collect, for_each_in_order, produce};
use crate::inputs::source::{RequestedPairs, Source, TAU1_BY_FOLD, TAU2_BY_FOLD};
use arrow_array::RecordBatch;
use pairing::{OutputPair, pairings, prefer};
use std::ops::Range;
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_data::tables::ComputedTable;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::schema::{TableBuilder, TableCell, TableColumns};
use tiebreak_decide::model_based::thresholds::Thresholds;
use tiebreak_preference::preference::{PairwiseModel, Preference};

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "predict";

/// Options: what to predict and what to keep.
pub struct PredictOptions {
    /// Only these pairs, in the orientation given; otherwise all pairs of an item, by name.
    pub pairs: Option<RequestedPairs>,
    /// Whether the draws themselves are stored.
    pub keep_draws: bool,
    /// The parts that this command computes.
    pub shard: Shard,
}

impl PredictOptions {
    fn table_extras(&self, predictor: &Predictor) -> Extras {
        match predictor {
            Predictor::Model(model) => Extras::by_model(model.as_ref(), self.keep_draws),
            Predictor::Direct(_) => Extras {
                keep_draws: self.keep_draws,
                ..Extras::default()
            },
        }
    }
}

/// Predicts every pair and writes the predictions.
///
/// # Errors
/// As [`produce`]; scores that do not cover the data set.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &PredictOptions,
    destination: &Destination,
) -> Result<()> {
    let (parts, meta) = planned(context, source, predictor, options)?;
    produce(
        context,
        destination,
        options.table_extras(predictor).columns(),
        &meta,
        parts.shard(options.shard),
        |range| predict_part(context, source, predictor, options, range),
    )?;
    account(context, predictor);
    Ok(())
}

/// Predicts every pair into memory; a shard has no such table.
///
/// # Errors
/// As [`run`].
pub fn table(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &PredictOptions,
) -> Result<ComputedTable> {
    let (parts, meta) = planned(context, source, predictor, options)?;
    let columns = options.table_extras(predictor).columns();
    let table = collect(context, columns, meta, parts, |range| {
        predict_part(context, source, predictor, options, range)
    })?;
    account(context, predictor);
    Ok(table)
}

/// Reports what asking the model took.
fn account(context: &Context<'_>, predictor: &Predictor) {
    if let Some(account) = predictor.account() {
        context.progress.warn(&account);
    }
}

/// The parts of a table of predictions, and its meta.
fn planned(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &PredictOptions,
) -> Result<(Parts, Meta)> {
    if source.systems().len() < 2 {
        return Err(source.lacks_second_system());
    }
    if options.pairs.is_none() {
        some_pair(source)?;
    }
    let parts = Parts::divide(
        source.index.items(),
        grain(source, predictor, options.pairs.as_ref()),
    );
    let meta = meta(
        context,
        source,
        predictor.signature(),
        predictor.thresholds(),
    )
    .with_all(thresholds_by_fold(&predictor.folds()))
    .with("keep draws", options.keep_draws)
    .with(
        "pairs",
        options.pairs.as_ref().map_or("all", |pairs| pairs.digest()),
    )
    .with("items per part", parts.per_part());
    Ok((parts, meta))
}

/// Checks that there is something to predict.
fn some_pair(source: &Source) -> Result<()> {
    for group in source.index.all() {
        if group?.outputs.len() > 1 {
            return Ok(());
        }
    }
    let what = "no item has outputs of two systems, so there is nothing to predict";
    Err(Error::input(source.dataset.path(), what)
        .with_hint("outputs of two systems on one input need the same `item`"))
}

/// Asks the model about every pair, and drops the answers.
///
/// # Errors
/// Those of the model.
pub fn consult(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &PredictOptions,
) -> Result<()> {
    let Predictor::Model(model) = predictor else {
        return Ok(());
    };
    let grain = grain(source, predictor, options.pairs.as_ref());
    let parts = Parts::divide(source.index.items(), grain).shard(options.shard);
    let ask = |range: Range<u64>| {
        let groups = source.groups(range.clone())?;
        let pairings = pairings(source, &groups, options.pairs.as_ref(), range)?;
        prefer(context, model.as_ref(), &groups, &pairings).map(drop)
    };
    for_each_in_order(context, "requests", parts, ask, Ok)
}

/// The size of parts, by what an item holds on average.
fn grain(source: &Source, predictor: &Predictor, pairs: Option<&RequestedPairs>) -> Grain {
    let items = source.index.items().max(1);
    let outputs = source.index.rows(Kind::Outputs).div_ceil(items);
    match pairs {
        None => predictor.grain(outputs, outputs * outputs.saturating_sub(1) / 2),
        Some(pairs) => {
            let pairs = pairs.rows().div_ceil(items);
            predictor.grain(outputs.min(2 * pairs), pairs)
        }
    }
}

/// The meta of every table of predictions.
fn meta(context: &Context<'_>, source: &Source, signature: String, thresholds: Thresholds) -> Meta {
    Meta::new("predictions", signature, context.seed.0, &source.digest)
        .with(Meta::TEXTS, &source.texts)
        .with("tau1", thresholds.tau1())
        .with("tau2", thresholds.tau2())
}

/// The thresholds by fold, as [`PredictionTable`](crate::inputs::source::PredictionTable) reads them.
fn thresholds_by_fold(folds: &[Thresholds]) -> Vec<(&'static str, String)> {
    let each = |of: fn(&Thresholds) -> f64| {
        let values: Vec<String> = folds.iter().map(|one| of(one).to_string()).collect();
        values.join(" ")
    };
    match folds {
        [] => Vec::new(),
        _ => vec![
            (TAU1_BY_FOLD, each(Thresholds::tau1)),
            (TAU2_BY_FOLD, each(Thresholds::tau2)),
        ],
    }
}

fn predict_part(
    context: &Context<'_>,
    source: &Source,
    predictor: &Predictor,
    options: &PredictOptions,
    range: Range<u64>,
) -> Result<RecordBatch> {
    let groups = source.groups(range.clone())?;
    let pairings = pairings(source, &groups, options.pairs.as_ref(), range)?;
    let preferences = match predictor {
        Predictor::Model(model) => prefer(context, model.as_ref(), &groups, &pairings)?,
        Predictor::Direct(direct) => direct.prefer(source, &groups, &pairings)?,
    };
    let told = options.table_extras(predictor);
    told.rows(source.systems(), &groups, &pairings, &preferences)
}

/// Predicts all pairs of some items by a model, as [`run`] does.
pub(crate) fn predict_groups(
    context: &Context<'_>,
    model: &dyn PairwiseModel,
    keep_draws: bool,
    systems: &[String],
    groups: &[Group],
) -> Result<RecordBatch> {
    let all = groups.iter().enumerate();
    let pairings: Vec<OutputPair> = all
        .flat_map(|(place, group)| pairing::all(place, group))
        .collect();
    let preferences = prefer(context, model, groups, &pairings)?;
    let told = Extras::by_model(model, keep_draws);
    told.rows(systems, groups, &pairings, &preferences)
}

/// The optional columns of a table of predictions.
#[derive(Clone, Copy, Default)]
struct Extras {
    keep_draws: bool,
    judged: bool,
    /// Whether a judge rates one output at a time.
    rates: bool,
}

/// The columns of what [`predict_groups`] returns.
pub(crate) fn prediction_columns(model: &dyn PairwiseModel, keep_draws: bool) -> TableColumns {
    Extras::by_model(model, keep_draws).columns()
}

impl Extras {
    fn by_model(model: &dyn PairwiseModel, keep_draws: bool) -> Self {
        Self {
            keep_draws,
            judged: model.own_draws().is_some(),
            rates: model.reads_outputs_apart(),
        }
    }

    fn columns(self) -> TableColumns {
        match (self.keep_draws, self.judged) {
            (true, false) => PREDICTIONS_WITH_DRAWS,
            (false, false) => PREDICTIONS,
            (true, true) => JUDGED_WITH_DRAWS,
            (false, true) => JUDGED,
        }
    }

    fn rows(
        self,
        systems: &[String],
        groups: &[Group],
        pairings: &[OutputPair],
        preferences: &[Option<Preference>],
    ) -> Result<RecordBatch> {
        let mut rows = TableBuilder::new(self.columns());
        for (pairing, preference) in pairings.iter().zip(preferences) {
            // A pair without a verdict has no row.
            let Some(preference) = preference else {
                continue;
            };
            let group = &groups[pairing.group];
            let predicted = PredictedPair::new(systems, group, pairing, preference, self.rates)?;
            let names = (&*group.item, systems);
            self.push(&mut rows, names, &predicted, &preference.draws);
        }
        Ok(rows.finish())
    }

    /// Adds a row, of an item and systems by their names.
    fn push(
        self,
        rows: &mut TableBuilder,
        (item, systems): (&str, &[String]),
        predicted: &PredictedPair,
        draws: &[f64],
    ) {
        let Prediction { p, uncertainty } = predicted.prediction;
        let mut cells = vec![
            TableCell::Text(item),
            TableCell::Text(&systems[predicted.systems.0.index()]),
            TableCell::Text(&systems[predicted.systems.1.index()]),
            TableCell::Number(Some(p)),
            TableCell::Number(uncertainty.map(|u| u.mean)),
            TableCell::Number(uncertainty.map(|u| u.bald)),
            TableCell::Number(uncertainty.map(|u| u.std)),
        ];
        if self.keep_draws {
            cells.push(TableCell::Numbers((!draws.is_empty()).then_some(draws)));
        }
        if self.judged {
            cells.push(TableCell::Number(predicted.position));
            cells.push(TableCell::Text(&predicted.answers));
        }
        rows.push(&cells);
    }
}

/// A row of a table of predictions, without its item and draws.
#[derive(Debug, Clone)]
struct PredictedPair {
    systems: (Arm, Arm),
    prediction: Prediction,
    position: Option<f64>,
    /// What a judge wrote, each text after the system that was shown first or alone.
    answers: String,
}

impl PredictedPair {
    /// Sums up a preference, of a judge that `rates` one output at a time or compares two.
    ///
    /// # Errors
    /// If it is not a number.
    fn new(
        systems: &[String],
        group: &Group,
        pairing: &OutputPair,
        preference: &Preference,
        rates: bool,
    ) -> Result<Self> {
        let prediction = preference.prediction();
        let (a, b) = pairing.systems;
        let numbers = [Some(prediction.p), prediction.uncertainty.map(|u| u.bald)];
        if !numbers.iter().flatten().all(|number| number.is_finite()) {
            return Err(Error::failed(format!(
                "the preference of `{}` over `{}` on item `{}` is {}",
                systems[a.index()],
                systems[b.index()],
                group.item,
                prediction.p
            )));
        }
        let answer = |(first, text): &(bool, String)| {
            let shown = if *first { a } else { b };
            let place = if rates { "" } else { " first" };
            format!("{}{place}: {text}", systems[shown.index()])
        };
        let answers: Vec<String> = preference.answers.iter().map(answer).collect();
        Ok(Self {
            systems: pairing.systems,
            prediction,
            position: preference.position,
            answers: answers.join("\n\n"),
        })
    }
}
