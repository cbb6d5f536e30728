//! Rows that are not yet taken apart, so that several threads can do it.

use super::bytes::Block;
use super::columnar::Batch;
use super::jsonl::Parser;
use super::row::{Place, Row};
use crate::records::OutputTexts;
use crate::records::ordered::Weight;
use tiebreak_base::error::Result;

/// Rows that follow each other.
pub(in crate::records) enum Piece {
    /// Of JSON.
    Lines(Block, Parser),
    /// Of Parquet and Arrow.
    Batch(Batch),
    /// Of other forms, taken apart already.
    Rows(Vec<Row>),
}

impl Weight for Piece {
    fn bytes(&self) -> usize {
        match self {
            Self::Lines(block, _) => block.bytes.len(),
            Self::Batch(batch) => batch.bytes(),
            Self::Rows(rows) => rows.iter().map(Row::bytes).sum(),
        }
    }
}

impl Piece {
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
        mut each: impl FnMut(OutputTexts<'_>, Place<'_>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Batch(batch) => batch.outputs(each),
            other => other.rows(|row| each(OutputTexts::from_row(row)?, row.place())),
        }
    }
}
