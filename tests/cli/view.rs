//! `view`: pages of a data set over HTTP and in a browser, with a secret link; one page without a server.

use super::serve::{Campaign, Server, get, post};
use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Serves a data set; the link.
fn view(arguments: &[&str]) -> (Server, String) {
    let server = Server::start(&[&["view", "--print-links"], arguments].concat());
    let link = server.admin.clone();
    (server, link)
}

#[test]
fn pages_stand_behind_a_secret_link_under_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let scores = folder.path().join("scores.jsonl");
    super::score_with_chrf(&scores);
    let (server, link) = view(&["data/tiny", "--scores", text(&scores)]);
    let headers = get(&link).headers_but_length();
    let policy = "default-src 'none'; script-src 'nonce-";
    let expected = [policy, "form-action 'self'", "nosniff", "no-store"];
    assert_contains(&headers, &expected);
    assert_lacks(&headers, &["unsafe"]);
    let saved = get(&format!("{link}selection.jsonl?system=fjord"));
    let rows = saved.text().lines();
    let rows: Vec<Value> = rows.map(|row| serde_json::from_str(row).unwrap()).collect();
    let is_whole = |row: &Value| row["system"] == "fjord" && row["chrf"].is_f64();
    assert!(rows.len() > 10 && rows.iter().all(is_whole));
    // Who does not know the link learns nothing, nor who asks for what is not there.
    let (before, _) = link.split_once("/v/").unwrap();
    let wrong = format!("{before}/v/{}/", "0".repeat(32));
    for (url, status, shown) in [
        (link.clone(), 200, "difference of systems in chrf"),
        (format!("{link}item?at=1"), 200, "data-output=\"fjord\""),
        (format!("{link}item?at=1"), 200, "Signatures"),
        (wrong.clone(), 404, "not known"),
        (format!("{wrong}item?at=1"), 404, "not known"),
        (before.to_string(), 404, "not known"),
        (format!("{link}nothing"), 404, "not known"),
        (format!("{link}?system=nobody"), 400, "not in this data set"),
    ] {
        let came = get(&url);
        assert_eq!(came.status(), status, "{url}");
        assert_contains(came.text(), &[shown]);
        assert_eq!(came.text().contains("data-item"), status == 200, "{url}");
    }
    // Pages are only read.
    assert_eq!(post(&link, &json!({})).status(), 405);
    #[cfg(unix)]
    assert_eq!(server.stop(), "");
    #[cfg(not(unix))]
    drop(server);
}

#[test]
fn one_page_needs_no_server_and_mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let page = ["view", "data/tiny", "--static", text(&path)];
    let with = |query: &str| tiebreak(&[&page[..], &["--query", query]].concat());
    with("junk").refused(&["is no key of a link"]);
    with("q=nowhere").refused(&["without --query the page has the first items"]);
    with("system=fjord&sort=length").ok();
    let written = fs::read_to_string(&path).unwrap();
    let shown = [
        "data-item=\"",
        "data-output=\"fjord\"",
        "Content-Security-Policy",
    ];
    assert_contains(&written, &shown);
    assert_lacks(&written, &["<script", "http://", "https://", "<form"]);
    tiebreak(&page).refused(&["page.html", "already there"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    tiebreak(&["view", "data/nowhere"]).refused(&["data/nowhere"]);
}

#[test]
fn a_campaign_says_that_looking_can_influence_it() {
    let campaign = Campaign::new(4);
    campaign.serve(&[]).kill();
    let (_server, link) = view(&[text(&campaign.path("run"))]);
    let shown = ["can influence", "secret-good", "&lt;b&gt;fine&lt;/b&gt;"];
    assert_contains(get(&link).text(), &shown);
}

/// It has no flag for another address, so it names none.
#[test]
fn a_page_at_all_addresses_says_where_it_is() {
    let mut command = super::command(&["view", "data/tiny", "--listen", "0.0.0.0:0"]);
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    let hint = lines.find(|line| line.contains("reach it"));
    server.kill().unwrap();
    server.wait().unwrap();
    let hint = hint.unwrap();
    let end = "at another one, write that in its place";
    assert!(hint.ends_with(end), "{hint}");
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
    let owned = "document.title='owned'";
    let hostile = format!("<img src=x onerror=\"{owned}\"><script>{owned}</script>");
    let output = |item: usize, system: &str| {
        let output = format!(
            "{hostile} {item} {} {system}",
            "Anunbrokenword".repeat(item % 3 * 10)
        );
        let (item, source) = (format!("i{item}"), &hostile);
        json!({"item": item, "system": system, "output": output, "source": source})
    };
    let rows = (0..30).flat_map(|item| ["a", "b"].map(|system| output(item, system)));
    let rows: Vec<String> = rows.map(|row| format!("{row}\n")).collect();
    let rows = rows.concat();
    fs::write(folder.path().join("outputs.jsonl"), rows).unwrap();
    let (_server, link) = view(&[text(folder.path())]);
    let reach = |browser: &mut Browser, there: &str| {
        while !browser.holds(&format!("document.readyState === 'complete' && {there}")) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    for (width, scheme) in [(320, "dark"), (1300, "light")] {
        browser.somebody(&link, width, scheme);
        let look = |browser: &mut Browser, page: &str| {
            let faults = browser.evaluate(include_str!("faults.js"));
            assert_eq!(faults, json!([]), "{page} at {width}");
            Browser::keep(&format!("view-{page}-{width}.png"), &browser.picture());
        };
        look(&mut browser, "list");
        let search = "document.querySelector('input[name=q]').value = 'OWNED'";
        browser.evaluate(&format!(
            "{search}; document.querySelector('form').requestSubmit()"
        ));
        reach(&mut browser, "location.search.includes('q=OWNED')");
        browser.key("j");
        browser.key("j");
        browser.evaluate("document.activeElement.click()");
        reach(&mut browser, "location.pathname.endsWith('/item')");
        let shown = browser.evaluate("document.querySelector('[data-output=b]').textContent");
        assert!(shown.as_str().unwrap().starts_with(&hostile), "{shown}");
        assert!(browser.holds("CSS.highlights.get('found').size === 6"));
        let item = "document.querySelector('article').dataset.item";
        assert_eq!(browser.evaluate(item), "i1");
        look(&mut browser, "item");
        browser.key("j");
        reach(&mut browser, &format!("{item} === 'i10'"));
        browser.key("u");
        let rows = "document.querySelectorAll('li[data-item]').length === 20";
        reach(&mut browser, rows);
        assert_ne!(browser.evaluate("document.title"), "owned");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}
