//! The report as one HTML file: nothing outside it is needed to read it, and nothing in it runs.

mod annotators;
mod assessments;
mod comparisons;
mod correlations;
mod disagreements;
mod estimates;
pub(super) mod experiments;
mod figure;
mod markup;
mod metrics;
mod provenance;
mod ranking;
mod simulations;
mod versus;

use super::headline::{Headline, headline};
use super::summary::Summary;
use super::words::{self, sentence};
use crate::error::Result;
use crate::tables::Manifest;
use markup::{Html, element, with};

/// The looks: light and dark, wide and narrow, on paper.
const STYLE: &str = include_str!("style.css");

/// The whole page.
///
/// # Errors
/// If a plot cannot be drawn.
pub(super) fn page(summary: &Summary) -> Result<String> {
    let sections = [
        (
            "ranking",
            "Who is best",
            non_empty(&summary.rankings, ranking::section)?,
        ),
        (
            "replays",
            "How many judgments it would have taken",
            non_empty(&summary.simulations, simulations::section)?,
        ),
        (
            "estimates",
            "How good each system is",
            non_empty(&summary.estimates, |of| {
                estimates::section(of, &summary.plans)
            })?,
        ),
        (
            "differences",
            "Which systems differ",
            non_empty(&summary.comparisons, comparisons::differences)?,
        ),
        (
            "stopping",
            "When judging could have stopped",
            non_empty(&summary.comparisons, comparisons::stopping)?,
        ),
        (
            "metrics",
            "What the metrics say",
            non_empty(&summary.scores, |_| metrics::section(summary))?,
        ),
        (
            "correlations",
            "How metrics go with people",
            non_empty(&summary.correlations, correlations::section)?,
        ),
        (
            "annotators",
            "Whether people agree",
            non_empty(&summary.annotators, annotators::section)?,
        ),
        (
            "model",
            "Whether the predictions can be trusted",
            non_empty(&summary.assessments, assessments::section)?,
        ),
        (
            "disagreements",
            "Where metrics and people disagree",
            non_empty(&summary.disagreements, |of| Ok(disagreements::section(of)))?,
        ),
        (
            "provenance",
            "How this was made",
            provenance::section(&summary.run),
        ),
    ];
    let run = &summary.run;
    let heading = [
        element("h1", run.name.as_str()),
        with("p", &[("class", "note")], contents(run)),
        opening(&headline(summary)),
        answers(summary),
    ];
    Ok(document(&run.name, Html::from(heading), sections))
}

/// What was evaluated, as far as it is known.
fn contents(run: &Manifest) -> String {
    let known = [&run.data, &run.contents].map(String::as_str);
    let known: Vec<&str> = known.into_iter().filter(|text| !text.is_empty()).collect();
    known.join(": ")
}

fn non_empty<T>(of: &[T], section: impl FnOnce(&[T]) -> Result<Html>) -> Result<Html> {
    if of.is_empty() {
        Ok(Html::default())
    } else {
        section(of)
    }
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

/// The answers in a sentence each: what replays would have taken; how good the best systems are.
fn answers(summary: &Summary) -> Html {
    let answer = |about: &str, text: String, claim: &str| {
        let about = with("p", &[("class", "label")], about);
        let text = with("p", &[("class", "sentence")], text);
        let claim = match claim.is_empty() {
            true => Html::default(),
            false => with("p", &[("class", "note")], format!("{claim}.")),
        };
        with("li", &[], [about, text, claim])
    };
    let replays = summary.simulations.iter();
    let replays = replays.map(|(name, one)| answer(name, sentence(one), &one.verdict));
    let estimates = words::answers(&summary.estimates).into_iter();
    let estimates = estimates.map(|(about, text)| answer(&about, text, ""));
    let answers: Html = replays.chain(estimates).collect();
    match answers.is_empty() {
        true => answers,
        false => with("ul", &[("class", "answers")], answers),
    }
}

/// A page of sections, each with an id, a heading and its body; empty ones are left out.
fn document<const N: usize>(
    title: &str,
    heading: Html,
    sections: [(&str, &str, Html); N],
) -> String {
    let there: Vec<_> = sections
        .into_iter()
        .filter(|(.., body)| !body.is_empty())
        .collect();
    let link = |(id, title, _): &(&str, &str, Html)| {
        element("li", with("a", &[("href", &format!("#{id}"))], *title))
    };
    let links: Html = there.iter().map(link).collect();
    let contents = with("nav", &[("aria-label", "Contents")], element("ul", links));
    let section = |(id, title, body): (&str, &str, Html)| {
        with("section", &[("id", id)], [element("h2", title), body])
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
