//! Settings that may be left to advice: a number (`0.8`) or an elimination (`{ alpha = 0.5 }`), or `auto`.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use tiebreak_base::keys::NonNegativeNumber;
use tiebreak_decide::model_based::UncertaintyMeasure;
use tiebreak_decide::model_based::audits::{Allocation, Rate};
use tiebreak_decide::model_based::ucb_elimination::{EliminationOptions, Formula};

/// A number with bounds, or `auto`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Setting<T> {
    /// The given number.
    Value(T),
    /// The advised number, once something is known of the predictions: `auto`.
    Auto,
}

const EXPECTED: &str = "a number or auto";

impl<T: TryFrom<f64, Error = String>> FromStr for Setting<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.trim(), text.trim().parse::<f64>()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(value)) => T::try_from(value)
                .map(Self::Value)
                .map_err(|error| format!("{error}, or auto")),
            _ => Err(format!("`{text}`, expected {EXPECTED}, such as 0.8")),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Setting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl<T: Copy + Into<f64>> Serialize for Setting<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serializer.serialize_f64((*value).into()),
            Self::Auto => serializer.serialize_str("auto"),
        }
    }
}

impl<'de, T: TryFrom<f64, Error = String>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NumberOrText::read(deserializer, EXPECTED)
    }
}

/// The rate at which people check what a model answers, if ever: `0`, `0.1` or `neyman:0.1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Audit(pub Option<Rate>);

impl Audit {
    /// No checks.
    pub(crate) const NONE: Self = Self(None);
}

impl FromStr for Audit {
    type Err = tiebreak_base::error::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().parse() {
            Ok(0.0) => Ok(Self::NONE),
            _ => text.trim().parse().map(|rate| Self(Some(rate))),
        }
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(rate) => rate.fmt(f),
            None => f.write_str("0"),
        }
    }
}

impl Serialize for Audit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(Rate {
                mean,
                allocation: Allocation::Uniform,
            }) => serializer.serialize_f64(mean),
            Some(rate) => serializer.collect_str(&rate),
            None => serializer.serialize_f64(0.0),
        }
    }
}

impl<'de> Deserialize<'de> for Audit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        NumberOrText::read(deserializer, "a probability, or neyman: and one")
    }
}

/// Uncertainty-aware selection: a person is asked where the uncertainty is at least `above`; written
/// `bald:0.01`, `{ by = "bald", above = 0.01 }`, `bald:auto` for the threshold as advised, or `auto` for
/// the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub(crate) struct Select {
    /// The measure of uncertainty.
    pub by: UncertaintyMeasure,
    /// The threshold τ.
    pub above: Setting<NonNegativeNumber>,
}

const SELECTIONS: &str = "bald:T, std:T, margin:T or auto";

impl FromStr for Select {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}`, expected {SELECTIONS}, with a threshold T such as 0.025");
        let (by, above) = match text.trim() {
            "auto" => ("bald", "auto"),
            other => other.split_once(':').ok_or_else(wrong)?,
        };
        Ok(Self {
            by: by.parse().map_err(|_| wrong())?,
            above: above.parse().map_err(|error| format!("{text}: {error}"))?,
        })
    }
}

impl<'de> Deserialize<'de> for Select {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            by: UncertaintyMeasure,
            above: Setting<NonNegativeNumber>,
        }
        let read = |Table { by, above }| Self { by, above };
        TextOr::read(deserializer, SELECTIONS, read)
    }
}

/// The elimination of systems, and its time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Eliminate {
    /// Before the first question, as given.
    As(EliminationOptions),
    /// As advised, once the predictions deserve it: `auto`.
    #[serde(serialize_with = "auto")]
    Auto,
}

fn auto<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("auto")
}

impl Eliminate {
    /// The options of the elimination, whenever it is done.
    pub(crate) fn options(self) -> EliminationOptions {
        match self {
            Self::As(options) => options,
            Self::Auto => EliminationOptions::default(),
        }
    }
}

impl FromStr for Eliminate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let mut options = EliminationOptions::default();
        let expected = || {
            format!(
                "`{text}`, expected alpha=A,copeland=C,formula=paper|released (any of them) or auto"
            )
        };
        for part in text.split(',').filter(|part| !part.is_empty()) {
            match part.split_once('=').ok_or_else(expected)? {
                ("alpha", value) => options.alpha = value.parse().map_err(|_| expected())?,
                ("copeland", value) => options.copeland = value.parse().map_err(|_| expected())?,
                ("formula", "paper") => options.formula = Formula::Paper,
                ("formula", "released") => options.formula = Formula::Released,
                _ => return Err(expected()),
            }
        }
        Ok(Self::As(options))
    }
}

impl<'de> Deserialize<'de> for Eliminate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a table of alpha, copeland and formula, or auto";
        TextOr::read(deserializer, expected, Self::As)
    }
}

/// A value that is written as a number or as text, and read as the text.
struct NumberOrText<V> {
    expected: &'static str,
    value: PhantomData<V>,
}

impl<V: FromStr<Err: fmt::Display>> NumberOrText<V> {
    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        expected: &'static str,
    ) -> Result<V, D::Error> {
        deserializer.deserialize_any(Self {
            expected,
            value: PhantomData,
        })
    }
}

impl<V: FromStr<Err: fmt::Display>> Visitor<'_> for NumberOrText<V> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V, E> {
        text.parse().map_err(E::custom)
    }
}

/// A value that is written as text or as a table.
struct TextOr<T, F> {
    expected: &'static str,
    read: F,
    table: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, F> TextOr<T, F> {
    fn read<D: Deserializer<'de>, V: FromStr<Err = String>>(
        deserializer: D,
        expected: &'static str,
        read: F,
    ) -> Result<V, D::Error>
    where
        F: FnOnce(T) -> V,
    {
        deserializer.deserialize_any(Self {
            expected,
            read,
            table: PhantomData,
        })
    }
}

impl<'de, T: Deserialize<'de>, V: FromStr<Err = String>, F: FnOnce(T) -> V> Visitor<'de>
    for TextOr<T, F>
{
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(self.read)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::keys::Share;

    #[test]
    fn a_number_or_auto() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Table {
            mix: Setting<Share>,
        }
        let share = |value: f64| Setting::Value(Share::try_from(value).unwrap());
        for (text, mix) in [
            ("mix = 0.8\n", share(0.8)),
            ("mix = \"auto\"\n", Setting::Auto),
        ] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(table, Table { mix });
            assert_eq!(toml::to_string(&table).unwrap(), text);
            assert_eq!(mix.to_string().parse(), Ok(mix));
        }
        let one: Table = toml::from_str("mix = 1").unwrap();
        assert_eq!(one.mix, share(1.0));
        let error = toml::from_str::<Table>("mix = 1.5").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("1.5, expected a number from 0 to 1, or auto"),
            "{error}"
        );
        let error = toml::from_str::<Table>("mix = \"some\"").unwrap_err();
        assert!(error.to_string().contains(EXPECTED), "{error}");
    }

    #[test]
    fn an_audit_is_a_probability_or_an_allocation_of_one() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Table {
            audit: Audit,
        }
        for text in ["audit = 0.0\n", "audit = 0.1\n", "audit = \"neyman:0.1\"\n"] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(toml::to_string(&table).unwrap(), text);
            let flag = table.audit.to_string();
            assert_eq!(flag.parse::<Audit>().unwrap(), table.audit);
        }
        for wrong in ["1.5", "-1", "\"often\""] {
            assert!(toml::from_str::<Table>(&format!("audit = {wrong}")).is_err());
        }
    }

    #[test]
    fn a_table_or_auto() {
        #[derive(Debug, Serialize, Deserialize)]
        struct Table {
            eliminate: Eliminate,
        }
        let read = |text: &str| toml::from_str::<Table>(text);
        let table = read("eliminate = { alpha = 0.5 }").unwrap().eliminate;
        assert_eq!(
            (table.options().alpha, table.options().copeland),
            (0.5, 0.8)
        );
        let auto = read("eliminate = \"auto\"").unwrap();
        assert_eq!(auto.eliminate, Eliminate::Auto);
        assert_eq!(toml::to_string(&auto).unwrap(), "eliminate = \"auto\"\n");
        assert!(
            read("eliminate = { alfa = 0.5 }")
                .unwrap_err()
                .to_string()
                .contains("`alfa`")
        );
        let error = read("eliminate = \"yes\"").unwrap_err();
        assert!(error.to_string().contains("or auto"));
    }

    #[test]
    fn a_selection_is_text_or_a_table() {
        #[derive(Debug, Serialize, Deserialize)]
        struct Table {
            select: Select,
        }
        let bald = |above| Select {
            by: UncertaintyMeasure::Bald,
            above,
        };
        let above = |value: f64| Setting::Value(NonNegativeNumber::try_from(value).unwrap());
        assert_eq!("bald:0.025".parse(), Ok(bald(above(0.025))));
        for advised in ["auto", "bald:auto"] {
            assert_eq!(advised.parse(), Ok(bald(Setting::Auto)));
        }
        let margin = Select {
            by: UncertaintyMeasure::Margin,
            above: above(0.4),
        };
        assert_eq!("margin:0.4".parse(), Ok(margin));
        let error = "bold:0.1".parse::<Select>().unwrap_err();
        assert!(error.contains(SELECTIONS), "{error}");
        for wrong in [
            "bald", "bold:0.1", "std:x", "bald:-1", "std:nan", "bald:inf", "",
        ] {
            assert!(wrong.parse::<Select>().is_err(), "{wrong}");
        }
        for text in [
            "select = \"bald:0.1\"",
            "select = { by = \"bald\", above = 0.1 }",
        ] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(table.select, bald(above(0.1)));
            let again = toml::to_string(&table).unwrap();
            assert_eq!(
                toml::from_str::<Table>(&again).unwrap().select,
                table.select
            );
        }
        let released: Eliminate = "alpha=0.5,formula=released".parse().unwrap();
        assert_eq!(released.options().formula, Formula::Released);
        assert_eq!("".parse(), Ok(Eliminate::As(EliminationOptions::default())));
    }
}
