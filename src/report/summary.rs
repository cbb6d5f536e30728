//! What whoever reads one page must know: the answer, how all systems stand, what it cost, what is next,
//! who judged. Page, text and terminal tell this one value.

use super::chapter::{Chapter, Judged, Placed};
use super::headline::{Headline, headline};
use super::words::interval;
use crate::layout::{optional, table};
use serde::Serialize;
use std::fmt;

/// What the first page says, in sentences and one table for each measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Which system is best?
    pub best: String,
    /// How sure is that?
    pub sure: String,
    /// What next?
    pub next: String,
    /// What did it cost? Empty where people did nothing.
    pub cost: String,
    /// Who judged? Empty where nobody did.
    pub who: String,
    /// How all systems stand, by the measure that the answer is from and then by others.
    pub standings: Vec<Judged>,
}

impl Summary {
    /// From all chapters.
    pub(crate) fn of(chapters: &[Box<dyn Chapter>]) -> Self {
        let Headline { best, sure, next } = headline(chapters);
        let cost: Vec<String> = chapters.iter().flat_map(|one| one.cost()).collect();
        let who = chapters.iter().find_map(|one| one.who()).into_iter();
        let agreement = chapters.iter().flat_map(|one| one.agreement());
        let mut standings: Vec<Judged> = Vec::new();
        for judged in chapters.iter().flat_map(|one| one.judged()) {
            if standings.iter().all(|one| one.what != judged.what) {
                standings.push(judged);
            }
        }
        Self {
            best,
            sure,
            next,
            cost: cost.join(" "),
            who: who.chain(agreement).collect::<Vec<_>>().join(" "),
            standings,
        }
    }

    /// The sentences that there are, each after a word for its question.
    pub(crate) fn sentences(&self) -> Vec<(&'static str, &'static str, &str)> {
        let all = [
            ("best", "Which is best?", &self.best),
            ("sure", "How sure is that?", &self.sure),
            ("next", "What next?", &self.next),
            ("cost", "What did it cost?", &self.cost),
            ("who", "Who judged?", &self.who),
        ];
        let there = all.into_iter().filter(|(.., text)| !text.is_empty());
        there
            .map(|(word, question, text)| (word, question, text.as_str()))
            .collect()
    }
}

/// The sentences, then how all systems stand by the first measure.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, _, text) in self.sentences() {
            writeln!(f, "{word:6}{text}")?;
        }
        let Some(first) = self.standings.first() else {
            return Ok(());
        };
        let rows: Vec<Vec<String>> = first.systems.iter().map(Placed::row).collect();
        write!(f, "\n{}{}\n", table(&first.columns(), &rows), first.meaning)
    }
}

impl Judged {
    /// The columns of [`Placed::row`].
    pub(crate) fn columns(&self) -> [&str; 5] {
        ["rank", "system", &self.what, "interval", self.of]
    }
}

impl Placed {
    /// The places it may have: `3` or `1–4`; a dash without evidence.
    pub(crate) fn rank(&self) -> String {
        match self.places {
            None => "–".to_string(),
            Some((best, worst)) if best == worst => best.to_string(),
            Some((best, worst)) => format!("{best}–{worst}"),
        }
    }

    fn row(&self) -> Vec<String> {
        let (lower, upper) = self.interval.unzip();
        vec![
            self.rank(),
            self.system.clone(),
            optional(self.value),
            interval(lower, upper),
            self.n.to_string(),
        ]
    }
}
