//! `tiebreak ask` and `tiebreak tell`: questions out to people as sheets, filled sheets back.

use super::values::pair;
use super::verbs::{given, shown};
use crate::campaign::status::Status;
use crate::campaign::{self, Asking, Call, Form, Named, Telling};
use crate::engine::Context;
use crate::error::{Error, Result};
use crate::rng::Seed;
use crate::stages::simulate::Choices;
use clap::{ArgMatches, Args};
use std::path::PathBuf;

/// `tiebreak ask`
#[derive(Debug, Args)]
#[command(
    after_help = "The sheet has a row for each question: two texts, and an empty column `answer` for\n\
1 (the first text is better), 2 (the second), tie, or skip (never to be answered). Systems are not\n\
named, sides and order are random. Flags of the run are given once, when it is begun.\n\
\n\
Whose preferences a claim is about is settled before the first question:\n  \
one person      nothing said; answers without names are taken to be one person's\n  \
these people    --annotators ana,ben,cy --out sheets   a sheet each, questions dealt at random\n  \
people at large --panel --n 10 --out ana.csv           one sheet a person, nobody twice"
)]
pub struct Ask {
    /// The folder of the run; it is begun where there is none
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The data set: for a new run, or where it has moved
    #[arg(value_name = "DATA")]
    pub data: Option<PathBuf>,
    /// A column under another name
    #[arg(long, value_name = "item=segment_id", value_parser = pair)]
    pub column: Vec<(String, String)>,
    /// Who answers, named before the first question: every question is dealt to one of them at random,
    /// and what is claimed is about them. Given again, it puts another list in its place
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        conflicts_with = "panel"
    )]
    pub annotators: Vec<String>,
    /// People at large answer: this sheet, and each one after it, is for a person newly drawn, and what is
    /// claimed is about people like them
    #[arg(long)]
    pub panel: bool,
    /// New questions [default: 50, with --again none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub n: Option<u32>,
    /// Write the questions that are still open again
    #[arg(long)]
    pub again: bool,
    /// Write pages in the place of sheets: files that people open in a browser, answer in, and save their
    /// answers from; no server, no network
    #[arg(long, conflicts_with = "form")]
    pub page: bool,
    /// Write tasks that another annotation tool imports, and whose export `tell` reads: appraise,
    /// label-studio, pearmut or potato
    #[arg(long = "as", id = "form", value_name = "TOOL")]
    pub form: Option<String>,
    /// What people are asked to do: a file, or a task that comes with tiebreak (pairwise); it is kept as
    /// task.toml in the folder of the run
    #[arg(long, value_name = "NAME|FILE")]
    pub task: Option<String>,
    /// The sheet: a .csv, .tsv or .jsonl file that is not there yet; with --annotators also a folder of
    /// sheets, one a person; without it one person is asked here, at the terminal
    #[arg(long, value_name = "FILE|FOLDER")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub choices: Choices,
}

/// `tiebreak tell`
#[derive(Debug, Args)]
#[command(
    after_help = "Needed are the columns `question` and `answer` of the sheet that `ask` wrote; `annotator` and\n\
`seconds` are kept, others ignored. Rows may be missing, in any order, or without an answer yet. All\n\
sheets are read or, where anything is wrong, none. Telling a sheet twice is harmless. Of pages it is the\n\
file that they save, of other annotation tools what they export (of potato its whole project folder)."
)]
pub struct Tell {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// What came back: filled sheets (.csv, .tsv, .jsonl), files that pages saved (.json), exports of
    /// other annotation tools
    #[arg(value_name = "SHEET", required = true)]
    pub sheets: Vec<PathBuf>,
    /// Who filled them in, where they do not say so themselves
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
    /// The data set, where it has moved
    #[arg(long, value_name = "DATA")]
    pub data: Option<PathBuf>,
}

/// Writes the next questions and returns what goes to standard output.
pub(super) fn ask(
    context: &Context<'_>,
    args: &Ask,
    matches: &ArgMatches,
    seed: Option<u64>,
    json: bool,
) -> Result<String> {
    let list = || args.annotators.iter().map(|name| name.trim().to_string());
    let people = match (args.panel, args.annotators.is_empty()) {
        (true, _) => Some(Named::Panel),
        (false, false) => Some(Named::List(
            list().filter(|name| !name.is_empty()).collect(),
        )),
        (false, true) => None,
    };
    let call = Call {
        run: &args.run,
        data: args.data.as_deref(),
        columns: &args.column,
        seed: seed.map(Seed),
        people,
        change: &|choices| given(matches, choices, &args.choices),
    };
    let Some(out) = &args.out else {
        if args.n.is_some() || args.again || args.page || args.form.is_some() {
            let what = "--n, --again, --page and --as are for a sheet, and none is named";
            return Err(Error::usage(what).with_hint("name one: --out questions.csv"));
        }
        return standing(&campaign::ask_here(context, &call)?, json);
    };
    let asking = Asking {
        n: args.n.map(|n| n as usize),
        again: args.again,
        out,
        form: Form::of(out, args.page, args.form.as_deref())?,
        task: args.task.as_deref(),
    };
    standing(&campaign::ask(context, &call, &asking)?, json)
}

/// Reads filled sheets and returns what goes to standard output.
pub(super) fn tell(
    context: &Context<'_>,
    args: &Tell,
    seed: Option<u64>,
    json: bool,
) -> Result<String> {
    let call = Call {
        run: &args.run,
        data: args.data.as_deref(),
        columns: &[],
        seed: seed.map(Seed),
        people: None,
        change: &|_| Ok(()),
    };
    let telling = Telling {
        sheets: &args.sheets,
        annotator: args.annotator.as_deref(),
    };
    standing(&campaign::tell(context, &call, &telling)?, json)
}

fn standing(status: &Status, json: bool) -> Result<String> {
    shown(json, status, campaign::render)
}
