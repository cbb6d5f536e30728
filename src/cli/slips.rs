//! Slips in arguments, as clap sees them: what is meant is done where that is sure, else said.

use super::sacrebleu;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgMatches, Command};
use std::ffi::OsString;
use std::path::Path;
use tiebreak_base::layout::argument;

/// Parses arguments. A data set after a flag that takes several values (`score --metric bleu mine`) is no value of it.
pub(super) fn parse(
    command: impl Fn() -> Command,
    arguments: &[OsString],
) -> Result<ArgMatches, clap::Error> {
    let parsed = command().try_get_matches_from(arguments);
    let Err(error) = parsed else {
        return parsed;
    };
    let moved = missing_data(&error).and_then(|most| data_first(arguments, most));
    let again = moved.and_then(|moved| command().try_get_matches_from(moved).ok());
    again.ok_or(error)
}

/// Returns how many data sets a verb reads at most, if none is given.
fn missing_data(error: &clap::Error) -> Option<usize> {
    let missing = match error.get(ContextKind::InvalidArg)? {
        ContextValue::Strings(names) if error.kind() == ErrorKind::MissingRequiredArgument => names,
        _ => return None,
    };
    missing.iter().find_map(|name| match name.as_str() {
        "<DATA>" => Some(1),
        "<DATA>..." => Some(usize::MAX),
        _ => None,
    })
}

/// Moves the last arguments that are there on disk behind the verb, at most so many in a row.
fn data_first(arguments: &[OsString], most: usize) -> Option<Vec<OsString>> {
    let (verb, rest) = arguments.split_at_checked(2)?;
    let is_data = |word: &OsString| Path::new(word).exists();
    let end = rest.iter().rposition(is_data)? + 1;
    let last = rest[..end].iter().rev().take(most);
    let moved = last.take_while(|word| is_data(word)).count();
    let (before, data) = rest[..end].split_at(end - moved);
    Some([verb, data, before, &rest[end..]].concat())
}

/// What an error of clap says of a kind, where that is one text.
pub(super) fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// Returns what is meant by arguments that clap refuses, where it does not say so itself.
pub(super) fn hint(
    command: &Command,
    error: &clap::Error,
    arguments: &[OsString],
) -> Option<String> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let verb = context(error, ContextKind::InvalidSubcommand)?;
            other_verb(verb).map(str::to_string)
        }
        ErrorKind::UnknownArgument => {
            let word = context(error, ContextKind::InvalidArg)?;
            let score = arguments.get(1).is_some_and(|verb| verb == "score");
            let typed = arguments.iter().filter_map(|one| one.to_str());
            // Clap names the first letter of several behind one dash.
            let mut typed = typed.filter(|one| *one == word || one.strip_prefix(word).is_some());
            let missing = typed.find_map(sacrebleu::missing).filter(|_| score);
            missing
                .map(str::to_string)
                .or_else(|| given_again(command, word, arguments))
        }
        _ => None,
    }
}

/// What other tools call verbs of this one.
fn other_verb(verb: &str) -> Option<&'static str> {
    Some(match verb {
        "rate" | "rating" => {
            "did you mean `tiebreak estimate DATA`, which estimates mean ratings, or `tiebreak ask RUN DATA --task rating`, \
             which asks people to rate?"
        }
        "compare" => {
            "did you mean `tiebreak rank DATA`, or `tiebreak ask RUN DATA`, which asks people to compare?"
        }
        "evaluate" | "eval" => {
            "did you mean `tiebreak score DATA --metric bleu`, or `tiebreak rank DATA`?"
        }
        "annotate" => {
            "did you mean `tiebreak ask RUN DATA`, or `tiebreak serve RUN DATA`, which asks in browsers?"
        }
        "convert" | "load" => "did you mean `tiebreak import FILE --out DIR`?",
        _ => return None,
    })
}

/// How to give several values of a flag, where a space stands between two: joined by commas, or with the flag again.
fn given_again(command: &Command, word: &str, arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let place = words.iter().position(|one| *one == word)?;
    let (flag, value) = (*words.get(place.checked_sub(2)?)?, words[place - 1]);
    let verb = command.find_subcommand(words.get(1)?)?;
    let long = flag.strip_prefix("--")?;
    let mut flags = verb.get_arguments();
    let known = flags.find(|one| one.get_long() == Some(long))?;
    if word.starts_with('-') {
        return None;
    }
    if known.get_value_delimiter() == Some(',') {
        let joined = argument(&format!("{value},{word}"));
        return Some(format!(
            "values of {flag} are joined by commas: {flag} {joined}"
        ));
    }
    matches!(known.get_action(), ArgAction::Append).then(|| {
        let [value, word] = [value, word].map(argument);
        format!("give {flag} with each value: {flag} {value} {flag} {word}")
    })
}

#[cfg(test)]
mod tests {
    use super::super::args::Cli;
    use super::*;
    use clap::CommandFactory;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn hint_of(text: &str) -> Option<String> {
        let words = words(text);
        let error = parse(Cli::command, &words).unwrap_err();
        hint(&Cli::command(), &error, &words)
    }

    #[test]
    fn a_data_set_behind_a_flag_of_several_values_is_the_data_set() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_str().unwrap();
        for flags in [
            "score --metric bleu",
            "score --metric bleu chrf",
            "score --quiet --metric bleu chrf",
            "score --metric bleu chrf DATA --seed 7",
            "rank --verdicts DATA",
            "rank --verdicts",
        ] {
            let flags = match flags.contains("DATA") {
                true => flags.replace("DATA", data),
                false => format!("{flags} {data}"),
            };
            let found = parse(Cli::command, &words(&format!("tiebreak {flags}"))).unwrap();
            let (_, of_verb) = found.subcommand().unwrap();
            let read = of_verb.get_one::<std::path::PathBuf>("data");
            assert_eq!(
                read.map(std::path::PathBuf::as_path),
                Some(folder.path()),
                "{flags}"
            );
        }
        let missing = words("tiebreak score --metric bleu nowhere");
        assert!(parse(Cli::command, &missing).is_err());
    }

    #[test]
    fn logs_behind_a_flag_of_several_values_are_the_data() {
        let folder = tempfile::tempdir().unwrap();
        let logs = ["main.json", "new.json"].map(|name| folder.path().join(name));
        for log in &logs {
            std::fs::write(log, "").unwrap();
        }
        let [main, new] = logs.each_ref().map(|log| log.to_str().unwrap());
        let typed = words(&format!("tiebreak gate --criterion accuracy {main} {new}"));
        let found = parse(Cli::command, &typed).unwrap();
        let (_, of_verb) = found.subcommand().unwrap();
        let data = of_verb.get_many::<std::path::PathBuf>("data").unwrap();
        assert_eq!(data.collect::<Vec<_>>(), logs.iter().collect::<Vec<_>>());
        let criteria = of_verb.get_many::<String>("criterion").unwrap();
        assert_eq!(criteria.collect::<Vec<_>>(), ["accuracy"]);
    }

    #[test]
    fn values_behind_a_space_are_joined_by_a_comma_or_given_with_the_flag_again() {
        let told = "values of --annotators are joined by commas: --annotators ana,ben";
        let found = hint_of("tiebreak ask run data --annotators ana ben --n 10 --out q.csv");
        assert_eq!(found.as_deref(), Some(told));
        let told = "give --predictions with each value: --predictions a.csv --predictions b.csv";
        let found = hint_of("tiebreak ask run data --predictions a.csv b.csv --n 10 --out q.csv");
        assert_eq!(found.as_deref(), Some(told));
        assert_eq!(hint_of("tiebreak rank data other"), None);
    }

    #[test]
    fn a_verb_of_another_name_is_known() {
        assert!(
            hint_of("tiebreak rate data")
                .unwrap()
                .contains("--task rating")
        );
        assert_eq!(hint_of("tiebreak frobnicate data"), None);
    }
}
