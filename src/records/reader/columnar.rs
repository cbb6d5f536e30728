//! Parquet and Arrow (IPC file or stream), read one record batch at a time.
//!
//! Strings may be of any width, viewed or dictionary-encoded; lists of any kind; numbers of any
//! width. Dates and other types may stand in columns nobody asks for.

use super::cell::Cell;
use super::columns::{Columns, Form, Header};
use super::row::Row;
use crate::error::{Error, Result};
use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, LargeListArray,
    LargeStringArray, RecordBatch, UInt64Array,
};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// Rows decoded at a time from Parquet.
const BATCH: usize = 256;

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

pub(super) struct ColumnarRows {
    batches: Batches,
    columns: Vec<Column>,
    header: Arc<Header>,
    metadata: BTreeMap<String, String>,
    rows_in_batch: usize,
    next_in_batch: usize,
    row: u64,
}

impl ColumnarRows {
    /// # Errors
    /// If the file is not Parquet, or two columns share a name.
    pub fn parquet(path: &Path, columns: &Columns) -> Result<Self> {
        let file = open(path)?;
        let (schema, batches) = guarded(|| {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
            let schema = Arc::clone(builder.schema());
            let batches: Batches = Box::new(builder.with_batch_size(BATCH).build()?);
            Ok((schema, batches))
        })
        .map_err(|error| unreadable(path, "Parquet", &error))?;
        Self::new(path, &schema, batches, columns)
    }

    /// # Errors
    /// If the file is neither an Arrow file nor an Arrow stream, or two columns share a name.
    pub fn arrow(path: &Path, columns: &Columns) -> Result<Self> {
        let mut file = open(path)?;
        let mut magic = [0; 6];
        let read = file.read(&mut magic).map_err(Error::reading(path))?;
        file.rewind().map_err(Error::reading(path))?;
        if magic[..read].starts_with(b"FEA1") {
            return Err(Error::input(path, "Feather version 1, expected Arrow")
                .with_hint("write it again as Feather version 2, which is Arrow"));
        }
        let file = BufReader::new(file);
        let (schema, batches) = guarded(|| {
            Ok(if &magic == b"ARROW1" {
                let reader = FileReader::try_new(file, None)?;
                (reader.schema(), Box::new(reader) as Batches)
            } else {
                let reader = StreamReader::try_new(file, None)?;
                (reader.schema(), Box::new(reader) as Batches)
            })
        })
        .map_err(|error| unreadable(path, "Arrow", &error))?;
        Self::new(path, &schema, batches, columns)
    }

    fn new(path: &Path, schema: &SchemaRef, batches: Batches, columns: &Columns) -> Result<Self> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        if let Some(name) = Header::repeated(&names) {
            return Err(Error::input(path, format!("column `{name}` appears twice")));
        }
        let metadata = schema.metadata().iter();
        Ok(Self {
            batches,
            columns: Vec::new(),
            header: Arc::new(Header::first(path.into(), Form::Columnar, names, columns)),
            metadata: metadata.map(|(k, v)| (k.clone(), v.clone())).collect(),
            rows_in_batch: 0,
            next_in_batch: 0,
            row: 0,
        })
    }

    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    pub fn next(&mut self) -> Result<Option<Row>> {
        while self.next_in_batch == self.rows_in_batch {
            let next = guarded(|| {
                let Some(batch) = self.batches.next().transpose()? else {
                    return Ok(None);
                };
                let columns = batch.columns().iter().map(Column::new);
                let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
                Ok(Some((batch.num_rows(), columns)))
            });
            let next = next.map_err(|error| unreadable(&self.header.path, "table", &error))?;
            let Some((rows, columns)) = next else {
                return Ok(None);
            };
            (self.rows_in_batch, self.columns) = (rows, columns);
            self.next_in_batch = 0;
        }
        let index = self.next_in_batch;
        self.next_in_batch += 1;
        self.row += 1;
        Ok(Some(Row {
            header: Arc::clone(&self.header),
            cells: self.columns.iter().map(|c| c.cell(index)).collect(),
            line: self.row,
        }))
    }
}

fn open(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let meta = file.metadata().map_err(Error::reading(path))?;
    if meta.is_file() && meta.len() == 0 {
        return Err(super::bytes::empty(path));
    }
    Ok(file)
}

/// Runs a step of a reader that is not ours. Both libraries return an error for most damaged
/// files, but parquet panics on some; such a reader is not used again.
fn guarded<T>(step: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    catch_unwind(AssertUnwindSafe(step))
        .unwrap_or_else(|_| Err(ArrowError::ParseError("the file is damaged".to_string())))
}

fn unreadable(path: &Path, form: &str, error: &dyn fmt::Display) -> Error {
    Error::input(path, format!("not a readable {form} (truncated?): {error}"))
}

/// A column of one batch, brought to one of few types.
enum Column {
    Nulls,
    Text(LargeStringArray),
    Integer(Int64Array),
    Unsigned(UInt64Array),
    Float(Float64Array),
    Bool(BooleanArray),
    List(LargeListArray, Box<Column>),
    Other(ArrayRef),
}

impl Column {
    fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        // Unsafe in arrow's sense: a value that does not fit is an error, not a null.
        let strict = CastOptions {
            safe: false,
            ..CastOptions::default()
        };
        let to = |wanted: &T| cast_with_options(array, wanted, &strict);
        Ok(match array.data_type() {
            T::Null => Self::Nulls,
            T::Utf8 | T::LargeUtf8 | T::Utf8View => {
                Self::Text(to(&T::LargeUtf8)?.as_string().clone())
            }
            T::Dictionary(_, values) => Self::new(&to(values)?)?,
            T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::UInt8 | T::UInt16 | T::UInt32 => {
                Self::Integer(to(&T::Int64)?.as_primitive().clone())
            }
            T::UInt64 => Self::Unsigned(array.as_primitive().clone()),
            T::Float16
            | T::Float32
            | T::Float64
            | T::Decimal32(..)
            | T::Decimal64(..)
            | T::Decimal128(..)
            | T::Decimal256(..) => Self::Float(to(&T::Float64)?.as_primitive().clone()),
            T::Boolean => Self::Bool(array.as_boolean().clone()),
            T::List(field)
            | T::LargeList(field)
            | T::FixedSizeList(field, _)
            | T::ListView(field)
            | T::LargeListView(field) => Self::list(&to(&large_list(field))?)?,
            _ => Self::Other(Arc::clone(array)),
        })
    }

    fn list(array: &ArrayRef) -> Result<Self, ArrowError> {
        let list: LargeListArray = array.as_list().clone();
        let values = Self::new(list.values())?;
        Ok(Self::List(list, Box::new(values)))
    }

    fn cell(&self, row: usize) -> Cell {
        if self.is_null(row) {
            return Cell::Null;
        }
        match self {
            Self::Nulls => Cell::Null,
            Self::Text(array) => Cell::Text(array.value(row).to_string()),
            Self::Integer(array) => Cell::Integer(i128::from(array.value(row))),
            Self::Unsigned(array) => Cell::Integer(i128::from(array.value(row))),
            Self::Float(array) => Cell::Float(array.value(row)),
            Self::Bool(array) => Cell::Bool(array.value(row)),
            Self::List(array, values) => {
                let offsets = array.value_offsets();
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                Cell::List(range.map(|i| values.cell(i)).collect())
            }
            Self::Other(array) => Cell::Other(format!("of type {}", array.data_type())),
        }
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Nulls => true,
            Self::Text(array) => array.is_null(row),
            Self::Integer(array) => array.is_null(row),
            Self::Unsigned(array) => array.is_null(row),
            Self::Float(array) => array.is_null(row),
            Self::Bool(array) => array.is_null(row),
            Self::List(array, _) => array.is_null(row),
            Self::Other(array) => array.is_null(row),
        }
    }
}

fn large_list(element: &Arc<Field>) -> DataType {
    DataType::LargeList(Arc::clone(element))
}
