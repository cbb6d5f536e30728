//! The report as one HTML file: nothing outside it is needed to read it, and nothing in it runs.

pub(super) mod experiments;
pub(crate) mod figure;
pub(crate) mod markup;
mod provenance;
pub(crate) mod versus;

use super::chapter::{Answer, Chapter, Judged};
use super::headline::{Headline, headline};
use crate::error::Result;
use crate::tables::Manifest;
use markup::{Html, element, with};

/// The looks: light and dark, wide and narrow, on paper.
const STYLE: &str = include_str!("style.css");

/// A section of a page; without a body it is left out.
pub(crate) struct Section {
    /// By which a link finds it.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it says.
    pub body: Html,
}

impl Section {
    /// A section.
    pub fn new(id: &'static str, title: &'static str, body: Html) -> Self {
        Self { id, title, body }
    }
}

/// The whole page.
///
/// # Errors
/// If a plot cannot be drawn.
pub(super) fn page(run: &Manifest, chapters: &[Box<dyn Chapter>]) -> Result<String> {
    let mut people: Vec<Judged> = Vec::new();
    for judged in chapters.iter().flat_map(|chapter| chapter.judged()) {
        if people.iter().all(|one| one.what != judged.what) {
            people.push(judged);
        }
    }
    let mut in_order: Vec<&Box<dyn Chapter>> = chapters.iter().collect();
    in_order.sort_by_key(|chapter| chapter.topic().on_page());
    let mut sections = Vec::new();
    for chapter in in_order {
        sections.extend(chapter.page(&people)?);
    }
    let made = provenance::section(run);
    sections.push(Section::new("provenance", "How this was made", made));
    let heading = [
        element("h1", run.name.as_str()),
        with("p", &[("class", "note")], contents(run)),
        opening(&headline(chapters)),
        answers(chapters),
    ];
    Ok(document(&run.name, Html::from(heading), sections))
}

/// What was evaluated, as far as it is known.
fn contents(run: &Manifest) -> String {
    let known = [&run.data, &run.contents].map(String::as_str);
    let known: Vec<&str> = known.into_iter().filter(|text| !text.is_empty()).collect();
    known.join(": ")
}

/// The answer to the three questions that everybody has.
fn opening(found: &Headline) -> Html {
    let row = |(question, answer): (&str, &String)| {
        element("div", [element("dt", question), element("dd", answer)])
    };
    let rows = [
        ("Which is best?", &found.best),
        ("How sure is that?", &found.sure),
        ("What next?", &found.next),
    ];
    with(
        "dl",
        &[("class", "opening")],
        rows.into_iter().map(row).collect::<Html>(),
    )
}

/// Answers in a sentence each.
fn answers(chapters: &[Box<dyn Chapter>]) -> Html {
    let answer = |one: Answer| {
        let about = with("p", &[("class", "label")], one.about);
        let sentence = with("p", &[("class", "sentence")], one.sentence);
        let note = one
            .note
            .map(|note| with("p", &[("class", "note")], format!("{note}.")));
        with("li", &[], [about, sentence, note.unwrap_or_default()])
    };
    let answers = chapters.iter().flat_map(|chapter| chapter.answers());
    let answers: Html = answers.map(answer).collect();
    match answers.is_empty() {
        true => answers,
        false => with("ul", &[("class", "answers")], answers),
    }
}

/// A page of sections; those without a body are left out.
fn document(title: &str, heading: Html, sections: Vec<Section>) -> String {
    let there = sections.into_iter().filter(|one| !one.body.is_empty());
    let there: Vec<Section> = there.collect();
    let link = |one: &Section| {
        let target = format!("#{}", one.id);
        element("li", with("a", &[("href", &target)], one.title))
    };
    let links: Html = there.iter().map(link).collect();
    let contents = with("nav", &[("aria-label", "Contents")], element("ul", links));
    let section = |one: Section| {
        let heading = element("h2", one.title);
        with("section", &[("id", one.id)], [heading, one.body])
    };
    let sections: Html = there.into_iter().map(section).collect();
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
        element("title", title),
        element("style", Html::ready(STYLE)),
    ]);
    let body = [
        element("header", heading),
        contents,
        element("main", sections),
    ];
    let html = with(
        "html",
        &[("lang", "en")],
        [element("head", head), element("body", Html::from(body))],
    );
    format!("<!DOCTYPE html>\n{}", html.into_string())
}
