//! The pages: a list of items, an item with all that is known of it, a page that needs no server. They work without
//! script.

use super::columns::{MeasureKind, NONE};
use super::query::{ItemOrder, SelectedItem, ViewQuery};
use super::{ITEMS_PER_PAGE, ROWS_IN_FILE, STATIC_ITEMS, Viewer};
use crate::inputs::source::PredictionTable;
use crate::rendering::{self, Rendering};
use crate::report::html::markup::Html;
use minijinja::value::{Serde, Value as Shown};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use serde_json::{Value, json};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::layout::{duration, number, percent, thousands};
use tiebreak_base::message;

/// Values that a field offers as a list; of more one is typed.
const OFFERED: usize = 500;

/// Answers on one item that are shown.
const ANSWERS: usize = 200;

/// Characters of a text in the list.
const GLANCE: usize = 220;

/// Outputs of an item in the list, where no system is chosen.
const GLANCED_OUTPUTS: usize = 2;

impl Viewer {
    /// A page with its parts; without a nonce it needs no server.
    fn page(&self, nonce: Option<&str>, title: &str, parts: Value) -> Result<String> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        templates.set_auto_escape_callback(|_| AutoEscape::Html);
        templates.set_formatter(|out, _, value| {
            let html = match value.is_safe() {
                true => value.to_string(),
                false => Html::from(value.to_string()).into_string(),
            };
            out.write_str(&html).map_err(minijinja::Error::from)
        });
        templates.add_filter("count", thousands);
        templates.add_filter("duration", duration);
        templates.add_filter("number", number);
        templates.add_filter("percent", percent);
        let shown = |rendering: Rendering| {
            move |text: String| match rendering.is_plain() {
                true => Shown::from(text),
                false => Shown::from_safe_string(rendering.html(&text)),
            }
        };
        templates.add_filter("output", shown(self.rendering));
        templates.add_filter("prompt", shown(self.rendering.for_prompts()));
        let style = [
            rendering::TOKENS,
            include_str!("style.css"),
            rendering::STYLE,
        ]
        .concat();
        let page = context! {
            nonce, title, ANSWERS, OFFERED, ROWS_IN_FILE, name => &self.name, is_campaign => self.is_campaign,
            systems => Serde(self.source.systems()), style => Shown::from_safe_string(style),
            script => Shown::from_safe_string(include_str!("keys.js").into()), ..Serde(parts)
        };
        let made = templates.render_str(include_str!("page.html"), page);
        made.map_err(Error::failed)
    }

    /// The list of a selection, one page of it.
    pub(super) fn list(&self, query: &ViewQuery, nonce: &str) -> Result<String> {
        let mut selection = self.select(query)?;
        let pages = selection.items.len().div_ceil(ITEMS_PER_PAGE).max(1);
        let page = query.page.unwrap_or(1).min(pages);
        let first = (page - 1) * ITEMS_PER_PAGE;
        let shown = selection.at(first..first + ITEMS_PER_PAGE).iter();
        let rows = (first + 1..).zip(shown);
        let rows = rows.map(|(place, one)| self.row(query, *one, place));
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let page_file = format!("Page of the first {STATIC_ITEMS} items");
        let files = [
            ["selection.jsonl", "JSON lines"],
            ["selection.csv", "CSV"],
            ["page.html", &page_file],
        ];
        self.page(Some(nonce), &self.name, json!({
            "rows": rows, "files": files, "fields": self.fields(query), "pairs": query.pairs, "link": query.link(&[]),
            "text": query.text, "ascending": query.ascending, "order": self.choices[query.choice].1,
            "selected": selection.items.len(), "lacking": selection.lacking, "all": self.columns.items(),
            "why_empty": selection.why_empty(), "turns": turns(query, ["", "page", "Page "], page, pages),
        }))
    }

    /// The fields of the form for one of several values.
    fn fields(&self, query: &ViewQuery) -> Vec<Value> {
        let columns = &self.columns;
        let field = |label: &str, key: &str, none: &str, values: Vec<[String; 2]>| {
            let typed = query.pairs.iter().rfind(|pair| pair.0 == key);
            let typed = typed.map_or("", |pair| &pair.1);
            json!({"label": label, "key": key, "none": none, "values": values, "typed": typed})
        };
        let systems = values("", self.source.systems());
        let mut fields = vec![
            field("System", "system", "all", systems.clone()),
            field("Compared with", "against", "the others", systems),
        ];
        fields.extend(columns.slices.iter().map(|((_, column), one)| {
            let labels = values(&format!("{column}="), &one.values);
            field(column, "slice", "any", labels)
        }));
        let orders = self.choices[1..].iter();
        let orders = orders.map(|(key, label, _)| [key.clone(), label.clone()]);
        fields.extend([
            field("Answer", "label", "any", values("", &columns.labels)),
            field(
                "Annotator",
                "annotator",
                "any",
                values("", &columns.annotators),
            ),
            field("Order", "sort", &self.choices[0].1, orders.collect()),
        ]);
        fields
    }

    /// The number by which an item is ordered, as people read it.
    fn shown_value(&self, query: &ViewQuery, one: SelectedItem) -> Option<String> {
        let output = one.output as usize;
        let system = Arm(*self.columns.systems.get(output)?);
        let value = match self.choices[query.choice].2 {
            ItemOrder::Disagreement(a, b) => {
                let [a, b] = [a, b].map(|measure| {
                    let measure = &self.columns.measures[measure];
                    let rank = percent(f64::from(measure.ranks[output]));
                    format!("{} {rank}", measure.name)
                });
                format!("{} apart: {a}, {b}", percent(one.value))
            }
            ItemOrder::Length => format!("{} characters", thousands(one.value as u64)),
            ItemOrder::Spread(_) => format!("standard deviation {}", number(one.value)),
            _ => number(one.value),
        };
        Some(format!("{}: {value}", self.source.system(system)))
    }

    /// An item in the list.
    fn row(&self, query: &ViewQuery, one: SelectedItem, place: usize) -> Result<Value> {
        let (group, _) = self.group(one)?;
        let first = self.first_systems(query, one);
        let is_shown = |system: Arm| first[0].is_none() || first.contains(&Some(system.0));
        let outputs = group.outputs.iter().filter(|one| is_shown(one.system));
        let outputs = outputs.take(GLANCED_OUTPUTS).map(|output| {
            let system = self.source.system(output.system);
            [system.to_string(), glance(query, &output.text)]
        });
        Ok(json!({
            "name": group.item, "link": query.link(&[("at", &place.to_string())]), "value": self.shown_value(query, one),
            "source": group.source.map(|text| glance(query, &text)), "outputs": outputs.collect::<Vec<_>>(),
        }))
    }

    /// The page of one item: by its name, or by its place in a selection.
    pub(super) fn item(&self, query: &ViewQuery, nonce: &str) -> Result<String> {
        let (mut one, mut page, mut around) = (None, 1, None);
        if let Some(at) = query.at {
            let mut selection = self.select(query)?;
            one = selection.at(at - 1..at).first().copied();
            page = at.div_ceil(ITEMS_PER_PAGE);
            around = Some(turns(query, ["item", "at", ""], at, selection.items.len()));
        } else if let Some(name) = &query.item {
            let (output, value) = (NONE, 0.0);
            let item = self.source.index.position(name)?.map(|item| item as u32);
            one = item.map(|item| SelectedItem {
                item,
                output,
                value,
            });
        }
        let one = one.ok_or_else(|| Error::usage("the data set has no such item"))?;
        let item = self.group(one)?.0.item;
        let title = format!("{item} · {}", self.name);
        self.page(Some(nonce), &title, json!({
            "items": [self.whole(query, one)?], "signatures": self.signatures(), "turns": around,
            "back": query.link(&[("page", &page.to_string())]), "own": ViewQuery::default().link(&[("item", &item)]),
        }))
    }

    /// A page of the first items of a selection that needs no server.
    pub(super) fn static_page(&self, query: &ViewQuery) -> Result<String> {
        let mut selection = self.select(query)?;
        let all = thousands(selection.items.len() as u64);
        let (empty, order) = (selection.why_empty(), &self.choices[query.choice].1);
        let shown = selection.at(0..STATIC_ITEMS);
        if shown.is_empty() {
            let error = Error::usage(format!("`{}`: {empty}", query.link(&[])));
            let hint = message!("without {} the page has the first items", Key("query"));
            return Err(error.with_hint(hint));
        }
        let which = format!("The first {} of {all} items. Order: {order}.", shown.len());
        let items = shown.iter().map(|&one| self.whole(query, one));
        let items = items.collect::<Result<Vec<_>>>()?;
        let signatures = self.signatures();
        let parts = json!({"which": which, "items": items, "signatures": signatures});
        self.page(None, &self.name, parts)
    }

    /// What made scores and verdicts.
    fn signatures(&self) -> Vec<(&str, &str)> {
        let signed = self.columns.measures.iter();
        let signed = signed.filter_map(|one| Some((&*one.name, one.signature.as_deref()?)));
        signed.collect()
    }

    /// The systems whose outputs stand first: the chosen ones, or the one that decides an item's place.
    fn first_systems(&self, query: &ViewQuery, one: SelectedItem) -> [Option<u16>; 2] {
        let own = self.columns.systems.get(one.output as usize).copied();
        [query.system.or(own), query.against]
    }

    /// All that is known of an item; the outputs of the chosen systems stand first.
    fn whole(&self, query: &ViewQuery, one: SelectedItem) -> Result<Value> {
        let (group, notes) = self.group(one)?;
        let columns = &self.columns;
        let first = self.first_systems(query, one);
        let mut outputs: Vec<usize> = columns.range(group.position).collect();
        outputs.sort_by_key(|&output| !first.contains(&Some(columns.systems[output])));
        let sides = outputs.into_iter().map(|output| {
            let measures = columns.measures.iter();
            let measures = measures.filter(|one| !one.values[output].is_nan());
            let measured = measures.map(|one| {
                let is_judge = one.kind == MeasureKind::Judge;
                (&one.name, is_judge, one.values[output], one.ranks[output])
            });
            let system = columns.systems[output];
            json!({
                "system": system, "text": group.output(Arm(system)), "length": columns.lengths[output],
                "measured": measured.collect::<Vec<_>>(),
            })
        });
        let judgments = group.judgments.iter().map(|one| json!({
            "system": one.system, "annotator": one.annotator, "criterion": self.source.index.criteria()[one.criterion],
            "score": one.score, "seconds": one.seconds, "place": one.place,
            "own": [("part", &one.part), ("repeat", &one.repeat), ("edited", &one.post_edit)],
        }));
        let comparisons = group.comparisons.iter().map(|one| {
            json!({
                "a": one.a, "b": one.b, "annotator": one.annotator, "outcome": one.outcome.value(),
                "seconds": one.cost.seconds, "place": one.place,
            })
        });
        let predictions = self.predictions.iter();
        let verdicts = predictions.map(|table| table.of_item(group.position));
        let verdicts = verdicts.collect::<Result<Vec<_>>>()?.concat().into_iter();
        let verdicts =
            verdicts.map(|(a, b, one)| (a, b, one.p, one.uncertainty.map(|one| one.std)));
        let judge = self.predictions.as_ref().map(PredictionTable::judge);
        Ok(json!({
            "name": group.item, "notes": notes, "value": self.shown_value(query, one), "source": group.source,
            "references": group.references, "sides": sides.collect::<Vec<_>>(),
            "judgments": judgments.collect::<Vec<_>>(), "comparisons": comparisons.collect::<Vec<_>>(),
            "verdicts": verdicts.collect::<Vec<_>>(), "judge": judge.transpose()?,
        }))
    }
}

/// Names as values of a link with their labels, in order.
fn values<'a>(before: &str, names: impl IntoIterator<Item = &'a String>) -> Vec<[String; 2]> {
    let names = names.into_iter();
    let mut values: Vec<_> = names
        .map(|one| [format!("{before}{one}"), one.clone()])
        .collect();
    values.sort_unstable();
    values
}

/// The beginning of a text, or its part with what is searched.
fn glance(query: &ViewQuery, text: &str) -> String {
    let lower = text.to_lowercase();
    let found = lower.find(&query.text.to_lowercase()).unwrap_or_default();
    let before = lower[..found].chars().count();
    let first = if before < GLANCE / 2 {
        0
    } else {
        before - GLANCE / 4
    };
    let shown: String = text.chars().skip(first).take(GLANCE).collect();
    let more = text.chars().nth(first + GLANCE).map_or("", |_| "…");
    format!("{}{shown}{more}", if first > 0 { "…" } else { "" })
}

/// Links to the places before and after one, in links to a page whose key says the place.
fn turns(query: &ViewQuery, [page, key, label]: [&str; 3], at: usize, all: usize) -> Value {
    let turn = |to: usize| {
        let place = || format!("{page}?{}", query.link(&[(key, &to.to_string())]));
        (1..=all).contains(&to).then(place)
    };
    let [here, of] = [at, all].map(|number| thousands(number as u64));
    json!({"before": turn(at - 1), "after": turn(at + 1), "here": format!("{label}{here} of {of}")})
}
