//! One row as it travels through the sort: what it says, without its item, and where it stood.

use super::codec::{Put, Take, damaged};
use crate::duel::Outcome;
use crate::error::Result;
use crate::records::Kind;

/// A row of any table. Systems and criteria are numbers, in the order they were met.
#[derive(Debug, PartialEq)]
pub(super) struct Entry {
    /// The line or row in the table's file.
    pub line: u64,
    pub what: What,
}

#[derive(Debug, PartialEq)]
pub(super) enum What {
    Item(Context),
    Output {
        system: u64,
        text: String,
        /// `None` where it is that of the item's output before.
        context: Option<Context>,
    },
    Comparison {
        systems: [u64; 2],
        outcome: Outcome,
        annotator: Option<String>,
        seconds: Option<f64>,
    },
    Judgment {
        system: u64,
        criterion: u64,
        score: f64,
        annotator: Option<String>,
        part: Option<String>,
        post_edit: Option<String>,
        seconds: Option<f64>,
    },
}

/// What an output is judged against, as far as a row says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Context {
    pub source: Option<String>,
    pub references: Option<Vec<String>>,
}

impl Context {
    fn encode(&self, out: &mut Vec<u8>) {
        out.put_option(self.source.as_ref(), |out, text| out.put_str(text));
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

fn put_text(out: &mut Vec<u8>, text: Option<&String>) {
    out.put_option(text, |out, text| out.put_str(text));
}

impl Entry {
    /// The table the row comes from.
    pub fn kind(&self) -> Kind {
        match self.what {
            What::Item(_) => Kind::Items,
            What::Output { .. } => Kind::Outputs,
            What::Comparison { .. } => Kind::Comparisons,
            What::Judgment { .. } => Kind::Judgments,
        }
    }

    /// Replaces `out` by the row's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.clear();
        out.push(self.kind() as u8);
        out.put(self.line);
        match &self.what {
            What::Item(context) => context.encode(out),
            What::Output {
                system,
                text,
                context,
            } => {
                out.put(*system);
                out.put_str(text);
                out.put_option(context.as_ref(), |out, context| context.encode(out));
            }
            What::Comparison {
                systems: [a, b],
                outcome,
                annotator,
                seconds,
            } => {
                out.put(*a);
                out.put(*b);
                out.put_f64(outcome.value());
                put_text(out, annotator.as_ref());
                out.put_option(*seconds, Put::put_f64);
            }
            What::Judgment {
                system,
                criterion,
                score,
                annotator,
                part,
                post_edit,
                seconds,
            } => {
                out.put(*system);
                out.put(*criterion);
                out.put_f64(*score);
                put_text(out, annotator.as_ref());
                put_text(out, part.as_ref());
                put_text(out, post_edit.as_ref());
                out.put_option(*seconds, Put::put_f64);
            }
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
            Kind::Outputs => What::Output {
                system: take.take()?,
                text: take.string()?,
                context: take.option(Context::decode)?,
            },
            Kind::Comparisons => What::Comparison {
                systems: [take.take()?, take.take()?],
                outcome: Outcome::from_value(take.f64()?).ok_or_else(damaged)?,
                annotator: take.option(Take::string)?,
                seconds: take.option(Take::f64)?,
            },
            Kind::Judgments => What::Judgment {
                system: take.take()?,
                criterion: take.take()?,
                score: take.f64()?,
                annotator: take.option(Take::string)?,
                part: take.option(Take::string)?,
                post_edit: take.option(Take::string)?,
                seconds: take.option(Take::f64)?,
            },
        };
        Ok(Self { line, what })
    }
}
