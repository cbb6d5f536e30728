//! `correlate`, as a person uses it.

use super::newcomer::Desk;
use super::{Finished, here, tree};
use crate::support::{assert_contains, assert_lacks, table_rows};
use std::fs;

/// A folder with `mine` and scores of it by three metrics, of which one is better when lower.
fn scored() -> Desk {
    let desk = Desk::new();
    desk.run("score mine --out scores.csv --metric chrf bleu-1 ter")
        .ok();
    desk
}

/// `correlate mine` with few resamples.
fn correlate(desk: &Desk, flags: &str) -> Finished {
    desk.run(&format!(
        "correlate mine --resamples 100 --scores scores.csv {flags}"
    ))
}

/// A tie threshold or a p-value of one annotator's few answers flatters every metric.
#[test]
fn new_annotators_have_no_coefficient_that_few_answers_flatter() {
    let desk = scored();
    let both = "--metric chrf --people both";
    let json = correlate(&desk, &format!("{both} --json")).json();
    for row in json["correlations"].as_array().unwrap() {
        let coefficient = row["coefficient"].as_str().unwrap();
        let flatters = ["calibrated-accuracy", "soft-pairwise-accuracy"].contains(&coefficient);
        assert_eq!(row["new_annotators"].is_null(), flatters, "{row}");
    }
    let printed = correlate(&desk, both).ok();
    let tables = printed.split("With new annotators like these:").skip(1);
    for table in tables {
        let header = table.trim_start().lines().next().unwrap();
        assert_lacks(header, &["calibrated-accuracy", "soft-pairwise-accuracy"]);
    }
}

#[test]
fn metrics_are_held_against_everything_people_said() {
    let desk = scored();
    let metrics = "--metric chrf bleu-1 ter";
    let printed = correlate(&desk, metrics).ok();
    assert_contains(
        &printed,
        &[
            "With judgments of adequacy: per item, then averaged",
            "With judgments of fluency: system means",
            "With comparisons: all pooled",
            "soft-pairwise-accuracy",
            "for just these systems",
            "for systems like these",
            "|swap:items+ranks|resamples:100|confidence:0.95|version:5",
        ],
    );
    let [json, again] = ["1", "3"]
        .map(|threads| correlate(&desk, &format!("{metrics} --json --threads {threads}")).json());
    assert_eq!(json, again);
    let rows = json["correlations"].as_array().unwrap();
    assert_eq!(rows.len(), 3 * (2 * 13 + 7), "{rows:?}");
    for row in rows {
        let value = row["value"].as_f64().unwrap();
        assert!(
            value > 0.0,
            "`ter` is turned round, and all are of use: {row}"
        );
        assert_eq!(
            row["epsilon"].is_null(),
            row["coefficient"] != "calibrated-accuracy"
        );
    }
    let differences = json["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 3 * (2 * 13 + 7));
    for row in differences {
        let of_systems = row["grouping"] == "system";
        assert_eq!(row["these_systems"].is_object(), of_systems, "{row}");
        assert!(of_systems || row["p_value"].is_number(), "{row}");
    }
}

/// Of five items no difference is rare enough to hold for items like them.
#[test]
fn few_items_say_nothing_of_others() {
    let desk = Desk::new();
    let (mut judged, mut scores) = (String::new(), String::new());
    for (item, system) in (0..5).flat_map(|item| (0..6).map(move |system| (item, system))) {
        let quality = 3 * system + 7 * (item + system) % 4;
        let error = 9 * (item * system % 2);
        judged += &format!("i{item},s{system},{quality}\n");
        scores += &format!("i{item},s{system},good,{}\n", quality + error);
        scores += &format!("i{item},s{system},bad,{}\n", error - quality);
    }
    desk.file("judged.csv", &format!("item,system,score\n{judged}"));
    desk.file("s.csv", &format!("item,system,metric,score\n{scores}"));
    let line = "correlate judged.csv --scores s.csv --metric good bad --resamples 200";
    let told = desk.run(line).ok();
    let why = "Undecided for these systems: fewer than ten items.";
    assert!(told.contains(why), "{told}");
    assert!(!told.contains("items like these, each"), "{told}");
    let json = desk.run(&format!("{line} --json")).json();
    for row in json["differences"].as_array().unwrap() {
        assert!(row["difference"].as_f64().unwrap() > 0.0, "{row}");
        let is_tested = row["p_value"].is_number();
        assert_eq!(is_tested, row["grouping"] == "system", "{row}");
    }
}

#[test]
fn a_level_a_criterion_and_a_seed_move_no_number_that_stays() {
    let desk = scored();
    let all = correlate(&desk, "--metric chrf --json").json();
    let some = "--metric chrf --criterion fluency --level system --json";
    let some = correlate(&desk, some).json();
    let rows = some["correlations"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    for row in rows {
        assert!(
            all["correlations"].as_array().unwrap().contains(row),
            "{row}"
        );
    }
    let items = correlate(&desk, "--metric chrf --resample items --json").json();
    let width = |json: &serde_json::Value| {
        let row = json["correlations"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["criterion"] == "fluency" && row["grouping"] == "system");
        let row = row.unwrap();
        row["upper"].as_f64().unwrap() - row["lower"].as_f64().unwrap()
    };
    assert!(
        width(&items) < width(&all),
        "these systems, or systems like these"
    );
}

#[test]
fn a_table_a_pipeline_and_flags_agree() {
    let desk = scored();
    correlate(&desk, "--metric chrf ter --out out.csv").ok();
    let table = fs::read_to_string(desk.path("out.csv")).unwrap();
    assert!(table.starts_with(
        "metric,human,criterion,grouping,coefficient,n,value,lower,upper,epsilon,why,annotators,\
         new_annotators_value,new_annotators_lower,new_annotators_upper,new_annotators\n"
    ));
    assert!(desk.path("out.differences.json").exists());

    let stages = "data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n[[score]]\nmetric = \"ter\"\n\
         [[correlate]]\nmetric = [\"chrf\", \"ter\"]\nresamples = 100\n";
    desk.file("p.toml", &here(stages));
    desk.run("run p.toml --out run").ok();
    let report = fs::read_to_string(desk.path("run/report.txt")).unwrap();
    assert_contains(&report, &["With judgments of fluency"]);
    let stage = fs::read_to_string(desk.path("run/correlate/correlate.csv"));
    assert_eq!(stage.unwrap(), table);
    let before = tree(&desk.path("run"));
    desk.run("report run").ok();
    assert_eq!(before, tree(&desk.path("run")));
}

#[test]
fn mistakes_say_what_to_do() {
    let desk = scored();
    for [flags, expected] in table_rows(
        "--metric chrf chrf | asked for twice
         --metric chr | no scores of metric `chr`
         --metric chrf --criterion fluensy | did you mean `fluency`
         --metric chrf --confidence 95 | between 0 and 1
         --metric chrf --level word | `segment`, `system`, `both`",
    ) {
        correlate(&desk, flags).refused(&[expected]);
    }
    for [stage, expected] in table_rows(
        r#"metric = "chrf"\nresamples = 5 | expected a whole number from 100 to 1000000
           metric = "bleu" | no stage scores bleu
           metric = [] | metric: metric is missing"#,
    ) {
        let stages = "data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n[[correlate]]\n";
        desk.file(
            "p.toml",
            &here(&format!("{stages}{}\n", stage.replace("\\n", "\n"))),
        );
        desk.run("run p.toml --out o").refused(&[expected]);
    }
    let outputs = "item,system,output,references\n1,a,one,one\n1,b,two,one\n";
    desk.file("outputs.csv", outputs);
    desk.run("score outputs.csv --metric chrf --out s.csv").ok();
    desk.run("correlate outputs.csv --scores s.csv --metric chrf")
        .refused(&["judgments or comparisons"]);
}
