//! A browser that is told what to do over a pipe: pages as people see them, at any width and on paper.
//!
//! A window by flags is never under 500 pixels; the DevTools protocol has no such bound. Its pipe is two
//! file descriptors, which a shell passes on.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A browser with one page.
pub(super) struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    asked: u64,
    session: Option<String>,
    /// The people whose pages are open, each apart from the others, by page.
    people: BTreeMap<String, Value>,
    /// What pages complained of.
    complaints: Vec<String>,
    folder: TempDir,
}

impl Browser {
    /// `None`, said aloud, where there is none.
    pub(super) fn start(test: &str) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let program = std::env::split_paths(&path)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|file| file.is_file());
        let Some(program) = program else {
            crate::support::say("SKIPPED", &format!("{test} (no chromium)"));
            return None;
        };
        let mut browser = Self::of(&program);
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(String::from);
        Some(browser)
    }

    fn of(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [to, from] = ["to", "from"].map(|name| folder.path().join(name));
        let made = Command::new("mkfifo").args([&to, &from]).status().unwrap();
        assert!(made.success(), "mkfifo");
        let flags =
            "--headless --no-sandbox --disable-gpu --hide-scrollbars --disable-dev-shm-usage";
        let command = format!(
            "exec \"$0\" {flags} --remote-debugging-pipe --user-data-dir=\"$1\" 3<\"$2\" 4>\"$3\""
        );
        let child = Command::new("sh")
            .args(["-c", &command])
            .arg(program)
            .arg(folder.path().join("profile"))
            .args([&to, &from])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // In the order in which the shell opens them: each waits for the other end.
        let to = OpenOptions::new().write(true).open(to).unwrap();
        let from = BufReader::new(File::open(from).unwrap());
        Self {
            child,
            to,
            from,
            asked: 0,
            session: None,
            people: BTreeMap::new(),
            complaints: Vec::new(),
            folder,
        }
    }

    /// Calls a method of the protocol, and returns its result.
    fn call(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.exchange(method, params);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a call and returns the message that answers it; of events only complaints are kept.
    fn exchange(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to
            .write_all(format!("{message}\0").as_bytes())
            .unwrap();
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).unwrap();
            assert_eq!(answer.pop(), Some(0), "the browser ended at {method}");
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            self.complaints.extend(complaint(&answer));
            if answer["id"] == self.asked {
                return answer;
            }
        }
    }

    /// Shows a page in a window of some width.
    pub(super) fn open(&mut self, html: &str, width: u32, scheme: &str) {
        let file = self.folder.path().join("page.html");
        std::fs::write(&file, html).unwrap();
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.media("", scheme);
        // Away from a page of the same name, so that this one is loaded again.
        self.visit("about:blank");
        self.visit(&format!("file://{}", file.display()));
    }

    /// A page of somebody new, who shares nothing with the others: what it is called.
    pub(super) fn somebody(&mut self, link: &str, width: u32, scheme: &str) -> String {
        self.session = None;
        let context = self.call("Target.createBrowserContext", &json!({}));
        self.window_of(&context["browserContextId"], link, (width, scheme))
    }

    /// Another window of the same person.
    pub(super) fn another_window(&mut self, page: &str, link: &str) -> String {
        let person = self.people[page].clone();
        self.window_of(&person, link, (1000, "light"))
    }

    fn window_of(&mut self, person: &Value, link: &str, (width, scheme): (u32, &str)) -> String {
        self.session = None;
        let target = json!({"url": "about:blank", "browserContextId": person});
        let target = self.call("Target.createTarget", &target);
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = self.call("Target.attachToTarget", &attach);
        let page = attached["sessionId"].as_str().unwrap().to_string();
        self.people.insert(page.clone(), person.clone());
        self.look_at(&page);
        for what in ["Runtime.enable", "Log.enable"] {
            self.call(what, &json!({}));
        }
        self.call(
            "Emulation.setFocusEmulationEnabled",
            &json!({"enabled": true}),
        );
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.media("", scheme);
        self.visit(link);
        page
    }

    /// A window of some width in pixels of its own, each so many of the screen's: zoomed.
    pub(super) fn size(&mut self, width: u32, scale: u32) {
        let size =
            json!({"width": width, "height": 800, "deviceScaleFactor": scale, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Closes the page as a tab is closed.
    pub(super) fn close(&mut self) {
        self.call("Page.close", &json!({}));
    }

    /// Cuts the network of the page, or gives it back.
    pub(super) fn network(&mut self, there: bool) {
        self.call("Network.enable", &json!({}));
        let asked = json!({"offline": !there, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.call("Network.emulateNetworkConditions", &asked);
    }

    /// Turns to a page.
    pub(super) fn look_at(&mut self, page: &str) {
        self.session = Some(page.to_string());
    }

    /// Loads an address in the page.
    pub(super) fn visit(&mut self, url: &str) {
        self.call("Page.navigate", &json!({ "url": url }));
        let there = format!("document.readyState === 'complete' && location.href === '{url}'");
        let mut asked = 0;
        while !self.holds(&there) {
            asked += 1;
            assert!(asked < 3000, "{url} does not load");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key and lets it go.
    pub(super) fn key(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "ArrowRight" => (39, ""),
            other => (u32::from(other.to_uppercase().as_bytes()[0]), other),
        };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let event =
                json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Has what the page saves written to a folder.
    pub(super) fn downloads_to(&mut self, folder: &Path) {
        let page = self.session.take();
        let person = &self.people[page.as_deref().unwrap()];
        let asked =
            json!({"behavior": "allow", "downloadPath": folder, "browserContextId": person});
        self.call("Browser.setDownloadBehavior", &asked);
        self.session = page;
    }

    /// What pages complained of so far: errors of scripts, and what their policy forbade.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        self.evaluate("0");
        std::mem::take(&mut self.complaints)
    }

    /// What the window shows, in PNG.
    pub(super) fn window(&mut self) -> Vec<u8> {
        bytes(&self.call("Page.captureScreenshot", &json!({}))["data"])
    }

    /// On `screen` or `print`, with a preference for `light` or `dark`.
    pub(super) fn media(&mut self, media: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let asked = json!({"media": media, "features": features});
        self.call("Emulation.setEmulatedMedia", &asked);
    }

    /// Whether a condition holds on the page that is there now: of a page that is left at this very moment it does not.
    pub(super) fn holds(&mut self, condition: &str) -> bool {
        let asked = json!({"expression": condition, "returnByValue": true});
        let answer = self.exchange("Runtime.evaluate", &asked);
        // The protocol's own number for what a target cannot do: "navigated or closed", "context was destroyed".
        let left = answer["error"]["code"] == -32000;
        assert!(left || answer["error"].is_null(), "{condition}: {answer}");
        let found = &answer["result"];
        assert!(found["exceptionDetails"].is_null(), "{found}");
        found["result"]["value"] == true
    }

    /// The value of an expression on the page.
    pub(super) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true});
        let found = self.call("Runtime.evaluate", &asked);
        assert!(found["exceptionDetails"].is_null(), "{found}");
        found["result"]["value"].clone()
    }

    /// The whole page as a picture, in PNG.
    pub(super) fn picture(&mut self) -> Vec<u8> {
        let asked = json!({"captureBeyondViewport": true});
        bytes(&self.call("Page.captureScreenshot", &asked)["data"])
    }

    /// The page as it is printed.
    pub(super) fn paper(&mut self) -> Vec<u8> {
        self.call("Emulation.clearDeviceMetricsOverride", &json!({}));
        self.media("", "light");
        let asked = json!({"preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69});
        bytes(&self.call("Page.printToPDF", &asked)["data"])
    }

    /// Where pictures of a test are kept to be looked at: `TIEBREAK_PICTURES`, if that is set.
    pub(super) fn keep(name: &str, bytes: &[u8]) {
        if let Some(folder) = std::env::var_os("TIEBREAK_PICTURES").map(PathBuf::from) {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an event complains of. A server that is gone is the test's own doing.
fn complaint(event: &Value) -> Option<String> {
    let params = &event["params"];
    let entry = &params["entry"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
        "Log.entryAdded" if entry["level"] == "error" && entry["source"] != "network" => {
            Some(entry.to_string())
        }
        _ => None,
    }
}

/// What base64 stands for.
fn bytes(text: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for c in text.as_str().unwrap().bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    bytes
}

/// How many pages a document has that a browser printed.
pub(super) fn pages(pdf: &[u8]) -> usize {
    let count = |what: &[u8]| pdf.windows(what.len()).filter(|at| *at == what).count();
    count(b"/Type /Page") - count(b"/Type /Pages")
}
