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
mod terminal;
mod values;
mod verbs;
mod version;
mod way;
mod wrap;

use args::{Cli, Common};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use signals::STOP;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::sync::atomic::AtomicBool;
use terminal::Terminal;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::visible;
use tiebreak_base::limits;
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::{Cache, Env};
use tiebreak_stages::engine::{Context, ProgressReporter};
use tiebreak_stages::stages::STAGES;

/// Parses the arguments, of which the first is the program's name, runs the command, prints the result, and
/// returns the exit code. `commit` is the commit that the program was built from.
pub fn main(commit: Option<&str>, arguments: &[OsString]) -> u8 {
    let matches = numbers_may_be_negative(Cli::command())
        .version(version::line(commit).leak() as &str)
        .get_matches_from(arguments);
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    fault::silence();
    let out = out::OutputTarget::from_matches(&matches);
    let result = fault::contain(|| {
        prepare(&cli.common)?;
        let terminal = Terminal::new(cli.common.quiet);
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
            let code = fail(&error);
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
        Err(wrong) => {
            let text = wrong.to_string();
            return Err(Error::usage(text.trim_start_matches("error: ").trim_end()));
        }
    };
    let out = out::OutputTarget::from_matches(&matches);
    work(&cli, &matches, &out, progress, stop)
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

fn fail(error: &Error) -> u8 {
    // On the command line the place of a key is its flag.
    let (flag, told): (_, fn(&str) -> String) = match error {
        Error::Key { .. } => ("--", flags),
        _ => ("", str::to_string),
    };
    let _ = writeln!(
        std::io::stderr(),
        "error: {flag}{}",
        visible(&told(&error.to_string()))
    );
    if let Some(text) = error.hint() {
        hint(&told(&text));
    }
    error.exit_code()
}

fn hint(text: &str) {
    let _ = writeln!(std::io::stderr(), "hint: {}", visible(text));
}

/// A text about keys, `key`, as one about flags, --key; but for one about a name that nothing has.
fn flags(text: &str) -> String {
    if text.contains(": unknown ") {
        return text.to_string();
    }
    let keys: Vec<String> = STAGES.iter().flat_map(|entry| (entry.keys)()).collect();
    keys.iter().fold(text.to_string(), |text, key| {
        text.replace(&format!("`{key}`"), &format!("--{key}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_as_flags() {
        let text = "leave out `mix` or name a `model`, not `cedar`";
        assert_eq!(
            flags(text),
            "leave out --mix or name a --model, not `cedar`"
        );
        let unknown = "link: unknown link `model`";
        assert_eq!(flags(unknown), unknown);
    }
}
