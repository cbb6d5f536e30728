//! What can be read more than once: a table is looked at, digested and read, and a pipe gives its bytes only once.

use std::path::Path;
use tiebreak_base::error::{Error, Result};

/// Refuses a table that is no file, before it is opened: a pipe without a writer would be waited for. What is not
/// there is told by whoever opens it.
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
