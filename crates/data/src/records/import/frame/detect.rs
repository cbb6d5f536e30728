//! Detection of file formats, and the import itself.

use super::account::ImportSummary;
use super::builder::DatasetBuilder;
use super::file::ImportFile;
use super::folder::{ImportFiles, SPLIT};
use super::options::{ImportOptions, called};
use crate::records::dataset::merged;
use crate::records::import::{FORMATS, helm, tables, wide_command};
use crate::records::reader::{lines_hint, renamed};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Flag, Location, Message, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;

/// A file format of another tool.
pub struct ImportFormat {
    /// The name: in `--format`, in documentation.
    pub name: &'static str,
    /// A description.
    pub summary: &'static str,
    /// The keys of `--pick`.
    pub picks: &'static [&'static str],
    /// Returns the files of this format, judging by their names and beginnings; files that belong to them are found by
    /// `read`.
    pub(in crate::records::import) matching_files:
        for<'a> fn(&'a ImportFiles) -> Vec<&'a ImportFile>,
    /// Reads the files into a data set.
    pub(in crate::records::import) read:
        fn(&[&ImportFile], &ImportFiles, &mut DatasetBuilder<'_>) -> Result<()>,
}

impl ImportOptions {
    /// Makes a data set of other tools' files in the folder `out`.
    ///
    /// # Errors
    /// If their format cannot be detected, they are broken, or `out` holds something else.
    pub fn import(&self, paths: &[PathBuf], out: &Path) -> Result<ImportSummary> {
        let from = paths.first().ok_or_else(|| {
            Error::usage("no file to import").with_hint(format!(
                "name files or folders: tiebreak import votes.jsonl {} my-data",
                Flag("out")
            ))
        })?;
        let files = ImportFiles::discover(paths, self)?;
        let (format, found) = detect(paths, &files, self)?;
        let split = files.has_splits.then_some(SPLIT.key);
        let picks: Vec<&str> = format.picks.iter().copied().chain(split).collect();
        self.refuse_picks(format.name, &picks)?;
        merged(&[], &self.columns)?;
        if let (Some((column, in_file)), true) =
            (self.columns.first(), format.name != tables::FORMAT.name)
        {
            return Err(Error::usage(message!(
                "{}: {} have names of their own",
                renamed(column, in_file),
                format.summary
            ))
            .with_hint(message!(
                "leave it out, or have them read as tables: {}",
                Message::except_in_python(
                    format!("{} {}", Flag("format"), tables::FORMAT.name),
                    format!("`format={:?}`", tables::FORMAT.name)
                )
            )));
        }
        let mut builder = DatasetBuilder::create(out, self, format.summary)?;
        (format.read)(&found, &files, &mut builder)?;
        builder.account_for(&files)?;
        builder.finish(from)
    }
}

/// Returns the place of the record of which an import makes a row of judgments; `None` where several records make it.
pub(in crate::records) fn place_of_judgment(
    path: &Path,
    options: &ImportOptions,
    row: String,
) -> Result<Option<Location>> {
    let paths = [path.to_path_buf()];
    let files = ImportFiles::discover(&paths, options)?;
    let (format, found) = detect(&paths, &files, options)?;
    let scratch = Scratch::new()?;
    let out = scratch.path().join("again");
    let mut builder = DatasetBuilder::create(&out, options, format.summary)?;
    builder.sought = Some((row, None));
    (format.read)(&found, &files, &mut builder)?;
    Ok(builder.sought.and_then(|(_, place)| place))
}

impl ImportOptions {
    /// Whether files match some format, or several.
    ///
    /// # Errors
    /// If one cannot be previewed.
    pub fn is_some_format(&self, path: &Path) -> Result<bool> {
        let files = ImportFiles::discover(&[path.to_path_buf()], self)?;
        let mut formats = FORMATS.iter();
        Ok(formats.any(|format| !(format.matching_files)(&files).is_empty()))
    }
}

/// Refuses a file that is of no known format and has neither outputs nor a column of systems: it may be anything, and what
/// it lacks to be outputs does not matter.
///
/// # Errors
/// As for [`Self::import`] of such a file.
pub(in crate::records) fn refuse_unlike_outputs(
    path: &Path,
    options: &ImportOptions,
) -> Result<()> {
    let paths = [path.to_path_buf()];
    let files = ImportFiles::discover(&paths, options)?;
    // Another case is a slip, which has a hint of its own.
    let has = |file: &ImportFile, column| {
        let named = called(options, column);
        let mut names = file.look().names.iter().chain(file.look().first.keys());
        names.any(|name| name.eq_ignore_ascii_case(named))
    };
    let is_unlike = |file: &ImportFile| {
        !file.look().first.is_empty() && !has(file, "output") && !has(file, "system")
    };
    match files.all.iter().any(is_unlike) {
        true => Err(unknown(&paths, &files)),
        false => Ok(()),
    }
}

fn detect<'a>(
    paths: &[PathBuf],
    files: &'a ImportFiles,
    options: &ImportOptions,
) -> Result<(&'static ImportFormat, Vec<&'a ImportFile>)> {
    if let Some(name) = &options.format {
        let format = format_by_name(name)?;
        let found = (format.matching_files)(files);
        let found = if found.is_empty() {
            files.that(|_| true)
        } else {
            found
        };
        return match found.is_empty() {
            true => Err(unknown(paths, files)),
            false => Ok((format, found)),
        };
    }
    let found = FORMATS
        .iter()
        .map(|format| (*format, (format.matching_files)(files)));
    let mut fits: Vec<_> = found.filter(|(_, found)| !found.is_empty()).collect();
    if fits.len() > 1 {
        // Tables are read as such only where no other format fits.
        fits.retain(|(format, _)| format.name != tables::FORMAT.name);
    }
    match fits.len() {
        0 => Err(unknown(paths, files)),
        1 => Ok(fits.remove(0)),
        _ => Err(ambiguous(paths, &fits)),
    }
}

pub(super) fn format_by_name(name: &str) -> Result<&'static ImportFormat> {
    let found = FORMATS.iter().find(|format| format.name == name);
    found.copied().ok_or_else(|| {
        let names = FORMATS.iter().map(|format| format.name);
        Error::unknown_name("format", name, "formats are", names)
    })
}

/// Lists paths as they were typed.
fn typed(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| path_argument(path));
    paths.collect::<Vec<_>>().join(" ")
}

fn ambiguous(paths: &[PathBuf], fits: &[(&ImportFormat, Vec<&ImportFile>)]) -> Error {
    let told = fits
        .iter()
        .map(|(format, found)| format!("{} ({})", format.summary, found[0].path.display()));
    let what = format!(
        "may be read as {}",
        told.collect::<Vec<_>>().join(" or as ")
    );
    let commands = fits.iter().map(|(format, _)| {
        format!(
            "tiebreak import {} {} {} {} DIR",
            typed(paths),
            Flag("format"),
            format.name,
            Flag("out")
        )
    });
    let arguments = fits
        .iter()
        .map(|(format, _)| format!("`format={:?}`", format.name));
    let said = |ways: Vec<String>| format!("say which: {}", ways.join(" or "));
    Error::input(&paths[0], what).with_hint(Message::except_in_python(
        said(commands.collect()),
        said(arguments.collect()),
    ))
}

/// An export that does not say whose outputs were judged, or how.
struct UnreadExport {
    name: &'static str,
    is_of: fn(&ImportFile) -> bool,
    /// What to do instead, where a table cannot be made of it.
    other: Option<&'static str>,
}

/// The columns of a table of people's answers.
const OF_ANSWERS: &str = "for votes item, system_a, system_b, outcome and annotator; for ratings item, system, criterion, \
                          score and annotator";

/// The fields of a record that Argilla exports without flattening; further ones depend on its version.
const ARGILLA_RECORD: [&str; 2] = ["fields", "responses"];

const UNREAD: [UnreadExport; 4] = [
    UnreadExport {
        name: "Argilla",
        is_of: |file| {
            let is_of = |value: &Value| {
                let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
                has(&ARGILLA_RECORD) || has(&["user_id", "value", "status"])
            };
            let first = &file.look().first;
            file.has(&ARGILLA_RECORD)
                || first.values().any(is_of)
                || first.keys().any(|name| name.ends_with(".responses.users"))
        },
        other: None,
    },
    UnreadExport {
        name: "Prodigy",
        is_of: |file| file.has(&["_input_hash", "_task_hash", "answer"]),
        other: None,
    },
    UnreadExport {
        name: "doccano",
        is_of: |file| file.has(&["id", "text"]) && file.has(&["Comments"]),
        other: None,
    },
    UnreadExport {
        name: "WMT's MQM errors",
        is_of: |file| file.has(&["system", "seg_id", "rater", "category", "severity"]),
        other: Some("import the test set of mt-metrics-eval, which has the scores made of them"),
    },
];

fn unknown(paths: &[PathBuf], files: &ImportFiles) -> Error {
    let error = |what: String| Error::input(&paths[0], what);
    let Some(file) = files.all.first() else {
        return error("no files in it".to_string());
    };
    // An empty or broken file gets its own error.
    if file.look().is_empty && files.all.len() == 1 {
        return error("the file is empty".to_string());
    }
    if let ([_], Err(broken)) = (&files.all[..], file.records(&[], &mut |_| Ok(()))) {
        return broken;
    }
    if let Some(part) = files.all.iter().find(|file| helm::is_part(file)) {
        let folder = part.path.parent().unwrap_or(Path::new(""));
        let what = format!(
            "a run of HELM without {}, which has the outputs",
            helm::STATE
        );
        return Error::input(folder, what)
            .with_hint("`helm-run` writes it next to `run_spec.json`");
    }
    if let Some(lines) = paths
        .iter()
        .find_map(|path| lines_hint(path).filter(|_| path.is_file()))
    {
        return error("no table and no known format".to_string()).with_hint(lines);
    }
    if let Some(export) = UNREAD.iter().find(|export| (export.is_of)(file)) {
        let what = format!("an export of {}, which is not read", export.name);
        let table = || format!("make a table of it: {OF_ANSWERS}");
        return Error::input(&file.path, what)
            .with_hint(export.other.map_or_else(table, str::to_string));
    }
    let all: Vec<&ImportFile> = files.all.iter().collect();
    if let Err(unknown) = tables::check_columns(&all, &files.options) {
        return unknown;
    }
    let fields: Vec<&str> = match &file.look().names[..] {
        [] => file.look().first.keys().map(String::as_str).collect(),
        names => names.iter().map(String::as_str).collect(),
    };
    let shown = match fields.is_empty() {
        true => String::new(),
        false => format!("; {} has {}", file.path.display(), fields.join(", ")),
    };
    if tables::lacks_system(file, &files.options) && files.all.len() == 1 {
        return error(format!("has outputs, and nothing names their system{shown}")).with_hint(
            "add a column `system`; or import the files of all systems together, each named as its system",
        );
    }
    let lacks = |column: &&&str| !file.has(&[called(&files.options, column)]);
    let first = ["item", "system_a", "outcome"].iter().find(lacks);
    error(format!("no known format{shown}")).with_hint(message!(
        "{} shows the known ones. A table has for outputs item, system and output; {OF_ANSWERS}. Map columns of other \
         names with {}; a table with a column for each system is read by {}",
        Message::shell_command("`tiebreak list formats`".to_string()),
        renamed(first.unwrap_or(&"item"), "NAME"),
        wide_command(&file.path)
    ))
}
