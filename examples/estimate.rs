//! How good is a system, from ratings of half of its outputs and a metric's scores of all?
//!
//! `cargo run --release --example estimate`
#![expect(clippy::print_stdout, reason = "an example talks")]

use std::fs;
use tiebreak::{Error, Result, Survey, score};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny");
const SYSTEM: &str = "ember";

fn lines(file: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(format!("{DATA}/{file}")).map_err(Error::failed)?;
    Ok(text.lines().map(str::to_string).collect())
}

/// Ratings of the system's adequacy: the output, by number, and what somebody said of it.
fn ratings() -> Result<Vec<(usize, f64)>> {
    let rating = |line: String| -> Option<(usize, f64)> {
        let row: serde_json::Value = serde_json::from_str(&line).ok()?;
        let wanted = row["system"] == SYSTEM && row["criterion"] == "adequacy";
        let item: usize = row["item"].as_str()?.strip_prefix("item-")?.parse().ok()?;
        wanted.then_some((item - 1, row["score"].as_f64()?))
    };
    Ok(lines("judgments.jsonl")?
        .into_iter()
        .filter_map(rating)
        .collect())
}

pub(crate) fn main() -> Result<()> {
    let outputs = lines(&format!("text/{SYSTEM}.en"))?;
    let references: Vec<[String; 1]> = lines("text/reference.en")?
        .into_iter()
        .map(|one| [one])
        .collect();
    let chrf = score("chrf", &outputs, &references)?.segments;
    let survey = Survey::scored(chrf).with_range(0.0, 100.0)?;
    for estimator in ["mean", "control-variates"] {
        let found = survey.estimate(estimator, &ratings()?, 0.95)?;
        if let (Some(value), Some(lower), Some(upper)) = (found.estimate, found.lower, found.upper)
        {
            println!("{estimator}: {value:.1} [{lower:.1}, {upper:.1}]");
        }
    }
    Ok(())
}
