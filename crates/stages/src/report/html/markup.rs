//! Pieces of HTML. Text becomes HTML by being escaped, so that a system called `<script>` is a name and
//! nothing else.
//!
//! A template engine would bring a language of its own, a derive macro and a parser into every build;
//! a report needs elements, attributes and escaping. The result is also well-formed XML: every
//! element is closed.

use std::fmt::Write;

/// A piece of HTML.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Html(String);

impl Html {
    /// Wraps what is HTML already, such as a plot or a style sheet of ours.
    pub(crate) fn ready(html: impl Into<String>) -> Self {
        Self(html.into())
    }

    /// The number of characters to be read.
    fn letters(&self) -> usize {
        let mut inside = false;
        let read = self.0.chars().filter(|&c| {
            inside = (inside || c == '<') && c != '>';
            !inside && c != '>'
        });
        read.count()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        let mut escaped = String::new();
        for c in text.chars() {
            match c {
                '&' => escaped += "&amp;",
                '<' => escaped += "&lt;",
                '>' => escaped += "&gt;",
                '"' => escaped += "&quot;",
                '\'' => escaped += "&#39;",
                '\t' | '\n' | '\r' => escaped.push(c),
                // No document may contain these.
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                    escaped.push('\u{fffd}');
                }
                c => escaped.push(c),
            }
        }
        Self(escaped)
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Html {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(pieces: I) -> Self {
        Self(pieces.into_iter().map(|piece| piece.0).collect())
    }
}

impl<const N: usize> From<[Html; N]> for Html {
    fn from(pieces: [Html; N]) -> Self {
        pieces.into_iter().collect()
    }
}

impl From<Vec<Html>> for Html {
    fn from(pieces: Vec<Html>) -> Self {
        pieces.into_iter().collect()
    }
}

pub(crate) fn element(name: &str, inner: impl Into<Html>) -> Html {
    with(name, &[], inner)
}

/// An element with attributes, whose values are escaped.
pub(crate) fn with(name: &str, attributes: &[(&str, &str)], inner: impl Into<Html>) -> Html {
    let mut opening = format!("<{name}");
    for (key, value) in attributes {
        let _ = write!(opening, " {key}=\"{}\"", Html::from(*value).0);
    }
    let inner = inner.into().0;
    let html = match name {
        "input" | "link" | "meta" => format!("{opening}/>"),
        _ => format!("{opening}>{inner}</{name}>"),
    };
    let block = !matches!(
        name,
        "a" | "b" | "bdi" | "code" | "span" | "strong" | "td" | "th"
    );
    Html(if block { html + "\n" } else { html })
}

/// A text whose words between backticks are commands or keys, as on a terminal.
pub(crate) fn prose(text: &str) -> Html {
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    let piece = |(place, piece): (usize, &&str)| match place % 2 {
        0 => Html::from(*piece),
        // Nothing closes the last one.
        _ if place == last => Html::from(format!("`{piece}")),
        _ => element("code", *piece),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// A name of a system or an item, in whichever direction its script is written.
pub(crate) fn name(text: &str) -> Html {
    element("bdi", text)
}

/// Labels with their values.
pub(crate) fn facts(facts: Vec<(&str, String)>) -> Html {
    let fact = |(label, value): (&str, String)| {
        element("div", [element("dt", label), element("dd", value)])
    };
    with(
        "dl",
        &[("class", "facts")],
        facts.into_iter().map(fact).collect::<Html>(),
    )
}

/// Cells of a row, the first a name.
pub(crate) fn row_cells(row: &[String]) -> Vec<Html> {
    let mut cells = row.iter();
    let first = cells.next().map(|one| name(one));
    first.into_iter().chain(cells.map(Html::from)).collect()
}

/// A folded part that opens on request; on paper it is printed where it is open.
pub(crate) fn folded(summary: &str, inner: impl Into<Html>) -> Html {
    element("details", [element("summary", summary), inner.into()])
}

/// Characters up to which names of rows are not broken into lines.
const SHORT: usize = 20;

pub(crate) struct HtmlTable {
    /// The caption, for screen readers.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The number of columns at the left that hold text; all others hold numbers.
    pub texts: usize,
    pub rows: Vec<Vec<Html>>,
}

impl HtmlTable {
    /// The table in a box that scrolls where the page is narrow.
    pub(crate) fn html(self) -> Html {
        let class = |column: usize| {
            if column < self.texts {
                "text"
            } else {
                "number"
            }
        };
        let cell = |name: &'static str| {
            move |(column, cell): (usize, Html)| {
                let scope: &[(&str, &str)] = if name == "th" {
                    &[("scope", "col")]
                } else {
                    &[]
                };
                with(name, &[&[("class", class(column))], scope].concat(), cell)
            }
        };
        let first_class = |cell: &Html| match (class(0), cell.letters() <= SHORT) {
            ("text", true) => "text short",
            (class, _) => class,
        };
        let row = |cells: Vec<Html>| {
            let first = |(column, one): (usize, Html)| match column {
                0 => with("th", &[("class", first_class(&one)), ("scope", "row")], one),
                _ => cell("td")((column, one)),
            };
            element(
                "tr",
                cells.into_iter().enumerate().map(first).collect::<Html>(),
            )
        };
        let head = self.header.iter().map(Html::from).enumerate();
        let head = element(
            "thead",
            element("tr", head.map(cell("th")).collect::<Html>()),
        );
        let body = element("tbody", self.rows.into_iter().map(row).collect::<Html>());
        let caption = with("caption", &[("class", "heard")], self.caption.as_str());
        let table = element("table", [caption, head, body]);
        let region = [
            ("class", "scroll"),
            ("role", "region"),
            ("tabindex", "0"),
            ("aria-label", &self.caption),
        ];
        with("div", &region, table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let html = with(
            "td",
            &[("title", "a \"b\" & c")],
            "<script>alert('x')</script>\u{0}",
        );
        let expected = "<td title=\"a &quot;b&quot; &amp; c\">&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\u{fffd}</td>";
        assert_eq!(html.into_string(), expected);
        assert_eq!(element("bdi", "a > b").letters(), "a &gt; b".len());
        let nested = element("b", element("span", "1 < 2"));
        assert_eq!(nested.into_string(), "<b><span>1 &lt; 2</span></b>");
    }
}
