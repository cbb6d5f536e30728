//! Consistency checks between the rows of one item.
//!
//! Rows arrive by item, so mistakes are met in the order of items; the one reported is the first
//! in file order, which is where a person would start to fix them.

use super::codec::ByteDecoder;
use super::entry::{EntryContent, EntryHead, IndexEntry, NameRanks, OutputContext};
use super::runs;
use crate::records::{Dataset, Kind};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Result};

/// A checker of the rows of items.
pub(super) struct Checker<'a> {
    pub dataset: &'a Dataset,
    /// The systems by number.
    pub names: &'a [String],
    pub places: &'a NameRanks,
}

/// An inconsistency between rows.
pub(super) struct Mistake {
    kind: Kind,
    line: u64,
    error: Error,
    /// The item that another table lacks, and this table.
    lacking: Option<(String, Kind)>,
}

/// The other spelling of a whole number: `1.0` of `1`, and `1` of `1.0`.
fn other_spelling(item: &str) -> Option<String> {
    let is_whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match item.strip_suffix(".0") {
        Some(whole) => is_whole(whole).then(|| whole.to_string()),
        None => is_whole(item).then(|| format!("{item}.0")),
    }
}

impl Mistake {
    /// Returns the error, with a hint where the item that a table lacks is there as another number.
    pub(super) fn error(self, dataset: &Dataset) -> Error {
        let Some((item, kind)) = self.lacking else {
            return self.error;
        };
        let Some(other) = other_spelling(&item) else {
            return self.error;
        };
        let mut rows = dataset.rows(kind).ok().flatten().into_iter().flatten();
        let is_other =
            rows.any(|row| row.is_ok_and(|row| row.text("item").is_ok_and(|item| item == other)));
        let name = kind.name();
        match is_other {
            true => self.error.with_hint(format!(
                "`{name}` spells it `{other}`: pandas writes whole numbers as 1.0 where a cell of the column is empty. Spell \
                 items alike in all tables"
            )),
            false => self.error,
        }
    }

    /// Returns the mistake that comes first in file order.
    pub(super) fn first(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let place = |mistake: &Self| (mistake.kind, mistake.line);
        match (one, other) {
            (Some(one), Some(other)) if place(&other) < place(&one) => Some(other),
            (one, other) => one.or(other),
        }
    }
}

/// The rows gathered of one item.
struct ItemContents<'a> {
    item: &'a str,
    /// The line in `items`.
    line: Option<u64>,
    source: Option<LocatedValue<&'a str>>,
    references: Option<LocatedValue<Vec<&'a str>>>,
    /// The first line of each table that has the item.
    first: [Option<u64>; 4],
    /// The system and the line of each output.
    outputs: Vec<(Arm, u64)>,
}

/// A value, with the table and line it comes from.
struct LocatedValue<T> {
    value: T,
    kind: Kind,
    line: u64,
}

impl Checker<'_> {
    /// Checks the rows of an item, in file order, which follow its name; keeps in `mistake` the one that comes first.
    /// Returns how many references its outputs have, where it has outputs.
    pub(super) fn check(
        &self,
        bytes: &[u8],
        mistake: &mut Option<Mistake>,
    ) -> Result<Option<usize>> {
        let take = &mut ByteDecoder(bytes);
        let mut gathered = ItemContents {
            item: take.str()?,
            line: None,
            source: None,
            references: None,
            first: [None; 4],
            outputs: Vec::new(),
        };
        let mut checking = ItemCheck {
            checker: self,
            mistake: mistake.take(),
        };
        for row in runs::rows(take.0) {
            checking.gather(&mut gathered, IndexEntry::decode(row?)?)?;
        }
        checking.check_known(&gathered);
        checking.check_once(&mut gathered);
        *mistake = checking.mistake;
        let references = gathered.references.map_or(0, |given| given.value.len());
        Ok((!gathered.outputs.is_empty()).then_some(references))
    }
}

/// The check of one item, in progress.
struct ItemCheck<'a> {
    checker: &'a Checker<'a>,
    mistake: Option<Mistake>,
}

impl ItemCheck<'_> {
    fn gather<'a>(&mut self, gathered: &mut ItemContents<'a>, row: IndexEntry<'a>) -> Result<()> {
        let EntryHead {
            kind, line, names, ..
        } = row.head;
        gathered.first[kind as usize].get_or_insert(line);
        let context = match row.what {
            EntryContent::Item(context) => {
                if let Some(first) = gathered.line {
                    let at = self.checker.dataset.row_location(kind, first);
                    let item = gathered.item;
                    self.mistake(kind, line, format!("item `{item}` is already at {at}"));
                    return Ok(());
                }
                gathered.line = Some(line);
                Some(context)
            }
            EntryContent::Output(_, context) => {
                let system = self.checker.places.arm(names[0])?;
                gathered.outputs.push((system, line));
                context
            }
            EntryContent::Comparison(_) | EntryContent::Judgment(_) => None,
        };
        if let Some(context) = context {
            self.take_context(gathered, kind, line, context);
        }
        Ok(())
    }

    /// Merges the source and references of a row: those in `items` take priority, and rows of outputs must agree.
    fn take_context<'a>(
        &mut self,
        gathered: &mut ItemContents<'a>,
        kind: Kind,
        line: u64,
        context: OutputContext<'a>,
    ) {
        let item = gathered.item;
        if let Some(value) = context.source {
            let given = LocatedValue { value, kind, line };
            self.agree(item, "source", &mut gathered.source, given);
        }
        if let Some(value) = context.references {
            let given = LocatedValue { value, kind, line };
            self.agree(item, "list of references", &mut gathered.references, given);
        }
    }

    fn agree<T: PartialEq>(
        &mut self,
        item: &str,
        what: &str,
        known: &mut Option<LocatedValue<T>>,
        new: LocatedValue<T>,
    ) {
        match known {
            None => *known = Some(new),
            Some(known) if known.kind == new.kind && known.value != new.value => {
                let at = self.checker.dataset.row_location(known.kind, known.line);
                let what = format!("item `{item}` has another {what} than at {at}");
                self.mistake(new.kind, new.line, what);
            }
            Some(_) => {}
        }
    }

    fn check_known(&mut self, gathered: &ItemContents<'_>) {
        let has = |kind| self.checker.dataset.table(kind).is_some();
        let (has_items, has_outputs) = (has(Kind::Items), has(Kind::Outputs));
        let item = gathered.item;
        let not_in_items = has_items && gathered.line.is_none();
        if let (true, Some(line)) = (not_in_items, gathered.first[Kind::Outputs as usize]) {
            self.lacking((Kind::Outputs, line), item, Kind::Items);
        }
        let without_outputs = has_outputs && gathered.outputs.is_empty();
        for kind in [Kind::Comparisons, Kind::Judgments] {
            let Some(line) = gathered.first[kind as usize] else {
                continue;
            };
            if without_outputs {
                self.lacking((kind, line), item, Kind::Outputs);
            } else if not_in_items && !has_outputs {
                self.lacking((kind, line), item, Kind::Items);
            }
        }
    }

    /// Checks that a system has one output.
    fn check_once(&mut self, gathered: &mut ItemContents<'_>) {
        let item = gathered.item;
        gathered.outputs.sort_by_key(|(system, _)| *system);
        for pair in gathered.outputs.windows(2) {
            let [(before, first), (system, again)] = [pair[0], pair[1]];
            if before == system {
                let at = self.checker.dataset.row_location(Kind::Outputs, first);
                let system = &self.checker.names[system.index()];
                let what =
                    format!("system `{system}` already has an output for item `{item}` at {at}");
                self.mistake(Kind::Outputs, again, what);
            }
        }
    }

    fn mistake(&mut self, kind: Kind, line: u64, what: String) {
        self.take((kind, line), what, None);
    }

    /// Takes the mistake that `table` lacks the item of a row.
    fn lacking(&mut self, place: (Kind, u64), item: &str, table: Kind) {
        let what = match table {
            Kind::Outputs => format!("item `{item}` has no outputs"),
            _ => format!("item `{item}` is not in `{}`", table.name()),
        };
        self.take(place, what, Some((item.to_string(), table)));
    }

    fn take(&mut self, (kind, line): (Kind, u64), what: String, lacking: Option<(String, Kind)>) {
        let error = Error::record(self.checker.dataset.row_location(kind, line), what);
        let mistake = Mistake {
            kind,
            line,
            error,
            lacking,
        };
        self.mistake = Mistake::first(self.mistake.take(), Some(mistake));
    }
}
