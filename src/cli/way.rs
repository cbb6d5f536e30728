//! `--force`: an existing result at `--out` is moved away, and restored if the command fails.

use std::fs;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::meta_path as meta_beside;
use tiebreak_data::tables::destination::companion_path;
use tiebreak_stages::engine::ProgressReporter;

/// The words in the names of files beside a table, which are about it: `estimates.plan.json`.
const BESIDE: [&str; 7] = [
    "agreement",
    "differences",
    "groups",
    "hints",
    "left-out",
    "plan",
    "stops",
];

/// A result that was moved away, never deleted: `scores.csv` to `scores.old.csv`, a folder `scores` to `scores.old`.
pub(super) struct OutputBackup<'a> {
    out: &'a Path,
    away: PathBuf,
    progress: &'a dyn ProgressReporter,
}

impl<'a> OutputBackup<'a> {
    /// Moves an existing result and its meta file away. Dropping this tells where it is now; if nothing came into its
    /// place, it is restored.
    pub(super) fn make(out: &'a Path, progress: &'a dyn ProgressReporter) -> Result<Self> {
        let old = |number: u32| {
            let word = match number {
                1 => "old".to_string(),
                more => format!("old{more}"),
            };
            let name = out.file_name().unwrap_or_default().to_string_lossy();
            match out.is_file() && name.contains('.') {
                true => companion_path(out, &word),
                false => out.with_file_name(format!("{name}.{word}")),
            }
        };
        let away = (1..=u32::MAX).map(old).find(|away| !away.exists());
        let away = away.expect("numbers do not end");
        moved(out, &away)?;
        Ok(Self {
            out,
            away,
            progress,
        })
    }
}

impl Drop for OutputBackup<'_> {
    fn drop(&mut self) {
        // Removes a folder that stayed empty; any other stays.
        let _ = fs::remove_dir(self.out);
        let [out, away] = [self.out, &self.away].map(Path::display);
        if self.out.exists() {
            self.progress.done(&format!("{out} is now {away}"));
        } else if let Err(error) = moved(&self.away, self.out) {
            self.progress.warn(&format!("{out} is now {away}: {error}"));
        }
    }
}

/// Renames a result, and the files beside it: what was said of an earlier table must not be read as of the next.
fn moved(from: &Path, to: &Path) -> Result<()> {
    let renamed = |from: &Path, to: &Path| fs::rename(from, to).map_err(Error::writing(from));
    renamed(from, to)?;
    let mut all = vec![(from.to_path_buf(), to.to_path_buf())];
    if to.is_file() {
        for word in BESIDE {
            all.push((companion_path(from, word), companion_path(to, word)));
            let document = |table: &Path| table.with_extension(format!("{word}.json"));
            all.push((document(from), document(to)));
        }
    }
    for (from, to) in all {
        for (from, to) in [(meta_beside(&from), meta_beside(&to)), (from, to)] {
            if from.is_file() {
                renamed(&from, &to)?;
            }
        }
    }
    Ok(())
}
