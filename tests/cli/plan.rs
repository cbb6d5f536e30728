//! `plan`: from the scale, from numbers, from a pilot; and mistakes.

use super::newcomer::Desk;
use super::{score_with_chrf, text, tiebreak};
use crate::support::table_rows;
use expect_test::expect;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use tiebreak::rng::Seed;

fn plan(arguments: &[&str]) -> Value {
    tiebreak(&[&["plan"], arguments, &["--json"]].concat()).json()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn the_scale_alone_gives_the_worst_case() {
    let told = tiebreak(&["plan", "--width", "0.1", "--range", "0,1"]).ok();
    // (2 · 1.96 · 0.5/0.1)² = 384.1, with what an exact interval adds 402.
    expect![[r#"
        For a 95 % interval of one system's mean no wider than 0.1 (in four studies of five).
        These annotators: 402 items, each output judged once.

        judgments of each output  items  judgments of each system
        1                           402                       402
        2                           402                       804
        3                           402                      1206
        5                           402                      2010

        Variances: outputs vary by 0.2500 (σ_f²), judgments of one output by 0 (σ_a²).
    "#]]
    .assert_eq(&told);
    let planned = plan(&["--width", "10", "--range", "0,100", "--repeats", "2"]);
    assert_eq!(
        (number(&planned["items"]), number(&planned["judgments"])),
        (388, 776)
    );
    assert_eq!(
        number(&planned["annotators"]),
        2,
        "nobody judges an output twice"
    );
    assert!(planned["new_annotators"].is_null() && planned["detectable"].is_null());
    let worst = plan(&["--difference", "20", "--range", "0,100"]);
    assert!(number(&worst["items"]) > 190 && worst["detectable"].as_f64() <= Some(20.0));
}

#[test]
fn a_pilot_plans_as_its_numbers_do() {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("chrf.csv");
    score_with_chrf(&scores);
    let pilot = ["data/tiny", "--criterion", "adequacy", "--width", "5"];
    let alone = plan(&pilot);
    let with = ["--scores", text(&scores), "--metric", "chrf"];
    let helped = plan(&[&pilot[..], &with].concat());
    assert_eq!(alone["prospect"]["rho"], 0.0);
    assert!(number(&helped["items"]) < number(&alone["items"]));
    let designs = helped["designs"].as_array().unwrap();
    let judgments: Vec<u64> = designs
        .iter()
        .map(|one| number(&one["judgments"]))
        .collect();
    assert!(
        judgments.is_sorted(),
        "one each takes fewest: {judgments:?}"
    );
    let items: Vec<u64> = designs.iter().map(|one| number(&one["items"])).collect();
    assert!(items.iter().rev().is_sorted(), "{items:?}");
    // Numbers that are sure take a little less than those of a pilot.
    let of = |name: &str| helped["prospect"][name].to_string();
    let [signal, noise, rho] = ["signal", "noise", "rho"].map(of);
    let given = plan(&[
        "--width 5 --signal",
        &signal,
        "--noise",
        &noise,
        "--rho",
        &rho,
    ]);
    let share = number(&given["items"]) as f64 / number(&helped["items"]) as f64;
    assert!(share > 0.6 && share <= 1.0, "{share}");
}

/// Judgments of two systems by so many annotators, who differ much.
fn judged(path: &Path, annotators: usize) {
    let mut table = "item,system,criterion,score,annotator\n".to_string();
    for item in 0..60_usize {
        for (system, better) in [("a", 0), ("b", 3)] {
            let by = (item + system.len()) % annotators;
            let score =
                40 + better + 7 * (item % 5) + 9 * (by * by % 7) + (item * 13 + better) % 11;
            writeln!(table, "{item},{system},quality,{score},p{by}").unwrap();
        }
    }
    std::fs::write(path, table).unwrap();
}

#[test]
fn new_annotators_take_new_annotators() {
    let desk = Desk::empty();
    judged(&desk.path("judgments.csv"), 5);
    let wished = "plan judgments.csv --criterion quality --width 6 --quiet";
    let both = desk.run(&format!("{wished} --people both --json")).json();
    let enough = number(&both["new_annotators"]["annotators"]);
    assert!(enough > 5 && number(&both["annotators"]) == 5);
    let brief = |more: &str| {
        let told = desk.run(format!("{wished} {more}").trim_end()).ok();
        told.split("\n\n").next().unwrap().to_string()
    };
    let told = [
        brief(""),
        brief("--people both"),
        brief(&format!("--people both --annotators {}", 2 * enough)),
        brief("--people new-annotators"),
    ];
    expect![[r#"
        For a 95 % interval of one system's mean no wider than 6 (in four studies of five).
        These annotators: 10 items, each output judged once, by 5 annotators.
        5 annotators are too few to say what others would answer.

        For a 95 % interval of one system's mean no wider than 6 (in four studies of five).
        These annotators: 10 items, each output judged once, by 5 annotators.
        New annotators: cannot be had with 5 annotators, with about 278 it can: 17 items, each output judged once, by 278 annotators.

        For a 95 % interval of one system's mean no wider than 6 (in four studies of five).
        These annotators: 10 items, each output judged once, by 556 annotators.
        New annotators: 12 items, each output judged once, by 556 annotators.

        For a 95 % interval of one system's mean no wider than 6 (in four studies of five).
        New annotators: cannot be had with 5 annotators, with about 278 it can: 17 items, each output judged once, by 278 annotators.
        These annotators: 10 items, each output judged once, by 5 annotators."#]]
    .assert_eq(&told.join("\n\n"));
}

#[test]
fn a_difference_is_planned_with_the_power_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("judgments.csv");
    judged(&data, 2);
    let wished = [text(&data), "--criterion", "quality", "--difference", "2"];
    let planned = |power: &str| plan(&[&wished[..], &["--power", power]].concat());
    let (usual, high) = (planned("0.8"), planned("0.95"));
    assert_eq!(usual["items"], plan(&wished)["items"], "0.8 is the default");
    assert!(number(&high["items"]) > number(&usual["items"]));
    let detectable = usual["detectable"].as_f64().unwrap();
    assert!(detectable <= 2.0 && detectable > 1.7, "{detectable}");
    let told = tiebreak(&[&["plan"], &wished[..]].concat()).ok();
    expect![[r#"
        To find a difference of 2 between two systems with probability 0.8 (95 % confidence).
        These annotators: 50 items, each output judged once, by 2 annotators.
        2 annotators are too few to say what others would answer.

        judgments of each output  items      judgments of each system
        1                         50         50
        2                         not known  no output was judged more than once
        3                         not known  no output was judged more than once
        5                         not known  no output was judged more than once

        With more than 2 judgments of an output, further annotators are needed.

        Variances: differences of outputs vary by 24.48 with single judgments (no output was judged more than once), annotators by 0 (σ_t²).
    "#]].assert_eq(&told);
}

/// What one output's repeats vary by counts in a plan of single judgments, whether or not they are called repeats.
#[test]
fn a_pilot_with_repeats_plans_for_single_judgments() {
    let mut rng = Seed(2).stream("repeats", 0);
    let header = "item,system,criterion,score";
    let (mut called, mut plain) = (format!("{header},repeat\n"), format!("{header}\n"));
    for (item, (system, p)) in (0..30).flat_map(|item| [(item, ("a", 0.6)), (item, ("b", 0.4))]) {
        let is_easy = (item >> usize::from(system == "b")) % 2 == 0;
        let shift = if is_easy { 0.25 } else { -0.25 };
        for repeat in 0..4 {
            let row = format!("{item},{system},q,{}", u8::from(rng.bernoulli(p + shift)));
            writeln!(called, "{row},{repeat}").unwrap();
            writeln!(plain, "{row}").unwrap();
        }
    }
    let desk = Desk::empty();
    desk.file("called.csv", &called);
    desk.file("plain.csv", &plain);
    // (2 · 1.96 · √0.24/0.2)² = 92, and an exact interval takes more; 2 · 0.24 · (1.96 + 0.84)²/0.2² = 94.
    for (wish, least, most) in [("--width 0.2", 90, 170), ("--difference 0.2", 66, 150)] {
        let planned = |file: &str| {
            let line = format!("plan {file} --criterion q {wish} --repeats 1 --json --quiet");
            desk.run(&line).json()
        };
        let found = planned("called.csv");
        assert_eq!(found, planned("plain.csv"), "{wish}");
        let (items, noise) = (number(&found["items"]), &found["prospect"]["noise"]);
        assert!((least..=most).contains(&items), "{wish}: {found}");
        // Within an output p(1 − p), a mean of 0.1775; of two outputs twice that.
        let expected = if wish.contains("width") {
            0.1775
        } else {
            0.355
        };
        assert!(
            (noise.as_f64().unwrap() / expected - 1.0).abs() < 0.25,
            "{found}"
        );
    }
}

/// Two systems of a scale from 0 to 100 on so many items, whose differences vary little.
fn close(path: &Path, items: usize) {
    let mut table = "item,system,criterion,score\n".to_string();
    for item in 0..items {
        for (system, better) in [("a", 0.0), ("b", 1.0 + (item % 3) as f64)] {
            writeln!(
                table,
                "{item},{system},quality,{}",
                40.0 + 3.0 * (item % 9) as f64 + better
            )
            .unwrap();
        }
    }
    std::fs::write(path, table).unwrap();
}

/// On a known scale items that nobody judged could hide a difference: as many items as a test of it takes.
#[test]
fn a_difference_on_a_known_scale_takes_as_many_items_as_its_test() {
    let desk = Desk::empty();
    close(&desk.path("judgments.csv"), 60);
    for (confidence, least) in [("0.95", 100), ("0.99", 200)] {
        let how =
            format!("judgments.csv --criterion quality --confidence {confidence} --quiet --json");
        let planned = |range: &str| {
            let line = format!("plan {how} --difference 2{range}");
            number(&desk.run(&line).json()["items"])
        };
        let range = " --range 0,100";
        let test = desk
            .run(&format!("estimate {how} --differences{range}"))
            .json();
        let test = &test["differences"][0];
        assert_eq!(
            (test["difference"].as_f64(), test["significant"].as_bool()),
            (Some(-2.0), Some(false))
        );
        let needed = 60.0 * test["needed_times"].as_f64().unwrap();
        let items = planned(range);
        assert!(
            items > least && (items as f64 / needed - 1.0).abs() < 0.03,
            "{items} {needed}"
        );
        assert!(planned("") < 10);
    }
    // Nobody can tell apart what the scale does not allow.
    desk.run("plan judgments.csv --criterion quality --difference 101 --range 0,100")
        .refused(&["differ by 100 at most"]);
}

/// The report knows two means, and names as many judgments as the test of their difference takes.
#[test]
fn a_report_without_tests_says_what_a_plan_does() {
    let desk = Desk::empty();
    close(&desk.path("judgments.csv"), 60);
    desk.run("estimate judgments.csv --range 0,100 --out out --quiet")
        .ok();
    let told = desk.run("report out").ok();
    let said = told
        .split("About ")
        .nth(1)
        .unwrap_or_else(|| panic!("{told}"));
    let said: f64 = said.split(' ').next().unwrap().parse().unwrap();
    assert!(said > 180.0, "{said}");
}

#[test]
fn mistakes_are_told() {
    for [line, says] in table_rows(
        "--width 1                                       | nothing to plan from
         --range 0,1                                     | --width
         --width 0 --range 0,1                           | a number above 0
         --width 1 --range 1,0                           | LO below HI
         --width 1 --difference 1 --range 0,1            | cannot be used with
         --width 1 --range 0,1 --items these             | those of a pilot
         --width 1 --range 0,1 --people those            | new-annotators
         --width 1 --signal 1                            | --noise
         --width 1 --signal -1 --noise 1                 | not below 0
         --width 1 --signal 1 --noise 1 --rho 2          | from -1 to 1
         --width 1 data/tiny                             | --criterion
         --width 1 data/tiny --criterion adequacy --range 0,10 | outside the given range
         --width 1 data/tiny --criterion adequcy         | did you mean `adequacy`?
         --width 1e-12 --range 0,1                       | larger --width",
    ) {
        let words: Vec<&str> = line.split(' ').collect();
        tiebreak(&[&["plan"], &words[..]].concat()).refused(&[says]);
    }
}

/// Twenty documents of five items each, whose scores and differences they share.
fn documents(desk: &Path) {
    let data = desk.join("documents");
    std::fs::create_dir(&data).unwrap();
    let mut rng = Seed(7).stream("documents", 0);
    let mut items = "item,source,document\n".to_string();
    let mut rows = "item,system,criterion,score,annotator\n".to_string();
    for document in 0..20 {
        let (level, ahead) = (3.0 + 0.8 * rng.normal(), 0.1 + 0.5 * rng.normal());
        for item in 0..5 {
            writeln!(items, "d{document}i{item},,d{document}").unwrap();
            let own = level + 0.3 * rng.normal();
            for (system, shift) in [("a", ahead), ("b", 0.0)] {
                let score = own + shift + 0.3 * rng.normal();
                writeln!(rows, "d{document}i{item},{system},quality,{score},ana").unwrap();
            }
        }
    }
    std::fs::write(data.join("items.csv"), items).unwrap();
    std::fs::write(data.join("judgments.csv"), rows).unwrap();
}

/// What items of one document share is no reason to plan for fewer of them.
#[test]
fn items_of_one_document_count_as_one() {
    let folder = tempfile::tempdir().unwrap();
    documents(folder.path());
    let data = folder.path().join("documents");
    let with = |flags: &str| {
        let flags: Vec<&str> = flags.split_whitespace().collect();
        plan(&[&[text(&data)], &flags[..]].concat())
    };
    for (goal, least) in [("--width 0.5", 1.2), ("--difference 0.3", 1.2)] {
        let alone = with(goal);
        let clustered = with(&format!("{goal} --cluster document"));
        assert!(alone["clusters"].is_null() && clustered["clusters"] == "document");
        let judgments = |plan: &Value, k: usize| number(&plan["designs"][k]["judgments"]);
        // One judgment of each document takes as many as items that nothing joins, which the pilot's items are not: several
        // of each help hardly.
        assert!(judgments(&clustered, 3) as f64 > least * judgments(&alone, 0) as f64);
        assert!(number(&clustered["designs"][3]["items"]) > number(&alone["items"]) / 2);
    }
    let told = tiebreak(&[
        "plan",
        text(&data),
        "--width",
        "0.5",
        "--cluster",
        "document",
    ])
    .ok();
    for part in [
        "values of `document`, each judged once, by 1 annotator",
        "100 judged items have 20 different values of `document`. Items with the same value count as one",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let hint = tiebreak(&["plan", text(&data), "--width", "0.5"]).ok();
    assert!(
        hint.contains("`--cluster document` counts them as one"),
        "{hint}"
    );
    for (flags, part) in [
        ("--items these --cluster document", "clusters do not matter"),
        ("--cluster nothing", "nothing"),
    ] {
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let run = tiebreak(&[&["plan", text(&data), "--width", "0.5"], &flags[..]].concat());
        assert!(
            run.code == Some(2) && run.stderr.contains(part),
            "{}",
            run.stderr
        );
    }
    let run = tiebreak(&[
        "plan",
        "--range",
        "0,1",
        "--width",
        "0.5",
        "--cluster",
        "document",
    ]);
    assert!(
        run.code == Some(2) && run.stderr.contains("give DATA"),
        "{}",
        run.stderr
    );
}
