//! Tables of documents.

use crate::layout;
use std::borrow::Cow;

/// A table of a document.
#[derive(Debug, Clone)]
pub struct DocumentTable {
    /// What it shows.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The cells, by row.
    pub rows: Vec<Vec<String>>,
    /// The number of columns at the left that hold text; all others hold numbers.
    pub texts: usize,
    /// Whether the caption is shown above the table; else it is for screen readers alone.
    pub is_titled: bool,
    /// A drawing at the end of each row on a terminal, which has no plots.
    pub drawings: Vec<String>,
    /// A bar in the second cell of each row on a page, as long as the share that it says.
    pub bars: Vec<f64>,
}

impl DocumentTable {
    /// Creates a table whose first column alone is text.
    pub fn new(
        caption: impl Into<String>,
        header: &[impl AsRef<str>],
        rows: Vec<Vec<String>>,
    ) -> Self {
        Self {
            caption: caption.into(),
            header: header
                .iter()
                .map(|name| name.as_ref().to_string())
                .collect(),
            rows,
            texts: 1,
            is_titled: false,
            drawings: Vec::new(),
            bars: Vec::new(),
        }
    }

    pub(super) fn text(&self) -> String {
        let title = match self.is_titled {
            true => format!("\n{}\n", self.caption),
            false => String::new(),
        };
        let mut header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        let mut rows = Cow::Borrowed(&self.rows);
        if !self.drawings.is_empty() {
            header.push("");
            let drawings = rows.to_mut().iter_mut().zip(&self.drawings);
            drawings.for_each(|(row, drawing)| row.push(drawing.clone()));
        }
        title + &layout::table(&header, &rows)
    }
}
