//! Campaigns with several people: lists, panels, and what may be claimed of whom.

use super::{Finished, fill_in, text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use expect_test::expect;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A data set of two systems and a campaign on it.
struct Campaign(TempDir);

impl Campaign {
    fn new(items: usize) -> Self {
        let campaign = Self(tempfile::tempdir().unwrap());
        let mut outputs = String::from("item,system,output\n");
        for item in 0..items {
            outputs += &format!("i{item},fine,fine text {item}\ni{item},poor,poor text {item}\n");
        }
        fs::create_dir(campaign.path("data")).unwrap();
        fs::write(campaign.path("data/outputs.csv"), outputs).unwrap();
        campaign
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn ask(&self, out: &str, more: &[&str]) -> Finished {
        let (run, out) = (self.path("run"), self.path(out));
        tiebreak(&[&["ask", text(&run), "--json"], more, &["--out", text(&out)]].concat())
    }

    fn begin(&self, out: &str, more: &[&str]) -> Finished {
        let data = self.path("data");
        self.ask(out, &[&[text(&data)], more].concat())
    }

    fn tell(&self, sheets: &[PathBuf], more: &[&str]) -> Finished {
        let run = self.path("run");
        let sheets: Vec<&str> = sheets.iter().map(|sheet| text(sheet)).collect();
        tiebreak(&[&["tell", text(&run), "--json"], &sheets[..], more].concat())
    }

    /// The sheets in a folder.
    fn sheets(&self, folder: &str) -> Vec<PathBuf> {
        let mut sheets: Vec<PathBuf> = fs::read_dir(self.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        sheets.sort();
        sheets
    }
}

/// Fills a sheet in: the fine text wins, `upset` of ten times the poor one does. Returns the rows.
fn fill(sheet: &Path, upset: usize, change: impl Fn(&str, &str) -> Option<String>) -> usize {
    fill_in(sheet, sheet, |number, row, column| {
        let better = row["text_1"].contains("fine") != (number % 10 < upset);
        let answer = match column == "answer" {
            true => Some(if better { "1" } else { "2" }),
            false => None,
        };
        change(column, answer.unwrap_or(row[column])).or(answer.map(str::to_string))
    })
}

fn plain(_: &str, _: &str) -> Option<String> {
    None
}

#[test]
fn listed_annotators_have_a_sheet_each_and_the_claim_is_about_them() {
    let campaign = Campaign::new(300);
    let list = ["--annotators", "ana, ben,cy", "--n", "60"];
    let begun = campaign.begin("sheets", &list).json();
    assert_eq!(begun["annotators"], serde_json::json!(["ana", "ben", "cy"]));
    expect!["The verdict will be about these annotators. A question that its annotator never answers counts as the worst answer: short sheets are safer. The first 60 answers only decide what to ask next; proof starts with the second batch. A first batch of 10 to 20 questions is enough."].assert_eq(begun["notice"].as_str().unwrap());
    assert!(begun["leader"].is_null() && begun["claim"]["kind"] == "undecided");
    let sheets = campaign.sheets("sheets");
    let names: Vec<&str> = sheets
        .iter()
        .map(|path| path.file_stem().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["ana", "ben", "cy"]);
    let rows: usize = sheets.iter().map(|sheet| fill(sheet, 2, plain)).sum();
    assert_eq!(rows, 60);
    for sheet in &sheets {
        let name = sheet.file_stem().unwrap().to_str().unwrap();
        let content = fs::read_to_string(sheet).unwrap();
        assert!(
            content.lines().skip(1).all(|row| row.contains(name)),
            "{content}"
        );
    }
    let told = campaign.tell(&sheets, &[]).json();
    assert_eq!(
        (&told["told"]["new"], &told["told"]["others"]),
        (&60.into(), &0.into())
    );
    // Before the first answer nothing said what to expect.
    assert_eq!(told["claim"]["kind"], "undecided");
    campaign.ask("more", &["--n", "60"]).ok();
    let more = campaign.sheets("more");
    for sheet in &more {
        fill(sheet, 2, plain);
    }
    let told = campaign.tell(&more, &[]).json();
    let claim = &told["claim"];
    assert_eq!(
        (&claim["kind"], &claim["about"]),
        (&"best".into(), &"these-annotators".into()),
        "{claim}"
    );
    assert_eq!(
        (&claim["annotators"], &claim["n"]),
        (&3.into(), &120.into())
    );
    assert!(claim["assumes"].to_string().contains("dealt-at-random"));
    // A misspelt name does not cost the verdict.
    let before = fs::read(campaign.path("run/journal.jsonl")).unwrap();
    campaign
        .ask("slip", &["--annotators", "ana,bem,cy", "--n", "4"])
        .refused(&[
            "--annotators: with another list the evidence begins anew, and 120 answers would no longer count.",
            "The verdict would be lost: fine is the best of the 2 systems (95 % confidence).",
            "The new list adds bem (did you mean ben?) and lacks ben",
            "to keep the evidence, leave out --annotators; to begin it anew all the same, add --anew",
        ]);
    // Nor does a command that fails.
    let others = ["--annotators", "ana,ben,dan", "--anew", "--n", "4"];
    campaign.ask("more", &others).refused(&["already there"]);
    assert_eq!(
        fs::read(campaign.path("run/journal.jsonl")).unwrap(),
        before
    );
    expect!["fine is the best of the 2 systems (95 % confidence). Based on 120 comparisons by 3 annotators. It holds for these annotators and these items. Assumptions: One system beats every other one. The item and the annotator of each question were drawn at random. No annotator's taste changed during the campaign."].assert_eq(told["verdict"].as_str().unwrap());
}

#[test]
fn what_others_answer_informs_and_proves_nothing() {
    let campaign = Campaign::new(300);
    campaign
        .begin("sheets", &["--annotators", "ana,ben", "--n", "60"])
        .ok();
    // Somebody else fills all sheets in.
    let somebody = |column: &str, _: &str| (column == "annotator").then(|| "eve".to_string());
    for round in ["sheets", "more"] {
        if round == "more" {
            campaign.ask(round, &["--n", "60"]).ok();
        }
        let sheets = campaign.sheets(round);
        for sheet in &sheets {
            fill(sheet, 1, somebody);
        }
        let told = campaign.tell(&sheets, &[]).json();
        assert_eq!(told["told"]["others"], 60);
        assert_eq!(
            (&told["claim"]["kind"], &told["leader"]),
            (&"undecided".into(), &"fine".into())
        );
    }
}

#[test]
fn a_new_list_begins_new_evidence() {
    let campaign = Campaign::new(400);
    campaign
        .begin("first", &["--annotators", "ana,ben", "--n", "12"])
        .ok();
    let first = campaign.sheets("first");
    for sheet in &first {
        fill(sheet, 1, plain);
    }
    campaign.tell(&first, &[]).ok();
    let again = campaign
        .ask(
            "second",
            &["--annotators", "ben,dan", "--anew", "--n", "80"],
        )
        .json();
    assert_eq!(again["annotators"], serde_json::json!(["ben", "dan"]));
    let second = campaign.sheets("second");
    for sheet in &second {
        fill(sheet, 1, plain);
    }
    let told = campaign.tell(&second, &[]).json();
    assert_eq!(told["claim"]["kind"], "best", "{told}");
    // Those of the new list alone.
    let answered = told["questions"]["answered"].as_u64().unwrap();
    assert_eq!(told["claim"]["n"], answered - 12, "{told}");
    campaign
        .ask("third.csv", &["--annotators", "ben"])
        .refused(&["began with listed annotators"]);
    let refused = campaign.ask("third", &["--annotators", "ben,ben"]);
    assert_contains(&refused.stderr, &["`ben` is listed twice"]);
}

#[test]
fn who_is_missing_from_a_new_list_is_named_with_their_open_questions() {
    let campaign = Campaign::new(60);
    campaign
        .begin("first", &["--annotators", "ana,ben,cy", "--n", "12"])
        .ok();
    let list = ["--annotators", "ben,dan", "--n", "4"];
    campaign
        .ask("second", &list)
        .refused(&["12 open questions would no longer count.", "--anew"]);
    let list = [&list[..], &["--anew"]].concat();
    let lacks = "the new list of annotators lacks ana (6 open questions) and cy (5 open questions): \
                 they get no more questions";
    assert_contains(&campaign.ask("second", &list).stderr, &[lacks]);
    assert_lacks(&campaign.ask("third", &list).stderr, &["lacks"]);
}

#[test]
fn an_annotator_who_joins_begins_new_evidence_and_that_is_said() {
    let campaign = Campaign::new(400);
    let list = ["--annotators", "ana,ben", "--n", "12"];
    campaign.begin("first", &list).ok();
    let first = campaign.sheets("first");
    for sheet in &first {
        fill(sheet, 1, plain);
    }
    campaign.tell(&first, &[]).ok();
    let list = ["--annotators", "ana,ben,cy", "--n", "20"];
    campaign.ask("second", &list).refused(&[
        "12 answers would no longer count. The new list adds cy",
        "--anew",
    ]);
    let again = campaign.ask("second", &[&list[..], &["--anew"]].concat());
    let lost = "the evidence begins anew with the new list: 12 answers no longer count.";
    assert_contains(&again.stderr, &[lost]);
    let again = again.json();
    let anew = "Evidence began anew with the present list of annotators: earlier answers (12) only help to choose questions.";
    assert_eq!(again["notice"], anew);
    assert_eq!(again["claim"]["n"], 0, "{again}");
    // Its counts are no contradiction.
    let ranked = tiebreak(&["rank", text(&campaign.path("run"))]).ok();
    let rest = "0 comparisons cannot separate the 2 systems.";
    assert_contains(&ranked, &[rest, anew, "Strengths rest on 12 comparisons."]);
}

/// The command to type next gives each listed annotator a file of their own, in the form of the last ones.
#[test]
fn the_next_command_writes_a_folder_for_listed_annotators() {
    let campaign = Campaign::new(60);
    let list = ["--annotators", "ana,ben", "--n", "12"];
    campaign.begin("first", &list).ok();
    let ana = &campaign.sheets("first")[..1];
    fill(&ana[0], 1, plain);
    let next = |form: &str| {
        let told = campaign.tell(ana, &[]).json();
        let next = told["next"].as_str().unwrap().to_string();
        let [again, more] = ["--again ", ""]
            .map(|again| format!("ask {} {again}{form}", text(&campaign.path("run"))));
        assert_contains(
            &next,
            &[
                &format!("`tiebreak {again}`"),
                &format!("To ask for more: tiebreak {more}"),
            ],
        );
        let report = tiebreak(&["report", text(&campaign.path("run"))]).ok();
        assert_contains(&report, &[&format!("`tiebreak ask run {form}`")]);
    };
    next("--out sheets-2");
    campaign.ask("pages", &["--page", "--n", "4"]).ok();
    next("--page --out pages-3");
    campaign
        .ask("tasks", &["--as", "label-studio", "--n", "4"])
        .ok();
    next("--as label-studio --out sheets-4");
}

/// Where all was skipped nothing is left to ask, and answers to these questions can still help.
#[test]
fn skips_are_counted_to_the_end() {
    let campaign = Campaign::new(5);
    let list = ["--annotators", "ana,ben", "--n", "10"];
    let (mut told, mut folder) = (serde_json::Value::Null, "0".to_string());
    campaign.begin(&folder, &list).ok();
    while campaign.path(&folder).exists() {
        let sheets = campaign.sheets(&folder);
        for sheet in &sheets {
            fill(sheet, 1, |column, _| {
                (column == "answer").then(|| "skip".to_string())
            });
        }
        told = campaign.tell(&sheets, &[]).json();
        folder += "0";
        campaign.ask(&folder, &list).ok();
    }
    let (notice, next) = (told["notice"].to_string(), told["next"].to_string());
    assert!(
        notice.contains("Skipped questions: 10 (ana 5, ben 5)")
            && notice.contains("Ask for answers to them once nothing else is open: tiebreak ask ")
            && notice.contains("--skips odds:3 or --skips no-preference"),
        "{told}"
    );
    assert!(next.contains("fill in the skipped rows"), "{told}");
    let report = tiebreak(&["report", text(&campaign.path("run"))]).ok();
    assert_contains(&report, &["10 skipped questions can still be answered"]);
}

#[test]
fn a_sheet_may_be_read_again_after_its_skips_were_answered() {
    let campaign = Campaign::new(60);
    let list = ["--annotators", "ana,ben", "--n", "12"];
    campaign.begin("first", &list).ok();
    let ana = &campaign.sheets("first")[..1];
    let skipped = [campaign.path("skipped.csv")];
    fill(&ana[0], 1, |column, _| {
        (column == "answer").then(|| "skip".to_string())
    });
    fs::copy(&ana[0], &skipped[0]).unwrap();
    campaign.tell(ana, &[]).ok();
    fill(&ana[0], 1, plain);
    let answered = campaign.tell(ana, &[]).json();
    assert!(answered["told"]["new"].as_u64() > Some(0), "{answered}");
    let again = campaign.tell(&skipped, &[]).json();
    assert_eq!(again["told"]["new"], 0, "{again}");
    assert_eq!(again["questions"], answered["questions"]);
    campaign
        .tell(&skipped, &["--take-back"])
        .refused(&["nothing can be taken back"]);
    fill(&ana[0], 10, plain);
    campaign.tell(ana, &[]).refused(&[
        "first/ana.csv:",
        "take the earlier sheet back",
        "--take-back",
    ]);
    // An answer that was not skipped before is not withdrawn in silence.
    let ben = &campaign.sheets("first")[1..];
    fill(&ben[0], 1, plain);
    campaign.tell(ben, &[]).ok();
    fill(&ben[0], 1, |column, _| {
        (column == "answer").then(|| "skip".to_string())
    });
    campaign.tell(ben, &[]).refused(&[
        "first/ben.csv:2",
        "answer is skip, but it is",
        "--take-back",
    ]);
    // Without a list of annotators a sheet is named when it is read, and by one name.
    let one = Campaign::new(60);
    one.begin("one.csv", &["--n", "12"]).ok();
    let sheet = [one.path("one.csv")];
    fill(&sheet[0], 1, plain);
    one.tell(&sheet, &[]).ok();
    let hint = format!(
        "tiebreak tell {} SHEET --annotator NAME",
        text(&one.path("run"))
    );
    tiebreak(&["annotators", text(&one.path("run"))])
        .refused(&["no answer has an annotator's name", &hint]);
    one.tell(&sheet, &["--annotator", "ana"]).ok();
    one.tell(&sheet, &["--annotator", "bob"])
        .refused(&["was given as ana's, not as bob's"]);
}

/// Whose questions stay open takes evidence away until `skip` in their sheet makes the premise count, or another list
/// begins anew: then what they left open takes nothing.
#[test]
fn what_an_annotator_leaves_unanswered_is_said_and_can_be_skipped_for_them() {
    let campaign = Campaign::new(60);
    let list = ["--annotators", "ana,ben", "--n", "12", "--skips", "odds:3"];
    campaign.begin("first", &list).ok();
    let [ana, ben] = &campaign.sheets("first")[..] else {
        panic!("two sheets");
    };
    fill(ben, 1, plain);
    let told = campaign.tell(std::slice::from_ref(ben), &[]).json();
    let open = told["questions"]["open"].as_u64().unwrap();
    assert!(open > 0 && told["notice"].is_null(), "{told}");
    // Somebody writes `skip` for her.
    fill(ana, 1, |column, _| {
        (column == "answer").then(|| "skip".to_string())
    });
    let told = campaign.tell(std::slice::from_ref(ana), &[]).json();
    assert_eq!(told["questions"]["skipped"], open, "{told}");
    let notice = format!(
        "Skipped questions: 7 (ana 7). They count as preferences at odds of 3 to 1 at most, which takes evidence away. \
         Ask for answers to them once nothing else is open: tiebreak ask {} --again --out sheets-2.",
        text(&campaign.path("run"))
    );
    assert_eq!(told["notice"], notice);
    let again = campaign
        .ask("second", &["--annotators", "ben,dan", "--anew", "--n", "8"])
        .json();
    expect!["Evidence began anew with the present list of annotators: earlier answers (5) only help to choose questions. Questions of annotators who left, answered or open: 7 (ana 7). They count neither for nor against."].assert_eq(again["notice"].as_str().unwrap());
}

#[test]
fn a_panel_takes_many_people_and_nobody_twice() {
    let campaign = Campaign::new(300);
    let mut last = Value::Null;
    for person in 0..12 {
        let sheet = format!("{person}.csv");
        let flags = ["--panel", "--n", "6"];
        let asked = match person {
            0 => campaign.begin(&sheet, &flags),
            _ => campaign.ask(&sheet, &["--n", "6"]),
        };
        let asked = asked.json();
        if asked["stopped"] == "certificate" {
            break;
        }
        assert_eq!(asked["notice"].is_null(), person >= 5, "{asked}");
        fill(&campaign.path(&sheet), 0, plain);
        campaign
            .tell(&[campaign.path(&sheet)], &[])
            .refused(&["a panel counts annotators"]);
        let name = format!("person-{person}");
        last = campaign
            .tell(&[campaign.path(&sheet)], &["--annotator", &name])
            .json();
        assert!(
            person >= 4 || last["claim"]["kind"] == "undecided",
            "{person}: {last}"
        );
    }
    assert_eq!(last["claim"]["kind"], "best", "{last}");
    assert_eq!(last["claim"]["about"], "panel");
    assert!(last["claim"]["annotators"].as_u64() >= Some(5));

    let twice = Campaign::new(300);
    for round in 0..8 {
        let sheet = format!("{round}.csv");
        let flags = ["--panel", "--n", "6"];
        match round {
            0 => twice.begin(&sheet, &flags).ok(),
            _ => twice.ask(&sheet, &["--n", "6"]).ok(),
        };
        fill(&twice.path(&sheet), 0, plain);
        last = twice
            .tell(&[twice.path(&sheet)], &["--annotator", "ana"])
            .json();
    }
    assert_eq!(
        last["claim"]["kind"], "undecided",
        "everything was one person's: {last}"
    );
}

/// Without a list nobody knows who was to answer what.
#[test]
fn several_people_on_an_undealt_campaign_are_an_exploration() {
    let campaign = Campaign::new(300);
    campaign.begin("q.csv", &["--n", "80"]).ok();
    let sheet = campaign.path("q.csv");
    let turn = std::cell::Cell::new(0);
    fill(&sheet, 0, |column, _| {
        (column == "annotator").then(|| {
            turn.set(turn.get() + 1);
            ["ana", "ben"][turn.get() % 2].to_string()
        })
    });
    let told = campaign.tell(&[sheet], &[]).json();
    assert_eq!(told["claim"]["kind"], "undecided");
    expect!["Exploratory, nothing is proved. Annotators were not assigned to questions at random. To prove something, name them when a campaign begins: --annotators."].assert_eq(told["verdict"].as_str().unwrap());
}

/// What a person answered about a pair on an item is her answer whenever that comes up again.
#[test]
fn nobody_is_asked_the_same_thing_twice() {
    let campaign = Campaign::new(8);
    let begun = campaign.begin("q.csv", &["--n", "50"]).json();
    assert_eq!(begun["questions"]["asked"], 8, "there are no more");
    let more = campaign.ask("more.csv", &["--n", "5"]).json();
    let next = more["next"].as_str().unwrap();
    assert!(
        next.ends_with("; nothing new can be asked until then"),
        "{next}"
    );
    let mut reader = csv::Reader::from_path(campaign.path("q.csv")).unwrap();
    let mut texts: BTreeMap<String, usize> = BTreeMap::new();
    for row in reader.records() {
        *texts.entry(row.unwrap()[1].to_string()).or_default() += 1;
    }
    assert!(texts.values().all(|&times| times == 1), "{texts:?}");
    fill(&campaign.path("q.csv"), 0, plain);
    let told = campaign.tell(&[campaign.path("q.csv")], &[]).json();
    // Eight answers drawn again and again are eight answers.
    assert_eq!(
        (&told["claim"]["kind"], &told["claim"]["n"]),
        (&"undecided".into(), &8.into())
    );
    assert_eq!(
        (&told["questions"]["asked"], &told["answers"]),
        (&8.into(), &8.into())
    );
}

/// What a model answers counts where people check some of it, and otherwise nothing is claimed.
#[test]
fn an_unaudited_model_makes_an_exploration() {
    for (audit, says) in [
        (
            &["--audit", "0"][..],
            "Exploratory, nothing is proved. A model chose or gave answers",
        ),
        (&[][..], "Not decided yet. There are no answers"),
    ] {
        let campaign = Campaign::new(60);
        let mut predictions = String::from("item,system_a,system_b,p\n");
        for item in 0..60 {
            predictions += &format!("i{item},fine,poor,0.8\n");
        }
        let path = campaign.path("p.csv");
        fs::write(&path, predictions).unwrap();
        let mix = ["--predictions", text(&path), "--mix", "0.5", "--n", "10"];
        let begun = campaign.begin("q.csv", &[&mix[..], audit].concat()).json();
        let verdict = begun["verdict"].as_str().unwrap();
        assert!(verdict.starts_with(says), "{verdict}");
        assert!(begun["model_answers"].as_u64() > Some(0), "{begun}");
    }
}

/// A name beside the sheet's own is a mistake, and so is one person on a list twice.
#[test]
fn a_name_that_contradicts_the_sheet_is_refused() {
    let campaign = Campaign::new(40);
    campaign
        .begin("sheets", &["--annotators", "Ana,ana"])
        .refused(&["`ana` is listed twice"]);
    campaign
        .begin("sheets", &["--annotators", "ana,ben", "--n", "20"])
        .ok();
    let sheets = campaign.sheets("sheets");
    let rows = fill(&sheets[0], 2, plain) as u64;
    let journal = fs::read(campaign.path("run/journal.jsonl")).unwrap();
    let refused = campaign.tell(&sheets[..1], &["--annotator", "ben"]);
    assert_eq!(refused.code, Some(2));
    for phrase in [
        "ana.csv:2",
        "annotator `ana`",
        "`ben`",
        "leave out --annotator",
    ] {
        assert!(
            refused.stderr.contains(phrase),
            "{phrase}: {}",
            refused.stderr
        );
    }
    assert_eq!(
        fs::read(campaign.path("run/journal.jsonl")).unwrap(),
        journal
    );
    // Other capitals are the same person, wherever a name is said.
    let told = campaign.tell(&sheets[..1], &["--annotator", "ANA"]).json();
    assert_eq!(
        (&told["told"]["new"], &told["told"]["others"]),
        (&rows.into(), &0.into())
    );
    let lists = |journal: &str| journal.matches("\"people\"").count();
    campaign
        .ask("more", &["--annotators", "Ben, Ana", "--n", "4"])
        .ok();
    let after = fs::read_to_string(campaign.path("run/journal.jsonl")).unwrap();
    assert_eq!(lists(&after), 1, "another order is no other list");
    campaign
        .ask("again", &["--annotators", "BEN,ana", "--n", "4"])
        .ok();
    let after = fs::read_to_string(campaign.path("run/journal.jsonl")).unwrap();
    assert_eq!(lists(&after), 1, "nor are other letters");
}

#[test]
fn names_that_would_share_a_sheet_are_refused_before_anything_is_written() {
    let campaign = Campaign::new(40);
    for (list, name) in [("a/b,a-b", "a-b"), ("Ana B,cy,ana?b", "ana-b")] {
        let refused = campaign.begin("sheets", &["--annotators", list, "--n", "4"]);
        let named: Vec<&str> = list.split(',').collect();
        let both = format!("`{}` and `{}`", named[0], named[named.len() - 1]);
        refused.refused(&[&both, name]);
        assert!(!campaign.path("run").exists() && !campaign.path("sheets").exists());
    }
}

/// All answers, as lines of JSON.
fn exported(campaign: &Campaign) -> String {
    let (run, out) = (campaign.path("run"), campaign.path("answers.jsonl"));
    tiebreak(&["export", text(&run), "--as jsonl --force --out", text(&out)]).ok();
    fs::read_to_string(out).unwrap()
}

/// Within one call two spellings are one person, too.
#[test]
fn two_spellings_of_a_name_are_one_person() {
    let campaign = Campaign::new(40);
    campaign.begin("a.csv", &["--n", "10"]).ok();
    let sheet = campaign.path("a.csv");
    let row = std::cell::Cell::new(0);
    fill(&sheet, 2, |column, _| {
        let name = ["Zo\u{eb}", "zoe\u{308} "][row.get() % 2].to_string();
        (column == "annotator").then(|| {
            row.set(row.get() + 1);
            name
        })
    });
    let told = campaign.tell(&[sheet], &[]).json();
    assert_eq!(told["claim"]["annotators"], 1);
    let exported = exported(&campaign);
    assert_contains(&exported, &["\"Zo\u{eb}\""]);
    assert_lacks(&exported, &["\"zoe"]);
    let other = Campaign::new(40);
    other
        .begin("b", &["--annotators", "Zo\u{eb},Zoe\u{308}"])
        .refused(&["is listed twice"]);
}

/// A panel's sheets, told under these names, and what is said then.
fn panel(names: [&str; 2]) -> (Campaign, Value) {
    let campaign = Campaign::new(60);
    campaign.begin("first.csv", &["--panel", "--n", "10"]).ok();
    campaign.ask("second.csv", &["--n", "10"]).ok();
    // Of two people, who would not count on one sheet.
    campaign
        .ask("again.csv", &["--again"])
        .refused(&["on several sheets, each of one annotator: first.csv and second.csv"]);
    let mut said = Value::Null;
    for (sheet, name) in ["first.csv", "second.csv"].into_iter().zip(names) {
        let sheet = campaign.path(sheet);
        fill(&sheet, 2, plain);
        said = campaign.tell(&[sheet], &["--annotator", name]).json();
    }
    (campaign, said)
}

/// Each annotator of a panel has one sheet, and each sheet one annotator: other answers count for nothing, which is said.
#[test]
fn what_cannot_count_in_a_panel_is_said() {
    let (campaign, told) = panel(["ana", "ana"]);
    assert_eq!(told["told"]["others"], 10, "{told}");
    let (_, told) = panel(["ana", "ben"]);
    assert_eq!(told["told"]["others"], 0, "{told}");
    campaign.ask("third.csv", &["--n", "4"]).ok();
    let sheet = campaign.path("third.csv");
    let mut row = 0;
    let mut names = || {
        row += 1;
        if row <= 2 { "cy" } else { "dan" }
    };
    fill_in(&sheet, &sheet, |_, _, column| {
        Some(match column {
            "answer" => "1".to_string(),
            "annotator" => names().to_string(),
            _ => return None,
        })
    });
    let (run, sheet) = (campaign.path("run"), text(&sheet).to_string());
    let told = tiebreak(&["tell", text(&run), &sheet]).ok();
    assert_contains(
        &told,
        &[
            "4 new answers, 2 by an annotator who has had another sheet, or a second one on this sheet",
        ],
    );
}

#[test]
fn a_sheet_told_under_a_wrong_name_is_taken_back_and_told_rightly() {
    let (right, wanted) = panel(["ana", "ben"]);
    let (campaign, wrong) = panel(["ben", "ben"]);
    assert_eq!(
        (&wanted["told"]["others"], &wrong["told"]["others"]),
        (&0.into(), &10.into())
    );
    assert_eq!(
        (
            &wanted["claim"]["annotators"],
            &wrong["claim"]["annotators"]
        ),
        (&2.into(), &1.into())
    );
    let first = [campaign.path("first.csv")];
    // Only as it was told.
    campaign
        .tell(&first, &["--annotator", "ana", "--take-back"])
        .refused(&["given as ben's, not as ana's", "--annotator ben"]);
    let back = campaign
        .tell(&first, &["--annotator", "ben", "--take-back"])
        .json();
    assert_eq!(back["told"]["taken_back"], 10);
    assert_eq!(back["questions"]["open"], 10);
    let verdict = back["verdict"].as_str().unwrap();
    assert_contains(verdict, &["10 answers were taken back after counting"]);
    let told = campaign.tell(&first, &["--annotator", "ana"]).json();
    assert_eq!(told["told"]["new"], 10);
    // What was asked and counted stays; from now on both are people of their own.
    assert_eq!(told["claim"]["why"], wanted["claim"]["why"]);
    campaign.ask("third.csv", &["--n", "10"]).ok();
    right.ask("third.csv", &["--n", "10"]).ok();
    let mut said = [&right, &campaign].map(|campaign| {
        let third = campaign.path("third.csv");
        fill(&third, 2, plain);
        campaign.tell(&[third], &["--annotator", "cy"]).json()
    });
    assert_eq!(said[0]["claim"]["annotators"], 3);
    assert_eq!(
        said[1]["claim"]["annotators"], 2,
        "the second sheet was counted as nobody's new"
    );
    let names = |campaign: &Campaign| {
        let exported = exported(campaign);
        ["ana", "ben", "cy"].map(|name| exported.matches(&format!("\"{name}\"")).count())
    };
    assert_eq!(names(&right), names(&campaign));
    // What is told otherwise was counted as it was, and nothing is proved by it any more.
    said[1] = campaign
        .tell(&first, &["--annotator", "ana", "--take-back"])
        .json();
    assert_eq!(said[1]["told"]["taken_back"], 10);
    fill(&first[0], 9, plain);
    let told = campaign.tell(&first, &["--annotator", "ana"]).json();
    // Nothing was staked on the first batch.
    assert_eq!(told["claim"]["why"], wanted["claim"]["why"]);
    let refused = campaign.tell(
        &[campaign.path("second.csv")],
        &["--annotator", "dan", "--take-back"],
    );
    assert_eq!(refused.code, Some(2));
}

/// What was taken back and said otherwise is told as it is now, and nothing of what the bandit made of it before.
#[test]
fn corrected_answers_are_shown_and_those_before_them_are_not() {
    let campaign = Campaign::new(300);
    campaign.begin("first.csv", &["--n", "20"]).ok();
    let first = [campaign.path("first.csv")];
    fill(&first[0], 7, plain);
    let wrong = campaign.tell(&first, &[]).json();
    assert_eq!(wrong["leader"], "poor");
    campaign.tell(&first, &["--take-back"]).ok();
    fill(&first[0], 0, plain);
    let told = campaign.tell(&first, &[]).json();
    // The first batch is no evidence, so there is none to lose.
    assert_eq!(
        (&told["leader"], &told["state"]),
        (&"fine".into(), &"asking".into())
    );
    let empty = Value::Array(Vec::new());
    assert_eq!(told["chances"], empty);
    let ranked = tiebreak(&["rank", text(&campaign.path("run")), "--json"]).json();
    assert_eq!(ranked["strengths"][0]["system"], "fine");
    assert_eq!(ranked["evidence"]["answers"], 20);
    // Something is staked on the second.
    campaign.ask("second.csv", &["--n", "10"]).ok();
    let second = [campaign.path("second.csv")];
    fill(&second[0], 10, plain);
    campaign.tell(&second, &[]).ok();
    campaign.tell(&second, &["--take-back"]).ok();
    fill(&second[0], 0, plain);
    let told = campaign.tell(&second, &[]).json();
    assert_eq!(
        (&told["leader"], &told["claim"]["why"]),
        (&"fine".into(), &"corrected".into())
    );
    expect!["Nothing can be proved by the evidence so far. Answers that had counted were corrected, and later questions depend on them."].assert_eq(told["verdict"].as_str().unwrap());
    assert_eq!((&told["rivals"], &told["chances"]), (&empty, &empty));
    let next = told["next"].as_str().unwrap();
    assert!(next.starts_with("begin another campaign"), "{next}");
    let report = tiebreak(&["report", text(&campaign.path("run"))]);
    assert_contains(&report.ok(), &["Begin another campaign"]);
}

/// A slip in the first batch costs no proof, and a later one costs listed annotators the evidence so far alone.
#[test]
fn a_correction_does_not_end_a_campaign() {
    let campaign = Campaign::new(300);
    let list = ["--annotators", "ana,ben"];
    campaign
        .begin("first", &[&list[..], &["--n", "20"]].concat())
        .ok();
    let tell = |folder: &str, upset: usize| {
        let sheets = campaign.sheets(folder);
        for sheet in &sheets {
            fill(sheet, upset, plain);
        }
        campaign.tell(&sheets, &[]).json()
    };
    let take_back = |folder: &str| {
        let sheets = campaign.sheets(folder);
        campaign.tell(&sheets, &["--take-back"]).ok();
    };
    tell("first", 2);
    take_back("first");
    let told = tell("first", 0);
    assert_eq!(told["state"], "asking", "{told}");
    campaign.ask("second", &["--n", "30"]).ok();
    let told = tell("second", 0);
    assert_eq!(told["claim"]["systems"][0], "fine", "{told}");
    assert_eq!(told["answers"], 50, "{told}");
    // The same answers prove nothing once they are others than those that were bet on.
    take_back("second");
    let lost = tell("second", 1);
    assert_eq!(
        (&lost["state"], &lost["claim"]["kind"]),
        (&"lost".into(), &"undecided".into())
    );
    let next = lost["next"].as_str().unwrap();
    assert_contains(next, &["--annotators ana,ben --out "]);
    campaign
        .ask("third", &[&list[..], &["--n", "30"]].concat())
        .ok();
    let told = tell("third", 0);
    assert_eq!(told["claim"]["systems"][0], "fine", "{told}");
    assert_eq!(told["claim"]["n"], 30, "{told}");
    let anew =
        "Evidence began anew with the present list of annotators: earlier answers (50) only help";
    assert_contains(told["notice"].as_str().unwrap(), &[anew]);
    let run = campaign.path("run");
    assert_contains(&tiebreak(&["report", text(&run)]).ok(), &[anew]);
    let page = fs::read_to_string(campaign.path("run/report.html")).unwrap();
    assert_contains(&page, &[anew]);
    // Naming the same annotators again changes nothing now.
    let again = campaign.ask("open", &[&list[..], &["--again"]].concat());
    assert_lacks(&again.stdout, &["earlier answers (80)"]);
}

/// Where near ties will do, the first batch is bet on, too.
#[test]
fn a_correction_of_the_first_batch_does_not_end_a_campaign_that_may_end_in_a_near_tie() {
    let campaign = Campaign::new(300);
    let list = ["--annotators", "ana,ben", "--n", "20"];
    let near = ["--bandit", "adaptive:epsilon=0.02"];
    campaign.begin("first", &[&list[..], &near].concat()).ok();
    let sheets = campaign.sheets("first");
    let tell = |upset: usize| {
        for sheet in &sheets {
            fill(sheet, upset, plain);
        }
        campaign.tell(&sheets, &[]).json()
    };
    tell(2);
    campaign.tell(&sheets, &["--take-back"]).ok();
    let lost = tell(0);
    assert_eq!(lost["state"], "lost", "{lost}");
    assert_contains(
        lost["next"].as_str().unwrap(),
        &["--annotators ana,ben --out "],
    );
    let again = campaign.ask("second", &list).json();
    assert_eq!(again["state"], "asking", "{again}");
    assert_contains(again["notice"].as_str().unwrap(), &["Evidence began anew"]);
}

/// Sides are drawn for each person, so a row that does not say whose it is may mean either text.
#[test]
fn a_row_of_nobody_is_refused_where_sheets_have_texts_on_different_sides() {
    let campaign = Campaign::new(300);
    let shared = ["--annotators", "ana,ben", "--overlap", "1", "--n", "20"];
    campaign.begin("sheets", &shared).ok();
    let ben = &campaign.sheets("sheets")[1];
    fill(ben, 0, plain);
    let whole = fs::read_to_string(ben).unwrap();
    let mut rows = csv::Reader::from_reader(whole.as_bytes());
    let header = rows.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|one| one == name).unwrap();
    let mut bare = String::from("question,answer\n");
    for row in rows.records() {
        let row = row.unwrap();
        bare += &format!("{},{}\n", &row[at("question")], &row[at("answer")]);
    }
    let sheet = [campaign.path("bare.csv")];
    fs::write(&sheet[0], bare).unwrap();
    for name in [None, Some("eve"), Some("ana")] {
        let said: Vec<&str> = name.iter().flat_map(|name| ["--annotator", name]).collect();
        let refused = campaign.tell(&sheet, &said);
        match name {
            // With a name of the campaign the sheet is theirs; that it is not cannot be seen.
            Some("ana") => assert_eq!(refused.code, Some(0)),
            _ => {
                assert_eq!(refused.code, Some(2));
                assert_contains(&refused.stderr, &["the row does not say whose it is"]);
            }
        }
    }
    let told = campaign.tell(&sheet, &["--annotator", "ben"]).json();
    assert_eq!(told["told"]["new"], 20);
}

/// Without names ratings of a shared output would go into the place of whoever was asked first, and count twice later.
#[test]
fn ratings_of_nobody_are_refused_where_several_were_asked() {
    let campaign = Campaign::new(60);
    let rated = "--task rating:quality=1..5 --budget 12 --annotators ana,ben --overlap 1 --n 12";
    let rated: Vec<&str> = rated.split(' ').collect();
    campaign.begin("sheets", &rated).ok();
    let ana = fs::read_to_string(&campaign.sheets("sheets")[0]).unwrap();
    let mut rows = csv::Reader::from_reader(ana.as_bytes());
    let codes = rows.records().map(|row| row.unwrap()[0].to_string());
    let bare = codes.fold(String::from("question,quality\n"), |all, code| {
        all + &format!("{code},1\n")
    });
    let sheet = [campaign.path("bare.csv")];
    fs::write(&sheet[0], bare).unwrap();
    campaign.tell(&sheet, &[]).refused(&[
        "the question was put to",
        "the row does not say whose it is",
    ]);
    let told = campaign.tell(&sheet, &["--annotator", "ana"]).json();
    assert_eq!(told["told"]["new"], 12);
}

/// Answers of the first batch prove nothing, so of few questions some are kept for a second.
#[test]
fn the_first_sheet_of_few_questions_has_half_of_them() {
    let campaign = Campaign::new(24);
    let begun = campaign.begin("first.csv", &[]).json();
    assert_eq!(begun["sheet"]["questions"], 12);
    fill(&campaign.path("first.csv"), 0, plain);
    campaign.tell(&[campaign.path("first.csv")], &[]).ok();
    campaign.ask("second.csv", &[]).ok();
    fill(&campaign.path("second.csv"), 0, plain);
    let told = campaign.tell(&[campaign.path("second.csv")], &[]).json();
    assert_eq!(told["claim"]["kind"], "best");
}

/// Questions of two tasks on the same data have other codes, so that no sheet is taken for one of the other task. A task that
/// is edited later changes no code.
#[test]
fn a_sheet_of_another_task_is_refused() {
    let campaign = Campaign::new(60);
    let task = |prompt: &str| {
        let path = campaign.path("task.toml");
        fs::write(
            &path,
            format!("protocol = \"pairwise\"\nprompt = \"{prompt}\"\n"),
        )
        .unwrap();
        path
    };
    let (data, run) = (campaign.path("data"), campaign.path("run"));
    let helpful = task("Which answer is more helpful?");
    campaign
        .begin("helpful.csv", &["--task", text(&helpful), "--n", "12"])
        .ok();
    let safe = task("Which answer is safer?");
    for (folder, named) in [
        ("safer", &["--task", text(&safe)][..]),
        ("usual", &[]),
        ("alike", &["--task", text(&helpful)]),
    ] {
        let (other, out) = (campaign.path(folder), campaign.path("other.csv"));
        let ask = [
            "ask",
            text(&other),
            text(&data),
            "--n",
            "12",
            "--force",
            "--out",
            text(&out),
        ];
        tiebreak(&[&ask[..], named].concat()).ok();
        fill(&out, 0, plain);
        campaign
            .tell(&[out], &[])
            .refused(&["other.csv:2", "was not asked in this campaign"]);
    }
    let edited = fs::read_to_string(run.join("task.toml")).unwrap();
    fs::write(
        run.join("task.toml"),
        edited.replace("more helpful", "of more use"),
    )
    .unwrap();
    let sheet = campaign.path("helpful.csv");
    fill(&sheet, 0, plain);
    let told = campaign.tell(&[sheet], &[]).json();
    assert_eq!(told["told"]["new"], 12, "{told}");
}
