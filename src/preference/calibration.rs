//! A link fitted to one metric on one data set, with its thresholds, as a small TOML file.
//!
//! `tiebreak fit link --out FILE` writes it, `tiebreak predict --calibration FILE` reads it:
//!
//! ```toml
//! link = "linear"
//! metric = "chrf"
//! signature = "chrf|nrefs:1|…"
//! data = "sha256:…"
//! n = 1240
//! accuracy = 0.61
//! tau1 = 0.447
//! tau2 = 0.553
//!
//! [parameters]
//! range = 71.4
//! ```

use super::links::{BuildLink, LINKS, Labelled, Link, Parameters};
use super::thresholds::Thresholds;
use crate::error::{Error, Location, Result};
use crate::registry::{self, Entry};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// What a link was fitted on: the names that make its numbers comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The metric's name.
    pub metric: String,
    /// The metric's signature.
    pub signature: String,
    /// The digest of the data set.
    pub data: String,
}

/// A fitted link with its thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The link's name.
    pub link: String,
    /// What it was fitted on.
    pub provenance: Provenance,
    /// How many labelled pairs it was fitted on.
    pub n: u64,
    /// Sentence accuracy on those pairs, over both orders.
    pub accuracy: f64,
    /// The thresholds with that accuracy.
    pub thresholds: Thresholds,
    /// The link's parameters.
    pub parameters: Parameters,
}

impl Calibration {
    /// Fits a link by name, then the thresholds on its preferences.
    ///
    /// # Errors
    /// For an unknown link, or pairs that it cannot be fitted to.
    pub fn fit(link: &str, provenance: Provenance, pairs: &[Labelled]) -> Result<Self> {
        let entry = find(link)?;
        if let Some(odd) = pairs
            .iter()
            .find(|p| !(p.first.is_finite() && p.second.is_finite()))
        {
            let (first, second) = (odd.first, odd.second);
            let what = format!("link {link}: scores {first} and {second}, expected finite numbers");
            return Err(Error::usage(what));
        }
        let fitted = (entry.build.fit)(pairs)?;
        let judged: Vec<_> = pairs
            .iter()
            .map(|pair| (fitted.preference(pair.first, pair.second), pair.outcome))
            .collect();
        let thresholds = Thresholds::fit(&judged);
        let accuracy = thresholds.accuracy(&judged).ok_or_else(|| {
            Error::usage(format!(
                "link {link}: no labelled pairs of scores to fit to"
            ))
        })?;
        Ok(Self {
            link: link.to_string(),
            provenance,
            n: pairs.len() as u64,
            accuracy,
            thresholds,
            parameters: fitted.parameters(),
        })
    }

    /// The link itself.
    ///
    /// # Errors
    /// For an unknown link or parameters that are not its own.
    pub fn link(&self) -> Result<Box<dyn Link>> {
        (find(&self.link)?.build.restore)(&self.parameters)
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
        Err(Error::usage(what).with_hint("fit it anew with `tiebreak fit link`"))
    }

    /// The file's text; the same calibration always gives the same bytes.
    ///
    /// # Errors
    /// If it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String> {
        let Provenance {
            metric,
            signature,
            data,
        } = &self.provenance;
        toml::to_string(&Stored {
            link: &self.link,
            metric,
            signature,
            data,
            n: self.n,
            accuracy: self.accuracy,
            tau1: self.thresholds.tau1(),
            tau2: self.thresholds.tau2(),
            parameters: &self.parameters.0,
        })
        .map_err(Error::failed)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// With the line, if the file is not such a calibration.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let place = Place { text, path };
        let found: Found = toml::from_str(text)
            .map_err(|error| Error::record(place.of(error.span()), error.message().trim()))?;
        let calibration = Self {
            link: found.link.get_ref().clone(),
            provenance: Provenance {
                metric: found.metric,
                signature: found.signature,
                data: found.data,
            },
            n: found.n,
            accuracy: found.accuracy,
            thresholds: Thresholds::new(*found.tau1.get_ref(), found.tau2)
                .map_err(|error| place.moved(&error, found.tau1.span()))?,
            parameters: Parameters(found.parameters.get_ref().clone()),
        };
        let link =
            find(&calibration.link).map_err(|error| place.moved(&error, found.link.span()))?;
        (link.build.restore)(&calibration.parameters)
            .map_err(|error| place.moved(&error, found.parameters.span()))?;
        Ok(calibration)
    }
}

fn find(link: &str) -> Result<&'static Entry<BuildLink>> {
    registry::find("link", LINKS, link)
}

#[derive(Serialize)]
struct Stored<'a> {
    link: &'a str,
    metric: &'a str,
    signature: &'a str,
    data: &'a str,
    n: u64,
    accuracy: f64,
    tau1: f64,
    tau2: f64,
    parameters: &'a BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    link: Spanned<String>,
    metric: String,
    signature: String,
    data: String,
    n: u64,
    accuracy: f64,
    tau1: Spanned<f64>,
    tau2: f64,
    parameters: Spanned<BTreeMap<String, f64>>,
}

/// Turns a span of bytes into a line.
struct Place<'a> {
    text: &'a str,
    path: &'a Path,
}

impl Place<'_> {
    fn of(&self, span: Option<Range<usize>>) -> Location {
        Location::offset(self.path, self.text, span.map_or(0, |span| span.start))
    }

    /// The same error, said of a place in the file.
    fn moved(&self, error: &Error, span: Range<usize>) -> Error {
        let placed = Error::record(self.of(Some(span)), error.to_string());
        match error.hint() {
            Some(hint) => placed.with_hint(hint),
            None => placed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Outcome;

    fn calibration() -> Calibration {
        let pair = |first, second, outcome| Labelled {
            first,
            second,
            outcome,
        };
        let pairs = [
            pair(0.3, 0.1, Outcome::Win),
            pair(0.1, 0.7, Outcome::Loss),
            pair(0.4, 0.35, Outcome::Tie),
        ];
        let provenance = Provenance {
            metric: "chrf".into(),
            signature: "chrf|nrefs:1".into(),
            data: "sha256:00".into(),
        };
        Calibration::fit("btl-logistic", provenance, &pairs).unwrap()
    }

    #[test]
    fn what_is_written_is_read_to_the_last_bit() {
        let written = calibration();
        let text = written.to_toml().unwrap();
        let read = Calibration::parse(&text, Path::new("x.toml")).unwrap();
        assert_eq!(read, written);
        let (one, other) = (read.link().unwrap(), written.link().unwrap());
        assert_eq!(one.preference(0.2, 0.5), other.preference(0.2, 0.5));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let text = calibration().to_toml().unwrap();
        for (from, to, line, says) in [
            ("btl-logistic", "btl-logistics", 1, "unknown link"),
            ("n = 3", "n = \"three\"", 5, "expected u64"),
            ("n = 3", "m = 3", 5, "unknown field `m`"),
            ("tau2 = 0.5", "tau2 = -0.5", 7, "thresholds are"),
            ("scale = ", "scale = -", 10, "expected a positive number"),
            ("scale", "range", 10, "unknown parameter `range`"),
            ("[parameters]", "[parameters", 10, "unclosed table"),
        ] {
            let broken = text.replacen(from, to, 1);
            let error = Calibration::parse(&broken, Path::new("x.toml")).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(says), "{message} in\n{broken}");
            assert!(
                message.starts_with(&format!("x.toml:{line}: ")),
                "{message} in\n{broken}"
            );
        }
    }

    #[test]
    fn another_metrics_scores_are_refused() {
        let fitted = calibration();
        assert!(fitted.check_metric("chrf", "chrf|nrefs:1").is_ok());
        assert!(fitted.check_metric("bleu", "chrf|nrefs:1").is_err());
        let error = fitted.check_metric("chrf", "chrf|nrefs:2").unwrap_err();
        assert!(error.to_string().contains("nrefs:2"), "{error}");
    }
}
