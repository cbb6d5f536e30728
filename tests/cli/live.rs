//! `ask` and `tell`: a live run by file, as its user meets it.

use super::newcomer::Desk;
use super::{Finished, command, fill_in, text, tiebreak, tree, typed};
use crate::support::{assert_contains, assert_lacks, table_rows};
use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

/// A data set of three systems, one of them always better, and a run on it.
pub(super) struct Live(Desk);

const SYSTEMS: [&str; 3] = ["secret-good", "secret-bad", "secret-ugly"];

impl Live {
    pub(super) fn new() -> Self {
        let live = Self(Desk::empty());
        let mut outputs = String::new();
        for item in 0..60 {
            for (system, quality) in SYSTEMS.into_iter().zip(["fine", "poor", "dire"]) {
                let output = format!("=a {quality} \"text\",\nnumber {item}");
                let row = serde_json::json!({
                    "item": format!("i{item}"), "system": system, "output": output,
                    "source": format!("-source {item}"), "references": ["ré, one"],
                });
                outputs += &format!("{row}\n");
            }
        }
        fs::create_dir(live.path("data")).unwrap();
        fs::write(live.path("data/outputs.jsonl"), outputs).unwrap();
        live
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    /// What a terminal shows of commands in the folder of the data set.
    fn session(&self, lines: &str) -> String {
        self.0.session(lines)
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Finished {
        self.0.call(arguments)
    }

    pub(super) fn ask(&self, sheet: &str, more: &[&str]) -> Finished {
        self.run(&[&["ask", "run"], more, &["--out", sheet]].concat())
    }

    pub(super) fn begin(&self, sheet: &str, more: &[&str]) -> Finished {
        self.ask(sheet, &[&["data"], more].concat())
    }

    pub(super) fn tell(&self, sheet: &str, more: &[&str]) -> Finished {
        self.run(&[&["tell", "run", sheet], more].concat())
    }

    /// A data set of its first 36 outputs.
    pub(super) fn with_few_items() -> Self {
        let live = Self::new();
        let outputs = fs::read_to_string(live.path("data/outputs.jsonl")).unwrap();
        let few: String = outputs.split_inclusive('\n').take(36).collect();
        fs::write(live.path("data/outputs.jsonl"), few).unwrap();
        live
    }

    /// Fills a CSV sheet in: a fine text wins on two items of three.
    pub(super) fn fill_two_of_three(&self, sheet: &str) {
        let sheet = self.path(sheet);
        fill_in(&sheet, &sheet, |_, row, column| {
            let [(item, first), (_, second)] = ["text_1", "text_2"].map(|side| shown(row[side]));
            let answer = match (first, second) {
                (true, false) if item % 3 > 0 => "1",
                (false, true) if item % 3 > 0 => "2",
                (true, false) => "2",
                (false, true) => "1",
                _ => "tie",
            };
            (column == "answer").then(|| answer.to_string())
        });
    }

    /// Fills a CSV sheet in: a fine text wins, two others tie.
    pub(super) fn fill(&self, sheet: &str, filled: &str) -> usize {
        self.fill_taking(sheet, filled, "")
    }

    /// The same; every answer takes so many seconds.
    pub(super) fn fill_taking(&self, sheet: &str, filled: &str, seconds: &str) -> usize {
        fill_in(&self.path(sheet), &self.path(filled), |_, row, column| {
            let [one, two] = ["text_1", "text_2"].map(|side| row[side].contains("fine"));
            let cell = match column {
                "answer" if one => "1",
                "answer" if two => "2",
                "answer" => "tie",
                "seconds" => seconds,
                _ => return None,
            };
            Some(cell.to_string())
        })
    }

    /// The codes of the questions on a sheet.
    fn codes(&self, sheet: &str) -> Vec<String> {
        let mut reader = csv::Reader::from_path(self.path(sheet)).unwrap();
        reader
            .records()
            .map(|row| row.unwrap()[0].to_string())
            .collect()
    }

    pub(super) fn journal(&self) -> Vec<u8> {
        fs::read(self.path("run/journal.jsonl")).unwrap()
    }
}

pub(super) fn questions(status: &Value, key: &str) -> u64 {
    status["questions"][key].as_u64().unwrap()
}

/// The number of an item that a text is about, and whether it is a fine one.
fn shown(text: &str) -> (usize, bool) {
    let number = text.rsplit(' ').next().unwrap();
    (number.parse().unwrap(), text.contains("fine"))
}

/// Nothing is left to ask while some pairs were never compared on some items: the run would only compare what it has.
#[test]
fn where_nothing_is_left_to_ask_all_doors_say_so() {
    let live = Live::with_few_items();
    let mut told = Value::Null;
    let mut last = Value::Null;
    for round in 0..20 {
        let sheet = format!("{round}.csv");
        let more = ["--n", "8", "--json"];
        last = match round {
            0 => live.begin(&sheet, &more).json(),
            _ => live.ask(&sheet, &more).json(),
        };
        if !live.path(&sheet).exists() {
            break;
        }
        live.fill_two_of_three(&sheet);
        told = live.tell(&sheet, &["--json"]).json();
    }
    assert!(
        last["sheet"].is_null() && last["claim"]["confidence"].is_null(),
        "{last}"
    );
    for status in [&told, &last] {
        assert_eq!(questions(status, "open"), 0);
        assert!(status["left"].is_null(), "{status}");
    }
    assert_eq!(told["next"], last["next"]);
    expect!["begin another campaign: all questions that could decide are answered, without a verdict. More items or more annotators help. So does --without-replacement: its verdict is about these answers alone."].assert_eq(last["next"].as_str().unwrap());
    let report = tiebreak(&["report", text(&live.path("run"))]).ok();
    assert_contains(
        &report,
        &["The campaign asks nothing more: all questions that could decide are answered."],
    );
}

#[test]
fn from_the_first_question_to_a_certificate() {
    let live = Live::new();
    let begun = live.begin("0.csv", &["--n", "15", "--json"]).json();
    assert_eq!(questions(&begun, "open"), 15);
    let nobody_answered = |status: &Value| {
        status["leader"].is_null()
            && status["probabilities"] == serde_json::json!([])
            && status["no_winner"].is_null()
            && status["answers"] == 0
    };
    assert!(nobody_answered(&begun), "{begun}");
    let mut round = 0;
    let mut guessed = 0.0;
    let end = loop {
        let (sheet, filled) = (format!("{round}.csv"), format!("{round}-filled.csv"));
        let rows = live.fill(&sheet, &filled) as u64;
        let told = live.tell(&filled, &["--annotator", "ann", "--json"]).json();
        assert_eq!(told["told"]["new"].as_u64(), Some(rows));
        assert_eq!(questions(&told, "open"), 0);
        if let Some(probabilities) = told["probabilities"]
            .as_array()
            .filter(|all| !all.is_empty())
        {
            let probability = |one: &Value| one["probability"].as_f64().unwrap();
            assert_eq!(probabilities[0]["system"], "secret-good");
            guessed = probability(&probabilities[0]);
            let total: f64 = probabilities.iter().map(probability).sum();
            assert!((total + told["no_winner"].as_f64().unwrap() - 1.0).abs() < 1e-12);
            assert_eq!(told["answers"], told["questions"]["answered"]);
        }
        round += 1;
        assert!(round < 10, "no certificate: {told}");
        let asked = live
            .ask(&format!("{round}.csv"), &["--n", "15", "--json"])
            .json();
        if asked["stopped"] == "certificate" {
            break asked;
        }
    };
    assert_eq!(end["leader"], "secret-good");
    expect!["secret-good is the best of the 3 systems (95 % confidence). Based on 45 comparisons by one annotator (answers without a name count as one person's). It holds for this annotator and these items. Assumptions: One system beats every other one. The item and the annotator of each question were drawn at random. No annotator's taste changed during the campaign."].assert_eq(end["verdict"].as_str().unwrap());
    let claim = &end["claim"];
    assert_eq!(
        (&claim["kind"], &claim["basis"]),
        (&"best".into(), &"campaign".into())
    );
    assert_eq!(claim["systems"], serde_json::json!(["secret-good"]));
    assert_eq!(
        (&claim["about"], &claim["annotators"]),
        (&"one-annotator".into(), &1.into())
    );
    assert_eq!(
        (&claim["confidence"], &claim["items"]),
        (&0.95.into(), &"at-hand".into())
    );
    let ranked = tiebreak(&["rank", text(&live.path("run")), "--json"]).json();
    assert_eq!(
        &ranked["claim"], claim,
        "of a campaign's folder, the campaign's own evidence"
    );
    assert!(guessed > 0.9, "{guessed}");
    // No guess stands beside a proof.
    let guesses = [&end["probabilities"], &end["chances"], &end["no_winner"]];
    assert_eq!(
        guesses,
        [&serde_json::json!([]), &serde_json::json!([]), &Value::Null]
    );
    assert!(end["next"].as_str().unwrap().contains("over"));
    assert!(
        end["rivals"]
            .as_array()
            .unwrap()
            .iter()
            .all(|rival| rival["evidence"] == 1.0)
    );
    assert!(
        !live.path(&format!("{round}.csv")).exists(),
        "a run that is over asks nothing"
    );
    let report = tiebreak(&["report", text(&live.path("run"))]).ok();
    assert_contains(
        &report,
        &["secret-good is the best system, by the campaign's own evidence"],
    );
}

/// Nobody leads before the first answer, and no probability stands alone. A server that was killed leaves tables that
/// are older than its journal; a report tells what the journal knows.
#[test]
fn the_first_answers_are_told_with_what_they_do_not_prove() {
    let live = Live::new();
    let mut told = live.session("ask run data --n 8 --out q.csv");
    let before = fs::read(live.path("run/ranking.json")).unwrap();
    live.fill("q.csv", "filled.csv");
    told += &live.session("tell run filled.csv");
    told += &live.session("ask run --again --out again.csv");
    fs::write(live.path("run/ranking.json"), before).unwrap();
    let report = live.run(&["report", "run"]).ok();
    told += report.split_once("\n\n").unwrap().0;
    // Without its data it is told as it stood, and that is said.
    fs::rename(live.path("data"), live.path("elsewhere")).unwrap();
    let old = live.run(&["report", "run"]);
    told += &format!("\n{}", old.stderr);
    expect![[r#"
        $ ask run data --n 8 --out q.csv
        written         8 questions to q.csv
        verdict         Not decided yet. There are no answers.
        questions       8 asked: 0 answered, 8 open
        next            fill in column `answer` of q.csv: 1, 2, tie, both bad or skip. Then: tiebreak tell run q.csv
        $ tell run filled.csv
        verdict         Not decided yet. secret-good leads; any of the 3 systems may still be best.
        read            8 new answers
        questions       8 asked: 8 answered, 0 open
        leader          secret-good
        probability     secret-good 78.4 %, secret-bad 11.6 %, secret-ugly 9.0 %, no system 1.0 %
                        to beat all others, by the bandit's model after 8 answers: a guess, not a proof
        next            ask the next questions: tiebreak ask run --out questions-2.csv
        $ ask run --again --out again.csv
        written         nothing: no question is open
        verdict         Not decided yet. secret-good leads; any of the 3 systems may still be best.
        questions       8 asked: 8 answered, 0 open
        leader          secret-good
        probability     secret-good 78.4 %, secret-bad 11.6 %, secret-ugly 9.0 %, no system 1.0 %
                        to beat all others, by the bandit's model after 8 answers: a guess, not a proof
        next            ask the next questions: tiebreak ask run --out questions-2.csv
        run
        ═══
        best  Not decided yet. secret-good leads; any of the 3 systems may still be best.
        sure  Not decided. 8 comparisons cannot separate the 3 systems.
        next  `tiebreak ask run --out questions-2.csv` asks the next questions.
        cost  People answered 8 of 8 questions.
        who   8 answers have no annotator's name; they count as one annotator's.
        note: this is the state as stored last: run/../data: no such file or folder
    "#]].assert_eq(&told);
    assert_eq!(old.ok(), report);
}

#[test]
fn a_sheet_is_blind_and_opens_in_a_spreadsheet() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "40"]).ok();
    live.ask("q.jsonl", &["--again"]).ok();
    live.ask("q.tsv", &["--again"]).ok();
    let csv = fs::read_to_string(live.path("q.csv")).unwrap();
    for sheet in ["q.csv", "q.tsv", "q.jsonl"] {
        let sheet = fs::read_to_string(live.path(sheet)).unwrap();
        assert_lacks(&sheet, &["secret"]);
        assert!(
            !sheet.contains("\"i1") && !sheet.contains(",i1"),
            "items are not named: {sheet}"
        );
    }
    let header = "\u{feff}question,source,reference,text_1,text_2,answer,annotator,seconds\n";
    assert!(csv.starts_with(header), "{csv}");
    let mut fine = [0, 0];
    let mut codes = BTreeSet::new();
    for row in csv::Reader::from_path(live.path("q.csv"))
        .unwrap()
        .records()
    {
        let row = row.unwrap();
        codes.insert(row[0].to_string());
        assert!(
            row.iter().all(|cell| !cell.starts_with(['=', '-'])),
            "{row:?}"
        );
        assert_eq!(&row[2], "ré, one");
        for side in [0, 1] {
            assert!(row[3 + side].starts_with("\u{2060}=a ") && row[3 + side].contains("\",\n"));
            fine[side] += usize::from(row[3 + side].contains("fine"));
        }
    }
    assert_eq!(codes.len(), 40);
    assert!(fine[0] > 5 && fine[1] > 5, "sides are random: {fine:?}");
    let lines = fs::read_to_string(live.path("q.jsonl")).unwrap();
    let rows: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        rows.iter()
            .all(|row| codes.contains(row["question"].as_str().unwrap()))
    );
    let text = rows[0]["text_1"].as_str().unwrap();
    assert!(text.starts_with("=a "), "JSON holds texts as they are");
}

#[test]
fn sheets_come_back_as_spreadsheets_save_them() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "12"]).ok();
    let codes = live.codes("q.csv");
    let write = |name: &str, content: String| fs::write(live.path(name), content).unwrap();
    // A semicolon, a byte order mark, other line ends, an empty last row, another order of columns.
    let rows = format!("Left;{};ann\r\n;{};ann\r\n;;\r\n", codes[7], codes[8]);
    write(
        "a.csv",
        format!("\u{feff}answer;question;annotator\r\n{rows}"),
    );
    // Numbers that became decimals, and a column of somebody's own.
    write(
        "b.csv",
        format!("question,remark,answer\n{},\"odd, no?\",1.0\n", codes[3]),
    );
    write("c.tsv", format!("question\tanswer\n {} \tTIE\n", codes[1]));
    let json = serde_json::json!({"question": codes[0], "answer": 2, "seconds": 3.5});
    let open = serde_json::json!({"question": codes[2], "answer": null});
    write("d.jsonl", format!("{json}\n{open}\n"));
    let told = live
        .tell("a.csv", &["b.csv", "c.tsv", "d.jsonl", "--json"])
        .json();
    assert_eq!(
        (&told["told"]["new"], &told["told"]["blank"]),
        (&4.into(), &2.into())
    );
    let journal = live.journal();
    let last = String::from_utf8(journal.clone()).unwrap();
    let last = last.lines().last().unwrap();
    assert_contains(last, &["\"annotator\":\"ann\"", "\"seconds\":3.5"]);
    let again = live.tell("a.csv", &["--json"]).json();
    assert_eq!(
        (&again["told"]["new"], &again["told"]["known"]),
        (&0.into(), &1.into())
    );
    assert!(live.journal() == journal, "telling twice changes nothing");
}

/// The name of a sheet, what is in it, and what is said: where, and what.
const WRONG_SHEETS: &str = r"
zero.csv     | question,answer\nFRESH,1\nOTHER,0     | zero.csv:3     | `0`, expected 1, 2, tie, both bad or skip
unknown.csv  | question,answer\nFRESH,1\nqbbbbbbbb,1 | unknown.csv:3  | not asked in this campaign
nameless.csv | question,answer\nFRESH,1\n,1          | nameless.csv:3 | no code in the column
twice.csv    | question,answer\nFRESH,1\nFRESH,2     | twice.csv:3    | answer is 2, but it is 1 in
before.csv   | question,answer\nFRESH,1\nKNOWN,tie   | before.csv:3   | it is 1 in an answer on record by ann
header.csv   | id,answer\nFRESH,1                    | header.csv:1   | no column `question`
slow.csv     | question,answer,seconds\nFRESH,1,-3   | slow.csv:2     | seconds is -3
book.xlsx    | PK                                    | book.xlsx      | save the sheet as CSV
gone.csv     |                                       | gone.csv       | empty
";

#[test]
fn mistakes_on_a_sheet_are_located_and_nothing_is_applied() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "6"]).ok();
    let sheet = fs::read_to_string(live.path("q.csv")).unwrap();
    let codes = live.codes("q.csv");
    fs::write(
        live.path("ok.csv"),
        format!("question,answer,annotator\n{},1,ann\n", codes[0]),
    )
    .unwrap();
    live.tell("ok.csv", &[]).ok();
    let journal = live.journal();
    let (known, fresh) = (&codes[0], &codes[1]);
    for [name, content, place, says] in table_rows(WRONG_SHEETS) {
        let content = content.replace("FRESH", fresh).replace("KNOWN", known);
        let content = content.replace("OTHER", &codes[2]).replace("\\n", "\n");
        fs::write(live.path(name), content).unwrap();
        refused(&live.tell(name, &[]), &[place, says]);
        assert!(live.journal() == journal, "{name}");
    }
    fs::write(live.path("latin.csv"), b"question,answer,note\nx,1,\xe9\n").unwrap();
    expect![[r#"
        $ tell run latin.csv
        error: latin.csv:2: invalid UTF-8 in cell 3
        hint: save the sheet as "CSV UTF-8"
        exit 2
        $ tell run nowhere.csv
        error: nowhere.csv: no such file or folder
        exit 2
        $ ask run --out q.csv
        error: q.csv: already there, and its questions are asked: no new ones are
        hint: once they are answered: tiebreak tell run q.csv; for more questions choose another name
        exit 2
        $ ask run --out q.xlsx
        error: q.xlsx: not a sheet that can be filled in
        hint: name a .csv, .tsv or .jsonl file
        exit 2
    "#]]
    .assert_eq(&live.session(
        "tell run latin.csv
         tell run nowhere.csv
         ask run --out q.csv
         ask run --out q.xlsx",
    ));
    assert_eq!(fs::read_to_string(live.path("q.csv")).unwrap(), sheet);
    assert!(live.journal() == journal);
}

pub(super) fn refused(run: &Finished, phrases: &[&str]) {
    run.refused(phrases);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_run_is_what_it_was_begun_as() {
    let live = Live::new();
    let mut told = live.session(
        "ask run --out q.csv
         tell run q.csv
         ask run data --bandit rmedd --out q.csv",
    );
    assert!(
        !live.path("run").exists(),
        "a refusal leaves nothing behind"
    );
    live.begin("q.csv", &["--n 5 --bandit rucb --seed 7 --budget 50"])
        .ok();
    let before = tree(&live.path("run"));
    told += &live.session(
        "ask run --seed 8 --out r.csv
         ask run --bandit rmed --out r.csv
         ask run --task rating --out r.csv
         ask run --skips odds:3 --out r.csv
         ask run --budget 40 --out r.csv",
    );
    let outputs = live.path("data/outputs.jsonl");
    let original = fs::read_to_string(&outputs).unwrap();
    fs::write(&outputs, original.replacen("dire", "Dire", 1)).unwrap();
    told += &live.session("ask run --out r.csv");
    fs::write(&outputs, original).unwrap();
    fs::rename(live.path("data"), live.path("moved")).unwrap();
    told += &live.session("ask run --out r.csv");
    expect![[r#"
        $ ask run --out q.csv
        error: run: there is no campaign here
        hint: to begin one, name the data set after the folder: run DATA
        exit 2
        $ tell run q.csv
        error: run: there is no campaign here
        hint: to begin one: tiebreak ask run DATA --out questions.csv
        exit 2
        $ ask run data --bandit rmedd --out q.csv
        error: --bandit: unknown bandit `rmedd`
        hint: did you mean `rmed`? `tiebreak list bandits` shows them all
        exit 2
        $ ask run --seed 8 --out r.csv
        error: seed was 7 when the campaign began, and is 8 now
        hint: what decides which questions are asked is fixed then: leave it as it was, or begin another campaign in a folder of its own
        exit 2
        $ ask run --bandit rmed --out r.csv
        error: bandit was rucb when the campaign began, and is rmed now
        hint: what decides which questions are asked is fixed then: leave it as it was, or begin another campaign in a folder of its own
        exit 2
        $ ask run --task rating --out r.csv
        error: run: the campaign has another task already: pairwise
        hint: begin another campaign in a new folder
        exit 2
        $ ask run --skips odds:3 --out r.csv
        error: skips was the default when the campaign began, and is odds:3 now
        hint: what decides which questions are asked is fixed then: leave it as it was, or begin another campaign in a folder of its own
        exit 2
        $ ask run --budget 40 --out r.csv
        error: --budget: less than before (50); a limit may grow, and not shrink
        hint: leave it out, or give more: --budget 50
        exit 2
        $ ask run --out r.csv
        error: run/../data/outputs.jsonl: changed since the campaign began, and the campaign needs the old contents
        hint: restore it from a copy, or begin another campaign in a folder of its own; new comparisons and judgments may be added at any time
        exit 2
        $ ask run --out r.csv
        error: run/../data: no such file or folder
        hint: if the data set has moved, say where it is: `tiebreak tell run SHEET --data DATA`, or without a sheet `tiebreak ask run DATA --again --out open.csv`, which asks nothing new
        exit 2
    "#]].assert_eq(&told);
    assert!(tree(&live.path("run")) == before);
    assert!(!live.path("r.csv").exists());
    live.ask("r.csv", &["moved", "--n", "5"]).ok();
    let after = live.ask("s.csv", &["--n", "5", "--json"]).json();
    assert_eq!(questions(&after, "asked"), 15);
}

#[test]
fn judgments_may_be_added_to_the_data_and_texts_may_not_change() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "4"]).ok();
    let votes = "item,system_a,system_b,outcome\ni1,secret-good,secret-bad,1\n";
    fs::write(live.path("data/comparisons.csv"), votes).unwrap();
    live.fill("q.csv", "a.csv");
    live.tell("a.csv", &[]).ok();
    let outputs = live.path("data/outputs.jsonl");
    let before = fs::read_to_string(&outputs).unwrap();
    fs::write(&outputs, before.replacen("dire", "fine", 1)).unwrap();
    live.ask("b.csv", &["--n", "4"])
        .refused(&["outputs.jsonl: changed since the campaign began"]);
    fs::write(&outputs, before).unwrap();
    live.ask("b.csv", &["--n", "4"]).ok();
}

#[test]
fn a_campaign_is_a_data_set_of_its_answers() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "12"]).ok();
    let answers = live.fill("q.csv", "a.csv");
    live.tell("a.csv", &["--annotator", "ana"]).ok();
    live.session("export run --as csv --out answers.csv");
    let rows = fs::read_to_string(live.path("answers.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + answers, "{rows}");
    assert!(
        rows.lines().skip(1).all(|row| row.contains("ana")),
        "{rows}"
    );
    let found = live.run(&["check run --json"]).json();
    assert_eq!(found["comparisons"], answers, "{found}");
    // A pipeline must not take its answers for comparisons that nobody chose.
    live.0.file("p.toml", "data = \"run\"\n[[rank]]\n");
    expect![[r#"
        $ run p.toml --out o
        error: p.toml:2: run: a campaign, whose questions depend on earlier answers
        hint: it has its own ranking: tiebreak rank run
        exit 2
        $ gate run --base secret-good
        error: run: a campaign, whose questions depend on earlier answers
        hint: it has its own ranking: tiebreak rank run
        exit 2
    "#]]
    .assert_eq(&live.session("run p.toml --out o\ngate run --base secret-good"));
}

/// Whoever keeps answers as plain tables keeps what people said with them, and is told what these tables lack.
#[test]
fn plain_tables_have_labels_and_comments_and_say_what_they_lack() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "6"]).ok();
    let codes = live.codes("q.csv");
    let mut sheet = String::from("question,answer,comment,reason\n");
    for (place, code) in codes.iter().enumerate() {
        sheet += &match place {
            0 => format!("{code},skip,,no idea\n"),
            1 => format!("{code},tie,\"so, so\",\n"),
            _ => format!("{code},both bad,,\n"),
        };
    }
    fs::write(live.path("a.csv"), sheet).unwrap();
    live.tell("a.csv", &[]).ok();
    let both_bad = codes.len() - 2;
    for form in ["csv", "jsonl", "parquet"] {
        let out = format!("answers.{form}");
        let said = live.run(&["export run --as", form, "--out", &out]).ok();
        let skipped = "left out: 1 (skipped questions, which --as answers has with their reasons)";
        assert_contains(&said, &[&format!("{} rows", codes.len() - 1), skipped]);
    }
    let rows = fs::read_to_string(live.path("answers.csv")).unwrap();
    assert_contains(&rows, &["price,label,comment\n", ",,\"so, so\"\n"]);
    assert_eq!(rows.matches(",both bad,").count(), both_bad, "{rows}");
    // Both go into a data set of one's own.
    fs::create_dir(live.path("mine")).unwrap();
    fs::copy(
        live.path("data/outputs.jsonl"),
        live.path("mine/outputs.jsonl"),
    )
    .unwrap();
    for form in ["jsonl", "parquet"] {
        let comparisons = format!("mine/comparisons.{form}");
        fs::copy(
            live.path(&format!("answers.{form}")),
            live.path(&comparisons),
        )
        .unwrap();
        let votes = live.run(&["export mine --as arena --out -"]).ok();
        assert_eq!(votes.matches("tie (bothbad)").count(), both_bad, "{votes}");
        fs::remove_file(live.path(&comparisons)).unwrap();
    }
}

/// What needs answers in a campaign of ratings, and in one of pairs.
const NEEDS_ANSWERS: &str = r"
estimate rated | estimate needs judgments
estimate rated --criterion fluency | estimate needs judgments
annotators rated | annotators needs judgments or comparisons
annotators rated --criterion fluency | annotators needs judgments
export rated --as csv --out x.csv | export needs comparisons or judgments
correlate rated --scores s.csv --metric length | correlate needs judgments or comparisons
plan rated --width 1 --criterion fluency | plan needs judgments
annotators pairs | annotators needs judgments or comparisons
export pairs --as trl --out x.jsonl | export needs comparisons
export pairs --as csv --out x.csv | export needs comparisons or judgments
simulate pairs | simulate needs comparisons
assess pairs --predictions s.csv | assess needs comparisons
correlate pairs --scores s.csv --metric length | correlate needs judgments or comparisons
fit link pairs --scores s.csv --metric length --link linear --out l.json | fit needs comparisons
";

#[test]
fn a_campaign_without_answers_is_a_data_set_without_judgments() {
    let desk = Desk::empty();
    let run = |line: &str| desk.run(line);
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny");
    let asked = "--budget 7 --n 3 --out";
    run(&format!("ask rated {data} --task rating {asked} rated.csv")).ok();
    run(&format!("ask pairs {data} {asked} pairs.csv")).ok();
    run(&format!("score {data} --metric length --out s.csv")).ok();
    for campaign in ["rated", "pairs"] {
        let found = run(&format!("check {campaign} --json")).json();
        assert_eq!(found["outputs"], 420, "{found}");
        assert_eq!(found["comparisons"], 0, "{found}");
        assert_eq!(found["judgments"], 0, "{found}");
        run(&format!("check {campaign}")).ok();
        let scored = run(&format!("score {campaign} --metric length --out -")).ok();
        assert_eq!(
            scored,
            run(&format!("score {data} --metric length --out -")).ok()
        );
    }
    for [verb, needs] in table_rows(NEEDS_ANSWERS) {
        let campaign = if verb.contains("rated") {
            "rated"
        } else {
            "pairs"
        };
        let what = format!("error: {campaign}: there are no answers yet, and {needs}");
        let hint = format!("tiebreak tell {campaign} SHEET");
        run(verb).refused(&[&what, &hint]);
    }
}

#[test]
fn the_terminal_and_sheets_share_a_run() {
    let live = Live::new();
    let (data, run) = (live.path("data"), live.path("run"));
    let console = |keys: &str| {
        let arguments = ["ask", text(&run), text(&data), "--json"];
        typed(&arguments, keys).ok();
    };
    console("1\n2\nt\n");
    let status = live.ask("q.csv", &["--n", "4", "--json"]).json();
    // The question on the screen when the person stopped is open too, and not on the sheet.
    assert_eq!(
        (questions(&status, "answered"), questions(&status, "open")),
        (3, 5)
    );
    let rows = live.fill("q.csv", "filled.csv");
    live.tell("filled.csv", &[]).ok();
    assert_eq!(rows, 4);
    console("1\n1\n");
    let status = live.tell("filled.csv", &["--json"]).json();
    assert_eq!(
        (questions(&status, "answered"), questions(&status, "open")),
        (9, 1)
    );
    assert_eq!(status["told"]["known"], 4);
}

#[test]
fn two_at_once_are_told_apart() {
    let live = Live::new();
    live.begin("q.csv", &["--n", "3"]).ok();
    let (data, run) = (live.path("data"), live.path("run"));
    let arguments = ["ask", text(&run), text(&data)];
    let mut person = command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Once a question is on the screen the journal is taken.
    let mut shown = [0; 1];
    std::io::Read::read_exact(person.stderr.as_mut().unwrap(), &mut shown).unwrap();
    refused(&live.ask("r.csv", &[]), &["another tiebreak is using it"]);
    drop(person.stdin.take());
    let mut rest = Vec::new();
    std::io::Read::read_to_end(person.stderr.as_mut().unwrap(), &mut rest).unwrap();
    assert!(person.wait().unwrap().success());
    live.ask("r.csv", &["--n", "2"]).ok();
}

#[test]
fn a_lost_sheet_is_written_again() {
    let live = Live::new();
    live.begin("lost.csv", &["--n", "8"]).ok();
    let lost = fs::read(live.path("lost.csv")).unwrap();
    fs::remove_file(live.path("lost.csv")).unwrap();
    let status = live.ask("again.csv", &["--again", "--json"]).json();
    assert_eq!(status["sheet"]["again"], 8);
    assert!(
        fs::read(live.path("again.csv")).unwrap() == lost,
        "the same questions, sides, order"
    );
}

#[test]
fn the_model_may_answer_inside() {
    let live = Live::new();
    let mut predictions = String::from("item,system_a,system_b,p\n");
    for item in 0..60 {
        for (a, b, p) in [(0, 1, 0.9), (0, 2, 0.9), (1, 2, 0.6)] {
            predictions += &format!("i{item},{},{},{p}\n", SYSTEMS[a], SYSTEMS[b]);
        }
    }
    let path = live.path("p.csv");
    fs::write(&path, &predictions).unwrap();
    let flags = ["--predictions", text(&path), "--mix 0.5 --n 30 --json"];
    let status = live.begin("q.csv", &flags).json();
    let model = status["model_answers"].as_u64().unwrap();
    assert!((10..70).contains(&model), "{model}");
    assert_eq!(questions(&status, "asked"), 30);
    live.fill("q.csv", "a.csv");
    let told = live.tell("a.csv", &["--json"]).json();
    assert_eq!(told["leader"], "secret-good");
    fs::write(&path, predictions.replacen("0.6", "0.7", 1)).unwrap();
    refused(
        &live.ask("r.csv", &[]),
        &["the predictions changed since the campaign began"],
    );
}

/// Skips every fifth question of a filled sheet.
fn skip_some(live: &Live, sheet: &str) {
    fill_in(&live.path(sheet), &live.path(sheet), |number, _, column| {
        (column == "answer" && number % 5 == 0).then(|| "skip".to_string())
    });
}

/// What skips take away is said while the campaign runs; what is assumed of them is fixed from its beginning.
#[test]
fn skipped_questions_count_as_the_premise_says() {
    for (premise, says) in [
        ("worst-case", "They count as their worst answers"),
        (
            "odds:3",
            "They count as preferences at odds of 3 to 1 at most",
        ),
        ("no-preference", ""),
    ] {
        let live = Live::new();
        live.begin("0.csv", &["--n", "20", "--skips", premise]).ok();
        let (mut told, mut claim) = (String::new(), Value::Null);
        for round in 0..8 {
            let [sheet, filled] = [format!("{round}.csv"), format!("{round}-filled.csv")];
            live.fill(&sheet, &filled);
            skip_some(&live, &filled);
            told = live.tell(&filled, &[]).ok();
            if round == 0 {
                let notice = told.contains("Skipped questions: 4");
                assert_eq!(notice, !says.is_empty(), "{premise}: {told}");
                assert_contains(&told, &[says, "4 skipped"]);
            }
            let status = live.tell(&filled, &["--json"]).json();
            assert_eq!(
                status["skipped_by"][0]["questions"],
                questions(&status, "skipped")
            );
            claim = status["claim"].clone();
            if claim["kind"] == "best" {
                break;
            }
            let next = format!("{}.csv", round + 1);
            live.ask(&next, &["--n", "20"]).ok();
            // Nothing may be left to ask.
            if !live.path(&next).exists() {
                break;
            }
        }
        let assumed = claim["assumes"].to_string().contains("skips");
        match premise {
            "worst-case" => assert!(!assumed && claim["skips"].is_null(), "{claim}"),
            _ => {
                assert_eq!(claim["kind"], "best", "{premise}: {told}");
                assert!(assumed && claim["skips"] == premise, "{claim}");
                let words = if premise == "odds:3" {
                    "3 to 1"
                } else {
                    "no preference"
                };
                assert_contains(&told, &[words]);
            }
        }
        let other = if premise == "odds:3" {
            "odds:2"
        } else {
            "odds:3"
        };
        let refused = live.ask("other.csv", &["--n", "5", "--skips", other]);
        refused.refused(&["skips"]);
    }
    let live = Live::new();
    live.begin("0.csv", &["--skips", "odds:0.5"])
        .refused(&["expected worst-case, odds:G"]);
}
