//! Which system is nearest to the references, by two metrics?
//!
//! `cargo run --release --example score`
#![expect(clippy::print_stdout, reason = "an example talks")]

use std::fs;
use tiebreak::{Error, Result, score};

const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny/text");

/// The lines of one of the aligned files, one per item.
fn lines(name: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(format!("{TEXTS}/{name}")).map_err(Error::failed)?;
    Ok(text.lines().map(str::to_string).collect())
}

pub(crate) fn main() -> Result<()> {
    // One reference an item here; there may be any number.
    let references: Vec<[String; 1]> = lines("reference.en")?
        .into_iter()
        .map(|one| [one])
        .collect();
    for system in ["cedar", "delta", "fjord", "birch"] {
        let outputs = lines(&format!("{system}.en"))?;
        let chrf = score("chrf:word-order=2", &outputs, &references)?;
        let ter = score("ter", &outputs, &references)?;
        println!("{system}: chrF++ {:.1}, TER {:.1}", chrf.corpus, ter.corpus);
    }
    Ok(())
}
