//! Signals that ask for an end: the first stops the work between two parts, the second ends the process
//! at once. A file that grows too long is an error, no end.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};
use tiebreak_base::error::{Error, Result};

/// Whether a signal came.
pub(super) static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Installs the handlers.
pub(super) fn listen() -> Result<()> {
    let code = i32::from(Error::Interrupted.exit_code());
    let signals = [Some(SIGINT), Some(SIGTERM), hangup()];
    for signal in signals.into_iter().flatten() {
        // In this order: the flag is not set yet when the first one comes.
        flag::register_conditional_shutdown(signal, code, Arc::clone(&STOP))
            .and_then(|_| flag::register(signal, Arc::clone(&STOP)))
            .map_err(Error::failed)?;
    }
    survive_file_limit()
}

/// Has a write beyond the largest file that is allowed fail like one on a full disk; by default it ends the process.
#[cfg(unix)]
fn survive_file_limit() -> Result<()> {
    use signal_hook::consts::SIGXFSZ;
    let caught = flag::register(SIGXFSZ, Arc::default());
    caught.map(drop).map_err(Error::failed)
}

#[cfg(not(unix))]
fn survive_file_limit() -> Result<()> {
    Ok(())
}

/// Handles the hang-up of a closed terminal, unless it is ignored from the start, as under `nohup`. Where
/// that cannot be known the system's default stays.
#[cfg(unix)]
fn hangup() -> Option<i32> {
    use signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored >> (SIGHUP - 1) & 1 == 0).then_some(SIGHUP)
}

#[cfg(not(unix))]
fn hangup() -> Option<i32> {
    None
}
