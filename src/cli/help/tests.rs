//! What holds of every page: its examples are commands, and what it names is there.

use super::*;

/// Every command with its path.
fn all() -> Vec<(String, Command)> {
    fn add(path: &str, command: &Command, all: &mut Vec<(String, Command)>) {
        all.push((path.to_string(), command.clone()));
        for inner in command.get_subcommands() {
            let path = [path, inner.get_name()].join(" ");
            add(path.trim(), inner, all);
        }
    }
    let mut all_commands = Vec::new();
    add("", &Cli::command(), &mut all_commands);
    all_commands
}

/// The examples of a command, without comments and what a shell does with the output.
fn examples(command: &Command) -> Vec<String> {
    let text = command.get_before_help().map(ToString::to_string);
    let text = text.unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("  tiebreak "));
    lines
        .map(|line| {
            assert!(line.chars().count() <= 100, "{line}");
            let ends = [" # ", " > ", " | "]
                .into_iter()
                .filter_map(|end| line.find(end));
            line[..ends.min().unwrap_or(line.len())].trim().to_string()
        })
        .collect()
}

#[test]
fn every_example_parses() {
    for (path, command) in all() {
        let examples = examples(&command);
        assert!(examples.len() >= 2, "{path}: {examples:?}");
        for line in examples.iter().chain(&steps()) {
            let words: Vec<std::ffi::OsString> = line.split_whitespace().map(Into::into).collect();
            let parsed = super::super::parse(&words);
            assert!(parsed.is_ok(), "{path}: {line}: {}", parsed.unwrap_err());
        }
    }
}

/// The commands on the first page that can be typed as they are.
fn steps() -> Vec<String> {
    let lines = FIRST_PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("  "));
    lines
        .map(|line| line.split("  ").next().unwrap().to_string())
        .collect()
}

#[test]
fn what_pages_and_topics_name_is_there() {
    let program = all();
    let command = |path: &str| program.iter().find(|(one, _)| one == path);
    for (path, command) in &program {
        let names: Vec<&str> = command
            .get_arguments()
            .map(|arg| arg.get_id().as_str())
            .collect();
        let grouped = pages::groups(path).iter();
        for option in grouped.flat_map(|(_, options)| options.split(',')) {
            assert!(names.contains(&option), "{path}: {option}");
        }
    }
    for topic in &TOPICS {
        let (_, source) = command(topic.source).unwrap();
        let grouped = topic.groups.iter();
        for option in grouped.flat_map(|(_, options)| options.split(',')) {
            let is_there = source.get_arguments().any(|arg| arg.get_id() == option);
            assert!(is_there, "{}: {option}", topic.name);
        }
    }
    // Every command of this build is in a section, and what is not there is of another build.
    let listed = SECTIONS.iter().flat_map(|(_, names)| names.split(','));
    let listed: Vec<&str> = listed.collect();
    for (path, _) in program
        .iter()
        .filter(|(path, _)| !path.is_empty() && !path.contains(' '))
    {
        assert!(listed.contains(&path.as_str()), "{path} is in no section");
    }
}
