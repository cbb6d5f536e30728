//! Lists of named things: one entry per metric, link, model, bandit and estimator.
//!
//! A list is a constant slice, so that adding an entry is one line next to its `mod` line, and
//! help, documentation and tests can all be derived from it.

use crate::error::{Error, Message, Result, nearest};
use crate::keys::table;
use crate::message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// One named thing and how to build it.
pub struct Entry<B: 'static> {
    /// The name used in pipelines, tables and reports.
    pub name: &'static str,
    /// One line, shown by `tiebreak list`.
    pub summary: &'static str,
    /// The paper or tool it comes from.
    pub cite: &'static str,
    /// Its parameters with their defaults, as a JSON object.
    pub parameters: fn() -> serde_json::Value,
    /// The constructor.
    pub build: B,
}

/// The parameters of `T` with their defaults, for [`Entry::parameters`].
pub fn parameters<T: Default + Serialize>() -> serde_json::Value {
    serde_json::to_value(T::default()).unwrap_or(serde_json::Value::Null)
}

/// The parameters of `A` and then those of `B`, for entries that read [both](Params::read_both).
pub fn parameters_of_both<A: Default + Serialize, B: Default + Serialize>() -> serde_json::Value {
    let mut both = parameters::<A>();
    if let (Some(all), serde_json::Value::Object(more)) = (both.as_object_mut(), parameters::<B>())
    {
        all.extend(more);
    }
    both
}

/// The parameters of entries that have none.
#[derive(Debug, Clone, Default, Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

/// Finds the entry of a name.
///
/// # Errors
/// [`Error::UnknownName`] with the nearest name as a hint.
pub fn find_entry<'a, B>(
    kind: &'static str,
    list: &'a [Entry<B>],
    name: &str,
) -> Result<&'a Entry<B>> {
    list.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let all = name_list(kind, list);
        let hint = match nearest(name, list.iter().map(|entry| entry.name)) {
            Some(near) => message!("did you mean `{near}`? {}", all),
            None => all,
        };
        Error::UnknownName {
            kind,
            name: name.to_string(),
            hint: Some(hint),
        }
    })
}

/// Says where all names of a list are shown, as a hint.
pub fn name_list<B>(kind: &str, list: &[Entry<B>]) -> Message {
    let names: Vec<&str> = list.iter().map(|entry| entry.name).collect();
    Message::except_in_python(
        format!("`tiebreak list {kind}s` shows them all"),
        format!("{kind}s are {}", names.join(", ")),
    )
}

/// Parameters as given: a table whose keys the item's own struct checks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params(pub toml::Table);

impl Params {
    /// Reads `NAME` or `NAME:key=value,key=value`. Values are booleans, numbers or strings.
    ///
    /// ```
    /// use tiebreak_base::registry::Params;
    /// let (name, params) = Params::parse("chrf:word-order=2,lowercase=true").unwrap();
    /// assert_eq!(name, "chrf");
    /// assert_eq!(params.to_string(), "word-order=2,lowercase=true");
    /// ```
    ///
    /// # Errors
    /// [`Error::Usage`] if a part is not `key=value`.
    pub fn parse(text: &str) -> Result<(String, Self)> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut table = toml::Table::new();
        for part in rest.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                Error::usage(format!("`{part}` in `{text}` is not of the form key=value"))
                    .with_hint("parameters are written NAME:key=value,key=value")
            })?;
            if table
                .insert(key.trim().to_string(), parse_value(value.trim()))
                .is_some()
            {
                return Err(Error::usage(format!("`{key}` is given twice in `{text}`")));
            }
        }
        Ok((name.trim().to_string(), Self(table)))
    }

    /// Reads the item's own parameter struct; keys that are not given keep their defaults.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown key or a value of the wrong type, naming `item`.
    pub fn read<T: DeserializeOwned + Default + Serialize>(&self, item: &str) -> Result<T> {
        self.read_among(item, &parameters::<T>())
    }

    /// Reads parameters that two structs share: `A` has those it lists, `B` the others.
    ///
    /// # Errors
    /// As [`Params::read`].
    pub fn read_both<A, B>(&self, item: &str) -> Result<(A, B)>
    where
        A: DeserializeOwned + Default + Serialize,
        B: DeserializeOwned + Default + Serialize,
    {
        let (own, known) = (parameters::<A>(), parameters_of_both::<A, B>());
        let given = self.0.clone().into_iter();
        let (first, second) = given.partition(|(key, _)| own.get(key).is_some());
        let first = Self(first).read_among(item, &known)?;
        Ok((first, Self(second).read_among(item, &known)?))
    }

    /// Reads all parameters into one struct; `known` is what the item takes.
    fn read_among<T: DeserializeOwned>(&self, item: &str, known: &serde_json::Value) -> Result<T> {
        let read = |table: toml::Table| toml::Value::Table(table).try_into::<T>();
        let again = |source| self.as_word(&source).map_or(Err(source), read);
        read(self.0.clone())
            .or_else(again)
            .map_err(|source: toml::de::Error| {
                let names = known.as_object().map(serde_json::Map::keys);
                let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
                let all = match names.is_empty() {
                    true => "it has no parameters".to_string(),
                    false => format!("its parameters are {}", names.join(", ")),
                };
                let mut given = self.0.keys().map(String::as_str);
                if let Some(typed) = given.find(|key| !names.contains(key)) {
                    let hint = match nearest(typed, names.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`? {all}"),
                        None => all,
                    };
                    return Error::usage(format!("{item}: unknown parameter `{typed}`"))
                        .with_hint(hint);
                }
                let what = table::message(&source);
                let what = what.strip_prefix("unknown variant ").unwrap_or(&what);
                let key = key_of(&source).map(|key| format!("{key}: "));
                let what = format!("{item}: {}{what}", key.unwrap_or_default());
                Error::usage(what).with_hint(all)
            })
    }

    /// The parameters with a number as a word, where an error says that one of several words is wanted: the error for a word
    /// names them all.
    fn as_word(&self, error: &toml::de::Error) -> Option<toml::Table> {
        let key = key_of(error).filter(|_| error.message().contains("unit variant"))?;
        let value = self
            .0
            .get(&key)
            .filter(|value| !value.is_str())?
            .to_string();
        let mut table = self.0.clone();
        table.insert(key, toml::Value::String(value));
        Some(table)
    }

    /// Whether no parameter was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match value {
                toml::Value::String(text) => write!(f, "{comma}{key}={text}")?,
                other => write!(f, "{comma}{key}={other}")?,
            }
        }
        Ok(())
    }
}

/// The key that an error of the reader is about, which is on its second line: "in `tokenize`".
fn key_of(error: &toml::de::Error) -> Option<String> {
    let text = error.to_string();
    let key = text.trim().lines().nth(1)?.trim().strip_prefix("in ")?;
    Some(key.trim_matches('`').to_string())
}

fn parse_value(text: &str) -> toml::Value {
    if let Ok(flag) = text.parse::<bool>() {
        return toml::Value::Boolean(flag);
    }
    if let Ok(integer) = text.parse::<i64>() {
        return toml::Value::Integer(integer);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => toml::Value::Float(number),
        _ => toml::Value::String(text.to_string()),
    }
}

/// Checks that a parameter is a positive number.
///
/// # Errors
/// Any other number.
pub fn positive(item: &str, key: &str, value: f64) -> Result<f64> {
    let fits = value.is_finite() && value > 0.0;
    within(item, key, value, fits, "a positive number")
}

/// Checks that a parameter is a probability, neither 0 nor 1.
///
/// # Errors
/// Any other number.
pub fn probability(item: &str, key: &str, value: f64) -> Result<f64> {
    let fits = value > 0.0 && value < 1.0;
    within(item, key, value, fits, "a number between 0 and 1")
}

/// Checks that a parameter is a finite number.
///
/// # Errors
/// One that is not.
pub fn finite(item: &str, key: &str, value: f64) -> Result<f64> {
    within(item, key, value, value.is_finite(), "a finite number")
}

fn within(item: &str, key: &str, value: f64, fits: bool, expected: &str) -> Result<f64> {
    let what = || format!("{item}: {key} is {value}, expected {expected}");
    fits.then_some(value).ok_or_else(|| Error::usage(what()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Audience;

    #[derive(Debug, Default, Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    struct Example {
        char_order: usize,
        beta: f64,
    }

    #[test]
    fn an_integer_is_a_number_too() {
        let (_, params) = Params::parse("x:beta=2,char-order=6").unwrap();
        let read: Example = params.read("x").unwrap();
        assert_eq!((read.beta, read.char_order), (2.0, 6));
    }

    #[test]
    fn an_unknown_key_is_refused_and_the_known_ones_are_named() {
        let (_, params) = Params::parse("x:betta=2").unwrap();
        let error = params.read::<Example>("x").unwrap_err();
        assert_eq!(error.to_string(), "x: unknown parameter `betta`");
        let hint = "did you mean `beta`? its parameters are char-order, beta";
        assert_eq!(error.hint().as_deref(), Some(hint));
    }

    #[test]
    fn a_value_of_another_type_is_shown_beside_what_is_expected() {
        #[derive(Debug, Default, Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Method {
            #[default]
            Floor,
            Exp,
        }
        #[derive(Debug, Default, Serialize, serde::Deserialize)]
        #[serde(default)]
        struct Smoothed {
            method: Method,
            beta: f64,
        }
        for (given, expected) in [
            ("x:beta=nan", "x: beta: `nan`, expected a number"),
            ("x:method=9", "x: method: `9`, expected `floor` or `exp`"),
        ] {
            let error = Params::parse(given)
                .unwrap()
                .1
                .read::<Smoothed>("x")
                .unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_slip_in_a_name_gets_the_nearest_one() {
        let list = [Entry {
            name: "chrf",
            summary: "",
            cite: "",
            parameters: parameters::<Example>,
            build: (),
        }];
        let error = find_entry("metric", &list, "chrff").err().unwrap();
        assert!(error.hint().unwrap().contains("did you mean `chrf`"));
        assert_eq!(
            error.advice().unwrap().shown_to(Audience::Python),
            "did you mean `chrf`? metrics are chrf"
        );
    }
}
