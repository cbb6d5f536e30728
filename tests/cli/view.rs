//! `view`: pages of a data set over HTTP and in a browser, with a secret link; one page without a server.

use super::serve::{Campaign, Server, get};
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
    let list = get(&link);
    let policy = "default-src 'none'; script-src 'nonce-";
    let headers = list.headers_but_length();
    assert_contains(
        &headers,
        &[policy, "form-action 'self'", "nosniff", "no-store"],
    );
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
        (format!("{link}page.html?q=nowhere"), 400, "No item fits"),
    ] {
        let came = get(&url);
        assert_eq!(came.status(), status, "{url}");
        assert_contains(came.text(), &[shown]);
        assert_eq!(came.text().contains("data-item"), status == 200, "{url}");
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
    let page = ["view", "data/tiny", "--static", text(&path)];
    let wrong = |query: &str| tiebreak(&[&page[..], &["--query", query]].concat());
    for (query, said) in [
        ("junk", "is no key of a link"),
        ("foo=bar", "is no key of a link"),
        ("%ff", "is no key of a link"),
        ("system=x", "system=x"),
        ("sort=bleu", "sort=bleu"),
        ("q=nowhere", "without --query the page has the first items"),
    ] {
        wrong(query).refused(&[said]);
    }
    tiebreak(&[&page[..], &["--query", "system=fjord&sort=length"]].concat()).ok();
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
        json!({"item": format!("i{item}"), "system": system, "output": output, "source": hostile}).to_string() + "\n"
    }));
    let outputs = folder.path().join("outputs.jsonl");
    fs::write(outputs, rows.collect::<String>()).unwrap();
    let (server, link) = view(&[text(folder.path())]);
    let reach = |browser: &mut Browser, there: &str| {
        while !browser.holds(&format!("document.readyState === 'complete' && {there}")) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    for (width, scheme) in [(320, "dark"), (1300, "light")] {
        browser.somebody(&link, width, scheme);
        let look = |browser: &mut Browser, page: &str| {
            assert_eq!(
                browser.evaluate(include_str!("faults.js")),
                json!([]),
                "{page} at {width}"
            );
            Browser::keep(&format!("view-{page}-{width}.png"), &browser.picture());
        };
        look(&mut browser, "list");
        browser.evaluate(
            "document.querySelector('input[name=q]').value = 'OWNED'; document.querySelector('form').requestSubmit()",
        );
        reach(&mut browser, "location.search.includes('q=OWNED')");
        browser.key("j");
        browser.key("j");
        browser.evaluate("document.activeElement.click()");
        reach(&mut browser, "location.pathname.endsWith('/item')");
        let shown = browser.evaluate("document.querySelector('[data-output=b]').textContent");
        assert!(shown.as_str().unwrap().starts_with(hostile), "{shown}");
        assert!(browser.holds("CSS.highlights.get('found').size === 6"));
        let item = "document.querySelector('article').dataset.item";
        assert_eq!(browser.evaluate(item), "i1");
        look(&mut browser, "item");
        browser.key("j");
        reach(&mut browser, &format!("{item} === 'i10'"));
        browser.key("u");
        reach(
            &mut browser,
            "document.querySelectorAll('li[data-item]').length === 20",
        );
        assert_ne!(browser.evaluate("document.title"), "owned");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
    drop(server);
}
