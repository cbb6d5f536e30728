//! A newcomer's mistakes: each gets exit code 2, the place, what was found, and what to do.

use super::{here, score_with_chrf, text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder with one small data set, to be spoilt.
struct Spoilt(TempDir);

impl Spoilt {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spoilt = Self(folder);
        spoilt.file(
            "outputs.jsonl",
            "{\"item\":\"1\",\"system\":\"a\",\"output\":\"one\",\"references\":[\"one\"]}\n\
             {\"item\":\"1\",\"system\":\"b\",\"output\":\"two\",\"references\":[\"one\"]}\n",
        );
        spoilt.file(
            "comparisons.jsonl",
            "{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"outcome\":1}\n",
        );
        spoilt
    }

    fn file(&self, name: &str, content: &str) -> &Self {
        fs::write(self.0.path().join(name), content).unwrap();
        self
    }

    fn path(&self) -> PathBuf {
        self.0.path().to_path_buf()
    }
}

/// Runs and expects exit code 2, nothing on stdout, and each of the phrases on stderr.
#[track_caller]
fn refused(arguments: &[&str], phrases: &[&str]) {
    let run = tiebreak(arguments);
    run.refused(phrases);
    assert_eq!(run.stdout, "", "{arguments:?}");
    assert_lacks(&run.stderr, &["panicked"]);
}

#[test]
fn a_misspelt_metric_gets_the_nearest_name() {
    refused(
        &["score", "data/tiny", "--metric", "chfr"],
        &["unknown metric `chfr`", "did you mean `chrf`?"],
    );
}

#[test]
fn a_misspelt_parameter_gets_the_known_ones() {
    refused(
        &["score", "data/tiny", "--metric", "chrf:word_order=2"],
        &["word_order", "`word-order`"],
    );
}

#[test]
fn a_paired_test_of_whom_with_whom() {
    let test = ["score", "data/tiny", "--metric", "chrf", "--paired-bs"];
    refused(
        &[&test[..], &["--baseline", "embr"]].concat(),
        &["unknown system `embr`", "did you mean `ember`?"],
    );
    refused(&[&test[..], &["--trials", "10"]].concat(), &["--trials"]);
    refused(
        &[&test[..4], &["--baseline", "ember"]].concat(),
        &["--paired-bs|--paired-ar"],
    );
    refused(
        &[&test[..], &["--paired-ar"]].concat(),
        &["cannot be used with"],
    );
    let spoilt = Spoilt::new();
    let data = spoilt.path();
    let test = ["score", text(&data), "--metric", "chrf", "--paired-ar"];
    let alone = "{\"item\":\"1\",\"system\":\"a\",\"output\":\"one\",\"references\":[\"one\"]}\n";
    let apart = "{\"item\":\"2\",\"system\":\"b\",\"output\":\"two\",\"references\":[\"one\"]}\n";
    std::fs::remove_file(data.join("comparisons.jsonl")).unwrap();
    spoilt.file("outputs.jsonl", alone);
    refused(
        &test,
        &["only `a` has outputs", "at least one other system"],
    );
    spoilt.file("outputs.jsonl", &(alone.to_string() + apart));
    refused(&test, &["no item has outputs of all systems"]);
}

#[test]
fn a_folder_that_does_not_exist() {
    refused(
        &["check", "no/such/folder"],
        &["no/such/folder", "no such file or folder"],
    );
}

#[test]
fn a_folder_without_tables() {
    let folder = tempfile::tempdir().unwrap();
    refused(&["check", text(folder.path())], &["outputs", "hint: "]);
}

#[test]
fn an_outcome_of_two() {
    let spoilt = Spoilt::new();
    spoilt.file(
        "comparisons.jsonl",
        "{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"outcome\":1}\n\
         {\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"outcome\":2}\n",
    );
    refused(
        &["check", text(&spoilt.path())],
        &[
            "comparisons.jsonl:2",
            "outcome",
            "is 2, expected 0, 0.5 or 1",
        ],
    );
}

/// What a word means is for the user to say: no value is proposed, and where there is no word none is asked for.
#[test]
fn an_outcome_that_nobody_knows() {
    let spoilt = Spoilt::new();
    let hint = |cell: &str| {
        let row = format!(
            "{{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"outcome\":{cell}}}\n"
        );
        spoilt.file("comparisons.jsonl", &row);
        let run = tiebreak(&["check", text(&spoilt.path())]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert_lacks(&run.stderr, &["=0.5'"]);
        run.stderr.replace('\n', " ")
    };
    assert!(hint("2").contains("--outcome '1=1,2=0'"));
    assert!(hint("\"yes\"").contains("--outcome 'yes=NUMBER'"));
    for nothing in ["\" \"", "\"NaN\"", "[1]"] {
        let hint = hint(nothing);
        assert_lacks(&hint, &["--outcome"]);
        assert_contains(&hint, &["leave out comparisons"]);
    }
    assert!(hint("\" \"").contains("outcome is empty, expected 0, 0.5 or 1"));
}

#[test]
fn a_flag_that_says_two_things() {
    for (given, phrases) in [
        (
            &["--outcome", "x=1,x=0"][..],
            ["--outcome", "`x` appears twice, as 1 and as 0"],
        ),
        (
            &["--outcome", "x=1", "--outcome", "x=1"],
            ["--outcome", "`x` appears twice"],
        ),
        (
            &["--column", "item=id", "--column", "item=no"],
            ["column `item` is mapped twice", "to `id` and to `no`"],
        ),
    ] {
        refused(&[&["check", "data/tiny"], given].concat(), &phrases);
    }
}

/// What cannot be squared or summed would make NaN of what is finite.
#[test]
fn numbers_that_cannot_be_counted_with() {
    let spoilt = Spoilt::new();
    let data = spoilt.path();
    let judgment = |score: &str| {
        let row = "{\"item\":\"1\",\"system\":\"a\",\"criterion\":\"c\",\"score\":";
        spoilt.file("judgments.jsonl", &format!("{row}{score}}}\n"));
    };
    judgment("-1e308");
    let expected = "judgments.jsonl:1: `score` is -1e308, expected a number between -1e60 and 1e60";
    refused(&["estimate", text(&data)], &[expected]);
    judgment("1e60");
    let scores = data.join("s.csv");
    let rows = "item,system,metric,score\n1,a,m,1e160\n1,b,m,0.5\n";
    fs::write(&scores, rows).unwrap();
    let correlate = [
        "correlate",
        text(&data),
        "--scores",
        text(&scores),
        "--metric",
        "m",
    ];
    refused(
        &correlate,
        &["s.csv:2: `score` is 1e160, expected a number"],
    );
    spoilt.file("dataset.toml", "[criteria.c]\nrange = [0, 1e308]\n");
    refused(&["check", text(&data)], &["dataset.toml:2", "range"]);
}

#[test]
fn a_criterion_that_no_judgment_has() {
    let spoilt = Spoilt::new();
    let row = "{\"item\":\"1\",\"system\":\"a\",\"criterion\":\"fluency\",\"score\":3}\n";
    spoilt.file("judgments.jsonl", row);
    let said = |criterion: &str| {
        let toml = format!("name = \"x\"\n[criteria.{criterion}]\nrange = [1, 5]\n");
        spoilt.file("dataset.toml", &toml);
        let run = tiebreak(&["check", text(&spoilt.path())]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    let told = said("fluencyy");
    let expected =
        "dataset.toml:2: no judgment is under the criterion `fluencyy` (did you mean `fluency`?)";
    assert_contains(&told, &[expected]);
    assert!(!said("fluency").contains("no judgment"));
    // They may still be to come.
    fs::remove_file(spoilt.path().join("judgments.jsonl")).unwrap();
    assert!(!said("fluencyy").contains("no judgment"));
}

#[test]
fn a_header_and_nothing_below() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    fs::write(data.join("outputs.csv"), "item,system,output\n").unwrap();
    refused(
        &["check", text(data)],
        &["holds nothing: its tables have no rows"],
    );
    let scores = data.join("s.csv");
    fs::write(&scores, "item,system,metric,score\n").unwrap();
    let correlate = [
        "correlate",
        "data/tiny",
        "--scores",
        text(&scores),
        "--metric",
        "m",
    ];
    refused(&correlate, &["s.csv: holds no scores"]);
    let unknown = ["annotators", "data/mt-bench", "--criterion", "fluency"];
    refused(
        &unknown,
        &["unknown criterion `fluency`", "the data set has none"],
    );
}

#[test]
fn what_is_no_file_of_text() {
    refused(&["check", "-"], &["standard input is not read here"]);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("outputs.csv"), "item,system,output\n1,a,x\n").unwrap();
    fs::write(path("dataset.toml"), b"name = \"x\"\ntask = \"caf\xe9\"\n").unwrap();
    refused(
        &["check", text(folder.path())],
        &["dataset.toml:2: invalid UTF-8"],
    );
    fs::write(path("p.toml"), b"data = \"x\"\n\n# caf\xe9\n").unwrap();
    refused(
        &["run", text(&path("p.toml"))],
        &["p.toml:3: invalid UTF-8"],
    );
}

#[test]
fn a_missing_column_is_named_with_those_that_are_there() {
    let spoilt = Spoilt::new();
    fs::remove_file(spoilt.path().join("outputs.jsonl")).unwrap();
    spoilt.file("outputs.csv", "segment_id,system,output\n1,a,one\n");
    refused(
        &["check", text(&spoilt.path())],
        &["outputs.csv", "`item`", "segment_id", "--column item="],
    );
}

#[test]
fn the_same_output_twice() {
    let spoilt = Spoilt::new();
    spoilt.file(
        "outputs.jsonl",
        "{\"item\":\"1\",\"system\":\"a\",\"output\":\"one\"}\n{\"item\":\"1\",\"system\":\"b\",\"output\":\"x\"}\n\
         {\"item\":\"1\",\"system\":\"a\",\"output\":\"two\"}\n",
    );
    refused(&["check", text(&spoilt.path())], &["outputs.jsonl:3", "1"]);
}

#[test]
fn a_comparison_of_an_unknown_system() {
    let spoilt = Spoilt::new();
    spoilt.file(
        "comparisons.jsonl",
        "{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"c\",\"outcome\":1}\n",
    );
    refused(
        &["check", text(&spoilt.path())],
        &["comparisons.jsonl:1", "`c`"],
    );
}

#[test]
fn uncertainty_where_the_model_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("scores.csv");
    let link = folder.path().join("link.toml");
    let predictions = folder.path().join("p.csv");
    score_with_chrf(&scores);
    let direct = [
        "--scores",
        text(&scores),
        "--metric",
        "chrf",
        "--link",
        "linear",
    ];
    let fit = [
        &["fit", "link", "data/tiny"],
        &direct[..],
        &["--out", text(&link)],
    ]
    .concat();
    tiebreak(&fit).ok();
    let predict = [
        &["predict", "data/tiny"],
        &direct[..],
        &["--calibration", text(&link), "--out", text(&predictions)],
    ]
    .concat();
    tiebreak(&predict).ok();
    refused(
        &[
            "simulate",
            "data/tiny",
            "--predictions",
            text(&predictions),
            "--select",
            "bald:0.01",
        ],
        &["BALD", "uncertainty", "margin:T"],
    );
}

#[test]
fn a_pipeline_with_an_unknown_key_a_wrong_name_or_a_missing_stage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    let try_out = |body: &str, phrases: &[&str]| {
        fs::write(&path, here(&format!("data = \"data/tiny\"\n{body}"))).unwrap();
        refused(
            &[
                "run",
                text(&path),
                "--out",
                text(&folder.path().join("out")),
            ],
            phrases,
        );
        assert!(
            !folder.path().join("out").exists(),
            "nothing may run before the whole file is checked"
        );
    };
    try_out(
        "[[score]]\nmetric = \"bleu4\"\n",
        &["p.toml:3", "unknown metric `bleu4`"],
    );
    try_out("[[score]]\nmetrics = \"bleu\"\n", &["p.toml:3", "metrics"]);
    try_out(
        "[[simulate]]\nbandit = \"rucbb\"\n",
        &["p.toml:3", "did you mean `rucb`?"],
    );
    try_out(
        "[[simulate]]\nbandit = \"rucb\"\npredictions = \"nobody\"\nmix = 0.5\n",
        &["p.toml:4", "nobody"],
    );
    try_out(
        "[[simulate]]\npredictions = [\n\"data/mt-bench/hints/gpt-4.jsonl.gz\",\n\"nobody\"]\n",
        &["p.toml:3", "nobody"],
    );
    try_out(
        "[[simulate]]\npredictions = [\"data/tiny\", \"data\"]\nmix = 0.5\n",
        &["p.toml:3", "2 predictions to answer or eliminate by"],
    );
    try_out(
        "[[predict]]\nmetric = \"chrf\"\nlink = \"linear\"\n",
        &["p.toml:3", "chrf"],
    );
    try_out(
        "[[predict]]\nmetric = \"chrf\"\nlink = \"linear\"\nprecision = \"bf16\"\n",
        &["p.toml:5", "for a model"],
    );
    for (wrong, says) in [
        ("draws = \"adaptive:most=1\"", "at least 5"),
        ("draws = -1", "draws"),
        ("dropout = \"none\"", "last-layer"),
        ("precision = \"f64\"", "bf16"),
    ] {
        try_out(&format!("[[predict]]\n{wrong}\n"), &["p.toml:3", says]);
    }
    try_out(
        "[[score]]\nmetric = \"chrf\"\n[[fit]]\nmetric = \"chrf\"\nlink = \"linear\"\n[[predict]]\nmetric = \"chrf\"\n\
         link = \"linear\"\n[[simulate]]\npredictions = \"chrf-linear\"\nselect = { by = \"bald\", above = 0.1 }\n",
        &["p.toml:11", "BALD"],
    );
}

/// What the data, or a table that a key names, does not bear: refused at the key before the first stage runs.
#[test]
fn a_pipeline_that_does_not_go_with_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.toml");
    let out = folder.path().join("out");
    let items = "data/tiny/items.jsonl";
    let pairs = folder.path().join("pairs.csv");
    fs::write(&pairs, "item,system_a,system_b\nitem-01,atlas,nobody\n").unwrap();
    let pairs = format!("pairs = {:?}", text(&pairs));
    let made = "[[fit]]\nmetric = \"chrf\"\nlink = \"btl\"\n[[predict]]\nmetric = \"chrf\"\nlink = \"btl\"\n";
    let of_items = |stage: &str, key: &str| format!("[[{stage}]]\n{key} = {items:?}");
    let mistakes: [(String, &[&str]); 19] = [
        ("[[rank]]\nstyle = true\nbaseline = \"nobody\"".into(), &[":6", "baseline", "`nobody`"]),
        ("[[simulate]]\nsystems = 99".into(), &[":5", "systems", "expected 2 to 7"]),
        ("[[estimate]]\nmin-agreement = 7".into(), &[":5", "7, expected a number from -1 to 1"]),
        ("[[estimate]]\nmin-seconds = -5".into(), &[":5", "-5, expected a number of at least 0"]),
        ("[[estimate]]\nstop = \"width=5\"".into(), &[":5", "valid at any time"]),
        ("[[estimate]]\nestimator = \"active\"".into(), &["probabilities"]),
        (of_items("estimate", "strata"), &[":5", "no column `stratum`"]),
        (of_items("estimate", "probabilities"), &[":5", "no column `probability`"]),
        (of_items("rank", "predictions"), &[":5", "no column `system_a`"]),
        (of_items("correlate", "metric = \"chrf\"\nscores"), &[":6", "no column `system`"]),
        (of_items("assess", "predictions"), &[":5", "no column `system_a`"]),
        (format!("{made}{pairs}"), &["pairs.csv:2", "nobody"]),
        (format!("{made}calibration = {items:?}"), &["items.jsonl:1", "expected key"]),
        (format!("{made}[[fit]]\nname = \"again\"\nmetric = \"chrf\"\nlink = \"btl\""), &[":13", "fitted twice"]),
        (
            "[[simulate]]\npredictions = \"data/mt-bench/hints/gpt-4.jsonl.gz\"\nselect = \"bald:0.01\"".into(),
            &[":5", "BALD"],
        ),
        (format!("{made}[[simulate]]\npredictions = \"chrf-btl\"\nmix = nan"), &[":12", "from 0 to 1"]),
        (
            format!("{made}[[simulate]]\npredictions = \"chrf-btl\"\neliminate = {{ alpha = 0, copeland = 1.5 }}"),
            &[":12", "copeland is 1.5"],
        ),
        ("[[simulate]]\nbudget = 9\nsteps = 5".into(), &[":6", "fewer than the budget"]),
        (
            "[[simulate]]\nbandit = \"rmed\"\nmodel = \"tiny-electra\"\nmix = 0.5\nsample = 3".into(),
            &[":8", "nothing to sample"],
        ),
    ];
    for (stages, phrases) in mistakes {
        let stages = stages.replace("alpha = 0,", "alpha = 0.0,");
        let file = format!("data = \"data/tiny\"\n[[score]]\nmetric = \"chrf\"\n{stages}\n");
        fs::write(&path, here(&file)).unwrap();
        refused(&["run", text(&path), "--out", text(&out)], phrases);
        assert!(
            !out.join("score").exists(),
            "ran before it was refused:\n{file}"
        );
    }
}

#[test]
fn a_folder_begun_under_other_settings() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("scores");
    score_with_chrf(&out);
    refused(
        &[
            "score",
            "data/tiny",
            "--metric",
            "chrf",
            "--seed",
            "7",
            "--out",
            text(&out),
        ],
        &["seed", "42", "7"],
    );
}

#[test]
fn a_changed_setting_is_named_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let rank = |runs: &str| {
        let out = text(folder.path()).to_string() + "/rank";
        tiebreak(&[
            "simulate",
            "data/tiny",
            "--runs",
            runs,
            "--budget",
            "50",
            "--out",
            &out,
        ])
    };
    rank("2").ok();
    rank("3").refused(&["begun with runs = 2, now runs = 3"]);
}

#[test]
fn a_folder_of_something_else_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("chrf")).unwrap();
    fs::write(folder.path().join("chrf/thesis.tex"), "precious").unwrap();
    refused(
        &[
            "score",
            "data/tiny",
            "--metric",
            "chrf",
            "--out",
            text(folder.path()),
        ],
        &["thesis.tex"],
    );
}

#[cfg(not(any(feature = "cuda", feature = "metal")))]
#[test]
fn a_device_that_this_build_has_not() {
    for (device, name) in [("cuda:1", "GPU number 1 of CUDA"), ("metal", "Metal")] {
        let predict = ["predict", "data/tiny", "--device", device, "--out", "x"];
        refused(&predict, &[name, "--device cpu", "build with the feature"]);
    }
}

#[test]
fn flags_that_do_not_fit_together() {
    refused(
        &["simulate", "data/tiny", "--mix", "0.5"],
        &["--predictions"],
    );
    refused(
        &["simulate", "data/tiny", "--audit", "0.5"],
        &["only where it answers", "--mix"],
    );
    refused(
        &["simulate", "data/tiny", "--mix", "0.5", "--audit", "2"],
        &["at most 1"],
    );
    refused(
        &["predict", "data/tiny", "--shard", "5/4", "--out", "x"],
        &["I/N"],
    );
    for (flag, value, says) in [
        ("--draws", "some", "adaptive:tolerance=0.02"),
        ("--draws", "adaptive:tolerence=1", "`tolerance`"),
        ("--draws", "adaptive:most=3", "expected at least 5"),
        ("--dropout", "last", "`all` or `last-layer`"),
        ("--precision", "int4", "`f32`, `bf16`, `int8`"),
    ] {
        refused(
            &["predict", "data/tiny", flag, value, "--out", "x"],
            &[flag, says],
        );
    }
    for (flag, value) in [("--precision", "bf16"), ("--dropout", "last-layer")] {
        let scores = ["--scores", "s.csv", "--metric", "chrf", "--link", "btl"];
        let predict = ["predict", "data/tiny", flag, value, "--out", "x"];
        refused(&[&predict[..], &scores].concat(), &[flag, "--metric"]);
    }
    refused(
        &["estimate", "data/tiny", "--estimator", "median"],
        &["unknown estimator `median`", "mean"],
    );
    refused(
        &["simulate", "data/tiny", "--confidence", "95"],
        &["between 0 and 1"],
    );
}

#[test]
fn a_number_of_which_each_takes_memory_has_a_limit() {
    let most = "1000000000";
    let simulate = ["simulate", "data/tiny", "--runs", most];
    refused(&simulate, &["--runs", "from 1 to 100000"]);
    let correlate = [
        "correlate",
        "data/tiny",
        "--metric",
        "chrf",
        "--resamples",
        most,
    ];
    refused(&correlate, &["--resamples", "to 1000000"]);
    for flags in [["--paired-bs", "--resamples"], ["--paired-ar", "--trials"]] {
        let score = [
            "score",
            "data/tiny",
            "--metric",
            "chrf",
            flags[0],
            flags[1],
            most,
        ];
        refused(&score, &[flags[1], "from 1 to 1000000"]);
    }
    let score = [
        "score",
        "data/tiny",
        "--metric",
        "bertscore",
        "--draws",
        most,
    ];
    refused(&score, &["--draws", "from 1 to 10000"]);
    for draws in [most, "adaptive:most=1000000000"] {
        let predict = ["predict", "data/tiny", "--draws", draws, "--out", "x.csv"];
        refused(&predict, &["10000"]);
    }
    refused(
        &["rank", "data/tiny", "--threads", "1025"],
        &[
            "--threads",
            "`1025`, expected a whole number from 1 to 1024",
        ],
    );
}
