//! `tiebreak completions`: shell completions, with names of metrics, models and the like.

use super::args::Cli;
use super::verbs;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use tiebreak_base::error::Result;
use tiebreak_decide::bandits::BANDITS;
use tiebreak_decide::estimators::ESTIMATORS;
use tiebreak_encoders::places;
use tiebreak_metrics::metrics::METRICS;
use tiebreak_preference::preference::links::LINKS;

/// `tiebreak completions`
#[derive(Debug, Args)]
#[command(before_help = "Examples:\n  \
tiebreak completions bash > ~/.local/share/bash-completion/completions/tiebreak\n  \
tiebreak completions zsh > ~/.zfunc/_tiebreak          # a folder of $fpath\n  \
tiebreak completions fish > ~/.config/fish/completions/tiebreak.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Returns the script.
pub(super) fn completions(command: &verbs::Command<'_>, args: &CompletionsArgs) -> Result<String> {
    // Clap keeps names for as long as the program runs.
    let models = places::names(command.models)
        .into_iter()
        .map(|name| &*name.leak());
    let models: Vec<&'static str> = models.collect();
    let mut command = with_known_names(Cli::command(), &models);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tiebreak", &mut script);
    String::from_utf8(script).map_err(tiebreak_base::error::Error::failed)
}

/// Adds the names that flags take to the command and its subcommands.
fn with_known_names(command: Command, models: &[&'static str]) -> Command {
    let flags: Vec<String> = command
        .get_arguments()
        .map(|flag| flag.get_id().to_string())
        .collect();
    let command = flags.into_iter().fold(command, |command, flag| {
        match names(&flag, models) {
            names if names.is_empty() => command,
            // While a command is typed in a shell, parameters may still follow a name.
            names => command.mut_arg(flag, |one| {
                one.value_parser(PossibleValuesParser::new(names))
            }),
        }
    });
    command.mut_subcommands(|verb| with_known_names(verb, models))
}

/// Returns the names that a flag takes; none where any name is valid.
fn names(flag: &str, models: &[&'static str]) -> Vec<&'static str> {
    match flag {
        "metric" => METRICS.iter().map(|entry| entry.name).collect(),
        "link" => LINKS.iter().map(|entry| entry.name).collect(),
        "bandit" => BANDITS.iter().map(|entry| entry.name).collect(),
        "estimator" => ESTIMATORS.iter().map(|entry| entry.name).collect(),
        "model" | "base" => models.to_vec(),
        _ => Vec::new(),
    }
}
