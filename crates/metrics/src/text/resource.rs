//! Tables of words that metrics read from files, compressed by gzip where their names end in `.gz`.

use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use tiebreak_base::error::Error;
use tiebreak_base::limits::{CountingReader, Part, excess_of};

/// Opens a table; a piece of it, as `part` says, keeps to the limit on memory.
pub(crate) fn open(path: &Path, part: Part) -> io::Result<CountingReader<Box<dyn BufRead>>> {
    let file = BufReader::new(File::open(path)?);
    let reader: Box<dyn BufRead> = match path.extension().is_some_and(|end| end == "gz") {
        true => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        false => Box::new(file),
    };
    Ok(CountingReader::new(reader, part))
}

/// Reads a table whole.
///
/// # Errors
/// If it cannot be read as text, or is too large.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path, Part::Batch)?.read_to_string(&mut text)?;
    Ok(text)
}

/// For `map_err`: says why a table cannot be read, and, unless it is too large, which file it must be.
pub(crate) fn unreadable<'a>(path: &'a Path, hint: &'a str) -> impl Fn(io::Error) -> Error + 'a {
    move |source| match excess_of(&source) {
        Some(_) => Error::reading(path)(source),
        None => Error::input(path, source.to_string()).with_hint(hint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_small_file_that_unpacks_to_much_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [path, plain] = ["words.gz", "words"].map(|name| folder.path().join(name));
        let fast = flate2::Compression::fast();
        let mut file = flate2::write::GzEncoder::new(File::create(&path).unwrap(), fast);
        let blanks = vec![b' '; 1 << 20];
        for _ in 0..=Part::Row.most() >> 20 {
            file.write_all(&blanks).unwrap();
        }
        file.finish().unwrap();
        let open = || open(&path, Part::Row).unwrap();
        let mut text = String::new();
        for read in [
            open().read_to_string(&mut text),
            open().read_line(&mut text),
        ] {
            let error = read.map_err(unreadable(&path, "some table")).unwrap_err();
            assert!(error.hint().unwrap().contains("--limit-memory"), "{error}");
        }
        std::fs::write(&plain, "a\nb\n").unwrap();
        assert_eq!(read(&plain).unwrap(), "a\nb\n");
        let error = read(folder.path()).map_err(unreadable(&path, "some table"));
        assert_eq!(error.unwrap_err().hint().as_deref(), Some("some table"));
    }
}
