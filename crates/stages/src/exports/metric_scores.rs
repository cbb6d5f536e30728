//! Scores of a metric as mt-metrics-eval reads them: `metric-scores/PAIR/METRIC-REFERENCE.LEVEL.score`, a block of
//! lines a system, each in the order of the items. So a metric can be submitted to the metrics task of WMT.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use std::collections::BTreeMap;
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Result};

/// Scores of a metric.
pub(crate) const EXPORT: Export = Export {
    name: "mt-metrics-eval",
    summary: "scores of a metric for mt-metrics-eval (a folder)",
    file: None,
    write,
};

/// The scores of every system by line, for one language pair.
type LanguagePairScores = BTreeMap<String, BTreeMap<u64, f64>>;

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let scores = what.scores.ok_or_else(|| {
        Error::usage("mt-metrics-eval has scores of a metric, and none are given").with_hint(
            format!(
                "name them: {} scores.csv {} chrf",
                Flag("scores"),
                Flag("metric")
            ),
        )
    })?;
    let mut pairs: BTreeMap<String, LanguagePairScores> = BTreeMap::new();
    for group in what.source.index.all() {
        what.context.check()?;
        let group = group?;
        let (pair, line) = parse_item_name(&group.item).ok_or_else(|| {
            let name = &group.item;
            let what_is =
                format!("item `{name}` is not a language pair and line, such as en-de/12");
            Error::input(what.source.dataset.path(), what_is)
                .with_hint("import a test set of mt-metrics-eval, whose items have such names")
        })?;
        let of_group = scores.of_outputs(what.source, std::slice::from_ref(&group))?;
        let of_pair = pairs.entry(pair.to_string()).or_default();
        for (output, score) in group.outputs.iter().zip(of_group.into_iter().flatten()) {
            let system = what.source.system(output.system).to_string();
            of_pair.entry(system).or_default().insert(line, score.score);
        }
    }
    let metric = scores.metric().replace(['/', ' '], "_");
    let mut rows = Vec::new();
    for (pair, systems) in &pairs {
        let lines = systems
            .values()
            .filter_map(|scores| scores.keys().max())
            .max();
        let lines = lines.copied().unwrap_or(0);
        let folder = out.join("metric-scores").join(pair);
        let path = |level: &str| folder.join(format!("{metric}-{}.{level}.score", what.reference));
        let (mut segments, mut means) = (
            LineFileWriter::create(&path("seg"))?,
            LineFileWriter::create(&path("sys"))?,
        );
        for (system, scores) in systems {
            for line in 1..=lines {
                let score = scores.get(&line).map_or("None".to_string(), f64::to_string);
                segments.line(&format!("{system}\t{score}"))?;
            }
            let mean = scores.values().sum::<f64>() / scores.len() as f64;
            means.line(&format!("{system}\t{mean}"))?;
        }
        rows.push(segments.finish()?);
        rows.push(means.finish()?);
    }
    Ok(ExportSummary {
        form: EXPORT.name.to_string(),
        rows,
        dropped: Vec::new(),
    })
}

/// The language pair and the line in the name of an item.
fn parse_item_name(item: &str) -> Option<(&str, u64)> {
    let (pair, line) = item.rsplit_once('/')?;
    Some((pair, line.parse().ok().filter(|line| *line > 0)?))
}
