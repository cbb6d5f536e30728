//! Manifests of folders that no `run` made: what `rank`, `estimate`, `score` or `predict` left there,
//! as a run of those stages.

use crate::stages::STAGES;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_base::layout::path_argument;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::{Manifest, ManifestStage, whole};

/// The manifest of what lies in the folder, tables by name and a ranking after them.
///
/// # Errors
/// If there is no table to report, if one is broken, or if they are of different data sets.
pub(super) fn manifest(dir: &Path) -> Result<Manifest> {
    let mut paths = vec![PathBuf::from(".")];
    for entry in fs::read_dir(dir).map_err(Error::reading(dir))? {
        paths.push(PathBuf::from(
            entry.map_err(Error::reading(dir))?.file_name(),
        ));
    }
    paths.sort();
    let mut tables: Vec<(&'static str, String, PathBuf, Meta)> = Vec::new();
    for path in paths {
        if let Some(meta) = Meta::of_table(&dir.join(&path))?
            && let Some(kind) = kind(&meta)
        {
            whole::check(&dir.join(&path))?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            tables.push((kind, stem.into_owned(), path, meta));
        }
    }
    for entry in STAGES {
        let document = entry.document.map(|meta| meta(dir)).transpose()?;
        if let Some(meta) = document.flatten() {
            // The document has no name but that of what made it.
            let maker = meta.signature.split('|').next().unwrap_or_default();
            tables.push((entry.name, maker.to_string(), PathBuf::from("."), meta));
        }
    }
    let Some((.., first)) = tables.first() else {
        if STAGES.iter().any(|entry| dir.join(entry.name).is_dir()) {
            return Err(unfinished(dir));
        }
        return Err(Error::input(dir, "no table of a run to report")
            .with_hint("name a folder that `tiebreak run` made, such as out/quickstart, or one with the tables of score, rank or estimate"));
    };
    if let Some((.., path, _)) = tables.iter().find(|(.., meta)| meta.data != first.data) {
        let what = "a table of another data set than its neighbours";
        return Err(
            Error::input(dir.join(path), what).with_hint("give each data set a folder of its own")
        );
    }
    let whole = fs::canonicalize(dir).map_err(Error::reading(dir))?;
    Ok(Manifest {
        tiebreak: env!("CARGO_PKG_VERSION").to_string(),
        name: whole
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        seed: first.seed,
        data: String::new(),
        digest: first.data.clone(),
        contents: String::new(),
        command: String::new(),
        note: String::new(),
        changes: Vec::new(),
        plan: None,
        stages: tables.into_iter().map(stage).collect(),
    })
}

/// The error for a folder with tables of stages and without the file that `run` writes at its end.
fn unfinished(dir: &Path) -> Error {
    let (out, shown) = (Flag("out"), path_argument(dir));
    let hint = format!("`tiebreak run PIPELINE.toml {out} {shown}`, with its pipeline, goes on");
    Error::input(dir, "the run is unfinished, so there is no report yet").with_hint(hint)
}

fn stage((kind, name, path, meta): (&'static str, String, PathBuf, Meta)) -> ManifestStage {
    ManifestStage {
        kind: kind.to_string(),
        name,
        path,
        signature: meta.signature,
        settings: toml::Table::new(),
    }
}

/// The verb that makes such a table; `None` for those that a report does not show by themselves.
fn kind(meta: &Meta) -> Option<&'static str> {
    let mut stages = STAGES.iter();
    let stage = stages.find(|entry| entry.table == Some(meta.table.as_str()));
    stage.map(|entry| entry.name)
}
