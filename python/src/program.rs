//! The command line, in this process.

use crate::errors::raise;
use crate::work::{Settings, work};
use pyo3::prelude::*;
use std::ffi::OsString;
use tiebreak::Error;

/// The commit that a builder names.
const COMMIT: Option<&str> = option_env!("TIEBREAK_COMMIT");

/// The program: does what the arguments ask, of which the first is its name, prints, and returns the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| tiebreak::cli::main(COMMIT, &arguments))
}

/// The keys of all commands by name, as JSON.
#[pyfunction]
pub(crate) fn commands(py: Python<'_>) -> PyResult<String> {
    let keys = serde_json::to_string(&tiebreak::cli::command_keys());
    keys.map_err(|error| raise(py)(Error::failed(error)))
}

/// A command within a program that goes on: returns what the command prints.
///
/// # Errors
/// Those of the command as exceptions.
#[pyfunction]
#[pyo3(signature = (arguments, quiet = false))]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>, quiet: bool) -> PyResult<String> {
    let settings = Settings {
        quiet,
        ..Settings::default()
    };
    work(py, &settings, |context| {
        tiebreak::cli::command(&arguments, context.progress, context.stop)
    })
}
