//! What a link asks for: a search, filters, an order. A view is its link, and every link is a view.

use super::Viewer;
use super::columns::{MeasureKind, NONE, OutputColumns, OutputMeasure};
use std::cmp::Ordering;
use tiebreak_base::error::{Error, Result};

/// An order of items, by a number of one of their outputs or of all.
#[derive(Debug, Clone, Copy)]
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

/// An order as it can be chosen.
pub(super) struct OrderChoice {
    /// Its value in links.
    pub key: String,
    pub label: String,
    pub order: ItemOrder,
}

/// All orders that a data set has; the first is its own.
pub(super) fn order_choices(columns: &OutputColumns) -> Vec<OrderChoice> {
    let mut all = Vec::new();
    let mut add = |key: String, label: String, order| all.push(OrderChoice { key, label, order });
    add("item".into(), "as in the data set".into(), ItemOrder::Given);
    add("length".into(), "length".into(), ItemOrder::Length);
    let measures = || columns.measures.iter().enumerate();
    let is_people = |one: &OutputMeasure| one.kind == MeasureKind::People;
    for (a, people) in measures().filter(|one| is_people(one.1)) {
        let name = &people.name;
        for (b, OutputMeasure { name: other, .. }) in measures().filter(|one| !is_people(one.1)) {
            let label = format!("disagreement of people ({name}) and {other}");
            let order = ItemOrder::Disagreement(a, b);
            add(format!("disagreement:{name}~{other}"), label, order);
        }
        if people.spreads.iter().any(|spread| !spread.is_nan()) {
            let label = format!("disagreement of people with each other ({name})");
            add(format!("spread:{name}"), label, ItemOrder::Spread(a));
        }
    }
    for (a, OutputMeasure { name, .. }) in measures() {
        let label = format!("difference of systems in {name}");
        add(
            format!("difference:{name}"),
            label,
            ItemOrder::Difference(a),
        );
    }
    for (a, OutputMeasure { name, .. }) in measures() {
        add(format!("score:{name}"), name.clone(), ItemOrder::Value(a));
    }
    all
}

/// A query, checked against a data set.
#[derive(Debug, Clone, Default)]
pub(super) struct ViewQuery {
    /// Keys and values as they came, without those of a place in the selection.
    pairs: Vec<(String, String)>,
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
    items: Vec<SelectedItem>,
    /// Items that fit and lack the number by which they would be ordered.
    pub lacking: usize,
    ascending: bool,
}

/// The keys of a query.
const KEYS: &str = "q, system, against, slice, annotator, label, sort, asc, page, at, item";

fn is_key(key: &str) -> bool {
    KEYS.split(", ").any(|one| one == key)
}

fn unknown(key: &str, value: &str) -> Error {
    match is_key(key) {
        true => Error::usage(format!(
            "`{key}={value}` of the link is not in this data set"
        ))
        .with_hint("choose on the page, and take what then stands after `?` in its link"),
        false => Error::usage(format!("`{key}` is no key of a link"))
            .with_hint(format!("there are {KEYS}")),
    }
}

impl Viewer {
    /// Reads what stands after `?` in a link.
    pub(super) fn parse(&self, text: &str) -> Result<ViewQuery> {
        let mut query = ViewQuery::default();
        for (key, value) in form_urlencoded::parse(text.trim_start_matches('?').as_bytes()) {
            if value.is_empty() && is_key(&key) {
                continue;
            }
            let fits = self.set(&mut query, &key, &value);
            fits.ok_or_else(|| unknown(&key, &value))?;
            if !["page", "at", "item"].contains(&&*key) {
                query.pairs.push((key.into_owned(), value.into_owned()));
            }
        }
        if query.system.is_none() {
            query.system = query.against.take();
        }
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
                query.slices.push(slices.find_map(|(at, one)| {
                    let label = value.strip_prefix(&one.column)?.strip_prefix('=')?;
                    Some((at, one.values.get_index_of(label)? as u32))
                })?);
            }
            "annotator" => query.annotator = Some(columns.annotators.get_index_of(value)? as u32),
            "label" => query.label = Some(columns.labels.get_index_of(value)? as u32),
            "sort" => query.choice = self.choices.iter().position(|one| one.key == value)?,
            "asc" => query.ascending = true,
            "page" => query.page = Some(number()?),
            "at" => query.at = Some(number()?),
            "item" => query.item = Some(value.to_string()),
            _ => return None,
        }
        Some(())
    }
}

/// What stands after `?` in a link.
pub(super) fn link<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut link = form_urlencoded::Serializer::new(String::new());
    link.extend_pairs(pairs).finish()
}

impl ViewQuery {
    /// The value of a key, the last where there are several, else nothing.
    pub(super) fn last_value(&self, key: &str) -> &str {
        let found = self.pairs.iter().rfind(|pair| pair.0 == key);
        found.map_or("", |pair| &pair.1)
    }

    /// Whether a key has a value.
    pub(super) fn has(&self, key: &str, value: &str) -> bool {
        let mut pairs = self.pairs.iter();
        pairs.any(|pair| pair.0 == key && pair.1 == value)
    }

    /// What stands after `?` in the link of this query at a place.
    pub(super) fn link(&self, place: &[(&str, &str)]) -> String {
        let pairs = self.pairs.iter().map(|(key, value)| (&**key, &**value));
        link(pairs.chain(place.iter().copied()))
    }

    /// Selects the items, in no order yet; `found` are the slots with the searched text, if there is one.
    pub(super) fn select(&self, viewer: &Viewer, found: Option<&[bool]>) -> Selection {
        let (columns, order) = (&viewer.columns, viewer.choices[self.choice].order);
        let mut selection = Selection {
            ascending: self.ascending,
            ..Selection::default()
        };
        for item in (0..columns.items()).filter(|&item| self.fits(columns, item)) {
            let range = columns.range(item as u64);
            let is_whole = found.is_none_or(|found| found[range.start + item]);
            let is_in_scope = |&output: &usize| {
                let system = Some(columns.systems[output]);
                let is_asked =
                    self.system.is_none() || [self.system, self.against].contains(&system);
                is_asked && (is_whole || found.is_some_and(|found| found[output + item + 1]))
            };
            let scope = range.filter(is_in_scope);
            if !is_whole && scope.clone().next().is_none() {
                continue;
            }
            let values = scope.map(|output| (output as u32, number(columns, order, output)));
            let decides = match order {
                ItemOrder::Given => Some((NONE, 0.0)),
                ItemOrder::Difference(measure) => self.difference(columns, item as u64, measure),
                _ => extreme(values, self.ascending),
            };
            selection.lacking += usize::from(decides.is_none());
            selection
                .items
                .extend(decides.map(|(output, value)| SelectedItem {
                    item: item as u32,
                    output,
                    value,
                }));
        }
        selection
    }

    /// Whether an item passes the filters.
    fn fits(&self, columns: &OutputColumns, item: usize) -> bool {
        let is_in =
            |&(column, label): &(usize, u32)| columns.slices[column].of_items[item] == label;
        let is_there = |&system: &u16| columns.output(item as u64, system).is_some();
        if !self.slices.iter().all(is_in) || !self.system.iter().chain(&self.against).all(is_there)
        {
            return false;
        }
        if self.annotator.is_none() && self.label.is_none() {
            return true;
        }
        let mut answers = columns.answers(item).iter();
        answers.any(|answer| {
            let is_about = |system| answer.systems.contains(&system);
            let is_judgment = answer.systems[0] == answer.systems[1];
            self.annotator.is_none_or(|one| answer.annotator == one)
                && self.label.is_none_or(|label| answer.label == label)
                && self.system.is_none_or(is_about)
                && (is_judgment || self.against.is_none_or(is_about))
        })
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
        let (output, other) = match (self.system, self.against) {
            (None, _) => {
                let high = extreme(all.clone(), false)?.0;
                (high, extreme(others(high), true)?.1)
            }
            (Some(system), Some(against)) => {
                let other = values[columns.output(item, against)?];
                (columns.output(item, system)? as u32, other)
            }
            (Some(system), None) => {
                let output = columns.output(item, system)? as u32;
                let sum: f64 = others(output).map(|one| one.1).sum();
                (output, sum / others(output).count() as f64)
            }
        };
        let difference = values[output as usize] - other;
        (!difference.is_nan()).then_some((output, difference))
    }
}

/// The number of one output.
fn number(columns: &OutputColumns, order: ItemOrder, output: usize) -> f64 {
    let measures = &columns.measures;
    match order {
        ItemOrder::Disagreement(a, b) => {
            f64::from((measures[a].ranks[output] - measures[b].ranks[output]).abs())
        }
        ItemOrder::Spread(a) => f64::from(measures[a].spreads[output]),
        ItemOrder::Value(a) => measures[a].values[output],
        ItemOrder::Length => f64::from(columns.lengths[output]),
        ItemOrder::Given | ItemOrder::Difference(_) => f64::NAN,
    }
}

/// The first output with the largest number, or the smallest where these come first.
fn extreme(values: impl Iterator<Item = (u32, f64)>, ascending: bool) -> Option<(u32, f64)> {
    let there = values.filter(|(_, value)| !value.is_nan());
    there.reduce(|best, one| {
        let is_better = match ascending {
            true => one.1 < best.1,
            false => one.1 > best.1,
        };
        if is_better { one } else { best }
    })
}

impl Selection {
    /// Why it has no item, where that is so, and what to do.
    pub(super) fn why_empty(&self) -> &'static str {
        match self.lacking {
            0 => "No item fits. Leave out a filter, or search for less text.",
            _ => "What fits lacks the number of this order. Choose another.",
        }
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The items at places of the order, from 0; equal ones stand as in the data set.
    pub(super) fn at(&mut self, places: std::ops::Range<usize>) -> &[SelectedItem] {
        let ascending = self.ascending;
        let compare = |a: &SelectedItem, b: &SelectedItem| -> Ordering {
            let values = match ascending {
                true => a.value.total_cmp(&b.value),
                false => b.value.total_cmp(&a.value),
            };
            values.then(a.item.cmp(&b.item))
        };
        let end = places.end.min(self.items.len());
        if end < self.items.len() {
            self.items.select_nth_unstable_by(end, compare);
        }
        self.items[..end].sort_unstable_by(compare);
        &self.items[places.start.min(end)..end]
    }
}
