//! Orders and filters against slow, obvious versions; hostile texts; what is saved.

use super::*;
use crate::engine::context::SilentProgress;
use serde_json::{Value, json};
use std::collections::BTreeMap;
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

fn lines(rows: impl Iterator<Item = Value>) -> String {
    rows.map(|row| row.to_string() + "\n").collect()
}

/// The data set of the known outputs, with judgments, comparisons, scores and verdicts.
fn laid() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let known = known();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let items: BTreeMap<&str, &str> = known.iter().map(|one| (&*one.item, one.language)).collect();
    let source = |item: &str| format!("source of {item} {HOSTILE}");
    write("items.jsonl", lines(items.into_iter().map(|(item, language)| {
        json!({"item": item, "source": source(item), "references": ["one"], "language": language})
    })));
    write(
        "outputs.jsonl",
        lines(
            known
                .iter()
                .map(|one| json!({"item": one.item, "system": one.system, "output": one.output})),
        ),
    );
    let judgments = known.iter().flat_map(|one| {
        (0..).zip(&one.fluency).map(|(n, score)| {
            json!({"item": one.item, "system": one.system, "criterion": "fluency", "score": score,
                   "annotator": format!("ann{n}"), "comment": format!("why {} {HOSTILE}", one.system)})
        })
    });
    write("judgments.jsonl", lines(judgments));
    let comparisons = [
        ("item 1", 1.0, "A", "ann0"),
        ("item 1", 0.0, "B", "ann1"),
        ("item 2", 0.5, "both bad", "ann7"),
    ];
    write("comparisons.jsonl", lines(comparisons.into_iter().map(|(item, outcome, label, annotator)| {
        json!({"item": item, "system_a": "a", "system_b": "b", "outcome": outcome, "label": label, "annotator": annotator})
    })));
    write("predictions.jsonl", lines(["item 1", "item 2"].into_iter().map(|item| {
        json!({"item": item, "system_a": "a", "system_b": "b", "p": 0.9, "judge": "judge-1", "answer": format!("[[A]] {HOSTILE}")})
    })));
    write(
        "scores.csv",
        known
            .iter()
            .fold("item,system,metric,score\n".to_string(), |text, one| {
                text + &format!("{},{},chrf,{}\n", one.item, one.system, one.chrf)
            }),
    );
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
    Viewer::open(&context, source, &[folder.path().join("scores.csv")], None).unwrap()
}

/// The items and numbers of a selection, in order.
fn selected(viewer: &Viewer, query: &str) -> Vec<(String, f64)> {
    let mut selection = viewer.select(&viewer.parse(query).unwrap()).unwrap();
    let all = selection.len();
    let found = selection.at(0..all).to_vec();
    let named = |one: &query::SelectedItem| viewer.group(u64::from(one.item)).unwrap().item;
    found.iter().map(|one| (named(one), one.value)).collect()
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

/// Groups outputs by item, keeps the largest number of each, and sorts.
fn best(
    known: &[Known],
    numbers: &[Option<f64>],
    fits: impl Fn(&Known) -> bool,
) -> Vec<(String, f64)> {
    let mut items: Vec<(String, f64)> = Vec::new();
    for (one, number) in known.iter().zip(numbers).filter(|(one, _)| fits(one)) {
        let Some(number) = *number else { continue };
        match items.iter_mut().find(|(item, _)| *item == one.item) {
            Some((_, most)) => *most = most.max(number),
            None => items.push((one.item.clone(), number)),
        }
    }
    items.sort_by(|a, b| b.1.total_cmp(&a.1));
    items
}

#[track_caller]
fn agree(found: &[(String, f64)], expected: &[(String, f64)]) {
    let close = |(a, b): (&(String, f64), &(String, f64))| (a.1 - b.1).abs() < 1e-6;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(close),
        "{found:?}\n{expected:?}"
    );
    let names = |list: &[(String, f64)]| {
        let mut names: Vec<String> = list.iter().map(|one| one.0.clone()).collect();
        names.sort();
        names
    };
    assert_eq!(names(found), names(expected));
}

#[test]
fn orders_are_those_of_slow_obvious_versions() {
    let (folder, known) = (laid(), known());
    let viewer = viewer(&folder);
    let mean =
        |one: &Known| (!one.fluency.is_empty()).then(|| one.fluency.iter().sum::<f64>() / 2.0);
    let people: Vec<_> = known.iter().map(mean).collect();
    let chrf: Vec<_> = known.iter().map(|one| Some(one.chrf)).collect();
    let pairs = shares(&people).into_iter().zip(shares(&chrf));
    let apart: Vec<_> = pairs.map(|(a, b)| Some((a? - b?).abs())).collect();
    let german = |one: &Known| one.system == "b" && one.language == "German";
    let query = "sort=disagreement:fluency~chrf&system=b&slice=language%3DGerman";
    agree(&selected(&viewer, query), &best(&known, &apart, german));
    agree(
        &selected(&viewer, "sort=disagreement:fluency~chrf"),
        &best(&known, &apart, |_| true),
    );
    agree(
        &selected(&viewer, "sort=score:chrf&system=c"),
        &best(&known, &chrf, |one| one.system == "c"),
    );
    let spread: Vec<_> = known
        .iter()
        .map(|one| match one.fluency[..] {
            [a, b] => Some((a - b).abs() / 2.0),
            _ => None,
        })
        .collect();
    agree(
        &selected(&viewer, "sort=spread:fluency"),
        &best(&known, &spread, |_| true),
    );
    let length: Vec<_> = known
        .iter()
        .map(|one| Some(one.output.chars().count() as f64))
        .collect();
    agree(
        &selected(&viewer, "sort=length"),
        &best(&known, &length, |_| true),
    );
    let less: Vec<_> = known
        .chunks(3)
        .flat_map(|of| [Some(of[0].chrf - of[1].chrf), None, None])
        .collect();
    agree(
        &selected(&viewer, "sort=difference:chrf&system=a&against=b"),
        &best(&known, &less, |_| true),
    );
    let others = known.chunks(3).flat_map(|of| {
        [
            Some(of[0].chrf - f64::midpoint(of[1].chrf, of[2].chrf)),
            None,
            None,
        ]
    });
    agree(
        &selected(&viewer, "sort=difference:chrf&system=a"),
        &best(&known, &others.collect::<Vec<_>>(), |_| true),
    );
    let widest = known.chunks(3).flat_map(|of| {
        let (a, b, c) = (of[0].chrf, of[1].chrf, of[2].chrf);
        [Some(a.max(b).max(c) - a.min(b).min(c)), None, None]
    });
    agree(
        &selected(&viewer, "sort=difference:chrf"),
        &best(&known, &widest.collect::<Vec<_>>(), |_| true),
    );
    // The other way round, and in parts as pages are.
    let (mut down, up) = (
        selected(&viewer, "sort=score:chrf&system=a"),
        selected(&viewer, "sort=score:chrf&system=a&asc=1"),
    );
    down.reverse();
    agree(&down, &up);
    let query = viewer.parse("sort=score:chrf").unwrap();
    let mut whole = viewer.select(&query).unwrap();
    let whole = whole.at(0..40).to_vec();
    for from in [0, 7, 33] {
        assert_eq!(
            viewer.select(&query).unwrap().at(from..from + 7),
            &whole[from..from + 7]
        );
    }
    // Two who disagree about the same two outputs, and a judge who sides with one of them.
    assert_eq!(
        selected(&viewer, "sort=spread:preference"),
        [("item 1".to_string(), 0.5)]
    );
    assert_eq!(selected(&viewer, "sort=score:judge-1&system=a").len(), 2);
}

#[test]
fn filters_keep_what_fits_and_others_are_refused() {
    let folder = laid();
    let viewer = viewer(&folder);
    let items = |query: &str| {
        selected(&viewer, query)
            .into_iter()
            .map(|one| one.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(items("label=both+bad"), ["item 2"]);
    assert_eq!(items("annotator=ann7"), ["item 2"]);
    assert_eq!(items("annotator=ann7&system=c"), Vec::<String>::new());
    assert_eq!(items("slice=language%3DGerman").len(), 14);
    assert_eq!(items("q=%C3%9CBERALL").len(), 40, "whatever the case");
    assert_eq!(
        items("q=ONERROR%3Dalert&system=b").len(),
        40,
        "a source counts for all outputs"
    );
    let known = known();
    let has = |one: &&Known| one.output.contains("wort  5") && one.system == "b";
    assert!(known.iter().filter(has).count() > 0);
    assert_eq!(
        items("q=WORT++5&system=b").len(),
        known.iter().filter(has).count()
    );
    assert_eq!(items("q=nowhere+to+be+found").len(), 0);
    for query in [
        "system=d",
        "sort=chrf",
        "slice=language%3DDutch",
        "page=0",
        "annotator=x",
        "label=x",
        "colour=red",
    ] {
        let error = viewer.list(query, "n").unwrap_err();
        assert_eq!(error.exit_code(), 2, "{query}");
    }
    assert!(viewer.item("item=nobody", "n").is_err() && viewer.item("at=41", "n").is_err());
}

#[test]
fn hostile_texts_are_texts_on_every_page() {
    let folder = laid();
    let viewer = viewer(&folder);
    let pages = [
        viewer.list("q=alert&system=b", "n0nce").unwrap(),
        viewer.item("item=item+5", "n0nce").unwrap(),
        viewer.item("item=item+1", "n0nce").unwrap(),
        viewer.page("sort=length").unwrap(),
    ];
    for page in pages {
        let page = String::from_utf8(page.body).unwrap();
        assert!(
            page.contains(
                "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;"
            )
        );
        for harm in ["<script>alert", "<img", "\" onload=\"", "\u{0}"] {
            assert!(!page.contains(harm), "{harm}");
        }
        // Our own script and style, and what the policy of a page without a server allows.
        assert!(
            page.matches("<script").count() <= 1
                && !page.contains("http://")
                && !page.contains("https://")
        );
    }
    let item = String::from_utf8(viewer.item("item=item+1", "n").unwrap().body).unwrap();
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
    let saved = viewer.save(query, SelectionForm::JsonLines).unwrap();
    let rows: Vec<Value> = String::from_utf8(saved.body)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let known = known();
    let expected: Vec<&Known> = known
        .iter()
        .filter(|one| one.system == "b" && one.language == "German")
        .collect();
    assert_eq!(rows.len(), expected.len());
    for one in expected {
        let row = rows.iter().find(|row| row["item"] == *one.item).unwrap();
        assert_eq!(
            (&row["chrf"], &row["output"], &row["language"]),
            (&json!(one.chrf), &json!(one.output), &json!("German"))
        );
    }
    let csv = String::from_utf8(viewer.save(query, SelectionForm::Csv).unwrap().body).unwrap();
    assert!(
        csv.starts_with("item,language,system,source,output,fluency,preference,chrf,judge-1\n"),
        "{csv}"
    );
}

#[test]
fn a_link_is_a_view_and_its_pages_are_whole() {
    let folder = laid();
    let viewer = viewer(&folder);
    let page = String::from_utf8(
        viewer
            .list("sort=score:chrf&q=%C3%BCberall&page=2", "n")
            .unwrap()
            .body,
    )
    .unwrap();
    assert_eq!(
        page.matches("<li class=\"card\" data-item=").count(),
        ITEMS_PER_PAGE
    );
    assert!(
        page.contains("item?sort=score:chrf&amp;q=%C3%BCberall&amp;at=21"),
        "{page}"
    );
    assert!(page.contains("40 of 40 items fit.") && page.contains("Page 2 of 2"));
    let first = String::from_utf8(viewer.item("sort=score:chrf&at=1", "n").unwrap().body).unwrap();
    assert!(
        first.contains("1 of 40")
            && first.contains("rel=\"next\"")
            && !first.contains("rel=\"prev\"")
    );
}
