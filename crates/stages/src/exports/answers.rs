//! Everything that the annotators of a campaign gave back, a row each: answers with labels and comments, skips with
//! their reasons. The plain tables have the answers alone, as a data set has them.

use super::{Export, ExportRequest, ExportSummary};
use crate::inputs::source::campaign::with_answers;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::tables::file::write_atomically;

/// The answers of a campaign.
pub(crate) const EXPORT: Export = Export {
    name: "answers",
    summary: "all that a campaign's annotators gave: labels, comments, skips (CSV)",
    file: Some("answers.csv"),
    write,
};

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let folder = what.source.dataset.path();
    #[allow(clippy::redundant_closure_for_method_calls)]
    // a path would have one lifetime, a closure has all
    let found = with_answers(what.context, folder, |answered, texts| answered.csv(texts))?;
    let Some((table, rows)) = found else {
        let what = "not the folder of a campaign, which has the answers";
        return Err(Error::input(folder, what)
            .with_hint("for the comparisons or judgments of a data set the form is csv"));
    };
    if out.exists() && std::fs::read(out).map_err(Error::reading(out))? != table {
        return Err(Error::occupied(out, "with other content"));
    }
    write_atomically(out, &table)?;
    Ok(ExportSummary {
        form: EXPORT.name.to_string(),
        rows: vec![(out.display().to_string(), rows)],
        dropped: Vec::new(),
    })
}
