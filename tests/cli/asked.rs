//! The pages on which people answer, and that of whoever runs a campaign, in a browser. Where there is none these tests
//! say so.

use super::browser::Browser;
use super::live::{Live, questions};
use super::stub::{Stub, Trouble};
use super::{text, tiebreak};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// A task of a protocol.
fn task(protocol: &str, number: usize) -> Value {
    let long = "A sentence that goes on for a while, as sentences do. ".repeat(1 + number % 7);
    let one = format!("<b>Text</b> {number} & one: {long}");
    let two = format!(
        "Text {number}, the other: {long}\n\nAnunbrokenword{}",
        "andon".repeat(20)
    );
    let likert = json!({"name": "fluency", "label": "Does it read well?", "low": 1, "high": 5, "step": 1,
        "labels": ["not at all", "badly", "fairly", "well", "perfectly"]});
    let slider = json!({"name": "content", "label": "Does it say what it should?", "low": 0, "high": 100, "step": 1,
        "labels": ["nothing of it", "all of it"]});
    let correct = json!({"name": "correct", "label": "Is the answer right?", "low": 0, "high": 1, "step": 1, "labels": ["no", "yes"]});
    let (texts, criteria) = match protocol {
        "pairwise" => (json!([one, two]), json!([])),
        "rating" => (json!([one]), json!([likert, slider])),
        "post-edit" => (json!([two]), json!([])),
        _ => (json!([one]), json!([correct])),
    };
    json!({
        "state": "task", "protocol": protocol, "prompt": "Which text is better, if one is?",
        "instructions": "Read both texts to the end.\n\n- Right before pretty.\n- Length is no merit.",
        "source": "What was asked for, in some words.", "references": ["שלום עולם"],
        "passage": (protocol == "question-answering").then(|| long.repeat(20)),
        "texts": texts, "criteria": criteria, "direction": "auto", "feedback": null,
        "answers": ["1", "2", "tie", "both bad", "skip"],
    })
}

fn tasks(protocol: &str, n: usize) -> Vec<Value> {
    (0..n).map(|number| task(protocol, number)).collect()
}

const FAULTS: &str = include_str!("faults.js");

/// Waits until something holds.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("never: {what}");
}

/// Waits until an expression holds on the page.
pub(super) fn until(browser: &mut Browser, expression: &str) {
    let holds = format!("Boolean({expression})");
    wait(expression, || browser.holds(&holds));
}

/// Waits for a question by its number.
pub(super) fn until_question(browser: &mut Browser, number: usize) {
    let here = format!(
        "document.querySelector('#progress strong')?.textContent === '{number}' && !document.querySelector('.chosen') \
         && !document.querySelector('[data-guarded]')"
    );
    until(browser, &here);
}

/// The keys of a pair, and what they mean.
const KEYS: [(&str, &str); 5] = [
    ("1", "1"),
    ("0", "tie"),
    ("2", "2"),
    ("b", "both bad"),
    ("s", "skip"),
];

#[test]
fn five_people_answer_with_keys_alone() {
    let Some(mut browser) = Browser::start("five_people_answer_with_keys_alone") else {
        return;
    };
    let stub = Stub::start();
    let people: Vec<(String, String)> = (0..5)
        .map(|person| {
            let token = format!("person{person}");
            let link = stub.link(&token, tasks("pairwise", 20));
            (token, browser.somebody(&link, 1000, "light"))
        })
        .collect();
    for number in 0..20 {
        for (place, (_, page)) in people.iter().enumerate() {
            browser.look_at(page);
            until_question(&mut browser, number);
            let (key, _) = KEYS[(number * 3 + place) % KEYS.len()];
            if number % 6 == 5 {
                // A slip, and back.
                browser.key("2");
                until_question(&mut browser, number + 1);
                browser.key("u");
                until_question(&mut browser, number);
            }
            browser.key(key);
        }
    }
    for (place, (token, page)) in people.iter().enumerate() {
        browser.look_at(page);
        until(&mut browser, "document.querySelector('[data-done]')");
        let code = browser.evaluate("document.querySelector('[data-code]').textContent");
        assert_eq!(code, "TB-2026");
        let answers = stub.answers(token);
        assert_eq!(answers.len(), 20);
        for (number, answer) in answers.iter().enumerate() {
            let (_, meant) = KEYS[(number * 3 + place) % KEYS.len()];
            assert_eq!(
                (&answer["answer"], &answer["question"]),
                (&json!(meant), &json!(number.to_string()))
            );
            assert!(answer["seconds"].as_f64().unwrap() < 600.0);
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn nothing_is_lost_when_the_server_is_gone() {
    let Some(mut browser) = Browser::start("nothing_is_lost_when_the_server_is_gone") else {
        return;
    };
    let stub = Stub::start();
    let link = stub.link("ana", tasks("pairwise", 6));
    let page = browser.somebody(&link, 1000, "light");
    browser.look_at(&page);
    until_question(&mut browser, 0);
    for (number, trouble) in [Trouble::Gone, Trouble::Silent, Trouble::Busy]
        .into_iter()
        .enumerate()
    {
        stub.trouble(trouble);
        browser.key("1");
        until(&mut browser, "document.querySelector('[data-offline]')");
        // More keys do nothing meanwhile.
        browser.key("2");
        browser.key("2");
        stub.trouble(Trouble::None);
        until_question(&mut browser, number + 1);
        until(&mut browser, "!document.querySelector('[data-offline]')");
    }
    // The window closes while an answer is on its way: the next one sends it.
    stub.trouble(Trouble::Gone);
    browser.key("b");
    until(&mut browser, "document.querySelector('[data-offline]')");
    browser.visit("about:blank");
    stub.trouble(Trouble::None);
    browser.visit(&link);
    until_question(&mut browser, 4);
    let answers: Vec<Value> = stub
        .answers("ana")
        .iter()
        .map(|one| one["answer"].clone())
        .collect();
    assert_eq!(answers, ["1", "1", "1", "both bad"]);
}

#[test]
fn two_windows_a_reload_and_the_way_back_do_no_harm() {
    let Some(mut browser) = Browser::start("two_windows_a_reload_and_the_way_back_do_no_harm")
    else {
        return;
    };
    let stub = Stub::start();
    let link = stub.link("ana", tasks("pairwise", 6));
    let first = browser.somebody(&link, 1000, "light");
    let second = browser.another_window(&first, &link);
    for (page, key) in [(&first, "1"), (&second, "1")] {
        browser.look_at(page);
        until(
            &mut browser,
            "document.querySelector('[data-text]') && !document.querySelector('[data-guarded]')",
        );
        browser.key(key);
        until_question(&mut browser, 1);
    }
    assert_eq!(stub.answers("ana").len(), 1, "the same answer counts once");
    browser.key("2");
    until_question(&mut browser, 2);
    browser.look_at(&first);
    // Another answer to what is answered is not taken, and they see why.
    if browser.evaluate("document.querySelector('#progress strong').textContent") == "1" {
        browser.key("b");
        until_question(&mut browser, 2);
    }
    browser.visit(&link);
    until_question(&mut browser, 2);
    browser.visit("about:blank");
    browser.evaluate("setTimeout(() => history.back()); 0");
    until_question(&mut browser, 2);
    browser.key("s");
    until_question(&mut browser, 3);
    let answers: Vec<Value> = stub
        .answers("ana")
        .iter()
        .map(|one| one["answer"].clone())
        .collect();
    assert_eq!(answers, ["1", "2", "skip"]);
}

/// Every protocol, at both widths: whole, texts as texts, nothing from elsewhere, answered by keys.
#[test]
fn every_protocol_fits_every_width() {
    let Some(mut browser) = Browser::start("every_protocol_fits_every_width") else {
        return;
    };
    let stub = Stub::start();
    for (width, scheme) in [(360, "dark"), (1400, "light")] {
        for protocol in ["pairwise", "rating", "post-edit", "question-answering"] {
            let token = format!("{protocol}-{width}");
            let link = stub.link(&token, tasks(protocol, 2));
            let page = browser.somebody(&link, width, scheme);
            browser.look_at(&page);
            until_question(&mut browser, 0);
            assert_eq!(browser.evaluate(FAULTS), json!([]), "{token}");
            let shown = browser.evaluate("document.querySelector('[data-text=\"1\"]').textContent");
            assert_eq!(shown, task(protocol, 0)["texts"][0], "{token}");
            assert_eq!(
                browser.evaluate("document.querySelectorAll('[data-text] b').length"),
                0
            );
            browser.key("i");
            browser.key("d");
            assert_eq!(
                browser.evaluate(FAULTS),
                json!([]),
                "{token}, with differences"
            );
            Browser::keep(&format!("page-{token}.png"), &browser.window());
            if protocol == "rating" {
                browser.key("Enter");
                until(
                    &mut browser,
                    "document.querySelectorAll('.missing').length === 2",
                );
                browser.key("4");
                browser.evaluate("document.querySelector('[type=range]').focus()");
                browser.key("ArrowRight");
            }
            if protocol == "question-answering" {
                browser.key("1");
            }
            browser.key(if protocol == "pairwise" { "1" } else { "Enter" });
            until_question(&mut browser, 1);
            let answer = stub.answers(&token).remove(0);
            let expected = match protocol {
                "pairwise" => answer["answer"] == "1",
                "rating" => answer["scores"] == json!({"fluency": 4, "content": 51}),
                "post-edit" => answer["text"] == task(protocol, 0)["texts"][0],
                _ => answer["scores"] == json!({"correct": 1}),
            };
            assert!(expected, "{answer}");
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_head_of_a_campaign_sees_how_it_stands() {
    let Some(mut browser) = Browser::start("the_head_of_a_campaign_sees_how_it_stands") else {
        return;
    };
    let stub = Stub::start();
    let person = |name: &str, flags: Value, closed: bool| {
        json!({"name": name, "url": format!("/j/{name}"), "answered": 40, "skipped": 1, "last_seen": null,
            "seconds_median": 2.2, "answers_per_hour": 900.0, "agreement": 0.5, "flags": flags, "closed": closed})
    };
    let long = "organisation/a-model-with-a-very-long-name-instruct-2026-preview";
    let link = stub.admin(json!({
        "name": "Summaries", "verdict": "No system is shown to be best.", "verdict_lines": ["No system is shown to be best."],
        "remarks": [{"annotator": "ana", "item": "item-7", "answered": false, "text": "I do not know the language"}], "claim": {"kind": "undecided"}, "leader": long,
        "questions": {"asked": 90, "answered": 80, "skipped": 2, "open": 8}, "stopped": null, "state": "asking", "paused": false,
        "rivals": [{"system": "b", "evidence": 0.4, "words": "40.0 %"}, {"system": long, "evidence": 1.0, "words": "enough"}], "chances": [],
        "annotators": [person("ana", json!([]), false), person("ben", json!(["faster than anybody reads"]), true)],
        "agreement": {"value": 0.6, "words": "over 12 questions"}, "cost": {"seconds": 5400, "answers": 80, "words": "68 s an answer"},
        "left": {"questions": 60, "words": "about 60 more answers"}, "next": "wait", "model_answers": 0, "notice": null,
    }));
    for (width, scheme) in [(360, "dark"), (1400, "light")] {
        let page = browser.somebody(&link, width, scheme);
        browser.look_at(&page);
        until(&mut browser, "document.querySelector('.verdict')");
        assert_eq!(browser.evaluate(FAULTS), json!([]), "{width}");
        let bars = "[...document.querySelectorAll('.fill')].map(one => Math.round(100 * one.offsetWidth / one.parentElement.clientWidth))";
        assert_eq!(browser.evaluate(bars), json!([100, 40]));
        Browser::keep(&format!("admin-{width}.png"), &browser.picture());
        let paused = stub.status()["paused"] == true;
        browser.evaluate("document.getElementById('pause').click()");
        until(
            &mut browser,
            &format!(
                "document.getElementById('pause').textContent === '{}'",
                if paused { "Pause" } else { "Resume" }
            ),
        );
    }
    let lines = [
        "a is the best.",
        "Assumptions:",
        "- tastes stay",
        "- items are random",
    ];
    let proved = stub.admin(json!({
        "verdict": "a is the best. Assumptions: Tastes stay. Items are random.", "verdict_lines": lines, "claim": {"kind": "best"},
        "questions": {"asked": 90, "answered": 90, "skipped": 0, "open": 0}, "stopped": "certificate", "state": "over", "next": "nothing",
    }));
    let page = browser.somebody(&proved, 1000, "light");
    browser.look_at(&page);
    until(&mut browser, "document.querySelector('.verdict li')");
    let listed = "[...document.querySelectorAll('.verdict li')].map(one => one.textContent)";
    let expected = json!(["tastes stay", "items are random"]);
    assert_eq!(browser.evaluate(listed), expected);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// From `ask --page` to `tell`, with a window that was closed in between.
#[test]
fn a_page_needs_no_server() {
    let Some(mut browser) = Browser::start("a_page_needs_no_server") else {
        return;
    };
    let live = Live::new();
    let asked = live.begin("questions.html", &["--n", "6", "--json"]).json();
    assert!(
        asked["next"].as_str().unwrap().contains("browser"),
        "{asked}"
    );
    let file = live.path("questions.html");
    let html = fs::read_to_string(&file).unwrap();
    assert!(!html.contains("secret-"), "no system is named");
    let link = format!("file://{}", file.display());
    let page = browser.somebody(&link, 1000, "light");
    browser.look_at(&page);
    browser.downloads_to(&live.path("saved"));
    let better = "[...document.querySelectorAll('[data-text]')].findIndex(one => one.textContent.includes('fine'))";
    for number in 0..6 {
        until_question(&mut browser, number);
        assert_eq!(browser.evaluate(FAULTS), json!([]));
        if number == 3 {
            browser.visit("about:blank");
            browser.visit(&link);
            until_question(&mut browser, 3);
        }
        let key = match browser.evaluate(better).as_i64().unwrap() {
            0 => "1",
            1 => "2",
            _ => "b",
        };
        browser.key(key);
    }
    until(
        &mut browser,
        "document.querySelector('[data-done] [data-save]')",
    );
    browser.evaluate("document.querySelector('[data-done] input').value = 'Ana'; document.querySelector('[data-save]').click()");
    let saved = live.path("saved").join("questions-Ana.json");
    wait("a saved file", || saved.exists());
    let told = live.tell("saved/questions-Ana.json", &["--json"]).json();
    assert_eq!(
        (questions(&told, "answered"), questions(&told, "open")),
        (6, 0)
    );
    let journal = String::from_utf8(live.journal()).unwrap();
    assert_eq!(journal.matches("\"Ana\"").count(), 6, "{journal}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    let rows = tiebreak(&["check", text(&live.path("run"))]);
    assert_eq!(rows.code, Some(0));
}

#[test]
fn three_hundred_means_fold_and_nothing_is_out_of_reach_on_a_telephone() {
    let name = "three_hundred_means_fold_and_nothing_is_out_of_reach_on_a_telephone";
    let Some(mut browser) = Browser::start(name) else {
        return;
    };
    let stub = Stub::start();
    let mean = |place: usize| {
        json!({"system": format!("organisation/model-{place}-instruct"), "criterion": "fluency", "n": 12, "estimate": 3.2,
            "lower": 2.9, "upper": 3.6})
    };
    let means: Vec<Value> = (0..300).map(mean).collect();
    let link = stub.admin(json!({
        "name": "Many", "verdict": "1 of 3 outputs is rated.", "verdict_lines": ["1 of 3 outputs is rated."],
        "estimates": means, "meaning": ["Means of ratings."], "planned": 900, "left": {"questions": 600, "words": "600"},
        "budget": {"questions": 20, "questions_left": 4, "hours": 2.0, "hours_left": 0.4, "raised": ["raised to 20 questions after 10 questions"]},
        "remarks": [{"annotator": "visitor 1", "item": "item-7", "answered": true, "text": "word ".repeat(80)}], "remarks_all": 70,
        "questions": {"asked": 300, "answered": 300, "skipped": 0, "open": 0}, "stopped": null, "state": "asking", "paused": false,
        "annotators": [{"name": "ana", "url": "/j/ana", "answered": 40, "skipped": 1, "open": 0, "last_seen": null, "seconds_median": 2.2,
            "answers_per_hour": 900.0, "agreement": 0.5, "flags": ["2 of 3 checks failed"], "closed": false}],
        "cost": {"seconds": 5400, "seconds_left": 10800, "answers": 80, "words": "68 s an answer"}, "next": "wait",
    }));
    let page = browser.somebody(&link, 390, "light");
    browser.look_at(&page);
    until(&mut browser, "document.querySelector('.verdict')");
    assert_eq!(browser.evaluate(FAULTS), json!([]));
    let rows = "[...document.querySelectorAll('[aria-label$=\"eans\"] tbody')].map((one) => one.rows.length)";
    assert_eq!(browser.evaluate(rows), json!([20, 280]));
    let shown = browser.evaluate("document.body.innerText");
    let shown = shown.as_str().unwrap();
    let expected = [
        "Show all 300",
        "The latest 1 of 70",
        "The budget was raised to 20 questions",
        "2 of 3 checks failed",
    ];
    crate::support::assert_contains(shown, &expected);
    Browser::keep("admin-many-390.png", &browser.window());
    browser.evaluate("document.querySelector('summary').click()");
    assert_eq!(browser.evaluate(FAULTS), json!([]), "unfolded");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
