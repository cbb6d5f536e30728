//! Annotators in a report.

use super::rows::{self, Annotators};
use super::{page, render};
use crate::error::Result;
use crate::report::chapter::{Chapter, Field, Judged, Topic, field};
use crate::report::html::Section;
use crate::report::words::section;
use crate::tables::{Manifest, StageKind};
use std::path::Path;

/// What it answers.
const TITLE: &str = "Whether people agree";

/// All of a run, by name.
struct Told(Vec<(String, Annotators)>);

/// Reads those of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let all = run.read_each(dir, &[StageKind::Annotators], |path, _| rows::read(path))?;
    Ok(Box::new(Told(all)))
}

impl Chapter for Told {
    fn topic(&self) -> Topic {
        Topic::Trust
    }

    fn json(&self) -> Result<Vec<Field>> {
        Ok(vec![field("annotators", &self.0)?])
    }

    fn text(&self) -> String {
        let one = |(_, found): &(String, Annotators)| section(TITLE, &render(found));
        self.0.iter().map(one).collect()
    }

    fn page(&self, _: &[Judged]) -> Result<Vec<Section>> {
        let body = page::section(&self.0)?;
        Ok(vec![Section::new("annotators", TITLE, body)])
    }
}
