//! By which rules files are left out, and what stands in their place.

use crate::records::Folder;
use crate::records::formats::{from, refused};
use crate::support::assert_contains;
use std::fs;
use std::os::unix::fs::symlink;
use tiebreak::records::import::{ExcludedFiles, ImportOptions, ImportSummary};

const VOTES: &str =
    r#"{"question_id":"x1","model_a":"atlas","model_b":"cedar","winner":"model_a"}"#;

fn rules(folder: &Folder, imported: &ImportSummary) -> Vec<(String, Vec<String>)> {
    let root = format!("{}/", folder.path().display());
    let plain = |ExcludedFiles { rule, files }: &ExcludedFiles| {
        let files = files.iter().map(|file| file.replace(&root, ""));
        (rule.clone(), files.collect())
    };
    imported.left_out.iter().map(plain).collect()
}

fn rule(rule: &str, files: &[&str]) -> (String, Vec<String>) {
    (
        rule.to_string(),
        files.iter().map(ToString::to_string).collect(),
    )
}

#[test]
fn what_is_not_read_is_named_with_the_rule() {
    let folder = Folder::with(&[
        ("d/votes.jsonl", VOTES),
        ("d/.cache/x.json", "{"),
        ("d/README.md", "# Votes"),
        ("d/list.json", "[]"),
        ("d/none.jsonl", "\n"),
        ("d/prices.csv", "system,price\natlas,1\n"),
        ("elsewhere/more.jsonl", VOTES),
    ]);
    fs::create_dir(folder.path().join("d/later")).unwrap();
    symlink("../elsewhere", folder.path().join("d/linked")).unwrap();
    let imported = from(&folder, &["d"], &ImportOptions::default()).unwrap();
    let expected = [
        rule("a link to a folder", &["d/linked"]),
        rule("an empty folder", &["d/later"]),
        rule("empty", &["d/none.jsonl"]),
        rule("hidden", &["d/.cache"]),
        rule("no records", &["d/README.md", "d/list.json"]),
        rule("not of this format", &["d/prices.csv"]),
    ];
    assert_eq!(rules(&folder, &imported), expected);
    let told = imported.to_string();
    assert_contains(&told, &["d/README.md, ", "d/list.json (no records)\n"]);
}

#[test]
fn what_a_state_does_not_name_is_left_out() {
    let rows = "item,system_a,system_b,outcome\n1,atlas,cedar,1\n";
    let folder = Folder::with(&[
        (
            "d/state.json",
            r#"{"_data_files": [{"filename": "0.csv"}]}"#,
        ),
        ("d/0.csv", rows),
        ("d/1.csv", rows),
        ("s/dataset_dict.json", r#"{"splits": ["train"]}"#),
        ("s/train/0.csv", rows),
        ("s/test/0.csv", rows),
    ]);
    let left_out = |input: &str| {
        let imported = from(&folder, &[input], &ImportOptions::default()).unwrap();
        assert_eq!(imported.comparisons, 1);
        rules(&folder, &imported)
    };
    assert_eq!(
        left_out("d"),
        [rule("not named in state.json", &["d/1.csv"])]
    );
    assert_eq!(
        left_out("s"),
        [rule("not of the split that is read", &["s/test"])]
    );
    fs::remove_dir_all(folder.path().join("s/train")).unwrap();
    let (message, _) = refused(&folder, &["s"], &ImportOptions::default());
    assert_eq!(message, "s/train: no such file or folder");
}

#[test]
fn a_broken_file_is_refused_with_the_way_to_do_without_it() {
    let folder = Folder::with(&[
        ("d/votes.jsonl", VOTES),
        ("d/notes.json", "{\"a\": 1,\n x}"),
    ]);
    let (message, hint) = refused(&folder, &["d"], &ImportOptions::default());
    assert_eq!(message, "d/notes.json:2: broken JSON: key must be a string");
    assert_contains(&hint, &["name the files that are to be read"]);
    let named = from(&folder, &["d/votes.jsonl"], &ImportOptions::default()).unwrap();
    assert_eq!((named.comparisons, named.left_out.len()), (1, 0));
}

#[test]
fn a_format_that_is_named_for_an_empty_folder_finds_no_files() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("d")).unwrap();
    let options = ImportOptions {
        format: Some("preference".to_string()),
        ..ImportOptions::default()
    };
    assert_eq!(refused(&folder, &["d"], &options).0, "d: no files in it");
}

#[test]
fn what_is_asked_about_lies_beside_the_replies() {
    let reply = r#"{"custom_id":"1|atlas|cedar|0","response":{"status_code":200,"body":{"choices":[{"message":{"content":"A"}}]}}}"#;
    let folder = Folder::with(&[("results.jsonl", reply), ("pairs.csv", "id,item\n1,2\n")]);
    let (message, hint) = refused(&folder, &["results.jsonl"], &ImportOptions::default());
    assert_eq!(message, "pairs.csv: does not say what was asked");
    assert_contains(&hint, &["custom_id, item, system_a"]);
}

#[test]
fn doubts_are_told() {
    let votes = "left,right,winner\natlas,cedar,left\natlas,ce\0dar,right";
    let folder = Folder::with(&[("votes.csv", votes)]);
    let imported = from(&folder, &["votes.csv"], &ImportOptions::default()).unwrap();
    let file = folder.path().join("votes.csv").display().to_string();
    let expected = [
        format!("{file}: texts with NUL characters: 1 (damaged?)"),
        format!("{file}: no line break at its end (cut off?)"),
    ];
    assert_eq!(imported.notes, expected);
    let log = |samples: &str| {
        let sample = r#"{"id":1,"epoch":1,"input":"x","target":"y","output":{"completion":"z"}}"#;
        format!(
            r#"{{"version":2,"eval":{{"task":"t","model":"{samples}"}},"{samples}":[{sample}]}}"#
        )
    };
    let folder = Folder::with(&[("d/a.json", &log("samples")), ("d/b.json", &log("sXmples"))]);
    let imported = from(&folder, &["d"], &ImportOptions::default()).unwrap();
    let doubt = format!(
        "{}: no records found in it",
        folder.path().join("d/b.json").display()
    );
    assert_eq!(imported.notes, [doubt]);
}
