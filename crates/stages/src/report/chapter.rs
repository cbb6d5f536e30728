//! Chapters of a report: the tables of one stage, or anything else, in text, on a page and in JSON, with
//! answers to the questions that everybody has. A report is put together from chapters and knows
//! nothing else of them.

use super::document::ResultDocument;
use super::headline::Headline;
use super::html::Section;
use super::html::markup::Html;
use serde::Serialize;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::ranking::result::StrengthScale;

/// A part of `report.json` by its key.
pub(crate) type ReportField = (&'static str, serde_json::Value);

/// A name with its number and the interval of that.
pub(crate) type NamedEstimate = (String, f64, Option<(f64, f64)>);

/// The topic of a chapter. Texts and JSON have chapters in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    /// Scores of metrics.
    Metrics,
    /// The reliability of predictions.
    Predictions,
    /// The best system.
    Best,
    /// The effort that it would have taken to know.
    Effort,
    /// The quality of each system.
    Quality,
    /// Single outputs.
    Examples,
    /// The reliability of metrics and annotators.
    Trust,
    /// The annotators.
    People,
}

impl Topic {
    /// The topics in the order of a page, which begins with the answers.
    const ON_PAGE: [Self; 8] = [
        Self::People,
        Self::Best,
        Self::Effort,
        Self::Quality,
        Self::Metrics,
        Self::Trust,
        Self::Predictions,
        Self::Examples,
    ];

    /// The position on a page.
    pub(crate) fn on_page(self) -> Option<usize> {
        Self::ON_PAGE.iter().position(|&topic| topic == self)
    }
}

/// An answer in a sentence.
pub(crate) struct ReportAnswer {
    /// The question that it answers.
    pub about: String,
    pub sentence: String,
}

/// Answers, a line each.
pub(crate) fn lines(answers: Vec<ReportAnswer>) -> String {
    let line = |answer: ReportAnswer| format!("{}: {}\n", answer.about, answer.sentence);
    answers.into_iter().map(line).collect()
}

/// The standings of systems, by any measure of people's opinions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MeasureStandings {
    /// The name of the measure.
    pub what: String,
    /// The unit of strengths; `None` where the measure is shown as it is.
    pub scale: Option<StrengthScale>,
    /// The data behind it: comparisons or judgments.
    pub of: &'static str,
    /// The system in first place, and how sure that is, in a sentence or two.
    pub answer: String,
    /// The meaning of its intervals, and of its places where there are any.
    pub meaning: String,
    /// The systems, highest first.
    pub systems: Vec<SystemPlacement>,
}

/// The standing of a system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SystemPlacement {
    /// Its name.
    pub system: String,
    /// The best and the worst place it may have, from 1 on; `None` without evidence.
    pub places: Option<(u64, u64)>,
    /// The measure; `None` before anybody judged it.
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// The number of comparisons or judgments behind it.
    pub n: u64,
}

impl MeasureStandings {
    /// The systems whose value is known.
    pub(crate) fn valued(&self) -> Vec<NamedEstimate> {
        let valued = |one: &SystemPlacement| Some((one.system.clone(), one.value?, one.interval));
        self.systems.iter().filter_map(valued).collect()
    }
}

/// A section of a chapter. Only a page shows its title: on a terminal the sections of its document have their own.
pub(crate) type ChapterSection = Section<ResultDocument>;

/// A part of a report.
pub(crate) trait Chapter {
    /// The topic.
    fn topic(&self) -> Topic;

    /// The parts of `report.json`, also where the chapter has nothing to say.
    ///
    /// # Errors
    /// If a table has no form in JSON.
    fn json(&self) -> Result<Vec<ReportField>>;

    /// The sections; the standings are those from all chapters, which plots may show.
    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        Vec::new()
    }

    /// The best system, where the chapter knows it.
    fn headline(&self) -> Option<Headline> {
        None
    }

    /// The headline to use instead where no chapter knows.
    fn caveat(&self) -> Option<Headline> {
        None
    }

    /// The answers at the top of the report.
    fn answers(&self) -> Vec<ReportAnswer> {
        Vec::new()
    }

    /// The answers on a terminal, in lines or a table.
    fn brief(&self) -> String {
        lines(self.answers())
    }

    /// The standings of systems, by each measure.
    fn judged(&self) -> Vec<MeasureStandings> {
        Vec::new()
    }

    /// The human work behind the answer, or the amount that would have been enough, in sentences.
    fn cost(&self) -> Vec<String> {
        Vec::new()
    }

    /// The annotators, in a sentence.
    fn who(&self) -> Option<String> {
        None
    }

    /// The agreement of annotators, in sentences.
    fn agreement(&self) -> Vec<String> {
        Vec::new()
    }

    /// Examples of outputs, shown before everything that is only numbers.
    fn examples(&self, _: &[MeasureStandings]) -> Html {
        Html::default()
    }
}

/// A part of `report.json`.
pub(crate) fn field(key: &'static str, value: &impl Serialize) -> Result<ReportField> {
    let value = serde_json::to_value(value).map_err(Error::failed)?;
    Ok((key, value))
}

/// A chapter of tables that are shown one after the other.
pub(crate) struct TablesChapter<T> {
    pub topic: Topic,
    /// The key in `report.json`.
    pub key: &'static str,
    /// The section of the page, by id and heading.
    pub section: (&'static str, &'static str),
    /// The tables, by the names of their stages.
    pub found: Vec<(String, T)>,
    /// Tells a table, by the name of its stage.
    pub document: fn(&str, &T) -> ResultDocument,
    /// Tells the agreement of annotators, in sentences.
    pub agreement: fn(&T) -> Vec<String>,
}

impl<T: Serialize> Chapter for TablesChapter<T> {
    fn topic(&self) -> Topic {
        self.topic
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field(self.key, &self.found)?])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        let all = self.found.iter();
        let all = all.map(|(name, one)| (self.document)(name, one));
        let (id, title) = self.section;
        vec![ChapterSection::new(id, title, all.collect())]
    }

    fn agreement(&self) -> Vec<String> {
        let first = self.found.first();
        first.map_or_else(Vec::new, |(_, one)| (self.agreement)(one))
    }
}
