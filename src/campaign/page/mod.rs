//! The pages that people see in a browser, each one file without anything from elsewhere.
//!
//! The annotator's page is the same with a server and without: only the script through which its questions come
//! differs (`server.js`, `offline.js`). Its words are those of the task's language. Scripts and styles carry a nonce, so
//! that a policy can forbid all others.

pub(super) mod words;

pub use words::PageWords;

#[cfg(feature = "serve")]
use super::session::NoTaskReason;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use tiebreak_stages::rendering;

const PAGE: &str = include_str!("page.html");
const PAGE_STYLE: &str = include_str!("page.css");
const PAGE_SCRIPT: &str = concat!(
    include_str!("dom.js"),
    include_str!("words.js"),
    include_str!("clock.js"),
    include_str!("texts.js"),
    include_str!("differences.js"),
    include_str!("server.js"),
    include_str!("offline.js"),
    include_str!("form.js"),
    include_str!("view.js"),
    include_str!("page.js"),
);

const ADMIN: &str = include_str!("admin.html");
const ADMIN_STYLE: &str = include_str!("admin.css");
const ADMIN_SCRIPT: &str = concat!(include_str!("dom.js"), include_str!("admin.js"));

/// The part of a policy that lets a notebook on the reader's own machine show a page, and no site.
pub(crate) const FRAMES: &str = "frame-ancestors http://localhost:* http://127.0.0.1:*";

/// The content security policy of a served page, for its header.
pub fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; {FRAMES}"
    )
}

/// The annotator's page, which asks the server that gave it.
pub fn annotator(nonce: &str, words: &PageWords) -> String {
    judging(nonce, words, "", "null")
}

/// The page of whoever runs the campaign.
pub fn admin(nonce: &str) -> String {
    let style = [rendering::TOKENS, ADMIN_STYLE].concat();
    let pieces = [
        ("nonce", nonce),
        ("style", &style),
        ("script", ADMIN_SCRIPT),
    ];
    whole(ADMIN, &pieces.into(), &PageWords::default())
}

/// The page of a link that leads nowhere.
#[cfg(feature = "serve")]
pub(crate) fn missing(words: &PageWords) -> String {
    let text = words.text("ask-for-link");
    notice(words.text("unknown-link"), &[text.into()], "", words)
}

/// What visitors of a link that is open to all are told.
#[cfg(feature = "serve")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Welcome {
    /// They may begin; each gets so many questions at most.
    Begin(usize),
    /// All places are taken.
    Full,
    /// The campaign asks nothing more.
    Over(NoTaskReason),
    /// The campaign is paused.
    Paused,
}

/// The page of a link that is open to all. It needs no script.
#[cfg(feature = "serve")]
pub(crate) fn welcome(what: Welcome, words: &PageWords) -> String {
    let (heading, text) = match what {
        Welcome::Begin(number) => {
            let invitation = words.text("invitation");
            let texts = [
                invitation.replace("{number}", &number.to_string()),
                words.text("keeps-cookie").into(),
            ];
            let begin = html(words.text("begin"));
            let button = format!("<form method=\"post\"><button>{begin}</button></form>\n");
            return notice(words.text("welcome"), &texts, &button, words);
        }
        Welcome::Full => (words.text("full"), words.text("enough-people")),
        Welcome::Over(why) => (words.text("full"), words.text(why.key())),
        Welcome::Paused => (words.text("is-paused"), words.text("come-later")),
    };
    notice(heading, &[text.into()], "", words)
}

/// A page of a heading and some paragraphs, with HTML after them.
#[cfg(feature = "serve")]
pub(crate) fn notice(heading: &str, texts: &[String], after: &str, words: &PageWords) -> String {
    let paragraphs = texts.iter().map(|text| format!("<p>{}</p>\n", html(text)));
    let content = paragraphs.collect::<String>() + after;
    let heading = html(heading);
    let pieces = [("heading", heading.as_str()), ("content", content.as_str())];
    whole(include_str!("notice.html"), &pieces.into(), words)
}

/// The annotator's page with its questions inside, which needs no server.
pub(crate) fn offline(sheet: &Value, words: &PageWords) -> String {
    // Not secret: the page has no content but its own.
    const NONCE: &str = "here";
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'nonce-{NONCE}'; style-src 'nonce-{NONCE}'; img-src data:\">\n"
    );
    judging(NONCE, words, &policy, &embedded(sheet))
}

fn judging(nonce: &str, words: &PageWords, policy: &str, data: &str) -> String {
    let style = [rendering::TOKENS, PAGE_STYLE, rendering::STYLE].concat();
    let texts = embedded(&json!(words.texts()));
    let pieces = [
        ("nonce", nonce),
        ("style", style.as_str()),
        ("script", PAGE_SCRIPT),
        ("policy", policy),
        ("data", data),
        ("words", texts.as_str()),
    ];
    whole(PAGE, &pieces.into(), words)
}

/// A value inside a script element, which none of its texts may end.
fn embedded(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Fills a page in, piece by piece, so that no inserted text is taken for a placeholder. What is no piece is one of
/// the words.
fn whole(page: &str, pieces: &BTreeMap<&str, &str>, words: &PageWords) -> String {
    let mut made = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        made += before;
        let piece: Cow<'_, str> = match (pieces.get(name), name) {
            (Some(piece), _) => (*piece).into(),
            (None, "language") => words.language().into(),
            (None, "direction") => words.direction().into(),
            (None, key) => html(words.text(key)).into(),
        };
        made += &piece;
        rest = after;
    }
    made + rest
}

/// One of the words as HTML, as a text or an attribute.
pub(crate) fn html(text: &str) -> String {
    let whole = text.replace(['[', ']'], "");
    let escaped = whole.replace('&', "&amp;").replace('<', "&lt;");
    escaped.replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_whole_and_ask_nobody_else() {
        for page in [annotator("n0nce", &PageWords::default()), admin("n0nce")] {
            assert!(!page.contains("{{") && page.ends_with("</html>\n"));
            let tags = page.matches("<script").count() + page.matches("<style").count();
            assert_eq!(page.matches("nonce=\"n0nce\"").count(), tags);
            for outside in ["http://", "https://", " style=", " onclick=", "innerHTML"] {
                assert!(!page.contains(outside), "{outside}");
            }
        }
    }

    #[test]
    fn texts_stay_texts_in_a_page_without_a_server() {
        let text = "</script><script>alert(1)</script> {{nonce}} <!-- é";
        let sheet = json!({"states": [{"texts": [text, text]}]});
        let page = offline(&sheet, &PageWords::default());
        assert!(!page.contains("alert(1)</script>"));
        let data = page.split("id=\"embedded\" nonce=\"here\">").nth(1);
        let data = data
            .and_then(|rest| rest.split("</script>").next())
            .unwrap();
        let back: Value = serde_json::from_str(data).unwrap();
        assert_eq!(back["states"][0]["texts"][1], text);
    }
}
