//! Rows not yet decoded, so that several threads can decode them.

use super::bytes::LineBlock;
use super::columnar::ColumnarBatch;
use super::jsonl::Parser;
use super::row::{Row, RowLocation};
use crate::records::OutputTexts;
use crate::records::ordered::ByteSize;
use tiebreak_base::error::Result;

/// Consecutive rows.
pub(in crate::records) enum RowChunk {
    /// Unparsed lines of JSON.
    Lines(LineBlock, Parser),
    /// A batch of Parquet or Arrow.
    Batch(ColumnarBatch),
    /// Rows of other formats, parsed already.
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
    /// Calls `each` for every row in order, reusing one row.
    pub(crate) fn rows(self, mut each: impl FnMut(&Row) -> Result<()>) -> Result<()> {
        match self {
            Self::Lines(block, parser) => parser.rows(&block, each),
            Self::Batch(batch) => batch.rows(each),
            Self::Rows(rows) => rows.iter().try_for_each(&mut each),
        }
    }

    /// Calls `each` for every row of a table of outputs, in order.
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
