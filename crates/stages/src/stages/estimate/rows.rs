//! The estimates table: its columns, its rows, and what lies beside it.

use super::differences::SystemComparisons;
use super::{RepeatedJudgments, Round, Subject, new};
use crate::inputs::judging::ExcludedAnnotator;
use crate::inputs::source::Scores;
use crate::report::headline::{HalfWidth, SampleSizeEstimate};
use crate::stages::slices::POWER;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::stats::quantiles::two_sided_t;
use tiebreak_data::records::reader;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::json;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::stored::{self, RowColumn, TableRow};
use tiebreak_decide::estimators::{
    Analysis, DesignTerms, EstimateDifference, NewAnnotators, Prospect, Range, StudyTarget,
    varied_share_of_bets,
};

/// The name of the document beside the table with planned judgments.
const PLAN: &str = "plan.json";
const LEFT_OUT: &str = "left-out.json";
/// The name of the document with the repeats of judged outputs.
const REPEATS: &str = "repeats.json";
/// The name of the document with the hints.
const HINTS: &str = "hints.json";

/// One row of the table, as it is made.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)] // the columns of the interface
pub struct EstimateRow {
    pub system: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    #[serde(flatten)]
    pub analysis: Analysis,
    /// The range of the judgments, where it is known.
    pub range: Option<[f64; 2]>,
    /// The reason why there is no interval, or no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The annotators that results are about.
    #[serde(skip)]
    pub people: PeopleScope,
}

/// One row, as the report shows it.
#[derive(Debug, Clone, Default, Serialize)]
#[allow(missing_docs)] // the columns of the interface
pub struct ReportedEstimate {
    pub system: String,
    pub criterion: String,
    pub metric: Option<String>,
    pub estimator: String,
    pub n: u64,
    pub estimate: f64,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub data_efficiency: Option<f64>,
    /// The reason why there is no interval.
    pub why: Option<String>,
    /// The estimate for new annotators.
    pub new_annotators: Option<NewAnnotators>,
    /// The basis of the interval; nothing in tables of versions that did not store it.
    #[serde(flatten)]
    pub(crate) rests_on: Option<IntervalBasis>,
}

/// The basis and scope of an estimate's interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct IntervalBasis {
    /// The confidence of the interval.
    pub confidence: f64,
    /// The method that makes it hold, as the table names it.
    pub interval: String,
    /// The scope of the interval, as the table names it.
    pub over: String,
    /// The number of annotators who gave their names.
    pub annotators: Option<u64>,
    /// The range of the judgments, where it is known.
    pub range: Option<[f64; 2]>,
    /// The annotators that results are about.
    #[serde(skip)]
    pub people: PeopleScope,
    /// The standard error.
    #[serde(skip)]
    pub standard_error: Option<f64>,
}

/// The number of judgments that an interval of a given width takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub(crate) struct IntervalWidthPlan {
    pub system: String,
    pub criterion: String,
    pub estimator: String,
    /// The wanted width.
    pub width: f64,
    /// The judgments it takes; `None` where the judgments so far cannot tell.
    pub judgments: Option<u64>,
    /// The number of annotators that this width takes for new ones, each judging as much as these do;
    /// `None` where there is no estimate for new ones.
    #[serde(default)]
    pub annotators: Option<u64>,
    /// The remedy: more items, or more annotators.
    #[serde(default)]
    pub next: Option<String>,
}

/// The estimates and, where a width was asked for, how many judgments it takes.
pub struct Estimates {
    /// The rows by criterion, then system.
    pub rows: Vec<EstimateRow>,
    /// The plans in the same order; empty without a target width.
    pub(crate) plans: Vec<IntervalWidthPlan>,
    /// What the means rest on, and what would make intervals sure; a sentence or two each.
    pub hints: Vec<String>,
    /// The annotators who were left out.
    pub(crate) left_out: Vec<ExcludedAnnotator>,
    /// The repeats of judged outputs, by criterion, then system; empty without any.
    pub(crate) repeats: Vec<RepeatedJudgments>,
    /// The comparisons of systems, and stopping points; empty unless asked for.
    pub comparisons: SystemComparisons,
    pub(super) meta: Meta,
}

impl EstimateRow {
    #[allow(clippy::large_types_passed_by_value)] // it becomes part of the row
    pub(super) fn new(
        system: &str,
        criterion: &str,
        asked: &Round<'_>,
        range: Option<Range>,
        analysis: Analysis,
    ) -> Self {
        let metrics: Vec<&str> = asked.scores.iter().map(Scores::metric).collect();
        Self {
            system: system.to_string(),
            criterion: criterion.to_string(),
            metric: (!metrics.is_empty()).then(|| metrics.join("+")),
            estimator: asked.estimator.to_string(),
            why: analysis.no_interval.map(|why| why.words().to_string()),
            range: range.map(|range| [range.lower(), range.upper()]),
            people: asked.keys.scope.people,
            analysis,
        }
    }

    /// The row of a system that has no estimate.
    pub(super) fn without_estimate(subject: &Subject<'_>, asked: &Round<'_>, why: &Error) -> Self {
        let analysis = Analysis {
            n: subject.judged.len() as u64,
            confidence: asked.confidence,
            ..Analysis::default()
        };
        Self {
            why: Some(why.to_string()),
            ..Self::new(
                subject.name,
                subject.criterion,
                asked,
                subject.range,
                analysis,
            )
        }
    }
}

impl TableRow for EstimateRow {
    const COLUMNS: &'static [RowColumn<Self>] = &[
        RowColumn::Text("system", |row| row.system.clone()),
        RowColumn::Text("criterion", |row| row.criterion.clone()),
        RowColumn::Text("metric", |row| row.metric.clone().unwrap_or_default()),
        RowColumn::Text("estimator", |row| row.estimator.clone()),
        RowColumn::Count("n", |row| row.analysis.n),
        RowColumn::Number("estimate", |row| row.analysis.estimate),
        RowColumn::Number("lower", |row| row.analysis.lower),
        RowColumn::Number("upper", |row| row.analysis.upper),
        RowColumn::Number("standard_error", |row| row.analysis.standard_error),
        RowColumn::Number("alpha", |row| row.analysis.alpha),
        RowColumn::Number("correlation", |row| row.analysis.correlation),
        RowColumn::Number("rho", |row| row.analysis.rho),
        RowColumn::Number("gamma", |row| row.analysis.gamma),
        RowColumn::Number("data_efficiency", |row| row.analysis.data_efficiency),
        RowColumn::Number("confidence", |row| Some(row.analysis.confidence)),
        RowColumn::Text("interval", |row| row.analysis.interval.name()),
        RowColumn::Text("over", |row| row.analysis.over.name()),
        RowColumn::Number("annotators", |row| {
            row.analysis.annotators.map(|n| n as f64)
        }),
        RowColumn::Number("range_lower", |row| row.range.map(|range| range[0])),
        RowColumn::Number("range_upper", |row| row.range.map(|range| range[1])),
        RowColumn::Text("why", |row| row.why.clone().unwrap_or_default()),
        RowColumn::Text("people", |row| row.people.to_string()),
        RowColumn::Number("new_annotators_estimate", |row| {
            row.analysis.new_annotators.map(|one| one.estimate)
        }),
        RowColumn::Number("new_annotators_lower", |row| {
            row.analysis.new_annotators.map(|one| one.lower)
        }),
        RowColumn::Number("new_annotators_upper", |row| {
            row.analysis.new_annotators.map(|one| one.upper)
        }),
        RowColumn::Number("new_annotators_standard_error", |row| {
            row.analysis.new_annotators.map(|one| one.standard_error)
        }),
        RowColumn::Number("new_annotators", |row| {
            row.analysis.new_annotators.map(|one| one.annotators as f64)
        }),
    ];
}

impl ReportedEstimate {
    /// Whether it is about new annotators rather than these.
    pub(super) fn is_of_new(&self) -> bool {
        let asked = self.rests_on.as_ref().map(|one| one.people);
        asked == Some(PeopleScope::NewAnnotators) && self.new_annotators.is_some()
    }

    /// The estimate for the annotators that were asked for.
    pub(super) fn first_estimate(&self) -> f64 {
        let new = self.new_annotators.filter(|_| self.is_of_new());
        new.map_or(self.estimate, |new| new.estimate)
    }

    /// The interval for the annotators that were asked for.
    pub(super) fn first_interval(&self) -> Option<(f64, f64)> {
        match self.new_annotators.filter(|_| self.is_of_new()) {
            Some(new) => Some((new.lower, new.upper)),
            None => self.lower.zip(self.upper),
        }
    }

    /// Whether its interval holds whenever somebody looks.
    pub(super) fn holds_at_any_time(&self) -> bool {
        self.estimator.contains("anytime=true")
    }

    /// The judgments that show a gap between two estimates on a known scale, as `plan` and a test of it have them; `None` on
    /// an unknown one.
    pub(super) fn judgments_to_separate(
        &self,
        other: &Self,
        gap: f64,
    ) -> Option<SampleSizeEstimate> {
        let ((basis, range, own), (others_basis, _, others)) =
            (self.on_scale()?, other.on_scale()?);
        let is_exact = |basis: &IntervalBasis| basis.interval == "exact";
        let once = is_exact(basis) && is_exact(others_basis);
        let n = own.1.max(others.1);
        let terms = DesignTerms {
            wish: StudyTarget::Difference {
                least: gap,
                power: POWER,
            },
            confidence: basis.confidence,
            people: PeopleScope::These,
        };
        let design = Prospect::of_two_means([own, others], &range, once).design(1, 1, &terms);
        let times = design.ok().map(|design| design.items as f64 / n as f64);
        Some(SampleSizeEstimate {
            times: times.filter(|&times| times <= EstimateDifference::MOST_TIMES),
            n,
        })
    }

    /// The basis of an estimate on a known scale, the scale, and its standard error with the number of judgments.
    fn on_scale(&self) -> Option<(&IntervalBasis, Range, (f64, u64))> {
        let basis = self.rests_on.as_ref().filter(|_| !self.is_of_new())?;
        let [low, high] = basis.range?;
        let t = two_sided_t(basis.confidence, self.n.checked_sub(1)?)?;
        let error = self.half_width()?.root / t;
        Some((basis, Range::new(low, high).ok()?, (error, self.n)))
    }

    /// The half-width of that interval, in the parts that shrink in different ways.
    pub(super) fn half_width(&self) -> Option<HalfWidth> {
        let (lower, upper) = self.first_interval()?;
        let half = (upper - lower) / 2.0;
        let basis = self.rests_on.as_ref().filter(|_| !self.is_of_new());
        let Some((basis, [low, high])) = basis.and_then(|one| Some((one, one.range?))) else {
            return Some(HalfWidth::by_root(half));
        };
        let student = || {
            let t = two_sided_t(basis.confidence, self.n.checked_sub(1)?)?;
            Some((t * basis.standard_error?).min(half))
        };
        Some(match basis.interval.as_str() {
            "bounded" if basis.standard_error.is_none() => {
                let varied = varied_share_of_bets(half, high - low, self.n, basis.confidence);
                HalfWidth {
                    root: varied * half,
                    added: (1.0 - varied) * half,
                    unseen: 0.0,
                }
            }
            "bounded" | "hull" | "unseen-ends" | "exact" => HalfWidth {
                root: student().unwrap_or_default(),
                added: 0.0,
                unseen: half,
            },
            _ => HalfWidth::by_root(half),
        })
    }
}

impl Estimates {
    pub(super) fn new(meta: Meta) -> Self {
        Self {
            rows: Vec::new(),
            plans: Vec::new(),
            hints: Vec::new(),
            left_out: Vec::new(),
            repeats: Vec::new(),
            comparisons: SystemComparisons::default(),
            meta,
        }
    }

    /// Adds a hint, once.
    pub(super) fn hint(&mut self, text: &str) {
        if !self.hints.iter().any(|known| known == text) {
            self.hints.push(text.to_string());
        }
    }

    /// Joins the estimates of several metrics into one table.
    pub fn extend(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.plans.extend(other.plans);
        other.hints.iter().for_each(|hint| self.hint(hint));
        // Those of each metric are the same.
        self.repeats = other.repeats;
        let (all, more) = (&mut self.comparisons, other.comparisons);
        all.stops.extend(more.stops);
        all.unlike.extend(more.unlike);
        all.slices.extend(more.slices);
        all.differences.extend(more.differences);
        all.groups.extend(more.groups);
        self.meta.signature += &format!(" {}", other.meta.signature);
    }

    /// The signature of the numbers.
    pub fn signature(&self) -> &str {
        &self.meta.signature
    }

    /// The rows as the report shows them.
    pub fn reported_estimates(&self) -> Vec<ReportedEstimate> {
        let told = |row: &EstimateRow| {
            Some(ReportedEstimate {
                system: row.system.clone(),
                criterion: row.criterion.clone(),
                metric: row.metric.clone(),
                estimator: row.estimator.clone(),
                n: row.analysis.n,
                estimate: row.analysis.estimate?,
                lower: row.analysis.lower,
                upper: row.analysis.upper,
                data_efficiency: row.analysis.data_efficiency,
                why: row.why.clone(),
                new_annotators: row.analysis.new_annotators,
                rests_on: Some(IntervalBasis {
                    confidence: row.analysis.confidence,
                    interval: row.analysis.interval.name(),
                    over: row.analysis.over.name(),
                    annotators: row.analysis.annotators,
                    range: row.range,
                    people: row.people,
                    standard_error: row.analysis.standard_error,
                }),
            })
        };
        self.rows.iter().filter_map(told).collect()
    }

    /// The JSON that `estimate --json` prints.
    pub fn to_json(&self) -> Value {
        let mut document = serde_json::json!({ "estimates": self.rows });
        if !self.plans.is_empty() {
            document["plans"] = serde_json::json!(self.plans);
        }
        if !self.hints.is_empty() {
            document["hints"] = serde_json::json!(self.hints);
        }
        if !self.left_out.is_empty() {
            document["left_out"] = serde_json::json!(self.left_out);
        }
        if !self.repeats.is_empty() {
            document["repeats"] = serde_json::json!(self.repeats);
        }
        let compared = self.comparisons.has_pairs();
        let SystemComparisons {
            differences,
            groups,
            stops,
            slices,
            // Hints say it.
            unlike: _,
        } = &self.comparisons;
        if let Some(slices) = slices.first() {
            document["slices"] = serde_json::json!(slices);
        }
        if !stops.is_empty() {
            document["stops"] = serde_json::json!(stops);
        }
        if compared {
            document["differences"] = serde_json::json!(differences);
            document["groups"] = serde_json::json!(groups);
        }
        document
    }

    /// Writes the table, and the differences and plans beside it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, destination: &Destination) -> Result<()> {
        let (path, format) = destination.file("estimates.csv");
        stored::write(&path, format, &self.meta, &self.rows)?;
        self.comparisons.write(&path, format, &self.meta)?;
        if !self.plans.is_empty() {
            json::write(&path.with_extension(PLAN), &self.plans)?;
        }
        if !self.hints.is_empty() {
            json::write(&path.with_extension(HINTS), &self.hints)?;
        }
        if !self.repeats.is_empty() {
            json::write(&path.with_extension(REPEATS), &self.repeats)?;
        }
        if !self.left_out.is_empty() {
            json::write(&path.with_extension(LEFT_OUT), &self.left_out)?;
        }
        Ok(())
    }
}

/// Reads a table of estimates; checks the list of those left out too, though a report does not tell it.
pub(super) fn read(path: &Path) -> Result<Vec<ReportedEstimate>> {
    json::read_if_there::<IgnoredAny>(&path.with_extension(LEFT_OUT))?;
    let estimated = stored::read(path, estimated)?;
    Ok(estimated.into_iter().flatten().collect())
}

/// Reads the plans beside a table, where there are any.
pub(super) fn plans(path: &Path) -> Result<Vec<IntervalWidthPlan>> {
    json::read_if_there(&path.with_extension(PLAN))
}

/// Reads the repeats beside a table, where there are any.
pub(super) fn repeats(path: &Path) -> Result<Vec<RepeatedJudgments>> {
    json::read_if_there(&path.with_extension(REPEATS))
}

/// Reads the hints beside a table, where there are any.
pub(super) fn hints(path: &Path) -> Result<Vec<String>> {
    json::read_if_there(&path.with_extension(HINTS))
}

/// A row of the table; `None` for a system that has no estimate.
fn estimated(row: &reader::Row) -> Result<Option<ReportedEstimate>> {
    let Some(estimate) = row.optional_number("estimate")? else {
        return Ok(None);
    };
    Ok(Some(ReportedEstimate {
        system: row.text("system")?,
        criterion: row.text("criterion")?,
        metric: row.filled_text("metric")?,
        estimator: row.text("estimator")?,
        n: row.number("n")? as u64,
        estimate,
        lower: row.optional_number("lower")?,
        upper: row.optional_number("upper")?,
        data_efficiency: row.optional_number("data_efficiency")?,
        why: row.filled_text("why")?,
        new_annotators: new::read(row)?,
        rests_on: rests_on(row)?,
    }))
}

fn rests_on(row: &reader::Row) -> Result<Option<IntervalBasis>> {
    let Some(confidence) = row.optional_number("confidence")? else {
        return Ok(None);
    };
    let [low, high] = ["range_lower", "range_upper"].map(|end| row.optional_number(end));
    Ok(Some(IntervalBasis {
        confidence,
        interval: row.text("interval")?,
        over: row.text("over")?,
        annotators: row.optional_number("annotators")?.map(|n| n as u64),
        range: low?.zip(high?).map(|(low, high)| [low, high]),
        people: row
            .filled_text("people")?
            .map_or_else(Default::default, |name| PeopleScope::from_name(&name)),
        standard_error: row.optional_number("standard_error")?,
    }))
}
