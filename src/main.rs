//! Runs the command line; turns an error into a message and an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(tiebreak::cli::main(commit(), &arguments))
}

/// The commit that this was built from: what the builder says, else what the package says, else where git
/// moved the checkout last. Here, because a build script's answer would have the library compiled again after
/// every commit.
fn commit() -> Option<&'static str> {
    option_env!("TIEBREAK_COMMIT")
        .filter(|commit| !commit.is_empty())
        .or(option_env!("TIEBREAK_PACKAGED"))
        .or_else(checked_out)
}

#[cfg(not(reflog))]
fn checked_out() -> Option<&'static str> {
    None
}

/// The second word of git's last note. Found while compiling: the notes hold names and addresses, and nothing
/// but the commit may be in the program.
#[cfg(reflog)]
fn checked_out() -> Option<&'static str> {
    const DIGITS: usize = 40;
    const NOTED: [u8; DIGITS] = {
        let log = include_bytes!(env!("TIEBREAK_REFLOG"));
        let mut line = log.len().saturating_sub(1);
        while line > 0 && log[line - 1] != b'\n' {
            line -= 1;
        }
        let (mut noted, mut digit) = ([0; DIGITS], 0);
        // Two commits of as many digits begin a line: where the checkout was, where it is.
        let now = line + DIGITS + 1;
        if now + DIGITS < log.len() && log[now - 1] == b' ' && log[now + DIGITS] == b' ' {
            while digit < DIGITS {
                noted[digit] = log[now + digit];
                digit += 1;
            }
        }
        noted
    };
    static COMMIT: [u8; DIGITS] = NOTED;
    let commit = std::str::from_utf8(&COMMIT).ok()?;
    let is_commit = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then_some(commit)
}
