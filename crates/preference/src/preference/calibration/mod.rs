//! A link fitted to one metric on one data set, with its thresholds.
//!
//! What was fitted to an item's judgments is too good on them. So each item has a fold, by a hash of its name, and the
//! link and thresholds of a fold are fitted to the items of all others. On the data set that a calibration was fitted
//! on (recognised by its digest) an item has those of its fold; on any other all items have those of the whole fit.
//! Where a fold leaves nothing to fit to, there are no folds.

mod applied;
mod file;
#[cfg(test)]
mod tests;

pub use applied::{AppliedCalibration, of_fold};

use super::links::{BuildLink, LINKS, LabelledScorePair, Link, Parameters};
use applied::{FOLDS, fold_of, judged};
use tiebreak_base::error::{Error, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::registry::{self, Entry};
use tiebreak_decide::model_based::thresholds::{JudgedPreference, Thresholds};

/// The origin of a fitted link: the names that make its numbers comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The metric's name.
    pub metric: String,
    /// The metric's signature.
    pub signature: String,
    /// The digest of the data set.
    pub data: String,
}

/// An item with its labelled pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemScorePairs {
    /// The name of the item.
    pub item: String,
    /// Pairs of two scores on the item, with their outcome.
    pub pairs: Vec<LabelledScorePair>,
}

/// The parameters that are fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedParameters {
    /// The thresholds with the best sentence accuracy.
    pub thresholds: Thresholds,
    /// The link's parameters.
    pub parameters: Parameters,
}

/// A fitted link with its thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The link's name.
    pub link: String,
    /// The metric and data that the link was fitted on.
    pub provenance: Provenance,
    /// The number of labelled pairs that the link was fitted on.
    pub n: u64,
    /// Sentence accuracy on those pairs, over both orders.
    pub accuracy: f64,
    /// The same accuracy where each item is predicted by what was fitted without it; `None` without folds.
    pub held_out: Option<f64>,
    /// The parameters fitted to all pairs.
    pub whole: FittedParameters,
    /// The parameters by fold, fitted to the items of all other folds; none where that cannot be.
    pub folds: Vec<FittedParameters>,
}

/// Fits the parameters without each fold.
///
/// # Errors
/// If there is a fold without which nothing can be fitted.
fn folds(entry: &Entry<BuildLink>, items: &[ItemScorePairs]) -> Result<Vec<FittedParameters>> {
    let without = |fold: usize| {
        let rest = items.iter().filter(|one| fold_of(&one.item) != fold);
        let rest: Vec<LabelledScorePair> = rest.flat_map(|one| one.pairs.iter().copied()).collect();
        Ok(FittedParameters::to(entry, &rest)?.0)
    };
    (0..FOLDS).map(without).collect()
}

impl FittedParameters {
    fn to(entry: &Entry<BuildLink>, pairs: &[LabelledScorePair]) -> Result<(Self, Box<dyn Link>)> {
        let link = (entry.build.fit)(pairs)?;
        let judged: Vec<JudgedPreference> = pairs
            .iter()
            .map(|pair| judged(link.as_ref(), pair))
            .collect();
        let fitted = Self {
            thresholds: Thresholds::fit(&judged),
            parameters: link.parameters(),
        };
        Ok((fitted, link))
    }
}

impl Calibration {
    /// Fits a link by name, then the thresholds on its preferences; to all items, and without each fold.
    ///
    /// # Errors
    /// For an unknown link, or pairs that it cannot be fitted to.
    pub fn fit(link: &str, provenance: Provenance, items: &[ItemScorePairs]) -> Result<Self> {
        let entry = find_link(link)?;
        let pairs = || items.iter().flat_map(|one| one.pairs.iter().copied());
        if let Some(odd) = pairs().find(|p| !(p.first.is_finite() && p.second.is_finite())) {
            let (first, second) = (odd.first, odd.second);
            let what = format!("link {link}: scores {first} and {second}, expected finite numbers");
            return Err(Error::usage(what));
        }
        let all: Vec<LabelledScorePair> = pairs().collect();
        let (whole, fitted) = FittedParameters::to(entry, &all)?;
        let judged: Vec<JudgedPreference> = all
            .iter()
            .map(|pair| judged(fitted.as_ref(), pair))
            .collect();
        let accuracy = whole.thresholds.accuracy(&judged).ok_or_else(|| {
            Error::usage(format!(
                "link {link}: no labelled pairs of scores to fit to"
            ))
        })?;
        let mut calibration = Self {
            link: link.to_string(),
            provenance,
            n: all.len() as u64,
            accuracy,
            held_out: None,
            whole,
            folds: folds(entry, items).unwrap_or_default(),
        };
        let applied = calibration.on(&calibration.provenance.data)?;
        if let AppliedCalibration::CrossFitted(_) = applied {
            calibration.held_out = applied.accuracy(items);
        }
        Ok(calibration)
    }

    /// The calibration as it applies to the data set with the digest `data`.
    ///
    /// # Errors
    /// For an unknown link or parameters that are not its own.
    pub fn on(&self, data: &str) -> Result<AppliedCalibration> {
        let restored = |fitted: &FittedParameters| {
            let link = (find_link(&self.link)?.build.restore)(&fitted.parameters)?;
            Ok((link, fitted.thresholds))
        };
        if data == self.provenance.data && !self.folds.is_empty() {
            let folds = self.folds.iter().map(restored);
            return Ok(AppliedCalibration::CrossFitted(
                folds.collect::<Result<_>>()?,
            ));
        }
        let (link, thresholds) = restored(&self.whole)?;
        let in_sample = data == self.provenance.data;
        Ok(AppliedCalibration::Whole {
            link,
            thresholds,
            in_sample,
        })
    }

    /// Refuses scores of another metric than the link was fitted on: its parameters are in units of
    /// that metric.
    ///
    /// # Errors
    /// If the name or the signature differs.
    pub fn check_metric(&self, metric: &str, signature: &str) -> Result<()> {
        let fitted = &self.provenance;
        let (was, now) = if fitted.metric != metric {
            (fitted.metric.as_str(), metric)
        } else if fitted.signature != signature {
            (fitted.signature.as_str(), signature)
        } else {
            return Ok(());
        };
        let what = format!("the calibration was fitted on `{was}`, but the scores are `{now}`");
        Err(Error::usage(what).with_hint(message!(
            "fit it anew with {}",
            StageCommand("fit link", &[])
        )))
    }
}

fn find_link(link: &str) -> Result<&'static Entry<BuildLink>> {
    registry::find_entry("link", LINKS, link)
}
