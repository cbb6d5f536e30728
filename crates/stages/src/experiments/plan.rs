//! The check that cells can be computed: everything is loaded or looked up once, before any of them is.

use super::file::Grid;
use super::keys::ExperimentSettings;
use super::materials::GridResources;
use crate::engine::context::Context;
use crate::inputs::source::digest;
use crate::stages::PipelineArtifacts;
use crate::stages::score::Scorer;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::keys::Table;
use tiebreak_preference::preference::Options;

/// A cell that can be computed.
pub(super) struct PlannedCell<'a> {
    pub keys: &'a ExperimentSettings,
    /// The keys of the cell in the file.
    pub table: &'a Table,
    /// The signature of its model: other weights under the same name are another cell.
    pub digests: Vec<String>,
}

/// The cells of a file, in order.
///
/// # Errors
/// [`Error::Pipeline`] at the line of the key to blame.
pub(super) fn check<'a>(
    context: &Context<'_>,
    grid: &'a Grid,
    shared: &GridResources,
) -> Result<Vec<PlannedCell<'a>>> {
    let mut plan = CellChecker {
        context,
        shared,
        metrics: Vec::new(),
        models: Vec::new(),
    };
    let planned = grid.cells.iter().map(|(table, keys)| {
        let digests = plan.check(keys).map_err(table.at())?;
        Ok(PlannedCell {
            keys,
            table,
            digests,
        })
    });
    planned.collect()
}

/// The state of the check: what is known to be right.
struct CellChecker<'a> {
    context: &'a Context<'a>,
    shared: &'a GridResources,
    metrics: Vec<(String, Option<usize>)>,
    /// Models with their options and signatures.
    models: Vec<(String, Options, String)>,
}

impl CellChecker<'_> {
    fn check(&mut self, keys: &ExperimentSettings) -> Result<Vec<String>> {
        for (key, metric) in keys.metrics() {
            let asked = (metric.to_string(), keys.draws());
            if !self.metrics.contains(&asked) {
                Scorer::new(self.context, metric, keys.draws()).map_err(Error::of_key(key))?;
                self.metrics.push(asked);
            }
        }
        let folder = &self.shared.folder;
        keys.simulate
            .plan(self.context, &mut PipelineArtifacts::new(folder))?;
        let predictions = keys.simulate.choices.predictions.iter();
        let digests = predictions.map(|name| digest(&folder.join(name)));
        let mut digests: Vec<String> = digests.collect::<Result<_>>()?;
        digests.extend(self.signature(keys).map_err(Error::of_key("model"))?);
        Ok(digests)
    }

    /// The signature of the model, if there is one.
    fn signature(&mut self, keys: &ExperimentSettings) -> Result<Option<String>> {
        let Some(name) = keys.model() else {
            return Ok(None);
        };
        let asking = keys.asking();
        let mut known = self.models.iter();
        if let Some((_, _, known)) = known.find(|one| (one.0.as_str(), &one.1) == (name, &asking)) {
            return Ok(Some(known.clone()));
        }
        let model = self.shared.model(self.context, keys)?;
        let signature = model.map(|model| model.signature().to_string());
        let found = signature.clone();
        self.models
            .extend(found.map(|found| (name.to_string(), asking, found)));
        Ok(signature)
    }
}
