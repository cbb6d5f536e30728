//! The columns of the tables tiebreak writes, and builders that fill them row by row.

use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// One cell of a row.
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    /// A string.
    Text(&'a str),
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
    /// Numbers or nulls.
    Number,
    /// Counts.
    Count,
    /// Lists of numbers.
    Numbers,
}

/// A table's columns, by name and type.
pub type Columns = &'static [(&'static str, Column)];

const DRAWS: (&str, Column) = ("draws", Column::Numbers);
const POSITION: (&str, Column) = ("position", Column::Number);

/// The columns of a table with more after them, `N` in all.
const fn joined<const N: usize>(table: Columns, more: Columns) -> [(&'static str, Column); N] {
    let mut all = [table[0]; N];
    let (first, last) = all.split_at_mut(table.len());
    first.copy_from_slice(table);
    last.copy_from_slice(more);
    all
}

/// `score` without draws.
pub const SCORES: Columns = &[
    ("item", Column::Text),
    ("system", Column::Text),
    ("metric", Column::Text),
    ("score", Column::Number),
];

/// `score --draws`.
pub const SCORES_WITH_DRAWS: Columns = &joined::<6>(SCORES, &[("std", Column::Number), DRAWS]);

/// `score --paired-bs` and `score --paired-ar`.
pub const SIGNIFICANCE: Columns = &[
    ("system", Column::Text),
    ("metric", Column::Text),
    ("score", Column::Number),
    ("mean", Column::Number),
    ("ci", Column::Number),
    ("p_value", Column::Number),
    ("n", Column::Count),
    ("signature", Column::Text),
];

/// `predict`.
pub const PREDICTIONS: Columns = &[
    ("item", Column::Text),
    ("system_a", Column::Text),
    ("system_b", Column::Text),
    ("p", Column::Number),
    ("mean", Column::Number),
    ("bald", Column::Number),
    ("std", Column::Number),
];

/// `predict --keep-draws`.
pub const PREDICTIONS_WITH_DRAWS: Columns = &joined::<8>(PREDICTIONS, &[DRAWS]);

/// `judge`.
pub const JUDGED: Columns = &joined::<8>(PREDICTIONS, &[POSITION]);

/// `judge --keep-draws`.
pub const JUDGED_WITH_DRAWS: Columns = &joined::<9>(PREDICTIONS, &[DRAWS, POSITION]);

/// `export`: comparisons as a data set has them.
pub const COMPARISONS: Columns = &[
    ("item", Column::Text),
    ("system_a", Column::Text),
    ("system_b", Column::Text),
    ("outcome", Column::Number),
    ("annotator", Column::Text),
    ("seconds", Column::Number),
    ("price", Column::Number),
];

/// `export`: judgments as a data set has them.
pub const JUDGMENTS: Columns = &[
    ("item", Column::Text),
    ("system", Column::Text),
    ("criterion", Column::Text),
    ("score", Column::Number),
    ("annotator", Column::Text),
    ("seconds", Column::Number),
];

/// The runs of `rank`: every change of leader; the last row of a run says how it ended (as JSON).
pub const TRACE: Columns = &[
    ("run", Column::Count),
    ("annotations", Column::Count),
    ("leader", Column::Text),
    ("end", Column::Text),
];

/// The Arrow schema of some columns.
pub fn schema(columns: Columns) -> SchemaRef {
    let field = |&(name, column): &(&str, Column)| {
        let kind = match column {
            Column::Text => DataType::Utf8,
            Column::Number => DataType::Float64,
            Column::Count => DataType::UInt64,
            Column::Numbers => {
                DataType::List(Arc::new(Field::new_list_field(DataType::Float64, true)))
            }
        };
        Field::new(
            name,
            kind,
            matches!(column, Column::Number | Column::Numbers),
        )
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Fills a table row by row.
pub struct Rows {
    columns: Columns,
    builders: Vec<Builder>,
}

enum Builder {
    Text(StringBuilder),
    Number(Float64Builder),
    Count(UInt64Builder),
    Numbers(ListBuilder<Float64Builder>),
}

impl Rows {
    /// No rows yet.
    pub fn new(columns: Columns) -> Self {
        let builder = |&(_, column): &(&str, Column)| match column {
            Column::Text => Builder::Text(StringBuilder::new()),
            Column::Number => Builder::Number(Float64Builder::new()),
            Column::Count => Builder::Count(UInt64Builder::new()),
            Column::Numbers => Builder::Numbers(ListBuilder::new(Float64Builder::new())),
        };
        Self {
            columns,
            builders: columns.iter().map(builder).collect(),
        }
    }

    /// One more row.
    ///
    /// # Panics
    /// If the cells are not those of the table's columns: a fault of the calling stage.
    pub fn push(&mut self, cells: &[Cell<'_>]) {
        assert_eq!(cells.len(), self.builders.len(), "one cell per column");
        for (builder, cell) in self.builders.iter_mut().zip(cells) {
            match (builder, *cell) {
                (Builder::Text(builder), Cell::Text(text)) => builder.append_value(text),
                (Builder::Number(builder), Cell::Number(number)) => builder.append_option(number),
                (Builder::Count(builder), Cell::Count(count)) => builder.append_value(count),
                (Builder::Numbers(builder), Cell::Numbers(Some(numbers))) => {
                    builder.append_value(numbers.iter().copied().map(Some));
                }
                (Builder::Numbers(builder), Cell::Numbers(None)) => builder.append_null(),
                (_, cell) => panic!("{cell:?} does not fit its column"),
            }
        }
    }

    /// The rows as a record batch.
    ///
    /// # Panics
    /// Never: builders and schema are made from the same columns.
    pub fn finish(self) -> RecordBatch {
        let arrays = self.builders.into_iter().map(|builder| -> ArrayRef {
            match builder {
                Builder::Text(mut builder) => Arc::new(builder.finish()),
                Builder::Number(mut builder) => Arc::new(builder.finish()),
                Builder::Count(mut builder) => Arc::new(builder.finish()),
                Builder::Numbers(mut builder) => Arc::new(builder.finish()),
            }
        });
        RecordBatch::try_new(schema(self.columns), arrays.collect()).expect("arrays of the schema")
    }
}
