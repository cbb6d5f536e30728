//! Estimates for new annotators, as tables store them and texts show them.

use tiebreak_base::error::Result;
use tiebreak_data::records::reader::Row;
use tiebreak_data::tables::schema::{Column, TableCell};
use tiebreak_decide::estimators::NewAnnotators;

/// The columns, after those of a table's own rows.
pub(super) const COLUMNS: [(&str, Column); 5] = [
    ("new_annotators_estimate", Column::Number),
    ("new_annotators_lower", Column::Number),
    ("new_annotators_upper", Column::Number),
    ("new_annotators_standard_error", Column::Number),
    ("new_annotators", Column::Number),
];

/// The cells of a row.
pub(super) fn cells(found: Option<NewAnnotators>) -> [TableCell<'static>; 5] {
    [
        found.map(|one| one.estimate),
        found.map(|one| one.lower),
        found.map(|one| one.upper),
        found.map(|one| one.standard_error),
        found.map(|one| one.annotators as f64),
    ]
    .map(TableCell::Number)
}

/// Reads the cells of a row.
pub(super) fn read(row: &Row) -> Result<Option<NewAnnotators>> {
    let number = |at: usize| row.optional_number(COLUMNS[at].0);
    let Some(annotators) = number(4)? else {
        return Ok(None);
    };
    Ok(Some(NewAnnotators {
        estimate: row.number(COLUMNS[0].0)?,
        lower: row.number(COLUMNS[1].0)?,
        upper: row.number(COLUMNS[2].0)?,
        standard_error: row.number(COLUMNS[3].0)?,
        annotators: annotators as u64,
        tastes: 0.0,
    }))
}
