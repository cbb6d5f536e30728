//! Tables of a single file, which is complete or absent.

use super::format::{Compression, OutputTableFormat};
use super::meta::Meta;
use super::{rows, sealed, whole};
use crate::records::meta_path;
use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak_base::disk::{self, Draft, FileWriteLock};
use tiebreak_base::error::{Error, Result};

/// Writes a table to a file that appears only when it is complete.
pub struct TableFile {
    path: PathBuf,
    meta: Meta,
    writer: Option<FormatWriter>,
}

enum FormatWriter {
    Jsonl(Box<Sink>),
    Delimited(Box<Sink>, u8),
    Parquet(Box<ArrowWriter<BufWriter<Draft>>>),
    Arrow(Box<FileWriter<BufWriter<Draft>>>),
}

/// A text file, compressed or not.
enum Sink {
    Plain(BufWriter<Draft>),
    Gzip(flate2::write::GzEncoder<BufWriter<Draft>>),
    Zstd(zstd::Encoder<'static, BufWriter<Draft>>),
}

impl TableFile {
    /// Begins a table at `path` in `format`. Parents are created.
    ///
    /// # Errors
    /// If another table, or something else, is already there; if the folder or the temporary file cannot
    /// be created.
    pub fn create(
        path: &Path,
        format: OutputTableFormat,
        schema: &SchemaRef,
        meta: &Meta,
    ) -> Result<Self> {
        refuse_other(path, meta)?;
        let failed = Error::writing(path);
        let draft = Draft::create(path)?;
        let file = BufWriter::new(draft.digested());
        let stamped = Arc::new(schema.as_ref().clone().with_metadata(meta.to_schema()));
        let writer = match format {
            OutputTableFormat::Jsonl(compression) => {
                FormatWriter::Jsonl(Box::new(Sink::new(file, compression).map_err(&failed)?))
            }
            OutputTableFormat::Csv(compression) | OutputTableFormat::Tsv(compression) => {
                let delimiter = if matches!(format, OutputTableFormat::Tsv(_)) {
                    b'\t'
                } else {
                    b','
                };
                let mut sink = Sink::new(file, compression).map_err(&failed)?;
                let names = schema.fields().iter().map(|field| field.name().as_str());
                sink.write_all(&rows::header(delimiter, names))
                    .map_err(&failed)?;
                FormatWriter::Delimited(Box::new(sink), delimiter)
            }
            OutputTableFormat::Parquet => {
                let level = ZstdLevel::try_new(3).map_err(Error::failed)?;
                let properties = WriterProperties::builder()
                    .set_compression(Codec::ZSTD(level))
                    .build();
                let writer = ArrowWriter::try_new(file, stamped, Some(properties));
                FormatWriter::Parquet(Box::new(writer.map_err(in_parquet(path))?))
            }
            OutputTableFormat::Arrow => {
                let writer = arrow_writer(file, &stamped).map_err(in_arrow(path))?;
                FormatWriter::Arrow(Box::new(writer))
            }
        };
        Ok(Self {
            path: path.to_path_buf(),
            meta: meta.clone(),
            writer: Some(writer),
        })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let failed = Error::writing(&self.path);
        match self.writer.as_mut().expect("written before finished") {
            FormatWriter::Jsonl(sink) => rows::write_jsonl(sink, batch).map_err(failed),
            FormatWriter::Delimited(sink, delimiter) => {
                rows::write_delimited(sink, *delimiter, batch).map_err(failed)
            }
            FormatWriter::Parquet(writer) => writer.write(batch).map_err(in_parquet(&self.path)),
            FormatWriter::Arrow(writer) => writer.write(batch).map_err(in_arrow(&self.path)),
        }
    }

    /// Completes the file: syncs it, gives it its name, and writes `.meta.json` beside a text form.
    ///
    /// # Errors
    /// If any of that fails, or another table came there since this one was begun; the final name is then untouched.
    pub fn finish(mut self) -> Result<()> {
        let failed = Error::writing(&self.path);
        let _turn = FileWriteLock::wait(&self.path)?;
        refuse_other(&self.path, &self.meta)?;
        let writer = self.writer.take().expect("finished once");
        let file = match writer {
            FormatWriter::Jsonl(sink) | FormatWriter::Delimited(sink, _) => {
                sink.finish().map_err(&failed)?
            }
            FormatWriter::Parquet(mut writer) => {
                let blank = KeyValue::new(sealed::KEY.to_string(), sealed::blank());
                writer.append_key_value_metadata(blank);
                return seal(
                    &self.path,
                    writer.into_inner().map_err(in_parquet(&self.path))?,
                );
            }
            FormatWriter::Arrow(writer) => return seal(&self.path, closed(*writer, &self.path)?),
        };
        // The two files cannot appear at once, so the first holds the digest of the second, and readers compare.
        self.meta.digest = file.digest().map(|digest| format!("sha256:{digest}"));
        write_atomically(&meta_path(&self.path), self.meta.to_json()?.as_bytes())?;
        file.finish()
    }
}

impl Sink {
    fn new(file: BufWriter<Draft>, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::Plain => Self::Plain(file),
            Compression::Gzip => Self::Gzip(flate2::write::GzEncoder::new(
                file,
                flate2::Compression::default(),
            )),
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(file, 3)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
        })
    }

    fn finish(self) -> io::Result<Draft> {
        let file = match self {
            Self::Plain(file) => file,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(sink) => sink.write(bytes),
            Self::Gzip(sink) => sink.write(bytes),
            Self::Zstd(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.flush(),
            Self::Gzip(sink) => sink.flush(),
            Self::Zstd(sink) => sink.flush(),
        }
    }
}

/// Opens an Arrow IPC writer for parts and files: compressed by zstd inside.
fn arrow_writer<W: Write>(file: W, schema: &SchemaRef) -> Result<FileWriter<W>, ArrowError> {
    let zstd = Some(arrow_ipc::CompressionType::ZSTD);
    let options = IpcWriteOptions::default().try_with_compression(zstd)?;
    FileWriter::try_new_with_options(file, schema, options)
}

/// Ends an Arrow file, with a blank in its footer for the digest.
fn closed(mut writer: FileWriter<BufWriter<Draft>>, path: &Path) -> Result<BufWriter<Draft>> {
    writer.write_metadata(sealed::KEY, sealed::blank());
    writer.into_inner().map_err(in_arrow(path))
}

/// Completes a file that holds its own digest.
fn seal(path: &Path, file: BufWriter<Draft>) -> Result<()> {
    let failed = Error::writing(path);
    let mut draft = file.into_inner().map_err(|e| failed(e.into_error()))?;
    sealed::seal(&mut draft).map_err(&failed)?;
    draft.finish()
}

/// Converts an error of the Arrow library; an I/O error, such as a full disk, becomes one of this file.
fn in_arrow(path: &Path) -> impl Fn(ArrowError) -> Error {
    move |error| match error {
        ArrowError::IoError(_, source) => Error::writing(path)(source),
        other => Error::failed(other),
    }
}

/// Converts an error of the Parquet library, which wraps I/O errors; these become errors of this file.
fn in_parquet(path: &Path) -> impl Fn(ParquetError) -> Error {
    move |error| match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => Error::writing(path)(*source),
            Err(other) => Error::failed(other),
        },
        other => Error::failed(other),
    }
}

/// Writes one batch as an Arrow file, whole or not at all.
///
/// # Errors
/// If it cannot be written; nothing then has its name.
pub(super) fn write_batch(path: &Path, meta: &Meta, batch: &RecordBatch) -> Result<()> {
    let file = BufWriter::new(Draft::create(path)?.digested());
    let schema = batch.schema().as_ref().clone();
    let schema = Arc::new(schema.with_metadata(meta.to_schema()));
    let failed = in_arrow(path);
    let mut writer = arrow_writer(file, &schema).map_err(&failed)?;
    writer.write(batch).map_err(&failed)?;
    seal(path, closed(writer, path)?)
}

/// Refuses a path that holds anything but the same table from an earlier run, as it was written.
fn refuse_other(path: &Path, meta: &Meta) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    match Meta::of_table(path) {
        Ok(Some(there)) => {
            meta.require_same(&there, path)?;
            let edited = |_| Error::occupied(path, "and was changed since it was written");
            whole::check(path).map_err(edited)
        }
        Ok(None) | Err(_) => Err(Error::occupied(path, "and was not written by this command")),
    }
}

/// Writes a result that is one small file, unless it is there already.
///
/// # Errors
/// If something else is already there; if it cannot be written.
pub fn write_result(path: &Path, bytes: &[u8]) -> Result<()> {
    match fs::read(path) {
        Ok(there) if there == bytes => Ok(()),
        Ok(_) => Err(Error::occupied(path, "with other content")),
        Err(_) => write_atomically(path, bytes),
    }
}

/// Writes a small file, whole or not at all.
///
/// # Errors
/// If the folder or file cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    disk::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::schema::{SCORES, schema};

    #[test]
    fn what_came_there_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.parquet", "t.arrow"] {
            let path = folder.path().join(name);
            let format = OutputTableFormat::from_path(&path).unwrap().unwrap();
            let begun = |signature: &str| {
                let meta = Meta::new("scores", signature, 0, "data");
                TableFile::create(&path, format, &schema(SCORES), &meta).unwrap()
            };
            let [slow, fast, same] = ["slow", "fast", "fast"].map(begun);
            fast.finish().unwrap();
            let refused = slow.finish().unwrap_err().to_string();
            assert!(refused.contains("begun with signature = fast"), "{refused}");
            same.finish().unwrap();
            let there = Meta::of_table(&path).unwrap().unwrap();
            assert_eq!(there.signature, "fast");
        }
        let path = folder.path().join("notes.csv");
        let format = OutputTableFormat::from_path(&path).unwrap().unwrap();
        let meta = Meta::new("scores", "slow", 0, "data");
        let slow = TableFile::create(&path, format, &schema(SCORES), &meta).unwrap();
        fs::write(&path, "my notes").unwrap();
        assert!(slow.finish().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "my notes");
    }
}
