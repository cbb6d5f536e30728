//! What a report tells of the tables of one stage, or of anything else: in text, on a page, in JSON, and
//! what that answers of the questions that everybody has. A report is put together from chapters and knows
//! nothing else of them.

use super::headline::Headline;
use super::html::Section;
use super::html::markup::Html;
use serde::Serialize;
use tiebreak_base::error::{Error, Result};
use tiebreak_decide::ranking::result::StrengthScale;

/// A part of `report.json` by its key.
pub(crate) type ReportField = (&'static str, serde_json::Value);

/// A name, the number of it, and the interval of that.
pub(crate) type NamedEstimate = (String, f64, Option<(f64, f64)>);

/// What a chapter is about. Texts and JSON have chapters in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    /// What metrics say.
    Metrics,
    /// Whether predictions can be trusted.
    Predictions,
    /// Who is best.
    Best,
    /// What it would have taken to know.
    Effort,
    /// How good each system is.
    Quality,
    /// Single outputs.
    Examples,
    /// Whom to believe.
    Trust,
    /// Who judged.
    People,
}

impl Topic {
    /// A page begins with the answers.
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

    /// Its place on a page.
    pub(crate) fn on_page(self) -> Option<usize> {
        Self::ON_PAGE.iter().position(|&topic| topic == self)
    }
}

/// An answer in a sentence.
pub(crate) struct ReportAnswer {
    /// To what.
    pub about: String,
    /// The sentence.
    pub sentence: String,
}

/// Answers, a line each.
pub(crate) fn lines(answers: Vec<ReportAnswer>) -> String {
    let line = |answer: ReportAnswer| format!("{}: {}\n", answer.about, answer.sentence);
    answers.into_iter().map(line).collect()
}

/// What people think of systems, by any measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MeasureStandings {
    /// How the measure is called.
    pub what: String,
    /// Of strengths their unit; `None` where the measure is told as it is.
    pub scale: Option<StrengthScale>,
    /// What it is made of: comparisons or judgments.
    pub of: &'static str,
    /// Which system it puts first, and how sure that is, in a sentence or two.
    pub answer: String,
    /// What its intervals mean, and its places where there are any.
    pub meaning: String,
    /// The systems, highest first.
    pub systems: Vec<SystemPlacement>,
}

/// Where a system stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SystemPlacement {
    /// Its name.
    pub system: String,
    /// The best and the worst place it may have, from 1 on; `None` without evidence of any.
    pub places: Option<(u64, u64)>,
    /// The measure; `None` before anybody judged it.
    pub value: Option<f64>,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
    /// From how many comparisons or judgments.
    pub n: u64,
}

impl MeasureStandings {
    /// The systems whose value is known.
    pub(crate) fn valued(&self) -> Vec<NamedEstimate> {
        let valued = |one: &SystemPlacement| Some((one.system.clone(), one.value?, one.interval));
        self.systems.iter().filter_map(valued).collect()
    }
}

/// A part of a report.
pub(crate) trait Chapter {
    /// What it is about.
    fn topic(&self) -> Topic;

    /// Its parts of `report.json`, also where it has nothing to say.
    ///
    /// # Errors
    /// If a table has no form in JSON.
    fn json(&self) -> Result<Vec<ReportField>>;

    /// The text, its sections begun with their titles; empty where it has nothing to say.
    fn text(&self) -> String {
        String::new()
    }

    /// The sections of the page; `people` is what all chapters know of people's opinions of systems.
    ///
    /// # Errors
    /// If a plot cannot be drawn.
    fn page(&self, people: &[MeasureStandings]) -> Result<Vec<Section>>;

    /// Which system is best, where it knows.
    fn headline(&self) -> Option<Headline> {
        None
    }

    /// What to say instead where no chapter knows.
    fn caveat(&self) -> Option<Headline> {
        None
    }

    /// Its answers at the top of the report.
    fn answers(&self) -> Vec<ReportAnswer> {
        Vec::new()
    }

    /// The same on a terminal, in lines or a table.
    fn brief(&self) -> String {
        lines(self.answers())
    }

    /// What people think of systems.
    fn judged(&self) -> Vec<MeasureStandings> {
        Vec::new()
    }

    /// What people's work it rests on, or how much would have been enough, in sentences.
    fn cost(&self) -> Vec<String> {
        Vec::new()
    }

    /// Who judged, in a sentence.
    fn who(&self) -> Option<String> {
        None
    }

    /// Whether those who judged agree, in sentences.
    fn agreement(&self) -> Vec<String> {
        Vec::new()
    }

    /// What systems wrote, shown before everything that is only numbers.
    fn examples(&self, _: &[MeasureStandings]) -> Html {
        Html::default()
    }
}

/// A part of `report.json`.
///
/// # Errors
/// If it has no form in JSON.
pub(crate) fn field(key: &'static str, value: &impl Serialize) -> Result<ReportField> {
    let value = serde_json::to_value(value).map_err(Error::failed)?;
    Ok((key, value))
}

/// A chapter of tables that are told one after the other.
pub(crate) struct TablesChapter<T> {
    /// What they are about.
    pub topic: Topic,
    /// Their key in `report.json`.
    pub key: &'static str,
    /// Their section of the page, by id and heading.
    pub section: (&'static str, &'static str),
    /// The tables, by the names of their stages.
    pub found: Vec<(String, T)>,
    /// Tells one as text.
    pub text: fn(&str, &T) -> String,
    /// Tells one on a page.
    pub page: fn(&str, &T) -> Result<Html>,
}

impl<T: Serialize> Chapter for TablesChapter<T> {
    fn topic(&self) -> Topic {
        self.topic
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field(self.key, &self.found)?])
    }

    fn text(&self) -> String {
        let all = self.found.iter();
        all.map(|(name, one)| (self.text)(name, one)).collect()
    }

    fn page(&self, _: &[MeasureStandings]) -> Result<Vec<Section>> {
        let all = self.found.iter();
        let body = all
            .map(|(name, one)| (self.page)(name, one))
            .collect::<Result<_>>()?;
        let (id, heading) = self.section;
        Ok(vec![Section::new(id, heading, body)])
    }
}
