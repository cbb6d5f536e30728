//! `tiebreak fit pairwise`: flags to a request, results to text.

use super::pairwise::FitPairwiseArgs;
use crate::cli::verbs::to_json;
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::keys::file::PipelineFile;
use tiebreak_base::layout::{self, argument, path_argument};
use tiebreak_base::words::counted;
use tiebreak_stages::engine::Context;
use tiebreak_stages::fine_tuning::{self, CompletionSummary, Training, TrainingRequest};
use tiebreak_stages::stages::training::Trainings;

/// Trains and returns what goes to standard output.
pub(in crate::cli) fn fit_pairwise(
    context: &Context<'_>,
    args: &FitPairwiseArgs,
    json: bool,
) -> Result<String> {
    let request = TrainingRequest {
        data: args.data.clone(),
        exclude: args.exclude.clone(),
        columns: args.column.clone(),
        base: args.base.clone(),
        settings: args.settings.clone(),
        licence: args.licence.clone(),
        checkpoint_every: args.checkpoint_every as usize,
    };
    let training = request.run(context, &args.out)?;
    if json {
        return to_json(&training);
    }
    let columns = args.column.iter();
    let columns = columns
        .map(|(name, column)| format!(" --column {}", argument(&format!("{name}={column}"))));
    Ok(format!(
        "{}next: tiebreak predict {}{} --model {} --out predictions.parquet\n",
        result_text(&training),
        path_argument(&args.data[0]),
        columns.collect::<String>(),
        path_argument(&args.out)
    ))
}

/// Trains the models of a file and returns what goes to standard output, as text and as JSON.
pub(in crate::cli) fn run_trainings(
    context: &Context<'_>,
    file: &PipelineFile<Trainings>,
    seed: Option<u64>,
    out: &Path,
) -> Result<(String, String)> {
    let trained = fine_tuning::run_file(context, file, seed, out)?;
    let texts: Vec<String> = trained
        .iter()
        .map(|(_, training)| result_text(training))
        .collect();
    let all: BTreeMap<&String, &Training> = trained.iter().map(|(name, t)| (name, t)).collect();
    Ok((texts.join("\n"), to_json(&all)?))
}

/// Renders the result of a training for people.
fn result_text(training: &Training) -> String {
    let header = [
        "data set",
        "items",
        "pairs",
        "judgments",
        "of identical outputs",
        "items left out",
    ];
    let row = |taken: &fine_tuning::TrainingDataSummary| {
        vec![
            taken.name.clone(),
            taken.items.to_string(),
            taken.pairs.to_string(),
            taken.judgments.to_string(),
            taken.identical.to_string(),
            taken.seen.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = training.data.iter().map(row).collect();
    let mut text = layout::table(&header, &rows);
    text += &format!(
        "\n{} to learn from, {} held out\n",
        counted(training.training_pairs as u64, "pair"),
        training.validation_pairs
    );
    if let (Some(first), Some(best)) = (training.looks.first(), training.best) {
        text += &format!(
            "held-out loss {} and accuracy {} after {} of {} steps; untrained {} and {}\n",
            layout::decimals(best.loss, 4),
            layout::percent(best.accuracy),
            best.step,
            training.steps,
            layout::decimals(first.loss, 4),
            layout::percent(first.accuracy)
        );
    }
    if let Some(completed) = &training.completed {
        text += &completion(completed);
    }
    text
}

/// Describes for people what was added to a network.
fn completion(completed: &CompletionSummary) -> String {
    let besides = [
        (&completed.beside, ""),
        (
            &completed.beside_unreferenced,
            " where there are no references",
        ),
    ];
    let beside = besides.into_iter().filter_map(|(beside, place)| {
        let beside = beside.as_ref()?;
        let weight = layout::number(beside.weight);
        let metric = &beside.metric;
        Some(format!(
            "{metric} is added with {weight} log-odds a point{place}"
        ))
    });
    let calibrated = completed
        .calibration
        .as_ref()
        .map(|how| format!("calibrated by {how}"));
    let all: Vec<String> = beside.chain(calibrated).collect();
    if all.is_empty() {
        return String::new();
    }
    format!(
        "{}; log loss on the pairs held out, on which that was fitted, {}, without it {}\n",
        all.join(", "),
        layout::decimals(completed.after, 4),
        layout::decimals(completed.before, 4)
    )
}
