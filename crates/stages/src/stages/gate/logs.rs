//! Gates of several logs: that of the base, and one of each new system.

use super::{Gate, GateReport, failures};
use crate::engine::context::Context;
use crate::inputs::source::{LogSide, SideBySide, Source};
use crate::stages::{PipelineArtifacts, PipelineStage, StageContext};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::Keys;
use tiebreak_base::words::counted;

impl Gate {
    /// Decides the gate of a log of the base and one of each new system. `base` and `new` say which system of a log is meant,
    /// where it has several.
    ///
    /// # Errors
    /// As [`Gate::decide`]; logs of several systems of which none is named.
    pub fn decide_logs(&self, context: &Context<'_>, logs: &[&Source]) -> Result<GateReport> {
        self.check()?;
        let (named, news) = (self.new.len(), logs.len().saturating_sub(1));
        if named > 1 && named != news {
            let logs = counted(news as u64, "log");
            let what = format!("{named} systems for {logs}");
            return Err(
                Error::key("new", what).with_hint("name one for all of them, or one for each")
            );
        }
        let sides = logs.iter().enumerate().map(|(at, &source)| match at {
            0 => LogSide::new(source, self.base.as_deref(), "base"),
            _ => {
                let system = self.new.get(at - 1).or(self.new.first());
                LogSide::new(source, system.map(String::as_str), "new")
            }
        });
        let sides: Vec<LogSide<'_>> = sides.collect::<Result<_>>()?;
        let columns = [("by", &self.by), ("cluster", &self.clusters.cluster)];
        let columns = columns
            .into_iter()
            .filter_map(|(key, column)| Some((key, column.as_deref()?)));
        let columns: Vec<(&'static str, &str)> = columns.collect();
        let both = SideBySide::new(context, &sides, &columns)?;
        let gate = Self {
            base: both.names.first().cloned(),
            new: both.names[1..].to_vec(),
            ..self.clone()
        };
        let site = StageContext {
            context,
            source: &both.source,
            out: Path::new(""),
            made: &PipelineArtifacts::default(),
        };
        let decided = gate.fits(&site).and_then(|()| gate.decide(&site));
        let mut report = decided.map_err(|error| both.origins.relocate_error(error))?;
        let missing = both.names.iter().map(String::as_str).zip(both.missing);
        report.failures = failures(missing, &report.results);
        if both.other_texts > 0 {
            report.notes.push(format!(
                "{} with another source in another log: are the logs of the same items?",
                counted(both.other_texts, "item")
            ));
        }
        Ok(report)
    }
}
