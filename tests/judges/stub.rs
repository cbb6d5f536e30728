//! An endpoint that is not one: a server on this machine that answers as a test wants it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What a request is answered with.
pub(crate) enum Reply {
    /// A completion.
    Answer(Value),
    /// A status with a header and a body.
    Status(u16, &'static str, &'static str),
    /// 200, and this.
    Garbage(&'static str),
    /// 200, and the connection ends in the middle of the body.
    Half(Value),
}

/// A server that counts.
pub(crate) struct Stub {
    pub address: String,
    bodies: Arc<Mutex<Vec<(String, Value)>>>,
    most: Arc<AtomicUsize>,
}

type Answer = dyn Fn(usize, &Value) -> (Duration, Reply) + Send + Sync;

impl Stub {
    /// Answers the n-th request, from 0, as `reply` says.
    pub(crate) fn new(reply: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        Self::late(move |n, body| (Duration::ZERO, reply(n, body)))
    }

    /// The same, each answer after some time.
    pub(crate) fn late(
        reply: impl Fn(usize, &Value) -> (Duration, Reply) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let stub = Self {
            address,
            bodies: Arc::clone(&bodies),
            most: Arc::clone(&most),
        };
        let reply: Arc<Answer> = Arc::new(reply);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (bodies, reply) = (Arc::clone(&bodies), Arc::clone(&reply));
                let (at_once, most) = (Arc::clone(&at_once), Arc::clone(&most));
                thread::spawn(move || {
                    let answer = |head: String, body: Value| {
                        most.fetch_max(
                            at_once.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        let n = {
                            let mut bodies = bodies.lock().unwrap();
                            bodies.push((head, body.clone()));
                            bodies.len() - 1
                        };
                        let (after, reply) = reply(n, &body);
                        thread::sleep(after);
                        at_once.fetch_sub(1, Ordering::SeqCst);
                        reply
                    };
                    let _ = serve(&stream, answer);
                });
            }
        });
        stub
    }

    /// The bodies that have come.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let bodies = self.bodies.lock().unwrap();
        bodies.iter().map(|(_, body)| body.clone()).collect()
    }

    /// The heads of requests.
    pub(crate) fn heads(&self) -> Vec<String> {
        let bodies = self.bodies.lock().unwrap();
        bodies.iter().map(|(head, _)| head.clone()).collect()
    }

    /// How many requests have come.
    pub(crate) fn count(&self) -> usize {
        self.bodies.lock().unwrap().len()
    }

    /// How many were there at a time, at most.
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

fn serve(stream: &TcpStream, answer: impl Fn(String, Value) -> Reply) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let lower = line.to_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            head += &line;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let reply = answer(head, serde_json::from_slice(&body).unwrap());
        let mut stream = stream;
        let (status, header, body, whole) = match reply {
            Reply::Answer(value) => (200, "", value.to_string(), true),
            Reply::Status(status, header, body) => (status, header, body.to_string(), true),
            Reply::Garbage(text) => (200, "", text.to_string(), true),
            Reply::Half(value) => (200, "", value.to_string(), false),
        };
        let header = if header.is_empty() {
            String::new()
        } else {
            format!("{header}\r\n")
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\n{header}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let sent = if whole { body.len() } else { body.len() / 2 };
        // In one piece: what is written in two waits for the other side.
        stream.write_all(&[head.as_bytes(), &body.as_bytes()[..sent]].concat())?;
        if !whole {
            return Ok(());
        }
    }
}

/// A completion with log-probabilities of the labels.
pub(super) fn likely(a: f64, b: f64, tie: f64) -> Value {
    let token = |token: &str, p: f64| json!({"token": token, "logprob": p.ln()});
    let listed: Vec<Value> = [("A", a), ("B", b), ("C", tie)]
        .into_iter()
        .filter(|&(_, p)| p > 0.0)
        .map(|(label, p)| token(label, p))
        .collect();
    let first = json!({"token": "A", "logprob": a.ln(), "top_logprobs": listed});
    completion(&json!({
        "message": {"role": "assistant", "content": "A"},
        "finish_reason": "stop",
        "logprobs": {"content": [first]},
    }))
}

/// A completion of words alone.
pub(super) fn words(text: &str) -> Value {
    completion(&json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}))
}

/// A completion with this choice; it has read 100 tokens and written 2.
pub(super) fn completion(choice: &Value) -> Value {
    json!({"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 2}})
}

/// A message of Anthropic's, with a thought before its text; it has read 100 tokens and written 2.
pub(super) fn message(text: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "stub",
        "content": [{"type": "thinking", "thinking": "B?"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 2},
    })
}

/// The two outputs that a request shows.
pub(super) fn shown(body: &Value) -> (String, String) {
    let messages = body["messages"].as_array().unwrap();
    let text = messages.last().unwrap()["content"].as_str().unwrap();
    let between = |begin: &str, end: &str| {
        let rest = text.split_once(begin).unwrap().1;
        rest.split_once(end).unwrap().0.to_string()
    };
    (
        between("[Answer A]\n", "\n[End of answer A]"),
        between("[Answer B]\n", "\n[End of answer B]"),
    )
}

/// Prefers the longer, and what is shown first by a tenth.
pub(super) fn longer(body: &Value) -> Value {
    let (first, second) = shown(body);
    let (first, second) = (first.len() as f64, second.len() as f64);
    let p = 0.9 * first / (first + second) + 0.1;
    likely(p, 1.0 - p, 0.0)
}
