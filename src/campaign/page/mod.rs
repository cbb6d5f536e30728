//! The pages that people see in a browser, each one file without anything from elsewhere.
//!
//! The annotator's page is the same with a server and without: only the script through which its questions come
//! differs (`server.js`, `offline.js`). Scripts and styles carry a nonce, so that a policy can forbid all
//! others.

use serde_json::Value;
use tiebreak_stages::rendering;

const PAGE: &str = include_str!("page.html");
const PAGE_STYLE: &str = concat!(include_str!("tokens.css"), include_str!("page.css"));
const PAGE_SCRIPT: &str = concat!(
    include_str!("dom.js"),
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
const ADMIN_STYLE: &str = concat!(include_str!("tokens.css"), include_str!("admin.css"));
const ADMIN_SCRIPT: &str = concat!(include_str!("dom.js"), include_str!("admin.js"));

/// The page of a link that leads nowhere.
#[cfg(feature = "serve")]
pub(crate) const MISSING: &str = include_str!("missing.html");

/// The content security policy of a served page, for its header.
pub fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// The annotator's page, which asks the server that gave it.
pub fn annotator(nonce: &str) -> String {
    judging(nonce, "", "null")
}

/// The page of whoever runs the campaign.
pub fn admin(nonce: &str) -> String {
    whole(ADMIN, ADMIN_STYLE, ADMIN_SCRIPT, nonce, "", "null")
}

/// The annotator's page with its questions inside, which needs no server.
pub(crate) fn offline(sheet: &Value) -> String {
    // Not secret: the page has no content but its own.
    const NONCE: &str = "here";
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'nonce-{NONCE}'; style-src 'nonce-{NONCE}'; img-src data:\">\n"
    );
    // A text must not end the element it stands in.
    let data = sheet.to_string().replace('<', "\\u003c");
    judging(NONCE, &policy, &data)
}

fn judging(nonce: &str, policy: &str, data: &str) -> String {
    let style = [PAGE_STYLE, rendering::STYLE].concat();
    whole(PAGE, &style, PAGE_SCRIPT, nonce, policy, data)
}

/// Fills a page in, piece by piece, so that no inserted text is taken for a placeholder.
fn whole(page: &str, style: &str, script: &str, nonce: &str, policy: &str, data: &str) -> String {
    let mut made = String::with_capacity(page.len() + style.len() + script.len() + data.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        made += before;
        made += match name {
            "nonce" => nonce,
            "style" => style,
            "script" => script,
            "policy" => policy,
            _ => data,
        };
        rest = after;
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_whole_and_ask_nobody_else() {
        for page in [annotator("n0nce"), admin("n0nce")] {
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
        let page = offline(&serde_json::json!({"states": [{"texts": [text, text]}]}));
        assert!(!page.contains("alert(1)</script>"));
        let data = page.split("id=\"embedded\" nonce=\"here\">").nth(1);
        let data = data
            .and_then(|rest| rest.split("</script>").next())
            .unwrap();
        let back: Value = serde_json::from_str(data).unwrap();
        assert_eq!(back["states"][0]["texts"][1], text);
    }
}
