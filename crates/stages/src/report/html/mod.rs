//! The report as one HTML file: nothing outside it is needed to read it. Its only script adds buttons that save charts
//! and copy tables.

pub(super) mod experiments;
pub(crate) mod figure;
mod first;
pub(crate) mod folding;
pub(crate) mod markup;
mod provenance;
pub(crate) mod versus;

use super::chapter::{Chapter, ChapterSection, MeasureStandings};
use super::document::page_html;
use super::summary::ReportSummary;
use crate::rendering;
use markup::{Html, element, with};
use tiebreak_base::error::Result;
use tiebreak_data::tables::Manifest;

/// The style sheet: light and dark, wide and narrow, on paper.
const STYLE: &str = include_str!("style.css");

/// The script of the buttons. It has no `<` or `&`, so that the page is well-formed XML.
const SCRIPT: &str = include_str!("page.js");

/// Lets that script run, and no other: the page has nothing secret, and nothing is fetched.
const POLICY: &str =
    "default-src 'none'; script-src 'nonce-here'; style-src 'unsafe-inline'; img-src data:";

/// Note on paper about what it does not show.
const FOLDED: &str = "The rest is folded on the page. Open a part to print it.";

/// A section of a page; without a body it is left out.
pub(crate) struct Section<T = Html> {
    /// The id that links point to.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The content.
    pub body: T,
}

impl<T> Section<T> {
    /// A section.
    pub(crate) fn new(id: &'static str, title: &'static str, body: T) -> Self {
        Self { id, title, body }
    }
}

/// The whole page; `sections` are those of the chapters.
pub(super) fn page(
    run: &Manifest,
    summary: &ReportSummary,
    chapters: &[Box<dyn Chapter>],
    sections: &[Vec<ChapterSection>],
) -> Result<String> {
    let people = &summary.standings;
    let mut in_order: Vec<_> = chapters.iter().zip(sections).collect();
    in_order.sort_by_key(|(chapter, _)| chapter.topic().on_page());
    let mut appendices = Vec::new();
    for one in in_order.iter().flat_map(|(_, sections)| sections.iter()) {
        appendices.push(Section::new(one.id, one.title, page_html(&one.body)?));
    }
    let made = provenance::section(run);
    appendices.push(Section::new("provenance", "How this was made", made));
    let examples = in_order
        .iter()
        .map(|(chapter, _)| chapter.examples(people))
        .collect();
    let ranks = people.first().map(first::standing);
    let stand = match people.first().is_some_and(MeasureStandings::is_ranked) {
        true => "How the systems rank",
        false => "How the systems stand",
    };
    let others = first::others(people.get(1..).unwrap_or_default());
    let first = vec![
        Section::new("overview", "All measures", first::overview(people)),
        Section::new("standing", stand, ranks.unwrap_or_default()),
        Section::new("others", "By other measures", others),
        Section::new("examples", "What they wrote", examples),
    ];
    let heading = [
        element("h1", run.name.as_str()),
        with("p", &[("class", "note")], contents(run)),
        first::opening(summary),
        run.changes
            .iter()
            .map(|change| element("p", change.as_str()))
            .collect(),
    ];
    Ok(document(&run.name, Html::from(heading), first, appendices))
}

/// The data that was evaluated, as far as it is known.
fn contents(run: &Manifest) -> String {
    let known = [&run.data, &run.contents].map(String::as_str);
    let known: Vec<&str> = known.into_iter().filter(|text| !text.is_empty()).collect();
    known.join(": ")
}

/// A page that begins with some sections and has the others folded below them; those without a body are
/// left out.
pub(super) fn document(
    title: &str,
    heading: Html,
    first: Vec<Section>,
    folded: Vec<Section>,
) -> String {
    let there = |sections: Vec<Section>| sections.into_iter().filter(|one| !one.body.is_empty());
    let folded: Vec<Section> = there(folded).collect();
    let link = |one: &Section| {
        let target = format!("#{}", one.id);
        element("li", with("a", &[("href", &target)], one.title))
    };
    let links: Html = folded.iter().map(link).collect();
    let contents = with("nav", &[("aria-label", "Details")], element("ul", links));
    let section = |one: Section| {
        let heading = element("h2", one.title);
        with("section", &[("id", one.id)], [heading, one.body])
    };
    let sections: Html = there(first).map(section).collect();
    // Without first sections, the first of the others is what the page is about.
    let open = sections.is_empty();
    let appendix = |(place, one): (usize, Section)| {
        let summary = element("summary", element("h2", one.title));
        // A link to something within opens the section.
        let body = with("div", &[("id", one.id)], one.body);
        let open: &[(&str, &str)] = if open && place == 0 {
            &[("open", "open")]
        } else {
            &[]
        };
        let class: &[(&str, &str)] = &[("class", "appendix")];
        with("details", &[class, open].concat(), [summary, body])
    };
    let appendices: Html = folded.into_iter().enumerate().map(appendix).collect();
    let paper = with("p", &[("class", "note paper")], FOLDED);
    let head = Html::from([
        with("meta", &[("charset", "utf-8")], Html::default()),
        with(
            "meta",
            &[
                ("name", "viewport"),
                ("content", "width=device-width, initial-scale=1"),
            ],
            Html::default(),
        ),
        with(
            "meta",
            &[("name", "color-scheme"), ("content", "light dark")],
            Html::default(),
        ),
        with(
            "meta",
            &[
                ("http-equiv", "Content-Security-Policy"),
                ("content", POLICY),
            ],
            Html::default(),
        ),
        element("title", title),
        element("style", Html::ready([STYLE, rendering::STYLE].concat())),
    ]);
    let script = Html::ready(SCRIPT);
    let body = [
        element("header", heading),
        element("main", [sections, contents, paper, appendices]),
        with("script", &[("nonce", "here")], script),
    ];
    let html = with(
        "html",
        &[("lang", "en")],
        [element("head", head), element("body", Html::from(body))],
    );
    format!("<!DOCTYPE html>\n{}", html.into_string())
}
