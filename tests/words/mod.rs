//! Plain words: what people read has short sentences, and none of the words that only we understand.
//!
//! Read are all literals of at least three words outside of tests and assertions, the comments from which help is made,
//! the front pages of crates, pages and documents. Sentences that are composed as the program runs are read where they
//! are rendered ([`rendered_faults`]), by the walks of `truth`.

mod javascript;
mod rust;
mod sentences;

use crate::support::rust_files;
use sentences::faults;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A text that people read, and where it stands.
#[derive(Debug, PartialEq)]
struct Passage {
    line: usize,
    text: String,
}

/// What may stand where it stands: the end of a file's path, a part of the sentence, and why.
const ALLOWED: [(&str, &str, &str); 1] = [(
    "docs/proofs.md",
    "\"bet",
    "the page on statistics explains tests by betting",
)];

#[test]
fn people_read_plain_words() {
    let mut found = Vec::new();
    let (mut passages, mut used) = (0, [false; ALLOWED.len()]);
    for (file, read) in files() {
        let name = file.strip_prefix(ROOT).unwrap().display().to_string();
        for Passage { line, text } in read(&fs::read_to_string(&file).unwrap()) {
            passages += 1;
            for fault in faults(&text) {
                let reason = ALLOWED
                    .iter()
                    .position(|(place, part, _)| name.ends_with(place) && fault.contains(part));
                match reason {
                    Some(at) => used[at] = true,
                    None => found.push(format!("{name}:{line}: {fault}")),
                }
            }
        }
    }
    assert!(passages > 3000, "the sources lie elsewhere: {passages}");
    let unused: Vec<_> = ALLOWED.iter().zip(used).filter(|(_, used)| !used).collect();
    assert!(unused.is_empty(), "allowed, and not there: {unused:#?}");
    let number = found.len();
    assert!(found.is_empty(), "{number} are not plain: {found:#?}");
}

/// How the passages of a file are found.
type Reader = fn(&str) -> Vec<Passage>;

/// All files that hold what people read.
fn files() -> Vec<(PathBuf, Reader)> {
    let root = Path::new(ROOT);
    let mut folders = vec![root.join("src"), root.join("python/src")];
    let crates = fs::read_dir(root.join("crates")).unwrap();
    folders.extend(crates.map(|entry| entry.unwrap().path().join("src")));
    let mut files: Vec<(PathBuf, Reader)> = Vec::new();
    for folder in folders {
        let code = rust_files(&folder).into_iter();
        let code = code.filter(|file| !file.ends_with("tests.rs"));
        files.extend(code.map(|file| {
            let reader: Reader = match file.ends_with("src/lib.rs") {
                true => rust::passages_and_front_page,
                false => rust::passages,
            };
            (file, reader)
        }));
    }
    files.push((root.join("README.md"), sentences::paragraphs));
    files.push((root.join("python/README.md"), sentences::paragraphs));
    let page = root.join("src/campaign/page/words/en.toml");
    files.push((page, javascript::passages));
    for (folder, ending, reader) in [
        ("docs", "md", sentences::paragraphs as Reader),
        ("src/campaign/page", "html", sentences::elements),
        ("src/campaign/page", "js", javascript::passages),
    ] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        let entries = entries.map(|entry| entry.unwrap().path());
        let mut own: Vec<_> = entries
            .filter(|path| path.extension().is_some_and(|found| found == ending))
            .collect();
        own.sort();
        files.extend(own.into_iter().map(|file| (file, reader)));
    }
    files
}

/// What is not plain in the text of a terminal or in a page: columns of tables are texts of their own.
pub(crate) fn rendered_faults(rendered: &str) -> Vec<String> {
    let passages = match rendered.trim_start().starts_with('<') {
        true => sentences::elements(rendered),
        false => sentences::cells(rendered),
    };
    let faults = passages.iter().flat_map(|passage| faults(&passage.text));
    faults.collect()
}

#[test]
fn what_is_not_plain_is_found_as_it_is_rendered() {
    let long = "one ".repeat(26);
    let text = format!("system  told\natlas   1  {long}\n\n{long}.\nIt was told.\n");
    assert_eq!(rendered_faults(&text).len(), 4);
    let page = format!(
        "<!doctype html><p>{long}</p><p>It is <b>not</b> told.</p><script>told it all</script>"
    );
    assert_eq!(rendered_faults(&page).len(), 2);
    assert_eq!(
        rendered_faults("atlas is best. It has proof.\n"),
        Vec::<String>::new()
    );
}
