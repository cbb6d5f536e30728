//! `serve --open`: one link for many people, of whom each gets their own questions and a completion code.

use super::asked::{until, until_question};
use super::browser::Browser;
use super::serve::{Campaign, Server, better, get, post};
use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// A browser, with the cookie that it keeps.
#[derive(Default)]
struct VisitorBrowser {
    cookie: Option<String>,
}

/// A reply: its status, where it leads, and its body.
struct VisitorPage {
    status: u16,
    to: Option<String>,
    body: String,
}

impl VisitorBrowser {
    fn ask(&mut self, method: &str, url: &str) -> VisitorPage {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .into();
        let cookie = self.cookie.clone().unwrap_or_default();
        let mut response = match method {
            "GET" => agent.get(url).header("Cookie", cookie).call(),
            _ => agent.post(url).header("Cookie", cookie).send_empty(),
        }
        .unwrap();
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap().to_string())
        };
        if let Some(cookie) = header("set-cookie") {
            assert_contains(&cookie, &["; HttpOnly", "; SameSite=Strict", "; Max-Age="]);
            self.cookie = cookie.split(';').next().map(str::to_string);
        }
        let (root, _) = url.split_once("/open/").unwrap();
        let to = header("location").map(|to| format!("{root}/{}", to.trim_start_matches("../")));
        VisitorPage {
            status: response.status().as_u16(),
            to,
            body: response.body_mut().read_to_string().unwrap(),
        }
    }

    /// Begins, and returns the address of the visitor's own page.
    fn begin(&mut self, open: &str) -> String {
        let admitted = self.ask("POST", open);
        assert_eq!(admitted.status, 303, "{}", admitted.body);
        admitted.to.unwrap()
    }
}

/// Answers so many questions at a visitor's page, and returns the last state.
fn answer(own: &str, most: usize, seen: &mut BTreeSet<String>) -> Value {
    let mut state = get(&format!("{own}/task")).json();
    for _ in 0..most {
        if state["state"] != "task" {
            break;
        }
        assert!(
            seen.insert(state["texts"].to_string()),
            "asked twice: {state}"
        );
        let said =
            json!({ "question": state["question"], "answer": better(&state), "seconds": 2.0 });
        let reply = post(&format!("{own}/answer"), &said);
        assert_eq!(reply.status(), 200, "{}", reply.text());
        state = reply.json();
    }
    state
}

fn status(server: &Server) -> Value {
    get(&format!("{}/status", server.admin)).json()
}

fn codes(server: &Server) -> BTreeMap<String, BTreeMap<String, String>> {
    let table = get(&format!("{}/codes.csv", server.admin));
    let mut rows = csv::Reader::from_reader(table.text().as_bytes());
    let rows = rows.deserialize().map(Result::unwrap);
    rows.map(|row: BTreeMap<String, String>| (row["annotator"].clone(), row))
        .collect()
}

#[test]
fn visitors_are_admitted_once_and_come_back_to_their_own_page() {
    let campaign = Campaign::new(60);
    let server = campaign.serve(&["--open", "2", "--n", "3"]);
    assert!(server.links.is_empty());
    // A program that looks at the link takes no place.
    for _ in 0..3 {
        let page = VisitorBrowser::default().ask("GET", &server.open);
        assert_eq!((page.status, page.to), (200, None));
        assert_contains(&page.body, &["<form method=\"post\">", "up to 3 questions"]);
    }
    assert_eq!(status(&server)["visitors"]["admitted"], 0);
    let mut ana = VisitorBrowser::default();
    let own = ana.begin(&server.open);
    // The same browser is led back, and has the same place.
    for method in ["GET", "POST"] {
        let again = ana.ask(method, &server.open);
        assert_eq!((again.status, again.to), (303, Some(own.clone())));
    }
    assert_eq!(get(&own).status(), 200);
    let first = get(&format!("{own}/task")).json();
    assert_eq!(first["progress"], json!({ "answered": 0, "left": 3 }));
    assert_eq!(first["code"], Value::Null);
    let mut ben = VisitorBrowser::default();
    let other = ben.begin(&server.open);
    assert_ne!(own, other);
    // No more places, but those who have one go on.
    for method in ["GET", "POST"] {
        let full = VisitorBrowser::default().ask(method, &server.open);
        assert_eq!((full.status, full.to), (410, None));
        assert_contains(&full.body, &["No more places"]);
        assert_lacks(&full.body, &["<form"]);
    }
    let end = answer(&own, 9, &mut BTreeSet::new());
    assert_eq!(end["state"], "done");
    let code = end["code"].as_str().unwrap();
    assert_eq!(code.len(), 10);
    // The admin can check what somebody shows.
    let codes = codes(&server);
    assert_eq!(codes.len(), 2);
    let row = &codes["visitor-0001"];
    assert_eq!(
        (row["code"].as_str(), row["answered"].as_str()),
        (code, "3")
    );
    assert_eq!(codes["visitor-0002"]["open"], "3");
    let board = status(&server);
    assert_eq!(board["annotators"][0]["code"], code);
    assert_eq!(board["visitors"]["admitted"], 2);
    assert_eq!(board["visitors"]["url"], server.open);
    // Nobody can be sent to visitors who skip.
    for _ in 0..2 {
        let task = get(&format!("{other}/task")).json();
        let skip = json!({ "question": task["question"], "answer": "skip" });
        assert_eq!(post(&format!("{other}/answer"), &skip).status(), 200);
    }
    let notice = status(&server)["notice"].to_string();
    assert_contains(&notice, &["Skipped questions: 2 (visitor-0002 2)"]);
    assert_lacks(&notice, &["Ask for answers"]);
    // An unknown link leads nowhere, and a wrong cookie is none.
    let unknown = format!("{}0", server.open);
    assert_eq!(VisitorBrowser::default().ask("POST", &unknown).status, 404);
    ana.cookie = ana.cookie.map(|cookie| format!("{cookie}0"));
    assert_eq!(ana.ask("GET", &server.open).status, 410);
}

/// A visitor who was erased has had a place, which nobody else gets.
#[cfg(unix)]
#[test]
fn an_erased_visitor_keeps_their_place() {
    let campaign = Campaign::new(60);
    let server = campaign.serve(&["--open", "2", "--n", "3"]);
    for _ in 0..2 {
        let own = VisitorBrowser::default().begin(&server.open);
        answer(&own, 9, &mut BTreeSet::new());
    }
    server.stop();
    let run = campaign.path("run");
    tiebreak(&["people", text(&run), "erase", "visitor-0001"]).ok();
    let server = campaign.serve(&[]);
    let full = VisitorBrowser::default().ask("POST", &server.open);
    assert_eq!((full.status, full.to), (410, None));
    assert_eq!(status(&server)["visitors"]["admitted"], 2);
}

#[test]
fn a_paused_campaign_admits_nobody_until_it_is_resumed() {
    let campaign = Campaign::new(20);
    let server = campaign.serve(&["--open", "5", "--n", "2"]);
    post(
        &format!("{}/pause", server.admin),
        &json!({ "paused": true }),
    );
    let later = VisitorBrowser::default().ask("POST", &server.open);
    assert_eq!(later.status, 503);
    assert_contains(&later.body, &["open this link again later"]);
    post(
        &format!("{}/pause", server.admin),
        &json!({ "paused": false }),
    );
    VisitorBrowser::default().begin(&server.open);
}

#[test]
fn a_killed_server_goes_on_with_the_same_visitors_and_codes() {
    let campaign = Campaign::new(60);
    let mut server = campaign.serve(&["--open", "12", "--n", "4"]);
    let mut browsers: Vec<VisitorBrowser> = (0..6).map(|_| VisitorBrowser::default()).collect();
    let mut seen = vec![BTreeSet::new(); 6];
    let paths: Vec<String> = browsers
        .iter_mut()
        .map(|browser| {
            let own = browser.begin(&server.open);
            own.rsplit('/').next().unwrap().to_string()
        })
        .collect();
    let own = |server: &Server, person: usize| {
        let (root, _) = server.open.split_once("/open/").unwrap();
        format!("{root}/j/{}", paths[person])
    };
    let mut acknowledged = 0;
    for round in 0..4 {
        for (person, seen) in seen.iter_mut().enumerate() {
            answer(&own(&server, person), 1, seen);
            acknowledged += 1;
        }
        let (before, answers) = (
            codes(&server),
            status(&server)["questions"]["answered"].clone(),
        );
        let open = server.open.clone();
        server.kill();
        // From the second time on the number of places is known.
        server = match round {
            0 => campaign.serve(&["--open", "7", "--n", "4"]),
            _ => campaign.serve(&[]),
        };
        let same = open.rsplit('/').next().unwrap();
        assert!(server.open.ends_with(same));
        let code = |codes: &BTreeMap<String, BTreeMap<String, String>>| -> Vec<(String, String)> {
            let rows = codes.iter();
            rows.map(|(name, row)| (name.clone(), row["code"].clone()))
                .collect()
        };
        assert_eq!(code(&codes(&server)), code(&before));
        assert_eq!(status(&server)["questions"]["answered"], answers);
        assert_eq!(answers, acknowledged);
    }
    for (person, browser) in browsers.iter_mut().enumerate() {
        let back = browser.ask("GET", &server.open);
        assert_eq!(back.to, Some(own(&server, person)));
        let end = get(&format!("{}/task", own(&server, person))).json();
        assert_eq!(end["state"], "done");
        let name = format!("visitor-{:04}", person + 1);
        assert_eq!(end["code"], codes(&server)[&name]["code"]);
    }
    // A seventh place, and no eighth.
    VisitorBrowser::default().begin(&server.open);
    assert_eq!(
        VisitorBrowser::default().ask("POST", &server.open).status,
        410
    );
    server.kill();
    let (run, out) = (campaign.path("run"), campaign.path("all.csv"));
    tiebreak(&["export", text(&run), "--as", "answers", "--out", text(&out)]).ok();
    let table = fs::read_to_string(&out).unwrap();
    assert_eq!(table.matches("visitor-").count(), 24, "{table}");
    let about = tiebreak(&["people", text(&run), "export", "visitor-0003", "--json"]).ok();
    assert_contains(&about, &["\"code\""]);
}

/// A crash between the questions of a visitor and their link leaves questions for the next one.
#[test]
fn questions_without_a_visitor_go_to_the_next_one() {
    let campaign = Campaign::new(40);
    let server = campaign.serve(&["--open", "3", "--n", "2"]);
    VisitorBrowser::default().begin(&server.open);
    server.kill();
    let links = campaign.path("run/links.json");
    let mut kept: Value = serde_json::from_str(&fs::read_to_string(&links).unwrap()).unwrap();
    kept["annotators"] = json!([]);
    fs::write(&links, kept.to_string()).unwrap();
    let server = campaign.serve(&[]);
    let own = VisitorBrowser::default().begin(&server.open);
    let end = answer(&own, 9, &mut BTreeSet::new());
    assert_eq!(end["progress"]["answered"], 2);
    let status = status(&server);
    assert_eq!(status["annotators"][0]["name"], "visitor-0001");
    assert_eq!(status["questions"]["open"], 0);
}

#[test]
fn a_claim_is_about_people_like_the_visitors() {
    let campaign = Campaign::new(80);
    let server = campaign.serve(&["--open", "60", "--n", "5", "--seed", "3"]);
    let mut last = Value::Null;
    for visitor in 1..=60 {
        let page = VisitorBrowser::default().ask("POST", &server.open);
        if page.status == 410 {
            assert_contains(&page.body, &["all the answers it needs"]);
            break;
        }
        answer(&page.to.unwrap(), 5, &mut BTreeSet::new());
        last = status(&server);
        assert_eq!(last["claim"]["about"], "panel");
        if last["claim"]["kind"] != "undecided" {
            assert_eq!(last["claim"]["annotators"], visitor);
        }
    }
    assert_eq!(last["claim"]["kind"], "best", "{last}");
    assert_eq!(last["claim"]["systems"], json!(["secret-good"]));
    assert!(last["claim"]["annotators"].as_u64().unwrap() >= 10);
    assert_contains(
        last["verdict"].as_str().unwrap(),
        &["people like these annotators"],
    );
    server.kill();
    let shown = tiebreak(&["rank", text(&campaign.path("run"))]).ok();
    assert_contains(&shown, &["secret-good"]);
}

#[test]
fn a_link_for_all_is_refused_where_it_cannot_be() {
    let campaign = Campaign::new(20);
    let (run, data) = (campaign.path("other"), campaign.path("data"));
    let serve = |more: &[&str]| {
        let flags = ["serve", text(&run), text(&data)];
        tiebreak(&[&flags[..], more].concat())
    };
    let rated = serve(&["--open", "5", "--task", "rating"]);
    rated.refused(&["a panel is for pairs", "--open"]);
    assert_lacks(&rated.stderr, &["--out"]);
    serve(&["--open", "5", "--annotators", "ana,ben"]).refused(&["--annotators"]);
    serve(&["--open", "5", "--code", "X"]).refused(&["--code"]);
    serve(&["--n", "5"]).refused(&["--open"]);
    serve(&["--n", "5", "--annotators", "ana,ben"]).refused(&["--n"]);
    serve(&["--open", "5", "--people", "these"]).refused(&["new annotators"]);
    serve(&["--panel"]).refused(&["--open"]);
    let out = campaign.path("questions.csv");
    tiebreak(&["ask", text(&run), text(&data), "--n 2 --out", text(&out)]).ok();
    serve(&["--open", "5"]).refused(&["one annotator", "a panel"]);
}

#[test]
fn a_visitor_with_a_real_browser_begins_answers_and_is_led_back() {
    let test = "a_visitor_with_a_real_browser_begins_answers_and_is_led_back";
    let Some(mut browser) = Browser::start(test) else {
        return;
    };
    let campaign = Campaign::new(30);
    let server = campaign.serve(&["--open", "2", "--n", "3"]);
    let mut shown = BTreeSet::new();
    for (width, scheme) in [(320, "dark"), (1300, "light")] {
        let page = browser.somebody(&server.open, width, scheme);
        browser.look_at(&page);
        until(&mut browser, "document.querySelector('form button')");
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(fits), true);
        Browser::keep(&format!("welcome-{width}.png"), &browser.window());
        // By the keyboard alone.
        browser.evaluate("document.querySelector('form button').focus()");
        browser.key("Enter");
        for answered in 0..3 {
            until_question(&mut browser, answered);
            assert_eq!(browser.evaluate(fits), true);
            Browser::keep(&format!("visitor-{width}.png"), &browser.window());
            browser.key("1");
        }
        until(&mut browser, "document.querySelector('[data-code]')");
        Browser::keep(&format!("code-{width}.png"), &browser.window());
        let own = "location.pathname + document.querySelector('[data-code]').textContent";
        let own = browser.evaluate(own);
        browser.evaluate(&format!(
            "window.old = true; location.href = '{}'",
            server.open
        ));
        until(
            &mut browser,
            "!window.old && location.pathname.startsWith('/j/') && document.querySelector('[data-code]')",
        );
        let again = "location.pathname + document.querySelector('[data-code]').textContent";
        assert_eq!(browser.evaluate(again), own);
        // What was answered is looked at by a key, and says why it stays.
        browser.key("e");
        until(&mut browser, "document.querySelector('#fixed')");
        browser.evaluate("document.querySelector('#previous').click()");
        let why = "document.querySelector('#fixed')?.textContent.startsWith('Later questions')";
        until(&mut browser, why);
        assert_eq!(browser.evaluate(fits), true);
        Browser::keep(&format!("fixed-{width}.png"), &browser.window());
        browser.key("e");
        until(&mut browser, "document.querySelector('[data-code]')");
        assert!(shown.insert(own.to_string()));
    }
    let page = browser.somebody(&server.open, 390, "light");
    browser.look_at(&page);
    until(
        &mut browser,
        "document.querySelector('h1')?.textContent === 'No more places'",
    );
    Browser::keep("full-390.png", &browser.window());
    let page = browser.somebody(&server.admin, 390, "light");
    browser.look_at(&page);
    until(
        &mut browser,
        "document.querySelectorAll('td code').length === 2",
    );
    assert_eq!(
        browser.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        true
    );
    Browser::keep("visitors-admin.png", &browser.picture());
    let complaints = browser.complaints();
    let but_full = |one: &&String| !one.contains("410");
    assert_eq!(
        complaints.iter().filter(but_full).count(),
        0,
        "{complaints:?}"
    );
}
