//! `estimate`: each system's mean human judgment, with an interval.

use super::context::Context;
use super::named::Named;
use super::source::{Scores, Source};
use crate::error::{Error, Result};
use crate::estimators::{Analysis, BuildEstimator, ESTIMATORS, Judged, Population, Range, analyse};
use crate::records::Kind;
use crate::registry::{Entry, find};
use crate::report::{Estimated, Plan};
use crate::stats::moments::Moments;
use crate::tables::destination::Destination;
use crate::tables::file::{TableFile, write_atomically};
use crate::tables::meta::Meta;
use crate::tables::schema::{Cell, ESTIMATES, Rows, schema};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Items read at a time.
const CHUNK: u64 = 1024;

/// What to estimate.
pub struct Options<'a> {
    /// Which estimator.
    pub estimator: &'a Named,
    /// The metric's scores, for estimators that use one.
    pub scores: Option<&'a Scores>,
    /// Which criterion; all of them by default.
    pub criterion: Option<&'a str>,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The scale people judged on.
    pub range: Option<[f64; 2]>,
    /// Plan for intervals of this width.
    pub target_width: Option<f64>,
}

/// One row of the estimates table.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)] // the columns of the interface
pub struct Row {
    pub system: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub n: u64,
    pub estimate: Option<f64>,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub standard_error: Option<f64>,
    pub alpha: Option<f64>,
    pub correlation: Option<f64>,
    pub rho: Option<f64>,
    pub gamma: Option<f64>,
    pub data_efficiency: Option<f64>,
}

/// The estimates and, where a width was asked for, how many judgments it takes.
pub struct Estimates {
    /// By criterion, then system.
    pub rows: Vec<Row>,
    /// Likewise; empty without a target width.
    pub plans: Vec<Plan>,
    meta: Meta,
}

/// The judgments of one system under one criterion.
type Judgments = BTreeMap<(usize, usize), Vec<Judged>>;

/// Estimates every judged system.
///
/// # Errors
/// A data set without judgments; an unknown estimator or criterion; scores that do not cover the
/// outputs; judgments outside the range.
pub fn run(context: &Context<'_>, source: &Source, options: &Options<'_>) -> Result<Estimates> {
    if !source.index.has(Kind::Judgments) {
        return Err(source.lacks("estimate", "judgments"));
    }
    let entry = find("estimator", ESTIMATORS, &options.estimator.name)?;
    if entry.name != "mean" && options.scores.is_none() {
        return Err(
            Error::usage(format!("{} needs the scores of a metric", entry.name))
                .with_hint("name them with --scores FILE --metric NAME"),
        );
    }
    let criterion = options
        .criterion
        .map(|name| source.index.criterion(name))
        .transpose()?;
    let (judged, populations) = gather(context, source, options.scores, criterion)?;
    let range = options
        .range
        .map(|[low, high]| Range::new(low, high))
        .transpose()?;
    let mut estimates = Estimates {
        rows: Vec::new(),
        plans: Vec::new(),
        meta: meta(context, source, options),
    };
    for ((criterion, system), judged) in judged {
        let name = &source.systems()[system];
        let criterion = &source.index.criteria()[criterion];
        let analysis = one(
            context,
            entry,
            options,
            &judged,
            &populations[system],
            range,
        )
        .map_err(|error| about(&error, name, criterion))?;
        if let Some(width) = options.target_width {
            estimates.plans.push(Plan {
                system: name.clone(),
                criterion: criterion.clone(),
                estimator: options.estimator.to_string(),
                width,
                judgments: analysis.judgments_for_width(width, options.confidence, range),
            });
        }
        estimates
            .rows
            .push(row(name, criterion, options, &analysis));
    }
    Ok(estimates)
}

/// The same error, saying which system and criterion it is about.
fn about(error: &Error, system: &str, criterion: &str) -> Error {
    let hint = error.hint();
    let told = Error::usage(format!(
        "system `{system}`, criterion `{criterion}`: {error}"
    ));
    match hint {
        Some(hint) => told.with_hint(hint),
        None => told,
    }
}

/// Judgments with their metric scores, and the metric's moments over all outputs of each system.
fn gather(
    context: &Context<'_>,
    source: &Source,
    scores: Option<&Scores>,
    criterion: Option<usize>,
) -> Result<(Judgments, Vec<Moments>)> {
    let mut judgments = Judgments::new();
    let mut populations = vec![Moments::default(); source.systems().len()];
    let items = source.index.items();
    for start in (0..items).step_by(CHUNK as usize) {
        context.check()?;
        let groups = source.groups(start..(start + CHUNK).min(items))?;
        let scores = scores
            .map(|scores| scores.of(source, &groups))
            .transpose()?;
        for (g, group) in groups.iter().enumerate() {
            let score = |place: usize| scores.as_ref().map_or(0.0, |scores| scores[g][place].score);
            for (place, output) in group.outputs.iter().enumerate() {
                populations[output.system.index()].push(score(place));
            }
            for judgment in &group.judgments {
                if criterion.is_some_and(|wanted| wanted != judgment.criterion) {
                    continue;
                }
                let place = group
                    .outputs
                    .iter()
                    .position(|output| output.system == judgment.system);
                let g = match (place, scores.is_some()) {
                    (Some(place), _) => score(place),
                    (None, false) => 0.0,
                    (None, true) => {
                        return Err(Error::input(
                            source.dataset.path(),
                            format!(
                                "a judgment of system `{}` on item `{}`, which has no output and so no score",
                                source.system(judgment.system),
                                group.item
                            ),
                        ));
                    }
                };
                let item = u32::try_from(group.position).map_err(Error::failed)?;
                let key = (judgment.criterion, judgment.system.index());
                judgments.entry(key).or_default().push(Judged {
                    item,
                    y: judgment.score,
                    g,
                });
            }
        }
    }
    Ok((judgments, populations))
}

fn one(
    context: &Context<'_>,
    entry: &Entry<BuildEstimator>,
    options: &Options<'_>,
    judged: &[Judged],
    population: &Moments,
    range: Option<Range>,
) -> Result<Analysis> {
    let moments = (population.mean(), population.population_variance());
    let population = match (options.scores, moments) {
        (Some(_), (Some(mean), Some(variance))) => Some(Population {
            n: population.count(),
            mean,
            variance,
        }),
        _ => None,
    };
    let mut estimator = (entry.build)(&options.estimator.params, population, context.seed)?;
    analyse(estimator.as_mut(), judged, options.confidence, range)
}

fn row(system: &str, criterion: &str, options: &Options<'_>, analysis: &Analysis) -> Row {
    Row {
        system: system.to_string(),
        criterion: criterion.to_string(),
        metric: options.scores.map(|scores| scores.metric().to_string()),
        estimator: options.estimator.to_string(),
        n: analysis.n,
        estimate: analysis.estimate,
        lower: analysis.lower,
        upper: analysis.upper,
        standard_error: analysis.standard_error,
        alpha: analysis.alpha,
        // Without a metric there is nothing to correlate with.
        correlation: options.scores.and(analysis.correlation),
        rho: options.scores.and(analysis.rho),
        gamma: analysis.gamma,
        data_efficiency: options.scores.and(analysis.data_efficiency),
    }
}

fn meta(context: &Context<'_>, source: &Source, options: &Options<'_>) -> Meta {
    let mut signature = format!("{}|confidence:{}", options.estimator, options.confidence);
    if let Some(scores) = options.scores {
        signature += &format!("|metric:[{}]", scores.signature);
    }
    if let Some([low, high]) = options.range {
        signature += &format!("|range:{low},{high}");
    }
    signature += "|version:1";
    Meta::new("estimates", signature, context.seed.0, &source.digest)
}

impl Estimates {
    /// Joins the estimates of several metrics into one table.
    pub fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.plans.extend(other.plans);
        self.meta.signature += &format!(" {}", other.meta.signature);
    }

    /// What produced the numbers.
    pub fn signature(&self) -> &str {
        &self.meta.signature
    }

    /// As the report shows them.
    pub fn told(&self) -> Vec<Estimated> {
        let told = |row: &Row| {
            Some(Estimated {
                system: row.system.clone(),
                criterion: row.criterion.clone(),
                metric: row.metric.clone(),
                estimator: row.estimator.clone(),
                n: row.n,
                estimate: row.estimate?,
                lower: row.lower,
                upper: row.upper,
                data_efficiency: row.data_efficiency,
            })
        };
        self.rows.iter().filter_map(told).collect()
    }

    /// As `estimate --json` prints it.
    pub fn to_json(&self) -> Value {
        let mut document = serde_json::json!({ "estimates": self.rows });
        if !self.plans.is_empty() {
            document["plans"] = serde_json::json!(self.plans);
        }
        document
    }

    /// Writes the table, and the plans beside it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, destination: &Destination) -> Result<()> {
        let mut rows = Rows::new(ESTIMATES);
        for row in &self.rows {
            rows.push(&[
                Cell::Text(&row.system),
                Cell::Text(&row.criterion),
                Cell::Text(row.metric.as_deref().unwrap_or("")),
                Cell::Text(&row.estimator),
                Cell::Count(row.n),
                Cell::Number(row.estimate),
                Cell::Number(row.lower),
                Cell::Number(row.upper),
                Cell::Number(row.standard_error),
                Cell::Number(row.alpha),
                Cell::Number(row.correlation),
                Cell::Number(row.rho),
                Cell::Number(row.gamma),
                Cell::Number(row.data_efficiency),
            ]);
        }
        let (path, format) = match destination {
            Destination::File(path, format) => (path.clone(), *format),
            Destination::Folder(path) => (
                path.join("estimates.csv"),
                crate::tables::Format::Csv(crate::tables::format::Compression::Plain),
            ),
        };
        let mut file = TableFile::create(&path, format, &schema(ESTIMATES), &self.meta)?;
        file.write(&rows.finish())?;
        file.finish()?;
        if self.plans.is_empty() {
            return Ok(());
        }
        let plans = serde_json::to_string_pretty(&self.plans).map_err(Error::failed)? + "\n";
        write_atomically(&path.with_extension("plan.json"), plans.as_bytes())
    }
}
