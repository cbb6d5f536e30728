//! What a link asks for: a search, filters, an order. A view is its link, and every link is a view.

use super::Viewer;
use super::columns::{MeasureKind, OutputColumns, OutputMeasure};
use super::lists::NONE;
use super::words::FoundWords;
use std::cmp::Ordering;
use tiebreak_base::error::{Error, Result};

/// An order of items, by a number of one of their outputs or of all.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum ItemOrder {
    /// The order of the data set.
    #[default]
    Given,
    /// The distance of the shares of outputs that are worse, by one measure and by another: from 0 to 1. Shares can be
    /// compared whatever the scales, and a few extreme scores change nothing.
    Disagreement(usize, usize),
    /// The standard deviation of what people answered about the same.
    Spread(usize),
    /// The score of one system less that of another, else less the mean of all others; without a system the largest
    /// difference of two outputs.
    Difference(usize),
    Value(usize),
    /// Characters.
    Length,
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
    let mut add = |key: &str, label: String, order| {
        let key = key.to_string();
        all.push(OrderChoice { key, label, order });
    };
    add("item", "as in the data set".into(), ItemOrder::Given);
    add("length", "length".into(), ItemOrder::Length);
    let measures = || columns.measures.iter().enumerate();
    let is_people = |kind| kind == MeasureKind::People;
    for (a, OutputMeasure { name, spreads, .. }) in measures().filter(|one| is_people(one.1.kind)) {
        for (b, other) in measures().filter(|one| !is_people(one.1.kind)) {
            let key = format!("disagreement:{name}~{}", other.name);
            let label = format!("disagreement of people ({name}) and {}", other.name);
            add(&key, label, ItemOrder::Disagreement(a, b));
        }
        if spreads.iter().any(|spread| !spread.is_nan()) {
            let label = format!("disagreement of people with each other ({name})");
            add(&format!("spread:{name}"), label, ItemOrder::Spread(a));
        }
    }
    for (a, OutputMeasure { name, .. }) in measures() {
        let label = format!("difference of systems in {name}");
        add(
            &format!("difference:{name}"),
            label,
            ItemOrder::Difference(a),
        );
    }
    for (a, OutputMeasure { name, .. }) in measures() {
        add(&format!("score:{name}"), name.clone(), ItemOrder::Value(a));
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
    pub order: ItemOrder,
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

impl SelectedItem {
    /// An item, with the output that decides its place, if one does, and with its number.
    pub(super) fn new(item: u32, (output, value): (u32, f64)) -> Self {
        Self {
            item,
            output,
            value,
        }
    }
}

/// What decides the place of an item where no number does.
pub(super) const UNORDERED: (u32, f64) = (NONE, 0.0);

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
    ///
    /// # Errors
    /// A key or a name that the data set does not have.
    pub(super) fn parse(&self, text: &str) -> Result<ViewQuery> {
        let mut query = ViewQuery::default();
        let pairs = text.trim_start_matches('?').split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (decoded(key), decoded(value));
            if value.is_empty() && is_key(&key) {
                continue;
            }
            let fits = self.set(&mut query, &key, &value);
            fits.ok_or_else(|| unknown(&key, &value))?;
            if !["page", "at", "item"].contains(&key.as_str()) {
                query.pairs.push((key, value));
            }
        }
        if query.system.is_none() {
            query.system = query.against.take();
        }
        Ok(query)
    }

    /// Sets what a key says; `None` for a value that the data set does not have.
    fn set(&self, query: &mut ViewQuery, key: &str, value: &str) -> Option<()> {
        let answers = &self.columns.answers;
        let mut systems = self.source.systems().iter();
        let mut system = || Some(systems.position(|one| one == value)? as u16);
        let number = || value.parse().ok().filter(|&number| number > 0);
        match key {
            "q" => query.text = value.to_string(),
            "system" => query.system = Some(system()?),
            "against" => query.against = Some(system()?),
            "slice" => query.slices.push(self.columns.slice(value)?),
            "annotator" => query.annotator = Some(answers.annotators.known(value)?),
            "label" => query.label = Some(answers.labels.known(value)?),
            "sort" => {
                query.choice = self.choices.iter().position(|one| one.key == value)?;
                query.order = self.choices[query.choice].order;
            }
            "asc" => query.ascending = true,
            "page" => query.page = Some(number()?),
            "at" => query.at = Some(number()?),
            "item" => query.item = Some(value.to_string()),
            _ => return None,
        }
        Some(())
    }
}

impl ViewQuery {
    /// The value of a key, the last where there are several, else nothing.
    pub(super) fn last_value(&self, key: &str) -> &str {
        let found = self.pairs.iter().rfind(|pair| pair.0 == key);
        found.map_or("", |pair| &pair.1)
    }

    /// Whether a key has a value.
    pub(super) fn has(&self, key: &str, value: &str) -> bool {
        self.pairs
            .iter()
            .any(|pair| pair.0 == key && pair.1 == value)
    }

    /// What stands after `?` in the link of this query at a place.
    pub(super) fn link(&self, place: &[(&str, &str)]) -> String {
        let pairs = self.pairs.iter().map(|(key, value)| (&**key, &**value));
        let pairs = pairs.chain(place.iter().copied());
        let pairs = pairs.map(|(key, value)| format!("{key}={}", encoded(value)));
        pairs.collect::<Vec<_>>().join("&")
    }

    /// Selects the items, in no order yet; `found` are the texts with the search, if there is one.
    pub(super) fn select(&self, columns: &OutputColumns, found: Option<&FoundWords>) -> Selection {
        let mut selection = Selection {
            ascending: self.ascending,
            ..Selection::default()
        };
        for item in 0..columns.items() {
            if !self.fits(columns, item) {
                continue;
            }
            let whole = found.is_none_or(|found| found.items[item]);
            let range = columns.range(item as u64);
            let in_scope = |&output: &usize| {
                let system = Some(columns.systems[output]);
                let asked =
                    self.system.is_none() || system == self.system || system == self.against;
                asked && (whole || found.is_some_and(|found| found.outputs[output]))
            };
            let scope = || range.clone().filter(in_scope);
            if !whole && scope().next().is_none() {
                continue;
            }
            let values = || scope().map(|output| (output as u32, self.value(columns, output)));
            let decides = match self.order {
                ItemOrder::Given => Some(UNORDERED),
                ItemOrder::Difference(measure) => self.difference(columns, item as u64, measure),
                _ => extreme(values(), self.ascending),
            };
            match decides {
                Some(of) => selection.items.push(SelectedItem::new(item as u32, of)),
                None => selection.lacking += 1,
            }
        }
        selection
    }

    /// Whether an item passes the filters.
    fn fits(&self, columns: &OutputColumns, item: usize) -> bool {
        let slices = &mut self.slices.iter();
        if !slices.all(|&(column, label)| columns.slices[column].of_items[item] == label) {
            return false;
        }
        let mut asked = self.system.iter().chain(&self.against);
        if !asked.all(|&system| columns.output(item as u64, system).is_some()) {
            return false;
        }
        if self.annotator.is_none() && self.label.is_none() {
            return true;
        }
        let mut answers = columns.answers.of_item(item).iter();
        answers.any(|answer| {
            let is_about = |system| answer.systems.contains(&system);
            let is_judgment = answer.systems[0] == answer.systems[1];
            self.annotator.is_none_or(|one| answer.annotator == one)
                && self.label.is_none_or(|label| answer.label == label)
                && self.system.is_none_or(is_about)
                && (is_judgment || self.against.is_none_or(is_about))
        })
    }

    /// The number of one output.
    fn value(&self, columns: &OutputColumns, output: usize) -> f64 {
        let measures = &columns.measures;
        match self.order {
            ItemOrder::Disagreement(a, b) => {
                f64::from((measures[a].ranks[output] - measures[b].ranks[output]).abs())
            }
            ItemOrder::Spread(a) => f64::from(measures[a].spreads[output]),
            ItemOrder::Value(a) => measures[a].values[output],
            ItemOrder::Length => f64::from(columns.lengths[output]),
            ItemOrder::Given | ItemOrder::Difference(_) => f64::NAN,
        }
    }

    /// The difference of an item, with the output that decides it.
    fn difference(&self, columns: &OutputColumns, item: u64, measure: usize) -> Option<(u32, f64)> {
        let values = &columns.measures[measure].values;
        let all = || {
            let all = columns
                .range(item)
                .map(|output| (output as u32, values[output]));
            all.filter(|(_, value)| !value.is_nan())
        };
        let Some(system) = self.system else {
            all().nth(1)?;
            let [low, high] = [true, false].map(|ascending| extreme(all(), ascending));
            return Some((high?.0, high?.1 - low?.1));
        };
        let output = columns.output(item, system)?;
        let other = match self.against {
            Some(against) => values[columns.output(item, against)?],
            None => {
                let others = all().filter(|one| one.0 as usize != output);
                let (n, sum) = others.fold((0.0, 0.0), |(n, sum), one| (n + 1.0, sum + one.1));
                sum / n
            }
        };
        let difference = values[output] - other;
        (!difference.is_nan()).then_some((output as u32, difference))
    }
}

/// The output with the largest number, or the smallest where these come first.
fn extreme(values: impl Iterator<Item = (u32, f64)>, ascending: bool) -> Option<(u32, f64)> {
    let there = values.filter(|(_, value)| !value.is_nan());
    there.reduce(|best, one| {
        let is_better = if ascending {
            one.1 < best.1
        } else {
            one.1 > best.1
        };
        if is_better { one } else { best }
    })
}

impl Selection {
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

/// A value as it stands in a link.
pub(super) fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// A value of a link as it was meant.
fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).map(|digits| u8::from_str_radix(digits, 16));
        match byte {
            Some(Ok(byte)) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            _ => bytes.extend(format!("%{part}").as_bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
