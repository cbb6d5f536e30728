//! The kernels: a batch of rows in, a batch of rows out.

use crate::errors::raise;
use crate::given::keys_of;
use crate::table::{Table, read};
use crate::work::{Settings, work};
use arrow_array::RecordBatch;
use pyo3::prelude::*;
use tiebreak::Result;
use tiebreak::engine::Context;
use tiebreak::kernels::{self, PredictPlan, ScorePlan};
use tiebreak::tables::schema::schema;

/// Metrics, loaded.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Scorer {
    plan: ScorePlan,
    settings: Settings,
}

#[pymethods]
impl Scorer {
    #[new]
    #[pyo3(signature = (keys, counts = None, device = None))]
    fn new(
        py: Python<'_>,
        keys: &str,
        counts: Option<Vec<(String, String, u64)>>,
        device: Option<&str>,
    ) -> PyResult<Self> {
        let settings = Settings::new(py, None, device, true)?;
        let keys = keys_of(keys).map_err(raise(py))?;
        let counts = counts.map(|rows| {
            let pairs = rows
                .into_iter()
                .map(|(metric, term, n)| ((metric, term), n));
            pairs.collect()
        });
        let plan = work(py, &settings, |context| {
            let plan = ScorePlan::new(context, &keys)?;
            match &counts {
                Some(counts) => plan.counted(counts),
                None => Ok(plan),
            }
        })?;
        Ok(Self { plan, settings })
    }

    /// The scores of some rows.
    fn score(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Table> {
        let (_, batches) = read(rows)?;
        let scored = each(py, &self.settings, &batches, |context, batch| {
            self.plan.score(context, batch)
        })?;
        Ok(Table::of_batches(self.plan.schema(), scored))
    }

    /// What the metrics count in some rows before they score any.
    fn count(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Table> {
        let (_, batches) = read(rows)?;
        let counted = each(py, &self.settings, &batches, |context, batch| {
            self.plan.count(context, batch)
        })?;
        let merged = kernels::merge(&counted).map_err(raise(py))?;
        Ok(Table::of_batches(merged.schema(), vec![merged]))
    }
}

/// The sums of tables of counts.
#[pyfunction]
pub(crate) fn merge_counts(py: Python<'_>, tables: Vec<Bound<'_, PyAny>>) -> PyResult<Table> {
    let mut batches = Vec::new();
    for table in &tables {
        batches.extend(read(table)?.1);
    }
    let merged = kernels::merge(&batches).map_err(raise(py))?;
    Ok(Table::of_batches(schema(kernels::COUNTS), vec![merged]))
}

/// A preference model, loaded.
#[pyclass(frozen, module = "tiebreak._native")]
pub struct Predictor {
    plan: PredictPlan,
    settings: Settings,
}

#[pymethods]
impl Predictor {
    #[new]
    #[pyo3(signature = (keys, seed = None, device = None))]
    fn new(py: Python<'_>, keys: &str, seed: Option<u64>, device: Option<&str>) -> PyResult<Self> {
        let settings = Settings::new(py, seed, device, true)?;
        let keys = keys_of(keys).map_err(raise(py))?;
        let plan = work(py, &settings, |context| PredictPlan::new(context, &keys))?;
        Ok(Self { plan, settings })
    }

    /// The preferences between all pairs of outputs of the items of some rows.
    fn predict(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Table> {
        let (_, batches) = read(rows)?;
        let predicted = each(py, &self.settings, &batches, |context, batch| {
            self.plan.predict(context, batch)
        })?;
        Ok(Table::of_batches(self.plan.schema(), predicted))
    }
}

/// The same of each batch, in order, until somebody wants an end.
fn each(
    py: Python<'_>,
    settings: &Settings,
    batches: &[RecordBatch],
    kernel: impl Fn(&Context<'_>, &RecordBatch) -> Result<RecordBatch> + Send,
) -> PyResult<Vec<RecordBatch>> {
    work(py, settings, move |context| {
        let one = |batch| {
            context.check()?;
            kernel(context, batch)
        };
        batches.iter().map(one).collect()
    })
}
