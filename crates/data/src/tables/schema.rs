//! The columns of the tables tiebreak writes, and builders that fill them row by row.

use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// One cell of a row.
#[derive(Debug, Clone, Copy)]
pub enum TableCell<'a> {
    /// A string.
    Text(&'a str),
    /// A string; `None` is null.
    OptionalText(Option<&'a str>),
    /// A number; `None` is null.
    Number(Option<f64>),
    /// A count.
    Count(u64),
    /// A list of numbers; `None` is null.
    Numbers(Option<&'a [f64]>),
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Strings.
    Text,
    /// Strings or nulls.
    OptionalText,
    /// Numbers or nulls.
    Number,
    /// Counts.
    Count,
    /// Lists of numbers.
    Numbers,
}

/// A table's columns, by name and type.
pub type TableColumns = &'static [(&'static str, Column)];

/// The columns of `score` without draws.
pub const SCORES: TableColumns = &[
    ("item", Column::Text),
    ("system", Column::Text),
    ("metric", Column::Text),
    ("score", Column::Number),
];

/// Returns the Arrow schema of some columns.
pub fn schema(columns: &[(&'static str, Column)]) -> SchemaRef {
    let field = |&(name, column): &(&str, Column)| {
        let kind = match column {
            Column::Text | Column::OptionalText => DataType::Utf8,
            Column::Number => DataType::Float64,
            Column::Count => DataType::UInt64,
            Column::Numbers => {
                DataType::List(Arc::new(Field::new_list_field(DataType::Float64, true)))
            }
        };
        let is_nullable = !matches!(column, Column::Text | Column::Count);
        Field::new(name, kind, is_nullable)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Fills a table row by row.
pub struct TableBuilder {
    columns: TableColumns,
    builders: Vec<ColumnBuilder>,
}

enum ColumnBuilder {
    Text(StringBuilder),
    Number(Float64Builder),
    Count(UInt64Builder),
    Numbers(ListBuilder<Float64Builder>),
}

impl TableBuilder {
    /// Creates a builder without rows.
    pub fn new(columns: TableColumns) -> Self {
        let builder = |&(_, column): &(&str, Column)| match column {
            Column::Text | Column::OptionalText => ColumnBuilder::Text(StringBuilder::new()),
            Column::Number => ColumnBuilder::Number(Float64Builder::new()),
            Column::Count => ColumnBuilder::Count(UInt64Builder::new()),
            Column::Numbers => ColumnBuilder::Numbers(ListBuilder::new(Float64Builder::new())),
        };
        Self {
            columns,
            builders: columns.iter().map(builder).collect(),
        }
    }

    /// Appends a row.
    ///
    /// # Panics
    /// If the cells are not those of the table's columns: a fault of the calling stage.
    pub fn push(&mut self, cells: &[TableCell<'_>]) {
        assert_eq!(cells.len(), self.builders.len(), "one cell per column");
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            match (builder, *cell) {
                (ColumnBuilder::Text(builder), TableCell::Text(text)) => builder.append_value(text),
                (ColumnBuilder::Text(builder), TableCell::OptionalText(text)) => {
                    builder.append_option(text);
                }
                (ColumnBuilder::Number(builder), TableCell::Number(number)) => {
                    builder.append_option(number);
                }
                (ColumnBuilder::Count(builder), TableCell::Count(count)) => {
                    builder.append_value(count);
                }
                (ColumnBuilder::Numbers(builder), TableCell::Numbers(Some(numbers))) => {
                    builder.append_value(numbers.iter().copied().map(Some));
                }
                (ColumnBuilder::Numbers(builder), TableCell::Numbers(None)) => {
                    builder.append_null();
                }
                (_, cell) => panic!("{cell:?} does not fit its column"),
            }
        }
    }

    /// Returns the rows as a record batch.
    ///
    /// # Panics
    /// Never: builders and schema are made from the same columns.
    pub fn finish(self) -> RecordBatch {
        let arrays = self.builders.into_iter().map(|builder| -> ArrayRef {
            match builder {
                ColumnBuilder::Text(mut builder) => Arc::new(builder.finish()),
                ColumnBuilder::Number(mut builder) => Arc::new(builder.finish()),
                ColumnBuilder::Count(mut builder) => Arc::new(builder.finish()),
                ColumnBuilder::Numbers(mut builder) => Arc::new(builder.finish()),
            }
        });
        RecordBatch::try_new(schema(self.columns), arrays.collect()).expect("arrays of the schema")
    }
}
