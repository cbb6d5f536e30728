//! Models by hub id, from a hub on this machine.

use super::{contest, drawn, env, models};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use tiebreak::Error;
use tiebreak::encoders::Hub;
use tiebreak::env::Env;
use tiebreak::preference::load;

/// A hub that knows `someone/tiny` and remembers what it was asked for. It also has models that would be written
/// outside of the cache (`hostile/name` by a file's name, `hostile/etag` and `hostile/commit` by what is said of
/// files), one whose files are always elsewhere, `hostile/loop`, and one whose files are not those it says,
/// `hostile/digest`.
struct Server {
    endpoint: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let record = Arc::clone(&record);
                std::thread::spawn(move || answer(&stream, &record));
            }
        });
        Self { endpoint, asked }
    }

    fn paths(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Answers the requests of one connection: the list of files, and ranges of files.
fn answer(stream: &TcpStream, record: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
        let mut start = 0;
        let mut end = None;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let header = header.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(range) = header.strip_prefix("range: bytes=") {
                let (from, to) = range.split_once('-').unwrap();
                start = from.parse().unwrap();
                end = to.parse::<usize>().ok();
            }
        }
        let path = request.split(' ').nth(1).unwrap().to_string();
        record.lock().unwrap().push(path.clone());
        let reply = reply(&path, start, end);
        let mut stream = stream;
        if stream.write_all(&reply).is_err() {
            return;
        }
    }
}

fn reply(path: &str, start: usize, end: Option<usize>) -> Vec<u8> {
    let folder = models().join("tiny-electra");
    let path = path.replacen("/api/models", "", 1);
    let mut words = path.trim_start_matches('/').splitn(3, '/');
    let [owner, model, rest] = [(); 3].map(|()| words.next().unwrap_or_default());
    let known = matches!(
        (owner, model),
        ("someone", "tiny") | ("hostile", "name" | "etag" | "commit" | "loop" | "digest")
    );
    let said = |what: &str, usual: &str| match model == what {
        true => "../../../../evil".to_string(),
        false => usual.to_string(),
    };
    let body = if known && rest == "revision/main" {
        let weights = match model {
            "name" => "model../../../../../evil.safetensors",
            _ => "model.safetensors",
        };
        let files: Vec<_> = ["README.md", "config.json", weights, "tokenizer.json"]
            .iter()
            .map(|name| serde_json::json!({ "rfilename": name }))
            .collect();
        Some(
            serde_json::json!({ "siblings": files, "sha": "abc" })
                .to_string()
                .into_bytes(),
        )
    } else {
        rest.strip_prefix("resolve/main/")
            .filter(|_| known)
            .and_then(|file| std::fs::read(folder.join(file)).ok())
    };
    let Some(body) = body else {
        return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec();
    };
    if model == "loop" && rest.starts_with("resolve") {
        return format!("HTTP/1.1 302 Found\r\nlocation: {path}\r\ncontent-length: 0\r\n\r\n")
            .into();
    }
    let size = body.len();
    let end = end.map_or(size, |end| (end + 1).min(size));
    let part = &body[start.min(size)..end];
    let file = path.rsplit('/').next().unwrap();
    let usual = match model {
        "digest" => "0".repeat(64),
        _ => format!("{file}-etag"),
    };
    let (etag, commit) = (said("etag", &usual), said("commit", "abc"));
    let mut reply = format!(
        "HTTP/1.1 206 Partial Content\r\ncontent-length: {}\r\n\
         content-range: bytes {start}-{}/{size}\r\netag: \"{etag}\"\r\n\
         x-repo-commit: {commit}\r\n\r\n",
        part.len(),
        end.saturating_sub(1),
    )
    .into_bytes();
    reply.extend(part);
    reply
}

fn env_of(endpoint: &str, cache: &std::path::Path) -> Env {
    Env {
        hub: Hub {
            endpoint: Some(endpoint.to_string()),
            cache: Some(cache.to_path_buf()),
        },
        ..env()
    }
}

#[test]
fn a_model_is_fetched_once_and_then_works_offline() {
    let server = Server::start();
    let cache = tempfile::tempdir().unwrap();
    let contests = [contest("the cat", "a dog", "no")];
    let local = load("tiny-electra", &drawn(2), &env()).unwrap();
    let fetched = load(
        "someone/tiny",
        &drawn(2),
        &env_of(&server.endpoint, cache.path()),
    )
    .unwrap();
    assert_eq!(
        local.predict(&contests).unwrap(),
        fetched.predict(&contests).unwrap()
    );
    let paths: BTreeSet<String> = server.paths().into_iter().collect();
    assert!(
        !paths.iter().any(|path| path.contains("README")),
        "{paths:?}"
    );
    assert_eq!(paths.len(), 4, "a listing and three files: {paths:?}");
    let offline = env_of("http://127.0.0.1:1", cache.path());
    let cached = load("someone/tiny", &drawn(2), &offline).unwrap();
    assert_eq!(fetched.signature(), cached.signature());
}

#[test]
fn what_the_hub_does_not_know_is_said() {
    let server = Server::start();
    let cache = tempfile::tempdir().unwrap();
    let env = env_of(&server.endpoint, cache.path());
    for id in ["someone/unknown", "someone/tiny@another"] {
        let error = load(id, &drawn(1), &env).err().unwrap();
        assert!(matches!(error, Error::Model { .. }), "{error}");
        assert!(error.to_string().contains("404"), "{error}");
    }
}

#[test]
fn nothing_a_hub_says_becomes_a_path_outside_of_the_cache() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("a/b/c/d/cache");
    let env = env_of(&server.endpoint, &cache);
    for id in ["hostile/name", "hostile/etag", "hostile/commit"] {
        let error = load(id, &drawn(1), &env).err().unwrap().to_string();
        assert!(error.contains("not a plain name"), "{id}: {error}");
    }
    let error = load("someone/tiny@../../x", &drawn(1), &env).err().unwrap();
    assert_eq!(error.exit_code(), 2);
    let written = crate::cli::tree(folder.path());
    let stray = written.iter().find(|(path, _)| {
        let path = path.to_string_lossy();
        path.contains("evil") || !path.contains("cache")
    });
    assert!(stray.is_none(), "{stray:?}");
}

#[test]
fn a_hub_that_redirects_for_ever_is_left() {
    let server = Server::start();
    let cache = tempfile::tempdir().unwrap();
    let env = env_of(&server.endpoint, cache.path());
    let error = load("hostile/loop", &drawn(1), &env).err().unwrap();
    let words = "it redirects more than 10 times";
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn a_file_that_is_not_what_the_hub_says_is_refused_and_removed() {
    let server = Server::start();
    let cache = tempfile::tempdir().unwrap();
    let env = env_of(&server.endpoint, cache.path());
    for _ in 0..2 {
        let error = load("hostile/digest", &drawn(1), &env).err().unwrap();
        let expected = format!("expected sha256:{}", "0".repeat(64));
        assert!(error.to_string().contains(&expected), "{error}");
        let kept = crate::cli::tree(cache.path());
        assert!(
            kept.iter().all(|(path, _)| !path.ends_with("0".repeat(64))),
            "{kept:?}"
        );
    }
}

#[test]
fn without_a_network_the_hint_is_a_folder() {
    let cache = tempfile::tempdir().unwrap();
    let error = load(
        "someone/tiny",
        &drawn(1),
        &env_of("http://127.0.0.1:1", cache.path()),
    )
    .err()
    .unwrap();
    assert!(matches!(error, Error::Model { .. }), "{error}");
    assert_eq!(error.exit_code(), 2);
    assert!(error.hint().unwrap().contains("folder"), "{error}");
}

#[test]
fn a_name_without_an_owner_never_reaches_the_hub() {
    let server = Server::start();
    let cache = tempfile::tempdir().unwrap();
    let env = env_of(&server.endpoint, cache.path());
    for name in ["no-such-model", "./no/such", "/no/such", "a/b/c"] {
        let error = load(name, &drawn(1), &env).err().unwrap();
        // What begins like a path is one.
        let is_missing = error.to_string().contains("no such file");
        let is_known = matches!(error, Error::UnknownName { .. }) || is_missing;
        assert!(is_known, "{error}");
    }
    assert!(server.paths().is_empty());
}
