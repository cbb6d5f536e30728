//! Calibration of a model's preferences to the share of people who prefer the first output: where
//! they are 0.7, people prefer it 70 times in a hundred, ties counting half.
//!
//! Sources: temperature scaling, Guo et al., "On calibration of modern neural networks", ICML 2017;
//! isotonic regression, Zadrozny and Elkan, "Transforming classifier scores into accurate
//! multiclass probability estimates", KDD 2002.
//!
//! Either map is non-decreasing, keeps ½ where it is, and takes one minus its value at p for one
//! minus p, so nothing depends on which output is named first. It is applied to p and to every
//! dropout draw, so mean, BALD and STD are those of calibrated draws.
//!
//! Either is fitted as if twenty more comparisons had gone just as the model says. Without them a temperature from five
//! comparisons that happen to agree makes the model certain: its expected log loss on others was 1.29, where that of the
//! well calibrated model itself is .57 (with them .58). From some hundred comparisons on they change nothing. Fitted by
//! `tiebreak fit calibration`; kept as a small TOML file (`file`), which a model's descriptor may name.

mod calibrated;
mod file;
mod isotonic;
mod pooling;
mod temperature;

pub(super) use calibrated::CalibratedModel;

use isotonic::Isotonic;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use temperature::Temperature;
use tiebreak_base::error::{Error, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::stats::forecast::Forecast;
use tiebreak_decide::model_based::thresholds::{JudgedPreference, Thresholds};

/// The method that calibrates preferences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CalibrationMethod {
    /// Log odds are divided by one number.
    Temperature,
    /// Preferences go through any non-decreasing function.
    Isotonic,
}

impl fmt::Display for CalibrationMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for CalibrationMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "temperature" => Ok(Self::Temperature),
            "isotonic" => Ok(Self::Isotonic),
            other => Err(Error::usage(format!(
                "`{other}` calibrates nothing, expected temperature or isotonic"
            ))),
        }
    }
}

/// The number of comparisons that count as if they had gone as the model says.
const AS_FORECAST: f64 = 20.0;

/// A fitted map of preferences.
#[derive(Debug, Clone, PartialEq)]
pub enum Map {
    /// A division of the log odds.
    Temperature(Temperature),
    /// An interpolation between knots.
    Isotonic(Isotonic),
}

impl Map {
    /// Fits a map to forecasts of different outputs; their order does not matter, nor does the side
    /// each is seen from.
    ///
    /// # Errors
    /// [`Error::Usage`] if no forecast prefers anything.
    pub fn fit(method: CalibrationMethod, forecasts: &[Forecast]) -> Result<Self> {
        let leaning = forecasts.iter().filter(|forecast| forecast.p != 0.5);
        let folded: Vec<Forecast> = leaning.map(|forecast| forecast.folded()).collect();
        let folded = expected(folded);
        if folded.is_empty() {
            let what = "no prediction of a compared pair prefers anything, so there is nothing \
                        to calibrate";
            return Err(Error::usage(what));
        }
        Ok(match method {
            CalibrationMethod::Temperature => Self::Temperature(Temperature::fit(&folded)),
            CalibrationMethod::Isotonic => Self::Isotonic(Isotonic::fit(&folded)),
        })
    }

    /// The calibrated preference for one in [0, 1]; in [0, 1], ½ at ½.
    pub fn preference(&self, p: f64) -> f64 {
        if p > 0.5 {
            self.favour(p)
        } else if p < 0.5 {
            1.0 - self.favour(1.0 - p)
        } else {
            0.5
        }
    }

    /// The calibrated preference, in [½, 1], for one in (½, 1].
    fn favour(&self, p: f64) -> f64 {
        match self {
            Self::Temperature(temperature) => temperature.favour(p),
            Self::Isotonic(isotonic) => isotonic.favour(p),
        }
    }

    /// The method of the map.
    pub fn method(&self) -> CalibrationMethod {
        match self {
            Self::Temperature(_) => CalibrationMethod::Temperature,
            Self::Isotonic(_) => CalibrationMethod::Isotonic,
        }
    }
}

/// The forecasts with [`AS_FORECAST`] more, spread evenly: each outcome moves towards what was forecast.
fn expected(mut forecasts: Vec<Forecast>) -> Vec<Forecast> {
    let share = AS_FORECAST / (AS_FORECAST + forecasts.len() as f64);
    for forecast in &mut forecasts {
        forecast.outcome += share * (forecast.p - forecast.outcome);
    }
    forecasts
}

/// Writes the map for signatures: everything that can change a number.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Temperature(temperature) => temperature.fmt(f),
            Self::Isotonic(isotonic) => isotonic.fmt(f),
        }
    }
}

/// A map with the thresholds of its preferences and what it was fitted on.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrator {
    /// The map.
    pub map: Map,
    /// The thresholds of calibrated preferences.
    pub thresholds: Thresholds,
    /// The signature of the predictions.
    pub predictions: String,
    /// The digest of the data set.
    pub data: String,
    /// The number of comparisons of different outputs that it was fitted on.
    pub n: u64,
}

impl Calibrator {
    /// The thresholds with the best sentence accuracy after a map.
    pub fn thresholds(map: &Map, judged: &[JudgedPreference]) -> Thresholds {
        let mapped = judged
            .iter()
            .map(|&(p, outcome)| (map.preference(p), outcome));
        Thresholds::fit(&mapped.collect::<Vec<JudgedPreference>>())
    }

    /// Refuses another model than the one that the map was fitted on.
    ///
    /// # Errors
    /// [`Error::Usage`] if the signatures differ in more than how it is asked: draws, seed,
    /// arithmetic and order.
    pub fn check(&self, signature: &str) -> Result<()> {
        let (was, now) = (lasting(&self.predictions), lasting(signature));
        if was == now {
            return Ok(());
        }
        let differing = was.iter().zip(&now).find(|(was, now)| was != now);
        let what = match differing {
            Some((was, now)) => format!("the calibration is of a model with {was}, not {now}"),
            None => "the calibration is of another model".to_string(),
        };
        Err(Error::usage(what).with_hint(message!(
            "fit it anew with {}, or leave it out (none)",
            StageCommand("fit calibration", &[])
        )))
    }
}

/// The parts of a signature that identify the model: neither its name nor how it was asked.
fn lasting(signature: &str) -> Vec<&str> {
    let asked = [
        "draws:",
        "dropout:",
        "dropout-in:",
        "seed:",
        "arithmetic:",
        "order:",
    ];
    let fields = signature.split('|').skip(1);
    fields
        .filter(|field| !asked.iter().any(|key| field.starts_with(key)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;
    use tiebreak_base::stats::log_odds::logistic;
    use tiebreak_base::stats::quantiles;

    /// Forecasts whose log odds are `boldness` times the true ones; some outcomes are ties.
    fn forecasts(n: usize, boldness: f64, ties: f64) -> Vec<Forecast> {
        drawn(n, boldness, ties, 0)
    }

    fn drawn(n: usize, boldness: f64, ties: f64, sample: u64) -> Vec<Forecast> {
        let mut rng = Seed(6).stream("test", sample);
        let mut one = || {
            let logit = 1.2 * rng.normal();
            let won = f64::from(u8::from(rng.bernoulli(logistic(logit))));
            let outcome = if rng.bernoulli(ties) { 0.5 } else { won };
            let p = logistic(boldness * logit);
            Forecast { p, outcome }
        };
        (0..n).map(|_| one()).collect()
    }

    fn maps(forecasts: &[Forecast]) -> [Map; 2] {
        [CalibrationMethod::Temperature, CalibrationMethod::Isotonic]
            .map(|method| Map::fit(method, forecasts).unwrap())
    }

    #[test]
    fn a_temperature_of_two_is_recovered() {
        let fitted =
            Map::fit(CalibrationMethod::Temperature, &forecasts(20_000, 2.0, 0.0)).unwrap();
        let Map::Temperature(temperature) = &fitted else {
            panic!("{fitted}");
        };
        let value = temperature.value();
        assert!((value - 2.0).abs() < 0.06, "{value}");
        assert_eq!(fitted.to_string(), format!("temperature={value}"));
    }

    #[test]
    fn maps_are_monotone_antisymmetric_and_finite_everywhere() {
        for boldness in [0.3, 1.0, 4.0, -1.0] {
            for map in maps(&forecasts(500, boldness, 0.3)) {
                let mut before = 0.0;
                for step in 0..=4096 {
                    let p = f64::from(step) / 4096.0;
                    let found = map.preference(p);
                    assert!((0.0..=1.0).contains(&found), "{map}: {p} {found}");
                    assert!(found >= before, "{map}: {p} {found} {before}");
                    assert_eq!(found + map.preference(1.0 - p), 1.0, "{map} {p}");
                    before = found;
                }
                assert_eq!(map.preference(0.5), 0.5);
                // Neither end is certain, so no log loss is infinite.
                let ends = [0.0, 1.0, f64::MIN_POSITIVE].map(|p| map.preference(p));
                assert!(ends.iter().all(|&p| p > 0.0 && p < 1.0), "{map}: {ends:?}");
            }
        }
    }

    #[test]
    fn calibration_lowers_the_log_loss_and_the_side_does_not_matter() {
        let (fitted, fresh) = (forecasts(6000, 3.0, 0.2), forecasts(9000, 3.0, 0.2));
        let fresh = &fresh[6000..];
        let turned: Vec<Forecast> = fitted
            .iter()
            .map(|forecast| Forecast {
                p: 1.0 - forecast.p,
                outcome: 1.0 - forecast.outcome,
            })
            .collect();
        let loss = |map: &dyn Fn(f64) -> f64| {
            let mapped = fresh.iter().map(|forecast| Forecast {
                p: map(forecast.p),
                ..*forecast
            });
            mapped.map(Forecast::log_loss).sum::<f64>() / fresh.len() as f64
        };
        let raw = loss(&|p| p);
        for (one, other) in maps(&fitted).iter().zip(maps(&turned)) {
            let calibrated = loss(&|p| one.preference(p));
            assert!(calibrated < 0.9 * raw, "{one}: {calibrated} {raw}");
            for p in [0.1, 0.6, 0.99] {
                let difference = one.preference(p) - other.preference(p);
                assert!(difference.abs() < 1e-9, "{one} {other} {p}");
            }
        }
    }

    /// What fits to `n` comparisons of a model with this boldness do to it, on average over fits: the expected log loss on
    /// others, and how far preferences are off, of the model and of both maps.
    fn refitted(n: usize, boldness: f64) -> [[f64; 2]; 3] {
        const FITS: u64 = 150;
        // The middles of equal shares of the true log odds, which are normal with deviation 1.2.
        let middle = |i: i32| (f64::from(i) + 0.5) / 100.0;
        let odds = (0..100).map(|i| 1.2 * quantiles::normal(middle(i)).unwrap());
        let odds: Vec<f64> = odds.collect();
        let of = |map: &dyn Fn(f64) -> f64| {
            let each = odds.iter().map(|&odds| {
                let (p, truth) = (map(logistic(boldness * odds)), logistic(odds));
                let loss = |outcome| Forecast { p, outcome }.log_loss();
                [
                    truth * loss(1.0) + (1.0 - truth) * loss(0.0),
                    (p - truth).abs(),
                ]
            });
            each.fold([0.0; 2], |sum, one| {
                [sum[0] + 0.01 * one[0], sum[1] + 0.01 * one[1]]
            })
        };
        let mut found = [of(&|p| p), [0.0; 2], [0.0; 2]];
        for fit in 0..FITS {
            let maps = maps(&drawn(n, boldness, 0.0, fit));
            for (found, map) in found[1..].iter_mut().zip(&maps) {
                for (found, one) in found.iter_mut().zip(of(&|p| map.preference(p))) {
                    *found += one / FITS as f64;
                }
            }
        }
        found
    }

    #[test]
    fn few_comparisons_spoil_no_model_and_many_mend_one() {
        for boldness in [0.4, 1.0, 1.5, 3.0] {
            for n in [1, 2, 3, 5, 10, 20, 50, 100] {
                let [[raw, _], fitted @ ..] = refitted(n, boldness);
                // A single answer moves the model most, as far as 1 in 21 weighs.
                let most = if n == 1 { [0.03, 0.045] } else { [0.015, 0.03] };
                for (method, ([fitted, _], most)) in fitted.iter().zip(most).enumerate() {
                    let told = format!(
                        "boldness {boldness}, {n}, method {method}: {fitted:.4}, raw {raw:.4}"
                    );
                    assert!(*fitted < raw + most, "{told}");
                }
            }
        }
        for boldness in [0.4, 3.0] {
            let [[_, raw], fitted @ ..] = refitted(300, boldness);
            assert!(
                raw > 0.1,
                "boldness {boldness}: the model itself is off by {raw}"
            );
            let most = [0.025, 0.06];
            let is_mended = fitted.iter().zip(most).all(|([_, off], most)| *off < most);
            assert!(is_mended, "boldness {boldness}: {fitted:?}, raw {raw}");
        }
    }

    #[test]
    fn isotonic_is_the_regression_on_both_orders() {
        use super::pooling::blocks;
        let seen = forecasts(200, 1.5, 0.2);
        let both: Vec<(f64, f64)> = expected(seen.clone())
            .iter()
            .flat_map(|f| [(f.p, f.outcome), (1.0 - f.p, 1.0 - f.outcome)])
            .collect();
        let map = Map::fit(CalibrationMethod::Isotonic, &seen).unwrap();
        let highest = 1.0 - 1.0 / 222.0;
        for block in blocks(&both).iter().filter(|block| block.lower > 0.5) {
            for x in [block.lower, block.upper] {
                let found = map.preference(x);
                assert!((found - block.y.min(highest)).abs() < 1e-9, "{x} {found}");
            }
        }
    }

    #[test]
    fn nothing_preferred_is_nothing_to_fit() {
        let coin = Forecast {
            p: 0.5,
            outcome: 1.0,
        };
        for method in [CalibrationMethod::Temperature, CalibrationMethod::Isotonic] {
            assert!(Map::fit(method, &[coin]).is_err());
            assert_eq!(
                method.to_string().parse::<CalibrationMethod>().unwrap(),
                method
            );
        }
        assert!("platt".parse::<CalibrationMethod>().is_err());
    }

    #[test]
    fn another_model_is_refused_but_not_another_way_of_asking() {
        let calibrator = Calibrator {
            map: maps(&forecasts(50, 1.0, 0.0))[0].clone(),
            thresholds: Thresholds::default(),
            predictions: "m|weights:aa|max-length:9|draws:20|dropout:0.1|seed:1|version:1".into(),
            data: String::new(),
            n: 50,
        };
        let check = |signature: &str| calibrator.check(signature);
        let asked = "arithmetic:bf16|version:1|order:both";
        assert!(check(&format!("renamed|weights:aa|max-length:9|{asked}")).is_ok());
        let error = check("m|weights:bb|max-length:9|version:1").unwrap_err();
        assert!(
            error.to_string().contains("weights:aa, not weights:bb"),
            "{error}"
        );
        assert!(check("m|weights:aa|max-length:9|version:1|precision:int8").is_err());
    }
}
