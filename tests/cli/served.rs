//! `serve` as people meet it: in browsers, by keys alone, with the server killed while they press them.

use super::browser::Browser;
use super::ratings::World;
use super::serve::{Campaign, get};
use crate::support::{assert_lacks, say};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const PEOPLE: &str = "ana,ben,cy,dan,eve";

/// Answers that come to no verdict soon.
const KEYS: [&str; 5] = ["1", "2", "0", "b", "2"];

/// Waits until so many answers of the person of the page are on the server's disk.
fn until_answered(browser: &mut Browser, number: usize) {
    let there = format!(
        "document.querySelector('#progress strong')?.textContent === '{number}' && \
         Boolean(document.querySelector('[data-text]')) && !document.querySelector('.chosen') && \
         !document.querySelector('[data-guarded]')"
    );
    for _ in 0..3000 {
        if browser.holds(&there) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let shown = browser.evaluate("document.body.innerText");
    panic!("never: {number} answered, with another question: {shown}");
}

/// By day and by night, and with everything twice as large.
fn assert_readable(browser: &mut Browser) {
    for scheme in ["dark", "light"] {
        browser.media("", scheme);
        // Colours change slowly.
        std::thread::sleep(Duration::from_millis(400));
        let faults = browser.evaluate(include_str!("access.js"));
        assert_eq!(faults, json!([]), "{scheme}");
    }
    let width = browser.evaluate("innerWidth").as_u64().unwrap() as u32;
    browser.size((width / 2).max(320), 2);
    assert_eq!(
        browser.evaluate(include_str!("faults.js")),
        json!([]),
        "twice as large"
    );
    browser.size(width, 1);
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
        assert_readable(&mut browser);
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
        if browser.holds("Boolean(document.querySelector('tbody tr'))") {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        browser.evaluate("document.querySelectorAll('tbody tr').length"),
        5
    );
    let verdict = browser.evaluate("document.querySelector('.verdict p').textContent");
    assert_eq!(verdict, status["verdict_lines"][0]);
    assert_readable(&mut browser);
    Browser::keep("served-admin.png", &browser.picture());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The texts that the page shows, which of them first or not.
fn shown(browser: &mut Browser) -> BTreeSet<String> {
    let texts = browser
        .evaluate("[...document.querySelectorAll('[data-text]')].map((one) => one.textContent)");
    let texts = texts.as_array().unwrap().iter();
    let mut texts: BTreeSet<String> = texts
        .map(|text| text.as_str().unwrap().to_string())
        .collect();
    let source = browser.evaluate("document.querySelector('[data-source]')?.textContent || ''");
    texts.insert(format!("of {source}"));
    texts
}

/// What the page gets now, without the texts, which may name whom they like.
fn received(browser: &mut Browser) -> String {
    let ask = "(() => { const asked = new XMLHttpRequest(); asked.open('GET', location.pathname + '/task', false); \
               asked.send(); return asked.responseText; })()";
    let mut task: Value = serde_json::from_str(browser.evaluate(ask).as_str().unwrap()).unwrap();
    for texts in ["texts", "source", "references"] {
        task[texts] = Value::Null;
    }
    task.to_string()
}

/// Everybody's answers are there, so many of each, to different questions; how many there are, and how many
/// have the system on the left that comes first in the alphabet.
fn assert_all_kept(admin: &str, answers: usize) -> (f64, f64) {
    let table = get(&format!("{admin}/answers.csv"));
    let mut rows = csv::Reader::from_reader(table.text().as_bytes());
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().map(Result::unwrap).collect();
    let mut first = 0;
    for name in PEOPLE.split(',') {
        let hers: Vec<_> = rows.iter().filter(|row| row["annotator"] == name).collect();
        assert_eq!(hers.len(), answers, "{name}: answers are lost, or too many");
        let asked: BTreeSet<_> = hers
            .iter()
            .map(|row| {
                let (a, b) = (&row["system_a"], &row["system_b"]);
                (&row["item"], a.min(b), a.max(b))
            })
            .collect();
        assert_eq!(asked.len(), answers, "{name}: asked twice");
        first += hers
            .iter()
            .filter(|row| row["system_a"] < row["system_b"])
            .count();
    }
    let (n, first) = (rows.len() as f64, first as f64);
    assert!(
        (first - n / 2.0).abs() < 2.0 * n.sqrt(),
        "{first} of {n} on one side"
    );
    (n, first)
}

/// Five people, 200 answers each on real outputs: a server killed ten times, tabs closed and networks cut while
/// answers are on their way, answers taken back, keys alone, one on a telephone.
#[test]
#[ignore = "a thousand answers in browsers take a quarter of an hour"]
fn an_evening_in_browsers_on_real_outputs() {
    const ANSWERS: usize = 200;
    let Some(mut browser) = Browser::start("an_evening_in_browsers_on_real_outputs") else {
        return;
    };
    let campaign = Campaign::of("data/mt-bench");
    let flags = [
        "--annotators",
        PEOPLE,
        "--overlap 0.2 --confidence 0.999999",
    ];
    let server = campaign.serve(&flags);
    let admin = server.admin.clone();
    let at = admin.split('/').nth(2).unwrap().to_string();
    let links: Vec<String> = server.links.values().cloned().collect();
    let mut server = Some(server);
    let mut pages: Vec<String> = links
        .iter()
        .zip([360, 700, 1000, 1400, 1000])
        .map(|(link, width)| browser.somebody(link, width, "light"))
        .collect();
    let mut seen: Vec<BTreeSet<BTreeSet<String>>> = vec![BTreeSet::new(); pages.len()];
    let (mut killed, mut closed, mut cut) = (0, 0, 0);
    for round in 0..ANSWERS {
        for (place, page) in pages.iter().enumerate() {
            browser.look_at(page);
            until_answered(&mut browser, round);
            assert!(seen[place].insert(shown(&mut browser)), "asked twice");
            if round % 20 == 0 {
                let received = received(&mut browser);
                assert_lacks(&received, &["gpt", "claude", "llama", "vicuna", "alpaca"]);
                assert_eq!(
                    browser.evaluate(include_str!("faults.js")),
                    json!([]),
                    "{round}"
                );
            }
        }
        if round % 20 == 10
            && let Some(server) = server.take()
        {
            server.kill();
            killed += 1;
        }
        for place in 0..pages.len() {
            browser.look_at(&pages[place]);
            let here = (round + 7 * place) % 40;
            if here == 5 && server.is_some() {
                browser.key("1");
                until_answered(&mut browser, round + 1);
                browser.key("u");
                until_answered(&mut browser, round);
            }
            if here == 15 {
                browser.network(false);
                cut += 1;
            }
            browser.key(KEYS[(round + place) % KEYS.len()]);
            if here == 25 && server.is_some() {
                let page = pages[place].clone();
                pages[place] = browser.another_window(&page, &links[place]);
                browser.look_at(&page);
                browser.close();
                browser.look_at(&pages[place]);
                closed += 1;
            }
            if here == 15 {
                std::thread::sleep(Duration::from_millis(200));
                browser.network(true);
            }
        }
        server.get_or_insert_with(|| campaign.serve(&["--listen", &at]));
    }
    for (place, page) in pages.iter().enumerate() {
        browser.look_at(page);
        until_answered(&mut browser, ANSWERS);
        Browser::keep(&format!("evening-{place}.png"), &browser.window());
    }
    let (n, first) = assert_all_kept(&admin, ANSWERS);
    let told = format!(
        "{n} answers in browsers, {first} with the system first in the alphabet on the left; {killed} times \
         killed, {closed} tabs closed, {cut} networks cut; none lost, none asked twice"
    );
    say("MEASURED", &told);
    let page = browser.somebody(&admin, 1400, "light");
    browser.look_at(&page);
    std::thread::sleep(Duration::from_secs(2));
    Browser::keep("evening-admin.png", &browser.picture());
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
