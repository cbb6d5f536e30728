//! A calibration as a small TOML file.
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
//! held_out = 0.60
//!
//! [parameters]
//! range = 71.4
//!
//! [[folds]]
//! tau1 = 0.445
//! tau2 = 0.553
//!
//! [folds.parameters]
//! range = 71.4
//! ```

use super::applied::FOLDS;
use super::{Calibration, FittedParameters, Provenance, find_link};
use crate::preference::links::Parameters;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result, text_of};
use tiebreak_data::tables::sealed_text::check_toml_if_sealed;
use tiebreak_decide::model_based::thresholds::Thresholds;
use toml::Spanned;

impl Calibration {
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
        let stored = |fitted: &FittedParameters| StoredFold {
            tau1: fitted.thresholds.tau1(),
            tau2: fitted.thresholds.tau2(),
            parameters: fitted.parameters.0.clone(),
        };
        toml::to_string(&StoredCalibration {
            link: &self.link,
            metric,
            signature,
            data,
            n: self.n,
            accuracy: self.accuracy,
            tau1: self.whole.thresholds.tau1(),
            tau2: self.whole.thresholds.tau2(),
            held_out: self.held_out,
            parameters: &self.whole.parameters.0,
            folds: self.folds.iter().map(stored).collect(),
        })
        .map_err(Error::failed)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// With the line, if the file is not such a calibration.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        Self::parse(&text, path)
    }

    pub(super) fn parse(text: &str, path: &Path) -> Result<Self> {
        check_toml_if_sealed(path, text)?;
        let place = SpanLocator { text, path };
        let found: ParsedCalibration = toml::from_str(text)
            .map_err(|error| Error::record(place.location(error.span()), error.message().trim()))?;
        if ![0, FOLDS].contains(&found.folds.get_ref().len()) {
            let what = format!("{} folds, expected {FOLDS}", found.folds.get_ref().len());
            return Err(Error::record(
                place.location(Some(found.folds.span())),
                what,
            ));
        }
        let fold = |fold: &StoredFold| {
            let thresholds = Thresholds::new(fold.tau1, fold.tau2);
            Ok(FittedParameters {
                thresholds: thresholds.map_err(|error| place.moved(&error, found.folds.span()))?,
                parameters: Parameters(fold.parameters.clone()),
            })
        };
        let folds = found
            .folds
            .get_ref()
            .iter()
            .map(fold)
            .collect::<Result<_>>()?;
        let calibration = Self {
            link: found.link.get_ref().clone(),
            provenance: Provenance {
                metric: found.metric,
                signature: found.signature,
                data: found.data,
            },
            n: found.n,
            accuracy: found.accuracy,
            held_out: found.held_out,
            whole: FittedParameters {
                thresholds: Thresholds::new(*found.tau1.get_ref(), found.tau2)
                    .map_err(|error| place.moved(&error, found.tau1.span()))?,
                parameters: Parameters(found.parameters.get_ref().clone()),
            },
            folds,
        };
        let link =
            find_link(&calibration.link).map_err(|error| place.moved(&error, found.link.span()))?;
        let spans = std::iter::repeat_n(found.folds.span(), calibration.folds.len());
        let spans = std::iter::once(found.parameters.span()).chain(spans);
        let fitted = std::iter::once(&calibration.whole).chain(&calibration.folds);
        for (fitted, span) in fitted.zip(spans) {
            (link.build.restore)(&fitted.parameters).map_err(|error| place.moved(&error, span))?;
        }
        Ok(calibration)
    }
}

#[derive(Serialize)]
struct StoredCalibration<'a> {
    link: &'a str,
    metric: &'a str,
    signature: &'a str,
    data: &'a str,
    n: u64,
    accuracy: f64,
    tau1: f64,
    tau2: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<f64>,
    parameters: &'a BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folds: Vec<StoredFold>,
}

/// A fold in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredFold {
    tau1: f64,
    tau2: f64,
    parameters: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParsedCalibration {
    link: Spanned<String>,
    metric: String,
    signature: String,
    data: String,
    n: u64,
    accuracy: f64,
    tau1: Spanned<f64>,
    tau2: f64,
    held_out: Option<f64>,
    parameters: Spanned<BTreeMap<String, f64>>,
    #[serde(default = "no_folds")]
    folds: Spanned<Vec<StoredFold>>,
}

fn no_folds() -> Spanned<Vec<StoredFold>> {
    Spanned::new(0..0, Vec::new())
}

/// A locator that turns a span of bytes into a line.
struct SpanLocator<'a> {
    text: &'a str,
    path: &'a Path,
}

impl SpanLocator<'_> {
    fn location(&self, span: Option<Range<usize>>) -> Location {
        Location::offset(self.path, self.text, span.map_or(0, |span| span.start))
    }

    /// Returns the same error at a place in the file.
    fn moved(&self, error: &Error, span: Range<usize>) -> Error {
        Error::record(self.location(Some(span)), error.message()).with_hint_of(error)
    }
}
