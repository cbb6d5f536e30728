//! The README and the pages of `docs`: every command runs, in order, in one folder, and prints what stands
//! below it.

use crate::cli::fill_in;
use crate::support::say;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The pages, as somebody would read them who goes on from the README.
const PAGES: [&str; 15] = [
    "README.md",
    "docs/data.md",
    "docs/view.md",
    "docs/import.md",
    "docs/metrics.md",
    "docs/comparisons.md",
    "docs/campaigns.md",
    "docs/race.md",
    "docs/hosting.md",
    "docs/models.md",
    "docs/judges.md",
    "docs/ratings.md",
    "docs/clusters.md",
    "docs/pipelines.md",
    "docs/guarantees.md",
];

/// A fenced block of a page.
struct Block {
    line: usize,
    language: String,
    text: String,
}

#[cfg(all(unix, feature = "neural"))]
#[test]
fn every_command_does_what_is_printed_beside_it() {
    let reader = Reader::new();
    for page in PAGES {
        let mut printed = String::new();
        for block in blocks(page) {
            let place = format!("{page}:{}", block.line);
            match block.language.as_str() {
                "sh" => printed = reader.types(&place, &block.text),
                "python" => printed = reader.runs_python(&place, &block.text).unwrap_or_default(),
                "text" if printed.is_empty() => {}
                "text" => assert!(
                    matches(&block.text, &printed),
                    "{place}: it prints\n{printed}\nand the page says\n{}",
                    block.text
                ),
                "toml" => {
                    let read = block.text.parse::<toml::Table>();
                    assert!(read.is_ok(), "{place}: {}", read.unwrap_err());
                    reader.saves(&block.text);
                }
                other => panic!("{place}: a block of `{other}`, expected sh, python, text or toml"),
            }
        }
    }
}

#[test]
fn every_page_and_every_link_is_there() {
    let mut pages: Vec<String> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().display()))
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "md"))
        .collect();
    pages.push("README.md".to_string());
    for page in &pages {
        let text = fs::read_to_string(root().join(page)).unwrap();
        assert!(
            PAGES.contains(&page.as_str()) || blocks(page).iter().all(|one| one.language != "sh"),
            "{page} has commands that nobody runs: add it to the pages"
        );
        let folder = root().join(page).parent().unwrap().to_path_buf();
        for link in text.split("](").skip(1) {
            let target = link.split(')').next().unwrap();
            let outside = target.starts_with("http");
            assert!(
                outside || folder.join(target).exists(),
                "{page} links {target}"
            );
        }
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let metrics = format!("with {} metrics", tiebreak::metrics::METRICS.len());
    assert!(readme.contains(&metrics), "the README says {metrics}");
    for page in pages.iter().filter(|page| *page != "README.md") {
        assert!(readme.contains(page.as_str()), "the README links {page}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn blocks(page: &str) -> Vec<Block> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                blocks.push(Block {
                    line: number,
                    language: language.to_string(),
                    text: String::new(),
                });
            }
            None if open => {
                let block = blocks.last_mut().unwrap();
                block.text += line;
                block.text.push('\n');
            }
            None => {}
        }
    }
    blocks
}

/// Whether a text is what a page says: `…` stands for anything, alone on a line for any lines.
fn matches(said: &str, printed: &str) -> bool {
    let said: Vec<&str> = said.lines().map(str::trim_end).collect();
    let printed: Vec<&str> = printed.trim().lines().map(str::trim_end).collect();
    lines_match(&said, &printed)
}

fn lines_match(said: &[&str], printed: &[&str]) -> bool {
    match (said, printed) {
        ([], printed) => printed.is_empty(),
        (["…", rest @ ..], _) => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        ([one, said @ ..], [other, printed @ ..]) => {
            line_matches(one, other) && lines_match(said, printed)
        }
        _ => false,
    }
}

fn line_matches(said: &str, printed: &str) -> bool {
    match said.split_once('…') {
        None => said == printed,
        Some((before, after)) => {
            let rest = printed.strip_prefix(before);
            rest.is_some_and(|rest| {
                let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
                ends.into_iter().any(|at| line_matches(after, &rest[at..]))
            })
        }
    }
}

/// Somebody who types what the pages say, in a folder with the repository's data, pipelines and models.
struct Reader {
    folder: tempfile::TempDir,
    path: std::ffi::OsString,
}

impl Reader {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["data", "pipelines", "models/tiny-electra"] {
            copy(&root().join(part), &folder.path().join(part));
        }
        let program = PathBuf::from(env!("CARGO_BIN_EXE_tiebreak"));
        let mut path = vec![program.parent().unwrap().to_path_buf()];
        path.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        Self {
            folder,
            path: std::env::join_paths(path).unwrap(),
        }
    }

    /// Runs the commands of a block; returns what the last one prints.
    fn types(&self, place: &str, block: &str) -> String {
        let mut printed = String::new();
        for command in block.replace("\\\n", " ").lines() {
            let typed = command.replace("cargo run --release --", "tiebreak");
            // The tests are running, and the program is on the path.
            let done = typed.starts_with("cargo test") || typed.starts_with("cargo install");
            if done || typed.trim().is_empty() {
                continue;
            }
            if typed.starts_with("tiebreak tell") {
                self.fills(&typed);
            }
            let views = typed.starts_with("tiebreak view") && !typed.contains("--static");
            if views || typed.starts_with("tiebreak serve") {
                self.serves(place, &typed);
                continue;
            }
            let finished = self.command("sh").args(["-c", &typed]).output().unwrap();
            printed = succeeded(place, &typed, finished);
        }
        printed
    }

    /// A file that begins with its name as a comment is there from then on.
    fn saves(&self, text: &str) {
        let name = text.lines().next().and_then(|line| line.strip_prefix("# "));
        if let Some(name) = name.filter(|name| {
            Path::new(name)
                .extension()
                .is_some_and(|kind| kind == "toml")
        }) {
            fs::write(self.folder.path().join(name), text).unwrap();
        }
    }

    /// A server is ended by whoever started it, once it says that it serves.
    fn serves(&self, place: &str, typed: &str) {
        let mut child = self
            .command("sh")
            .args(["-c", &format!("exec {typed}")])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.by_ref().map_while(Result::ok);
        assert!(
            lines.any(|line| line.contains("Ctrl-C ends it")),
            "{place}: {typed}"
        );
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        lines.for_each(drop);
        assert!(child.wait().unwrap().success(), "{place}: {typed}");
    }

    /// `None` where there is no Python, or not what the program imports: `python/tests` runs it with the wheel.
    fn runs_python(&self, place: &str, program: &str) -> Option<String> {
        // Of a file, as people would: some packages want to know where a program lies.
        let file = self.folder.path().join("program.py");
        fs::write(&file, program).unwrap();
        match self.command("python3").arg(&file).output() {
            Ok(finished) => {
                let errors = String::from_utf8_lossy(&finished.stderr);
                let mut lines = errors.lines();
                if let Some(missing) = lines.find(|line| line.starts_with("ModuleNotFoundError")) {
                    say("SKIPPED", &format!("the Python of {place}: {missing}"));
                    return None;
                }
                Some(succeeded(place, program, finished))
            }
            Err(error) => {
                say("SKIPPED", &format!("the Python of {place}: {error}"));
                None
            }
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("PATH", &self.path)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// What people do between two commands: they fill in the sheets that the second names.
    fn fills(&self, command: &str) {
        let is_sheet = |path: &Path| path.extension().is_some_and(|end| end == "csv");
        for word in command.split_whitespace() {
            let path = self.folder.path().join(word);
            if is_sheet(&path) {
                fill(&path);
            } else if path.is_dir() && !path.join("journal.jsonl").exists() {
                let files = fs::read_dir(&path).unwrap();
                let files = files.map(|entry| entry.unwrap().path());
                files
                    .filter(|file| is_sheet(file))
                    .for_each(|file| fill(&file));
            }
        }
    }
}

/// Who likes longer texts better, and rates them by their length.
fn fill(sheet: &Path) {
    let points = |criterion: &str| match criterion {
        "fluency" | "content" | "repetition" => Some(5),
        "adequacy" => Some(100),
        _ => None,
    };
    fill_in(sheet, sheet, |_, row, column| {
        let length = |name: &str| row.get(name).map_or(0, |text| text.len());
        match column {
            "answer" if length("text_1") >= length("text_2") => Some("1".to_string()),
            "answer" => Some("2".to_string()),
            _ => points(column).map(|points| (1 + length("text") % points).to_string()),
        }
    });
}

fn succeeded(place: &str, typed: &str, finished: Output) -> String {
    let errors = String::from_utf8_lossy(&finished.stderr);
    assert!(finished.status.success(), "{place}: {typed}\n{errors}");
    String::from_utf8(finished.stdout).unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (one, other) = (entry.path(), to.join(entry.file_name()));
        if one.is_dir() {
            copy(&one, &other);
        } else {
            fs::copy(&one, &other).unwrap();
        }
    }
}

#[test]
fn what_a_page_leaves_out_may_be_anything() {
    assert!(matches("a\n…\nd … f\n", "a\nb\nc\nd e f\n"));
    assert!(!matches("a\n…\nd\n", "a\nb\n"));
    assert!(!matches("a\n", "a\nb\n"));
}
