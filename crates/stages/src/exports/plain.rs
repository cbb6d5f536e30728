//! Answers as plain tables: `comparisons` and `judgments`, a row an answer. If there are both, `out` is a folder.
//!
//! Those of a campaign have labels, comments and edited texts, which no other file has.

use super::{Export, ExportRequest, ExportSummary};
use crate::columns::{
    ANSWERED_COMPARISONS, ANSWERED_JUDGMENTS, COMPARISONS, JUDGMENTS, REPEATED_JUDGMENTS,
};
use crate::inputs::source::Source;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_data::records::Kind;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::file::TableFile;
use tiebreak_data::tables::format::{Compression, OutputTableFormat};
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::schema::{TableBuilder, TableCell, TableColumns, schema};

/// Comma-separated.
pub(crate) const CSV: Export = Export {
    name: "csv",
    summary: "comparisons and judgments as CSV",
    file: None,
    write: |what, out| write(what, out, "csv", OutputTableFormat::Csv(Compression::Plain)),
};

/// JSON lines.
pub(crate) const JSONL: Export = Export {
    name: "jsonl",
    summary: "comparisons and judgments as JSON lines",
    file: None,
    write: |what, out| {
        write(
            what,
            out,
            "jsonl",
            OutputTableFormat::Jsonl(Compression::Plain),
        )
    },
};

/// Parquet.
pub(crate) const PARQUET: Export = Export {
    name: "parquet",
    summary: "comparisons and judgments as Parquet",
    file: None,
    write: |what, out| write(what, out, "parquet", OutputTableFormat::Parquet),
};

fn write(
    what: &ExportRequest<'_>,
    out: &Path,
    form: &str,
    format: OutputTableFormat,
) -> Result<ExportSummary> {
    let of_people = what.predictions.is_none();
    let comparisons = !of_people || what.source.index.has(Kind::Comparisons);
    let judgments = of_people && what.source.index.has(Kind::Judgments);
    let place = |name: &str| -> Result<PathBuf> {
        match Destination::from_path(out)? {
            Destination::Folder(folder) => Ok(folder.join(format!("{name}.{form}"))),
            Destination::File(file, as_named)
                if as_named == format && !(comparisons && judgments) =>
            {
                Ok(file)
            }
            Destination::File(..) if comparisons && judgments => {
                Err(Error::usage("comparisons and judgments are two tables")
                    .with_hint("name a folder for them"))
            }
            Destination::File(file, _) => {
                let named = format!("{} does not end in .{form}", file.display());
                Err(Error::usage(named).with_hint("name it as what it is written as"))
            }
        }
    };
    let mut rows = Vec::new();
    let mut dropped = match of_people {
        true => left_out(what.source),
        false => Vec::new(),
    };
    if comparisons {
        rows.push(compared(what, &place(Kind::Comparisons.name())?, format)?);
    }
    if judgments {
        let (written, emptied) = judged(what, &place(Kind::Judgments.name())?, format)?;
        rows.push(written);
        let is_csv = matches!(format, OutputTableFormat::Csv(_));
        dropped.extend(is_csv.then(|| {
            let reason = "texts that were edited to nothing: an empty cell of CSV says nothing, jsonl has them";
            (reason.to_string(), emptied)
        }));
    }
    if rows.is_empty() {
        return Err(what.source.lacks("export", "comparisons or judgments"));
    }
    Ok(ExportSummary {
        form: form.to_string(),
        rows,
        dropped,
    })
}

/// What the annotators of a campaign gave that is no row of these tables.
fn left_out(source: &Source) -> Vec<(String, u64)> {
    let form = Flag("as");
    let skips = format!("skipped questions, which {form} answers has with their reasons");
    let held = format!("answers that can still be taken back, which {form} answers has");
    vec![(skips, source.skips.len() as u64), (held, source.held)]
}

/// The cells of some columns, by the places of the rows of a campaign's answers: as many as people can give.
fn answer_texts(
    source: &Source,
    kind: Kind,
    columns: TableColumns,
) -> Result<Vec<Vec<Option<String>>>> {
    let rows = source.dataset.rows(kind)?.into_iter().flatten();
    let texts = rows.map(|row| -> Result<Vec<Option<String>>> {
        let row = row?;
        let cells = columns.iter().map(|(name, _)| row.optional_text(name));
        cells.collect()
    });
    texts.collect()
}

/// A table in the making, written a batch at a time.
struct ExportTable {
    columns: TableColumns,
    rows: TableBuilder,
    waiting: u64,
    written: u64,
    file: TableFile,
}

impl ExportTable {
    /// Rows that are gathered before they are written.
    const BATCH: u64 = 8192;

    fn create(
        what: &ExportRequest<'_>,
        path: &Path,
        format: OutputTableFormat,
        columns: TableColumns,
    ) -> Result<Self> {
        let source = what.source;
        let meta = Meta::new(
            "export",
            "tiebreak export",
            what.context.seed.0,
            &source.digest,
        );
        Ok(Self {
            columns,
            rows: TableBuilder::new(columns),
            waiting: 0,
            written: 0,
            file: TableFile::create(path, format, &schema(columns), &meta)?,
        })
    }

    fn push(&mut self, cells: &[TableCell<'_>]) -> Result<()> {
        self.rows.push(cells);
        self.waiting += 1;
        match self.waiting == Self::BATCH {
            true => self.flush(),
            false => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let rows = std::mem::replace(&mut self.rows, TableBuilder::new(self.columns));
        self.written += std::mem::take(&mut self.waiting);
        self.file.write(&rows.finish())
    }

    fn finish(mut self, path: &Path) -> Result<(String, u64)> {
        self.flush()?;
        self.file.finish()?;
        Ok((path.display().to_string(), self.written))
    }
}

fn compared(
    what: &ExportRequest<'_>,
    path: &Path,
    format: OutputTableFormat,
) -> Result<(String, u64)> {
    let columns = match what.predictions.is_none() && what.source.is_of_answers() {
        true => ANSWERED_COMPARISONS,
        false => COMPARISONS,
    };
    let own = &columns[COMPARISONS.len()..];
    let texts = match own {
        [] => Vec::new(),
        own => answer_texts(what.source, Kind::Comparisons, own)?,
    };
    let mut table = ExportTable::create(what, path, format, columns)?;
    what.verdicts(&mut |group, verdict| {
        let mut cells = vec![
            TableCell::Text(&group.item),
            TableCell::Text(verdict.a),
            TableCell::Text(verdict.b),
            TableCell::Number(Some(verdict.outcome.value())),
            TableCell::Text(verdict.annotator.as_deref().unwrap_or_default()),
            TableCell::Number(verdict.cost.seconds),
            TableCell::Number(verdict.cost.price),
        ];
        cells.extend(
            verdict
                .place
                .into_iter()
                .flat_map(|place| texts_at(&texts, place)),
        );
        table.push(&cells)
    })?;
    table.finish(path)
}

/// The texts of the answer at a place, as cells.
fn texts_at(texts: &[Vec<Option<String>>], place: u64) -> impl Iterator<Item = TableCell<'_>> {
    let own = texts.get(place as usize).into_iter().flatten();
    own.map(|text| TableCell::OptionalText(text.as_deref()))
}

/// Writes judgments; returns what was written, and the number of texts that were edited to nothing.
fn judged(
    what: &ExportRequest<'_>,
    path: &Path,
    format: OutputTableFormat,
) -> Result<((String, u64), u64)> {
    let source = what.source;
    let (columns, common) = match (source.is_of_answers(), has_repeats(source)?) {
        (true, _) => (ANSWERED_JUDGMENTS, JUDGMENTS.len()),
        (false, true) => (REPEATED_JUDGMENTS, REPEATED_JUDGMENTS.len()),
        (false, false) => (JUDGMENTS, JUDGMENTS.len()),
    };
    let texts = match source.is_of_answers() {
        true => answer_texts(source, Kind::Judgments, &columns[common..])?,
        false => Vec::new(),
    };
    let emptied = |text: &&Option<String>| text.as_deref() == Some("");
    let emptied = texts.iter().filter_map(|of| of.first()).filter(emptied);
    let emptied = emptied.count() as u64;
    let mut table = ExportTable::create(what, path, format, columns)?;
    for group in source.index.all() {
        what.context.check()?;
        let group = group?;
        for judgment in &group.judgments {
            let mut cells = vec![
                TableCell::Text(&group.item),
                TableCell::Text(source.system(judgment.system)),
                TableCell::Text(&source.index.criteria()[judgment.criterion]),
                TableCell::Number(Some(judgment.score)),
                TableCell::Text(judgment.annotator.as_deref().unwrap_or_default()),
                TableCell::Number(judgment.seconds),
                TableCell::Text(judgment.repeat.as_deref().unwrap_or_default()),
            ];
            cells.truncate(common);
            cells.extend(texts_at(&texts, judgment.place));
            table.push(&cells)?;
        }
    }
    Ok((table.finish(path)?, emptied))
}

/// Whether the judgments have a column of repeats.
fn has_repeats(source: &Source) -> Result<bool> {
    let rows = source.dataset.rows(Kind::Judgments)?;
    let repeat = source.dataset.columns().in_file("repeat");
    Ok(rows.is_some_and(|rows| rows.columns().iter().any(|name| name == repeat)))
}
