//! The preparation of a run: everything is checked before the first question is asked.

use super::{Choices, Count, Feedback, Models, Simulate, check, known};
use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::rank;
use crate::stages::setting::{Audit, Eliminate, Select, Setting};
use std::collections::BTreeSet;
use std::sync::Arc;
use tiebreak_base::claims::SkipPremise;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_base::signature::Signature;
use tiebreak_data::records::Kind;
use tiebreak_decide::bandits::{Arena, BANDITS, Target, Uses};
use tiebreak_decide::evaluation::active::{Limits, RunTrace, Setup};
use tiebreak_decide::evaluation::known::PriorKnowledge;
use tiebreak_decide::feedback::comparisons::Comparisons;
use tiebreak_decide::feedback::dealing::{FIRST_LIST, People};
use tiebreak_decide::feedback::names::Names;
use tiebreak_decide::model_based::audits::{Allocation, Rate};
use tiebreak_decide::model_based::ucb_elimination::{self, Formula};
use tiebreak_decide::model_based::{AdvisedPolicy, Forecasts, Policy, Selection};

/// The name in signatures of how comparisons are drawn, where none is drawn twice.
pub const DRAWN: &str = "drawn";

/// The least budget that is assumed where none is given.
const LEAST_BUDGET: u64 = 10_000;

/// The share of a model's answers that people check, where it answers at random.
const AUDIT_OF_MIXING: Rate = uniform(0.1);

/// The share that people check where the model answers what it is sure about.
const AUDIT_OF_SELECTION: Rate = uniform(0.5);

const fn uniform(mean: f64) -> Rate {
    Rate {
        mean,
        allocation: Allocation::Uniform,
    }
}

/// A ranking about to run: everything checked, nothing asked yet.
#[non_exhaustive]
pub struct PreparedRun<'a> {
    /// The data set.
    pub source: &'a Source,
    /// The models that may answer.
    pub models: &'a Models<'a>,
    /// What was asked for.
    pub keys: &'a Simulate,
    /// The source of answers.
    pub feedback: Feedback,
    /// Systems and budget.
    pub setup: Setup,
    /// The information that the bandit uses.
    pub uses: Uses,
    /// The target of the bandit.
    pub target: Target,
    /// The only model, with what it may do beyond being a place to start from.
    pub model: Option<(Arc<dyn Forecasts + 'a>, Option<Policy>)>,
    /// The share of the model's answers that people check, if they do.
    pub audit: Option<Rate>,
    /// The systems among which the best is looked for, before any are eliminated.
    pub contenders: Vec<Arm>,
    /// The systems that the predictions eliminate, at once or when they deserve it.
    pub eliminated: Vec<Arm>,
    /// The systems that are left in the second case.
    pub survivors: Option<Vec<Arm>>,
    /// The signature of the numbers.
    pub signature: Signature,
    /// The recorded comparisons, where there are any.
    pub comparisons: Option<Comparisons>,
}

impl PreparedRun<'_> {
    /// Whether answers can be evidence for a certificate.
    pub fn certifiable(&self, begun_again: bool) -> bool {
        certifiable(&self.keys.choices, self.feedback, self.audit, begun_again)
    }

    /// The systems that the predictions eliminated, and the number left, in runs like most of these.
    pub fn eliminated(&self, traces: &[RunTrace]) -> (&[Arm], usize) {
        let again = traces
            .iter()
            .filter(|trace| trace.restarted_after.is_some());
        match &self.survivors {
            None => (&self.eliminated, self.setup.arms().len()),
            Some(_) if 2 * again.count() < traces.len() => (&[], self.setup.arms().len()),
            Some(left) => (&self.eliminated, left.len()),
        }
    }
}

/// Prepares what runs have in common.
///
/// # Errors
/// What was asked for does not fit the data set or the models.
pub fn prepare<'a>(
    context: &Context<'_>,
    source: &'a Source,
    models: &'a Models<'a>,
    keys: &'a Simulate,
    feedback: Feedback,
) -> Result<PreparedRun<'a>> {
    let choices = &keys.choices;
    let entry = find_entry("bandit", BANDITS, &choices.bandit.0.name)?;
    rank::systems(source)?;
    let params = &choices.bandit.0.params;
    let bandit = (entry.build)(params, &Arena::new(source.systems().len(), 1)?)?;
    let uses = bandit.uses();
    check::fits(source, models, choices, feedback)?;
    let names = Arc::new(names(source)?);
    let comparisons = match source.index.has(Kind::Comparisons) {
        true => Some(comparisons(source, &names, keys.as_campaign)?),
        false => None,
    };
    let replayed = comparisons
        .as_ref()
        .filter(|_| feedback == Feedback::Recorded);
    let mut forecasts = models.forecasts(context, source, &names, feedback)?;
    let mut known = known(
        source,
        &forecasts,
        replayed,
        uses,
        choices.without_replacement,
    )?;
    let model = match forecasts.pop() {
        Some(only) if forecasts.is_empty() => Some((only, policy(choices))),
        _ => None,
    };
    let contenders = contenders(context, source, keys, comparisons.as_ref())?;
    let predictions = model.as_ref().map(|(predictions, _)| predictions.as_ref());
    let (arms, eliminated, survivors) = left(
        choices,
        models,
        predictions,
        comparisons.as_ref(),
        &contenders,
    )?;
    if let ([only], false) = (&arms[..], eliminated.is_empty()) {
        context.progress.warn(&format!(
            "the predictions drop all systems but {}: no question is asked, and nothing is proved by people",
            source.system(*only)
        ));
    }
    let limits = limits(choices, source, replayed)?;
    let policy = model.as_ref().and_then(|(_, policy)| *policy);
    let audit = audit(choices, policy, uses);
    let certifiable = certifiable(choices, feedback, audit, false);
    known.confidence = certifiable.then(|| certificate(choices, feedback));
    known.skips = skips(choices, feedback)?;
    let setup = Setup::new(entry, params.clone(), arms, limits, context.seed)?.with(known)?;
    let mut signature = signature(keys, feedback, limits, models);
    if let Some(audit) = audit {
        signature = signature.with("audit", audit);
    }
    Ok(PreparedRun {
        source,
        models,
        keys,
        feedback,
        setup,
        uses,
        target: bandit.target(),
        model,
        audit,
        contenders,
        eliminated,
        survivors,
        signature,
        comparisons,
    })
}

/// The prior knowledge that the bandit uses: of the outputs, and of predictions.
fn known(
    source: &Source,
    forecasts: &[Arc<dyn Forecasts + '_>],
    replayed: Option<&Comparisons>,
    uses: Uses,
    without_replacement: bool,
) -> Result<PriorKnowledge> {
    let mut known = PriorKnowledge::default();
    if !uses.differing && !uses.margins {
        return Ok(known);
    }
    let drawn = known::PairItemPool::read(source, replayed)?;
    let outputs = drawn.outputs().filter(|_| uses.differing);
    if uses.margins {
        known.margins = known::margins(source, forecasts)?;
        let controls = drawn.controls(forecasts, outputs.as_ref())?;
        known.controls = controls.map(Arc::new);
    }
    known.stock = without_replacement.then(|| drawn.stock(outputs.as_ref()));
    known.outputs = outputs.map(Arc::new);
    known.eligible = Some(drawn.eligible(known.outputs.clone()));
    Ok(known)
}

/// The competitors, the eliminated, and who is left where predictions eliminate once they deserve it.
type EliminationSplit = (Vec<Arm>, Vec<Arm>, Option<Vec<Arm>>);

fn left(
    choices: &Choices,
    models: &Models<'_>,
    predictions: Option<&dyn Forecasts>,
    comparisons: Option<&Comparisons>,
    contenders: &[Arm],
) -> Result<EliminationSplit> {
    let (Some(how), Some(predictions)) = (choices.eliminate, predictions) else {
        return Ok((contenders.to_vec(), Vec::new(), None));
    };
    if how.options().formula == Formula::Released {
        models.fetch_judged()?;
    }
    let decided = ucb_elimination::survivors(predictions, comparisons, how.options())?;
    Ok(match how {
        Eliminate::As(_) => (decided.kept, decided.eliminated, None),
        Eliminate::Auto => (contenders.to_vec(), decided.eliminated, Some(decided.kept)),
    })
}

/// The limits on a run.
fn limits(choices: &Choices, source: &Source, replayed: Option<&Comparisons>) -> Result<Limits> {
    // What is already recorded says nothing of how many questions people will answer.
    let usual = || match replayed {
        Some(_) => LEAST_BUDGET.max(4 * source.index.rows(Kind::Comparisons)),
        None => LEAST_BUDGET,
    };
    let budget = choices.budget.map_or_else(usual, Count::value);
    let limits = Limits::new(budget, choices.steps.map(Count::value));
    let limits = limits.within(choices.cost());
    let noted = replayed.map(Comparisons::are_noted);
    let (key, what) = match (choices.hours, choices.money, noted) {
        (_, Some(_), None) => ("money", "people's answers in a campaign have no price"),
        (_, Some(_), Some(noted)) if !noted.price => {
            ("money", "none of the comparisons has a price")
        }
        (Some(_), _, Some(noted)) if !noted.seconds => {
            let what = "the comparisons do not say how many `seconds` they took";
            ("hours", what)
        }
        _ => return Ok(limits),
    };
    Err(Error::key(key, what)
        .with_hint(message!("limit the number of judgments: {}", Key("budget"))))
}

/// All systems, or as many as asked for, one of the best among them, so that their number alone makes
/// the question harder.
fn contenders(
    context: &Context<'_>,
    source: &Source,
    keys: &Simulate,
    comparisons: Option<&Comparisons>,
) -> Result<Vec<Arm>> {
    let k = source.systems().len();
    let mut arms: Vec<Arm> = Arm::all(k).collect();
    let Some(systems) = keys.systems else {
        return Ok(arms);
    };
    keys.check_systems(k)?;
    context.seed.stream("systems", 0).shuffle(&mut arms);
    if let Some(comparisons) = comparisons {
        let best = comparisons.preferences()?.copeland_winners();
        arms.sort_by_key(|arm| best.first() != Some(arm)); // stable: the others stay shuffled
    }
    arms.truncate(systems.value() as usize);
    arms.sort_unstable();
    Ok(arms)
}

/// The confidence of the certificate: where annotators are listed, lists to come have a part of δ.
fn certificate(choices: &Choices, feedback: Feedback) -> f64 {
    let confidence = choices.confidence.value();
    match feedback {
        Feedback::People(People::Listed) => 1.0 - FIRST_LIST * (1.0 - confidence),
        _ => confidence,
    }
}

/// The premise about skipped questions.
///
/// # Errors
/// One of replays: what is recorded was not skipped.
fn skips(choices: &Choices, feedback: Feedback) -> Result<SkipPremise> {
    if feedback == Feedback::Recorded && choices.skips != SkipPremise::WorstCase {
        let what = "recorded comparisons have no skipped questions";
        return Err(Error::key("skips", what).with_hint("leave it out"));
    }
    Ok(choices.skips)
}

/// The share of the model's answers that people check. Where people answer what the model is unsure of
/// anyway, fewer audits would leave most of the evidence to few of them.
fn audit(choices: &Choices, policy: Option<Policy>, uses: Uses) -> Option<Rate> {
    let usual = match policy? {
        Policy::Mixing { .. } | Policy::Advised(AdvisedPolicy::Mixing) => AUDIT_OF_MIXING,
        Policy::Selection(_) | Policy::Advised(AdvisedPolicy::Selection(_)) => AUDIT_OF_SELECTION,
        Policy::Nothing => return None,
    };
    match choices.audit {
        Some(Audit(asked)) => asked,
        None => uses.confidence.then_some(usual),
    }
}

/// Whether answers can be evidence for a certificate. Without audits, where the model answers what it
/// is sure about, people see only the other items, which say nothing about all items. An advised
/// selection begins when the run restarts. Replays of random mixing stop by people's answers, as in the
/// paper; campaigns claim nothing then.
fn certifiable(
    choices: &Choices,
    feedback: Feedback,
    audit: Option<Rate>,
    begun_again: bool,
) -> bool {
    let auto = |select: Select| select.above == Setting::Auto && !begun_again;
    let replay = feedback == Feedback::Recorded;
    audit.is_some() || choices.select.is_none_or(auto) && (choices.mix.is_none() || replay)
}

pub(crate) fn names(source: &Source) -> Result<Names> {
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

/// The recorded comparisons, or only the first of each item and pair.
fn comparisons(source: &Source, names: &Arc<Names>, only_first: bool) -> Result<Comparisons> {
    let (mut rows, mut costs) = (Vec::new(), Cost::<Vec<_>>::default());
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        let mut met = BTreeSet::new();
        for one in &group.comparisons {
            let pair = Pair::new(one.a, one.b);
            if only_first && !met.insert(pair.lower_first()) {
                continue;
            }
            rows.push((item, pair, one.outcome));
            costs.seconds.push(one.cost.seconds);
            costs.price.push(one.cost.price);
        }
    }
    Ok(Comparisons::new(Arc::clone(names), rows)?.costing(&costs))
}

/// The policy by which the model answers; [`Choices`] have one of the two at most.
fn policy(choices: &Choices) -> Option<Policy> {
    let Choices {
        mix,
        select,
        eliminate,
        ..
    } = choices;
    match (*mix, *select) {
        (Some(Setting::Value(share)), _) => Some(Policy::Mixing {
            share: share.value(),
        }),
        (Some(Setting::Auto), _) => Some(Policy::Advised(AdvisedPolicy::Mixing)),
        (None, Some(Select { by, above })) => Some(match above {
            Setting::Value(threshold) => Policy::Selection(Selection {
                by,
                threshold: threshold.value(),
            }),
            Setting::Auto => Policy::Advised(AdvisedPolicy::Selection(by)),
        }),
        (None, None) => (*eliminate == Some(Eliminate::Auto)).then_some(Policy::Nothing),
    }
}

fn signature(
    keys: &Simulate,
    feedback: Feedback,
    limits: Limits,
    models: &Models<'_>,
) -> Signature {
    let choices = &keys.choices;
    let mut signature = Signature::new(choices.bandit.to_string())
        .with("feedback", feedback.name())
        .with("runs", keys.runs)
        .with("budget", limits.annotations)
        .with("steps", limits.steps)
        .with("delay", keys.delay)
        .with("confidence", choices.confidence.value());
    if choices.skips != SkipPremise::WorstCase {
        signature = signature.with("skips", choices.skips);
    }
    if let Some(hours) = choices.hours {
        signature = signature.with("hours", hours.value());
    }
    if let Some(money) = choices.money {
        signature = signature.with("money", money.value());
    }
    if let Some(systems) = keys.systems {
        signature = signature.with("systems", systems);
    }
    if keys.as_campaign {
        signature = signature.with("replayed", "as a campaign");
    }
    if choices.without_replacement {
        signature = signature.with(DRAWN, "without replacement");
    }
    if models.number() > 0 {
        let each = models.signatures().join("][");
        signature = signature.with("predictions", format!("[{each}]"));
    }
    if let Some(sample) = models.sample() {
        signature = signature.with("sample", sample);
    }
    if let Some(mix) = choices.mix {
        signature = signature.with("mix", mix);
    }
    if let Some(select) = &choices.select {
        signature = signature.with("select", format!("{}<{}", select.by, select.above));
    }
    if choices.eliminate == Some(Eliminate::Auto) {
        // Version 2 has half of the error probability before and after an elimination.
        signature = signature.with("eliminate", "auto,version=2");
    }
    if let Some(Eliminate::As(eliminate)) = &choices.eliminate {
        let ucb_elimination::EliminationOptions {
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
