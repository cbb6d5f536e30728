//! Mistyped arguments: what is wrong with them, and what was probably meant.

use super::args::Cli;
use super::{help, slips};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{ParseFloatError, ParseIntError};
use tiebreak_base::error::{Audience, Error, Key, Message, ShownPart, nearest};
use tiebreak_base::message;

/// Returns the error for arguments that do not parse: about a key where it is about a flag.
pub(super) fn misuse(wrong: &clap::Error, arguments: &[OsString]) -> Error {
    let error = described(wrong, arguments);
    match slips::hint(&Cli::command(), wrong, arguments) {
        Some(meant) => error.with_hint(meant),
        None => error,
    }
}

fn described(wrong: &clap::Error, arguments: &[OsString]) -> Error {
    let flag = |kind| {
        let typed = slips::context(wrong, kind)?;
        typed.strip_prefix("--")?.split(' ').next()
    };
    match (wrong.kind(), flag(ContextKind::InvalidArg), wrong.source()) {
        (ErrorKind::UnknownArgument, Some(key), _) => {
            // Nobody is led to a flag that moves files by mistyping another.
            let near = flag(ContextKind::SuggestedArg).filter(|near| *near != "force");
            let error = Error::usage(message!("unknown option {}", Key(key)));
            match near {
                Some(near) => error.with_hint(message!("did you mean {}?", Key(near))),
                None => error.with_hint(message!("{} lists the options", help_of(arguments))),
            }
        }
        (ErrorKind::ValueValidation, Some(key), Some(why)) => Error::key(key, refusal(wrong, why)),
        (ErrorKind::InvalidSubcommand, ..) => unknown_command(wrong, arguments),
        // Clap would print the page.
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, ..) => {
            let what = format!("`{}` is not complete", command_of(arguments));
            Error::usage(what).with_hint(message!("{} has examples", help_of(arguments)))
        }
        _ => {
            let text = wrong.to_string();
            let text = text.trim_start_matches("error: ");
            let text = text.split("\n\nFor more information").next();
            let text = text.unwrap_or_default().trim_end().to_string();
            let what = Message::each(|audience| match audience {
                Audience::Python => as_arguments(&text),
                _ => text.clone(),
            });
            Error::usage(what).with_hint(message!("{} has examples", help_of(arguments)))
        }
    }
}

/// What clap says of flags, about arguments of a function: without values and usage.
fn as_arguments(text: &str) -> String {
    let text = text.split("\n\nUsage").next().unwrap_or_default();
    let words = text.split_whitespace().filter_map(|word| {
        let bare = word.trim_matches('\'');
        match bare.strip_prefix("--") {
            Some(flag) => Some(ShownPart(&Key(flag), Audience::Python).to_string()),
            None => (!bare.starts_with('<')).then(|| word.to_string()),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Why a value is refused; what parsers of numbers say names neither the value nor what is expected.
fn refusal(wrong: &clap::Error, why: &(dyn std::error::Error + 'static)) -> String {
    let expected = match why {
        _ if why.is::<ParseIntError>() => "a whole number",
        _ if why.is::<ParseFloatError>() => "a number",
        _ => return outside(&why.to_string()),
    };
    match slips::context(wrong, ContextKind::InvalidValue) {
        Some(value) => format!("`{value}`, expected {expected}"),
        None => format!("expected {expected}"),
    }
}

/// Says in words that a number is outside its range, which clap writes as `0 is not in 1..=1024`.
fn outside(why: &str) -> String {
    let parts = why
        .split_once(" is not in ")
        .and_then(|(value, range)| Some((value, range.split_once("..=")?)));
    match parts {
        Some((value, (low, high))) => {
            format!("`{value}`, expected a whole number from {low} to {high}")
        }
        None => why.to_string(),
    }
}

fn unknown_command(wrong: &clap::Error, arguments: &[OsString]) -> Error {
    let typed = slips::context(wrong, ContextKind::InvalidSubcommand).unwrap_or_default();
    let near = match wrong.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(all)) => {
            let likely = nearest(typed, all.iter().map(String::as_str));
            likely.or(all.last().map(String::as_str))
        }
        Some(ContextValue::String(one)) => Some(one.as_str()),
        _ => None,
    };
    let hint = match near {
        Some(near) => message!("did you mean `{near}`?"),
        None => message!("{} lists all commands", help_of(arguments)),
    };
    Error::usage(format!("unknown command `{typed}`")).with_hint(hint)
}

/// The command that prints the help for what was typed.
fn help_of(arguments: &[OsString]) -> Message {
    let command = command_of(arguments).replacen("tiebreak", "tiebreak help", 1);
    Message::shell_command(format!("`{command}`"))
}

/// The command that was typed, without its arguments.
fn command_of(arguments: &[OsString]) -> String {
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    ["tiebreak", &help::path_of(words)]
        .join(" ")
        .trim()
        .to_string()
}

#[cfg(test)]
mod tests {
    use crate::cli::command;
    use std::ffi::OsString;
    use std::sync::atomic::AtomicBool;
    use tiebreak_base::error::Audience;
    use tiebreak_stages::engine::SilentProgress;

    fn shown(words: &[&str], audience: Audience) -> (String, String) {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let error = command(&words, &SilentProgress, &AtomicBool::new(false)).unwrap_err();
        let hint = error.advice();
        let hint = hint.map(|hint| hint.shown_to(audience).to_owned());
        (error.shown_to(audience), hint.unwrap_or_default())
    }

    fn pair(what: &str, hint: &str) -> (String, String) {
        (what.to_string(), hint.to_string())
    }

    #[test]
    fn a_wrong_flag_is_a_wrong_key_to_another_program() {
        assert_eq!(
            shown(
                &["ask", "run", "data", "--bandits", "dts"],
                Audience::Python
            ),
            pair("unknown option `bandits=`", "did you mean `bandit=`?")
        );
        assert_eq!(
            shown(
                &["ask", "run", "data", "--confidence", "2"],
                Audience::Python
            ),
            pair("confidence: 2, expected a number between 0 and 1", "")
        );
        assert_eq!(
            shown(&["correlate", "data"], Audience::Python),
            pair(
                "the following required arguments were not provided: `scores=` `metric=`",
                "in a shell `tiebreak help correlate` has examples"
            )
        );
        assert_eq!(
            shown(&["plan", "--range", "1,5"], Audience::Python),
            pair(
                "a plan is for an interval of some width, or for detecting some difference",
                "say which: `width=0.2` or `difference=0.2`"
            )
        );
    }

    #[test]
    fn a_mistyped_word_gets_the_nearest_one_and_never_force() {
        let at_terminal = |words: &[&str]| shown(words, Audience::Terminal);
        assert_eq!(
            at_terminal(&["rnak", "data"]),
            pair("unknown command `rnak`", "did you mean `rank`?")
        );
        assert_eq!(
            at_terminal(&["fit", "lnk"]),
            pair("unknown command `lnk`", "did you mean `link`?")
        );
        assert_eq!(
            at_terminal(&["fit"]),
            pair(
                "`tiebreak fit` is not complete",
                "`tiebreak help fit` has examples"
            )
        );
        for flag in ["--forc", "--formt", "--forced"] {
            let (what, hint) = at_terminal(&["rank", "data", flag]);
            assert_eq!(what, format!("unknown option {flag}"));
            assert_eq!(hint, "`tiebreak help rank` lists the options");
        }
        assert_eq!(
            at_terminal(&["help", "rnk"]),
            pair(
                "no command or topic is called `rnk`",
                "did you mean `tiebreak help rank`?"
            )
        );
    }
}
