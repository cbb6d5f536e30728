//! Refusal of inputs that can be read only once: a table is previewed, digested and then read.

use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// Refuses a table that is no regular file, before opening it: a pipe without a writer would block. A missing file
/// is left to the caller that opens it.
///
/// # Errors
/// For a pipe, a device, a socket.
pub fn refuse_pipe(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => {
            let what = "not a regular file: a table is read several times";
            let hint = "write what comes from there to a file, and name that";
            Err(Error::input(path, what).with_hint(hint))
        }
        _ => Ok(()),
    }
}
