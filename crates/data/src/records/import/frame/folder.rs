//! The files that were named, or that are in the named folders. Each is accounted for: read, left out by a rule, or an
//! error.

use super::account::ExcludedFiles;
use super::file::{ImportFile, form};
use super::json;
use super::options::{ImportOptions, Pick};
use crate::records::import::pearmut;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};

/// All files that were named or found.
pub(in crate::records::import) struct ImportFiles {
    /// The files, in the order of their paths.
    pub all: Vec<ImportFile>,
    /// The options of the user.
    pub options: ImportOptions,
    /// Other files in the folders, and why each is left out.
    beside: Vec<(PathBuf, &'static str)>,
    /// Whether one of several splits was read.
    pub(super) has_splits: bool,
}

const HIDDEN: &str = "hidden";
const LINKED: &str = "a link to a folder";
const EMPTY: &str = "an empty folder";
const OTHER_SPLIT: &str = "not of the split that is read";
const UNNAMED: &str = "not named in state.json";

/// The file in which `save_to_disk` of Hugging Face's datasets lists the files of a table, or the splits.
const STATE: &str = "state.json";
const SPLITS: &str = "dataset_dict.json";

impl ImportFiles {
    /// Finds the files and previews each; in folders at any depth, except links and names that begin with a dot.
    ///
    /// # Errors
    /// If something is missing or cannot be previewed, or a split of a folder of `save_to_disk` has to be picked.
    pub(crate) fn discover(paths: &[PathBuf], options: &ImportOptions) -> Result<Self> {
        let mut files = Self {
            all: Vec::new(),
            options: options.clone(),
            beside: Vec::new(),
            has_splits: false,
        };
        for path in paths {
            let meta = std::fs::metadata(path).map_err(Error::reading(path))?;
            match meta.is_dir() {
                true => files.walk(path)?,
                false => files.add_named_file(path)?,
            }
        }
        files.all.sort_by(|a, b| a.path.cmp(&b.path));
        files.all.dedup_by(|a, b| a.path == b.path);
        Ok(files)
    }

    /// Adds a file that was named, and the log that belongs to it where it is of a campaign.
    fn add_named_file(&mut self, path: &Path) -> Result<()> {
        let open = |path: &Path| ImportFile::open(path.to_path_buf(), vec![path.to_path_buf()]);
        let file = open(path)?;
        if let Some(log) = pearmut::log_beside(&file) {
            self.all.push(open(&log)?);
        }
        self.all.push(file);
        Ok(())
    }

    /// Returns the files that satisfy `holds`.
    pub(crate) fn that(&self, holds: impl Fn(&ImportFile) -> bool) -> Vec<&ImportFile> {
        self.all.iter().filter(|file| holds(file)).collect()
    }

    /// Returns the files that were not read, by the rule that left them out.
    pub(super) fn left_out(&self) -> Vec<ExcludedFiles> {
        let unread = self.all.iter().map(|file| (&file.path, file.left_out()));
        let beside = self.beside.iter().map(|(path, rule)| (path, Some(*rule)));
        let mut rules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (path, rule) in unread.chain(beside) {
            if let Some(rule) = rule {
                rules
                    .entry(rule)
                    .or_default()
                    .push(path.display().to_string());
            }
        }
        let left_out = |(rule, files): (&str, _)| ExcludedFiles {
            rule: rule.to_string(),
            files,
        };
        rules.into_iter().map(left_out).collect()
    }

    fn walk(&mut self, folder: &Path) -> Result<()> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(Error::reading(folder))? {
            entries.push(entry.map_err(Error::reading(folder))?.path());
        }
        entries.sort();
        if entries.is_empty() {
            self.beside.push((folder.to_path_buf(), EMPTY));
        }
        let has = |name: &str| entries.contains(&folder.join(name));
        if has(STATE)
            && let Some(parts) = parts(folder)?
        {
            let unnamed = |path: &PathBuf| !parts.contains(path) && !path.ends_with(STATE);
            let unnamed = entries.into_iter().filter(unnamed);
            self.beside.extend(unnamed.map(|path| (path, UNNAMED)));
            self.all
                .push(ImportFile::open(folder.to_path_buf(), parts)?);
            return Ok(());
        }
        if has(SPLITS) {
            self.has_splits = true;
            let split = folder.join(picked_split(folder, &self.options)?);
            let others = |path: &PathBuf| *path != split && !path.ends_with(SPLITS);
            let others = entries.into_iter().filter(others);
            self.beside.extend(others.map(|path| (path, OTHER_SPLIT)));
            return self.walk(&split);
        }
        entries.into_iter().try_for_each(|path| self.entry(path))
    }

    /// Adds an entry of a folder.
    fn entry(&mut self, path: PathBuf) -> Result<()> {
        let name = path.file_name().unwrap_or_default();
        if name.to_string_lossy().starts_with('.') {
            self.beside.push((path, HIDDEN));
            return Ok(());
        }
        let meta = std::fs::metadata(&path).map_err(Error::reading(&path))?;
        if !meta.is_dir() {
            let file = ImportFile::open(path.clone(), vec![path]);
            self.all.push(file.map_err(in_folder)?);
        } else if path.is_symlink() {
            self.beside.push((path, LINKED));
        } else if form(&path).is_some() {
            return Err(in_folder(Error::input(path, "a folder, expected a file")));
        } else {
            self.walk(&path)?;
        }
        Ok(())
    }
}

/// Adds a hint to an error at a file in a folder: how to leave it out.
fn in_folder(error: Error) -> Error {
    match error.hint() {
        Some(_) => error,
        None => error.with_hint(
            "copy it again, or move it out of the folder, or name the files that are to be read in place of the folder",
        ),
    }
}

/// Returns the parts of a table of `save_to_disk`, if the folder is one: its state lists the shards in order.
fn parts(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    let state = json::outline(&folder.join(STATE), &[])?;
    let mut parts = Vec::new();
    for file in state.get("_data_files").items() {
        parts.push(folder.join(file.get("filename").name()?));
    }
    if let Some(missing) = parts.iter().find(|part| !part.is_file()) {
        let what = format!("named in {STATE} and not there");
        return Err(Error::input(missing, what).with_hint("copy the folder again, whole"));
    }
    Ok((!parts.is_empty()).then_some(parts))
}

/// The pick that applies to every format.
pub(super) const SPLIT: Pick = Pick {
    key: "split",
    of: "",
    several: "several splits",
    ask: "say which",
};

/// Returns the split to read from a folder of several, as `save_to_disk` writes a `DatasetDict`.
fn picked_split(folder: &Path, options: &ImportOptions) -> Result<String> {
    let splits = json::outline(&folder.join(SPLITS), &[])?;
    let splits = splits.get("splits").texts()?;
    let picked = options.picked(SPLIT.key);
    match (picked, &splits[..]) {
        (Some(split), splits) if splits.iter().any(|one| one == split) => Ok(split.to_string()),
        (None, [one]) => Ok(one.clone()),
        (Some(split), splits) => Err(Error::input(folder, SPLIT.unknown(split, splits))),
        (None, splits) => Err(SPLIT.undecided(folder, splits)),
    }
}
