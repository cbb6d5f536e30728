//! Whether predictions can be trusted: how good they are, and what their uncertainty is worth.

use super::plots;
use super::rows::Assessment;
use super::text::{notes, tables};
use crate::report::html::figure::{figure, figures};
use crate::report::html::markup::{Html, HtmlTable, element, folded, with};
use tiebreak_base::error::Result;
use tiebreak_base::words::capitalised;

pub(super) fn result_page(name: &str, found: &Assessment) -> Result<Html> {
    let plots = plots::all(found).into_iter();
    let plots = plots
        .map(|(file, plot)| figure(&plot, meaning(file)))
        .collect::<Result<Vec<_>>>()?;
    let mut tables = tables(found).into_iter().map(|one| {
        let header: Vec<&str> = one.header.iter().map(String::as_str).collect();
        (
            one.title,
            HtmlTable::plain(one.title, &header, 1, one.rows).html(),
        )
    });
    let quantities = tables.next().map(|(_, table)| table).unwrap_or_default();
    let rest = tables.map(|(title, table)| Html::from([element("h4", title), table]));
    let notes = notes(found).into_iter();
    let notes = notes.map(|note| with("p", &[("class", "note")], capitalised(&note)));
    Ok(Html::from([
        element("h3", name),
        quantities,
        notes.collect(),
        figures(plots),
        folded("In numbers", rest.collect::<Html>()),
    ]))
}

/// A sentence on how to read a plot.
fn meaning(file: &str) -> &'static str {
    match file {
        "reliability.svg" => {
            "how often people prefer what the predictions prefer, with 95 % intervals; predictions \
             that mean what they say lie on the diagonal"
        }
        "rejection.svg" => {
            "if the most uncertain predictions are left to people, how many of the rest are right; \
             the higher above the random order, the more the uncertainty is worth"
        }
        _ => "how uncertain the predictions are that turn out right, wrong, or judged a tie",
    }
}
