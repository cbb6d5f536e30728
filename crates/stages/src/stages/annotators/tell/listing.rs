//! The annotators who gave one kind of answer: in a table, in plots, and those who stand out by name.

use crate::report::distinct;
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::report::html::figure::{Dots, dots, with_zero};
use crate::report::plot::Plot;
use crate::stages::annotators::OUTLIERS;
use crate::stages::annotators::rows::{Annotator, AnnotatorReport, AnswerKind};
use std::cmp::Reverse;
use tiebreak_base::layout::{decimals, or_dash, same_decimals};

/// The most annotators listed on a terminal, outliers aside.
const LISTED: usize = 12;

/// The most annotators listed on a page, outliers aside.
const LISTED_ON_PAGE: usize = 200;

/// The most annotators drawn, outliers aside.
const DRAWN: usize = 20;

/// The annotators who gave one kind of answer.
pub(super) struct AnnotatorListing<'a> {
    /// The kind of answer.
    asked: &'a AnswerKind,
    /// The annotators: outliers first, then the busiest.
    annotators: Vec<&'a Annotator>,
    /// The reason why outliers cannot be known, where they cannot.
    too_few: Option<&'a str>,
    /// How many spreads from the median annotator one stands out.
    reach: Option<f64>,
}

/// The listings by kind of answer, in the order of their agreement.
pub(super) fn listings(found: &AnnotatorReport) -> Vec<AnnotatorListing<'_>> {
    let asked = distinct(found.agreement.iter().map(|one| &one.asked)).into_iter();
    asked
        .map(|asked| {
            let all = found.annotators.iter();
            let mut annotators: Vec<&Annotator> = all.filter(|one| one.asked == *asked).collect();
            annotators.sort_by_key(|one| (one.outlier.is_empty(), Reverse(one.answers)));
            let mut too_few = found.not_known.iter();
            let too_few = too_few.find(|one| one.check == OUTLIERS && one.asked == *asked);
            AnnotatorListing {
                asked,
                annotators,
                too_few: too_few.map(|one| one.why.as_str()),
                reach: found
                    .agreement
                    .iter()
                    .find(|one| one.asked == *asked)
                    .and_then(|one| one.outlier_reach),
            }
        })
        .collect()
}

impl AnnotatorListing<'_> {
    /// The number of outliers.
    fn outliers(&self) -> usize {
        let all = self.annotators.iter();
        all.filter(|one| !one.outlier.is_empty()).count()
    }

    /// Their document: some in numbers, who stands out, and where all are.
    pub(super) fn document(&self) -> ResultDocument {
        let (title, verdict) = (format!("Annotators, {}", self.asked.name()), self.verdict());
        let outliers = self.annotators.iter().filter(|one| !one.outlier.is_empty());
        let outlier = |one: &&Annotator| {
            let traits = one.outlier.join(" and ");
            format!("{} stands out in {traits}.", one.annotator)
        };
        let on_page = ResultDocument::default()
            .list(outliers.map(outlier).collect())
            .side_by_side(self.plots())
            .fold("In numbers", self.numbers(&title, LISTED_ON_PAGE));
        ResultDocument::default()
            .heading(3, &title)
            .on_terminal(self.numbers(&title, LISTED))
            .paragraph(verdict)
            .on_page(on_page)
            .under(title)
    }

    /// The table of all outliers and of at most that many others, and how many more there are.
    fn numbers(&self, title: &str, others: usize) -> ResultDocument {
        let has_accuracy = self.annotators.iter().any(|one| one.accuracy.is_some());
        let all = || self.annotators.iter();
        let bias = same_decimals(all().filter_map(|one| one.bias));
        let noise = same_decimals(all().filter_map(|one| one.noise));
        let three = |value| or_dash(value, |value| decimals(value, 3));
        let line = |one: &&Annotator| {
            let mut line = vec![
                one.annotator.clone(),
                one.answers.to_string(),
                one.shared.to_string(),
                three(one.agreement),
                or_dash(one.bias, bias),
                or_dash(one.noise, noise),
            ];
            if has_accuracy {
                line.push(three(one.accuracy));
            }
            line.push(one.outlier.join(", "));
            line
        };
        let shown = self.outliers() + others;
        let lines: Vec<_> = self.annotators.iter().take(shown).map(line).collect();
        let mut header = vec![
            "annotator",
            "answers",
            "shared",
            "agreement",
            "bias",
            "noise",
        ];
        if has_accuracy {
            header.push("accuracy");
        }
        header.push("stands out in");
        let rest = self.annotators.len() - lines.len();
        let more = (rest > 0).then(|| format!("and {rest} more"));
        ResultDocument::from(DocumentTable::new(title, &header, lines)).notes(more)
    }

    /// Sentences on the number of outliers and their test, or why they are unknown.
    fn verdict(&self) -> String {
        let named = match (self.outliers(), self.too_few) {
            (0, Some(why)) => return format!("Not tested who stands out, since {why}."),
            (0, None) => "No annotator stands out".to_string(),
            (1, _) => "1 annotator stands out".to_string(),
            (n, _) => format!("{n} annotators stand out"),
        };
        let power = self.reach.map(|reach| {
            let from = decimals(reach, 1);
            format!(
                " It takes a distance of {from} spreads, so a careless annotator may be missed."
            )
        });
        format!(
            "{named}. Test: distance to the median annotator (Student's t).{} Among annotators who differ by chance, one \
             stands out in at most 3 % of data sets.",
            power.unwrap_or_default()
        )
    }

    /// The plots of the traits, each with a note on how to read it.
    fn plots(&self) -> [DocumentFigure; 3] {
        [
            DocumentFigure::new(
                self.plot("Agreement with the others", |one| one.agreement),
                "in comparisons: the share of the others who gave the same answer; in judgments: the correlation with \
                 the others' means",
            ),
            DocumentFigure::new(
                self.plot("Bias", |one| one.bias),
                "in comparisons: how much the first side is preferred; in judgments: how much higher than the others",
            ),
            DocumentFigure::new(
                self.plot("Noise", |one| one.noise),
                "how much the differences from the others vary",
            ),
        ]
    }

    /// Plots one trait of each annotator; outliers have a colour of their own.
    fn plot(&self, title: &str, of: impl Fn(&Annotator) -> Option<f64>) -> Plot {
        let shown = self.annotators.iter().take(self.outliers() + DRAWN);
        let shown: Vec<&&Annotator> = shown.collect();
        let list = |name: &str, outliers: bool| Dots {
            name: name.to_string(),
            values: shown
                .iter()
                .filter(|one| one.outlier.is_empty() != outliers)
                .filter_map(|one| Some((one.annotator.clone(), of(one)?, None)))
                .collect(),
        };
        let lists = [list("annotators", false), list("stand out", true)];
        let plot = dots(title, &title.to_lowercase(), &lists);
        with_zero(plot, shown.len())
    }
}
