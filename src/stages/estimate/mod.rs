//! `estimate`: each system's mean human judgment, with an interval.

mod comparing;
mod gather;
mod scale;
mod table;

pub use table::{Estimates, Row};

use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::estimators::{
    Blueprint, ESTIMATORS, Goal, Metrics, Range, Stop, Survey, analyse, stopping_time, widths,
};
use crate::inputs::judging::{Judging, Parts, Quality};
use crate::inputs::source::{Scores, Source};
use crate::keys::named::Named;
use crate::records::Kind;
use crate::registry::{Entry, find};
use crate::report::{Plan, Stopped};
use crate::tables::meta::Meta;
use comparing::Comparing;
use gather::Gathered;
pub(crate) use gather::{Marked, gather};
use std::path::Path;

/// Numbers of judgments at which the width of an interval is told, where somebody asks when to stop.
const WIDTHS: usize = 24;

/// What to estimate.
pub struct Options<'a> {
    /// Which estimator.
    pub estimator: &'a Named,
    /// The metrics' scores. An estimator that uses one metric at a time is run with each.
    pub scores: &'a [Scores],
    /// Which criterion; all of them by default.
    pub criterion: Option<&'a str>,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The scale people judged on; by default the one that the data set declares, or that of yes or no
    /// where all judgments are 0 or 1.
    pub range: Option<[f64; 2]>,
    /// Plan for intervals of this width.
    pub target_width: Option<f64>,
    /// What judgments of an item's parts come to; by default each stands for itself.
    pub parts: Option<Parts>,
    /// What annotators must meet to be heard.
    pub quality: Quality,
    /// The strata of the outputs.
    pub strata: Option<&'a Path>,
    /// The probabilities with which outputs were chosen to be judged.
    pub probabilities: Option<&'a Path>,
    /// Compare every pair of systems.
    pub differences: bool,
    /// Say when one could have stopped.
    pub stop: Option<Goal>,
}

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
    let judging = Judging::new(source, options.criterion, options.parts)?;
    let (judging, left_out) = judging.screened(context, source, &options.quality)?;
    let at_once = match entry.build.metrics {
        Metrics::Several => options.scores.len().max(1),
        Metrics::Unused | Metrics::One => 1,
    };
    let mut all: Option<Estimates> = None;
    // Without scores there is one round, with none.
    for start in (0..options.scores.len().max(1)).step_by(at_once) {
        let end = (start + at_once).min(options.scores.len());
        let options = Options {
            scores: &options.scores[start..end],
            ..*options
        };
        let estimates = round(context, source, entry, &options, &judging)?;
        match &mut all {
            None => all = Some(estimates),
            Some(all) => all.extend(estimates),
        }
    }
    let mut all = all.ok_or_else(|| Error::failed("nothing was estimated"))?;
    all.left_out = left_out;
    Ok(all)
}

/// Estimates every judged system with one set of metrics.
fn round(
    context: &Context<'_>,
    source: &Source,
    entry: &Entry<Blueprint>,
    options: &Options<'_>,
    judging: &Judging,
) -> Result<Estimates> {
    let given = options
        .range
        .map(|[low, high]| Range::new(low, high))
        .transpose()?;
    let marked = Marked::open(source, options)?;
    let Gathered {
        judgments,
        populations,
    } = gather(context, source, options.scores, &marked, judging, given)?;
    let ranges = scale::ranges(source, judging, given, &judgments)?;
    let mut estimates = Estimates::new(meta(context, source, options, &marked));
    let mut comparing = Comparing::new(source, options);
    for ((number, system), judged) in judgments {
        let name = &source.systems()[system];
        let criterion = judging.criterion(source, number);
        let range = ranges.get(&number).copied();
        let survey = Survey {
            population: populations[system].clone(),
            range,
            seed: context.seed,
        };
        let make = || (entry.build.build)(&options.estimator.params, &survey);
        let located = |error: Error| about(&error, name, criterion);
        let mut estimator = make().map_err(located)?;
        let analysis =
            analyse(estimator.as_mut(), &judged, options.confidence, range).map_err(located)?;
        if let Some(goal) = options.stop {
            let stop = stopping_time(&make, &judged, options.confidence, goal).map_err(located)?;
            let widths = widths(&make, &judged, options.confidence, WIDTHS).map_err(located)?;
            estimates.comparisons.stops.push(Stopped {
                widths,
                ..stopped(name, criterion, options, goal, stop)
            });
        }
        if options.differences {
            comparing
                .add(criterion, system, estimator.as_ref(), &judged, range)
                .map_err(located)?;
        }
        if let Some(width) = options.target_width {
            estimates.plans.push(Plan {
                system: name.clone(),
                criterion: criterion.to_string(),
                estimator: options.estimator.to_string(),
                width,
                judgments: analysis.judgments_for_width(width, options.confidence, range),
            });
        }
        let row = Row::new(name, criterion, options, range, analysis);
        estimates.rows.push(row);
    }
    comparing.finish(&mut estimates);
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

fn stopped(
    system: &str,
    criterion: &str,
    options: &Options<'_>,
    goal: Goal,
    stop: Option<Stop>,
) -> Stopped {
    Stopped {
        system: system.to_string(),
        criterion: criterion.to_string(),
        estimator: options.estimator.to_string(),
        goal: goal.to_string(),
        n: stop.map(|stop| stop.n),
        estimate: stop.map(|stop| stop.estimate),
        lower: stop.map(|stop| stop.lower),
        upper: stop.map(|stop| stop.upper),
        widths: Vec::new(),
    }
}

fn meta(context: &Context<'_>, source: &Source, options: &Options<'_>, marked: &Marked) -> Meta {
    let mut signature = format!("{}|confidence:{}", options.estimator, options.confidence);
    for scores in options.scores {
        signature += &format!("|metric:[{}]", scores.signature);
    }
    if let Some([low, high]) = options.range {
        signature += &format!("|range:{low},{high}");
    }
    // Declared ranges are part of the data's digest.
    if let Some(parts) = options.parts {
        signature += &format!("|parts:{}", parts.name());
    }
    signature += &options.quality.signature();
    let marks = [
        ("strata", &marked.strata),
        ("probabilities", &marked.probabilities),
    ];
    for (name, marks) in marks {
        if let Some(marks) = marks {
            signature += &format!("|{name}:{}", marks.digest);
        }
    }
    signature += "|version:2";
    Meta::new("estimates", signature, context.seed.0, &source.digest)
}
