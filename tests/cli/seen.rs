//! The page of a report as people see it: on a telephone, on a screen, on paper. Where there is no
//! browser these tests say so.

use super::browser::{Browser, pages};
use super::{here, text, tiebreak};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// What the page of a pipeline looks like must not depend on what is judged.
struct Case {
    name: &'static str,
    pipeline: String,
    data: tempfile::TempDir,
}

impl Case {
    fn new(name: &'static str, stages: &str, fill: impl Fn(&Path)) -> Self {
        let data = tempfile::tempdir().unwrap();
        fill(data.path());
        let pipeline = format!("data = '{}'\n{stages}", data.path().display());
        Self {
            name,
            pipeline,
            data,
        }
    }

    fn page(&self) -> String {
        let file = self.data.path().join("pipeline.toml");
        let out = self.data.path().join("out");
        fs::write(&file, here(&self.pipeline)).unwrap();
        tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
        fs::read_to_string(out.join("report.html")).unwrap()
    }
}

/// A name too long for any column.
fn long(system: usize) -> String {
    format!(
        "organisation-{system}/a-model-with-a-very-long-name-{system}-instruct-2026-preview-{system}"
    )
}

/// Twenty systems with long names, compared by people with names; some write nothing, some markup.
fn crowd(folder: &Path) {
    let mut outputs = String::new();
    let mut comparisons = String::from("item,system_a,system_b,outcome,annotator,seconds\n");
    for item in 0..24 {
        for system in 0..20 {
            let output = match system % 5 {
                0 => String::new(),
                1 => {
                    format!("<b onclick=\"x\">{item}</b> & </td></table><script>alert(1)</script>")
                }
                2 => "Anunbrokenword".repeat(30),
                _ => format!("What system {system} says of item {item}. ").repeat(1 + system),
            };
            let row = serde_json::json!({
                "item": format!("item-{item}"), "system": long(system), "output": output,
                "source": "A source of some length. ".repeat(30),
            });
            let _ = writeln!(outputs, "{row}");
            for other in system + 1..20 {
                let outcome = u8::from((system * 7 + item * 5 + other) % 9 < 6);
                let (a, b) = (long(system), long(other));
                let _ = writeln!(
                    comparisons,
                    "item-{item},{a},{b},{outcome},person {},12",
                    item % 6
                );
            }
        }
    }
    fs::write(folder.join("outputs.jsonl"), outputs).unwrap();
    fs::write(folder.join("comparisons.csv"), comparisons).unwrap();
}

/// Ratings under two criteria, without names or texts.
fn rated(folder: &Path) {
    let mut rows = String::from("item,system,criterion,score\n");
    for (item, system) in (0..18).flat_map(|item| (0..12).map(move |system| (item, system))) {
        for (place, criterion) in ["fluency_of_the_text_overall", "adequacy"]
            .iter()
            .enumerate()
        {
            let score = (3 * system + 7 * item * (place + 1) + 5 * system) % 40;
            let _ = writeln!(rows, "{item},{},{criterion},{score}.{item}", long(system));
        }
    }
    fs::write(folder.join("judgments.csv"), rows).unwrap();
}

fn cases() -> Vec<Case> {
    let crowded = "[[score]]\nmetric = \"length\"\n[[simulate]]\nruns = 5\nbudget = 400\n[[rank]]\n[[annotators]]\n";
    let estimated = "[[estimate]]\ncriterion = \"fluency_of_the_text_overall\"\nestimator = \"mean\"\n\
        differences = true\n[[estimate]]\nname = \"again\"\ncriterion = \"adequacy\"\nestimator = \"mean\"\n";
    vec![
        Case {
            name: "whole",
            pipeline: super::report::WHOLE.to_string(),
            data: tempfile::tempdir().unwrap(),
        },
        Case::new("crowd", crowded, crowd),
        Case::new("rated", estimated, rated),
        Case {
            name: "scored",
            pipeline: "data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n".to_string(),
            data: tempfile::tempdir().unwrap(),
        },
    ]
}

const UNFOLD: &str = "document.querySelectorAll('details').forEach(one => one.open = true)";

/// Nothing is cut and nothing stands outside, folded and unfolded, narrow and wide, on paper; whoever
/// prints the page gets few sheets, in colours.
#[test]
fn pages_are_whole_at_every_width_and_on_paper() {
    let Some(mut browser) = Browser::start("pages_are_whole_at_every_width_and_on_paper") else {
        return;
    };
    for case in cases() {
        let (name, page) = (case.name, case.page());
        for (width, scheme) in [(400, "light"), (1400, "dark")] {
            browser.open(&page, width, scheme);
            for state in ["folded", "unfolded"] {
                let faults = browser.evaluate(include_str!("faults.js"));
                assert_eq!(faults, serde_json::json!([]), "{name} at {width}, {state}");
                let picture = browser.picture();
                assert!(
                    picture.starts_with(b"\x89PNG") && picture.len() > 15_000,
                    "{name}: blank"
                );
                Browser::keep(&format!("{name}-{width}-{state}.png"), &picture);
                browser.evaluate(UNFOLD);
            }
        }
        // As wide as a sheet of A4 between its margins.
        browser.open(&page, 695, "dark");
        browser.media("print", "dark");
        let faults = browser.evaluate(include_str!("faults.js"));
        assert_eq!(faults, serde_json::json!([]), "{name} on paper");
        let ink = "getComputedStyle(document.body).color + getComputedStyle(document.body).printColorAdjust";
        assert_eq!(browser.evaluate(ink), "rgb(0, 0, 0)exact", "{name}");
        let paper = browser.paper();
        Browser::keep(&format!("{name}.pdf"), &paper);
        assert!(
            (1..10).contains(&pages(&paper)),
            "{name}: {} sheets",
            pages(&paper)
        );
    }
}

/// The checks see what they are for.
#[test]
fn a_page_with_faults_is_found_out() {
    let Some(mut browser) = Browser::start("a_page_with_faults_is_found_out") else {
        return;
    };
    let page = |body: &str| format!("<!DOCTYPE html><html><body>{body}</body></html>");
    let wide = "<table><tr><td style='min-width:900px'>3734</td></tr></table>";
    let region = format!("<div role='region' style='overflow:auto'>{wide}</div>");
    let plot = "<svg width='100' height='20'><text x='90' y='15'>cut in a plot</text></svg>";
    let clipped = "<p style='width:3ch;overflow:hidden;white-space:nowrap'>3734 and more</p>";
    for (body, found) in [
        (wide, "the page is"),
        (region.as_str(), "no name or focus"),
        (plot, "cut in a plot"),
        (clipped, "wider than its box"),
    ] {
        browser.open(&page(body), 400, "light");
        let faults = browser.evaluate(include_str!("faults.js")).to_string();
        assert!(faults.contains(found), "{found}: {faults}");
    }
    browser.open(&page("<p>Nothing is wrong here.</p>"), 400, "light");
    assert_eq!(
        browser.evaluate(include_str!("faults.js")),
        serde_json::json!([])
    );
}

/// Tables are as wide as the terminal, and files get them as they are.
#[test]
fn texts_fit_the_terminal() {
    let program = env!("CARGO_BIN_EXE_tiebreak");
    let plain = tiebreak(&["rank", "data/tiny"]).ok();
    let on = |columns: usize| {
        let typed = format!("stty rows 40 cols {columns}; exec '{program}' rank data/tiny --quiet");
        let output = std::process::Command::new("script")
            .args(["-qec", &typed, "/dev/null"])
            .env("NO_COLOR", "1")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).unwrap();
        Some(text.replace('\r', "")).filter(|_| output.status.success())
    };
    let Some(narrow) = on(50) else {
        crate::support::say("SKIPPED", "texts_fit_the_terminal (no script and stty)");
        return;
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest(&plain) > 100 && widest(&narrow) <= 50, "{narrow}");
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(String::from).collect();
        words.sort();
        words.dedup();
        words
    };
    assert_eq!(words(&narrow), words(&plain), "nothing is lost");
    assert_eq!(on(400).unwrap(), plain);
}
