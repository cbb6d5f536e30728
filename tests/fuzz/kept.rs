//! Cases that were found once: small files that aborted, took memory without measure or were taken for whole.

use super::targets::columnar;
use tiebreak::records::{Columns, Rows};

/// The error that a file ends in, without its path.
fn mistake(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let rows = Rows::open(&path, &Columns::default());
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
    assert!(mistake("a.arrow", &doubled).ends_with("what stands behind its end cannot be right"));
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
            let rows = Rows::open(&path, &Columns::default());
            let _ = rows.map(|rows| rows.take(1000).flatten().count());
        }
    }
}
