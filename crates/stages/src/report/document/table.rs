//! Tables of documents: aligned on a terminal, marked up on a page.

use crate::report::html::markup::{Html, HtmlTable, element, row_cells, with};
use tiebreak_base::layout;

/// A table of a document.
#[derive(Debug, Clone)]
pub(crate) struct DocumentTable {
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
    pub(crate) fn new(
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
        let mut rows = self.rows.clone();
        if !self.drawings.is_empty() {
            header.push("");
            let drawings = rows.iter_mut().zip(&self.drawings);
            drawings.for_each(|(row, drawing)| row.push(drawing.clone()));
        }
        title + &layout::table(&header, &rows)
    }

    pub(super) fn html(&self) -> Html {
        let mut rows: Vec<Vec<Html>> = self.rows.iter().map(|row| row_cells(row)).collect();
        for (row, share) in rows.iter_mut().zip(&self.bars) {
            row[1] = barred(*share, std::mem::take(&mut row[1]));
        }
        let table = HtmlTable {
            caption: self.caption.clone(),
            header: self.header.clone(),
            texts: self.texts,
            rows,
        };
        match self.is_titled {
            true => Html::from([element("h4", self.caption.as_str()), table.html()]),
            false => table.html(),
        }
    }
}

/// A share as a bar and as it is written.
fn barred(share: f64, written: Html) -> Html {
    let width = format!("width:{:.1}%", 100.0 * share);
    let bar = with("span", &[("class", "bar"), ("style", &width)], "");
    let track = with("span", &[("class", "track"), ("aria-hidden", "true")], bar);
    let share = [track, element("span", written)];
    with("span", &[("class", "share")], share)
}
