//! One page, one truth: what is said of one quantity is the same wherever it is said, in texts, pages, tables and JSON.
//!
//! A walk runs what people run, collects everything that is said of each quantity ([`Sayings`]) and returns what
//! contradicts itself. Each walk has a test that breaks a page and finds that out.

mod campaigns;
mod files;
mod written;

use crate::words::rendered_faults;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use written::agree;

/// What is said of quantities, and what else does not go together.
#[derive(Debug, Default)]
pub(crate) struct Sayings {
    /// By quantity: each value with the places where it stands.
    said: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    faults: Vec<String>,
}

impl Sayings {
    /// Notes a value of a quantity, as it is written at a place.
    pub(crate) fn say(&mut self, quantity: impl Display, value: impl Display, place: &str) {
        let values = self.said.entry(quantity.to_string()).or_default();
        let places = values.entry(value.to_string()).or_default();
        places.insert(place.to_string());
    }

    /// Notes the cells of columns, each under the quantity that stands for it and for the row's name.
    pub(crate) fn say_columns(
        &mut self,
        grid: &Grid,
        columns: &[(&str, &str)],
        quantity: impl Fn(&str, &str) -> String,
        place: &str,
    ) {
        for (column, of) in columns {
            for (row, cell) in grid.column(column) {
                self.say(quantity(of, row), cell, place);
            }
        }
    }

    /// Notes a fault unless something holds.
    pub(crate) fn demand(&mut self, holds: bool, fault: impl Display) {
        if !holds {
            self.faults.push(fault.to_string());
        }
    }

    /// Notes a fault for each sentence of a text or a page that is not plain.
    pub(crate) fn demand_plain_words(&mut self, rendered: &str, place: &str) {
        for fault in rendered_faults(rendered) {
            self.faults.push(format!("{place}: {fault}"));
        }
    }

    /// How many quantities are spoken of in more than one place.
    pub(crate) fn shared(&self) -> usize {
        let places = |values: &BTreeMap<String, BTreeSet<String>>| {
            values.values().map(BTreeSet::len).sum::<usize>()
        };
        self.said
            .values()
            .filter(|values| places(values) > 1)
            .count()
    }

    /// All contradictions.
    pub(crate) fn faults(&self) -> Vec<String> {
        let differ = |values: &BTreeMap<String, BTreeSet<String>>| {
            let all = || values.keys();
            all().any(|one| all().any(|other| !agree(one, other)))
        };
        let several = self.said.iter().filter(|(_, values)| differ(values));
        let several = several.map(|(quantity, values)| format!("{quantity}: {values:?}"));
        several.chain(self.faults.iter().cloned()).collect()
    }
}

/// A table as a text or a page shows it: rows of cells, each row by the name in its first column.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Grid {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// The cells of a column, by the names of their rows.
    pub(crate) fn column<'a>(&'a self, name: &str) -> Vec<(&'a str, &'a str)> {
        let Some(at) = self.header.iter().position(|header| header == name) else {
            return Vec::new();
        };
        let cell = |row: &'a Vec<String>| Some((row.first()?.as_str(), row.get(at)?.as_str()));
        self.rows.iter().filter_map(cell).collect()
    }

    /// The sum of a column of whole numbers.
    pub(crate) fn sum(&self, name: &str) -> u64 {
        let numbers = self.column(name).into_iter();
        numbers
            .map(|(_, cell)| cell.parse::<u64>().unwrap_or(0))
            .sum()
    }
}

/// Tables of a text: a line of at least two words apart under a blank line, a rule or a sentence, and the lines below it.
/// The title is the line above the nearest rule.
pub(crate) fn grids_of_text(text: &str) -> Vec<Grid> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut grids, mut title, mut at) = (Vec::new(), String::new(), 0);
    while at < lines.len() {
        if lines[at].starts_with('─') && at > 0 {
            title = lines[at - 1].to_string();
        }
        let header = cells(lines[at]);
        if !FIRST.contains(&header[0].as_str()) || header.len() < 2 {
            at += 1;
            continue;
        }
        let rows = lines[at + 1..].iter().map(|line| cells(line));
        let rows: Vec<Vec<String>> = rows.take_while(|row| row.len() >= header.len()).collect();
        at += 1 + rows.len();
        grids.push(Grid {
            title: title.clone(),
            header,
            rows,
        });
    }
    grids
}

/// What the first column of a table of interest is called.
const FIRST: [&str; 5] = ["system", "systems", "metric", "annotator", "criterion"];

/// The cells of a line: what two blanks or more set apart.
fn cells(line: &str) -> Vec<String> {
    let cells = line.trim().split("  ").map(str::trim);
    let cells: Vec<String> = cells
        .filter(|cell| !cell.is_empty())
        .map(str::to_string)
        .collect();
    if cells.is_empty() {
        vec![String::new()]
    } else {
        cells
    }
}

/// Tables of a page, by their captions.
pub(crate) fn grids_of_page(page: &str) -> Vec<Grid> {
    let tables = pieces(page, "<table", "</table>");
    let grid = |table: &str| {
        let rows = pieces(table, "<tr", "</tr>");
        let of_row = |row: &&str| pieces(row, "<t", "</t").into_iter().map(plain).collect();
        let mut rows: Vec<Vec<String>> = rows.iter().map(of_row).collect();
        let header = if rows.is_empty() {
            Vec::new()
        } else {
            rows.remove(0)
        };
        let caption = pieces(table, "<caption", "</caption>")
            .first()
            .map(|text| plain(text));
        Grid {
            title: caption.unwrap_or_default(),
            header,
            rows,
        }
    };
    tables.into_iter().map(grid).collect()
}

/// What stands between each `open…>` and the next `close`.
fn pieces<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let (mut rest, mut found) = (text, Vec::new());
    while let Some(start) = rest.find(open) {
        let inner = &rest[start + open.len()..];
        let Some((begin, end)) = inner.find('>').zip(inner.find(close)) else {
            break;
        };
        if begin < end {
            found.push(&inner[begin + 1..end]);
        }
        rest = &inner[end + close.len()..];
    }
    found
}

/// The words of a piece of a page; what stands in small type under others is set apart by a blank.
pub(crate) fn plain(piece: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in piece.replace("<span class=\"under\"", " <span").chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    let named = [
        ("&#39;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    let text = named
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to));
    text.trim().to_string()
}

#[test]
fn contradictions_are_found() {
    let mut sayings = Sayings::default();
    sayings.say("judgments", 3, "the page");
    sayings.say("judgments", 3, "the text");
    assert!(sayings.faults().is_empty() && sayings.shared() == 1);
    sayings.say("judgments", 4, "JSON");
    assert_eq!(sayings.faults().len(), 1);
}

#[test]
fn tables_are_read_as_they_are_shown() {
    let text = "A title\n───────\nsaid first\nsystem  strength    interval\na x        1.000  [0.9, 1.1]\nb              –           –\n\nmore\n";
    let grid = &grids_of_text(text)[0];
    assert_eq!((grid.title.as_str(), grid.rows.len()), ("A title", 2));
    assert_eq!(grid.column("interval"), [("a x", "[0.9, 1.1]"), ("b", "–")]);
    let page = "<table class=\"t\"><caption>A &amp; b</caption>\n<thead><tr><th>system</th><th>n</th></tr>\n</thead>\
                <tbody><tr><th><bdi>a</bdi></th><td>3<span class=\"under\">[1, 5]</span></td></tr>\n</tbody></table>";
    let grid = &grids_of_page(page)[0];
    assert_eq!((grid.title.as_str(), grid.header.len()), ("A & b", 2));
    assert_eq!(grid.column("n"), [("a", "3 [1, 5]")]);
}
