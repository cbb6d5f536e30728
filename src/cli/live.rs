//! `tiebreak ask` and `tiebreak tell`: questions out to people as sheets, filled sheets back.

use super::race::{self, RaceArgs};
use super::values::pair;
use super::verbs::{Command, is_given, override_keys, shown};
use super::wrap;
use crate::campaign::race::is_race;
use crate::campaign::session::{CampaignSession, with_session};
use crate::campaign::task::{Protocol, Task};
use crate::campaign::{
    AnnotatorRoster, CampaignStatus, Form, KeyChanges, OpenCampaign, Overlap, Sampling,
    ScopeRequest, SheetRequest, SheetsReturned, TerminalRequest,
};
use clap::{ArgMatches, Args};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Result, is_there, text_of};
use tiebreak_base::keys::{self, Keys, MinimumInteger, Share};
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::{ItemScope, PeopleScope};
use tiebreak_stages::engine::Context;
use tiebreak_stages::stages::simulate::Choices;

/// `tiebreak ask`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak ask run data/mt-bench --n 20 --out questions.csv    # then fill it in: tiebreak help tell\n  \
tiebreak ask run mine                                        # here, at the terminal\n  \
tiebreak ask run mine --annotators ana,ben,cy --out sheets   # a sheet for each\n  \
tiebreak ask run mine --panel --n 10 --out ana.csv           # one sheet for each new annotator\n  \
tiebreak ask run mine --task score --range 0,1 --out a.jsonl  # the best by a program's scores",
    after_help = "A sheet has a row for each question: two texts and an empty column `answer`. Fill in 1 (the first is \
better), 2 (the second), tie, both bad or skip. Systems are not named; sides and order are random. Give the options \
of a campaign once, when it begins.\n\n\
Decide before the first question whose preferences count. By default all answers are one person's. --annotators is \
about the people you name, --panel about people like those you draw."
)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub campaign: CampaignArgs,
    #[command(flatten)]
    pub race: RaceArgs,
    /// The annotators, named before the first question, or a file with a name a line; questions are assigned to
    /// them at random
    #[arg(
        long,
        value_name = "NAME,…|FILE",
        value_delimiter = ',',
        conflicts_with = "panel"
    )]
    pub annotators: Vec<String>,
    /// New annotators: this sheet and each later one is for a new person, and claims are about people like them
    #[arg(long)]
    pub panel: bool,
    /// Who answers at the terminal
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    pub annotator: Option<String>,
    /// Number of new questions [default: 20, scores 100, with --again none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub n: Option<u32>,
    /// Write the open questions again; where none is open, the skipped ones
    #[arg(long)]
    pub again: bool,
    /// Write pages instead of sheets: files that people open in a browser and save their answers from; no server
    #[arg(long, conflicts_with = "form")]
    pub page: bool,
    /// Write tasks for another annotation tool: appraise, label-studio, pearmut or potato; `tell` reads its export
    #[arg(long = "as", id = "form", value_name = "TOOL")]
    pub form: Option<String>,
    /// The new sheet (.csv, .tsv, .jsonl), with --annotators also a folder; without it questions are asked at the
    /// terminal
    #[arg(long, value_name = "FILE|FOLDER")]
    pub out: Option<PathBuf>,
}

/// Which campaign, and what it asks.
#[derive(Debug, Args)]
pub(crate) struct CampaignArgs {
    /// The folder of the campaign, new or begun
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The data set: for a new campaign, or where it has moved
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// Read a column that has another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// The task: pairwise, rating, post-edit, question-answering, a file, or criteria such as
    /// rating:adequacy=0..100,tone=1..5; ask: score (a race)
    #[arg(long, value_name = "NAME|FILE")]
    pub task: Option<String>,
    /// Let another list of annotators begin the evidence anew
    #[arg(long, requires = "annotators")]
    pub anew: bool,
    #[command(flatten)]
    pub shared: OverlapArgs,
    /// Whose preferences count: `these` annotators (ratings by eight or more show others too), `new-annotators` (pairs:
    /// --panel or --open), or `both`
    #[arg(long, value_name = "WHOSE", value_parser = keys::flag::<PeopleScope>)]
    pub people: Option<PeopleScope>,
    /// Which items count: `these` (the default of pairs), or `like-these` (the default of ratings)
    #[arg(long, value_name = "WHICH", value_parser = keys::flag::<ItemScope>)]
    pub items: Option<ItemScope>,
    #[command(flatten)]
    pub choices: Choices,
    #[command(flatten)]
    pub sampling: Sampling,
}

/// Which questions several people answer.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct OverlapArgs {
    /// Share of questions, drawn at random, that several annotators answer. The first assignment counts for claims,
    /// the others show agreement
    #[arg(long, value_name = "SHARE", value_parser = keys::flag::<Share>)]
    pub overlap: Option<Share>,
    /// How many annotators answer such a question [default: 2]
    #[arg(long, value_name = "N", value_parser = keys::flag::<MinimumInteger<2, 2>>)]
    pub per_question: Option<MinimumInteger<2, 2>>,
}

impl OverlapArgs {
    /// Returns the overlap of a campaign.
    ///
    /// # Errors
    /// For a share or a number that cannot be.
    pub(super) fn overlap(self) -> Result<Option<Overlap>> {
        let people = self.per_question.map(|people| people.value() as usize);
        Overlap::new(self.overlap.map(Share::value), people)
    }
}

/// `tiebreak tell`
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:\n  \
tiebreak tell run questions.csv\n  \
tiebreak tell run sheets/ --annotator ana        # sheets that do not name their annotator\n  \
tiebreak tell run questions.csv --take-back      # these answers, or scores, were a mistake",
    after_help = "The columns `question` and `answer` of the sheet are needed; `annotator` and `seconds` are kept. Rows may be \
missing, unanswered, or in any order. If anything is wrong, no sheet is read. Reading a sheet twice is harmless. \
Pages save a file that is read here. Other annotation tools export theirs (of potato its whole project folder)."
)]
pub(crate) struct TellArgs {
    /// The folder of the campaign
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// What came back: filled sheets, files that pages saved (.json), a folder of these, exports of other
    /// annotation tools
    #[arg(value_name = "SHEET", required = true)]
    pub sheets: Vec<PathBuf>,
    /// Who filled them in, where the sheets do not name their annotator
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
    /// Take back the answers of these sheets, which were read under a wrong name or by mistake; of a race the scores
    #[arg(long)]
    pub take_back: bool,
    /// The data set, where it has moved
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
}

/// Writes the next questions and returns what goes to standard output.
pub(super) fn ask(command: &Command<'_>, args: &AskArgs) -> Result<String> {
    if race::is_meant(command, args)? {
        return race::ask(command, args);
    }
    let people = annotator_roster(args.panel, &args.annotators)?;
    let campaign = &args.campaign;
    let task = campaign.task.as_deref();
    let asking = match &args.out {
        Some(out) => Some(SheetRequest {
            n: args.n.map(|n| n as usize),
            again: args.again,
            out,
            form: Form::choose(out, args.page, args.form.as_deref())?,
            task,
        }),
        None if args.n.is_some() || args.again || args.page || args.form.is_some() => {
            let what = "--n, --again, --page and --as are for a sheet, and none is named";
            return Err(Error::usage(what).with_hint("name one: --out questions.csv"));
        }
        None => None,
    };
    let place = campaign.selection(people)?;
    let seat = TerminalRequest {
        annotator: args.annotator.as_deref(),
        task,
        fit: &|text| wrap::on_terminal(text),
    };
    match asking {
        Some(asking) => place.enter(command, |context, call| asking.perform(context, call)),
        None => place.enter(command, |context, call| seat.perform(context, call)),
    }
}

/// A campaign, with the arguments given for it.
pub(super) struct CampaignSelection<'a> {
    run: &'a Path,
    data: Option<&'a Path>,
    columns: &'a [(String, String)],
    people: Option<AnnotatorRoster>,
    overlap: Option<Overlap>,
    scope: ScopeRequest,
    /// The flags that decide what it asks, where they may be given.
    flags: Option<&'a CampaignArgs>,
}

impl<'a> CampaignSelection<'a> {
    /// Selects a campaign as it was begun.
    pub(super) fn of_run(run: &'a Path) -> Self {
        Self {
            run,
            data: None,
            columns: &[],
            people: None,
            overlap: None,
            scope: ScopeRequest::default(),
            flags: None,
        }
    }

    /// Selects a campaign as it was begun, whose data set may have moved.
    pub(super) fn moved(run: &'a Path, data: Option<&'a Path>) -> Self {
        Self {
            data,
            ..Self::of_run(run)
        }
    }

    /// Performs an action on the campaign; returns what goes to standard output.
    pub(super) fn enter(
        self,
        command: &Command<'_>,
        action: impl FnOnce(&Context<'_>, &OpenCampaign<'_>) -> Result<CampaignStatus>,
    ) -> Result<String> {
        let status = self.call(command, action)?;
        shown(command.json, &status, CampaignStatus::render)
    }

    fn call<T>(
        self,
        command: &Command<'_>,
        action: impl FnOnce(&Context<'_>, &OpenCampaign<'_>) -> Result<T>,
    ) -> Result<T> {
        let (flags, matches) = (self.flags, command.matches);
        let pairs = |keys: &mut Choices| match flags {
            Some(flags) => flags.change_pairs(matches, keys),
            None => Ok(()),
        };
        let ratings = |keys: &mut Sampling| match flags {
            Some(flags) => flags.change_ratings(matches, keys),
            None => Ok(()),
        };
        let task = flags.and_then(|flags| flags.task.as_deref());
        race::refuse(self.run, task, matches)?;
        let call = OpenCampaign {
            run: self.run,
            data: self.data,
            columns: self.columns,
            seed: command.seed.map(Seed),
            people: self.people,
            anew: flags.is_some_and(|flags| flags.anew),
            overlap: self.overlap,
            scope: self.scope,
            change: match Task::wanted(self.run, task)?.protocol {
                Protocol::Pairwise => KeyChanges::Pairs(&pairs),
                _ => KeyChanges::Ratings(&ratings),
            },
        };
        action(command.context, &call)
    }
}

/// Opens or begins a campaign and works with its session.
pub(super) fn with_campaign<T>(
    command: &Command<'_>,
    args: &AskArgs,
    work: impl FnOnce(&mut CampaignSession<'_>) -> Result<T>,
) -> Result<T> {
    let people = annotator_roster(args.panel, &args.annotators)?;
    let task = args.campaign.task.as_deref();
    let place = args.campaign.selection(people)?;
    place.call(command, |context, call| {
        with_session(context, call, task, work)
    })
}

impl CampaignArgs {
    pub(super) fn selection(
        &self,
        people: Option<AnnotatorRoster>,
    ) -> Result<CampaignSelection<'_>> {
        Ok(CampaignSelection {
            run: &self.run,
            data: self.data.as_deref(),
            columns: &self.column,
            people,
            overlap: self.shared.overlap()?,
            scope: ScopeRequest {
                people: self.people,
                items: self.items,
            },
            flags: Some(self),
        })
    }

    /// Replaces keys that a campaign of pairs was begun with by those that are given.
    fn change_pairs(&self, matches: &ArgMatches, keys: &mut Choices) -> Result<()> {
        check_flags::<Sampling>(matches, "a campaign of pairs")?;
        override_keys(matches, keys, &self.choices)
    }

    /// Replaces keys of a campaign of ratings. Two of them are flags that campaigns of pairs have too.
    fn change_ratings(&self, matches: &ArgMatches, keys: &mut Sampling) -> Result<()> {
        check_flags::<Choices>(matches, "a campaign of ratings")?;
        let flags = Sampling {
            budget: self.choices.budget,
            confidence: self.choices.confidence,
            ..self.sampling.clone()
        };
        override_keys(matches, keys, &flags)
    }
}

/// Refuses flags of the other kind of campaign.
fn check_flags<Others: Keys>(matches: &ArgMatches, what: &str) -> Result<()> {
    let shared = ["budget", "confidence"];
    let mut others = Others::names().into_iter();
    let given = others.find(|key| !shared.contains(&key.as_str()) && is_given(matches, key));
    match given {
        Some(key) => Err(Error::key(&key, format!("this is no setting of {what}"))
            .with_hint("the task says which it is: --task pairwise, or rating, post-edit, question-answering")),
        None => Ok(()),
    }
}

/// Reads filled sheets and returns what goes to standard output.
pub(super) fn read_sheets(command: &Command<'_>, args: &TellArgs) -> Result<String> {
    if is_race(&args.run, None)? {
        return race::tell(command, args);
    }
    let place = CampaignSelection::moved(&args.run, args.data.as_deref());
    let telling = SheetsReturned {
        sheets: &args.sheets,
        annotator: args.annotator.as_deref(),
        take_back: args.take_back,
    };
    place.enter(command, |context, call| telling.perform(context, call))
}

/// Whether a name is rather that of a file.
fn looks_like_file(name: &str) -> bool {
    let ending = Path::new(name).extension();
    let is_of_list = |ending: &str| ["txt", "csv", "tsv", "list"].contains(&ending);
    name.contains(std::path::is_separator)
        || ending.and_then(|it| it.to_str()).is_some_and(is_of_list)
}

/// Returns the annotators: a panel, or a list by names or by a file with a name a line; `None` if not given.
pub(super) fn annotator_roster(panel: bool, given: &[String]) -> Result<Option<AnnotatorRoster>> {
    if panel {
        return Ok(Some(AnnotatorRoster::Panel));
    }
    let names = match given {
        [] => return Ok(None),
        [file] if is_there(Path::new(file)) && !Path::new(file).is_dir() => {
            let text = text_of(Path::new(file))?;
            let text = text.trim_start_matches('\u{feff}');
            text.lines().map(str::to_string).collect()
        }
        [file] if looks_like_file(file) => {
            let what = format!("{} {file}: no such file", Flag("annotators"));
            return Err(Error::usage(what).with_hint(
                "a file has a name a line; names by themselves are separated by commas: ana,ben",
            ));
        }
        names => names.to_vec(),
    };
    let names = names.iter().map(|name| name.trim().to_string());
    Ok(Some(AnnotatorRoster::List(
        names.filter(|name| !name.is_empty()).collect(),
    )))
}
