//! What a link asks for: a search, filters, an order. A view is its link, and every link is a view.

use super::Viewer;
use super::columns::{NONE, OutputColumns, OutputMeasure};
use crate::inputs::source::Source;
use rayon::prelude::*;
use std::cmp::Ordering;
use tiebreak_base::error::{Error, Result};

/// An order of items, by a number of one of their outputs: the most extreme one. Items without a number stand last.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum ItemOrder {
    /// That of the data set, without numbers.
    #[default]
    Given,
    /// Characters.
    Length,
    Value(usize),
    /// The value less that of the system that it is compared with, else less the mean of all others.
    Difference(usize),
    /// The standard deviation of what people answered about the same.
    Spread(usize),
    /// The distance of the shares of outputs that are worse, by one measure and by another: from 0 to 1. Shares can be
    /// compared whatever the scales, and a few extreme scores change nothing.
    Disagreement(usize, usize),
}

/// A key of links and the values that it can have.
pub(super) type LinkField = (String, Vec<String>);

/// The fields of a data set (system, the one it is compared with, order, then labels), and the orders.
pub(super) fn fields(source: &Source, columns: &OutputColumns) -> (Vec<LinkField>, Vec<ItemOrder>) {
    let mut orders = vec![("length".to_string(), ItemOrder::Length)];
    for (a, OutputMeasure { name, spreads, .. }) in columns.measures.iter().enumerate() {
        orders.push((format!("score:{name}"), ItemOrder::Value(a)));
        orders.push((format!("difference:{name}"), ItemOrder::Difference(a)));
        if !spreads.is_empty() {
            orders.push((format!("spread:{name}"), ItemOrder::Spread(a)));
        }
        let others = columns.measures.iter().enumerate().skip(columns.people);
        for (b, other) in others.filter(|_| a < columns.people) {
            let key = format!("disagreement:{name}~{}", other.name);
            orders.push((key, ItemOrder::Disagreement(a, b)));
        }
    }
    let (sorts, orders) = orders.into_iter().unzip();
    let systems = source.systems().to_vec();
    let fields = ["system", "against", "sort"].into_iter();
    let fields = fields.zip([systems.clone(), systems, sorts]);
    let fields = fields.map(|(key, values)| (key.to_string(), values));
    let labels = columns.labels.iter();
    let labels = labels.map(|(key, one)| (key.clone(), one.names.iter().cloned().collect()));
    (fields.chain(labels).collect(), orders)
}

/// A query, checked against a data set.
#[derive(Default)]
pub(super) struct ViewQuery {
    /// Keys and values as they came, without the page.
    pub pairs: Vec<(String, String)>,
    pub text: String,
    pub system: Option<u16>,
    pub against: Option<u16>,
    /// Columns of labels and the numbers of labels.
    of_answers: Vec<(usize, u32)>,
    of_items: Vec<(usize, u32)>,
    pub order: ItemOrder,
    ascending: bool,
    /// Pages before the one that is asked for.
    pub before: usize,
}

/// An item of a selection.
#[derive(Debug, Clone, Copy)]
pub(super) struct SelectedItem {
    pub item: u32,
    /// The output that decides its place, or [`NONE`].
    pub output: u32,
    /// The number by which it is ordered, or NaN.
    pub by: f64,
}

impl Viewer {
    /// Reads what stands after `?` in a link.
    pub(super) fn parse(&self, text: &str) -> Result<ViewQuery> {
        let mut query = ViewQuery::default();
        for (key, value) in form_urlencoded::parse(text.trim_start_matches('?').as_bytes()) {
            if self.set(&mut query, &key, &value).is_none() {
                let what = format!("`{key}={value}` of the link is not in this data set");
                let hint = "choose on the page, and take what then stands after `?` in its link";
                return Err(Error::usage(what).with_hint(hint));
            }
            if key != "page" && !value.is_empty() {
                query.pairs.push((key.into_owned(), value.into_owned()));
            }
        }
        query.system = query.system.or_else(|| query.against.take());
        Ok(query)
    }

    /// Sets what a key says; `None` for what the data set does not have.
    fn set(&self, query: &mut ViewQuery, key: &str, value: &str) -> Option<()> {
        let field = self.fields.iter().position(|one| one.0 == key);
        let place = |field: usize| self.fields[field].1.iter().position(|one| one == value);
        match key {
            "q" => query.text = value.trim().to_string(),
            "asc" => query.ascending = !["", "0", "false"].contains(&value),
            "page" => query.before = value.parse::<usize>().ok()?.checked_sub(1)?,
            _ if value.is_empty() => _ = field?,
            _ => match (field?, place(field?)?) {
                (0, system) => query.system = Some(system as u16),
                (1, system) => query.against = Some(system as u16),
                (2, order) => query.order = self.orders[order],
                (field @ (3 | 4), label) => query.of_answers.push((field - 3, label as u32)),
                (field, label) => query.of_items.push((field - 3, label as u32)),
            },
        }
        Some(())
    }

    /// Selects the items that fit, in order.
    pub(super) fn select(&self, query: &ViewQuery) -> Result<Vec<SelectedItem>> {
        let (columns, text) = (&self.columns, &query.text);
        let found = (!text.is_empty()).then(|| columns.words.slots_with(text));
        let found = found.transpose()?;
        let has = |slot: usize| found.as_ref().is_none_or(|found| found[slot]);
        let select = |item: u32| {
            let outputs = columns.outputs_of(item);
            let slot = outputs.start + item as usize;
            let asked = outputs.filter(|&output| query.asks(columns, output));
            let found = asked.filter(|&output| has(slot) || has(output + item as usize + 1));
            let all = found.map(|output| {
                let (output, by) = (output as u32, query.number(columns, item, output));
                SelectedItem { item, output, by }
            });
            let (output, by) = (NONE, f64::NAN);
            let is_all = has(slot) && query.of_answers.is_empty();
            let without = is_all.then_some(SelectedItem { item, output, by });
            all.min_by(|one, other| query.compare(one, other))
                .or(without)
        };
        let items = (0..self.source.index.items() as u32).into_par_iter();
        let items = items.filter(|&item| query.fits(columns, item));
        let mut items: Vec<SelectedItem> = items.filter_map(select).collect();
        items.par_sort_unstable_by(|one, other| query.compare(one, other));
        Ok(items)
    }
}

impl ViewQuery {
    /// What stands after `?` in the link of this query to a page, from 1.
    pub(super) fn link(&self, page: Option<usize>) -> String {
        let mut link = form_urlencoded::Serializer::new(String::new());
        let page = page.map(|page| ("page", page.to_string()));
        link.extend_pairs(&self.pairs).extend_pairs(page).finish()
    }

    /// Whether an output is of a chosen system, and one of the answers about it passes the filters of answers.
    pub(super) fn asks(&self, columns: &OutputColumns, output: usize) -> bool {
        let system = Some(columns.systems[output]);
        let mut answers = columns.answers_about(output);
        (self.system.is_none() || [self.system, self.against].contains(&system))
            && (self.of_answers.is_empty() || answers.any(|at| columns.has(&self.of_answers, at)))
    }

    /// Whether an item passes the filters of items.
    fn fits(&self, columns: &OutputColumns, item: u32) -> bool {
        let mut chosen = self.system.into_iter().chain(self.against);
        columns.has(&self.of_items, item as usize)
            && chosen.all(|one| columns.output(item, one).is_some())
    }

    /// The number of an output, or NaN.
    fn number(&self, columns: &OutputColumns, item: u32, output: usize) -> f64 {
        let measure = |number: usize| &columns.measures[number];
        let rank = |number: usize| measure(number).ranks[output];
        match self.order {
            ItemOrder::Given => f64::NAN,
            ItemOrder::Length => columns.lengths[output].into(),
            ItemOrder::Value(a) => measure(a).values[output],
            ItemOrder::Difference(a) => {
                let values = &measure(a).values;
                let others = columns.outputs_of(item).filter(|&other| {
                    let system = columns.systems[other];
                    other != output && self.against.is_none_or(|against| system == against)
                });
                let others = others.map(|other| values[other]);
                let others = others.filter(|one| !one.is_nan());
                let (sum, count) = others.fold((0.0, 0.0), |(sum, n), one| (sum + one, n + 1.0));
                values[output] - sum / count
            }
            ItemOrder::Spread(a) => match measure(a).spreads.get(output) {
                Some(&spread) => spread.into(),
                None => f64::NAN,
            },
            ItemOrder::Disagreement(a, b) => f64::from((rank(a) - rank(b)).abs()),
        }
    }

    /// Compares by number, those without one last, and then by item.
    fn compare(&self, one: &SelectedItem, other: &SelectedItem) -> Ordering {
        let key = |one: &SelectedItem| if self.ascending { one.by } else { -one.by };
        let by_number = key(one).partial_cmp(&key(other)).unwrap_or(Ordering::Equal);
        let lacks = one.by.is_nan().cmp(&other.by.is_nan());
        lacks.then(by_number).then(one.item.cmp(&other.item))
    }
}
