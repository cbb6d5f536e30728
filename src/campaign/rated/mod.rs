//! Campaigns of ratings: sampled outputs are rated, edited or checked against a passage, one at a time.
//!
//! The plan is drawn once and logged before the first question. So judgments may be added to the data set later, and
//! tables that the plan was drawn by may go. A question about an output pairs its system with itself.

mod as_begun;
mod run;
mod status;
mod text;
mod words;

pub(crate) use as_begun::estimate_as_begun;
pub(super) use run::RatingRun;
pub use status::RatingStatus;
pub(crate) use text::render;

use status::anytime;

use super::context::CampaignContext;
use super::folder::{self, KeyChange, OpenCampaign};
use super::settings::CampaignSettings;
use super::task::{Protocol, Task};
use super::texts::DatasetOutputs;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::scope::ResultScope;
use tiebreak_base::signature::Signature;
use tiebreak_data::records::Kind;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::inputs::source::campaign::{IdenticalOutputs, OutputKey, which_changed};
use tiebreak_stages::journal::{Journal, PlannedOutput, RatingPlan, RatingScale};
use tiebreak_stages::stages::sample::{SampledOutput, Sampling};

/// A campaign of ratings.
pub(crate) struct RatingCampaign<'a> {
    pub(super) campaign_context: CampaignContext<'a>,
    sampling: Sampling,
    /// The scope of the means.
    scope: ResultScope,
    /// The outputs to ask about, in order: of those with the same text only the first.
    pub(super) outputs: Vec<OutputKey>,
}

impl RatingCampaign<'_> {
    /// Whether intervals hold whenever somebody looks, so that answers stay as they were looked at.
    #[cfg(feature = "serve")]
    pub(super) fn is_watched(&self) -> bool {
        self.sampling.target_width.is_some()
    }

    /// Opens or begins a campaign and works with it; `task` is the task that annotators are given, if one is named.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal and of the work.
    pub(super) fn open<T>(
        context: &Context<'_>,
        call: &OpenCampaign<'_>,
        change: &KeyChange<'_, Sampling>,
        task: Option<&str>,
        work: impl FnOnce(RatingCampaign<'_>, Journal) -> Result<T>,
    ) -> Result<T> {
        let settings = call.settings(change)?;
        let asked = Task::wanted(call.run, task)?.asking(false, call.run)?;
        check(call, &settings, &asked)?;
        let context = &context.seeded(settings.seed);
        let source = &Source::open(context, &settings.data, &settings.columns)?;
        if !source.index.has(Kind::Outputs) {
            return Err(source.lacks("a campaign", "outputs"));
        }
        let signature = signature(context, source);
        let drawn = match folder::is_begun(call.run) {
            true => None,
            false => Some(plan(context, source, &settings.run, &asked)?),
        };
        let mut journal = planned_journal(call, source, &signature, drawn)?;
        let plan = journal.plan().ok_or_else(|| unplanned(call))?;
        same_scales(call, &asked, plan)?;
        let mut rating = RatingCampaign {
            outputs: different(source, plan)?,
            campaign_context: CampaignContext {
                folder: call.run,
                context,
                source,
                texts: DatasetOutputs::all(source)?,
                ask_policy: settings.ask_policy(),
                task: asked.with_rendering(&source.dataset),
                signature,
            },
            scope: settings.scope,
            sampling: settings.run.clone(),
        };
        call.begin(&settings, task, &mut rating.campaign_context, &mut journal)?;
        work(rating, journal)
    }
}

/// The journal of a campaign, with the plan that was drawn for it if it has none.
fn planned_journal(
    call: &OpenCampaign<'_>,
    source: &Source,
    signature: &Signature,
    drawn: Option<RatingPlan>,
) -> Result<Journal> {
    let mut journal = Journal::open(&folder::journal(call.run)?, signature)
        .map_err(|error| which_changed(&source.dataset, error))?;
    // A kill may have come between the header and the plan.
    let drawn = drawn.filter(|_| journal.plan().is_none());
    drawn.map_or(Ok(()), |plan| journal.lay_out(plan))?;
    Ok(journal)
}

/// The signature that a journal belongs to: the texts that annotators are shown. The plan stands in the journal.
fn signature(context: &Context<'_>, source: &Source) -> Signature {
    let tables = source.tables.iter();
    let run = tables.fold(Signature::new("ratings"), |run, (name, digest)| {
        run.with(name, digest)
    });
    run.with("seed", context.seed.0)
}

/// # Errors
/// [`Error::Usage`] for people newly drawn, where other outputs are asked for than were drawn, and for a width on no scale.
fn check(
    call: &OpenCampaign<'_>,
    settings: &CampaignSettings<Sampling>,
    task: &Task,
) -> Result<()> {
    if settings.people == People::Panel {
        let what = "a panel is for pairs; this campaign rates single outputs";
        return Err(Error::usage(what).with_hint(message!(
            "leave out {} or {}, and name the annotators: {}",
            Key("panel"),
            Key("open"),
            Key("annotators").set("ana,ben")
        )));
    }
    let boundless = task.criteria.iter().find(|one| one.range().is_none());
    if let (Some(one), Some(_)) = (boundless, settings.run.target_width) {
        let what = format!(
            "`{}` has no scale, and intervals that are valid at all times need one",
            one.name
        );
        return Err(Error::key("target-width", what).with_hint(message!(
            "give the scale: {}",
            Key("task").set("rating:NAME=0..100")
        )));
    }
    let begun = CampaignSettings::<Sampling>::read(call.run)?;
    if begun.is_some_and(|begun| !begun.run.draws_the_same(&settings.run)) {
        let what = "the outputs were drawn when the campaign began, with other settings; means and intervals are about that draw, so it \
                    cannot grow";
        return Err(Error::usage(what).with_hint(message!(
            "leave out {}, {}, {}, {} and {}, or begin another campaign in a new folder",
            Key("budget"),
            Key("uncertainties"),
            Key("uniform"),
            Key("strata"),
            Key("pilot")
        )));
    }
    Ok(())
}

/// Draws the plan: outputs in random order, of all systems at the same pace.
fn plan(
    context: &Context<'_>,
    source: &Source,
    sampling: &Sampling,
    task: &Task,
) -> Result<RatingPlan> {
    let options = sampling.options(source.index.rows(Kind::Outputs));
    let drawn = options.draw(context, source)?;
    let mut rng = context.seed.stream("order of ratings", 0);
    let mut by_system: Vec<Vec<SampledOutput>> = vec![Vec::new(); source.systems().len()];
    for one in drawn {
        by_system[one.system].push(one);
    }
    // An annotator who stops early has then rated a random part of each system's outputs.
    let mut placed: Vec<((f64, u64), SampledOutput)> = Vec::new();
    for mut drawn in by_system {
        rng.shuffle(&mut drawn);
        let n = drawn.len() as f64;
        let places = (0..).map(|place| (f64::from(place) + 0.5) / n);
        placed.extend(
            places
                .zip(drawn)
                .map(|(at, one)| ((at, rng.next_u64()), one)),
        );
    }
    placed.sort_by(|((a, one), _), ((b, other), _)| a.total_cmp(b).then(one.cmp(other)));
    let planned = |(_, one): ((f64, u64), SampledOutput)| {
        Ok(PlannedOutput {
            item: u32::try_from(one.item).map_err(Error::failed)?,
            system: u16::try_from(one.system).map_err(Error::failed)?,
            p: one.probability,
        })
    };
    Ok(RatingPlan {
        scales: scales(task),
        edits: task.protocol == Protocol::PostEdit,
        even: sampling.is_even(),
        outputs: placed.into_iter().map(planned).collect::<Result<_>>()?,
    })
}

fn scales(task: &Task) -> Vec<RatingScale> {
    let scale = |one: &super::task::Criterion| RatingScale {
        criterion: one.name.clone(),
        range: one.range(),
    };
    task.criteria.iter().map(scale).collect()
}

/// Keeps, of outputs with the same text, that of the first system, at its own place: the first ratings do not reveal
/// which texts were written twice.
fn different(source: &Source, plan: &RatingPlan) -> Result<Vec<OutputKey>> {
    let alike = IdenticalOutputs::in_plan(source, plan)?;
    let mut outputs = Vec::new();
    for one in &plan.outputs {
        let output = (one.item, tiebreak_base::duel::Arm(one.system));
        if alike.with(output)?.first() == Some(&output.1) {
            outputs.push(output);
        }
    }
    Ok(outputs)
}

fn unplanned(call: &OpenCampaign<'_>) -> Error {
    Error::input(call.run, "the campaign has no plan of what to rate")
        .with_hint("begin another campaign in a new folder")
}

/// # Errors
/// A task whose criteria are not those that were begun with: answers would not fit together.
fn same_scales(call: &OpenCampaign<'_>, task: &Task, plan: &RatingPlan) -> Result<()> {
    let edits = task.protocol == Protocol::PostEdit;
    if scales(task) == plan.scales && edits == plan.edits {
        return Ok(());
    }
    let path = call.run.join(super::task::FILE);
    let what = "the criteria are not those that the campaign began with";
    Err(Error::input(path, what).with_hint(
        "restore them (prompt, instructions and labels may change), or begin another campaign",
    ))
}
