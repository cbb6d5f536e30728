//! What chat models write, as people see it on the page: rendered or as written, folded where it is long.

use super::asked::{until, until_question};
use super::browser::Browser;
use super::{text, tiebreak};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

const TABLE: &str = "## Sizes\n\n| a | b |\n|---|--:|\n| 1 | $x^2$ |\n\n```py\nprint(\"one\")\n```\n\n\\[ y < 2 \\]";

const HOSTILE: &str = "One <img src=x onerror=\"document.title='run'\"> <script>document.title='run'</script> \
                       [link](javascript:document.title='run') ![image](http://127.0.0.1:9/x.png)\n\n";

/// A page with one question about two outputs, of a data set with this description and a task with this line.
fn page(description: &str, line: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let data = path("data");
    fs::create_dir(&data).unwrap();
    let long = HOSTILE.to_string() + &"A paragraph that goes on for a while.\n\n".repeat(80);
    let rows = [("left", TABLE), ("right", &long)];
    let rows = rows.map(|(system, output)| {
        json!({"item": "1", "system": system, "output": output}).to_string()
    });
    fs::write(data.join("outputs.jsonl"), rows.join("\n")).unwrap();
    let item = json!({"item": "1", "source": "user: Hi\n\nuser: **Again**"});
    fs::write(data.join("items.jsonl"), item.to_string()).unwrap();
    fs::write(
        data.join("dataset.toml"),
        format!("name = \"x\"\n{description}"),
    )
    .unwrap();
    let task = path("mine.toml");
    fs::write(
        &task,
        format!("protocol = \"pairwise\"\nprompt = \"Which?\"\n{line}"),
    )
    .unwrap();
    let (run, page) = (path("run"), path("page.html"));
    let places = [
        text(&run),
        text(&data),
        "--task",
        text(&task),
        "--out",
        text(&page),
    ];
    tiebreak(&[&["ask"], &places[..], &["--n", "1"]].concat()).ok();
    let link = format!("file://{}", page.display());
    (folder, link)
}

/// The number of elements on the page.
fn count(browser: &mut Browser, selector: &str) -> u64 {
    let count = format!("document.querySelectorAll({selector:?}).length");
    browser.evaluate(&count).as_u64().unwrap()
}

#[test]
fn chats_are_rendered_and_run_nothing() {
    let Some(mut browser) = Browser::start("chats_are_rendered_and_run_nothing") else {
        return;
    };
    let (_folder, link) = page("task = \"chat\"\n", "");
    for (width, scheme) in [(360, "dark"), (1300, "light")] {
        let page = browser.somebody(&link, width, scheme);
        browser.look_at(&page);
        until_question(&mut browser, 0);
        for (selector, n) in [
            ("[data-text] .wide[tabindex] td.right math", 1),
            ("[data-text] pre code", 1),
            ("[data-text] .formula math[display=block]", 1),
            ("[data-source] .turn .role", 2),
            ("[data-source] strong", 1),
            ("[data-text] :is(img, script, a, [style], [onerror])", 0),
        ] {
            assert_eq!(count(&mut browser, selector), n, "{selector}");
        }
        Browser::keep(&format!("rendered-{width}.png"), &browser.window());
        // The long one is folded; showing it answers nothing, even where keys come in haste.
        assert_eq!(count(&mut browser, ".folded"), 1);
        let haste = "['a', '1'].map(key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))).length";
        assert_eq!(browser.evaluate(haste), 2);
        assert_eq!(count(&mut browser, ".folded, .chosen"), 0);
        until(&mut browser, "!document.querySelector('[data-guarded]')");
        browser.key("d");
        assert!(count(&mut browser, "[data-text] pre mark") > 0);
        assert!(count(&mut browser, "[data-text] mark math") > 0);
        browser.key("r");
        assert_eq!(count(&mut browser, ".rendered, math"), 0);
        browser.key("d");
        let written =
            "[...document.querySelectorAll('[data-text]')].map(one => one.textContent).sort()[0]";
        assert_eq!(browser.evaluate(written), TABLE);
        browser.key("r");
        assert_eq!(count(&mut browser, "[data-text].rendered"), 2);
        until(&mut browser, "!document.querySelector('[data-guarded]')");
        browser.key("2");
        until(&mut browser, "document.querySelector('[data-done]')");
        assert_eq!(browser.evaluate("document.title"), "Judging");
        // An earlier answer is looked at and corrected, by keys alone.
        browser.key("e");
        until(&mut browser, "document.querySelector('[data-said=\"2\"]')");
        let width = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(width), true);
        Browser::keep(&format!("earlier-{scheme}.png"), &browser.window());
        browser.key("e");
        until(&mut browser, "document.querySelector('[data-done]')");
        browser.key("e");
        until(
            &mut browser,
            "document.querySelector('#back') && !document.querySelector('[data-guarded]')",
        );
        browser.key("1");
        until(&mut browser, "document.querySelector('[data-done]')");
        let kept =
            "Object.entries(localStorage).find(([key]) => key.startsWith('tiebreak:sheet'))[1]";
        let kept = browser.evaluate(kept);
        let kept: serde_json::Value = serde_json::from_str(kept.as_str().unwrap()).unwrap();
        assert_eq!(kept["answers"].as_array().unwrap().len(), 1);
        assert_eq!(kept["answers"][0]["answer"], "1");
        assert_eq!(kept["answers"][0].get("corrects"), None);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_task_decides_how_texts_are_shown() {
    let html = |description, line| {
        let (_folder, link) = page(description, line);
        fs::read_to_string(link.trim_start_matches("file://")).unwrap()
    };
    let is_rendered = |html: &str| html.contains("\"shown\":{");
    assert!(!is_rendered(&html("", "")));
    assert!(is_rendered(&html("task = \"chat\"\n", "")));
    assert!(!is_rendered(&html(
        "task = \"chat\"\n",
        "render = \"plain\"\n"
    )));
    // What stands above a source follows the data set, unless the task says it.
    let is_prompt = |html: &str| html.contains("\"source\":\"Prompt\"");
    assert!(is_prompt(&html(
        "task = \"chat\"\n",
        "render = \"plain\"\n"
    )));
    assert!(!is_prompt(&html("", "render = \"markdown\"\n")));
    let own = html("task = \"chat\"\n", "[words]\nsource = \"Ask\"\n");
    assert!(!is_prompt(&own) && own.contains("\"source\":\"Ask\""));
    let code = html("", "render = \"code\"\n");
    assert!(is_rendered(&code) && !code.contains("\\u003cmath"));
    assert!(html("", "render = \"markdown\"\n").contains("\\u003cmath"));
}
