//! Everything a ranking needs, checked before the first question is asked.

use super::{Choices, Count, Feedback, Models, SimulateOptions, check, known};
use crate::bandits::{Arena, BANDITS, Target, Uses};
use crate::duel::{Arm, Pair};
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::evaluation::active::{Limits, RunTrace, Setup};
use crate::evaluation::known::Known;
use crate::feedback::comparisons::Comparisons;
use crate::feedback::dealing::{FIRST_LIST, People};
use crate::feedback::names::Names;
use crate::inputs::source::Source;
use crate::keys::setting::{Audit, Eliminate, Select, Setting};
use crate::model_based::audits::{Allocation, Rate};
use crate::model_based::ucb_elimination::{self, Formula};
use crate::model_based::{Advised, Forecasts, Policy, Selection};
use crate::records::Kind;
use crate::registry::find;
use crate::signature::Signature;
use crate::stages::rank;
use std::sync::Arc;

/// The least budget that is assumed where none is given.
const LEAST_BUDGET: u64 = 10_000;

/// The share of a model's answers that people check, where it answers at random.
const AUDIT_OF_MIXING: Rate = uniform(0.1);

/// The same where it answers what it is sure about.
const AUDIT_OF_SELECTION: Rate = uniform(0.5);

const fn uniform(mean: f64) -> Rate {
    Rate {
        mean,
        allocation: Allocation::Uniform,
    }
}

/// A ranking about to run: everything checked, nothing asked yet.
pub(crate) struct Prepared<'a> {
    pub source: &'a Source,
    pub models: &'a Models<'a>,
    pub options: &'a SimulateOptions,
    pub setup: Setup,
    pub uses: Uses,
    pub target: Target,
    /// The only model, with what it may do beyond being a place to start from.
    pub model: Option<(Arc<dyn Forecasts + 'a>, Option<Policy>)>,
    /// The share of its answers that people check, if they do.
    pub audit: Option<Rate>,
    /// Among whom the best is looked for, before any are eliminated.
    pub contenders: Vec<Arm>,
    /// Whom the predictions eliminate, at once or when they deserve it.
    pub eliminated: Vec<Arm>,
    /// In the second case, who is left.
    pub survivors: Option<Vec<Arm>>,
    pub signature: Signature,
    pub comparisons: Option<Comparisons>,
}

impl Prepared<'_> {
    /// Whom the predictions eliminated, and how many were left, in runs like most of these.
    pub(crate) fn eliminated(&self, traces: &[RunTrace]) -> (&[Arm], usize) {
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

pub(crate) fn prepare<'a>(
    context: &Context<'_>,
    source: &'a Source,
    models: &'a Models<'a>,
    options: &'a SimulateOptions,
) -> Result<Prepared<'a>> {
    let entry = find("bandit", BANDITS, &options.choices.bandit.0.name)?;
    rank::systems(source)?;
    let k = source.systems().len();
    let bandit = (entry.build)(&options.choices.bandit.0.params, &Arena::new(k, 1)?)?;
    let uses = bandit.uses();
    check::options(source, models, options)?;
    let recorded = options.feedback == Feedback::Recorded;
    let names = Arc::new(names(source)?);
    let comparisons = match source.index.has(Kind::Comparisons) {
        true => Some(comparisons(source, &names)?),
        false => None,
    };
    let mut forecasts = models.forecasts(source, &names)?;
    let replayed = comparisons.as_ref().filter(|_| recorded);
    let drawn = match uses.differing || uses.margins {
        true => Some(known::Drawn::read(source, replayed)?),
        false => None,
    };
    let outputs = drawn.as_ref().filter(|_| uses.differing);
    let outputs = outputs.and_then(known::Drawn::outputs);
    let (mut margins, mut controls) = (Vec::new(), None);
    if let Some(drawn) = drawn.as_ref().filter(|_| uses.margins) {
        margins = known::margins(source, &forecasts)?;
        controls = drawn.controls(&forecasts, outputs.as_ref())?;
    }
    let model = match forecasts.pop() {
        Some(only) if forecasts.is_empty() => Some((only, policy(options))),
        _ => None,
    };
    let contenders = contenders(context, source, options, comparisons.as_ref())?;
    let mut arms = contenders.clone();
    let (mut eliminated, mut survivors) = (Vec::new(), None);
    if let (Some(how), Some((predictions, _))) = (options.choices.eliminate, &model) {
        if how.options().formula == Formula::Released {
            models.fetch_judged()?;
        }
        let predictions = predictions.as_ref();
        let decided = ucb_elimination::survivors(predictions, comparisons.as_ref(), how.options())?;
        eliminated = decided.eliminated;
        match how {
            Eliminate::As(_) => arms = decided.kept,
            Eliminate::Auto => survivors = Some(decided.kept),
        }
    }
    let rows = comparisons
        .as_ref()
        .map_or(0, |_| source.index.rows(Kind::Comparisons));
    let budget = options
        .choices
        .budget
        .map_or(LEAST_BUDGET.max(4 * rows), Count::value);
    let limits = Limits::new(budget, options.choices.steps.map(Count::value));
    let limits = limits.within(options.choices.seconds());
    if let (Some(_), Some(replayed)) = (limits.seconds, replayed)
        && !replayed.are_timed()
    {
        let what = "the comparisons do not say how many `seconds` they took";
        return Err(Error::key("hours", what)
            .with_hint("limit the number of judgments: --budget, or budget in a pipeline"));
    }
    let policy = model.as_ref().and_then(|(_, policy)| *policy);
    let audit = audit(options, policy, uses);
    let setup = Setup::new(
        entry,
        options.choices.bandit.0.params.clone(),
        arms,
        limits,
        context.seed,
    )?
    .with(Known {
        confidence: certifiable(options, audit, false).then(|| certificate(options)),
        margins,
        controls: controls.map(Arc::new),
        outputs: outputs.map(Arc::new),
        reach: policy.zip(audit).map(|(policy, audit)| policy.reach(audit)),
    })?;
    let mut signature = signature(options, limits, models);
    if let Some(audit) = audit {
        signature = signature.with("audit", audit);
    }
    Ok(Prepared {
        source,
        models,
        options,
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

/// All systems, or as many as asked for, one of the best among them: so that the question becomes
/// harder with their number alone.
fn contenders(
    context: &Context<'_>,
    source: &Source,
    options: &SimulateOptions,
    comparisons: Option<&Comparisons>,
) -> Result<Vec<Arm>> {
    let k = source.systems().len();
    let mut arms: Vec<Arm> = Arm::all(k).collect();
    let Some(systems) = options.systems else {
        return Ok(arms);
    };
    options.check_systems(k)?;
    context.seed.stream("systems", 0).shuffle(&mut arms);
    if let Some(comparisons) = comparisons {
        let best = comparisons.preferences()?.copeland_winners();
        arms.sort_by_key(|arm| best.first() != Some(arm)); // stable: the others stay shuffled
    }
    arms.truncate(systems);
    arms.sort_unstable();
    Ok(arms)
}

/// The confidence of the certificate: where annotators are listed, lists to come have a part of δ.
fn certificate(options: &SimulateOptions) -> f64 {
    match options.feedback {
        Feedback::People(People::Listed) => {
            1.0 - FIRST_LIST * (1.0 - options.choices.confidence.value())
        }
        _ => options.choices.confidence.value(),
    }
}

/// The share of the model's answers that people check. Where people answer what the model is unsure of
/// anyway, fewer audits would leave most of the evidence to few of them.
fn audit(options: &SimulateOptions, policy: Option<Policy>, uses: Uses) -> Option<Rate> {
    let usual = match policy? {
        Policy::Mixing { .. } | Policy::Advised(Advised::Mixing) => AUDIT_OF_MIXING,
        Policy::Selection(_) | Policy::Advised(Advised::Selection(_)) => AUDIT_OF_SELECTION,
        Policy::Nothing => return None,
    };
    match options.choices.audit {
        Some(Audit(asked)) => asked,
        None => uses.confidence.then_some(usual),
    }
}

/// Without audits, where the model answers what it is sure about, people see the other items only, and
/// evidence from those says nothing about all items; a selection left to advice begins when the run does so
/// again. Replays of random mixing stop by the answers of people, as in the paper; of people who are there
/// nothing is claimed.
pub(crate) fn certifiable(
    options: &SimulateOptions,
    audit: Option<Rate>,
    begun_again: bool,
) -> bool {
    let auto = |select: Select| select.above == Setting::Auto && !begun_again;
    let replay = options.feedback == Feedback::Recorded;
    audit.is_some()
        || options.choices.select.is_none_or(auto) && (options.choices.mix.is_none() || replay)
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

pub(crate) fn comparisons(source: &Source, names: &Arc<Names>) -> Result<Comparisons> {
    let (mut rows, mut seconds) = (Vec::new(), Vec::new());
    for group in source.index.all() {
        let group = group?;
        let item = u32::try_from(group.position).map_err(Error::failed)?;
        for one in &group.comparisons {
            rows.push((item, Pair::new(one.a, one.b), one.outcome));
            seconds.push(one.seconds);
        }
    }
    Ok(Comparisons::new(Arc::clone(names), rows)?.taking(&seconds))
}

/// When the model answers; [`Choices`] have one of the two at most.
fn policy(options: &SimulateOptions) -> Option<Policy> {
    let Choices {
        mix,
        select,
        eliminate,
        ..
    } = &options.choices;
    match (*mix, *select) {
        (Some(Setting::Value(share)), _) => Some(Policy::Mixing {
            share: share.value(),
        }),
        (Some(Setting::Auto), _) => Some(Policy::Advised(Advised::Mixing)),
        (None, Some(Select { by, above })) => Some(match above {
            Setting::Value(threshold) => Policy::Selection(Selection {
                by,
                threshold: threshold.value(),
            }),
            Setting::Auto => Policy::Advised(Advised::Selection(by)),
        }),
        (None, None) => (*eliminate == Some(Eliminate::Auto)).then_some(Policy::Nothing),
    }
}

fn signature(options: &SimulateOptions, limits: Limits, models: &Models<'_>) -> Signature {
    let mut signature = Signature::new(options.choices.bandit.to_string())
        .with("feedback", options.feedback.name())
        .with("runs", options.runs)
        .with("budget", limits.annotations)
        .with("steps", limits.steps)
        .with("delay", options.delay)
        .with("confidence", options.choices.confidence.value());
    if let Some(hours) = options.choices.hours {
        signature = signature.with("hours", hours.value());
    }
    if let Some(systems) = options.systems {
        signature = signature.with("systems", systems);
    }
    if models.number() > 0 {
        let each = models.signatures().join("][");
        signature = signature.with("predictions", format!("[{each}]"));
    }
    if let Some(sample) = models.sample() {
        signature = signature.with("sample", sample);
    }
    if let Some(mix) = options.choices.mix {
        signature = signature.with("mix", mix);
    }
    if let Some(select) = &options.choices.select {
        signature = signature.with("select", format!("{}<{}", select.by, select.above));
    }
    if options.choices.eliminate == Some(Eliminate::Auto) {
        signature = signature.with("eliminate", "auto");
    }
    if let Some(Eliminate::As(eliminate)) = &options.choices.eliminate {
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
