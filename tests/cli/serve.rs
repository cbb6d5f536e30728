//! `serve`: a campaign over HTTP, as browsers use it, with the server killed and started again.

use super::{command, text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use tempfile::TempDir;

pub(super) struct Server {
    child: Child,
    printed: BufReader<ChildStdout>,
    pub(super) links: BTreeMap<String, String>,
    pub(super) admin: String,
    /// The link that is open to all, where there is one.
    pub(super) open: String,
}

/// A campaign on a data set.
pub(super) struct Campaign {
    folder: TempDir,
    data: PathBuf,
}

const SYSTEMS: [&str; 3] = ["secret-good", "secret-bad", "secret-ugly"];

/// What their texts say of themselves.
const QUALITIES: [&str; 3] = ["fine", "poor", "dire"];

fn output(quality: &str, item: &str) -> String {
    format!("<b>{quality}</b> text {item}")
}

impl Campaign {
    /// Of three systems whose names are in no text.
    pub(super) fn new(items: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let campaign = Self { folder, data };
        let mut outputs = String::from("item,system,output,source\n");
        for item in 0..items {
            for (system, quality) in SYSTEMS.into_iter().zip(QUALITIES) {
                let output = output(quality, &item.to_string());
                outputs += &format!("i{item},{system},{output},source {item}\n");
            }
        }
        fs::create_dir(campaign.path("data")).unwrap();
        fs::write(campaign.path("data/outputs.csv"), outputs).unwrap();
        campaign
    }

    /// Of a data set that is there.
    pub(super) fn of(data: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = PathBuf::from(data);
        Self { folder, data }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn serve(&self, more: &[&str]) -> Server {
        let run = self.path("run");
        let flags = ["serve", text(&run), text(&self.data), "--print-links"];
        Server::start(&[&flags[..], more].concat())
    }
}

impl Server {
    /// Begins to serve, with links printed.
    pub(super) fn start(arguments: &[&str]) -> Self {
        Self::of(&mut command(arguments))
    }

    /// The same by any command that prints links.
    pub(super) fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut links = BTreeMap::new();
        let (mut admin, mut open) = (String::new(), String::new());
        while admin.is_empty() {
            let mut line = String::new();
            assert!(printed.read_line(&mut line).unwrap() > 0, "no links");
            let link: Value = serde_json::from_str(&line).unwrap();
            let url = link["url"].as_str().unwrap().to_string();
            match link["annotator"].as_str() {
                Some(name) => drop(links.insert(name.to_string(), url)),
                None if link.get("open").is_some() => open = url,
                None => admin = url,
            }
        }
        Self {
            child,
            printed,
            links,
            admin,
            open,
        }
    }

    /// The number of its process.
    pub(super) fn id(&self) -> String {
        self.child.id().to_string()
    }

    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ctrl-C; what it prints then.
    #[cfg(unix)]
    pub(super) fn stop(mut self) -> String {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-INT", &id])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.printed, &mut rest).unwrap();
        rest
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came back: the status, the headers and the body.
pub(super) struct Came {
    status: u16,
    headers: String,
    body: String,
}

impl Came {
    pub(super) fn status(&self) -> u16 {
        self.status
    }

    pub(super) fn text(&self) -> &str {
        &self.body
    }

    /// What was said beside the body, without how long that is and when it was sent.
    pub(super) fn headers_but_length(&self) -> String {
        let lines = self.headers.lines();
        let beside = |line: &&str| !line.starts_with("content-length") && !line.starts_with("date");
        lines.filter(beside).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// `None` where nobody answers, because the server is gone.
pub(super) fn http(url: &str, body: Option<&Value>) -> Option<Came> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(20)))
        .build()
        .into();
    let response = match body {
        None => agent.get(url).call(),
        Some(body) => agent
            .post(url)
            .header("Content-Type", "application/json")
            .send(body.to_string()),
    };
    let mut response = response.ok()?;
    let headers = response.headers().iter();
    let headers = headers.map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap()));
    Some(Came {
        status: response.status().as_u16(),
        headers: headers.collect(),
        body: response.body_mut().read_to_string().ok()?,
    })
}

pub(super) fn get(url: &str) -> Came {
    http(url, None).unwrap()
}

pub(super) fn post(url: &str, body: &Value) -> Came {
    http(url, Some(body)).unwrap()
}

/// Answers at a link until there is no question, each by its number; returns the last state and how many there were.
pub(super) fn answer_all(url: &str, answer: impl Fn(usize) -> &'static str) -> (Value, usize) {
    let (mut state, mut answered) = (get(&format!("{url}/task")).json(), 0);
    while state["state"] == "task" {
        let body = json!({ "question": state["question"], "answer": answer(answered) });
        state = post(&format!("{url}/answer"), &body).json();
        answered += 1;
    }
    (state, answered)
}

/// The better of the texts of a task, as an answer.
pub(super) fn better(task: &Value) -> &'static str {
    let rank = |place: usize| {
        let text = task["texts"][place].as_str().unwrap();
        QUALITIES.iter().position(|quality| text.contains(quality))
    };
    if rank(0) < rank(1) { "1" } else { "2" }
}

/// What one person saw and said.
#[derive(Default)]
struct Seen {
    /// Both texts, as they stood, by question.
    texts: BTreeMap<String, [String; 2]>,
    said: BTreeMap<String, String>,
    bodies: String,
}

/// Asks until somebody answers: the server may be gone at any moment.
fn insist(url: &dyn Fn() -> String, path: &str, body: Option<&Value>) -> Came {
    loop {
        let came = http(&format!("{}/{path}", url()), body);
        if let Some(came) = came.filter(|came| came.status < 429) {
            return came;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// One person who answers so many questions, and now and then sends an answer twice.
fn person(url: &dyn Fn() -> String, answers: usize) -> Seen {
    let mut seen = Seen::default();
    let mut came = insist(url, "task", None);
    while seen.said.len() < answers {
        seen.bodies += &came.body;
        let task = came.json();
        if task["state"] != "task" {
            assert_eq!(task["state"], "wait", "{task}");
            std::thread::sleep(Duration::from_millis(20));
            came = insist(url, "task", None);
            continue;
        }
        let question = task["question"].as_str().unwrap().to_string();
        let texts = [0, 1].map(|place| task["texts"][place].as_str().unwrap().to_string());
        assert_eq!(
            seen.texts.insert(question.clone(), texts),
            None,
            "asked twice"
        );
        // Half of the answers are given by chance, so that the campaign goes on.
        let said = match seen.said.len() % 6 {
            0 => "tie",
            1 => "1",
            2 => "2",
            3 => "skip",
            _ => better(&task),
        };
        let answer = json!({ "question": question, "answer": said, "seconds": 4.5 });
        came = insist(url, "answer", Some(&answer));
        assert_eq!(came.status, 200, "{}", came.body);
        seen.said.insert(question, said.to_string());
        if seen.said.len().is_multiple_of(7) {
            assert_eq!(insist(url, "answer", Some(&answer)).status, 200);
        }
    }
    seen
}

/// A row of the table of answers.
type Row = BTreeMap<String, String>;

/// Every answer that was acknowledged is there once, for what was seen and as it was given.
fn assert_kept(people: &[&str], seen: &[Seen], rows: &[Row]) {
    for (name, seen) in people.iter().zip(seen) {
        let given = rows.iter().filter(|row| row["annotator"] == *name);
        let (skips, theirs): (Vec<&Row>, Vec<&Row>) =
            given.partition(|row| row["skipped"] == "true");
        let skipped = seen.said.values().filter(|said| *said == "skip");
        assert_eq!(skips.len(), skipped.count(), "{name}");
        let mut stored: Vec<(String, String, &str)> = theirs
            .into_iter()
            .map(|row| {
                let item = row["item"].trim_start_matches('i');
                let text = |column: &str| {
                    let place = SYSTEMS.iter().position(|system| *system == row[column]);
                    output(QUALITIES[place.unwrap()], item)
                };
                // As the first text fared, which is `system_a`.
                let said = match row["outcome"].as_str() {
                    "1.0" => "1",
                    "0.0" => "2",
                    _ => "tie",
                };
                (text("system_a"), text("system_b"), said)
            })
            .collect();
        let said = seen.said.iter().filter(|(_, said)| *said != "skip");
        let mut acknowledged: Vec<(String, String, &str)> = said
            .map(|(question, said)| {
                let [first, second] = seen.texts[question].clone();
                (first, second, said.as_str())
            })
            .collect();
        stored.sort();
        acknowledged.sort();
        assert_eq!(stored, acknowledged, "{name}");
    }
}

fn assert_balanced(rows: &[Row]) {
    // Of two systems each is as often on either side.
    for pair in [[0, 1], [0, 2], [1, 2]] {
        let [a, b] = pair.map(|place| SYSTEMS[place]);
        let first = rows
            .iter()
            .filter(|row| row["system_a"] == a && row["system_b"] == b)
            .count();
        let second = rows
            .iter()
            .filter(|row| row["system_a"] == b && row["system_b"] == a)
            .count();
        let (n, far) = ((first + second) as f64, first.abs_diff(second) as f64);
        assert!(far <= 4.0 * n.sqrt(), "{a} {b}: {first} {second}");
    }
}

#[test]
fn five_people_at_once_and_a_server_that_is_killed() {
    let campaign = Campaign::new(400);
    let people = ["ana", "ben", "cy", "dan", "eve"];
    let flags = ["--annotators ana,ben,cy,dan,eve --overlap 0.2 --confidence 0.999999"];
    let answers = 40;
    let server = Mutex::new(Some(campaign.serve(&flags)));
    let tokens: BTreeMap<String, String> = {
        let server = server.lock().unwrap();
        let links = &server.as_ref().unwrap().links;
        let token = |url: &String| url.rsplit('/').next().unwrap().to_string();
        links
            .iter()
            .map(|(name, url)| (name.clone(), token(url)))
            .collect()
    };
    let url = |name: &str| loop {
        if let Some(server) = server.lock().unwrap().as_ref() {
            let url = &server.links[name];
            assert!(url.ends_with(&tokens[name]), "links stay");
            break url.clone();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let people: Vec<_> = people
            .iter()
            .map(|&name| {
                let url = &url;
                scope.spawn(move || person(&|| url(name), answers))
            })
            .collect();
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(400));
            let mut server = server.lock().unwrap();
            server.take().unwrap().kill();
            *server = Some(campaign.serve(&flags[..0]));
        }
        people
            .into_iter()
            .map(|person| person.join().unwrap())
            .collect()
    });
    for seen in &seen {
        let distinct: BTreeSet<BTreeSet<&String>> = seen
            .texts
            .values()
            .map(|texts| texts.iter().collect())
            .collect();
        assert_eq!(
            distinct.len(),
            seen.texts.len(),
            "nobody sees the same twice"
        );
        assert!(!seen.bodies.contains("secret"), "a name is in a response");
    }
    let server = server.into_inner().unwrap().unwrap();
    let table = get(&format!("{}/answers.csv", server.admin)).body;
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<Row> = rows.deserialize().map(Result::unwrap).collect();
    assert_kept(&people, &seen, &rows);
    assert_balanced(&rows);
    let shared = rows.len();
    let questions: BTreeSet<(&str, &str, &str)> = rows
        .iter()
        .map(|row| {
            let (a, b) = (row["system_a"].as_str(), row["system_b"].as_str());
            (row["item"].as_str(), a.min(b), a.max(b))
        })
        .collect();
    assert!(
        questions.len() < shared,
        "some are answered by several people"
    );
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(status["annotators"].as_array().unwrap().len(), 5);
    assert!(status["questions"]["second"].as_u64() > Some(0), "{status}");
}

/// Links that are none, at a server.
fn lead_nowhere(host: &str) {
    for wrong in [
        "/j/0123456789abcdef0123456789abcdef/task",
        "/j/..%2f..%2fetc/passwd",
        "/etc/passwd",
        "/admin/x/status",
    ] {
        let found = get(&format!("{host}{wrong}"));
        assert_eq!(found.status, 404, "{wrong}");
        let is_page = found.body.contains("ask the person who sent it");
        assert_eq!(
            is_page,
            !wrong.ends_with("/task") && !wrong.starts_with("/admin"),
            "{wrong}"
        );
    }
}

#[test]
fn a_page_and_what_may_be_asked_of_it() {
    let campaign = Campaign::new(60);
    let server = campaign.serve(&[]);
    let url = server.links["annotator"].clone();
    let page = get(&url);
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("secret") && !page.body.contains("http://"));
    let policy = page
        .headers
        .lines()
        .find(|line| line.starts_with("content-security-policy"));
    let policy = policy.unwrap();
    assert_contains(policy, &["default-src 'none'", "script-src 'nonce-"]);
    assert_lacks(policy, &["unsafe"]);
    assert!(page.headers.contains("referrer-policy: no-referrer"));
    assert_ne!(page.body, get(&url).body, "a nonce is used once");
    let task = get(&format!("{url}/task")).json();
    assert_eq!(
        (&task["state"], &task["undo"]),
        (&"task".into(), &false.into())
    );
    assert_eq!(task["progress"]["answered"], 0);
    let named = |task: &Value| task["question"].as_str().unwrap().to_string();
    let first = named(&task);
    let answer = |question: &str, answer: &str| {
        post(
            &format!("{url}/answer"),
            &json!({ "question": question, "answer": answer, "comment": "so, so" }),
        )
    };
    let next = answer(&first, "both bad").json();
    let second = named(&next);
    assert_eq!((second != first, &next["undo"]), (true, &true.into()));
    assert_eq!(
        answer(&first, "both bad").json(),
        next,
        "sent again it is the same answer"
    );
    let other = answer(&first, "2");
    assert_eq!((other.status, &other.json()["state"]), (409, &next));
    assert_eq!(answer("17", "2").status, 409);
    for bad in ["3", "", "better"] {
        assert_eq!(answer(&second, bad).status, 400);
    }
    let bad = post(
        &format!("{url}/answer"),
        &json!({ "question": second, "answer": "1", "seconds": -1 }),
    );
    assert_eq!(bad.status, 400);
    let back =
        |question: Value| post(&format!("{url}/undo"), &json!({ "question": question })).json();
    let again = back(second.clone().into());
    assert_eq!(
        again["texts"], task["texts"],
        "the same question on the same sides"
    );
    assert_eq!(
        (named(&again), &again["undo"]),
        (first.clone(), &false.into())
    );
    assert_eq!(back(second.clone().into()), again, "taken back once");
    assert_eq!(answer(&first, "skip").json()["question"], second);
    lead_nowhere(url.split("/j/").next().unwrap());
    let large = json!({ "question": second, "answer": "1", "comment": "x".repeat(1 << 20) });
    // Refused before it is read, so whoever sends may be cut off before hearing of it.
    let refused = http(&format!("{url}/answer"), Some(&large));
    assert!(refused.is_none_or(|came| came.status == 413));
    assert_eq!(get(&format!("{url}/task")).json()["question"], second);
    let admin = |path: &str, body: Value| post(&format!("{}/{path}", server.admin), &body).json();
    assert_eq!(admin("pause", json!({ "paused": true }))["paused"], true);
    assert_eq!(get(&format!("{url}/task")).json()["state"], "paused");
    admin("pause", json!({ "paused": false }));
    let closed = admin("close", json!({ "annotator": "annotator", "closed": true }));
    assert_eq!(closed["annotators"][0]["closed"], true);
    assert_eq!(get(&format!("{url}/task")).json()["state"], "closed");
    assert!(
        get(&format!("{}/report.html", server.admin))
            .body
            .contains("<html")
    );
    assert!(
        get(&format!("{}/journal.jsonl", server.admin))
            .body
            .starts_with("{\"journal\"")
    );
    // A second server, or a command that writes, must wait.
    let (run, data) = (campaign.path("run"), campaign.path("data"));
    tiebreak(&["serve", text(&run), text(&data)]).refused(&["another tiebreak is using it"]);
}

#[test]
fn every_reply_has_the_headers_that_protect_readers() {
    let campaign = Campaign::new(20);
    let server = campaign.serve(&[]);
    let url = server.links["annotator"].clone();
    let host = url.split("/j/").next().unwrap();
    let large = json!({ "question": "1", "answer": "1", "comment": "x".repeat(300 << 10) });
    let some = json!({ "question": "1" });
    let replies = [
        (200, http(&format!("{url}/task"), None)),
        (400, http(&format!("{url}/answer"), Some(&json!([])))),
        (400, http(&format!("{host}/j/%ff"), None)),
        (404, http(host, None)),
        (405, http(&format!("{url}/answer"), None)),
        (405, http(&url, Some(&some))),
        (413, http(&format!("{url}/answer"), Some(&large))),
    ];
    for (status, came) in replies {
        // A body that is too large may cut its sender off before the reply is read.
        let Some(came) = came else {
            assert_eq!(status, 413);
            continue;
        };
        assert_eq!(came.status, status, "{}", came.body);
        for name in [
            "cache-control: no-store",
            "content-security-policy: default-src 'none'",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
        ] {
            assert!(came.headers.contains(name), "{status} lacks {name}");
        }
    }
    // A cell of a notebook shows the page.
    let frames = "frame-ancestors http://localhost:* http://127.0.0.1:*";
    assert!(get(&url).headers.contains(frames));
}

#[cfg(unix)]
#[test]
fn an_end_by_ctrl_c_says_how_it_stands_and_the_campaign_goes_on() {
    let campaign = Campaign::new(60);
    let server = campaign.serve(&["--annotators", "ana,ben"]);
    let before = server.links.clone();
    let seen = person(&|| server.links["ana"].clone(), 3);
    assert_eq!(seen.said.len(), 3);
    let said = server.stop();
    assert_contains(&said, &["verdict", "next            serve it again"]);
    let server = campaign.serve(&[]);
    let token = |url: &String| url.rsplit('/').next().unwrap().to_string();
    assert_eq!(token(&before["ben"]), token(&server.links["ben"]));
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(
        status["questions"]["answered"].as_u64().unwrap()
            + status["questions"]["second"].as_u64().unwrap(),
        3
    );
    server.kill();
    let run = campaign.path("run");
    let ranked = tiebreak(&["rank", text(&run), "--json"]).json();
    assert_eq!(ranked["claim"]["kind"], "undecided");
}

/// Somebody who answered all there is, is told so.
#[test]
fn where_everything_is_answered_it_says_so() {
    let campaign = Campaign::new(3);
    let server = campaign.serve(&["--confidence", "0.999999"]);
    let url = &server.links["annotator"];
    let (state, answered) = answer_all(url, |_| "tie");
    assert_eq!(state["state"], "done", "{state}");
    assert_eq!(answered, 9, "three pairs on three items");
    assert!(
        state["message"].as_str().unwrap().contains("all there is"),
        "{state}"
    );
    assert_eq!(state["progress"]["answered"], 9);
    let status = get(&format!("{}/status", server.admin)).json();
    let next = status["next"].as_str().unwrap();
    let last = "1 answer can still be taken back, and results lack it";
    assert_contains(
        next,
        &["all questions that could decide are answered", last],
    );
    server.kill();
    let run = campaign.path("run");
    let ranked = tiebreak(&["rank", text(&run), "--json"]).json();
    assert_eq!(ranked["campaign"]["leader"], status["leader"]);
    let report = tiebreak(&["report", text(&run)]).ok();
    assert_contains(
        &report,
        &["The campaign asks nothing more: all questions that could decide are answered."],
    );
}

/// An annotator who never comes is named, and one who left has no link to close.
#[test]
fn who_never_came_and_who_left_are_told_apart() {
    let campaign = Campaign::new(20);
    let server = campaign.serve(&["--annotators", "ana,ben"]);
    let status = |server: &Server| get(&format!("{}/status", server.admin)).json();
    assert_contains(
        status(&server)["next"].as_str().unwrap(),
        &["send each annotator their link"],
    );
    let ana = &server.links["ana"];
    let task = get(&format!("{ana}/task")).json();
    let said = json!({ "question": task["question"], "answer": "1" });
    post(&format!("{ana}/answer"), &said);
    post(
        &format!("{ana}/answer"),
        &json!({ "question": get(&format!("{ana}/task")).json()["question"], "answer": "1" }),
    );
    let next = "Not there yet: ben (send a link again if it was lost)";
    assert_contains(status(&server)["next"].as_str().unwrap(), &[next]);
    // The other answer can still be taken back.
    assert_eq!(status(&server)["claim"]["n"], 1);
    // Other commands show what is stored meanwhile, and advise nothing that is refused.
    let run = campaign.path("run");
    for verb in ["rank", "report"] {
        let shown = tiebreak(&[verb, text(&run)]);
        assert_contains(
            &shown.stderr,
            &["the campaign is being served", "its state as stored last"],
        );
        let shown = shown.ok();
        assert_contains(&shown, &["1 comparison cannot separate"]);
        assert_lacks(&shown, &["tiebreak ask"]);
        let goes_on = "Annotators answer at their links. The admin page says how it goes on.";
        assert_eq!(shown.contains(goes_on), verb == "report", "{shown}");
    }
    server.kill();
    let others = ["--annotators", "ana,cy"];
    let (run, data) = (text(&run), campaign.path("data"));
    tiebreak(&[&["serve", run, text(&data)], &others[..]].concat())
        .refused(&["would no longer count", "--anew"]);
    let server = campaign.serve(&[&others[..], &["--anew"]].concat());
    let status = status(&server);
    let listed = status["annotators"].as_array().unwrap().iter();
    let listed: Vec<(&str, bool)> = listed
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                one["listed"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(listed, [("ana", true), ("ben", false), ("cy", true)]);
}

#[test]
fn a_server_at_all_addresses_prints_links_that_can_be_sent() {
    let campaign = Campaign::new(3);
    let server = campaign.serve(&["--annotators", "ana,ben", "--listen", "0.0.0.0:0"]);
    for url in server.links.values().chain([&server.admin]) {
        assert_lacks(url, &["0.0.0.0"]);
        assert_eq!(get(url).status, 200, "{url}");
    }
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(status["annotators"][0]["url"], server.links["ana"].as_str());
    drop(server);
    let public = [
        "--listen",
        "0.0.0.0:0",
        "--public-url",
        "https://judge.example.org",
    ];
    let server = campaign.serve(&[&["--annotators", "ana,ben"][..], &public].concat());
    assert!(server.admin.starts_with("https://judge.example.org/admin/"));
}

#[test]
fn a_campaign_that_cannot_be_served_is_not_begun() {
    let campaign = Campaign::new(3);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    let (run, data) = (campaign.path("run"), campaign.path("data"));
    let flags = ["serve", text(&run), text(&data), "--listen", &at];
    tiebreak(&flags).refused(&[&format!("cannot listen on {at}")]);
    assert!(!run.exists());
    // So it may begin with other annotators.
    drop(taken);
    let server =
        Server::start(&[&flags[..], &["--print-links", "--annotators", "ana,ben"]].concat());
    assert_eq!(server.links.len(), 2);
    server.kill();
    // The port of earlier links is not insisted on.
    let taken = TcpListener::bind(&at).unwrap();
    let server = campaign.serve(&[]);
    assert!(!server.admin.contains(&at), "{}", server.admin);
    drop(taken);
}

/// The page shows the latest remarks; the table of answers has all of them, and skips.
#[test]
fn every_comment_label_and_skip_is_in_the_export() {
    let campaign = Campaign::new(80);
    let server = campaign.serve(&[]);
    let url = server.links.values().next().unwrap().clone();
    let mut task = get(&format!("{url}/task")).json();
    for number in 0..90 {
        let mut said = match number % 3 {
            0 => json!({ "answer": "skip", "reason": format!("reason {number}") }),
            1 => json!({ "answer": "tie", "comment": format!("comment {number}") }),
            _ => json!({ "answer": "both bad", "comment": "" }),
        };
        said["question"] = task["question"].clone();
        let reply = post(&format!("{url}/answer"), &said);
        assert_eq!(reply.status, 200, "{}", reply.body);
        task = reply.json();
    }
    let status = get(&format!("{}/status", server.admin)).json();
    assert_eq!(status["remarks"].as_array().unwrap().len(), 50);
    assert_eq!(status["remarks_all"], 60);
    let table = get(&format!("{}/answers.csv", server.admin)).body;
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<Row> = rows.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 90);
    let skipped = rows.iter().filter(|row| row["skipped"] == "true");
    let mut reasons: Vec<&str> = skipped.map(|row| row["reason"].as_str()).collect();
    reasons.sort_unstable();
    let mut expected: Vec<String> = (0..90).step_by(3).map(|n| format!("reason {n}")).collect();
    expected.sort_unstable();
    assert_eq!(reasons, expected);
    let with = |column: &str, value: &str| rows.iter().filter(|row| row[column] == value).count();
    assert_eq!(with("label", "both bad"), 30);
    assert_eq!(with("comment", ""), 60);
    server.kill();
    let (run, out) = (campaign.path("run"), campaign.path("answers.csv"));
    let export = ["export", text(&run), "--as", "answers", "--out", text(&out)];
    assert_contains(&tiebreak(&export).ok(), &["90 rows"]);
    assert_eq!(fs::read_to_string(&out).unwrap(), table);
    let data = ["export", text(&campaign.data), "--as answers --out x.csv"];
    tiebreak(&data).refused(&["not the folder of a campaign", "csv"]);
}
