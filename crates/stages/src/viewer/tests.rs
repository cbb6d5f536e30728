//! Orders and filters of nine outputs, whose numbers can be checked by hand; hostile texts; what is saved.

use super::*;
use crate::engine::context::SilentProgress;
use serde_json::{Map, Value, json};
use std::fs;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::Env;

/// What looks like markup, and what a page must not take for it.
const HOSTILE: &str =
    "<script>alert(1)</script><img src=x onerror=alert(2)>\u{0}\" onload=\"x {{nonce}}";

/// Item, system, language, score by chrF, judgments of fluency, output.
type KnownOutput = (
    &'static str,
    &'static str,
    &'static str,
    f64,
    &'static [f64],
    &'static str,
);

const KNOWN: [KnownOutput; 9] = [
    ("1", "a", "German", 10.0, &[1.0, 3.0], "Überall kurz"),
    ("1", "b", "German", 20.0, &[5.0, 4.0], HOSTILE),
    ("1", "c", "German", 30.0, &[], "überall länger"),
    ("2", "a", "Czech", 40.0, &[2.0], "wort wort"),
    ("2", "b", "Czech", 10.0, &[5.0, 1.0], "wort  wort"),
    ("2", "c", "Czech", 5.0, &[], ""),
    ("3", "a", "German", 55.0, &[4.0, 4.0], "NADEL"),
    ("3", "b", "German", 50.0, &[], "dünn und überall dünner"),
    ("3", "c", "German", 60.0, &[1.0], "x"),
];

fn write(folder: &TempDir, name: &str, rows: impl IntoIterator<Item = Value>) {
    let lines: String = rows.into_iter().map(|row| row.to_string() + "\n").collect();
    fs::write(folder.path().join(name), lines).unwrap();
}

/// The data set of the known outputs, with judgments, comparisons, scores and verdicts.
fn viewer() -> (TempDir, Viewer) {
    let folder = tempfile::tempdir().unwrap();
    let items = KNOWN.iter().step_by(3).map(|one| {
        let source = format!("source {HOSTILE} {} needle {}", "a ".repeat(500), "b ".repeat(500));
        json!({"item": one.0, "source": source, "references": ["one"], "language": one.2, "url": "u"})
    });
    write(&folder, "items.jsonl", items);
    let outputs = KNOWN.iter();
    let outputs = outputs
        .map(|one| json!({"item": one.0, "system": one.1, "output": one.5, "tokens": one.5.len()}));
    write(&folder, "outputs.jsonl", outputs);
    let scores = KNOWN.iter();
    let scores =
        scores.map(|one| json!({"item": one.0, "system": one.1, "metric": "chrf", "score": one.3}));
    write(&folder, "scores.jsonl", scores);
    let judgments = KNOWN.iter().flat_map(|one| {
        (0..).zip(one.4).map(move |(n, score)| {
            let comment = format!("why {} {HOSTILE}", one.1);
            json!({"item": one.0, "system": one.1, "criterion": "fluency", "score": score,
                   "annotator": format!("ann{n}"), "comment": comment})
        })
    });
    write(&folder, "judgments.jsonl", judgments);
    let pair = |item: &str, more: Value| {
        let mut row = json!({"item": item, "system_a": "a", "system_b": "b"});
        let more: Map<String, Value> = serde_json::from_value(more).unwrap();
        row.as_object_mut().unwrap().extend(more);
        row
    };
    let comparisons = [
        pair(
            "1",
            json!({"outcome": 1.0, "label": "A", "annotator": "ann0"}),
        ),
        pair(
            "1",
            json!({"outcome": 0.0, "label": "B", "annotator": "ann1"}),
        ),
        pair(
            "2",
            json!({"outcome": 0.5, "label": "both bad", "annotator": "ann7"}),
        ),
        pair("unknown", json!({"outcome": null, "label": "unanswered"})),
    ];
    write(&folder, "comparisons.jsonl", comparisons);
    let verdict = json!({"p": 0.9, "judge": "judge-1", "answer": format!("[[A]] {HOSTILE}")});
    write(
        &folder,
        "predictions.jsonl",
        ["1", "2"].map(|item| pair(item, verdict.clone())),
    );
    let stop = AtomicBool::new(false);
    let context = Context {
        seed: Seed(42),
        env: Env::default(),
        progress: &SilentProgress,
        stop: &stop,
    };
    let source = Source::open(&context, folder.path(), &[]).unwrap();
    let scores = folder.path().join("scores.jsonl");
    let viewer = Viewer::open(&context, source, &[scores], None).unwrap();
    (folder, viewer)
}

#[test]
fn a_link_selects_and_orders_items() {
    let (_folder, viewer) = viewer();
    for (query, expected) in [
        ("", "1 2 3"),
        (
            "sort=disagreement:fluency~chrf",
            "3c=0.861 1b=0.528 2b=0.361",
        ),
        (
            "sort=disagreement:fluency~chrf&system=b",
            "1b=0.528 2b=0.361",
        ),
        (
            "sort=disagreement:fluency~chrf&slice=language%3DCzech",
            "2b=0.361",
        ),
        ("sort=spread:fluency", "2b=2.000 1a=1.000 3a=0.000"),
        ("sort=spread:preference", "1a=0.500"),
        ("sort=score:chrf&system=c", "3c=60.000 1c=30.000 2c=5.000"),
        ("sort=score:chrf&asc=1", "2c=5.000 1a=10.000 3b=50.000"),
        ("sort=score:fluency", "1b=4.500 3a=4.000 2b=3.000"),
        ("sort=score:judge-1&system=a", "1a=0.900 2a=0.900"),
        ("sort=length&system=b", "1b=75.000 3b=23.000 2b=10.000"),
        (
            "sort=difference:chrf&system=a&against=b",
            "2a=30.000 3a=5.000 1a=-10.000",
        ),
        (
            "sort=difference:chrf&system=b",
            "1b=0.000 3b=-7.500 2b=-12.500",
        ),
        ("sort=difference:chrf", "2a=35.000 1c=20.000 3c=10.000"),
        ("label=both+bad", "2"),
        ("annotator=ann7", "2"),
        ("annotator=ann7&system=c", ""),
        ("slice=language%3DGerman", "1 3"),
        // Whatever the case; what is said of an item counts for all outputs, and a comment for its own.
        ("q=%C3%9CBERALL", "1 3"),
        ("q=%C3%BCberall&system=b", "3"),
        ("q=Needle&system=b", "1 2 3"),
        ("q=why+c&system=b", ""),
        ("q=why+c", "3"),
        ("q=Both+bad", "2"),
        ("q=WORT++wort", "2"),
        ("q=nowhere+to+be+found", ""),
    ] {
        let mut selection = viewer.select(&viewer.parse(query).unwrap()).unwrap();
        let places = 0..selection.len();
        // In parts, as pages are.
        let found = places.map(|at| {
            let one = selection.at(at..at + 1)[0];
            let item = viewer.group(one).unwrap().0.item;
            let system = viewer.columns.systems.get(one.output as usize);
            let of =
                |&system: &u16| format!("{}={:.3}", ["a", "b", "c"][system as usize], one.value);
            item + &system.map(of).unwrap_or_default()
        });
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{query}");
    }
}

fn page(viewer: &Viewer, name: &str, query: &str) -> String {
    let reply = viewer.reply(name, query, "n0nce").unwrap().unwrap();
    String::from_utf8(reply.1).unwrap()
}

#[test]
fn what_the_data_set_does_not_have_is_refused() {
    let (_folder, viewer) = viewer();
    let wrong = "system=d sort=chrf slice=language%3DDutch page=0 annotator=x label=x";
    let wrong = wrong
        .split(' ')
        .map(|query| ("", query, "not in this data set"));
    for (name, query, why) in wrong.chain([
        ("", "colour=red", "no key of a link"),
        ("item", "item=nobody", "no such item"),
        ("item", "at=4", "no such item"),
        ("item", "", "no such item"),
        ("page.html", "q=nowhere", "No item fits."),
        (
            "page.html",
            "sort=score:judge-1&system=c",
            "lacks the number of this order",
        ),
    ]) {
        let error = viewer.reply(name, query, "n").unwrap_err();
        assert_eq!(error.exit_code(), 2, "{query}");
        assert!(error.to_string().contains(why), "{error}");
        if name == "page.html" {
            assert!(page(&viewer, "", query).contains(why), "{query}");
        }
    }
    assert_eq!(viewer.reply("else", "", "n").unwrap(), None);
}

#[test]
fn hostile_texts_are_texts_on_every_page() {
    let (_folder, viewer) = viewer();
    for (name, query) in [
        ("", "q=alert&system=b"),
        ("item", "item=2"),
        ("item", "item=1"),
        ("page.html", "sort=length"),
    ] {
        let page = page(&viewer, name, query);
        let shown = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;";
        assert!(page.contains(shown));
        for harm in [
            "<script>alert",
            "<img",
            "\" onload=\"",
            "\u{0}",
            "http://",
            "https://",
        ] {
            assert!(!page.contains(harm), "{harm}");
        }
        assert!(page.matches("<script").count() <= 1, "our own");
    }
}

#[test]
fn pages_have_all_that_is_known_and_lead_on() {
    let (_folder, viewer) = viewer();
    let all = "data-item=\"1\"|data-output=\"a\"|judge-1|[[A]]|ann0|why b|chrf|Reference|language</b>|url|tokens|German";
    let list = "item?sort=score%3Achrf&amp;q=%C3%BCberall&amp;at=1|2 of 3 items fit. Order: chrf.|Page 1 of 1";
    let turns = "<a href=\"./?sort=score%3Achrf&amp;page=1\" rel=\"up\"|3 of 3|rel=\"prev\"";
    for (name, query, parts) in [
        ("item", "item=1", all),
        ("", "sort=score:chrf&q=%C3%BCberall&page=2", list),
        ("item", "sort=score:chrf&at=3", turns),
        // What is searched is within what the list shows of a long text.
        ("", "q=NEEDLE+b", "a  needle b"),
        (
            "page.html",
            "",
            "The first 3 of 3 items. Order: as in the data set.",
        ),
        (
            "selection.csv",
            "",
            "item,language,system,source,output,fluency,preference,chrf,judge-1\n",
        ),
        ("selection.csv", "system=a", ",wort wort,2.0,0.5,40.0,0.9\n"),
    ] {
        let page = page(&viewer, name, query);
        for part in parts.split('|') {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains(&"b ".repeat(300)) || !name.is_empty());
    }
    assert!(!page(&viewer, "item", "sort=score:chrf&at=3").contains("rel=\"next\""));
    let saved = page(
        &viewer,
        "selection.jsonl",
        "sort=score:chrf&system=b&slice=language%3DGerman",
    );
    let rows = saved
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows = rows.map(|row| json!([row["item"], row["output"], row["chrf"]]));
    let expected = [7, 1].map(|at| json!([KNOWN[at].0, KNOWN[at].5, KNOWN[at].3]));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}
