//! `rank`: the top-ranked system by a dueling bandit, in one run or in many.

use super::context::Context;
use super::named::Named;
use super::parts::{Parts, produce};
use super::source::{Predictions as Table, Source};
use super::spec::{Feedback, Select};
use super::{known, live};
use crate::bandits::{Arena, BANDITS, Uses};
use crate::duel::{Arm, Pair, Verdict};
use crate::error::{Error, Result};
use crate::evaluation::active::{Limits, RunTrace, Setup};
use crate::evaluation::annotation_complexity::{Scoring, Summary, summarise};
use crate::evaluation::experiment::Experiment;
use crate::evaluation::known::Known;
use crate::feedback::comparisons::Comparisons;
use crate::feedback::matrix::PreferenceMatrix;
use crate::feedback::names::Names;
use crate::model_based::ucb_elimination::{self, Formula, survivors};
use crate::model_based::{Measure, Policy, Predictions, Selection};
use crate::preference::thresholds::Thresholds;
use crate::records::Kind;
use crate::records::reader::{Columns, Rows as StoredRows};
use crate::registry::find;
use crate::signature::Signature;
use crate::tables::destination::Destination;
use crate::tables::file::write_atomically;
use crate::tables::meta::Meta;
use crate::tables::ranking::{Complexity, Quartiles, Ranking, Standing, Stopped};
use crate::tables::schema::{Cell, Rows, TRACE};
use arrow::array::RecordBatch;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Runs per part of the trace: what a killed command may lose.
const RUNS_PER_PART: u64 = 4;

/// The least budget that is assumed where none is given.
const LEAST_BUDGET: u64 = 10_000;

/// What to run.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // as in `spec::Rank`
pub struct Options {
    pub bandit: Named,
    pub feedback: Feedback,
    pub runs: u64,
    pub budget: Option<u64>,
    pub steps: Option<u64>,
    pub mix: Option<f64>,
    pub select: Option<Select>,
    pub eliminate: Option<ucb_elimination::Options>,
    pub delay: usize,
    pub confidence: f64,
}

/// A ranking about to run: everything checked, nothing asked yet.
pub(super) struct Prepared<'a> {
    pub source: &'a Source,
    pub options: &'a Options,
    pub setup: Setup,
    pub uses: Uses,
    pub model: Option<(Predictions, Option<Policy>)>,
    pub eliminated: Vec<Arm>,
    pub signature: Signature,
    comparisons: Option<Comparisons>,
}

/// Ranks. With `out`, finished runs are stored there and an interrupted command continues.
///
/// # Errors
/// Whatever does not fit together, before the first run; then those of the feedback.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    predictions: Option<&Table>,
    options: &Options,
    out: Option<&Path>,
) -> Result<Ranking> {
    let prepared = prepare(context, source, predictions, options)?;
    let ranking = match options.feedback {
        Feedback::Console => live::run(context, &prepared, out)?,
        Feedback::Recorded => recorded(context, &prepared, out)?,
    };
    if let Some(out) = out {
        let text = serde_json::to_string_pretty(&ranking).map_err(Error::failed)? + "\n";
        write_atomically(&out.join("ranking.json"), text.as_bytes())?;
    }
    Ok(ranking)
}

fn prepare<'a>(
    context: &Context<'_>,
    source: &'a Source,
    table: Option<&Table>,
    options: &'a Options,
) -> Result<Prepared<'a>> {
    let entry = find("bandit", BANDITS, &options.bandit.name)?;
    let k = source.systems().len();
    if k < 2 {
        return Err(source.lacks("rank", "a second system"));
    }
    let recorded = options.feedback == Feedback::Recorded;
    if recorded && !source.index.has(Kind::Comparisons) {
        return Err(source.lacks("rank with recorded feedback", "comparisons"));
    }
    if !recorded && options.runs > 1 {
        return Err(Error::usage(
            "a person can be asked for one run only, not for several",
        ));
    }
    if table.is_none()
        && (options.mix.is_some() || options.select.is_some() || options.eliminate.is_some())
    {
        return Err(Error::usage(
            "a model can answer or eliminate only with --predictions",
        ));
    }
    let uses = (entry.build)(&options.bandit.params, &Arena::new(k, 1)?)?.uses();
    if table.is_some()
        && !uses.margins
        && options.mix.is_none()
        && options.select.is_none()
        && options.eliminate.is_none()
    {
        return Err(Error::usage(
            "predictions are given, but nothing says what the model may do with them",
        )
        .with_hint(
            "let it answer (--mix P or --select bald:T), drop systems first (--eliminate), or use \
             a bandit that starts from predictions (adaptive)",
        ));
    }
    require_uncertainty(table, options)?;
    let names = Arc::new(names(source)?);
    let comparisons = match source.index.has(Kind::Comparisons) {
        true => Some(comparisons(source, &names)?),
        false => None,
    };
    let model = match table {
        Some(table) => Some((predictions(source, table, &names)?, policy(options)?)),
        None => None,
    };
    let (arms, eliminated) = match (options.eliminate, &model) {
        (Some(how), Some((predictions, _))) => {
            let decided = survivors(predictions, comparisons.as_ref(), how)?;
            (decided.kept, decided.eliminated)
        }
        _ => (Arm::all(k).collect(), Vec::new()),
    };
    let rows = comparisons
        .as_ref()
        .map_or(0, |_| source.index.rows(Kind::Comparisons));
    let budget = options.budget.unwrap_or(LEAST_BUDGET.max(4 * rows));
    let limits = Limits::new(budget, options.steps);
    let setup = Setup::new(
        entry,
        options.bandit.params.clone(),
        arms,
        limits,
        context.seed,
    )?
    .with(Known {
        confidence: certifiable(options).then_some(options.confidence),
        margins: match &model {
            Some((predictions, _)) if uses.margins => Some(known::margins(source, predictions)?),
            _ => None,
        },
        outputs: if uses.differing {
            let replayed = comparisons.as_ref().filter(|_| recorded);
            known::outputs(source, replayed)?.map(Arc::new)
        } else {
            None
        },
    })?;
    let signature = signature(options, limits, table);
    Ok(Prepared {
        source,
        options,
        setup,
        uses,
        model,
        eliminated,
        signature,
        comparisons,
    })
}

/// Where the model answers what it is sure about, people see the other items only, and evidence
/// from those says nothing about all items.
fn certifiable(options: &Options) -> bool {
    options.select.is_none()
}

/// Whether the uncertainty that the options use is there; said by name, before anything is read.
fn require_uncertainty(table: Option<&Table>, options: &Options) -> Result<()> {
    let Some(table) = table.filter(|table| !table.has_uncertainty) else {
        return Ok(());
    };
    let used = match (&options.select, &options.eliminate) {
        (Some(_), _) => "uncertainty-aware selection needs BALD or STD",
        (None, Some(how)) if how.alpha > 0.0 => "elimination with alpha above 0 needs STD",
        _ => return Ok(()),
    };
    let what = format!(
        "{used}, but these predictions have no uncertainty ({})",
        table.signature
    );
    Err(Error::usage(what)
        .with_hint("predict with a model that has dropout, or use --mix P, or --eliminate alpha=0"))
}

fn names(source: &Source) -> Result<Names> {
    let items = source
        .index
        .all()
        .map(|group| group.map(|group| group.item))
        .collect::<Result<_>>()?;
    Ok(Names {
        systems: source.systems().to_vec(),
        items,
    })
}

fn comparisons(source: &Source, names: &Arc<Names>) -> Result<Comparisons> {
    let mut rows = Vec::new();
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        rows.extend(
            group
                .comparisons
                .iter()
                .map(|one| (item, Pair::new(one.a, one.b), one.outcome)),
        );
    }
    Comparisons::new(Arc::clone(names), rows)
}

fn predictions(source: &Source, table: &Table, names: &Arc<Names>) -> Result<Predictions> {
    let mut rows = Vec::new();
    for position in 0..source.index.items() {
        let item = u32::try_from(position).map_err(Error::failed)?;
        let of_item = table.of(position)?;
        rows.extend(
            of_item
                .into_iter()
                .map(|(a, b, prediction)| (item, Pair::new(a, b), prediction)),
        );
    }
    let (tau1, tau2) = table.thresholds;
    Predictions::new(Arc::clone(names), rows, Thresholds::new(tau1, tau2)?)
}

fn policy(options: &Options) -> Result<Option<Policy>> {
    match (options.mix, options.select) {
        (Some(_), Some(_)) => Err(Error::usage(
            "mix and select are two ways of letting the model answer",
        )
        .with_hint("leave one of them out")),
        (Some(share), None) => Ok(Some(Policy::Mixing { share })),
        (None, Some(select)) => Ok(Some(Policy::Selection(Selection {
            by: select.by,
            threshold: select.above,
        }))),
        (None, None) => Ok(None),
    }
}

fn signature(options: &Options, limits: Limits, table: Option<&Table>) -> Signature {
    let mut signature = Signature::new(options.bandit.to_string())
        .with(
            "feedback",
            if options.feedback == Feedback::Recorded {
                "recorded"
            } else {
                "console"
            },
        )
        .with("runs", options.runs)
        .with("budget", limits.annotations)
        .with("steps", limits.steps)
        .with("delay", options.delay)
        .with("confidence", options.confidence);
    if let Some(table) = table {
        signature = signature.with("predictions", format!("[{}]", table.signature));
    }
    if let Some(mix) = options.mix {
        signature = signature.with("mix", mix);
    }
    if let Some(select) = &options.select {
        let by = match select.by {
            Measure::Bald => "bald",
            Measure::Std => "std",
        };
        signature = signature.with("select", format!("{by}<{}", select.above));
    }
    if let Some(eliminate) = &options.eliminate {
        let ucb_elimination::Options {
            alpha,
            copeland,
            formula,
        } = eliminate;
        let formula = match formula {
            Formula::Paper => "paper",
            Formula::Released => "released",
        };
        signature = signature.with(
            "eliminate",
            format!("{formula},alpha={alpha},copeland={copeland}"),
        );
    }
    signature.with("version", 1)
}

/// Runs on recorded comparisons: a single one, or the annotation-complexity experiment.
fn recorded(context: &Context<'_>, prepared: &Prepared<'_>, out: Option<&Path>) -> Result<Ranking> {
    let comparisons = prepared.comparisons.as_ref().expect("checked in prepare");
    let model = prepared
        .model
        .as_ref()
        .and_then(|(predictions, policy)| Some((predictions, (*policy)?)));
    let experiment = Experiment::new(
        prepared.setup.clone(),
        comparisons,
        model,
        prepared.options.delay,
    )?;
    let parts = Parts::new(prepared.options.runs, RUNS_PER_PART);
    let traces = match out {
        Some(out) => {
            let meta = Meta::new(
                "trace",
                prepared.signature.to_string(),
                context.seed.0,
                &prepared.source.digest,
            )
            .with("runs per part", RUNS_PER_PART);
            let trace = out.join("trace");
            produce(
                context,
                &Destination::Folder(trace.clone()),
                TRACE,
                &meta,
                parts,
                |runs| store(prepared.source, &experiment, runs),
            )?;
            read(prepared.source, &trace)?
        }
        None => {
            context.progress.begin("runs", prepared.options.runs);
            let run = |index| {
                context.check()?;
                let trace = experiment.run_one(index);
                context.progress.advance(1);
                trace
            };
            let traces: Vec<Result<RunTrace>> = (0..prepared.options.runs)
                .into_par_iter()
                .map(run)
                .collect();
            context.progress.end();
            traces.into_iter().collect::<Result<_>>()?
        }
    };
    let preferences = comparisons.preferences()?;
    tell(prepared, context, &traces, Some(&preferences))
}

/// Some runs as rows of the trace.
fn store(
    source: &Source,
    experiment: &Experiment<'_>,
    runs: std::ops::Range<u64>,
) -> Result<RecordBatch> {
    let mut rows = Rows::new(TRACE);
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
                Cell::Count(run),
                Cell::Count(*annotations),
                Cell::Text(leader),
                Cell::Text(end),
            ]);
        }
    }
    Ok(rows.finish())
}

/// The runs of a stored trace.
fn read(source: &Source, path: &Path) -> Result<Vec<RunTrace>> {
    let mut traces = Vec::new();
    let mut leaders = Vec::new();
    for row in StoredRows::open(path, &Columns::default())? {
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

/// What finished runs say.
///
/// # Errors
/// If there are none.
pub(super) fn tell(
    prepared: &Prepared<'_>,
    context: &Context<'_>,
    traces: &[RunTrace],
    preferences: Option<&PreferenceMatrix>,
) -> Result<Ranking> {
    let source = prepared.source;
    let truth = preferences
        .map(PreferenceMatrix::copeland_winners)
        .unwrap_or_default();
    let mut scoring = Scoring::new(&truth, context.seed);
    scoring.confidence = prepared.options.confidence;
    let summary = summarise(traces, &scoring)?;
    let experiment = traces.len() > 1 && preferences.is_some();
    let name = |arm: Arm| source.system(arm).to_string();
    Ok(Ranking {
        systems: source.systems().to_vec(),
        true_winner: if let [only] = truth[..] {
            Some(name(only))
        } else {
            None
        },
        winner: name(summary.winner),
        bandit: prepared.options.bandit.to_string(),
        runs: prepared.options.runs,
        seed: context.seed.0,
        annotation_complexity: if experiment {
            let found = summary.annotation_complexity;
            Complexity {
                value: found.value,
                lower: found.lower,
                upper: found.upper,
            }
        } else {
            Complexity::default()
        },
        verdict: verdict(prepared, traces, &summary),
        accuracy: if preferences.is_some() {
            summary.accuracy.clone()
        } else {
            Vec::new()
        },
        mean_annotations: summary.mean_annotations,
        stopped: stopped(&summary),
        eliminated: prepared.eliminated.iter().map(|&arm| name(arm)).collect(),
        model_answers: summary.model_answers,
        standings: standings(source, traces, preferences),
        signature: prepared.signature.to_string(),
    })
}

fn stopped(summary: &Summary) -> Stopped {
    let quartiles = summary.stopped.annotations.as_ref();
    let reasons: BTreeMap<String, u64> = summary
        .stopped
        .reasons
        .iter()
        .map(|(reason, &runs)| (format!("{reason:?}").to_lowercase(), runs as u64))
        .collect();
    Stopped {
        share: summary.stopped.share,
        reasons,
        annotations: Quartiles {
            median: quartiles.map(|q| q.median),
            q25: quartiles.map(|q| q.q25),
            q75: quartiles.map(|q| q.q75),
        },
        correct: summary.stopped.correct,
    }
}

/// What is claimed, in words; careful to claim nothing without a certificate.
fn verdict(prepared: &Prepared<'_>, traces: &[RunTrace], summary: &Summary) -> String {
    let source = prepared.source;
    let confidence = format!("{} %", (1e8 * prepared.options.confidence).round() / 1e6);
    match &traces[0].verdict {
        Verdict::Winner { arm, assumption } if traces.len() == 1 => {
            let among = match prepared.eliminated.len() {
                0 => String::new(),
                _ => format!(" among the {} not eliminated", prepared.setup.arms().len()),
            };
            let winner = source.system(*arm);
            format!("{winner} is best{among} with {confidence} confidence, {assumption}")
        }
        Verdict::Undecided(arms) if traces.len() == 1 => {
            let names: Vec<&str> = arms.iter().map(|&arm| source.system(arm)).collect();
            let names = names.join(", ");
            if arms.len() == prepared.setup.arms().len() {
                format!("undecided among {names}: their outputs never differ")
            } else {
                format!(
                    "undecided among {names}; with {confidence} confidence no other system beats \
                     all the rest"
                )
            }
        }
        _ if summary.stopped.share > 0.0 => {
            let stopped = &summary.stopped;
            let median = stopped
                .annotations
                .as_ref()
                .map_or(0.0, |quartiles| quartiles.median);
            let correct = stopped.correct.map_or_else(String::new, |share| {
                format!(
                    "; {:.1} % of those name the winner of all judgments",
                    100.0 * share
                )
            });
            format!(
                "{:.1} % of runs stopped by their own certificate, half of them within {median:.0} judgments{correct}",
                100.0 * stopped.share
            )
        }
        _ => {
            let leader = source.system(summary.winner);
            let why = match (prepared.uses.confidence, certifiable(prepared.options)) {
                (false, _) => "this bandit gives no certificate",
                (true, false) => "there is no certificate where a model chooses who is asked what",
                (true, true) => "the evidence does not suffice for a certificate",
            };
            format!("{leader} leads; {why}")
        }
    }
}

/// Every system's standing: by how often it is named, then by the recorded comparisons.
fn standings(
    source: &Source,
    traces: &[RunTrace],
    preferences: Option<&PreferenceMatrix>,
) -> Vec<Standing> {
    let k = source.systems().len();
    let copeland = preferences.map(PreferenceMatrix::copeland);
    let mean = |arm: Arm, p: &PreferenceMatrix| {
        let others = Arm::all(k).filter(|&other| other != arm);
        others.map(|other| p.get(arm, other)).sum::<f64>() / (k - 1) as f64
    };
    let standing = |arm: Arm| Standing {
        system: source.system(arm).to_string(),
        named: traces
            .iter()
            .filter(|trace| trace.winner() == Some(arm))
            .count() as f64
            / traces.len() as f64,
        copeland: copeland
            .as_ref()
            .map(|copeland| copeland[arm.index()] as u64),
        preference: preferences.map(|p| mean(arm, p)),
    };
    let mut standings: Vec<Standing> = Arm::all(k).map(standing).collect();
    standings.sort_by(|a, b| {
        let by_name = || a.system.cmp(&b.system);
        let by_preference = || {
            b.preference
                .unwrap_or(0.0)
                .total_cmp(&a.preference.unwrap_or(0.0))
        };
        let by_copeland = || b.copeland.cmp(&a.copeland);
        b.named
            .total_cmp(&a.named)
            .then_with(by_copeland)
            .then_with(by_preference)
            .then_with(by_name)
    });
    standings
}
