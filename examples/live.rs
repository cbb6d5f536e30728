//! A person is asked which of two outputs is better until it is certain which system is best.
//!
//! `cargo run --release --example live`
#![expect(clippy::print_stdout, reason = "an example talks")]

use std::fs;
use tiebreak::evaluation::live::{Plan, Question};
use tiebreak::{Error, Live, Outcome, Result, score};

const SYSTEMS: [&str; 4] = ["birch", "delta", "ember", "fjord"];
const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/tiny/text");

fn lines(name: &str) -> Result<Vec<String>> {
    let text = fs::read_to_string(format!("{TEXTS}/{name}.en")).map_err(Error::failed)?;
    Ok(text.lines().map(str::to_string).collect())
}

pub(crate) fn main() -> Result<()> {
    let outputs: Vec<Vec<String>> = SYSTEMS.map(lines).into_iter().collect::<Result<_>>()?;
    let references = lines("reference")?;
    // Stands in for a person, who would be shown both texts: prefers what is nearer to the reference.
    let person = |asked: Question| -> Result<Outcome> {
        let texts = [asked.first, asked.second].map(|system| &outputs[system][asked.item]);
        let reference = [[&references[asked.item]], [&references[asked.item]]];
        let chrf = score("chrf", &texts, &reference)?.segments;
        Ok(match chrf[0] - chrf[1] {
            more if more > 5.0 => Outcome::Win,
            less if less < -5.0 => Outcome::Loss,
            _ => Outcome::Tie,
        })
    };

    let plan = Plan {
        confidence: 0.9,
        budget: 1000,
        ..Plan::default()
    };
    let mut live = Live::planned(&SYSTEMS, references.len(), &plan)?;
    while let Some(question) = live.ask() {
        live.tell(question, person(question)?);
    }
    println!("{} questions; {} leads", live.answers(), live.leader());
    println!("{}", live.claim());
    Ok(())
}
