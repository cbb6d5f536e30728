//! What a run found, gathered from its folder.

use super::annotators;
use super::comparisons::Comparisons;
use crate::error::{Error, Result};
use crate::records::reader::{Columns, Row, Rows};
use crate::stats::moments::Moments;
use crate::tables::annotators::Annotators;
use crate::tables::assessment::Assessment;
use crate::tables::correlations::{Correlation, Correlations, Held, Meaning};
use crate::tables::disagreement::Disagreement;
use crate::tables::ranking::Ranking;
use crate::tables::simulation::Simulation;
use crate::tables::{Manifest, StageKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Where a run stores disagreements, in its folder.
pub const DISAGREEMENTS: &str = "disagreements.json";

/// Everything a report says.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// What was run.
    pub run: Manifest,
    /// Mean scores by metric and system.
    pub scores: Vec<Scored>,
    /// Assessments of predictions by stage name, in the order of the stages.
    pub assessments: Vec<(String, Assessment)>,
    /// Rankings by stage name, in the order of the stages; a campaign's too.
    pub rankings: Vec<(String, Ranking)>,
    /// Replays by stage name, in the order of the stages.
    pub simulations: Vec<(String, Simulation)>,
    /// Estimates by stage name, in the order of the stages.
    pub estimates: Vec<(String, Vec<Estimated>)>,
    /// How the systems of these estimates compare, by stage name.
    pub comparisons: Vec<(String, Comparisons)>,
    /// Planned numbers of judgments.
    pub plans: Vec<Plan>,
    /// Where metrics and models disagree most with people.
    pub disagreements: Vec<Disagreement>,
    /// Metrics held against people, by stage name, in the order of the stages.
    pub correlations: Vec<(String, Correlations)>,
    /// People held against each other, by stage name, in the order of the stages.
    pub annotators: Vec<(String, Annotators)>,
}

/// A system's mean score.
#[derive(Debug, Clone, Serialize)]
pub struct Scored {
    /// The metric.
    pub metric: String,
    /// The system.
    pub system: String,
    /// Its mean segment score.
    pub mean: f64,
    /// Over how many outputs.
    pub n: u64,
}

/// A row of the estimates table.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)] // the columns of the interface
pub struct Estimated {
    pub system: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub n: u64,
    pub estimate: f64,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub data_efficiency: Option<f64>,
    /// Nothing in tables of versions that did not say.
    #[serde(flatten)]
    pub rests_on: Option<RestsOn>,
}

/// What an interval of an estimate rests on and speaks of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RestsOn {
    /// The confidence of the interval.
    pub confidence: f64,
    /// What makes it hold, as the table names it.
    pub interval: String,
    /// What it speaks of, as the table names it.
    pub over: String,
    /// How many annotators gave their names.
    pub annotators: Option<u64>,
    /// The range of the judgments, where it is known.
    pub range: Option<[f64; 2]>,
}

/// How many judgments an interval of a given width takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The system.
    pub system: String,
    /// The criterion.
    pub criterion: String,
    /// The estimator.
    pub estimator: String,
    /// The wanted width.
    pub width: f64,
    /// The judgments it takes; `None` where the judgments so far cannot tell.
    pub judgments: Option<u64>,
}

impl Summary {
    /// Gathers a run's tables.
    ///
    /// # Errors
    /// If `dir` is not the folder of a run, or one of its tables is missing or broken.
    pub fn read(dir: &Path) -> Result<Self> {
        let run = match Manifest::read(dir)? {
            Some(run) => run,
            None => super::found::manifest(dir)?,
        };
        let mut summary = Self {
            run: run.clone(),
            scores: vec![],
            assessments: vec![],
            rankings: vec![],
            simulations: vec![],
            estimates: vec![],
            comparisons: vec![],
            plans: vec![],
            disagreements: read_if_there(&dir.join(DISAGREEMENTS))?.unwrap_or_default(),
            correlations: vec![],
            annotators: vec![],
        };
        for stage in &run.stages {
            let path = dir.join(&stage.path);
            match stage.kind {
                StageKind::Score => summary.scores.extend(scores(&path)?),
                StageKind::Assess => {
                    let assessment = read_json(&path.join("assessment.json"))?;
                    summary.assessments.push((stage.name.clone(), assessment));
                }
                StageKind::Rank | StageKind::Campaign => {
                    let found = read_json(&path.join("ranking.json"))?;
                    summary.rankings.push((stage.name.clone(), found));
                }
                StageKind::Simulate => {
                    let found = read_json(&path.join("simulation.json"))?;
                    summary.simulations.push((stage.name.clone(), found));
                }
                StageKind::Estimate => {
                    summary
                        .estimates
                        .push((stage.name.clone(), estimates(&path)?));
                    let plan = path.with_extension("plan.json");
                    let plans: Option<Vec<Plan>> = read_if_there(&plan)?;
                    summary.plans.extend(plans.unwrap_or_default());
                    let compared = Comparisons::beside(&path)?;
                    if !compared.is_empty() {
                        summary.comparisons.push((stage.name.clone(), compared));
                    }
                }
                StageKind::Fit | StageKind::Predict => {}
                StageKind::Annotators => {
                    let found = annotators::read(&path)?;
                    summary.annotators.push((stage.name.clone(), found));
                }
                StageKind::Correlate => {
                    let found = Correlations {
                        correlations: correlations(&path)?,
                        differences: read_json(&path.with_extension("differences.json"))?,
                        intervals: Meaning::in_signature(&stage.signature).unwrap_or_default(),
                    };
                    summary.correlations.push((stage.name.clone(), found));
                }
            }
        }
        Ok(summary)
    }

    /// The metrics with scores, in the order of the stages.
    pub fn metrics(&self) -> Vec<&str> {
        distinct(self.scores.iter().map(|row| row.metric.as_str()))
    }

    /// The systems with scores, by name.
    pub fn scored_systems(&self) -> Vec<&str> {
        let mut systems = distinct(self.scores.iter().map(|row| row.system.as_str()));
        systems.sort_unstable();
        systems
    }

    /// A system's mean score.
    pub fn mean_score(&self, system: &str, metric: &str) -> Option<f64> {
        let mut rows = self.scores.iter();
        let row = rows.find(|row| row.system == system && row.metric == metric)?;
        Some(row.mean)
    }
}

/// Each value once, in the order of their first appearance.
pub(crate) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

fn scores(path: &Path) -> Result<Vec<Scored>> {
    let mut moments: BTreeMap<(String, String), Moments> = BTreeMap::new();
    for row in Rows::open(path, &Columns::default())? {
        let row = row?;
        let key = (row.text("metric")?, row.text("system")?);
        moments.entry(key).or_default().push(row.number("score")?);
    }
    let scored = |((metric, system), moments): ((String, String), Moments)| {
        let mean = moments.mean()?;
        Some(Scored {
            metric,
            system,
            mean,
            n: moments.count(),
        })
    };
    Ok(moments.into_iter().filter_map(scored).collect())
}

pub(super) fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let text = fs::read_to_string(path).map_err(Error::reading(path))?;
    serde_json::from_str(&text).map_err(|source| Error::input(path, format!("broken: {source}")))
}

/// What a run stores only where it has it.
pub(super) fn read_if_there<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    path.exists().then(|| read_json(path)).transpose()
}

fn rests_on(row: &Row) -> Result<Option<RestsOn>> {
    let Some(confidence) = row.optional_number("confidence")? else {
        return Ok(None);
    };
    let [low, high] = ["range_lower", "range_upper"].map(|end| row.optional_number(end));
    Ok(Some(RestsOn {
        confidence,
        interval: row.text("interval")?,
        over: row.text("over")?,
        annotators: row.optional_number("annotators")?.map(|n| n as u64),
        range: low?.zip(high?).map(|(low, high)| [low, high]),
    }))
}

fn estimates(path: &Path) -> Result<Vec<Estimated>> {
    let estimated = |row: &Row| -> Result<Estimated> {
        Ok(Estimated {
            system: row.text("system")?,
            criterion: row.text("criterion")?,
            // Columnar forms keep the empty text that other forms read as nothing.
            metric: row
                .optional_text("metric")?
                .filter(|metric| !metric.is_empty()),
            estimator: row.text("estimator")?,
            n: row.number("n")? as u64,
            estimate: row.number("estimate")?,
            lower: row.optional_number("lower")?,
            upper: row.optional_number("upper")?,
            data_efficiency: row.optional_number("data_efficiency")?,
            rests_on: rests_on(row)?,
        })
    };
    Rows::open(path, &Columns::default())?
        .map(|row| estimated(&row?))
        .collect()
}

fn correlations(path: &Path) -> Result<Vec<Correlation>> {
    let correlation = |row: &Row| -> Result<Correlation> {
        Ok(Correlation {
            metric: row.text("metric")?,
            held: Held {
                human: row.text("human")?,
                criterion: row
                    .optional_text("criterion")?
                    .filter(|name| !name.is_empty()),
                grouping: row.text("grouping")?,
                coefficient: row.text("coefficient")?,
            },
            n: row.number("n")? as u64,
            value: row.optional_number("value")?,
            lower: row.optional_number("lower")?,
            upper: row.optional_number("upper")?,
            epsilon: row.optional_number("epsilon")?,
        })
    };
    Rows::open(path, &Columns::default())?
        .map(|row| correlation(&row?))
        .collect()
}
