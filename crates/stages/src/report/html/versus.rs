//! The comparison of every system with every other: a square table, coloured where the difference is significant.

use super::markup::{Html, HtmlTable, name, with};
use std::collections::BTreeMap;

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

/// The table of pairs by their names, each once; `cell` is called with a pair and the sign of its difference, which is
/// negative where its second is the row.
pub(crate) fn table<'a, P: Copy>(
    caption: &str,
    corner: &str,
    names: &[String],
    pairs: impl IntoIterator<Item = ([&'a str; 2], P)>,
    cell: impl Fn(P, f64) -> VersusCell,
) -> Html {
    let pairs: BTreeMap<[&str; 2], P> = pairs.into_iter().collect();
    // Long names would make a table many times as wide as its numbers.
    let short = |name: &String| name.chars().count() <= NAME;
    let numbered = names.len() > FEW || !names.iter().all(short);
    let row = |(at, of): (usize, &String)| {
        let cells = names.iter().map(|other| {
            let found = signed(&pairs, [of, other]);
            found.map_or_else(Html::default, |(pair, sign)| coloured(&cell(pair, sign)))
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

/// The pair of a row and a column with the sign of its difference; `None` where the two are no pair.
fn signed<P: Copy>(pairs: &BTreeMap<[&str; 2], P>, [row, column]: [&str; 2]) -> Option<(P, f64)> {
    let turned = || Some((*pairs.get(&[column, row])?, -1.0));
    let found = pairs.get(&[row, column]).map(|&pair| (pair, 1.0));
    found.or_else(turned)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_seen_from_both_sides() {
        let names = ["a", "b", "c"].map(str::to_string);
        let pairs = [(["b", "a"], 2.0), (["a", "c"], 3.0)];
        let html = table("", "", &names, pairs, |difference: f64, sign| VersusCell {
            difference: sign * difference,
            written: format!("{{{}}}", sign * difference),
            significant: true,
            note: String::new(),
        });
        let html = html.into_string();
        let cells: Vec<&str> = html.split('{').skip(1).collect();
        let cells = cells.iter().filter_map(|cell| cell.split('}').next());
        assert_eq!(cells.collect::<Vec<_>>(), ["-2", "3", "2", "-3"]);
    }
}
