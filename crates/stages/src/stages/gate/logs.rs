//! Gates of several logs: that of the base, and one of each new system.

use super::{FailedAnswers, Gate, GateReport};
use crate::engine::context::Context;
use crate::inputs::source::{LogSide, SideBySide, Source};
use crate::stages::estimate::within;
use crate::stages::{PipelineArtifacts, PipelineStage, StageContext};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::{Keys, ScaleRange};
use tiebreak_base::words::counted;
use tiebreak_decide::estimators::Range;

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
        for side in &sides {
            self.check_range(side)?;
        }
        let both = SideBySide::new(context, &sides, self.by.as_deref())?;
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
        gate.fits(&site)?;
        let mut report = gate.decide(&site)?;
        let failed = both.names.into_iter().zip(both.failures);
        let failed = failed.map(|(system, count)| FailedAnswers { system, count });
        report.failures = failed.collect();
        if both.other_texts > 0 {
            report.notes.push(format!(
                "{} with another source in another log: are the logs of the same items?",
                counted(both.other_texts, "item")
            ));
        }
        Ok(report)
    }

    /// Checks that the judgments of a log are inside the given range, while they still have lines of its files.
    fn check_range(&self, side: &LogSide<'_>) -> Result<()> {
        let Some([low, high]) = self.range.map(ScaleRange::value) else {
            return Ok(());
        };
        let range = Some(Range::new(low, high)?);
        let all = self.criterion.is_empty() && self.metric.is_empty();
        let criteria = side.source.index.criteria();
        for group in side.source.index.all() {
            let group = group?;
            let own = group.judgments.iter().filter(|one| one.system == side.arm);
            let mut asked =
                own.filter(|one| all || self.criterion.contains(&criteria[one.criterion]));
            asked.try_for_each(|one| within(side.source, range, one))?;
        }
        Ok(())
    }
}
