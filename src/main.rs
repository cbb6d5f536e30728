//! Runs the command line; turns an error into a message and an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    ExitCode::from(tiebreak::cli::main(commit(), &arguments))
}

/// The commit that this was built from: what the builder says, else what the package says. Here, because in the
/// library it would have the library compiled again after every commit.
fn commit() -> Option<&'static str> {
    option_env!("TIEBREAK_COMMIT")
        .filter(|commit| !commit.is_empty())
        .or(option_env!("TIEBREAK_PACKAGED"))
}
