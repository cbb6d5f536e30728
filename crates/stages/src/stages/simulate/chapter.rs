//! Replays in a report.

use super::text::{comparison_text, enough, sentence};
use super::{FILE, page, render};
use crate::report::chapter::{
    Chapter, MeasureStandings, ReportAnswer, ReportField, Topic, field, lines,
};
use crate::report::headline::Headline;
use crate::report::html::Section;
use crate::stages::simulate::summary::Simulation;
use std::path::Path;
use tiebreak_base::error::{Result, is_there};
use tiebreak_base::words::section;
use tiebreak_data::tables::{Manifest, Meta, json};

/// The simulations of one run, by name.
struct Simulations(Vec<(String, Simulation)>);

/// Reads the simulations of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let kinds = [super::NAME];
    let all = run.read_each(dir, &kinds, |path, _| json::read(&path.join(FILE)))?;
    Ok(Box::new(Simulations(all)))
}

/// The meta of the replays in a folder, from the simulation and the trace of its runs.
pub(in crate::stages) fn meta(dir: &Path) -> Result<Option<Meta>> {
    let found: Option<Simulation> = json::read_if_there(&dir.join(FILE))?;
    let Some(found) = found else {
        return Ok(None);
    };
    let trace = dir.join("trace/meta.json");
    let data = match is_there(&trace) {
        true => Meta::read(&trace)?.data,
        false => String::new(),
    };
    let meta = Meta::new("simulation", found.signature, found.seed, data);
    Ok(Some(meta))
}

impl Chapter for Simulations {
    fn topic(&self) -> Topic {
        Topic::Effort
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("simulations", &self.0)?])
    }

    fn text(&self) -> String {
        let one = |(name, found): &(String, Simulation)| {
            let title = format!("How many judgments it would have taken: {name}");
            section(&title, &render(found))
        };
        self.0.iter().map(one).collect()
    }

    fn page(&self, _: &[MeasureStandings]) -> Result<Vec<Section>> {
        let title = "How many judgments it would have taken";
        Ok(vec![Section::new(
            "replays",
            title,
            page::section(&self.0)?,
        )])
    }

    fn caveat(&self) -> Option<Headline> {
        (!self.0.is_empty()).then(|| Headline {
            best: "Replays of recorded comparisons say nothing about which system is best."
                .to_string(),
            sure: "They plan and compare: how many judgments would have been enough.".to_string(),
            next: "`tiebreak rank DATA` says what the records themselves tell.".to_string(),
        })
    }

    fn answers(&self) -> Vec<ReportAnswer> {
        let answer = |(name, found): &(String, Simulation)| ReportAnswer {
            about: name.clone(),
            sentence: sentence(found),
        };
        self.0.iter().map(answer).collect()
    }

    fn brief(&self) -> String {
        let compared = comparison_text(&self.0);
        match compared.is_empty() {
            true => lines(self.answers()),
            false => compared,
        }
    }

    fn cost(&self) -> Vec<String> {
        enough(&self.0).into_iter().collect()
    }
}
