//! A table of numbers with intervals, published numbers beside them: as aligned text, CSV and JSON.

use super::distinct;
use crate::report::plot::Matrix;
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::layout::{decimals, number, percent, table};

/// The way in which numbers are written for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    /// Counts and means of counts.
    #[default]
    Count,
    /// Shares from 0 to 1, as percentages.
    Share,
    /// Numbers on a scale of their own, with four significant digits.
    Number,
    /// Ratios, correlations and the like, with two decimals.
    Ratio,
}

impl Unit {
    fn write(self, value: f64) -> String {
        match self {
            Self::Count => number(value.round()),
            Self::Share => percent(value),
            Self::Number => number(value),
            Self::Ratio => decimals(value, 2),
        }
    }

    /// A number divided by another. Counts are at least 1: a run may be right before the first answer.
    pub(crate) fn ratio(self, of: f64, to: f64) -> f64 {
        match self {
            Self::Count => of.max(1.0) / to.max(1.0),
            _ => of / to,
        }
    }
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CrosstabEntry {
    /// Its row's name.
    pub row: String,
    /// Its column's name.
    pub column: String,
    /// The number, `None` where it was never reached.
    pub value: Option<f64>,
    /// Lower end of its interval.
    pub lower: Option<f64>,
    /// Upper end, `None` where it was never reached or there is no interval.
    pub upper: Option<f64>,
    /// The published number, as it was written.
    pub published: Option<String>,
    /// The unit in which it is written.
    #[serde(default)]
    pub unit: Unit,
}

/// A table of numbers; rows and columns appear in the order of their first entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Crosstab {
    /// The name of its files.
    pub name: String,
    pub title: String,
    /// The kind of the rows.
    pub corner: String,
    /// Whether all numbers are of one kind, so that their ratios to published ones can be averaged.
    #[serde(default)]
    pub one_kind: bool,
    /// The row with which the others are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Whether it is also drawn, as coloured cells.
    #[serde(skip)]
    pub drawn: bool,
    /// Its numbers, at most one for each row and column.
    pub entries: Vec<CrosstabEntry>,
}

impl CrosstabEntry {
    /// The number and its interval as text: `2051 [1680, 2770]`; `never` where the number was not reached.
    fn text(&self) -> String {
        let write = |value| self.unit.write(value);
        let end = |value: Option<f64>| value.map_or_else(|| "never".to_string(), write);
        match (self.lower, self.upper) {
            (None, None) => end(self.value),
            (lower, upper) => format!("{} [{}, {}]", end(self.value), end(lower), end(upper)),
        }
    }

    /// The ratio of ours to the published number, where both are numbers above 0.
    fn ratio(&self) -> Option<f64> {
        let published: f64 = self.published.as_ref()?.trim().parse().ok()?;
        let ratio = self.value? / published;
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }
}

impl Crosstab {
    fn rows(&self) -> Vec<&str> {
        distinct(self.entries.iter().map(|entry| entry.row.as_str()))
    }

    fn columns(&self) -> Vec<&str> {
        distinct(self.entries.iter().map(|entry| entry.column.as_str()))
    }

    fn entry(&self, row: &str, column: &str) -> Option<&CrosstabEntry> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.row == row && entry.column == column)
    }

    /// The table as aligned text.
    pub(crate) fn text(&self) -> String {
        let (header, lines) = self.lines();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        format!("{}\n\n{}", self.title, table(&header, &lines))
    }

    /// Header and lines as people read them. Below a row stand the numbers published for it; at its
    /// end, where all are of one kind, stands the geometric mean of our numbers over those, and how it compares
    /// with the row that the others are compared with.
    pub(super) fn lines(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let columns = self.columns();
        let compared = self.one_kind && self.entries.iter().any(|entry| entry.ratio().is_some());
        let names = std::iter::once(self.corner.as_str()).chain(columns.iter().copied());
        let names = names.chain(compared.then_some("ours/published"));
        let mut header: Vec<String> = names.map(str::to_string).collect();
        if let Some(baseline) = &self.baseline {
            header.extend([format!("times {baseline}"), "at worst".to_string()]);
        }
        let mut lines = Vec::new();
        for row in self.rows() {
            let of: Vec<Option<&CrosstabEntry>> = columns
                .iter()
                .map(|column| self.entry(row, column))
                .collect();
            let mut ours = line(row, &of, |entry| Some(entry.text()));
            if compared {
                let ratios = of.iter().flatten().filter_map(|entry| entry.ratio());
                ours.push(geometric_mean(&ratios.collect::<Vec<f64>>()));
            }
            if let Some(baseline) = &self.baseline {
                ours.extend(self.comparison(row, baseline));
            }
            lines.push(ours);
            if of.iter().flatten().any(|entry| entry.published.is_some()) {
                let published =
                    |entry: &CrosstabEntry| entry.published.clone().or(Some(String::new()));
                lines.push(line("  published", &of, published));
            }
        }
        (header, lines)
    }

    /// The geometric mean of a row's ratios to another, and the largest, over the columns that both have. Where the
    /// row never reached what the other did, the mean says over how many it is, and the largest is `never`.
    fn comparison(&self, row: &str, baseline: &str) -> [String; 2] {
        let pairs = self.columns().into_iter().filter_map(|column| {
            let (ours, other) = (self.entry(row, column)?, self.entry(baseline, column)?);
            let (unit, other) = (ours.unit, other.value?);
            Some(ours.value.map(|ours| unit.ratio(ours, other)))
        });
        let pairs: Vec<Option<f64>> = pairs.collect();
        let ratios: Vec<f64> = pairs.iter().flatten().copied().collect();
        let mean = geometric_mean(&ratios);
        if ratios.len() < pairs.len() {
            let over = format!("{mean} (on {} of {})", ratios.len(), pairs.len());
            return [over, "never".to_string()];
        }
        let largest = ratios.into_iter().max_by(f64::total_cmp);
        [
            mean,
            largest.map_or_else(|| "–".to_string(), |ratio| decimals(ratio, 2)),
        ]
    }

    /// The table as coloured cells, without intervals.
    pub(crate) fn matrix(&self) -> Matrix {
        let (rows, columns) = (self.rows(), self.columns());
        let cell = |row: &str, column: &str| {
            let entry = self.entry(row, column)?;
            Some((entry.value?, entry.unit.write(entry.value?)))
        };
        let cells = |row: &&str| columns.iter().map(|column| cell(row, column)).collect();
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Matrix {
            title: self.title.clone(),
            cells: rows.iter().map(cells).collect(),
            rows: owned(&rows),
            columns: owned(&columns),
        }
    }

    /// The table as CSV, one line for each number: row, column, value, lower, upper, published.
    pub(crate) fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for entry in &self.entries {
            writer
                .serialize(CrosstabRecord::from(entry))
                .map_err(Error::failed)?;
        }
        let bytes = writer.into_inner().map_err(Error::failed)?;
        String::from_utf8(bytes).map_err(Error::failed)
    }

    /// The table as a JSON document.
    pub(crate) fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::failed)? + "\n")
    }
}

/// An entry as a line of CSV.
#[derive(Serialize)]
struct CrosstabRecord<'a> {
    row: &'a str,
    column: &'a str,
    value: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    published: Option<&'a str>,
}

impl<'a> From<&'a CrosstabEntry> for CrosstabRecord<'a> {
    fn from(entry: &'a CrosstabEntry) -> Self {
        Self {
            row: &entry.row,
            column: &entry.column,
            value: entry.value,
            lower: entry.lower,
            upper: entry.upper,
            published: entry.published.as_deref(),
        }
    }
}

/// A line of a table: its name, and every entry written by `write`.
fn line(
    name: &str,
    entries: &[Option<&CrosstabEntry>],
    write: impl Fn(&CrosstabEntry) -> Option<String>,
) -> Vec<String> {
    let mut line = vec![name.to_string()];
    for entry in entries {
        let text = entry.and_then(&write);
        line.push(text.unwrap_or_else(|| "–".to_string()));
    }
    line
}

fn geometric_mean(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "–".to_string();
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    decimals(mean.exp(), 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(
        row: &str,
        column: &str,
        value: Option<f64>,
        published: Option<&str>,
    ) -> CrosstabEntry {
        CrosstabEntry {
            row: row.into(),
            column: column.into(),
            value,
            lower: value.map(|value| value - 1.0),
            upper: None,
            published: published.map(str::to_string),
            unit: Unit::Count,
        }
    }

    fn example() -> Crosstab {
        Crosstab {
            name: "t".into(),
            title: "A table".into(),
            corner: "bandit".into(),
            one_kind: true,
            baseline: None,
            drawn: false,
            entries: vec![
                entry("rmed", "x", Some(200.0), Some("100")),
                entry("rmed", "y", Some(100.0), Some("200")),
                entry("dts", "y", None, Some("> 10^6")),
            ],
        }
    }

    #[test]
    fn rows_keep_their_order_with_what_was_published_below() {
        let text = example().text();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines[2], ["bandit", "x", "y", "ours/published"]);
        assert_eq!(
            lines[3],
            [
                "rmed", "200", "[199,", "never]", "100", "[99,", "never]", "1.00"
            ]
        );
        assert_eq!(lines[4], ["published", "100", "200"]);
        assert_eq!(lines[5], ["dts", "–", "never", "–"]);
    }

    #[test]
    fn rows_are_compared_where_both_have_numbers() {
        let table = Crosstab {
            baseline: Some("rmed".to_string()),
            entries: vec![
                entry("rmed", "x", Some(200.0), None),
                entry("rmed", "y", Some(100.0), None),
                entry("rmed", "z", None, None),
                entry("dts", "x", Some(100.0), None),
                entry("dts", "y", Some(800.0), None),
                entry("dts", "z", Some(5.0), None),
                entry("rucb", "x", Some(300.0), None),
                entry("rucb", "y", None, None),
            ],
            ..example()
        };
        let (header, lines) = table.lines();
        assert_eq!(header[4..], ["times rmed", "at worst"]);
        assert_eq!(lines[0][4..], ["1.00", "1.00"]);
        assert_eq!(lines[1][4..], ["2.00", "8.00"]);
        assert_eq!(lines[2][4..], ["1.50 (on 1 of 2)", "never"]);
    }

    #[test]
    fn numbers_are_whole_in_csv_and_json() {
        let csv = example().csv().unwrap();
        assert_eq!(csv.lines().nth(1), Some("rmed,x,200.0,199.0,,100"));
        let json: serde_json::Value = serde_json::from_str(&example().json().unwrap()).unwrap();
        assert!(json["entries"][2]["value"].is_null());
    }
}
