//! Small files that would take much memory: each is refused within what the limit leaves, with the flag that
//! would have it read.

use super::in_a_process;
#[cfg(feature = "neural")]
use crate::cli::text;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tiebreak::records::import::ImportOptions;
use tiebreak::records::{Dataset, DatasetDescriptor, Index};
use tiebreak::tables::Meta;
use zip::write::SimpleFileOptions;

/// More bytes than any piece may have.
const LONG: usize = 80 << 20;

const HINT: &str = "to read it, raise --limit-memory from 64M to 128M or more";

/// Has a process read what `make` makes under a name.
fn refused(name: &str, make: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    make(&path);
    in_a_process(&format!("bomb {}", path.display())).unwrap();
}

/// The other side.
pub(super) fn read(path: &str) {
    let path = Path::new(path);
    let folder = path.parent().unwrap();
    let indexed = |data| Dataset::open(data, &[]).and_then(|data| Index::build(&data).map(|_| ()));
    let read = match path.file_name().unwrap().to_str().unwrap() {
        "dataset.toml" => DatasetDescriptor::read(path).map(drop),
        "scores.meta.json" => Meta::read(path).map(drop),
        #[cfg(feature = "neural")]
        "config.json" | "tokenizer.json" => {
            let options = tiebreak::preference::Options::default();
            tiebreak::preference::load(text(folder), &options, &tiebreak::Env::default()).map(drop)
        }
        "log.eval" => {
            let options = ImportOptions::default();
            options
                .import(&[path.to_path_buf()], &folder.join("out"))
                .map(drop)
        }
        name if name.starts_with("judgments") => indexed(folder),
        _ => indexed(path),
    };
    let error = read.expect_err("too much is refused");
    assert_eq!(error.exit_code(), 2, "{error}");
    assert_eq!(error.hint().as_deref(), Some(HINT), "{error}");
}

fn gzip(path: &Path, pieces: impl IntoIterator<Item = Vec<u8>>) {
    let mut file =
        flate2::write::GzEncoder::new(File::create(path).unwrap(), flate2::Compression::fast());
    pieces
        .into_iter()
        .for_each(|piece| file.write_all(&piece).unwrap());
    file.finish().unwrap();
}

#[test]
fn a_line_without_end() {
    refused("line.jsonl.gz", |path| {
        let start = b"{\"item\":\"1\",\"system\":\"a\",\"output\":\"".to_vec();
        gzip(path, [start, vec![b'x'; LONG]]);
    });
    refused("cell.csv.zst", |path| {
        let text = [b"item,system,output\n1,a,\"".to_vec(), vec![b'\n'; LONG]].concat();
        fs::write(path, zstd::encode_all(&text[..], 1).unwrap()).unwrap();
    });
}

#[test]
fn a_document_that_is_parsed_whole() {
    refused("dataset.toml", |path| {
        fs::write(path, "a = [[], {}]\n".repeat(1 << 17)).unwrap();
    });
    refused("scores.meta.json", |path| {
        fs::write(path, format!("[{}0]", "[],".repeat(1 << 20))).unwrap();
    });
}

/// The files of a model, one of them large where a few values would do.
#[cfg(feature = "neural")]
#[test]
fn a_model_that_says_much_of_itself() {
    let much = |about: &str| format!("{{\"{about}\":[{}0]}}", "[],".repeat(2 << 20));
    for name in ["config.json", "tokenizer.json"] {
        refused(name, |path| {
            super::targets::model(path.parent().unwrap(), &[]);
            fs::write(path, much("more")).unwrap();
        });
    }
}

#[test]
fn a_zip_of_members_without_end() {
    refused("log.eval", |path| {
        let mut zip = zip::ZipWriter::new(File::create(path).unwrap());
        for n in 0..60_000 {
            let name = format!("samples/{n:0>40}.json");
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
        }
        zip.finish().unwrap();
    });
}

#[test]
fn a_window_of_gigabytes() {
    refused("window.jsonl.zst", |path| {
        // A frame of an empty block, whose window is 2 GiB.
        fs::write(path, [0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0]).unwrap();
    });
}

#[test]
fn millions_of_rows_of_one_item() {
    refused("rows.csv.gz", |path| {
        let header = b"item,system,output\n".to_vec();
        let rows = (0..100).map(|_| b"1,a,\n".repeat(10_000));
        gzip(path, [header].into_iter().chain(rows));
    });
}

#[test]
fn millions_of_columns() {
    refused("columns.csv", |path| {
        let names: Vec<String> = (0..1_000_000).map(|n| n.to_string()).collect();
        fs::write(path, names.join(",")).unwrap();
    });
}

#[test]
fn millions_of_names() {
    refused("judgments.csv.gz", |path| {
        let header = b"item,system,criterion,score\n".to_vec();
        let rows = (0..100_000).map(|n| format!("{n},a,criterion {n},1\n").into_bytes());
        gzip(path, [header].into_iter().chain(rows));
    });
}

fn rows(outputs: ArrayRef) -> RecordBatch {
    let count = outputs.len();
    let items: Vec<String> = (0..count).map(|n| n.to_string()).collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("item", Arc::new(StringArray::from(items))),
        ("system", Arc::new(StringArray::from(vec!["a"; count]))),
        ("output", outputs),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet(path: &Path, batch: &RecordBatch, dictionary: bool) {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(dictionary)
        .set_dictionary_page_size_limit(LONG)
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn pages_that_unpack_to_much() {
    let long = "x".repeat(LONG);
    let batch = rows(Arc::new(StringArray::from(vec![long])));
    refused("page.parquet", |path| parquet(path, &batch, false));
    refused("dictionary.parquet", |path| parquet(path, &batch, true));
}

#[test]
fn a_footer_of_much() {
    refused("footer.parquet", |path| {
        let much = KeyValue::new("more".to_string(), "x".repeat(5 << 20));
        let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![much]));
        let batch = rows(Arc::new(StringArray::from(vec!["a"])));
        let file = File::create(path).unwrap();
        let writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build()));
        let mut writer = writer.unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    });
}

#[test]
fn batches_that_unpack_to_much() {
    let long = "x".repeat(LONG);
    let batch = rows(Arc::new(StringArray::from(vec![long])));
    for (name, codec) in [
        ("a.arrow", CompressionType::ZSTD),
        ("b.arrow", CompressionType::LZ4_FRAME),
    ] {
        refused(name, |path| arrow(path, &batch, codec));
    }
}

fn arrow(path: &Path, batch: &RecordBatch, codec: CompressionType) {
    let options = IpcWriteOptions::default()
        .try_with_compression(Some(codec))
        .unwrap();
    let file = File::create(path).unwrap();
    let mut writer = FileWriter::try_new_with_options(file, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// A text that many rows share is held once, but no row may be longer than a row may be.
#[test]
fn a_long_text_that_many_rows_share() {
    let long = "x".repeat(3 << 20);
    let shared: DictionaryArray<Int32Type> = std::iter::repeat_n(long.as_str(), 2000).collect();
    let batch = rows(Arc::new(shared));
    refused("shared.arrow", |path| {
        arrow(path, &batch, CompressionType::ZSTD);
    });
    refused("shared.parquet", |path| parquet(path, &batch, true));
}
