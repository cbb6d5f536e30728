//! What holds of every page: its texts are plain, its examples are commands, and what it names is there.

use super::*;
use clap::CommandFactory;

/// The most words of a sentence.
const MOST: usize = 25;

/// Words of one author, which readers of English stumble over.
const PRIVATE: [&str; 14] = [
    "bet",
    "bets",
    "stake",
    "wealth",
    "told",
    "settled",
    "nobody",
    "whoever",
    "whom",
    "beside",
    "shall",
    "certificate",
    "certificates",
    "hopeless",
];

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
        for option in pages::groups(path).iter().flat_map(|(_, options)| *options) {
            assert!(names.contains(option), "{path}: {option}");
        }
    }
    for topic in &TOPICS {
        let (_, source) = command(topic.source).unwrap();
        for option in topic.groups.iter().flat_map(|(_, options)| *options) {
            let is_there = source.get_arguments().any(|arg| arg.get_id() == *option);
            assert!(is_there, "{}: {option}", topic.name);
        }
    }
    // Every command of this build is in a section, and what is not there is of another build.
    let listed: Vec<&str> = SECTIONS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    for (path, _) in program
        .iter()
        .filter(|(path, _)| !path.is_empty() && !path.contains(' '))
    {
        assert!(listed.contains(&path.as_str()), "{path} is in no section");
    }
}

#[test]
fn sentences_are_short_and_plain() {
    let mut wrong = Vec::new();
    for (path, command) in all() {
        let texts = [command.get_about(), command.get_after_help()];
        let helps = command.get_arguments().map(Arg::get_help);
        for text in texts.into_iter().chain(helps).flatten() {
            let text = text.to_string();
            for sentence in sentences(&text) {
                let words: Vec<String> = words(sentence);
                let is_private = words.iter().any(|word| PRIVATE.contains(&word.as_str()));
                if words.len() > MOST || is_private {
                    wrong.push(format!("{path}: {} words: {sentence}", words.len()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The sentences of a text; a default in brackets is one of its own.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split("[default")
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split("; "))
        .flat_map(|part| part.split(": "))
        .flat_map(|part| part.split("\n\n"))
}

fn words(sentence: &str) -> Vec<String> {
    let is_letter = |c: char| c.is_alphanumeric();
    sentence
        .split_whitespace()
        .map(|word| word.trim_matches(|c| !is_letter(c)).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}
