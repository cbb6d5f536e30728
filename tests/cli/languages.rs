//! The judging page in languages other than English, with a server and without, and in words of a task's own.

use super::asked::{until, until_question};
use super::browser::Browser;
use super::live::refused;
use super::serve::{Campaign, get, post};
use super::{Finished, text, tiebreak};
use crate::support::{assert_contains, assert_lacks, table_rows};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The texts of a language, by key.
type Texts = BTreeMap<String, String>;

fn texts(language: &str) -> Texts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/campaign/page/words");
    let table = fs::read_to_string(folder.join(format!("{language}.toml"))).unwrap();
    toml::from_str(&table).unwrap()
}

/// The parts of a text between what is filled in, and what narrow screens leave out.
fn pieces(text: &str) -> Vec<String> {
    let parts = text.split('{').enumerate();
    let parts = parts.map(|(place, part)| match place {
        0 => part,
        _ => part.split_once('}').unwrap().1,
    });
    let parts = parts.flat_map(|part| part.split(['[', ']']));
    let parts = parts.map(|part| part.trim_matches([' ', '.', ':', '(', ')']));
    parts
        .filter(|part| part.len() > 3)
        .map(String::from)
        .collect()
}

/// All that people read or hear on a page, hidden or not.
const SAID: &str = r#"
(() => {
  const said = [document.title];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest("script, style")) said.push(walker.currentNode.data);
  }
  for (const one of document.querySelectorAll("*")) {
    for (const name of ["aria-label", "aria-valuetext", "title", "data-missing", "data-empty"]) said.push(one.getAttribute(name));
  }
  return said.map((text) => (text || "").trim()).filter(Boolean);
})()
"#;

/// A page that is looked at in a language.
struct Reader {
    browser: Browser,
    /// The texts of the language, and parts of English ones that it does not share.
    texts: Texts,
    english: Vec<String>,
    /// All that was read so far.
    read: Vec<String>,
}

impl Reader {
    fn new(test: &str, language: &str) -> Option<Self> {
        let own = texts(language);
        let shared: Vec<String> = own.values().flat_map(|text| pieces(text)).collect();
        let english = texts("en");
        let english = english.values().flat_map(|text| pieces(text));
        Some(Self {
            browser: Browser::start(test)?,
            texts: own,
            english: english.filter(|piece| !shared.contains(piece)).collect(),
            read: Vec::new(),
        })
    }

    fn go(&mut self, link: &str, width: u32) {
        let page = self.browser.somebody(link, width, "light");
        self.browser.look_at(&page);
    }

    /// Reads the page as it is now: nothing is English, and nothing is cut or stands outside.
    fn read(&mut self, picture: &str) {
        let said = self.browser.evaluate(SAID);
        for text in said.as_array().unwrap() {
            let text = text.as_str().unwrap();
            for piece in &self.english {
                let is_whole = |at: usize| {
                    let ends = [
                        text[..at].chars().next_back(),
                        text[at + piece.len()..].chars().next(),
                    ];
                    ends.iter()
                        .all(|end| end.is_none_or(|end| !end.is_alphanumeric()))
                };
                let mut places = text.match_indices(piece.as_str());
                assert!(!places.any(|(at, _)| is_whole(at)), "{piece:?}: {text:?}");
            }
            self.read.push(text.to_string());
        }
        let faults = self.browser.evaluate(include_str!("faults.js"));
        assert_eq!(faults, json!([]), "{picture}");
        Browser::keep(&format!("{picture}.png"), &self.browser.window());
    }

    /// Asserts that texts were read, by their keys.
    fn assert_read(&self, keys: &str) {
        for key in keys.split(' ') {
            for piece in pieces(&self.texts[key]) {
                let is_read = self.read.iter().any(|text| text.contains(&piece));
                assert!(is_read, "{key}: {piece:?}");
            }
        }
    }
}

/// A data set with references, and a folder for what is made of it.
fn data() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let mut outputs = String::from("item,system,output,source,references\n");
    for item in 0..4 {
        for system in ["eins", "zwei"] {
            outputs += &format!("i{item},{system},{system} {item} ,quelle {item},soll {item}\n");
        }
    }
    fs::write(data.join("outputs.csv"), outputs).unwrap();
    (folder, data)
}

/// Tasks that show all there is to say: pairs with a check, scales, edits, passages.
fn tasks(language: &str) -> [(&'static str, String); 4] {
    let pairwise = "protocol = \"pairwise\"\nprompt = \"?\"\n[checks]\nrate = 0.0\ntrain = true\n\
        [[checks.training]]\nsource = \"quelle\"\nreferences = [\"soll\"]\ntexts = [\" \", \"zwei\"]\nanswers = [\"2\"]\n\
        wrong = \"!\"\nright = \"!\"\n";
    let criteria = "[[criteria]]\nname = \"a\"\nlabel = \"a?\"\nlow = 1\nhigh = 5\nstep = 1\n\
        [[criteria]]\nname = \"b\"\nlabel = \"b?\"\nlow = 0\nhigh = 100\n";
    let of = |protocol: &str| {
        format!("protocol = \"{protocol}\"\nprompt = \"?\"\ninstructions = \"!\"\n")
    };
    let tasks = [
        ("pairwise", pairwise.to_string()),
        ("rating", of("rating") + criteria),
        ("post-edit", of("post-edit")),
        ("question-answering", of("question-answering") + criteria),
    ];
    tasks.map(|(name, task)| (name, format!("language = \"{language}\"\n{task}")))
}

fn ask(folder: &Path, data: &Path, task: &str, page: &str) -> Finished {
    let [file, run, page] =
        ["mine.toml", page, &format!("{page}.html")].map(|name| folder.join(name));
    fs::write(&file, task).unwrap();
    let places = [
        text(&run),
        text(data),
        "--task",
        text(&file),
        "--out",
        text(&page),
    ];
    tiebreak(&[&["ask"], &places[..], &["--n", "2"]].concat())
}

/// Opens whatever is folded, and asks for what is not there.
const UNFOLD: &str = "document.querySelectorAll('details').forEach(one => one.open = true)";

fn read_without_a_server(reader: &mut Reader, language: &str) {
    let (folder, data) = data();
    for (name, task) in tasks(language) {
        ask(folder.path(), &data, &task, name).ok();
        let link = format!(
            "file://{}",
            folder.path().join(format!("{name}.html")).display()
        );
        for width in [320, 390, 1300] {
            reader.go(&link, width);
            until_question(&mut reader.browser, 0);
            reader.read(&format!("{language}-{name}-{width}"));
            reader.browser.evaluate(UNFOLD);
            if name != "pairwise" && name != "post-edit" {
                // Nothing is filled in yet.
                reader.browser.key("Enter");
            }
            reader.read(&format!("{language}-{name}-{width}-all"));
        }
        let frame = reader.browser.evaluate(
            "[document.documentElement.lang, document.documentElement.dir, document.querySelector('.words').dir]",
        );
        let direction = if language == "ar" { "rtl" } else { "ltr" };
        assert_eq!(frame, json!([language, direction, "auto"]));
        for number in 0..2 {
            until_question(&mut reader.browser, number);
            reader
                .browser
                .evaluate("document.querySelector('[data-answer=s]').click()");
        }
        until(&mut reader.browser, "document.querySelector('[data-done]')");
        reader.read(&format!("{language}-{name}-done"));
    }
    reader.assert_read(
        "title jump instructions break save share-answered answered-of text text-number text-before answer question \
         source passage reference show-all differences shortcuts first second equal both-bad other-answers skip undo \
         undo-last send please-answer please-answer-number not-answered your-edit begin-again evidence take-selected \
         enter-sends comment-or-skip your-comment skip-because skip-with-reason reason-task reason-language \
         reason-broken reason-private thank-you your-name save-and-send",
    );
}

fn read_with_a_server(reader: &mut Reader, language: &str) {
    let (folder, data) = data();
    let task = folder.path().join("mine.toml");
    fs::write(&task, &tasks(language)[0].1).unwrap();
    let campaign = Campaign::of(text(&data));
    let flags = ["--task", text(&task), "--annotators ana --code C0DE"];
    let server = campaign.serve(&flags);
    let at = server.admin.split('/').nth(2).unwrap().to_string();
    let link = server.links["ana"].clone();
    reader.go(&link, 390);
    until_question(&mut reader.browser, 0);
    // The first one is for training; one of its texts is empty.
    reader.read(&format!("{language}-served"));
    reader.browser.key("p");
    reader.read(&format!("{language}-break"));
    reader.browser.key("p");
    reader.browser.key("2");
    until(&mut reader.browser, "document.querySelector('#continue')");
    reader.read(&format!("{language}-feedback"));
    until(
        &mut reader.browser,
        "!document.querySelector('[data-guarded]')",
    );
    reader.browser.key("Enter");
    until_question(&mut reader.browser, 1);
    let task = get(&format!("{link}/task")).json();
    reader.browser.key("1");
    until_question(&mut reader.browser, 2);
    let set = |what: &str, body: &Value| post(&format!("{}/{what}", server.admin), body);
    let reload = |reader: &mut Reader, state: &str| {
        reader.browser.visit(&link);
        until(
            &mut reader.browser,
            &format!("document.querySelector('[data-state={state}]')"),
        );
        reader.read(&format!("{language}-{state}"));
    };
    set("pause", &json!({"paused": true}));
    reload(reader, "paused");
    set("pause", &json!({"paused": false}));
    let late = json!({"question": task["question"], "answer": "2", "seconds": 1.0});
    let late = post(&format!("{link}/answer"), &late).json();
    assert_eq!(late["error"], reader.texts["no-longer-open"], "{late}");
    set("close", &json!({"annotator": "ana", "closed": true}));
    reload(reader, "closed");
    let closed = post(
        &format!("{link}/answer"),
        &json!({"question": "", "answer": "2"}),
    )
    .json();
    assert_eq!(closed["error"], reader.texts["link-closed"], "{closed}");
    set("close", &json!({"annotator": "ana", "closed": false}));
    for _ in 0..60 {
        let task = get(&format!("{link}/task")).json();
        if task["state"] != "task" {
            break;
        }
        let said = json!({"question": task["question"], "answer": "2", "seconds": 1.0});
        post(&format!("{link}/answer"), &said);
    }
    reload(reader, "done");
    reader.go(&format!("http://{at}/j/nothing"), 390);
    reader.read(&format!("{language}-unknown"));
    reader.go(&link, 390);
    until(
        &mut reader.browser,
        "document.querySelector('[data-state]')",
    );
    server.kill();
    reader.browser.evaluate("refresh()");
    until(
        &mut reader.browser,
        "document.querySelector('[data-offline]')",
    );
    reader.read(&format!("{language}-alone"));
    reader.assert_read(
        "answered empty on-break about-answer continue training-over question-number is-paused resumed is-closed \
         stored-one reopened thank-you code unknown-link ask-for-link no-connection tries-again",
    );
}

/// In German nothing is English, and Arabic reads from the right.
#[test]
fn a_campaign_in_another_language_says_nothing_in_english() {
    for language in ["de", "ar"] {
        let test = "a_campaign_in_another_language_says_nothing_in_english";
        let Some(mut reader) = Reader::new(test, language) else {
            return;
        };
        read_without_a_server(&mut reader, language);
        read_with_a_server(&mut reader, language);
        assert_eq!(reader.browser.complaints(), Vec::<String>::new());
    }
}

/// The texts of other languages are longer or shorter, and fit as well.
#[test]
fn every_language_fits_a_telephone() {
    for language in ["es", "fr", "ja", "zh"] {
        let Some(mut reader) = Reader::new("every_language_fits_a_telephone", language) else {
            return;
        };
        read_without_a_server(&mut reader, language);
    }
}

#[test]
fn a_task_may_have_words_of_its_own() {
    let (folder, data) = data();
    let page = |task: &str, name: &str| {
        let run = ask(folder.path(), &data, task, name);
        let html = fs::read_to_string(folder.path().join(format!("{name}.html")));
        (run, html.unwrap_or_default())
    };
    let task = |lines: &str, words: &str| {
        format!("protocol = \"pairwise\"\nprompt = \"?\"\n{lines}\n[words]\n{words}\n")
    };
    let (run, html) = page(&task("", "source = \"Prompt </script>\""), "own");
    assert!(!run.ok().contains("English"));
    assert_contains(
        &html,
        &[
            "\"source\":\"Prompt \\u003c/script>\"",
            "lang=\"en\" dir=\"ltr\"",
        ],
    );
    let (run, html) = page(&task("language = \"he\"", "source = \"מקור\""), "hebrew");
    assert_contains(
        &run.stderr,
        &[
            "101 of its 102 texts stay English",
            "add to [words] in task.toml",
            "send",
        ],
    );
    run.ok();
    assert_contains(
        &html,
        &[
            "lang=\"he\" dir=\"rtl\"",
            "\"source\":\"מקור\"",
            "\"send\":\"Send\"",
        ],
    );
    for [lines, words, phrases] in table_rows(
        r#" | sorce = "Prompt" | mine.toml:5 && `sorce` && did you mean `source`?
            | send = "" | mine.toml:5 && `send` is empty
            | answered = "fertig" | mine.toml:5 && {answered} done
           language = "pt" | | `pt` && `ar` (Arabic), `de` (German), `en` (English), `es` (Spanish), `fr` (French), `ja` (Japanese), `zh` (Chinese) && [words]"#,
    ) {
        let phrases: Vec<&str> = phrases.split(" && ").collect();
        refused(&page(&task(lines, words), "wrong").0, &phrases);
    }
}

#[test]
fn references_are_shown_unless_the_task_hides_them() {
    let (folder, data) = data();
    let task = "protocol = \"pairwise\"\nprompt = \"?\"\n";
    let sheet = |lines: &str, name: &str| {
        ask(folder.path(), &data, &format!("{task}{lines}"), name).ok();
        fs::read_to_string(folder.path().join(format!("{name}.html"))).unwrap()
    };
    assert_contains(&sheet("", "shown"), &["soll "]);
    assert_contains(&sheet("show-references = true\n", "shown-too"), &["soll "]);
    assert_lacks(&sheet("show-references = false\n", "hidden"), &["soll"]);
    let hidden = "show-references = false\n[[checks.mixed]]\nreferences = [\"soll\"]\ntexts = [\"a\", \"b\"]\n";
    let run = ask(folder.path(), &data, &format!("{task}{hidden}"), "wrong");
    refused(
        &run,
        &[
            "mine.toml",
            "show-references is false",
            "leave them out of the check",
        ],
    );
    let passages = "protocol = \"question-answering\"\nprompt = \"?\"\nshow-references = false\n";
    let run = ask(folder.path(), &data, passages, "wrong");
    refused(&run, &["mine.toml", "are the passage", "leave it out"]);
}
