//! The command line: verbs and flags in, text out. The only module that prints.

mod annotators;
mod args;
mod assess;
mod browser;
mod check;
mod completions;
mod correlate;
mod demo;
mod estimate;
mod export;
mod fault;
mod fit;
mod gate;
mod help;
mod import;
#[cfg(feature = "judges")]
mod judge;
mod keys;
mod list;
mod live;
mod man;
mod out;
mod paint;
mod people;
mod plan;
mod predict;
mod race;
mod rank;
mod report;
mod run;
mod sacrebleu;
mod score;
#[cfg(feature = "serve")]
mod serve;
mod signals;
mod simulate;
mod slips;
mod terminal;
mod typos;
mod values;
mod verbs;
mod version;
#[cfg(feature = "serve")]
mod view;
mod way;
mod wrap;

use crate::campaign::session::CampaignSession;
use args::{Cli, Common};
use clap::error::ErrorKind as ClapKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
pub use keys::command_keys;
use signals::STOP;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::sync::atomic::AtomicBool;
use terminal::Terminal;
use tiebreak_base::error::{Audience, Error, Result};
use tiebreak_base::layout::visible;
use tiebreak_base::limits;
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::{Cache, Env};
use tiebreak_stages::engine::{Context, ProgressReporter};
use verbs::{CommandOutcome, Verb};

/// Parses the arguments, beginning with the program's name, runs the command, prints the result, and returns the
/// exit code. `commit` is the commit that the program was built from.
pub fn main(commit: Option<&str>, arguments: &[OsString]) -> u8 {
    let (cli, matches) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(shown) => return show(&shown, arguments),
    };
    fault::silence();
    let Some(verb) = cli.verb.as_ref().filter(|_| !cli.version) else {
        return without_verb(&cli, commit);
    };
    let out = out::OutputTarget::from_matches(&matches);
    let audience = verb.audience();
    let result = fault::contain(|| {
        prepare(&cli.common)?;
        let terminal = Terminal::new(cli.common.quiet, audience);
        let (text, code) = work(&cli.common, verb, &matches, &out, &terminal, &STOP)?;
        // Output for programs is not fitted to the terminal, and help is already.
        let is_ready = cli.common.json || out.is_stream() || verb.is_ready();
        Ok(match is_ready {
            true => (text, code),
            false => (fitted(&text), code),
        })
    });
    match result.and_then(|(text, code)| print(&text).map(|()| code)) {
        Ok(code) => code,
        Err(error) => {
            let code = fail(&error, audience);
            if matches!(error, Error::Interrupted) && out.continues() {
                hint(match cli.common.force {
                    true => "what was begun goes on with the same command without --force",
                    false => "run the same command again to continue",
                });
            }
            code
        }
    }
}

/// Fits a text for people to the terminal, if it goes to one.
fn fitted(text: &str) -> String {
    let text = visible(text);
    let text = match wrap::width() {
        Some(width) => wrap::fitted(&text, width),
        None => text,
    };
    match paint::wanted() {
        true => paint::painted(&text),
        false => text,
    }
}

/// Parses the arguments, beginning with the program's name. Help that is asked for is an error, whose text is the
/// [path](help::with_paths) of the command.
fn parse(arguments: &[OsString]) -> std::result::Result<(Cli, ArgMatches), clap::Error> {
    let command = || help::with_paths(numbers_may_be_negative(Cli::command()));
    let matches = slips::parse(command, &sacrebleu::spelled(arguments)?)?;
    let cli = Cli::from_arg_matches(&matches)?;
    Ok((cli, matches))
}

/// Prints the version, or the first page where there is no command to run; returns the exit code.
fn without_verb(cli: &Cli, commit: Option<&str>) -> u8 {
    if !cli.version {
        let _ = write!(std::io::stderr(), "{}", help::FIRST_PAGE);
        return Error::usage("no command is given").exit_code();
    }
    let text = match cli.verbose {
        true => version::verbose(commit, &cli.common.models, indexes(&cli.common).as_ref()),
        false => version::line(commit),
    };
    printed(&text)
}

/// Prints the help that was asked for, or what is wrong with the arguments, and returns the exit code.
fn show(shown: &clap::Error, arguments: &[OsString]) -> u8 {
    match shown.kind() {
        ClapKind::DisplayHelp => printed(&help::page(shown.to_string().trim()).unwrap_or_default()),
        _ => fail(&typos::misuse(shown, arguments), Audience::Terminal),
    }
}

/// Runs a command inside another program and returns what would go to standard output. The arguments are
/// those after the program's name.
///
/// # Errors
/// [`Error::Usage`] for invalid arguments; those of the command.
pub fn command(
    arguments: &[OsString],
    progress: &dyn ProgressReporter,
    stop: &AtomicBool,
) -> Result<String> {
    let all: Vec<OsString> = std::iter::once("tiebreak".into())
        .chain(arguments.iter().cloned())
        .collect();
    let (cli, matches) = match parse(&all) {
        Ok(parsed) => parsed,
        Err(shown) if shown.kind() == ClapKind::DisplayHelp => {
            return Ok(help::page(shown.to_string().trim()).unwrap_or_default());
        }
        Err(wrong) => return Err(typos::misuse(&wrong, &all)),
    };
    match &cli.verb {
        _ if cli.version => Ok(version::line(None)),
        Some(verb) => {
            let out = out::OutputTarget::from_matches(&matches);
            work(&cli.common, verb, &matches, &out, progress, stop).map(|(text, _)| text)
        }
        None => Err(Error::usage("no command is given").with_hint("`help` lists all commands")),
    }
}

/// Opens or begins the campaign of a command `ask` and works with it; the arguments are those after the program's name.
///
/// # Errors
/// [`Error::Usage`] for invalid arguments; those of the campaign and of the work.
pub fn with_campaign<T>(
    arguments: &[OsString],
    progress: &dyn ProgressReporter,
    stop: &AtomicBool,
    work: impl FnOnce(&mut CampaignSession<'_>) -> Result<T>,
) -> Result<T> {
    let all: Vec<OsString> = ["tiebreak".into(), "ask".into()]
        .into_iter()
        .chain(arguments.iter().cloned())
        .collect();
    let (cli, matches) = parse(&all).map_err(|wrong| typos::misuse(&wrong, &all))?;
    let (Some(Verb::Ask(args)), Some((_, given))) = (&cli.verb, matches.subcommand()) else {
        return Err(Error::usage("the command is not `ask`"));
    };
    let (context, outcome) = (
        context(&cli.common, progress, stop),
        CommandOutcome::default(),
    );
    let command = verbs::Command::new(&context, &cli.common, given, &outcome);
    live::with_campaign(&command, args, work)
}

/// Lets numbers below 0 be values, in or out of range, and never unknown flags.
fn numbers_may_be_negative(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(numbers_may_be_negative)
}

/// Does what was asked; returns what goes to standard output, and the exit code.
fn work(
    common: &Common,
    verb: &Verb,
    matches: &ArgMatches,
    out: &out::OutputTarget<'_>,
    progress: &dyn ProgressReporter,
    stop: &AtomicBool,
) -> Result<(String, u8)> {
    let context = context(common, progress, stop);
    let given = matches.subcommand().map_or(matches, |(_, given)| given);
    let way = out.prepare(common.force, progress)?;
    let outcome = CommandOutcome::default();
    let command = verbs::Command::new(&context, common, given, &outcome);
    let text = verbs::act(&command, verb);
    drop(way);
    let text = text?;
    out.announce(progress, outcome.answered.get());
    Ok((text, outcome.code.get()))
}

fn prepare(common: &Common) -> Result<()> {
    limits::set(common.limit_memory.0);
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        pool.build_global().map_err(Error::failed)?;
    }
    signals::listen()
}

fn context<'a>(
    common: &Common,
    progress: &'a dyn ProgressReporter,
    stop: &'a AtomicBool,
) -> Context<'a> {
    let seed = common.seed.map_or_else(Seed::default, Seed);
    Context {
        seed,
        env: Env {
            models: common.models.clone(),
            device: common.device,
            seed,
            indexes: indexes(common),
            ..Env::default()
        },
        progress,
        stop,
    }
}

/// The cache of indexes, unless it is switched off or the user has no folder for such files.
fn indexes(common: &Common) -> Option<Cache> {
    let own = || dirs::cache_dir().map(|folder| folder.join("tiebreak"));
    let folder = common.indexes.clone().or_else(own)?;
    let most = common.limit_indexes.0;
    (most > 0).then(|| Cache::new(folder, most))
}

/// Prints a text about the program, and returns the exit code.
fn printed(text: &str) -> u8 {
    match print(text) {
        Ok(()) => 0,
        Err(error) => fail(&error, Audience::Terminal),
    }
}

/// Prints the result. A closed pipe (`tiebreak … | head`) is success: its reader has what they wanted.
fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => Err(Error::Write {
            path: "standard output".into(),
            source,
        }),
        _ => Ok(()),
    }
}

fn fail(error: &Error, audience: Audience) -> u8 {
    let what = error.shown_to(audience);
    let _ = writeln!(std::io::stderr(), "error: {}", visible(&what));
    if let Some(advice) = error.advice() {
        hint(advice.shown_to(audience));
    }
    error.exit_code()
}

fn hint(text: &str) {
    let _ = writeln!(std::io::stderr(), "hint: {}", visible(text));
}
