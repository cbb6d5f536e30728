//! `serve` as people meet it: in browsers, by keys alone, with the server killed while they press them.

use super::browser::Browser;
use super::ratings::World;
use super::serve::{Campaign, get};
use serde_json::json;
use std::time::Duration;

const PEOPLE: &str = "ana,ben,cy,dan,eve";

/// Answers that come to no verdict soon.
const KEYS: [&str; 5] = ["1", "2", "0", "b", "2"];

/// Waits until so many answers of the person of the page are on the server's disk.
fn until_answered(browser: &mut Browser, number: usize) {
    let there = format!(
        "document.querySelector('#progress strong')?.textContent === '{number}' && \
         Boolean(document.querySelector('[data-text]')) && !document.querySelector('.chosen')"
    );
    for _ in 0..3000 {
        if browser.evaluate(&there) == true {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let shown = browser.evaluate("document.body.innerText");
    panic!("never: {number} answered, with another question: {shown}");
}

#[test]
fn five_people_in_browsers_and_a_server_that_is_killed() {
    let Some(mut browser) = Browser::start("five_people_in_browsers_and_a_server_that_is_killed")
    else {
        return;
    };
    let campaign = Campaign::new(60);
    let server = campaign.serve(&["--annotators", PEOPLE]);
    let admin = server.admin.clone();
    let at = admin.split('/').nth(2).unwrap().to_string();
    let links: Vec<String> = server.links.values().cloned().collect();
    let mut server = Some(server);
    let people = links.iter().zip([360, 700, 1000, 1400, 1000]);
    let pages: Vec<String> = people
        .map(|(link, width)| browser.somebody(link, width, "light"))
        .collect();
    for round in 0..12 {
        for page in &pages {
            browser.look_at(page);
            until_answered(&mut browser, round);
            assert_eq!(
                browser.evaluate(include_str!("faults.js")),
                json!([]),
                "{round}"
            );
        }
        let down = round % 4 == 2;
        if down && let Some(server) = server.take() {
            server.kill();
        }
        for (place, page) in pages.iter().enumerate() {
            browser.look_at(page);
            if round % 4 == 1 && place % 2 == 0 {
                browser.key("1");
                until_answered(&mut browser, round + 1);
                browser.key("u");
                until_answered(&mut browser, round);
            }
            browser.key(KEYS[(round + place) % KEYS.len()]);
        }
        server.get_or_insert_with(|| {
            // Links stay the same, and so does the place.
            campaign.serve(&["--annotators", PEOPLE, "--listen", &at])
        });
    }
    for (place, page) in pages.iter().enumerate() {
        browser.look_at(page);
        until_answered(&mut browser, 12);
        let html = browser.evaluate("document.documentElement.outerHTML");
        assert!(
            !html.as_str().unwrap().contains("secret"),
            "a system is named"
        );
        Browser::keep(&format!("served-{place}.png"), &browser.window());
    }
    let status = get(&format!("{admin}/status")).json();
    for person in status["annotators"].as_array().unwrap() {
        assert_eq!(person["answered"], 12, "{person}");
    }
    let page = browser.somebody(&admin, 1400, "light");
    browser.look_at(&page);
    for _ in 0..3000 {
        if browser.evaluate("Boolean(document.querySelector('tbody tr'))") == true {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        browser.evaluate("document.querySelectorAll('tbody tr').length"),
        5
    );
    let verdict = browser.evaluate("document.querySelector('.verdict p').textContent");
    assert_eq!(verdict, status["verdict"]);
    Browser::keep("served-admin.png", &browser.picture());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Ratings, edits and answers about a passage, with the server killed on the way.
#[test]
fn single_outputs_are_answered_by_keys_and_means_are_seen() {
    let name = "single_outputs_are_answered_by_keys_and_means_are_seen";
    let Some(mut browser) = Browser::start(name) else {
        return;
    };
    for (protocol, keys, width) in [
        ("rating", &["4", "5", "3", "Enter"][..], 360),
        ("post-edit", &["Enter"], 1000),
        ("question-answering", &["1", "Enter"], 1400),
    ] {
        let world = World::new(16);
        let flags = ["--task", protocol, "--annotators", "ana,ben"];
        let server = world.serve(&flags);
        let admin = server.admin.clone();
        let at = admin.split('/').nth(2).unwrap().to_string();
        let page = browser.somebody(&server.links["ana"], width, "light");
        browser.look_at(&page);
        let mut server = Some(server);
        for number in 0..6 {
            until_answered(&mut browser, number);
            let faults = browser.evaluate(include_str!("faults.js"));
            assert_eq!(faults, json!([]), "{protocol} {number}");
            if number == 2 {
                browser.key("s");
                until_answered(&mut browser, 3);
                browser.key("u");
                until_answered(&mut browser, 2);
            }
            if let Some(server) = server.take_if(|_| number == 4) {
                server.kill();
            }
            for key in keys {
                browser.key(key);
            }
            server.get_or_insert_with(|| world.serve(&[&flags[..], &["--listen", &at]].concat()));
        }
        until_answered(&mut browser, 6);
        let html = browser.evaluate("document.documentElement.outerHTML");
        assert!(
            !html.as_str().unwrap().contains("secret"),
            "a system is named"
        );
        let page = browser.somebody(&admin, width, "light");
        browser.look_at(&page);
        let means = "document.querySelectorAll('[aria-label=Means] tbody tr').length";
        for _ in 0..3000 {
            if browser.evaluate(means).as_u64() > Some(2) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let status = get(&format!("{admin}/status")).json();
        assert_eq!(status["questions"]["answered"], 6, "{status}");
        let rows = status["estimates"].as_array().unwrap().len();
        assert_eq!(browser.evaluate(means), json!(rows), "{protocol}");
        assert_eq!(browser.evaluate(include_str!("faults.js")), json!([]));
        Browser::keep(&format!("admin-{protocol}.png"), &browser.picture());
        drop(server);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
