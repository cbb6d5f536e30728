//! `view`: pages of a data set over HTTP and in a browser, with a secret link; one page without a server.

use super::serve::{Campaign, Server, get};
use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Serves a data set; the link.
fn view(arguments: &[&str]) -> (Server, String) {
    let server = Server::start(&[&["view", "--print-links"], arguments].concat());
    let link = server.admin.clone();
    (server, link)
}

/// Scores of `data/tiny` in a folder.
fn scored() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("scores.jsonl");
    super::score_with_chrf(&scores);
    let scores = text(&scores).to_string();
    (folder, scores)
}

#[test]
fn pages_stand_behind_a_secret_link_under_a_policy() {
    let (_folder, scores) = scored();
    let (server, link) = view(&["data/tiny", "--scores", &scores]);
    let list = get(&link);
    assert_eq!(list.status(), 200);
    assert_contains(
        list.text(),
        &["data-item=\"", "data-output=\"", "Disagreement", "chrf"],
    );
    let headers = list.headers_but_length();
    assert_contains(
        &headers,
        &[
            "default-src 'none'",
            "form-action 'self'",
            "script-src 'nonce-",
            "nosniff",
            "no-store",
        ],
    );
    assert_lacks(&headers, &["unsafe"]);
    let item = get(&format!("{link}item?at=1"));
    assert_contains(
        item.text(),
        &[
            "data-source",
            "data-output=\"fjord\"",
            "Signatures",
            "better than",
        ],
    );
    let saved = get(&format!("{link}selection.jsonl?system=fjord"));
    let rows: Vec<serde_json::Value> = saved
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        rows.len() > 10
            && rows
                .iter()
                .all(|row| row["system"] == "fjord" && row["chrf"].is_f64())
    );
    // Who does not know the link learns nothing, nor who asks for what is not there.
    let (before, _) = link.split_once("/v/").unwrap();
    let wrong = format!("{before}/v/{}/", "0".repeat(32));
    for (url, status) in [
        (wrong.clone(), 404),
        (format!("{wrong}item?at=1"), 404),
        (before.to_string(), 404),
        (format!("{link}nothing"), 404),
        (format!("{link}?system=nobody"), 400),
    ] {
        let came = get(&url);
        assert_eq!(came.status(), status, "{url}");
        assert_lacks(came.text(), &["data-item", "fjord"]);
    }
    #[cfg(unix)]
    assert_eq!(server.stop(), "");
    #[cfg(not(unix))]
    drop(server);
}

#[test]
fn one_page_needs_no_server_and_mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    tiebreak(&[
        "view",
        "data/tiny",
        "--static",
        text(&path),
        "--query",
        "system=fjord&sort=length",
    ])
    .ok();
    let page = fs::read_to_string(&path).unwrap();
    assert_contains(
        &page,
        &[
            "data-item=\"",
            "data-output=\"fjord\"",
            "Content-Security-Policy",
        ],
    );
    assert_lacks(&page, &["<script", "http://", "https://", "<form"]);
    let wrong = [
        "view",
        "data/tiny",
        "--static",
        "x.html",
        "--query",
        "sort=bleu",
    ];
    tiebreak(&wrong).refused(&["sort=bleu"]);
    let again = ["view", "data/tiny", "--static", text(&path)];
    tiebreak(&again).refused(&["page.html", "already there"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), page);
    for query in ["junk", "foo=bar", "%ff"] {
        tiebreak(&["view", "data/tiny", "--query", query]).refused(&["is no key of a link"]);
    }
    tiebreak(&["view", "data/tiny", "--query", "system=x"]).refused(&["system=x"]);
    tiebreak(&["view", "data/nowhere"]).refused(&["data/nowhere"]);
}

#[test]
fn a_campaign_says_that_looking_can_influence_it() {
    let campaign = Campaign::new(4);
    campaign.serve(&[]).kill();
    let run = campaign.path("run");
    let (server, link) = view(&[text(&run)]);
    let list = get(&link);
    assert_contains(
        list.text(),
        &["can influence", "secret-good", "&lt;b&gt;fine&lt;/b&gt;"],
    );
    drop(server);
}

/// It has no flag for another address, so it names none.
#[test]
fn a_page_at_all_addresses_says_where_it_is() {
    let arguments = ["view", "data/tiny", "--listen", "0.0.0.0:0"];
    let mut server = super::command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let hint = lines
        .map(Result::unwrap)
        .find(|line| line.contains("reach it"));
    server.kill().unwrap();
    server.wait().unwrap();
    let hint = hint.unwrap();
    assert!(
        hint.ends_with("at another one, write that in its place"),
        "{hint}"
    );
}

/// Hostile texts load and run nothing; keys and forms lead where they say; nothing is cut on a telephone.
#[cfg(feature = "neural")]
#[test]
fn pages_are_whole_in_a_browser() {
    use super::browser::Browser;
    let Some(mut browser) = Browser::start("pages_are_whole_in_a_browser") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let hostile =
        "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";
    let rows = (0..30).flat_map(|item| ["a", "b"].map(|system| {
        let output = format!("{hostile} {item} {} {system}", "Anunbrokenword".repeat(item % 3 * 10));
        serde_json::json!({"item": format!("i{item}"), "system": system, "output": output, "source": hostile}).to_string() + "\n"
    }));
    fs::write(
        folder.path().join("outputs.jsonl"),
        rows.collect::<String>(),
    )
    .unwrap();
    let (server, link) = view(&[text(folder.path())]);
    for (width, scheme) in [(320, "dark"), (1300, "light")] {
        browser.somebody(&link, width, scheme);
        let faults = include_str!("faults.js");
        assert_eq!(
            browser.evaluate(faults),
            serde_json::json!([]),
            "list at {width}"
        );
        Browser::keep(&format!("view-list-{width}.png"), &browser.picture());
        browser.key("j");
        browser.key("j");
        browser.evaluate("document.activeElement.click()");
        let there = "document.readyState === 'complete' && location.pathname.endsWith('/item')";
        while !browser.holds(there) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let shown = browser.evaluate("document.querySelector('[data-output=b]').textContent");
        assert!(shown.as_str().unwrap().starts_with(hostile), "{shown}");
        assert_eq!(
            browser.evaluate("document.querySelector('article').dataset.item"),
            "i1"
        );
        assert_eq!(
            browser.evaluate(faults),
            serde_json::json!([]),
            "item at {width}"
        );
        Browser::keep(&format!("view-item-{width}.png"), &browser.picture());
        browser.key("u");
        while !browser
            .holds("document.readyState === 'complete' && !!document.querySelector('form')")
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        browser.evaluate("document.querySelector('input[name=q]').value = '29 '; document.querySelector('form').requestSubmit()");
        while !browser
            .holds("document.readyState === 'complete' && location.search.includes('q=29')")
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(
            browser.evaluate("document.querySelectorAll('li[data-item]').length"),
            1
        );
        assert_ne!(browser.evaluate("document.title"), "owned");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
    drop(server);
}
