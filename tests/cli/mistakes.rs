//! A newcomer's mistakes: each gets exit code 2, the place, what was found, and what to do.

use super::newcomer::Desk;
use super::{here, tiebreak};
use crate::support::{assert_contains, assert_lacks, table_rows};
use std::fs;

/// A folder with one small data set, to be spoilt.
fn spoilt() -> Desk {
    let desk = Desk::empty();
    desk.file(
        "outputs.jsonl",
        "{\"item\":\"1\",\"system\":\"a\",\"output\":\"one\",\"references\":[\"one\"]}\n\
         {\"item\":\"1\",\"system\":\"b\",\"output\":\"two\",\"references\":[\"one\"]}\n",
    );
    desk.file(
        "comparisons.jsonl",
        "{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"outcome\":1}\n",
    );
    desk
}

/// Expects exit code 2, nothing on stdout, and each of the phrases on stderr.
#[track_caller]
fn refused(run: &super::Finished, phrases: &str) {
    run.refused(&phrases.split(" && ").collect::<Vec<_>>());
    assert_eq!(run.stdout, "", "{phrases}");
    assert_lacks(&run.stderr, &["panicked"]);
}

/// What is typed, and the parts of what is said: names and values, flags that say two things or do not go together, and
/// numbers of which each takes memory.
const REFUSED: &str = r"
score data/tiny --metric chrf:word_order=2 | word_order && `word-order`
score data/tiny --metric chrf:beta=nan | chrf: beta: `nan`, expected a number
score data/tiny --metric bleu-4:implementation=nltk,smoothing-function=9 | smoothing-function: `9`, expected one of
estimate data/tiny --estimator median | unknown estimator `median` && mean
annotators data/mt-bench --criterion fluency | unknown criterion `fluency` && the data set has none
check - | standard input is not read here
score data/tiny --metric chrf --paired-bs --baseline embr | unknown system `embr` && did you mean `ember`?
score data/tiny --metric chrf --paired-bs --trials 10 | --trials
score data/tiny --metric chrf --baseline ember | --paired-bs && --paired-ar
score data/tiny --metric chrf --paired-bs --paired-ar | cannot be used with

check data/tiny --outcome x=1,x=0 | --outcome && `x` appears twice, as 1 and as 0
check data/tiny --outcome x=1 --outcome x=1 | --outcome && `x` appears twice
check data/tiny --column item=id --column item=no | column `item` is mapped twice && to `id` and to `no`
check data/tiny --column item=id --column system=id | column `id` is mapped to both `item` and `system`
simulate data/tiny --mix 0.5 | --predictions
simulate data/tiny --audit 0.5 | only where it answers && --mix
simulate data/tiny --mix 0.5 --audit 2 | at most 1
simulate data/tiny --confidence 95 | between 0 and 1
predict data/tiny --shard 5/4 --out x | I/N
predict data/tiny --draws some --out x | --draws && adaptive:tolerance=0.02
predict data/tiny --draws adaptive:tolerence=1 --out x | --draws && `tolerance`
predict data/tiny --draws adaptive:most=3 --out x | --draws && expected at least 5
predict data/tiny --dropout last --out x | --dropout && `all` or `last-layer`
predict data/tiny --precision int4 --out x | --precision && `f32`, `bf16`, `int8`
predict data/tiny --precision bf16 --out x --scores s.csv --metric chrf --link btl | --precision && --metric
predict data/tiny --dropout last-layer --out x --scores s.csv --metric chrf --link btl | --dropout && --metric

simulate data/tiny --runs 1000000000 | --runs && from 1 to 100000
correlate data/tiny --metric chrf --resamples 1000000000 | --resamples && to 1000000
score data/tiny --metric chrf --paired-bs --resamples 1000000000 | --resamples && from 1 to 1000000
score data/tiny --metric chrf --paired-ar --trials 1000000000 | --trials && from 1 to 1000000
score data/tiny --metric bertscore --draws 1000000000 | --draws && from 1 to 10000
predict data/tiny --draws 1000000000 --out x.csv | 10000
predict data/tiny --draws adaptive:most=1000000000 --out x.csv | 10000
rank data/tiny --threads 1025 | --threads && `1025`, expected a whole number from 1 to 1024
";

#[test]
fn names_values_and_flags_are_refused_with_what_to_type() {
    for [line, phrases] in table_rows(REFUSED) {
        refused(&tiebreak(&line.split(' ').collect::<Vec<_>>()), phrases);
    }
}

/// A file that stands beside the small data set, or in its place where its name begins with `outputs`; what is typed;
/// what is said.
const SPOILT: &str = r#"
comparisons.jsonl | {"item":"1","system_a":"a","system_b":"b","outcome":1}\n{"item":"1","system_a":"a","system_b":"b","outcome":2}\n | check . | comparisons.jsonl:2 && outcome && is 2, expected 0, 0.5 or 1
comparisons.jsonl | {"item":"1","system_a":"a","system_b":"c","outcome":1}\n | check . | comparisons.jsonl:1 && `c`
outputs.csv | segment_id,system,output\n1,a,one\n | check . | outputs.csv && `item` && segment_id && --column item=
outputs.csv | item,system,output\n | check . | holds nothing: its tables have no rows
outputs.jsonl | {"item":"1","system":"a","output":"one"}\n{"item":"1","system":"b","output":"x"}\n{"item":"1","system":"a","output":"two"}\n | check . | outputs.jsonl:3
outputs.jsonl | {"item":"1","system":"a","output":"one","references":["one"]}\n | score . --metric chrf --paired-ar | only `a` has outputs && at least one other system
outputs.jsonl | {"item":"1","system":"a","output":"one","references":["one"]}\n{"item":"2","system":"b","output":"two","references":["one"]}\n | score . --metric chrf --paired-ar | no item has outputs of all systems
judgments.jsonl | {"item":"1","system":"a","criterion":"c","score":-1e308}\n | estimate . | judgments.jsonl:1: `score` is -1e308, expected a number between -1e60 and 1e60
dataset.toml | [criteria.c]\nrange = [0, 1e308]\n | check . | dataset.toml:2 && range
s.csv | item,system,metric,score\n1,a,m,1e160\n1,b,m,0.5\n | correlate . --scores s.csv --metric m | s.csv:2: `score` is 1e160, expected a number
s.csv | item,system,metric,score\n | correlate . --scores s.csv --metric m | s.csv: holds no scores
"#;

#[test]
fn tables_are_refused_with_their_place() {
    for [name, content, line, phrases] in table_rows(SPOILT) {
        let desk = spoilt();
        if name.starts_with("outputs") {
            fs::remove_file(desk.path("outputs.jsonl")).unwrap();
            fs::remove_file(desk.path("comparisons.jsonl")).unwrap();
        }
        desk.file(name, &content.replace("\\n", "\n"));
        refused(&desk.run(line), phrases);
    }
    // The largest number that can be squared and summed.
    let desk = spoilt();
    desk.file("judgments.csv", "item,system,criterion,score\n1,a,c,1e60\n");
    desk.run("check .").ok();
}

/// What a word means is for the user to say: no value is proposed, and where there is no word none is asked for.
#[test]
fn an_outcome_that_nobody_knows() {
    let desk = spoilt();
    let hint = |cell: &str| {
        let row = format!(
            "{{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"outcome\":{cell}}}\n"
        );
        desk.file("comparisons.jsonl", &row);
        let run = desk.run("check .");
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
fn a_criterion_that_no_judgment_has() {
    let desk = spoilt();
    let row = "{\"item\":\"1\",\"system\":\"a\",\"criterion\":\"fluency\",\"score\":3}\n";
    desk.file("judgments.jsonl", row);
    let said = |criterion: &str| {
        let toml = format!("name = \"x\"\n[criteria.{criterion}]\nrange = [1, 5]\n");
        desk.file("dataset.toml", &toml);
        let run = desk.run("check .");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    let told = said("fluencyy");
    let expected =
        "dataset.toml:2: no judgment is under the criterion `fluencyy` (did you mean `fluency`?)";
    assert_contains(&told, &[expected]);
    assert!(!said("fluency").contains("no judgment"));
    // They may still be to come.
    fs::remove_file(desk.path("judgments.jsonl")).unwrap();
    assert!(!said("fluencyy").contains("no judgment"));
}

#[test]
fn what_is_no_text() {
    let desk = spoilt();
    fs::write(
        desk.path("dataset.toml"),
        b"name = \"x\"\ntask = \"caf\xe9\"\n",
    )
    .unwrap();
    refused(&desk.run("check ."), "dataset.toml:2: invalid UTF-8");
    fs::write(desk.path("p.toml"), b"data = \"x\"\n\n# caf\xe9\n").unwrap();
    refused(&desk.run("run p.toml"), "p.toml:3: invalid UTF-8");
}

/// What is called wrongly in a pipeline on `data/tiny`, what its data or a table that a key names does not bear, and
/// what is said. SCORE, PREDICT and ITEMS are written out.
const PIPELINES: &str = r#"
[[score]]\nmetric = "bleu4" | p.toml:3 && unknown metric `bleu4`
[[score]]\nmetrics = "bleu" | p.toml:3 && metrics
[[simulate]]\nbandit = "rucbb" | p.toml:3 && did you mean `rucb`?
[[simulate]]\nbandit = "rucb"\npredictions = "nobody"\nmix = 0.5 | p.toml:4 && nobody
[[simulate]]\npredictions = [\n"data/mt-bench/hints/gpt-4.jsonl.gz",\n"nobody"] | p.toml:3 && nobody
[[simulate]]\npredictions = ["data/tiny", "data"]\nmix = 0.5 | p.toml:3 && 2 predictions to answer or eliminate by
[[predict]]\nmetric = "chrf"\nlink = "linear" | p.toml:3 && chrf
[[predict]]\nmetric = "chrf"\nlink = "linear"\nprecision = "bf16" | p.toml:5 && for a model
[[predict]]\ndraws = "adaptive:most=1" | p.toml:3 && at least 5
[[predict]]\ndraws = -1 | p.toml:3 && draws
[[predict]]\ndropout = "none" | p.toml:3 && last-layer
[[predict]]\nprecision = "f64" | p.toml:3 && bf16
SCORE[[fit]]\nmetric = "chrf"\nlink = "linear"\n[[predict]]\nmetric = "chrf"\nlink = "linear"\n[[simulate]]\npredictions = "chrf-linear"\nselect = { by = "bald", above = 0.1 } | p.toml:11 && BALD

SCORE[[rank]]\nstyle = true\nbaseline = "nobody" | :6 && baseline && `nobody`
SCORE[[simulate]]\nsystems = 99 | :5 && systems && expected 2 to 7
SCORE[[estimate]]\nmin-agreement = 7 | :5 && 7, expected a number from -1 to 1
SCORE[[estimate]]\nmin-seconds = -5 | :5 && -5, expected a number of at least 0
SCORE[[estimate]]\nstop = "width=5" | :5 && valid at any time
SCORE[[estimate]]\nestimator = "active" | probabilities
SCORE[[estimate]]\nstrata = ITEMS | :5 && no column `stratum`
SCORE[[estimate]]\nprobabilities = ITEMS | :5 && no column `probability`
SCORE[[rank]]\npredictions = ITEMS | :5 && no column `system_a`
SCORE[[correlate]]\nmetric = "chrf"\nscores = ITEMS | :6 && no column `system`
SCORE[[assess]]\npredictions = ITEMS | :5 && no column `system_a`
PREDICT\npairs = "pairs.csv" | pairs.csv:2 && nobody
PREDICT\ncalibration = ITEMS | items.jsonl:1 && expected key
PREDICT\n[[fit]]\nname = "again"\nmetric = "chrf"\nlink = "btl" | :13 && fitted twice
SCORE[[simulate]]\npredictions = "data/mt-bench/hints/gpt-4.jsonl.gz"\nselect = "bald:0.01" | :5 && BALD
PREDICT\n[[simulate]]\npredictions = "chrf-btl"\nmix = nan | :12 && from 0 to 1
PREDICT\n[[simulate]]\npredictions = "chrf-btl"\neliminate = { alpha = 0.0, copeland = 1.5 } | :12 && copeland is 1.5
SCORE[[simulate]]\nbudget = 9\nsteps = 5 | :6 && fewer than the budget
SCORE[[simulate]]\nbandit = "rmed"\nmodel = "tiny-electra"\nmix = 0.5\nsample = 3 | :8 && nothing to sample
"#;

#[test]
fn a_pipeline_is_refused_before_its_first_stage_runs() {
    let desk = Desk::empty();
    desk.file(
        "pairs.csv",
        "item,system_a,system_b\nitem-01,atlas,nobody\n",
    );
    let predict = r#"SCORE[[fit]]\nmetric = "chrf"\nlink = "btl"\n[[predict]]\nmetric = "chrf"\nlink = "btl""#;
    for [stages, phrases] in table_rows(PIPELINES) {
        let stages = stages.replace("PREDICT", predict);
        let stages = stages.replace("SCORE", r#"[[score]]\nmetric = "chrf"\n"#);
        let stages = stages.replace("ITEMS", r#""data/tiny/items.jsonl""#);
        let file = format!("data = \"data/tiny\"\n{stages}\n").replace("\\n", "\n");
        desk.file("p.toml", &here(&file));
        refused(&desk.run("run p.toml --out out"), phrases);
        let begun = ["out/score", "out/fit", "out/predict", "out/simulate"];
        assert!(
            begun.iter().all(|stage| !desk.path(stage).exists()),
            "ran before it was refused:\n{file}"
        );
    }
}

#[test]
fn what_was_made_otherwise_is_named() {
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out scores").ok();
    let direct = "mine --scores scores --metric chrf --link linear";
    desk.run(&format!("fit link {direct} --out link.toml")).ok();
    desk.run(&format!(
        "predict {direct} --calibration link.toml --out p.csv"
    ))
    .ok();
    desk.run("simulate mine --runs 2 --budget 50 --out rank")
        .ok();
    fs::create_dir_all(desk.path("other/chrf")).unwrap();
    desk.file("other/chrf/thesis.tex", "precious");
    for [line, phrases] in table_rows(
        "simulate mine --predictions p.csv --select bald:0.01 | BALD && uncertainty && margin:T
         score mine --metric chrf --seed 7 --out scores | seed && 42 && 7
         simulate mine --runs 3 --budget 50 --out rank | begun with runs = 2, now runs = 3
         simulate mine --runs 9 --budget 50 --out rank | begun with runs = 2, now runs = 9 && set runs = 2 again
         score mine --metric chrf --out other | thesis.tex",
    ) {
        refused(&desk.run(line), phrases);
    }
}

#[test]
fn the_other_system_of_a_row_is_not_meant() {
    let desk = spoilt();
    let row = |a: &str| format!("item,system_a,system_b,outcome\n1,{a},gpt-4,1\n");
    desk.file("outputs.csv", "item,system,output\n1,gpt-4,x\n1,llama,y\n");
    fs::remove_file(desk.path("outputs.jsonl")).unwrap();
    fs::remove_file(desk.path("comparisons.jsonl")).unwrap();
    for (name, hint) in [
        ("gpt-5", "every system must be named as in `outputs`"),
        ("lama", "did you mean `llama`?"),
    ] {
        desk.file("comparisons.csv", &row(name));
        refused(
            &desk.run("check ."),
            &format!("system `{name}` has no outputs && {hint}"),
        );
    }
}

#[cfg(not(any(feature = "cuda", feature = "metal")))]
#[test]
fn a_device_that_this_build_has_not() {
    for (device, name) in [("cuda:1", "GPU number 1 of CUDA"), ("metal", "Metal")] {
        let predict = ["predict", "data/tiny", "--device", device, "--out", "x"];
        refused(
            &tiebreak(&predict),
            &format!("{name} && --device cpu && build with the feature"),
        );
    }
}
