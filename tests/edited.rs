//! Stored results (JSON, TOML) in which a digit is changed: a report refuses them, and so does whoever else reads them.

use crate::cli::{here, text, tiebreak, tree};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::error::Result;
use tiebreak::preference::calibration::Calibration;
use tiebreak::preference::calibrator::Calibrator;
use tiebreak::stages::report;

/// Every stage that stores results, with all that it may store.
const PIPELINE: &str = r#"
seed = 7
data = "data/tiny"
[[score]]
metric = ["chrf", "length"]
[[fit]]
metric = "length"
link = "btl"
[[predict]]
metric = "length"
link = "btl"
[[assess]]
predictions = "length-btl"
[[simulate]]
bandit = "rmed"
runs = 4
budget = 50
[[rank]]
[[estimate]]
differences = true
target-width = 5
min-agreement = 0.5
[[estimate]]
name = "any-time"
range = [0, 100]
estimator = "betting:anytime=true"
stop = "width=30"
[[correlate]]
metric = ["chrf", "length"]
resamples = 100
[[annotators]]
"#;

const GRID: &str = r#"
data-root = "data"
[defaults]
data = "tiny"
runs = 10
budget = 200
[[experiment]]
bandit = ["rmed", "uniform"]
[[table]]
name = "share"
title = "Share"
value = "accuracy"
"#;

/// At most this many digits of a file are changed, each in turn.
const DIGITS: usize = 100;

/// The files that a folder holds beside results: what a report makes anew, and tables' own metadata.
fn is_result(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    let of_a_kind = [".json", ".toml"].iter().any(|end| name.ends_with(end));
    of_a_kind && !["report.json", "meta.json"].contains(&name)
}

/// Changes digits of a file; each time `read` must refuse it. In the end the file is what it was.
fn refused_with_any_other_digit(path: &Path, read: impl Fn() -> Result<()>) {
    read().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let whole = fs::read(path).unwrap();
    let digits: Vec<usize> = (0..whole.len())
        .filter(|&at| whole[at].is_ascii_digit())
        .collect();
    for &at in digits.iter().step_by(1 + digits.len() / DIGITS) {
        let mut edited = whole.clone();
        edited[at] = b'0' + (edited[at] - b'0' + 1 + (at % 9) as u8) % 10;
        fs::write(path, &edited).unwrap();
        let around = String::from_utf8_lossy(&edited[at.saturating_sub(30)..=at]);
        let Err(error) = read() else {
            panic!("{}: …{around} was taken for the result", path.display());
        };
        let (what, hint) = (error.to_string(), error.hint().unwrap_or_default());
        assert!(what.contains("changed"), "{what} after …{around}");
        assert!(hint.contains("delete"), "{hint} after …{around}");
        assert_eq!(error.exit_code(), 2, "{what}");
    }
    fs::write(path, whole).unwrap();
}

/// Changes digits of results in a folder, each file in a copy of its own; reports must refuse them all.
fn no_report_of_an_edited(folder: &Path, results: &[PathBuf]) {
    let files = tree(folder);
    results.par_iter().for_each(|name| {
        let copy = tempfile::tempdir().unwrap();
        for (name, bytes) in &files {
            let path = copy.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        refused_with_any_other_digit(&copy.path().join(name), || {
            report::write(copy.path()).map(drop)
        });
    });
}

fn run(stages: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("p.toml"), folder.path().join("out"));
    fs::write(&file, here(stages)).unwrap();
    tiebreak(&["run", text(&file), "--out", text(&out)]).ok();
    folder
}

fn results(folder: &Path) -> Vec<PathBuf> {
    let names = tree(folder).into_iter().map(|(name, _)| name);
    names.filter(|name| is_result(name)).collect()
}

#[test]
fn a_run_with_another_digit_is_refused() {
    let folder = run(PIPELINE);
    let out = folder.path().join("out");
    let (fitted, told): (Vec<PathBuf>, Vec<PathBuf>) = results(&out)
        .into_iter()
        .partition(|name| name.starts_with("fit"));
    assert_eq!((fitted.len(), told.len()), (1, 20), "{told:?}");
    no_report_of_an_edited(&out, &told);
    let link = out.join(&fitted[0]);
    refused_with_any_other_digit(&link, || Calibration::read(&link).map(drop));
}

#[test]
fn a_folder_of_one_command_with_another_digit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let simulate = ["simulate", "data/tiny", "--runs", "4", "--budget", "50"];
    for (name, command) in [
        ("rank", &["rank", "data/tiny"][..]),
        ("simulate", &simulate),
    ] {
        let out = path(name);
        tiebreak(&[command, &["--out", text(&out)]].concat()).ok();
        let results = results(&out);
        assert_eq!(results.len(), 1, "{results:?}");
        no_report_of_an_edited(&out, &results);
    }
}

#[test]
fn a_cell_of_an_experiment_with_another_digit_is_refused() {
    let folder = run(GRID);
    let out = folder.path().join("out");
    let mut told = results(&out.join("cells"));
    for name in &mut told {
        *name = Path::new("cells").join(&*name);
    }
    assert_eq!(told.len(), 2, "{told:?}");
    told.push(PathBuf::from("report.json"));
    no_report_of_an_edited(&out, &told);
    // The text is made anew from what is whole.
    let text = fs::read_to_string(out.join("report.txt")).unwrap();
    fs::write(out.join("report.txt"), text.replace("cells", "0 cells")).unwrap();
    assert_eq!(report::write(&out).unwrap().text, text);
}

#[test]
fn a_calibration_with_another_digit_is_refused_and_one_without_a_digest_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (scores, link) = (path("scores.csv"), path("link.toml"));
    let (predictions, fitted) = (path("p.csv"), path("c.toml"));
    crate::cli::score_with_chrf(&scores);
    let fit = ["fit link data/tiny --metric chrf --link linear --scores"];
    tiebreak(&[&fit[..], &[text(&scores), "--out", text(&link)]].concat()).ok();
    let more = [
        "--link linear --calibration",
        text(&link),
        "--out",
        text(&predictions),
    ];
    tiebreak(&[&crate::cli::predict_from(&scores)[..], &more].concat()).ok();
    let fit = ["fit", "calibration", "data/tiny", "--predictions"];
    tiebreak(&[&fit[..], &[text(&predictions), "--out", text(&fitted)]].concat()).ok();
    refused_with_any_other_digit(&fitted, || Calibrator::read(&fitted).map(drop));
    let sealed = fs::read_to_string(&fitted).unwrap();
    fs::write(&fitted, sealed.rsplit_once("# digest").unwrap().0).unwrap();
    assert!(Calibrator::read(&fitted).is_ok());
}
