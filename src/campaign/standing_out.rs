//! Annotators whose answers stand out, while there is time to act: the analysis of `annotators` on a campaign.

use super::context::is_answered;
use super::status::CampaignAgreement;
use super::task::Task;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::words::counted;
use tiebreak_data::tables::ManifestStage;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::meta::Meta;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::Source;
use tiebreak_stages::journal::Journal;
use tiebreak_stages::stages::annotators::{self, AnnotatorReport, Finding};
use tiebreak_stages::stages::shown;

/// The result of the analysis.
#[derive(Debug)]
pub(super) struct CampaignFindings(AnnotatorReport);

/// The subfolder of the result in a campaign's folder, for the report.
const FOLDER: &str = "annotators";
const TABLE: &str = "annotators/annotators.csv";

/// Analyses the answers in a campaign's folder; `None` where there are none, or none has a name.
#[cfg(feature = "serve")]
pub(super) fn find_outliers(context: &Context<'_>, folder: &Path) -> Option<CampaignFindings> {
    // An error of the analysis must not stop the campaign.
    let source = Source::open(context, folder, &[]).ok()?;
    let found = annotators::run(context, &source, None, None).ok()?;
    Some(CampaignFindings(found.annotators))
}

/// Stores the analysis in the folder with who judged and what systems wrote, for `report`.
///
/// # Errors
/// If answers cannot be read, or the result cannot be written.
pub(super) fn store(
    context: &Context<'_>,
    folder: &Path,
    journal: &Journal,
) -> Result<Option<CampaignFindings>> {
    if !is_answered(journal) {
        clear(folder, FOLDER)?;
        return Ok(None);
    }
    let source = Source::open(context, folder, &[])?;
    let rendering = Task::open(folder)?.rendering(&source.dataset);
    shown::run(context, &source, rendering, folder)?;
    let Ok(found) = annotators::run(context, &source, None, None) else {
        clear(folder, FOLDER)?;
        return Ok(None);
    };
    found.write(&anew(folder, FOLDER, TABLE)?)?;
    Ok(Some(CampaignFindings(found.annotators)))
}

/// Clears the destination of a table in a subfolder of a campaign: its old contents rest on fewer answers.
pub(super) fn anew(folder: &Path, own: &str, table: &str) -> Result<Destination> {
    clear(folder, own)?;
    let own = folder.join(own);
    fs::create_dir_all(&own).map_err(Error::writing(&own))?;
    Destination::from_path(&folder.join(table))
}

/// Removes the tables in a subfolder of a campaign. What rests on answers or names that are gone must not stay.
pub(super) fn clear(folder: &Path, own: &str) -> Result<()> {
    let own = folder.join(own);
    match own.exists() {
        true => fs::remove_dir_all(&own).map_err(Error::writing(&own)),
        false => Ok(()),
    }
}

/// The stage of the analysis in a campaign's folder.
pub(super) fn stage(folder: &Path) -> Option<ManifestStage> {
    let meta = Meta::of_table(&folder.join(TABLE)).ok().flatten()?;
    Some(ManifestStage {
        kind: annotators::NAME.to_string(),
        name: FOLDER.to_string(),
        path: PathBuf::from(TABLE),
        signature: meta.signature,
        settings: toml::Table::new(),
    })
}

impl CampaignFindings {
    /// The findings, in sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        let findings = self.0.findings.iter().map(Finding::sentence);
        findings.chain(self.0.failed_checks_sentence()).collect()
    }

    /// The findings about one annotator.
    #[cfg(feature = "serve")]
    pub(super) fn flags(&self, name: &str) -> Vec<String> {
        let is_theirs = |one: &&annotators::Finding| {
            one.annotator == name || one.other.as_deref() == Some(name)
        };
        self.0
            .findings
            .iter()
            .filter(is_theirs)
            .map(Finding::sentence)
            .collect()
    }

    /// The share of others who agreed with an annotator.
    #[cfg(feature = "serve")]
    pub(super) fn agreement_of(&self, name: &str) -> Option<f64> {
        let mut all = self.0.annotators.iter();
        all.find(|one| one.annotator == name)?.agreement
    }

    /// The agreement of annotators with its name, of several criteria the lowest. `None` where nothing was answered
    /// twice.
    pub(super) fn agreement(&self) -> Option<CampaignAgreement> {
        let shared = self.0.agreement.iter().filter(|one| one.shared > 0);
        let order =
            |one: &&annotators::InterAnnotatorAgreement| one.alpha().0.unwrap_or(f64::INFINITY);
        let one = shared.min_by(|a, b| order(a).total_cmp(&order(b)))?;
        let criterion = one.asked.criterion.as_ref();
        let of = criterion.map_or_else(String::new, |name| format!(" for {name}"));
        let (alpha, level) = one.alpha();
        let words = format!(
            "Krippendorff's α ({level}){of}, from {} that several annotators answered",
            counted(one.shared, "question")
        );
        // Sums that cancel leave a rounding rest, which must not be shown.
        let value = alpha.map(|alpha| (alpha * 1e12).round() / 1e12 + 0.0);
        Some(CampaignAgreement { value, words })
    }
}
