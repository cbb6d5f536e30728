//! Looking at a data set: its items as a list, outputs side by side, all that is known of them. Searches, filters and
//! orders are answered from numbers in memory; texts are read for the items that are shown. Pages work without script.

mod columns;
mod query;
mod texts;

use crate::engine::context::Context;
use crate::inputs::source::campaign::JOURNAL;
use crate::inputs::source::table::csv;
use crate::inputs::source::{PredictionTable, Source};
use crate::rendering::{self, Rendering};
use crate::report::html::markup::Html;
use columns::{OutputColumns, SLICE};
use minijinja::value::{Serde, Value as Shown};
use minijinja::{Environment, UndefinedBehavior};
use query::{ItemOrder, LinkField, SelectedItem, ViewQuery, fields};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use texts::{Notes, note};
use tiebreak_base::duel::{Arm, Prediction};
use tiebreak_base::error::{Error, Result, is_there};
use tiebreak_base::layout::{number, percent, thousands};
use tiebreak_data::records::Kind;

/// Items on a page of the list.
const ITEMS_PER_PAGE: usize = 20;

/// Items of a page that needs no server.
const STATIC_ITEMS: usize = 200;

/// Characters of a text in the list.
const GLANCE: usize = 220;

/// The most rows of a selection that is saved.
const ROWS_IN_FILE: usize = 100_000;

/// A media type and a body.
pub(crate) type ViewerReply = (&'static str, Vec<u8>);

/// A data set to be looked at. Many threads may read one.
pub struct Viewer {
    source: Source,
    columns: OutputColumns,
    fields: Vec<LinkField>,
    orders: Vec<ItemOrder>,
    notes: Notes,
    predictions: Option<PredictionTable>,
    rendering: Rendering,
}

impl Viewer {
    /// Reads a data set with tables of scores and of predictions; without the latter those that the set holds.
    ///
    /// # Errors
    /// Tables that do not fit the data set; an interruption; temporary files that cannot be written.
    pub fn open(
        context: &Context<'_>,
        source: Source,
        scores: &[PathBuf],
        predictions: Option<&Path>,
    ) -> Result<Self> {
        let predictions = predictions.or(source.dataset.predictions());
        let predictions = predictions.map(|path| PredictionTable::open(context, &source, path));
        let predictions = predictions.transpose()?;
        let notes = Notes::read(context, &source)?;
        let columns = OutputColumns::read(context, &source, scores, predictions.as_ref(), &notes)?;
        let (fields, orders) = fields(&source, &columns);
        Ok(Self {
            fields,
            orders,
            columns,
            notes,
            predictions,
            rendering: Rendering::guess(&source.dataset),
            source,
        })
    }

    /// What a link leads to, with its media type: the list without a name; `item`, one a page; `page.html`, which needs
    /// no server and has 200 items; `selection.jsonl` and `selection.csv`; nothing by another name. `query` is what
    /// stands after `?`; what a page itself runs has the nonce.
    ///
    /// # Errors
    /// A query that does not fit the data set; files that cannot be read.
    pub fn reply(&self, name: &str, query: &str, nonce: &str) -> Result<Option<ViewerReply>> {
        let query = self.parse(query)?;
        Ok(Some(match name {
            "" | "item" | "page.html" => {
                let page = self.page(name, &query, nonce)?;
                ("text/html; charset=utf-8", page.into())
            }
            "selection.jsonl" => {
                let lines = self.rows(&query)?.into_iter().map(|row| format!("{row}\n"));
                ("application/x-ndjson", lines.collect::<String>().into())
            }
            "selection.csv" => {
                let rows = self.rows(&query)?;
                let columns = rows.first().and_then(Value::as_object);
                let columns = columns.into_iter().flat_map(Map::keys).map(String::as_str);
                let table = csv(&columns.collect::<Vec<_>>(), &rows)?;
                ("text/csv; charset=utf-8", table)
            }
            _ => return Ok(None),
        }))
    }

    /// The selection as rows, one an output, with all its numbers.
    fn rows(&self, query: &ViewQuery) -> Result<Vec<Value>> {
        let columns = &self.columns;
        let mut rows = Vec::new();
        for one in self.select(query)? {
            let at = u64::from(one.item);
            let group = self.source.groups(at..at + 1)?.pop().unwrap_or_default();
            let outputs = columns.outputs_of(one.item);
            for output in outputs.filter(|&output| query.asks(columns, output)) {
                let system = Arm(columns.systems[output]);
                let mut row = Map::new();
                // Columns of items and metrics may be called like another.
                let mut set = |kind: &str, column: &str, value| {
                    let kind = if row.contains_key(column) { kind } else { "" };
                    row.insert(format!("{kind}{column}"), value)
                };
                set("", "item", json!(group.item));
                set("", "system", json!(self.source.system(system)));
                set("", "source", json!(group.source));
                set("", "output", json!(group.output(system)));
                for (key, labels) in columns.labels.iter().skip(2) {
                    let label = labels.of.get(one.item as usize);
                    let label = label.and_then(|&label| labels.names.get_index(label as usize));
                    set(SLICE, key.trim_start_matches(SLICE), json!(label));
                }
                for measure in &columns.measures {
                    set("score:", &measure.name, json!(measure.values[output]));
                }
                rows.push(Value::Object(row));
            }
            if rows.len() >= ROWS_IN_FILE {
                rows.truncate(ROWS_IN_FILE);
                break;
            }
        }
        Ok(rows)
    }

    /// One page of a selection: of the list, of single items, or without a server.
    fn page(&self, name: &str, query: &ViewQuery, nonce: &str) -> Result<String> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        templates.set_formatter(|out, _, value| {
            let html = match value.is_safe() {
                true => value.to_string(),
                false => Html::from(value.to_string()).into_string(),
            };
            out.write_str(&html).map_err(minijinja::Error::from)
        });
        templates.add_filter("count", thousands);
        templates.add_filter("number", number);
        templates.add_filter("percent", percent);
        let searched = query.text.to_lowercase();
        templates.add_filter("glance", move |text: &str| glance(&searched, text));
        let shown = |rendering: Rendering| {
            move |text: String| match rendering.is_plain() {
                true => Shown::from(text),
                false => Shown::from_safe_string(rendering.html(&text)),
            }
        };
        templates.add_filter("output", shown(self.rendering));
        templates.add_filter("prompt", shown(self.rendering.for_prompts()));

        let selection = self.select(query)?;
        let size = match name {
            "item" => 1,
            "page.html" => STATIC_ITEMS,
            _ => ITEMS_PER_PAGE,
        };
        let pages = selection.len().div_ceil(size).max(1);
        let page = query.before.min(pages - 1);
        let first = page * size;
        let items = (first + 1..).zip(selection.iter().skip(first).take(size));
        let items = items.map(|(place, &one)| self.item(query, one, place));
        let turn = |to: usize| (1..=pages).contains(&to).then(|| query.link(Some(to)));
        let measures = self.columns.measures.iter();
        let parts = json!({
            "items": items.collect::<Result<Vec<_>>>()?, "selected": selection.len(), "all": self.source.index.items(),
            "page": page + 1, "pages": pages, "before": turn(page), "after": turn(page + 2),
            "measures": measures.map(|one| (&one.name, &one.signature)).collect::<Vec<_>>(),
            "list": query.link(Some(first / ITEMS_PER_PAGE + 1)), "link": query.link(None), "pairs": query.pairs,
            "name": name, "nonce": nonce, "ROWS_IN_FILE": ROWS_IN_FILE, "STATIC_ITEMS": STATIC_ITEMS,
            "style": String::from_iter([rendering::TOKENS, include_str!("style.css"), rendering::STYLE]),
            "fields": self.fields, "script": include_str!("keys.js"), "data": self.source.dataset.name(),
            "is_campaign": is_there(&self.source.dataset.path().join(JOURNAL)),
        });
        let made = templates.render_named_str("page.html", include_str!("page.html"), Serde(parts));
        made.map_err(Error::failed)
    }

    /// All that is known of an item; the output that decides its place stands first, then those that are asked for.
    fn item(&self, query: &ViewQuery, one: SelectedItem, place: usize) -> Result<Value> {
        let at = u64::from(one.item);
        let group = self.source.groups(at..at + 1)?.pop().unwrap_or_default();
        let notes = self.notes.of_items(at..at + 1)?.pop().unwrap_or_default();
        let note = |kind, place| note(&notes, kind, place);
        let columns = &self.columns;
        let name = |system: Arm| self.source.system(system);
        let decides = (!one.by.is_nan()).then(|| columns.systems[one.output as usize]);
        let mut outputs: Vec<usize> = columns.outputs_of(one.item).collect();
        outputs
            .sort_by_key(|&output| (output != one.output as usize, !query.asks(columns, output)));
        let source = group.source.iter().map(|text| ("Source", text));
        let references = group.references.iter().map(|text| ("Reference", text));
        let sides = outputs.into_iter().map(|output| {
            let system = Arm(columns.systems[output]);
            let numbers = columns.measures.iter().map(|one| (one.values[output], one.ranks[output]));
            json!({
                "system": name(system), "text": group.output(system), "length": columns.lengths[output],
                "numbers": numbers.collect::<Vec<_>>(), "note": note(Kind::Outputs, system.0.into()),
            })
        });
        let judgments = group.judgments.iter().map(|one| json!({
            "system": name(one.system), "note": note(Kind::Judgments, one.place),
            "cells": [one.annotator, self.source.index.criteria()[one.criterion], number(one.score)],
            "own": [("seconds", &one.seconds.map(number)),
                ("part", &one.part), ("repeat", &one.repeat), ("edited", &one.post_edit)],
        }));
        let comparisons = group.comparisons.iter().map(|one| {
            let better = match one.outcome.value() {
                0.5 => "tie",
                value => name(if value > 0.5 { one.a } else { one.b }),
            };
            json!({
                "cells": [one.annotator, name(one.a), name(one.b), better], "note": note(Kind::Comparisons, one.place),
                "own": [("seconds", one.cost.seconds.map(number))],
            })
        });
        let mut verdicts = Vec::new();
        if let Some(table) = &self.predictions {
            let (judge, answers) = (table.judge()?, table.answers(group.position)?);
            let found = table.of_item(group.position)?.into_iter().zip(answers);
            for ((a, b, Prediction { p, uncertainty }), (position, answer)) in found {
                let spread = uncertainty.map(|one| number(one.std));
                verdicts.push(json!({
                    "cells": [judge, name(a), name(b), format!("{} for {}", percent(p), name(a))], "note": [],
                    "own": [("std", spread), ("position", position.map(number)), ("answer", Some(answer))],
                }));
            }
        }
        let by = match query.order {
            ItemOrder::Disagreement(..) => percent(one.by),
            _ => number(one.by),
        };
        Ok(json!({
            "name": group.item, "link": query.link(Some(place)), "note": note(Kind::Items, 0),
            "by": decides.map(|system| format!("{}: {by}", name(Arm(system)))),
            "given": source.chain(references).collect::<Vec<_>>(), "sides": sides.collect::<Vec<_>>(),
            "judgments": judgments.collect::<Vec<_>>(), "answers": comparisons.chain(verdicts).collect::<Vec<_>>(),
        }))
    }
}

/// The beginning of a text, or its part from shortly before what is searched.
fn glance(searched: &str, text: &str) -> String {
    let lower = text.to_lowercase();
    let found = lower.find(searched).unwrap_or_default();
    let first = lower[..found].chars().count().saturating_sub(GLANCE / 4);
    let shown: String = text.chars().skip(first).take(GLANCE).collect();
    let before = if first > 0 { "…" } else { "" };
    let after = text.chars().nth(first + GLANCE).map_or("", |_| "…");
    format!("{before}{shown}{after}")
}
