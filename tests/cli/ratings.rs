//! Campaigns of ratings: outputs rated, edited or held against a passage, over HTTP and on sheets, with the server killed and
//! the journal cut.

use super::newcomer::Desk;
use super::serve::{Server, get, post};
use super::{Finished, fill_in, text, tiebreak};
use crate::support::{assert_contains, assert_lacks, forget_length, table_rows};
use expect_test::expect;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

const SYSTEMS: [&str; 3] = ["secret-good", "secret-bad", "secret-ugly"];

/// What a text is worth, as everybody sees it.
const WORTH: [(&str, i64); 3] = [("fine", 5), ("poor", 3), ("dire", 1)];

/// A data set of three systems whose names are in no text, of which two agree on every tenth item.
pub(super) struct World(Desk);

impl World {
    pub(super) fn new(items: usize) -> Self {
        let world = Self(Desk::empty());
        let mut outputs = String::new();
        for item in 0..items {
            for (place, system) in SYSTEMS.into_iter().enumerate() {
                let same = item % 10 == 0 && place == 2;
                let (quality, _) = WORTH[place - usize::from(same)];
                let row = json!({
                    "item": format!("i{item}"), "system": system, "output": format!("=a {quality} \"text\", number {item}"),
                    "source": format!("source {item}"), "references": [format!("passage {item}"), "more of it"],
                });
                outputs += &format!("{row}\n");
            }
        }
        fs::create_dir(world.path("data")).unwrap();
        fs::write(world.path("data/outputs.jsonl"), outputs).unwrap();
        world
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub(super) fn serve(&self, more: &[&str]) -> Server {
        let (run, data) = (self.path("run"), self.path("data"));
        Server::start(&[&["serve", text(&run), text(&data), "--print-links"], more].concat())
    }

    pub(super) fn ask(&self, out: &str, more: &[&str]) -> Finished {
        let ask = ["ask", "run", "data", "--out", out];
        self.0.call(&[&ask, more].concat())
    }

    pub(super) fn tell(&self, sheets: &[&str], more: &[&str]) -> Finished {
        self.0.call(&[&["tell", "run"], sheets, more].concat())
    }

    /// What `estimate` says of the campaign's folder, by system.
    pub(super) fn estimated(&self, criterion: &str) -> BTreeMap<String, Value> {
        let run = self.path("run");
        let found = tiebreak(&["estimate", text(&run), "--criterion", criterion, "--json"]).json();
        let rows = found["estimates"].as_array().unwrap().clone();
        let named = rows
            .into_iter()
            .map(|row| (row["system"].as_str().unwrap().to_string(), row));
        named.collect()
    }

    /// Fills a sheet in as the texts are worth; every `skip`th row is skipped, rows from `until` on stay empty.
    fn fill(&self, sheet: &str, skip: usize, until: usize) -> usize {
        let path = self.path(sheet);
        fill_in(&path, &path, |place, row, column| {
            let skipped = place % skip == skip - 1;
            Some(match column {
                _ if place >= until => return None,
                "fluency" if skipped => "skip".to_string(),
                "content" | "repetition" if skipped => String::new(),
                "fluency" | "content" | "repetition" => worth(row["text"]).to_string(),
                "seconds" => "12".to_string(),
                _ => return None,
            })
        })
    }
}

fn worth(shown: &str) -> i64 {
    let mut all = WORTH.iter();
    all.find(|(quality, _)| shown.contains(quality)).unwrap().1
}

/// The answer to a task that its text deserves.
fn deserved(task: &Value) -> Value {
    let shown = task["texts"][0].as_str().unwrap();
    let score = worth(shown);
    let mut said = json!({ "question": task["question"], "seconds": 7.5 });
    match task["protocol"].as_str().unwrap() {
        "rating" => said["scores"] = json!({"fluency": score, "content": score, "repetition": 5}),
        "post-edit" => said["text"] = json!(shown.replace("poor", "fine").replace("dire", "fine")),
        _ => {
            said["scores"] = json!({"correct": i64::from(score > 3)});
            said["text"] = json!("number");
        }
    }
    said
}

/// Answers so many tasks; what was shown, and the last state.
fn answer(link: &str, most: usize) -> (Vec<String>, Value) {
    let mut state = get(&format!("{link}/task")).json();
    let mut shown = Vec::new();
    while state["state"] == "task" && shown.len() < most {
        assert!(!state.to_string().contains("secret"), "{state}");
        shown.push(state["texts"][0].as_str().unwrap().to_string());
        let came = post(&format!("{link}/answer"), &deserved(&state));
        assert_eq!(came.status(), 200, "{}", came.text());
        state = came.json();
    }
    (shown, state)
}

#[test]
fn outputs_are_rated_in_browsers_by_several_people_and_means_come_of_it() {
    let world = World::new(20);
    let flags = ["--task rating --annotators ana,ben --overlap 0.3"];
    let mut server = world.serve(&flags);
    let nobody = get(&format!("{}/status", server.admin)).json();
    expect!["Nothing is known yet: there are no ratings."]
        .assert_eq(nobody["verdict"].as_str().unwrap());
    let next = nobody["next"].as_str().unwrap();
    assert_contains(next, &["send each annotator their link"]);
    assert_eq!(
        (&nobody["planned"], &nobody["alike"]),
        (&json!(60), &json!(2))
    );
    let mut seen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for round in 0..40 {
        for name in ["ana", "ben"] {
            let (shown, state) = answer(&server.links[name], 3);
            seen.entry(name).or_default().extend(shown);
            if round == 1 && name == "ana" {
                let back = json!({ "question": state["question"] });
                let again = post(&format!("{}/undo", server.links[name]), &back).json();
                let taken = seen.get_mut(name).unwrap().pop().unwrap();
                assert_eq!(again["texts"][0], taken, "the same text again");
            }
        }
        if round % 5 == 2 {
            server.kill();
            server = world.serve(&[]);
        }
    }
    for (name, shown) in &seen {
        let distinct: BTreeSet<&String> = shown.iter().collect();
        assert_eq!(distinct.len(), shown.len(), "{name} rates nothing twice");
        let done = get(&format!("{}/task", server.links[*name])).json();
        assert_eq!(done["state"], "done", "{done}");
    }
    let texts: BTreeSet<&String> = seen.values().flatten().collect();
    assert_eq!(texts.len(), 58, "two of sixty outputs read like others");
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(status["questions"]["answered"], 58, "{status}");
    assert!(
        status["left"].is_null() && status["stopped"] == "plan",
        "{status}"
    );
    expect!["wait up to a minute: 2 answers can still be taken back, and results lack them. Then the campaign is over: download the report and the answers here, then end the server (Ctrl-C)"].assert_eq(status["next"].as_str().unwrap());
    expect!["median of 7.5 s an answer"].assert_eq(status["cost"]["words"].as_str().unwrap());
    assert!(
        status["agreement"]["value"].as_f64() > Some(0.9),
        "{status}"
    );
    expect!["57 of 58 outputs are rated, with 77 ratings. 80 ratings are in the table: a text that several systems wrote counts for each of them. The outputs were drawn evenly. The intervals are valid for a number of ratings that was fixed beforehand, such as the whole plan."].assert_eq(status["verdict"].as_str().unwrap());
    let page = get(&format!("{}/report.html", server.admin));
    assert!(page.text().contains("fluency"), "{}", page.text());
    let table = get(&format!("{}/answers.csv", server.admin));
    assert!(
        table
            .text()
            .starts_with("item,system,criterion,score,annotator,seconds,")
    );
    server.kill();
    let found = world.estimated("content");
    let mean = |system: &str| found[system]["estimate"].as_f64().unwrap();
    // Two in twenty of the last system's texts are those of the second.
    assert!((mean(SYSTEMS[0]) - 5.0).abs() < 1e-9 && (mean(SYSTEMS[1]) - 3.0).abs() < 1e-9);
    assert!((1.0..2.0).contains(&mean(SYSTEMS[2])), "{found:?}");
    for row in found.values() {
        assert_eq!(row["range"], json!([1.0, 5.0]), "{row}");
    }
}

#[test]
fn texts_are_edited_and_answers_held_against_their_passage() {
    for protocol in ["post-edit", "question-answering"] {
        let world = World::new(6);
        let server = world.serve(&["--task", protocol, "--budget", "12"]);
        let link = server.links.values().next().unwrap().clone();
        let first = get(&format!("{link}/task")).json();
        let is_edit = protocol == "post-edit";
        match is_edit {
            true => assert!(first["passage"].is_null() && first["criteria"] == json!([])),
            false => assert_eq!(first["references"], json!([])),
        }
        if !is_edit {
            let passage = first["passage"].as_str().unwrap();
            assert!(passage.starts_with("passage ") && passage.ends_with("more of it"));
        }
        for wrong in [
            json!({"question": "1"}),
            json!({"question": "1", "answer": "1"}),
            json!({"question": "1", "scores": {"correct": 0.5}}),
            json!({"question": "1", "scores": {"pace": 1}, "text": "x"}),
        ] {
            assert_eq!(
                post(&format!("{link}/answer"), &wrong).status(),
                400,
                "{wrong}"
            );
        }
        let (shown, state) = answer(&link, 99);
        assert_eq!(
            (shown.len(), &state["state"]),
            (12, &json!("done")),
            "{state}"
        );
        server.kill();
        world.0.run("export run --as jsonl --out out").ok();
        let found = world.estimated(if is_edit { "hter" } else { "correct" });
        let mean = |system: &str| found[system]["estimate"].as_f64().unwrap();
        match is_edit {
            // One of five words is changed, or none.
            true => assert!(
                mean(SYSTEMS[0]) == 0.0 && (mean(SYSTEMS[1]) - 0.2).abs() < 1e-9,
                "{found:?}"
            ),
            false => assert!(mean(SYSTEMS[0]) == 1.0 && mean(SYSTEMS[1]) == 0.0),
        }
        // A copy in plain tables has the edited texts, and the words of the passage.
        let column = if is_edit { "post_edit" } else { "evidence" };
        let rows = fs::read_to_string(world.path("out/judgments.jsonl")).unwrap();
        assert!(rows.lines().all(|row| row.contains(column)), "{rows}");
        fs::copy(
            world.path("data/outputs.jsonl"),
            world.path("out/outputs.jsonl"),
        )
        .unwrap();
        let copy = world.path("out");
        let criterion = if is_edit { "hter" } else { "correct" };
        let again = tiebreak(&["estimate", text(&copy), "--criterion", criterion, "--json"]).json();
        for row in again["estimates"].as_array().unwrap() {
            let system = row["system"].as_str().unwrap();
            assert_eq!(row["estimate"].as_f64().unwrap(), mean(system), "{row}");
        }
    }
}

/// A text may be edited to nothing, and the last answer may still be taken back.
#[test]
fn an_export_says_what_its_form_cannot_hold() {
    let world = World::new(4);
    let server = world.serve(&["--task post-edit"]);
    let link = server.links.values().next().unwrap().clone();
    for said in ["", "kept", "held"] {
        let task = get(&format!("{link}/task")).json();
        let said = json!({ "question": task["question"], "text": said });
        assert_eq!(post(&format!("{link}/answer"), &said).status(), 200);
    }
    server.kill();
    let held = "left out: 1 (answers that can still be taken back, which --as answers has)";
    let emptied = "left out: 1 (texts that were edited to nothing";
    let csv = world.0.run("export run --as csv --out out").ok();
    assert_contains(&csv, &[held, emptied]);
    let jsonl = world.0.run("export run --as jsonl --out out").ok();
    assert_contains(&jsonl, &[held]);
    assert_lacks(&jsonl, &[emptied]);
    let rows = fs::read_to_string(world.path("out/judgments.jsonl")).unwrap();
    assert_contains(&rows, &["\"post_edit\":\"\"", "\"post_edit\":\"kept\""]);
}

/// Answers to another question are not passed off as answers to this one.
#[test]
fn a_changed_question_is_said_and_reported() {
    let world = World::new(6);
    let ask = |out: &str| world.ask(out, &["--task rating --n 4"]);
    ask("one.csv").ok();
    let nothing = "Nothing is known yet: no output is rated.";
    assert_contains(
        &tiebreak(&["report", text(&world.path("run"))]).ok(),
        &[nothing],
    );
    world.fill("one.csv", 99, 99);
    world.tell(&["one.csv"], &[]).ok();
    let task = world.path("run/task.toml");
    let before = fs::read_to_string(&task).unwrap();
    let (_, rest) = before.split_once("prompt = ").unwrap();
    let (prompt, _) = rest.split_once('\n').unwrap();
    fs::write(
        &task,
        before.replacen(prompt, "\"How well does it read?\"", 1),
    )
    .unwrap();
    let changed = "What annotators are asked (task.toml) was changed after 4 questions.";
    let tell = || world.tell(&["one.csv"], &[]);
    assert_contains(&tell().stderr, &[changed]);
    // It is new once, and true for good.
    let told = tell();
    assert_lacks(&told.stderr, &[changed]);
    assert_contains(&told.ok(), &[changed]);
    let run = world.path("run");
    assert_contains(&tiebreak(&["report", text(&run)]).ok(), &[changed]);
    let page = fs::read_to_string(world.path("run/report.html")).unwrap();
    assert_contains(&page, &[changed]);
    // What only changes how texts are shown is no other question.
    let shown = fs::read_to_string(&task).unwrap() + "\n[words]\nsource = \"Prompt\"\n";
    fs::write(&task, shown).unwrap();
    assert_lacks(&tell().stderr, &["task.toml"]);
}

#[test]
fn sheets_are_read_back_and_fewer_never_shrink_what_is_known() {
    let world = World::new(20);
    let begun = world.ask(
        "sheets",
        &["--task rating --annotators ana,ben --n 30 --json"],
    );
    let begun = begun.json();
    assert_eq!(begun["questions"]["open"], 30, "{begun}");
    expect!["send each annotator their sheet in sheets. They fill in `fluency`, `content`, `repetition` of their sheet, or write skip. Then: tiebreak tell run sheets"].assert_eq(begun["next"].as_str().unwrap());
    let sheet = fs::read_to_string(world.path("sheets/ana.csv")).unwrap();
    assert!(
        !sheet.contains("secret")
            && sheet.contains("text,fluency,content,repetition,annotator,seconds")
    );
    let (ana, ben) = (
        world.fill("sheets/ana.csv", 7, 99),
        world.fill("sheets/ben.csv", 99, 4),
    );
    assert_eq!(ana + ben, 30);
    let told = world.tell(&["sheets/ana.csv"], &["--json"]).json();
    let skipped = ana / 7;
    assert_eq!(
        (&told["told"]["new"], &told["told"]["skipped"]),
        (&json!(ana - skipped), &json!(skipped))
    );
    let told = world.tell(&["sheets/ben.csv"], &["--json"]).json();
    assert_eq!(told["told"]["new"], 4);
    assert_eq!(
        told["questions"]["answered"],
        json!(ana - skipped + 4),
        "{told}"
    );
    let all = world.tell(&["sheets"], &["--json"]).json();
    assert_eq!(
        (&all["told"]["new"], &all["told"]["known"]),
        (&json!(0), &json!(ana + 4)),
        "{all}"
    );
    world
        .tell(&["data/.."], &[])
        .refused(&["the folder has no sheet"]);
    world
        .tell(&["nowhere"], &[])
        .refused(&["nowhere: no such file or folder"]);
    expect![[r#"
        $ tell run sheets/ben.csv
        verdict         17 of 58 outputs are rated, with 17 ratings.
                        16 ratings are in the table: an annotator who rated fewer than two outputs of a system is not in its mean.
                        The outputs were drawn evenly.
                        The intervals are valid for a number of ratings that was fixed beforehand, such as the whole plan.
                        Assumes: open and skipped outputs are like the rated ones.
        read            0 new answers, 4 known already, 11 rows without an answer
        annotators      ana, ben
        plan            60 outputs, 39 still to be rated; 2 have the same text as another, which is rated once
        questions       30 asked: 17 answered, 11 open, 2 skipped

        criterion   system       ratings   mean        interval
        content     secret-good        4      5      [2.158, 5]
        content     secret-bad         5      3  [1.732, 4.268]
        content     secret-ugly        7  1.333      [1, 3.328]
        fluency     secret-good        4      5      [2.158, 5]
        fluency     secret-bad         5      3  [1.732, 4.268]
        fluency     secret-ugly        7  1.333      [1, 3.328]
        repetition  secret-good        4      5      [2.158, 5]
        repetition  secret-bad         5      3  [1.732, 4.268]
        repetition  secret-ugly        7  1.333      [1, 3.328]
        content, fluency, repetition: 95 % intervals, each for one system by itself, for these annotators (1 to 2 a system) and items like these. They are valid for any judgments from 1 to 5.
        2 annotators are too few to say what others would answer.
        content, fluency and repetition: listed annotators weigh the same, but ben judged fewer than two outputs of secret-bad and secret-good. Until they judge two, means of secret-bad and secret-good are without them, and no difference from secret-bad and secret-good is tested. Leave them off the list if they will not.

        next            11 answers are still to come: give the sheets to `tiebreak tell run` (`tiebreak ask run --again --out sheets-2` writes open questions again). To ask for more: tiebreak ask run --out sheets-2
    "#]].assert_eq(&world.0.session("tell run sheets/ben.csv"));
    let agreed = world.0.run("annotators run --json").json();
    assert_eq!(
        agreed["annotators"].as_array().unwrap().len(),
        6,
        "two people, three criteria: {agreed}"
    );
    let run = world.path("run");
    let report = tiebreak(&["report", text(&run)]).ok();
    let next = "39 of the planned outputs are still to be rated. 11 answers are still to come";
    assert_contains(&report, &["content", next]);
    assert_lacks(&report, &["would separate"]);
    let instead = format!("tiebreak estimate {} --differences", text(&run));
    tiebreak(&["rank", text(&run)])
        .refused(&["only campaigns that compare pairs have a ranking", &instead]);
}

/// A text that two systems wrote is rated once, so whatever is said of annotators counts it once. A skip took time, too.
#[test]
fn a_rating_that_holds_for_two_systems_is_one_answer() {
    let world = World::new(20);
    let begun = [
        "--task",
        "rating:q=1..5",
        "--annotators",
        "ana,ben",
        "--overlap",
        "1",
        "--n",
        "60",
    ];
    world.ask("sheets", &begun).ok();
    let mut scores: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (sheet, even) in [("sheets/ana.csv", None), ("sheets/ben.csv", Some(4))] {
        let path = world.path(sheet);
        let rows = fill_in(&path, &path, |place, row, column| {
            let is_even = row["text"].ends_with(['0', '2', '4', '6', '8']);
            let score = even
                .filter(|_| is_even)
                .unwrap_or_else(|| worth(row["text"]));
            let is_skipped = even.is_some() && place == 0;
            match column {
                "q" if is_skipped => Some("skip".to_string()),
                "q" => {
                    let of = scores.entry(row["question"].to_string()).or_default();
                    of.push(score as f64);
                    Some(score.to_string())
                }
                "seconds" => Some("10".to_string()),
                _ => None,
            }
        });
        assert_eq!(rows, 58);
    }
    world.tell(&["sheets"], &[]).ok();
    let found = world.0.run("annotators run --json").json();
    let agreement = &found["agreement"][0];
    let counts = ["questions", "shared", "answers"].map(|name| agreement[name].as_u64());
    assert_eq!(counts, [Some(58), Some(57), Some(115)], "{agreement}");
    // Krippendorff's α by its definition, of the texts that both rated.
    let pairs: Vec<[f64; 2]> = scores
        .into_values()
        .filter_map(|of| of.try_into().ok())
        .collect();
    let all: Vec<f64> = pairs.concat();
    let (n, square) = (all.len() as f64, |[a, b]: [f64; 2]| (a - b).powi(2));
    let observed = pairs.iter().map(|pair| 2.0 * square(*pair)).sum::<f64>() / n;
    let expected = all
        .iter()
        .flat_map(|a| all.iter().map(|b| square([*a, *b])));
    let alpha = 1.0 - observed / (expected.sum::<f64>() / (n * (n - 1.0)));
    let told = agreement["alpha_interval"].as_f64().unwrap();
    assert!((told - alpha).abs() < 1e-9 && alpha < 1.0, "{told} {alpha}");
    let people = fs::read_to_string(world.path("run/people.json")).unwrap();
    let people: Value = serde_json::from_str(&people).unwrap();
    assert_eq!(people["answers"], 115);
    assert_eq!(people["seconds"], 1160.0);
    // Labels are for every system.
    world
        .0
        .run("annotators run --labels mace --out labels")
        .ok();
    let labels = fs::read_to_string(world.path("labels/judgments.csv")).unwrap();
    let of_first = labels.lines().filter(|line| line.starts_with("i0,"));
    assert_eq!(of_first.count(), 3, "{labels}");
}

#[test]
fn a_text_that_needs_no_edit_is_marked_on_a_sheet() {
    let world = World::new(6);
    let asked = world
        .ask("sheet.csv", &["--task post-edit --n 18 --json"])
        .json();
    assert_contains(
        asked["next"].as_str().unwrap(),
        &["`post_edit`", "= where nothing needs an edit"],
    );
    let path = world.path("sheet.csv");
    let rows = fill_in(&path, &path, |_, row, column| {
        // Copied with what keeps spreadsheets from computing it.
        let shown = row["text"];
        let edited = match shown.contains("fine") {
            true => "=".to_string(),
            false => shown.replace("poor", "fine").replace("dire", "fine"),
        };
        (column == "post_edit").then_some(edited)
    });
    let told = world.tell(&["sheet.csv"], &["--json"]).json();
    assert_eq!(told["told"]["new"], rows, "{told}");
    let edits = world.estimated("hter");
    let mean = |system: &str| edits[system]["estimate"].as_f64().unwrap();
    assert_eq!(mean(SYSTEMS[0]), 0.0);
    assert!((mean(SYSTEMS[1]) - 0.2).abs() < 1e-9, "{edits:?}");
}

#[test]
fn listed_annotators_weigh_the_same_however_much_they_answered() {
    let world = World::new(20);
    let people = ["--task rating --annotators ana,ben,cy --n 60"];
    world.ask("sheets", &people).ok();
    world.fill("sheets/ana.csv", 99, 99);
    world.fill("sheets/ben.csv", 99, 12);
    let told = world
        .tell(&["sheets/ana.csv", "sheets/ben.csv"], &["--json"])
        .json();
    let lacking =
        "listed annotators weigh the same, but cy judged fewer than two outputs of all systems.";
    let meaning = told["meaning"].to_string();
    assert_contains(&meaning, &["content, fluency and repetition: listed"]);
    assert_eq!(meaning.matches(lacking).count(), 1, "{meaning}");
    let run = world.path("run");
    let differences = || {
        world
            .0
            .run("estimate run --differences --criterion fluency --json")
    };
    let found = differences().json();
    for pair in found["differences"].as_array().unwrap() {
        assert!(pair["lower"].is_null(), "{pair}");
        let why = pair["why"].as_str().unwrap();
        assert_contains(why, &["cy never judged"]);
    }
    assert!(found["hints"].to_string().contains(lacking), "{found}");
    // Who is milder than the others counts a third, though they give many more of the answers.
    let sheet = world.path("sheets/cy.csv");
    fill_in(&sheet, &sheet, |_, _, column| {
        let criteria = ["fluency", "content", "repetition"];
        criteria.contains(&column).then(|| "5".to_string())
    });
    let told = world.tell(&["sheets/cy.csv"], &["--json"]).json();
    assert!(
        told["meaning"]
            .to_string()
            .contains("Each listed annotator weighs the same."),
        "{told}"
    );
    let means = world.estimated("fluency");
    let mean = means["secret-bad"]["estimate"].as_f64().unwrap();
    assert!((mean - 11.0 / 3.0).abs() < 1e-9, "{mean}");
    let found = differences().json();
    for pair in found["differences"].as_array().unwrap() {
        let of = |side: &str| {
            means[pair[side].as_str().unwrap()]["estimate"]
                .as_f64()
                .unwrap()
        };
        let difference = pair["difference"].as_f64().unwrap();
        assert!(
            (difference - (of("system_a") - of("system_b"))).abs() < 1e-9
                && !pair["lower"].is_null(),
            "{pair}"
        );
    }
    tiebreak(&["report", text(&run)]).ok();
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("Each listed annotator weighs the same."));
    // Who leaves after that still weighs, and that is said.
    world
        .ask("fewer", &["--annotators", "ana,ben", "--n", "9"])
        .ok();
    assert_eq!(world.estimated("fluency"), means);
    world
        .ask("one", &["--annotators", "ana", "--n", "9"])
        .refused(&["a list has two names or more"]);
    let left = "No longer listed, but weighing the same: cy.";
    assert_contains(&differences().json()["hints"].to_string(), &[left]);
}

#[test]
fn a_plan_that_was_not_even_is_undone() {
    let world = World::new(40);
    let mut uncertain = String::from("item,uncertainty\n");
    // Every tenth item, on which the last system is better, is drawn nine times as often.
    for item in 0..40 {
        uncertain += &format!("i{item},{}\n", if item % 10 == 0 { 9 } else { 1 });
    }
    fs::write(world.path("u.csv"), uncertain).unwrap();
    let table = world.path("u.csv");
    let flags = [
        "--task rating --budget 60 --uncertainties",
        text(&table),
        "--n 60",
    ];
    world.ask("sheet.csv", &flags).ok();
    // The plan does not need the table any more, nor the judgments that come.
    fs::remove_file(&table).unwrap();
    let first = fs::read(world.path("sheet.csv")).unwrap();
    fs::remove_file(world.path("sheet.csv")).unwrap();
    world.ask("sheet.csv", &flags).ok();
    let again = fs::read(world.path("sheet.csv")).unwrap();
    assert_eq!(
        again, first,
        "the command that wrote a sheet writes it again"
    );
    world.fill("sheet.csv", 99, 99);
    let told = world.tell(&["sheet.csv"], &[]).ok();
    assert_contains(&told, &["which the means correct"]);
    let row = &world.estimated("content")[SYSTEMS[2]];
    expect!["active"].assert_eq(row["estimator"].as_str().unwrap());
    let estimate = row["estimate"].as_f64().unwrap();
    // Its mean is 1.2; of the outputs that were drawn one in five is better.
    assert!((estimate - 1.2).abs() < 0.15, "{row}");
    let plain = world.0.run("estimate run --estimator mean");
    plain.refused(&["more often than others", "--estimator active"]);
}

#[test]
fn a_width_is_reached_and_said() {
    let world = World::new(200);
    let flags = ["--task", "rating", "--target-width", "2", "--n", "120"];
    world.ask("sheet.csv", &flags).ok();
    world.fill("sheet.csv", 999, 10);
    let told = world.tell(&["sheet.csv"], &["--json"]).json();
    assert_eq!(told["target"]["reached"], false, "{told}");
    expect!["Not yet enough: the widest interval is 4 wide (wanted: 2). 10 of 580 outputs are rated, with 10 ratings. The outputs were drawn evenly. The intervals are valid at all times. Assumes: outputs that are still open are like the rated ones."].assert_eq(told["verdict"].as_str().unwrap());
    world.fill("sheet.csv", 999, 999);
    let told = world.tell(&["sheet.csv"], &["--json"]).json();
    assert_eq!(told["target"]["reached"], true, "{told}");
    let next = told["next"].as_str().unwrap();
    assert!(
        next.starts_with("read the report, since no interval is wider than wanted"),
        "{next}"
    );
    expect!["Enough: no interval is wider than 0.8411 (wanted: 2). 120 of 580 outputs are rated, with 120 ratings. 124 ratings are in the table: a text that several systems wrote counts for each of them. The outputs were drawn evenly. The intervals are valid at all times. Assumes: outputs that are still open are like the rated ones."].assert_eq(told["verdict"].as_str().unwrap());
}

/// Whoever stops the server is told how the campaign stands, and the report has all of it, the last answers too.
#[test]
#[cfg(unix)]
fn a_server_that_is_stopped_says_how_it_stands() {
    let world = World::new(12);
    let flags = ["--task rating --annotators ana,ben --per-question 2"];
    let server = world.serve(&flags);
    for name in ["ana", "ben"] {
        let (shown, _) = answer(&server.links[name], 15);
        assert_eq!(shown.len(), 15);
    }
    let said = server.stop();
    assert_contains(
        &said,
        &[
            "30 new answers",
            "agreement",
            "with 30 ratings",
            "serve it again",
        ],
    );
    let report = tiebreak(&["report", text(&world.path("run"))]).ok();
    assert!(
        report.contains("Agreement on") || report.contains("agreement"),
        "{report}"
    );
    assert_contains(&report, &["ana", "ben"]);
}

#[test]
fn who_leaves_hands_on_what_she_has_not_rated() {
    let world = World::new(8);
    let server = world.serve(&["--task", "rating", "--annotators", "ana,ben"]);
    let (first, _) = answer(&server.links["ana"], 4);
    server.kill();
    let server = world.serve(&["--annotators", "ana,cy"]);
    let (more, _) = answer(&server.links["ana"], 99);
    let (others, _) = answer(&server.links["cy"], 99);
    let all: BTreeSet<&String> = first.iter().chain(&more).chain(&others).collect();
    assert_eq!(all.len(), first.len() + more.len() + others.len());
    assert_eq!(all.len(), 23, "all different texts");
    let status = get(&format!("{}/status", server.admin)).json();
    // The last answer of each of them can still be taken back.
    let ratings = status["estimates"].as_array().unwrap().iter();
    let n: u64 = ratings.map(|row| row["n"].as_u64().unwrap()).sum();
    assert!(n >= 3 * (24 - 2 * 2), "{status}");
}

#[test]
fn a_journal_cut_anywhere_goes_on_or_says_why_not() {
    let world = World::new(2);
    world
        .ask("sheet.csv", &["--task", "rating", "--n", "5"])
        .ok();
    world.fill("sheet.csv", 99, 3);
    world.tell(&["sheet.csv"], &[]).ok();
    let run = world.path("run");
    let journal = fs::read(run.join("journal.jsonl")).unwrap();
    let lines: Vec<usize> = (0..journal.len())
        .filter(|&at| journal[at] == b'\n')
        .collect();
    assert_eq!(lines.len(), 4, "header, plan, questions, answers");
    let step = (journal.len() / 40).max(1);
    for end in (0..journal.len())
        .step_by(step)
        .chain(lines.iter().flat_map(|&at| [at, at + 1]))
    {
        fs::write(run.join("journal.jsonl"), &journal[..end]).unwrap();
        forget_length(&run.join("journal.jsonl"));
        let told = world.tell(&["sheet.csv"], &["--json"]);
        let kept = lines.iter().filter(|&&at| at < end).count();
        match kept {
            3.. => {
                let told = told.json();
                assert_eq!(told["questions"]["answered"], 3, "{end}: {told}");
            }
            _ => assert_eq!(told.code, Some(2), "{end}: {}", told.stderr),
        }
    }
    // Shorter than it is known to have been, it is refused.
    fs::write(run.join("journal.jsonl"), &journal).unwrap();
    world.tell(&["sheet.csv"], &[]).ok();
    fs::write(run.join("journal.jsonl"), &journal[..=lines[2]]).unwrap();
    let refused = world.tell(&["sheet.csv"], &[]);
    assert_contains(&refused.stderr, &["were logged"]);
}

/// What a page without a server saves is what it would have sent.
#[test]
fn pages_without_a_server_are_read_back() {
    let world = World::new(4);
    for (protocol, said) in [
        (
            "rating",
            json!({"scores": {"fluency": 2, "content": 3, "repetition": 4}}),
        ),
        ("post-edit", json!({"text": "better"})),
        (
            "question-answering",
            json!({"scores": {"correct": 1}, "text": ""}),
        ),
    ] {
        let (run, data) = (world.path(protocol), world.path("data"));
        let out = world.path(&format!("{protocol}.html"));
        let ask = ["ask", text(&run), text(&data), "--task", protocol, "--n 3"];
        tiebreak(&[&ask[..], &["--page", "--out", text(&out)]].concat()).ok();
        let page = fs::read_to_string(&out).unwrap();
        assert!(!page.contains("secret"), "a system is named");
        let data = page
            .split("id=\"embedded\" nonce=\"here\">")
            .nth(1)
            .unwrap();
        let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        let states = data["states"].as_array().unwrap();
        assert_eq!(
            (states.len(), &states[0]["protocol"]),
            (3, &json!(protocol))
        );
        assert_eq!(states[0]["texts"].as_array().unwrap().len(), 1);
        let answers = states.iter().enumerate().map(|(place, state)| {
            let mut answer = match place {
                0 => json!({"answer": "skip", "reason": "broken"}),
                _ => said.clone(),
            };
            answer["question"] = state["question"].clone();
            answer["seconds"] = json!(4.5);
            answer
        });
        let saved = json!({"tiebreak": 1, "sheet": "s", "annotator": "ana", "answers": answers.collect::<Vec<_>>()});
        let file = world.path("saved.json");
        fs::write(&file, saved.to_string()).unwrap();
        let told = tiebreak(&["tell", text(&run), text(&file), "--json"]).json();
        assert_eq!(
            (&told["told"]["new"], &told["told"]["skipped"]),
            (&json!(2), &json!(1)),
            "{told}"
        );
    }
}

/// Whoever was taken for gone sends a sheet after all: two people rated the same, and nothing is counted twice.
#[test]
fn a_sheet_that_comes_late_counts_beside_what_was_asked_of_others() {
    let world = World::new(4);
    let flags = ["--task", "rating", "--annotators", "ana,ben", "--n", "99"];
    world.ask("sheets", &flags).ok();
    world.fill("sheets/ana.csv", 99, 99);
    world.fill("sheets/ben.csv", 99, 99);
    world.tell(&["sheets/ana.csv"], &[]).ok();
    let again = world.ask("more", &["--annotators", "ana,cy", "--n", "99"]);
    again.ok();
    for name in ["ana", "cy"] {
        let sheet = format!("more/{name}.csv");
        if world.path(&sheet).exists() {
            world.fill(&sheet, 99, 99);
            world.tell(&[&sheet], &[]).ok();
        }
    }
    let before = world.tell(&["sheets/ana.csv"], &["--json"]).json();
    assert!(
        before["left"].is_null() && before["stopped"] == "plan",
        "{before}"
    );
    let told = world.tell(&["sheets/ben.csv"], &["--json"]).json();
    assert!(told["told"]["new"].as_u64() > Some(0), "{told}");
    expect!["All 11 outputs are rated, with 17 ratings. 18 ratings are in the table: a text that several systems wrote counts for each of them. The outputs were drawn evenly. The intervals are valid for a number of ratings that was fixed beforehand, such as the whole plan."].assert_eq(told["verdict"].as_str().unwrap());
    let found = world.estimated("content");
    let mean = found[SYSTEMS[0]]["estimate"].as_f64().unwrap();
    assert!((mean - 5.0).abs() < 1e-9, "{found:?}");
    let report = tiebreak(&["report", text(&world.path("run"))]).ok();
    assert_contains(&report, &["The plan is done, and it cannot grow."]);
}

/// Two scores, a slip taken back, a reason, and the end.
#[test]
fn a_person_at_the_terminal_rates_and_edits() {
    let world = World::new(3);
    let (run, data) = (world.path("run"), world.path("data"));
    let flags = ["ask", text(&run), text(&data), "--task", "rating", "--json"];
    let typed = super::typed(
        &flags,
        "4 4 5\nu\n4 5 5\n9 1 1\n4 5\n4 5 5 6\ns no idea\nh\n3 3 3\nq\n",
    );
    let told = typed.stderr.clone();
    let status = typed.json();
    assert_eq!(
        (
            &status["questions"]["answered"],
            &status["questions"]["skipped"]
        ),
        (&json!(2), &json!(1)),
        "{told}"
    );
    assert_contains(&told, &["fluency is 9, expected 1 to 5 by 1"]);
    assert_lacks(&told, &["secret"]);
    let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap();
    assert_contains(&journal, &["\"reason\":\"no idea\""]);
    let edit = world.path("edit");
    let flags = ["ask", text(&edit), text(&data), "--task post-edit --json"];
    let status = super::typed(&flags, "=\na new text\n").json();
    assert_eq!(status["questions"]["answered"], 2);
    let found = tiebreak(&["estimate", text(&edit), "--criterion", "edited", "--json"]).json();
    let scores = found["estimates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["estimate"].as_f64().unwrap());
    assert_eq!(scores.sum::<f64>(), 1.0, "one of two was edited: {found}");
}

/// Flags of a new campaign of ratings, and what is said.
const FLAGS: &str = "
--bandit rucb | --bandit
--panel | a panel is for pairs
--budget 2 | at least one output of each of 3
--uniform 0.5 | --uncertainties
--overlap 0.5 | need a list of annotators
--as potato | potato has no form for this task (rating)
";

/// What is on a sheet, and what is said.
const SHEETS: &str = r"
question,fluency,content,repetition\nCODE,6,1,1 | fluency is 6, expected 1 to 5 by 1
question,fluency,content,repetition\nCODE,1.5,1,1 | fluency is 1.5
question,fluency,content,repetition\nCODE,1,,1 | content has no score
question,fluency,content,repetition\nCODE,superb,1,1 | fluency
question,fluency,content,repetition\nqqqqqqqqq,1,1,1 | was not asked
question,fluency,content,repetition\nCODE,1,1,1\nCODE,1,1,2 | repetition 2
question,answer\nx,1 | fluency
";

#[test]
fn mistakes_are_told() {
    let world = World::new(6);
    for [flags, phrase] in table_rows(FLAGS) {
        let out = if flags == "--as potato" {
            "no.jsonl"
        } else {
            "no.csv"
        };
        world.ask(out, &["--task rating", flags]).refused(&[phrase]);
        assert!(!world.path(out).exists());
    }
    let world = World::new(6);
    world
        .ask("no.csv", &["--strata", "s.csv"])
        .refused(&["a campaign of pairs"]);
    world.ask("sheet.csv", &["--task rating --n 6"]).ok();
    let drawn = ["were drawn when the campaign began"];
    world.ask("more.csv", &["--budget", "9"]).refused(&drawn);
    world.0.run("rank run").refused(&["estimate"]);
    let sheet = fs::read_to_string(world.path("sheet.csv")).unwrap();
    let code = sheet.lines().nth(1).unwrap().split(',').next().unwrap();
    for [rows, phrase] in table_rows(SHEETS) {
        let rows = rows.replace("CODE", code).replace("\\n", "\n") + "\n";
        world.0.file("wrong.csv", &rows);
        world.tell(&["wrong.csv"], &[]).refused(&[phrase]);
    }
    let task = world.path("run/task.toml");
    let told = fs::read_to_string(&task).unwrap();
    let labels = r#"labels = ["not at all", "badly", "fairly", "well", "perfectly"]"#;
    let other = told
        .replacen("high = 5", "high = 7", 1)
        .replacen(labels, "", 1);
    fs::write(&task, other).unwrap();
    world
        .tell(&["sheet.csv"], &[])
        .refused(&["the criteria are not those"]);
}

/// In a small plan every annotator rates as much of each system as any other, so that all pairs can be tested.
#[test]
fn each_annotator_has_an_equal_share_of_each_system() {
    let desk = Desk::empty();
    let outputs = (0..12).flat_map(|item| {
        ["a", "b", "c"].map(|system| {
            format!("{{\"item\": \"i{item}\", \"system\": \"{system}\", \"output\": \"{item} by {system}\"}}\n")
        })
    });
    desk.file("outputs.jsonl", &outputs.collect::<String>());
    desk.run(
        "ask run outputs.jsonl --task rating:q=1..5 --annotators ana,ben,cy --n 36 --out sheets",
    )
    .ok();
    for name in ["ana", "ben", "cy"] {
        let sheet = fs::read_to_string(desk.path(&format!("sheets/{name}.csv"))).unwrap();
        for system in ["a", "b", "c"] {
            let of = format!("by {system}");
            assert_eq!(sheet.matches(&of).count(), 4, "{name}, {system}: {sheet}");
        }
    }
}
