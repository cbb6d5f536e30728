//! The command that runs a pipeline again, and file names of stages.

use std::env;
use std::path::{Path, PathBuf};
use tiebreak_base::error::Flag;
use tiebreak_base::layout::path_argument;
use tiebreak_base::rng::Seed;
use tiebreak_data::tables::manifest::slashes;

/// The command that runs something again, without folders of this machine.
pub(crate) struct RepeatCommand {
    /// The command. It has no `--out`, which changes no byte of the results.
    pub command: String,
    /// What it needs beside, where paths have lost their folders; else empty.
    pub note: String,
}

impl RepeatCommand {
    /// The command that runs the file `path`, with the folder of data sets where one was given. It makes itself again.
    pub(crate) fn new(path: &Path, seed: Seed, data_root: Option<&Path>) -> Self {
        let (file, is_cut) = without_machine(path);
        let file = path_argument(&file);
        let (mut command, mut notes) = (format!("tiebreak run {file}"), Vec::new());
        if !file.contains('/') {
            notes.push(format!("in the folder of {file}"));
        }
        if let Some(given) = data_root {
            let (mut root, mut is_root_cut) = without_machine(given);
            if is_cut && !is_root_cut {
                // What is seen from the working folder is not seen from that of the file.
                (root, is_root_cut) = (name(&root), true);
            }
            let root = path_argument(&root);
            command += &format!(" {} {root}", Flag("data-root"));
            if is_root_cut {
                notes.push(format!("with the path of {root}"));
            }
        }
        command += &format!(" {} {}", Flag("seed"), seed.0);
        Self {
            command,
            note: notes.join(", "),
        }
    }
}

/// A path without folders of this machine, and whether it was cut: seen from the working folder where it is below, else
/// its name alone.
fn without_machine(path: &Path) -> (PathBuf, bool) {
    // From the root every path is whole.
    let here = env::current_dir()
        .ok()
        .filter(|here| here.parent().is_some());
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    let seen = below.unwrap_or(path);
    match seen.is_absolute() {
        true => (name(seen), true),
        false => (PathBuf::from(slashes(seen)), false),
    }
}

fn name(path: &Path) -> PathBuf {
    PathBuf::from(path.file_name().unwrap_or(path.as_os_str()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn again(path: &Path, data_root: Option<&Path>) -> (String, String) {
        let RepeatCommand { command, note } = RepeatCommand::new(path, Seed(7), data_root);
        (command, note)
    }

    #[test]
    fn paths_lose_no_folder_that_can_be_said() {
        let here = env::current_dir().unwrap();
        let plain = |command: &str| (format!("tiebreak run {command}"), String::new());
        for path in [PathBuf::from("a b/p.toml"), here.join("a b/p.toml")] {
            assert_eq!(again(&path, None), plain("'a b/p.toml' --seed 7"));
        }
        let (up, root) = (Path::new("../p.toml"), here.join("data"));
        assert_eq!(again(up, None), plain("../p.toml --seed 7"));
        for root in [Path::new("data"), &root] {
            let both = plain("../p.toml --data-root data --seed 7");
            assert_eq!(again(up, Some(root)), both);
        }
    }

    #[test]
    fn what_lost_its_folder_is_said() {
        let here = env::current_dir().unwrap();
        let away = here.ancestors().last().unwrap().join("elsewhere/p.toml");
        let said =
            |command: &str, note: &str| (format!("tiebreak run {command}"), note.to_string());
        let bare = said("p.toml --seed 7", "in the folder of p.toml");
        assert_eq!(again(&away, None), bare);
        // The note is the same where the command is typed there.
        assert_eq!(again(Path::new("p.toml"), None), bare);
        assert_eq!(
            again(&away, Some(Path::new("sets/data"))),
            said(
                "p.toml --data-root data --seed 7",
                "in the folder of p.toml, with the path of data"
            )
        );
        assert_eq!(
            again(Path::new("a/p.toml"), away.parent()),
            said(
                "a/p.toml --data-root elsewhere --seed 7",
                "with the path of elsewhere"
            )
        );
    }
}
