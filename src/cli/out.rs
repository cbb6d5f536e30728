//! `--out`: what it may name, what becomes of what is there already, and what is said of what was written.

use super::args::Cli;
use super::run::place;
use crate::engine::Progress;
use crate::error::{Error, Result};
use crate::keys::named::Names;
use crate::layout::{argument, path_argument};
use crate::records::{Dataset, Kind, beside as meta_beside};
use crate::tables::destination::{Destination, beside};
use crate::tables::format::{Compression, Format};
use clap::{ArgMatches, CommandFactory};
use std::fs;
use std::path::{Path, PathBuf};

/// Standard output.
const STREAM: &str = "-";

/// Where the results of a command go.
pub(super) struct Out<'a> {
    /// `score`, or `fit link`.
    verb: String,
    given: &'a ArgMatches,
    path: Option<PathBuf>,
    /// Whether the verb takes a folder, as the name of the flag's value says.
    folder: bool,
}

impl<'a> Out<'a> {
    /// As the arguments say.
    pub fn from_matches(matches: &'a ArgMatches) -> Self {
        let (mut command, mut given) = (Cli::command(), matches);
        let mut verb = Vec::new();
        while let Some((name, inner)) = given.subcommand() {
            verb.push(name);
            given = inner;
            let inner = command.find_subcommand(name).cloned();
            command = inner.unwrap_or_default();
        }
        let mut flags = command.get_arguments();
        let flag = flags.find(|flag| flag.get_id() == "out");
        let named = flag.and_then(|flag| flag.get_value_names());
        let path = |id: &str| given.try_get_one::<PathBuf>(id).ok().flatten().cloned();
        Self {
            verb: verb.join(" "),
            given,
            path: path("out").or_else(|| path("pipeline").map(|file| place(&file))),
            folder: named.is_some_and(|names| names[0] == "DIR"),
        }
    }

    /// Looks at what `--out` names before anything is done; with `force`, has what is there moved away.
    ///
    /// # Errors
    /// A name of something else than the verb writes; what is there cannot be moved.
    pub fn prepare(&self, force: bool, progress: &dyn Progress) -> Result<()> {
        let Some(path) = &self.path else {
            return match force {
                true => Err(Error::usage(
                    "--force makes way for --out, which is not given",
                )),
                false => Ok(()),
            };
        };
        if self.is_stream() {
            return match self.verb.as_str() {
                "score" | "predict" | "judge" => Ok(()),
                _ => Err(Error::usage("--out -: no table goes to standard output here").with_hint(
                    "without --out the result is printed there, with --json as JSON; or name a file or folder",
                )),
            };
        }
        if self.folder && !matches!(Destination::from_path(path), Ok(Destination::Folder(_))) {
            let what = format!("--out {}: `{}` writes a folder", path.display(), self.verb);
            return Err(
                Error::usage(what).with_hint("leave the ending out, or put a slash after it")
            );
        }
        if force && path.exists() {
            make_way(path, progress)?;
        }
        Ok(())
    }

    /// Whether the result is a table for whoever reads standard output.
    pub fn is_stream(&self) -> bool {
        self.path.as_deref() == Some(Path::new(STREAM))
    }

    /// Whether the same command goes on where it was interrupted.
    pub fn continues(&self) -> bool {
        let folder = || {
            let path = self.path.as_deref().map(Destination::from_path);
            matches!(path, Some(Ok(Destination::Folder(_))))
        };
        match self.verb.as_str() {
            "run" | "ask" => true,
            "score" | "predict" | "judge" | "simulate" | "fit pairwise" => folder(),
            _ => false,
        }
    }

    /// Says what was written, and what to type next.
    pub fn tell(&self, progress: &dyn Progress) {
        let quiet = ["import", "ask", "run"];
        let Some(path) = self.path.as_deref().filter(|_| !self.is_stream()) else {
            return;
        };
        if quiet.contains(&self.verb.as_str()) {
            return;
        }
        progress.done(&format!("written: {}", path.display()));
        if let Some(next) = self.next(&path_argument(path)) {
            progress.done(&format!("next: tiebreak {next}"));
        }
    }

    fn next(&self, out: &str) -> Option<String> {
        let data = self.given.try_get_one::<PathBuf>("data").ok().flatten();
        let judged = |kind: Kind| {
            let open = data.and_then(|data| Dataset::open(data, &[]).ok());
            open.is_some_and(|open| open.table(kind).is_some())
        };
        let data = data.map_or_else(|| "DATA".to_string(), |data| path_argument(data));
        let metrics = self.given.try_get_one::<Names>("metric").ok().flatten();
        let metric = metrics.and_then(|names| names.0.first());
        let metric = metric.map_or_else(|| "NAME".to_string(), |one| argument(&one.to_string()));
        Some(match self.verb.as_str() {
            "score" if judged(Kind::Judgments) || judged(Kind::Comparisons) => {
                format!("correlate {data} --scores {out} --metric {metric}")
            }
            "predict" | "judge" if judged(Kind::Comparisons) => {
                format!("assess {data} --predictions {out}")
            }
            "predict" | "judge" => {
                format!("ask RUN {data} --predictions {out} --mix auto --out questions.csv")
            }
            "rank" => format!("report {out}"),
            _ => return None,
        })
    }
}

/// Moves a result away: `scores.csv` to `scores.old.csv`, a folder `scores` to `scores.old`. Nothing is lost.
fn make_way(path: &Path, progress: &dyn Progress) -> Result<()> {
    let old = |number: u32| {
        let word = match number {
            1 => "old".to_string(),
            more => format!("old{more}"),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match path.is_file() && name.contains('.') {
            true => beside(path, &word),
            false => path.with_file_name(format!("{name}.{word}")),
        }
    };
    let away = (1..=u32::MAX).map(old).find(|away| !away.exists());
    let away = away.expect("numbers do not end");
    let moved = |from: &Path, to: &Path| fs::rename(from, to).map_err(Error::writing(from));
    moved(path, &away)?;
    if meta_beside(path).is_file() {
        moved(&meta_beside(path), &meta_beside(&away))?;
    }
    progress.done(&format!("{} is now {}", path.display(), away.display()));
    Ok(())
}

/// A table to where `--out` says, or as CSV to standard output.
///
/// # Errors
/// Those of `write`.
pub(super) fn table(out: &Path, write: impl FnOnce(&Destination) -> Result<()>) -> Result<String> {
    if out != Path::new(STREAM) {
        write(&Destination::from_path(out)?)?;
        return Ok(String::new());
    }
    let folder = tempfile::tempdir().map_err(Error::failed)?;
    let path = folder.path().join("table.csv");
    write(&Destination::File(
        path.clone(),
        Format::Csv(Compression::Plain),
    ))?;
    fs::read_to_string(&path).map_err(Error::reading(&path))
}
