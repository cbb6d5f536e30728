//! Estimates for new annotators, as tables store them and texts show them.

use tiebreak_base::error::Result;
use tiebreak_data::records::reader::Row;
use tiebreak_decide::estimators::NewAnnotators;

/// Reads the cells of a row.
pub(super) fn read(row: &Row) -> Result<Option<NewAnnotators>> {
    let Some(annotators) = row.optional_number("new_annotators")? else {
        return Ok(None);
    };
    Ok(Some(NewAnnotators {
        estimate: row.number("new_annotators_estimate")?,
        lower: row.number("new_annotators_lower")?,
        upper: row.number("new_annotators_upper")?,
        standard_error: row.number("new_annotators_standard_error")?,
        annotators: annotators as u64,
        tastes: 0.0,
    }))
}
