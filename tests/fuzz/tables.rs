//! Small tables of any shape: every one of them gives numbers, or a word that says why there are none.
//!
//! A case is a number, from which a table and flags follow; it runs in this process, as text and as JSON. It fails where
//! a command panics or refuses, where a number is none, where an interval leaves the scale or its estimate, or where
//! something is missing without a reason. `TIEBREAK_FUZZ_CASES` says how many cases of each verb are tried,
//! `TIEBREAK_FUZZ_FROM` the first of them; the message names the case and repeats its files.

mod made;

use super::number;
use made::{Flags, Table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tiebreak::cli::command;
use tiebreak::engine::context::SilentProgress;
use tiebreak::rng::{Rng, Seed};

/// Cases of each verb unless told otherwise.
const CASES: u64 = 300;

/// What `annotators` says where there is nothing to compare: clear words, and no numbers.
const REFUSALS: [&str; 2] = [
    "no answer has an annotator's name",
    "every kind of answer has more than 20 different ones",
];

/// What rounding may add to a number.
const ROUNDING: f64 = 1e-9;

#[test]
fn every_small_table_of_judgments_is_estimated() {
    survive("estimate", made::estimate, estimated);
}

#[test]
fn every_small_table_of_judgments_is_correlated() {
    survive("correlate", made::correlate, |_, found| {
        within_one(found, "correlations")
    });
}

#[test]
fn every_small_table_has_its_annotators_compared() {
    survive("annotators", made::annotators, |_, _| Ok(()));
}

#[test]
fn every_small_table_of_comparisons_is_ranked() {
    survive("rank", made::rank, ranked);
}

/// Runs all cases of a verb and fails with those that did not survive.
fn survive(
    verb: &str,
    make: fn(&Path, &mut Rng) -> (Table, Flags),
    check: fn(&Table, &Value) -> Result<(), String>,
) {
    let first = number("TIEBREAK_FUZZ_FROM", 0);
    let cases = number("TIEBREAK_FUZZ_CASES", CASES);
    let mut failed = Vec::new();
    for case in first..first + cases {
        let folder = tempfile::tempdir().unwrap();
        let mut rng = Seed(38).stream(verb, case);
        let (table, flags) = make(folder.path(), &mut rng);
        let tried = catch_unwind(AssertUnwindSafe(|| {
            try_one(verb, folder.path(), &table, &flags, check)
        }));
        let wrong = match tried {
            Ok(Ok(())) => continue,
            Ok(Err(wrong)) => wrong,
            Err(_) => "a panic".to_string(),
        };
        failed.push(format!("{verb} {case}: {wrong}"));
        if failed.len() == 1 {
            let files = made::shown(folder.path());
            failed.push(format!("{verb} {}\n{files}", flags.words.join(" ")));
        }
    }
    let few: Vec<&str> = failed.iter().take(40).map(String::as_str).collect();
    assert!(
        failed.is_empty(),
        "{} of {cases} cases\n{}",
        failed.len() - 1,
        few.join("\n")
    );
}

fn try_one(
    verb: &str,
    folder: &Path,
    table: &Table,
    flags: &Flags,
    check: fn(&Table, &Value) -> Result<(), String>,
) -> Result<(), String> {
    let run = |more: &[&str]| {
        let data = folder.join("data");
        let words = [verb, data.to_str().unwrap()].into_iter();
        let words = words.chain(flags.words.iter().map(String::as_str));
        let words: Vec<OsString> = words.chain(more.iter().copied()).map(Into::into).collect();
        command(&words, &SilentProgress, &AtomicBool::new(false))
    };
    let text = match run(&[]) {
        Ok(text) => text,
        Err(error) if error.exit_code() == 2 && is_clear(&error.to_string()) => return Ok(()),
        Err(error) => return Err(format!("refused: {error}")),
    };
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    let is_none = |word: &str| ["nan", "inf", "infinity"].contains(&word.to_lowercase().as_str());
    if let Some(word) = words.find(|word| is_none(word)) {
        return Err(format!("`{word}` is printed: {text}"));
    }
    let json = run(&["--json"]).map_err(|error| format!("refused as JSON: {error}"))?;
    let found: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    check(table, &found).map_err(|wrong| format!("{wrong}: {json}"))
}

fn is_clear(refusal: &str) -> bool {
    REFUSALS.iter().any(|clear| refusal.contains(clear))
}

/// The rows of a list.
fn rows<'a>(found: &'a Value, name: &str) -> &'a [Value] {
    found[name].as_array().map_or(&[], Vec::as_slice)
}

/// The ends of an interval, which are both there and in order, or both missing.
fn ends(row: &Value, names: [&str; 2]) -> Result<Option<[f64; 2]>, String> {
    match names.map(|name| row[name].as_f64()) {
        [Some(lower), Some(upper)] if lower <= upper + ROUNDING => Ok(Some([lower, upper])),
        [None, None] => Ok(None),
        other => Err(format!("{names:?} are {other:?} in {row}")),
    }
}

fn estimated(table: &Table, found: &Value) -> Result<(), String> {
    let all = rows(found, "estimates");
    for system in table.judged() {
        let row = all.iter().find(|row| row["system"] == system.as_str());
        let row = row.ok_or_else(|| format!("{system} is missing"))?;
        let interval = ends(row, ["lower", "upper"])?;
        let value = row["estimate"].as_f64();
        if (value.is_none() || interval.is_none()) && !row["why"].is_string() {
            return Err(format!("no reason: {row}"));
        }
        if let Some([lower, upper]) = interval {
            let scale = row["range"].as_array();
            let scale = scale.map(|ends| [ends[0].as_f64().unwrap(), ends[1].as_f64().unwrap()]);
            if scale.is_some_and(|[low, high]| lower < low - ROUNDING || upper > high + ROUNDING) {
                return Err(format!("beyond the scale: {row}"));
            }
        }
    }
    let widest = all.iter().find_map(|row| row["range"].as_array());
    let widest = widest.map(|ends| ends[1].as_f64().unwrap() - ends[0].as_f64().unwrap());
    let widest = widest.unwrap_or(f64::INFINITY) + ROUNDING;
    let differences = rows(found, "differences");
    let mut by_metric: BTreeMap<String, usize> = BTreeMap::new();
    for row in all.iter().filter(|row| row["estimate"].is_number()) {
        *by_metric.entry(row["metric"].to_string()).or_default() += 1;
    }
    let pairs: usize = by_metric.values().map(|k| k * (k - 1) / 2).sum();
    if found.get("groups").is_some() && differences.len() != pairs {
        return Err("not every pair is compared".to_string());
    }
    for row in differences {
        let difference = row["difference"].as_f64();
        let difference = difference.ok_or_else(|| format!("no difference: {row}"))?;
        ends(row, ["win_lower", "win_upper"])?;
        for names in [["lower", "upper"], ["corrected_lower", "corrected_upper"]] {
            match ends(row, names)? {
                None if row["why"].is_string() && row["significant"] == false => {}
                None => return Err(format!("no reason: {row}")),
                Some([lower, upper]) if lower < -widest || upper > widest => {
                    return Err(format!("beyond the scale: {row}"));
                }
                Some([lower, upper]) => {
                    let scale = 1.0_f64.max(difference.abs()) * ROUNDING;
                    if table.is_centred
                        && (difference < lower - scale || difference > upper + scale)
                    {
                        return Err(format!("outside of its interval: {row}"));
                    }
                }
            }
        }
    }
    Ok(())
}

/// That coefficients and their intervals lie between -1 and 1.
fn within_one(found: &Value, name: &str) -> Result<(), String> {
    for row in rows(found, name) {
        let interval = ends(row, ["lower", "upper"])?;
        let numbers = row["value"]
            .as_f64()
            .into_iter()
            .chain(interval.into_iter().flatten());
        let mut beyond = numbers.filter(|one| one.abs() > 1.0 + ROUNDING);
        if beyond.next().is_some() {
            return Err(format!("beyond one: {row}"));
        }
        if interval.is_none() && !row["why"].is_string() {
            return Err(format!("no reason: {row}"));
        }
    }
    Ok(())
}

fn ranked(table: &Table, found: &Value) -> Result<(), String> {
    let ranks = rows(found, "ranks");
    if ranks.len() != rows(found, "systems").len() {
        return Err("systems without ranks".to_string());
    }
    for row in ranks {
        let [low, high] = ["rank_low", "rank_high"].map(|name| row[name].as_u64());
        let within =
            |end: Option<u64>| end.is_some_and(|end| end >= 1 && end <= table.systems as u64);
        if !within(low) || !within(high) || low > high {
            return Err(format!("no ranks: {row}"));
        }
    }
    for row in rows(found, "strengths") {
        ends(row, ["lower", "upper"])?;
    }
    Ok(())
}
