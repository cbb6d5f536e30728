//! Opens a report's page in the reader's browser.

use super::verbs::Command;
use std::path::Path;
use std::process::{self, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tiebreak_base::message;

/// The number of times that a starting browser is asked whether it failed.
const LOOKS: u32 = 10;

/// The time before each.
const PAUSE: Duration = Duration::from_millis(100);

/// The page of a report, in the folder of its run.
pub(super) const PAGE: &str = "report.html";

/// Opens the page of the run in `dir`, or says where it is.
pub(super) fn open_report(command: &Command<'_>, dir: &Path) {
    let page = dir.join(PAGE);
    if !is_opened(&page) {
        let page = page.display();
        let what = message!("no browser could be opened; the page is {page}");
        command.context.progress.advise(&what);
    }
}

/// Whether a browser took the page. One that is still running then has not failed.
fn is_opened(page: &Path) -> bool {
    let [program, before @ ..] = OPENER else {
        return false;
    };
    let mut starting = process::Command::new(program);
    starting.args(before).arg(page);
    starting.stdin(Stdio::null()).stdout(Stdio::null());
    let Ok(mut started) = starting.stderr(Stdio::null()).spawn() else {
        return false;
    };
    for _ in 0..LOOKS {
        match started.try_wait() {
            Ok(None) => sleep(PAUSE),
            Ok(Some(status)) => return status.success(),
            Err(_) => return false,
        }
    }
    true
}

/// The command that opens a file with the program for its kind.
const OPENER: &[&str] = if cfg!(target_os = "macos") {
    &["open"]
} else if cfg!(windows) {
    &["cmd", "/C", "start", ""]
} else {
    &["xdg-open"]
};
