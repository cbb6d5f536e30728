//! Sheets that come back with slips: what they say of themselves, and of answers that are there already.

use super::live::Live;
use super::ratings::World;
use super::{fill_in, text, tiebreak, typed};
use crate::support::{assert_contains, assert_lacks};
use serde_json::Value;
use std::fs;

/// Answers every question of a sheet alike.
fn answer_all(live: &Live, sheet: &str, filled: &str, answer: &str) -> usize {
    let (sheet, filled) = (live.path(sheet), live.path(filled));
    fill_in(&sheet, &filled, |_, _, column| {
        (column == "answer").then(|| answer.to_string())
    })
}

#[test]
fn blanks_at_the_ends_and_a_wide_sign_are_no_edits() {
    let world = World::new(6);
    world
        .ask("sheet.csv", &["--task post-edit --n 18 --json"])
        .ok();
    let path = world.path("sheet.csv");
    let mut others = 0;
    fill_in(&path, &path, |_, row, column| {
        let shown = row["text"];
        if column != "post_edit" {
            return None;
        }
        Some(match (shown.contains("fine"), shown.contains("poor")) {
            (true, _) => "＝".to_string(),
            (_, true) => format!("{shown}\r\n"),
            _ => {
                others += 1;
                "none".to_string()
            }
        })
    });
    let told = world.tell(&["sheet.csv"], &[]);
    let note = format!("{others} corrected texts share no word with the text");
    assert_contains(&told.stderr, &[&note, "the first at sheet.csv:"]);
    told.ok();
    let edited = world.estimated("edited");
    let share = |system: &str| edited[system]["estimate"].as_f64().unwrap();
    assert_eq!((share("secret-good"), share("secret-bad")), (0.0, 0.0));
    // One of its six texts is another system's.
    assert!((share("secret-ugly") - 5.0 / 6.0).abs() < 1e-9);
}

#[test]
fn an_answer_that_contradicts_another_is_told_where_that_is() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "4"]).ok();
    answer_all(&live, "q.csv", "one.csv", "1");
    let rows = fs::read_to_string(live.path("one.csv")).unwrap();
    answer_all(&live, "q.csv", "two.csv", "2");
    let others = fs::read_to_string(live.path("two.csv")).unwrap();
    let (_, others) = others.split_once('\n').unwrap();
    fs::write(live.path("twice.csv"), format!("{rows}{others}")).unwrap();
    let twice = live.tell("twice.csv", &[]);
    twice.refused(&[
        "answer is 2, but it is 1 in twice.csv:",
        "keep one of the two rows",
    ]);
    assert_lacks(&twice.stderr, &["earlier sheet", "take-back"]);
    fs::write(live.path("total.csv"), "question,answer\n,1\n").unwrap();
    live.tell("total.csv", &[]).refused(&[
        "total.csv:2",
        "an answer, but no code in the column `question`",
    ]);
    // One person corrects an answer, too; and several may be meant.
    live.tell("one.csv", &[]).ok();
    live.tell("two.csv", &[]).refused(&[
        "answer is 2, but it is 1 in an answer on record",
        "take the earlier sheet back as it was (--take-back)",
        "--annotators ana,ben --per-question 2",
    ]);
    live.tell("one.csv", &["--take-back"]).ok();
    live.tell("two.csv", &[]).ok();
    // At a terminal there was no sheet.
    live.ask("more.csv", &["--n", "1"]).ok();
    typed(&["ask", text(&live.path("run"))], "1\nq\n").ok();
    answer_all(&live, "more.csv", "more-two.csv", "2");
    live.tell("more-two.csv", &[])
        .refused(&["give a sheet in which the answer is as it was (--take-back)"]);
    answer_all(&live, "more.csv", "more-one.csv", "1");
    live.tell("more-one.csv", &["--take-back"]).ok();
    live.tell("more-two.csv", &[]).ok();
}

#[test]
fn a_skip_is_taken_back_as_often_as_it_is_read() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "4"]).ok();
    let rows = answer_all(&live, "q.csv", "skips.csv", "skip");
    for _ in 0..3 {
        let told = live.tell("skips.csv", &["--json"]).json();
        assert_eq!(told["told"]["skipped"], rows, "{told}");
        let back = live.tell("skips.csv", &["--take-back", "--json"]).json();
        assert_eq!(back["told"]["taken_back"], rows, "{back}");
    }
}

#[test]
fn a_page_is_told_from_the_answers_that_it_saves() {
    let live = Live::new();
    let mut ids = Vec::new();
    for run in ["run", "other"] {
        let page = format!("{run}.html");
        live.run(&["ask", run, "data", "--n", "4", "--page", "--out", &page])
            .ok();
        live.run(&["tell", run, &page])
            .refused(&["a page to fill in", "give that file (.json)"]);
        let page = fs::read_to_string(live.path(&page)).unwrap();
        let data = page
            .split("id=\"embedded\" nonce=\"here\">")
            .nth(1)
            .unwrap();
        let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        ids.push(data["id"].clone());
    }
    assert_ne!(ids[0], ids[1], "a browser keeps the answers of both");
}

/// A sheet without names is that of the annotator who was asked, whom every later command then knows.
#[test]
fn a_sheet_that_lost_its_names_is_that_of_whom_it_asked() {
    let live = Live::new();
    live.begin("s", &["--annotators", "ana,ben", "--n", "8"])
        .ok();
    let mut given = [0; 2];
    for (name, given) in ["ana", "ben"].into_iter().zip(&mut given) {
        let sheet = format!("s/{name}.csv");
        *given = answer_all(&live, &sheet, &sheet, "1");
        let mut rows = csv::Reader::from_path(live.path(&sheet)).unwrap();
        let rows = rows
            .records()
            .map(|row| format!("{},1\n", &row.unwrap()[0]));
        let rows = "question,answer\n".to_string() + &rows.collect::<String>();
        fs::write(live.path(&sheet), rows).unwrap();
        live.tell(&sheet, &[]).ok();
    }
    let run = live.path("run");
    let answers = ["export", text(&run), "--as", "answers", "--out", "-"];
    let answers = tiebreak(&answers).ok();
    let of = ["ana", "ben"].map(|name| answers.matches(&format!(",{name},")).count());
    assert_eq!(of, given);
    live.tell("s/ana.csv", &["--take-back"]).ok();
}

/// What was read under a wrong name is taken back under it, whatever the sheet says of itself.
#[test]
fn a_wrong_name_is_taken_back_with_either_sheet() {
    let live = Live::new();
    live.begin("s", &["--annotators", "ana,ben", "--n", "8"])
        .ok();
    let given = answer_all(&live, "s/ana.csv", "s/ana.csv", "1");
    let rows = fs::read_to_string(live.path("s/ana.csv")).unwrap();
    fs::write(live.path("zoe.csv"), rows.replace(",ana,", ",zoe,")).unwrap();
    live.tell("zoe.csv", &[]).ok();
    let again = live.tell("s/ana.csv", &[]);
    let told = [
        "on record under another name",
        "as zoe's",
        "--annotator zoe --take-back",
    ];
    assert_contains(&again.stderr, &told);
    again.ok();
    live.tell("s/ana.csv", &["--annotator", "zoe", "--take-back"])
        .ok();
    let told = live.tell("s/ana.csv", &["--json"]).json();
    assert_eq!(told["told"]["new"], given);
    // A list that is not there is no annotator.
    Live::new()
        .begin("q.csv", &["--annotators", "people.txt"])
        .refused(&["--annotators people.txt: no such file", "a name a line"]);
}

/// Names that exports and imports would lose are refused wherever they are given.
#[test]
fn a_name_that_stands_for_none_is_refused_at_every_door() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "4"]).ok();
    fill_in(
        &live.path("q.csv"),
        &live.path("named.csv"),
        |_, _, column| match column {
            "answer" => Some("1".to_string()),
            "annotator" => Some("None".to_string()),
            _ => None,
        },
    );
    live.fill("q.csv", "filled.csv");
    let expected = |name: &str| format!("annotator `{name}` would be read as a missing name");
    live.tell("named.csv", &[])
        .refused(&["named.csv:", &expected("None"), "or leave it out"]);
    for name in ["NA", "null", "NaN"] {
        let flags = ["--annotator", name];
        live.tell("filled.csv", &flags).refused(&[&expected(name)]);
        live.run(&[&["ask", "run"][..], &flags].concat())
            .refused(&[&expected(name)]);
        for door in ["ask", "serve"] {
            live.run(&[door, "other", "data", "--annotators", name])
                .refused(&[&expected(name)]);
        }
    }
    assert!(!live.path("other").exists());
    // People may be called so.
    live.tell("filled.csv", &["--annotator", "Na"]).ok();
}
