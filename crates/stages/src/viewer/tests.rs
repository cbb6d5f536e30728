//! Orders and filters against slow, obvious versions; hostile texts; what is saved.

use super::*;
use crate::engine::context::SilentProgress;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::Env;

/// An output with what the tests know of it.
struct Known {
    item: String,
    system: &'static str,
    language: &'static str,
    output: String,
    fluency: Vec<f64>,
    chrf: f64,
}

const SYSTEMS: [&str; 3] = ["a", "b", "c"];

/// What looks like markup, and what a page must not take for it.
const HOSTILE: &str =
    "<script>alert(1)</script><img src=x onerror=alert(2)>\u{0}\" onload=\"x {{nonce}}";

/// Outputs with scattered numbers, some equal and some missing.
fn known() -> Vec<Known> {
    let mut all = Vec::new();
    for i in 0..40_usize {
        for (s, system) in SYSTEMS.into_iter().enumerate() {
            let hash = (i * 37 + s * 101 + 7) % 61;
            let judged = (hash % 4 != 0).then(|| vec![(hash % 5) as f64, (hash % 3) as f64 + 1.0]);
            all.push(Known {
                item: format!("item {i}"),
                system,
                language: if i % 3 == 0 { "German" } else { "Czech" },
                output: match (i, s) {
                    (5, 1) => HOSTILE.to_string(),
                    _ => format!("Überall {} {}", "wort ".repeat(hash % 7), hash),
                },
                fluency: judged.unwrap_or_default(),
                chrf: ((hash * hash) % 50) as f64,
            });
        }
    }
    all
}

fn write(folder: &TempDir, name: &str, rows: impl IntoIterator<Item = Value>) {
    let lines: String = rows.into_iter().map(|row| row.to_string() + "\n").collect();
    fs::write(folder.path().join(name), lines).unwrap();
}

/// The data set of the known outputs, with judgments, comparisons, scores and verdicts.
fn laid() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let known = known();
    let items = known.iter().step_by(3).map(|one| {
        let source = format!("source of {} {HOSTILE}", one.item);
        json!({"item": one.item, "source": source, "references": ["one"], "language": one.language})
    });
    write(&folder, "items.jsonl", items);
    let of_output = |one: &Known, key: &str, value: Value| json!({"item": one.item, "system": one.system, key: value});
    let outputs = known
        .iter()
        .map(|one| of_output(one, "output", json!(one.output)));
    write(&folder, "outputs.jsonl", outputs);
    let scores = known.iter().map(|one| {
        let mut row = of_output(one, "score", json!(one.chrf));
        row["metric"] = json!("chrf");
        row
    });
    write(&folder, "scores.jsonl", scores);
    let judgments = known.iter().flat_map(|one| {
        (0..).zip(&one.fluency).map(|(n, score)| {
            json!({"item": one.item, "system": one.system, "criterion": "fluency", "score": score,
                   "annotator": format!("ann{n}"), "comment": format!("why {} {HOSTILE}", one.system)})
        })
    });
    write(&folder, "judgments.jsonl", judgments);
    let of_pair = |mut row: Value| {
        (row["system_a"], row["system_b"]) = (json!("a"), json!("b"));
        row
    };
    let comparisons = [
        json!({"item": "item 1", "outcome": 1.0, "label": "A", "annotator": "ann0"}),
        json!({"item": "item 1", "outcome": 0.0, "label": "B", "annotator": "ann1"}),
        json!({"item": "item 2", "outcome": 0.5, "label": "both bad", "annotator": "ann7"}),
    ];
    write(&folder, "comparisons.jsonl", comparisons.map(of_pair));
    let predictions = ["item 1", "item 2"].map(|item| {
        json!({"item": item, "p": 0.9, "judge": "judge-1", "answer": format!("[[A]] {HOSTILE}")})
    });
    write(&folder, "predictions.jsonl", predictions.map(of_pair));
    folder
}

fn viewer(folder: &TempDir) -> Viewer {
    let (env, stop) = (Env::default(), AtomicBool::new(false));
    let context = Context {
        seed: Seed(42),
        env,
        progress: &SilentProgress,
        stop: &stop,
    };
    let source = Source::open(&context, folder.path(), &[]).unwrap();
    Viewer::open(
        &context,
        source,
        &[folder.path().join("scores.jsonl")],
        None,
    )
    .unwrap()
}

/// The items and numbers of a selection, in order.
fn selected(viewer: &Viewer, query: &str) -> Vec<(String, f64)> {
    let mut selection = viewer.select(&viewer.parse(query).unwrap()).unwrap();
    let found = selection.at(0..usize::MAX).iter();
    let named = |one: &SelectedItem| (viewer.group(*one).unwrap().item, one.value);
    found.map(named).collect()
}

/// The share of values below each, equal ones counting half: by counting.
fn shares(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let there: Vec<f64> = values.iter().flatten().copied().collect();
    let share = |x: f64| {
        let below = there.iter().filter(|y| **y < x).count() as f64;
        let equal = there.iter().filter(|y| **y == x).count() as f64;
        (below + equal / 2.0) / there.len() as f64
    };
    values.iter().map(|value| value.map(share)).collect()
}

/// The items with the largest number of their outputs, in order; each number of those that fit.
fn best(
    known: &[Known],
    number: impl Fn(usize) -> Option<f64>,
    fits: impl Fn(&Known) -> bool,
) -> Vec<(String, f64)> {
    let mut items: BTreeMap<&str, f64> = BTreeMap::new();
    for (at, one) in known.iter().enumerate().filter(|(_, one)| fits(one)) {
        if let Some(number) = number(at) {
            let most = items.entry(&one.item).or_insert(number);
            *most = most.max(number);
        }
    }
    let mut items: Vec<_> = items
        .into_iter()
        .map(|(item, most)| (item.to_string(), most))
        .collect();
    items.sort_by(|a, b| b.1.total_cmp(&a.1));
    items
}

/// Checks an order against a slow, obvious version, in which equal items may stand otherwise.
#[track_caller]
fn agree(found: &[(String, f64)], expected: &[(String, f64)]) {
    let far = |(a, b): (&(String, f64), &(String, f64))| (a.1 - b.1).abs() > 1e-6;
    let is_off = found.len() != expected.len() || found.iter().zip(expected).any(far);
    assert!(!is_off, "{found:?}\n{expected:?}");
    let names = |list: &[(String, f64)]| {
        list.iter()
            .map(|one| one.0.clone())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(names(found), names(expected));
}

/// The number of an output by its place among the known ones.
type Number<'a> = &'a dyn Fn(usize) -> Option<f64>;

#[test]
fn orders_are_those_of_slow_obvious_versions() {
    let (folder, known) = (laid(), known());
    let viewer = viewer(&folder);
    let chrf = |at: usize| known[at].chrf;
    let judged = |at: usize| Some(&known[at].fluency[..]).filter(|scores| !scores.is_empty());
    let mean = |at: usize| judged(at).map(|scores| scores.iter().sum::<f64>() / 2.0);
    let all = || 0..known.len();
    let people = shares(&all().map(mean).collect::<Vec<_>>());
    let metric = shares(&all().map(|at| Some(chrf(at))).collect::<Vec<_>>());
    let apart = |at: usize| Some((people[at]? - metric[at]?).abs());
    let others = |at: usize| {
        [
            chrf(at / 3 * 3 + (at + 1) % 3),
            chrf(at / 3 * 3 + (at + 2) % 3),
        ]
    };
    let cases: [(&str, Number, &str); 8] = [
        ("sort=disagreement:fluency~chrf", &apart, "abc"),
        ("sort=disagreement:fluency~chrf&system=b", &apart, "b"),
        (
            "sort=spread:fluency",
            &|at| judged(at).map(|x| (x[0] - x[1]).abs() / 2.0),
            "abc",
        ),
        ("sort=score:chrf&system=c", &|at| Some(chrf(at)), "c"),
        (
            "sort=length",
            &|at| Some(known[at].output.chars().count() as f64),
            "abc",
        ),
        (
            "sort=difference:chrf&system=a&against=b",
            &|at| Some(chrf(at) - chrf(at + 1)),
            "a",
        ),
        (
            "sort=difference:chrf&system=b",
            &|at| Some(chrf(at) - others(at).iter().sum::<f64>() / 2.0),
            "b",
        ),
        (
            "sort=difference:chrf",
            &|at| Some(chrf(at) - others(at)[0].min(others(at)[1])),
            "abc",
        ),
    ];
    for (query, number, systems) in cases {
        let of_systems = |one: &Known| systems.contains(one.system);
        agree(&selected(&viewer, query), &best(&known, number, of_systems));
        let german = |one: &Known| of_systems(one) && one.language == "German";
        let query = format!("{query}&slice=language%3DGerman");
        agree(&selected(&viewer, &query), &best(&known, number, german));
        let mut up = selected(&viewer, &format!("{query}&asc=1"));
        up.reverse();
        if systems.len() == 1 {
            agree(&up, &best(&known, number, german));
        }
    }
    // In parts, as pages are.
    let at = |range| {
        let query = viewer.parse("sort=score:chrf").unwrap();
        viewer.select(&query).unwrap().at(range).to_vec()
    };
    for from in [0, 7, 33] {
        assert_eq!(at(from..from + 7), at(0..40)[from..from + 7]);
    }
    // Two who disagree about the same two outputs, and a judge who sides with one of them.
    let spread = selected(&viewer, "sort=spread:preference");
    assert_eq!(spread, [("item 1".to_string(), 0.5)]);
    assert_eq!(selected(&viewer, "sort=score:judge-1&system=a").len(), 2);
}

#[test]
fn filters_keep_what_fits_and_others_are_refused() {
    let (folder, known) = (laid(), known());
    let viewer = viewer(&folder);
    let has = |one: &&Known| one.output.contains("wort  5") && one.system == "b";
    let found = known.iter().filter(has).count();
    assert!(found > 0);
    for (query, items) in [
        ("label=both+bad", 1),
        ("annotator=ann7", 1),
        ("annotator=ann7&system=c", 0),
        ("slice=language%3DGerman", 14),
        // Whatever the case; a source counts for all outputs, and a comment for its own.
        ("q=%C3%9CBERALL", 40),
        ("q=ONERROR%3Dalert&system=b", 40),
        ("q=why+c&system=b", 0),
        (
            "q=why+b",
            known
                .iter()
                .filter(|one| one.system == "b" && !one.fluency.is_empty())
                .count(),
        ),
        ("q=Both+bad", 1),
        ("q=WORT++5&system=b", found),
        ("q=nowhere+to+be+found", 0),
    ] {
        assert_eq!(selected(&viewer, query).len(), items, "{query}");
    }
    for wrong in [
        "system=d",
        "sort=chrf",
        "slice=language%3DDutch",
        "page=0",
        "annotator=x",
        "label=x",
        "colour=red",
    ] {
        assert_eq!(viewer.check(wrong).unwrap_err().exit_code(), 2, "{wrong}");
    }
    for missing in ["item=nobody", "at=41", ""] {
        assert!(viewer.reply("item", missing, "n").is_err(), "{missing}");
    }
    assert_eq!(viewer.reply("else", "", "n").unwrap(), None);
}

fn page(viewer: &Viewer, name: &str, query: &str) -> String {
    let reply = viewer.reply(name, query, "n0nce").unwrap().unwrap();
    String::from_utf8(reply.body).unwrap()
}

#[test]
fn hostile_texts_are_texts_on_every_page() {
    let folder = laid();
    let viewer = viewer(&folder);
    let item = page(&viewer, "item", "item=item+1");
    for page in [
        page(&viewer, "", "q=alert&system=b"),
        page(&viewer, "item", "item=item+5"),
        viewer.page("sort=length").unwrap(),
        item.clone(),
    ] {
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
    for known in [
        "data-item=\"item 1\"",
        "data-output=\"a\"",
        "judge-1",
        "[[A]]",
        "ann0",
        "why b",
        "chrf",
        "Reference",
    ] {
        assert!(item.contains(known), "{known}");
    }
}

#[test]
fn a_selection_is_saved_with_its_numbers() {
    let folder = laid();
    let viewer = viewer(&folder);
    let query = "sort=score:chrf&system=b&slice=language%3DGerman";
    let saved = page(&viewer, "selection.jsonl", query);
    let rows = saved
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: BTreeSet<String> = rows
        .map(|row| format!("{} {} {}", row["item"], row["output"], row["chrf"]))
        .collect();
    let known = known();
    let german = known
        .iter()
        .filter(|one| one.system == "b" && one.language == "German");
    let expected = german.map(|one| {
        format!(
            "{} {} {}",
            json!(one.item),
            json!(one.output),
            json!(one.chrf)
        )
    });
    assert_eq!(rows, expected.collect());
    let csv = page(&viewer, "selection.csv", query);
    let header = "item,language,system,source,output,fluency,preference,chrf,judge-1\n";
    assert!(
        csv.starts_with(header) && csv.lines().count() > rows.len(),
        "{csv}"
    );
}

#[test]
fn a_link_is_a_view_and_its_pages_are_whole() {
    let folder = laid();
    let viewer = viewer(&folder);
    let list = page(&viewer, "", "sort=score:chrf&q=%C3%BCberall&page=2");
    assert_eq!(
        list.matches("<li class=\"card\" data-item=").count(),
        ITEMS_PER_PAGE
    );
    for part in [
        "item?sort=score:chrf&amp;q=%C3%BCberall&amp;at=21",
        "40 of 40 items fit. Order: chrf.",
        "Page 2 of 2",
    ] {
        assert!(list.contains(part), "{part}\n{list}");
    }
    let item = page(&viewer, "item", "sort=score:chrf&at=40");
    let back = "<a href=\"./?sort=score:chrf&amp;page=2\" rel=\"up\"";
    let turns = [back, "40 of 40", "rel=\"prev\""];
    assert!(turns.iter().all(|part| item.contains(part)) && !item.contains("rel=\"next\""));
    // What is searched is within what the list shows of a long text.
    let long = format!("{} Überall {}", "a ".repeat(500), "b ".repeat(500));
    let known = known();
    let items = known.iter().step_by(3);
    let items = items.map(|one| json!({"item": one.item, "source": long}));
    write(&folder, "items.jsonl", items);
    let list = page(&super::tests::viewer(&folder), "", "q=%C3%BCBERALL+b");
    assert!(list.contains("a  Überall b") && !list.contains(&long));
}
