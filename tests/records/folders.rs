//! Data set folders: which tables are found, `dataset.toml`, renamed columns, digests.

use super::{Folder, gzip};
use tiebreak::records::{Dataset, Index, Kind};

const OUTPUTS: &str = "item,system,output\n1,a,x\n";

fn pair(name: &str, in_file: &str) -> (String, String) {
    (name.to_string(), in_file.to_string())
}

fn refused(folder: &Folder, columns: &[(String, String)]) -> (String, String) {
    let error = Dataset::open(folder.path(), columns).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    folder.told(&error)
}

#[test]
fn tables_are_found_in_any_form() {
    let folder = Folder::with(&[
        ("outputs.csv", OUTPUTS),
        ("README.md", "# about"),
        ("model_judgements.jsonl", "{}"),
        (
            "dataset.toml",
            "name = \"Tiny\"\nlicence = \"CC0\"\nmade = \"by hand\"\n",
        ),
    ]);
    folder.write("comparisons.jsonl.gz", gzip(b"{}"));
    let set = Dataset::open(folder.path(), &[]).unwrap();
    assert_eq!(set.name(), "Tiny");
    assert_eq!(set.descriptor().licence.as_deref(), Some("CC0"));
    assert_eq!(set.ignored(), ["model_judgements.jsonl"]);
    let has = Kind::ALL.map(|kind| set.table(kind).is_some());
    assert_eq!(has, [false, true, true, false]);
}

#[test]
fn predictions_alone_say_what_they_go_with() {
    let row = "{\"item\":\"1\",\"system_a\":\"a\",\"system_b\":\"b\",\"p\":0.7}\n";
    let folder = Folder::with(&[("predictions.jsonl", row), ("dataset.toml", "")]);
    let (message, hint) = refused(&folder, &[]);
    assert!(
        message.ends_with("holds only predictions, without the outputs that they are about"),
        "{message}"
    );
    assert!(
        hint.starts_with("name the data set with these outputs: tiebreak rank DATA --verdicts ")
            && hint.ends_with("predictions.jsonl"),
        "{hint}"
    );
}

/// Votes and a judge's verdicts are about different questions; each has its item.
#[test]
fn battles_of_people_and_of_a_judge_open_together() {
    let battles = "{\"question_id\":\"q1\",\"model_a\":\"a\",\"model_b\":\"b\",\"winner\":\"model_a\",\"source\":\"human\"}\n\
                   {\"question_id\":\"q2\",\"model_a\":\"a\",\"model_b\":\"b\",\"winner\":\"model_b\",\"source\":\"llm\",\"judge_model\":\"j\"}\n";
    let folder = Folder::with(&[("battles.jsonl", battles)]);
    let set = Dataset::open(folder.path().join("battles.jsonl"), &[]).unwrap();
    let index = Index::build(&set).unwrap();
    assert_eq!(
        (
            index.rows(Kind::Comparisons),
            index.decoded(0..2).unwrap().len()
        ),
        (1, 2)
    );
    assert!(set.predictions().is_some());
}

#[test]
fn a_lone_file_is_outputs() {
    let folder = Folder::with(&[("mine.csv", OUTPUTS)]);
    let set = Dataset::open(folder.path().join("mine.csv"), &[]).unwrap();
    assert_eq!(set.name(), "mine");
    assert_eq!(Index::build(&set).unwrap().rows(Kind::Outputs), 1);
}

#[test]
fn one_column_of_a_lone_file_may_be_the_reference() {
    let texts = "item,system,output,reference\n1,a,x,\"x, y\"\n1,b,y,\"x, y\"\n2,a,z,\n2,b,z,\n";
    let folder = Folder::with(&[
        ("o.csv", texts),
        ("later.csv", &texts.replace("b,y,\"x", "b,y,\"z")),
    ]);
    let set = Dataset::open(folder.path().join("o.csv"), &[]).unwrap();
    assert!(set.imported().is_none(), "it is read where it lies");
    let index = Index::build(&set).unwrap();
    let references: Vec<Vec<String>> = (index.decoded(0..2).unwrap().into_iter())
        .map(|group| group.references)
        .collect();
    assert_eq!(references, [vec!["x, y".to_string()], Vec::new()]);
    let later = Dataset::open(folder.path().join("later.csv"), &[]).unwrap();
    let error = Index::build(&later).err().unwrap();
    assert_eq!(
        folder.told(&error).0,
        "later.csv:3: item `1` has another list of references than at later.csv:2"
    );
    // A column that is named for something else stays that.
    let given = [pair("output", "reference")];
    let set = Dataset::open(folder.path().join("o.csv"), &given).unwrap();
    assert_eq!(set.columns().in_file("references"), "references");
}

#[test]
fn several_files_without_systems_are_named_by_their_files() {
    let texts = "item,output\n1,x\n2,y\n";
    let folder = Folder::with(&[("a.csv", texts), ("b.csv", "item,output\n1,z\n2,y\n")]);
    let systems = |folder: &Folder| {
        let set = Dataset::open(folder.path(), &[]).unwrap();
        let index = Index::build(&set).unwrap();
        (index.systems().to_vec(), index.rows(Kind::Outputs))
    };
    let expected = (["a", "b"].map(str::to_string).to_vec(), 4);
    assert_eq!(systems(&folder), expected);
    let folders = Folder::with(&[("a/out.csv", texts), ("b/out.csv", texts)]);
    assert_eq!(systems(&folders), expected);
    // A lone one may lack a name for its column of systems.
    let lone = Folder::with(&[("a.csv", texts)]);
    assert!(Dataset::open(lone.path(), &[]).is_err());
}

#[test]
fn a_folder_without_tables_is_refused() {
    let folder = Folder::with(&[("notes.txt", "")]);
    let (message, hint) = refused(&folder, &[]);
    assert_eq!(
        message,
        "DIR: no tables; looked for items, outputs, comparisons and judgments"
    );
    assert!(hint.starts_with("a table is a file like outputs.jsonl"));
    folder.write("output.jsonl", "{}");
    assert_eq!(
        refused(&folder, &[]).1,
        "is output.jsonl meant to be `outputs`? rename it"
    );
    let error = Dataset::open(folder.path().join("none"), &[]).unwrap_err();
    assert_eq!(folder.told(&error).0, "none: no such file or folder");
}

#[test]
fn a_table_in_two_forms_is_refused() {
    let folder = Folder::with(&[("outputs.csv", OUTPUTS), ("outputs.jsonl", "{}")]);
    let (message, hint) = refused(&folder, &[]);
    assert_eq!(
        message,
        "DIR: table `outputs` is there twice: outputs.csv and outputs.jsonl"
    );
    assert_eq!(hint, "remove one of the two");
}

#[test]
fn a_wrong_descriptor_is_refused_with_its_line() {
    let folder = Folder::with(&[("outputs.csv", OUTPUTS)]);
    let refuse = |text: &str| {
        folder.write("dataset.toml", text);
        refused(&folder, &[])
    };
    let (message, hint) = refuse("name = \"x\"\nlicense = \"MIT\"\n");
    assert_eq!(message, "dataset.toml:2: unknown key `license`");
    assert!(hint.starts_with("did you mean `licence`? keys are name, task"));
    let (message, hint) = refuse("[columns]\n\nitme = \"seg\"\n");
    assert_eq!(message, "dataset.toml:3: unknown column `itme`");
    assert!(hint.starts_with("did you mean `item`?"));
    assert_eq!(
        refuse("name = 3\n").0,
        "dataset.toml:1: `name` is not a string"
    );
    assert_eq!(
        refuse("\ncolumns = 3\n").0,
        "dataset.toml:2: `columns` is not a table"
    );
    let (message, _) = refuse("name = \"x\"\nname = \"y\"\n");
    assert_eq!(message, "dataset.toml:2: duplicate key");
    assert!(refuse("name = \n").0.starts_with("dataset.toml:1: "));
}

#[test]
fn columns_are_renamed_by_descriptor_and_flag() {
    let folder = Folder::with(&[
        ("outputs.csv", "seg,sys,system,output\n1,a,no,x\n"),
        (
            "comparisons.csv",
            "item,system_a,system_b,outcome\n1,a,a2,1\n",
        ),
        (
            "dataset.toml",
            "[columns]\nitem = \"seg\"\nsystem = \"output\"\n",
        ),
    ]);
    // The flag goes before the descriptor; comparisons have no `seg` and keep `item`.
    let set = Dataset::open(folder.path(), &[pair("system", "sys")]).unwrap();
    let error = Index::build(&set).err().unwrap();
    assert_eq!(
        folder.told(&error),
        (
            "comparisons.csv:2: system `a2` has no outputs".to_string(),
            "every system must be named as in `outputs`".to_string()
        )
    );
}

#[test]
fn a_renaming_that_means_nothing_is_refused() {
    let folder = Folder::with(&[("outputs.csv", "segment,system,output\n1,a,x\n")]);
    let (message, hint) = refused(&folder, &[pair("item", "segmnt")]);
    assert_eq!(
        message,
        "DIR: no table has a column `segmnt`, to which `item` is mapped"
    );
    assert_eq!(
        hint,
        "did you mean `segment`? columns are segment, system, output"
    );
    let (message, hint) = refused(&folder, &[pair("itm", "segment")]);
    assert_eq!(message, "unknown column `itm`");
    assert!(hint.starts_with("did you mean `item`?"));
}

#[test]
fn a_renamed_column_may_be_absent_from_the_first_record() {
    let folder = Folder::with(&[(
        "outputs.jsonl",
        "{\"item\": 1, \"system\": \"a\", \"output\": \"x\"}\n{\"item\": 2, \"system\": \"a\", \"output\": \"x\", \"src\": \"s\"}\n",
    )]);
    let set = Dataset::open(folder.path(), &[pair("source", "src")]).unwrap();
    let groups = super::groups(&Index::build(&set).unwrap());
    assert_eq!(groups[1].source.as_deref(), Some("s"));
}

#[test]
fn the_digest_says_what_is_in_the_tables_and_nothing_else() {
    let digest = |files: &[(&str, &str)], columns: &[(String, String)]| {
        let folder = Folder::with(files);
        Dataset::open(folder.path(), columns)
            .unwrap()
            .digests()
            .unwrap()
    };
    let one = digest(&[("outputs.csv", OUTPUTS)], &[]);
    assert!(one.all.len() == 64 && one.texts.len() == 64);
    assert_eq!(
        one,
        digest(&[("outputs.csv", OUTPUTS), ("README.md", "x")], &[])
    );
    let folder = Folder::with(&[("lone.csv", OUTPUTS)]);
    let lone = Dataset::open(folder.path().join("lone.csv"), &[]).unwrap();
    assert_eq!(one, lone.digests().unwrap());
    let others = [
        digest(&[("outputs.csv", "item,system,output\n1,a,y\n")], &[]),
        digest(&[("judgments.csv", OUTPUTS)], &[]),
        digest(&[("outputs.tsv", OUTPUTS)], &[]),
        digest(&[("outputs.csv", OUTPUTS)], &[pair("source", "output")]),
    ];
    for (i, other) in others.iter().enumerate() {
        assert!(other.all != one.all && !others[..i].contains(other));
    }
    let judged = digest(
        &[
            ("outputs.csv", OUTPUTS),
            ("judgments.csv", "item,system,criterion,score\n"),
        ],
        &[pair("score", "score")],
    );
    assert!(judged.all != one.all && judged.texts == one.texts);
    assert_ne!(others[0].texts, one.texts);
}

#[cfg(unix)]
#[test]
fn a_descriptor_that_says_nothing_or_leads_nowhere_is_refused() {
    let folder = Folder::with(&[("outputs.csv", OUTPUTS), ("dataset.toml", " \n")]);
    let (message, hint) = refused(&folder, &[]);
    assert_eq!(message, "dataset.toml: the file is empty");
    assert!(
        hint.starts_with("restore it from a copy, or delete it"),
        "{hint}"
    );
    let descriptor = folder.path().join("dataset.toml");
    std::fs::remove_file(&descriptor).unwrap();
    std::os::unix::fs::symlink("gone", &descriptor).unwrap();
    let (message, hint) = refused(&folder, &[]);
    assert_eq!(message, "dataset.toml: no such file or folder");
    assert_eq!(
        hint,
        "`dataset.toml` is a link to `gone`, which is not there"
    );
}

#[test]
fn a_folder_in_the_place_of_a_part_is_refused() {
    let folder = Folder::with(&[("outputs.parquet/part-0000.csv", OUTPUTS)]);
    std::fs::create_dir(folder.path().join("outputs.parquet/part-0001.csv")).unwrap();
    let (message, _) = folder.misread("outputs.parquet");
    assert_eq!(
        message,
        "outputs.parquet/part-0001.csv: a folder, expected a file"
    );
}

/// pandas writes whole numbers as 1.0 where a cell of the column is empty.
#[test]
fn items_spelled_as_other_numbers_are_explained() {
    let outcome = |item: &str| format!("item,system_a,system_b,outcome\n{item},a,b,1\n");
    let refused = |item: &str, outputs: &str| {
        let folder = Folder::with(&[
            ("outputs.csv", outputs),
            ("comparisons.csv", &outcome(item)),
        ]);
        let set = Dataset::open(folder.path(), &[]).unwrap();
        folder.told(&Index::build(&set).err().unwrap())
    };
    let outputs = "item,system,output\n1,a,x\n1,b,y\n2.0,a,x\n2.0,b,y\n";
    for (item, other) in [("1.0", "1"), ("2", "2.0")] {
        let (what, hint) = refused(item, outputs);
        assert_eq!(
            what,
            format!("comparisons.csv:2: item `{item}` has no outputs")
        );
        assert!(
            hint.starts_with(&format!("`outputs` spells it `{other}`: ")),
            "{hint}"
        );
    }
    assert_eq!(refused("3", outputs).1, "");
}

#[test]
fn predictions_in_two_forms_are_refused() {
    let folder = Folder::with(&[
        ("outputs.csv", OUTPUTS),
        ("predictions.csv", "item,system_a,system_b,p\n"),
        ("predictions.jsonl", ""),
    ]);
    let (what, hint) = refused(&folder, &[]);
    let expected = ": table `predictions` is there twice: predictions.csv and predictions.jsonl";
    assert!(what.ends_with(expected), "{what}");
    assert_eq!(hint, "remove one of the two");
}
