//! A data set in the making: what readers of formats tell it, checked against what was told before.
//!
//! Of every item, output and predicted pair it keeps a few dozen bytes, however long the texts are, so that no two
//! texts come under one name and nothing stands twice.

use super::account::Imported;
use super::options::{Nulls, Options};
use super::record::Node;
use super::writer::{ComparisonRow, ItemRow, More, OutputRow, PredictionRow, Row, Writer};
use crate::cost::Cost;
use crate::duel::Outcome;
use crate::error::{Error, Result};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// A data set in the making.
pub(in crate::records::import) struct Builder<'a> {
    /// What the user said.
    pub options: &'a Options,
    account: Imported,
    writer: Writer,
    /// Of each item what it is.
    items: HashMap<u128, u64>,
    /// Of each output its text.
    outputs: HashMap<u128, u64>,
    predictions: HashSet<u128>,
    /// Every item that anything was said about.
    met: HashSet<u128>,
    systems: HashSet<String>,
    criteria: HashSet<String>,
}

/// A comparison as a format tells it.
#[derive(Debug, Clone, Copy)]
pub(in crate::records::import) struct Compared<'a> {
    pub item: &'a str,
    pub system_a: &'a str,
    pub system_b: &'a str,
    pub outcome: Outcome,
    pub label: Option<&'a str>,
    pub annotator: Option<&'a str>,
    pub cost: Cost,
}

/// Under which criterion a post-edit counts as such: whether anything was changed.
pub const EDITED: &str = "edited";

/// A judgment as a format tells it, and as it is written.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(in crate::records::import) struct Judged<'a> {
    pub item: &'a str,
    pub system: &'a str,
    pub criterion: &'a str,
    pub score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotator: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_edit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

impl Row for Judged<'_> {
    const TABLE: &'static str = "judgments";
}

impl<'a> Builder<'a> {
    /// Begins the data set that will be at `out`.
    ///
    /// # Errors
    /// If nothing can be written beside `out`.
    pub fn create(out: &Path, options: &'a Options, format: &str) -> Result<Self> {
        Ok(Self {
            options,
            account: Imported {
                format: format.to_string(),
                ..Imported::default()
            },
            writer: Writer::create(out)?,
            items: HashMap::new(),
            outputs: HashMap::new(),
            predictions: HashSet::new(),
            met: HashSet::new(),
            systems: HashSet::new(),
            criteria: HashSet::new(),
        })
    }

    /// Tells what an item is; false where it is something else already, so that what belongs to it has to be left
    /// out.
    ///
    /// # Errors
    /// If writing fails.
    pub fn item(
        &mut self,
        item: &str,
        source: Option<&str>,
        references: &[String],
    ) -> Result<bool> {
        self.item_of(item, digest(&(source, references)), source, references)
    }

    /// The same where the file says by `identity` what the item is: its texts may differ between systems, as prompts
    /// do, and the first are taken.
    ///
    /// # Errors
    /// If writing fails.
    pub fn item_of(
        &mut self,
        item: &str,
        identity: u64,
        source: Option<&str>,
        references: &[String],
    ) -> Result<bool> {
        let key = self.meet(item);
        if let Some(known) = self.items.get(&key) {
            return Ok(*known == identity);
        }
        self.items.insert(key, identity);
        self.account.source |= source.is_some();
        self.account.references = self.account.references.max(references.len());
        self.writer.push(&ItemRow {
            item,
            source,
            references,
        })?;
        Ok(true)
    }

    /// Tells what a system wrote; null is an empty text, unless that is a mistake. False where another text of it is
    /// there already: then this one is left out.
    ///
    /// # Errors
    /// If it is null and must not be, or writing fails.
    pub fn output(
        &mut self,
        item: &str,
        system: &str,
        output: Option<&str>,
        at: Node<'_>,
    ) -> Result<bool> {
        let strict = self.options.nulls == Nulls::Error;
        let text = match output {
            Some(text) => text,
            None if strict => {
                return Err(at
                    .error(format!("the output of system `{system}` is null"))
                    .with_hint("--nulls empty takes it for an empty text"));
            }
            None => "",
        };
        let item_key = self.meet(item);
        let (key, told) = (wide(&(item_key, system)), digest(&text));
        if let Some(known) = self.outputs.get(&key).copied() {
            if known != told {
                self.drop("another text of the same system for the same item");
            }
            return Ok(known == told);
        }
        self.outputs.insert(key, told);
        self.account.nulls += u64::from(output.is_none());
        self.account.outputs += 1;
        if !self.items.contains_key(&item_key) {
            self.item(item, None, &[])?;
        }
        self.system(system);
        self.writer.push(&OutputRow {
            item,
            system,
            output: text,
        })?;
        Ok(true)
    }

    /// Tells how two systems compared.
    ///
    /// # Errors
    /// If writing fails.
    pub fn comparison(&mut self, compared: &Compared<'_>, more: &More) -> Result<()> {
        let Compared {
            item,
            system_a,
            system_b,
            outcome,
            label,
            annotator,
            cost,
        } = *compared;
        if system_a == system_b {
            self.drop("a system compared with itself");
            return Ok(());
        }
        self.meet(item);
        self.system(system_a);
        self.system(system_b);
        self.account.comparisons += 1;
        self.writer.push(&ComparisonRow {
            item,
            system_a,
            system_b,
            outcome: outcome.value(),
            label,
            annotator,
            seconds: cost.seconds,
            price: cost.price,
            more,
        })
    }

    /// Tells how an output was judged, where the criterion is wanted.
    ///
    /// # Errors
    /// If writing fails.
    pub fn judgment(&mut self, judged: &Judged<'_>) -> Result<()> {
        let criterion = judged.criterion;
        if !self.options.wants(criterion) {
            return Ok(());
        }
        self.meet(judged.item);
        self.system(judged.system);
        if self.criteria.insert(criterion.to_string()) {
            self.account.criteria.push(criterion.to_string());
        }
        self.account.judgments += 1;
        self.writer.push(judged)
    }

    /// Adds what a text became under somebody's hands, as a judgment of its own.
    ///
    /// # Errors
    /// As [`judgment`](Self::judgment).
    pub fn edited(&mut self, judged: &Judged<'_>, text: &str, edited: &str) -> Result<()> {
        self.judgment(&Judged {
            criterion: EDITED,
            score: f64::from(u8::from(edited != text)),
            post_edit: Some(edited),
            ..*judged
        })
    }

    /// Tells what an output measured under a criterion; what is no number is left out, and counted.
    ///
    /// # Errors
    /// If writing fails.
    pub fn measured(
        &mut self,
        item: &str,
        system: &str,
        criterion: &str,
        score: Option<f64>,
    ) -> Result<()> {
        let Some(score) = score else {
            self.drop(format!("{criterion} is no number"));
            return Ok(());
        };
        self.judgment(&Judged {
            item,
            system,
            criterion,
            score,
            ..Judged::default()
        })
    }

    /// Tells how probably the first of two systems is preferred.
    ///
    /// # Errors
    /// If writing fails.
    pub fn prediction(&mut self, item: &str, system_a: &str, system_b: &str, p: f64) -> Result<()> {
        if system_a == system_b {
            self.drop("a system compared with itself");
            return Ok(());
        }
        let item_key = self.meet(item);
        let pair = (system_a.min(system_b), system_a.max(system_b));
        if !self.predictions.insert(wide(&(item_key, pair))) {
            self.drop("another prediction of the same pair");
            return Ok(());
        }
        self.system(system_a);
        self.system(system_b);
        self.account.predictions += 1;
        self.writer.push(&PredictionRow {
            item,
            system_a,
            system_b,
            p,
        })
    }

    /// Counts something that is left out.
    pub fn drop(&mut self, reason: impl Into<String>) {
        self.account.drop(reason, 1);
    }

    /// Counts several things that are left out.
    pub fn drop_many(&mut self, reason: impl Into<String>, count: u64) {
        self.account.drop(reason, count);
    }

    /// Says what was taken for what.
    pub fn taken(&mut self, line: impl Into<String>) {
        self.account.taken.push(line.into());
    }

    /// Says something else the user should know, once.
    pub fn note(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !self.account.notes.contains(&line) {
            self.account.notes.push(line);
        }
    }

    /// Puts the data set in its place.
    ///
    /// # Errors
    /// If there is nothing in it, something else is there, or writing fails.
    pub fn finish(mut self, from: &Path) -> Result<Imported> {
        self.account.items = self.met.len() as u64;
        let Imported {
            outputs,
            comparisons,
            judgments,
            predictions,
            ..
        } = self.account;
        if outputs + comparisons + judgments + predictions == 0 {
            let what = format!("nothing to import, read as {}", self.account.format);
            let dropped = self.account.dropped.iter();
            let dropped = dropped.map(|one| format!("{} ({})", one.count, one.reason));
            let dropped = dropped.collect::<Vec<_>>().join(", ");
            let error = Error::input(from, what);
            return Err(match dropped.is_empty() {
                true => error,
                false => error.with_hint(format!("left out: {dropped}")),
            });
        }
        let made = format!("{}, by tiebreak import", self.account.format);
        self.writer.finish(&made)?;
        Ok(self.account)
    }

    fn meet(&mut self, item: &str) -> u128 {
        let key = wide(&item);
        self.met.insert(key);
        key
    }

    fn system(&mut self, system: &str) {
        if !self.systems.contains(system) {
            self.systems.insert(system.to_string());
            self.account.systems.push(system.to_string());
        }
    }
}

/// A number that stands for a value within one run.
pub(in crate::records::import) fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The same in 128 bits, for names of which there are many.
fn wide(value: &impl Hash) -> u128 {
    (u128::from(digest(&(0u8, value))) << 64) | u128::from(digest(&(1u8, value)))
}

/// The name of an item that has none: of what it asks, the same in every file and on every day.
pub(in crate::records::import) fn key_of(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hex = |byte: &u8| format!("{byte:02x}");
    format!("q{}", hash[..6].iter().map(hex).collect::<String>())
}
