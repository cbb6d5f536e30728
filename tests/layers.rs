//! The layers of `ARCHITECTURE.md` hold: the table there is the law, and this test reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that everyone may use.
const COMMON: &[&str] = &["error"];

#[test]
fn modules_use_only_what_the_architecture_allows() {
    let allowed = table();
    let mut faults = Vec::new();
    for file in rust_files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
        let module = module_of(&file);
        if ["lib", "main"].contains(&module.as_str()) || COMMON.contains(&module.as_str()) {
            continue;
        }
        let Some(may_use) = allowed.get(&module) else {
            faults.push(format!(
                "module `{module}` is not in the table of ARCHITECTURE.md"
            ));
            continue;
        };
        for used in uses(&fs::read_to_string(&file).unwrap(), "crate") {
            if used != module && !COMMON.contains(&used.as_str()) && !may_use.contains(&used) {
                faults.push(format!(
                    "{}: `{module}` may not use `{used}`",
                    file.display()
                ));
            }
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_layers_have_no_cycles() {
    let allowed = table();
    let mut placed = BTreeSet::new();
    while placed.len() < allowed.len() {
        let free: Vec<&String> = allowed
            .iter()
            .filter(|(module, uses)| {
                !placed.contains(*module) && uses.iter().all(|used| placed.contains(used))
            })
            .map(|(module, _)| module)
            .collect();
        assert!(
            !free.is_empty(),
            "a cycle among the modules that are not {placed:?}"
        );
        placed.extend(free.into_iter().cloned());
    }
}

/// What all stages have in common: where they run, what may be left to advice, and how tables are told.
const SHARED: &[&str] = &["setting", "site", "of_criterion"];

#[test]
fn stages_use_only_what_the_architecture_allows() {
    let allowed = rows("Among the stages");
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/stages"));
    let mut faults = Vec::new();
    for file in rust_files(folder) {
        let inside = file
            .strip_prefix(folder)
            .unwrap()
            .components()
            .next()
            .unwrap();
        let stage = inside
            .as_os_str()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_string();
        if stage == "mod" || SHARED.contains(&stage.as_str()) {
            continue;
        }
        for used in uses(&fs::read_to_string(&file).unwrap(), "crate::stages") {
            let module = used.chars().all(|c| c.is_lowercase() || c == '_');
            let may = allowed.get(&stage).is_some_and(|may| may.contains(&used));
            if module && used != stage && !may && !SHARED.contains(&used.as_str()) {
                faults.push(format!(
                    "{}: `{stage}` may not use `{used}`",
                    file.display()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn table() -> BTreeMap<String, BTreeSet<String>> {
    let table = rows("## Layers");
    assert!(table.len() > 10, "the table of layers was not understood");
    table
}

/// Rows such as "| `bandits` | `duel` `rng` |" in the first table after these words.
fn rows(words: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).unwrap();
    let after = text.split(words).nth(1).expect("a table after these words");
    let start = after.find("\n|").expect("a table");
    let section = after[start..].trim_start().split("\n\n").next().unwrap();
    let names = |cell: &str| -> Vec<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_string)
            .collect()
    };
    let mut table = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split('|');
        let (modules, uses) = (names(cells.next().unwrap()), names(cells.next().unwrap()));
        for module in modules {
            table.insert(module, uses.iter().cloned().collect());
        }
    }
    table
}

/// What nobody reads as a number: positions on a page, signatures, and what is whole already.
const ROUNDED_ELSEWHERE: [&str; 4] = [
    "report/html/first.rs",
    "report/headline.rs",
    "stages/fit/keys.rs",
    "stages/simulate/page.rs",
];

/// Rust's own formats round a half to the even side, and the nearest binary number before that.
#[test]
fn numbers_that_people_read_are_rounded_by_one_function() {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let folders = ["stages", "report", "records", "cli"].map(|folder| source.join(folder));
    let files = folders.iter().flat_map(|folder| rust_files(folder));
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

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The top-level module a file belongs to.
fn module_of(file: &Path) -> String {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let first = file
        .strip_prefix(source)
        .unwrap()
        .components()
        .next()
        .unwrap();
    first
        .as_os_str()
        .to_string_lossy()
        .trim_end_matches(".rs")
        .to_string()
}

/// Every `within::NAME` outside comments and unit tests, braces expanded: `crate::{a, b::C}` uses `a` and `b`
/// of `crate`.
fn uses(text: &str, within: &str) -> BTreeSet<String> {
    // Unit tests may use what they like.
    let text = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    for rest in code.split(&format!("{within}::")).skip(1) {
        if let Some(inside) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut name = String::new();
            let mut at_start = true;
            for character in inside.chars() {
                match character {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => at_start = true,
                    c if depth == 0 && at_start && (c.is_alphanumeric() || c == '_') => {
                        name.push(c);
                    }
                    _ if depth == 0 && at_start && !name.is_empty() => {
                        found.insert(std::mem::take(&mut name));
                        at_start = false;
                    }
                    _ => {}
                }
                if at_start && character == ',' && !name.is_empty() {
                    found.insert(std::mem::take(&mut name));
                }
            }
            if !name.is_empty() {
                found.insert(name);
            }
        } else {
            found.insert(
                rest.chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect(),
            );
        }
    }
    // Items re-exported at the root are not modules.
    found.retain(|name| name.starts_with(|c: char| c.is_lowercase()));
    found
}

#[test]
fn uses_are_found_in_every_form() {
    let names = uses(
        "use crate::duel::Arm;\nuse crate::{rng::Rng, stats::{a, b}, tables};\n// crate::no\ncrate::text::x();",
        "crate",
    );
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["duel", "rng", "stats", "tables", "text"]
    );
}
