//! The comparison of every system with every other: a square table, coloured where the difference is significant.

use super::markup::{Html, HtmlTable, name, with};

/// Columns up to which they have names above them, if these are short; else they have the numbers of their rows.
const FEW: usize = 8;

/// Most characters of a short name.
const NAME: usize = 12;

/// The result of a row against a column.
pub(crate) struct VersusCell {
    /// The difference: above 0 where the row is better.
    pub difference: f64,
    /// The difference as it is written, with its sign.
    pub written: String,
    /// Whether the difference is significant.
    pub significant: bool,
    /// A note under the number.
    pub note: String,
}

/// The table; `cell` is called with the places of every row and column, the diagonal left out.
pub(crate) fn table(
    caption: &str,
    corner: &str,
    names: &[String],
    cell: impl Fn(usize, usize) -> Option<VersusCell>,
) -> Html {
    // Long names would make a table many times as wide as its numbers.
    let short = |name: &String| name.chars().count() <= NAME;
    let numbered = names.len() > FEW || !names.iter().all(short);
    let row = |(at, of): (usize, &String)| {
        let cells = (0..names.len()).map(|other| {
            let found = (other != at).then(|| cell(at, other)).flatten();
            found.as_ref().map_or_else(Html::default, coloured)
        });
        let of = match numbered {
            true => Html::from([Html::from(format!("{} ", at + 1)), name(of)]),
            false => name(of),
        };
        std::iter::once(of).chain(cells).collect()
    };
    let column = |(at, of): (usize, &String)| match numbered {
        true => (at + 1).to_string(),
        false => of.clone(),
    };
    let columns = names.iter().enumerate().map(column);
    let header = std::iter::once(corner.to_string()).chain(columns);
    HtmlTable {
        caption: caption.to_string(),
        header: header.collect(),
        texts: 1,
        rows: names.iter().enumerate().map(row).collect(),
    }
    .html()
}

fn coloured(cell: &VersusCell) -> Html {
    let class = match (cell.significant, cell.difference > 0.0) {
        (false, _) => "versus",
        (true, true) => "versus better",
        (true, false) => "versus worse",
    };
    let note = with("span", &[("class", "under")], cell.note.as_str());
    with(
        "span",
        &[("class", class)],
        [Html::from(&cell.written), note],
    )
}
