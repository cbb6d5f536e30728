//! Columns that folders name, as Hive, Spark and pyarrow lay out tables: `system=a/part-0.parquet`.

use arrow_array::{ArrayRef, StringArray};
use std::path::Path;
use std::sync::Arc;

/// The value that stands for null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// A column with one value in all rows of a file.
pub(super) struct Partition {
    pub column: String,
    value: Option<String>,
}

impl Partition {
    /// The column of so many rows.
    pub(super) fn repeated(&self, rows: usize) -> ArrayRef {
        let values = std::iter::repeat_n(self.value.as_deref(), rows);
        Arc::new(values.collect::<StringArray>())
    }
}

/// The columns that the folders around a file name, the nearest first.
pub(super) fn partitions(path: &Path) -> Vec<Partition> {
    let folders = path.ancestors().skip(1);
    let named = |folder: &Path| {
        let (column, value) = folder.file_name()?.to_str()?.split_once('=')?;
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        (!column.is_empty() && column.chars().all(is_name)).then(|| Partition {
            column: column.to_string(),
            value: (value != NULL).then(|| unescaped(value)),
        })
    };
    folders.map_while(named).collect()
}

/// Whether the folders around a file name a column: it says which rows these are, and is no rating of theirs.
pub(in crate::records) fn is_partition(path: &Path, column: &str) -> bool {
    partitions(path).iter().any(|one| one.column == column)
}

/// What the folders around a file add to its contents, for digests; nothing where they name no columns.
pub(in crate::records) fn partition_text(path: &Path) -> String {
    let all = partitions(path).into_iter();
    let texts: Vec<String> = all
        .map(|one| format!(" {}={:?}", one.column, one.value))
        .collect();
    texts.concat()
}

/// A value without escapes such as `%2F`; as it is, where they are not of UTF-8.
fn unescaped(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| value.to_string())
}
