//! The command line: verbs and flags in, text out. The only module that prints.

mod annotators;
mod args;
mod assess;
mod check;
mod completions;
mod correlate;
mod estimate;
mod export;
mod fault;
mod fit;
mod import;
#[cfg(feature = "judges")]
mod judge;
mod list;
mod live;
mod man;
mod out;
mod paint;
mod people;
mod plan;
mod predict;
mod rank;
mod report;
mod run;
mod score;
#[cfg(feature = "serve")]
mod serve;
mod signals;
mod simulate;
mod slips;
mod terminal;
mod values;
mod verbs;
mod version;
mod way;
mod wrap;

use args::{Cli, Common};
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use signals::STOP;
use std::error::Error as _;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::sync::atomic::AtomicBool;
use terminal::Terminal;
use tiebreak_base::error::{Audience, Error, Key, Result};
use tiebreak_base::layout::visible;
use tiebreak_base::limits;
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::{Cache, Env};
use tiebreak_stages::engine::{Context, ProgressReporter};

/// Parses the arguments, of which the first is the program's name, runs the command, prints the result, and
/// returns the exit code. `commit` is the commit that the program was built from.
pub fn main(commit: Option<&str>, arguments: &[OsString]) -> u8 {
    let command =
        numbers_may_be_negative(Cli::command()).version(version::line(commit).leak() as &str);
    let parsed = slips::parse(&command, arguments);
    let parsed =
        parsed.and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(shown) => {
            let code = show(&shown);
            if let Some(meant) = slips::hint(&command, &shown, arguments) {
                hint(&meant);
            }
            return code;
        }
    };
    fault::silence();
    let out = out::OutputTarget::from_matches(&matches);
    let audience = cli.verb.audience();
    let result = fault::contain(|| {
        prepare(&cli.common)?;
        let terminal = Terminal::new(cli.common.quiet, audience);
        let json = cli.common.json;
        let text = work(&cli, &matches, &out, &terminal, &STOP)?;
        // Output for programs is not fitted to the terminal.
        if json || out.is_stream() {
            return Ok(text);
        }
        let text = visible(&text);
        let text = match wrap::width() {
            Some(width) => wrap::fitted(&text, width),
            None => text,
        };
        Ok(match paint::wanted() {
            true => paint::painted(&text),
            false => text,
        })
    });
    match result.and_then(|text| print(&text)) {
        Ok(()) => 0,
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

/// Prints the help that was asked for, or what is wrong with the arguments, and returns the exit code.
fn show(shown: &clap::Error) -> u8 {
    let text = shown.to_string();
    let printed = match visible(&text) == text {
        true => shown.print(),
        // Arguments are repeated as they were typed.
        false => write!(std::io::stderr(), "{}", visible(&text)),
    };
    // A closed pipe has nobody to be told.
    let _ = printed;
    u8::try_from(shown.exit_code()).unwrap_or(1)
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
    let parsed = numbers_may_be_negative(Cli::command()).try_get_matches_from(all);
    let parsed =
        parsed.and_then(|matches| Cli::from_arg_matches(&matches).map(|cli| (cli, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(shown) if !shown.use_stderr() => return Ok(shown.to_string()),
        Err(wrong) => return Err(misused(&wrong)),
    };
    let out = out::OutputTarget::from_matches(&matches);
    work(&cli, &matches, &out, progress, stop)
}

/// The error for invalid arguments: about a key where it is about a flag.
fn misused(wrong: &clap::Error) -> Error {
    let flag = |kind| match wrong.get(kind) {
        Some(ContextValue::String(typed)) => typed.strip_prefix("--")?.split(' ').next(),
        _ => None,
    };
    match (wrong.kind(), flag(ContextKind::InvalidArg), wrong.source()) {
        (clap::error::ErrorKind::UnknownArgument, Some(key), _) => {
            let error = Error::usage(message!("unknown key {}", Key(key)));
            match flag(ContextKind::SuggestedArg) {
                Some(near) => error.with_hint(message!("did you mean {}?", Key(near))),
                None => error,
            }
        }
        (clap::error::ErrorKind::ValueValidation, Some(key), Some(why)) => {
            Error::key(key, why.to_string())
        }
        _ => {
            let text = wrong.to_string();
            Error::usage(text.trim_start_matches("error: ").trim_end())
        }
    }
}

/// Lets numbers below 0 be values, in or out of range, and never unknown flags.
fn numbers_may_be_negative(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(numbers_may_be_negative)
}

fn work(
    cli: &Cli,
    matches: &ArgMatches,
    out: &out::OutputTarget<'_>,
    progress: &dyn ProgressReporter,
    stop: &AtomicBool,
) -> Result<String> {
    let context = context(&cli.common, progress, stop);
    let given = matches.subcommand().map_or(matches, |(_, given)| given);
    let way = out.prepare(cli.common.force, progress)?;
    let command = verbs::Command::new(&context, &cli.common, given);
    let text = verbs::act(&command, &cli.verb);
    drop(way);
    let text = text?;
    out.announce(progress);
    Ok(text)
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

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_stages::engine::SilentProgress;

    #[test]
    fn a_wrong_flag_is_a_wrong_key_to_another_program() {
        let shown = |flag: &str, value: &str| {
            let words = ["ask", "run", "data", flag, value].map(OsString::from);
            let error = command(&words, &SilentProgress, &AtomicBool::new(false)).unwrap_err();
            let hint = error.advice();
            let hint = hint.map(|hint| hint.shown_to(Audience::Python).to_string());
            (error.shown_to(Audience::Python), hint)
        };
        let near = Some("did you mean `bandit=`?".to_string());
        assert_eq!(
            shown("--bandits", "dts"),
            ("unknown key `bandits=`".to_string(), near)
        );
        let told = "confidence: 2, expected a number between 0 and 1";
        assert_eq!(shown("--confidence", "2"), (told.to_string(), None));
    }
}
