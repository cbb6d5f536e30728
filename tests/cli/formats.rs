//! Files of other tools at every door: as DATA of a command, and back again by `export`; text files without a data set.

use super::{command, finished, score_with_chrf, text, tiebreak, tree};
use crate::support::{assert_contains, assert_lacks, next_dir, say, skip_golden};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn votes(folder: &Path) -> String {
    let said = |answer: &str| serde_json::json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": answer}]);
    let vote = |number: u32| {
        let row = serde_json::json!({
            "question_id": format!("q{number}"), "model_a": "atlas", "model_b": "cedar",
            "winner": if number.is_multiple_of(5) { "model_b" } else { "model_a" }, "judge": format!("u{}", number % 7),
            "conversation_a": said("Hello"), "conversation_b": said("Bye"),
        });
        format!("{row}\n")
    };
    let path = folder.join("votes.jsonl");
    fs::write(&path, (0..60).map(vote).collect::<String>()).unwrap();
    text(&path).to_string()
}

#[test]
fn a_file_of_another_tool_is_data_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let votes = votes(folder.path());
    let ranked = tiebreak(&["rank", &votes, "--json"]);
    assert_contains(&ranked.stderr, &["read as: Chatbot Arena votes"]);
    let direct = ranked.json();
    assert_eq!(direct["claim"]["systems"][0], "atlas");
    let out = folder.path().join("data");
    let imported = tiebreak(&["import", &votes, "--out", text(&out)]).ok();
    assert_contains(&imported, &["next: tiebreak rank "]);
    assert_eq!(tiebreak(&["rank", text(&out), "--json"]).json(), direct);
    assert!(tiebreak(&["check", &votes]).ok().contains("60"));
    let quiet = tiebreak(&["rank", &votes, "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    let typed_twice = fs::read_to_string(&votes)
        .unwrap()
        .replacen("\"atlas\"", "\"Atlas\"", 1);
    fs::write(&votes, typed_twice).unwrap();
    let other = folder.path().join("other");
    let noted = tiebreak(&["import", &votes, "--out", text(&other)]).ok();
    assert_contains(
        &noted,
        &["note: similar names: Atlas and atlas differ only in"],
    );
}

/// The tables that are made of DATA lie in a temporary folder, of which nobody should hear.
#[test]
fn a_mistake_in_what_is_imported_names_what_the_user_named() {
    let folder = tempfile::tempdir().unwrap();
    let mixed = folder.path().join("mixed");
    fs::create_dir(&mixed).unwrap();
    let outputs = "{\"item\":\"1\",\"system\":\"a\",\"output\":\"one\"}\n";
    fs::write(mixed.join("o.jsonl"), outputs).unwrap();
    let votes = "item,system,criterion,score\n1,a,tone,1e100\n";
    fs::write(mixed.join("votes.csv"), votes).unwrap();
    let told = tiebreak(&["check", text(&mixed)]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    let first = format!("error: {}: read as tables of outputs", text(&mixed));
    let look = format!("`tiebreak import {} --out DIR`", text(&mixed));
    for phrase in [
        &first,
        "judgments.jsonl:1: `score` is 1e100, expected a number between",
        &look,
    ] {
        assert!(told.stderr.contains(phrase), "{phrase}: {}", told.stderr);
    }
    assert_lacks(&told.stderr, &[".tiebreak-"]);
    let lines = ["a.txt", "b.txt"].map(|name| folder.path().join(name));
    for file in &lines {
        fs::write(file, "one\n").unwrap();
    }
    let [reference, system] = lines.each_ref().map(|file| text(file));
    let told = tiebreak(&[
        "score",
        reference,
        system,
        "--metric",
        "chrf",
        "--paired-bs",
    ]);
    let what = format!("error: {reference}: only `b` has outputs");
    assert_contains(&told.stderr, &[&what]);
}

#[test]
fn words_for_outcomes_are_said_on_the_command_line_or_in_the_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("comparisons.csv");
    let rows = (0..20).map(|i| {
        format!(
            "{i},atlas,cedar,{}\n",
            if i % 4 == 0 { "yes" } else { "no" }
        )
    });
    let rows = format!(
        "item,system_a,system_b,outcome\n{}",
        rows.collect::<String>()
    );
    fs::write(&table, &rows).unwrap();
    tiebreak(&["rank", text(&table)]).refused(&[
        "comparisons.csv:2: outcome is yes, expected 0, 0.5 or 1",
        "--outcome 'yes=0.5'",
    ]);
    let said = tiebreak(&["rank", text(&table), "--outcome", "yes=0,no=1", "--json"]).json();
    assert_eq!(said["strengths"][0]["system"], "atlas");
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("comparisons.csv"), &rows).unwrap();
    fs::write(data.join("dataset.toml"), "[outcomes]\nyes = 0\nno = 1\n").unwrap();
    let written = tiebreak(&["rank", text(&data), "--json"]).json();
    assert_eq!(written["strengths"], said["strengths"]);
    fs::write(data.join("dataset.toml"), "[outcomes]\nyes = 3\n").unwrap();
    let wrong = tiebreak(&["rank", text(&data)]);
    assert_contains(
        &wrong.stderr,
        &["dataset.toml:2: outcome `yes` is not 1, 0.5 or 0"],
    );
}

#[test]
fn one_column_is_not_two() {
    tiebreak(&[
        "check",
        "data/tiny",
        "--column",
        "item=id",
        "--column",
        "system=id",
    ])
    .refused(&["column `id` is mapped to both `item` and `system`"]);
}

#[test]
fn a_table_of_ratings_never_passes_for_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("ratings.csv");
    fs::write(
        &table,
        "item,system,output,fluency\n1,a,Hello,5\n1,b,Hi,3\n",
    )
    .unwrap();
    tiebreak(&["check", text(&table)]).refused(&["--criteria fluency --out DIR or "]);
}

#[test]
fn what_is_exported_for_an_arena_is_the_same_when_it_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let arena = at("arena.jsonl");
    let export = ["export", "data/tiny", "--as", "arena", "--out", &arena];
    let told = tiebreak(&export).ok();
    let rows = fs::read_to_string(&arena).unwrap().lines().count();
    assert_contains(&told, &[&format!("arena.jsonl: {rows} rows")]);
    // The same command writes the same bytes, and nothing writes over something else.
    tiebreak(&export).ok();
    let other = tiebreak(&["export", "data/tiny", "--as", "trl", "--out", &arena]);
    assert_contains(&other.stderr, &["already there"]);
    let ranked = |data: &str| tiebreak(&["rank", data, "--json"]).json()["strengths"].clone();
    assert_eq!(ranked(&arena), ranked("data/tiny"));
}

#[test]
fn votes_that_both_were_bad_come_back_from_an_arena_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let turn = |text: &str| serde_json::json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": text}]);
    let votes = ["tie (bothbad)", "both_bad", "tie", "model_b"].map(|winner| {
        let row = serde_json::json!({"question_id": winner, "model_a": "ant", "model_b": "bee", "winner": winner,
            "conversation_a": turn("yo"), "conversation_b": turn("ya")});
        format!("{row}\n")
    });
    fs::write(at("votes.jsonl"), votes.concat()).unwrap();
    tiebreak(&["import", &at("votes.jsonl"), "--out", &at("data")]).ok();
    let back = at("back.jsonl");
    tiebreak(&["export", &at("data"), "--as", "arena", "--out", &back]).ok();
    let winners = fs::read_to_string(&back).unwrap();
    let winners = winners.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["winner"].as_str().unwrap().to_string()
    });
    // In the order of items.
    let expected = ["tie (bothbad)", "model_b", "tie", "tie (bothbad)"];
    assert_eq!(winners.collect::<Vec<_>>(), expected);
}

#[test]
fn preferences_have_no_ties_and_plain_tables_have_all_answers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let comparisons = fs::read_to_string("data/tiny/comparisons.jsonl").unwrap();
    let comparisons: Vec<serde_json::Value> = comparisons
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ties = comparisons
        .iter()
        .filter(|row| row["outcome"].as_f64() == Some(0.5))
        .count();
    let told = tiebreak(&[
        "export",
        "data/tiny",
        "--as",
        "rewardbench",
        "--out",
        &at("p.jsonl"),
    ])
    .ok();
    let decided = comparisons.len() - ties;
    assert_contains(&told, &[&format!("p.jsonl: {decided} rows")]);
    assert!(
        ties == 0 || told.contains(&format!("left out: {ties} (ties")),
        "{told}"
    );
    tiebreak(&[
        "export",
        "data/tiny",
        "--as",
        "parquet",
        "--out",
        &at("plain"),
    ])
    .ok();
    let names: Vec<String> = tree(&folder.path().join("plain"))
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert_eq!(names, ["comparisons.parquet", "judgments.parquet"]);
    let back = tiebreak(&["rank", &at("plain"), "--json"]).json();
    assert_eq!(
        back["strengths"],
        tiebreak(&["rank", "data/tiny", "--json"]).json()["strengths"]
    );
    let refused = tiebreak(&[
        "export",
        "data/tiny",
        "--as",
        "csv",
        "--out",
        &at("all.csv"),
    ]);
    assert_contains(
        &refused.stderr,
        &["comparisons and judgments are two tables"],
    );
    let unknown = tiebreak(&["export", "data/tiny", "--as", "areena", "--out", &at("x")]);
    assert_contains(&unknown.stderr, &["did you mean `arena`?"]);
}

/// A test set of mt-metrics-eval, scored, as that toolkit wants the scores.
#[test]
fn scores_go_back_to_mt_metrics_eval() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("set");
    for (path, lines) in [
        ("sources/en-de.txt", "One.\nTwo.\n"),
        ("references/en-de.refA.txt", "Eins.\nZwei.\n"),
        ("system-outputs/en-de/atlas.txt", "Eins.\nDrei.\n"),
        ("system-outputs/en-de/cedar.txt", "\nZwei.\n"),
    ] {
        fs::create_dir_all(set.join(path).parent().unwrap()).unwrap();
        fs::write(set.join(path), lines).unwrap();
    }
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let set = text(&set).to_string();
    tiebreak(&[
        "score",
        &set,
        "--metric",
        "chrf",
        "--out",
        &at("scores.csv"),
    ])
    .ok();
    let export = [
        "export",
        &set,
        "--as",
        "mt-metrics-eval",
        "--out",
        &at("out"),
    ];
    let missing = tiebreak(&export);
    assert_contains(&missing.stderr, &["--scores scores.csv --metric chrf"]);
    let scores = at("scores.csv");
    tiebreak(&[&export[..], &["--scores", &scores, "--metric", "chrf"]].concat()).ok();
    let pair = folder.path().join("out/metric-scores/en-de");
    let segments = fs::read_to_string(pair.join("chrf-refA.seg.score")).unwrap();
    let systems: Vec<&str> = segments
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .collect();
    assert_eq!(systems, ["atlas", "atlas", "cedar", "cedar"]);
    let number = |line: &str| line.split('\t').nth(1).unwrap().parse::<f64>().unwrap();
    let of: Vec<f64> = segments.lines().map(number).collect();
    assert!((of[0] - 100.0).abs() < 1e-9 && of[2].abs() < 1e-9, "{of:?}");
    let means = fs::read_to_string(pair.join("chrf-refA.sys.score")).unwrap();
    let mean = means.lines().next().map(number).unwrap();
    assert!((mean - f64::midpoint(of[0], of[1])).abs() < 1e-9);
}

#[test]
fn text_files_are_scored_without_a_data_set() {
    let texts = "data/tiny/text";
    let at = |name: &str| format!("{texts}/{name}.en");
    let (reference, atlas, cedar) = (at("reference"), at("atlas"), at("cedar"));
    let scored = tiebreak(&[
        "score", &reference, &atlas, &cedar, "--metric", "bleu", "chrf", "--json",
    ])
    .json();
    let rows = scored.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let of = |metric: &str| {
        rows.iter()
            .find(|row| row["metric"] == metric && row["system"] == "atlas")
            .unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let system = format!("atlas={atlas}");
    tiebreak(&[
        "import",
        "--reference",
        &reference,
        "--system",
        &system,
        "--out",
        text(&data),
    ])
    .ok();
    let whole = tiebreak(&[
        "score",
        text(&data),
        "--metric",
        "bleu",
        "chrf",
        "--corpus",
        "--json",
    ])
    .json();
    for row in whole.as_array().unwrap() {
        assert_eq!(of(row["metric"].as_str().unwrap())["score"], row["score"]);
        assert_eq!(
            of(row["metric"].as_str().unwrap())["signature"],
            row["signature"]
        );
    }
    let table = tiebreak(&["score", &reference, &atlas, "--metric", "bleu"]).ok();
    assert_contains(&table, &["corpus bleu"]);
    assert_lacks(&table, &["mean"]);
    let mut piped = command(&["score", &reference, "-", "--metric", "bleu", "--json"]);
    let mut child = piped
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&fs::read(&atlas).unwrap())
        .unwrap();
    let found = finished(&child.wait_with_output().unwrap()).json();
    assert_eq!(found[0]["score"], of("bleu")["score"]);
}

#[test]
fn formats_are_listed_with_what_can_be_picked() {
    let listed = tiebreak(&["list", "formats"]).ok();
    assert_contains(&listed, &["lm-eval", "parameters: filter, text"]);
    let folder = tempfile::tempdir().unwrap();
    score_with_chrf(&folder.path().join("scores.csv"));
    let refused = tiebreak(&["check", text(&folder.path().join("scores.csv"))]);
    assert_eq!(refused.code, Some(2), "a table of scores is no data set");
}

#[test]
fn what_is_left_out_of_a_folder_is_told_where_data_are_expected() {
    let folder = tempfile::tempdir().unwrap();
    let vote = |number: usize| {
        format!(
            r#"{{"question_id":"x{number}","model_a":"atlas","model_b":"cedar","winner":"model_a"}}"#
        ) + "\n"
    };
    let (votes, more) = (
        folder.path().join("votes.jsonl"),
        folder.path().join("more.jsonl"),
    );
    fs::write(&votes, (0..20).map(vote).collect::<String>()).unwrap();
    fs::write(&more, "").unwrap();
    let told = tiebreak(&["rank", text(folder.path())]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let left_out = format!("left out: {} (empty)", more.display());
    assert_contains(&told.stderr, &[&left_out]);
    let out = folder.path().join("out");
    let import = ["import", text(folder.path()), "--out", text(&out), "--json"];
    assert_eq!(tiebreak(&import).json()["left_out"][0]["rule"], "empty");
    fs::remove_dir_all(&out).unwrap();
    fs::write(&more, vote(20).replace(':', "")).unwrap();
    let told = tiebreak(&["rank", text(folder.path())]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    let place = format!("{}:1: broken JSON", more.display());
    assert_contains(&told.stderr, &[&place]);
}

/// The files under a folder as JSON, by their paths.
fn documents(folder: &std::path::Path) -> Vec<(String, serde_json::Value)> {
    let files = tree(folder).into_iter();
    let document = |(path, bytes): (std::path::PathBuf, Vec<u8>)| {
        (
            path.display().to_string(),
            serde_json::from_slice(&bytes).unwrap(),
        )
    };
    files.map(document).collect()
}

/// What a text takes: the same numbers as those of `rank` and `estimate`.
#[test]
fn a_ranking_becomes_a_table_of_a_text() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let told = tiebreak(&["rank", "data/tiny"]).ok();
    let verdict = told.lines().next().unwrap().to_string();
    let first = &tiebreak(&["rank", "data/tiny", "--json"]).json()["strengths"][0];
    let (system, comparisons) = (first["system"].as_str().unwrap(), &first["comparisons"]);
    for (form, begin) in [
        ("markdown", "| Rank | System | Strength |"),
        ("latex", "\\begin{tabular}{llrrr}"),
    ] {
        tiebreak(&["export", "data/tiny", "--as", form, "--out", &at(form)]).ok();
        let table = fs::read_to_string(at(form)).unwrap();
        assert!(table.starts_with(begin), "{table}");
        let row = table.lines().find(|line| line.contains(system)).unwrap();
        assert_contains(row, &[&comparisons.to_string()]);
        assert_contains(&table, &["hold with 95 % confidence", &verdict]);
    }
    // A judge's verdicts are called so, in the judge's name.
    fs::create_dir(at("judged")).unwrap();
    let row = |item: u32, system: &str| format!("{item},{system},{system} {item}\n");
    let outputs: String = (0..9).map(|i| row(i, "a") + &row(i, "b")).collect();
    fs::write(
        at("judged/outputs.csv"),
        format!("item,system,output\n{outputs}"),
    )
    .unwrap();
    let row = |item: u32| format!("{item},a,b,{},gpt-x\n", u32::from(item > 2));
    let verdicts: String = (0..9).map(row).collect();
    let verdicts = format!("item,system_a,system_b,p,judge\n{verdicts}");
    fs::write(at("judged/predictions.csv"), verdicts).unwrap();
    let export = [
        "export",
        &at("judged"),
        "--as",
        "markdown",
        "--out",
        &at("judged.md"),
    ];
    tiebreak(
        &[
            &export[..],
            &["--predictions", &at("judged/predictions.csv")],
        ]
        .concat(),
    )
    .ok();
    let table = fs::read_to_string(at("judged.md")).unwrap();
    assert_contains(
        &table,
        &[
            "| Interval | Verdicts |",
            "9 verdicts by gpt-x, not by people",
        ],
    );
    fs::write(
        at("rated.csv"),
        "item,system,criterion,score\n1,a_b,fun,1\n2,a_b,fun,3\n1,c,fun,5\n2,c,fun,4\n",
    )
    .unwrap();
    tiebreak(&[
        "export",
        &at("rated.csv"),
        "--as",
        "latex",
        "--out",
        &at("rated.tex"),
    ])
    .ok();
    let table = fs::read_to_string(at("rated.tex")).unwrap();
    let (c, a) = (
        table.find("fun & c & 4.500").unwrap(),
        table.find("fun & a\\_b & 2.000").unwrap(),
    );
    assert!(c < a, "{table}");
}

/// The mean of each system with its uncertainty, where the validator of Every Eval Ever looks for it.
#[test]
fn mean_judgments_become_aggregates_of_every_eval_ever() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let row = |i: u32| {
        let (alpha, beta) = (1 + i % 5, 5 - i % 3);
        format!("{i},acme/alpha,adequacy,{alpha}\n{i},beta,adequacy,{beta}\n")
    };
    let rows: String = (0..8).map(row).collect();
    fs::write(
        at("people.csv"),
        format!("item,system,criterion,score\n{rows}"),
    )
    .unwrap();
    let export = [
        "export",
        &at("people.csv"),
        "--as",
        "every-eval-ever",
        "--out",
        &at("out"),
    ];
    assert_contains(
        &tiebreak(&export).stderr,
        &[
            "no developer is named for the system `beta`",
            "--developer NAME",
        ],
    );
    assert!(
        !folder.path().join("out").exists(),
        "nothing is written before all are named"
    );
    let export = [&export[..], &["--developer", "lab"]].concat();
    tiebreak(&export).ok();
    // The same command writes the same files.
    tiebreak(&export).ok();
    let found = documents(&folder.path().join("out"));
    let estimates =
        tiebreak(&["estimate", &at("people.csv"), "--json"]).json()["estimates"].clone();
    assert_eq!(found.len(), 2);
    for ((path, document), estimate) in found.iter().zip(estimates.as_array().unwrap()) {
        let id = document["model_info"]["id"].as_str().unwrap();
        assert!(path.starts_with(&format!("data/people/{id}/")), "{path}");
        let result = &document["evaluation_results"][0];
        let details = &result["score_details"];
        assert_eq!(details["score"], estimate["estimate"]);
        let uncertainty = &details["uncertainty"];
        assert_eq!(uncertainty["num_samples"], 8);
        let interval = &uncertainty["confidence_interval"];
        assert_eq!(interval["lower"], estimate["lower"]);
        assert_eq!(interval["upper"], estimate["upper"]);
        assert_eq!(interval["confidence_level"], 0.95);
        assert_contains(
            interval["method"].as_str().unwrap(),
            &["tiebreak estimate", "interval over"],
        );
    }
}

/// Several annotators become one value, as Inspect takes no two records of a sample.
#[test]
fn mean_judgments_become_records_of_inspect() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_string();
    let rows = "rivers/r1,m/lion,clarity,3,ana\nrivers/r1,m/lion,clarity,2,ben\nrivers/3,m/lion,clarity,1,ana\nrivers/3,m/wolf,clarity,5,ana\n";
    fs::write(
        at("rated.csv"),
        format!("item,system,criterion,score,annotator\n{rows}"),
    )
    .unwrap();
    tiebreak(&[
        "export",
        &at("rated.csv"),
        "--as",
        "inspect-scores",
        "--out",
        &at("out"),
    ])
    .ok();
    let written = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(
        sorted(written("m_lion.jsonl")),
        [
            "{\"id\":\"3\",\"value\":1.0}",
            "{\"id\":\"r1\",\"value\":2.5}"
        ]
    );
    assert_eq!(written("m_wolf.jsonl"), "{\"id\":\"3\",\"value\":5.0}\n");
}

/// What Inspect read from such records is in the folder too.
#[test]
fn records_of_inspect_are_those_that_it_read() {
    let fixture = next_dir().join("formats/inspect-precomputed");
    let Ok(expected) = fs::read_to_string(fixture.join("expected.json")) else {
        return skip_golden("next formats");
    };
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("scores");
    let data = fixture.join("data");
    tiebreak(&[
        "export",
        text(&data),
        "--as",
        "inspect-scores",
        "--out",
        text(&out),
    ])
    .ok();
    let mut files = 0;
    for (path, wanted) in expected["export"]["records"].as_object().unwrap() {
        let written = fs::read_to_string(folder.path().join(path)).unwrap();
        let mut written: Vec<serde_json::Value> = written
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let mut wanted = wanted.as_array().unwrap().clone();
        for records in [&mut written, &mut wanted] {
            records.sort_by_key(|record| record["id"].to_string());
        }
        assert_eq!(written, wanted, "{path}");
        files += 1;
    }
    assert_eq!(tree(&out).len(), files);
}

/// As `huggingface_hub` 1.x writes its `EvalResultEntry`; its `parse_eval_result_entries` reads them.
#[test]
fn means_are_results_of_models_at_the_hub() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let row = |i: u64| {
        format!(
            "{i},acme/alpha,adequacy,{}\n{i},beta,\"a: \"\"b\"\"\",0\n",
            1 + i % 5
        )
    };
    let rows: String = (0..8).map(row).collect();
    fs::write(
        at("people.csv"),
        format!("item,system,criterion,score\n{rows}"),
    )
    .unwrap();
    let (people, out) = (at("people.csv"), at("out"));
    let export = ["export", &people, "--as", "eval-results", "--out", &out];
    assert_contains(&tiebreak(&export).stderr, &["--benchmark OWNER/NAME"]);
    tiebreak(&[&export[..], &["--benchmark", "lab/quality"]].concat()).ok();
    let of = |system: &str| {
        let path = folder
            .path()
            .join("out")
            .join(system)
            .join(".eval_results/quality.yaml");
        fs::read_to_string(path).unwrap()
    };
    let found = tiebreak(&["estimate", &people, "--json"]).json()["estimates"].clone();
    let mut found = found.as_array().unwrap().iter();
    let estimate = found.find(|one| one["system"] == "acme/alpha").unwrap();
    let written = of("acme/alpha");
    let value = format!(
        "- dataset:\n    id: \"lab/quality\"\n    task_id: \"adequacy\"\n  value: {}\n  notes: \"mean of 8 judgments; 95 % interval",
        estimate["estimate"]
    );
    assert!(written.starts_with(&value), "{written}");
    assert_contains(&of("beta"), &[r#"task_id: "a: \"b\"""#, "value: 0\n"]);
}

/// With the package where Python has it: paths, bounds, finite numbers, and everything its schemas say.
#[test]
fn the_validator_of_every_eval_ever_accepts_the_aggregates() {
    let data = next_dir().join("formats/every-eval-ever-write/data");
    if !data.exists() {
        return skip_golden("next formats");
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let export = [
        "export",
        text(&data),
        "--as",
        "every-eval-ever",
        "--out",
        text(&out),
    ];
    tiebreak(&export).ok();
    let files: Vec<String> = tree(&out)
        .into_iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let python = std::env::var("TIEBREAK_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let run = |arguments: &[&str]| {
        Command::new(&python)
            .current_dir(&out)
            .args(arguments)
            .output()
    };
    let package = ["-m", "every_eval_ever"];
    if !run(&["-c", "import every_eval_ever"]).is_ok_and(|tried| tried.status.success()) {
        return say(
            "SKIPPED",
            &format!("the validator of Every Eval Ever: not in {python}"),
        );
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let ran = run(&[&package[..], &["validate"], &files].concat()).unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
}
