//! Puts the rows of one item together and checks that they agree.
//!
//! Rows arrive by item, so mistakes are met in the order of items; the one reported is the first
//! in file order, which is where a person would start to mend.

use super::entry::{Context, Entry, What};
use super::group::{Group, GroupComparison, GroupJudgment, GroupOutput};
use crate::duel::Arm;
use crate::error::{Error, Location, Result};
use crate::records::reader::Format;
use crate::records::{Dataset, Kind};

/// Makes groups of rows, and remembers the first mistake.
pub(super) struct Joiner<'a> {
    dataset: &'a Dataset,
    names: &'a [String],
    /// For every system number its place by name; likewise for criteria.
    systems: Vec<usize>,
    criteria: Vec<usize>,
    mistake: Option<((Kind, u64), Error)>,
}

/// What has been gathered of one item.
#[derive(Default)]
struct Gathered {
    /// The line in `items`.
    item: Option<u64>,
    source: Option<Given<String>>,
    references: Option<Given<Vec<String>>>,
    /// The first line of each table but `items` that names the item.
    first: [Option<u64>; 4],
    output_lines: Vec<u64>,
    group: Group,
}

/// A value and the place that gave it.
struct Given<T> {
    value: T,
    kind: Kind,
    line: u64,
}

impl<'a> Joiner<'a> {
    /// `names` are the systems by place.
    pub fn new(
        dataset: &'a Dataset,
        names: &'a [String],
        systems: Vec<usize>,
        criteria: Vec<usize>,
    ) -> Self {
        Self {
            dataset,
            names,
            systems,
            criteria,
            mistake: None,
        }
    }

    /// The first mistake in file order, if there was any.
    ///
    /// # Errors
    /// That mistake.
    pub fn finish(self) -> Result<()> {
        self.mistake.map_or(Ok(()), |(_, error)| Err(error))
    }

    /// The group that one item's rows, in file order, make.
    pub fn join(&mut self, position: u64, item: String, rows: Vec<Entry>) -> Group {
        let mut gathered = Gathered::default();
        gathered.group.position = position;
        gathered.group.item = item;
        for row in rows {
            self.gather(&mut gathered, row);
        }
        self.check_known(&gathered);
        let mut group = gathered.group;
        group.outputs = self.by_system(&group.item, group.outputs, &gathered.output_lines);
        group.source = gathered.source.map(|given| given.value);
        group.references = gathered.references.map(|g| g.value).unwrap_or_default();
        group
    }

    fn gather(&mut self, gathered: &mut Gathered, row: Entry) {
        let (kind, line) = (row.kind(), row.line);
        gathered.first[kind as usize].get_or_insert(line);
        match row.what {
            What::Item(context) => {
                if let Some(first) = gathered.item {
                    let at = self.at(kind, first);
                    let item = &gathered.group.item;
                    self.mistake(kind, line, format!("item `{item}` is already at {at}"));
                    return;
                }
                gathered.item = Some(line);
                self.take_context(gathered, kind, line, context);
            }
            What::Output(output, context) => {
                if let Some(context) = context {
                    self.take_context(gathered, kind, line, context);
                }
                gathered.output_lines.push(line);
                let system = self.arm(output.system);
                gathered
                    .group
                    .outputs
                    .push(GroupOutput { system, ..output });
            }
            What::Comparison(comparison) => gathered.group.comparisons.push(GroupComparison {
                a: self.arm(comparison.a),
                b: self.arm(comparison.b),
                ..comparison
            }),
            What::Judgment(judgment) => gathered.group.judgments.push(GroupJudgment {
                system: self.arm(judgment.system),
                criterion: self.criteria[judgment.criterion],
                ..judgment
            }),
        }
    }

    /// The place by name of a system that was numbered when it was met.
    fn arm(&self, met: Arm) -> Arm {
        Arm::from(self.systems[met.index()])
    }

    /// What `items` says holds; what it leaves open the outputs may say, all alike.
    fn take_context(&mut self, gathered: &mut Gathered, kind: Kind, line: u64, context: Context) {
        let item = &gathered.group.item;
        if let Some(value) = context.source {
            self.agree(
                item,
                "source",
                &mut gathered.source,
                Given { value, kind, line },
            );
        }
        if let Some(value) = context.references {
            let given = Given { value, kind, line };
            self.agree(item, "list of references", &mut gathered.references, given);
        }
    }

    fn agree<T: PartialEq>(
        &mut self,
        item: &str,
        what: &str,
        known: &mut Option<Given<T>>,
        new: Given<T>,
    ) {
        match known {
            None => *known = Some(new),
            Some(known) if known.kind == new.kind && known.value != new.value => {
                let at = self.at(known.kind, known.line);
                let what = format!("item `{item}` has another {what} than at {at}");
                self.mistake(new.kind, new.line, what);
            }
            Some(_) => {}
        }
    }

    fn check_known(&mut self, gathered: &Gathered) {
        let has = |kind| self.dataset.table(kind).is_some();
        let (has_items, has_outputs) = (has(Kind::Items), has(Kind::Outputs));
        let item = &gathered.group.item;
        let not_in_items = has_items && gathered.item.is_none();
        if let (true, Some(line)) = (not_in_items, gathered.first[Kind::Outputs as usize]) {
            self.mistake(
                Kind::Outputs,
                line,
                format!("item `{item}` is not in `items`"),
            );
        }
        let without_outputs = has_outputs && gathered.group.outputs.is_empty();
        for kind in [Kind::Comparisons, Kind::Judgments] {
            let Some(line) = gathered.first[kind as usize] else {
                continue;
            };
            if without_outputs {
                self.mistake(kind, line, format!("item `{item}` has no outputs"));
            } else if not_in_items && !has_outputs {
                self.mistake(kind, line, format!("item `{item}` is not in `items`"));
            }
        }
    }

    /// The outputs by system. `lines` are theirs, in file order.
    fn by_system(
        &mut self,
        item: &str,
        outputs: Vec<GroupOutput>,
        lines: &[u64],
    ) -> Vec<GroupOutput> {
        let mut outputs: Vec<_> = outputs.into_iter().zip(lines).collect();
        outputs.sort_by_key(|(output, _)| output.system);
        for pair in outputs.windows(2) {
            if pair[0].0.system == pair[1].0.system {
                let (first, again) = (*pair[0].1, *pair[1].1);
                let at = self.at(Kind::Outputs, first);
                let system = &self.names[pair[0].0.system.index()];
                let what =
                    format!("system `{system}` already has an output for item `{item}` at {at}");
                self.mistake(Kind::Outputs, again, what);
            }
        }
        outputs.into_iter().map(|(output, _)| output).collect()
    }

    fn at(&self, kind: Kind, line: u64) -> Location {
        let path = self.dataset.table(kind).unwrap_or(self.dataset.path());
        match Format::of(path) {
            Ok(Format::Parquet | Format::Arrow) => Location::row(path, line),
            _ => Location::line(path, line),
        }
    }

    fn mistake(&mut self, kind: Kind, line: u64, what: String) {
        let earlier = |((k, l), _): &((Kind, u64), Error)| (*k, *l) <= (kind, line);
        if !self.mistake.as_ref().is_some_and(earlier) {
            let error = Error::record(self.at(kind, line), what);
            self.mistake = Some(((kind, line), error));
        }
    }
}
