//! Assessments of predictions in a report.

use super::rows::{self, Assessment};
use super::{page, render};
use crate::error::Result;
use crate::report::chapter::{Chapter, Field, Judged, Topic, field};
use crate::report::html::Section;
use crate::report::words::section;
use crate::tables::{Manifest, StageKind};
use std::path::Path;

/// All of a run, by name.
struct Told(Vec<(String, Assessment)>);

/// Reads those of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let all = run.read_each(dir, &[StageKind::Assess], |path, _| rows::read(path))?;
    Ok(Box::new(Told(all)))
}

impl Chapter for Told {
    fn topic(&self) -> Topic {
        Topic::Predictions
    }

    fn json(&self) -> Result<Vec<Field>> {
        Ok(vec![field("assessments", &self.0)?])
    }

    fn text(&self) -> String {
        let one = |(name, found): &(String, Assessment)| {
            let title = format!("How good the predictions {name} are");
            section(&title, &render(found))
        };
        self.0.iter().map(one).collect()
    }

    fn page(&self, _: &[Judged]) -> Result<Vec<Section>> {
        let body = page::section(&self.0)?;
        Ok(vec![Section::new(
            "model",
            "Whether the predictions can be trusted",
            body,
        )])
    }
}
