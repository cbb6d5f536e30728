//! Text files that people write: read whole; an error names the line that is not text.

use super::{Error, Location, Result};
use crate::layout::{argument, path_argument};
use crate::limits::{Part, file_bytes};
use std::path::Path;

/// Reads a text file.
///
/// # Errors
/// If it cannot be read, is too large, is not UTF-8, or is empty (which does not mean the defaults).
pub fn text_of(path: &Path) -> Result<String> {
    let bytes = file_bytes(path, Part::Row).map_err(Error::reading(path))?;
    if bytes.trim_ascii().is_empty() {
        return Err(Error::input(path, "the file is empty")
            .with_hint("restore it from a copy, or delete it if it should be empty"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let breaks = error.as_bytes()[..valid].iter();
        let breaks = breaks.filter(|&&byte| byte == b'\n').count();
        let at = Location::line(path, 1 + breaks as u64);
        Error::not_utf8(at, "")
    })
}

impl Error {
    /// A record that is not UTF-8 from a byte on.
    pub fn not_utf8_at(at: Location, error: std::str::Utf8Error) -> Self {
        Self::not_utf8(at, &format!(" at byte {}", error.valid_up_to() + 1))
    }

    /// A record that is not UTF-8, as of an older spreadsheet; `place` is where in it, with a space before.
    pub fn not_utf8(at: Location, place: &str) -> Self {
        // Windows-1252 is Latin-1 with more characters, which spreadsheets use.
        let hint = recoding(&at.path, "cp1252");
        Self::record(at, format!("invalid UTF-8{place}")).with_hint(hint)
    }

    /// A file in UTF-16, as spreadsheets call Unicode text.
    pub fn utf16(path: &Path) -> Self {
        Self::input(path, "UTF-16 text, expected UTF-8").with_hint(recoding(path, "utf-16"))
    }
}

/// The hint with the command that writes a file in another encoding as UTF-8.
fn recoding(path: &Path, encoding: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!(
        "save the file as UTF-8, such as: iconv -f {encoding} -t utf-8 {} > {}",
        path_argument(path),
        argument(&format!("utf8-{name}"))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_told_with_its_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"a = 1\n\nb = \"caf\xe9\"\n").unwrap();
        let error = text_of(file.path()).unwrap_err();
        let expected = format!("{}:3: invalid UTF-8", file.path().display());
        assert_eq!((error.to_string(), error.exit_code()), (expected, 2));
    }
}
