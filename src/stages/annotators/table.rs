//! Annotators on disk: a table of them, agreement beside it, and labels as tables people bring.

use super::Found;
use super::labels::Labels;
use crate::error::{Error, Result};
use crate::tables::annotators::{Annotator, Beside};
use crate::tables::destination::Destination;
use crate::tables::file::{TableFile, write_atomically};
use crate::tables::format::Format;
use crate::tables::meta::Meta;
use crate::tables::schema::{
    ANNOTATORS, Cell, Columns, LABELLED_COMPARISONS, LABELLED_JUDGMENTS, Rows, schema,
};
use std::path::Path;

pub(super) fn write(found: &Found, destination: &Destination) -> Result<()> {
    if let (Destination::File(path, _), false) = (destination, found.labels.is_empty()) {
        let what = format!("{}: labels are tables of their own", path.display());
        return Err(Error::usage(what).with_hint("name a folder: --out DIR"));
    }
    let mut rows = Rows::new(ANNOTATORS);
    for one in &found.annotators.annotators {
        push(&mut rows, one);
    }
    let (path, format) = destination.file("annotators.csv");
    table(&found.meta, &path, format, ANNOTATORS, rows)?;
    let beside = Beside {
        agreement: found.annotators.agreement.clone(),
        pairs: found.annotators.pairs.clone(),
        findings: found.annotators.findings.clone(),
        not_known: found.annotators.not_known.clone(),
    };
    let text = serde_json::to_string_pretty(&beside).map_err(Error::failed)? + "\n";
    write_atomically(&path.with_extension("agreement.json"), text.as_bytes())?;
    labels(found, destination)
}

fn labels(found: &Found, destination: &Destination) -> Result<()> {
    let [mut comparisons, mut judgments] = Labels::tables();
    let (mut compared, mut judged) = (false, false);
    for labels in &found.labels {
        match labels.criterion {
            None => labels.comparisons(&mut comparisons),
            Some(_) => labels.judgments(&mut judgments),
        }
        compared |= labels.criterion.is_none();
        judged |= labels.criterion.is_some();
    }
    let meta = Meta {
        table: "labels".to_string(),
        ..found.meta.clone()
    };
    if compared {
        let (path, format) = destination.file("comparisons.csv");
        table(&meta, &path, format, LABELLED_COMPARISONS, comparisons)?;
    }
    if judged {
        let (path, format) = destination.file("judgments.csv");
        table(&meta, &path, format, LABELLED_JUDGMENTS, judgments)?;
    }
    Ok(())
}

fn table(meta: &Meta, path: &Path, format: Format, columns: Columns, rows: Rows) -> Result<()> {
    let mut file = TableFile::create(path, format, &schema(columns), meta)?;
    file.write(&rows.finish())?;
    file.finish()
}

fn push(rows: &mut Rows, one: &Annotator) {
    rows.push(&[
        Cell::Text(&one.annotator),
        Cell::Text(&one.asked.human),
        Cell::Text(one.asked.criterion.as_deref().unwrap_or("")),
        Cell::Count(one.answers),
        Cell::Count(one.shared),
        Cell::Number(one.agreement),
        Cell::Number(one.bias),
        Cell::Number(one.noise),
        Cell::Number(one.accuracy),
        Cell::Text(&one.outlier.join(" ")),
    ]);
}
