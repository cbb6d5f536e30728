//! Whose answers stand out, while there is time to act: what `annotators` finds in a campaign's own answers.

use super::status::Agreement;
use crate::engine::context::Context;
use crate::inputs::source::Source;
use crate::stages::annotators::{self, Annotators, Finding, told as in_words};
use std::path::Path;

/// What was found.
#[derive(Debug)]
pub(super) struct Found(Annotators);

/// Looks at the answers in a campaign's folder; `None` where there are none, or none says who gave it.
pub(super) fn find(context: &Context<'_>, folder: &Path) -> Option<Found> {
    // Nothing that cannot be found out here stands in the way of the campaign.
    let source = Source::open(context, folder, &[]).ok()?;
    let found = annotators::run(context, &source, None, None).ok()?;
    Some(Found(found.annotators))
}

impl Found {
    /// What stands out, in sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        self.0.findings.iter().map(in_words).collect()
    }

    /// What is to be said of somebody.
    #[cfg(feature = "serve")]
    pub(super) fn flags(&self, name: &str) -> Vec<String> {
        let hers = |one: &&Finding| one.annotator == name || one.other.as_deref() == Some(name);
        self.0.findings.iter().filter(hers).map(in_words).collect()
    }

    /// The share of others who said the same as somebody.
    #[cfg(feature = "serve")]
    pub(super) fn agreement_of(&self, name: &str) -> Option<f64> {
        let mut all = self.0.annotators.iter();
        all.find(|one| one.annotator == name)?.agreement
    }

    /// How far people agree, with what that is; `None` where nothing was answered twice.
    pub(super) fn agreement(&self) -> Option<Agreement> {
        let one = self.0.agreement.first().filter(|one| one.shared > 0)?;
        let words = format!(
            "Krippendorff's α, of {} questions that several people answered",
            one.shared
        );
        let value = one.alpha_ordinal;
        Some(Agreement { value, words })
    }
}
