//! `tiebreak ask` and `tiebreak tell` for a race by scores.

use super::live::{AskArgs, TellArgs};
use super::values::name;
use super::verbs::{Command, is_given, shown};
use crate::campaign::race::{self, RaceRequest, RaceStatus, TaskRequest};
use clap::{ArgMatches, Args};
use std::path::Path;
use tiebreak_base::error::{Error, Key, Message, Result};
use tiebreak_base::keys::{self, MinimumInteger, NonNegativeNumber, ScaleRange};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_base::scope::ItemScope;
use tiebreak_decide::race::RaceItems;
use tiebreak_stages::stages::simulate::Count;

/// What a race by scores is begun with.
#[derive(Debug, Args)]
pub(crate) struct RaceArgs {
    /// The lowest and the highest possible score
    #[arg(long, value_name = "LO,HI", value_parser = keys::flag::<ScaleRange>, allow_hyphen_values = true)]
    pub range: Option<ScaleRange>,
    /// What is compared (prompts, models, checkpoints) [default: the systems of the data set]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = name)]
    pub systems: Vec<String>,
    /// Number of best systems sought [default: 1]
    #[arg(long, value_name = "K", value_parser = keys::flag::<MinimumInteger<1, 1>>)]
    pub top: Option<MinimumInteger<1, 1>>,
    /// Stop at a system whose mean no other one exceeds by more than this [default: 0]
    #[arg(long, value_name = "E", value_parser = keys::flag::<NonNegativeNumber>)]
    pub epsilon: Option<NonNegativeNumber>,
    /// Score items again and again, anew each time, where scores are noisy
    #[arg(long)]
    pub repeated: bool,
}

/// The settings that only a race has.
const OWN: [&str; 5] = ["range", "systems", "top", "epsilon", "repeated"];
/// The settings of `ask` that a race has too.
const SHARED: [&str; 10] = [
    "run",
    "data",
    "column",
    "task",
    "n",
    "again",
    "out",
    "items",
    "budget",
    "confidence",
];

/// Whether `ask` is about a race. Settings of campaigns that ask people are refused then.
///
/// # Errors
/// If there is a campaign of the other kind, or such a setting is given.
pub(super) fn is_meant(command: &Command<'_>, args: &AskArgs) -> Result<bool> {
    if !race::is_race(&args.campaign.run, args.campaign.task.as_deref())? {
        return Ok(false);
    }
    let people = <AskArgs as Args>::augment_args(clap::Command::new("ask"));
    let mut settings = people
        .get_arguments()
        .map(|arg| arg.get_id().as_str().replace('_', "-"));
    let wrong = settings.find(|key| {
        !OWN.contains(&key.as_str())
            && !SHARED.contains(&key.as_str())
            && is_given(command.matches, key)
    });
    match wrong {
        Some(key) => Err(Error::key(&key, "this is no setting of a race by scores")),
        None => Ok(true),
    }
}

/// Refuses a race, and its settings, where people are asked.
///
/// # Errors
/// With what to type instead.
pub(super) fn refuse(run: &Path, task: Option<&str>, matches: &ArgMatches) -> Result<()> {
    if race::is_race(run, task)? {
        let what = format!(
            "{}: here is a race by scores, in which no people are asked",
            run.display()
        );
        let run = path_argument(run);
        return Err(Error::usage(what).with_hint(Message::except_in_python(
            format!("it goes on with `tiebreak ask {run}`, and `tiebreak tell {run} FILE`"),
            "it goes on with `tb.race`".to_string(),
        )));
    }
    match OWN.into_iter().find(|key| is_given(matches, key)) {
        Some(key) => Err(Error::key(key, "this is a setting of a race by scores")
            .with_hint(message!("begin one with {}", Key("task").set(race::TASK)))),
        None => Ok(()),
    }
}

/// Asks for the next scores and returns what goes to standard output.
pub(super) fn ask(command: &Command<'_>, args: &AskArgs) -> Result<String> {
    let (campaign, own) = (&args.campaign, &args.race);
    let given = |key| is_given(command.matches, key);
    let draws = match (own.repeated, campaign.items) {
        (true, Some(ItemScope::LikeThese)) => {
            let what = "scoring these items again and again says nothing about others like them";
            return Err(Error::key("repeated", what).with_hint(message!(
                "leave out {} or {}",
                Key("repeated"),
                Key("items")
            )));
        }
        (true, _) => Some(RaceItems::Repeated),
        (false, Some(ItemScope::LikeThese)) => Some(RaceItems::LikeThese),
        (false, Some(ItemScope::These)) => Some(RaceItems::These),
        (false, None) => None,
    };
    let choices = &campaign.choices;
    let request = RaceRequest {
        data: campaign
            .data
            .as_deref()
            .map(|data| (data, &campaign.column[..])),
        systems: own.systems.clone(),
        range: own.range.map(ScaleRange::value),
        top: own.top.map(|top| top.value() as usize),
        epsilon: own.epsilon.map(NonNegativeNumber::value),
        draws,
        confidence: given("confidence").then(|| choices.confidence.value()),
        budget: choices.budget.filter(|_| given("budget")).map(Count::value),
        seed: command.seed,
    };
    let tasks = TaskRequest {
        n: args.n.map(|n| n as usize),
        again: args.again,
        out: args.out.as_deref(),
    };
    let (status, printed) = race::ask(command.context, &campaign.run, &request, tasks)?;
    match printed.is_empty() || command.json {
        true => shown(command.json, &status, RaceStatus::render),
        false => Ok(printed.trim_end().to_string()),
    }
}

/// Reads scores and returns what goes to standard output.
pub(super) fn tell(command: &Command<'_>, args: &TellArgs) -> Result<String> {
    let people = [
        ("annotator", args.annotator.is_some()),
        ("data", args.data.is_some()),
    ];
    if let Some((key, _)) = people.into_iter().find(|one| one.1) {
        return Err(Error::key(key, "this is no setting of a race by scores"));
    }
    let status = race::tell(command.context, &args.run, &args.sheets, args.take_back)?;
    shown(command.json, &status, RaceStatus::render)
}
