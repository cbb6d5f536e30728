//! Whether people agree: coefficients, every annotator beside the others, those who stand out by name.

use super::rows::{Annotator, AnnotatorReport};
use super::text::{
    AGREEMENT, AnnotatorListing, CHECKED, FINDINGS, agreement, checks_verdict, finding_sentence,
    findings, kinds, notes, unknown,
};
use crate::report::html::figure::{Dots, dots, figure, figures, with_zero};
use crate::report::html::markup::{Html, HtmlTable, element, folded, with};
use crate::report::plot::Plot;
use tiebreak_base::error::Result;
use tiebreak_base::words::capitalised;

/// The most annotators drawn for one kind of answer, outliers aside.
const DRAWN: usize = 20;

/// The most annotators listed, outliers aside.
const LISTED: usize = 200;

pub(super) fn result_page(_: &str, found: &AnnotatorReport) -> Result<Html> {
    let rows = found.agreement.iter().map(agreement).collect();
    let table = HtmlTable::plain("Agreement between annotators", &AGREEMENT, 1, rows).html();
    let note = |note: String| with("p", &[("class", "note")], note);
    let mut parts = vec![note(SCALE.to_string()), table];
    parts.extend(notes(found).iter().map(|one| note(capitalised(one))));
    for kind in kinds(found) {
        parts.push(of_kind(&kind)?);
    }
    parts.push(checked(found));
    Ok(parts.into_iter().collect())
}

/// The findings of the checks, in sentences and in numbers.
fn checked(found: &AnnotatorReport) -> Html {
    let sentences = found.findings.iter();
    let sentences: Html = sentences
        .map(|one| element("li", finding_sentence(one)))
        .collect();
    let (list, table) = match found.findings.is_empty() {
        true => (Html::default(), Html::default()),
        false => {
            let table = HtmlTable::plain(CHECKED, &FINDINGS, 1, findings(found)).html();
            (element("ul", sentences), folded("In numbers", table))
        }
    };
    let unknown = unknown(found).into_iter();
    let unknown = unknown.map(|line| with("p", &[("class", "note")], capitalised(&line)));
    Html::from([
        element("h3", CHECKED),
        element("p", capitalised(&checks_verdict(found))),
        list,
        table,
        unknown.collect(),
    ])
}

const SCALE: &str = "1 is perfect agreement, 0 what answers at random have; alpha is Krippendorff's, of categories, \
                     ranks and numbers.";

fn of_kind(kind: &AnnotatorListing<'_>) -> Result<Html> {
    let outliers = kind.annotators.iter().filter(|one| !one.outlier.is_empty());
    let named = |one: &&Annotator| {
        let text = format!(
            "{} stands out in {}.",
            one.annotator,
            one.outlier.join(" and ")
        );
        element("li", text)
    };
    let named: Html = outliers.map(named).collect();
    let named = match named.is_empty() {
        true => named,
        false => element("ul", named),
    };
    let plots = [
        figure(
            &plot(kind, "Agreement with the others", |one| one.agreement),
            "of comparisons the share of the others who said the same, of judgments the correlation with \
             their means",
        )?,
        figure(
            &plot(kind, "Bias", |one| one.bias),
            "of comparisons how much the first side is preferred, of judgments how much higher than the \
             others",
        )?,
        figure(
            &plot(kind, "Noise", |one| one.noise),
            "how much the differences from the others scatter",
        )?,
    ];
    let (header, lines) = kind.lines(LISTED);
    let rest = kind.annotators.len() - lines.len();
    let title = format!("Annotators, {}", kind.asked.name());
    let table = HtmlTable::plain(&title, &header, 1, lines).html();
    let more = match rest {
        0 => Html::default(),
        rest => with("p", &[("class", "note")], format!("and {rest} more")),
    };
    Ok(Html::from([
        element("h3", title.as_str()),
        element("p", capitalised(&kind.verdict())),
        named,
        figures(plots),
        folded("In numbers", [table, more]),
    ]))
}

/// Plots one trait of each annotator; outliers have a colour of their own.
fn plot(kind: &AnnotatorListing<'_>, title: &str, of: impl Fn(&Annotator) -> Option<f64>) -> Plot {
    let shown = kind.annotators.iter().take(kind.outliers() + DRAWN);
    let shown: Vec<&&Annotator> = shown.collect();
    let list = |name: &str, outliers: bool| Dots {
        name: name.to_string(),
        values: shown
            .iter()
            .filter(|one| one.outlier.is_empty() != outliers)
            .filter_map(|one| Some((one.annotator.clone(), of(one)?, None)))
            .collect(),
    };
    let lists = [
        list("annotators", false),
        list("stand out in something", true),
    ];
    let plot = dots(title, &title.to_lowercase(), &lists);
    with_zero(plot, shown.len())
}
