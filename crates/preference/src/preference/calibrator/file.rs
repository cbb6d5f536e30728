//! A calibrator as a small TOML file.
//!
//! ```toml
//! method = "temperature"
//! temperature = 1.83            # or, isotonic: knots = [[0.5, 0.5], [0.62, 0.57], …]
//! tau1 = 0.447
//! tau2 = 0.553
//! predictions = "my-model|weights:…"
//! data = "sha256:…"
//! n = 1240
//! ```

use super::{CalibrationMethod, Calibrator, Isotonic, Map, Temperature};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result, StageCommand, text_of};
use tiebreak_base::message;
use tiebreak_data::tables::sealed_text::check_toml_if_sealed;
use tiebreak_decide::model_based::thresholds::Thresholds;
#[cfg(feature = "neural")]
use tiebreak_encoders::Checkpoint;

/// The file's keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCalibrator {
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    knots: Option<Vec<(f64, f64)>>,
    tau1: f64,
    tau2: f64,
    predictions: String,
    data: String,
    n: u64,
}

impl Calibrator {
    /// The file's text; the same calibrator always gives the same bytes.
    ///
    /// # Errors
    /// If it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String> {
        let (temperature, knots) = match &self.map {
            Map::Temperature(temperature) => (Some(temperature.value()), None),
            Map::Isotonic(isotonic) => (None, Some(isotonic.knots().to_vec())),
        };
        toml::to_string(&StoredCalibrator {
            method: self.map.method().to_string(),
            temperature,
            knots,
            tau1: self.thresholds.tau1(),
            tau2: self.thresholds.tau2(),
            predictions: self.predictions.clone(),
            data: self.data.clone(),
            n: self.n,
        })
        .map_err(Error::failed)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_of(path)?;
        Self::parse(&text, path)
    }

    /// Reads the calibrator that a model's descriptor names, a file in the model's folder.
    ///
    /// # Errors
    /// If it is not there, was changed, or is no such file.
    #[cfg(feature = "neural")]
    pub fn of_model(checkpoint: &Checkpoint) -> Result<Option<Self>> {
        let Some(file) = &checkpoint.descriptor.calibration else {
            return Ok(None);
        };
        let path = checkpoint.files.path(file);
        let text = String::from_utf8(checkpoint.read(file)?)
            .map_err(|_| Error::input(&path, "is not a text file"))?;
        Self::parse(&text, &path).map(Some)
    }

    /// Reads the text of the file `path`.
    ///
    /// # Errors
    /// [`Error::Record`] with the place if it is not a calibrator.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        check_toml_if_sealed(path, text)?;
        let hint = || {
            message!(
                "{} writes such a file; {} writes another kind",
                StageCommand("fit calibration", &[]),
                StageCommand("fit link", &[])
            )
        };
        let stored: StoredCalibrator = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let at = Location::offset(path, text, start);
            Error::record(at, error.message().trim().replace('\n', ": ")).with_hint(hint())
        })?;
        let wrong = |what: &str| Error::record(Location::file(path), what).with_hint(hint());
        let map = match (stored.method.parse()?, stored.temperature, stored.knots) {
            (CalibrationMethod::Temperature, Some(value), None) => Temperature::new(value)
                .map(Map::Temperature)
                .ok_or_else(|| wrong("`temperature` is not a finite number above 0"))?,
            (CalibrationMethod::Isotonic, None, Some(knots)) => Isotonic::new(knots)
                .map(Map::Isotonic)
                .ok_or_else(|| wrong("`knots` do not rise from [0.5, 0.5] to at most 1"))?,
            _ => {
                return Err(wrong(
                    "expected `temperature` with the method temperature, or `knots` with isotonic",
                ));
            }
        };
        Ok(Self {
            map,
            thresholds: Thresholds::new(stored.tau1, stored.tau2)
                .map_err(|error| wrong(&error.to_string()))?,
            predictions: stored.predictions,
            data: stored.data,
            n: stored.n,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::stats::forecast::Forecast;

    fn calibrators() -> [Calibrator; 2] {
        let forecasts = [(0.6, 1.0), (0.7, 0.0), (0.8, 0.5), (0.9, 1.0)];
        let forecasts = forecasts.map(|(p, outcome)| Forecast { p, outcome });
        [CalibrationMethod::Temperature, CalibrationMethod::Isotonic].map(|method| Calibrator {
            map: Map::fit(method, &forecasts).unwrap(),
            thresholds: Thresholds::new(0.41, 0.5).unwrap(),
            predictions: "m|weights:aa".into(),
            data: "sha256:00".into(),
            n: 4,
        })
    }

    #[test]
    fn what_is_written_is_read_to_the_last_bit() {
        for written in calibrators() {
            let text = written.to_toml().unwrap();
            let read = Calibrator::parse(&text, Path::new("c.toml")).unwrap();
            assert_eq!(read, written);
            assert_eq!(read.map.to_string(), written.map.to_string());
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let [temperature, isotonic] = calibrators().map(|one| one.to_toml().unwrap());
        for (text, from, to, says) in [
            (
                &temperature,
                "\"temperature\"",
                "\"platt\"",
                "expected temperature or isotonic",
            ),
            (
                &temperature,
                "\"temperature\"",
                "\"isotonic\"",
                "`knots` with isotonic",
            ),
            (&temperature, "temperature = ", "temperature = -", "above 0"),
            (&temperature, "tau1 = 0.41", "tau1 = 0.7", "tau1 ≤ tau2"),
            (&temperature, "n = 4", "m = 4", "unknown field `m`"),
            (&isotonic, "[0.5, 0.5]", "[0.6, 0.5]", "do not rise"),
        ] {
            let broken = text.replacen(from, to, 1);
            assert_ne!(&broken, text, "{from} in\n{text}");
            let error = Calibrator::parse(&broken, Path::new("c.toml")).unwrap_err();
            assert!(error.to_string().contains(says), "{error} in\n{broken}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
