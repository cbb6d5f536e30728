//! A column of a Parquet or Arrow batch, converted to one of few types.

use super::cell::CellValue;
use arrow_array::cast::AsArray;
use arrow_array::types::{self, ArrowPrimitiveType, DecimalType};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, OffsetSizeTrait,
    StringArray, StringViewArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use tiebreak_base::limits::{Excess, Part};

/// The bytes taken by a row so far.
#[derive(Default)]
pub(super) struct RowByteCount(u64);

/// Bytes added for the separator after a value, as in a row of text.
const BETWEEN: u64 = 2;

impl RowByteCount {
    fn take(&mut self, bytes: usize) -> Result<(), Excess> {
        self.0 += bytes as u64 + BETWEEN;
        Part::Row.holds(self.0)
    }
}

/// The native type of half-precision numbers.
type Half = <types::Float16Type as ArrowPrimitiveType>::Native;

/// A column of one batch, converted to one of few types.
pub(super) enum ArrowColumn {
    Nulls,
    Text(StringArray),
    LargeText(LargeStringArray),
    TextView(StringViewArray),
    Integer(Int64Array),
    Unsigned(UInt64Array),
    Float(Float64Array),
    Bool(BooleanArray),
    /// The range of each row's elements in the column of all elements.
    List(Vec<Option<Range<usize>>>, Box<ArrowColumn>),
    /// The index of each row's value in the column of values.
    Dictionary(Vec<Option<usize>>, Box<ArrowColumn>),
    /// The columns of named values, and the struct array itself.
    Struct(Vec<(String, ArrowColumn)>, ArrayRef),
    Other(ArrayRef),
}

impl ArrowColumn {
    /// Converts by hand rather than with arrow-cast, which knows every type: it and its dependencies take a sixth of
    /// the time that all dependencies take to build.
    pub(super) fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        Ok(match array.data_type() {
            T::Null => Self::Nulls,
            T::Utf8 => Self::Text(array.as_string().clone()),
            T::LargeUtf8 => Self::LargeText(array.as_string().clone()),
            T::Utf8View => Self::TextView(array.as_string_view().clone()),
            // Other writers leave out the mark that bytes are text.
            T::Binary => {
                let text = StringArray::try_from_binary(array.as_binary().clone());
                text.map_or_else(|_| Self::Other(Arc::clone(array)), Self::Text)
            }
            T::LargeBinary => {
                let text = LargeStringArray::try_from_binary(array.as_binary().clone());
                text.map_or_else(|_| Self::Other(Arc::clone(array)), Self::LargeText)
            }
            T::BinaryView => {
                let text = array.as_binary_view().clone().to_string_view();
                text.map_or_else(|_| Self::Other(Arc::clone(array)), Self::TextView)
            }
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

    /// Names numbered classes: a number without a name is missing.
    pub(super) fn with_class_names(self, names: &StringArray) -> Self {
        let Self::Integer(array) = self else {
            return self;
        };
        let place = |number: i64| usize::try_from(number).ok();
        let keys = array
            .iter()
            .map(|number| number.and_then(place).filter(|&place| place < names.len()));
        Self::Dictionary(keys.collect(), Box::new(Self::Text(names.clone())))
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

    /// The bytes of so many values together, which no single one exceeds. Above the limit of a row the count may stop.
    pub(super) fn bytes(&self, rows: usize) -> u64 {
        let texts = match self {
            Self::Nulls => 0,
            Self::Text(array) => spanned(array.value_offsets()),
            Self::LargeText(array) => spanned(array.value_offsets()),
            // The lower half of a view begins with the length.
            Self::TextView(array) => {
                let lengths = array.views().iter().map(|&view| view as u32);
                lengths.map(u64::from).sum()
            }
            _ => {
                let mut room = RowByteCount::default();
                let _ = (0..rows).try_for_each(|row| self.measure(row, &mut room));
                return room.0;
            }
        };
        texts + rows as u64 * BETWEEN
    }

    /// Counts the bytes of a value before any of it is copied, and refuses too many.
    pub(super) fn measure(&self, row: usize, room: &mut RowByteCount) -> Result<(), Excess> {
        if self.is_null(row) {
            return room.take(0);
        }
        match self {
            Self::Dictionary(keys, values) => {
                values.measure(keys[row].expect("a value that is not null"), room)
            }
            Self::List(rows, values) => {
                let mut range = rows[row].clone().unwrap_or_default();
                range.try_for_each(|element| values.measure(element, room))
            }
            Self::Struct(columns, _) => columns
                .iter()
                .try_for_each(|(_, column)| column.measure(row, room)),
            _ => room.take(self.text(row).map_or(0, str::len)),
        }
    }

    /// Returns the value at a row where it is a text.
    pub(super) fn text(&self, row: usize) -> Option<&str> {
        if self.is_null(row) {
            return None;
        }
        match self {
            Self::Text(array) => Some(array.value(row)),
            Self::LargeText(array) => Some(array.value(row)),
            Self::TextView(array) => Some(array.value(row)),
            Self::Dictionary(keys, values) => values.text(keys[row]?),
            _ => None,
        }
    }

    /// Returns the values at a row where it is a list of texts, or one text.
    pub(super) fn texts(&self, row: usize) -> Option<Vec<Cow<'_, str>>> {
        match self {
            // A null is no text.
            Self::List(rows, values) => rows[row]
                .clone()?
                .filter(|&i| !values.is_null(i))
                .map(|i| values.text(i).map(Cow::Borrowed))
                .collect(),
            Self::Dictionary(keys, values) => values.texts(keys[row]?),
            _ => self.text(row).map(|text| vec![Cow::Borrowed(text)]),
        }
    }

    /// Whether two rows are known to have the same texts, or both none. For other types false: unknown.
    pub(super) fn is_known_same(&self, one: usize, other: usize) -> bool {
        match self {
            Self::List(rows, values) => match (&rows[one], &rows[other]) {
                (Some(one), Some(other)) => {
                    let mut pairs = one.clone().zip(other.clone());
                    one.len() == other.len()
                        && pairs.all(|(one, other)| values.is_known_same(one, other))
                }
                (one, other) => one.is_none() && other.is_none(),
            },
            Self::Dictionary(keys, values) => match (keys[one], keys[other]) {
                (Some(one), Some(other)) => one == other || values.is_known_same(one, other),
                (one, other) => one.is_none() && other.is_none(),
            },
            _ => match (self.text(one), self.text(other)) {
                (Some(one), Some(other)) => one == other,
                _ => self.is_null(one) && self.is_null(other),
            },
        }
    }

    fn cell(&self, row: usize) -> CellValue {
        let mut cell = CellValue::Null;
        self.read(row, &mut cell);
        cell
    }

    /// Reads a value into a cell, reusing what it held.
    pub(super) fn read(&self, row: usize, cell: &mut CellValue) {
        if let Some(text) = self.text(row) {
            return cell.become_text(text);
        }
        if self.is_null(row) {
            *cell = CellValue::Null;
            return;
        }
        match self {
            Self::Dictionary(keys, values) => {
                values.read(keys[row].expect("a value that is not null"), cell);
            }
            Self::List(rows, values) => {
                let range = rows[row].clone().unwrap_or_default();
                let list = cell.become_list();
                list.resize(range.len(), CellValue::Null);
                for (i, element) in range.zip(list) {
                    values.read(i, element);
                }
            }
            Self::Struct(columns, _) => {
                let fields = columns.iter();
                let fields = fields.map(|(name, column)| (name.clone(), column.cell(row)));
                *cell = CellValue::Object(fields.collect());
            }
            _ => *cell = self.plain(row),
        }
    }

    /// Returns a cell of a fixed-size type.
    fn plain(&self, row: usize) -> CellValue {
        match self {
            Self::Integer(array) => CellValue::Integer(i128::from(array.value(row))),
            Self::Unsigned(array) => CellValue::Integer(i128::from(array.value(row))),
            Self::Float(array) => CellValue::Float(array.value(row)),
            Self::Bool(array) => CellValue::Bool(array.value(row)),
            Self::Other(array) => CellValue::Other(format!("of type {}", array.data_type())),
            _ => CellValue::Null,
        }
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
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

/// The length of all texts, by the offsets between them.
fn spanned<O: OffsetSizeTrait>(offsets: &[O]) -> u64 {
    (offsets[offsets.len() - 1] - offsets[0]).as_usize() as u64
}

fn integers<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &ArrayRef) -> ArrowColumn {
    ArrowColumn::Integer(array.as_primitive::<T>().unary(Into::into))
}

fn floats<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    value: impl Fn(T::Native) -> f64,
) -> ArrowColumn {
    ArrowColumn::Float(array.as_primitive::<T>().unary(value))
}

/// Converts decimals to their nearest doubles.
fn decimals<T: DecimalType>(array: &ArrayRef) -> ArrowColumn {
    let array = array.as_primitive::<T>();
    let number = |row| array.value_as_string(row).parse().unwrap_or(f64::NAN);
    let rows = (0..array.len()).map(|row| array.is_valid(row).then(|| number(row)));
    ArrowColumn::Float(rows.collect())
}
