//! `annotators`, as a person uses it.

use super::newcomer::Desk;
use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks, table_rows};
use expect_test::expect;
use std::fmt::Write as _;
use std::fs;
use tiebreak::rng::Seed;

#[test]
fn agreement_outliers_and_labels_of_the_small_set() {
    let printed = tiebreak(&["annotators", "data/tiny"]).ok();
    let (agreement, _) = printed
        .split_once("\n\nAnnotators, judgments of adequacy")
        .unwrap();
    let (_, signs) = printed.split_once("Signs of").unwrap();
    expect![[r#"
        agreement on           annotators  questions  by two or more  alpha nominal  ordinal  interval  kappa Fleiss  Cohen
        comparisons                     6       1260            1260          0.321    0.379     0.379         0.326  0.316
        judgments of adequacy           5        210             210          0.067    0.448     0.624         0.063  0.075
        judgments of fluency            5        210             210          0.047    0.384     0.799         0.048  0.064
        Coefficients are for these annotators and questions, and have no intervals.

        Annotators, comparisons
        ───────────────────────
        annotator  answers  shared  agreement      bias  noise  stands out in
        a3             516     516      0.555   0.01744      –
        a2             515     515      0.548   0.01650      –
        a1             511     511      0.602  -0.00196      –
        a6             510     510      0.539   0.06275      –
        a4             508     508      0.525   0.02953      –
        a5             495     495      0.518  -0.00606      –
        Not tested who stands out, since 6 annotators are too few to know how much annotators differ.
        […]
         careless answering
        ───────────────────────────
        No signs found. Checks: copied answers, long runs of one answer, a favoured side, speed, little agreement. Careful annotators fail one in at most 1 % of data sets (Holm's correction).
        Not checked: speed of judgments of adequacy, since no answer says how long it took.
        Not checked: speed of judgments of fluency, since no answer says how long it took.

        annotators|outliers:0.03|checks:0.01|version:8
    "#]].assert_eq(&format!("{agreement}\n[…]\n{signs}"));
    let json = tiebreak(&["annotators", "data/tiny", "--json"]).json();
    assert_eq!(json["agreement"].as_array().unwrap().len(), 3);
    for one in json["agreement"].as_array().unwrap() {
        let alpha = one["alpha_ordinal"].as_f64().unwrap();
        assert!(alpha > 0.0 && alpha < 1.0, "{one}");
    }
    let one = tiebreak(&["annotators data/tiny --criterion fluency --json"]).json();
    assert_eq!(one["agreement"], serde_json::json!([json["agreement"][2]]));
}

/// A folder with comparisons in `data`, in which one annotator of twelve always takes the first side.
fn with_a_careless_one() -> Desk {
    let mut rows = String::from("item,system_a,system_b,outcome,annotator\n");
    for item in 0..90 {
        let best = if item % 3 == 0 { "y" } else { "x" };
        let (a, b) = if item % 2 == 0 {
            ("x", "y")
        } else {
            ("y", "x")
        };
        for annotator in 0..12 {
            let noisy = (item * 7 + annotator * 13) % (9 + annotator) == 0;
            let outcome = annotator == 5 || (a == best) != noisy;
            writeln!(rows, "{item},{a},{b},{},p{annotator}", u8::from(outcome)).unwrap();
        }
    }
    data("comparisons", &rows)
}

/// A folder with one table in `data`.
fn data(table: &str, rows: &str) -> Desk {
    let desk = Desk::empty();
    fs::create_dir(desk.path("data")).unwrap();
    desk.file(&format!("data/{table}.csv"), rows);
    desk
}

#[test]
fn the_careless_are_named_and_labels_do_without_them() {
    let desk = with_a_careless_one();
    let json = desk
        .run("annotators data --labels dawid-skene --out labelled --json")
        .json();
    for one in json["annotators"].as_array().unwrap() {
        let careless = one["annotator"] == "p5";
        let stands_out = one["outlier"] == serde_json::json!(["agreement", "bias"]);
        assert_eq!(stands_out, careless, "{one}");
        assert_eq!(one["accuracy"].as_f64().unwrap() < 0.7, careless, "{one}");
    }
    // How far one must be from the others is said, since with few annotators hardly anybody is.
    let reach = json["agreement"][0]["outlier_reach"].as_f64().unwrap();
    let said = desk.run("annotators data").ok();
    assert_contains(
        &said,
        &[&format!("It takes a distance of {reach:.1} spreads")],
    );
    // The folder is a data set: other commands read its labels.
    assert_contains(
        &desk.run("check labelled").ok(),
        &["not read: annotators.csv"],
    );
    let ranking = desk.run("rank labelled --json").json();
    assert_eq!(ranking["strengths"][0]["system"], "x");
    let labels = fs::read_to_string(desk.path("labelled/comparisons.csv")).unwrap();
    assert!(labels.starts_with("item,system_a,system_b,outcome,annotator,probability\n0,x,y,0"));
    assert_eq!(labels.lines().count(), 91);
    let beside = fs::read_to_string(desk.path("labelled/annotators.agreement.json")).unwrap();
    assert_contains(&beside, &["\"alpha_nominal\"", "\"pairs\""]);
}

/// Four rate so many items; one always gives the same score, and the others hardly vary or do.
fn with_a_constant_one(items: u32, varied: bool) -> Desk {
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for item in 0..items {
        for annotator in 0..4 {
            let score = match varied && annotator > 0 {
                true => 1 + (item * 7 + item / 3 + u32::from(item % 4 == annotator)) % 5,
                false => 4 + u32::from(annotator > 0 && item == 3),
            };
            writeln!(rows, "{item},s,quality,{score},p{annotator}").unwrap();
        }
    }
    data("judgments", &rows)
}

#[test]
fn who_gives_one_score_throughout_is_named_where_others_vary() {
    let signs = |items, varied| {
        let printed = with_a_constant_one(items, varied)
            .run("annotators data")
            .ok();
        let (_, signs) = printed.split_once("Signs of").unwrap();
        signs.to_string()
    };
    assert_contains(
        &signs(80, true),
        &["p0         judgments of quality  runs", "1 sign found"],
    );
    let few = "Not conclusive for judgments of quality: p0 gave one answer throughout, and more answers would tell.";
    assert_contains(&signs(25, true), &["No signs found", few]);
    for items in [25, 80] {
        assert_lacks(&signs(items, false), &["p0", "throughout"]);
    }
}

#[test]
fn a_stage_and_flags_agree_and_are_reported() {
    let desk = with_a_careless_one();
    let printed = desk.run("annotators data --labels mace --out flags").ok();
    assert_contains(&printed, &["|labels:mace|"]);
    let stage = |keys: &str| {
        desk.file(
            "p.toml",
            &format!("data = 'data'\n[[annotators]]\n{keys}\n"),
        );
    };
    stage("labels = \"mace\"");
    desk.run("run p.toml --out run").ok();
    let same =
        super::tree(&desk.path("run/annotators/annotators")) == super::tree(&desk.path("flags"));
    assert!(same, "a stage writes what the flags write");
    for dir in ["run", "flags"] {
        assert_contains(
            &desk.run(&format!("report {dir}")).ok(),
            &["Whether people agree"],
        );
        let page = fs::read_to_string(desk.path(dir).join("report.html")).unwrap();
        assert_contains(&page, &["p5 stands out in agreement and bias."]);
    }
    for (keys, expected) in [
        ("labels = \"majority\"", "dawid-skene"),
        ("criterion = \"fluency\"", "fluency"),
        (
            "name = \"a\"\n[[annotators]]\nname = \"a\"",
            "are called `a`",
        ),
    ] {
        stage(keys);
        desk.run("run p.toml --out no").refused(&[expected]);
    }
}

/// Three people on 1,400 ratings; the second has the first's answers, the third a mind of her own.
fn with_a_copy() -> Desk {
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for item in 0..350 {
        for system in 0..4 {
            let one = 1 + (item * 7 + system * 3 + item / 5) % 5;
            let other = if (item + system) % 3 == 0 {
                1 + one % 5
            } else {
                one
            };
            for (annotator, score) in [("ana", one), ("ben", one), ("carl", other)] {
                writeln!(rows, "{item},s{system},quality,{score},{annotator}").unwrap();
            }
        }
    }
    data("judgments", &rows)
}

#[test]
fn identical_columns_are_named_and_three_are_too_few_to_stand_out() {
    let desk = with_a_copy();
    let found = desk.run("annotators data --out out --json").json();
    let findings = found["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let expected = serde_json::json!({
        "check": "copies", "annotator": "ana", "other": "ben", "human": "judgments",
        "criterion": "quality", "found": 350, "of": 350, "answers": 1400,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&findings[0][key], value, "{key}");
    }
    assert!(findings[0]["p_value"].as_f64().unwrap() < 1e-50);
    let unknown = found["not_known"].as_array().unwrap().iter();
    for check in ["outliers", "agreement"] {
        assert_eq!(
            unknown.clone().filter(|one| one["check"] == check).count(),
            1,
            "{found}"
        );
    }
    expect![[r#"
        agreement on          annotators  questions  by two or more  alpha nominal  ordinal  interval  kappa Fleiss  Cohen
        judgments of quality           3       1400            1400          0.722    0.775     0.775         0.722  0.722
        Coefficients are for these annotators and questions, and have no intervals.

        Annotators, judgments of quality
        ────────────────────────────────
        annotator  answers  shared  agreement       bias  noise  stands out in
        ana           1400    1400      0.912   0.002857  0.581
        ben           1400    1400      0.912   0.002857  0.581
        carl          1400    1400      0.662  -0.005714  1.163
        Not tested who stands out, since 3 annotators are too few to know how much annotators differ.

        Signs of careless answering
        ───────────────────────────
        annotator    answers               what    found   of  expected  by chance         costs  intervals
        ana and ben  judgments of quality  copies    350  350       0.0      2e-62  1400 answers  × 1.22

        1 sign found. Checks: copied answers, long runs of one answer, a favoured side, speed, little agreement. Careful annotators fail one in at most 1 % of data sets (Holm's correction).
        Not checked: speed of judgments of quality, since no answer says how long it took.
        Not checked: agreement of judgments of quality, since copied answers agree more than others can.

        annotators|outliers:0.03|checks:0.01|version:8
    "#]].assert_eq(&desk.run("annotators data").ok());
    desk.run("report out").ok();
    let page = fs::read_to_string(desk.path("out/report.html")).unwrap();
    assert_contains(
        &page,
        &["ana and ben gave the same answers in 350 of 350 items"],
    );
}

/// Who always gives the same answer agrees by chance: the list says so as the demand on annotators does.
#[test]
fn agreement_is_what_annotators_are_left_out_by() {
    let desk = Desk::empty();
    let mut rows = "item,system,criterion,score,annotator\n".to_string();
    for item in 0..12 {
        for (who, score) in [("ana", 1 + item % 5), ("ben", 1 + item % 5), ("cy", 5)] {
            rows += &format!("{item},a,quality,{score},{who}\n");
        }
    }
    desk.file("judgments.csv", &rows);
    let found = desk.run("annotators judgments.csv --json").json();
    let cy = found["annotators"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["annotator"] == "cy");
    assert_eq!(cy.unwrap()["agreement"], 0.0);
    let kept = desk
        .run("estimate judgments.csv --min-agreement 0.001 --json")
        .json();
    assert_eq!(kept["left_out"][0]["annotator"], "cy");
    assert_eq!(kept["left_out"][0]["found"], 0.0);
}

#[test]
fn a_side_is_a_system_where_the_order_never_changes() {
    let mut rows = String::from("item,system_a,system_b,outcome,annotator\n");
    for item in 0..100 {
        for annotator in ["p", "q", "r"] {
            writeln!(rows, "{item},x,y,{},{annotator}", u8::from(item % 7 > 0)).unwrap();
        }
    }
    let found = data("comparisons", &rows)
        .run("annotators data --json")
        .json();
    let sides = found["not_known"].as_array().unwrap().iter();
    let why: Vec<&str> = sides
        .filter(|one| one["check"] == "side")
        .map(|one| one["why"].as_str().unwrap())
        .collect();
    assert_eq!(why.len(), 1, "{found}");
    assert_contains(why[0], &["a side is a system"]);
    // Everybody said the same: of these people and questions nothing is to be told.
    assert!(found["findings"].as_array().unwrap().is_empty(), "{found}");
}

#[test]
fn sorted_rows_are_not_in_the_order_of_answering() {
    let mut rows = String::from("item,system,criterion,score,annotator\n");
    for system in 0..3 {
        for score in 1..=5 {
            for item in (0..100).filter(|item| 1 + (item * 7 + system) % 5 == score) {
                for (number, annotator) in ["p", "q", "r", "s"].iter().enumerate() {
                    let off = usize::from((item + 2 * number) % 9 == 0 && score < 5);
                    let score = score + off;
                    writeln!(rows, "{item},s{system},quality,{score},{annotator}").unwrap();
                }
            }
        }
    }
    let found = data("judgments", &rows)
        .run("annotators data --json")
        .json();
    assert!(found["findings"].as_array().unwrap().is_empty(), "{found}");
    let mut unknown = found["not_known"].as_array().unwrap().iter();
    assert!(unknown.any(|one| one["check"] == "runs"), "{found}");
}

#[test]
fn rows_in_any_order_and_answers_given_twice() {
    let rows = "1,a,f,3,p 1,a,f,4,q 1,b,f,5,p 1,b,f,5,q 1,b,f,4,q 2,a,f,1,p 2,a,f,2,r 2,b,f,2,";
    let rows: Vec<&str> = rows.split(' ').collect();
    let [one, other] = [[0, 1, 2, 3, 4, 5, 6, 7], [7, 4, 6, 2, 1, 3, 0, 5]].map(|order| {
        let lines: String = order.map(|at| rows[at].to_string() + "\n").concat();
        data(
            "judgments",
            &format!("item,system,criterion,score,annotator\n{lines}"),
        )
    });
    let run = |desk: &Desk| desk.run("annotators data --json").json();
    assert_eq!(run(&one), run(&other));
    let agreement = &run(&one)["agreement"][0];
    let expected = [
        ("annotators", 3),
        ("questions", 4),
        ("shared", 3),
        ("answers", 7),
        ("repeated", 1),
        ("unknown", 1),
    ];
    for (key, n) in expected {
        assert_eq!(agreement[key], n, "{key}: {agreement}");
    }
    let printed = one.run("annotators data").ok();
    expect![[r#"
        agreement on    annotators  questions  by two or more  alpha nominal  ordinal  interval  kappa Fleiss  Cohen
        judgments of f           3          4               3          0.000    0.857     0.842        -0.200  0.000
        Coefficients are for these annotators and questions, and have no intervals.
        In judgments of f, answers that repeat a question for the same annotator: 1. Their mean counts once.
        In judgments of f, answers without an annotator's name: 1."#]].assert_eq(printed.split("\n\n").next().unwrap());
}

#[test]
fn repeats_of_an_output_are_one_answer() {
    let rows = "item,system,criterion,score,annotator,repeat\n\
                1,a,f,3,p,\n1,a,f,1,,1\n1,a,f,5,,2\n1,b,f,2,p,1\n1,b,f,4,p,2\n";
    let found = data("judgments", rows).run("annotators data --json").json();
    let agreement = &found["agreement"][0];
    for (key, n) in [
        ("questions", 2),
        ("answers", 3),
        ("repeated", 0),
        ("unknown", 1),
    ] {
        assert_eq!(agreement[key], n, "{key}: {agreement}");
    }
}

#[test]
fn one_annotator_no_overlap_and_all_ties_are_results() {
    for (rows, note) in [
        ("1,a,b,1,p\n2,a,b,0,p\n", true),
        ("1,a,b,1,p\n2,a,b,0,q\n", true),
        (
            "1,a,b,0.5,p\n1,a,b,0.5,q\n2,a,b,0.5,p\n2,a,b,0.5,q\n",
            false,
        ),
    ] {
        let table = format!("item,system_a,system_b,outcome,annotator\n{rows}");
        let desk = data("comparisons", &table);
        let printed = desk
            .run("annotators data --labels dawid-skene --out out")
            .ok();
        let said = printed.contains("is unknown: no question has answers by two annotators");
        assert_eq!(said, note, "{rows}: {printed}");
        assert_contains(&printed, &["Not tested who stands out"]);
        assert_lacks(&printed, &["NaN"]);
    }
}

/// What is typed, and what is said.
const REFUSED: &str = "
annotators outputs.csv | judgments or comparisons
annotators nobody.csv | no answer has an annotator's name
annotators fine.csv --criterion flency | did you mean `fluency`
annotators fine.csv --labels dawid-skene | --out
annotators fine.csv --labels majority --out out | dawid-skene
annotators short.csv --labels dawid-skene --out out.csv | --out DIR
annotators fine.csv --labels dawid-skene --out out | short scales
";

#[test]
fn mistakes_say_what_to_do() {
    let desk = Desk::empty();
    desk.file("outputs.csv", "item,system,output\n1,a,x\n");
    desk.file("nobody.csv", "item,system,criterion,score\n1,a,f,3\n");
    for (name, most) in [("fine", 30), ("short", 5)] {
        let row = |i: u32| format!("{i},a,fluency,{},p\n", i % most);
        let rows: String = (0..30).map(row).collect();
        let header = "item,system,criterion,score,annotator";
        desk.file(&format!("{name}.csv"), &format!("{header}\n{rows}"));
    }
    for [line, expected] in table_rows(REFUSED) {
        desk.run(line).refused(&[expected]);
    }
}

/// Rankings of five of ten systems as WMT writes them, by eight people who agree on which system is better; everybody
/// takes `seconds` a pair. The first three say of every pair that the first is better.
fn with_rankings(seconds: f64) -> Desk {
    let mut rows = String::from("item,system_a,system_b,outcome,annotator,ranking_id,seconds\n");
    let mut outputs = String::from("item,system,output\n");
    for item in 0..240 {
        for system in 0..10 {
            let text = "word ".repeat(12 + (item * 3 + system) % 9);
            writeln!(outputs, "i{item},s{system},{text}{system}").unwrap();
        }
        let annotator = item % 8;
        let shown: Vec<usize> = (0..5)
            .map(|place| (item * 7 + place * (1 + 2 * (item / 8 % 2))) % 10)
            .collect();
        let felt = |system: usize| (system * 10 + (item * 13 + system * 29) % 37) % 60;
        for (at, &a) in shown.iter().enumerate() {
            for &b in &shown[at + 1..] {
                let outcome = i32::from(annotator < 3 || felt(a) > felt(b));
                writeln!(
                    rows,
                    "i{item},s{a},s{b},{outcome},j{annotator},{item},{seconds}"
                )
                .unwrap();
            }
        }
    }
    let desk = data("comparisons", &rows);
    desk.file("data/outputs.csv", &outputs);
    desk
}

/// Everybody clicks through: no one is left to be compared with, and what acting on it costs is said.
#[test]
fn all_who_click_through_are_named_unless_the_clock_is_coarse() {
    let found = |seconds: f64| {
        let desk = with_rankings(seconds);
        let printed = desk.run("annotators data").ok();
        (printed, desk.run("annotators data --json").json())
    };
    let fast = |json: &serde_json::Value| {
        let all = json["findings"].as_array().unwrap().iter();
        all.filter(|one| one["check"] == "speed").count()
    };
    let (printed, json) = found(0.3);
    assert_eq!(fast(&json), 8, "{json}");
    let speed = json["findings"].as_array().unwrap().iter();
    for one in speed.filter(|one| one["check"] == "speed") {
        let cost = ["found", "of", "answers"].map(|key| one[key].as_u64().unwrap());
        assert_eq!(cost, [30, 30, 300], "{one}");
        assert_eq!(one["share"], 0.125);
        assert!((one["wider"].as_f64().unwrap() - (8.0_f64 / 7.0).sqrt()).abs() < 1e-12);
    }
    assert_contains(
        &printed,
        &[
            "check that `seconds` holds seconds",
            "300 answers",
            "× 1.07",
        ],
    );
    let (printed, json) = found(0.0);
    assert_eq!(fast(&json), 0, "{json}");
    assert_contains(
        &printed,
        &["Not checked: speed of comparisons, since most times are too short"],
    );
    assert_eq!(fast(&found(9.5).1), 0);
}

/// Who always prefers the first output is found on few items, and on too few it is said that nobody looked.
#[test]
fn a_favoured_side_shows_on_few_items_and_too_few_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let said = |items: usize| {
        let mut rng = Seed(7).stream("sides", items as u64);
        let mut rows = "item,system_a,system_b,outcome,annotator\n".to_string();
        for item in 0..items {
            for who in ["ana", "ben", "cy", "lazy"] {
                for (a, b) in [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)] {
                    let (a, b) = if rng.bernoulli(0.5) { (a, b) } else { (b, a) };
                    let outcome = match who {
                        "lazy" => 1,
                        _ => usize::from((a < b) == rng.bernoulli(0.7)),
                    };
                    rows += &format!("{item},s{a},s{b},{outcome},{who}\n");
                }
            }
        }
        let data = folder.path().join(format!("of-{items}"));
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("comparisons.csv"), rows).unwrap();
        tiebreak(&["annotators", text(&data)]).ok()
    };
    assert_contains(&said(15), &["lazy", "side", "1 sign found"]);
    assert_contains(
        &said(9),
        &[
            "Not checked for comparisons: ana, ben, cy and 1 more answered about fewer than 10 items.",
        ],
    );
}

/// Scores with hundreds of values would take a probability for each in every row.
#[test]
fn runs_of_scores_with_many_values_are_not_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = "item,system,criterion,score,annotator\n".to_string();
    for at in 0..900 {
        let who = ["ana", "ben", "cy"][at % 3];
        let _ = writeln!(rows, "{},s,quality,0.{:03},{who}", at / 3, at * 7 % 900);
    }
    fs::write(folder.path().join("judgments.csv"), rows).unwrap();
    let said = tiebreak(&["annotators", text(folder.path())]).ok();
    assert_contains(
        &said,
        &[
            "Not checked: runs of judgments of quality, since some gave more than 250 different answers.",
        ],
    );
}
