//! Parquet and Arrow (IPC file or stream), read one record batch at a time.
//!
//! Strings may be of any width, viewed or dictionary-encoded; lists of any kind; numbers of any
//! width. Dates and other types may stand in columns nobody asks for.

use super::cell::Cell;
use super::columns::{Columns, Form, Header};
use super::messages::Batches;
use super::pages::Pages;
use super::piece::Piece;
use super::row::Row;
use crate::error::{Error, Result};
use crate::guard::contained;
use crate::limits::{Excess, Part, advice};
use arrow_array::cast::AsArray;
use arrow_array::types::{self, ArrowPrimitiveType, DecimalType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Rows decoded at a time from Parquet.
const BATCH: usize = 1024;
/// Bytes of a piece, more or less.
const PIECE: usize = 1 << 18;

pub(super) struct ColumnarRows {
    form: Source,
    header: Arc<Header>,
    metadata: BTreeMap<String, String>,
    batch: Batch,
    /// Rows in the batches so far.
    rows: u64,
}

/// Rows that were decoded together, or some of them.
pub(in crate::records) struct Batch {
    header: Arc<Header>,
    columns: Arc<Vec<Column>>,
    rows: Range<usize>,
    /// Rows of the table before the columns begin.
    before: u64,
    /// What a row takes, in bytes.
    row: usize,
}

enum Source {
    Parquet(Pages, ParquetRecordBatchReader),
    Arrow(Box<Batches>),
}

impl ColumnarRows {
    /// # Errors
    /// If the file is not Parquet, or two columns share a name.
    pub fn parquet(path: &Path, columns: &Columns) -> Result<Self> {
        let (file, length) = open(path)?;
        let pages = Pages::new(file, length);
        let (schema, batches) = guarded(|| {
            let options = ArrowReaderOptions::new();
            let found = ArrowReaderMetadata::load(&pages, options.clone())?;
            // A text that many rows repeat is then there once.
            let viewed = options.with_schema(Arc::new(viewed(found.schema())));
            let viewed = ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), viewed)?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(pages.clone(), viewed);
            Ok((
                Arc::clone(found.schema()),
                builder.with_batch_size(BATCH).build()?,
            ))
        })
        .map_err(|error| unreadable(path, "Parquet", &error))?;
        Self::new(path, &schema, Source::Parquet(pages, batches), columns)
    }

    /// # Errors
    /// If the file is neither an Arrow file nor an Arrow stream, or two columns share a name.
    pub fn arrow(path: &Path, columns: &Columns) -> Result<Self> {
        let batches = Batches::open(path)?;
        let schema = Arc::clone(batches.schema());
        Self::new(path, &schema, Source::Arrow(Box::new(batches)), columns)
    }

    fn new(path: &Path, schema: &SchemaRef, form: Source, columns: &Columns) -> Result<Self> {
        let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
        let header = Header::first(path.into(), Form::Columnar, names, columns);
        header.check(|what| Error::input(path, what))?;
        let metadata = schema.metadata().iter();
        let header = Arc::new(header);
        Ok(Self {
            form,
            batch: Batch::none(&header),
            header,
            metadata: metadata.map(|(k, v)| (k.clone(), v.clone())).collect(),
            rows: 0,
        })
    }

    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    pub fn next(&mut self) -> Result<Option<Row>> {
        match self.fill()? {
            true => self.batch.next(),
            false => Ok(None),
        }
    }

    /// Rows not yet taken apart, in the place of [`Self::next`].
    pub fn piece(&mut self) -> Result<Option<Piece>> {
        Ok(self.fill()?.then(|| Piece::Batch(self.batch.split(PIECE))))
    }

    /// Decodes until there are rows; false at the end.
    fn fill(&mut self) -> Result<bool> {
        while self.batch.rows.is_empty() {
            // What it holds is not needed beside the next.
            self.batch = Batch::none(&self.header);
            let decoded = guarded(|| {
                let Some(decoded) = self.form.next()? else {
                    return Ok(None);
                };
                let columns = decoded.columns().iter().map(Column::new);
                let columns: Vec<_> = columns.collect::<Result<_, ArrowError>>()?;
                Ok(Some((decoded, columns)))
            });
            let decoded =
                decoded.map_err(|error| unreadable(&self.header.path, "table", &error))?;
            let Some((decoded, columns)) = decoded else {
                return Ok(false);
            };
            let rows = decoded.num_rows();
            self.batch = Batch {
                header: Arc::clone(&self.header),
                columns: Arc::new(columns),
                rows: 0..rows,
                before: self.rows,
                row: decoded.get_array_memory_size() / rows.max(1),
            };
            self.rows += rows as u64;
        }
        Ok(true)
    }
}

impl Batch {
    /// What is in memory already; errors call it `name`.
    ///
    /// # Errors
    /// If two columns share a name, or a column cannot be read.
    pub fn in_memory(name: &str, decoded: &RecordBatch) -> Result<Self> {
        let schema = decoded.schema();
        let names = schema.fields().iter().map(|field| field.name().clone());
        let header = Header::first(
            name.into(),
            Form::Columnar,
            names.collect(),
            &Columns::default(),
        );
        header.check(|what| Error::input(name, what))?;
        let columns = guarded(|| decoded.columns().iter().map(Column::new).collect());
        let columns: Vec<Column> =
            columns.map_err(|error| unreadable(&header.path, "table", &error))?;
        Ok(Self {
            header: Arc::new(header),
            columns: Arc::new(columns),
            rows: 0..decoded.num_rows(),
            before: 0,
            row: decoded.get_array_memory_size() / decoded.num_rows().max(1),
        })
    }

    fn none(header: &Arc<Header>) -> Self {
        Self {
            header: Arc::clone(header),
            columns: Arc::default(),
            rows: 0..0,
            before: 0,
            row: 0,
        }
    }

    /// Takes rows of some bytes off its beginning, one at least.
    fn split(&mut self, bytes: usize) -> Self {
        let rows = (bytes / self.row.max(1)).clamp(1, self.rows.len().max(1));
        let middle = self.rows.start + rows;
        let first = Self {
            header: Arc::clone(&self.header),
            columns: Arc::clone(&self.columns),
            rows: self.rows.start..middle,
            ..*self
        };
        self.rows.start = middle;
        first
    }

    /// What it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.row * self.rows.len()
    }

    /// Each row in its order, in the place of the one before.
    pub fn rows(mut self, mut each: impl FnMut(&Row) -> Result<()>) -> Result<()> {
        let mut row = self.none_yet();
        while self.read(&mut row)? {
            each(&row)?;
        }
        Ok(())
    }

    /// Each row in its order.
    pub fn owned(mut self, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
        while let Some(row) = self.next()? {
            each(row)?;
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Row>> {
        let mut row = self.none_yet();
        Ok(self.read(&mut row)?.then_some(row))
    }

    fn none_yet(&self) -> Row {
        Row {
            header: Arc::clone(&self.header),
            cells: vec![Cell::Null; self.columns.len()],
            line: 0,
        }
    }

    /// Reads the next row into `row`, in the place of what it was; false at the end.
    fn read(&mut self, row: &mut Row) -> Result<bool> {
        let Some(index) = self.rows.next() else {
            return Ok(false);
        };
        row.line = self.before + index as u64 + 1;
        let mut room = Room::default();
        let mut cells = self.columns.iter().zip(&mut row.cells);
        let read = cells.try_for_each(|(column, cell)| column.read(index, &mut room, cell));
        read.map_err(|excess| {
            row.error(format!("the row takes {excess}"))
                .with_hint(advice())
        })?;
        Ok(true)
    }
}

impl Source {
    fn next(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        match self {
            Self::Parquet(pages, batches) => {
                pages.begin();
                let batch = batches.next().transpose();
                batch.map_err(|error| match pages.excess() {
                    Some(excess) => ArrowError::ExternalError(Box::new(excess)),
                    None => error,
                })
            }
            Self::Arrow(batches) => batches.next().transpose(),
        }
    }
}

/// What a row has taken.
#[derive(Default)]
struct Room(u64);

impl Room {
    /// As a row of text would: the value, and what separates it from the next.
    fn take(&mut self, bytes: usize) -> Result<(), Excess> {
        self.0 += bytes as u64 + 2;
        Part::Row.holds(self.0)
    }
}

/// The same columns with texts as views of what was decoded.
fn viewed(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(view);
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone())
}

fn view(field: &FieldRef) -> FieldRef {
    let viewed = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::List(element) => DataType::List(view(element)),
        DataType::LargeList(element) => DataType::LargeList(view(element)),
        _ => return Arc::clone(field),
    };
    Arc::new(Field::clone(field).with_data_type(viewed))
}

/// A file that is not empty, and its length.
pub(super) fn open(path: &Path) -> Result<(File, u64)> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let meta = file.metadata().map_err(Error::reading(path))?;
    if meta.is_file() && meta.len() == 0 {
        return Err(super::bytes::empty(path));
    }
    Ok((file, meta.len()))
}

/// Runs a step of a reader that is not ours. Both libraries return an error for most damaged
/// files, but panic on some; such a reader is not used again.
pub(super) fn guarded<T>(step: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    contained(step).unwrap_or_else(|| Err(ArrowError::ParseError("the file is damaged".into())))
}

/// What the library says, or that there is too much.
pub(super) fn unreadable(path: &Path, form: &str, error: &ArrowError) -> Error {
    match excess(error) {
        Some(excess) => Error::input(path, format!("rows that are decoded at once take {excess}"))
            .with_hint(advice()),
        None => Error::input(path, format!("not a readable {form} (truncated?): {error}")),
    }
}

fn excess(error: &(dyn std::error::Error + 'static)) -> Option<Excess> {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.find_map(|cause| cause.downcast_ref().copied())
}

/// A number of half precision.
type Half = <types::Float16Type as ArrowPrimitiveType>::Native;

/// A column of one batch, brought to one of few types.
enum Column {
    Nulls,
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Integer(Int64Array),
    Unsigned(UInt64Array),
    Float(Float64Array),
    Bool(BooleanArray),
    /// Where the elements of each row lie among those of all.
    List(Vec<Option<Range<usize>>>, Box<Column>),
    /// Which of the values each row has.
    Dictionary(Vec<Option<usize>>, Box<Column>),
    /// The columns of named values, and the whole.
    Struct(Vec<(String, Column)>, ArrayRef),
    Other(ArrayRef),
}

impl Column {
    /// By hand and not with arrow-cast, which knows every type: it and what it brings take a sixth of the
    /// time that all dependencies take to build.
    fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        Ok(match array.data_type() {
            T::Null => Self::Nulls,
            T::Utf8 => Self::Text(array.as_string().clone()),
            T::LargeUtf8 => Self::LargeText(array.as_string().clone()),
            T::Utf8View => Self::TextView(array.as_string_view().clone()),
            T::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let keys = dictionary.normalized_keys().into_iter().enumerate();
                let keys = keys.map(|(row, key)| array.is_valid(row).then_some(key));
                Self::Dictionary(keys.collect(), Box::new(Self::new(dictionary.values())?))
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
            T::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                let columns =
                    columns.map(|(field, column)| Ok((field.name().clone(), Self::new(column)?)));
                Self::Struct(
                    columns.collect::<Result<_, ArrowError>>()?,
                    Arc::clone(array),
                )
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

    fn cell(&self, row: usize, room: &mut Room) -> Result<Cell, Excess> {
        let mut cell = Cell::Null;
        self.read(row, room, &mut cell)?;
        Ok(cell)
    }

    /// Reads a value into a cell, in the place of what it was.
    fn read(&self, row: usize, room: &mut Room, cell: &mut Cell) -> Result<(), Excess> {
        if self.is_null(row) {
            *cell = Cell::Null;
            return room.take(0);
        }
        let text = match self {
            Self::Text(array) => array.value(row),
            Self::LargeText(array) => array.value(row),
            Self::TextView(array) => array.value(row),
            Self::Dictionary(keys, values) => {
                let key = keys[row].expect("a value that is not null");
                return values.read(key, room, cell);
            }
            Self::List(rows, values) => {
                let range = rows[row].clone().unwrap_or_default();
                let list = cell.become_list();
                list.truncate(range.len());
                for (at, i) in range.enumerate() {
                    // One by one: each asks for room first.
                    if at == list.len() {
                        list.push(Cell::Null);
                    }
                    values.read(i, room, &mut list[at])?;
                }
                return Ok(());
            }
            Self::Struct(columns, _) => {
                let fields = columns.iter();
                let fields =
                    fields.map(|(name, column)| Ok((name.clone(), column.cell(row, room)?)));
                *cell = Cell::Object(fields.collect::<Result<_, _>>()?);
                return Ok(());
            }
            _ => {
                *cell = self.plain(row);
                return room.take(0);
            }
        };
        room.take(text.len())?;
        cell.become_text(text);
        Ok(())
    }

    /// A cell of some fixed size.
    fn plain(&self, row: usize) -> Cell {
        match self {
            Self::Integer(array) => Cell::Integer(i128::from(array.value(row))),
            Self::Unsigned(array) => Cell::Integer(i128::from(array.value(row))),
            Self::Float(array) => Cell::Float(array.value(row)),
            Self::Bool(array) => Cell::Bool(array.value(row)),
            Self::Other(array) => Cell::Other(format!("of type {}", array.data_type())),
            _ => Cell::Null,
        }
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Nulls => true,
            Self::Text(array) => array.is_null(row),
            Self::LargeText(array) => array.is_null(row),
            Self::TextView(array) => array.is_null(row),
            Self::Integer(array) => array.is_null(row),
            Self::Unsigned(array) => array.is_null(row),
            Self::Float(array) => array.is_null(row),
            Self::Bool(array) => array.is_null(row),
            Self::List(rows, _) => rows[row].is_none(),
            Self::Dictionary(keys, _) => keys[row].is_none(),
            Self::Struct(_, array) | Self::Other(array) => array.is_null(row),
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
