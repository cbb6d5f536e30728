//! Rows that are not yet taken apart, so that several threads can do it.

use super::bytes::LineBlock;
use super::columnar::ColumnarBatch;
use super::jsonl::Parser;
use super::row::{Row, RowLocation};
use crate::records::OutputTexts;
use crate::records::ordered::ByteSize;
use tiebreak_base::error::Result;

/// Rows that follow each other.
pub(in crate::records) enum RowChunk {
    /// Of JSON.
    Lines(LineBlock, Parser),
    /// Of Parquet and Arrow.
    Batch(ColumnarBatch),
    /// Of other forms, taken apart already.
    Rows(Vec<Row>),
}

impl ByteSize for RowChunk {
    fn bytes(&self) -> usize {
        match self {
            Self::Lines(block, _) => block.bytes.len(),
            Self::Batch(batch) => batch.bytes(),
            Self::Rows(rows) => rows.iter().map(Row::bytes).sum(),
        }
    }
}

impl RowChunk {
    /// Each row in its order, where there may be another one soon.
    ///
    /// # Errors
    /// The first of a broken row, or of `each`.
    pub(crate) fn rows(self, mut each: impl FnMut(&Row) -> Result<()>) -> Result<()> {
        match self {
            Self::Lines(block, parser) => parser.rows(&block, each),
            Self::Batch(batch) => batch.rows(each),
            Self::Rows(rows) => rows.iter().try_for_each(&mut each),
        }
    }

    /// Each row of a table of outputs in its order.
    ///
    /// # Errors
    /// The first of a broken row, or of `each`.
    pub(crate) fn outputs(
        self,
        mut each: impl FnMut(OutputTexts<'_>, RowLocation<'_>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Batch(batch) => batch.outputs(each),
            other => other.rows(|row| each(OutputTexts::from_row(row)?, row.row_location())),
        }
    }
}
