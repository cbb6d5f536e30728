//! What may be left to advice: a number (`0.8`) or an elimination (`{ alpha = 0.5 }`), or `auto`.

use crate::model_based::audits::{Allocation, Rate};
use crate::model_based::ucb_elimination::Options;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A number, or as advised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Setting {
    /// As given.
    Value(f64),
    /// As advised once something is known of the predictions: `auto`.
    Auto,
}

impl Setting {
    /// The number, if one is given.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Auto => None,
        }
    }
}

const EXPECTED: &str = "a number or auto";

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text.trim(), text.trim().parse()) {
            ("auto", _) => Ok(Self::Auto),
            (_, Ok(value)) => Ok(Self::Value(value)),
            _ => Err(format!("expected {EXPECTED}, such as 0.8")),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serializer.serialize_f64(*value),
            Self::Auto => serializer.serialize_str("auto"),
        }
    }
}

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Number)
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = Setting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Setting, E> {
        Ok(Setting::Value(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Setting, E> {
        Ok(Setting::Value(value as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Setting, E> {
        text.parse().map_err(E::custom)
    }
}

/// How often people check what a model answers, if ever: `0`, `0.1` or `neyman:0.1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Audit(pub Option<Rate>);

impl Audit {
    /// Never.
    pub const NONE: Self = Self(None);
}

impl FromStr for Audit {
    type Err = crate::error::Error;

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
            Some(Rate { mean, allocation }) if allocation == Allocation::Uniform => {
                serializer.serialize_f64(mean)
            }
            Some(rate) => serializer.collect_str(&rate),
            None => serializer.serialize_f64(0.0),
        }
    }
}

impl<'de> Deserialize<'de> for Audit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Often)
    }
}

struct Often;

impl Visitor<'_> for Often {
    type Value = Audit;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a probability, or neyman: and one")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Audit, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Audit, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Audit, E> {
        text.parse().map_err(E::custom)
    }
}

/// When systems are eliminated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Eliminate {
    /// Before the first question, as given.
    As(Options),
    /// As advised, once the predictions deserve it: `auto`.
    #[serde(serialize_with = "auto")]
    Auto,
}

fn auto<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("auto")
}

impl Eliminate {
    /// How, whenever it is done.
    pub fn options(self) -> Options {
        match self {
            Self::As(options) => options,
            Self::Auto => Options::default(),
        }
    }
}

impl<'de> Deserialize<'de> for Eliminate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Elimination)
    }
}

struct Elimination;

impl<'de> Visitor<'de> for Elimination {
    type Value = Eliminate;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of alpha, copeland and formula, or auto")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Eliminate, A::Error> {
        Options::deserialize(MapAccessDeserializer::new(map)).map(Eliminate::As)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Eliminate, E> {
        match text {
            "auto" => Ok(Eliminate::Auto),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_auto() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Table {
            mix: Setting,
        }
        for (text, mix) in [
            ("mix = 0.8\n", Setting::Value(0.8)),
            ("mix = \"auto\"\n", Setting::Auto),
        ] {
            let table: Table = toml::from_str(text).unwrap();
            assert_eq!(table, Table { mix });
            assert_eq!(toml::to_string(&table).unwrap(), text);
            assert_eq!(mix.to_string().parse(), Ok(mix));
        }
        let one: Table = toml::from_str("mix = 1").unwrap();
        assert_eq!(one.mix, Setting::Value(1.0));
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
        assert!(
            read("eliminate = \"yes\"")
                .unwrap_err()
                .to_string()
                .contains("or auto")
        );
    }
}
