//! Everything a data set says about one item.

use super::codec::{Put, Take, damaged};
use crate::duel::{Arm, Outcome};
use crate::error::Result;

/// Everything a data set says about one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The item's place in the order of items, from 0.
    pub position: u64,
    /// Its name.
    pub item: String,
    /// What the systems were given.
    pub source: Option<String>,
    /// Texts a good output may read like; possibly none.
    pub references: Vec<String>,
    /// What the systems made of it, by system; each system at most once.
    pub outputs: Vec<GroupOutput>,
    /// People's preferences, in file order.
    pub comparisons: Vec<GroupComparison>,
    /// People's judgments, in file order.
    pub judgments: Vec<GroupJudgment>,
}

/// One system's output.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupOutput {
    /// Into [`Index::systems`](super::Index::systems).
    pub system: Arm,
    /// The text, possibly empty.
    pub text: String,
}

/// One preference.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupComparison {
    /// Its place among all comparisons as they were recorded, from 0.
    pub place: u64,
    /// The system whose outcome is told.
    pub a: Arm,
    /// Its opponent.
    pub b: Arm,
    /// How `a` fared.
    pub outcome: Outcome,
    /// Who judged.
    pub annotator: Option<String>,
    /// How long it took.
    pub seconds: Option<f64>,
}

/// One judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupJudgment {
    /// Its place among all judgments as they were recorded, from 0.
    pub place: u64,
    /// Whose output was judged.
    pub system: Arm,
    /// Into [`Index::criteria`](super::Index::criteria).
    pub criterion: usize,
    /// The answer; finite.
    pub score: f64,
    /// Who judged.
    pub annotator: Option<String>,
    /// The part of the item that was judged.
    pub part: Option<String>,
    /// The output as the annotator edited it, possibly to nothing.
    pub post_edit: Option<String>,
    /// How long it took.
    pub seconds: Option<f64>,
}

impl Group {
    /// The output of a system for this item.
    pub fn output(&self, system: Arm) -> Option<&str> {
        let at = self.outputs.binary_search_by_key(&system, |o| o.system);
        at.ok().map(|at| self.outputs[at].text.as_str())
    }

    /// Appends the group's bytes, all but its position.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put_str(&self.item);
        out.put_option(self.source.as_deref(), Put::put_str);
        out.put_list(&self.references, |out, text| out.put_str(text));
        out.put_list(&self.outputs, |out, output| output.encode(out));
        out.put_list(&self.comparisons, |out, comparison| comparison.encode(out));
        out.put_list(&self.judgments, |out, judgment| judgment.encode(out));
    }

    /// Reads what [`Group::encode`] wrote.
    pub(super) fn decode(position: u64, bytes: &[u8]) -> Result<Self> {
        let take = &mut Take(bytes);
        Ok(Self {
            position,
            item: take.string()?,
            source: take.option(Take::string)?,
            references: take.list(Take::string)?,
            outputs: take.list(GroupOutput::decode)?,
            comparisons: take.list(GroupComparison::decode)?,
            judgments: take.list(GroupJudgment::decode)?,
        })
    }

    /// The name of the item alone.
    pub(super) fn decode_item(bytes: &[u8]) -> Result<&str> {
        Take(bytes).str()
    }
}

impl GroupOutput {
    fn encode(&self, out: &mut Vec<u8>) {
        Self::encode_parts(self.system, &self.text, out);
    }

    pub(super) fn encode_parts(system: Arm, text: &str, out: &mut Vec<u8>) {
        out.put(u64::from(system.0));
        out.put_str(text);
    }

    pub(super) fn decode(take: &mut Take<'_>) -> Result<Self> {
        Ok(Self {
            system: arm(take)?,
            text: take.string()?,
        })
    }
}

impl GroupComparison {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put(self.place);
        out.put(u64::from(self.a.0));
        out.put(u64::from(self.b.0));
        out.put_f64(self.outcome.value());
        out.put_option(self.annotator.as_deref(), Put::put_str);
        out.put_option(self.seconds, Put::put_f64);
    }

    pub(super) fn decode(take: &mut Take<'_>) -> Result<Self> {
        Ok(Self {
            place: take.take()?,
            a: arm(take)?,
            b: arm(take)?,
            outcome: Outcome::from_value(take.f64()?).ok_or_else(damaged)?,
            annotator: take.option(Take::string)?,
            seconds: take.option(Take::f64)?,
        })
    }
}

impl GroupJudgment {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put(self.place);
        out.put(u64::from(self.system.0));
        out.put(self.criterion as u64);
        out.put_f64(self.score);
        out.put_option(self.annotator.as_deref(), Put::put_str);
        out.put_option(self.part.as_deref(), Put::put_str);
        out.put_option(self.post_edit.as_deref(), Put::put_str);
        out.put_option(self.seconds, Put::put_f64);
    }

    pub(super) fn decode(take: &mut Take<'_>) -> Result<Self> {
        Ok(Self {
            place: take.take()?,
            system: arm(take)?,
            criterion: usize::try_from(take.take()?).map_err(|_| damaged())?,
            score: take.f64()?,
            annotator: take.option(Take::string)?,
            part: take.option(Take::string)?,
            post_edit: take.option(Take::string)?,
            seconds: take.option(Take::f64)?,
        })
    }
}

fn arm(take: &mut Take<'_>) -> Result<Arm> {
    u16::try_from(take.take()?).map(Arm).map_err(|_| damaged())
}
