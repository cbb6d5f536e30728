//! One row as it travels through the sort: what it says, without its item, and where it stood.

use super::codec::{Put, Take, damaged};
use super::group::{GroupComparison, GroupJudgment, GroupOutput};
use crate::duel::Arm;
use crate::error::Result;
use crate::records::Kind;
use std::borrow::Cow;

/// A row of any table. Systems and criteria still have their numbers in the order they were met.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    pub head: Head,
    pub what: What,
}

/// What is known of a row only once those before it are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Head {
    pub kind: Kind,
    /// The line or row in the table's file.
    pub line: u64,
    /// Its place among the rows of its table.
    pub place: u64,
    /// The systems it names, or a system and a criterion.
    pub names: [usize; 2],
}

#[derive(Debug, PartialEq)]
pub(super) enum What {
    Item(Context),
    /// The context is `None` where it is that of the item's output before.
    Output(GroupOutput, Option<Context>),
    Comparison(GroupComparison),
    Judgment(GroupJudgment),
}

/// What an output is judged against, as far as a row says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Context {
    pub source: Option<String>,
    pub references: Option<Vec<String>>,
}

impl Context {
    /// Whether it says the same.
    pub fn is(&self, source: Option<&str>, references: Option<&[Cow<'_, str>]>) -> bool {
        self.source.as_deref() == source
            && match (&self.references, references) {
                (Some(own), Some(said)) => own
                    .iter()
                    .map(String::as_str)
                    .eq(said.iter().map(|text| &**text)),
                (None, None) => true,
                _ => false,
            }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.put_option(self.source.as_deref(), Put::put_str);
        out.put_option(self.references.as_ref(), |out, texts| {
            out.put_list(texts, |out, text| out.put_str(text));
        });
    }

    fn decode(take: &mut Take<'_>) -> Result<Self> {
        Ok(Self {
            source: take.option(Take::string)?,
            references: take.option(|take| take.list(Take::string))?,
        })
    }
}

impl Head {
    /// Replaces `out` by its bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(self.kind as u8);
        out.put(self.line);
        out.put(self.place);
        self.names.iter().for_each(|&name| out.put(name as u64));
    }

    fn decode(take: &mut Take<'_>) -> Result<Self> {
        let kind = take.byte()?;
        let kind = Kind::ALL.into_iter().find(|known| *known as u8 == kind);
        let (kind, line, place) = (kind.ok_or_else(damaged)?, take.take()?, take.take()?);
        let mut name = || usize::try_from(take.take()?).map_err(|_| damaged());
        let names = [name()?, name()?];
        Ok(Self {
            kind,
            line,
            place,
            names,
        })
    }

    fn arm(&self, which: usize) -> Result<Arm> {
        let number = u16::try_from(self.names[which]);
        number.map(Arm).map_err(|_| damaged())
    }
}

impl What {
    /// Appends its bytes, all but what the head says.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Item(context) => context.encode(out),
            Self::Output(GroupOutput { system, text }, context) => {
                Self::encode_output(*system, text, context.as_ref(), out);
            }
            Self::Comparison(comparison) => comparison.encode(out),
            Self::Judgment(judgment) => judgment.encode(out),
        }
    }

    /// The same of an output that is not there as one.
    pub fn encode_output(system: Arm, text: &str, context: Option<&Context>, out: &mut Vec<u8>) {
        GroupOutput::encode_parts(system, text, out);
        out.put_option(context, |out, context| context.encode(out));
    }

    fn decode(take: &mut Take<'_>, head: &Head) -> Result<Self> {
        let place = head.place;
        Ok(match head.kind {
            Kind::Items => Self::Item(Context::decode(take)?),
            Kind::Outputs => {
                let output = GroupOutput {
                    system: head.arm(0)?,
                    ..GroupOutput::decode(take)?
                };
                Self::Output(output, take.option(Context::decode)?)
            }
            Kind::Comparisons => {
                let (a, b) = (head.arm(0)?, head.arm(1)?);
                let rest = GroupComparison::decode(take)?;
                Self::Comparison(GroupComparison {
                    place,
                    a,
                    b,
                    ..rest
                })
            }
            Kind::Judgments => Self::Judgment(GroupJudgment {
                place,
                system: head.arm(0)?,
                criterion: head.names[1],
                ..GroupJudgment::decode(take)?
            }),
        })
    }
}

impl Entry {
    /// Reads a head and what follows it.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let take = &mut Take(bytes);
        let head = Head::decode(take)?;
        let what = What::decode(take, &head)?;
        Ok(Self { head, what })
    }
}
