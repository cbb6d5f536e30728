//! Checks a whole grid before anything runs: names, parameters, and that no two cells fall into one
//! place of a table or a series.

use super::materials;
use super::settings::{self, Settings};
use super::spec::{Axis, Grid, Key, Measure, Quantity, Table, shows};
use crate::bandits::{Arena, BANDITS};
use crate::engine::context::Context;
use crate::error::{Error, Result, nearest};
use crate::estimators::{ESTIMATORS, Metrics};
use crate::keys::file::PipelineFile;
use crate::keys::setting::Setting;
use crate::model_based::check_share;
use crate::preference::links::LINKS;
use crate::registry::find;
use crate::stages::score::Scorer;

/// The cells of all experiments, in order.
///
/// # Errors
/// [`Error::Pipeline`] with the line of the experiment, table or plot.
pub(super) fn check(context: &Context<'_>, file: &PipelineFile<Grid>) -> Result<Vec<Settings>> {
    let grid = &file.pipeline;
    let mut all = Vec::new();
    for experiment in &grid.experiment {
        let whole = experiment.get_ref().clone().or(grid.defaults.clone());
        let cells = settings::cells(whole).map_err(file.at(experiment))?;
        for cell in &cells {
            check_cell(context, cell).map_err(file.at(experiment))?;
        }
        all.extend(cells);
    }
    for plot in &grid.plot {
        check_only(plot.get_ref().only.as_ref(), &all).map_err(file.at(plot))?;
    }
    let mut names: Vec<&str> = Vec::new();
    let plots = || grid.plot.iter().map(|plot| plot.get_ref().name.as_str());
    for table in &grid.table {
        check_only(table.get_ref().only.as_ref(), &all).map_err(file.at(table))?;
        check_table(table.get_ref(), &all).map_err(file.at(table))?;
        let name = table.get_ref().name.as_str();
        let wrong = if names.contains(&name) {
            format!("two tables are called `{name}`")
        } else if table.get_ref().drawn && plots().any(|plot| plot == name) {
            format!("a table that is drawn and a plot are called `{name}`")
        } else {
            names.push(name);
            continue;
        };
        return Err(file.at(table)(Error::usage(wrong)));
    }
    Ok(all)
}

fn check_cell(context: &Context<'_>, cell: &Settings) -> Result<()> {
    if cell.measure == Measure::AnnotationComplexity {
        let bandit = &cell.bandit;
        let build = find("bandit", BANDITS, &bandit.name)?.build;
        build(&bandit.params, &Arena::new(2, 1)?)?;
    }
    if let Some(metric) = &cell.metric {
        Scorer::new(context, metric, cell.draws())?;
    }
    if let Some(estimator) = &cell.estimator {
        let entry = find("estimator", ESTIMATORS, &estimator.name)?;
        if entry.build.metrics != Metrics::Several && !cell.beside.is_empty() {
            let what = format!("{} does not use several metrics", estimator.name);
            return Err(Error::usage(what).with_hint("leave out `beside`"));
        }
    }
    for metric in &cell.beside {
        Scorer::new(context, metric, cell.draws())?;
    }
    if let Some(model) = &cell.model {
        materials::load(context, model, cell)?;
    }
    if let Some(link) = &cell.link {
        find("link", LINKS, link)?;
    }
    if let Some(Setting::Value(share)) = cell.mix {
        check_share(share)?;
    }
    if cell.measure.rates() {
        return Ok(());
    }
    let uses_metric = cell.mix.is_some() || cell.select.is_some() || cell.eliminate.is_some();
    if uses_metric && cell.metric.is_none() && cell.model.is_none() {
        return Err(Error::usage(
            "mix, select and eliminate need a `metric` with a `link`, or a `model`",
        ));
    }
    if cell.mix.is_some() && cell.select.is_some() {
        return Err(
            Error::usage("mix and select are two ways of letting the model answer")
                .with_hint("leave one of them out"),
        );
    }
    let needs = cell.select.is_some() || cell.elimination().is_some_and(|how| how.alpha > 0.0);
    if needs && cell.draws().is_none() && cell.model.is_none() {
        return Err(
            Error::usage("select, and eliminate with alpha above 0, need `draws`")
                .with_hint("let the metric answer at random: mix = 0.5"),
        );
    }
    Ok(())
}

/// Labels that no cell has are mistakes.
fn check_only(only: Option<&Axis<String>>, cells: &[Settings]) -> Result<()> {
    let labels = || cells.iter().map(|cell| cell.label.as_str());
    let unknown = |label: &&String| !labels().any(|one| one == label.as_str());
    let Some(unknown) = only.and_then(|Axis(only)| only.iter().find(unknown)) else {
        return Ok(());
    };
    let error = Error::usage(format!("no experiment has the label `{unknown}`"));
    Err(match nearest(unknown, labels()) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    })
}

/// How a cell is called by some of its settings, such as `mixing, chrf`.
pub(super) fn name(cell: &Settings, keys: &[Key]) -> String {
    let parts: Vec<String> = keys.iter().filter_map(|&key| cell.text(key)).collect();
    parts.join(", ")
}

fn check_table(table: &Table, cells: &[Settings]) -> Result<()> {
    let Some(columns) = table.columns else {
        return Ok(());
    };
    let [quantity] = table.value.0[..] else {
        return Err(Error::usage(
            "a table with `columns` shows one value, without them several",
        ));
    };
    let mut places = Vec::new();
    let shown = |cell: &&Settings| {
        shows(table.only.as_ref(), &cell.label) && found_by(cell.measure).contains(&quantity)
    };
    for cell in cells.iter().filter(shown) {
        let panel = table.panels.as_ref().map(|keys| name(cell, &keys.0));
        let place = (panel, name(cell, &table.rows.0), cell.text(columns));
        if places.contains(&place) {
            let (row, column) = (place.1, place.2.unwrap_or_default());
            let what = format!("two cells fall into row `{row}`, column `{column}` of the table");
            return Err(Error::usage(what).with_hint("add the key in which they differ to `rows`"));
        }
        places.push(place);
    }
    Ok(())
}

/// What a measure finds.
fn found_by(measure: Measure) -> &'static [Quantity] {
    match measure {
        Measure::AnnotationComplexity => &[
            Quantity::AnnotationComplexity,
            Quantity::MeanAnnotations,
            Quantity::ModelAnswers,
            Quantity::Accuracy,
            Quantity::Certified,
            Quantity::Eliminated,
        ],
        Measure::SentenceAccuracy => &[Quantity::SentenceAccuracy],
        Measure::Assessment => &[
            Quantity::SentenceAccuracy,
            Quantity::DecidedAccuracy,
            Quantity::Brier,
            Quantity::LogLoss,
            Quantity::CalibrationError,
            Quantity::BaldWorth,
            Quantity::StdWorth,
            Quantity::MarginWorth,
        ],
        Measure::Judgments => &[
            Quantity::Systems,
            Quantity::Items,
            Quantity::Judgments,
            Quantity::Losses,
            Quantity::Ties,
            Quantity::Wins,
        ],
        Measure::Variance => &[
            Quantity::Items,
            Quantity::Judgments,
            Quantity::HumanMean,
            Quantity::Signal,
            Quantity::Noise,
            Quantity::Gamma,
        ],
        Measure::Correlation => &[
            Quantity::Gamma,
            Quantity::Correlation,
            Quantity::Rho,
            Quantity::InstanceCorrelation,
            Quantity::SystemCorrelation,
            Quantity::HumanMean,
            Quantity::MetricMean,
            Quantity::DataEfficiency,
            Quantity::NoiselessEfficiency,
            Quantity::PerfectEfficiency,
        ],
        Measure::DataEfficiency => &[
            Quantity::MeasuredEfficiency,
            Quantity::MeasuredNoiseless,
            Quantity::MeasuredPerfect,
            Quantity::MeasuredLeaveOneOut,
        ],
        Measure::Savings => &[Quantity::VarianceRatio, Quantity::Coverage],
        Measure::Improvements => &[
            Quantity::UnseenHumanGain,
            Quantity::UnseenMetricGain,
            Quantity::UnseenChanged,
            Quantity::HollowHumanGain,
            Quantity::HollowMetricGain,
            Quantity::HollowChanged,
        ],
    }
}
