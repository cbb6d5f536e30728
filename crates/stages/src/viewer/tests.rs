//! Orders and filters of nine outputs, whose numbers can be checked by hand; hostile texts; what is saved.

use super::*;
use crate::engine::context::SilentProgress;
use std::fs;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;
use tiebreak_base::rng::Seed;
use tiebreak_metrics::env::Env;

/// What looks like markup, and what a page must not take for it.
const HOSTILE: &str =
    "<script>alert(1)</script><img src=x onerror=alert(2)>\u{0}\" onload=\"x {{nonce}}";

/// Item, system, score by chrF, judgments of fluency, output.
const KNOWN: &str = "\
1 a 10 1,3 Überall kurz
1 b 20 5,4 HOSTILE
1 c 30 - überall länger
2 a 40 2 wort wort
2 b 10 5,1 wort  wort
2 c 5 -\u{20}
3 a 55 4,4 NADEL
3 b 50 - dünn und überall dünner
3 c 60 1 x";

/// The data set of the known outputs, with judgments, comparisons, scores and verdicts.
fn viewer() -> (TempDir, Viewer) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(format!("{name}.jsonl"));
    let write = |name: &str, rows: Vec<Value>| {
        let lines: Vec<String> = rows.iter().map(|row| format!("{row}\n")).collect();
        fs::write(file(name), lines.concat()).unwrap();
    };
    let [mut outputs, mut scores, mut judgments] = [const { Vec::new() }; 3];
    for line in KNOWN.lines() {
        let [item, system, chrf, said, output] = parts(line);
        let (chrf, output) = (
            chrf.parse::<f64>().unwrap(),
            output.replace("HOSTILE", HOSTILE),
        );
        scores.push(json!({"item": item, "system": system, "metric": "chrf", "score": chrf}));
        outputs.push(json!({"item": item, "system": system, "output": output, "tokens": 7}));
        let said = said
            .split(',')
            .filter_map(|score| score.parse::<f64>().ok());
        judgments.extend((0..).zip(said).map(|(n, score)| {
            let comment = format!("why {system} {HOSTILE}");
            json!({"item": item, "system": system, "criterion": "fluency", "score": score,
                   "annotator": format!("ann{n}"), "comment": comment})
        }));
    }
    write("outputs", outputs);
    write("scores", scores);
    write("judgments", judgments);
    let source = format!(
        "source {HOSTILE} {} needle {}",
        "a ".repeat(500),
        "b ".repeat(500)
    );
    let items = [("1", "German"), ("2", "Czech"), ("3", "German")].map(|(item, language)| {
        json!({"item": item, "source": source, "references": ["one"], "language": language, "url": "u"})
    });
    write("items", items.into());
    let compared = [
        ("1", json!(1.0), "A", "ann0"),
        ("1", json!(0.0), "B", "ann1"),
        ("2", json!(0.5), "both bad", "ann7"),
        ("unknown", Value::Null, "unanswered", ""),
    ];
    let compared = compared.map(|(item, outcome, label, annotator)| {
        json!({"item": item, "system_a": "a", "system_b": "b", "outcome": outcome, "label": label,
               "annotator": annotator})
    });
    write("comparisons", compared.into());
    let verdicts = ["1", "2"].map(|item| {
        let answer = format!("[[A]] {HOSTILE}");
        json!({"item": item, "system_a": "a", "system_b": "b", "p": 0.9, "judge": "judge-1", "answer": answer})
    });
    write("predictions", verdicts.into());
    let stop = AtomicBool::new(false);
    let (seed, env, progress) = (Seed(42), Env::default(), &SilentProgress);
    let context = Context {
        seed,
        env,
        progress,
        stop: &stop,
    };
    let source = Source::open(&context, folder.path(), &[]).unwrap();
    let viewer = Viewer::open(&context, source, &[file("scores")], None).unwrap();
    (folder, viewer)
}

fn parts<const N: usize>(line: &str) -> [&str; N] {
    let parts: Vec<&str> = line.splitn(N, ' ').collect();
    parts.try_into().unwrap()
}

/// Queries, and the items that they select with the output and the number that decide. A search is whatever the case; what
/// is said of an item counts for all outputs, and a comment for its own.
const SELECTED: &str = "
 1 2 3
sort=disagreement:fluency~chrf 3c=0.861 1b=0.528 2b=0.361
sort=disagreement:fluency~chrf&system=b 1b=0.528 2b=0.361
sort=disagreement:fluency~chrf&slice=language%3DCzech 2b=0.361
sort=spread:fluency 2b=2.000 1a=1.000 3a=0.000
sort=spread:preference 1a=0.500
sort=score:chrf&system=c 3c=60.000 1c=30.000 2c=5.000
sort=score:chrf&asc=1 2c=5.000 1a=10.000 3b=50.000
sort=score:fluency 1b=4.500 3a=4.000 2b=3.000
sort=score:judge-1&system=a 1a=0.900 2a=0.900
sort=length&system=b 1b=75.000 3b=23.000 2b=10.000
sort=difference:chrf&system=a&against=b 2a=30.000 3a=5.000 1a=-10.000
sort=difference:chrf&system=b 1b=0.000 3b=-7.500 2b=-12.500
sort=difference:chrf 2a=35.000 1c=20.000 3c=10.000
label=both+bad 2
annotator=ann7 2
annotator=ann7&system=c\u{20}
slice=language%3DGerman 1 3
q=%C3%9CBERALL 1 3
q=%C3%BCberall&system=b 3
q=Needle&system=b 1 2 3
q=why+c&system=b\u{20}
q=why+c 3
q=Both+bad 2
q=WORT++wort 2
q=nowhere+to+be+found\u{20}";

#[test]
fn a_link_selects_and_orders_items() {
    let (_folder, viewer) = viewer();
    for line in SELECTED.lines().skip(1) {
        let [query, expected] = parts(line);
        let mut selection = viewer.select(&viewer.parse(query).unwrap()).unwrap();
        // In parts, as pages are.
        let found = (0..selection.items.len()).map(|at| {
            let one = selection.at(at..at + 1)[0];
            let system = viewer.columns.systems.get(one.output as usize);
            let of =
                |&system: &u16| format!("{}={:.3}", ["a", "b", "c"][system as usize], one.value);
            viewer.group(one).unwrap().0.item + &system.map(of).unwrap_or_default()
        });
        assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{query}");
    }
}

fn page(viewer: &Viewer, name: &str, query: &str) -> String {
    let reply = viewer.reply(name, query, "n0nce").unwrap().unwrap();
    String::from_utf8(reply.1).unwrap()
}

/// Pages and what is said of them.
const REFUSED: &str = "\
?system=d not in this data set
?sort=chrf not in this data set
?slice=language%3DDutch not in this data set
?page=0 not in this data set
?annotator=x not in this data set
?label=x not in this data set
?colour=red no key of a link
?foo= no key of a link
?%ff no key of a link
item?item=nobody no such item
item?at=4 no such item
item? no such item
page.html?q=nowhere No item fits.
page.html?sort=score:judge-1&system=c lacks the number of this order";

#[test]
fn what_the_data_set_does_not_have_is_refused() {
    let (_folder, viewer) = viewer();
    for line in REFUSED.lines() {
        let [link, why] = parts(line);
        let (name, query) = link.split_once('?').unwrap();
        let error = viewer.reply(name, query, "n").unwrap_err();
        assert_eq!(error.exit_code(), 2, "{query}");
        assert!(error.to_string().contains(why), "{error}");
        if name == "page.html" {
            assert!(page(&viewer, "", query).contains(why), "{query}");
        }
    }
    assert_eq!(viewer.reply("else", "", "n").unwrap(), None);
}

/// Pages and parts of them.
const SHOWN: &str = "\
item?item=1 data-item=\"1\"|data-output=\"a\"|judge-1|[[A]]|ann0|why b|chrf|Reference|language</b>|url|tokens|German
?sort=score:chrf&q=%C3%BCberall&page=2 item?sort=score%3Achrf&amp;q=%C3%BCberall&amp;at=1|2 of 3 items fit. Order: chrf.
?sort=score:chrf&q=%C3%BCberall&page=2 Page 1 of 1
item?sort=score:chrf&at=3 <a href=\"./?sort=score%3Achrf&amp;page=1\" rel=\"up\"|3 of 3|rel=\"prev\"
?q=NEEDLE+b a  needle b
?q=alert&system=b SCRIPT
item?item=2 SCRIPT|wort  wort</div>
item?item=1 SCRIPT
page.html?sort=length SCRIPT
page.html? The first 3 of 3 items. Order: by name of item.
selection.csv? item,language,system,source,output,fluency,preference,chrf,judge-1\u{a0}
selection.csv?system=a ,wort wort,2.0,0.5,40.0,0.9\u{a0}";

#[test]
fn pages_have_all_that_is_known_and_lead_on() {
    let (_folder, viewer) = viewer();
    for line in SHOWN.lines() {
        let [link, shown] = parts(line);
        let (name, query) = link.split_once('?').unwrap();
        let page = page(&viewer, name, query);
        let script = "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;";
        for part in shown.split('|') {
            let part = part.replace("SCRIPT", script).replace('\u{a0}', "\n");
            assert!(page.contains(&part), "{part}\n{page}");
        }
        assert!(
            !page.contains(&"b ".repeat(300)) || !name.is_empty(),
            "{link}"
        );
        let harm = [
            "<script>alert",
            "<img",
            "\" onload=\"",
            "\u{0}",
            "http://",
            "https://",
        ];
        let harm = harm.iter().filter(|_| !name.starts_with("selection"));
        assert_eq!(
            harm.filter(|harm| page.contains(**harm)).count(),
            0,
            "{page}"
        );
        assert!(
            page.matches("<script").count() <= 1 || name.starts_with("selection"),
            "our own"
        );
    }
    assert!(!page(&viewer, "item", "sort=score:chrf&at=3").contains("rel=\"next\""));
    let query = "sort=score:chrf&system=b&slice=language%3DGerman";
    let saved = page(&viewer, "selection.jsonl", query);
    let rows = saved.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        json!([row["item"], row["output"], row["chrf"]])
    });
    let expected = [
        json!(["3", "dünn und überall dünner", 50.0]),
        json!(["1", HOSTILE, 20.0]),
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}
