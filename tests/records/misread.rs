//! Cells that are easily misread, in a column of outcomes or ratings: all rows decide what it means, a missing value is
//! counted, and anything else is refused with what to type. No row is lost without a word.

use super::Folder;
use super::formats::{dropped, from, refused, table};
use expect_test::expect;
use tiebreak::records::import::ImportOptions;
use tiebreak::records::{Dataset, Outcomes};

/// Imports a file, or shows why not: the tables, what was left out, the message and the hint.
fn said(folder: &Folder, name: &str, options: &ImportOptions) -> String {
    let Ok(imported) = from(folder, &[name], options) else {
        let (message, hint) = refused(folder, &[name], options);
        return format!("{message}\nhint: {hint}\n");
    };
    let values = |of: &str, column: &str| -> Vec<String> {
        let rows = table(folder, of);
        rows.iter().map(|row| row[column].to_string()).collect()
    };
    let at = format!("{}/", folder.path().display());
    let notes = imported.notes.iter();
    let notes = notes.map(|note| format!("note: {}\n", note.replace(&at, "")));
    format!(
        "{name}: outcomes {}; scores {}; left out {:?}\n{}",
        values("comparisons", "outcome").join(" "),
        values("judgments", "score").join(" "),
        dropped(&imported),
        notes.collect::<String>()
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
        ("scores.csv", votes(&["1", "0", "0.5"])),
        ("evalica.csv", evalica),
        ("arena.csv", arena),
        ("battles.csv", battles),
        ("comparisons.csv", comparisons(numbers)),
        (
            "missing.csv",
            votes(&["A", "NA", "B", "", "NaN", "error", "cannot judge"]),
        ),
        ("zero.csv", votes(&["1", "2", "0"])),
        ("third.csv", votes(&["1", "2", "3"])),
        ("rated.csv", rated),
        ("typo.csv", votes(&["Model A", "Modell B", "tie"])),
    ];
    expect![[r#"
        numbers.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        scores.csv: `winner` is 0, 0.5, 1: did the first or the second system win where it is 0?
        hint: say what each means: --outcome 1=1,0=0,0.5=0.5 (0: system_b is better) or --outcome 0=1,1=0,0.5=0.5 (0: system_a is better)
        evalica.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        arena.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        battles.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        comparisons.csv: outcomes 1.0 0.0 0.5 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        missing.csv: outcomes 1.0 0.0; scores ; left out [("no winner", 3), ("winner is error", 1), ("winner is cannot judge", 1)]
        zero.csv: outcomes are 0, 1, 2: is 0 a tie or a loss?
        hint: say what each means: --outcome 1=1,2=0,0=0.5 (0 is a tie) or --outcome 2=1,1=0.5,0=0 (1 is a tie)
        third.csv:4: outcome is 3, expected 1, 2 or 1.5, as outcomes are 1, 2, 3
        hint: say what each means: --outcome 1=1,2=0,3=0.5 (3 is a tie) or --outcome 1=1,2=0.5,3=0 (2 is a tie)
        rated.csv:3: outcome is 5, expected 1, 2 or 1.5, as outcomes are 1, 2, 5
        hint: say what each means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 1=NUMBER,2=NUMBER,5=NUMBER
        typo.csv:3: outcome is Modell B, expected 0, 0.5 or 1
        hint: say what it means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 'Modell B=NUMBER'
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
    let given = ImportOptions {
        outcomes: Outcomes::new([("Modell B".to_string(), 0.0)]).unwrap(),
        ..ImportOptions::default()
    };
    expect![[r#"
        typo.csv: outcomes 1.0 0.0 0.5; scores ; left out []
    "#]]
    .assert_eq(&all_said(&files[10..], &given));
    let without = ImportOptions {
        outcomes: Outcomes::new([("Modell B".to_string(), "none")]).unwrap(),
        ..ImportOptions::default()
    };
    expect![[r#"
        typo.csv: outcomes 1.0 0.5; scores ; left out [("winner is Modell B", 1)]
    "#]]
    .assert_eq(&all_said(&files[10..], &without));
}

/// Numbers may name systems that are called so, or count them: a number that could mean either system is not guessed.
#[test]
fn a_number_is_a_name_or_a_side_of_a_whole_column() {
    let rows = |rows: &[[&str; 3]]| {
        let rows = rows.iter().enumerate();
        let rows = rows.map(|(i, [a, b, won])| format!("{i},{a},{b},{won}\n"));
        format!(
            "item,system_a,system_b,outcome\n{}",
            rows.collect::<String>()
        )
    };
    let files = [
        ("side.csv", rows(&[["2", "3", "1"], ["2", "3", "2"]])),
        (
            "tie.csv",
            rows(&[
                ["1", "2", "1"],
                ["2", "1", "1"],
                ["1", "2", "1.5"],
                ["1", "2", "2"],
            ]),
        ),
        ("same.csv", rows(&[["1", "2", "1"], ["1", "2", "2"]])),
        (
            "either.csv",
            rows(&[["1", "2", "1"], ["2", "1", "2"], ["1", "2", "2"]]),
        ),
        (
            "name.csv",
            rows(&[["2", "1", "2"], ["2", "3", "3"], ["1", "2", "2"]]),
        ),
    ];
    expect![[r#"
        side.csv: outcomes 1.0 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        tie.csv: outcomes 1.0 1.0 0.5 0.0; scores ; left out []
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
        same.csv: outcomes 1.0 0.0; scores ; left out []
        either.csv:3: outcome is 2, which is ambiguous: it names one system and as a word means the other
        hint: for names of systems: --outcome 1=name,2=name; for sides: --outcome 1=1,2=0
        name.csv: outcomes 1.0 0.0 0.0; scores ; left out []
        note: outcomes 2 are names of systems, as others show
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
    // A data set is read row by row.
    let folder = Folder::with(&[("comparisons.csv", &files[0].1)]);
    let (message, hint) = folder.told(&folder.index().err().unwrap());
    let expected = "comparisons.csv:3: outcome is 2, which is ambiguous: it names one system and as a word means the other";
    assert_eq!(message, expected);
    assert_eq!(
        hint,
        "for names of systems: --outcome 2=name; for sides: --outcome 2=0; or say so under [outcomes] in dataset.toml, \
         as in A = \"name\""
    );
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
        note: the rows do not name the systems: they are called after the columns
        note: outcomes count the systems: 1 is system_a, 2 is system_b, 1.5 a tie
    "#]]
    .assert_eq(&all_said(&files, &ImportOptions::default()));
}

#[test]
fn a_hint_about_an_outcome_leaves_its_meaning_to_the_user() {
    let head = "item,system_a,system_b,outcome\n";
    let files = [
        ("option.csv", comparisons(&["Option 1", "Option 2"])),
        ("quoted.csv", comparisons(&["it's 1", "A"])),
        ("third.csv", comparisons(&["1", "3", "2"])),
        ("scale.csv", comparisons(&["1", "2", "5", "4"])),
        ("named.csv", format!("{head}1,A,B,A\n2,B,A,A\n")),
        // Other words show whether these are names or sides.
        ("names.csv", format!("{head}1,A,B,A\n2,B,A,A\n3,m1,B,m1\n")),
        ("sides.csv", format!("{head}1,A,B,A\n2,B,A,A\n3,m1,B,A\n")),
        // Systems may be called 1 and 2: then a number may be a name or a side.
        ("numbered.csv", format!("{head}1,2,1,2\n2,1,2,2\n")),
    ];
    expect![[r#"
        option.csv:2: outcome is Option 1, expected 0, 0.5 or 1
        hint: say what it means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 'Option 1=NUMBER'
        quoted.csv:2: outcome is it's 1, expected 0, 0.5 or 1
        hint: write what it means in its place: 1 (system_a is better), 0.5 (a tie), 0 or none (left out)
        third.csv:3: outcome is 3, expected 1, 2 or 1.5, as outcomes are 1, 2, 3
        hint: say what each means: --outcome 1=1,2=0,3=0.5 (3 is a tie) or --outcome 1=1,2=0.5,3=0 (2 is a tie)
        scale.csv:5: outcome is 4, expected 1, 2 or 1.5, as outcomes are 1, 2, 4, 5
        hint: say what each means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 1=NUMBER,2=NUMBER,4=NUMBER,5=NUMBER
        named.csv:3: outcome is A, which is ambiguous: it names one system and as a word means the other
        hint: for names of systems: --outcome A=name,B=name; for sides: --outcome A=1,B=0
        names.csv: outcomes 1.0 0.0 1.0; scores ; left out []
        note: outcomes A are names of systems, as others show
        sides.csv: outcomes 1.0 1.0 1.0; scores ; left out []
        note: outcomes A are sides, as others show
        numbered.csv:2: outcome is 2, which is ambiguous: it names one system and as a word means the other
        hint: for names of systems: --outcome 1=name,2=name; for sides: --outcome 1=1,2=0
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
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
        ("skipped.csv", export(&["tie", "skip"])),
        ("numbers.csv", export(&["1", "2", "tie"])),
    ];
    expect![[r#"
        typo.csv:3: `better` is Modell B, which is no outcome
        hint: say what it means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 'Modell B=NUMBER'
        ties.csv:3: `better` is unclear, which is no outcome
        hint: say what it means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome 'unclear=NUMBER'
        skipped.csv: outcomes 0.5; scores ; left out [("an annotation without a verdict", 1)]
        numbers.csv:2: `better` is 1, which is no outcome
        hint: where 1 is system_a and 2 is system_b: --outcome '1=1,2=0'; else say what it means, 1 (system_a is better), 0.5 (a tie), 0 or none (left out), as NUMBER: --outcome '1=NUMBER'
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
    let said = [("1".to_string(), 1.0), ("2".to_string(), 0.0)];
    let given = ImportOptions {
        outcomes: Outcomes::new(said).unwrap(),
        ..ImportOptions::default()
    };
    expect![[r#"
        numbers.csv: outcomes 1.0 0.0 0.5; scores ; left out []
    "#]]
    .assert_eq(&all_said(&files[3..], &given));
}

/// pandas writes whole numbers as floats where one is missing.
#[test]
fn a_number_is_the_same_word_however_it_is_written() {
    let files = [
        ("signs.csv", comparisons(&["1.0", "-1.0", "0.0", ""])),
        ("places.csv", comparisons(&["1.0", "2.0", "0.0"])),
    ];
    let explained = |pairs: &[(&str, f64)]| ImportOptions {
        outcomes: Outcomes::new(
            pairs
                .iter()
                .map(|(word, number)| ((*word).to_string(), number)),
        )
        .unwrap(),
        ..ImportOptions::default()
    };
    let told = [
        all_said(
            &files[..1],
            &explained(&[("1", 1.0), ("0", 0.5), ("-1", 0.0)]),
        ),
        all_said(&files[..1], &explained(&[("-1", 0.0)])),
        all_said(
            &files[1..],
            &explained(&[("1", 1.0), ("2", 0.0), ("0", 0.5)]),
        ),
    ];
    expect![[r#"
        signs.csv: outcomes 1.0 0.0 0.5; scores ; left out [("no outcome", 1)]
        signs.csv: outcomes are -1.0, 0.0, 1.0: is 0 a tie or a loss?
        hint: say what each means: --outcome 1.0=1,0.0=0.5,-1.0=0 (1: system_a is better) or --outcome 1.0=0,0.0=0.5,-1.0=1 (1: system_b is better)
        places.csv: outcomes 1.0 0.0 0.5; scores ; left out []
    "#]].assert_eq(&told.concat());
}

#[test]
fn names_that_are_words_are_names_where_it_is_said() {
    let head = "item,system_a,system_b,outcome\n";
    let files = [("named.csv", format!("{head}1,A,B,A\n2,B,A,A\n3,B,A,B\n"))];
    let said = ["A", "B"].map(|word| (word.to_string(), "name"));
    let given = ImportOptions {
        outcomes: Outcomes::new(said).unwrap(),
        ..ImportOptions::default()
    };
    expect![[r#"
        named.csv: outcomes 1.0 0.0 1.0; scores ; left out []
    "#]]
    .assert_eq(&all_said(&files, &given));
}

#[test]
fn ratings_with_a_missing_or_odd_cell_are_read_or_refused() {
    let rated = |column: &str, scores: &[&str]| {
        table_of(
            &format!("item,system,output,{column}"),
            |i, score| format!("{i},m1,text {i},{score}"),
            scores,
        )
    };
    let flags = r#"{"item":1,"system":"m1","output":"x","score":true}
{"item":2,"system":"m1","output":"y","score":null}
"#;
    let two = "item,system,output,score,annotator\n1,m1,x,3,ana\n1,m1,x,NA,ben\n2,m1,y,4,ben\n";
    let judged = "item,system,criterion,score\n1,m1,tone,NA\n2,m1,tone,True\n";
    let files = [
        (
            "na.csv",
            rated("score", &["3", "NA", "4", "", "nan", "<NA>"]),
        ),
        ("flags.csv", rated("score", &["TRUE", "false", "NA"])),
        ("flags.jsonl", flags.to_string()),
        ("two.csv", two.to_string()),
        ("judged.csv", judged.to_string()),
        ("word.csv", rated("score", &["3", "good", "4"])),
        ("words.csv", rated("score", &["good", "3", "bad"])),
        ("percent.csv", rated("score", &["85%", "70%"])),
        ("infinite.csv", rated("score", &["inf", "-inf", "1", "2"])),
        ("other.csv", rated("fluency", &["3", "NA", "4"])),
        ("most.csv", rated("fluency", &["3", "good", "4"])),
    ];
    expect![[r#"
        na.csv: outcomes ; scores 3.0 4.0; left out [("an empty rating", 4)]
        flags.csv: outcomes ; scores 1.0 0.0; left out [("an empty rating", 1)]
        flags.jsonl: outcomes ; scores 1.0; left out [("an empty rating", 1)]
        two.csv: outcomes ; scores 3.0 4.0; left out [("an empty rating", 1)]
        judged.csv: outcomes ; scores 1.0; left out [("an empty rating", 1)]
        word.csv:3: `score` is "good", expected a finite number
        hint: correct it, or leave it empty; --criteria names the columns that are ratings
        words.csv: outcomes ; scores ; left out []
        note: words.csv: `score` is not read as ratings: 2 of 3 cells are no finite number, such as "good"
        note: words.csv: further columns, which are kept: score
        percent.csv: outcomes ; scores ; left out []
        note: percent.csv: `score` is not read as ratings: 2 of 2 cells are no finite number, such as "85%"
        note: percent.csv: further columns, which are kept: score
        infinite.csv: outcomes ; scores ; left out []
        note: infinite.csv: `score` is not read as ratings: 2 of 4 cells are no finite number, such as "inf"
        note: infinite.csv: further columns, which are kept: score
        other.csv: columns of numbers next to the outputs: fluency; are they ratings?
        hint: say which: tiebreak import other.csv --criteria fluency --out DIR or tiebreak import other.csv --criteria none --out DIR
        most.csv: columns of numbers next to the outputs: fluency; are they ratings?
        hint: say which: tiebreak import most.csv --criteria fluency --out DIR or tiebreak import most.csv --criteria none --out DIR
    "#]].assert_eq(&all_said(&files, &ImportOptions::default()));
    let named = ImportOptions {
        criteria: Some(vec!["score".to_string()]),
        ..ImportOptions::default()
    };
    expect![[r#"
        na.csv: outcomes ; scores 3.0 4.0; left out [("an empty rating", 4)]
        flags.csv: outcomes ; scores 1.0 0.0; left out [("an empty rating", 1)]
        flags.jsonl: outcomes ; scores 1.0; left out [("an empty rating", 1)]
    "#]]
    .assert_eq(&all_said(&files[..3], &named));
}

/// A table whose name has a capital is read, and does not count as left out.
#[test]
fn a_table_in_capitals_is_read() {
    let folder = Folder::with(&[("Comparisons.csv", &comparisons(&["1", "0"]))]);
    let dataset = Dataset::open(folder.path(), &[]).unwrap();
    assert_eq!(dataset.ignored(), &[] as &[String]);
    assert_eq!(dataset.imported().unwrap().comparisons, 2);
}

/// Decimal commas, tabs and older encodings of spreadsheets.
#[test]
fn what_spreadsheets_write_is_read_or_says_what_to_type() {
    let scores = |text: &str| {
        let folder = Folder::with(&[("judgments.csv", text)]);
        let groups = folder.index().map(|index| super::groups(&index));
        let judgments = |group: super::Group| group.judgments.into_iter().map(|one| one.score);
        let groups = groups.map_err(|error| folder.told(&error));
        groups.map(|groups| groups.into_iter().flat_map(judgments).collect::<Vec<f64>>())
    };
    let german = "item;system;criterion;score\n1;m1;tone;5,0\n2;m1;tone;3,5569\n";
    assert_eq!(scores(german).unwrap(), [5.0, 3.5569]);
    assert_eq!(scores(&german.replace(';', "\t")).unwrap(), [5.0, 3.5569]);
    let (message, hint) = scores(&german.replace("3,5569", "3,556")).unwrap_err();
    let expected = "judgments.csv:3: `score` is \"3,556\", expected a finite number";
    assert_eq!(message, expected);
    assert_eq!(
        hint,
        "write numbers with a decimal point and no mark of thousands"
    );
}

/// Windows-1252 has characters, such as the euro sign, where Latin-1 has none.
#[test]
fn an_older_encoding_is_named_by_its_larger_set() {
    let folder = Folder::new();
    folder.write("o.csv", b"item,system,output\n1,a,5 \x80\n");
    let (message, hint) = folder.misread("o.csv");
    assert_eq!(message, "o.csv:2: invalid UTF-8 in cell 3");
    assert!(hint.contains("iconv -f cp1252 -t utf-8 o.csv"), "{hint}");
}

/// Blanks after commas, rows that a spreadsheet once used, and quotes that quote nothing.
#[test]
fn rows_of_hand_and_of_spreadsheets_are_read_or_refused() {
    let quoted = "item\tsystem\toutput\n1\ta\t\"We are going,\n1\tb\tWe go\n2\ta\tso we must leave.\"\n2\tb\tSo we leave\n";
    let lines = "item\tsystem\toutput\n1\ta\t\"if x:\n\t\treturn y\"\n1\tb\t\"one\ntwo\"\n";
    let files = [
        (
            "blanks.csv",
            "item, system, output\n1, a, \"x, y\"\n1, b,  z\n".to_string(),
        ),
        ("mixed.csv", "item, system,output\n1, a, x\n".to_string()),
        (
            "empty.csv",
            "item,system,output\n1,a,x\n,,\n1,b,y\n,,\n".to_string(),
        ),
        ("quoted.tsv", quoted.to_string()),
        (
            "spoken.tsv",
            quoted.replace("leave.\"", "leave,\" she said"),
        ),
        ("opened.tsv", quoted.replace("leave.\"", "leave.")),
        ("lines.tsv", lines.to_string()),
    ];
    let said = |(name, text): &(&str, String)| {
        let folder = Folder::with(&[(name, text)]);
        let options = ImportOptions::default();
        let Ok(_) = from(&folder, &[name], &options) else {
            let (message, hint) = refused(&folder, &[name], &options);
            return format!("{message}\nhint: {hint}\n");
        };
        let rows = table(&folder, "outputs");
        let rows = rows.iter().map(|row| format!("{row}\n"));
        format!("{name}\n{}", rows.collect::<String>())
    };
    expect![[r#"
        blanks.csv
        {"item":"1","system":"a","output":"x, y"}
        {"item":"1","system":"b","output":"z"}
        mixed.csv
        {"item":"1","system":" a","output":" x"}
        empty.csv
        {"item":"1","system":"a","output":"x"}
        {"item":"1","system":"b","output":"y"}
        quoted.tsv:2: a double quote opens a cell that holds further rows
        hint: if quotes are ordinary characters in this file, quote every cell: awk 'BEGIN{FS=OFS="\t"}{sub(/\r$/,"");gsub(/"/,"\"\"");for(i=1;i<=NF;i++)$i="\""$i"\""}1' quoted.tsv > mended.tsv
        spoken.tsv:2: text after the closing double quote of a cell
        hint: if quotes are ordinary characters in this file, quote every cell: awk 'BEGIN{FS=OFS="\t"}{sub(/\r$/,"");gsub(/"/,"\"\"");for(i=1;i<=NF;i++)$i="\""$i"\""}1' spoken.tsv > mended.tsv
        opened.tsv:2: a double quote is opened and never closed
        hint: if quotes are ordinary characters in this file, quote every cell: awk 'BEGIN{FS=OFS="\t"}{sub(/\r$/,"");gsub(/"/,"\"\"");for(i=1;i<=NF;i++)$i="\""$i"\""}1' opened.tsv > mended.tsv
        lines.tsv
        {"item":"1","system":"a","output":"if x:\n\t\treturn y"}
        {"item":"1","system":"b","output":"one\ntwo"}
    "#]].assert_eq(&files.iter().map(said).collect::<String>());
}
