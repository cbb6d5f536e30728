//! A row as it is sorted: its contents without the item, and its place.

use super::codec::{ByteDecoder, ByteEncoder, damaged};
use super::group::{ComparisonContent, GroupJudgment};
use crate::records::Kind;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;

/// A row of any table, as it lies in the bytes.
#[derive(Debug, PartialEq)]
pub(super) struct IndexEntry<'a> {
    pub head: EntryHead,
    pub what: EntryContent<'a>,
}

/// The part of a row that is known only after all rows before it. Systems and criteria are still numbered in order
/// of appearance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EntryHead {
    pub kind: Kind,
    /// The line or row in the table's file.
    pub line: u64,
    /// The place among the rows of its table.
    pub place: u64,
    /// The two systems, or a system and a criterion.
    pub names: [usize; 2],
}

/// The contents of a row besides its head.
#[derive(Debug, PartialEq)]
pub(super) enum EntryContent<'a> {
    Item(OutputContext<'a>),
    /// The bytes of a text. The context is `None` where it is that of the item's previous output.
    Output(&'a [u8], Option<OutputContext<'a>>),
    Comparison(ComparisonContent<'a>),
    Judgment(GroupJudgment),
}

/// The source and references of an output, as far as its row has them.
#[derive(Debug, PartialEq)]
pub(super) struct OutputContext<'a> {
    pub source: Option<&'a str>,
    pub references: Option<Vec<&'a str>>,
}

/// The rank by name of every number in order of appearance.
#[derive(Debug, Default)]
pub(super) struct NameRanks {
    pub systems: Vec<Arm>,
    pub criteria: Vec<usize>,
}

impl NameRanks {
    /// Returns the system of a number.
    pub(super) fn arm(&self, number: usize) -> Result<Arm> {
        self.systems.get(number).copied().ok_or_else(damaged)
    }

    /// Returns the rank of a criterion.
    pub(super) fn criterion(&self, number: usize) -> Result<usize> {
        self.criteria.get(number).copied().ok_or_else(damaged)
    }

    /// Appends the bytes of the ranks.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put_list(&self.systems, |out, arm| out.put(u64::from(arm.0)));
        out.put_list(&self.criteria, |out, &place| out.put(place as u64));
    }

    /// Reads the bytes of [`Self::encode`].
    pub(super) fn decode(take: &mut ByteDecoder<'_>) -> Result<Self> {
        let arm = |take: &mut ByteDecoder<'_>| u16::try_from(take.take()?).map_err(|_| damaged());
        Ok(Self {
            systems: take.list(|take| arm(take).map(Arm))?,
            criteria: take.list(ByteDecoder::count)?,
        })
    }
}

impl<'a> OutputContext<'a> {
    /// Appends the bytes of an entry that is given in parts.
    pub(super) fn encode(
        source: Option<&str>,
        references: Option<&[impl AsRef<str>]>,
        out: &mut Vec<u8>,
    ) {
        out.put_option(source, ByteEncoder::put_str);
        out.put_option(references, |out, texts| {
            out.put_list(texts, |out, text| out.put_str(text.as_ref()));
        });
    }

    fn decode(take: &mut ByteDecoder<'a>) -> Result<Self> {
        Ok(Self {
            source: take.option(ByteDecoder::str)?,
            references: take.option(|take| take.list(ByteDecoder::str))?,
        })
    }
}

impl EntryHead {
    /// Replaces `out` by the bytes of the entry.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(self.kind as u8);
        out.put(self.line);
        out.put(self.place);
        self.names.iter().for_each(|&name| out.put(name as u64));
    }

    fn decode(take: &mut ByteDecoder<'_>) -> Result<Self> {
        let kind = take.byte()?;
        let kind = Kind::ALL.into_iter().find(|known| *known as u8 == kind);
        Ok(Self {
            kind: kind.ok_or_else(damaged)?,
            line: take.take()?,
            place: take.take()?,
            names: [take.count()?, take.count()?],
        })
    }
}

impl<'a> IndexEntry<'a> {
    /// Decodes a head and the contents after it.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Self> {
        let take = &mut ByteDecoder(bytes);
        let head = EntryHead::decode(take)?;
        let what = match head.kind {
            Kind::Items => EntryContent::Item(OutputContext::decode(take)?),
            Kind::Outputs => {
                EntryContent::Output(take.slice()?, take.option(OutputContext::decode)?)
            }
            Kind::Comparisons => EntryContent::Comparison(ComparisonContent::decode(take)?),
            Kind::Judgments => EntryContent::Judgment(GroupJudgment::decode(take)?),
        };
        Ok(Self { head, what })
    }
}
