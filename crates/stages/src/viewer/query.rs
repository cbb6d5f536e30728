//! What a link asks for: a search, filters, an order. A view is its link, and every link is a view.

use super::Viewer;
use super::columns::{MeasureKind, NONE, OutputColumns};
use std::ops::Range;
use tiebreak_base::error::{Error, Result};

/// An order of items, by a number of one of their outputs or of all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ItemOrder {
    /// The order of the data set.
    Given,
    /// Characters.
    Length,
    /// The distance of the shares of outputs that are worse, by one measure and by another: from 0 to 1. Shares can be
    /// compared whatever the scales, and a few extreme scores change nothing.
    Disagreement(usize, usize),
    /// The standard deviation of what people answered about the same.
    Spread(usize),
    /// The score of one system less that of another, else less the mean of all others; without a system the largest
    /// difference of two outputs.
    Difference(usize),
    Value(usize),
}

/// An order as it can be chosen: its value in links, its label.
pub(super) type OrderChoice = (String, String, ItemOrder);

/// All orders that a data set has; the first is its own.
pub(super) fn order_choices(columns: &OutputColumns) -> Vec<OrderChoice> {
    let mut all = Vec::new();
    let mut add = |key: String, label: String, order| all.push((key, label, order));
    add("item".into(), "by name of item".into(), ItemOrder::Given);
    add("length".into(), "length".into(), ItemOrder::Length);
    let measures = || columns.measures.iter().enumerate();
    let (people, others): (Vec<_>, Vec<_>) =
        measures().partition(|one| one.1.kind == MeasureKind::People);
    for (a, people) in people {
        let name = &people.name;
        for (b, other) in &others {
            let label = format!("disagreement of people ({name}) and {}", other.name);
            let key = format!("disagreement:{name}~{}", other.name);
            add(key, label, ItemOrder::Disagreement(a, *b));
        }
        if !people.spreads.is_empty() {
            let label = format!("disagreement of people with each other ({name})");
            add(format!("spread:{name}"), label, ItemOrder::Spread(a));
        }
    }
    for (a, name) in measures().map(|(a, one)| (a, &one.name)) {
        let label = format!("difference of systems in {name}");
        add(
            format!("difference:{name}"),
            label,
            ItemOrder::Difference(a),
        );
    }
    for (a, name) in measures().map(|(a, one)| (a, &one.name)) {
        add(format!("score:{name}"), name.clone(), ItemOrder::Value(a));
    }
    all
}

/// A query, checked against a data set.
#[derive(Debug, Clone, Default)]
pub(super) struct ViewQuery {
    /// Keys and values as they came, without those of a place in the selection.
    pub pairs: Vec<(String, String)>,
    pub text: String,
    pub system: Option<u16>,
    pub against: Option<u16>,
    /// Columns of labels and the numbers of labels.
    slices: Vec<(usize, u32)>,
    annotator: Option<u32>,
    label: Option<u32>,
    /// The place in the list of orders.
    pub choice: usize,
    pub ascending: bool,
    /// From 1.
    pub page: Option<usize>,
    /// The place of one item in the selection, from 1.
    pub at: Option<usize>,
    /// The name of one item.
    pub item: Option<String>,
}

/// An item of a selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SelectedItem {
    pub item: u32,
    /// The output that decides its place, or [`NONE`].
    pub output: u32,
    /// The number by which it is ordered.
    pub value: f64,
}

/// The items of a query.
#[derive(Debug, Default)]
pub(super) struct Selection {
    pub items: Vec<SelectedItem>,
    /// Items that fit and lack the number by which they would be ordered.
    pub lacking: usize,
    ascending: bool,
}

/// The keys of a query.
const KEYS: &str = "q, system, against, slice, annotator, label, sort, asc, page, at, item";

impl Viewer {
    /// Reads what stands after `?` in a link.
    pub(super) fn parse(&self, text: &str) -> Result<ViewQuery> {
        let mut query = ViewQuery::default();
        for (key, value) in form_urlencoded::parse(text.trim_start_matches('?').as_bytes()) {
            if !KEYS.split(", ").any(|one| one == key) {
                let what = format!("`{key}` is no key of a link");
                return Err(Error::usage(what).with_hint(format!("there are {KEYS}")));
            }
            if !value.is_empty() && self.set(&mut query, &key, &value).is_none() {
                let what = format!("`{key}={value}` of the link is not in this data set");
                let hint = "choose on the page, and take what then stands after `?` in its link";
                return Err(Error::usage(what).with_hint(hint));
            }
            if !value.is_empty() && !["page", "at", "item"].contains(&&*key) {
                query.pairs.push((key.into_owned(), value.into_owned()));
            }
        }
        query.system = query.system.or_else(|| query.against.take());
        Ok(query)
    }

    /// Sets what a key says; `None` for a value that the data set does not have.
    fn set(&self, query: &mut ViewQuery, key: &str, value: &str) -> Option<()> {
        let columns = &self.columns;
        let mut systems = self.source.systems().iter();
        let mut system = || Some(systems.position(|one| one == value)? as u16);
        let number = || value.parse().ok().filter(|&number| number > 0);
        match key {
            "q" => query.text = value.to_string(),
            "system" => query.system = Some(system()?),
            "against" => query.against = Some(system()?),
            "slice" => {
                let mut slices = columns.slices.iter().enumerate();
                query
                    .slices
                    .push(slices.find_map(|(at, ((_, column), one))| {
                        let label = value.strip_prefix(column)?.strip_prefix('=')?;
                        Some((at, one.values.get_index_of(label)? as u32))
                    })?);
            }
            "annotator" => query.annotator = Some(columns.annotators.get_index_of(value)? as u32),
            "label" => query.label = Some(columns.labels.get_index_of(value)? as u32),
            "sort" => query.choice = self.choices.iter().position(|one| one.0 == value)?,
            "asc" => query.ascending = true,
            "page" => query.page = Some(number()?),
            "at" => query.at = Some(number()?),
            _ => query.item = Some(value.to_string()),
        }
        Some(())
    }
}

impl ViewQuery {
    /// What stands after `?` in the link of this query at a place.
    pub(super) fn link(&self, place: &[(&str, &str)]) -> String {
        let mut link = form_urlencoded::Serializer::new(String::new());
        link.extend_pairs(&self.pairs).extend_pairs(place).finish()
    }

    /// Whether outputs of a system are asked for.
    pub(super) fn asks(&self, system: u16) -> bool {
        self.system.is_none() || [self.system, self.against].contains(&Some(system))
    }

    /// Selects the items, in no order yet; `found` are the slots with the searched text, if there is one.
    pub(super) fn select(&self, viewer: &Viewer, found: Option<&[bool]>) -> Selection {
        let (columns, order) = (&viewer.columns, viewer.choices[self.choice].2);
        let ascending = self.ascending;
        let mut selection = Selection {
            ascending,
            ..Selection::default()
        };
        for item in (0..columns.items()).filter(|&item| self.fits(columns, item)) {
            let range = columns.range(item as u64);
            let is_whole = found.is_none_or(|found| found[range.start + item]);
            let is_found = |output| found.is_some_and(|found| found[output + item + 1]);
            let asked = range.filter(|&output| self.asks(columns.systems[output]));
            let mut scope = asked
                .filter(|&output| is_whole || is_found(output))
                .peekable();
            if !is_whole && scope.peek().is_none() {
                continue;
            }
            let decides = match order {
                ItemOrder::Given => Some((NONE, 0.0)),
                ItemOrder::Difference(measure) => self.difference(columns, item as u64, measure),
                _ => extreme(
                    scope.map(|output| (output as u32, number(columns, order, output))),
                    ascending,
                ),
            };
            selection.lacking += usize::from(decides.is_none());
            let item = item as u32;
            let decides = decides.map(|(output, value)| SelectedItem {
                item,
                output,
                value,
            });
            selection.items.extend(decides);
        }
        selection
    }

    /// Whether an item passes the filters.
    fn fits(&self, columns: &OutputColumns, item: usize) -> bool {
        let is_in = |(column, label): &(usize, u32)| {
            columns.slices[*column].of_items.get(item) == Some(label)
        };
        let is_there = |&system: &u16| columns.output(item as u64, system).is_some();
        let answers = columns.answers(item).iter();
        let asked = answers.filter(|answer| {
            let is_about = |system| answer.systems.contains(&system);
            let is_judgment = answer.systems[0] == answer.systems[1];
            self.annotator.is_none_or(|one| answer.annotator == one)
                && self.label.is_none_or(|label| answer.label == label)
                && self.system.is_none_or(is_about)
                && (is_judgment || self.against.is_none_or(is_about))
        });
        self.slices.iter().all(is_in)
            && self.system.iter().chain(&self.against).all(is_there)
            && (self.annotator.or(self.label).is_none() || asked.count() > 0)
    }

    /// The difference of an item, with the output that decides it.
    fn difference(&self, columns: &OutputColumns, item: u64, measure: usize) -> Option<(u32, f64)> {
        let values = &columns.measures[measure].values;
        let all = columns
            .range(item)
            .map(|output| (output as u32, values[output]));
        let others = |own: u32| {
            all.clone()
                .filter(move |one| one.0 != own && !one.1.is_nan())
        };
        let own = match self.system {
            Some(system) => columns.output(item, system)? as u32,
            None => extreme(all.clone(), false)?.0,
        };
        let other = match (self.system, self.against) {
            (None, _) => extreme(others(own), true)?.1,
            (_, Some(against)) => values[columns.output(item, against)?],
            _ => others(own).map(|one| one.1).sum::<f64>() / others(own).count() as f64,
        };
        let difference = values[own as usize] - other;
        (!difference.is_nan()).then_some((own, difference))
    }
}

/// The number of one output.
fn number(columns: &OutputColumns, order: ItemOrder, output: usize) -> f64 {
    let measures = &columns.measures;
    match order {
        ItemOrder::Disagreement(a, b) => {
            f64::from((measures[a].ranks[output] - measures[b].ranks[output]).abs())
        }
        ItemOrder::Spread(a) => measures[a]
            .spreads
            .get(output)
            .copied()
            .map_or(f64::NAN, f64::from),
        ItemOrder::Value(a) | ItemOrder::Difference(a) => measures[a].values[output],
        ItemOrder::Length | ItemOrder::Given => f64::from(columns.lengths[output]),
    }
}

/// The first output with the largest number, or the smallest where these come first.
fn extreme(values: impl Iterator<Item = (u32, f64)>, ascending: bool) -> Option<(u32, f64)> {
    let there = values.filter(|(_, value)| !value.is_nan());
    let is_better = |one: f64, best: f64| if ascending { one < best } else { one > best };
    there.reduce(|best, one| if is_better(one.1, best.1) { one } else { best })
}

impl Selection {
    /// Why it has no item, where that is so, and what to do.
    pub(super) fn why_empty(&self) -> &'static str {
        match self.lacking {
            0 => "No item fits. Leave out a filter, or search for less text.",
            _ => "What fits lacks the number of this order. Choose another.",
        }
    }

    /// The items at places of the order, from 0; equal ones stand by name of item.
    pub(super) fn at(&mut self, places: Range<usize>) -> &[SelectedItem] {
        let sign = if self.ascending { 1.0 } else { -1.0 };
        let compare = |a: &SelectedItem, b: &SelectedItem| {
            let by_value = (sign * a.value).total_cmp(&(sign * b.value));
            by_value.then(a.item.cmp(&b.item))
        };
        let end = places.end.min(self.items.len());
        if end < self.items.len() {
            self.items.select_nth_unstable_by(end, compare);
        }
        self.items[..end].sort_unstable_by(compare);
        &self.items[places.start.min(end)..end]
    }
}
