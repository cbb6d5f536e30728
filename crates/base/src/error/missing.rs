//! Hints for paths that are missing or that TOML has misread.

use super::nearest;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Whether a path is taken, even by what cannot be read: a dangling link, a folder in the place of a file, a file
/// without permission. Reading then says what is wrong with it.
pub fn is_there(path: &Path) -> bool {
    match std::fs::symlink_metadata(path) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// The hint for a backslash in TOML.
const ESCAPED: &str = "in double quotes a backslash begins an escape; put the path in single quotes, as in \
                       'C:\\data\\mine', or write it with slashes";

/// The hint for a path that begins with a tilde.
const HOME: &str = "`~` is not expanded here; write the whole path, or let the shell expand it: without quotes, at the \
                    start of a word";

/// Returns a hint for a missing path.
pub(super) fn hint(path: &Path) -> Option<String> {
    if path == Path::new("-") {
        return Some("standard input is not read here; name a file or a folder".to_string());
    }
    if let Some(dangling) = path.ancestors().find_map(dangling) {
        return Some(dangling);
    }
    let text = path.to_str()?;
    if text.contains("://") {
        return Some("addresses are not read; download the file first".to_string());
    }
    if text.starts_with('~') {
        return Some(HOME.to_string());
    }
    if text.contains(char::is_control) {
        return Some(ESCAPED.to_string());
    }
    if !cfg!(windows) && text.contains('\\') {
        let plain = text.replace('\\', "/");
        return Some(match Path::new(&plain).exists() {
            true => format!("did you mean `{plain}`?"),
            false => {
                "a path of Windows; on this system names are joined by slashes, as in data/mine"
                    .to_string()
            }
        });
    }
    near(path).map(|near| format!("did you mean `{}`?", near.display()))
}

/// Returns a hint for a link to a missing file.
fn dangling(link: &Path) -> Option<String> {
    let target = std::fs::read_link(link).ok().filter(|_| !link.exists())?;
    let (link, target) = (link.display(), target.display());
    Some(format!(
        "`{link}` is a link to `{target}`, which is not there"
    ))
}

/// Returns a hint for text that is not TOML, the mistake being at the byte `offset`.
pub(super) fn escape(text: &str, offset: usize) -> Option<String> {
    let before = text.get(..offset)?.rfind('\n').map_or(0, |line| line + 1);
    let line = text[before..].lines().next()?;
    (line.contains('"') && line.contains('\\')).then(|| ESCAPED.to_string())
}

/// Returns a path in the same folder with nearly the same name, or with the name and an extension.
fn near(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    let folder = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    if !folder.is_dir() {
        return near(parent);
    }
    let wanted = path.file_name()?.to_str()?;
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name != wanted)
        .collect();
    names.sort();
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_string();
    let near = nearest(wanted, names.iter().map(String::as_str));
    let same = || names.iter().find(|name| stem(name) == stem(wanted));
    near.or_else(|| same().map(String::as_str))
        .map(|name| parent.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_or_another_extension_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        std::fs::write(folder.path().join("mine/outputs.jsonl"), "").unwrap();
        let hint = |name: &str| hint(&folder.path().join(name));
        let named = |name: &str| {
            Some(format!(
                "did you mean `{}`?",
                folder.path().join(name).display()
            ))
        };
        assert_eq!(hint("mien"), named("mine"));
        assert_eq!(hint("mien/outputs.jsonl"), named("mine"));
        assert_eq!(hint("mine/outputs"), named("mine/outputs.jsonl"));
        assert_eq!(hint("mine/outputs.csv"), named("mine/outputs.jsonl"));
        assert_eq!(hint("elsewhere"), None);
        assert_eq!(hint("a\tb"), Some(ESCAPED.to_string()));
    }

    #[test]
    fn addresses_and_a_tilde_are_no_paths() {
        let hint = |path: &str| hint(Path::new(path)).unwrap();
        assert_eq!(
            hint("https://example.org/o.csv"),
            "addresses are not read; download the file first"
        );
        assert_eq!(hint("~/o.csv"), HOME);
    }

    #[test]
    fn standard_input_is_no_path() {
        let hint = hint(Path::new("-")).unwrap();
        assert!(
            hint.starts_with("standard input is not read here"),
            "{hint}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_read_is_there_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("gone", at("link")).unwrap();
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        std::fs::write(at("file"), "").unwrap();
        assert!(
            ["link", "loop", "file", "."]
                .map(at)
                .iter()
                .all(|path| is_there(path))
        );
        assert!(
            ["none", "none/x", "file/x"]
                .map(at)
                .iter()
                .all(|path| !is_there(path))
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_not_meant_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("mine");
        std::os::unix::fs::symlink("gone", &link).unwrap();
        let expected = format!(
            "`{}` is a link to `gone`, which is not there",
            link.display()
        );
        assert_eq!(hint(&link), Some(expected.clone()));
        assert_eq!(hint(&link.join("outputs.jsonl")), Some(expected));
    }

    #[cfg(not(windows))]
    #[test]
    fn a_path_of_windows_is_known() {
        let windows = hint(Path::new(r"C:\Users\me")).unwrap();
        assert!(windows.contains("a path of Windows"), "{windows}");
        assert_eq!(
            hint(Path::new(r"src\lib.rs")).as_deref(),
            Some("did you mean `src/lib.rs`?")
        );
    }

    #[test]
    fn an_escape_is_suspected_on_its_own_line_only() {
        let text = "a = \"x\"\nb = \"C:\\Users\"\n";
        assert!(escape(text, 14).is_some() && escape(text, 2).is_none());
    }
}
