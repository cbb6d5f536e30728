//! A disk that is full under a server: what was acknowledged is kept, and nothing else is said to be.

use super::serve::{Campaign, Server, get, http};
use super::text;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

/// Serves with no file allowed to be longer than so many blocks of 512 bytes; a shell may take them for larger.
fn serve_within(campaign: &Campaign, blocks: u64) -> Server {
    let run = campaign.path("run");
    let limited = "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"";
    Server::of(
        Command::new("sh")
            .args([
                "-c",
                limited,
                &blocks.to_string(),
                env!("CARGO_BIN_EXE_tiebreak"),
            ])
            .args(["serve", text(&run), "--print-links"])
            .stdin(Stdio::null()),
    )
}

#[test]
fn a_full_disk_ends_the_server_and_loses_nothing_that_was_acknowledged() {
    let campaign = Campaign::new(60);
    campaign.serve(&["--confidence", "0.999999"]).kill();
    let journal = campaign.path("run/journal.jsonl");
    let mut seen = BTreeSet::new();
    let mut acknowledged = 0;
    for _ in 0..3 {
        let blocks = fs::metadata(&journal).unwrap().len() / 512 + 4;
        let server = serve_within(&campaign, blocks);
        let url = server.links["annotator"].clone();
        let mut state = get(&format!("{url}/task")).json();
        for _ in 0..200 {
            let texts = state["texts"].to_string();
            let said = json!({ "question": state["question"], "answer": "1", "seconds": 1.0 });
            let came = http(&format!("{url}/answer"), Some(&said));
            let Some(came) = came.filter(|came| came.status() == 200) else {
                break;
            };
            assert!(seen.insert(texts), "asked twice");
            acknowledged += 1;
            state = came.json();
        }
        assert_eq!(server.ended(), Some(1), "{acknowledged} answers");
    }
    assert!(acknowledged > 6, "{acknowledged}");
    // There is room again.
    let server = campaign.serve(&[]);
    let rows = get(&format!("{}/answers.csv", server.admin));
    let rows = rows.text().lines().count() - 1;
    // What was on disk when the server ended may not have been heard of.
    assert!(
        (acknowledged..=acknowledged + 3).contains(&rows),
        "{rows} of {acknowledged}"
    );
    let url = &server.links["annotator"];
    let task = get(&format!("{url}/task")).json();
    assert!(!seen.contains(&task["texts"].to_string()));
}
