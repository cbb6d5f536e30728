//! Disagreements in a report.

use super::rows::Disagreement;
use super::{FILE, page};
use crate::report::chapter::{Chapter, MeasureStandings, ReportField, Topic, field};
use crate::report::html::Section;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_data::tables::json;

/// The disagreements of one run.
struct DisagreementsChapter(Vec<Disagreement>);

/// Reads the disagreements of a run; none where none are stored.
pub(in crate::stages) fn read(dir: &Path) -> Result<Box<dyn Chapter>> {
    let found = json::read_if_there(&dir.join(FILE))?;
    Ok(Box::new(DisagreementsChapter(found.unwrap_or_default())))
}

impl Chapter for DisagreementsChapter {
    fn topic(&self) -> Topic {
        Topic::Examples
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("disagreements", &self.0)?])
    }

    fn page(&self, _: &[MeasureStandings]) -> Result<Vec<Section>> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let title = "Where metrics and people disagree";
        Ok(vec![Section::new(
            "disagreements",
            title,
            page::section(&self.0),
        )])
    }
}
