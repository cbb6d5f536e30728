//! The folders in which models are found by name.

use super::checkpoint::Checkpoint;
use super::descriptor::ModelDescriptor;
use super::shipped;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result, is_there, text_of};

/// The name of the models' folder in the current folder, in the user's data folder, and beside the program.
pub const FOLDER: &str = "models";

/// The folders in which models are looked for, in this order: `models`, the folder given; the current folder's;
/// those beside the program, `models` and `../share/tiebreak/models`; the user's own. A model in none of them may
/// still be in the program.
pub fn folders(models: &Path) -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent);
    let all = [
        Some(models.to_path_buf()),
        Some(PathBuf::from(FOLDER)),
        beside.map(|bin| bin.join(FOLDER)),
        beside
            .and_then(Path::parent)
            .map(|prefix| prefix.join("share/tiebreak").join(FOLDER)),
        dirs::data_dir().map(|data| data.join("tiebreak").join(FOLDER)),
    ];
    let mut folders: Vec<PathBuf> = all.into_iter().flatten().collect();
    if folders[0] == folders[1] {
        folders.remove(0);
    }
    folders
}

/// The folders as text for a message.
pub(super) fn folders_text(models: &Path) -> String {
    let folders = folders(models);
    let told: Vec<String> = folders
        .iter()
        .map(|one| one.display().to_string())
        .collect();
    told.join(", ")
}

/// All models that can be found by name, each the first of its name, in the order of the folders.
///
/// # Errors
/// As [`ModelDescriptor::read`].
pub fn all(models: &Path) -> Result<Vec<(String, ModelDescriptor)>> {
    let mut all: Vec<(String, ModelDescriptor)> = Vec::new();
    let known =
        |all: &[(String, ModelDescriptor)], name: &str| all.iter().any(|(one, _)| one == name);
    for folder in folders(models) {
        for name in names_in(&folder) {
            if known(&all, &name) {
                continue;
            }
            let file = folder.join(format!("{name}.toml"));
            let descriptor = match is_there(&file) {
                // A judge has a different descriptor.
                true if is_judge(&file)? => ModelDescriptor {
                    name: Some(name.clone()),
                    architecture: Some("a judge".to_string()),
                    ..ModelDescriptor::default()
                },
                true => ModelDescriptor::read(&file)?,
                false => Checkpoint::in_folder(&folder.join(&name))?.descriptor,
            };
            all.push((name, descriptor));
        }
    }
    if shipped::is_here() && !known(&all, shipped::NAME) {
        all.push((shipped::NAME.into(), Checkpoint::shipped()?.descriptor));
    }
    Ok(all)
}

/// Whether a file is there and describes a judge.
///
/// # Errors
/// If it is there and cannot be read, or is no TOML.
pub fn is_judge(file: &Path) -> Result<bool> {
    if !is_there(file) {
        return Ok(false);
    }
    let table = text_of(file)?.parse::<toml::Table>();
    let table = table.map_err(|error| Error::input(file, error.message().to_string()))?;
    Ok(table.contains_key("engine"))
}

/// The names that find a model, sorted.
pub fn names(models: &Path) -> Vec<String> {
    let folders = folders(models);
    let mut names: Vec<String> = folders.iter().flat_map(|folder| names_in(folder)).collect();
    if shipped::is_here() {
        names.push(shipped::NAME.into());
    }
    names.sort();
    names.dedup();
    names
}

/// Names of the models a folder describes, sorted: `NAME.toml` files, and folders with a
/// `config.json`. None where there is no such folder.
fn names_in(models: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(models) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| name_of(&entry.ok()?.path()))
        .collect();
    names.sort();
    names.dedup();
    names
}

fn name_of(path: &Path) -> Option<String> {
    let name = if path.extension().is_some_and(|ext| ext == "toml") {
        path.file_stem()
    } else if is_there(&path.join("config.json")) {
        path.file_name()
    } else {
        None
    };
    name.map(|name| name.to_string_lossy().into_owned())
}
