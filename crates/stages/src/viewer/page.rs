//! The pages: a list of items, an item with all that is known of it, a page that needs no server. They work without
//! script.

use super::columns::{MeasureKind, NONE};
use super::notes::{ItemNotes, NoteSubject, RowNote};
use super::query::{self, ItemOrder, SelectedItem, Selection, ViewQuery};
use super::{ITEMS_PER_PAGE, ROWS_IN_FILE, STATIC_ITEMS, Viewer};
use crate::rendering::{self, Rendering};
use crate::report::html::markup::{Html, HtmlTable, classed, element, facts, folded, name, with};
use indexmap::IndexSet;
use tiebreak_base::duel::Arm;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::layout::{duration, number, percent, thousands};
use tiebreak_base::message;
use tiebreak_data::records::index::Group;

const STYLE: &str = include_str!("style.css");

/// Keys and marks; the page works without.
const SCRIPT: &str = include_str!("keys.js");

/// The policy of a page that needs no server.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// Values that a field offers as a list; of more one is typed.
const OFFERED: usize = 500;

/// Characters of a text in the list.
const GLANCE: usize = 220;

/// Answers on one item that are shown.
const ANSWERS: usize = 200;

/// Outputs of an item in the list, where no system is chosen.
const GLANCED_OUTPUTS: usize = 2;

const KEYS: &str = "Keys: / search, j next, k previous, Enter open, u back to the list";

const RUNNING: &str = "This is a campaign. While it runs, what you see here can influence what people answer. Do not \
                       show it to annotators, and do not end the campaign by what you see.";

/// The whole page; without a nonce it needs no server.
fn whole(title: &str, nonce: Option<&str>, header: Html, main: impl Into<Html>) -> String {
    let policy = [
        ("http-equiv", "Content-Security-Policy"),
        ("content", POLICY),
    ];
    let policy = nonce.map_or_else(|| with("meta", &policy, ""), |_| Html::default());
    let nonce = nonce.map(|nonce| format!(" nonce=\"{nonce}\""));
    let script = nonce
        .as_ref()
        .map(|nonce| format!("<script{nonce}>{SCRIPT}</script>\n"));
    format!(
        include_str!("page.html"),
        policy = policy.into_string(),
        title = Html::from(title).into_string(),
        style = [rendering::TOKENS, STYLE, rendering::STYLE].concat(),
        nonce = nonce.unwrap_or_default(),
        script = script.unwrap_or_default(),
        body = Html::from([header, element("main", main)]).into_string(),
    )
}

fn count(number: usize) -> String {
    thousands(number as u64)
}

fn link(to: &str, attributes: &[(&str, &str)], inner: impl Into<Html>) -> Html {
    with("a", &[&[("href", to)], attributes].concat(), inner)
}

fn soft(text: impl Into<Html>) -> Html {
    classed("p", "soft", text)
}

/// Names in order.
fn sorted(names: &IndexSet<String>) -> impl Iterator<Item = &str> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.into_iter()
}

/// A field with its label.
fn field(label: &str, inner: Html) -> Html {
    classed("label", "field", [element("span", label), inner])
}

/// A field for one of several values, given with their labels.
fn choice<'a>(
    query: &ViewQuery,
    (label, key, none): (&str, &str, &str),
    values: impl Iterator<Item = (String, &'a str)>,
) -> Html {
    let values: Vec<_> = values.collect();
    let option = |(value, label): (String, &str)| {
        let attributes = [("value", value.as_str()), ("selected", "")];
        let shown = if query.has(key, &value) { 2 } else { 1 };
        with("option", &attributes[..shown], label)
    };
    let typed = [("name", key), ("value", query.last_value(key))];
    let inner = match values.len() {
        0 => return Html::default(),
        1..=OFFERED => {
            let options = std::iter::once((String::new(), none)).chain(values);
            let options: Html = options.map(option).collect();
            with("select", &typed[..1], options)
        }
        _ => with("input", &typed, ""),
    };
    field(label, inner)
}

impl Viewer {
    /// The list of a selection, one page of it.
    pub(super) fn list(&self, query: &ViewQuery, nonce: &str) -> Result<String> {
        let mut selection = self.select(query)?;
        let pages = selection.len().div_ceil(ITEMS_PER_PAGE).max(1);
        let page = query.page.unwrap_or(1).min(pages);
        let first = (page - 1) * ITEMS_PER_PAGE;
        let shown = selection.at(first..first + ITEMS_PER_PAGE).iter();
        let rows = (first + 1..).zip(shown);
        let rows = rows.map(|(place, one)| self.row(query, *one, place));
        let rows = rows.collect::<Result<Html>>()?;
        let rows = match rows.is_empty() {
            true => soft(selection.why_empty()),
            false => classed("ol", "items", rows),
        };
        let turns = turns(query, ("", "page", "Page "), page, pages);
        let (form, summary) = (self.form(query), self.summary(query, &selection));
        let main = [form, summary, rows, turns];
        Ok(whole(&self.name, Some(nonce), self.header(None), main))
    }

    fn header(&self, back: Option<&str>) -> Html {
        let back = back.map(|to| link(to, &[("rel", "up"), ("class", "tool")], "← List"));
        let running = self
            .is_campaign
            .then(|| classed("p", "callout warn", RUNNING));
        let parts = [
            element("h1", link("./", &[], name(&self.name))),
            back.unwrap_or_default(),
            classed("p", "soft keys", KEYS),
            running.unwrap_or_default(),
        ];
        element("header", parts)
    }

    fn form(&self, query: &ViewQuery) -> Html {
        let columns = &self.columns;
        let systems = self.source.systems().iter();
        let systems = systems.map(|one| (one.clone(), one.as_str()));
        let slices = columns.slices.iter().map(|slice| {
            let labels =
                sorted(&slice.values).map(|label| (format!("{}={label}", slice.column), label));
            choice(query, (&slice.column, "slice", "any"), labels)
        });
        let names = |label: &str, key: &str, names: &IndexSet<String>| {
            let names = sorted(names).map(|one| (one.to_string(), one));
            choice(query, (label, key, "any"), names)
        };
        let (given, orders) = (&self.choices[0], self.choices[1..].iter());
        let orders = orders.map(|one| (one.key.clone(), one.label.as_str()));
        let search = [("name", "q"), ("type", "search"), ("value", &query.text)];
        let smallest = [("name", "asc"), ("type", "checkbox"), ("checked", "")];
        let smallest = with(
            "input",
            &smallest[..if query.ascending { 3 } else { 2 }],
            "",
        );
        let smallest = [smallest, element("span", "smallest first")];
        let fields = [
            field("Search", with("input", &search, "")),
            choice(query, ("System", "system", "all"), systems.clone()),
            choice(query, ("Compared with", "against", "the others"), systems),
            slices.collect(),
            names("Answer", "label", &columns.labels),
            names("Annotator", "annotator", &columns.annotators),
            choice(query, ("Order", "sort", &given.label), orders),
            classed("label", "check", smallest),
            classed("button", "main", "Show"),
            link("./", &[("class", "tool")], "Clear"),
        ];
        with("form", &[("class", "card"), ("action", "./")], fields)
    }

    /// How many items there are, in which order, and where the selection can be saved.
    fn summary(&self, query: &ViewQuery, selection: &Selection) -> Html {
        let fit = count(selection.len() + selection.lacking);
        let all = count(self.columns.items());
        let order = &self.choices[query.choice].label;
        let mut text = format!("{fit} of {all} items fit. Order: {order}.");
        if selection.lacking > 0 {
            let lacking = count(selection.lacking);
            text += &format!(" Left out, since they lack that number: {lacking}.");
        }
        let save = |file: &str, label: &str| {
            let to = format!("{file}?{}", query.link(&[]));
            link(&to, &[("download", ""), ("class", "tool")], label)
        };
        let limit = format!("The files have {} outputs at most.", count(ROWS_IN_FILE));
        let page = format!("Page of the first {STATIC_ITEMS} items");
        let saves = [
            element("span", "Save: "),
            save("selection.jsonl", "JSON lines"),
            save("selection.csv", "CSV"),
            save("page.html", &page),
            classed("span", "soft", limit),
        ];
        let status = with("p", &[("role", "status")], text);
        [status, classed("div", "saves", saves)].into()
    }

    /// The number by which an item is ordered, as people read it.
    fn shown_value(&self, query: &ViewQuery, one: SelectedItem) -> Html {
        if one.output == NONE {
            return Html::default();
        }
        let value = match self.choices[query.choice].order {
            ItemOrder::Disagreement(a, b) => {
                let [a, b] = [a, b].map(|measure| {
                    let measure = &self.columns.measures[measure];
                    let rank = f64::from(measure.ranks[one.output as usize]);
                    format!("{} {}", measure.name, percent(rank))
                });
                format!("{} apart: {a}, {b}", percent(one.value))
            }
            ItemOrder::Length => format!("{} characters", count(one.value as usize)),
            ItemOrder::Spread(_) => format!("standard deviation {}", number(one.value)),
            _ => number(one.value),
        };
        let system = self
            .source
            .system(Arm(self.columns.systems[one.output as usize]));
        classed("p", "value", format!("{system}: {value}"))
    }

    /// An item in the list.
    fn row(&self, query: &ViewQuery, one: SelectedItem, place: usize) -> Result<Html> {
        let (group, _) = self.group(one)?;
        let to = format!("item?{}", query.link(&[("at", &place.to_string())]));
        let source = group.source.iter();
        let source = source.map(|text| glance(query, "source", &[], text));
        let first = self.first_systems(query, one);
        let is_shown = |system: Arm| first[0].is_none() || first.contains(&Some(system.0));
        let outputs = group.outputs.iter().filter(|one| is_shown(one.system));
        let outputs = outputs.take(GLANCED_OUTPUTS).map(|output| {
            let system = self.source.system(output.system);
            let text = glance(query, "words", &[("data-output", system)], &output.text);
            element("div", [element("h3", name(system)), text])
        });
        let parts = [
            element("h2", link(&to, &[], name(&group.item))),
            self.shown_value(query, one),
            source.collect(),
            classed("div", "sides", outputs.collect::<Html>()),
        ];
        let attributes = [("class", "card"), ("data-item", &*group.item)];
        Ok(with("li", &attributes, parts))
    }

    /// One item with all that is known of it: by its name, or by its place in a selection.
    pub(super) fn item(&self, query: &ViewQuery, nonce: &str) -> Result<String> {
        let (mut one, mut page, mut turns_html) = (None, 1, Html::default());
        if let Some(at) = query.at {
            let mut selection = self.select(query)?;
            one = selection.at(at - 1..at).first().copied();
            page = at.div_ceil(ITEMS_PER_PAGE);
            turns_html = turns(query, ("item", "at", ""), at, selection.len());
        } else if let Some(name) = &query.item {
            let item = self.source.index.position(name)?;
            one = item.map(|item| SelectedItem {
                item: item as u32,
                output: NONE,
                value: 0.0,
            });
        }
        let one = one.ok_or_else(|| Error::usage("the data set has no such item"))?;
        let (group, notes) = self.group(one)?;
        let back = format!("./?{}", query.link(&[("page", &page.to_string())]));
        let own = format!("item?{}", query::link([("item", &*group.item)]));
        let value = self.shown_value(query, one);
        let main = [
            turns_html,
            value,
            self.item_html(&group, &notes, self.first_systems(query, one))?,
            self.signatures(),
            soft(link(&own, &[], "Link to this item")),
        ];
        let title = format!("{} · {}", group.item, self.name);
        Ok(whole(&title, Some(nonce), self.header(Some(&back)), main))
    }

    /// The systems whose outputs stand first: the chosen ones, or the one that decides an item's place.
    fn first_systems(&self, query: &ViewQuery, one: SelectedItem) -> [Option<u16>; 2] {
        let own = self.columns.systems.get(one.output as usize).copied();
        [query.system.or(own), query.against]
    }

    /// All that is known of an item; the outputs of the chosen systems stand first.
    fn item_html(&self, group: &Group, notes: &ItemNotes, first: [Option<u16>; 2]) -> Result<Html> {
        let given = |label: &str, kind: &str, text: &str, rendering: Rendering| {
            let text = [
                element("summary", label),
                shown_text((kind, ""), text, rendering),
            ];
            classed("div", "card given", with("details", &[("open", "")], text))
        };
        let source = group.source.iter();
        let source =
            source.map(|text| given("Source", "data-source", text, self.rendering.for_prompts()));
        let references = group.references.iter();
        let references =
            references.map(|text| given("Reference", "data-reference", text, self.rendering));
        let mut outputs: Vec<usize> = self.columns.range(group.position).collect();
        outputs.sort_by_key(|&output| !first.contains(&Some(self.columns.systems[output])));
        let sides = outputs
            .into_iter()
            .map(|output| self.side(group, notes, output));
        let parts = [
            element("h2", [Html::from("Item "), name(&group.item)]),
            noted(None, notes.get(&NoteSubject::Item)),
            source.chain(references).collect(),
            classed("div", "sides", sides.collect::<Html>()),
            self.comparisons(group, notes)?,
        ];
        Ok(with("article", &[("data-item", &group.item)], parts))
    }

    /// An output with its scores and judgments.
    fn side(&self, group: &Group, notes: &ItemNotes, output: usize) -> Html {
        let system = Arm(self.columns.systems[output]);
        let shown = self.source.system(system);
        let text = match group.output(system) {
            Some(text) => shown_text(("data-output", shown), text, self.rendering),
            None => soft("There is no output of this system."),
        };
        let length = count(self.columns.lengths[output] as usize);
        let length = ("length", format!("{length} characters"));
        let measures = self.columns.measures.iter();
        let measures = measures.filter(|one| !one.values[output].is_nan());
        let numbers = measures.map(|one| {
            let what = match one.kind {
                MeasureKind::Judge => "mean preference ",
                _ => "",
            };
            let (value, rank) = (number(one.values[output]), f64::from(one.ranks[output]));
            let value = format!("{what}{value}; better than {} of outputs", percent(rank));
            (one.name.as_str(), value)
        });
        let numbers = facts(std::iter::once(length).chain(numbers).collect());
        let judgments = group.judgments.iter().filter(|one| one.system == system);
        let rows = judgments.map(|one| {
            let own = [
                ("part", &one.part),
                ("repeat", &one.repeat),
                ("edited", &one.post_edit),
            ];
            let own = own
                .into_iter()
                .filter_map(|(key, text)| Some((key.into(), text.clone()?)));
            let note = notes.get(&NoteSubject::Judgment(one.place));
            let note = own.chain(note.into_iter().flatten().cloned()).collect();
            vec![
                annotator(one.annotator.as_deref()),
                name(&self.source.index.criteria()[one.criterion]),
                number(one.score).into(),
                noted(one.seconds, Some(&note)),
            ]
        });
        let header = ["annotator", "criterion", "score", "notes"];
        let judgments = table(&format!("Judgments of {shown}"), &header, rows);
        let note = noted(None, notes.get(&NoteSubject::Output(system)));
        let parts = [element("h3", name(shown)), text, numbers, note, judgments];
        classed("section", "card output", parts)
    }

    /// Comparisons by people, then by a judge.
    fn comparisons(&self, group: &Group, notes: &ItemNotes) -> Result<Html> {
        let system = |system| name(self.source.system(system));
        let rows = group.comparisons.iter().map(|one| {
            let better = match one.outcome.value() {
                1.0 => system(one.a),
                0.0 => system(one.b),
                _ => "tie".into(),
            };
            let note = notes.get(&NoteSubject::Comparison(one.place));
            let note = noted(one.cost.seconds, note);
            let annotator = annotator(one.annotator.as_deref());
            vec![annotator, system(one.a), system(one.b), better, note]
        });
        let header = ["annotator", "one", "other", "better", "notes"];
        let compared = table("Comparisons", &header, rows);
        let Some(predictions) = &self.predictions else {
            return Ok(compared);
        };
        let verdicts = predictions.of_item(group.position)?.into_iter();
        let rows = verdicts.map(|(a, b, verdict)| {
            let spread = verdict.uncertainty.map(|one| number(one.std));
            let spread = spread.unwrap_or("–".to_string()).into();
            let note = noted(None, notes.get(&NoteSubject::Verdict(a, b)));
            vec![
                system(a),
                system(b),
                percent(verdict.p).into(),
                spread,
                note,
            ]
        });
        let header = [
            "one",
            "other",
            "preference for one",
            "standard deviation",
            "answer",
        ];
        let caption = format!("Verdicts of {}", predictions.judge()?);
        Ok([compared, table(&caption, &header, rows)].into())
    }

    /// The signatures of scores and verdicts.
    fn signatures(&self) -> Html {
        let signed = self.columns.measures.iter();
        let signed = signed.filter_map(|one| Some((one.name.as_str(), one.signature.clone()?)));
        let signed: Vec<_> = signed.collect();
        let there = (!signed.is_empty()).then(|| folded("Signatures", facts(signed)));
        there.unwrap_or_default()
    }

    /// A page of the first items of a selection that needs no server.
    pub(super) fn static_page(&self, query: &ViewQuery) -> Result<String> {
        let mut selection = self.select(query)?;
        let all = count(selection.len());
        if selection.len() == 0 {
            let what = format!("`{}`: {}", query.link(&[]), selection.why_empty());
            return Err(Error::usage(what).with_hint(message!(
                "without {} the page has the first items",
                Key("query")
            )));
        }
        let shown = selection.at(0..STATIC_ITEMS);
        let order = &self.choices[query.choice].label;
        let which = format!("The first {} of {all} items. Order: {order}.", shown.len());
        let items = shown.iter().map(|&one| -> Result<Html> {
            let (group, notes) = self.group(one)?;
            let item = self.item_html(&group, &notes, self.first_systems(query, one))?;
            Ok([self.shown_value(query, one), item].into())
        });
        let items = items.collect::<Result<Html>>()?;
        let main = [soft(which), self.signatures(), items];
        let header = element("header", element("h1", name(&self.name)));
        Ok(whole(&self.name, None, header, main))
    }
}

/// A text as it is shown; its element has the text and nothing else.
fn shown_text(kind: (&str, &str), text: &str, rendering: Rendering) -> Html {
    let (class, shown) = match rendering.is_plain() {
        true => ("words", Html::from(text)),
        false => ("words rendered", Html::ready(rendering.html(text))),
    };
    with("div", &[("class", class), kind, ("dir", "auto")], shown)
}

/// The beginning of a text, or its part with what is searched.
fn glance(query: &ViewQuery, class: &str, attributes: &[(&str, &str)], text: &str) -> Html {
    let lower = text.to_lowercase();
    let found = lower.find(&query.text.to_lowercase()).unwrap_or_default();
    let before = lower[..found].chars().count();
    let first = match before < GLANCE / 2 {
        true => 0,
        false => before - GLANCE / 4,
    };
    let shown: String = text.chars().skip(first).take(GLANCE).collect();
    let more = text.chars().nth(first + GLANCE).map_or("", |_| "…");
    let before = if first > 0 { "…" } else { "" };
    let attributes = [&[("class", class), ("dir", "auto")], attributes].concat();
    with("div", &attributes, format!("{before}{shown}{more}"))
}

/// Links to the places before and after one, in links to a page whose key says the place.
fn turns(query: &ViewQuery, (page, key, label): (&str, &str, &str), at: usize, all: usize) -> Html {
    let turn = |label: &str, rel: &str, to: usize| {
        let place = format!("{page}?{}", query.link(&[(key, &to.to_string())]));
        let is_there = (1..=all).contains(&to);
        let turn = is_there.then(|| link(&place, &[("rel", rel), ("class", "tool")], label));
        turn.unwrap_or_default()
    };
    let here = element("span", format!("{label}{} of {}", count(at), count(all)));
    let before = turn("← Previous", "prev", at - 1);
    let after = turn("Next →", "next", at + 1);
    classed("nav", "turns", [before, here, after])
}

fn annotator(known: Option<&str>) -> Html {
    name(known.unwrap_or("–"))
}

/// What is known of a row beside what is shown for itself.
fn noted(seconds: Option<f64>, note: Option<&RowNote>) -> Html {
    let time = seconds.map(|seconds| Html::from(duration(seconds)));
    let notes = note.into_iter().flatten().map(|(key, text)| {
        let text = with("span", &[("dir", "auto")], text);
        classed("span", "note", [element("b", key), " ".into(), text])
    });
    time.into_iter().chain(notes).collect()
}

/// A table of the first rows, if there are any.
fn table(caption: &str, header: &[&str], rows: impl Iterator<Item = Vec<Html>>) -> Html {
    let mut rows: Vec<_> = rows.collect();
    let more = rows.len().saturating_sub(ANSWERS);
    rows.truncate(ANSWERS);
    if rows.is_empty() {
        return Html::default();
    }
    let table = HtmlTable {
        caption: caption.to_string(),
        header: header.iter().map(ToString::to_string).collect(),
        texts: header.len(),
        rows,
    };
    let more = (more > 0).then(|| soft(format!("Not shown: {} more.", count(more))));
    [
        element("h4", caption),
        table.html(),
        more.unwrap_or_default(),
    ]
    .into()
}
