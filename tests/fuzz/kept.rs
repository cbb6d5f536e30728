//! Cases that were found once: small files that aborted, took memory without measure or were taken for whole.

use super::targets::columnar;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, ListArray, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;
use tiebreak::records::{ColumnMapping, TableReader};

/// The error that a file ends in, without its path.
fn mistake(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let rows = TableReader::open(&path, &ColumnMapping::default());
    let error = rows.and_then(|mut rows| rows.try_for_each(|row| row.map(drop)));
    let error = error.unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    error
        .to_string()
        .replace(&format!("{}: ", path.display()), "")
}

fn valid(name: &str) -> Vec<u8> {
    let forms = columnar().iter();
    forms
        .filter(|(known, _)| *known == name)
        .map(|(_, bytes)| bytes.clone())
        .next_back()
        .unwrap()
}

const CUT_OFF: &str = "it ends before its end marker";

#[test]
fn an_arrow_stream_that_ends_between_batches_is_incomplete() {
    let stream = valid("d.arrow");
    let marker = stream.len() - 8;
    assert_eq!(stream[marker..], [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    assert!(mistake("a.arrow", &stream[..marker]).ends_with(CUT_OFF));
    assert!(mistake("a.arrow", &stream[..marker + 4]).ends_with(CUT_OFF));
    let doubled = [&stream[..], &stream[..]].concat();
    assert!(mistake("a.arrow", &doubled).ends_with("what follows its end cannot be right"));
}

#[test]
fn an_arrow_message_of_gigabytes_in_nineteen_bytes() {
    let bytes = [
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f][..],
        &[0; 11],
    ]
    .concat();
    assert!(mistake("a.arrow", &bytes).ends_with(CUT_OFF));
}

#[test]
fn an_arrow_footer_of_gigabytes() {
    let mut file = valid("c.arrow");
    let length = file.len() - 10;
    file[length..length + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(mistake("a.arrow", &file).ends_with("the length of its footer cannot be right"));
}

/// The library goes down as far as columns lie in each other.
#[test]
fn parquet_columns_in_columns_without_end() {
    let many = 100_000_u32;
    // A struct with a name and one child each: fields 4 and 5.
    let columns = [0x48, 1, b'a', 0x15, 2, 0].repeat(many as usize);
    let count = [
        0x80 | many as u8,
        0x80 | (many >> 7) as u8,
        (many >> 14) as u8,
    ];
    let footer = [
        &[0x15, 2, 0x19, 0xfc][..],
        &count,
        &columns,
        &[0x16, 0, 0x19, 0x0c, 0],
    ]
    .concat();
    let length = (footer.len() as u32).to_le_bytes();
    let file = [b"PAR1", &footer[..], &length, b"PAR1"].concat();
    assert!(mistake("a.parquet", &file).ends_with("its columns make no sense"));
}

/// Of lists the library looks at a page's header before it asks for the page.
#[test]
fn parquet_with_many_pages_of_lists() {
    let numbers = (0..5000).map(|row| Some(vec![Some(f64::from(row)); 3]));
    let lists = ListArray::from_iter_primitive::<Float64Type, _, _>(numbers);
    let batch = RecordBatch::try_from_iter([("draws", Arc::new(lists) as ArrayRef)]).unwrap();
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(100)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, writer.into_inner().unwrap()).unwrap();
    let rows = TableReader::open(&path, &ColumnMapping::default()).unwrap();
    let draws = rows.map(|row| row.unwrap().numbers("draws").unwrap());
    assert!(draws.eq((0..5000).map(|row| vec![f64::from(row); 3])));
}

/// Every byte of every form, flipped: an error or rows, and nothing else.
#[test]
fn every_byte_flipped() {
    for (name, bytes) in columnar() {
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x80;
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(name);
            std::fs::write(&path, flipped).unwrap();
            let rows = TableReader::open(&path, &ColumnMapping::default());
            let _ = rows.map(|rows| rows.take(1000).flatten().count());
        }
    }
}
