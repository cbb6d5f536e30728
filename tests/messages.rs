//! Keys in messages are keys: no sentence of a crate has a flag in it, so that nothing needs to be looked for in prose.

use crate::support::rust_files;
use std::fs;
use std::path::Path;

/// Files that may write a flag, and why.
const MAY: [(&str, &str); 2] = [
    ("estimators/betting.rs", "its summary is help, in `list`"),
    (
        "estimators/empirical_bernstein.rs",
        "its summary is help, in `list`",
    ),
];

#[test]
fn no_sentence_of_a_crate_has_a_flag() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let (mut places, mut allowed, mut files) = (Vec::new(), 0, 0);
    for package in fs::read_dir(crates).unwrap() {
        for file in rust_files(&package.unwrap().path().join("src")) {
            files += 1;
            let text = fs::read_to_string(&file).unwrap();
            // Tests compare what is shown.
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let lines = code.lines().enumerate();
            let with_flag = lines.filter(|(_, line)| has_flag(line));
            let found =
                with_flag.map(|(at, line)| format!("{}:{}: {line}", file.display(), at + 1));
            match MAY.iter().any(|(may, _)| file.ends_with(may)) {
                true => allowed += found.count(),
                false => places.extend(found),
            }
        }
    }
    assert!(files > 300, "the sources lie elsewhere");
    assert!(
        places.is_empty(),
        "write Key(\"…\") or Flag(\"…\"): {places:#?}"
    );
    assert_eq!(allowed, MAY.len());
}

/// Whether a line of code has a flag. No operator of Rust has two hyphens.
fn has_flag(line: &str) -> bool {
    let mut after = line.split("--").skip(1);
    !line.trim_start().starts_with("//")
        && after.any(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

#[test]
fn flags_are_seen() {
    assert!(has_flag("let hint = \"raise --limit-memory\";") && has_flag("let x = \"--mix\";"));
    assert!(!has_flag("/// `--out`") && !has_flag("let x = \"a -- b\";"));
}
