//! `run`: a whole pipeline, checked before anything runs.

use super::Pipeline;
use crate::engine::Context;
use crate::engine::names::RepeatCommand;
use crate::inputs::source::Source;
use crate::report::RenderedReport;
use crate::stages::assess::{self, Assess};
use crate::stages::disagreements::{self, AutomaticJudge};
use crate::stages::report;
use crate::stages::{PipelineArtifacts, PipelineStage, STAGES, StageArtifact, StageContext};
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_data::tables::{self, Manifest};

impl Pipeline {
    /// Runs a pipeline; its tables and report go to `out`. `seed` takes precedence over that of the file.
    ///
    /// # Errors
    /// The first mistake in the file, before anything runs; then errors of the stages.
    pub fn run(
        &self,
        context: &Context<'_>,
        seed: Option<u64>,
        out: &Path,
    ) -> Result<RenderedReport> {
        let seed = seed.or(self.seed).unwrap_or(context.seed.0);
        let context = &context.seeded(Seed(seed));
        let made = self.plan(context)?;
        let source = open(context, self)?;
        let site = StageContext {
            context,
            source: &source,
            out,
            made: &made,
        };
        for planned in &self.stages {
            planned.stage.fits(&site).map_err(planned.table.at())?;
        }
        let stages = all(&site, self)?;
        disagree(&site)?;
        let RepeatCommand { command, note } = RepeatCommand::new(self.path(), context.seed, None);
        let manifest = Manifest {
            command,
            note,
            ..source.manifest(context, self.name(), stages)
        };
        manifest.write(out)?;
        report::write(out)
    }
}

/// Opens the data set, with a hint where the path would be right relative to the working directory.
fn open(context: &Context<'_>, pipeline: &Pipeline) -> Result<Source> {
    let data = &pipeline.data;
    if data.exists() {
        let opened = Source::open(context, data, &pipeline.columns);
        return opened.map_err(|error| match &error {
            Error::Usage { .. } | Error::UnknownName { .. } => {
                let at = pipeline.place_of("columns");
                Error::pipeline(at, error.message()).with_hint_of(&error)
            }
            _ => error,
        });
    }
    let missing = Error::missing(data);
    let seen = "paths in a pipeline are seen from the folder of its file".to_string();
    let hint = missing
        .hint()
        .map_or(seen.clone(), |near| format!("{near}; {seen}"));
    Err(Error::pipeline(pipeline.place_of("data"), missing.to_string()).with_hint(hint))
}

/// Runs all stages. After those that predict, assesses all predictions that no stage assesses and
/// that there are people's comparisons for.
fn all(site: &StageContext<'_>, pipeline: &Pipeline) -> Result<Vec<tables::ManifestStage>> {
    let mut stages = Vec::new();
    let mut assessed = false;
    for planned in &pipeline.stages {
        if !assessed && stage_position(planned.kind) > stage_position(assess::NAME) {
            stages.extend(assessments(site)?);
            assessed = true;
        }
        let done = planned.stage.run(site, &planned.name);
        let done = done.map_err(planned.table.at())?;
        stages.extend(manifest_entries(planned.kind, planned.stage.as_ref(), done));
    }
    if !assessed {
        stages.extend(assessments(site)?);
    }
    Ok(stages)
}

/// The place of a stage in the order data flows.
fn stage_position(kind: &str) -> Option<usize> {
    STAGES.iter().position(|entry| entry.name == kind)
}

/// The manifest's entries for the tables of a stage.
fn manifest_entries(
    kind: &'static str,
    stage: &dyn PipelineStage,
    done: Vec<StageArtifact>,
) -> impl Iterator<Item = tables::ManifestStage> {
    let settings = stage.settings();
    done.into_iter().map(move |one| tables::ManifestStage {
        kind: kind.to_string(),
        name: one.name,
        path: one.path,
        signature: one.signature,
        settings: settings.clone(),
    })
}

fn assessments(site: &StageContext<'_>) -> Result<Vec<tables::ManifestStage>> {
    let PipelineArtifacts { assessed, .. } = site.made;
    let mut stages = Vec::new();
    for predicted in site.made.all_predictions() {
        let name = &predicted.name;
        let asked = assessed.contains(name);
        if asked || !assess::possible(site.context, site.source, &site.predictions(name)?)? {
            continue;
        }
        let stage = Assess::with_predictions(name);
        let done = stage.run(site, name)?;
        stages.extend(manifest_entries(assess::NAME, &stage, done));
    }
    Ok(stages)
}

/// Collects examples of metrics and models that people disagree with. A metric is shown as itself, not again as
/// the link that was fitted to it.
fn disagree(site: &StageContext<'_>) -> Result<()> {
    let mut judges = Vec::new();
    for scores in site.made.each_scores(site) {
        judges.push(AutomaticJudge::Metric(scores?));
    }
    for predicted in site.made.all_predictions() {
        if predicted.by_model {
            let name = predicted.name.clone();
            judges.push(AutomaticJudge::Model(
                name.clone(),
                site.predictions(&name)?,
            ));
        }
    }
    disagreements::run(site.context, site.source, &judges, site.out)
}
