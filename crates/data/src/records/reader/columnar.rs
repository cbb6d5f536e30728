//! Parquet and Arrow (IPC file or stream), read one record batch at a time.
//!
//! Strings may be of any width, viewed or dictionary-encoded; lists of any kind; numbers of any
//! width. Dates and other types may stand in columns that are not read.

use super::cell::CellValue;
use super::column::{ArrowColumn, RowByteCount};
use super::columns::{ColumnMapping, TableForm, TableHeader};
use super::messages::Batches;
use super::outputs::OutputColumns;
use super::pages::Pages;
use super::partitions::{Partition, partitions};
use super::piece::RowChunk;
use super::row::{Row, RowLocation};
use crate::records::OutputTexts;
use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::guard::contained;
use tiebreak_base::limits::{Excess, Part, advice};

/// Rows decoded at a time from Parquet.
const BATCH: usize = 1024;
/// Approximate bytes of a piece.
const PIECE: usize = 1 << 18;

pub(super) struct ColumnarRows {
    form: ColumnarSource,
    header: Arc<TableHeader>,
    /// The columns that are decoded.
    asked: Vec<usize>,
    /// The columns that folders name, after those of the file.
    partitions: Vec<Partition>,
    metadata: BTreeMap<String, String>,
    /// The names of numbered classes, by column.
    classes: BTreeMap<String, StringArray>,
    batch: ColumnarBatch,
    /// The number of rows in the batches so far.
    rows: u64,
}

/// The columns of a file, before its first row is decoded.
struct Beginning {
    header: TableHeader,
    asked: Vec<usize>,
    partitions: Vec<Partition>,
}

impl Beginning {
    fn new(path: &Path, schema: &Schema, columns: &ColumnMapping) -> Result<Self> {
        let mut partitions = partitions(path);
        // A column of the file itself says more of each row.
        partitions.retain(|one| schema.column_with_name(&one.column).is_none());
        let header = header(path, schema, &partitions, columns)?;
        let mut asked = header.asked();
        asked.retain(|&place| place < schema.fields().len());
        Ok(Self {
            header,
            asked,
            partitions,
        })
    }
}

/// Rows that were decoded together, or some of them.
pub(in crate::records) struct ColumnarBatch {
    header: Arc<TableHeader>,
    columns: Arc<Vec<ArrowColumn>>,
    rows: Range<usize>,
    /// The number of rows of the table before the columns begin.
    before: u64,
    /// The average bytes of a row.
    row: usize,
    /// Whether no row takes more than it may, seen without a look at each.
    all_fit: bool,
}

enum ColumnarSource {
    Parquet(Pages, ParquetRecordBatchReader),
    Arrow(Box<Batches>),
}

impl ColumnarRows {
    /// # Errors
    /// If the file is not Parquet, or two columns share a name.
    pub(super) fn parquet(path: &Path, columns: &ColumnMapping) -> Result<Self> {
        let (file, length) = open(path)?;
        let pages = Pages::new(file, length);
        pages.check_footer().map_err(|excess| {
            Error::input(path, format!("a footer of {excess}")).with_hint(advice())
        })?;
        let failed = |error: ArrowError| unreadable(path, "Parquet", &error);
        let options = ArrowReaderOptions::new();
        let found =
            guarded(|| Ok(ArrowReaderMetadata::load(&pages, options.clone())?)).map_err(failed)?;
        let begun = Beginning::new(path, found.schema(), columns)?;
        let batches = guarded(|| {
            // Views keep one copy of a text that many rows repeat.
            let viewed = options.with_schema(Arc::new(viewed(found.schema())));
            let viewed = ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), viewed)?;
            let asked = ProjectionMask::roots(viewed.parquet_schema(), begun.asked.clone());
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(pages.clone(), viewed);
            Ok(builder
                .with_projection(asked)
                .with_batch_size(BATCH)
                .build()?)
        })
        .map_err(failed)?;
        let form = ColumnarSource::Parquet(pages, batches);
        Ok(Self::new(begun, found.schema(), form))
    }

    /// # Errors
    /// If the file is neither an Arrow file nor an Arrow stream, or two columns share a name.
    pub(super) fn arrow(path: &Path, columns: &ColumnMapping) -> Result<Self> {
        let batches = Batches::open(path)?;
        let schema = Arc::clone(batches.schema());
        let begun = Beginning::new(path, &schema, columns)?;
        let form = ColumnarSource::Arrow(Box::new(batches));
        Ok(Self::new(begun, &schema, form))
    }

    fn new(begun: Beginning, schema: &Schema, form: ColumnarSource) -> Self {
        let header = Arc::new(begun.header);
        let metadata = schema.metadata().iter();
        Self {
            form,
            batch: ColumnarBatch::none(&header),
            asked: begun.asked,
            partitions: begun.partitions,
            header,
            metadata: metadata.map(|(k, v)| (k.clone(), v.clone())).collect(),
            classes: classes(schema).unwrap_or_default(),
            rows: 0,
        }
    }

    pub(super) fn header(&self) -> &Arc<TableHeader> {
        &self.header
    }

    pub(super) fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    pub(super) fn next(&mut self) -> Result<Option<Row>> {
        match self.fill()? {
            true => self.batch.next(),
            false => Ok(None),
        }
    }

    /// Returns rows still undecoded, as an alternative to [`Self::next`].
    pub(super) fn piece(&mut self) -> Result<Option<RowChunk>> {
        Ok(self
            .fill()?
            .then(|| RowChunk::Batch(self.batch.split(PIECE))))
    }

    /// Decodes until there are rows; false at the end.
    fn fill(&mut self) -> Result<bool> {
        while self.batch.rows.is_empty() {
            // Frees the old batch before the next is decoded.
            self.batch = ColumnarBatch::none(&self.header);
            let decoded = guarded(|| {
                let Some(decoded) = self.form.next(&self.asked)? else {
                    return Ok(None);
                };
                let mut columns = Vec::new();
                columns.resize_with(self.header.names.len(), || ArrowColumn::Nulls);
                for (&place, column) in self.asked.iter().zip(decoded.columns()) {
                    let named = self.classes.get(&self.header.names[place]);
                    let column = ArrowColumn::new(column)?;
                    columns[place] = match named {
                        Some(names) => column.with_class_names(names),
                        None => column,
                    };
                }
                let in_file = columns.len() - self.partitions.len();
                for (column, partition) in columns[in_file..].iter_mut().zip(&self.partitions) {
                    *column = ArrowColumn::new(&partition.repeated(decoded.num_rows()))?;
                }
                Ok(Some((decoded, columns)))
            });
            let decoded =
                decoded.map_err(|error| unreadable(&self.header.path, "table", &error))?;
            let Some((decoded, columns)) = decoded else {
                return Ok(false);
            };
            self.batch = ColumnarBatch::new(Arc::clone(&self.header), columns, &decoded, self.rows);
            self.rows += decoded.num_rows() as u64;
        }
        Ok(true)
    }
}

impl ColumnarBatch {
    /// Wraps a batch that is in memory already; errors call it `name`.
    ///
    /// # Errors
    /// If two columns share a name, or a column cannot be read.
    pub(crate) fn in_memory(name: &str, decoded: &RecordBatch) -> Result<Self> {
        let header = header(
            name.as_ref(),
            &decoded.schema(),
            &[],
            &ColumnMapping::default(),
        )?;
        let columns = guarded(|| decoded.columns().iter().map(ArrowColumn::new).collect());
        let columns: Vec<ArrowColumn> =
            columns.map_err(|error| unreadable(&header.path, "table", &error))?;
        Ok(Self::new(Arc::new(header), columns, decoded, 0))
    }

    fn new(
        header: Arc<TableHeader>,
        columns: Vec<ArrowColumn>,
        decoded: &RecordBatch,
        before: u64,
    ) -> Self {
        let rows = decoded.num_rows();
        let bytes = columns.iter().map(|column| column.bytes(rows)).sum();
        let all_fit = Part::Row.holds(bytes).is_ok();
        // Batches share the pages of a file, so what their memory takes says little of rows.
        let row = match all_fit {
            true => bytes as usize,
            false => decoded.get_array_memory_size(),
        } / rows.max(1);
        Self {
            header,
            columns: Arc::new(columns),
            rows: 0..rows,
            before,
            row,
            all_fit,
        }
    }

    fn none(header: &Arc<TableHeader>) -> Self {
        Self {
            header: Arc::clone(header),
            columns: Arc::default(),
            rows: 0..0,
            before: 0,
            row: 0,
            all_fit: true,
        }
    }

    /// Splits off the first rows, about `bytes` of them, at least one row.
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

    /// The approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.row * self.rows.len()
    }

    /// Calls `each` for every row in order, reusing one row.
    pub(crate) fn rows(mut self, mut each: impl FnMut(&Row) -> Result<()>) -> Result<()> {
        let mut row = self.none_yet();
        while self.read(&mut row)? {
            each(&row)?;
        }
        Ok(())
    }

    /// Calls `each` for every row in order.
    pub(crate) fn owned(mut self, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
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
            cells: vec![CellValue::Null; self.columns.len()],
            line: 0,
        }
    }

    /// Reads the next row into `row`, reusing what it held; false at the end.
    fn read(&mut self, row: &mut Row) -> Result<bool> {
        let Some(index) = self.rows.next() else {
            return Ok(false);
        };
        self.fill(index, row)?;
        Ok(true)
    }

    /// Reads a row into `row`, reusing what it held.
    fn fill(&self, index: usize, row: &mut Row) -> Result<()> {
        row.line = self.before + index as u64 + 1;
        self.measure(index).map_err(|excess| {
            row.error(format!("the row takes {excess}"))
                .with_hint(advice())
        })?;
        let cells = self.columns.iter().zip(&mut row.cells);
        cells.for_each(|(column, cell)| column.read(index, cell));
        Ok(())
    }

    fn measure(&self, index: usize) -> Result<(), Excess> {
        let mut room = RowByteCount::default();
        let mut columns = self.columns.iter();
        columns.try_for_each(|column| column.measure(index, &mut room))
    }

    /// Calls `each` for every row of outputs in order, its texts borrowed. Rows with other values are converted.
    pub(crate) fn outputs(
        self,
        mut each: impl FnMut(OutputTexts<'_>, RowLocation<'_>) -> Result<()>,
    ) -> Result<()> {
        let columns = OutputColumns::from_columns(&self.header, &self.columns);
        let mut row = self.none_yet();
        for index in self.rows.clone() {
            let place = RowLocation {
                header: &self.header,
                line: self.before + index as u64 + 1,
            };
            let fits = self.all_fit || self.measure(index).is_ok();
            let repeats = index > self.rows.start;
            match columns
                .as_ref()
                .filter(|_| fits)
                .and_then(|all| all.texts(index, repeats))
            {
                Some(texts) => each(texts, place)?,
                None => {
                    self.fill(index, &mut row)?;
                    each(OutputTexts::from_row(&row)?, place)?;
                }
            }
        }
        Ok(())
    }
}

impl ColumnarSource {
    /// Returns the next batch, with the columns in `asked`.
    fn next(&mut self, asked: &[usize]) -> Result<Option<RecordBatch>, ArrowError> {
        match self {
            Self::Parquet(pages, batches) => {
                pages.begin();
                let batch = batches.next().transpose();
                batch.map_err(|error| match pages.excess() {
                    Some(excess) => ArrowError::ExternalError(Box::new(excess)),
                    None => error,
                })
            }
            Self::Arrow(batches) => {
                let batch = batches.next().transpose()?;
                batch.map(|batch| batch.project(asked)).transpose()
            }
        }
    }
}

/// Makes the header of a table with these columns.
fn header(
    path: &Path,
    schema: &Schema,
    partitions: &[Partition],
    columns: &ColumnMapping,
) -> Result<TableHeader> {
    let names = schema.fields().iter().map(|field| field.name().clone());
    let names = names.chain(partitions.iter().map(|one| one.column.clone()));
    let header = TableHeader::first(path.into(), TableForm::Columnar, names.collect(), columns);
    header.check(|what| Error::input(path, what))?;
    Ok(header)
}

/// Returns the names of the classes that datasets of Hugging Face store as numbers, by column: the number of an outcome
/// or a system says nothing.
fn classes(schema: &Schema) -> Option<BTreeMap<String, StringArray>> {
    let told: Value = serde_json::from_str(schema.metadata().get("huggingface")?).ok()?;
    let features = told.get("info")?.get("features")?.as_object()?;
    let named = features.iter().filter_map(|(column, feature)| {
        let is_class = feature.get("_type")? == "ClassLabel";
        let names = feature.get("names").filter(|_| is_class)?.as_array()?;
        let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
        Some((column.clone(), StringArray::from(names?)))
    });
    Some(named.collect())
}

/// Returns the schema with its texts as views, which do not copy.
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

/// Opens a file that is not empty; returns its length too.
pub(super) fn open(path: &Path) -> Result<(File, u64)> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let meta = file.metadata().map_err(Error::reading(path))?;
    if meta.is_file() && meta.len() == 0 {
        return Err(super::bytes::empty(path));
    }
    Ok((file, meta.len()))
}

/// Runs a step of an external reader. Both libraries return an error for most damaged
/// files, but panic on some; such a reader is not used again.
pub(super) fn guarded<T>(step: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    contained(step).unwrap_or_else(|| Err(ArrowError::ParseError("the file is damaged".into())))
}

/// The error for what the library reports, or for a value over the memory limit.
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::ArrayRef;
    use arrow_ipc::writer::FileWriter;
    use parquet::arrow::ArrowWriter;

    #[test]
    fn a_piece_is_as_large_as_its_rows_whatever_the_page_that_they_share() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        let texts = (0..8 * BATCH).map(|row| Some(format!("{row:0>150}")));
        let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
        let batch = RecordBatch::try_from_iter([("output", texts)]).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut rows = ColumnarRows::parquet(&path, &ColumnMapping::default()).unwrap();
        let pieces = std::iter::from_fn(|| rows.piece().unwrap());
        assert_eq!(pieces.count(), 8);
    }

    #[test]
    fn folders_name_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("day=1/system=a%2Fb/x.parquet");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["one", "two"]));
        let batch = RecordBatch::try_from_iter([("output", texts)]).unwrap();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        for columns in [
            ColumnMapping::default(),
            ColumnMapping::default().only(&["system"]),
        ] {
            let mut rows = ColumnarRows::parquet(&path, &columns).unwrap();
            let systems: Vec<String> = std::iter::from_fn(|| rows.next().unwrap())
                .map(|row| row.text("system").unwrap())
                .collect();
            assert_eq!(systems, ["a/b", "a/b"]);
            assert_eq!(rows.header().names, ["output", "system", "day"]);
        }
    }

    #[test]
    fn what_is_not_asked_for_is_not_decoded_and_still_named() {
        let column = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
        let columns = ["prompt", "id", "text"].map(|name| (name, column(name)));
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(folder.path().join(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file("a.parquet"), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut writer = FileWriter::try_new(file("a.arrow"), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let renamed = ColumnMapping::new([("item".to_string(), "id".to_string())]);
        let asked = renamed.only(&["item", "output"]);
        for rows in [
            ColumnarRows::parquet(&folder.path().join("a.parquet"), &asked),
            ColumnarRows::arrow(&folder.path().join("a.arrow"), &asked),
        ] {
            let row = rows.unwrap().next().unwrap().unwrap();
            assert_eq!(row.columns(), ["prompt", "id", "text"]);
            assert_eq!(row.text("item").unwrap(), "id");
            assert_eq!(row.cells[0], CellValue::Null);
        }
    }
}
