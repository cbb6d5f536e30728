//! The summary on one page: the answer, how all systems stand, what it cost, what is next,
//! who judged. Page, text and terminal all show this one value.

use super::chapter::{Chapter, MeasureStandings, SystemPlacement};
use super::headline::{FirstQuestion, Headline, headline};
use serde::Serialize;
use std::fmt;
use tiebreak_base::layout::{number, or_dash, percent, table};
use tiebreak_base::stats::log_odds::logistic;
use tiebreak_base::words::interval_in;
use tiebreak_decide::ranking::result::StrengthScale;

/// The summary, in sentences and one table for each measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReportSummary {
    /// The first question.
    #[serde(skip)]
    pub question: FirstQuestion,
    /// The best system, or what else was asked first.
    pub best: String,
    /// The strength of the evidence for that.
    pub sure: String,
    /// What that assumes, a short sentence each.
    pub assumptions: Vec<String>,
    /// The next step.
    pub next: String,
    /// The cost. Empty where people did nothing.
    pub cost: String,
    /// The annotators. Empty where nobody judged.
    pub who: String,
    /// The standings of all systems, by the measure that the answer is from and then by others.
    pub standings: Vec<MeasureStandings>,
}

/// The answer to one question of the summary.
pub(crate) struct SummaryAnswer<'a> {
    /// The word for the question, in text.
    pub word: &'static str,
    /// The question, on a page.
    pub question: &'static str,
    /// The answer.
    pub text: &'a str,
    /// What it assumes.
    pub assumptions: &'a [String],
}

/// A line, and one for each assumption.
impl fmt::Display for SummaryAnswer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:6}{}", self.word, self.text)?;
        let mut assumptions = self.assumptions.iter();
        assumptions.try_for_each(|one| writeln!(f, "      - {one}"))
    }
}

impl ReportSummary {
    /// Collects the summary from all chapters.
    pub(crate) fn from_chapters(chapters: &[Box<dyn Chapter>]) -> Self {
        let Headline {
            question,
            best,
            sure,
            assumptions,
            next,
        } = headline(chapters);
        let cost: Vec<String> = chapters.iter().flat_map(|one| one.cost()).collect();
        // The last of the topics has counted the annotators.
        let who = chapters.iter().rev().find_map(|one| one.who()).into_iter();
        let agreement = chapters.iter().flat_map(|one| one.agreement());
        let mut standings: Vec<MeasureStandings> = Vec::new();
        for judged in chapters.iter().flat_map(|one| one.judged()) {
            if standings.iter().all(|one| one.what != judged.what) {
                standings.push(judged);
            }
        }
        Self {
            question,
            best,
            sure,
            assumptions,
            next,
            cost: cost.join(" "),
            who: who.chain(agreement).collect::<Vec<_>>().join(" "),
            standings,
        }
    }

    /// The answers that are not empty.
    pub(crate) fn answers(&self) -> Vec<SummaryAnswer<'_>> {
        let answer = |word, question, text, assumptions| SummaryAnswer {
            word,
            question,
            text,
            assumptions,
        };
        let mut all = vec![
            answer(self.question.0, self.question.1, &self.best, &[][..]),
            answer("sure", "How sure is that?", &self.sure, &self.assumptions),
            answer("next", "What next?", &self.next, &[]),
            answer("cost", "What did it cost?", &self.cost, &[]),
            answer("who", "Who judged?", &self.who, &[]),
        ];
        all.retain(|one| !one.text.is_empty());
        all
    }
}

/// The sentences, then how all systems stand by the first measure.
impl fmt::Display for ReportSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for answer in self.answers() {
            write!(f, "{answer}")?;
        }
        let Some(first) = self.standings.first() else {
            return Ok(());
        };
        let rows = first.systems.iter().map(|one| first.known(first.row(one)));
        let rows: Vec<Vec<String>> = rows.collect();
        let table = table(&first.known(first.columns()), &rows);
        write!(f, "\n{table}{}\n", first.meaning)
    }
}

impl MeasureStandings {
    /// The cells of the columns with any known value.
    fn known<T>(&self, [rank, system, what, interval, of]: [T; 5]) -> Vec<T> {
        let rank = self.is_ranked().then_some(rank);
        let interval = self.has_intervals().then_some(interval);
        let before = rank.into_iter().chain([system, what]);
        before.chain(interval).chain([of]).collect()
    }

    /// Whether any system has an interval.
    pub(crate) fn has_intervals(&self) -> bool {
        self.systems.iter().any(|one| one.interval.is_some())
    }

    /// Whether there is evidence of the rank of any system.
    pub(crate) fn is_ranked(&self) -> bool {
        self.systems.iter().any(|one| one.places.is_some())
    }

    /// The columns of [`Self::row`].
    pub(crate) fn columns(&self) -> [&str; 5] {
        let what = match self.scale {
            Some(_) => "preferred",
            None => &self.what,
        };
        ["rank", "system", what, "interval", self.of]
    }

    /// A system and its place.
    pub(crate) fn row(&self, one: &SystemPlacement) -> [String; 5] {
        let told = |value: f64| self.format_value(value);
        let (lower, upper) = one.interval.unzip();
        [
            one.rank(),
            one.system.clone(),
            or_dash(one.value, told),
            interval_in(lower, upper, told),
            one.n.to_string(),
        ]
    }

    /// A strength as the rate at which the system is preferred to the average one; other measures unchanged.
    pub(crate) fn on_scale(&self, value: f64) -> f64 {
        match self.scale {
            Some(StrengthScale::LogOdds) => logistic(value),
            Some(StrengthScale::Margin) => (0.5 + value).clamp(0.0, 1.0),
            None => value,
        }
    }

    /// The value on that scale, in digits.
    pub(crate) fn format_value(&self, value: f64) -> String {
        match self.scale {
            Some(_) => percent(self.on_scale(value)),
            None => number(value),
        }
    }
}

impl SystemPlacement {
    /// The ranks it may have: `3` or `1–4`; a dash without evidence.
    pub(crate) fn rank(&self) -> String {
        match self.places {
            None => "–".to_string(),
            Some((best, worst)) if best == worst => best.to_string(),
            Some((best, worst)) => format!("{best}–{worst}"),
        }
    }
}
