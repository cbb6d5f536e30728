//! `view`: pages of a data set over HTTP and in a browser, with a secret link; one page without a server.

use super::serve::{Campaign, Server, get, post};
use super::{text, tiebreak};
use crate::support::{assert_contains, assert_lacks};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

/// What looks like markup, and what a page must not take for it.
const HOSTILE: &str = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>\
    \u{0}\u{202e}\" onload=\"x {{nonce}}";

/// Item, system, score by chrF, judgments of fluency, output.
const KNOWN: &str = "\
1 a 10 1,3 Überall kurz
1 b 20 5,4 HOSTILE
1 c 30 - überall länger
2 a 40 2 wort wort
2 b 10 5,1 wort  wort
2 c 5 - leer
3 a 55 4,4 NADEL
3 b 50 - dünn und überall dünner
3 c 60 1 x";

fn parts<const N: usize>(line: &str) -> [&str; N] {
    let parts: Vec<&str> = line.splitn(N, ' ').collect();
    parts.try_into().unwrap()
}

/// Serves a data set; the link.
fn view(arguments: &[&str]) -> (Server, String) {
    let server = Server::start(&[&["view", "--print-links"], arguments].concat());
    let link = server.admin.clone();
    (server, link)
}

/// Serves the known outputs, with judgments, comparisons, scores and verdicts.
fn known() -> (TempDir, Server, String) {
    let mut tables = [
        ("outputs", "item,system,output,tokens"),
        ("scores", "item,system,metric,score"),
        ("judgments", "item,system,criterion,score,annotator,comment"),
        ("items", "item,source,references,language,chrf,url\n1,LONG,one,German,high,u\n2,LONG,one,Czech,low,u\n3,LONG,one,German,high,u"),
        ("comparisons", "item,system_a,system_b,outcome,annotator,label\n1,a,b,1,ann0,A\n1,a,b,0,ann1,B\n2,a,b,0.5,ann7,both bad\nunknown,a,b,,,unanswered"),
        ("predictions", "item,system_a,system_b,p,judge,answer\n1,a,b,0.9,judge-1,[[A]] HOSTILE\n2,a,b,0.9,judge-1,no"),
    ]
    .map(|(name, table)| (name, table.to_string()));
    for line in KNOWN.lines() {
        let [item, system, chrf, said, output] = parts(line);
        tables[0].1 += &format!("\n{item},{system},{output},7");
        tables[1].1 += &format!("\n{item},{system},chrf,{chrf}");
        for (n, score) in said.split(',').enumerate().filter(|one| one.1 != "-") {
            tables[2].1 +=
                &format!("\n{item},{system},fluency,{score},ann{n},why {system} HOSTILE");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let [a, b, word] = ["a ", "b ", "Anunbrokenword"].map(|one| one.repeat(300));
    let long = format!("source HOSTILE {a} needle {b} {word}");
    for (name, table) in tables {
        let table = table.replace("LONG", &long).replace("HOSTILE", HOSTILE);
        fs::write(folder.path().join(format!("{name}.csv")), table).unwrap();
    }
    let scores = folder.path().join("scores.csv");
    let (server, link) = view(&[text(folder.path()), "--scores", text(&scores)]);
    (folder, server, link)
}

/// Links, the status of the reply, and parts of it; or `=`, and the items that are selected in order, with the output and
/// the number that decide. Who does not know the secret learns nothing. A search is whatever the case; what is said of an
/// item counts for all outputs, and a comment for its own.
const REPLIES: &str = "\
? = 1 2 3
?sort=disagreement:fluency~chrf = 3c=86.1 % 1b=52.8 % 2b=36.1 %
?sort=disagreement:fluency~chrf&system=b = 1b=52.8 % 2b=36.1 % 3
?sort=disagreement:fluency~chrf&slice:language=Czech = 2b=36.1 %
?sort=spread:fluency = 2b=2.828 1a=1.414 3a=0
?sort=spread:preference = 1a=0.7071 2 3
?sort=score:chrf&system=c = 3c=60 1c=30 2c=5
?sort=score:chrf&asc=on = 2c=5 1a=10 3b=50
?sort=score:fluency = 1b=4.500 3a=4 2b=3
?sort=score:judge-1&system=a = 1a=0.9000 2a=0.9000 3
?sort=length&system=b = 1b=104 3b=23 2b=10
?sort=difference:chrf&system=a&against=b = 2a=30 3a=5 1a=-10
?sort=difference:chrf&system=b = 1b=0 3b=-7.500 2b=-12.50
?sort=difference:chrf = 2a=32.50 1c=15 3c=7.500
?label=both+bad = 2
?annotator=ann7 = 2
?annotator=ann7&system=c =\u{20}
?slice:language=German = 1 3
?q=%C3%9CBERALL = 1 3
?q=%C3%BCberall&system=b = 3
?q=Needle&system=b = 1 2 3
?q=why+c&system=b =\u{20}
?q=why+c = 3
?q=Both+bad = 2
?q=WORT++wort = 2
?q=nowhere+to+be+found =\u{20}
?system=d 400 not in this data set
?slice:language=Dutch 400 not in this data set
?page=0 400 not in this data set
?colour=red 400 not in this data set
?foo= 400 not in this data set
nothing 404 not known
../00000000000000000000000000000000/item?page=1 404 not known
item?page=1 200 data-item=\"1\"|data-output=\"a\"|judge-1|[[A]] SCRIPT|ann0|why b|chrf|Reference|language</b>|url|tokens|German
item?q=WORT++wort 200 SCRIPT|wort  wort</div>|1 of 1
item?sort=score:chrf&page=3 200 <a href=\"./?sort=score%3Achrf&amp;page=1\" rel=\"up\"|3 of 3|rel=\"prev\"
?sort=score:chrf&q=%C3%BCberall&page=2 200 item?sort=score%3Achrf&amp;q=%C3%BCberall&amp;page=1|2 of 3 items fit: sort|1 of 1
?q=nowhere 200 0 of 3 items fit|Leave out a filter
?q=NEEDLE+b 200 a  needle b
?q=owned&system=b 200 SCRIPT
page.html?sort=length 200 SCRIPT|3 of 3 items fit: sort
selection.jsonl?sort=score:chrf&system=b&slice:language=German 200 {\"item\":\"3\",\"system\":\"b\",|\"output\":\"dünn und überall dünner\",\"language\":\"German\",|\"score:chrf\":50.0}|img src=x onerror
selection.csv 200 item,system,source,output,language,chrf,fluency,preference,judge-1,score:chrf
selection.csv?system=a 200 ,wort wort,Czech,low,2.0,0.5,0.9,40.0";

#[test]
fn pages_have_all_that_is_known_behind_a_secret_link() {
    let (_folder, server, link) = known();
    let script = "&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;&lt;img src=x ";
    for line in REPLIES.lines() {
        let [name, status, shown] = parts(line);
        let came = get(&format!("{link}{name}"));
        if status == "=" {
            let found = came.text().split("data-item=\"").skip(1).map(|row| {
                let value = row.split_once("class=\"value\">");
                let value = value.and_then(|(_, value)| value.split('<').next());
                row[..1].to_string() + &value.unwrap_or_default().replace(": ", "=")
            });
            assert_eq!(found.collect::<Vec<_>>().join(" "), shown, "{name}");
            continue;
        }
        assert_eq!(came.status().to_string(), status, "{name}");
        let shown = shown.replace("SCRIPT", script);
        assert_contains(came.text(), &shown.split('|').collect::<Vec<_>>());
        let is_known = status == "200";
        assert!(is_known || !came.text().contains("data-item"), "{name}");
        if !name.starts_with("selection") {
            let harm = ["<script>", "<img", "\" onload=\"", "\u{0}", "://"];
            assert_lacks(came.text(), &harm);
        }
    }
    assert_lacks(get(&link).text(), &[&"b ".repeat(200)]);
    // The list shows two outputs, and says whose others there are.
    let list = get(&format!("{link}?q=needle+b"));
    assert_contains(list.text(), &["Not shown: <bdi>c</bdi>."]);
    assert_lacks(get(&format!("{link}item?page=3")).text(), &["rel=\"next\""]);
    let headers = get(&link).headers_but_length();
    let policy = "default-src 'none'; script-src 'nonce-";
    assert_contains(&headers, &[policy, "form-action 'self'", "no-store"]);
    assert_lacks(&headers, &["unsafe"]);
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
    let [path, scores] = ["page.html", "scores.jsonl"].map(|name| folder.path().join(name));
    super::score_with_chrf(&scores);
    let [to, from] = [text(&path), text(&scores)];
    let page = format!("view data/tiny --static {to} --scores {from}");
    let with = |query: &str| tiebreak(&[&page, "--query", query]);
    with("junk").refused(&["`junk=` of the link is not in this data set"]);
    with("system=fjord&sort=length").ok();
    let written = fs::read_to_string(&path).unwrap();
    assert_contains(&written, &["fjord", "Security-Policy", "Signatures"]);
    assert_lacks(&written, &["<script", "://", "<form", "rel=\"next\""]);
    tiebreak(&[&page]).refused(&["page.html", "already there"]);
}

#[test]
fn a_campaign_says_that_looking_can_influence_it() {
    let campaign = Campaign::new(4);
    campaign.serve(&[]).kill();
    let (_server, link) = view(&[text(&campaign.path("run")), "--listen", "0.0.0.0:0"]);
    assert_lacks(&link, &["0.0.0.0"]);
    let shown = ["can influence", "secret-good", "&lt;b&gt;fine&lt;/b&gt;"];
    assert_contains(get(&link).text(), &shown);
}

/// Hostile texts load and run nothing; keys and forms lead where they say; nothing is cut on a telephone.
#[cfg(feature = "neural")]
#[test]
fn pages_are_whole_in_a_browser() {
    use super::browser::Browser;
    let Some(mut browser) = Browser::start("pages_are_whole_in_a_browser") else {
        return;
    };
    let (_folder, _server, link) = known();
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
        let form = "document.querySelector('form')";
        browser.evaluate(&format!("{form}.q.value = 'OWNED'; {form}.requestSubmit()"));
        reach(&mut browser, "location.search.includes('q=OWNED')");
        browser.key("j");
        browser.evaluate("document.activeElement.click()");
        reach(&mut browser, "location.pathname.endsWith('/item')");
        let shown = browser.evaluate("document.querySelector('[data-output=b]').textContent");
        assert_eq!(shown, HOSTILE.replace('\0', "\u{fffd}"));
        assert!(browser.holds("CSS.highlights.get('found').size === 15"));
        look(&mut browser, "item");
        browser.key("j");
        reach(
            &mut browser,
            "!!document.querySelector('[data-item=\"2\"]')",
        );
        browser.key("u");
        reach(&mut browser, "!!document.querySelector('form')");
        assert_ne!(browser.evaluate("document.title"), "owned");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}
