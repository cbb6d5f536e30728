//! The keys of all commands as data, for programs that offer them under the same names.

use super::args::{Cli, DataArgs};
use clap::{Arg, ArgAction, Args as _, CommandFactory};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A key of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandKey {
    /// The name, as its flag has it after the dashes.
    pub key: String,
    /// The help.
    pub help: String,
    /// Whether the key stands for itself, without a value.
    pub is_switch: bool,
    /// Whether it may be given several times.
    pub is_list: bool,
}

/// Returns the keys of every command, by its name; a command of a command has both names. What says where data and
/// results lie is left out: programs have these in memory.
pub fn command_keys() -> BTreeMap<String, Vec<CommandKey>> {
    let reading = DataArgs::augment_args(clap::Command::new("data"));
    let mut others: BTreeSet<&str> = reading
        .get_arguments()
        .map(|arg| arg.get_id().as_str())
        .collect();
    others.insert("out");
    let mut all = BTreeMap::new();
    for command in Cli::command().get_subcommands() {
        let mut add = |name: String, command: &clap::Command| {
            let keys = command.get_arguments();
            let keys =
                keys.filter(|arg| !others.contains(arg.get_id().as_str()) && !arg.is_global_set());
            all.insert(name, keys.filter_map(key).collect());
        };
        let name = command.get_name();
        match command.has_subcommands() {
            true => command
                .get_subcommands()
                .for_each(|one| add(format!("{name} {}", one.get_name()), one)),
            false => add(name.to_string(), command),
        }
    }
    all
}

fn key(arg: &Arg) -> Option<CommandKey> {
    Some(CommandKey {
        key: arg.get_long()?.to_string(),
        help: arg.get_help().map(ToString::to_string).unwrap_or_default(),
        is_switch: !arg.get_action().takes_values(),
        is_list: matches!(arg.get_action(), ArgAction::Append),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_stages::stages::STAGES;

    #[test]
    fn every_key_of_every_stage_is_among_them() {
        let all = command_keys();
        for stage in STAGES {
            let command = if stage.name == "fit" {
                "fit link"
            } else {
                stage.name
            };
            let listed: Vec<&str> = all[command].iter().map(|one| one.key.as_str()).collect();
            for key in (stage.keys)() {
                assert!(listed.contains(&key.as_str()), "{command}: {key}");
            }
            assert!(
                !listed.contains(&"out") && !listed.contains(&"json"),
                "{command}"
            );
        }
        assert!(all["simulate"].iter().all(|one| !one.help.is_empty()));
        let is_list =
            |command: &str, key: &str| all[command].iter().any(|one| one.key == key && one.is_list);
        assert!(is_list("correlate", "metric") && !is_list("estimate", "range"));
    }
}
