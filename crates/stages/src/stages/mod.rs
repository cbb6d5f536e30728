//! The stages of tiebreak: the lines of [`STAGES`], each with a folder or file here. A stage has a struct of
//! keys: those of a TOML table, the flags of a verb and the axes of an experiment. It says what it
//! needs and makes, and how it is run. The other modules are what stages or verbs share.

pub mod annotators;
pub mod assess;
pub mod calibrate;
pub mod correlate;
pub mod disagreements;
pub mod estimate;
pub mod fit;
pub mod gate;
pub mod predict;
pub mod prospect;
pub mod rank;
pub mod report;
pub mod sample;
pub mod score;
pub mod setting;
pub mod shown;
pub mod simulate;
pub mod site;
mod slices;
pub mod training;

pub use site::{PipelineArtifacts, StageContext};

use crate::engine::Context;
use crate::report::chapter::Chapter;
use std::path::{Path, PathBuf};
use tiebreak_base::error::Result;
use tiebreak_base::keys::{Keys, Table};
use tiebreak_data::tables::{Manifest, Meta};

/// The stages of a pipeline, in the order data flows.
pub const STAGES: &[StageEntry] = &[
    StageEntry::new::<score::ScoreStage>(score::NAME)
        .table("scores")
        .with_chapter(score::tell::read),
    StageEntry::new::<fit::FitLink>(fit::NAME),
    StageEntry::new::<predict::Predict>(predict::NAME).table("predictions"),
    StageEntry::new::<assess::Assess>(assess::NAME).with_chapter(assess::tell::read),
    StageEntry::new::<simulate::SimulateStage>(simulate::NAME)
        .document(simulate::tell::meta)
        .with_chapter(simulate::tell::read),
    StageEntry::new::<rank::Rank>(rank::NAME)
        .document(rank::tell::meta)
        .with_chapter(rank::tell::read),
    StageEntry::new::<estimate::EstimateStage>(estimate::NAME)
        .table("estimates")
        .with_chapter(estimate::tell::read),
    StageEntry::new::<gate::Gate>(gate::NAME)
        .document(gate::tell::meta)
        .with_chapter(gate::tell::read),
    StageEntry::new::<correlate::Correlate>(correlate::NAME)
        .table("correlations")
        .with_chapter(correlate::tell::read),
    StageEntry::new::<annotators::AnnotatorsStage>(annotators::NAME)
        .table("annotators")
        .with_chapter(annotators::tell::read),
];

/// A stage in the list.
#[derive(Debug)]
pub struct StageEntry {
    /// The stage's name.
    pub name: &'static str,
    /// The names of its keys.
    pub keys: fn() -> Vec<String>,
    /// The tables that one table stands for, where lists are axes.
    pub each: fn(&Table) -> Result<Vec<Table>>,
    /// Reads the keys, and refuses invalid ones.
    pub read: fn(&Table) -> Result<Box<dyn PipelineStage>>,
    /// The name of its table in the meta, where that lies in a folder without the manifest of a run.
    table: Option<&'static str>,
    /// Reads the meta of what it stores in such a folder as a document.
    document: Option<ReadMeta>,
    /// Reads the tables of a run back, for its chapter of the report.
    chapter: Option<ReadChapter>,
}

/// Reads the meta of a document in a folder, if it is there.
type ReadMeta = fn(&Path) -> Result<Option<Meta>>;

/// Reads what a run in a folder stored.
type ReadChapter = fn(&Path, &Manifest) -> Result<Box<dyn Chapter>>;

impl StageEntry {
    const fn new<S: PipelineStage + Keys + 'static>(name: &'static str) -> Self {
        Self {
            name,
            keys: S::names,
            each: Table::each::<S>,
            read: |table| Ok(Box::new(table.read::<S>()?)),
            table: None,
            document: None,
            chapter: None,
        }
    }

    const fn table(self, name: &'static str) -> Self {
        Self {
            table: Some(name),
            ..self
        }
    }

    const fn document(self, meta: ReadMeta) -> Self {
        Self {
            document: Some(meta),
            ..self
        }
    }

    const fn with_chapter(self, chapter: ReadChapter) -> Self {
        Self {
            chapter: Some(chapter),
            ..self
        }
    }
}

/// All keys of a stage, given or not.
pub trait StageSettings {
    /// Returns the keys as a table, which is all it takes to do the same again.
    fn settings(&self) -> toml::Table;
}

impl<K: Keys> StageSettings for K {
    fn settings(&self) -> toml::Table {
        self.resolved()
    }
}

/// A stage at one place of a pipeline.
pub trait PipelineStage: StageSettings {
    /// The name for later stages and the report, unless the stage has one of its own.
    fn label(&self) -> String;

    /// Checks that it can be run after the stages that made `made`, and adds what it makes. Only what a
    /// key names is read.
    ///
    /// # Errors
    /// Unknown names, invalid parameters, tables that no stage makes.
    fn plan(&self, context: &Context<'_>, name: &str, made: &mut PipelineArtifacts) -> Result<()>;

    /// Checks that it can be run on the data set, before any stage is.
    ///
    /// # Errors
    /// A data set without what it needs, or that small tables named by keys do not fit.
    fn fits(&self, _: &StageContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Runs the stage and returns its tables.
    ///
    /// # Errors
    /// Those of the stage.
    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>>;
}

/// A table that a stage made.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StageArtifact {
    /// The name in the report.
    pub name: String,
    /// The path in the folder of the results.
    pub path: PathBuf,
    /// The signature of its numbers.
    pub signature: String,
}

/// The name of a stage with its criterion.
fn of_criterion(stage: &str, criterion: Option<&str>) -> String {
    match criterion {
        Some(criterion) => format!("{stage}-{criterion}"),
        None => stage.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use tiebreak_base::keys::table::Document;

    /// Two values of each key of a stage.
    pub(crate) fn values(key: &str) -> [&'static str; 2] {
        match key {
            "bandit" => ["\"rmed\"", "{ name = \"rcs\", alpha = 1 }"],
            "budget" | "steps" | "sample" | "draws" | "runs" | "delay" | "systems" | "samples"
            | "concurrency" | "over" | "max-cost" | "hours" | "money" | "bins" | "target-width"
            | "min-seconds" | "min-edit" | "epsilon" => ["2", "3"],
            "resamples" => ["200", "300"],
            "confidence" | "min-agreement" => ["0.9", "0.95"],
            "keep-draws"
            | "style"
            | "differences"
            | "without-replacement"
            | "as-campaign"
            | "repeated" => ["true", "false"],
            "endpoint" => ["\"http://one\"", "\"http://other\""],
            "prompt" | "answers" | "cache" | "scores" | "pairs" | "strata" | "probabilities"
            | "baseline" | "base" | "by" | "cluster" | "model" => ["\"one\"", "\"other\""],
            "price" => ["\"1,2\"", "\"2,4\""],
            "verdicts" => ["true", "\"one\""],
            "predictions" | "metric" | "criterion" | "new" => ["\"one\"", "[\"other\"]"],
            "require" => ["\"better\"", "\"not-worse\""],
            "undecided" => ["\"pass\"", "\"fail\""],
            "margin" => ["0.1", "0.2"],
            "method" => ["\"race\"", "\"uniform\""],
            "link" => ["\"btl\"", "\"linear\""],
            "estimator" => ["\"mean\"", "\"betting:anytime=true\""],
            "dropout" => ["\"all\"", "\"last-layer\""],
            "precision" => ["\"f32\"", "\"bf16\""],
            "order" => ["\"given\"", "\"both\""],
            "calibration" => ["\"none\"", "\"c.toml\""],
            "skips" => ["\"odds:3\"", "\"no-preference\""],
            "mix" => ["0.5", "\"auto\""],
            "select" => ["\"auto\"", "{ by = \"std\", above = 0.1 }"],
            "audit" => ["0", "\"neyman:0.1\""],
            "eliminate" => ["\"auto\"", "{ copeland = 0.1 }"],
            "thresholds" => ["[0.4, 0.6]", "[0.45, 0.55]"],
            "range" => ["[0, 100]", "[1, 5]"],
            "parts" => ["\"mean\"", "\"any\""],
            "repeats" => ["\"all\"", "\"first\""],
            "stop" => ["\"width=0.5\"", "\"width=1\""],
            "level" => ["\"segment\"", "\"system\""],
            "resample" => ["\"items\"", "\"both\""],
            "people" => ["\"these\"", "\"both\""],
            "items" => ["\"these\"", "\"like-these\""],
            "labels" => ["\"mace\"", "\"dawid-skene\""],
            other => panic!("two values of `{other}`, please"),
        }
    }

    #[test]
    fn every_key_of_a_stage_is_an_axis() {
        for entry in STAGES {
            for key in (entry.keys)() {
                let [one, other] = values(&key);
                let text = format!("[[{}]]\n{key} = [{one}, {other}]\n", entry.name);
                let document = Document::parse(Path::new("p.toml"), text).unwrap();
                let tables = (entry.each)(&document.lists[0].1[0]).unwrap();
                let found: Vec<String> = tables
                    .iter()
                    .map(|one| one.values[&key].to_string())
                    .collect();
                assert_eq!(found.len(), 2, "[[{}]] {key}", entry.name);
                assert_ne!(found[0], found[1], "[[{}]] {key}", entry.name);
            }
        }
    }
}
