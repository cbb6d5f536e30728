//! Fine-tuning of a preference model on the comparisons of data sets: `fit pairwise`.

mod completion;
mod data;
mod file;
mod folder;
mod log;
mod model;
mod split;
mod synthetic;
mod unseen;

pub use completion::CompletionSummary;
pub use data::TrainingDataSummary;
pub use file::run_file;

use self::completion::CompletionRequest;
use self::data::JudgedItem;
use self::folder::{CheckpointState, TrainingFolder, TrainingStatus};
use self::unseen::ExcludedTexts;
use crate::engine::context::Context;
use crate::inputs::source::Source;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Key, Result};
use tiebreak_base::layout::{decimals, percent};
use tiebreak_base::message;
use tiebreak_data::tables::meta::Meta;
use tiebreak_encoders::descriptor::ReferenceAvailability;
use tiebreak_preference::preference::metric_margins;
use tiebreak_preference::preference::training::{
    Base, Evaluation, Examples, Settings, Trainer, TrainerAction, TrainingExample, TrainingItem,
    TrainingProgress,
};

/// Default number of steps between two saved states: a few minutes of a small encoder.
pub(crate) const CHECKPOINT_EVERY: usize = 50;

/// Settings of the work after training.
const AFTERWARDS: [&str; 4] = ["quantise", "beside", "beside-unreferenced", "calibrate"];

/// The request of a training.
#[derive(Debug, Clone)]
pub struct TrainingRequest {
    /// The data sets.
    pub data: Vec<PathBuf>,
    /// Data sets whose sources and references must stay unseen.
    pub exclude: Vec<PathBuf>,
    /// Renamings of their columns.
    pub columns: Vec<(String, String)>,
    /// The base: a name, a folder or a hub id.
    pub base: String,
    /// The settings of the training.
    pub settings: Settings,
    /// The licence of the weights, for the descriptor.
    pub licence: Option<String>,
    /// Steps between two saved states; evaluations save one as well.
    pub checkpoint_every: usize,
}

/// The result of a training; `training.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Training {
    /// The data that it learnt from.
    pub data: Vec<TrainingDataSummary>,
    /// Pairs learnt from.
    pub training_pairs: usize,
    /// Pairs held out.
    pub validation_pairs: usize,
    /// Steps that were planned.
    pub steps: usize,
    /// The evaluation whose parameters were kept; `None` if training diverged before the first.
    pub best: Option<Evaluation>,
    /// All evaluations on the held-out pairs.
    pub looks: Vec<Evaluation>,
    /// The reason why training stopped before its time, where it diverged.
    pub diverged: Option<String>,
    /// The completion of the network, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<CompletionSummary>,
}

impl TrainingRequest {
    /// Trains a model into the folder `out`, or continues there.
    ///
    /// # Errors
    /// Mistakes in data, base or settings; [`Error::Interrupted`]; [`Error::Failed`] if training
    /// diverged, in which case the best model so far is in the folder.
    pub fn run(&self, context: &Context<'_>, out: &Path) -> Result<Training> {
        let base = Base::open(&self.base, &self.settings, &context.env)?;
        if let Some(head) = base.unused_head() {
            let name = head.name();
            context.progress.warn(&format!(
            "the head `{name}` of {} is not used, and a new one begins: {} {name} goes on with it",
            self.base,
            Flag("head")
        ));
        }
        let sources = open(context, &self.data, &self.columns)?;
        let excluded = open(context, &self.exclude, &self.columns)?;
        let unseen = ExcludedTexts::read(context, &excluded)?;
        for ground in ReferenceAvailability::ALL {
            if let Some(metric) = self.settings.metric(ground) {
                metric_margins(metric, ground, &[], &context.env)?;
            }
        }
        let Split {
            examples,
            held_out,
            data,
        } = examples(context, &base, &sources, &unseen, &self.settings)?;
        let meta = meta(context, self, &base, &sources)?.with("exclude", digests(&excluded));
        let (folder, standing) = TrainingFolder::open(out, &meta)?;
        if let TrainingStatus::Over(training) = standing {
            let training = over(context, &folder, *training, &held_out, &self.settings)?;
            return outcome(training, out);
        }
        let pairs =
            |examples: &[TrainingExample]| examples.iter().map(|example| example.pairs.len()).sum();
        let (training_pairs, validation_pairs) =
            (pairs(&examples.training), pairs(&examples.validation));
        let mut trainer = Trainer::new(&base, &self.settings, examples, context.seed)?;
        let state = match standing {
            TrainingStatus::Begun(state) => {
                let (checkpoint, moments) = folder.current(&state);
                trainer.resume(&checkpoint, &moments, state.progress.clone())?;
                Some(*state)
            }
            _ => None,
        };
        let left = trainer.steps() - trainer.progress().step;
        context.progress.begin("training", left as u64);
        let every = self.checkpoint_every;
        let state = train(context, &mut trainer, &folder, state, every);
        context.progress.end();
        let state = state?;
        let TrainingProgress {
            looks,
            best,
            diverged,
            ..
        } = state.progress.clone();
        let mut training = Training {
            data,
            training_pairs,
            validation_pairs,
            steps: trainer.steps(),
            best: best.map(|best| looks[best]),
            looks,
            diverged,
            completed: None,
        };
        log::write(&folder, &training.looks)?;
        if let Some(weights) = folder.best(&state)? {
            let descriptor =
                model::write(&folder, &base, &trainer, self, &training.data, &weights)?;
            let wanted = CompletionRequest::from_settings(&self.settings);
            training.completed =
                completion::complete(context, &folder, descriptor, &held_out, &wanted)?;
        }
        folder.finish(&training)?;
        outcome(training, out)
    }
}

/// A training that is over, completed with what was not asked for before.
fn over(
    context: &Context<'_>,
    folder: &TrainingFolder,
    mut training: Training,
    held_out: &[JudgedItem],
    settings: &Settings,
) -> Result<Training> {
    folder.clean()?;
    if training.best.is_some() {
        let told = training.completed.is_some();
        let completed = completion::later(context, folder, held_out, settings, told)?;
        if completed.is_some() {
            training.completed = completed;
            folder.report(&training)?;
        }
    }
    Ok(training)
}

/// Opens the data sets.
fn open(
    context: &Context<'_>,
    paths: &[PathBuf],
    columns: &[(String, String)],
) -> Result<Vec<Source>> {
    let mut sources: Vec<Source> = Vec::new();
    for path in paths {
        let source = Source::open(context, path, columns)?;
        if let Some(same) = sources.iter().find(|other| other.digest == source.digest) {
            let what = format!("is the same data set as {}", same.dataset.path().display());
            return Err(Error::input(path, what).with_hint("name every data set once"));
        }
        sources.push(source);
    }
    Ok(sources)
}

/// The metadata of a training: everything that decides the bytes of the trained model.
fn meta(
    context: &Context<'_>,
    request: &TrainingRequest,
    base: &Base,
    sources: &[Source],
) -> Result<Meta> {
    let signature = base.signature()?.to_string();
    let meta = Meta::new("model", signature, context.seed.0, digests(sources));
    let settings = serde_json::to_value(&request.settings).map_err(Error::failed)?;
    let settings = settings.as_object().into_iter().flatten();
    let licence = request.licence.as_deref().unwrap_or("(none)");
    Ok(settings
        // Settings of the work after training decide nothing of it.
        .filter(|(key, value)| !value.is_null() && !AFTERWARDS.contains(&key.as_str()))
        .fold(meta, |meta, (key, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_string);
            meta.with(key, text)
        })
        .with("licence", licence))
}

fn digests(sources: &[Source]) -> String {
    let digests: Vec<&str> = sources.iter().map(|source| &source.digest[..16]).collect();
    digests.join("+")
}

/// The judged pairs of all data sets, split.
struct Split {
    /// All pairs, tokenized.
    examples: Examples,
    /// The held-out items, as texts.
    held_out: Vec<JudgedItem>,
    /// The data that they are from.
    data: Vec<TrainingDataSummary>,
}

/// The judged pairs of all data sets, split and tokenized.
fn examples(
    context: &Context<'_>,
    base: &Base,
    sources: &[Source],
    unseen: &ExcludedTexts,
    settings: &Settings,
) -> Result<Split> {
    let (mut items, mut data) = (Vec::new(), Vec::new());
    for source in sources {
        let (more, taken) = data::read(context, source, settings, unseen)?;
        items.extend(more);
        data.push(taken);
    }
    let held_out = split::held_out(&items, settings.validation, context.seed)?;
    context.check()?;
    let read: Vec<Result<Vec<TrainingExample>>> =
        items.par_iter().map(|item| made(base, item)).collect();
    let mut examples = Examples {
        training: Vec::new(),
        validation: Vec::new(),
    };
    for (read, &held_out) in read.into_iter().zip(&held_out) {
        match held_out {
            true => examples.validation.extend(read?),
            false => examples.training.extend(read?),
        }
    }
    let mut is_held_out = held_out.into_iter();
    let (held_out, learnt): (Vec<_>, Vec<_>) = items
        .into_iter()
        .partition(|_| is_held_out.next().unwrap_or_default());
    for item in synthetic::items(&learnt, settings.synthetic, context.seed) {
        examples.training.extend(made(base, &item)?);
    }
    warn_cut(context, base, &examples);
    Ok(Split {
        examples,
        held_out,
        data,
    })
}

/// Says how many inputs lose the end of a text.
fn warn_cut(context: &Context<'_>, base: &Base, examples: &Examples) {
    let all = || examples.training.iter().chain(&examples.validation);
    let cut: usize = all().map(|example| example.cut).sum();
    if cut > 0 {
        let inputs: usize = all().map(|example| example.inputs.len()).sum();
        context.progress.advise(&message!(
            "{cut} of {inputs} model inputs are longer than {} tokens, so their texts were cut at the end; more: {}",
            base.max_length(),
            Key("max-length").set("N")
        ));
    }
}

fn made(base: &Base, item: &JudgedItem) -> Result<Vec<TrainingExample>> {
    base.examples(&TrainingItem {
        source: item.source.as_deref(),
        references: &item.references,
        outputs: &item.outputs,
        pairs: &item.pairs,
    })
}

/// Runs steps and evaluations to the end, and saves on the way and when the user asks to stop.
fn train(
    context: &Context<'_>,
    trainer: &mut Trainer,
    folder: &TrainingFolder,
    mut state: Option<CheckpointState>,
    every: usize,
) -> Result<CheckpointState> {
    loop {
        match advance(context, trainer, every) {
            Ok(TrainingAction::On) => {}
            Ok(TrainingAction::Save { improved }) => {
                state = Some(folder.save(trainer, state.as_ref(), improved)?);
            }
            Ok(TrainingAction::End) => break,
            Err(error) => {
                if matches!(error, Error::Interrupted) {
                    folder.save(trainer, state.as_ref(), false)?;
                }
                return Err(error);
            }
        }
        context.progress.status(&words(trainer));
    }
    match state {
        Some(state) if state.progress == *trainer.progress() => Ok(state),
        state => folder.save(trainer, state.as_ref(), false),
    }
}

/// The action that follows a step or an evaluation.
enum TrainingAction {
    On,
    Save { improved: bool },
    End,
}

/// Does one step or evaluation.
fn advance(context: &Context<'_>, trainer: &mut Trainer, every: usize) -> Result<TrainingAction> {
    context.check()?;
    match trainer.next() {
        TrainerAction::End => Ok(TrainingAction::End),
        TrainerAction::Evaluation => {
            let improved = trainer.look(&|| context.check())?;
            Ok(TrainingAction::Save { improved })
        }
        TrainerAction::Step => {
            trainer.step()?;
            context.progress.advance(1);
            let due = trainer.progress().step.is_multiple_of(every);
            Ok(match due {
                true => TrainingAction::Save { improved: false },
                false => TrainingAction::On,
            })
        }
    }
}

/// The state of training in words, for the progress bar.
fn words(trainer: &Trainer) -> String {
    let mut words = "training".to_string();
    if let Some(loss) = trainer.recent_loss() {
        words += &format!(", loss {}", decimals(loss, 3));
    }
    if let Some(look) = trainer.progress().looks.last() {
        let (loss, accuracy) = (decimals(look.loss, 3), percent(look.accuracy));
        words += &format!(", held-out loss {loss}, accuracy {accuracy}");
    }
    words
}

/// Turns a training that diverged into an error, with what is left of it.
fn outcome(training: Training, out: &Path) -> Result<Training> {
    let Some(why) = &training.diverged else {
        return Ok(training);
    };
    let kept = match training.best {
        Some(best) => format!(
            "the best model, of step {}, is in {}",
            best.step,
            out.display()
        ),
        None => "no model was kept".to_string(),
    };
    Err(Error::failed(format!(
        "training diverged ({why}); {kept}; try a lower learning rate"
    )))
}
