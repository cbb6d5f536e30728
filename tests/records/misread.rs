//! Cells that are easily misread, in a column of outcomes or ratings: all rows decide what it means, a missing value is
//! counted, and anything else is refused with what to type. No row is lost without a word.

use super::Folder;
use super::formats::{dropped, from, refused, table};
use expect_test::expect;
use tiebreak::records::import::ImportOptions;
use tiebreak::records::{Dataset, Outcomes};

/// Imports a file, or shows why not: the tables, what was left out, the message and the hint.
fn said(folder: &Folder, name: &str, options: &ImportOptions) -> String {
    let imported = match from(folder, &[name], options) {
        Ok(imported) => imported,
        Err(_) => {
            let (message, hint) = refused(folder, &[name], options);
            return format!("{message}\nhint: {hint}\n");
        }
    };
    let values = |of: &str, column: &str| -> Vec<String> {
        let rows = table(folder, of);
        rows.iter().map(|row| row[column].to_string()).collect()
    };
    format!(
        "{name}: outcomes {}; scores {}; left out {:?}\n",
        values("comparisons", "outcome").join(" "),
        values("judgments", "score").join(" "),
        dropped(&imported)
    )
}

fn all_said(files: &[(&str, String)], options: &ImportOptions) -> String {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    let folder = Folder::with(&files);
    let each = files.iter().map(|(name, _)| said(&folder, name, options));
    each.collect()
}

fn table_of(header: &str, row: impl Fn(usize, &str) -> String, cells: &[&str]) -> String {
    let rows = cells.iter().enumerate().map(|(i, cell)| row(i, cell));
    format!("{header}\n{}\n", rows.collect::<Vec<_>>().join("\n"))
}

/// Votes with the texts of both responses.
fn votes(winners: &[&str]) -> String {
    table_of(
        "prompt,model_a,model_b,response_a,response_b,winner",
        |i, won| format!("q{i},m1,m2,a{i},b{i},{won}"),
        winners,
    )
}

/// Comparisons under tiebreak's own columns.
fn comparisons(outcomes: &[&str]) -> String {
    table_of(
        "item,system_a,system_b,outcome",
        |i, outcome| format!("{i},m1,m2,{outcome}"),
        outcomes,
    )
}

#[test]
fn outcomes_of_one_side_never_count_alone() {
    let numbers = &["1", "2", "1.5", "2"];
    let evalica = table_of(
        "left,right,winner",
        |_, won| format!("m1,m2,{won}"),
        numbers,
    );
    let arena = table_of(
        "question_id,model_a,model_b,winner",
        |i, won| format!("q{i},m1,m2,{won}"),
        numbers,
    );
    let battles = table_of(
        "question_id,model_a,model_b,winner,source",
        |i, won| format!("q{i},m1,m2,{won},x"),
        numbers,
    );
    let rated = votes(&["1", "5", "2"]).replace("winner", "preference");
    let files = [
        ("numbers.csv", votes(numbers)),
        ("evalica.csv", evalica),
        ("arena.csv", arena),
        ("battles.csv", battles),
        ("comparisons.csv", comparisons(numbers)),
        ("missing.csv", votes(&["A", "NA", "B", "", "NaN"])),
        ("zero.csv", votes(&["1", "2", "0"])),
        ("third.csv", votes(&["1", "2", "3"])),
        ("rated.csv", rated),
        ("typo.csv", votes(&["Model A", "Modell B", "tie"])),
    ];
    expect![[r#"
        numbers.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        evalica.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        arena.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        battles.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        comparisons.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        missing.csv: outcomes 1.0 0.0; scores ; left out [("no winner", 3)]
        zero.csv: outcomes are 0, 1, 2: is 0 a tie or a loss?
        hint: say what each means: --outcome 1=1,2=0,0=0.5 or --outcome 1=1,0=0.5,-1=0 (1: system_a is better)
        third.csv:4: outcome is 3, expected 1, 2 or 1.5, as outcomes are 1, 2, 3
        hint: say what each means: --outcome 1=1,2=0,3=0.5 (3 is a tie) or --outcome 1=1,2=0.5,3=0 (2 is a tie)
        rated.csv:3: outcome is 5, expected 1, 2 or 1.5, as outcomes are 1, 2, 5
        hint: say what each means, 1 (system_a is better), 0.5 (a tie) or 0, as NUMBER: --outcome 1=NUMBER,2=NUMBER,5=NUMBER
        typo.csv:3: outcome is Modell B, expected 0, 0.5 or 1
        hint: say what it means, 1 (system_a is better), 0.5 (a tie) or 0, as NUMBER: --outcome 'Modell B=NUMBER'
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
    let given = ImportOptions {
        outcomes: Outcomes::new([("Modell B".to_string(), 0.0)]).unwrap(),
        ..ImportOptions::default()
    };
    expect![[r#"
        typo.csv: outcomes 1.0 0.0 0.5; scores ; left out []
    "#]]
    .assert_eq(&all_said(&files[9..], &given));
}

/// A row without a winner says nothing in another column, which may hold what it is about.
#[test]
fn only_one_column_has_the_winners() {
    let rows = ["1", "null", "2"].map(|won| {
        format!(
            r#"{{"prompt":"q{won}","response_a":"a","response_b":"b","winner":{won},"label":"sports"}}"#
        )
    });
    let rows = rows.join("\n");
    let files = [("v.jsonl", rows)];
    expect![[r#"
        v.jsonl: outcomes 1.0 0.0; scores ; left out [("no winner", 1)]
    "#]]
    .assert_eq(&all_said(&files, &ImportOptions::default()));
}

/// The words of a control that decides who won must all be understood; a number may be a rating.
#[test]
fn choices_of_one_side_never_count_alone() {
    let export = |words: &[&str]| {
        table_of(
            "id,item,left,right,sys_left,sys_right,annotator,annotation_id,lead_time,better",
            |i, word| format!("{i},q{i},a,b,m1,m2,ana,{i},1.5,{word}"),
            words,
        )
    };
    let files = [
        ("typo.csv", export(&["Model A", "Modell B", "tie"])),
        ("ties.csv", export(&["tie", "unclear"])),
        ("numbers.csv", export(&["1", "2", "tie"])),
    ];
    expect![[r#"
        typo.csv:3: `better` is Modell B, which is no outcome
        hint: say what it means, 1 (system_a is better), 0.5 (a tie) or 0, as NUMBER: --outcome 'Modell B=NUMBER'
        ties.csv: outcomes 0.5; scores ; left out [("an annotation without a verdict", 1)]
        numbers.csv: outcomes 0.5; scores ; left out [("an annotation without a verdict", 2)]
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
    let said = [("1".to_string(), 1.0), ("2".to_string(), 0.0)];
    let given = ImportOptions {
        outcomes: Outcomes::new(said).unwrap(),
        ..ImportOptions::default()
    };
    expect![[r#"
        numbers.csv: outcomes 1.0 0.0 0.5; scores ; left out []
    "#]]
    .assert_eq(&all_said(&files[2..], &given));
}
