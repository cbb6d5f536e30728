//! The command that runs a pipeline again, and file names of stages.

use std::path::Path;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::argument;
use tiebreak_base::rng::Seed;

/// The command that runs it again: the pipeline by its given name, without the folders of this machine.
pub(crate) fn command(path: &Path, seed: Seed) -> String {
    let named = match path.is_relative() {
        true => path,
        false => Path::new(path.file_name().unwrap_or_default()),
    };
    let named = named.to_string_lossy().replace('\\', "/");
    format!(
        "tiebreak run {} {} {}",
        argument(&named),
        Flag("seed"),
        seed.0
    )
}

/// A file's name without folder and extension.
pub fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The file name of a stage: in the folder, and shown in it.
pub fn file_name(name: &str) -> String {
    let plain = |(place, c): (usize, char)| match c {
        '.' if place == 0 => '-',
        c if c.is_alphanumeric() || "-_.+".contains(c) => c,
        _ => '-',
    };
    name.chars().enumerate().map(plain).collect()
}
