//! What Cargo does not enforce of the layers in `ARCHITECTURE.md`: which stage may use which, and that all unsafe code is
//! in one crate.

use crate::support::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What stages have in common: where they run, what may be left to advice, slices of items, and how tables are told.
const SHARED: &[&str] = &["setting", "site", "slices", "of_criterion", "mod"];

#[test]
fn stages_use_only_what_the_architecture_allows() {
    let allowed = rows("Among the stages");
    let folder = Path::new(ROOT).join("crates/stages/src/stages");
    let mut faults = Vec::new();
    for file in rust_files(&folder) {
        let inside = file.strip_prefix(&folder).unwrap().iter().next().unwrap();
        let stage = inside.to_string_lossy().trim_end_matches(".rs").to_string();
        if SHARED.contains(&stage.as_str()) {
            continue;
        }
        for used in uses(&fs::read_to_string(&file).unwrap()) {
            let may = allowed.get(&stage).is_some_and(|may| may.contains(&used));
            if used != stage && !may && !SHARED.contains(&used.as_str()) {
                faults.push(format!(
                    "{}: `{stage}` may not use `{used}`",
                    file.display()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn unsafe_code_is_in_one_crate() {
    let mut crates: BTreeSet<String> = BTreeSet::new();
    for file in rust_files(&Path::new(ROOT).join("crates")) {
        let text = fs::read_to_string(&file).unwrap();
        if text
            .lines()
            .any(|line| line.trim_start().starts_with("unsafe ") || line.contains(" unsafe {"))
        {
            let inside = file.strip_prefix(ROOT).unwrap().iter().nth(1).unwrap();
            crates.insert(inside.to_string_lossy().into_owned());
        }
    }
    assert_eq!(crates.into_iter().collect::<Vec<_>>(), ["encoders"]);
}

/// Rows such as "| `predict` | `fit` |" in the first table after these words.
fn rows(words: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).unwrap();
    let after = text.split(words).nth(1).expect("a table after these words");
    let start = after.find("\n|").expect("a table");
    let section = after[start..].trim_start().split("\n\n").next().unwrap();
    let names = |cell: &str| -> Vec<String> {
        let quoted = cell.split('`').skip(1).step_by(2);
        quoted.map(str::to_string).collect()
    };
    let mut table = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split('|');
        let (stages, uses) = (names(cells.next().unwrap()), names(cells.next().unwrap()));
        for stage in stages {
            table.insert(stage, uses.iter().cloned().collect());
        }
    }
    table
}

/// What nobody reads as a number: positions on a page, signatures, and what is whole already.
const ROUNDED_ELSEWHERE: [&str; 4] = [
    "report/html/first.rs",
    "report/document.rs",
    "report/headline.rs",
    "stages/fit/keys.rs",
];

/// Rust's own formats round a half to the even side, and the nearest binary number before that.
#[test]
fn numbers_that_people_read_are_rounded_by_one_function() {
    let folders = ["stages/src/stages", "stages/src/report", "data/src/records"];
    let folders = folders.map(|folder| format!("crates/{folder}"));
    let folders = folders.into_iter().chain(["src/cli".to_string()]);
    let files = folders.flat_map(|folder| rust_files(&Path::new(ROOT).join(folder)));
    let files = files.filter(|file| !ROUNDED_ELSEWHERE.iter().any(|name| file.ends_with(name)));
    let mut faults = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("mod tests {").next().unwrap_or_default();
        let rounds = |line: &&str| line.split(':').skip(1).any(is_precision);
        faults.extend(
            code.lines()
                .filter(rounds)
                .map(|line| format!("{}: {}", file.display(), line.trim())),
        );
    }
    assert!(faults.is_empty(), "`layout::decimals` rounds: {faults:#?}");
    assert!(is_precision(".2}") && is_precision("+.3}") && !is_precision(".0e}"));
}

/// Whether a format goes on as `.2}`.
fn is_precision(format: &str) -> bool {
    let digits = format.trim_start_matches('+').strip_prefix('.');
    let inside = digits.and_then(|digits| Some(digits.split_once('}')?.0));
    inside.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Every stage that is named as `crate::stages::NAME`, outside comments and unit tests.
fn uses(text: &str) -> BTreeSet<String> {
    let code = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for rest in code.split("crate::stages::").skip(1) {
        let names = match rest.strip_prefix('{') {
            Some(inside) => inside
                .split('}')
                .next()
                .unwrap_or_default()
                .split(',')
                .collect(),
            None => vec![rest],
        };
        let word = |name: &str| -> String {
            let letters = name.trim_start().chars();
            letters
                .take_while(|c| c.is_lowercase() || *c == '_')
                .collect()
        };
        let cased = |name: &&str| name.trim_start().starts_with(|c: char| c.is_lowercase());
        found.extend(names.into_iter().filter(cased).map(word));
    }
    found
}
