//! Correlations in a report.

use super::rows::{self, Correlations};
use super::{page, render};
use crate::error::Result;
use crate::report::chapter::{Chapter, Field, Judged, Topic, field};
use crate::report::html::Section;
use crate::tables::{Manifest, StageKind};
use std::path::Path;

/// All of a run, by name.
struct Told(Vec<(String, Correlations)>);

/// Reads those of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let all = run.read_each(dir, &[StageKind::Correlate], rows::read)?;
    Ok(Box::new(Told(all)))
}

impl Chapter for Told {
    fn topic(&self) -> Topic {
        Topic::Trust
    }

    fn json(&self) -> Result<Vec<Field>> {
        Ok(vec![field("correlations", &self.0)?])
    }

    fn text(&self) -> String {
        self.0.iter().map(|(_, found)| render(found)).collect()
    }

    fn page(&self, _: &[Judged]) -> Result<Vec<Section>> {
        let body = page::section(&self.0)?;
        Ok(vec![Section::new(
            "correlations",
            "How metrics go with people",
            body,
        )])
    }
}
