//! Rows of a table as they are sorted: checked one by one, and encoded in few bytes.
//!
//! Several threads do this, each with rows of its own, so names have local numbers here, and
//! [`build`](super::build) replaces them by global ones.

use super::codec::ByteEncoder;
use super::entry::OutputContext;
use super::group::{ComparisonContent, GroupJudgment};
use crate::records::decimals::DecimalMarks;
use crate::records::ordered::ByteSize;
use crate::records::reader::{CellValue, RowChunk, RowLocation};
use crate::records::{
    ComparisonTexts, Dataset, ItemRecord, JudgmentRecord, Kind, OutputTexts, Row,
};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::ops::Range;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Location, Result};

/// Consecutive rows of a table.
pub(super) struct EncodedRows {
    pub kind: Kind,
    /// The item and the body of each row, concatenated.
    bytes: Vec<u8>,
    rows: Vec<RowSpan>,
    /// The number of rows so far, those left out included.
    pub seen: u64,
    /// The rows left out, which have no answer.
    pub unanswered: UnansweredRows,
    pub systems: LocalNameNumbering,
    pub criteria: LocalNameNumbering,
    /// How scores are written.
    pub decimals: DecimalMarks,
    /// The first broken row, after the others.
    pub mistake: Option<Error>,
}

/// Rows that nobody answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnansweredRows {
    /// The number of rows.
    pub count: u64,
    /// The line of the first, or its row in a binary format; 0 where there is none.
    pub first: u64,
}

impl UnansweredRows {
    /// Adds rows that come later.
    pub(super) fn add(&mut self, later: Self) {
        if self.count == 0 {
            self.first = later.first;
        }
        self.count += later.count;
    }
}

/// The span of a row in the bytes, and the names in it.
struct RowSpan {
    line: u64,
    /// The number of rows of the piece before it.
    place: u64,
    item: usize,
    body: usize,
    names: [u32; 2],
}

/// The ranges of an output's item and context (source and references). Consecutive rows of one item often
/// repeat these. The sort keeps their order, so that "as before" is still true afterwards.
struct PreviousOutput {
    item: Range<usize>,
    context: Range<usize>,
}

/// An encoded row, with the local numbers of its names.
pub(super) struct EncodedRow<'a> {
    pub line: u64,
    /// The number of rows of the piece before it.
    pub place: u64,
    pub item: &'a [u8],
    pub body: &'a [u8],
    pub names: [usize; 2],
}

/// Names in order of appearance, each with the first row that has it.
#[derive(Default)]
pub(super) struct LocalNameNumbering {
    numbers: HashMap<String, u32, RandomState>,
    pub names: Vec<(String, Location)>,
    /// The name that followed each the last time: items list systems in much the same order.
    next: Vec<u32>,
    last: u32,
}

impl LocalNameNumbering {
    fn number(&mut self, name: &str, place: RowLocation<'_>) -> u32 {
        let next = self.next.get(self.last as usize).copied();
        let number = match next.filter(|&next| self.names[next as usize].0 == name) {
            Some(next) => next,
            None => self.found(name, place),
        };
        if let Some(next) = self.next.get_mut(self.last as usize) {
            *next = number;
        }
        self.last = number;
        number
    }

    fn found(&mut self, name: &str, place: RowLocation<'_>) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push((name.to_string(), place.at()));
        self.next.push(number);
        self.numbers.insert(name.to_string(), number);
        number
    }
}

impl EncodedRows {
    /// Encodes the rows of a piece, up to the first that is broken.
    pub(super) fn new(dataset: &Dataset, kind: Kind, piece: RowChunk) -> Self {
        let mut encoded = Self {
            kind,
            bytes: Vec::with_capacity(piece.bytes()),
            rows: Vec::new(),
            seen: 0,
            unanswered: UnansweredRows::default(),
            systems: LocalNameNumbering::default(),
            criteria: LocalNameNumbering::default(),
            decimals: DecimalMarks::default(),
            mistake: None,
        };
        let rows = match kind {
            Kind::Items => piece.rows(|row| encoded.item(row)),
            Kind::Outputs => {
                let mut before = None;
                piece.outputs(|texts, place| {
                    encoded.output(&texts, place, &mut before);
                    Ok(())
                })
            }
            Kind::Comparisons => piece.rows(|row| encoded.comparison(dataset, row)),
            Kind::Judgments => piece.rows(|row| encoded.judgment(dataset, row)),
        };
        encoded.mistake = rows.err();
        encoded
    }

    /// The system that a row compares with this one, by the first row that does.
    pub(super) fn opponent(&self, system: u32) -> Option<&str> {
        let of_pairs = self.kind == Kind::Comparisons;
        let mut rows = self.rows.iter().filter(|_| of_pairs);
        let row = rows.find(|row| row.names.contains(&system))?;
        let other = row.names[usize::from(row.names[0] == system)];
        Some(&self.systems.names[other as usize].0)
    }

    /// Calls `each` for every row in order.
    pub(super) fn rows(&self, mut each: impl FnMut(EncodedRow<'_>) -> Result<()>) -> Result<()> {
        let mut rest = &self.bytes[..];
        for row in &self.rows {
            let (item, after) = rest.split_at(row.item);
            let (body, after) = after.split_at(row.body);
            rest = after;
            each(EncodedRow {
                line: row.line,
                place: row.place,
                item,
                body,
                names: row.names.map(|name| name as usize),
            })?;
        }
        Ok(())
    }

    fn item(&mut self, row: &Row) -> Result<()> {
        let item = ItemRecord::from_row(row)?;
        let references = item.references.as_deref();
        self.push(row.row_location(), &item.item, [0; 2], |out| {
            OutputContext::encode(item.source.as_deref(), references, out);
        });
        Ok(())
    }

    fn output(
        &mut self,
        texts: &OutputTexts<'_>,
        place: RowLocation<'_>,
        before: &mut Option<PreviousOutput>,
    ) {
        let names = [self.systems.number(&texts.system, place), 0];
        let item = self.bytes.len()..self.bytes.len() + texts.item.len();
        self.push(place, &texts.item, names, |out| {
            out.put_str(&texts.output);
            let start = out.len();
            out.put_option(texts.against.as_ref(), |out, against| {
                OutputContext::encode(
                    against.source.as_deref(),
                    against.references.as_deref(),
                    out,
                );
            });
            if texts.against.is_none() {
                return;
            }
            let known = |before: &PreviousOutput| {
                out[before.item.clone()] == out[item.clone()]
                    && out[before.context.clone()] == out[start..]
            };
            if before.as_ref().is_some_and(known) {
                out.truncate(start);
                out.put_option(None::<()>, |_, ()| {});
            } else {
                let context = start..out.len();
                *before = Some(PreviousOutput { item, context });
            }
        });
    }

    fn comparison(&mut self, dataset: &Dataset, row: &Row) -> Result<()> {
        let comparison = match ComparisonTexts::from_row(row, dataset.outcomes()) {
            Err(_) if row.lacks_value("outcome") || is_left_out(dataset, row) => {
                self.leave_out(row);
                return Ok(());
            }
            read => read?,
        };
        let what = ComparisonContent {
            outcome: comparison.outcome,
            annotator: comparison.annotator.as_deref(),
            cost: comparison.cost,
            ranking: comparison.ranking.as_deref(),
        };
        let systems = [&comparison.system_a, &comparison.system_b];
        let systems = systems.map(|name| self.systems.number(name, row.row_location()));
        self.push(row.row_location(), &comparison.item, systems, |out| {
            what.encode(out);
        });
        Ok(())
    }

    fn judgment(&mut self, dataset: &Dataset, row: &Row) -> Result<()> {
        let judgment = match JudgmentRecord::from_row(row) {
            Err(_) if row.lacks_value("score") => {
                self.leave_out(row);
                return Ok(());
            }
            read => read?,
        };
        let (criterion, score) = (&judgment.criterion, judgment.score);
        if let Some([low, high]) = dataset.descriptor().range(criterion)
            && !(low..=high).contains(&score)
        {
            let what = format!("`score` is {score}, outside the range {low} to {high}");
            return Err(row.error(what).with_hint(format!(
                "dataset.toml declares the range of `{criterion}`: correct either"
            )));
        }
        if let Some(CellValue::Text(text)) = row.cell("score") {
            self.decimals.note(text, || row.at());
        }
        let what = GroupJudgment {
            place: 0,
            system: Arm(0),
            criterion: 0,
            score: judgment.score,
            annotator: judgment.annotator,
            part: judgment.part,
            repeat: judgment.repeat,
            post_edit: judgment.post_edit,
            seconds: judgment.seconds,
        };
        let system = self.systems.number(&judgment.system, row.row_location());
        let criterion = self
            .criteria
            .number(&judgment.criterion, row.row_location());
        self.push(
            row.row_location(),
            &judgment.item,
            [system, criterion],
            |out| {
                what.encode(out);
            },
        );
        Ok(())
    }

    /// Counts a row that nobody answered.
    fn leave_out(&mut self, row: &Row) {
        self.seen += 1;
        self.unanswered.add(UnansweredRows {
            count: 1,
            first: row.row_location().number_in_file(),
        });
    }

    fn push(
        &mut self,
        place: RowLocation<'_>,
        item: &str,
        names: [u32; 2],
        encode: impl FnOnce(&mut Vec<u8>),
    ) {
        self.bytes.extend_from_slice(item.as_bytes());
        let start = self.bytes.len();
        encode(&mut self.bytes);
        self.rows.push(RowSpan {
            line: place.number_in_file(),
            place: self.seen,
            item: item.len(),
            body: self.bytes.len() - start,
            names,
        });
        self.seen += 1;
    }
}

/// Whether the word for a comparison's outcome is one whose rows are left out.
fn is_left_out(dataset: &Dataset, row: &Row) -> bool {
    let word = row.cell("outcome").and_then(CellValue::to_text);
    word.is_some_and(|word| dataset.outcomes().leaves_out(&word))
}
