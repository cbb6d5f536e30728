//! The pages: a list of items, an item with all that is known of it, a page that needs no server. They work without
//! script.

use super::columns::MeasureKind;
use super::lists::{NumberedNames, names_key};
use super::query::{ItemOrder, SelectedItem, Selection, ViewQuery, encoded};
use super::{ITEMS_PER_PAGE, ROWS_IN_FILE, STATIC_ITEMS, Viewer};
use crate::rendering;
use crate::report::html::markup::{Html, HtmlTable, element, facts, folded, name, with};
use tiebreak_base::duel::Arm;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{duration, number, percent, thousands};
use tiebreak_data::records::index::Group;

const STYLE: &str = include_str!("style.css");

/// Keys; the page works without. It has no `<` or `&`.
const SCRIPT: &str = include_str!("keys.js");

/// Names that a field offers as a list; of more one is typed.
const OFFERED: usize = 200;

/// Characters of a text in the list.
const GLANCE: usize = 220;

/// Answers on one item that are shown.
const ANSWERS: usize = 200;

/// Outputs of an item in the list, where no system is chosen.
const GLANCED_OUTPUTS: usize = 2;

const RUNNING: &str = "This is a campaign. While it runs, what you see here can influence what people answer. Do not \
                       show it to annotators, and do not end the campaign by what you see.";

/// The whole page.
fn whole(title: &str, nonce: Option<&str>, body: Html) -> String {
    let meta =
        |name: &str, content: &str| with("meta", &[("name", name), ("content", content)], "");
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    let style = [STYLE, rendering::STYLE].concat();
    let (policy, style, script) = match nonce {
        Some(nonce) => (
            Html::default(),
            with("style", &[("nonce", nonce)], Html::ready(style)),
            with("script", &[("nonce", nonce)], Html::ready(SCRIPT)),
        ),
        None => (
            with(
                "meta",
                &[
                    ("http-equiv", "Content-Security-Policy"),
                    ("content", policy),
                ],
                "",
            ),
            element("style", Html::ready(style)),
            Html::default(),
        ),
    };
    let head = [
        with("meta", &[("charset", "utf-8")], ""),
        policy,
        meta("viewport", "width=device-width, initial-scale=1"),
        meta("referrer", "no-referrer"),
        meta("robots", "noindex"),
        element("title", title),
        with("link", &[("rel", "icon"), ("href", "data:,")], ""),
        style,
    ];
    let body = element("body", [body, script]);
    let html = with(
        "html",
        &[("lang", "en")],
        [element("head", Html::from(head)), body],
    );
    format!("<!DOCTYPE html>\n{}", html.into_string())
}

fn link(to: &str, attributes: &[(&str, &str)], inner: impl Into<Html>) -> Html {
    with("a", &[&[("href", to)], attributes].concat(), inner)
}

fn soft(text: impl Into<Html>) -> Html {
    with("p", &[("class", "soft")], text)
}

/// A field with its label.
fn field(label: &str, inner: Html) -> Html {
    with(
        "label",
        &[("class", "field")],
        [element("span", label), inner],
    )
}

/// A list of choices, of which one value may be chosen.
fn select<'a>(
    key: &str,
    none: &str,
    options: impl Iterator<Item = (String, &'a str)>,
    chosen: &str,
) -> Html {
    let none = with("option", &[("value", "")], none);
    let options = options.map(|(value, label)| option(&value, label, value == chosen));
    with(
        "select",
        &[("name", key)],
        std::iter::once(none).chain(options).collect::<Html>(),
    )
}

fn option(value: &str, label: &str, is_chosen: bool) -> Html {
    let chosen: &[(&str, &str)] = if is_chosen { &[("selected", "")] } else { &[] };
    with("option", &[&[("value", value)], chosen].concat(), label)
}

/// A field for one of many names.
fn names_field(label: &str, key: &str, names: &NumberedNames, chosen: &str) -> Html {
    match names.names.len() {
        0 => Html::default(),
        n if n > OFFERED => field(
            label,
            with("input", &[("name", key), ("value", chosen)], ""),
        ),
        _ => {
            let options = names.sorted().map(|name| (name.to_string(), name));
            field(label, select(key, "any", options, chosen))
        }
    }
}

impl Viewer {
    /// The list of a selection, one page of it.
    pub(super) fn list_page(
        &self,
        query: &ViewQuery,
        selection: &mut Selection,
        nonce: &str,
    ) -> Result<String> {
        let all = selection.len();
        let pages = all.div_ceil(ITEMS_PER_PAGE).max(1);
        let page = query.page.min(pages);
        let first = (page - 1) * ITEMS_PER_PAGE;
        let shown = selection.at(first..first + ITEMS_PER_PAGE).to_vec();
        let mut rows = Vec::new();
        for (place, one) in (first + 1..).zip(shown) {
            rows.push(self.row(query, one, place)?);
        }
        let rows = match rows.is_empty() {
            true => soft("No item fits. Leave out a filter."),
            false => with(
                "ol",
                &[("class", "items")],
                rows.into_iter().collect::<Html>(),
            ),
        };
        let label = format!(
            "Page {} of {}",
            thousands(page as u64),
            thousands(pages as u64)
        );
        let parts = [
            self.form(query),
            self.summary(query, selection),
            rows,
            turns(query, ("", "page"), page, pages, label),
        ];
        let body = [self.header(query), with("main", &[], parts)];
        Ok(whole(&self.name, Some(nonce), body.into()))
    }

    fn header(&self, query: &ViewQuery) -> Html {
        let home = link("./", &[], name(&self.name));
        let keys = "Keys: / search, j next, k previous, Enter open, u back to the list";
        let running = match self.is_campaign {
            true => with("p", &[("class", "warn")], RUNNING),
            false => Html::default(),
        };
        let back = match query.at.is_some() || query.item.is_some() {
            true => link(
                &format!("./?{}", query.link(&[])),
                &[("rel", "up"), ("class", "tool")],
                "← List",
            ),
            false => Html::default(),
        };
        with(
            "header",
            &[],
            [
                element("h1", home),
                back,
                with("p", &[("class", "soft keys")], keys),
                running,
            ],
        )
    }

    fn form(&self, query: &ViewQuery) -> Html {
        let chosen = |key: &str| {
            let mut pairs = query.pairs.iter();
            let found = pairs.find(|(known, _)| known == key);
            found.map_or("", |(_, value)| value.as_str())
        };
        let systems = || {
            self.source
                .systems()
                .iter()
                .map(|one| (one.clone(), one.as_str()))
        };
        let search = [("name", "q"), ("type", "search"), ("value", &query.text)];
        let slices = self.columns.slices.iter().map(|slice| {
            let own = query.pairs.iter().filter(|(key, _)| key == "slice");
            let mut own = own.map(|(_, value)| value.as_str());
            let begin = format!("{}=", slice.column);
            let chosen = own
                .rfind(|value| value.starts_with(&begin))
                .unwrap_or_default();
            let options = slice
                .values
                .sorted()
                .map(|label| (format!("{begin}{label}"), label));
            field(&slice.column, select("slice", "any", options, chosen))
        });
        let mut groups: Vec<(&str, Vec<Html>)> = Vec::new();
        for (place, one) in self.choices.iter().enumerate() {
            let option = option(&one.key, &one.label, place == query.choice);
            match groups.last_mut().filter(|(group, _)| *group == one.group) {
                Some((_, options)) => options.push(option),
                None => groups.push((one.group, vec![option])),
            }
        }
        let groups = groups.into_iter().map(|(label, options)| {
            with(
                "optgroup",
                &[("label", label)],
                options.into_iter().collect::<Html>(),
            )
        });
        let checked: &[(&str, &str)] = if query.ascending {
            &[("checked", "")]
        } else {
            &[]
        };
        let smallest = [
            &[("name", "asc"), ("type", "checkbox"), ("value", "1")],
            checked,
        ]
        .concat();
        let labels = &self.columns.answers.labels;
        let fields = [
            field("Search", with("input", &search, "")),
            field(
                "System",
                select("system", "all", systems(), chosen("system")),
            ),
            field(
                "Compared with",
                select("against", "the others", systems(), chosen("against")),
            ),
            slices.collect(),
            names_field("Answer", "label", labels, chosen("label")),
            names_field(
                "Annotator",
                "annotator",
                &self.columns.answers.annotators,
                chosen("annotator"),
            ),
            field(
                "Order",
                with("select", &[("name", "sort")], groups.collect::<Html>()),
            ),
            with(
                "label",
                &[("class", "check")],
                [
                    with("input", &smallest, ""),
                    element("span", "smallest first"),
                ],
            ),
            with("button", &[("class", "main")], "Show"),
            link("./", &[("class", "tool")], "Clear"),
        ];
        with("form", &[("class", "card"), ("action", "./")], fields)
    }

    /// How many items there are, in which order, and where the selection can be saved.
    fn summary(&self, query: &ViewQuery, selection: &Selection) -> Html {
        let all = thousands(self.columns.items() as u64);
        let fit = thousands((selection.len() + selection.lacking) as u64);
        let mut text = format!("{fit} of {all} items fit.");
        let choice = &self.choices[query.choice];
        text += &match query.order {
            ItemOrder::Given => String::new(),
            ItemOrder::Disagreement(..) => format!(
                " Order: disagreement of {}. It is the distance of two shares, of outputs that are worse.",
                choice.label
            ),
            ItemOrder::Spread(_) => format!(
                " Order: disagreement of {}, a standard deviation.",
                choice.label
            ),
            ItemOrder::Difference(_) => format!(" Order: difference in {}.", choice.label),
            ItemOrder::Value(_) | ItemOrder::Length => format!(" Order: {}.", choice.label),
        };
        if selection.lacking > 0 {
            text += &format!(
                " Left out, since they lack that number: {}.",
                thousands(selection.lacking as u64)
            );
        }
        let save = |what: &str, label: String| {
            link(
                &format!("{what}?{}", query.link(&[])),
                &[("download", ""), ("class", "tool")],
                label,
            )
        };
        let saves = [
            save("selection.jsonl", "JSON lines".to_string()),
            save("selection.csv", "CSV".to_string()),
            save(
                "page.html",
                format!("Page of the first {STATIC_ITEMS} items"),
            ),
        ];
        let limit = format!(
            "The files have {} outputs at most.",
            thousands(ROWS_IN_FILE as u64)
        );
        let limit = with("span", &[("class", "soft")], limit);
        let saves = [element("span", "Save: "), saves.into(), limit];
        let saves = with("div", &[("class", "saves")], saves);
        Html::from([with("p", &[("role", "status")], text), saves])
    }

    /// The number by which an item is ordered, as people read it.
    fn shown_value(&self, query: &ViewQuery, one: SelectedItem) -> Html {
        let value = match query.order {
            ItemOrder::Given => return Html::default(),
            ItemOrder::Disagreement(a, b) => {
                let share = |measure: usize| {
                    let measure = &self.columns.measures[measure];
                    format!(
                        "{} {}",
                        measure.name,
                        percent(f64::from(measure.ranks[one.output as usize]))
                    )
                };
                format!("{} apart: {}, {}", percent(one.value), share(a), share(b))
            }
            ItemOrder::Length => format!("{} characters", thousands(one.value as u64)),
            _ => number(one.value),
        };
        let system = self.columns.systems[one.output as usize];
        let value = format!("{}: {value}", self.source.system(Arm(system)));
        with("p", &[("class", "value")], value)
    }

    /// An item in the list.
    fn row(&self, query: &ViewQuery, one: SelectedItem, place: usize) -> Result<Html> {
        let group = self.group(u64::from(one.item))?;
        let to = format!("item?{}", query.link(&[("at", &place.to_string())]));
        let heading = element("h2", link(&to, &[], name(&group.item)));
        let value = self.shown_value(query, one);
        let source = group
            .source
            .as_deref()
            .map(|text| glance("source", &[], text));
        let own = self.columns.systems.get(one.output as usize).copied();
        let wanted = |system: &u16| match query.system {
            Some(_) => Some(*system) == query.system || Some(*system) == query.against,
            None => own.is_none_or(|own| own == *system),
        };
        let outputs = group.outputs.iter().filter(|one| wanted(&one.system.0));
        let outputs = outputs.take(GLANCED_OUTPUTS).map(|output| {
            let system = self.source.system(output.system);
            let text = glance("words", &[("data-output", system)], &output.text);
            element("div", [element("h3", name(system)), text])
        });
        let outputs = with("div", &[("class", "sides")], outputs.collect::<Html>());
        let parts = [heading, value, source.unwrap_or_default(), outputs];
        Ok(with(
            "li",
            &[("class", "card"), ("data-item", &group.item)],
            parts,
        ))
    }

    /// One item with all that is known of it; of one in a selection its place in it, from 1, and their number.
    pub(super) fn item_page(
        &self,
        query: &ViewQuery,
        position: u64,
        place: Option<(usize, usize, SelectedItem)>,
        nonce: &str,
    ) -> Result<String> {
        let group = self.group(position)?;
        let chosen = [query.system, query.against];
        let first = place.map_or(chosen, |(.., one)| self.first_systems(query, one));
        let turns = place.map(|(at, all, one)| {
            let label = format!("{} of {}", thousands(at as u64), thousands(all as u64));
            let turns = turns(query, ("item", "at"), at, all, label);
            Html::from([turns, self.shown_value(query, one)])
        });
        let own = format!("item?item={}", encoded(&group.item));
        let own = soft(link(&own, &[], "Link to this item"));
        let item = self.item_html(&group, first)?;
        let body = [turns.unwrap_or_default(), item, self.signatures(), own];
        let body = [self.header(query), with("main", &[], body)];
        let title = format!("{} · {}", group.item, self.name);
        Ok(whole(&title, Some(nonce), body.into()))
    }

    /// The systems whose outputs stand first: the chosen ones, or the one that decides an item's place.
    fn first_systems(&self, query: &ViewQuery, one: SelectedItem) -> [Option<u16>; 2] {
        let own = self.columns.systems.get(one.output as usize).copied();
        [query.system.or(own), query.against]
    }

    /// All that is known of an item; the outputs of the chosen systems stand first.
    fn item_html(&self, group: &Group, chosen: [Option<u16>; 2]) -> Result<Html> {
        let mut labels = Vec::new();
        for slice in &self.columns.slices {
            let label = slice
                .values
                .names
                .get(slice.of_items[group.position as usize] as usize);
            labels.extend(label.map(|label| (slice.column.as_str(), label.clone())));
        }
        let prompt = self.rendering.for_prompts();
        let source = group
            .source
            .iter()
            .map(|text| ("Source", "data-source", text, prompt));
        let references = group.references.iter();
        let references =
            references.map(|text| ("Reference", "data-reference", text, self.rendering));
        let given = source
            .chain(references)
            .map(|(label, kind, text, rendering)| {
                let open = with(
                    "details",
                    &[("open", "")],
                    [
                        element("summary", label),
                        shown_text(kind, "", text, rendering),
                    ],
                );
                with("div", &[("class", "card given")], open)
            });
        let mut outputs: Vec<usize> = self.columns.range(group.position).collect();
        let is_chosen = |output: &usize| chosen.contains(&Some(self.columns.systems[*output]));
        outputs.sort_by_key(|output| !is_chosen(output));
        let mut sides = Vec::new();
        for output in outputs {
            sides.push(self.side(group, output)?);
        }
        let parts = [
            element("h2", [Html::from("Item "), name(&group.item)]),
            if labels.is_empty() {
                Html::default()
            } else {
                facts(labels)
            },
            given.collect(),
            with(
                "div",
                &[("class", "sides")],
                sides.into_iter().collect::<Html>(),
            ),
            self.comparisons(group)?,
            self.verdicts(group)?,
        ];
        Ok(with("article", &[("data-item", &group.item)], parts))
    }

    /// An output with its scores and judgments.
    fn side(&self, group: &Group, output: usize) -> Result<Html> {
        let system = Arm(self.columns.systems[output]);
        let shown = self.source.system(system);
        let text = match group.output(system) {
            Some(text) => shown_text("data-output", shown, text, self.rendering),
            None => soft("There is no output of this system."),
        };
        let length = u64::from(self.columns.lengths[output]);
        let mut known = vec![("length", format!("{} characters", thousands(length)))];
        for measure in &self.columns.measures {
            let value = measure.values[output];
            if !value.is_nan() {
                let rank = percent(f64::from(measure.ranks[output]));
                let what = match measure.kind {
                    MeasureKind::Judge => "mean preference ",
                    _ => "",
                };
                known.push((
                    &measure.name,
                    format!("{what}{}; better than {rank} of outputs", number(value)),
                ));
            }
        }
        let judgments = group.judgments.iter().filter(|one| one.system == system);
        let mut rows = Vec::new();
        for one in judgments.take(ANSWERS) {
            let criterion = &self.source.index.criteria()[one.criterion];
            let extra = [
                ("part", &one.part),
                ("repeat", &one.repeat),
                ("edited", &one.post_edit),
            ];
            let extra = extra
                .into_iter()
                .filter_map(|(name, text)| Some((name.to_string(), text.clone()?)));
            let note: Vec<_> = extra.chain(self.notes[1].get(one.place)?).collect();
            rows.push(vec![
                name(one.annotator.as_deref().unwrap_or("–")),
                name(criterion),
                Html::from(number(one.score)),
                noted(one.seconds, &note),
            ]);
        }
        let judgments = table(
            &format!("Judgments of {shown}"),
            &["annotator", "criterion", "score", "notes"],
            rows,
        );
        Ok(with(
            "section",
            &[("class", "card output")],
            [element("h3", name(shown)), text, facts(known), judgments],
        ))
    }

    fn comparisons(&self, group: &Group) -> Result<Html> {
        let mut rows = Vec::new();
        for one in group.comparisons.iter().take(ANSWERS) {
            let (a, b) = (self.source.system(one.a), self.source.system(one.b));
            let better = match one.outcome.value() {
                1.0 => name(a),
                0.0 => name(b),
                _ => Html::from("tie"),
            };
            let annotator = name(one.annotator.as_deref().unwrap_or("–"));
            let note = self.notes[0].get(one.place)?;
            rows.push(vec![
                annotator,
                name(a),
                name(b),
                better,
                noted(one.cost.seconds, &note),
            ]);
        }
        let more = group.comparisons.len().saturating_sub(ANSWERS);
        let more = match more {
            0 => Html::default(),
            more => soft(format!("Not shown: {} more.", thousands(more as u64))),
        };
        let header = ["annotator", "one", "other", "better", "notes"];
        Ok([table("Comparisons", &header, rows), more].into())
    }

    fn verdicts(&self, group: &Group) -> Result<Html> {
        let Some((predictions, notes)) = &self.predictions else {
            return Ok(Html::default());
        };
        let mut rows = Vec::new();
        for (a, b, prediction) in predictions.of_item(group.position)? {
            let (a, b) = (self.source.system(a), self.source.system(b));
            let spread = prediction
                .uncertainty
                .map_or_else(|| "–".to_string(), |one| number(one.std));
            let note = notes.get(names_key(&[&group.item, a, b]))?;
            let share = Html::from(percent(prediction.p));
            rows.push(vec![
                name(a),
                name(b),
                share,
                Html::from(spread),
                noted(None, &note),
            ]);
        }
        let header = [
            "one",
            "other",
            "preference for one",
            "standard deviation",
            "answer",
        ];
        Ok(table(
            &format!("Verdicts of {}", predictions.judge()?),
            &header,
            rows,
        ))
    }

    /// The signatures of scores and verdicts.
    fn signatures(&self) -> Html {
        let signed = self.columns.measures.iter();
        let signed = signed.filter_map(|one| Some((one.name.as_str(), one.signature.clone()?)));
        let signed: Vec<(&str, String)> = signed.collect();
        if signed.is_empty() {
            Html::default()
        } else {
            folded("Signatures", facts(signed))
        }
    }

    /// A page of the first items of a selection that needs no server.
    pub(super) fn static_page(
        &self,
        query: &ViewQuery,
        selection: &mut Selection,
    ) -> Result<String> {
        let all = selection.len();
        let shown = selection.at(0..STATIC_ITEMS).to_vec();
        let many = match shown.len() == all {
            true => format!("All {} items of the selection.", thousands(all as u64)),
            false => format!(
                "The first {} of {} items.",
                thousands(shown.len() as u64),
                thousands(all as u64)
            ),
        };
        let order = &self.choices[query.choice];
        let order = soft(format!("{many} Order: {} ({}).", order.label, order.group));
        let mut items = Vec::new();
        for one in shown {
            let first = self.first_systems(query, one);
            let item = self.item_html(&self.group(u64::from(one.item))?, first)?;
            items.push(Html::from([self.shown_value(query, one), item]));
        }
        let heading = with("header", &[], element("h1", name(&self.name)));
        let body = [order, self.signatures(), items.into_iter().collect()];
        Ok(whole(
            &self.name,
            None,
            [heading, with("main", &[], body)].into(),
        ))
    }
}

/// A text as it is shown; its element has the text and nothing else.
fn shown_text(kind: &str, value: &str, text: &str, rendering: rendering::Rendering) -> Html {
    let shown = match rendering.is_plain() {
        true => Html::from(text),
        false => Html::ready(rendering.html(text)),
    };
    let class = if rendering.is_plain() {
        "words"
    } else {
        "words rendered"
    };
    with(
        "div",
        &[("class", class), (kind, value), ("dir", "auto")],
        shown,
    )
}

/// Links to the places before and after one, in links to a page whose key says the place.
fn turns(
    query: &ViewQuery,
    (page, key): (&str, &str),
    at: usize,
    all: usize,
    label: String,
) -> Html {
    let turn = |label: &str, rel: &str, to: usize, is_there: bool| {
        let to = format!("{page}?{}", query.link(&[(key, &to.to_string())]));
        let turn = is_there.then(|| link(&to, &[("rel", rel), ("class", "tool")], label));
        turn.unwrap_or_default()
    };
    let turns = [
        turn("← Previous", "prev", at.saturating_sub(1), at > 1),
        element("span", label),
        turn("Next →", "next", at + 1, at < all),
    ];
    with("nav", &[("class", "turns")], turns)
}

/// The beginning of a text.
fn glance(class: &str, attributes: &[(&str, &str)], text: &str) -> Html {
    let mut begin: String = text.chars().take(GLANCE).collect();
    if begin.len() < text.len() {
        begin.push('…');
    }
    with(
        "div",
        &[&[("class", class), ("dir", "auto")], attributes].concat(),
        begin,
    )
}

/// What is known of an answer beside its outcome.
fn noted(seconds: Option<f64>, note: &[(String, String)]) -> Html {
    let time = seconds.map(|seconds| Html::from(duration(seconds)));
    let notes = note.iter().map(|(key, text)| {
        let text = with("span", &[("dir", "auto")], text.as_str());
        with(
            "span",
            &[("class", "note")],
            [element("b", key.as_str()), Html::from(" "), text],
        )
    });
    time.into_iter().chain(notes).collect()
}

fn table(caption: &str, header: &[&str], rows: Vec<Vec<Html>>) -> Html {
    if rows.is_empty() {
        return Html::default();
    }
    let table = HtmlTable {
        caption: caption.to_string(),
        header: header.iter().map(ToString::to_string).collect(),
        texts: header.len(),
        rows,
    };
    Html::from([element("h4", caption), table.html()])
}
