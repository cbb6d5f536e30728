//! `annotators`: agreement, outliers, signs of careless answering, and labels that weigh each
//! annotator's answers.
//!
//! The chance of naming any annotator wrongly is one twenty-fifth for the whole data set. Three quarters of
//! it are divided among the traits of outliers. One quarter is for all checks by Holm's correction, since
//! what they look for is never subtle.

mod findings;
mod gather;
mod given;
mod keys;
mod labels;
mod pairs;
mod rows;
pub(super) mod tell;

pub use keys::AnnotatorsStage;
pub(crate) use rows::{Annotator, AnnotatorPair, AnswerKind};
pub use rows::{AnnotatorReport, Finding, InterAnnotatorAgreement};

use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::inputs::source::campaign::JOURNAL;
use findings::AnswerCheckResults;
use gather::{CollectedAnswers, Set};
use given::AnnotatorRows;
use labels::ConsensusLabels;
use pairs::PairAgreement;
use std::borrow::Cow;
use tiebreak_base::error::{Error, Flag, Message, Result, is_there};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_data::records::Kind;
use tiebreak_data::records::reader::renamed;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::meta::Meta;
use tiebreak_decide::annotators::alpha::{MeasurementLevel, alpha};
use tiebreak_decide::annotators::checks::CheckedAnswer;
use tiebreak_decide::annotators::kappa::{self, Cohen};
use tiebreak_decide::annotators::outliers::traits;
use tiebreak_decide::annotators::standing::AnnotatorProfile;
use tiebreak_decide::annotators::{LabelModel, QuestionAnswer, both_ways_round};

/// The stage's name: its verb, and its list in a pipeline.
pub const NAME: &str = "annotators";

/// The chance of wrongly calling any annotator an outlier.
const STANDING: f64 = 0.03;

/// The chance of any wrong finding of the checks.
const CHECKS: f64 = 0.01;

/// The name in tables of the inconclusive search for outliers.
const OUTLIERS: &str = "outliers";

/// The name in tables of one answer throughout that may be chance.
const ONE_ANSWER: &str = "one answer";

/// The name in tables of all checks, where answers are too few for any.
const ALL_CHECKS: &str = "all";

/// The report on annotators, with the labels where they were asked for.
pub struct AnnotatorAnalysis {
    /// The numbers.
    pub annotators: AnnotatorReport,
    labels: Vec<ConsensusLabels>,
    meta: Meta,
}

/// Compares the annotators of a data set with each other.
///
/// # Errors
/// A data set without answers, or with answers of which none says who gave it; an unknown criterion; with
/// a label model, nothing but judgments on too fine a scale.
pub fn run(
    context: &Context<'_>,
    source: &Source,
    criterion: Option<&str>,
    model: Option<LabelModel>,
) -> Result<AnnotatorAnalysis> {
    let rows = |kind| source.index.rows(kind) > 0;
    match criterion {
        Some(_) if !rows(Kind::Judgments) => return Err(source.lacks("annotators", "judgments")),
        None if !rows(Kind::Judgments) && !rows(Kind::Comparisons) => {
            return Err(source.lacks("annotators", "judgments or comparisons"));
        }
        _ => {}
    }
    let wanted = criterion
        .map(|name| source.index.criterion(name))
        .transpose()?;
    let mut gathered = gather::gather(context, source, wanted)?;
    if gathered.names.is_empty() {
        let path = source.dataset.path();
        let error = Error::input(path, "no answer has an annotator's name");
        // The answers of a campaign are in no column.
        return Err(error.with_hint(match is_there(&path.join(JOURNAL)) {
            true => Message::shell_command(format!(
                "read each sheet again with the name of who filled it in: tiebreak tell {} SHEET {} NAME",
                path_argument(path),
                Flag("annotator")
            )),
            false => message!(
                "the column `annotator` holds the names; map a column of another name with {}",
                renamed("annotator", "NAME")
            ),
        }));
    }
    let mut found = AnnotatorAnalysis {
        annotators: AnnotatorReport {
            failed_checks: source.failed_checks.clone(),
            ..AnnotatorReport::default()
        },
        labels: Vec::new(),
        meta: meta(context, source, model),
    };
    let traits = gathered.sets.iter().map(|set| traits(set.on_scale()));
    let level = STANDING / traits.sum::<usize>() as f64;
    let mut checked = Vec::new();
    let sets = gathered.sets.iter_mut();
    let given: Vec<AnnotatorRows> = sets.map(|set| std::mem::take(&mut set.given)).collect();
    for (set, given) in gathered.sets.iter().zip(given) {
        context.check()?;
        let answers = given.in_order(gathered.names.len());
        let rows = answers.each();
        let labels = model
            .map(|how| ConsensusLabels::fit(how, context, source, &gathered, set))
            .transpose()?;
        let labels = labels.flatten();
        checked.push(found.add(&gathered, (set, &rows), labels.as_ref(), level));
        found.labels.extend(labels);
    }
    let AnnotatorReport {
        findings,
        not_known,
        ..
    } = &mut found.annotators;
    (*findings, *not_known) = findings::findings(&gathered, checked);
    if model.is_some() && found.labels.is_empty() {
        return Err(labels::too_fine(source));
    }
    Ok(found)
}

fn meta(context: &Context<'_>, source: &Source, model: Option<LabelModel>) -> Meta {
    let labels = model.map_or_else(String::new, |model| format!("|labels:{}", model.name()));
    let signature = format!("annotators|outliers:{STANDING}|checks:{CHECKS}{labels}|version:8");
    Meta::new("annotators", signature, context.seed.0, &source.digest)
}

impl AnnotatorAnalysis {
    /// Adds the statistics of the annotators on one kind of answer, each trait tested at its `level`,
    /// and returns what the checks found.
    fn add(
        &mut self,
        gathered: &CollectedAnswers,
        (set, rows): (&Set, &[&[CheckedAnswer]]),
        labels: Option<&ConsensusLabels>,
        level: f64,
    ) -> AnswerCheckResults {
        let questions = &set.answers;
        let n = gathered.names.len();
        let units: Vec<usize> = set.questions.iter().map(|one| one.unit).collect();
        let (pairs, mut standings) = rayon::join(
            || PairAgreement::new(kappa::cohen(questions, !set.on_scale())),
            || match set.on_scale() {
                true => AnnotatorProfile::on_a_scale(questions, &units, n),
                false => AnnotatorProfile::among_categories(questions, &units, n),
            },
        );
        let asked = &set.asked;
        let name = |annotator: usize| gathered.names[annotator].clone();
        let reach = findings::outlier_reach(&standings, level);
        let agreement = agreement(set, questions, &pairs, reach);
        self.annotators.agreement.push(agreement);
        let pair = |one: &Cohen| AnnotatorPair {
            annotator: name(one.annotators[0]),
            other: name(one.annotators[1]),
            asked: asked.clone(),
            shared: one.shared,
            kappa: one.kappa,
        };
        let listed = pairs.listed.iter().map(pair);
        self.annotators.pairs.extend(listed);
        self.annotators.pairs_left_out += pairs.left_out;
        for (standing, side) in standings.iter_mut().zip(set.sides.iter().flatten()) {
            standing.bias = side.mean();
        }
        let traits = AnnotatorProfile::outliers(&standings, set.on_scale(), level);
        let all = standings.iter().zip(traits).enumerate();
        for (annotator, (standing, traits)) in all.filter(|(_, (one, _))| one.answers > 0) {
            let AnnotatorProfile {
                answers,
                shared,
                agreement,
                bias,
                noise,
                ..
            } = *standing;
            self.annotators.annotators.push(Annotator {
                annotator: name(annotator),
                asked: asked.clone(),
                answers,
                shared,
                agreement: agreement.map(|one| one.value),
                bias: bias.map(|one| one.value),
                noise: noise.map(|one| one.value),
                accuracy: labels.map(|labels| labels.accuracy(annotator)),
                outlier: traits.iter().map(|one| one.name().to_string()).collect(),
            });
        }
        AnswerCheckResults::new(
            set,
            rows,
            &gathered.names,
            (questions, &units),
            &standings,
            level,
        )
    }

    /// Writes the table of annotators, agreement beside it and, into a folder, the labels.
    ///
    /// # Errors
    /// If they cannot be written; labels that are to go into a single file.
    pub fn write(&self, destination: &Destination) -> Result<()> {
        rows::write(self, destination)
    }

    /// The signature of the numbers.
    pub fn signature(&self) -> &str {
        &self.meta.signature
    }
}

fn agreement(
    set: &Set,
    questions: &[Vec<QuestionAnswer>],
    pairs: &PairAgreement,
    outlier_reach: Option<f64>,
) -> InterAnnotatorAgreement {
    let answers = || questions.iter().flatten();
    let mut known: Vec<usize> = answers().filter_map(|answer| answer.annotator).collect();
    known.sort_unstable();
    known.dedup();
    let beyond_chance = match set.on_scale() {
        true => Cow::Borrowed(questions),
        false => Cow::Owned(both_ways_round(questions)),
    };
    let alpha = |level| alpha(&beyond_chance, level);
    let (nominal, (ordinal, interval)) = rayon::join(
        || alpha(MeasurementLevel::Nominal),
        || {
            let ordinal = alpha(MeasurementLevel::Ordinal);
            (ordinal, alpha(MeasurementLevel::Interval))
        },
    );
    InterAnnotatorAgreement {
        asked: set.asked.clone(),
        annotators: known.len() as u64,
        questions: questions.len() as u64,
        shared: questions.iter().filter(|one| one.len() > 1).count() as u64,
        answers: answers().count() as u64,
        repeated: set.repeated,
        unknown: answers()
            .filter(|answer| answer.annotator.is_none())
            .count() as u64,
        alpha_nominal: nominal,
        alpha_ordinal: ordinal,
        alpha_interval: interval,
        kappa_fleiss: kappa::fleiss(&beyond_chance),
        kappa_cohen: pairs.mean(),
        outlier_reach,
    }
}

/// The kind of answer, as tables name it.
fn asked(human: &str, criterion: Option<&str>) -> AnswerKind {
    AnswerKind {
        human: human.to_string(),
        criterion: criterion.map(str::to_string),
    }
}
