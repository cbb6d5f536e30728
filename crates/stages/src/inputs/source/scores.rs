//! The scores of a metric, laid beside the outputs they belong to.

use super::table::{at, metadata, of_these_texts};
use super::{CHUNK, Source};
use crate::engine::context::Context;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Audience, Error, Flag, Location, Message, Result};
use tiebreak_base::keys::named::ParameterizedName;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::{Extra, Group, ItemAlignedRows};
use tiebreak_data::records::reader::{ColumnMapping, Row, TableReader};
use tiebreak_data::tables::meta::{Meta, signature_of};
use tiebreak_data::tables::whole;
use tiebreak_metrics::metrics::{Direction, direction};

/// Hint for a table without some of the scores needed.
fn score_all() -> Message {
    Message::each(|audience| {
        let typed = match audience {
            Audience::Terminal => {
                let [metric, out] = ["metric", "out"].map(Flag);
                format!("`tiebreak score DATA {metric} NAME {out} FILE`")
            }
            Audience::File => "[[score]] with `metric = \"NAME\"`".to_string(),
            Audience::Python => "`score(\"NAME\")`".to_string(),
        };
        format!("score the whole data set first: {typed}")
    })
}

/// The scores of one metric, beside the outputs.
pub struct Scores {
    beside: ItemAlignedRows,
    path: PathBuf,
    metric: String,
    /// The signature of the metric, where the table has one; of this metric, whatever others the table holds.
    pub signature: String,
    /// Whether they come with draws.
    pub has_draws: bool,
}

/// A score and, where the metric has dropout, its draws.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub(crate) struct OutputScore {
    pub score: f64,
    /// The draws, possibly none.
    pub draws: Vec<f64>,
}

impl Scores {
    /// The columns that every table of scores has.
    pub const COLUMNS: [&'static str; 4] = ["item", "system", "metric", "score"];

    /// Reads the scores of `metric` from a table.
    ///
    /// # Errors
    /// A table that is incomplete, or was made from other texts; rows that do not fit the data set; a metric
    /// the table does not hold.
    pub fn open(context: &Context<'_>, source: &Source, path: &Path, metric: &str) -> Result<Self> {
        let rows = Self::rows(context, source, path)?;
        let (metric, signature) = metric_in(path, &ParameterizedName::parse(metric)?.label())?;
        let has_draws = rows.columns().iter().any(|column| column == "draws");
        let wanted = |name: &str, _: &TableReader| Ok((name == metric).then_some(0));
        let beside = Self::aligned(source, path, rows, wanted)?;
        Ok(Self {
            beside,
            path: path.to_path_buf(),
            signature: signature.unwrap_or_else(|| metric.clone()),
            metric,
            has_draws,
        })
    }

    /// The rows of a table of scores that was made from these texts.
    pub(crate) fn rows(context: &Context<'_>, source: &Source, path: &Path) -> Result<TableReader> {
        let rows = whole::open(path)?;
        of_these_texts(context, source, path, &metadata(path, &rows)?)?;
        Ok(rows)
    }

    /// Lays the rows of wanted metrics beside the outputs, each with the number of its metric, its score and its draws.
    pub(crate) fn aligned(
        source: &Source,
        path: &Path,
        mut rows: TableReader,
        mut wanted: impl FnMut(&str, &TableReader) -> Result<Option<usize>>,
    ) -> Result<ItemAlignedRows> {
        rows.require(&Self::COLUMNS)?;
        let has_draws = rows.columns().iter().any(|column| column == "draws");
        let mut extra = |row: Row, rows: &TableReader| -> Result<Option<(String, Extra)>> {
            let Some(metric) = wanted(&row.text("metric")?, rows)? else {
                return Ok(None);
            };
            let arm = source.index.system(&row.text("system")?);
            let arm = arm.map_err(|error| at(&row, &error))?;
            let mut numbers = vec![metric as f64, row.score("score")?];
            if has_draws {
                numbers.extend(row.optional_numbers("draws")?.unwrap_or_default());
            }
            let extra = Extra {
                line: row.number_in_file(),
                systems: [arm, arm],
                numbers,
                text: String::new(),
            };
            Ok(Some((row.text("item")?, extra)))
        };
        let next = || Some(rows.next()?.and_then(|row| extra(row, &rows)));
        let extras = std::iter::from_fn(next).filter_map(Result::transpose);
        ItemAlignedRows::build(&source.index, path, extras)
    }

    /// The name under which the table holds the metric.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// The direction in which its scores are better.
    pub fn direction(&self) -> Direction {
        direction(&self.metric)
    }

    /// The score of every output of the groups, in the order of the outputs.
    ///
    /// # Errors
    /// An output without a score, or with two.
    pub(crate) fn of_outputs(
        &self,
        source: &Source,
        groups: &[Group],
    ) -> Result<Vec<Vec<OutputScore>>> {
        let mut all = Vec::new();
        // Items may have been left out between others.
        for run in groups.chunk_by(|one, next| next.position == one.position + 1) {
            let first = run[0].position;
            let rows = self.beside.groups(first..first + run.len() as u64)?;
            for (group, rows) in run.iter().zip(rows) {
                all.push(self.of_group(source, group, rows)?);
            }
        }
        Ok(all)
    }

    fn of_group(
        &self,
        source: &Source,
        group: &Group,
        rows: Vec<Extra>,
    ) -> Result<Vec<OutputScore>> {
        let mut by_system: BTreeMap<Arm, Extra> = BTreeMap::new();
        for row in rows {
            let (line, system) = (row.line, row.systems[0]);
            if let Some(earlier) = by_system.insert(system, row) {
                return Err(Error::record(
                    Location::line(&self.path, line),
                    format!(
                        "a second {} score of system `{}` on item `{}`; the first is in row {}",
                        self.metric,
                        source.system(system),
                        group.item,
                        earlier.line
                    ),
                ));
            }
        }
        let score = |system: Arm| match by_system.get(&system) {
            Some(row) => Ok(OutputScore {
                score: row.numbers[1],
                draws: row.numbers[2..].to_vec(),
            }),
            None => Err(Error::input(
                &self.path,
                format!(
                    "no {} score of system `{}` on item `{}`",
                    self.metric,
                    source.system(system),
                    group.item
                ),
            )
            .with_hint(score_all())),
        };
        group
            .outputs
            .iter()
            .map(|output| score(output.system))
            .collect()
    }
}

impl Source {
    /// The data set with the outputs that a table of scores is about, without texts; `None` where it has outputs of its
    /// own.
    ///
    /// # Errors
    /// A table that is incomplete; rows without item or system.
    pub fn with_scored_outputs(&self, context: &Context<'_>, path: &Path) -> Result<Option<Self>> {
        if self.index.has(Kind::Outputs) {
            return Ok(None);
        }
        let rows = whole::open(path)?;
        let texts = metadata(path, &rows)?.remove(Meta::TEXTS);
        let (mut known, mut lines) = (BTreeSet::new(), String::new());
        for row in rows {
            let row = row?;
            let output = (row.text("item")?, row.text("system")?);
            if !known.contains(&output) {
                let (item, system) = &output;
                lines += &json!({"item": item, "system": system, "output": ""}).to_string();
                lines.push('\n');
                known.insert(output);
            }
        }
        let source = Self::index(context, self.dataset.clone().with_outputs(&lines)?)?;
        Ok(Some(Self {
            texts: texts.unwrap_or_else(|| source.texts.clone()),
            ..source
        }))
    }
}

/// The name under which a scores table holds a metric, with its signature: as asked for or, where only one
/// variant of it is there, that one.
fn metric_in(path: &Path, metric: &str) -> Result<(String, Option<String>)> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    let mut rows = TableReader::open(path, &ColumnMapping::default())?;
    while let Some(row) = rows.next() {
        let name = row?.text("metric")?;
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        // Metadata of the part that holds the metric: each metric of a folder has parts of its own.
        let mut metadata = metadata(path, &rows)?;
        let own = metadata.remove(&signature_of(&name));
        let signature = own.or_else(|| metadata.remove("signature"));
        if name == metric {
            return Ok((name, signature));
        }
        found.push((name, signature));
    }
    if found.is_empty() {
        return Err(Error::input(path, "holds no scores").with_hint(score_all()));
    }
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let is_variant = |(name, _): &(String, _)| name.split(':').next() == Some(metric);
    let mut variants = found.into_iter().filter(is_variant);
    match (variants.next(), variants.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(
            Error::input(path, format!("no scores of metric `{metric}`"))
                .with_hint(format!("it holds {}", names.join(", "))),
        ),
    }
}

/// Calls `then` with every item and, for each of its outputs, the scores of all metrics. Nothing is read ahead: what
/// follows takes little of the time, and chunks of many judgments much memory.
pub(crate) fn each_group(
    context: &Context<'_>,
    source: &Source,
    scores: &[Scores],
    mut then: impl FnMut(&Group, &[Vec<f64>]) -> Result<()>,
) -> Result<()> {
    for start in (0..source.index.items()).step_by(CHUNK as usize) {
        context.check()?;
        let groups = source.index.groups(start..start + CHUNK);
        let groups = groups.collect::<Result<Vec<_>>>()?;
        let by_metric = scores
            .iter()
            .map(|scores| scores.of_outputs(source, &groups))
            .collect::<Result<Vec<_>>>()?;
        for (at, group) in groups.iter().enumerate() {
            let of_output = |place: usize| by_metric.iter().map(|of| of[at][place].score).collect();
            let scored: Vec<Vec<f64>> = (0..group.outputs.len()).map(of_output).collect();
            then(group, &scored)?;
        }
    }
    Ok(())
}
