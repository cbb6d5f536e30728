//! What `check` says about a data set.

use super::Folder;
use crate::support::assert_contains;
use expect_test::expect;
use tiebreak::records::{Dataset, DatasetSummary, Index};

fn summary(files: &[(&str, &str)]) -> DatasetSummary {
    let folder = Folder::with(files);
    let set = Dataset::open(folder.path(), &[]).unwrap();
    DatasetSummary::new(&Index::build(&set).unwrap(), &set).unwrap()
}

fn example() -> DatasetSummary {
    summary(&[
        (
            "dataset.toml",
            "name = \"three systems\"\ntask = \"test\"\n",
        ),
        (
            "outputs.jsonl",
            concat!(
                "{\"item\": 1, \"system\": \"a\", \"output\": \"same\", \"source\": \"s\", \"references\": [\"r\"]}\n",
                "{\"item\": 1, \"system\": \"b\", \"output\": \"same\"}\n",
                "{\"item\": 1, \"system\": \"c\", \"output\": \"\"}\n",
                "{\"item\": 2, \"system\": \"a\", \"output\": \"one\"}\n",
                "{\"item\": 2, \"system\": \"b\", \"output\": \"two\"}\n",
            ),
        ),
        (
            "comparisons.csv",
            "item,system_a,system_b,outcome,annotator\n\
             1,b,a,1,p\n1,b,a,0.5,p\n2,a,b,1,q\n2,a,b,0,q\n1,b,c,1,p\n2,c,a,0,\n",
        ),
        (
            "judgments.csv",
            "item,system,criterion,score,annotator\n1,a,overall,2,p\n1,b,overall,5,p\n2,c,fluency,0.25,\n",
        ),
        ("extra.csv", "x\n"),
    ])
}

/// What its text does not show: of each pair, and of the references.
#[test]
fn pairs_and_references_are_counted() {
    let found = example();
    assert_eq!((found.with_source, found.references), (1, Some([0, 1])));
    let ab = &found.pairs[0];
    assert_eq!(
        (ab.items, ab.identical, ab.comparisons),
        (Some(2), Some(1), 4)
    );
    assert_eq!((ab.labels.loss, ab.labels.tie, ab.labels.win), (2, 1, 1));
    assert_eq!(ab.preference, Some(0.375));
    assert!(found.winner.unwrap().condorcet);
}

#[test]
fn the_summary_reads_well() {
    expect![[r#"
        three systems
          systems            3
          items              2 (1 with a source)
          references an item 0 to 1
          outputs            5
            empty            20.0 %
            identical pairs  25.0 %
          comparisons        6
          judgments          3

        system  outputs  missing  empty  comparisons  judgments
        a             2        0      0            5          1
        b             2        0      0            5          1
        c             1        1      1            2          1
        A comparison counts for both of its systems.

        outcomes for the system named first: win 50.0 %, tie 16.7 %, loss 33.3 %
        comparisons per pair: 1 to 4 (median 1)
        comparisons without outputs: 1
        one system won more than half of its comparisons with each other one; `tiebreak rank` tests that

        annotator  comparisons  judgments
        p                    3          2
        (unknown)            1          1
        q                    2          0

        judgments without outputs: 1

        criterion  judgments    min   mean    max
        fluency            1  0.250  0.250  0.250
        overall            2  2.000  3.500  5.000

        can be run
          score     yes: some items have no references: only with metrics that need none
          predict   yes
          rank      yes
          simulate  yes
          ask       yes
          estimate  yes

        not read: extra.csv
    "#]]
    .assert_eq(&example().to_string());
}

#[test]
fn what_cannot_be_run_is_said_with_the_reason() {
    let abilities = |files: &[(&str, &str)]| -> Vec<(bool, String)> {
        let found = summary(files).abilities.into_iter();
        found
            .map(|a| (a.possible, a.note.unwrap_or_default()))
            .collect()
    };
    let no = |why: &str| (false, why.to_string());
    let yes = |note: &str| (true, note.to_string());
    assert_eq!(
        abilities(&[("outputs.csv", "item,system,output\n1,a,x\n")]),
        [
            yes("only with metrics that need no references"),
            no("no item has outputs of two systems"),
            no("there are no comparisons"),
            no("there are no comparisons"),
            no("no item has outputs of two systems"),
            no("there are no judgments"),
        ]
    );
    assert_eq!(
        abilities(&[(
            "outputs.csv",
            "item,system,output,references\n1,a,x,r\n1,b,y,r\n"
        )])[2..5],
        [
            no("there are no comparisons"),
            no("there are no comparisons"),
            yes("")
        ]
    );
    let comparisons = "item,system_a,system_b,outcome\n1,a,b,1\n1,b,a,1\n";
    assert_eq!(
        abilities(&[("comparisons.csv", comparisons)])[..3],
        [
            no("there are no outputs"),
            no("no item has outputs of two systems"),
            yes("")
        ]
    );
}

#[test]
fn names_that_may_be_one_are_told() {
    let found = summary(&[(
        "comparisons.csv",
        "item,system_a,system_b,outcome\n1,GPT-4,gpt 4,1\n1,GPT-4,gpt-4.1,1\n",
    )]);
    assert_eq!(found.alike, [["GPT-4", "gpt 4"]]);
    let text = found.to_string();
    assert_contains(&text, &["similar names: GPT-4 and gpt 4 differ only in"]);
    assert!(example().alike.is_empty());
    let outputs = "item,system,output\ncaf\u{e9},a,x\ncafe\u{301},b,y\ncafe,b,y\n";
    let found = summary(&[("outputs.csv", outputs)]);
    assert_eq!(found.alike_items, [["caf\u{e9}", "cafe\u{301}"]]);
    let text = found.to_string();
    assert_contains(
        &text,
        &["similar names of items: 1 pair, such as caf\u{e9} and"],
    );
}

#[test]
fn the_summary_is_also_json() {
    let json = serde_json::to_value(example()).unwrap();
    assert_eq!(
        json["descriptor"],
        serde_json::json!({"name": "three systems", "task": "test"})
    );
    assert_eq!(json["systems"][2]["missing"], 1);
    assert_eq!(json["winner"]["condorcet"], true);
    assert_eq!(
        json["abilities"][1],
        serde_json::json!({"command": "predict", "possible": true})
    );
}

/// A race needs no comparisons, and a campaign needs an item for each pair of systems.
#[test]
fn what_can_be_run_is_what_runs() {
    let note = |files: &[(&str, &str)], command: &str| {
        let mut found = summary(files).abilities.into_iter();
        let found = found.find(|one| one.command == command).unwrap();
        (found.possible, found.note.unwrap_or_default())
    };
    let judgments = "item,system,criterion,score\n1,a,fluency,0\n1,b,fluency,1\n";
    let (possible, told) = note(&[("judgments.csv", judgments)], "simulate");
    assert!(possible, "{told}");
    assert_eq!(
        told,
        "only a race by scores: --criterion NAME --range LO,HI"
    );
    let outputs = "item,system,output\n1,a,x\n1,b,y\n2,c,x\n2,d,y\n";
    assert_eq!(
        note(&[("outputs.csv", outputs)], "ask"),
        (false, "some systems have no item in common".to_string())
    );
}
