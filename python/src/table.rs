//! Tables: Arrow in and out, by the PyCapsule interface and without any Python package.

use crate::errors::raise;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use pyo3_arrow::input::AnyRecordBatch;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiebreak::records::InputTable;
use tiebreak::tables::{self, Destination};
use tiebreak::{Error, Result};

/// A table of ours.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// With what made it, where that is known.
    made: Option<tables::ComputedTable>,
}

impl From<tables::ComputedTable> for Table {
    fn from(made: tables::ComputedTable) -> Self {
        Self {
            schema: Arc::clone(made.schema()),
            batches: made.batches().to_vec(),
            made: Some(made),
        }
    }
}

impl Table {
    /// What a kernel gave.
    pub fn of_batches(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self {
            schema,
            batches,
            made: None,
        }
    }

    /// Writes it as the command line does; rows that do not say what made them as an Arrow file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_to(&self, path: &Path) -> Result<()> {
        match &self.made {
            Some(made) => made.write(&Destination::from_path(path)?),
            None => InputTable::Batches(Arc::clone(&self.schema), self.batches.clone()).write(path),
        }
    }
}

/// Record batches that Python has: whatever speaks the PyCapsule interface.
///
/// # Errors
/// `TypeError` for what does not.
pub(crate) fn read(given: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    if let Ok(table) = given.cast::<Table>() {
        let table = table.get();
        return Ok((Arc::clone(&table.schema), table.batches.clone()));
    }
    let any: AnyRecordBatch = given.extract().map_err(|error| unread(given, &error))?;
    let reader = any.into_reader()?;
    // What was said of it (by us too) may not hold any more: anybody can have changed rows since. But the names of
    // classes that `datasets` stores as numbers do.
    let mut told = reader.schema().metadata().clone();
    told.retain(|key, _| key == "huggingface");
    let schema = Arc::new(reader.schema().as_ref().clone().with_metadata(told));
    let failed = |error: ArrowError| raise(given.py())(Error::failed(error));
    let mut batches = Vec::new();
    for batch in reader {
        let columns = batch.map_err(failed)?.columns().to_vec();
        batches.push(RecordBatch::try_new(Arc::clone(&schema), columns).map_err(failed)?);
    }
    Ok((schema, batches))
}

/// What is no table, or one that its package cannot turn into Arrow.
fn unread(given: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let py = given.py();
    if given.hasattr("__arrow_c_stream__").unwrap_or_default() {
        // Of pyarrow these are several texts: what it found, and in which column.
        let said = error.value(py).getattr("args");
        let said = said.and_then(|said| said.extract::<Vec<String>>());
        let said = said.map_or_else(|_| error.value(py).to_string(), |said| said.join(": "));
        let error = Error::usage(format!("a table that Arrow cannot hold: {said}"));
        return raise(py)(error.with_hint("give each column values of one type"));
    }
    let found = given.get_type();
    PyTypeError::new_err(format!(
        "{found} is no table: expected a data frame or Arrow table (with __arrow_c_stream__)"
    ))
}

#[pymethods]
impl Table {
    /// A table of whatever speaks Arrow.
    #[staticmethod]
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, batches) = read(given)?;
        Ok(Self::of_batches(schema, batches))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// What made it: signature, seed, parameters.
    #[getter]
    fn metadata(&self) -> BTreeMap<String, String> {
        let metadata = self.schema.metadata().iter();
        metadata.map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The values of a column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let place = self.schema.index_of(name);
        let place = place.map_err(|_| raise(py)(unknown(name, &self.columns())))?;
        let values = PyList::empty(py);
        for batch in &self.batches {
            let column = batch.column(place);
            for row in 0..batch.num_rows() {
                values.append(value(py, column, row)?)?;
            }
        }
        Ok(values)
    }

    /// Some rows, as dicts.
    #[pyo3(signature = (start = 0, stop = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: Option<usize>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (rows, mut place) = (PyList::empty(py), 0);
        let wanted = start..stop.unwrap_or(usize::MAX);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                if wanted.contains(&place) {
                    let cells = PyDict::new(py);
                    for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
                        cells.set_item(field.name(), value(py, column, row)?)?;
                    }
                    rows.append(cells)?;
                }
                place += 1;
            }
        }
        Ok(rows)
    }

    /// Writes it to a file: the bytes that the command line writes.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.write_to(&path)).map_err(raise(py))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let fields = DataType::Struct(self.schema.fields().clone());
        let field = Field::new("", fields, false).with_metadata(self.schema.metadata().clone());
        let batches = self.batches.clone().into_iter();
        let arrays = batches.map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        let stream = ArrayIterator::new(arrays, Arc::new(field));
        Ok(to_stream_pycapsule(py, Box::new(stream), requested_schema)?)
    }
}

fn unknown(name: &str, columns: &[String]) -> Error {
    Error::usage(format!("no column `{name}`"))
        .with_hint(format!("columns are {}", columns.join(", ")))
}

/// One cell. Our tables have text, numbers, counts and lists of numbers, nothing else.
fn value<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match column.data_type() {
        DataType::Utf8 => Ok(column
            .as_string::<i32>()
            .value(row)
            .into_pyobject(py)?
            .into_any()),
        DataType::Float64 => {
            let number = column.as_primitive::<Float64Type>().value(row);
            Ok(number.into_pyobject(py)?.into_any())
        }
        DataType::UInt64 => {
            let count = column.as_primitive::<UInt64Type>().value(row);
            Ok(count.into_pyobject(py)?.into_any())
        }
        DataType::List(_) => {
            let list = column.as_list::<i32>().value(row);
            let numbers = list.as_primitive::<Float64Type>().values().to_vec();
            numbers.into_pyobject(py)
        }
        other => Err(PyTypeError::new_err(format!("a column of type {other}"))),
    }
}
