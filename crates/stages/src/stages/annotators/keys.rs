//! The keys of `annotators`.

use super::{AnnotatorAnalysis, run};
use crate::engine::Context;
use crate::engine::names::file_name;
use crate::stages::{PipelineArtifacts, PipelineStage, StageArtifact, StageContext};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::keys::Keys;
use tiebreak_data::tables::Destination;
use tiebreak_decide::annotators::LabelModel;

/// `annotators`: people held against each other.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct AnnotatorsStage {
    /// Only this criterion of the judgments [default: each of them, and the comparisons]
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub criterion: Option<String>,
    /// Make one label of all answers to a question, by a model of annotators' errors; --out gets comparisons and
    /// judgments
    #[cfg_attr(feature = "cli", arg(long, value_name = "dawid-skene|mace", requires = "out", value_parser = tiebreak_base::keys::flag::<LabelModel>))]
    pub labels: Option<LabelModel>,
}

impl AnnotatorsStage {
    /// Compares the annotators.
    ///
    /// # Errors
    /// As [`run`].
    pub fn compare(&self, site: &StageContext<'_>) -> Result<AnnotatorAnalysis> {
        let criterion = self.criterion.as_deref();
        run(site.context, site.source, criterion, self.labels)
    }
}

impl Keys for AnnotatorsStage {}

impl PipelineStage for AnnotatorsStage {
    fn label(&self) -> String {
        crate::stages::of_criterion("annotators", self.criterion.as_deref())
    }

    fn plan(&self, _: &Context<'_>, _: &str, _: &mut PipelineArtifacts) -> Result<()> {
        Ok(())
    }

    fn fits(&self, site: &StageContext<'_>) -> Result<()> {
        site.source.has_criterion(self.criterion.as_deref())
    }

    fn run(&self, site: &StageContext<'_>, name: &str) -> Result<Vec<StageArtifact>> {
        let found = self.compare(site)?;
        let folder = Path::new("annotators").join(file_name(name));
        found.write(&Destination::Folder(site.out.join(&folder)))?;
        Ok(vec![StageArtifact {
            name: name.to_string(),
            path: folder.join("annotators.csv"),
            signature: found.signature().to_string(),
        }])
    }
}
