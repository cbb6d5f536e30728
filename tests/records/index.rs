//! The index: one group an item, the same whatever the order and the budget; cross checks.

use super::{Folder, groups};
use crate::support::table_rows;
use std::fmt::Write;
use tiebreak::cost::Cost;
use tiebreak::duel::{Arm, Outcome};
use tiebreak::records::index::{GroupComparison, GroupJudgment, GroupOutput};
use tiebreak::records::{Dataset, Group, Index, Kind};
use tiebreak::rng::Seed;

const OUTPUTS: &str = "item,system,output,source,references\n\
    10,b,ten b,src ten,\"[\"\"r1\"\", \"\"r2\"\"]\"\n\
    2,b,two b,,\n\
    10,a,ten a,src ten,\"[\"\"r1\"\", \"\"r2\"\"]\"\n";

#[test]
fn a_group_holds_everything_about_an_item() {
    let comparisons = "{\"item\": 10, \"system_a\": \"b\", \"system_b\": \"a\", \"outcome\": 0.5, \"annotator\": \"p1\", \"seconds\": 3, \"price\": 0.25}\n\
        {\"item\": 10, \"system_a\": \"b\", \"system_b\": \"a\", \"outcome\": 1, \"annotator\": \"\"}\n";
    let judgments = "item,system,criterion,score,annotator,part,post_edit,seconds\n\
        2,b,fluency,-1.5,p2,,edited,\n\
        2,b,adequacy,4,,3,,2.5\n";
    let folder = Folder::with(&[
        ("outputs.csv", OUTPUTS),
        ("comparisons.jsonl", comparisons),
        ("judgments.csv", judgments),
    ]);
    let index = folder.index().unwrap();
    assert_eq!(index.systems(), ["a", "b"]);
    assert_eq!(index.criteria(), ["adequacy", "fluency"]);
    assert_eq!(index.system("b").unwrap(), Arm(1));
    let error = index.criterion("fluenc").unwrap_err();
    assert_eq!(error.hint().unwrap(), "did you mean `fluency`?");
    assert_eq!(Kind::ALL.map(|kind| index.rows(kind)), [0, 3, 2, 2]);
    let output = |system, text: &str| GroupOutput {
        system: Arm(system),
        text: text.to_string(),
    };
    let [two, ten] = <[Group; 2]>::try_from(groups(&index)).unwrap();
    assert_eq!(
        (two.position, two.item.as_str(), &two.source),
        (0, "2", &None)
    );
    assert_eq!(two.outputs, [output(1, "two b")]);
    assert_eq!(
        (two.output(Arm(0)), two.output(Arm(1))),
        (None, Some("two b"))
    );
    assert!(two.references.is_empty() && two.comparisons.is_empty());
    assert_eq!(
        two.judgments[0],
        GroupJudgment {
            place: 0,
            system: Arm(1),
            criterion: 1,
            score: -1.5,
            annotator: Some("p2".to_string()),
            part: None,
            post_edit: Some("edited".to_string()),
            seconds: None,
            repeat: None,
        }
    );
    assert_eq!(two.judgments[1].part.as_deref(), Some("3"));
    assert_eq!(two.judgments[1].seconds, Some(2.5));
    assert_eq!((ten.position, ten.source.as_deref()), (1, Some("src ten")));
    assert_eq!(ten.references, ["r1", "r2"]);
    assert_eq!(ten.outputs, [output(0, "ten a"), output(1, "ten b")]);
    assert_eq!(
        ten.comparisons[0],
        GroupComparison {
            place: 0,
            a: Arm(1),
            b: Arm(0),
            outcome: Outcome::Tie,
            annotator: Some("p1".to_string()),
            cost: Cost {
                seconds: Some(3.0),
                price: Some(0.25),
            },
            ranking: None,
        }
    );
    assert_eq!(ten.comparisons[1].annotator, None);
}

#[test]
fn items_go_before_outputs_in_what_they_say() {
    let folder = Folder::with(&[
        (
            "items.jsonl",
            "{\"item\": \"x\", \"source\": \"of items\"}\n{\"item\": \"z\"}\n",
        ),
        (
            "outputs.jsonl",
            "{\"item\": \"x\", \"system\": \"a\", \"output\": \"\", \"source\": \"of outputs\", \"references\": \"only here\"}\n",
        ),
    ]);
    let [x, z] = <[Group; 2]>::try_from(groups(&folder.index().unwrap())).unwrap();
    assert_eq!(x.source.as_deref(), Some("of items"));
    assert_eq!(x.references, ["only here"]);
    assert!(z.item == "z" && z.outputs.is_empty());
}

#[test]
fn true_and_false_are_scores_of_1_and_0() {
    let lines = r#"{"item": 1, "system": "a", "criterion": "ok", "score": true, "seconds": NaN}
        {"item": 2, "system": "a", "criterion": "ok", "score": false}"#;
    let cells = "item,system,criterion,score\n1,a,ok,True\n2,a,ok, false\n";
    for (name, text) in [("judgments.jsonl", lines), ("judgments.csv", cells)] {
        let read = groups(&Folder::with(&[(name, text)]).index().unwrap());
        let scores = read.iter().map(|group| group.judgments[0].score);
        assert_eq!(scores.collect::<Vec<_>>(), [1.0, 0.0], "{name}");
    }
}

#[test]
fn what_programs_write_for_a_missing_name_is_no_annotator() {
    let names = ["NA", "N/A", "nan", "NULL", "None", "\" \"", "Na", "none"];
    let row = |(item, name): (usize, &str)| format!("{item},a,ok,1,{name}\n");
    let rows: String = names.into_iter().enumerate().map(row).collect();
    let text = format!("item,system,criterion,score,annotator\n{rows}");
    let read = groups(&Folder::with(&[("judgments.csv", &text)]).index().unwrap());
    let people = read
        .iter()
        .filter_map(|g| g.judgments[0].annotator.as_deref());
    assert_eq!(people.collect::<Vec<_>>(), ["Na", "none"]);
}

#[test]
fn judgments_need_no_outputs() {
    let folder = Folder::with(&[(
        "comparisons.csv",
        "item,system_a,system_b,outcome\n1,z,a,1\n1,z,a,1\n",
    )]);
    let index = folder.index().unwrap();
    assert_eq!(index.systems(), ["a", "z"]);
    assert!(!index.has(Kind::Outputs));
    assert_eq!(groups(&index)[0].comparisons.len(), 2);
}

/// Tables, OUTPUTS being those above; the message; the hint. Of several mistakes the first in file order is told: in the
/// order of items, item 1 would come before 9.
const MISFITS: &str = r#"
outputs.csv = item,system,output\n1,a,x\n2,a,x\n1,a,x\n | outputs.csv:4: system `a` already has an output for item `1` at outputs.csv:2 |
items.csv = item\n1\n2\n1\n | items.csv:4: item `1` is already at items.csv:2 |
outputs.csv = item,system,output,source\n1,a,x,s\n2,a,x,\n1,b,x,\n1,c,x,t\n | outputs.csv:5: item `1` has another source than at outputs.csv:2 |
outputs.jsonl = {"item": 1, "system": "a", "output": "", "references": ["r"]}\n{"item": 1, "system": "b", "output": "", "references": []}\n | outputs.jsonl:2: item `1` has another list of references than at outputs.jsonl:1 |
items.csv = item\n2\n && outputs.csv = OUTPUTS | outputs.csv:2: item `10` is not in `items` |
outputs.csv = OUTPUTS && comparisons.csv = item,system_a,system_b,outcome\n10,a,b,1\n3,a,b,1\n | comparisons.csv:3: item `3` has no outputs |
items.csv = item\n1\n && judgments.csv = item,system,criterion,score\n2,a,c,1\n | judgments.csv:2: item `2` is not in `items` |
outputs.csv = item,system,output\n1,online-A,x\n1,online-B,x\n && judgments.csv = item,system,criterion,score\n1,onlineA,c,1\n | judgments.csv:2: system `onlineA` has no outputs | did you mean `online-A`?
outputs.csv = item,system,output\n9,a,x\n1,a,x\n5,a,x\n9,a,x\n1,a,x\n && judgments.csv = item,system,criterion,score\n0,a,c,1\n | outputs.csv:5: system `a` already has an output for item `9` at outputs.csv:2 |
"#;

#[test]
fn tables_that_do_not_fit_together_are_refused() {
    for [files, message, hint] in table_rows(MISFITS) {
        let folder = Folder::new();
        for file in files.split(" && ") {
            let (name, rows) = file.split_once(" = ").unwrap();
            folder.write(name, rows.replace("\\n", "\n").replace("OUTPUTS", OUTPUTS));
        }
        let (found, advice) = folder.mistake();
        assert_eq!(found, message);
        assert!(hint.is_empty() || advice == hint, "{message}: {advice}");
    }
}

#[test]
fn a_column_of_other_things_taken_for_systems_is_told() {
    let outputs = (0..65_536).fold("item,system,output\n".to_string(), |mut text, n| {
        let _ = writeln!(text, "1,text {n},x");
        text
    });
    assert_eq!(
        Folder::with(&[("outputs.csv", &outputs)]).mistake(),
        (
            "outputs.csv:65537: more than 65535 systems".to_string(),
            "is another column meant to be the system?".to_string()
        )
    );
}

/// A data set of `items` items, its rows in a shuffled order.
fn generated(items: usize, seed: u64) -> Folder {
    let mut rng = Seed(seed).stream("generated", 0);
    let mut outputs = Vec::new();
    let mut comparisons = Vec::new();
    for n in 0..items {
        // The same for every seed: only the order differs.
        let mut draw = Seed(7).stream("item", n as u64);
        let item = if n % 10 == 0 {
            format!("item {n}")
        } else {
            n.to_string()
        };
        for system in ["a", "b", "c"] {
            let words = "word ".repeat(draw.below(30));
            outputs.push(serde_json::json!({
                "item": item, "system": system, "output": words,
                "source": format!("source {n}"), "references": [format!("reference {n}"), "r"],
            }));
        }
        for turn in 0..draw.below(4) {
            let outcome = draw.below(3) as f64 / 2.0;
            comparisons.push(serde_json::json!({
                "item": item, "system_a": "c", "system_b": "a", "outcome": outcome,
                "annotator": format!("person {turn}"),
            }));
        }
    }
    rng.shuffle(&mut outputs);
    let folder = Folder::new();
    let lines = |rows: Vec<serde_json::Value>| {
        rows.iter().fold(String::new(), |mut text, row| {
            let _ = writeln!(text, "{row}");
            text
        })
    };
    folder.write("outputs.jsonl", lines(outputs));
    folder.write("comparisons.jsonl", lines(comparisons));
    folder
}

#[test]
fn neither_budget_nor_order_of_rows_changes_the_groups() {
    let folder = generated(3000, 1);
    let set = Dataset::open(folder.path(), &[]).unwrap();
    let in_memory = Index::build(&set).unwrap();
    assert!(!in_memory.is_spilled());
    let expected = groups(&in_memory);
    assert_eq!(expected.len(), 3000);
    for budget in [0, 10_000, 300_000] {
        let spilled = Index::build_within(&set, budget).unwrap();
        assert!(spilled.is_spilled());
        assert_eq!(groups(&spilled), expected, "budget {budget}");
    }
    let reordered = generated(3000, 2).index().unwrap();
    assert!(groups(&reordered) == expected);
}

#[test]
fn ranges_are_read_in_parallel_and_items_found() {
    let folder = generated(500, 1);
    let set = Dataset::open(folder.path(), &[]).unwrap();
    for budget in [1000, usize::MAX] {
        let index = Index::build_within(&set, budget).unwrap();
        let expected = groups(&index);
        let halves: Vec<Group> = std::thread::scope(|scope| {
            let index = &index;
            let half =
                |range| scope.spawn(move || index.groups(range).map(Result::unwrap).collect());
            let halves: Vec<_> = [0..250, 250..600].map(half).into_iter().collect();
            let join = |half: std::thread::ScopedJoinHandle<'_, Vec<Group>>| half.join().unwrap();
            halves.into_iter().flat_map(join).collect()
        });
        assert!(halves == expected);
        for position in [0, 1, 77, 499] {
            let item = &expected[position].item;
            assert_eq!(index.position(item).unwrap(), Some(position as u64));
        }
        for stranger in ["0", "500", "item 5", "", "zz"] {
            assert_eq!(index.position(stranger).unwrap(), None);
        }
        assert_eq!(index.groups(500..501).count(), 0);
    }
}
