//! Parquet and Arrow (IPC file or stream), read one record batch at a time.
//!
//! Strings may be of any width, viewed or dictionary-encoded; lists of any kind; numbers of any
//! width. Dates and other types may stand in columns nobody asks for.

use super::cell::Cell;
use super::columns::{Columns, Form, Header};
use super::row::Row;
use crate::error::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{self, ArrowPrimitiveType, DecimalType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    UInt64Array,
};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use arrow_select::take::take;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::Range;
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

/// A number of half precision.
type Half = <types::Float16Type as ArrowPrimitiveType>::Native;

/// A column of one batch, brought to one of few types.
enum Column {
    Nulls,
    Text(LargeStringArray),
    Integer(Int64Array),
    Unsigned(UInt64Array),
    Float(Float64Array),
    Bool(BooleanArray),
    /// Where the elements of each row lie among those of all.
    List(Vec<Option<Range<usize>>>, Box<Column>),
    Other(ArrayRef),
}

impl Column {
    /// By hand and not with arrow-cast, which knows every type: it and what it brings take a sixth of the
    /// time that all dependencies take to build.
    fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        Ok(match array.data_type() {
            T::Null => Self::Nulls,
            T::Utf8 => Self::Text(array.as_string::<i32>().iter().collect()),
            T::LargeUtf8 => Self::Text(array.as_string().clone()),
            T::Utf8View => Self::Text(array.as_string_view().iter().collect()),
            T::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                Self::new(&take(dictionary.values(), dictionary.keys(), None)?)?
            }
            T::Int8 => integers::<types::Int8Type>(array),
            T::Int16 => integers::<types::Int16Type>(array),
            T::Int32 => integers::<types::Int32Type>(array),
            T::Int64 => Self::Integer(array.as_primitive().clone()),
            T::UInt8 => integers::<types::UInt8Type>(array),
            T::UInt16 => integers::<types::UInt16Type>(array),
            T::UInt32 => integers::<types::UInt32Type>(array),
            T::UInt64 => Self::Unsigned(array.as_primitive().clone()),
            T::Float16 => floats::<types::Float16Type>(array, Half::to_f64),
            T::Float32 => floats::<types::Float32Type>(array, f64::from),
            T::Float64 => Self::Float(array.as_primitive().clone()),
            T::Decimal32(..) => decimals::<types::Decimal32Type>(array),
            T::Decimal64(..) => decimals::<types::Decimal64Type>(array),
            T::Decimal128(..) => decimals::<types::Decimal128Type>(array),
            T::Decimal256(..) => decimals::<types::Decimal256Type>(array),
            T::Boolean => Self::Bool(array.as_boolean().clone()),
            T::List(_) => Self::list(array, array.as_list::<i32>().values(), |row| {
                let ends = array.as_list::<i32>().value_offsets();
                ends[row] as usize..ends[row + 1] as usize
            })?,
            T::LargeList(_) => Self::list(array, array.as_list::<i64>().values(), |row| {
                let ends = array.as_list::<i64>().value_offsets();
                ends[row] as usize..ends[row + 1] as usize
            })?,
            T::FixedSizeList(_, size) => {
                let list = array.as_fixed_size_list();
                Self::list(array, list.values(), |row| {
                    let start = list.value_offset(row) as usize;
                    start..start + *size as usize
                })?
            }
            T::ListView(_) => {
                let list = array.as_list_view::<i32>();
                Self::list(array, list.values(), |row| {
                    let start = list.value_offset(row) as usize;
                    start..start + list.value_size(row) as usize
                })?
            }
            T::LargeListView(_) => {
                let list = array.as_list_view::<i64>();
                Self::list(array, list.values(), |row| {
                    let start = list.value_offset(row) as usize;
                    start..start + list.value_size(row) as usize
                })?
            }
            _ => Self::Other(Arc::clone(array)),
        })
    }

    fn list(
        array: &ArrayRef,
        values: &ArrayRef,
        range: impl Fn(usize) -> Range<usize>,
    ) -> Result<Self, ArrowError> {
        let rows = 0..array.len();
        let rows = rows.map(|row| array.is_valid(row).then(|| range(row)));
        Ok(Self::List(rows.collect(), Box::new(Self::new(values)?)))
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
            Self::List(rows, values) => {
                let elements = rows[row].clone().into_iter().flatten();
                Cell::List(elements.map(|i| values.cell(i)).collect())
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
            Self::List(rows, _) => rows[row].is_none(),
            Self::Other(array) => array.is_null(row),
        }
    }
}

fn integers<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef) -> Column {
    Column::Integer(array.as_primitive::<T>().unary(Into::into))
}

fn floats<T: ArrowPrimitiveType>(array: &ArrayRef, value: impl Fn(T::Native) -> f64) -> Column {
    Column::Float(array.as_primitive::<T>().unary(value))
}

/// Each as the nearest number to what it says.
fn decimals<T: DecimalType>(array: &ArrayRef) -> Column {
    let array = array.as_primitive::<T>();
    let number = |row| array.value_as_string(row).parse().unwrap_or(f64::NAN);
    let rows = (0..array.len()).map(|row| array.is_valid(row).then(|| number(row)));
    Column::Float(rows.collect())
}
