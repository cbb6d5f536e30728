//! A server that keeps to the contract of the annotator's page and no more, and can be made to fail.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use tiebreak::campaign::page::{self, PageWords};

/// One that answers people by their links, each with tasks of her own.
#[derive(Clone)]
pub(super) struct Stub {
    state: Arc<Mutex<State>>,
    port: u16,
}

#[derive(Default)]
struct State {
    people: BTreeMap<String, Person>,
    /// What the page of the campaign's head is told.
    status: Value,
    /// Requests that come to nothing from now on.
    trouble: Trouble,
    stopped: bool,
}

#[derive(Default)]
struct Person {
    tasks: Vec<Value>,
    answers: Vec<Value>,
}

/// What goes wrong.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Trouble {
    #[default]
    None,
    /// Nobody answers.
    Gone,
    /// Answers are taken, and nobody says so.
    Silent,
    /// Told to wait.
    Busy,
}

impl Person {
    fn state(&self) -> Value {
        let (done, all) = (self.answers.len(), self.tasks.len());
        let mut state = match self.tasks.get(done) {
            Some(task) => task.clone(),
            None => json!({"state": "done", "message": null, "code": "TB-2026"}),
        };
        state["question"] = json!(done.to_string());
        state["undo"] = json!(done > 0);
        state["progress"] = json!({"answered": done, "left": all - done});
        state
    }

    /// The status and body that an answer gets.
    fn answer(&mut self, answer: Value) -> (u16, Value) {
        let question: usize = answer["question"].as_str().unwrap().parse().unwrap();
        match self.answers.get(question) {
            None if question == self.answers.len() && question < self.tasks.len() => {
                self.answers.push(answer);
                (200, self.state())
            }
            Some(known) if known["answer"] == answer["answer"] => (200, self.state()),
            _ => (
                409,
                json!({"error": "it was answered elsewhere", "state": self.state()}),
            ),
        }
    }
}

impl Stub {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stub = Self {
            state: Arc::default(),
            port: listener.local_addr().unwrap().port(),
        };
        let server = stub.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if server.state.lock().unwrap().stopped {
                    break;
                }
                let server = server.clone();
                std::thread::spawn(move || server.serve(stream));
            }
        });
        stub
    }

    /// The link of somebody with these tasks.
    pub(super) fn link(&self, token: &str, tasks: Vec<Value>) -> String {
        let person = Person {
            tasks,
            answers: Vec::new(),
        };
        let mut state = self.state.lock().unwrap();
        state.people.insert(token.to_string(), person);
        format!("http://127.0.0.1:{}/j/{token}", self.port)
    }

    /// The link of the campaign's head, who is told this.
    pub(super) fn admin(&self, status: Value) -> String {
        self.state.lock().unwrap().status = status;
        format!("http://127.0.0.1:{}/admin/head", self.port)
    }

    pub(super) fn trouble(&self, trouble: Trouble) {
        self.state.lock().unwrap().trouble = trouble;
    }

    /// What somebody answered.
    pub(super) fn answers(&self, token: &str) -> Vec<Value> {
        self.state.lock().unwrap().people[token].answers.clone()
    }

    /// Whether the campaign is paused.
    pub(super) fn status(&self) -> Value {
        self.state.lock().unwrap().status.clone()
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() || line.is_empty() {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or("/").to_string();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let header = header.trim().to_lowercase();
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if header.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let trouble = self.state.lock().unwrap().trouble;
        if trouble == Trouble::Gone {
            return;
        }
        if trouble == Trouble::Busy {
            let _ = stream.write_all(b"HTTP/1.1 429 \r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return;
        }
        let said = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let (status, kind, text) = self.respond(&path, said);
        if trouble == Trouble::Silent {
            return;
        }
        let head = format!(
            "HTTP/1.1 {status} \r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
             Content-Security-Policy: {}\r\nConnection: close\r\n\r\n",
            text.len(),
            page::policy("n0nce")
        );
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(text.as_bytes());
    }

    fn respond(&self, path: &str, said: Value) -> (u16, &'static str, String) {
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let mut state = self.state.lock().unwrap();
        let json = |status, value: Value| (status, "application/json", value.to_string());
        match parts[..] {
            ["admin", _] => (200, "text/html", page::admin("n0nce")),
            ["admin", _, "pause"] => {
                state.status["paused"] = said["paused"].clone();
                json(200, json!({}))
            }
            ["admin", _, _] => json(200, state.status.clone()),
            ["j", _] => (
                200,
                "text/html",
                page::annotator("n0nce", &PageWords::default()),
            ),
            ["j", token, what] => {
                let Some(person) = state.people.get_mut(token) else {
                    return json(404, json!({"error": "unknown"}));
                };
                let (status, value) = match what {
                    "answer" => person.answer(said),
                    "undo" => {
                        person.answers.pop();
                        (200, person.state())
                    }
                    _ => (200, person.state()),
                };
                json(status, value)
            }
            _ => json(404, json!({})),
        }
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        // The thread and one more hold it: who drops the last but those ends it.
        if Arc::strong_count(&self.state) == 2 {
            self.state.lock().unwrap().stopped = true;
            let _ = TcpStream::connect(("127.0.0.1", self.port));
        }
    }
}
