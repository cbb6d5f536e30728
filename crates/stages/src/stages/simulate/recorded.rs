//! Runs on recorded comparisons, stored run by run so that an interrupted experiment continues.

use super::credit;
use super::outcome::summarise_runs;
use super::prepare::PreparedRun;
use crate::columns::TRACE;
use crate::engine::context::Context;
use crate::engine::parts::{Parts, produce};
use crate::inputs::source::Source;
use crate::stages::simulate::summary::Simulation;
use arrow_array::RecordBatch;
use rayon::prelude::*;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::schema::{TableBuilder, TableCell};
use tiebreak_data::tables::whole;
use tiebreak_decide::evaluation::active::RunTrace;
use tiebreak_decide::evaluation::experiment::Experiment;

/// Runs per part of the trace: what a killed command may lose.
const RUNS_PER_PART: u64 = 4;

/// Runs on recorded comparisons: a single one, or the annotation-complexity experiment.
pub(super) fn run(
    context: &Context<'_>,
    prepared: &PreparedRun<'_>,
    out: Option<&Path>,
) -> Result<Simulation> {
    let comparisons = prepared.comparisons.as_ref().expect("checked in prepare");
    let model = prepared
        .model
        .as_ref()
        .and_then(|(predictions, policy)| Some((predictions.as_ref(), (*policy)?)));
    if model.is_some() && prepared.keys.runs.value() > 1 {
        prepared.models.fetch_judged()?;
    }
    let experiment = Experiment::new(
        prepared.setup.clone(),
        comparisons,
        model,
        prepared.keys.delay,
    )?
    .among(&prepared.contenders)?
    .eliminating(prepared.survivors.clone())
    .audited(prepared.audit)
    .as_campaign(prepared.keys.as_campaign);
    let traces = match out {
        Some(out) => stored(context, prepared, &experiment, &out.join("trace"))?,
        None => in_memory(context, &experiment, prepared.keys.runs.value())?,
    };
    let preferences = comparisons.preferences()?;
    let simulation = summarise_runs(prepared, context, &traces, &preferences)?;
    if let Some(predicted) = &simulation.predictions
        && let Some(doubt) = credit::doubt(prepared, predicted, simulation.model_answers)
    {
        context.progress.warn(&doubt);
    }
    Ok(simulation)
}

/// The runs, those that are stored already among them.
fn stored(
    context: &Context<'_>,
    prepared: &PreparedRun<'_>,
    experiment: &Experiment<'_>,
    trace: &Path,
) -> Result<Vec<RunTrace>> {
    let (source, signature) = (prepared.source, prepared.signature.to_string());
    let meta = Meta::new("trace", signature, context.seed.0, &source.digest);
    let meta = meta.with("runs per part", RUNS_PER_PART);
    let folder = Destination::Folder(trace.to_path_buf());
    let parts = Parts::new(prepared.keys.runs.value(), RUNS_PER_PART);
    let rows = |runs| store(source, experiment, runs);
    produce(context, &folder, TRACE, &meta, parts, rows)?;
    read(source, trace)
}

/// Makes the runs in parallel, in memory.
fn in_memory(
    context: &Context<'_>,
    experiment: &Experiment<'_>,
    runs: u64,
) -> Result<Vec<RunTrace>> {
    context.progress.begin("runs", runs);
    let run = |index| {
        context.check()?;
        let trace = experiment.run_one(index);
        context.progress.advance(1);
        trace
    };
    let traces: Vec<Result<RunTrace>> = (0..runs).into_par_iter().map(run).collect();
    context.progress.end();
    traces.into_iter().collect()
}

/// Some runs as rows of the trace.
fn store(
    source: &Source,
    experiment: &Experiment<'_>,
    runs: std::ops::Range<u64>,
) -> Result<RecordBatch> {
    let mut rows = TableBuilder::new(TRACE);
    for run in runs {
        let mut trace = experiment.run_one(run)?;
        let leaders = std::mem::take(&mut trace.leaders);
        let end = serde_json::to_string(&trace).map_err(Error::failed)?;
        for (i, (annotations, leader)) in leaders.iter().enumerate() {
            let end = if i + 1 == leaders.len() {
                end.as_str()
            } else {
                ""
            };
            let leader = source.system(*leader);
            rows.push(&[
                TableCell::Count(run),
                TableCell::Count(*annotations),
                TableCell::Text(leader),
                TableCell::Text(end),
            ]);
        }
    }
    Ok(rows.finish())
}

/// The runs of a stored trace.
fn read(source: &Source, path: &Path) -> Result<Vec<RunTrace>> {
    let mut traces = Vec::new();
    let mut leaders = Vec::new();
    for row in whole::open(path)? {
        let row = row?;
        leaders.push((
            row.number("annotations")? as u64,
            source.index.system(&row.text("leader")?)?,
        ));
        let end = row.text("end")?;
        if !end.is_empty() {
            let mut trace: RunTrace = serde_json::from_str(&end)
                .map_err(|error| row.error(format!("broken trace: {error}")))?;
            trace.leaders = std::mem::take(&mut leaders);
            traces.push(trace);
        }
    }
    Ok(traces)
}
