//! Options for reading files of other tools.

use super::detect::format_by_name;
use crate::records::import::tables;
use crate::records::outcomes::Outcomes;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use tiebreak_base::error::{Error, Flag, Message, Result};
use tiebreak_base::keys::Keys;
use tiebreak_base::layout::argument;
use tiebreak_base::message;

/// The key by which a command asks for criteria.
pub(in crate::records::import) const CRITERION: &str = "criterion";

/// Options for reading files of other tools.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The format, where it is not to be detected.
    pub format: Option<String>,
    /// The choices where several would fit: judge, baseline, filter, epoch, split, …, each with its value.
    pub pick: Vec<(String, String)>,
    /// The columns or metrics that are criteria; `None` where the user named none.
    pub criteria: Option<Vec<String>>,
    /// The criteria that a command asks for; `None` of a command that asks for none. Among columns of numbers that may be
    /// something else, these are ratings.
    pub asked: Option<Vec<String>>,
    /// The treatment of null and empty outputs.
    pub nulls: Nulls,
    /// The repeats whose scores are taken.
    pub repeats: Repeats,
    /// Whether a lone table without systems is that of one, which is named by its file.
    pub lone_is_one_system: bool,
    /// Whether inputs are enough, as of systems that have written nothing yet.
    pub inputs_suffice: bool,
    /// Columns of other names (documented name, name in the files).
    pub columns: Vec<(String, String)>,
    /// Words for outcomes, which take precedence over the common ones.
    pub outcomes: Outcomes,
}

/// The repeats (epochs, trials) of an output whose scores count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeats {
    /// All of them.
    #[default]
    All,
    /// The first of each output.
    First,
}

/// The treatment of null and empty outputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nulls {
    /// An empty text: kept, counted and reported.
    #[default]
    Empty,
    /// A mistake.
    Error,
}

impl ImportOptions {
    /// Returns the flags that say which columns are which, each after a space.
    pub(in crate::records::import) fn flags(&self) -> String {
        let column = |text: String, (name, file): &(String, String)| {
            let pair = argument(&format!("{name}={file}"));
            text + &format!(" {} {pair}", Flag("column"))
        };
        self.columns.iter().fold(String::new(), column)
    }

    /// Returns the choice for a key.
    pub fn picked(&self, key: &str) -> Option<&str> {
        let mut pick = self.pick.iter();
        pick.find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the one of `names`, found in `path`, that is picked, or the only one; an empty name where there is none.
    pub(in crate::records::import) fn one_of(
        &self,
        names: &BTreeSet<String>,
        pick: &Pick,
        path: &Path,
    ) -> Result<String> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match (self.picked(pick.key), &names[..]) {
            (Some(name), names) if names.contains(&name) => Ok(name.to_string()),
            (Some(name), names) => Err(Error::usage(pick.unknown(name, names))),
            (None, []) => Ok(String::new()),
            (None, [one]) => Ok((*one).to_string()),
            (None, several) => Err(pick.undecided(path, several)),
        }
    }

    /// Asks for the criteria that these keys name.
    #[must_use]
    pub fn asking<K: Keys>(mut self, keys: &K) -> Self {
        let asks = K::names().iter().any(|key| key == CRITERION);
        self.asked = asks.then(|| match keys.resolved().remove(CRITERION) {
            Some(toml::Value::String(one)) => vec![one],
            Some(toml::Value::Array(several)) => {
                let names = several.iter().filter_map(toml::Value::as_str);
                names.map(str::to_string).collect()
            }
            _ => Vec::new(),
        });
        self
    }

    /// Whether tables of a data set are read as they are, as no other format is named.
    ///
    /// # Errors
    /// An unknown name of a format.
    pub(in crate::records) fn reads_tables(&self) -> Result<bool> {
        let format = self.format.as_deref().map(format_by_name).transpose()?;
        Ok(format.is_none_or(|format| format.name == tables::FORMAT.name))
    }

    /// Refuses a pick that these files, of which `known` can be picked, would not heed: other rows than were meant would count.
    ///
    /// # Errors
    /// [`Error::Usage`] for a key that is not `known`.
    pub fn refuse_picks(&self, format: &str, known: &[&str]) -> Result<()> {
        let is_known = |(key, _): &&(String, String)| known.contains(&key.as_str());
        let Some((key, value)) = self.pick.iter().find(|pick| !is_known(pick)) else {
            return Ok(());
        };
        if !known.is_empty() {
            let told = format!("of {format} can be picked:");
            let known = known.iter().copied();
            return Err(Error::unknown_name("pick", key, &told, known));
        }
        let what = message!(
            "{}: nothing can be picked of {}",
            picked(key, value),
            format
        );
        Err(Error::usage(what).with_hint(Message::except_in_python(
            format!("write the rows that are meant to a file, and leave out {}", Flag("pick")),
            format!("choose the rows first, such as `frame[frame[{key:?}] == {value:?}]`, and leave out `pick=`"),
        )))
    }

    /// Whether a criterion is wanted; all are where the user named none. Names on the command line are
    /// split at commas, which a name may contain as well.
    pub(in crate::records::import) fn wants(&self, criterion: &str) -> bool {
        let wanted = self.criteria.as_ref();
        wanted.is_none_or(|wanted| !places_of(criterion, wanted).is_empty())
    }

    /// Checks that each wanted criterion is in the files.
    pub(super) fn check_criteria(&self, met: &BTreeSet<String>) -> Result<()> {
        let met = met.iter().map(String::as_str);
        let among = self.criteria_among(met.clone());
        among.map(drop).map_err(|name| {
            let known = "criteria are";
            Error::unknown_name("criterion", &name, known, met)
        })
    }

    /// Returns the wanted criteria, as they are called, in the order in which the user named them.
    ///
    /// # Errors
    /// A wanted name that is none of these.
    pub(in crate::records::import) fn criteria_among<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Vec<String>, String> {
        let wanted = self.criteria.as_deref().unwrap_or_default();
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        let mut found: BTreeMap<usize, String> = BTreeMap::new();
        for name in names {
            let places = places_of(name, wanted);
            if let Some(first) = places.first() {
                found.insert(*first, name.to_string());
            }
            covered.extend(places);
        }
        match (0..wanted.len()).find(|place| !covered.contains(place)) {
            Some(place) => Err(wanted[place].clone()),
            None => Ok(found.into_values().collect()),
        }
    }
}

/// Returns the places in `wanted` that name a criterion: several consecutive ones where it contains commas.
fn places_of(criterion: &str, wanted: &[String]) -> Vec<usize> {
    let length = criterion.split(',').count();
    let windows = wanted.windows(length).enumerate();
    let named = windows.filter(|(_, names)| names.join(",") == criterion);
    let whole = wanted
        .iter()
        .enumerate()
        .filter(|(_, name)| *name == criterion);
    let whole = whole.map(|(place, _)| place);
    named
        .flat_map(|(place, _)| place..place + length)
        .chain(whole)
        .collect()
}

/// A choice: its key, the words of messages after an unknown name and before several names, and their hint.
pub(in crate::records::import) struct Pick {
    pub key: &'static str,
    pub of: &'static str,
    pub several: &'static str,
    pub ask: &'static str,
}

impl Pick {
    /// The message about an unknown name.
    pub(crate) fn unknown(&self, name: &str, names: &[impl Borrow<str>]) -> String {
        let Self { key, of, .. } = self;
        format!("no {key} `{name}`{of}; {key}s are {}", names.join(", "))
    }

    /// The error for several names, with a hint how to pick each.
    pub(crate) fn undecided(&self, path: &Path, names: &[impl Borrow<str> + Display]) -> Error {
        let what = format!("{}: {}", self.several, names.join(", "));
        Error::input(path, what).with_hint(message!("{}: {}", self.ask, picks(self.key, names)))
    }
}

/// Lists what picks each of `names`.
pub(in crate::records::import) fn picks(key: &str, names: &[impl Display]) -> Message {
    Message::each(|audience| {
        let picks = names
            .iter()
            .map(|name| picked(key, name).shown_to(audience).to_string());
        picks.collect::<Vec<_>>().join(" or ")
    })
}

/// What picks `name`: a flag, or an argument of `load`. No pipeline picks.
pub(in crate::records::import) fn picked(key: &str, name: impl Display) -> Message {
    Message::except_in_python(
        format!("{} {key}={name}", Flag("pick")),
        format!("`pick={{{key:?}: \"{name}\"}}`"),
    )
}

/// Returns the name of a column in the files.
pub(in crate::records::import) fn called<'a>(
    options: &'a ImportOptions,
    column: &'a str,
) -> &'a str {
    let mut columns = options.columns.iter();
    columns
        .find(|(name, _)| name == column)
        .map_or(column, |(_, in_file)| in_file)
}
