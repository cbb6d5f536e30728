//! Runs the command line; turns an error into a message and an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    tiebreak::cli::main()
}
