//! Puts the rows of one item together and checks that they agree.
//!
//! Rows arrive by item, so mistakes are met in the order of items; the one reported is the first
//! in file order, which is where a person would start to mend.

use super::entry::{Context, Entry, Head, What};
use super::group::{Group, GroupComparison, GroupJudgment, GroupOutput};
use crate::duel::Arm;
use crate::error::{Error, Location};
use crate::records::reader::Format;
use crate::records::{Dataset, Kind};

/// Makes groups of rows.
pub(super) struct Joiner<'a> {
    pub dataset: &'a Dataset,
    /// The systems by place.
    pub names: &'a [String],
    /// For every system number its place by name; likewise for criteria.
    pub systems: &'a [usize],
    pub criteria: &'a [usize],
}

/// Rows that do not fit together.
pub(super) struct Mistake {
    kind: Kind,
    line: u64,
    pub error: Error,
}

impl Mistake {
    /// That which comes first in file order.
    pub fn first(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let place = |mistake: &Self| (mistake.kind, mistake.line);
        match (one, other) {
            (Some(one), Some(other)) if place(&other) < place(&one) => Some(other),
            (one, other) => one.or(other),
        }
    }
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

impl Joiner<'_> {
    /// The group that one item's rows, in file order, make; with what is wrong with them, where nothing before is.
    pub fn join(&self, item: String, rows: Vec<Entry>, mistake: &mut Option<Mistake>) -> Group {
        let mut joining = Joining {
            joiner: self,
            mistake: mistake.take(),
        };
        let mut gathered = Gathered::default();
        gathered.group.item = item;
        for row in rows {
            joining.gather(&mut gathered, row);
        }
        joining.check_known(&gathered);
        let mut group = gathered.group;
        group.outputs = joining.by_system(&group.item, group.outputs, &gathered.output_lines);
        group.source = gathered.source.map(|given| given.value);
        group.references = gathered.references.map(|g| g.value).unwrap_or_default();
        *mistake = joining.mistake;
        group
    }
}

/// A joiner at work.
struct Joining<'a> {
    joiner: &'a Joiner<'a>,
    mistake: Option<Mistake>,
}

impl Joining<'_> {
    fn gather(&mut self, gathered: &mut Gathered, row: Entry) {
        let Head { kind, line, .. } = row.head;
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
                criterion: self.joiner.criteria[judgment.criterion],
                ..judgment
            }),
        }
    }

    /// The place by name of a system that was numbered when it was met.
    fn arm(&self, met: Arm) -> Arm {
        Arm::from(self.joiner.systems[met.index()])
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
        let has = |kind| self.joiner.dataset.table(kind).is_some();
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
                let system = &self.joiner.names[pair[0].0.system.index()];
                let what =
                    format!("system `{system}` already has an output for item `{item}` at {at}");
                self.mistake(Kind::Outputs, again, what);
            }
        }
        outputs.into_iter().map(|(output, _)| output).collect()
    }

    fn at(&self, kind: Kind, line: u64) -> Location {
        let path = self
            .joiner
            .dataset
            .table(kind)
            .unwrap_or(self.joiner.dataset.path());
        match Format::from_path(path) {
            Ok(Format::Parquet | Format::Arrow) => Location::row(path, line),
            _ => Location::line(path, line),
        }
    }

    fn mistake(&mut self, kind: Kind, line: u64, what: String) {
        let error = Error::record(self.at(kind, line), what);
        let mistake = Mistake { kind, line, error };
        self.mistake = Mistake::first(self.mistake.take(), Some(mistake));
    }
}
