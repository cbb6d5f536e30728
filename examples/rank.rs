//! Who is best by comparisons that were collected?
//!
//! `cargo run --release --example rank`
#![expect(clippy::print_stdout, reason = "an example talks")]

use serde::Deserialize;
use std::fs;
use tiebreak::{Comparison, Error, Outcome, Result, rank};

/// A row of the file; `outcome` is that of `system_a`: 1, 0 or 0.5.
#[derive(Deserialize)]
struct Row {
    item: String,
    system_a: String,
    system_b: String,
    outcome: f64,
    annotator: String,
}

pub(crate) fn main() -> Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny/comparisons.jsonl");
    let text = fs::read_to_string(path).map_err(Error::failed)?;
    let rows: Vec<Row> = text
        .lines()
        .map(|line| serde_json::from_str(line).map_err(Error::failed))
        .collect::<Result<_>>()?;
    let comparisons = rows.iter().filter_map(|row| {
        let outcome = Outcome::from_value(row.outcome)?;
        let one = Comparison::new(&row.system_a, &row.system_b, outcome);
        Some(one.on(&row.item).by(&row.annotator))
    });
    let ranking = rank(comparisons, 0.95)?;
    for one in &ranking.ranks {
        println!("{}: rank {} to {}", one.system, one.rank_low, one.rank_high);
    }
    println!("{}", ranking.claim);
    println!("\n{ranking}"); // all of it, as `tiebreak rank` prints it
    Ok(())
}
