//! A hundred people answer at once: how long the next task takes beside a page that is served by the same stack
//! without asking the campaign anything, and how much memory the server takes.
//!
//! `cargo bench --bench campaign` prints both times as people wait for them, their ratio, and the peak.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PEOPLE: usize = 100;

/// What each of them asks for, of either kind.
const TIMES: usize = 10;

const ITEMS: usize = 500;

/// A server that ends with the bench.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("outputs.csv");
    let mut outputs = String::from("item,system,output\n");
    for item in 0..ITEMS {
        for system in ["a", "b", "c", "d"] {
            let text = "Some sentence of an output. ".repeat(20);
            outputs += &format!("i{item},{system},{system} {item}: {text}\n");
        }
    }
    std::fs::write(&data, outputs).expect("a data set");
    let names: Vec<String> = (0..PEOPLE).map(|place| format!("p{place}")).collect();
    let child = Command::new(env!("CARGO_BIN_EXE_tiebreak"))
        .arg("serve")
        .arg(folder.path().join("run"))
        .arg(&data)
        .args(["--print-links", "--annotators", &names.join(",")])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a server");
    let mut server = Server(child);
    let printed = BufReader::new(server.0.stdout.take().expect("its links"));
    let links: Vec<String> = printed
        .lines()
        .take(PEOPLE)
        .map(|line| url(&line.expect("a link")))
        .collect();
    // Everybody has a first task before anything is timed.
    let _ = at_once(&links, |agent, link| drop(task(agent, link)), 1);
    let mut page = at_once(
        &links,
        |agent, link| drop(text(agent.get(link).call())),
        TIMES,
    );
    let mut next = at_once(&links, answer, TIMES);
    let (page, next) = (quantiles(&mut page), quantiles(&mut next));
    println!("{PEOPLE} people at once, {TIMES} times each, milliseconds:");
    println!(
        "  a page of the same stack   median {:.2}, 95 % {:.2}",
        page.0, page.1
    );
    println!(
        "  an answer and the next     median {:.2}, 95 % {:.2}",
        next.0, next.1
    );
    println!(
        "  ratio                      median {:.2}, 95 % {:.2}",
        next.0 / page.0,
        next.1 / page.1
    );
    println!("  the server's memory at its peak: {}", peak(server.0.id()));
}

fn url(line: &str) -> String {
    let link: Value = serde_json::from_str(line).expect("JSON");
    link["url"].as_str().expect("a link").to_string()
}

fn text(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> String {
    let mut response = response.expect("a response");
    response.body_mut().read_to_string().expect("a text")
}

fn task(agent: &ureq::Agent, link: &str) -> Value {
    let body = text(agent.get(format!("{link}/task")).call());
    serde_json::from_str(&body).expect("JSON")
}

/// Gives an answer, which comes back with the next task.
fn answer(agent: &ureq::Agent, link: &str) {
    thread_local! { static NEXT: std::cell::RefCell<Option<Value>> = const { std::cell::RefCell::new(None) }; }
    let known = NEXT.with_borrow_mut(Option::take);
    let task = known.unwrap_or_else(|| task(agent, link));
    let said = json!({ "question": task["question"], "answer": "tie", "seconds": 3.0 });
    let body = text(agent.post(format!("{link}/answer")).send(said.to_string()));
    NEXT.set(serde_json::from_str(&body).ok());
}

/// Everybody at once, one after the other for each: how long every call took.
fn at_once(
    links: &[String],
    call: impl Fn(&ureq::Agent, &str) + Sync,
    times: usize,
) -> Vec<Duration> {
    let call = &call;
    std::thread::scope(|scope| {
        let people: Vec<_> = links
            .iter()
            .map(|link| {
                scope.spawn(move || {
                    let agent = ureq::Agent::new_with_defaults();
                    let timed = |_| {
                        let begun = Instant::now();
                        call(&agent, link);
                        begun.elapsed()
                    };
                    (0..times).map(timed).collect::<Vec<Duration>>()
                })
            })
            .collect();
        people
            .into_iter()
            .flat_map(|person| person.join().expect("a person"))
            .collect()
    })
}

/// The median and the 95th percentile, in milliseconds.
fn quantiles(times: &mut [Duration]) -> (f64, f64) {
    times.sort();
    let at = |share: f64| times[(share * (times.len() - 1) as f64) as usize].as_secs_f64() * 1e3;
    (at(0.5), at(0.95))
}

/// As Linux says it.
fn peak(id: u32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(
        || "not known here".to_string(),
        |peak| peak.trim().to_string(),
    )
}
