//! Text files, compressed or not, read by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::limits::{CountingReader, Excess, Part, advice, excess_of};
use tiebreak_base::message;

const BUFFER: usize = 1 << 17;

/// Bytes of a block of lines, besides the rest of its last line.
const BLOCK: usize = 1 << 17;

/// The largest window of zstd, as a power of two.
const LARGEST_WINDOW: u32 = 31;

/// The path that stands for standard input.
const STREAM: &str = "-";

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// The magic of a skippable zstd frame, with the lower half of the first byte masked.
const SKIPPED: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
const UTF8_BOM: &[u8] = &[0xef, 0xbb, 0xbf];
const UTF16_BOMS: [&[u8]; 2] = [&[0xff, 0xfe], &[0xfe, 0xff]];

/// A form of file that is no text, though the name says so.
struct BinaryForm {
    magic: &'static [u8],
    what: &'static str,
    hint: &'static str,
}

/// The hint for a workbook of a spreadsheet program.
pub(super) const SAVE_AS_CSV: &str =
    "save the sheet as CSV (UTF-8) in the spreadsheet program; unpack an archive first";

const BINARIES: [BinaryForm; 4] = [
    BinaryForm {
        magic: b"PK\x03\x04",
        what: "an Excel workbook or another zip archive, expected text",
        hint: SAVE_AS_CSV,
    },
    BinaryForm {
        magic: &[0xd0, 0xcf, 0x11, 0xe0],
        what: "an old Excel workbook, expected text",
        hint: SAVE_AS_CSV,
    },
    // A header may begin with these letters, but not with the byte after them.
    BinaryForm {
        magic: b"PAR1\x15",
        what: "a Parquet file, expected text",
        hint: "rename it to end in .parquet",
    },
    BinaryForm {
        magic: b"ARROW1\0\0",
        what: "an Arrow file, expected text",
        hint: "rename it to end in .arrow",
    },
];

/// Bytes at the start of a file that tell its form.
const SIGNATURE: u64 = 8;

/// The lines of a text file, decompressed where its name ends in `.gz` or `.zst`, without a byte
/// order mark.
pub(in crate::records) struct TextLines {
    reader: CountingReader<Box<dyn BufRead + Send>>,
    path: PathBuf,
    read: u64,
    /// The error met after the lines returned last.
    broken: Option<Error>,
}

/// Consecutive lines.
pub(in crate::records) struct LineBlock {
    pub bytes: Vec<u8>,
    /// The number of the first line.
    pub first: u64,
}

impl TextLines {
    /// # Errors
    /// If the file is missing, unreadable, UTF-16, or compressed without saying so in its name.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        if path == Path::new(STREAM) {
            let reader = Box::new(BufReader::new(io::stdin()));
            return Ok(Self::new(reader, Path::new("standard input")));
        }
        let file = File::open(path).map_err(Error::reading(path))?;
        if file.metadata().is_ok_and(|meta| meta.is_dir()) {
            return Err(Error::input(path, "a folder, expected a file"));
        }
        let compression = compression_of(path).unwrap_or_default();
        let mut file = BufReader::with_capacity(BUFFER, file);
        plainly(
            path,
            compression,
            file.fill_buf().map_err(Error::reading(path))?,
        )?;
        let (mut bytes, plain): (Box<dyn Read + Send>, bool) = match compression {
            "gz" => (Box::new(flate2::bufread::MultiGzDecoder::new(file)), false),
            "zst" => {
                let mut decoder = zstd::Decoder::with_buffer(file).map_err(Error::reading(path))?;
                // The decoder keeps as large a window as a frame requests.
                let window = Part::Window.most().ilog2();
                let set = decoder.window_log_max(window.min(LARGEST_WINDOW));
                set.map_err(Error::reading(path))?;
                (Box::new(decoder), false)
            }
            _ => (Box::new(file), true),
        };
        let mut start = Vec::new();
        let first = bytes.by_ref().take(SIGNATURE).read_to_end(&mut start);
        first.map_err(|error| damaged(path, 0, error))?;
        recognise(path, &start, plain)?;
        if start.starts_with(UTF8_BOM) {
            start.drain(..UTF8_BOM.len());
        }
        let rest = BufReader::with_capacity(BUFFER, bytes);
        Ok(Self::new(Box::new(Cursor::new(start).chain(rest)), path))
    }

    fn new(reader: Box<dyn BufRead + Send>, path: &Path) -> Self {
        Self {
            reader: CountingReader::new(reader, Part::Row),
            path: path.to_path_buf(),
            read: 0,
            broken: None,
        }
    }

    /// Appends the next line with its line break to `line`; false at the end of the file.
    ///
    /// # Errors
    /// If reading or decompressing fails, or what `line` holds then is too long.
    pub(crate) fn append(&mut self, line: &mut Vec<u8>) -> Result<bool> {
        self.append_to(line, 0)
    }

    /// Appends the next line to a record that begins at byte `start` of `line`.
    fn append_to(&mut self, line: &mut Vec<u8>, start: usize) -> Result<bool> {
        self.reader.begin((line.len() - start) as u64);
        let read = self.reader.read_until(b'\n', line);
        let length = read.map_err(|error| damaged(&self.path, self.read, error))?;
        self.read += u64::from(length > 0);
        Ok(length > 0)
    }

    /// Returns the unread rest of the file.
    pub(crate) fn into_reader(self) -> Box<dyn BufRead + Send> {
        self.reader.into_inner()
    }

    /// Returns the next lines, all whole, some eighth of a megabyte; `None` at the end of the file. Lines before
    /// one that cannot be read come first.
    pub(crate) fn block(&mut self) -> Result<Option<LineBlock>> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let first = self.read + 1;
        let mut bytes = Vec::with_capacity(BLOCK + BLOCK / 8);
        self.reader.begin(0);
        let read = self
            .reader
            .by_ref()
            .take(BLOCK as u64)
            .read_to_end(&mut bytes);
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
        self.read += memchr::memchr_iter(b'\n', &bytes[..whole]).count() as u64;
        let rest = read.map_err(|error| damaged(&self.path, self.read, error));
        let rest = rest.and_then(|_| self.append_to(&mut bytes, whole));
        if let Err(error) = rest {
            bytes.truncate(whole);
            self.broken = Some(error);
            return if whole == 0 {
                self.block()
            } else {
                Ok(Some(LineBlock { bytes, first }))
            };
        }
        Ok((!bytes.is_empty()).then_some(LineBlock { bytes, first }))
    }

    /// The number of lines read, which is the number of the last one.
    pub(crate) fn number(&self) -> u64 {
        self.read
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The extensions of compressed text, which may be in upper case.
const COMPRESSIONS: [&str; 2] = ["gz", "zst"];

/// Returns the extension that says how a file is compressed, in lower case.
fn compression_of(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?;
    let is_meant = |known: &&str| known.eq_ignore_ascii_case(ending);
    COMPRESSIONS.into_iter().find(is_meant)
}

/// Returns a file name without the extension of a compression.
pub(in crate::records) fn uncompressed(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if compression_of(Path::new(name)).is_some() => stem,
        _ => name,
    }
}

/// Returns a line without its line break.
pub(in crate::records) fn trim_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Whether a text ends without a line break, as after truncation. Of compressed text the decoder detects it.
pub(in crate::records) fn is_cut(path: &Path) -> Result<bool> {
    let reading = Error::reading(path);
    let mut file = File::open(path).map_err(&reading)?;
    if compression_of(path).is_some() || file.seek(SeekFrom::End(0)).map_err(&reading)? == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1)).map_err(&reading)?;
    file.read_exact(&mut last).map_err(&reading)?;
    Ok(last != *b"\n")
}

/// The error for an empty file.
pub(in crate::records) fn empty(path: &Path) -> Error {
    Error::input(path, "the file is empty")
}

/// Checks that a file begins as the compression of its extension does.
fn plainly(path: &Path, extension: &str, start: &[u8]) -> Result<()> {
    let skipped = start.len() > 3 && start[0] & 0xf0 == SKIPPED[0] && start[1..4] == SKIPPED[1..];
    let (form, fine) = match extension {
        "gz" => ("gzip", start.starts_with(GZIP)),
        "zst" => ("zstd", start.starts_with(ZSTD) || skipped),
        _ => return Ok(()),
    };
    // A file shorter than a signature is reported as cut off when it is read.
    if fine || start.len() < ZSTD.len() {
        return Ok(());
    }
    let what = format!("not {form}-compressed, though its name ends in .{extension}");
    let plain = path.file_stem().unwrap_or_default().to_string_lossy();
    Err(Error::input(path, what).with_hint(format!("if it is plain, rename it to {plain}")))
}

fn recognise(path: &Path, start: &[u8], plain: bool) -> Result<()> {
    let disguised = |form: &str, extension: &str| {
        Error::input(
            path,
            format!("{form}-compressed, but its name does not end in {extension}"),
        )
        .with_hint(format!("rename it to end in {extension}"))
    };
    if plain && start.starts_with(GZIP) {
        return Err(disguised("gzip", ".gz"));
    }
    if plain && start.starts_with(ZSTD) {
        return Err(disguised("zstd", ".zst"));
    }
    if start.starts_with(GZIP) || start.starts_with(ZSTD) {
        let what = "compressed twice, expected text inside";
        return Err(Error::input(path, what).with_hint("unpack it once, as with gunzip or unzstd"));
    }
    if UTF16_BOMS.iter().any(|bom| start.starts_with(bom)) {
        return Err(Error::utf16(path));
    }
    match BINARIES.iter().find(|form| start.starts_with(form.magic)) {
        Some(form) => Err(Error::input(path, form.what).with_hint(form.hint)),
        None => Ok(()),
    }
}

/// The error for a record over the memory limit.
pub(in crate::records) fn too_long(at: Location, excess: Excess) -> Error {
    Error::record(at, format!("a record of {excess}")).with_hint(advice())
}

/// The error for a failed read, with the number of lines read before.
fn damaged(path: &Path, lines: u64, error: io::Error) -> Error {
    if let Some(excess) = excess_of(&error) {
        return too_long(Location::line(path, lines + 1), excess);
    }
    // The decoder has no error kind for this.
    if error.to_string().contains("too much memory") {
        let window = Part::Window.excess();
        let what = format!("zstd, compressed with a window of {window}");
        return Error::input(path, what).with_hint(advice());
    }
    match Error::reading(path)(error) {
        Error::Input { path, what, hint } if lines > 0 => Error::Input {
            path,
            what: message!("{}, after line {lines}", what),
            hint,
        },
        error => error,
    }
}
