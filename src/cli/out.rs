//! `--out`: the names it takes, the fate of an existing file, and the messages about what was written.

use super::args::Cli;
use super::run::default_out;
use super::verbs::is_given;
use super::way::OutputBackup;
use clap::{Arg, ArgMatches, CommandFactory};
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak_base::disk::refuse_device;
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_base::keys::named::ParameterizedNameList;
use tiebreak_base::layout::{argument, path_argument};
use tiebreak_data::records::{Dataset, Kind};
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::format::{Compression, OutputTableFormat};
use tiebreak_data::tables::whole;
use tiebreak_stages::engine::ProgressReporter;
use tiebreak_stages::engine::parts::Shard;

/// The name of standard output.
pub(super) const STREAM: &str = "-";

/// The destination of a command's results.
pub(super) struct OutputTarget<'a> {
    /// `score`, or `fit link`.
    verb: String,
    given: &'a ArgMatches,
    path: Option<PathBuf>,
    /// Whether the verb writes a folder, as the name of the flag's value says.
    folder: bool,
    /// The paths that the verb reads, as far as flags name them.
    inputs: Vec<PathBuf>,
}

/// The parts of value names that may be files or folders. Most that must be are paths by type.
const PLACES: [&str; 4] = ["FILE", "FOLDER", "DIR", "PATH"];

impl<'a> OutputTarget<'a> {
    /// Reads the destination from the arguments.
    pub(super) fn from_matches(matches: &'a ArgMatches) -> Self {
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
        let others = command.get_arguments().filter(|arg| arg.get_id() != "out");
        let inputs = others.flat_map(|arg| inputs(arg, given)).collect();
        Self {
            inputs,
            verb: verb.join(" "),
            given,
            path: path("out").or_else(|| path("pipeline").map(|file| default_out(&file))),
            folder: named.is_some_and(|names| names[0] == "DIR"),
        }
    }

    /// Checks what `--out` names before anything is done. With `force`, moves an existing result away until it is
    /// known what came into its place.
    ///
    /// # Errors
    /// A name of something that the verb does not write, or of an input; an existing result that cannot be moved.
    pub(super) fn prepare<'b>(
        &'b self,
        force: bool,
        progress: &'b dyn ProgressReporter,
    ) -> Result<Option<OutputBackup<'b>>> {
        let Some(path) = &self.path else {
            return match force {
                true => Err(Error::usage(
                    "--force makes way for --out, which is not given",
                )),
                false => Ok(None),
            };
        };
        if self.is_stream() {
            return match self.verb.as_str() {
                "score" | "predict" | "judge" | "export" => Ok(None),
                _ => Err(Error::usage("--out -: no table goes to standard output here").with_hint(
                    "without --out the result is printed there, with --json as JSON; or name a file or folder",
                )),
            };
        }
        refuse_device(path)?;
        if let Some(file) = path.ancestors().skip(1).find(|above| above.is_file()) {
            return Err(
                Error::input(file, "a file, expected a folder for the result")
                    .with_hint(format!("choose another name for {}", Flag("out"))),
            );
        }
        if self.folder && !matches!(Destination::from_path(path), Ok(Destination::Folder(_))) {
            let what = format!("--out {}: `{}` writes a folder", path.display(), self.verb);
            return Err(
                Error::usage(what).with_hint("leave the ending out, or put a slash after it")
            );
        }
        let shard = self.given.try_get_one::<Shard>("shard").ok().flatten();
        if shard.is_some_and(|shard| shard.of > 1) && !path.is_dir() {
            self.refuse_file_of_shard(path)?;
        }
        // A folder with other files may take results, as long as none of the files has to go.
        if force || path.is_file() {
            self.refuse_inputs(path)?;
        }
        let there = force && path.exists();
        there
            .then(|| OutputBackup::make(path, progress))
            .transpose()
    }

    /// Refuses a single file for one of several shards, which the next would replace.
    fn refuse_file_of_shard(&self, path: &Path) -> Result<()> {
        match Destination::from_path(path)? {
            Destination::Folder(_) => Ok(()),
            Destination::File(..) => {
                let what = format!(
                    "--out {}: a file holds one shard of `{}` only",
                    path.display(),
                    self.verb
                );
                Err(Error::usage(what).with_hint("name a folder, which takes all shards"))
            }
        }
    }

    /// Refuses to replace an input by a result.
    fn refuse_inputs(&self, path: &Path) -> Result<()> {
        let Ok(out) = fs::canonicalize(path) else {
            return Ok(());
        };
        let mut read = self.inputs.iter().filter_map(|input| {
            let whole = fs::canonicalize(input).ok()?;
            let is_read = whole.starts_with(&out) || is_table_of(&out, &whole);
            is_read.then_some((input.display(), whole))
        });
        let Some((input, whole)) = read.next() else {
            return Ok(());
        };
        let (path, verb) = (path.display(), &self.verb);
        let what = match whole == out || out.starts_with(&whole) {
            true => format!("--out {path}: `{verb}` reads what is there"),
            false => format!("--out {path}: `{verb}` reads {input}, which is in it"),
        };
        Err(Error::usage(what).with_hint("name another place for the result"))
    }

    /// Whether the result is a table on standard output.
    pub(super) fn is_stream(&self) -> bool {
        self.path.as_deref() == Some(Path::new(STREAM))
    }

    /// Whether the command can be resumed after an interruption.
    pub(super) fn continues(&self) -> bool {
        let folder = || {
            let path = self.path.as_deref().map(Destination::from_path);
            matches!(path, Some(Ok(Destination::Folder(_))))
        };
        match self.verb.as_str() {
            "run" | "ask" => true,
            "score" | "predict" | "judge" | "fit pairwise" => folder(),
            // Replays of scores store nothing before their end.
            "simulate" => {
                let of_scores = |key| is_given(self.given, key);
                folder() && !of_scores("scores") && !of_scores("criterion")
            }
            _ => false,
        }
    }

    /// Announces what was written, and the next command, by whether the data have comparisons and judgments.
    pub(super) fn announce(&self, progress: &dyn ProgressReporter, answered: [bool; 2]) {
        let quiet = ["import", "ask", "run"];
        let Some(path) = self.path.as_deref().filter(|_| !self.is_stream()) else {
            return;
        };
        if quiet.contains(&self.verb.as_str()) {
            return;
        }
        progress.done(&format!("written: {}", path.display()));
        let shard = self.given.try_get_one::<Shard>("shard").ok().flatten();
        if shard.is_some_and(|shard| shard.of > 1) && whole::check(path).is_err() {
            return progress.done("next: the same command for the other shards");
        }
        if self.verb == "judge" && whole::open(path).is_ok_and(|mut rows| rows.next().is_none()) {
            return progress.warn(
                "no reply holds a verdict, so there are no predictions; the folder of answers has the replies",
            );
        }
        if let Some(next) = self.next(&path_argument(path), answered) {
            progress.done(&format!("next: tiebreak {next}"));
        }
    }

    /// Returns the flags by which the data were read, as they were given.
    fn reading_flags(&self) -> String {
        let given = |flag: &'static str| {
            let values = self.given.try_get_raw(flag).ok().flatten();
            let values = values.into_iter().flatten();
            values.map(move |value| format!(" --{flag} {}", argument(&value.to_string_lossy())))
        };
        ["column", "pick", "outcome"]
            .into_iter()
            .flat_map(given)
            .collect()
    }

    fn next(&self, out: &str, [compared, judged]: [bool; 2]) -> Option<String> {
        let data = self.given.try_get_one::<PathBuf>("data").ok().flatten();
        let data = data.map_or_else(|| "DATA".to_string(), |data| path_argument(data));
        let data = data + &self.reading_flags();
        let metrics = self
            .given
            .try_get_one::<ParameterizedNameList>("metric")
            .ok()
            .flatten();
        let metric = metrics.and_then(|names| names.0.first());
        let metric = metric.map_or_else(|| "NAME".to_string(), |one| argument(&one.to_string()));
        let is_paired = ["paired-bs", "paired-ar"]
            .iter()
            .any(|key| is_given(self.given, key));
        Some(match self.verb.as_str() {
            // The table of a paired test has no scores to correlate.
            "score" if (judged || compared) && !is_paired => {
                format!("correlate {data} --scores {out} --metric {metric}")
            }
            "predict" | "judge" if compared => {
                format!("assess {data} --predictions {out}")
            }
            "predict" | "judge" => {
                format!("ask RUN {data} --predictions {out} --out questions.csv")
            }
            "rank" => format!("report {out}"),
            _ => return None,
        })
    }
}

/// Whether a file is a table of the data set in a folder.
fn is_table_of(file: &Path, folder: &Path) -> bool {
    if file.parent() != Some(folder) {
        return false;
    }
    let dataset = Dataset::open(folder, &[]);
    dataset.is_ok_and(|dataset| {
        let mut tables = Kind::ALL.iter().filter_map(|&kind| dataset.table(kind));
        tables.any(|table| table.file_name() == file.file_name())
    })
}

/// Returns the files and folders that a flag was given, or what may be some.
fn inputs(arg: &Arg, given: &ArgMatches) -> Vec<PathBuf> {
    let id = arg.get_id().as_str();
    if !is_given(given, id) {
        return Vec::new();
    }
    if let Ok(Some(paths)) = given.try_get_many::<PathBuf>(id) {
        return paths.cloned().collect();
    }
    let mut names = arg.get_value_names().unwrap_or_default().iter();
    let is_place = names.any(|name| PLACES.iter().any(|place| name.contains(place)));
    let values = given.get_raw(id).into_iter().flatten();
    let values = values
        .filter(|_| is_place)
        .map(|value| value.to_string_lossy());
    // A path, or NAME=PATH.
    let paths = values.map(|value| match value.split_once('=') {
        Some((_, path)) => path.into(),
        None => (&*value).into(),
    });
    paths.collect()
}

/// Writes a table to the place of `--out`, or as CSV to standard output.
pub(super) fn table(out: &Path, write: impl FnOnce(&Destination) -> Result<()>) -> Result<String> {
    if out != Path::new(STREAM) {
        write(&Destination::from_path(out)?)?;
        return Ok(String::new());
    }
    let folder = tempfile::tempdir().map_err(Error::failed)?;
    let path = folder.path().join("table.csv");
    write(&Destination::File(
        path.clone(),
        OutputTableFormat::Csv(Compression::Plain),
    ))?;
    fs::read_to_string(&path).map_err(Error::reading(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_stored_on_the_way_is_continued() {
        let continues = |line: &str| {
            let words = ["tiebreak"].into_iter().chain(line.split(' '));
            let given = Cli::command().try_get_matches_from(words).unwrap();
            OutputTarget::from_matches(&given).continues()
        };
        assert!(continues("simulate data --out folder"));
        assert!(!continues("simulate data"));
        assert!(!continues(
            "simulate data --scores s.csv --metric chrf --out folder"
        ));
        assert!(!continues("simulate data --criterion fluency --out folder"));
    }
}
