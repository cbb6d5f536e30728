//! One row as it travels through the sort: what it says, without its item, and where it stood.

use super::codec::{Put, Take, damaged};
use super::group::{GroupComparison, GroupJudgment, GroupOutput};
use crate::error::Result;
use crate::records::Kind;

/// A row of any table. Systems and criteria still have their numbers in the order they were met.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    /// The line or row in the table's file.
    pub line: u64,
    pub what: What,
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

impl Entry {
    /// The table the row comes from.
    pub fn kind(&self) -> Kind {
        match self.what {
            What::Item(_) => Kind::Items,
            What::Output(..) => Kind::Outputs,
            What::Comparison(_) => Kind::Comparisons,
            What::Judgment(_) => Kind::Judgments,
        }
    }

    /// Replaces `out` by the row's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(self.kind() as u8);
        out.put(self.line);
        match &self.what {
            What::Item(context) => context.encode(out),
            What::Output(output, context) => {
                output.encode(out);
                out.put_option(context.as_ref(), |out, context| context.encode(out));
            }
            What::Comparison(comparison) => comparison.encode(out),
            What::Judgment(judgment) => judgment.encode(out),
        }
    }

    /// Reads what [`Entry::encode`] wrote.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let take = &mut Take(bytes);
        let kind = take.byte()?;
        let line = take.take()?;
        let kind = Kind::ALL.into_iter().find(|known| *known as u8 == kind);
        let what = match kind.ok_or_else(damaged)? {
            Kind::Items => What::Item(Context::decode(take)?),
            Kind::Outputs => {
                What::Output(GroupOutput::decode(take)?, take.option(Context::decode)?)
            }
            Kind::Comparisons => What::Comparison(GroupComparison::decode(take)?),
            Kind::Judgments => What::Judgment(GroupJudgment::decode(take)?),
        };
        Ok(Self { line, what })
    }
}
