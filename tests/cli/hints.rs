//! Hints are commands to copy: each `next:` line, and each command of an error that names its data, runs as printed.

use super::live::Live;
use super::verdicts::{alpaca, mt_bench};
use super::{command, finished, tree};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

/// The most commands from one beginning to the last hint.
const DEPTH: usize = 4;

/// Splits a command line as a shell does, where quotes are single ones.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The commands that a text asks for: all on lines `next:`, and those elsewhere that name something in the folder.
fn hints(said: &str, folder: &Path) -> Vec<String> {
    let next = said
        .lines()
        .filter_map(|line| line.strip_prefix("next: tiebreak "));
    let quoted = said
        .split('`')
        .filter_map(|part| part.strip_prefix("tiebreak "));
    let about_data = |one: &&str| {
        let mut words = shell_words(one).into_iter();
        words.any(|word| !word.is_empty() && folder.join(word).exists())
    };
    let quoted = quoted.filter(about_data);
    next.chain(quoted).map(str::to_string).collect()
}

/// A folder with everything that is imported.
fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().unwrap();
    let at = |name: &str| desk.path().join(name);
    for name in ["tiny", "mt-bench"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("data")
            .join(name);
        for (file, bytes) in tree(&from) {
            let to = at(name).join(file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, bytes).unwrap();
        }
    }
    for (name, make) in [("alpaca", alpaca as fn(&Path) -> _), ("bench", mt_bench)] {
        fs::create_dir(at(name)).unwrap();
        make(&at(name));
    }
    let votes = |n: usize| {
        let winner = ["model_a", "model_b", "tie"][n % 3];
        format!(
            "{{\"question_id\":\"q{n}\",\"model_a\":\"gpt\",\"model_b\":\"llama\",\"winner\":\"{winner}\",\"judge\":\"u{}\",\
             \"conversation_a\":[{{\"role\":\"user\",\"content\":\"hi {n}\"}},{{\"role\":\"assistant\",\"content\":\"yo {n}\"}}],\
             \"conversation_b\":[{{\"role\":\"user\",\"content\":\"hi {n}\"}},{{\"role\":\"assistant\",\"content\":\"hello {n}\"}}],\
             \"turn\":1,\"anony\":true,\"language\":\"English\",\"tstamp\":1.0}}\n",
            n % 2
        )
    };
    fs::write(at("votes.jsonl"), (0..12).map(votes).collect::<String>()).unwrap();
    let pairs =
        |n: usize| format!("{{\"prompt\":\"q{n}\",\"chosen\":\"yes\",\"rejected\":\"no\"}}\n");
    fs::write(at("prefs.jsonl"), (0..4).map(pairs).collect::<String>()).unwrap();
    fs::write(
        at("my wide.csv"),
        "item,source,a,b\n1,one,eins,uno\n2,two,zwei,due\n",
    )
    .unwrap();
    let rated = |n: usize| {
        let system = ["a", "b"][n % 2];
        format!("q{},{system},fluency,{},ana\n", n / 2, n % 5 + 1)
    };
    let rows: String = (0..20).map(rated).collect();
    fs::create_dir(at("rated")).unwrap();
    fs::write(
        at("rated/judgments.csv"),
        format!("item,system,criterion,score,annotator\n{rows}"),
    )
    .unwrap();
    desk
}

/// What a user begins with; what is printed then leads on.
const BEGINNINGS: [&str; 14] = [
    "import alpaca/log --out alpaca-set",
    "rank alpaca/log",
    "rank alpaca/log --verdicts",
    "import bench/log --out bench-set",
    "rank bench/log --verdicts",
    "rank mt-bench --verdicts mt-bench/hints/gpt-4.jsonl.gz",
    "import votes.jsonl --out votes",
    "import prefs.jsonl --out prefs",
    "import --wide 'my wide.csv' --system a --system b --out 'my set'",
    "import --reference tiny/text/reference.en --system a=tiny/text/atlas.en --system b=tiny/text/birch.en --out lines",
    "score tiny --metric chrf --out s.csv",
    "rank tiny --out ranked",
    "check rated",
    "rank rated",
];

#[test]
fn every_hint_runs_as_it_is_printed() {
    let desk = desk();
    let mut met = BTreeSet::new();
    let begun = BEGINNINGS.map(|line| (0, line.to_string()));
    let mut waiting: VecDeque<(usize, String)> = begun.into();
    let (mut run, mut hinted) = (0, 0);
    while let Some((depth, line)) = waiting.pop_front() {
        if !met.insert(line.clone()) {
            continue;
        }
        // Campaigns are all called RUN, and each is of its own data.
        if line.starts_with("ask ") {
            let _ = fs::remove_dir_all(desk.path().join("RUN"));
            let _ = fs::remove_file(desk.path().join("questions.csv"));
        }
        let words = shell_words(&line);
        // Two logs may be called the same.
        if depth > 0 && line.starts_with("import ") {
            let _ = fs::remove_dir_all(desk.path().join(words.last().unwrap()));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut asked = command(&words);
        let ran = finished(&asked.current_dir(desk.path()).output().unwrap());
        // A beginning may be refused, with a hint; a hint must not.
        let refused = ran.code != Some(0);
        assert!(!refused || depth == 0, "tiebreak {line}\n{}", ran.stderr);
        run += 1;
        let said = format!("{}\n{}", ran.stdout, ran.stderr);
        let next = hints(&said, desk.path());
        hinted += next.len();
        if depth < DEPTH {
            waiting.extend(next.into_iter().map(|line| (depth + 1, line)));
        }
    }
    assert!(
        run > BEGINNINGS.len() + 12 && hinted > 15,
        "{run} commands, {hinted} hints"
    );
}

/// People who type what stands after `next` come to a verdict.
#[test]
fn a_campaign_is_run_by_its_own_hints() {
    let live = Live::new();
    let mut line = "ask run data --out questions.csv".to_string();
    for round in 0.. {
        assert!(round < 40, "no verdict: {line}");
        let words = shell_words(&line);
        if words[0] == "tell" {
            let sheet = words.last().unwrap();
            live.fill(sheet, "filled.csv");
            fs::rename(live.path("filled.csv"), live.path(sheet)).unwrap();
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut asked = command(&words);
        let ran = finished(&asked.current_dir(live.path("")).output().unwrap());
        let said = ran.ok();
        let mut lines = said.lines();
        let next = lines.find_map(|line| line.strip_prefix("next "));
        let next = next.unwrap_or_else(|| panic!("no next step: {said}"));
        match next.rsplit_once(": tiebreak ") {
            Some((_, command)) => line = command.to_string(),
            None => {
                assert_eq!(next.trim(), "nothing: the campaign is over");
                assert!(round >= 3, "{round}");
                break;
            }
        }
    }
}

#[test]
fn words_are_split_as_a_shell_splits_them() {
    let words = shell_words("ask RUN 'my set' --metric 'a:b c' --out q.csv");
    assert_eq!(
        words,
        [
            "ask", "RUN", "my set", "--metric", "a:b c", "--out", "q.csv"
        ]
    );
}
