//! `report`: the page that a run ends with, of whole runs, parts of runs, and odd names.

use super::{command, finished, here, score_with_chrf, text, tiebreak, tree, typed};
use crate::support::{assert_contains, assert_lacks};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tiebreak::layout::{number, percent, same_decimals};

/// A quick pipeline with every kind of stage.
pub(super) const WHOLE: &str = "seed = 42\ndata = \"data/tiny\"\n\
    [[score]]\nmetric = \"chrf\"\n[[score]]\nmetric = \"ter\"\n\
    [[fit]]\nmetric = \"chrf\"\nlink = \"linear\"\n\
    [[predict]]\nmetric = \"chrf\"\nlink = \"linear\"\n\
    [[simulate]]\nname = \"people\"\nbandit = \"rmed\"\nruns = 20\nbudget = 600\n\
    [[simulate]]\nname = \"once\"\nbudget = 300\n\
    [[rank]]\n\
    [[estimate]]\ncriterion = \"adequacy\"\nestimator = \"mean\"\ntarget-width = 4\ndifferences = true\n\
    [[estimate]]\ncriterion = \"adequacy\"\nestimator = \"control-variates\"\nmetric = \"chrf\"\n\
    [[estimate]]\ncriterion = \"adequacy\"\nestimator = \"betting:anytime=true\"\nrange = [0, 100]\nstop = \"width=30\"\n\
    [[correlate]]\nmetric = [\"chrf\", \"ter\"]\nresamples = 100\n\
    [[annotators]]\nlabels = \"mace\"\n";

/// A run of some pipeline.
struct Reported {
    folder: TempDir,
}

impl Reported {
    fn new(pipeline: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("odd & \"quoted\".toml"), here(pipeline)).unwrap();
        let reported = Self { folder };
        reported.run();
        reported
    }

    fn run(&self) {
        let file = self.folder.path().join("odd & \"quoted\".toml");
        tiebreak(&["run", text(&file), "--out", text(&self.out())]).ok();
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn page(&self) -> String {
        page(&self.out())
    }
}

fn page(out: &Path) -> String {
    let html = fs::read_to_string(out.join("report.html")).unwrap();
    well_formed(&html);
    self_contained(&html);
    html
}

#[test]
fn a_run_without_a_ranking_says_what_ranks() {
    let reported = Reported::new("data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n");
    let text = fs::read_to_string(reported.out().join("report.txt")).unwrap();
    let next =
        "`tiebreak rank`, or `[[rank]]` in a pipeline, ranks the systems by the 3,055 comparisons.";
    assert_contains(&text, &[next]);
    assert_lacks(&text, &["DATA", "RUN", "People worked"]);
}

#[test]
fn a_ranking_with_a_confidence_of_its_own_shares_no_error() {
    let own = "[[rank]]\nconfidence = [0.9, 0.99]\n";
    let reported = Reported::new(&format!(
        "data = \"data/tiny\"\n[[rank]]\n[[rank]]\nname = \"again\"\n{own}"
    ));
    let report = fs::read_to_string(reported.out().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let rankings = report["rankings"].as_array().unwrap().iter();
    let held = rankings.map(|one| {
        let evidence = &one[1]["evidence"];
        (
            evidence["confidence"].as_f64().unwrap(),
            evidence["sharing"].as_u64(),
        )
    });
    let (shared, own) = (Some(2), None);
    let expected = [(0.975, shared), (0.975, shared), (0.9, own), (0.99, own)];
    assert_eq!(held.collect::<Vec<_>>(), expected);
    let together =
        "The 2 rankings of this pipeline hold together with 95 % confidence, each with 97.5 %.";
    assert_contains(report["summary"]["sure"].as_str().unwrap(), &[together]);
    let text = fs::read_to_string(reported.out().join("report.txt")).unwrap();
    assert_eq!(text.matches(together).count(), 3, "{text}");
}

/// Every element is closed in order, every attribute quoted, every `<` and `&` of a text escaped, every
/// id there once.
fn well_formed(html: &str) {
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        if open.last() != Some(&"style") {
            is_text(before);
        }
        let end = tag.find('>').expect("a tag that ends");
        let inside = &tag[1..end];
        rest = &tag[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(
                open.pop(),
                Some(name),
                "closed in the order they were opened"
            );
            continue;
        }
        let name_end = inside.find([' ', '/']).unwrap_or(inside.len());
        let (name, mut attributes) = inside.split_at(name_end);
        assert!(
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()),
            "<{inside}>"
        );
        let empty = attributes.ends_with('/');
        attributes = attributes.trim_end_matches('/').trim();
        while let Some((key, value)) = attributes.split_once("=\"") {
            let (value, after) = value.split_once('"').expect("a value that ends");
            is_text(value);
            assert!(!key.starts_with("on") && key != "src", "{key}");
            assert!(
                key.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-:".contains(c)),
                "{key}"
            );
            assert!(key != "id" || ids.insert(value), "id {value} twice");
            attributes = after.trim_start();
        }
        assert_eq!(attributes, "", "attributes of <{name}>");
        if !empty {
            open.push(name);
        }
    }
    assert!(
        open.is_empty() && rest.trim().is_empty(),
        "{open:?} left open"
    );
    let links = html.split("href=\"#").skip(1);
    for link in links {
        let id = link.split('"').next().unwrap();
        assert!(ids.contains(id), "no section {id}");
    }
}

fn is_text(text: &str) {
    for entity in text.split('&').skip(1) {
        let name = entity.split(';').next().unwrap();
        assert!(
            ["amp", "lt", "gt", "quot", "apos", "#39"].contains(&name),
            "&{entity}"
        );
    }
    assert!(
        !text
            .chars()
            .any(|c| c.is_control() && !"\t\r\n".contains(c)),
        "{text:?}"
    );
}

/// Nothing is fetched, and nothing runs but the script of the page itself, which comes last.
fn self_contained(html: &str) {
    let html = html.replace("http://www.w3.org/2000/svg", "");
    for wanted in ["://", "<link", "<img", "url(", "@import"] {
        assert!(!html.contains(wanted), "{wanted}");
    }
    let (page, script) = html
        .split_once("<script nonce=\"here\">")
        .expect("a script");
    assert!(
        !page.contains("<script") && script.matches("</").count() == 3,
        "one script"
    );
    assert!(
        page.contains("content=\"default-src &#39;none&#39;; script-src &#39;nonce-here&#39;;")
    );
}

/// What stands between tags.
fn cells(html: &str) -> BTreeSet<String> {
    let texts = html.split('>').filter_map(|part| part.split('<').next());
    texts.map(|text| text.trim().to_string()).collect()
}

/// Writes the values of a column with its decimals.
fn alike(rows: &[Value], column: &str) -> impl Fn(&Value) -> String + use<> {
    let values: Vec<f64> = rows.iter().filter_map(|one| one[column].as_f64()).collect();
    let write = same_decimals(values.into_iter());
    move |value| write(value.as_f64().unwrap())
}

#[test]
fn a_whole_run_has_every_number_of_its_tables() {
    let reported = Reported::new(WHOLE);
    let html = reported.page();
    let cells = cells(&html);
    let report = fs::read_to_string(reported.out().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let shown = |text: String| assert!(cells.contains(&text), "{text} is missing");
    let of = |value: &Value| number(value.as_f64().unwrap());
    let rows = |value: &Value| value.as_array().unwrap().clone();
    let ends = |one: &Value, write: &dyn Fn(&Value) -> String| {
        let [lower, upper] = ["lower", "upper"].map(|end| write(&one[end]));
        shown(format!("[{lower}, {upper}]"));
    };
    for named in rows(&report["rankings"]) {
        let strengths = rows(&named[1]["strengths"]);
        let write = alike(&strengths, "strength");
        for one in &strengths {
            shown(write(&one["strength"]));
            ends(one, &write);
            shown(of(&one["comparisons"]));
        }
    }
    for named in rows(&report["simulations"]) {
        for one in rows(&named[1]["standings"]) {
            shown(percent(one["named"].as_f64().unwrap()));
        }
        shown(named[1]["verdict"].as_str().unwrap().to_string());
    }
    for named in rows(&report["estimates"]) {
        let estimates = rows(&named[1]);
        let write = alike(&estimates, "estimate");
        for one in &estimates {
            shown(write(&one["estimate"]));
            ends(one, &write);
        }
    }
    let scores = rows(&report["scores"]);
    assert_eq!(scores.len(), 14);
    for one in scores {
        shown(of(&one["mean"]));
    }
    for one in rows(&report["plans"]) {
        shown(of(&one["judgments"]));
    }
    for bin in rows(&report["assessments"][0][1]["reliability"]) {
        if bin["comparisons"] != 0 {
            shown(of(&bin["comparisons"]));
            shown(percent(bin["won"].as_f64().unwrap()));
        }
    }
    let [compared, stopped] = [0, 1].map(|at| report["comparisons"][at][1].clone());
    assert_eq!(rows(&compared["differences"]).len(), 21);
    let differences = rows(&compared["differences"]);
    let write = alike(&differences, "difference");
    for one in &differences {
        shown(write(&one["difference"]));
        let [lower, upper] = ["corrected_lower", "corrected_upper"].map(|end| write(&one[end]));
        shown(format!("[{lower}, {upper}]"));
    }
    for one in rows(&stopped["stops"]) {
        shown(of(&one["n"]));
        assert!(rows(&one["widths"]).len() > 8, "{one}");
    }
    let decimals = |value: &Value| format!("{:.3}", value.as_f64().unwrap());
    for one in rows(&report["correlations"][0][1]["correlations"]) {
        let [value, lower, upper] = ["value", "lower", "upper"].map(|of| decimals(&one[of]));
        shown(format!("{value} [{lower}, {upper}]"));
    }
    for one in rows(&report["correlations"][0][1]["differences"]) {
        let p = |of_systems: &Value| of_systems.as_f64().map_or("–".to_string(), number);
        let these = &one["these_systems"];
        shown(match these.is_null() {
            true => format!("p {}", p(&one["p_value"])),
            false => format!("p {}; {}", p(&one["p_value"]), p(&these["p_value"])),
        });
    }
    for one in rows(&report["annotators"][0][1]["annotators"]) {
        shown(one["annotator"].as_str().unwrap().to_string());
        shown(decimals(&one["agreement"]));
    }
    shown(report["run"]["digest"].as_str().unwrap().to_string());
    for stage in rows(&report["run"]["stage"]) {
        shown(stage["signature"].as_str().unwrap().to_string());
    }
    let titles = [
        "Accuracy by judgments",
        "Estimates of adequacy",
        "Every pair",
        "Interval width by judgments, adequacy",
        "Reliability on tiny",
        "Accuracy without the most uncertain, on tiny",
        "ter and strength",
        "Every coefficient",
        "Agreement with the others",
    ];
    for title in titles {
        assert!(
            html.contains(&format!("<title>{title}</title>")),
            "a plot: {title}"
        );
    }
}

/// The first lines answer what everybody asks first, on the page and in the terminal.
#[test]
fn the_answer_comes_first() {
    let reported = Reported::new(WHOLE);
    let text = fs::read_to_string(reported.out().join("report.txt")).unwrap();
    let html = reported.page();
    let body = html.split("<body>").nth(1).unwrap();
    let lines = text.lines().skip(2);
    for (line, [label, question]) in lines.zip([
        ["best  ", "Which is best?"],
        ["sure  ", "How sure is that?"],
        ["next  ", "What next?"],
    ]) {
        let answer = line.strip_prefix(label).expect(label);
        assert!(answer.ends_with('.'), "{line}");
        // Commands are code there.
        let cells = cells(body);
        let mut pieces = answer.split('`').map(str::trim);
        assert!(pieces.all(|piece| cells.contains(piece)), "{answer}");
        assert!(body.find(question).unwrap() < body.find("<main").unwrap());
    }
    assert_contains(&text, &["once: one replay ends with"]);
    // What a folder of one verb has is told as such.
    let scored = Reported::new("data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n").page();
    assert!(scored.contains("This run does not show which system"));
}

/// What managers read comes before everything else, which is folded; what is stored for it is all there.
#[test]
fn the_first_page_is_whole_and_all_else_is_folded() {
    let reported = Reported::new(WHOLE);
    let html = reported.page();
    let (first, folded) = html.split_once("<details class=\"appendix\">").unwrap();
    let first = first.split("<body>").nth(1).unwrap();
    for there in [
        "What did it cost?",
        "The ranking uses 3,055 comparisons by people.",
        "520 of adequacy",
        "Who judged?",
        "6 annotators gave 4,095 answers",
        "Krippendorff",
        "How the systems rank",
        "What they wrote",
    ] {
        assert!(first.contains(there), "{there}");
    }
    // The means of the metric are in the estimates it corrects; correlations have their own table.
    assert!(folded.contains("a dot is a system") && !folded.contains("Pearson's r is"));
    // Replays are about effort; beside the answer they would read as another answer.
    assert!(!first.contains("replays end with") && folded.contains("replays end with"));
    assert_eq!(first.matches("<article class=\"example\">").count(), 3);
    let report = fs::read_to_string(reported.out().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let standing = &report["summary"]["standings"][0];
    let systems = standing["systems"].as_array().unwrap();
    assert_eq!(systems.len(), 7);
    for (one, ranks) in systems
        .iter()
        .zip(report["rankings"][0][1]["ranks"].as_array().unwrap())
    {
        assert_eq!(
            one["places"],
            serde_json::json!([ranks["rank_low"], ranks["rank_high"]])
        );
        assert!(first.contains(&format!("<bdi>{}</bdi>", one["system"].as_str().unwrap())));
    }
    let people = &report["people"];
    assert_eq!(
        (&people["answers"], &people["annotators"]),
        (&4095.into(), &6.into())
    );
    let top = systems[0]["system"].as_str().unwrap();
    for example in report["examples"].as_array().unwrap() {
        for output in example["outputs"].as_array().unwrap() {
            let won = output["won"].as_f64().unwrap();
            assert!(won <= output["comparisons"].as_f64().unwrap(), "{output}");
        }
    }
    assert!(
        first
            .matches(&format!("<strong><bdi>{top}</bdi></strong>"))
            .count()
            == 3
    );
}

/// What a newcomer runs first: what can be had comes in one screen, without a note about files that came along.
#[test]
fn the_quickstart_fits_a_screen_and_warns_of_nothing() {
    let whole = fs::read_to_string("pipelines/quickstart.toml").unwrap();
    assert_eq!(whole.matches("runs = 200").count(), 6);
    let small = whole
        .replace("runs = 200", "runs = 20")
        .replace("../data", "data");
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (
        folder.path().join("quickstart.toml"),
        folder.path().join("out"),
    );
    fs::write(&file, here(&small)).unwrap();
    let run = tiebreak(&["run", text(&file), "--out", text(&out)]);
    assert_eq!(run.stderr, "");
    let brief = run.ok();
    assert!(brief.lines().count() <= 30, "{brief}");
    // The soonest proof comes first, and is said in a sentence with that of people alone.
    let (answer, table) = brief.split_once("way of asking").unwrap();
    let proofs: Vec<u64> = table
        .lines()
        .filter_map(|line| {
            line.split("  ")
                .filter(|cell| !cell.is_empty())
                .nth(1)?
                .trim()
                .parse()
                .ok()
        })
        .collect();
    assert!(proofs.len() == 4 && proofs.is_sorted(), "{table}");
    let people = table
        .lines()
        .find(|line| line.starts_with("people alone"))
        .unwrap();
    let sentence = format!(
        "could have stopped with proof after {} judgments instead of ",
        proofs[0]
    );
    let instead = answer
        .split(&sentence)
        .nth(1)
        .expect(answer)
        .split('.')
        .next()
        .unwrap();
    assert!(
        people.contains(&format!(" {instead} ")),
        "{instead} in {people}"
    );
}

/// Without a test of differences nothing orders systems that were rated.
#[test]
fn ratings_alone_give_no_ranks() {
    let stages = |differences: &str| {
        format!(
            "data = \"data/tiny\"\n[[estimate]]\ncriterion = \"adequacy\"\nestimator = \"mean\"\n{differences}"
        )
    };
    let bare = Reported::new(&stages("")).page();
    assert!(bare.contains("How the systems stand") && bare.contains("There are no ranks"));
    assert!(!bare.contains("How the systems rank") && !bare.contains(">rank<"));
    let tested = Reported::new(&stages("differences = true\n")).page();
    assert!(tested.contains("How the systems rank") && tested.contains(">rank<"));
}

#[test]
fn the_page_is_remade_with_the_same_bytes() {
    let reported = Reported::new(WHOLE);
    let first = reported.page();
    assert!(first.contains("tiebreak run &#39;odd &amp; &quot;quoted&quot;.toml&#39; --seed 42"));
    let folder = reported.folder.path().to_str().unwrap();
    assert!(
        !first.contains(folder),
        "the page names a place on this machine"
    );
    fs::remove_file(reported.out().join("report.html")).unwrap();
    tiebreak(&["report", text(&reported.out())]).ok();
    assert_eq!(reported.page(), first);
    reported.run();
    assert_eq!(reported.page(), first);
}

/// Where no program opens files, the page is named.
#[cfg(unix)]
#[test]
fn a_page_that_no_browser_opens_is_named() {
    let reported = Reported::new("data = \"data/tiny\"\n[[score]]\nmetric = \"length\"\n");
    let mut report = command(&["report", text(&reported.out()), "--open"]);
    let report = finished(&report.env("PATH", "").output().unwrap());
    let page = reported.out().join("report.html");
    assert!(report.stderr.contains(text(&page)), "{}", report.stderr);
    assert!(report.ok().contains("7 systems"));
}

/// Disagreements are between a metric that says one thing and people who say the other.
#[test]
fn disagreements_are_disagreements() {
    let reported = Reported::new(WHOLE);
    let stored = reported.out().join("disagreements.json");
    let found: Vec<Value> = tiebreak::tables::json::read(&stored).unwrap();
    assert_eq!(found.len(), 6, "three of either metric");
    for one in &found {
        let side = |side: &str, key: &str| one[side][key].as_f64().unwrap();
        let higher = side("its_choice", "score") > side("peoples_choice", "score");
        assert_eq!(higher, one["judge"] != "ter", "{one}");
        assert!(
            side("its_choice", "human") < side("peoples_choice", "human"),
            "{one}"
        );
    }
}

/// The outputs of systems whose names and texts are markup.
fn hostile(folder: &Path) {
    let systems = [
        "<script>alert(1)</script>",
        "a & \"b\" 'c'",
        "\u{5d0}\u{5d1} </svg>",
    ];
    let (mut outputs, mut judgments) = (String::new(), String::new());
    for item in 0..12 {
        for (place, system) in systems.iter().enumerate() {
            let output = format!(
                "</td><b onload=\"x\">{item}</b> & {} \u{1b}[31m",
                "word ".repeat(place + item % 2)
            );
            let row = serde_json::json!({
                "item": format!("<i>{item}"), "system": system, "output": output,
                "source": "<source>", "references": ["word word <ref>"],
            });
            outputs += &format!("{row}\n");
            let row = serde_json::json!({
                "item": format!("<i>{item}"), "system": system, "criterion": "a<b>",
                "score": (item + 3 * place) % 5,
            });
            judgments += &format!("{row}\n");
        }
    }
    fs::write(folder.join("outputs.jsonl"), outputs).unwrap();
    fs::write(folder.join("judgments.jsonl"), judgments).unwrap();
}

#[test]
fn names_and_texts_are_never_markup() {
    let data = tempfile::tempdir().unwrap();
    hostile(data.path());
    let html = Reported::new(&format!(
        "data = '{}'\n[[score]]\nmetric = \"chrf\"\n[[estimate]]\nestimator = \"mean\"\n\
         [[estimate]]\nestimator = \"control-variates\"\nmetric = \"chrf\"\n",
        data.path().display()
    ))
    .page();
    for escaped in [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "a &amp; &quot;b&quot; &#39;c&#39;",
        "&lt;source&gt;",
    ] {
        assert!(html.contains(escaped), "{escaped}");
    }
    assert_contains(&html, &["People prefer", "a&lt;b&gt;"]);
}

/// Too many pairs for a line each become a square: better to the right of worse, and the other way round.
#[test]
fn many_systems_are_compared_in_a_square() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("item,system,criterion,score\n");
    for (item, system) in (0..18).flat_map(|item| (0..9).map(move |system| (item, system))) {
        let score = 10 * system + (7 * item + 5 * system) % 9;
        rows += &format!("{item},s{system},quality,{score}\n");
    }
    fs::write(folder.path().join("judgments.csv"), rows).unwrap();
    let html = Reported::new(&format!(
        "data = '{}'\n[[estimate]]\nestimator = \"mean\"\ndifferences = true\n",
        folder.path().display()
    ))
    .page();
    for side in ["better", "worse"] {
        let cells = html.matches(&format!("class=\"versus {side}\"")).count();
        assert_eq!(cells, 36, "{side}");
    }
    assert_contains(
        &html,
        &[
            "wins 100.0 %",
            "+80",
            "-80",
            "It differs significantly from every other system.",
            "No more judgments are needed for this.",
        ],
    );
}

#[test]
fn a_part_of_a_run_has_a_part_of_the_page() {
    let scored = Reported::new("data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n").page();
    for there in ["metrics", "disagreements", "provenance"] {
        assert!(scored.contains(&format!("id=\"{there}\"")), "{there}");
    }
    assert!(scored.contains("7 systems"));
    for absent in ["ranking", "replays", "estimates", "model"] {
        assert!(!scored.contains(&format!("id=\"{absent}\"")), "{absent}");
    }
}

/// The folders that single verbs leave are reported too.
#[test]
fn tables_without_a_run_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let report = |name: &str| {
        let printed = tiebreak(&["report", text(&at(name))]).ok();
        (printed, page(&at(name)))
    };
    let rank = [
        "simulate data/tiny --runs 8 --budget 200 --out",
        text(&at("replays")),
    ]
    .map(String::from);
    tiebreak(&rank.iter().map(String::as_str).collect::<Vec<_>>()).ok();
    let (printed, html) = report("replays");
    assert!(
        printed.contains("it would have taken: adaptive") && html.contains("Accuracy by judgments")
    );
    for (name, form) in [("files", "csv"), ("columnar", "parquet")] {
        fs::create_dir(at(name)).unwrap();
        score_with_chrf(&at(name).join(format!("scores.{form}")));
        let out = at(name).join(format!("estimates.{form}"));
        let estimate = ["estimate data/tiny --criterion adequacy --estimator mean"];
        tiebreak(&[&estimate[..], &["--target-width", "3", "--out", text(&out)]].concat()).ok();
        let (printed, html) = report(name);
        assert_contains(&printed, &["Mean score of adequacy\n"]);
        assert_contains(&html, &["chrf and adequacy", "Judgments needed"]);
    }
    score_with_chrf(&at("scores"));
    assert!(report("scores").1.contains("Mean metric scores"));
    for table in ["scores.csv", "scores.csv.meta.json"] {
        fs::remove_file(at("files").join(table)).unwrap();
    }
    let (other, out) = ("data/mt-bench", at("files").join("scores.csv"));
    tiebreak(&["score", other, "--metric", "length", "--out", text(&out)]).ok();
    tiebreak(&["report", text(&at("files"))]).refused(&["another data set"]);
    tiebreak(&["report", "data/tiny"]).refused(&["tiebreak run"]);
}

/// A run in progress is reported as far as it is; making the report changes nothing else.
#[test]
fn a_live_run_is_reported_while_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    typed(&["ask", text(&run), "data/tiny"], "1\n2\nt\n1\n").ok();
    let journal = fs::read(run.join("journal.jsonl")).unwrap();
    tiebreak(&["report", text(&run)]).ok();
    let html = page(&run);
    assert_contains(
        &html,
        &[
            "5 questions, 4 answered",
            "Not decided yet.",
            " leads; any of the 7 systems may still be best.",
        ],
    );
    assert_eq!(fs::read(run.join("journal.jsonl")).unwrap(), journal);
}

#[test]
fn a_grid_has_its_tables_and_plots_on_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("grid.toml"), folder.path().join("out"));
    let grid = "data-root = \"data\"\n[defaults]\ndata = \"tiny\"\nruns = 10\nbudget = 200\n\
        [[experiment]]\nbandit = [\"rmed\", \"uniform\"]\n\
        [[table]]\nname = \"share\"\ntitle = \"Share < 1\"\nvalue = [\"accuracy\", \"mean-annotations\"]\n\
        [[plot]]\nname = \"accuracy\"\ntitle = \"Accuracy\"\n";
    fs::write(&file, here(grid)).unwrap();
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    let html = page(&out);
    assert_contains(&html, &["Share &lt; 1", "class=\"tiebreak-plot\""]);
    let table = fs::read_to_string(out.join("share.txt")).unwrap();
    let cells = cells(&html);
    for line in table.lines().skip(3) {
        for cell in line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty())
        {
            assert!(cells.contains(cell), "{cell} is missing");
        }
    }
    let before = tree(&out);
    tiebreak(&["report", text(&out)]).ok();
    assert!(tree(&out) == before);
}
