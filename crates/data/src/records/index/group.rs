//! All rows of a data set about one item.

use super::codec::{ByteDecoder, ByteEncoder, damaged};
use super::entry::{EntryContent, EntryHead, IndexEntry, NameRanks, OutputContext};
use super::runs;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::{Arm, Outcome};
use tiebreak_base::error::Result;

/// All rows of a data set about one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The item's place in the order of items, from 0.
    pub position: u64,
    /// The item's name.
    pub item: String,
    /// The input that the systems were given.
    pub source: Option<String>,
    /// References: texts a good output may read like; possibly none.
    pub references: Vec<String>,
    /// The outputs, by system; each system at most once.
    pub outputs: Vec<GroupOutput>,
    /// People's preferences, in file order.
    pub comparisons: Vec<GroupComparison>,
    /// People's judgments, in file order.
    pub judgments: Vec<GroupJudgment>,
}

/// One system's output.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupOutput {
    /// The system: an index into [`Index::systems`](super::Index::systems).
    pub system: Arm,
    /// The text, possibly empty.
    pub text: String,
}

/// One preference.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupComparison {
    /// The place among all comparisons as they were recorded, from 0.
    pub place: u64,
    /// The system whose outcome is given.
    pub a: Arm,
    /// The opponent of `a`.
    pub b: Arm,
    /// The outcome of `a`.
    pub outcome: Outcome,
    /// The annotator.
    pub annotator: Option<String>,
    /// The cost of the comparison.
    pub cost: Cost,
    /// The ranking of several systems that the comparison is part of.
    pub ranking: Option<String>,
}

/// One judgment.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupJudgment {
    /// The place among all judgments as they were recorded, from 0.
    pub place: u64,
    /// The system whose output was judged.
    pub system: Arm,
    /// The criterion: an index into [`Index::criteria`](super::Index::criteria).
    pub criterion: usize,
    /// The answer; finite.
    pub score: f64,
    /// The annotator.
    pub annotator: Option<String>,
    /// The part of the item that was judged.
    pub part: Option<String>,
    /// The repeat (epoch, trial) of the output that was judged.
    pub repeat: Option<String>,
    /// The output as the annotator edited it, possibly to nothing.
    pub post_edit: Option<String>,
    /// The time that the judgment took, in seconds.
    pub seconds: Option<f64>,
}

impl Group {
    /// Returns the output of a system for this item.
    pub fn output(&self, system: Arm) -> Option<&str> {
        let at = self.outputs.binary_search_by_key(&system, |o| o.system);
        at.ok().map(|at| self.outputs[at].text.as_str())
    }

    /// Decodes the name of an item and the rows sorted under it, which are [consistent](super::agree).
    pub(super) fn decode(position: u64, bytes: &[u8], places: &NameRanks) -> Result<Self> {
        let take = &mut ByteDecoder(bytes);
        let mut group = Self {
            position,
            item: take.string()?,
            ..Self::default()
        };
        let (mut source, mut references) = (None, None);
        for row in runs::rows(take.0) {
            // The row of `items` comes first and has priority; outputs may add what it lacks.
            if let Some(context) = group.add(IndexEntry::decode(row?)?, places)? {
                source = source.or(context.source);
                references = references.or(context.references);
            }
        }
        let texts = references.unwrap_or_default().into_iter();
        group.references = texts.map(str::to_string).collect();
        group.source = source.map(str::to_string);
        group.outputs.sort_by_key(|output| output.system);
        Ok(group)
    }

    /// Adds a row; returns the source and references in it.
    fn add<'a>(
        &mut self,
        row: IndexEntry<'a>,
        places: &NameRanks,
    ) -> Result<Option<OutputContext<'a>>> {
        let EntryHead { place, names, .. } = row.head;
        match row.what {
            EntryContent::Item(context) => return Ok(Some(context)),
            EntryContent::Output(text, context) => {
                self.outputs.push(GroupOutput {
                    system: places.arm(names[0])?,
                    text: String::from_utf8(text.to_vec()).map_err(|_| damaged())?,
                });
                return Ok(context);
            }
            EntryContent::Comparison(comparison) => self.comparisons.push(GroupComparison {
                place,
                a: places.arm(names[0])?,
                b: places.arm(names[1])?,
                outcome: comparison.outcome,
                annotator: comparison.annotator.map(str::to_string),
                cost: comparison.cost,
                ranking: comparison.ranking.map(str::to_string),
            }),
            EntryContent::Judgment(judgment) => self.judgments.push(GroupJudgment {
                place,
                system: places.arm(names[0])?,
                criterion: places.criterion(names[1])?,
                ..judgment
            }),
        }
        Ok(None)
    }

    /// Decodes only the name of the item.
    pub(super) fn decode_item(bytes: &[u8]) -> Result<&str> {
        ByteDecoder(bytes).str()
    }
}

/// A comparison besides what is in its row's head.
#[derive(Debug, PartialEq)]
pub(super) struct ComparisonContent<'a> {
    pub outcome: Outcome,
    pub annotator: Option<&'a str>,
    pub cost: Cost,
    pub ranking: Option<&'a str>,
}

impl<'a> ComparisonContent<'a> {
    /// Appends the bytes of the comparison.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put_f64(self.outcome.value());
        out.put_option(self.annotator, ByteEncoder::put_str);
        out.put_option(self.cost.seconds, ByteEncoder::put_f64);
        out.put_option(self.cost.price, ByteEncoder::put_f64);
        out.put_option(self.ranking, ByteEncoder::put_str);
    }

    pub(super) fn decode(take: &mut ByteDecoder<'a>) -> Result<Self> {
        Ok(Self {
            outcome: Outcome::from_value(take.f64()?).ok_or_else(damaged)?,
            annotator: take.option(ByteDecoder::str)?,
            cost: Cost {
                seconds: take.option(ByteDecoder::f64)?,
                price: take.option(ByteDecoder::f64)?,
            },
            ranking: take.option(ByteDecoder::str)?,
        })
    }
}

impl GroupJudgment {
    /// Appends the bytes of the judgment, except those in its row's head.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.put_f64(self.score);
        out.put_option(self.annotator.as_deref(), ByteEncoder::put_str);
        out.put_option(self.part.as_deref(), ByteEncoder::put_str);
        out.put_option(self.repeat.as_deref(), ByteEncoder::put_str);
        out.put_option(self.post_edit.as_deref(), ByteEncoder::put_str);
        out.put_option(self.seconds, ByteEncoder::put_f64);
    }

    pub(super) fn decode(take: &mut ByteDecoder<'_>) -> Result<Self> {
        Ok(Self {
            place: 0,
            system: Arm(0),
            criterion: 0,
            score: take.f64()?,
            annotator: take.option(ByteDecoder::string)?,
            part: take.option(ByteDecoder::string)?,
            repeat: take.option(ByteDecoder::string)?,
            post_edit: take.option(ByteDecoder::string)?,
            seconds: take.option(ByteDecoder::f64)?,
        })
    }
}
