//! Tables computed into memory, with the metadata that their files would hold.

use super::destination::Destination;
use super::file::TableFile;
use super::meta::Meta;
use super::schema::{TableColumns, schema};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};

/// A table in memory, part by part.
#[derive(Debug, Clone)]
pub struct ComputedTable {
    /// The metadata: what the table was computed from.
    pub meta: Meta,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl ComputedTable {
    /// Creates a table of these columns without rows.
    pub fn new(columns: TableColumns, meta: Meta) -> Self {
        let schema = schema(columns).as_ref().clone();
        Self {
            schema: Arc::new(schema.with_metadata(meta.to_schema())),
            meta,
            batches: Vec::new(),
        }
    }

    /// The columns, with the [`Meta`] of the table as their metadata.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The parts, in order.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Appends a part.
    ///
    /// # Errors
    /// If the columns differ.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), batch.columns().to_vec());
        self.batches.push(batch.map_err(Error::failed)?);
        Ok(())
    }

    /// Writes the table to a file: the same bytes as if it had been computed into that.
    ///
    /// # Errors
    /// [`Error::Usage`] for a folder, whose parts are computed one by one; if it cannot be written.
    pub fn write(&self, destination: &Destination) -> Result<()> {
        let Destination::File(path, format) = destination else {
            let what = "a table in memory is written to a file, not to a folder of parts";
            return Err(Error::usage(what).with_hint("name a file, such as scores.parquet"));
        };
        let mut file = TableFile::create(path, *format, &self.schema, &self.meta)?;
        self.batches
            .iter()
            .try_for_each(|batch| file.write(batch))?;
        file.finish()
    }
}
