//! What a link asks for: a search, filters, an order. A view is its link, and every link is a view.

use super::columns::{MeasureKind, OutputColumns};
use super::lists::NONE;
use super::words::FoundWords;
use std::cmp::Ordering;
use tiebreak_base::error::{Error, Result};

/// An order of items, by a number of one of their outputs or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemOrder {
    /// The order of the data set.
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
    pub group: &'static str,
    pub order: ItemOrder,
}

/// All orders that a data set has.
pub(super) fn order_choices(columns: &OutputColumns) -> Vec<OrderChoice> {
    let choice = |key: String, label: String, group, order| OrderChoice {
        key,
        label,
        group,
        order,
    };
    let mut all = vec![
        choice(
            "item".into(),
            "as in the data set".into(),
            "Items",
            ItemOrder::Given,
        ),
        choice("length".into(), "length".into(), "Items", ItemOrder::Length),
    ];
    let measures = || columns.measures.iter().enumerate();
    let people = || measures().filter(|(_, one)| one.kind == MeasureKind::People);
    for (a, one) in people() {
        for (b, other) in measures().filter(|(_, one)| one.kind != MeasureKind::People) {
            let label = format!("people ({}) and {}", one.name, other.name);
            let key = format!("disagreement:{}~{}", one.name, other.name);
            all.push(choice(
                key,
                label,
                "Disagreement",
                ItemOrder::Disagreement(a, b),
            ));
        }
    }
    for (a, one) in people().filter(|(_, one)| one.spreads.iter().any(|x| !x.is_nan())) {
        let label = format!("people with each other ({})", one.name);
        all.push(choice(
            format!("spread:{}", one.name),
            label,
            "Disagreement",
            ItemOrder::Spread(a),
        ));
    }
    for (a, one) in measures() {
        let key = format!("difference:{}", one.name);
        all.push(choice(
            key,
            one.name.clone(),
            "Difference of systems",
            ItemOrder::Difference(a),
        ));
    }
    for (a, one) in measures() {
        all.push(choice(
            format!("score:{}", one.name),
            one.name.clone(),
            "Score",
            ItemOrder::Value(a),
        ));
    }
    all
}

/// A query, checked against a data set.
#[derive(Debug, Clone)]
pub(super) struct ViewQuery {
    /// Keys and values as they came, without those of a place in the selection.
    pub pairs: Vec<(String, String)>,
    pub text: String,
    pub system: Option<u16>,
    pub against: Option<u16>,
    /// Columns of labels and the numbers of labels.
    pub slices: Vec<(usize, u32)>,
    pub annotator: Option<u32>,
    pub label: Option<u32>,
    pub order: ItemOrder,
    /// The place in the list of orders.
    pub choice: usize,
    pub ascending: bool,
    /// From 1.
    pub page: usize,
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
const KEYS: [&str; 10] = [
    "q",
    "system",
    "against",
    "slice",
    "annotator",
    "label",
    "sort",
    "asc",
    "page",
    "at",
];

fn unknown(key: &str, value: &str) -> Error {
    match key == "item" || KEYS.contains(&key) {
        true => Error::usage(format!(
            "`{key}={value}` of the link is not in this data set"
        ))
        .with_hint("choose on the page, and take what then stands after `?` in its link"),
        false => Error::usage(format!("`{key}` is no key of a link"))
            .with_hint(format!("there are {} and item", KEYS.join(", "))),
    }
}

impl ViewQuery {
    /// Reads what stands after `?` in a link.
    ///
    /// # Errors
    /// A key or a name that the data set does not have.
    pub(super) fn parse(
        text: &str,
        columns: &OutputColumns,
        systems: &[String],
        choices: &[OrderChoice],
    ) -> Result<Self> {
        let mut query = Self {
            pairs: Vec::new(),
            text: String::new(),
            system: None,
            against: None,
            slices: Vec::new(),
            annotator: None,
            label: None,
            order: ItemOrder::Given,
            choice: 0,
            ascending: false,
            page: 1,
            at: None,
            item: None,
        };
        for pair in text.trim_start_matches('?').split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (decoded(key), decoded(value));
            if value.is_empty() && (KEYS.contains(&key.as_str()) || pair.is_empty()) {
                continue;
            }
            let wrong = || unknown(&key, &value);
            let system = || {
                let place = systems.iter().position(|system| *system == value);
                place.map(|place| Some(place as u16)).ok_or_else(wrong)
            };
            let number = || {
                value
                    .parse::<usize>()
                    .ok()
                    .filter(|&n| n > 0)
                    .ok_or_else(wrong)
            };
            match key.as_str() {
                "q" => query.text.clone_from(&value),
                "system" => query.system = system()?,
                "against" => query.against = system()?,
                "slice" => query.slices.push(columns.slice(&value).ok_or_else(wrong)?),
                "annotator" => {
                    query.annotator =
                        Some(columns.answers.annotators.known(&value).ok_or_else(wrong)?);
                }
                "label" => {
                    query.label = Some(columns.answers.labels.known(&value).ok_or_else(wrong)?);
                }
                "sort" => {
                    let place = choices.iter().position(|choice| choice.key == value);
                    query.choice = place.ok_or_else(wrong)?;
                    query.order = choices[query.choice].order;
                }
                "asc" => query.ascending = true,
                "page" => query.page = number()?,
                "at" => query.at = Some(number()?),
                "item" => query.item = Some(value.clone()),
                _ => return Err(wrong()),
            }
            if !["page", "at", "item"].contains(&key.as_str()) {
                query.pairs.push((key, value));
            }
        }
        if query.system.is_none() {
            query.system = query.against.take();
        }
        Ok(query)
    }

    /// What stands after `?` in the link of this query at a place.
    pub(super) fn link(&self, place: &[(&str, &str)]) -> String {
        let own = self
            .pairs
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let pairs = own.chain(place.iter().copied());
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
            let value = match self.order {
                ItemOrder::Given => Some((NONE, 0.0)),
                ItemOrder::Difference(measure) => self.difference(columns, item as u64, measure),
                _ => {
                    self.extreme(scope().map(|output| (output as u32, self.value(columns, output))))
                }
            };
            match value {
                Some((output, value)) => selection.items.push(SelectedItem {
                    item: item as u32,
                    output,
                    value,
                }),
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
        let mut answers = columns.answers_of(item).iter();
        answers.any(|answer| {
            self.annotator
                .is_none_or(|annotator| answer.annotator == annotator)
                && self.label.is_none_or(|label| answer.label == label)
                && self
                    .system
                    .is_none_or(|system| answer.systems.contains(&system))
                && self.against.is_none_or(|system| {
                    answer.systems.contains(&system) || answer.systems[0] == answer.systems[1]
                })
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

    /// The output with the largest number, or the smallest where these come first.
    fn extreme(&self, values: impl Iterator<Item = (u32, f64)>) -> Option<(u32, f64)> {
        let there = values.filter(|(_, value)| !value.is_nan());
        there.reduce(|best, one| {
            let better = if self.ascending {
                one.1 < best.1
            } else {
                one.1 > best.1
            };
            if better { one } else { best }
        })
    }

    fn difference(&self, columns: &OutputColumns, item: u64, measure: usize) -> Option<(u32, f64)> {
        let values = &columns.measures[measure].values;
        let all = columns.range(item).map(|output| (output, values[output]));
        let mut all = all.filter(|(_, value)| !value.is_nan());
        let Some(system) = self.system else {
            let (mut low, mut high) = (all.next()?, None);
            for one in all {
                let top = high.unwrap_or(low);
                (low, high) = (
                    if one.1 < low.1 { one } else { low },
                    Some(if one.1 > top.1 { one } else { top }),
                );
            }
            return high.map(|high: (usize, f64)| (high.0 as u32, high.1 - low.1));
        };
        let output = columns.output(item, system)?;
        let other = match self.against {
            Some(against) => values[columns.output(item, against)?],
            None => {
                let others = all.filter(|(at, _)| *at != output);
                let (n, sum) =
                    others.fold((0.0, 0.0), |(n, sum), (_, value)| (n + 1.0, sum + value));
                sum / n
            }
        };
        let difference = values[output] - other;
        (!difference.is_nan()).then_some((output as u32, difference))
    }
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
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        let hex = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let meant = hex.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (meant, after) = match (byte, meant) {
            (b'%', Some(meant)) => (meant, &after[2..]),
            (b'+', _) => (b' ', after),
            _ => (*byte, after),
        };
        bytes.push(meant);
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
