//! The epochs of a log: which count, and which gives the output.

use super::{InspectLog, has_failed};
use crate::records::import::frame::{ImportOptions, ImportRecord, Repeats, picked};
use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::message;

/// The epochs that count, as the user chose.
pub(super) enum EpochChoice {
    /// All, or the first that did not fail.
    Repeats(Repeats),
    /// The one of this number.
    One(u64),
}

/// The epochs of one log.
pub(super) struct LogEpochs<'a> {
    choice: &'a EpochChoice,
    /// The first epoch of each sample that did not fail, where the log has several.
    first: BTreeMap<String, u64>,
}

impl EpochChoice {
    pub(super) fn of_options(options: &ImportOptions) -> Result<Self> {
        let Some(text) = options.picked("epoch") else {
            return Ok(Self::Repeats(options.repeats));
        };
        let number = text.parse().map(Self::One);
        number.map_err(|_| Error::usage(message!("{}: expected a number", picked("epoch", text))))
    }

    pub(super) fn description(&self) -> String {
        match self {
            Self::Repeats(Repeats::All) => "repeats: epochs".to_string(),
            Self::Repeats(Repeats::First) => "the first epoch".to_string(),
            Self::One(number) => format!("epoch {number}"),
        }
    }
}

impl<'a> LogEpochs<'a> {
    /// Reads the epochs of a log, unless its header says that there is one.
    pub(super) fn choose(log: &InspectLog<'_>, choice: &'a EpochChoice) -> Result<Self> {
        let mut epochs = Self {
            choice,
            first: BTreeMap::new(),
        };
        let told = log.header.get("eval").get("config").get("epochs");
        if matches!(choice, EpochChoice::One(_)) || told.value().as_u64() == Some(1) {
            return Ok(epochs);
        }
        let mut has_several = false;
        log.samples(&mut |sample| {
            let number = epoch(&sample);
            has_several |= number != 1;
            if !has_failed(&sample) {
                let first = epochs.first.entry(sample.get("id").name()?);
                let first = first.or_insert(number);
                *first = number.min(*first);
            }
            Ok(())
        })?;
        if !has_several {
            epochs.first.clear();
        }
        Ok(epochs)
    }

    /// Whether a sample counts.
    pub(super) fn takes(&self, sample: &ImportRecord) -> Result<bool> {
        match self.choice {
            EpochChoice::One(one) => Ok(epoch(sample) == *one),
            EpochChoice::Repeats(Repeats::All) => Ok(true),
            EpochChoice::Repeats(Repeats::First) => self.gives_output(sample),
        }
    }

    /// Whether the output of a sample is the one that counts.
    pub(super) fn gives_output(&self, sample: &ImportRecord) -> Result<bool> {
        let first = self.first.get(&sample.get("id").name()?);
        Ok(first.is_none_or(|first| *first == epoch(sample)))
    }

    /// The name of a sample's repeat, where the log has several.
    pub(super) fn repeat(&self, sample: &ImportRecord) -> Result<Option<String>> {
        let first = self.first.get(&sample.get("id").name()?);
        Ok(first.map(|_| epoch(sample).to_string()))
    }
}

/// The epoch of a sample; 1 where it does not say.
fn epoch(sample: &ImportRecord) -> u64 {
    sample.get("epoch").value().as_u64().unwrap_or(1)
}
