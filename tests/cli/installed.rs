//! The program as it is installed: alone, away from its source; its help, pages and completions; its package.

use super::{Finished, command, finished, text, tiebreak};
use crate::support::{assert_contains, say};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What of the package the registry takes, in bytes.
const REGISTRY: u64 = 10 << 20;

/// A copy of the program in a folder of its own, run in an empty one.
struct Alone {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Alone {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "here", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let name = format!("tiebreak{}", std::env::consts::EXE_SUFFIX);
        let program = folder.path().join("bin").join(name);
        fs::copy(env!("CARGO_BIN_EXE_tiebreak"), &program).unwrap();
        Self { folder, program }
    }

    fn here(&self, name: &str) -> PathBuf {
        self.folder.path().join("here").join(name)
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        let home = self.folder.path().join("home");
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.folder.path().join("here"))
            .env_remove("TIEBREAK_MODELS");
        for variable in ["HOME", "XDG_DATA_HOME", "APPDATA"] {
            command.env(variable, &home);
        }
        // A process that another test begins may hold the copy open for a moment.
        loop {
            match command.output() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {}
                output => return finished(&output.unwrap()),
            }
        }
    }
}

/// Whether this build has its model in it.
fn has_model() -> bool {
    let has = tiebreak::encoders::shipped::is_here();
    if !has {
        say("SKIPPED", "this build is without the shipped model");
    }
    has
}

#[test]
fn the_program_alone_has_its_model() {
    if !has_model() {
        return;
    }
    let alone = Alone::new();
    let models = alone.run(&["list", "models", "--json"]).json();
    assert_eq!(models[0]["name"], "tiebreak-small");
    let line = |item: &str, system: &str, output: &str| {
        format!(
            r#"{{"item":"{item}","system":"{system}","output":"{output}","references":["the sun is high"]}}"#
        )
    };
    let outputs = [
        line("1", "a", "the sun is up high"),
        line("1", "b", "sun sun"),
        line("2", "a", "the moon"),
        line("2", "b", "the sun is high today"),
    ];
    fs::write(alone.here("pairs.jsonl"), outputs.join("\n")).unwrap();
    let predict = ["predict", "pairs.jsonl", "--draws", "0", "--out"];
    alone.run(&[&predict[..], &["alone.csv"]].concat()).ok();
    // The folder of the source gives the same bytes, signatures and digests among them.
    let (data, out) = (alone.here("pairs.jsonl"), alone.here("source.csv"));
    let from_source = ["predict", text(&data), "--draws", "0", "--out", text(&out)];
    let run = command(&from_source).output().unwrap();
    finished(&run).ok();
    for ending in ["csv", "csv.meta.json"] {
        let read =
            |name: &str| fs::read_to_string(alone.here(&format!("{name}.{ending}"))).unwrap();
        assert_eq!(read("alone"), read("source"), "{ending}");
    }
}

#[test]
fn models_are_found_where_they_are_put() {
    let alone = Alone::new();
    let listed = |arguments: &[&str]| {
        let models = alone
            .run(&[&["list", "models", "--json"], arguments].concat())
            .json();
        let models = models.as_array().unwrap().iter();
        models
            .map(|one| one["name"].as_str().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    let own = |place: &Path, name: &str| {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join(format!("{name}.toml")), "# A model\n").unwrap();
    };
    own(&alone.folder.path().join("asked"), "one");
    own(&alone.here("models"), "two");
    own(&alone.folder.path().join("bin/models"), "three");
    own(&alone.folder.path().join("share/tiebreak/models"), "four");
    let mut expected = vec!["two", "three", "four"];
    expected.extend(tiebreak::encoders::shipped::is_here().then_some("tiebreak-small"));
    assert_eq!(listed(&[]), expected);
    expected.insert(0, "one");
    assert_eq!(listed(&["--models", "../asked"]), expected);
}

#[test]
fn a_path_of_the_build_is_not_in_the_program() {
    let program = fs::read(env!("CARGO_BIN_EXE_tiebreak")).unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/").as_bytes();
    assert!(!program.windows(source.len()).any(|window| window == source));
}

#[test]
fn the_version_says_what_was_built() {
    let version = tiebreak(&["--version"]).ok();
    let model = match tiebreak::encoders::shipped::is_here() {
        true => ", shipped model)",
        false => ", no shipped model)",
    };
    let begins = concat!("tiebreak ", env!("CARGO_PKG_VERSION"), " (commit ");
    assert!(
        version.starts_with(begins) && version.trim_end().ends_with(model),
        "{version}"
    );
    assert_eq!(version.contains("neural"), cfg!(feature = "neural"));
    assert_eq!(version, tiebreak(&["-V"]).ok());
    let verbose = tiebreak(&["--version", "--verbose", "--models", "elsewhere"]).ok();
    assert!(verbose.starts_with(&version), "{verbose}");
    let facts: Vec<&str> = verbose
        .lines()
        .skip(1)
        .map(|line| line[..24].trim_end())
        .collect();
    let machine: &[&str] = match cfg!(feature = "neural") {
        true => &["processor", "threads", "devices"],
        false => &["processor", "threads"],
    };
    let folders = ["models", "folders of models", "folder of indexes"];
    assert_eq!(facts, [&["commit"], machine, &folders].concat());
    assert_contains(&verbose, &["elsewhere, models, "]);
    assert_eq!(tiebreak(&["--verbose"]).code, Some(2));
}

#[test]
fn help_is_a_command_too() {
    assert_eq!(tiebreak(&["help"]).ok(), tiebreak(&["--help"]).ok());
    let of_score = tiebreak(&["help", "score"]).ok();
    assert_contains(&of_score, &["Usage: tiebreak score"]);
    let of_link = tiebreak(&["help", "fit", "link"]).ok();
    assert_contains(&of_link, &["Usage: tiebreak fit link"]);
}

#[test]
fn completions_know_verbs_and_names() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = tiebreak(&["completions", shell]).ok();
        assert!(
            script.contains("simulate") && script.contains("criterion"),
            "{shell}"
        );
        // PowerShell and Elvish are told flags alone.
        let named = ["bash", "zsh", "fish"].contains(&shell);
        for name in "rouge-lsum btl-logistic rucb control-variates tiny-electra".split(' ') {
            assert!(!named || script.contains(name), "{shell}: {name}");
        }
        if shell == "bash" {
            parses(&script);
        }
    }
}

/// What bash thinks of a script without running it.
fn parses(script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiebreak.bash");
    fs::write(&path, script).unwrap();
    match Command::new("bash").arg("-n").arg(&path).output() {
        Ok(run) => assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        ),
        Err(_) => say("SKIPPED", "there is no bash here"),
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    tiebreak(&["man", text(&pages)]).ok();
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("tiebreak.1").contains(".TH tiebreak 1"));
    for verb in ["score", "fit-pairwise", "serve", "estimate", "man"] {
        assert!(
            page(&format!("tiebreak-{verb}.1")).contains(".SH SYNOPSIS"),
            "{verb}"
        );
    }
    let simulate = page("tiebreak-simulate.1");
    assert_contains(&simulate, &[".SH REPLAYS", "Examples:", "neyman:P"]);
    assert_eq!(tiebreak(&["man"]).ok(), page("tiebreak.1"));
}

/// What `cargo package` would pack stays below what the registry takes.
#[test]
fn the_package_is_small_enough_for_the_registry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = ["package", "--list", "--allow-dirty", "--offline"];
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let Ok(run) = Command::new(cargo).args(list).current_dir(root).output() else {
        say("SKIPPED", "there is no cargo here");
        return;
    };
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let packed = String::from_utf8(run.stdout).unwrap();
    assert!(packed.lines().any(|file| file == "Cargo.toml"), "{packed}");
    let mut sink = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    // What cargo makes itself, such as Cargo.toml.orig, is not there to be read.
    for bytes in packed
        .lines()
        .filter_map(|file| fs::read(root.join(file)).ok())
    {
        std::io::Write::write_all(&mut sink, &bytes).unwrap();
    }
    let size = sink.finish().unwrap().len() as u64;
    assert!((100_000..REGISTRY).contains(&size), "{size} bytes");
}
