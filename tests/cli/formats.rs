//! Files of other tools at every door: as DATA of a command, and back again by `export`; text files without a data set.

use super::newcomer::Desk;
use super::{command, finished, text, tiebreak, tree};
use crate::support::{assert_contains, next_dir, say, skip_golden};
use expect_test::expect;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// A conversation of one turn.
fn turn(answer: &str) -> Value {
    json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": answer}])
}

/// A folder with votes of an arena.
fn votes() -> Desk {
    let desk = Desk::empty();
    let vote = |number: u32| {
        let row = json!({
            "question_id": format!("q{number}"), "model_a": "atlas", "model_b": "cedar",
            "winner": if number.is_multiple_of(5) { "model_b" } else { "model_a" }, "judge": format!("u{}", number % 7),
            "conversation_a": turn("Hello"), "conversation_b": turn("Bye"),
        });
        format!("{row}\n")
    };
    desk.file("votes.jsonl", &(0..60).map(vote).collect::<String>());
    desk
}

#[test]
fn a_pick_that_would_choose_nothing_is_refused() {
    let desk = votes();
    let rows = |system: &str| {
        let row = |item: u32| {
            let split = if item < 3 { "test" } else { "train" };
            format!("{item},{system},text,{split}\n")
        };
        (0..9).map(row).collect::<String>()
    };
    let outputs = format!("item,system,output,split\n{}{}", rows("a"), rows("b"));
    fs::create_dir(desk.path("folder")).unwrap();
    for name in ["split.csv", "folder/outputs.csv"] {
        desk.file(name, &outputs);
    }
    desk.file("rated.csv", "item,system,score\n1,a,2\n1,b,3\n");
    for (data, of) in [
        ("split.csv", "tables"),
        ("folder", "tables"),
        ("rated.csv", "tables"),
        ("votes.jsonl", "arena"),
    ] {
        for verb in ["check", "import --out new"] {
            let done = desk.run(&format!("{verb} {data} --pick split=test"));
            assert_eq!(done.code, Some(2), "{verb} {data}");
            let what = format!("--pick split=test: nothing can be picked of {of}");
            let hint = "write the rows that are meant to a file";
            assert_contains(&done.stderr, &[&what, hint]);
        }
    }
}

#[test]
fn a_blank_annotator_is_nobody() {
    let desk = Desk::empty();
    fs::create_dir(desk.path("folder")).unwrap();
    let table = "item,system_a,system_b,outcome,annotator\n1,a,b,1,ann\n2,a,b,0, \n3,a,b,1,\n";
    for name in ["alone.csv", "folder/comparisons.csv"] {
        desk.file(name, table);
    }
    for data in ["alone.csv", "folder"] {
        let found = desk.run(&format!("check {data} --json")).json();
        let who = found["annotators"].as_array().unwrap().iter();
        let who: Vec<&Value> = who.map(|one| &one["annotator"]).collect();
        assert_eq!(who, [&Value::Null, &json!("ann")], "{data}");
    }
}

#[test]
fn a_file_of_another_tool_is_data_for_every_command() {
    let desk = votes();
    let direct = desk.run("rank votes.jsonl --json").json();
    assert_eq!(direct["claim"]["systems"][0], "atlas");
    desk.run("import votes.jsonl --out data").ok();
    assert_eq!(desk.run("rank data --json").json(), direct);
    desk.run("check votes.jsonl").ok();
    let quiet = desk.run("rank votes.jsonl --quiet");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    let votes = fs::read_to_string(desk.path("votes.jsonl")).unwrap();
    desk.file("typed.jsonl", &votes.replacen("\"atlas\"", "\"Atlas\"", 1));
    expect![[r#"
        $ import votes.jsonl --out data
        60 items, 2 systems, 120 outputs, 60 comparisons, source, 0 references an item
        read as: Chatbot Arena votes
        systems: atlas, cedar
        systems: model_a, model_b; item: the battle; outcome: winner; annotator: judge
        next: tiebreak check data
        next: tiebreak rank data
        $ import typed.jsonl --out other
        60 items, 3 systems, 120 outputs, 60 comparisons, source, 0 references an item
        read as: Chatbot Arena votes
        systems: Atlas, cedar, atlas
        systems: model_a, model_b; item: the battle; outcome: winner; annotator: judge
        note: similar names: Atlas and atlas differ only in capitals, blanks, hyphens, underscores or the Unicode form of letters; a system needs one name
        next: tiebreak check other
        next: tiebreak rank other
    "#]].assert_eq(&desk.session(
        "import votes.jsonl --out data
         import typed.jsonl --out other",
    ));
}

/// The tables that are made of DATA lie in a temporary folder, of which nobody should hear.
#[test]
fn a_mistake_in_what_is_imported_names_what_the_user_named() {
    let desk = Desk::empty();
    fs::create_dir(desk.path("mixed")).unwrap();
    for (name, content) in [
        (
            "mixed/o.jsonl",
            "{\"item\":\"1\",\"system\":\"a\",\"output\":\"one\"}\n",
        ),
        (
            "mixed/votes.csv",
            "item,system,criterion,score\n1,a,tone,1e100\n",
        ),
        (
            "ratings.csv",
            "item,system,output,fluency\n1,a,Hello,5\n1,b,Hi,3\n",
        ),
        (
            "rated.csv",
            "item,system,output,fluency,tone\n1,a,Hello,5,2\n1,b,Hi,3,\n2,a,So,7,7\n",
        ),
        ("a.txt", "one\n"),
        ("b.txt", "one\n"),
    ] {
        desk.file(name, content);
    }
    expect![[r#"
        $ check mixed
        error: mixed/votes.csv:2: `score` is 1e100, expected a number between -1e60 and 1e60
        exit 2
        $ check ratings.csv
        error: ratings.csv: columns of numbers next to the outputs: fluency; are they ratings?
        hint: say which: tiebreak import ratings.csv --criteria fluency --out DIR or tiebreak import ratings.csv --criteria none --out DIR
        exit 2
        $ estimate rated.csv --criterion fluency --range 1,5 --quiet
        error: rated.csv:4: a judgment is 7, outside the given range. Of 3 judgments of fluency, which go from 3 to 7, 1 is outside
        hint: --range LO,HI is the scale people judged on
        exit 2
        $ score a.txt b.txt --metric chrf --paired-bs
        error: a.txt: only `b` has outputs
        hint: a paired test compares a baseline with at least one other system
        exit 2
    "#]].assert_eq(&desk.session(
        "check mixed
         check ratings.csv
         estimate rated.csv --criterion fluency --range 1,5 --quiet
         score a.txt b.txt --metric chrf --paired-bs",
    ));
}

#[test]
fn words_for_outcomes_are_said_on_the_command_line_or_in_the_data_set() {
    let desk = Desk::empty();
    let row = |item: u32| {
        let word = if item.is_multiple_of(4) { "yes" } else { "no" };
        format!("{item},atlas,cedar,{word}\n")
    };
    let rows: String = (0..20).map(row).collect();
    fs::create_dir(desk.path("data")).unwrap();
    for name in ["comparisons.csv", "data/comparisons.csv"] {
        desk.file(name, &format!("item,system_a,system_b,outcome\n{rows}"));
    }
    let said = desk
        .run("rank comparisons.csv --outcome yes=0,no=1 --json")
        .json();
    assert_eq!(said["strengths"][0]["system"], "atlas");
    desk.file("data/dataset.toml", "[outcomes]\nyes = 0\nno = 1\n");
    let written = desk.run("rank data --json").json();
    assert_eq!(written["strengths"], said["strengths"]);
    desk.file("data/dataset.toml", "[outcomes]\nyes = 3\n");
    expect![[r#"
        $ rank comparisons.csv
        error: comparisons.csv:2: outcome is yes, expected 0, 0.5 or 1
        hint: say what it means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 'yes=NUMBER'
        exit 2
        $ rank data
        error: data/dataset.toml:2: outcome `yes` is not 1, 0.5, 0, none or name
        hint: write [outcomes] on a line of its own, then lines like model_a = 1, tie = 0.5 and unsure = "none"
        exit 2
    "#]]
    .assert_eq(&desk.session("rank comparisons.csv\nrank data"));
}

#[test]
fn what_is_exported_for_an_arena_is_the_same_when_it_comes_back() {
    let desk = Desk::new();
    // The same command writes the same bytes, and nothing writes over something else.
    expect![[r#"
        $ export mine --as arena --out arena.jsonl
        arena.jsonl: 3055 rows
        written: arena.jsonl
        $ export mine --as arena --out arena.jsonl
        arena.jsonl: 3055 rows
        written: arena.jsonl
        $ export mine --as trl --out arena.jsonl
        error: arena.jsonl: already there, with other content
        hint: choose another name, or rename the existing one with --force
        exit 2
    "#]]
    .assert_eq(&desk.session(
        "export mine --as arena --out arena.jsonl
         export mine --as arena --out arena.jsonl
         export mine --as trl --out arena.jsonl",
    ));
    let ranked = |data: &str| desk.run(&format!("rank {data} --json")).json()["strengths"].clone();
    assert_eq!(ranked("arena.jsonl"), ranked("mine"));
    // Preferences have no ties, and plain tables have all answers.
    expect![[r#"
        $ export mine --as rewardbench --out p.jsonl
        p.jsonl: 2099 rows
        left out: 956 (ties, where neither was chosen)
        written: p.jsonl
        $ export mine --as parquet --out plain
        plain/comparisons.parquet: 3055 rows
        plain/judgments.parquet: 1040 rows
        written: plain
        $ export mine --as csv --out all.csv
        error: comparisons and judgments are two tables
        hint: name a folder for them
        exit 2
        $ export mine --as areena --out x
        error: --as: unknown form `areena`
        hint: did you mean `arena`? forms are answers, arena, csv, eval-results, every-eval-ever, inspect-scores, jsonl, latex, markdown, mt-metrics-eval, parquet, rewardbench, trl
        exit 2
    "#]].assert_eq(&desk.session(
        "export mine --as rewardbench --out p.jsonl
         export mine --as parquet --out plain
         export mine --as csv --out all.csv
         export mine --as areena --out x",
    ));
    assert_eq!(ranked("plain"), ranked("mine"));
    let lines = |name: &str| fs::read_to_string(desk.path(name)).unwrap().lines().count();
    assert_eq!((lines("arena.jsonl"), lines("p.jsonl")), (3055, 2099));
    // Into a folder that is there, and to standard output.
    fs::create_dir(desk.path("here")).unwrap();
    desk.run("export mine --as rewardbench --out here").ok();
    let printed = desk.run("export mine --as rewardbench --out -");
    let whole = fs::read_to_string(desk.path("p.jsonl")).unwrap();
    assert_eq!(
        fs::read_to_string(desk.path("here/preferences.jsonl")).unwrap(),
        whole
    );
    assert_eq!(printed.stdout, whole);
    assert!(
        printed.stderr.contains("left out: 956 (ties"),
        "{}",
        printed.stderr
    );
    desk.run("export mine --as csv --out -")
        .refused(&["several files", "hint: name a folder"]);
    desk.run("export mine --as arena --out votes.jsonl.gz")
        .refused(&["arena is written uncompressed", "leave the last ending out"]);
    desk.run("export mine --as arena --out new/").ok();
    assert_eq!(lines("new/votes.jsonl"), 3055);
}

#[test]
fn votes_that_both_were_bad_come_back_from_an_arena_as_such() {
    let desk = Desk::empty();
    let votes = ["tie (bothbad)", "both_bad", "tie", "model_b"].map(|winner| {
        let row = json!({"question_id": winner, "model_a": "ant", "model_b": "bee", "winner": winner,
            "conversation_a": turn("yo"), "conversation_b": turn("ya")});
        format!("{row}\n")
    });
    desk.file("votes.jsonl", &votes.concat());
    desk.run("import votes.jsonl --out data").ok();
    desk.run("export data --as arena --out back.jsonl").ok();
    let winners = fs::read_to_string(desk.path("back.jsonl")).unwrap();
    let winners = winners.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        row["winner"].as_str().unwrap().to_string()
    });
    // In the order of items.
    let expected = ["tie (bothbad)", "model_b", "tie", "tie (bothbad)"];
    assert_eq!(winners.collect::<Vec<_>>(), expected);
}

/// A test set of mt-metrics-eval, scored, as that toolkit wants the scores.
#[test]
fn scores_go_back_to_mt_metrics_eval() {
    let desk = Desk::empty();
    for (path, lines) in [
        ("set/sources/en-de.txt", "One.\nTwo.\n"),
        ("set/references/en-de.refA.txt", "Eins.\nZwei.\n"),
        ("set/system-outputs/en-de/atlas.txt", "Eins.\nDrei.\n"),
        ("set/system-outputs/en-de/cedar.txt", "\nZwei.\n"),
    ] {
        fs::create_dir_all(desk.path(path).parent().unwrap()).unwrap();
        desk.file(path, lines);
    }
    desk.run("score set --metric chrf --out scores.csv").ok();
    expect![[r#"
        $ export set --as mt-metrics-eval --out out
        2 items, 2 systems, 4 outputs, source, 1 reference an item
        read as: mt-metrics-eval test set
        systems: atlas, cedar
        item: language pair and line; system: file in system-outputs; criteria: human-scores of segments
        outputs that are null or empty, kept as empty texts: 1
        error: mt-metrics-eval has scores of a metric, and none are given
        hint: name them: --scores scores.csv --metric chrf
        exit 2
        $ export set --as mt-metrics-eval --out out --scores scores.csv --metric chrf
        out/metric-scores/en-de/chrf-refA.seg.score: 4 rows
        out/metric-scores/en-de/chrf-refA.sys.score: 2 rows
        2 items, 2 systems, 4 outputs, source, 1 reference an item
        read as: mt-metrics-eval test set
        systems: atlas, cedar
        item: language pair and line; system: file in system-outputs; criteria: human-scores of segments
        outputs that are null or empty, kept as empty texts: 1
        written: out
        $ cat out/metric-scores/en-de/chrf-refA.seg.score
        atlas	100
        atlas	28.666666666666668
        cedar	0
        cedar	100
        $ cat out/metric-scores/en-de/chrf-refA.sys.score
        atlas	64.33333333333333
        cedar	50
    "#]].assert_eq(&desk.session(
        "export set --as mt-metrics-eval --out out
         export set --as mt-metrics-eval --out out --scores scores.csv --metric chrf
         cat out/metric-scores/en-de/chrf-refA.seg.score
         cat out/metric-scores/en-de/chrf-refA.sys.score",
    ));
}

#[test]
fn text_files_are_scored_without_a_data_set() {
    let desk = Desk::new();
    let [reference, atlas, cedar] =
        ["reference", "atlas", "cedar"].map(|name| format!("mine/text/{name}.en"));
    let scored = desk
        .run(&format!(
            "score {reference} {atlas} {cedar} --metric bleu chrf --json"
        ))
        .json();
    let rows = scored.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let of = |metric: &str| {
        let mut rows = rows.iter();
        rows.find(|row| row["metric"] == metric && row["system"] == "atlas")
            .unwrap()
    };
    desk.run(&format!(
        "import --reference {reference} --system atlas={atlas} --out data"
    ))
    .ok();
    let whole = desk
        .run("score data --metric bleu chrf --corpus --json")
        .json();
    for row in whole.as_array().unwrap() {
        let of = of(row["metric"].as_str().unwrap());
        assert_eq!(
            (&of["score"], &of["signature"]),
            (&row["score"], &row["signature"])
        );
    }
    expect![[r#"
        $ score mine/text/reference.en mine/text/atlas.en --metric bleu
        system  corpus bleu
        atlas         54.75

        bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:4|version:1
    "#]]
    .assert_eq(&desk.session(&format!("score {reference} {atlas} --metric bleu")));
    let mut piped = command(&[
        "score",
        "data/tiny/text/reference.en",
        "-",
        "--metric bleu --json",
    ]);
    let mut child = piped
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = fs::read(desk.path(&atlas)).unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let found = finished(&child.wait_with_output().unwrap()).json();
    assert_eq!(found[0]["score"], of("bleu")["score"]);
}

#[test]
fn formats_are_listed_with_what_can_be_picked() {
    let listed = tiebreak(&["list", "formats"]).ok();
    assert_contains(&listed, &["lm-eval", "parameters: filter, text"]);
    let desk = Desk::new();
    desk.run("score mine --metric chrf --out scores.csv").ok();
    let refused = desk.run("check scores.csv");
    assert_eq!(refused.code, Some(2), "a table of scores is no data set");
}

#[test]
fn what_is_left_out_of_a_folder_is_told_where_data_are_expected() {
    let desk = Desk::empty();
    fs::create_dir(desk.path("log")).unwrap();
    let vote = |number: usize| {
        format!(
            "{{\"question_id\":\"x{number}\",\"model_a\":\"atlas\",\"model_b\":\"cedar\",\"winner\":\"model_a\"}}\n"
        )
    };
    desk.file("log/votes.jsonl", &(0..20).map(vote).collect::<String>());
    desk.file("log/more.jsonl", "");
    expect![[r#"
        20 items, 2 systems, 20 comparisons
        read as: Chatbot Arena votes
        systems: atlas, cedar
        systems: model_a, model_b; item: the battle; outcome: winner
        left out: log/more.jsonl (empty)
    "#]]
    .assert_eq(&desk.run("rank log").stderr);
    let imported = desk.run("import log --out out --json").json();
    assert_eq!(imported["left_out"][0]["rule"], "empty");
    desk.file("log/more.jsonl", &vote(20).replace(':', ""));
    expect![[r#"
        $ rank log
        error: log/more.jsonl:1: broken JSON: expected `:`
        hint: copy it again, or move it out of the folder, or name the files that are to be read in place of the folder
        exit 2
    "#]].assert_eq(&desk.session("rank log"));
}

/// What a text takes: the same numbers as those of `rank` and `estimate`.
#[test]
fn a_ranking_becomes_a_table_of_a_text() {
    let desk = Desk::new();
    let told = desk.run("rank mine").ok();
    let verdict = told.lines().next().unwrap();
    // A judge's verdicts are called so, in the judge's name.
    fs::create_dir(desk.path("judged")).unwrap();
    let row = |item: u32, system: &str| format!("{item},{system},{system} {item}\n");
    let outputs: String = (0..9).map(|i| row(i, "a") + &row(i, "b")).collect();
    desk.file(
        "judged/outputs.csv",
        &format!("item,system,output\n{outputs}"),
    );
    let row = |item: u32| format!("{item},a,b,{},gpt-x\n", u32::from(item > 2));
    let verdicts: String = (0..9).map(row).collect();
    desk.file(
        "judged/predictions.csv",
        &format!("item,system_a,system_b,p,judge\n{verdicts}"),
    );
    let rated = "item,system,criterion,score\n1,a_b,fun,1\n2,a_b,fun,3\n1,c,fun,5\n2,c,fun,4\n";
    desk.file("rated.csv", rated);
    let tables = desk.session(
        "export mine --as markdown --out ranking.md
         cat ranking.md
         export mine --as latex --out ranking.tex
         cat ranking.tex
         export judged --as markdown --out judged.md --predictions judged/predictions.csv
         cat judged.md
         export rated.csv --as latex --out rated.tex
         cat rated.tex",
    );
    assert_eq!(tables.matches(verdict).count(), 2);
    expect![[r#"
        $ export mine --as markdown --out ranking.md
        ranking.md: 7 rows
        written: ranking.md
        $ cat ranking.md
        | Rank | System | Strength | Interval | Comparisons |
        | --- | --- | ---: | ---: | ---: |
        | 1-4 | cedar | 0.604 | [0.400, 0.808] | 883 |
        | 1-4 | delta | 0.505 | [0.311, 0.699] | 867 |
        | 1-4 | atlas-rerun | 0.371 | [0.189, 0.554] | 867 |
        | 1-4 | atlas | 0.318 | [0.120, 0.515] | 879 |
        | 5-6 | fjord | -0.129 | [-0.427, 0.169] | 870 |
        | 5-6 | ember | -0.254 | [-0.559, 0.051] | 880 |
        | 7 | birch | -1.415 | [-1.742, -1.088] | 864 |

        Not decided yet. 3,055 comparisons cannot separate cedar, delta, atlas-rerun and atlas. Strengths are log-odds against the average system; a tie counts half. Evidence: 3,055 comparisons. All intervals and all ranks together hold with 95 % confidence, for these annotators and items like these. Annotators count as often as they answered. The model gives each system one strength, and a stronger one wins more often.
        $ export mine --as latex --out ranking.tex
        ranking.tex: 7 rows
        written: ranking.tex
        $ cat ranking.tex
        \begin{tabular}{llrrr}
        \hline
        Rank & System & Strength & Interval & Comparisons \\
        \hline
        1-4 & cedar & 0.604 & {[}0.400, 0.808{]} & 883 \\
        1-4 & delta & 0.505 & {[}0.311, 0.699{]} & 867 \\
        1-4 & atlas-rerun & 0.371 & {[}0.189, 0.554{]} & 867 \\
        1-4 & atlas & 0.318 & {[}0.120, 0.515{]} & 879 \\
        5-6 & fjord & -0.129 & {[}-0.427, 0.169{]} & 870 \\
        5-6 & ember & -0.254 & {[}-0.559, 0.051{]} & 880 \\
        7 & birch & -1.415 & {[}-1.742, -1.088{]} & 864 \\
        \hline
        \end{tabular}
        % Not decided yet. 3,055 comparisons cannot separate cedar, delta, atlas-rerun and atlas. Strengths are log-odds against the average system; a tie counts half. Evidence: 3,055 comparisons. All intervals and all ranks together hold with 95 % confidence, for these annotators and items like these. Annotators count as often as they answered. The model gives each system one strength, and a stronger one wins more often.
        $ export judged --as markdown --out judged.md --predictions judged/predictions.csv
        judged.md: 2 rows
        written: judged.md
        $ cat judged.md
        | Rank | System | Strength | Interval | Verdicts |
        | --- | --- | ---: | ---: | ---: |
        | 1-2 | a | 0.326 | [-0.479, 1.132] | 9 |
        | 1-2 | b | -0.326 | [-1.132, 0.479] | 9 |

        Not decided yet. 9 verdicts by gpt-x, not by people, cannot separate the 2 systems. Strengths are log-odds against the average system; a tie counts half. Evidence: 9 verdicts by gpt-x, not by people. All intervals and all ranks together hold with 95 % confidence, for this judge and items like these. The model gives each system one strength, and a stronger one wins more often.
        $ export rated.csv --as latex --out rated.tex
        rated.tex: 2 rows
        2 items, 2 systems, 4 judgments
        read as: tables of outputs, comparisons, judgments or ratings
        systems: a_b, c
        criteria: fun
        written: rated.tex
        $ cat rated.tex
        \begin{tabular}{llrrr}
        \hline
        Criterion & System & Mean & Interval & Judgments \\
        \hline
        fun & c & 4.500 & {[}-1.853, 10.853{]} & 2 \\
        fun & a\_b & 2.000 & {[}-10.706, 14.706{]} & 2 \\
        \hline
        \end{tabular}
        % Each interval holds by itself with 95 % confidence.
    "#]].assert_eq(&tables);
}

/// The mean of each system with its uncertainty, where the validator of Every Eval Ever looks for it.
#[test]
fn mean_judgments_become_aggregates_of_every_eval_ever() {
    let desk = Desk::empty();
    let row = |i: u32| {
        let (alpha, beta) = (1 + i % 5, 5 - i % 3);
        format!("{i},acme/alpha,adequacy,{alpha}\n{i},beta,adequacy,{beta}\n")
    };
    let rows: String = (0..8).map(row).collect();
    desk.file(
        "people.csv",
        &format!("item,system,criterion,score\n{rows}"),
    );
    expect![[r#"
        $ export people.csv --as every-eval-ever --out out
        8 items, 2 systems, 16 judgments
        read as: tables of outputs, comparisons, judgments or ratings
        systems: acme/alpha, beta
        criteria: adequacy
        error: no developer is named for the system `beta`
        hint: name one for all systems whose names are not DEVELOPER/MODEL: --developer NAME
        exit 2
    "#]]
    .assert_eq(&desk.session("export people.csv --as every-eval-ever --out out"));
    assert!(
        !desk.path("out").exists(),
        "nothing is written before all are named"
    );
    // The same command writes the same files.
    for _ in 0..2 {
        desk.run("export people.csv --as every-eval-ever --out out --developer lab")
            .ok();
    }
    let estimates = desk.run("estimate people.csv --json").json()["estimates"].clone();
    let found = tree(&desk.path("out"));
    assert_eq!(found.len(), 2);
    for ((path, bytes), estimate) in found.iter().zip(estimates.as_array().unwrap()) {
        let document: Value = serde_json::from_slice(bytes).unwrap();
        let id = document["model_info"]["id"].as_str().unwrap();
        assert!(
            path.starts_with(format!("data/people/{id}")),
            "{}",
            path.display()
        );
        let details = &document["evaluation_results"][0]["score_details"];
        assert_eq!(details["score"], estimate["estimate"]);
        let uncertainty = &details["uncertainty"];
        assert_eq!(uncertainty["num_samples"], 8);
        let interval = &uncertainty["confidence_interval"];
        for end in ["lower", "upper"] {
            assert_eq!(interval[end], estimate[end]);
        }
        assert_eq!(interval["confidence_level"], 0.95);
        let method = "tiebreak estimate, estimator mean: approximate interval over items";
        assert_eq!(interval["method"], method);
    }
}

/// Several annotators become one value, as Inspect takes no two records of a sample.
#[test]
fn mean_judgments_become_records_of_inspect() {
    let desk = Desk::empty();
    let rows = "rivers/r1,m/lion,clarity,3,ana\nrivers/r1,m/lion,clarity,2,ben\nrivers/3,m/lion,clarity,1,ana\nrivers/3,m/wolf,clarity,5,ana\n";
    desk.file(
        "rated.csv",
        &format!("item,system,criterion,score,annotator\n{rows}"),
    );
    desk.run("export rated.csv --as inspect-scores --out out")
        .ok();
    let written = ["m_lion", "m_wolf"].map(|name| {
        let written = fs::read_to_string(desk.path(&format!("out/{name}.jsonl"))).unwrap();
        let mut lines: Vec<String> = written.lines().map(str::to_string).collect();
        lines.sort();
        lines.join("\n")
    });
    let lion = "{\"id\":\"3\",\"value\":1.0}\n{\"id\":\"r1\",\"value\":2.5}";
    assert_eq!(written, [lion, "{\"id\":\"3\",\"value\":5.0}"]);
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
        "--as inspect-scores --out",
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
    let desk = Desk::empty();
    let row = |i: u64| {
        format!(
            "{i},acme/alpha,adequacy,{}\n{i},beta,\"a: \"\"b\"\"\",0\n",
            1 + i % 5
        )
    };
    let rows: String = (0..8).map(row).collect();
    desk.file(
        "people.csv",
        &format!("item,system,criterion,score\n{rows}"),
    );
    expect![[r#"
        $ export people.csv --as eval-results --out out
        8 items, 2 systems, 16 judgments
        read as: tables of outputs, comparisons, judgments or ratings
        systems: acme/alpha, beta
        criteria: adequacy, a: "b"
        error: the data set at the Hub is not named as OWNER/NAME
        hint: say whose results these are: --benchmark OWNER/NAME
        exit 2
        $ export people.csv --as eval-results --out out --benchmark lab/quality
        out/acme/alpha/.eval_results/quality.yaml: 1 rows
        out/beta/.eval_results/quality.yaml: 1 rows
        8 items, 2 systems, 16 judgments
        read as: tables of outputs, comparisons, judgments or ratings
        systems: acme/alpha, beta
        criteria: adequacy, a: "b"
        written: out
        $ cat out/acme/alpha/.eval_results/quality.yaml
        - dataset:
            id: "lab/quality"
            task_id: "adequacy"
          value: 2.625
          notes: "mean of 8 judgments; 95 % interval over items [1.589, 4.028] (tiebreak estimate)"
        $ cat out/beta/.eval_results/quality.yaml
        - dataset:
            id: "lab/quality"
            task_id: "a: \"b\""
          value: 0
          notes: "mean of 8 judgments; 95 % interval over items [0, 0.3694] (tiebreak estimate)"
    "#]]
    .assert_eq(&desk.session(
        "export people.csv --as eval-results --out out
         export people.csv --as eval-results --out out --benchmark lab/quality
         cat out/acme/alpha/.eval_results/quality.yaml
         cat out/beta/.eval_results/quality.yaml",
    ));
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
        "--as every-eval-ever --out",
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
