//! What went wrong, as exceptions of Python: with place and hint.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use tiebreak::Error;
use tiebreak::error::Audience;

/// Where the exceptions are defined.
const MODULE: &str = "tiebreak._errors";

/// The exit code of what the user can correct.
const CORRECTABLE: u8 = 2;

/// Whether the user can correct it.
pub(crate) fn is_correctable(error: &Error) -> bool {
    error.exit_code() == CORRECTABLE
}

/// An error as an exception: `InputError` for what the user can correct, `KeyboardInterrupt` for an
/// interruption, `Error` for everything else.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    raised_of(py, error, str::to_string)
}

/// As [`raised`]; `named` says of all texts what Python calls what they are about.
pub(crate) fn raised_of(py: Python<'_>, error: &Error, named: impl Fn(&str) -> String) -> PyErr {
    if matches!(error, Error::Interrupted) {
        return PyKeyboardInterrupt::new_err(());
    }
    let name = match is_correctable(error) {
        true => "InputError",
        false => "Error",
    };
    let what = named(&error.shown_to(Audience::Python));
    let advice = error.advice();
    let hint = advice
        .as_ref()
        .map(|advice| named(advice.shown_to(Audience::Python)));
    let made = py
        .import(MODULE)
        .and_then(|module| module.getattr(name))
        .and_then(|class| class.call1((what, hint, place(error).map(|place| named(&place)))));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(other) => other,
    }
}

/// Where it stands: a file, with its line or row where there is one.
fn place(error: &Error) -> Option<String> {
    match error {
        Error::Record { at, .. } | Error::Pipeline { at, .. } => Some(at.to_string()),
        Error::Input { path, .. } | Error::Changed { path, .. } | Error::Write { path, .. } => {
            Some(path.display().to_string())
        }
        _ => None,
    }
}

/// For `map_err` where Python is attached.
pub(crate) fn raise(py: Python<'_>) -> impl Fn(Error) -> PyErr + '_ {
    move |error| raised(py, &error)
}
