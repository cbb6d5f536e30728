//! The status of a campaign of ratings: means with intervals, what is left of the plan, when it is enough.

use super::RatingCampaign;
use super::words::{Means, rated_lines};
use crate::campaign::context::is_answered;
use crate::campaign::kinds::Notices;
use crate::campaign::next;
use crate::campaign::notice::new_tasks;
use crate::campaign::standing_out;
use crate::campaign::status::{
    CampaignAgreement, Questions, ReceivedCounts, RemainingQuestions, WrittenSheet,
};
use crate::campaign::tally::Tally;
use crate::campaign::texts::DatasetOutputs;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tiebreak_base::error::Result;
use tiebreak_base::keys::{ParameterizedName, PositiveNumber};
use tiebreak_base::layout::{path_argument, two_digits};
use tiebreak_base::words::{self, as_sentence};
use tiebreak_data::tables::{Manifest, ManifestStage, PlanStep};
use tiebreak_decide::estimators::NewAnnotators;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::PairQuestion;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_decide::ranking::result::CampaignState;
use tiebreak_decide::ranking::words::SERVED;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::inputs::source::campaign::{CampaignAnswers, OutputKey};
use tiebreak_stages::journal::batch::BatchFeedback;
use tiebreak_stages::journal::{Assignment, Journal, PosedQuestion, Response};
use tiebreak_stages::stages::estimate::{self, EstimateStage, Estimates, ReportedEstimate};
use tiebreak_stages::stages::sample::Sampling;

/// The subfolder of estimates in a campaign's folder, for the report.
const FOLDER: &str = "estimates";
const TABLE: &str = "estimates/estimates.csv";

/// The score that is computed from edited texts.
const EDITS: &str = "hter";

/// The estimator whose intervals are valid at all times, where a width is wanted.
pub(super) fn anytime(sampling: &Sampling) -> Result<Option<ParameterizedName>> {
    let wanted = sampling.target_width.is_some();
    let named = wanted.then(|| ParameterizedName::parse("betting:anytime=true"));
    named.transpose()
}

/// A campaign of ratings after `ask`, `tell` or `serve`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingStatus {
    /// The mean of each system, by criterion, best first; none before the first rating.
    pub estimates: Vec<SystemMean>,
    /// The result in words, with its assumptions.
    pub verdict: String,
    /// The result in lines: how far the plan is, then what the means rest on and assume.
    pub verdict_lines: Vec<String>,
    /// The meaning of the intervals, by criterion, and the results for new annotators.
    pub meaning: Vec<String>,
    /// The width of the intervals, where one is wanted.
    pub target: Option<WidthTarget>,
    /// The reason why no more questions are asked: plan, once all of it is rated or skipped.
    pub stopped: Option<String>,
    /// What is asked from here on.
    pub state: CampaignState,
    /// The questions left of the plan; `None` once there are none.
    pub(crate) left: Option<RemainingQuestions>,
    /// The number of outputs that were drawn.
    pub planned: u64,
    /// The number of these that read like another of their item: they share its ratings.
    pub alike: u64,
    /// The annotators who are listed.
    pub annotators: Vec<String>,
    /// The agreement of annotators, where several answered the same questions.
    pub(crate) agreement: Option<CampaignAgreement>,
    /// The annotators whose answers stand out, in sentences; computed when answers are read.
    pub findings: Vec<String>,
    /// A notice beside the result.
    pub notice: Option<String>,
    /// The questions so far.
    pub questions: Questions,
    /// The answers that were read.
    pub(crate) told: Option<ReceivedCounts>,
    /// The sheet that was written.
    pub(crate) sheet: Option<WrittenSheet>,
    /// The next step, in a sentence.
    pub next: String,
}

/// The mean of a system.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs)] // the columns of estimates
pub struct SystemMean {
    pub system: String,
    pub criterion: String,
    pub n: u64,
    pub estimate: f64,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub new_annotators: Option<NewAnnotators>,
}

/// The width that every interval is to have at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WidthTarget {
    /// The width that is wanted.
    pub width: f64,
    /// The widest interval; `None` while one is not known.
    pub widest: Option<f64>,
    /// Whether the width is reached.
    pub reached: bool,
}

impl RatingStatus {
    /// Returns the status by a run's journal and its estimates.
    pub(super) fn from_batch(
        rating: &RatingCampaign<'_>,
        batch: &BatchFeedback<&DatasetOutputs<'_>>,
        found: Option<&Estimates>,
        stop: Stop,
        notices: Notices,
    ) -> Self {
        let (journal, dealing) = (batch.journal(), batch.dealing());
        let questions = Tally::new(journal, dealing).questions;
        let told = found.map_or_else(Vec::new, Estimates::reported_estimates);
        let estimates = rated(&told);
        let target = rating.target(&estimates);
        let PlanProgress {
            left,
            ratings,
            outputs,
        } = rating.progress(journal);
        let stopped = (stop == Stop::Budget && left == 0).then(|| "plan".to_string());
        let state = match (left, target) {
            (0, _) if questions.second_open > 0 => CampaignState::Waiting,
            (0, Some(target)) if !target.reached => CampaignState::UsedUp,
            (0, _) => CampaignState::Over,
            _ if stop == Stop::Budget => CampaignState::Waiting,
            _ => CampaignState::Asking,
        };
        let planned = journal.plan().map_or(0, |plan| plan.outputs.len());
        let lines = rated_lines(&Means {
            ratings,
            counted: counted(&estimates),
            outputs,
            of: rating.outputs.len() as u64,
            open: left > 0,
            unweighed: dealing.people() == People::Listed
                && (target.is_some() || !rating.sampling.is_even()),
            skipped: questions.skipped > 0,
            even: rating.sampling.is_even(),
            anytime: target.is_some(),
            reached: target.map(|target| (target.width, target.widest, target.reached)),
        });
        Self {
            verdict: lines.join(" "),
            verdict_lines: lines,
            meaning: [
                estimate::meanings(&told),
                estimate::new_annotators(&told),
                found.map_or_else(Vec::new, |found| found.hints.clone()),
            ]
            .concat(),
            estimates,
            target,
            stopped,
            state,
            left: (left > 0).then(|| RemainingQuestions {
                questions: left,
                words: format!("{left} of the planned outputs are still to be rated"),
            }),
            planned: planned as u64,
            alike: (planned - rating.outputs.len()) as u64,
            annotators: dealing.list().into_iter().map(str::to_string).collect(),
            agreement: notices.agreement(),
            findings: notices.findings(),
            notice: notice(journal),
            next: match left {
                0 if target.is_some_and(|target| !target.reached) => too_wide(target, ratings),
                0 => {
                    let second = match questions.second_open {
                        0 => String::new(),
                        open => {
                            format!(" (still open: {})", words::counted(open, "second opinion"))
                        }
                    };
                    format!(
                        "read the report, since the plan is done{second}: tiebreak report {}",
                        path_argument(rating.campaign_context.folder)
                    )
                }
                _ => {
                    let context = &rating.campaign_context;
                    let step = next::step(context, journal, questions, (stop, state), &notices);
                    match target {
                        Some(target) if target.reached && notices.sheet.is_none() => format!(
                            "read the report, since no interval is wider than wanted: tiebreak report {}. For narrower ones \
                             {step}",
                            path_argument(context.folder)
                        ),
                        _ => step,
                    }
                }
            },
            questions,
            told: notices.told,
            sheet: notices.sheet,
        }
    }
}

impl RatingStatus {
    /// The next step for a report, which estimates cannot know: a plan does not grow.
    pub(super) fn plan_step(&self, served: bool) -> PlanStep {
        let is_reached = self.target.is_some_and(|target| target.reached);
        let next = match &self.left {
            None => "The plan is done, and it cannot grow. More judgments take another campaign, and more items where \
                     every output is rated."
                .to_string(),
            Some(left) => {
                let next = match (served, is_reached) {
                    (true, _) => SERVED.to_string(),
                    (false, true) => "No interval is wider than wanted.".to_string(),
                    (false, false) => as_sentence(&self.next),
                };
                format!("{}. {next}", left.words)
            }
        };
        PlanStep {
            next,
            is_done: self.left.is_none() || is_reached,
        }
    }
}

/// What changed while people answered, as a notice.
fn notice(journal: &Journal) -> Option<String> {
    let changes: Vec<String> = new_tasks(journal).collect();
    (!changes.is_empty()).then(|| changes.join(" "))
}

/// The next step where a plan is done and intervals are wider than wanted: they narrow as the root of the number of
/// ratings grows.
fn too_wide(target: Option<WidthTarget>, ratings: u64) -> String {
    let times = target.and_then(|one| Some((one.widest? / one.width).powi(2)));
    let more = times.map(|times| two_digits(ratings as f64 * (times - 1.0)).ceil() as u64);
    let more = more.map_or_else(
        || "more ratings".to_string(),
        |more| {
            format!(
                "about {} (an estimate)",
                words::counted(more, "more rating")
            )
        },
    );
    format!(
        "begin another campaign with a larger budget: the plan is done, and intervals as narrow as wanted would take {more}"
    )
}

/// The means of reported estimates.
fn rated(told: &[ReportedEstimate]) -> Vec<SystemMean> {
    let one = |row: &ReportedEstimate| SystemMean {
        system: row.system.clone(),
        criterion: row.criterion.clone(),
        n: row.n,
        estimate: row.estimate,
        lower: row.lower,
        upper: row.upper,
        new_annotators: row.new_annotators,
    };
    estimate::kinds(told)
        .into_iter()
        .flatten()
        .map(one)
        .collect()
}

/// The number of ratings of all systems together, under the criterion that has most.
fn counted(estimates: &[SystemMean]) -> u64 {
    let mut of: BTreeMap<&str, u64> = BTreeMap::new();
    for row in estimates {
        *of.entry(&row.criterion).or_default() += row.n;
    }
    of.into_values().max().unwrap_or(0)
}

struct PlanProgress {
    /// Outputs still to be rated.
    left: u64,
    /// The ratings that the means rest on, and the outputs that were rated by the annotator who was asked first.
    ratings: u64,
    outputs: u64,
}

impl RatingCampaign<'_> {
    fn progress(&self, journal: &Journal) -> PlanProgress {
        let output = |posed: &PosedQuestion| {
            let PairQuestion { duel, sample } = posed.question;
            (sample.item, duel.pair.first)
        };
        // An annotator may have rated after all what they had skipped.
        let done = journal.posed().filter(|posed| !posed.is_open());
        let done: BTreeSet<OutputKey> = done.map(output).collect();
        let is_answer = |put: &Assignment| journal.response(*put).is_some_and(Response::is_answer);
        let came = self.answered(journal).came.into_iter();
        let came: BTreeSet<Assignment> = came.filter(is_answer).collect();
        let of = came.iter().filter_map(|put| journal.question(put.id));
        // A second opinion alone leaves an output to be rated.
        let outputs = of.map(output).filter(|output| done.contains(output));
        let outputs: BTreeSet<OutputKey> = outputs.collect();
        PlanProgress {
            left: (self.outputs.len() - done.len()) as u64,
            ratings: came.len() as u64,
            outputs: outputs.len() as u64,
        }
    }

    fn target(&self, estimates: &[SystemMean]) -> Option<WidthTarget> {
        let width = self.sampling.target_width.map(PositiveNumber::value)?;
        let widths = estimates.iter().map(|row| Some(row.upper? - row.lower?));
        let widest = widths.collect::<Option<Vec<f64>>>();
        let all = self.campaign_context.source.systems().len() * self.criteria().max(1);
        let widest = widest.filter(|widths| widths.len() >= all);
        let widest = widest.and_then(|widths| widths.into_iter().reduce(f64::max));
        let reached = widest.is_some_and(|widest| widest <= width);
        Some(WidthTarget {
            width,
            widest,
            reached,
        })
    }

    /// The number of criteria with means.
    fn criteria(&self) -> usize {
        self.campaign_context.task.criteria.len()
    }

    /// The mean of each system; `None` before the first answer that is final.
    pub(super) fn estimates(&self, journal: &Journal) -> Result<Option<Estimates>> {
        let campaign_context = &self.campaign_context;
        let answered = self.answered(journal);
        if !is_answered(journal) || answered.came.is_empty() {
            return Ok(None);
        }
        let context = campaign_context.context.to_the_end();
        let source = answered.source(&context, campaign_context.source, campaign_context.folder)?;
        if source.index.rows(tiebreak_data::records::Kind::Judgments) == 0 {
            return Ok(None);
        }
        let mut all = self.estimate(&source, None)?;
        if journal.plan().is_some_and(|plan| plan.edits) && self.sampling.target_width.is_none() {
            all.extend(self.estimate(&source, Some(EDITS))?);
        }
        Ok(Some(all))
    }

    /// Returns all answers. For intervals that are valid at all times it is the first of each output alone, since
    /// second opinions come later.
    fn answered<'j>(&self, journal: &'j Journal) -> CampaignAnswers<'j> {
        let mut answered = CampaignAnswers::in_journal(journal, self.campaign_context.seed());
        if self.sampling.target_width.is_some() {
            let mut seen = BTreeSet::new();
            let output = |put: &Assignment| {
                let sample = journal.question(put.id).map(|posed| posed.question);
                sample.map(|one| (one.sample.item, one.duel.pair.first))
            };
            answered
                .came
                .retain(|put| put.second.is_none() && seen.insert(output(put)));
        }
        answered
    }

    fn estimate(&self, source: &Source, criterion: Option<&str>) -> Result<Estimates> {
        let keys = EstimateStage {
            criterion: criterion.map(str::to_string),
            confidence: self.sampling.confidence,
            estimator: anytime(&self.sampling)?,
            scope: self.scope,
            ..EstimateStage::default()
        };
        estimate::run(
            &self.campaign_context.context.to_the_end(),
            source,
            &[],
            &keys,
        )
    }

    /// Stores estimates, with the manifest of the run, so that `report` can show them.
    pub(super) fn record(
        &self,
        journal: &Journal,
        found: Option<&Estimates>,
        plan: PlanStep,
    ) -> Result<()> {
        let campaign_context = &self.campaign_context;
        let folder = campaign_context.folder;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let stage = found.map(|found| ManifestStage {
            kind: estimate::NAME.to_string(),
            name: "ratings".to_string(),
            path: PathBuf::from(TABLE),
            signature: found.signature().to_string(),
            // The settings are in `campaign.toml`.
            settings: toml::Table::new(),
        });
        match found {
            Some(found) => found.write(&standing_out::anew(folder, FOLDER, TABLE)?)?,
            None => standing_out::clear(folder, FOLDER)?,
        }
        let stages = stage.into_iter().chain(standing_out::stage(folder));
        let manifest = campaign_context.source.manifest(
            campaign_context.context,
            name.into_owned(),
            stages.collect(),
        );
        Manifest {
            changes: new_tasks(journal).collect(),
            plan: Some(plan),
            ..manifest
        }
        .write(folder)
    }
}
