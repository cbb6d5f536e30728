//! Connections that nobody asked for: the server stays, and people's answers are taken.

use super::serve::{Campaign, Server, get, post};
use super::text;
use crate::support::assert_contains;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The host of a link, and its port.
fn host(url: &str) -> &str {
    let rest = url.strip_prefix("http://").unwrap();
    rest.split('/').next().unwrap()
}

fn idle(url: &str, number: usize) -> Vec<TcpStream> {
    let open = |_| TcpStream::connect(host(url)).unwrap();
    (0..number).map(open).collect()
}

/// Gives an answer, and returns the status of its reply.
fn answered(url: &str) -> u16 {
    let task = get(&format!("{url}/task")).json();
    let said = json!({ "question": task["question"], "answer": "1" });
    post(&format!("{url}/answer"), &said).status()
}

#[test]
fn idle_connections_keep_nobody_from_answering_and_are_closed() {
    let campaign = Campaign::new(20);
    let server = campaign.serve(&[]);
    let url = server.links["annotator"].clone();
    let mut idle = idle(&url, 400);
    // One sends its head byte by byte, and one no body.
    idle[0].write_all(b"GET / HT").unwrap();
    let head = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n";
    idle[1].write_all(head).unwrap();
    for _ in 0..5 {
        assert_eq!(answered(&url), 200);
    }
    let mut came = String::new();
    for place in [0, 2, 1, 399] {
        idle[place]
            .set_read_timeout(Some(Duration::from_secs(40)))
            .unwrap();
        came.clear();
        let closed = idle[place].read_to_string(&mut came);
        assert!(closed.is_ok(), "{place}: {closed:?} {came}");
        assert_eq!(came.contains("HTTP/1.1 408"), place == 1, "{place}: {came}");
    }
    assert_eq!(answered(&url), 200);
}

#[test]
fn where_there_is_no_room_a_client_hears_when_to_come_again() {
    let campaign = Campaign::new(20);
    campaign.serve(&[]).kill();
    let run = campaign.path("run");
    let program = env!("CARGO_BIN_EXE_tiebreak");
    let server = Server::of(
        Command::new("sh")
            .args(["-c", "ulimit -n 100; exec \"$@\"", "sh", program])
            .args(["serve", text(&run), "--print-links"])
            .stdin(Stdio::null()),
    );
    let url = server.links["annotator"].clone();
    assert_eq!(answered(&url), 200);
    let mut idle = idle(&url, 200);
    let mut came = String::new();
    let mut last = idle.pop().unwrap();
    last.read_to_string(&mut came).unwrap();
    assert_contains(
        &came,
        &[
            "HTTP/1.1 503",
            "retry-after: 1",
            "x-frame-options: DENY",
            "too many connections",
        ],
    );
    drop(idle);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(answered(&url), 200, "there is room again");
}
