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
mod habits;
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
mod sample;
mod score;
#[cfg(feature = "serve")]
mod serve;
mod signals;
mod simulate;
mod terminal;
mod values;
mod verbs;
mod version;
mod wrap;

use crate::engine::Context;
use crate::env::Env;
use crate::error::{Error, Result};
use crate::layout::visible;
use crate::limits;
use crate::rng::Seed;
use crate::stages::STAGES;
use args::{Cli, Common};
use clap::{CommandFactory, FromArgMatches};
use signals::STOP;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use terminal::Terminal;

/// Parses the arguments, does what they ask, prints the result, and says how it went. `commit` is what the
/// program was built from.
pub fn main(commit: Option<&str>) -> ExitCode {
    if let Some(error) = habits::moved(std::env::args().skip(1)) {
        return fail(&error);
    }
    let matches = Cli::command()
        .version(version::line(commit).leak() as &str)
        .get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    fault::silence();
    let out = out::Out::of(&matches);
    let result = fault::contain(|| {
        prepare(&cli.common)?;
        let terminal = Terminal::new(cli.common.quiet);
        let context = context(&cli.common, &terminal);
        let json = cli.common.json;
        let given = matches.subcommand().map_or(&matches, |(_, given)| given);
        out.prepare(cli.common.force, &terminal)?;
        let text = verbs::run(&context, cli, given)?;
        out.tell(&terminal);
        // What programs read is what it is.
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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = fail(&error);
            if matches!(error, Error::Interrupted) && out.continues() {
                hint("run the same command again to continue");
            }
            code
        }
    }
}

fn prepare(common: &Common) -> Result<()> {
    limits::set(common.limit_memory.0);
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        pool.build_global().map_err(Error::failed)?;
    }
    signals::listen()
}

fn context<'a>(common: &Common, terminal: &'a Terminal) -> Context<'a> {
    let seed = common.seed.map_or_else(Seed::default, Seed);
    Context {
        seed,
        env: Env {
            models: common.models.clone(),
            device: common.device,
            seed,
            ..Env::default()
        },
        progress: terminal,
        stop: &STOP,
    }
}

/// A closed pipe (`tiebreak … | head`) is success: whoever reads has what they wanted.
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

fn fail(error: &Error) -> ExitCode {
    // Here the place of a key is its flag.
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
    ExitCode::from(error.exit_code())
}

fn hint(text: &str) {
    let _ = writeln!(std::io::stderr(), "hint: {}", visible(text));
}

/// A text about keys, `key`, as one about flags, --key.
fn flags(text: &str) -> String {
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
    }
}
