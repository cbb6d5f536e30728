//! `estimate` beyond one mean per system: several metrics, strata, probabilities, differences, stopping.

use super::newcomer::Desk;
use super::{here, tree};
use crate::support::{assert_contains, assert_lacks, table_rows};
use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

fn run(desk: &Desk, more: &str) -> Value {
    let line = format!("estimate mine --criterion adequacy {more} --json");
    desk.run(&line).json()
}

fn rows<'a>(document: &'a Value, name: &str) -> &'a Vec<Value> {
    document[name].as_array().unwrap()
}

/// What is asked besides a criterion, and what is said.
const REFUSED: &str = "
--range 0,100 --estimator betting --differences | such as mean or regression
--range -5,-9 | LO below HI
--range 0,100 --estimator betting:anytime=true --stop width=0 | width=W with W above 0
--range 0,100 --estimator betting:anytime=true --stop soon | cannot stop at `soon`
--range 0,100 --estimator betting:anytime=true --stop relative=2 | relative=2
--estimator mean --stop width=9 | betting:anytime=true
--estimator betting | --range LO,HI
--estimator active | --probabilities: active needs
--estimator mean --probabilities zero.csv | --probabilities: the estimator mean uses no probabilities && --estimator active
--estimator mean --strata few.csv | --strata: the estimator mean uses no strata && --estimator stratified
--strata few.csv --probabilities zero.csv | --strata: the estimator active uses no strata && leave out --strata or
--strata few.csv --probabilities zero.csv --estimator stratified | --probabilities: the estimator stratified uses no
--strata few.csv --scores scores.csv --metric chrf | --metric: the estimator stratified uses no metric together with strata
--scores scores.csv --metric chrf --estimator mean | --metric: the estimator mean uses no metric && control-variates
--scores scores.csv --metric chrf --range 0,100 --estimator betting | --metric: the estimator betting uses no metric
--estimator stratified | --strata
--estimator active --probabilities zero.csv | zero.csv:4: probability is 0
--estimator stratified --strata few.csv | no stratum of system
--estimator stratified --strata twice.csv | twice.csv:3: a second row
--estimator stratified --strata nowhere.csv | item `nowhere` is not in the data set
";

#[test]
fn what_an_estimate_cannot_do_is_refused() {
    let desk = Desk::new();
    let halves = |item: &str| if item == "item-03" { "0" } else { "0.5" }.to_string();
    mark(&desk, "zero.csv", "probability", |_, item| halves(item));
    desk.file("few.csv", "item,stratum\nitem-01,a\n");
    desk.file("twice.csv", "item,stratum\nitem-01,a\nitem-01,b\n");
    desk.file("nowhere.csv", "item,stratum\nnowhere,a\n");
    desk.run("score mine --metric chrf --out scores.csv").ok();
    for [more, says] in table_rows(REFUSED) {
        let line = format!("estimate mine --criterion adequacy {more}");
        let says: Vec<&str> = says.split(" && ").collect();
        desk.run(&line).refused(&says);
    }
    // Without a file of strata, the metric makes them.
    let by_metric = "--scores scores.csv --metric chrf --estimator stratified";
    assert_eq!(rows(&run(&desk, by_metric), "estimates").len(), 7);
}

#[test]
fn several_metrics_serve_one_estimate_or_one_each() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf,bleu --out scores.csv")
        .ok();
    let with = "--scores scores.csv --metric chrf --metric bleu --estimator";
    let together = run(&desk, &format!("{with} regression"));
    assert_eq!(rows(&together, "estimates").len(), 7);
    for row in rows(&together, "estimates") {
        assert_eq!(row["metric"], "chrf+bleu");
        assert!(
            row["alpha"].is_null() && row["correlation"].is_null(),
            "{row}"
        );
        assert!(row["lower"].as_f64().unwrap() < row["upper"].as_f64().unwrap());
    }
    let apart = run(&desk, &format!("{with} control-variates"));
    let metrics = rows(&apart, "estimates").iter().map(|row| &row["metric"]);
    let metrics: Vec<&Value> = metrics.collect();
    assert_eq!(metrics.len(), 14);
    assert!(metrics[0] == "chrf" && metrics[13] == "bleu");
}

/// Means take what was judged as chosen by chance: where the metric chose, that is said.
#[test]
fn outputs_that_the_metric_chose_to_be_judged_are_noticed() {
    let desk = Desk::empty();
    let written = |chosen: fn(u32) -> bool| {
        let (mut outputs, mut judgments) = (
            String::from("item,system,output\n"),
            String::from("item,system,criterion,score\n"),
        );
        for item in 0..200_u32 {
            let words = (item * 37) % 100;
            writeln!(outputs, "{item},a,{}", "word ".repeat(words as usize + 1)).unwrap();
            if chosen(words) {
                writeln!(
                    judgments,
                    "{item},a,adequacy,{}",
                    u32::midpoint(words, item % 7)
                )
                .unwrap();
            }
        }
        fs::create_dir_all(desk.path("mine")).unwrap();
        desk.file("mine/outputs.csv", &outputs);
        desk.file("mine/judgments.csv", &judgments);
        desk.run("score mine --metric length --out scores.csv --force")
            .ok();
    };
    let said = |more: &str| {
        desk.run(&format!(
            "estimate mine --criterion adequacy --metric length{more} --scores scores.csv"
        ))
        .ok()
    };
    let noticed = "have other metric scores than the rest, beyond chance";
    written(|words| words > 60);
    assert_contains(
        &said(""),
        &["outputs of a that were judged under adequacy", noticed],
    );
    assert_lacks(&said(" --estimator regression"), &[noticed]);
    written(|words| words % 3 == 0);
    assert_lacks(&said(""), &[noticed]);
}

/// What is computed of scores and answers needs no texts.
#[test]
fn scores_stand_for_outputs_that_are_not_there() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out scores.csv").ok();
    std::fs::create_dir(desk.path("answers")).unwrap();
    for entry in std::fs::read_dir(desk.path("mine")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if ["judgments.jsonl", "comparisons.jsonl", "dataset.toml"].contains(&&*name) {
            let [from, to] = ["mine", "answers"].map(|folder| desk.path(folder).join(&name));
            std::fs::copy(from, to).unwrap();
        }
    }
    for how in [
        "estimate DATA --criterion adequacy --scores scores.csv --metric chrf --json",
        "correlate DATA --scores scores.csv --metric chrf --resamples 100 --json",
    ] {
        let found = ["mine", "answers"].map(|data| desk.run(&how.replace("DATA", data)).json());
        assert_eq!(found[0], found[1], "{how}");
    }
}

/// On 58 of 60 items the same three people give the same scores in another order, and each system wins one item. The
/// metric scores one system's outputs alone by their items.
#[test]
fn wins_count_judgments_as_they_were_given() {
    let desk = Desk::new();
    let mut outputs = "item,system,output\n".to_string();
    let mut judgments = "item,system,criterion,score,annotator\n".to_string();
    let mut scores = "item,system,metric,score\n".to_string();
    for item in 0..60 {
        for (system, given) in [("a", [1, 2, 5]), ("b", [5, 2, 1])] {
            writeln!(outputs, "{item},{system},text").unwrap();
            let won = i32::from((item, system) == (7, "a") || (item, system) == (8, "b"));
            for (who, score) in ["ana", "ben", "cy"].into_iter().zip(given) {
                let score = score + won + 2 * (item % 3);
                writeln!(judgments, "{item},{system},quality,{score},{who}").unwrap();
            }
            let metric = f64::from(item % 3) + if system == "a" { 0.1 } else { 0.0 };
            writeln!(scores, "{item},{system},g,{}", metric * f64::from(item % 7)).unwrap();
        }
    }
    fs::create_dir(desk.path("tied")).unwrap();
    desk.file("tied/outputs.csv", &outputs);
    desk.file("tied/judgments.csv", &judgments);
    desk.file("scores.csv", &scores);
    for how in ["--estimator mean", "--scores scores.csv --metric g"] {
        let told = desk.run(&format!("estimate tied --differences {how} --json"));
        assert_eq!(told.json()["differences"][0]["win_rate"], 0.5, "{how}");
    }
}

#[test]
fn differences_say_which_systems_are_tied_and_lie_beside_the_table() {
    let desk = Desk::new();
    let document = run(&desk, "--estimator mean --differences --out estimates.csv");
    let pairs = rows(&document, "differences");
    assert_eq!(pairs.len(), 21);
    let means = rows(&document, "estimates");
    let mean = |system: &Value| {
        let found = means.iter().find(|row| row["system"] == *system).unwrap();
        found["estimate"].as_f64().unwrap()
    };
    for pair in pairs {
        let number = |key: &str| pair[key].as_f64().unwrap();
        let expected = mean(&pair["system_a"]) - mean(&pair["system_b"]);
        assert!((number("difference") - expected).abs() < 1e-9, "{pair}");
        assert!(number("lower") <= expected && expected <= number("upper"));
        assert!((0.0..=1.0).contains(&number("win_rate")));
        // What Holm finds, a single interval finds too.
        let zero = number("lower") <= 0.0 && number("upper") >= 0.0;
        assert!(!(zero && pair["significant"] == true), "{pair}");
    }
    // Groups are runs in which no two systems differ, and each system is in one at least.
    let mut grouped = BTreeSet::new();
    for group in rows(&document, "groups") {
        let systems = group["systems"].as_array().unwrap();
        let is_inside = |pair: &&Value| {
            ["system_a", "system_b"]
                .iter()
                .all(|side| systems.contains(&pair[*side]))
        };
        let mut inside = pairs.iter().filter(is_inside);
        assert!(inside.all(|pair| pair["significant"] == false), "{group}");
        grouped.extend(systems.iter().map(Value::to_string));
    }
    assert_eq!(grouped.len(), 7);
    let table = fs::read_to_string(desk.path("estimates.differences.csv")).unwrap();
    assert_eq!(table.lines().count(), 22);
    assert!(table.starts_with("system_a,system_b,criterion,metric,estimator,difference"));
    let told = desk
        .run("estimate mine --criterion adequacy --estimator mean --differences")
        .ok();
    let (_, differences) = told.split_once("Differences of").unwrap();
    expect![[r#"
         adequacy
        ───────────────────────
        A difference is that of two means, for these annotators (with a metric: of the outputs of this data set). "items" are those of both systems. "interval" is for one pair by itself; "corrected" and the verdicts hold for all pairs of this table together (Holm). "wins" is the share of items that the first of a pair wins, by whatever margin; a tie counts half. Of named annotators, those who judged both count. It names these items where they are fewer. It can point against the mean difference.
        systems              difference         interval        corrected          wins  items  verdict
        atlas – atlas-rerun       -2.21    [-7.85, 3.44]   [-10.65, 6.23]  60.0 % of 10     13  undecided
        atlas – birch             14.40    [7.46, 21.33]    [3.57, 25.22]  76.9 % of 13     15  differ
        atlas – cedar             -0.81    [-6.04, 4.42]    [-8.63, 7.01]  45.5 % of 11     13  undecided
        atlas – delta             -1.63    [-7.27, 4.01]   [-10.06, 6.80]   72.2 % of 9     11  undecided
        atlas – ember             24.06   [13.08, 35.03]    [6.63, 41.48]  70.8 % of 12     14  differ
        atlas – fjord             13.46    [4.09, 22.82]   [-0.54, 27.46]  77.3 % of 11     12  undecided
        atlas-rerun – birch       16.60    [9.56, 23.64]    [5.21, 28.00]  63.6 % of 11     13  differ
        atlas-rerun – cedar        1.40    [-2.65, 5.45]    [-4.65, 7.44]  66.7 % of 15     16  undecided
        atlas-rerun – delta        0.58    [-2.10, 3.25]    [-3.41, 4.56]  41.7 % of 12     14  undecided
        atlas-rerun – ember       26.26   [14.89, 37.63]    [8.07, 44.45]   77.8 % of 9     10  differ
        atlas-rerun – fjord       15.66    [6.92, 24.40]    [2.16, 29.16]  59.1 % of 11     16  differ
        birch – cedar            -15.21  [-21.35, -9.07]  [-25.26, -5.15]   9.1 % of 11     13  differ
        birch – delta            -16.03  [-23.45, -8.60]  [-27.70, -4.36]  30.0 % of 10     13  differ
        birch – ember              9.66    [0.08, 19.24]   [-4.66, 23.98]  64.3 % of 14     18  undecided
        birch – fjord             -0.94   [-11.44, 9.56]  [-16.60, 14.72]  46.4 % of 14     16  undecided
        cedar – delta             -0.82    [-5.06, 3.42]    [-7.14, 5.50]  36.7 % of 15     16  undecided
        cedar – ember             24.87   [14.66, 35.08]    [8.21, 41.52]  75.0 % of 12     15  differ
        cedar – fjord             14.27    [5.62, 22.91]    [1.20, 27.33]  79.2 % of 12     14  differ
        delta – ember             25.69   [14.63, 36.75]    [7.87, 43.50]  76.7 % of 15     18  differ
        delta – fjord             15.09    [6.23, 23.94]    [1.55, 28.62]  66.7 % of 12     13  differ
        ember – fjord            -10.60   [-23.76, 2.56]   [-30.27, 9.07]  58.3 % of 12     14  undecided
        No significant difference within: atlas-rerun, delta, cedar, atlas; atlas, fjord; fjord, birch, ember.
    "#]].assert_eq(differences);
}

#[test]
fn stopping_is_told_for_intervals_that_hold_at_any_time() {
    let desk = Desk::new();
    let stopped = |goal: &str| {
        run(
            &desk,
            &format!("--range 0,100 --estimator betting:anytime=true --stop {goal}"),
        )
    };
    let document = stopped("width=95");
    let stops = rows(&document, "stops");
    assert_eq!(stops.len(), 7);
    let reached = stops.iter().filter(|stop| stop["n"].is_u64());
    for stop in reached.clone() {
        let width = stop["upper"].as_f64().unwrap() - stop["lower"].as_f64().unwrap();
        assert!(width <= 95.0 && stop["goal"] == "width=95", "{stop}");
    }
    assert!(reached.count() > 0);
    let never = stopped("relative=0.001");
    assert!(rows(&never, "stops").iter().all(|stop| stop["n"].is_null()));
    // A range may begin below 0, which is no unknown flag.
    let wide = run(&desk, "--estimator mean --range -5,105");
    assert_eq!(rows(&wide, "estimates").len(), 7);
}

/// Writes a value for each item, by its place and its name.
fn mark(desk: &Desk, table: &str, column: &str, value: impl Fn(usize, &str) -> String) {
    let items = fs::read_to_string(desk.path("mine/items.jsonl")).unwrap();
    let lines = items.lines().enumerate().map(|(at, line)| {
        let row: Value = serde_json::from_str(line).unwrap();
        let item = row["item"].as_str().unwrap();
        format!("{item},{}\n", value(at, item))
    });
    desk.file(
        table,
        &format!("item,{column}\n{}", lines.collect::<String>()),
    );
}

#[test]
fn strata_and_probabilities_come_from_tables() {
    let desk = Desk::new();
    let stratified = || run(&desk, "--strata marks.csv --estimator stratified");
    mark(&desk, "marks.csv", "stratum", |at, _| {
        u8::from(at < 30).to_string()
    });
    let document = stratified();
    assert_eq!(rows(&document, "estimates").len(), 7);
    mark(&desk, "marks.csv", "stratum", |at, _| (at % 2).to_string());
    assert_ne!(stratified(), document);
    mark(&desk, "marks.csv", "probability", |_, _| "0.5".to_string());
    let active = run(&desk, "--probabilities marks.csv --estimator active");
    for row in rows(&active, "estimates") {
        assert!(row["estimate"].is_f64() && row["lower"].is_f64(), "{row}");
    }
}

#[test]
fn items_that_were_judged_more_often_weigh_more_and_that_is_said() {
    let desk = Desk::empty();
    let told = |often: usize| {
        let mut table = "item,system,criterion,score\n".to_string();
        for (item, system) in (0..60).flat_map(|item| [(item, "a"), (item, "b")]) {
            for at in 0..if item < 10 { often } else { 1 } {
                writeln!(table, "{item},{system},q,{}", (item + at) % 5).unwrap();
            }
        }
        desk.file("j.csv", &table);
        desk.run("estimate j.csv --differences --range 0,4").ok()
    };
    let says = "Items with more judgments weigh more under q";
    let which = "for b, 10 of 60 items have 67 % of the judgments";
    let uneven = told(10);
    assert!(
        uneven.contains(&format!(
            "{says}: {which}. In a gate all items weigh the same."
        )),
        "{uneven}"
    );
    assert_eq!(uneven.matches(says).count(), 1, "{uneven}");
    let gate = desk.run("gate j.csv --base a --new b --range 0,4").ok();
    assert!(gate.contains(&format!("those with more judgments more: {which}.")));
    assert!(!told(2).contains(says));
}

#[test]
fn more_items_are_asked_for_where_judgments_are_means_of_repeats() {
    let desk = Desk::empty();
    let needed = |annotator: &str| {
        let mut table = "item,system,criterion,score,annotator\n".to_string();
        for (item, at) in (0..60).flat_map(|item| (0..5).map(move |at| (item, at))) {
            writeln!(table, "{item},a,q,{},{annotator}", 1 + (item + at % 2) % 5).unwrap();
        }
        desk.file("j.csv", &table);
        desk.run("estimate j.csv --range 1,5 --target-width .5")
            .ok()
    };
    let (repeats, judgments) = (needed("ann"), needed(""));
    assert!(
        repeats.contains(" more items with as many repeats would narrow"),
        "{repeats}"
    );
    assert!(
        judgments.contains(" more judgments, of other items with 5 each, would narrow"),
        "{judgments}"
    );
}

#[test]
fn a_pipeline_and_flags_give_the_same_estimates() {
    let desk = Desk::new();
    let stages = "data = \"data/tiny\"\n\
        [[score]]\nmetric = \"chrf\"\n[[score]]\nmetric = \"bleu\"\n\
        [[estimate]]\nestimator = \"guarded\"\nmetric = [\"chrf\", \"bleu\"]\ncriterion = \"adequacy\"\n\
        differences = true\n";
    desk.file("run.toml", &here(stages));
    desk.run("run run.toml --out out").ok();
    desk.run("score mine --metric chrf,bleu --out scores.csv")
        .ok();
    let with = "--scores scores.csv --metric chrf --metric bleu --estimator guarded --differences";
    run(&desk, &format!("{with} --out estimates.csv"));
    let read = |name: &str| fs::read_to_string(desk.path(name)).unwrap();
    for kind in ["", ".differences"] {
        let stage = format!("out/estimate/guarded-chrf-bleu{kind}.csv");
        assert_eq!(
            read(&stage),
            read(&format!("estimates{kind}.csv")),
            "{kind}"
        );
    }
    let wrong = stages.replace("differences = true", "stop = \"never\"");
    desk.file("wrong.toml", &here(&wrong));
    desk.run("run wrong.toml --out bad")
        .refused(&["wrong.toml:10"]);
}

/// What was said beside an earlier table is not read as of the one that takes its place.
#[test]
fn what_lies_beside_a_table_is_moved_away_with_it() {
    let desk = Desk::new();
    for more in [
        "betting:anytime=true --range 0,100 --target-width 10 --stop width=25",
        "mean --differences --force",
        "mean --force",
    ] {
        run(&desk, &format!("--out e.csv --estimator {more}"));
    }
    fs::remove_dir_all(desk.path("mine")).unwrap();
    let names = tree(&desk.path("")).into_iter();
    let names: Vec<String> = names.map(|(name, _)| name.display().to_string()).collect();
    expect!["e.csv e.csv.meta.json e.hints.json e.old.csv e.old.csv.meta.json e.old.hints.json e.old.plan.json e.old.stops.json e.old2.csv e.old2.csv.meta.json e.old2.differences.csv e.old2.differences.csv.meta.json e.old2.groups.json e.old2.hints.json"].assert_eq(&names.join(" "));
}

/// Two systems that are alike on every item, of which one lacks hard items and the other easy ones.
#[test]
fn differences_are_those_of_a_gate_where_few_items_are_lacking() {
    let desk = Desk::empty();
    let mut table = "item,system,criterion,score\n".to_string();
    for item in 0..100 {
        let (ease, turn) = (item / 10, item % 2);
        if item < 92 {
            writeln!(table, "{item},a,q,{}", ease + turn).unwrap();
        }
        if item >= 8 {
            writeln!(table, "{item},b,q,{}", ease + 1 - turn).unwrap();
        }
    }
    desk.file("j.csv", &table);
    let line = "estimate j.csv --differences --range 0,10";
    let found = desk.run(&format!("{line} --json")).json();
    let pair = &rows(&found, "differences")[0];
    let gate = desk
        .run("gate j.csv --base b --new a --range 0,10 --json")
        .json();
    let gate = &gate["results"][0];
    for key in ["difference", "lower", "upper"] {
        let both = [pair, gate].map(|one| one[key].as_f64().unwrap());
        assert!((both[0] - both[1]).abs() < 1e-9, "{key}: {both:?}");
    }
    assert_eq!(
        (&pair["items"], &pair["left_out"]),
        (&84.into(), &16.into())
    );
    assert_eq!(pair["significant"], false);
    let told = desk.run(line).ok();
    let words = "Left out of a pair: at most 16 items. So means need not subtract to it.";
    assert!(told.contains(words), "{told}");
}

/// Equal systems, of which one was judged on the easy items, too: the means differ by the items.
#[test]
fn the_best_mean_is_not_said_to_lead_by_its_items() {
    let desk = Desk::empty();
    let table = |hard: usize| {
        let mut table = "item,system,criterion,score\n".to_string();
        for item in 0..60 {
            let (level, turn) = (if item < hard { 1 } else { 7 }, item % 2);
            writeln!(table, "{item},a,q,{}", level + turn).unwrap();
            if item < 20 {
                writeln!(table, "{item},b,q,{}", level + 1 - turn).unwrap();
            }
        }
        table
    };
    desk.file("j.csv", &table(20));
    let why = "a has a mean of 7.500 on 40 items of its own, and of 1.500 on shared ones: the items may make the difference";
    let told = desk.run("estimate j.csv --range 0,10").ok();
    assert!(told.contains(&format!("q: {why}.")), "{told}");
    desk.file(
        "p.toml",
        "data = \"j.csv\"\n[[estimate]]\nrange = [0, 10]\n",
    );
    desk.run("run p.toml --out run").ok();
    let report = desk.run("report run").ok();
    assert_contains(
        &report,
        &[
            "Not decided yet. a has the highest mean q",
            &format!("It and b have other items: {why}."),
        ],
    );
    // Items that are no easier are not remarked on; that there are others is.
    desk.file("j.csv", &table(60));
    let told = desk.run("estimate j.csv --range 0,10").ok();
    assert_lacks(&told, &["may make the difference"]);
    let few = "Under q, a and b were both judged on 20 of 60 items. Means take the items of each as chosen by chance.";
    assert_contains(&told, &[few]);
}

/// A win rate names the items that it rests on where the table has more: those that one annotator judged for both.
#[test]
fn wins_name_their_items_where_these_are_fewer() {
    let desk = Desk::empty();
    let mut outputs = String::from("item,system,output\n");
    let mut judgments = String::from("item,system,criterion,score,annotator\n");
    for item in 0..40 {
        for (system, worth) in [("a", 1), ("b", 0)] {
            let is_anas = item < 20 || (system == "a") == (item < 30);
            let annotator = if is_anas { "ana" } else { "ben" };
            let score = 3 + item * 7 % 3 + worth * (item % 3).min(1);
            let _ = writeln!(outputs, "i{item},{system},text of {system} {item}");
            let _ = writeln!(judgments, "i{item},{system},adequacy,{score},{annotator}");
        }
    }
    fs::create_dir(desk.path("mine")).unwrap();
    fs::write(desk.path("mine/outputs.csv"), outputs).unwrap();
    fs::write(desk.path("mine/judgments.csv"), judgments).unwrap();
    let found = run(&desk, "--differences");
    let pair = &rows(&found, "differences")[0];
    assert_eq!(
        (&pair["items"], &pair["win_items"]),
        (&40.into(), &20.into())
    );
    let said = desk
        .run("estimate mine --criterion adequacy --differences")
        .ok();
    assert_contains(&said, &["82.5 % of 20 "]);
}
