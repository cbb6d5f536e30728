//! Importing line-aligned files and wide tables.

use super::{Folder, groups, gzip};
use crate::support::assert_contains;
use std::fs;
use std::path::PathBuf;
use tiebreak::records::import::{AlignedFilePaths, ImportSummary, Nulls, WideTableOptions};
use tiebreak::records::{Dataset, Group, Index};

fn files(folder: &Folder, systems: &[(&str, &str)]) -> AlignedFilePaths {
    let path = |name: &str| folder.path().join(name);
    AlignedFilePaths {
        source: Some(path("src.txt")),
        references: vec![path("r1.txt"), path("r2.txt.gz")],
        systems: systems
            .iter()
            .map(|(name, file)| ((*name).to_string(), path(file)))
            .collect(),
        ..AlignedFilePaths::default()
    }
}

fn example() -> Folder {
    let folder = Folder::with(&[
        ("src.txt", "eins\r\nzwei\r\n\r\n"),
        ("r1.txt", "\u{feff}one\ntwo\nthree"),
        ("a.txt", "one\n\n three \n"),
        ("b.txt", "one\n\"two\"\nthree\n"),
    ]);
    folder.write("r2.txt.gz", gzip(b"1\n2\n3\n"));
    folder
}

fn imported(folder: &Folder) -> Vec<Group> {
    let set = Dataset::open(folder.path().join("out"), &[]).unwrap();
    groups(&Index::build(&set).unwrap())
}

#[test]
fn line_aligned_files_become_a_data_set() {
    let folder = example();
    let out = folder.path().join("out");
    let summary = (files(&folder, &[("B", "b.txt"), ("A", "a.txt")]))
        .import(&out)
        .unwrap();
    assert_eq!(
        (summary.items, summary.references, summary.source),
        (3, 2, true)
    );
    assert_eq!(summary.systems, ["B", "A"]);
    let groups = imported(&folder);
    assert_eq!(groups[0].references, ["one", "1"]);
    assert_eq!(groups[0].source.as_deref(), Some("eins"));
    assert_eq!(groups[1].item, "2");
    assert_eq!(
        (&*groups[1].outputs[0].text, &*groups[1].outputs[1].text),
        ("", "\"two\"")
    );
    assert_eq!(groups[2].outputs[0].text, " three ");
    assert_eq!(groups[2].source.as_deref(), Some(""));
    let text = fs::read_to_string(out.join("items.jsonl")).unwrap();
    assert!(text.starts_with(r#"{"item":"1","source":"eins","references":["one","1"]}"#));
    let beside = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(beside, 6, "nothing but `out` is left beside the inputs");
}

#[test]
fn importing_again_changes_nothing_and_never_overwrites() {
    let folder = example();
    let out = folder.path().join("out");
    let both = files(&folder, &[("A", "a.txt"), ("B", "b.txt")]);
    fs::create_dir(&out).unwrap();
    both.import(&out).unwrap();
    both.import(&out).unwrap();
    let error = (files(&folder, &[("A", "b.txt")]))
        .import(&out)
        .unwrap_err();
    let (message, hint) = folder.told(&error);
    assert_eq!(message, "out: already there, with other content");
    assert_eq!(
        hint,
        "choose another name, or rename the existing one with --force"
    );
    assert_eq!(imported(&folder)[0].outputs.len(), 2);
}

#[test]
fn files_of_different_lengths_are_refused() {
    let folder = example();
    folder.write("short.txt", "one\ntwo\n");
    folder.write("none.txt", "");
    let out = folder.path().join("out");
    let refuse = |systems: &[(&str, &str)]| {
        let error = files(&folder, systems).import(&out).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        folder.told(&error)
    };
    let (message, hint) = refuse(&[("A", "a.txt"), ("S", "short.txt")]);
    assert_eq!(
        message,
        "short.txt: 2 lines, but src.txt has 3: S ends after line 2"
    );
    assert_eq!(hint, "line n of every file must belong to the same item");
    let (message, _) = refuse(&[("N", "none.txt")]);
    assert_eq!(
        message,
        "none.txt: 0 lines, but src.txt has 3: N ends after line 0"
    );
    folder.write("latin.txt", b"one\nzw\xf6lf\nthree\n");
    assert_eq!(
        refuse(&[("L", "latin.txt")]).0,
        "latin.txt:2: invalid UTF-8 at byte 3"
    );
    assert_eq!(
        refuse(&[("A", "a.txt"), ("A", "b.txt")]).0,
        "two systems are called `A`"
    );
    assert_eq!(refuse(&[]).0, "no systems");
    assert!(!out.exists());
}

#[test]
fn sources_and_references_may_be_absent() {
    let folder = example();
    let only = AlignedFilePaths {
        systems: vec![("A".to_string(), folder.path().join("a.txt"))],
        ..AlignedFilePaths::default()
    };
    only.import(&folder.path().join("deep/out")).unwrap();
    let items = fs::read_to_string(folder.path().join("deep/out/items.jsonl")).unwrap();
    assert_eq!(items.lines().next(), Some(r#"{"item":"1"}"#));
}

fn from_wide(folder: &Folder, file: &str, systems: &[&str]) -> tiebreak::Result<ImportSummary> {
    let pair = |name: &&str| ((*name).to_string(), (*name).to_string());
    let table = WideTableOptions {
        file: folder.path().join(file),
        systems: systems.iter().map(pair).collect(),
        ..WideTableOptions::default()
    };
    table.import(&folder.path().join("out"))
}

#[test]
fn a_wide_table_becomes_a_data_set() {
    let folder = Folder::with(&[(
        "w.csv",
        "item,source,ref0,ref1,gpt,mt\nx,s,r0,,out one,\ny,,r0,r1,out two,\"a, b\"\n",
    )]);
    let summary = from_wide(&folder, "w.csv", &[]).unwrap();
    assert_eq!(summary.systems, ["gpt", "mt"]);
    assert_eq!(
        summary.taken,
        [
            "item: column `item`",
            "source: column `source`",
            "references: `ref0`, `ref1`",
            "systems: `gpt`, `mt`"
        ]
    );
    let groups = imported(&folder);
    assert_eq!(groups[0].references, ["r0"]);
    assert_eq!(groups[1].references, ["r0", "r1"]);
    assert_eq!(groups[0].outputs[1].text, "");
    assert_eq!(groups[1].outputs[1].text, "a, b");
}

#[test]
fn columns_of_a_wide_table_that_are_no_systems_are_kept_with_items() {
    let folder = Folder::with(&[("w.csv", "item,gpt,lang\nx,one,de\n")]);
    let summary = from_wide(&folder, "w.csv", &["gpt"]).unwrap();
    assert_eq!(summary.taken[2], "further columns of items: `lang`");
    assert!(!summary.to_string().contains("note: no source"));
    let items = fs::read_to_string(folder.path().join("out/items.jsonl")).unwrap();
    assert_eq!(items, "{\"item\":\"x\",\"lang\":\"de\"}\n");
    // What is called as inputs often are is no source by itself.
    let folder = Folder::with(&[("w.csv", "prompt,gpt,mt\nWhy?,one,two\n")]);
    let told = from_wide(&folder, "w.csv", &["gpt", "mt"])
        .unwrap()
        .to_string();
    let note = "note: no source: --column source=prompt makes `prompt` it\n";
    assert!(told.ends_with(note), "{told}");
}

#[test]
fn a_wide_table_in_json_may_lack_outputs_and_say_so() {
    let folder = Folder::with(&[(
        "w.jsonl",
        "{\"references\": [\"r\"], \"a\": \"x\", \"b\": null}\n{\"references\": \"r\", \"a\": \"y\"}\n",
    )]);
    let summary = from_wide(&folder, "w.jsonl", &[]).unwrap();
    assert_eq!((summary.items, summary.outputs, summary.nulls), (2, 3, 1));
    assert_eq!(
        summary.dropped[0].reason,
        "a row without the column of a system"
    );
    let groups = imported(&folder);
    assert_eq!(groups[0].outputs[1].text, "", "a null is an empty text");
    assert_eq!(groups[1].outputs.len(), 1);
    let strict = WideTableOptions {
        file: folder.path().join("w.jsonl"),
        nulls: Nulls::Error,
        ..WideTableOptions::default()
    };
    let error = strict.import(&folder.path().join("strict")).unwrap_err();
    assert_eq!(
        folder.told(&error),
        (
            "w.jsonl:1: the output of system `b` is null".to_string(),
            "--nulls empty takes it for an empty text".to_string()
        )
    );
}

#[test]
fn what_is_unclear_in_a_wide_table_is_refused() {
    let folder = Folder::new();
    let refuse = |name: &str, text: &str, systems: &[&str]| {
        folder.write(name, text);
        let error = from_wide(&folder, name, systems).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        folder.told(&error)
    };
    let (message, hint) = refuse("w.csv", "id,a\n1,x\n", &[]);
    assert_eq!(
        message,
        "w.csv: column `id` may be a system or something else"
    );
    assert!(hint.starts_with("name the systems with --system COLUMN"));
    let (message, hint) = refuse("w.csv", "item,system,output\n1,a,x\n", &[]);
    assert_eq!(
        message,
        "w.csv: this table is long, not wide: it has a row for every output"
    );
    assert!(hint.starts_with("it needs no import"));
    let number = "{\"a\": \"x\", \"bleu\": 3.5}\n";
    let (message, _) = refuse("w.jsonl", number, &[]);
    assert_eq!(
        message,
        "w.jsonl:1: column `bleu` is 3.5, expected the text of a system"
    );
    let later = "{\"a\": \"x\"}\n{\"a\": \"x\", \"b\": \"y\"}\n";
    let (message, _) = refuse("w.jsonl", later, &[]);
    assert_eq!(message, "w.jsonl:2: column `b` is not in the first row");
    let (message, _) = refuse("w.csv", "item,a\n,x\n", &[]);
    assert_eq!(message, "w.csv:2: `item` is empty, expected a name");
    let (message, hint) = refuse("w.csv", "item,source,a,b\n1,s,x,y\n1,t,z,y\n", &[]);
    assert_eq!(message, "w.csv:3: item `1` is already at w.csv:2");
    assert!(hint.starts_with("a wide table has one row per item"));
    let again = "{\"item\": 1, \"a\": \"x\"}\n{\"item\": 1.0, \"a\": \"y\"}\n";
    let (message, _) = refuse("w.jsonl", again, &[]);
    assert_eq!(message, "w.jsonl:2: item `1` is already at w.jsonl:1");
    let rated = "item,gpt,fluency,adequacy\n1,x,3,4\n2,7,,\"4,5\"\n";
    let (message, hint) = refuse("w.csv", rated, &[]);
    assert_eq!(
        message,
        "w.csv: columns of numbers: fluency, adequacy; are they ratings or texts of systems?"
    );
    assert_contains(&hint, &["--criteria fluency,adequacy"]);
    let (message, _) = refuse("w.csv", "item,a\n", &[]);
    assert_eq!(message, "w.csv: a table without rows");
    let table = WideTableOptions {
        file: folder.path().join("w.csv"),
        columns: vec![("output".to_string(), "a".to_string())],
        ..WideTableOptions::default()
    };
    let error = table.import(&PathBuf::from("nowhere")).unwrap_err();
    assert_eq!(error.to_string(), "unknown column `output`");
}
