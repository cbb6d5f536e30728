//! One dictionary: a name means one thing, and a reader who searches for it finds that thing.

use crate::support::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Names that many files give to a type of their own, private to the file, by convention.
const CONVENTIONS: [&str; 3] = ["Keys", "Parameters", "Row"];

/// Names of functions that say nothing where they are called.
const VAGUE: [&str; 11] = [
    "beside", "find", "given", "named", "of", "one", "over", "place", "said", "tell", "told",
];

/// A definition at the left margin of a file: which crate, where, its visibility and its name.
struct Definition {
    package: String,
    place: String,
    is_public: bool,
    name: String,
}

#[test]
fn a_type_shares_its_name_with_no_other_of_its_crate() {
    let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for one in types() {
        if !CONVENTIONS.contains(&one.name.as_str()) || one.is_public {
            let key = (one.package, one.name);
            places.entry(key).or_default().push(one.place);
        }
    }
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

#[test]
fn few_types_share_their_name_with_one_of_another_crate() {
    let types: BTreeSet<_> = types().into_iter().map(|t| (t.package, t.name)).collect();
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name) in &types {
        *crates.entry(name).or_default() += 1;
    }
    crates.retain(|_, number| *number > 1);
    let shared: usize = crates.values().sum();
    assert!(shared * 100 < 8 * types.len(), "{crates:?}");
}

#[test]
fn few_functions_have_a_name_that_cannot_be_searched_for() {
    let mut places = Vec::new();
    for (package, file) in sources() {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let after = line.split_once("fn ").map(|(_, after)| after);
            let name = after.map(word).unwrap_or_default();
            if VAGUE.contains(&name) && !line.trim_start().starts_with("//") {
                places.push(format!("{package}: {}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(places.len() < 20, "{places:#?}");
}

/// The top-level types of all crates.
fn types() -> Vec<Definition> {
    let mut types = Vec::new();
    for (package, file) in sources() {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let is_public = line.starts_with("pub");
            let mut words = line.split_whitespace().skip(usize::from(is_public));
            let kind = match line.starts_with(char::is_whitespace) {
                true => None,
                false => words.next(),
            };
            if matches!(kind, Some("struct" | "enum" | "trait" | "type" | "union")) {
                types.push(Definition {
                    package: package.clone(),
                    place: format!("{}:{}", file.display(), number + 1),
                    is_public,
                    name: words.next().map(word).unwrap_or_default().to_string(),
                });
            }
        }
    }
    assert!(types.len() > 1000, "the sources lie elsewhere");
    types
}

/// The sources of every crate, with its folder.
fn sources() -> Vec<(String, std::path::PathBuf)> {
    let crates = fs::read_dir(Path::new(ROOT).join("crates")).unwrap();
    let mut folders: Vec<_> = crates.map(|entry| entry.unwrap().path()).collect();
    folders.push(ROOT.into());
    let with_files = folders.into_iter().flat_map(|folder| {
        let package = folder.file_name().unwrap().to_string_lossy().into_owned();
        let files = rust_files(&folder.join("src"));
        files.into_iter().map(move |file| (package.clone(), file))
    });
    with_files.collect()
}

/// The name at the beginning of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}
